//! Work for students gives way to the lecturer's.

use tokio::sync::oneshot;

use super::identity::Client;

/// Does something that takes a while away from the threads that answer; `None` if it failed in an
/// unexpected way. What is done for students gives way to everything else on the machine.
pub async fn aside<T: Send + 'static>(
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
            give_way();
            let _ = sender.send(work());
        });
    begun.ok()?;
    receiver.await.ok()
}

/// Lowers the priority of this thread, and of those that it starts.
#[cfg(target_os = "linux")]
pub fn give_way() {
    // On Linux this concerns the calling thread alone. Where it is not allowed, all are equal.
    let _ = rustix::process::setpriority_process(None, 7);
}

/// Other systems have no such call without unsafe code: all threads are equal there.
#[cfg(not(target_os = "linux"))]
pub fn give_way() {}
