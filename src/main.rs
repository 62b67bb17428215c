//! Arguments in, exit code out.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Gives memory back to the system when a run has ended. glibc's allocator keeps what the threads of
/// earlier runs had in arenas of their own: 2 GB after two hundred students had left. Huge pages are
/// not asked for, because one stays for the sake of any part of its 2 MB.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    bvlab::cli::main()
}
