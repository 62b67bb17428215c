//! How many connections there are, and which one is closed when a new one needs its slot.
//!
//! Only a request shows whether the lecturer sent it, so a connection is always accepted. If no slot is
//! free, a connection of the network with the most is closed: an idle one first, and of those the
//! oldest. The lecturer's connections are never closed.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::identity::Client;

/// The most connections, if the system allows so many.
const MOST: usize = 2000;
/// Files that the program has open besides: its input and output, the listening socket, the
/// runtime's own, and some to spare.
const OTHER_FILES: usize = 48;
/// The fewest slots, however few files the system allows.
const FEWEST: usize = 16;

/// All connections.
pub struct Connections {
    free: Arc<Semaphore>,
    taken: Mutex<SlotCounts>,
}

#[derive(Default)]
struct SlotCounts {
    next: u64,
    /// By the order of their arrival.
    slots: HashMap<u64, SlotHolder>,
}

struct SlotHolder {
    client: Client,
    /// How many requests it has under way.
    requests: usize,
    close: Arc<Notify>,
}

/// The slot of one connection, free again when it is dropped.
pub struct ConnectionSlot {
    connections: Arc<Connections>,
    number: u64,
    close: Arc<Notify>,
    /// The address of the other end.
    pub peer: IpAddr,
    _permit: OwnedSemaphorePermit,
}

/// A request under way.
pub struct RequestGuard(Arc<ConnectionSlot>);

impl Connections {
    /// With this many slots.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Connections {
            free: Arc::new(Semaphore::new(most)),
            taken: Mutex::default(),
        })
    }

    /// A slot for a new connection; `None` if the lecturer has them all.
    pub async fn enter(self: &Arc<Self>, peer: IpAddr) -> Option<Arc<ConnectionSlot>> {
        let permit = match self.free.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                self.make_room()?;
                // The connection that was closed ends as soon as its task is polled.
                self.free.clone().acquire_owned().await.ok()?
            }
        };
        let close = Arc::new(Notify::new());
        let mut taken = self.taken();
        let number = taken.next;
        taken.next += 1;
        let held = SlotHolder {
            client: Client::at(peer),
            requests: 0,
            close: close.clone(),
        };
        taken.slots.insert(number, held);
        Some(Arc::new(ConnectionSlot {
            connections: self.clone(),
            number,
            close,
            peer,
            _permit: permit,
        }))
    }

    /// Closes a connection of the network that has the most; `None` if there is none.
    pub fn make_room(&self) -> Option<()> {
        let mut taken = self.taken();
        let number = taken.to_close()?;
        let held = taken.slots.remove(&number)?;
        held.close.notify_one();
        Some(())
    }

    fn taken(&self) -> MutexGuard<'_, SlotCounts> {
        self.taken
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}

impl SlotCounts {
    fn to_close(&self) -> Option<u64> {
        let students = || self.slots.iter().filter(|(_, held)| !held.client.lecturer);
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for (_, held) in students() {
            *counts.entry(held.client.address).or_insert(0) += 1;
        }
        let most = counts.values().copied().max()?;
        let crowded = students().filter(|(_, held)| counts[&held.client.address] == most);
        let first = crowded.min_by_key(|(number, held)| (held.requests > 0, **number))?;
        Some(*first.0)
    }
}

impl ConnectionSlot {
    /// Notes the client of its latest request.
    pub fn belongs_to(&self, client: Client) {
        if let Some(held) = self.connections.taken().slots.get_mut(&self.number) {
            // It stays the lecturer's: browsers request the files of the page without the key.
            let lecturer = held.client.lecturer && held.client.address == client.address;
            held.client = Client {
                lecturer: lecturer || client.lecturer,
                ..client
            };
        }
    }

    /// Counts a request as under way until the guard is dropped.
    pub fn busy(self: &Arc<Self>) -> RequestGuard {
        if let Some(held) = self.connections.taken().slots.get_mut(&self.number) {
            held.requests += 1;
        }
        RequestGuard(self.clone())
    }

    /// Ready when the connection must close.
    pub async fn closed(&self) {
        self.close.notified().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.taken().slots.remove(&self.number);
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let slot = &self.0;
        if let Some(held) = slot.connections.taken().slots.get_mut(&slot.number) {
            held.requests -= 1;
        }
    }
}

/// How many connections the system allows, after raising the limit of open files as far as needed and
/// permitted.
pub fn most() -> usize {
    let files = files(MOST + OTHER_FILES);
    files.saturating_sub(OTHER_FILES).clamp(FEWEST, MOST)
}

/// How many of the wanted files may be open.
#[cfg(unix)]
fn files(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let allowed = |limit: Option<u64>| limit.unwrap_or(u64::MAX).min(wanted as u64);
    let (now, most) = (allowed(limit.current), allowed(limit.maximum));
    let raised = Rlimit {
        current: Some(most),
        ..limit
    };
    match now < most && setrlimit(Resource::Nofile, raised).is_ok() {
        true => most as usize,
        false => now as usize,
    }
}

/// How many of the wanted files may be open.
#[cfg(not(unix))]
fn files(wanted: usize) -> usize {
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(number: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, number])
    }

    impl ConnectionSlot {
        fn is_taken(&self) -> bool {
            self.connections.taken().slots.contains_key(&self.number)
        }
    }

    #[tokio::test]
    async fn a_newcomer_takes_a_place_of_the_network_that_has_the_most() {
        let connections = Connections::new(6);
        let mut held = Vec::new();
        for number in [1, 2, 2, 2, 2, 3] {
            held.push(connections.enter(ip(number)).await.unwrap());
        }
        // The oldest of the crowd is busy, and the next is the lecturer's.
        let busy = held[1].busy();
        held[2].belongs_to(Client::lecturer_at(ip(2)));
        let (first, fourth) = (held[0].clone(), held.remove(3));
        let leaves = tokio::spawn(async move {
            fourth.closed().await;
        });
        let newcomer = connections.enter(ip(9)).await.unwrap();
        leaves.await.unwrap();
        assert!(newcomer.is_taken() && first.is_taken());
        assert!(held.iter().all(|slot| slot.is_taken()));
        drop(busy);
    }

    #[tokio::test]
    async fn a_network_that_has_them_all_has_room_for_one_more() {
        let connections = Connections::new(2);
        let lecturer = connections.enter(ip(1)).await.unwrap();
        lecturer.belongs_to(Client::lecturer_at(ip(1)));
        let mut last = connections.enter(ip(1)).await.unwrap();
        for _ in 0..10 {
            let leaves = tokio::spawn(async move { last.closed().await });
            last = connections.enter(ip(1)).await.unwrap();
            leaves.await.unwrap();
        }
        assert!(lecturer.is_taken() && last.is_taken());
        last.belongs_to(Client::lecturer_at(ip(1)));
        assert!(connections.enter(ip(2)).await.is_none());
    }

    #[tokio::test]
    async fn a_connection_is_counted_for_whom_the_proxy_names() {
        let connections = Connections::new(2);
        let one = connections.enter(ip(1)).await.unwrap();
        one.belongs_to(Client::at(ip(7)));
        let two = connections.enter(ip(1)).await.unwrap();
        two.belongs_to(Client::at(ip(8)));
        let counted: Vec<IpAddr> = {
            let taken = connections.taken();
            taken
                .slots
                .values()
                .map(|held| held.client.address)
                .collect()
        };
        assert!(counted.contains(&ip(7)) && counted.contains(&ip(8)));
    }
}
