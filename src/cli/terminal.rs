//! Messages as a terminal can show them.
//!
//! Names of files, keys and columns come from strangers, and a terminal takes some characters for
//! commands: set its title, hide text, answer as if it had been typed. Every error passes here.

use std::error::Error;
use std::fmt;

use miette::{Diagnostic, LabeledSpan, MietteHandler, ReportHandler, SourceCode};

use bvlab_core::words::message;

/// From now on errors are shown without control characters in them.
pub fn prepare() {
    // It fails where errors are shown in another way already, which is none of the program's.
    let _ = miette::set_hook(Box::new(|_| Box::new(Terminal(MietteHandler::new()))));
}

struct Terminal(MietteHandler);

impl ReportHandler for Terminal {
    fn debug(&self, error: &dyn Diagnostic, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(&ErrorView::of(error), f)
    }
}

/// An error as it is shown.
struct ErrorView<'a> {
    message: String,
    help: Option<String>,
    labels: Vec<LabeledSpan>,
    /// An excerpt, which shows no control characters itself.
    source_code: Option<&'a dyn SourceCode>,
    cause: Option<ErrorCause>,
}

/// What made an error.
#[derive(Debug)]
struct ErrorCause {
    message: String,
    cause: Option<Box<ErrorCause>>,
}

impl<'a> ErrorView<'a> {
    fn of(error: &'a dyn Diagnostic) -> Self {
        let label = |label: LabeledSpan| {
            let text = label.label().map(message);
            LabeledSpan::new_with_span(text, *label.inner())
        };
        ErrorView {
            message: message(&error.to_string()),
            help: error.help().map(|help| message(&help.to_string())),
            labels: error.labels().into_iter().flatten().map(label).collect(),
            source_code: error.source_code(),
            cause: error.source().map(ErrorCause::of),
        }
    }
}

impl ErrorCause {
    fn of(error: &(dyn Error + 'static)) -> Self {
        ErrorCause {
            message: message(&error.to_string()),
            cause: error
                .source()
                .map(|source| Box::new(ErrorCause::of(source))),
        }
    }
}

impl fmt::Debug for ErrorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ErrorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ErrorView<'_> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| cause as &dyn Error)
    }
}

impl Diagnostic for ErrorView<'_> {
    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        let help = self.help.as_ref();
        help.map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let some = !self.labels.is_empty();
        some.then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = _>>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source_code
    }
}

impl fmt::Display for ErrorCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ErrorCause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as &dyn Error)
    }
}
