//! What some shipped experiments give, as text: the same natively and in WebAssembly.
//!
//! `tests/wasm/run.sh` compiles this for both, runs the one in Node and compares. Left out are
//! experiments that rest on faer, whose kernels differ in the last digit.

use std::fmt::Write;
use std::sync::OnceLock;

use bvlab_core::engine::{Options, Unwatched};
use bvlab_experiment::{Experiment, Source, shipped};
use bvlab_figure as figure;
use bvlab_lab::messages;
use bvlab_outcome::Tables;

/// Experiments whose learners call faer.
const FAER: [&str; 10] = [
    "descent-epochs",
    "descent-features",
    "descent-fits",
    "descent-noise",
    "descent-ridge",
    "descent-samples",
    "descent-sources",
    "gaussian-ridge-fits",
    "gaussian-ridge-tradeoff",
    "ridge-many-features",
];

/// The tables, first messages and figures of all other experiments, of 8 resamples each.
pub fn digits() -> String {
    let mut text = String::new();
    for name in shipped::names() {
        if FAER.contains(&name.as_str()) {
            continue;
        }
        let _ = match digits_of(&name) {
            Ok(digits) => writeln!(text, "# {name}\n{digits}"),
            Err(error) => writeln!(text, "# {name}: {error}"),
        };
    }
    text
}

fn digits_of(name: &str) -> Result<String, Box<dyn std::error::Error>> {
    let sets = ["run.resamples=8".to_owned()];
    let source = Source::shipped(name, &sets).ok_or("it does not ship")?;
    let experiment = Experiment::read(name, source)?;
    let outcome = experiment.task.run(Options::new(1, &Unwatched))?;
    let tables = Tables::of(&experiment.task, &outcome);
    let mut text = messages::head(&experiment).to_string() + "\n";
    for table in [
        &tables.curves,
        &tables.points,
        &tables.training,
        &tables.fits,
        &tables.runs,
        &tables.simulation,
    ] {
        text.push_str(&hash(&table.to_csv()?));
    }
    text.push_str(&String::from_utf8(
        Tables::main_table(&experiment.task, &outcome).to_csv()?,
    )?);
    let description = experiment.task.describe();
    for one in &experiment.figures {
        let drawing = figure::draw(experiment.heading(), &description, one, &tables)?;
        text.push_str(&hash(drawing.to_svg().as_bytes()));
    }
    Ok(text)
}

/// The 64-bit FNV-1a hash, on a line.
fn hash(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}\n")
}

static TEXT: OnceLock<String> = OnceLock::new();

/// Where the text of [`digits`] is in memory.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn text() -> *const u8 {
    TEXT.get_or_init(digits).as_ptr()
}

/// How many bytes it has.
#[allow(unsafe_code, reason = "the name is for the other side")]
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    TEXT.get_or_init(digits).len()
}
