//! `bvlab lab`: the live page.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpListener;

use super::Failure;
use super::course::LoadedCourse;
use super::load::Changes;
use super::options::Threads;
use super::progress::{interrupted, watch_interrupts_with};
use crate::experiment::Experiment;
use crate::lab::Lessons;
use crate::lab::server::{Access, Lab, code, serve};
use crate::learner::Registry;

/// Open the live page: draw training sets, drag the capacity, see the error split.
///
/// Starts a server on this machine and opens the browser. With --listen 0.0.0.0 a class can open the
/// same page over the network. The address that is opened and printed first contains a key: whoever
/// has it is the lecturer, with larger limits and priority. Ctrl-C closes the lab.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LabCommand {
    /// The experiment to start with: a file, or the name of one that ships with bvlab
    #[arg(value_name = "FILE")]
    file: Option<String>,

    #[command(flatten)]
    changes: Changes,

    /// The course that the menu follows: a file, or the name of one that ships with bvlab
    #[arg(long, value_name = "FILE")]
    course: Option<String>,

    /// The address to listen on; 0.0.0.0 lets others on the network connect
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// The port; 0 chooses any free one [default: 7878, or the next free one]
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// A host name that the lab accepts, besides IP addresses and localhost; may be given several times
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,

    /// Let students join with a code: one of 4 to 64 letters and digits, or a random one if none is
    /// given
    #[arg(
        long,
        value_name = "CODE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    code: Option<String>,

    /// A site whose pages may show the lab in a frame, such as https://slides.example.edu; may be given
    /// several times
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    allow_embed: Vec<String>,

    /// Trust the X-Forwarded-For header of a proxy at this address [default: 127.0.0.1]
    #[arg(
        long,
        value_name = "ADDR",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "127.0.0.1"
    )]
    behind_proxy: Option<IpAddr>,

    /// The address that the class opens, if it is not this machine's own, for example behind a proxy
    #[arg(long, value_name = "URL", value_parser = class_url)]
    url: Option<String>,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    #[command(flatten)]
    threads: Threads,
}

const EXAMPLES: &str = "\
Examples:
  bvlab lab                            the live page, with all lessons
  bvlab lab descent-fits               start with a lesson
  bvlab lab mine.toml                  start with your own experiment
  bvlab lab --course sixty-minutes     follow a course; or your own: --course my-course.toml
  bvlab lab --listen 0.0.0.0           for a class: prints the address and a QR code
  bvlab lab --listen 0.0.0.0 --code    students need a code, which is printed too
  bvlab lab --behind-proxy --url https://lab.example.edu/
  bvlab lab --allow-embed https://slides.example.edu";

/// The port, and how many after it are tried.
const PORT: u16 = 7878;
const TRIED: u16 = 20;

/// The most bytes of a table.
const MOST_TABLE: usize = 16 << 20;

/// The lesson that a page begins with if none is named.
const FIRST: &str = "tree-tradeoff";

/// Begins anew with an allocator that gives memory back at once: of what two hundred students had used,
/// it would otherwise keep some 600 MB for hours. It reads its options from the environment, before
/// `main`. Where the program cannot be started anew, the lab is open all the same.
#[cfg(unix)]
fn begin_thrifty() {
    use std::os::unix::process::CommandExt;
    const OPTION: &str = "MIMALLOC_PURGE_DELAY";
    if std::env::var_os(OPTION).is_none()
        && let Ok(program) = std::env::current_exe()
    {
        let mut anew = std::process::Command::new(program);
        anew.args(std::env::args_os().skip(1))
            .env(OPTION, "0")
            .env("MIMALLOC_ABANDONED_PAGE_PURGE", "1");
        let _ = anew.exec();
    }
}

/// Other systems have no such call.
#[cfg(not(unix))]
fn begin_thrifty() {}

impl LabCommand {
    /// Serves until Ctrl-C.
    pub fn execute(&self, registry: &Registry) -> Result<(), Failure> {
        begin_thrifty();
        let (lessons, open) = self.lessons(registry)?;
        let access = match &self.code {
            Some(code) => Access::with_code(code),
            None => Access::open(),
        };
        let access = access.map_err(|error| Failure::wrong(miette::miette!("{error}")))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| {
                Failure::failed(miette::miette!("cannot start the server: {error}"))
            })?;
        watch_interrupts_with("closing the lab; press Ctrl-C again to stop at once");
        let threads = self.threads.count();
        runtime.block_on(async {
            let listener = self.bind().await?;
            let at = listener.local_addr().map_err(Failure::from)?;
            let mut lab = Lab::new(lessons, open, threads, access);
            lab.hosts.clone_from(&self.host);
            lab.hosts.extend(self.url.as_deref().and_then(host));
            lab.embedders.clone_from(&self.allow_embed);
            lab.address = self.class_address(at);
            lab.proxy = self.behind_proxy;
            // A lab whose words nobody reads is open all the same.
            let _ = self.tell(at, &lab);
            let mine = with_key(&local(at), &lab);
            if !self.no_open && open::that_detached(mine).is_err() {
                let note = "the browser could not be opened: open the address above yourself";
                let _ = writeln!(io::stderr(), "{note}");
            }
            serve(listener, Arc::new(lab), interruption()).await;
            Ok(())
        })
    }

    /// The lessons, and which of them to begin with.
    fn lessons(&self, registry: &Registry) -> Result<(Lessons, String), Failure> {
        let course = match &self.course {
            Some(course) => Some(LoadedCourse::load(course, &Changes::none(), registry)?),
            None => None,
        };
        let lessons = |given: &[Experiment]| match &course {
            None => Lessons::new(given, registry),
            Some(course) => {
                let all: Vec<Experiment> = given.iter().chain(&course.own).cloned().collect();
                Lessons::with_courses(&all, registry, course.before_shipped())
            }
        };
        let Some(file) = &self.file else {
            if let Some(set) = self.changes.all().first() {
                return Err(Failure::wrong(miette::miette!(
                    help = "as in `bvlab lab tree-tradeoff --set problem.train=50`",
                    "`{set}` needs an experiment to change"
                )));
            }
            let first = course.as_ref().and_then(|one| one.course.lessons().next());
            let first = first.map_or(FIRST, |lesson| &lesson.name);
            return Ok((lessons(&[]), first.to_owned()));
        };
        // Mistakes are shown here, with their place, rather than in the browser.
        let experiment = self.changes.load(file, registry)?;
        let name = experiment.name.clone();
        if self.changes.all().is_empty() && !Path::new(file).is_file() {
            return Ok((lessons(&[]), name));
        }
        match experiment.source.table() {
            Some(table) if table.bytes.len() > MOST_TABLE => Err(Failure::wrong(miette::miette!(
                help = "`bvlab run` accepts larger tables; use some of the rows for the page",
                "{} is too large for the live page, which reads it again after every change: at most {} MB",
                table.name,
                MOST_TABLE >> 20
            ))),
            _ => Ok((lessons(&[experiment]), name)),
        }
    }

    async fn bind(&self) -> Result<TcpListener, Failure> {
        let (first, last) = match self.port {
            Some(port) => (port, port),
            None => (PORT, PORT + TRIED),
        };
        let mut failure = None;
        for port in first..=last {
            match TcpListener::bind(SocketAddr::new(self.listen, port)).await {
                Ok(listener) => return Ok(listener),
                Err(error) => failure = Some(error),
            }
        }
        let error = failure.map_or_else(String::new, |error| format!(": {error}"));
        let help = match self.listen {
            IpAddr::V4(Ipv4Addr::LOCALHOST) | IpAddr::V4(Ipv4Addr::UNSPECIFIED) => {
                "choose another port with --port N, or any free one with --port 0"
            }
            _ => {
                "check that it is an address of this machine; --listen 0.0.0.0 listens on all of them"
            }
        };
        Err(Failure::failed(miette::miette!(
            help = help,
            "cannot listen on {}{error}",
            SocketAddr::new(self.listen, first)
        )))
    }

    /// Where the class finds the page: nowhere, if only this machine can.
    fn class_address(&self, at: SocketAddr) -> Option<String> {
        if let Some(url) = &self.url {
            return Some(url.clone());
        }
        if let Some(name) = self.host.first() {
            return Some(format!("http://{name}:{}/", at.port()));
        }
        let address = match at.ip() {
            ip if ip.is_loopback() => return None,
            ip if ip.is_unspecified() => own_address(ip)?,
            ip => ip,
        };
        Some(format!("http://{}/", SocketAddr::new(address, at.port())))
    }

    /// Says where the page is, and for whom.
    fn tell(&self, at: SocketAddr, lab: &Lab) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "the lab is open at {}", with_key(&local(at), lab))?;
        if let Some(url) = &self.url {
            writeln!(out, "through the proxy: {}", with_key(url, lab))?;
        }
        if lab.address.is_some() {
            let note = "whoever has this address is the lecturer: do not share it";
            writeln!(out, "                   ({note})")?;
        }
        if let Some(class) = &lab.address {
            writeln!(out, "for the class:     {class}")?;
        }
        if let Some(code) = lab.access.code() {
            writeln!(out, "with the code:     {code}")?;
        }
        if let Some(code) = lab.address.as_deref().and_then(code::text) {
            writeln!(out, "\n{code}")?;
        }
        if lab.address.is_none() && at.ip().is_unspecified() {
            let note = "this machine seems to have no network address; if it has a name, give it with --host";
            writeln!(out, "{note}")?;
        }
        writeln!(out, "press Ctrl-C to close it")?;
        out.flush()
    }
}

/// The lecturer's address: what comes after `#` stays in the browser, which sends it to no server and
/// no proxy as part of the address.
fn with_key(address: &str, lab: &Lab) -> String {
    format!("{address}#lecturer={}", lab.access.lecturer_key())
}

/// Checks the address of the class, which ends with `/`.
fn class_url(text: &str) -> Result<String, String> {
    let plain = text
        .bytes()
        .all(|b| b.is_ascii_graphic() && b != b'?' && b != b'#');
    match host(text) {
        Some(name) if plain && !name.is_empty() => Ok(format!("{}/", text.trim_end_matches('/'))),
        _ => Err("expected an address such as https://lab.example.edu/".to_owned()),
    }
}

/// Checks an origin: scheme, name and perhaps a port.
fn origin(text: &str) -> Result<String, String> {
    let text = text.trim_end_matches('/');
    let site = text
        .strip_prefix("https://")
        .or(text.strip_prefix("http://"));
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-.:[]".contains(&b);
    match site {
        Some(site) if !site.is_empty() && site.bytes().all(plain) => Ok(text.to_owned()),
        _ => Err("expected a site such as https://slides.example.edu, without a path".to_owned()),
    }
}

/// The name in an address, without its port.
fn host(url: &str) -> Option<String> {
    let rest = url
        .strip_prefix("https://")
        .or(url.strip_prefix("http://"))?;
    let site = rest.split('/').next()?;
    let name = match site.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => site,
    };
    Some(name.to_owned())
}

/// The page's address for a browser on this machine.
fn local(at: SocketAddr) -> String {
    let ip = match at.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}/", SocketAddr::new(ip, at.port()))
}

/// The address that this machine would reach others from. Nothing is sent: a datagram socket that
/// is connected only chooses its way, here to an address that is set aside for documentation.
fn own_address(any: IpAddr) -> Option<IpAddr> {
    let far: SocketAddr = match any {
        IpAddr::V4(_) => (Ipv4Addr::new(192, 0, 2, 1), 9).into(),
        IpAddr::V6(_) => (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9).into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(far).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then_some(own)
}

/// Ready when Ctrl-C was pressed.
async fn interruption() {
    while !interrupted() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
