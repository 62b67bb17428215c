//! The progress bar, and Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::Observer;
use crate::make::Reporter;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static WRITING: AtomicBool = AtomicBool::new(false);

/// Puts a result in its place; no Ctrl-C comes between.
pub fn uninterrupted<T>(put: impl FnOnce() -> T) -> T {
    WRITING.store(true, Ordering::SeqCst);
    let done = put();
    WRITING.store(false, Ordering::SeqCst);
    done
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Makes Ctrl-C ask for a clean stop; a second one ends the program at once.
pub fn watch_interrupts() {
    watch_interrupts_with("stopping after this training set; press Ctrl-C again to stop at once");
}

/// The same, with other words.
pub fn watch_interrupts_with(note: &'static str) {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        // Without a handler Ctrl-C ends the program, which is safe too.
        let _ = ctrlc::set_handler(move || {
            if !INTERRUPTED.swap(true, Ordering::SeqCst) {
                let _ = writeln!(std::io::stderr(), "{note}");
            } else if !WRITING.load(Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
    });
}

/// Shows runs on the terminal, one after another.
pub struct Progress {
    bar: Option<ProgressBar>,
    /// Whether events are told in lines, because there is no bar.
    lines: bool,
}

impl Progress {
    /// A bar on stderr if that is a terminal, else nothing.
    pub fn new(quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (!quiet && terminal).then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            let style = "{msg} {bar:30} {human_pos}/{human_len} resamples, {per_sec}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar
        });
        let lines = !quiet && !terminal;
        Progress { bar, lines }
    }

    /// A run of at most so many resamples begins.
    pub fn begin(&self, name: &str, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_message(name.to_owned());
            bar.set_length(total);
            bar.reset();
        }
    }

    /// Something is done that a terminal sees from the bar: a line where there is none.
    pub fn note(&self, line: &str) {
        if self.lines {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Reporter for Progress {
    fn say(&self, line: &str) {
        let tell = || {
            let _ = writeln!(std::io::stderr(), "{line}");
        };
        match &self.bar {
            Some(bar) => bar.suspend(tell),
            None => tell(),
        }
    }

    fn stopped(&self) -> bool {
        interrupted()
    }

    fn placing(&self, placing: bool) {
        WRITING.store(placing, Ordering::SeqCst);
    }
}

impl Observer for Progress {
    fn progress(&self, done: u64, _: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
    }

    fn stopped(&self) -> bool {
        interrupted()
    }
}
