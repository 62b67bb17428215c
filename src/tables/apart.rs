//! Reading Parquet in a process apart.
//!
//! A file can make polars ask for more memory than there is. Rust then ends the process, which no
//! code in it can prevent. So the program starts itself once more, with a limit on memory and time
//! that it sets for itself, and hands it the file; if that process dies, the file is refused.
//!
//! Only the program can do this, because it knows what its own executable does with the command.
//! In other programs that use this library files are read in the process itself.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use bvlab_experiment::table::{Contents, MOST_BYTES, ParquetError};
use bvlab_outcome::files::parquet_contents as contents;

/// How a process that reads Parquet is started.
struct Reader {
    program: PathBuf,
    command: &'static str,
}

static READER: OnceLock<Reader> = OnceLock::new();

/// From now on Parquet is read by a process: `program command`, which calls [`answer`].
pub fn read_with(program: PathBuf, command: &'static str) {
    let _ = READER.set(Reader { program, command });
}

/// The part of the process apart: a Parquet file from `input`, its columns to `output`.
///
/// # Errors
///
/// If the input cannot be read or the output not written.
pub fn answer(input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    input.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    let answer = postcard::to_allocvec(&contents(&bytes)).map_err(io::Error::other)?;
    output.write_all(&answer)?;
    output.flush()
}

/// The columns of a Parquet file, read by a process apart; `None` if there is no such process.
pub(super) fn ask(bytes: &[u8]) -> Option<Result<Contents, ParquetError>> {
    let reader = READER.get()?;
    let child = Command::new(&reader.program)
        .arg(reader.command)
        // One thread will do, and every further one takes memory for its stack.
        .env("POLARS_MAX_THREADS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    // Processes may be scarce here: the file is then read in this one.
    let mut child = child.ok()?;
    if let Some(mut input) = child.stdin.take() {
        // It fails if the process died, which is seen below.
        let _ = input.write_all(bytes);
    }
    let mut answer = Vec::new();
    let read = child
        .stdout
        .take()
        .map(|mut output| output.read_to_end(&mut answer));
    let done = child.wait().is_ok_and(|status| status.success());
    let answer = match (done, read) {
        (true, Some(Ok(_))) => postcard::from_bytes(&answer).ok(),
        _ => None,
    };
    Some(answer.unwrap_or_else(|| {
        let reason = "it is damaged, or takes too much memory or time to read";
        Err(ParquetError::Unreadable(reason.to_owned()))
    }))
}
