//! `bvlab lab`: the live page.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpListener;

use super::Failure;
use super::load::Changes;
use super::options::Threads;
use super::progress::{interrupted, watch_interrupts_with};
use crate::lab::{Lab, Lessons, code, serve};

/// Open the live page: draw training sets, drag the capacity, see the error split.
///
/// Starts a server on this machine and opens the browser. With --listen 0.0.0.0 a class can open the
/// same page over the network; whoever sits at this machine comes first. Ctrl-C ends it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LabCommand {
    /// The experiment to begin with: a file, or the name of one that ships with bvlab
    #[arg(value_name = "FILE")]
    file: Option<String>,

    #[command(flatten)]
    changes: Changes,

    /// The address to listen on; 0.0.0.0 is the whole network
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// The port; 0 takes any that is free [default: 7878, or the next that is free]
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// A name that the lab answers to, besides addresses and localhost; may be given several times
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    #[command(flatten)]
    threads: Threads,
}

const EXAMPLES: &str = "\
Examples:
  bvlab lab                            the live page, with all lessons
  bvlab lab descent-fits               begin with a lesson
  bvlab lab mine.toml                  any experiment is a page
  bvlab lab --listen 0.0.0.0           for a class: prints the address and a QR code";

/// The port, and how many after it are tried.
const PORT: u16 = 7878;
const TRIED: u16 = 20;

/// The most bytes of a table.
const MOST_TABLE: usize = 16 << 20;

/// The lesson that a page begins with if none is named.
const FIRST: &str = "tree-tradeoff";

impl LabCommand {
    /// Serves until Ctrl-C.
    pub fn execute(&self) -> Result<(), Failure> {
        let (lessons, open) = self.lessons()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| {
                Failure::failed(miette::miette!("cannot start the server: {error}"))
            })?;
        watch_interrupts_with("closing the lab; Ctrl-C again ends it at once");
        let threads = self.threads.count();
        runtime.block_on(async {
            let listener = self.bind().await?;
            let at = listener.local_addr().map_err(Failure::from)?;
            let mut lab = Lab::new(lessons, open, threads);
            lab.hosts.clone_from(&self.host);
            lab.address = self.class_address(at);
            // A lab whose words nobody reads is open all the same.
            let _ = tell(at, lab.address.as_deref());
            if !self.no_open && open::that_detached(local(at)).is_err() {
                let note = "the browser could not be opened: open the address above in it";
                let _ = writeln!(io::stderr(), "{note}");
            }
            serve(listener, Arc::new(lab), interruption()).await;
            Ok(())
        })
    }

    /// The lessons, and which of them to begin with.
    fn lessons(&self) -> Result<(Lessons, String), Failure> {
        let Some(file) = &self.file else {
            if let Some(set) = self.changes.all().first() {
                return Err(Failure::wrong(miette::miette!(
                    help = "as in `bvlab lab tree-tradeoff --set problem.train=50`",
                    "`{set}` is set, but on which experiment?"
                )));
            }
            return Ok((Lessons::new(&[]), FIRST.to_owned()));
        };
        // Mistakes are shown here, with their place, rather than in the browser.
        let experiment = self.changes.load(file)?;
        let name = experiment.name.clone();
        if self.changes.all().is_empty() && !Path::new(file).is_file() {
            return Ok((Lessons::new(&[]), name));
        }
        match experiment.source.table() {
            Some(table) if table.bytes.len() > MOST_TABLE => Err(Failure::wrong(miette::miette!(
                help = "`bvlab run` takes larger ones; take a part of the rows for the page",
                "{} is too large for the live page, which reads it anew for every change: at most {} MB",
                table.name,
                MOST_TABLE >> 20
            ))),
            _ => Ok((Lessons::new(&[experiment]), name)),
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
                "take another port with --port N, or any free one with --port 0"
            }
            _ => "is it an address of this machine? --listen 0.0.0.0 takes all of them",
        };
        Err(Failure::failed(miette::miette!(
            help = help,
            "cannot listen on {}{error}",
            SocketAddr::new(self.listen, first)
        )))
    }

    /// Where the class finds the page: nowhere, if only this machine can.
    fn class_address(&self, at: SocketAddr) -> Option<String> {
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
}

/// Says where the page is.
fn tell(at: SocketAddr, class: Option<&str>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "the lab is open at {}", local(at))?;
    if let Some(class) = class {
        writeln!(out, "for the class:     {class}")?;
        if let Some(code) = code::text(class) {
            writeln!(out, "\n{code}")?;
        }
    } else if at.ip().is_unspecified() {
        let note =
            "this machine seems to have no network: find its address, or give its name with --host";
        writeln!(out, "{note}")?;
    }
    writeln!(out, "Ctrl-C closes it")?;
    out.flush()
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
