//! Priorities of threads: the lecturer's work goes before the students'.

use tokio::sync::oneshot;

use super::identity::Client;

/// Runs something slow on a thread that serves no connections; `None` if it panicked. Work for students
/// has a lower priority than everything else on the machine.
pub async fn run_aside<T: Send + 'static>(
    client: Client,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    if client.lecturer {
        return tokio::task::spawn_blocking(work).await.ok();
    }
    // A thread of its own, because one of the runtime's would keep its low priority.
    let (sender, receiver) = oneshot::channel();
    let begun = std::thread::Builder::new()
        .name("aside".to_owned())
        .spawn(move || {
            lower_priority();
            let _ = sender.send(work());
        });
    begun.ok()?;
    receiver.await.ok()
}

/// Lowers the priority of this thread, and of those that it starts.
#[cfg(target_os = "linux")]
pub fn lower_priority() {
    // On Linux this changes the calling thread alone. If it is refused, all threads stay equal.
    let _ = rustix::process::setpriority_process(None, 7);
}

/// Elsewhere there is no such call without unsafe code: all threads stay equal.
#[cfg(not(target_os = "linux"))]
pub fn lower_priority() {}
