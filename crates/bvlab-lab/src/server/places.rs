//! Places for connections: as many as the system allows, and never none for a newcomer.
//!
//! Who the lecturer is shows only in a request, after the connection was taken. A connection is
//! therefore always taken; if there is no place left, the network with the most connections gives
//! one up, first one that waits for a request, and of those the oldest. Connections of the lecturer
//! are never given up.

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
/// The fewest places, however few files the system allows.
const FEWEST: usize = 16;

/// The places of all connections.
pub struct Places {
    free: Arc<Semaphore>,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    /// By the order in which they came.
    places: HashMap<u64, Held>,
}

struct Held {
    client: Client,
    /// How many requests it has under way.
    requests: usize,
    give_up: Arc<Notify>,
}

/// The place of one connection.
pub struct Place {
    places: Arc<Places>,
    number: u64,
    give_up: Arc<Notify>,
    /// The address of the other end.
    pub peer: IpAddr,
    _permit: OwnedSemaphorePermit,
}

/// A request under way.
pub struct Busy(Arc<Place>);

impl Places {
    /// So many places.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Places {
            free: Arc::new(Semaphore::new(most)),
            taken: Mutex::default(),
        })
    }

    /// A place for a new connection; `None` if the lecturer has them all.
    pub async fn enter(self: &Arc<Self>, peer: IpAddr) -> Option<Arc<Place>> {
        let permit = match self.free.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                self.make_room()?;
                // The connection that was given up ends as soon as its task is called.
                self.free.clone().acquire_owned().await.ok()?
            }
        };
        let give_up = Arc::new(Notify::new());
        let mut taken = self.taken();
        let number = taken.next;
        taken.next += 1;
        let held = Held {
            client: Client::at(peer),
            requests: 0,
            give_up: give_up.clone(),
        };
        taken.places.insert(number, held);
        Some(Arc::new(Place {
            places: self.clone(),
            number,
            give_up,
            peer,
            _permit: permit,
        }))
    }

    /// Gives up a connection of the network that has the most; `None` if there is none.
    pub fn make_room(&self) -> Option<()> {
        let mut taken = self.taken();
        let number = taken.to_give_up()?;
        let held = taken.places.remove(&number)?;
        held.give_up.notify_one();
        Some(())
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}

impl Taken {
    fn to_give_up(&self) -> Option<u64> {
        let students = || self.places.iter().filter(|(_, held)| !held.client.lecturer);
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

impl Place {
    /// Notes whose request it carries.
    pub fn belongs_to(&self, client: Client) {
        if let Some(held) = self.places.taken().places.get_mut(&self.number) {
            // Once the lecturer's, it stays so: files of the page are asked for without the key.
            let lecturer = held.client.lecturer && held.client.address == client.address;
            held.client = Client {
                lecturer: lecturer || client.lecturer,
                ..client
            };
        }
    }

    /// Notes that a request is under way until what is returned is dropped.
    pub fn busy(self: &Arc<Self>) -> Busy {
        if let Some(held) = self.places.taken().places.get_mut(&self.number) {
            held.requests += 1;
        }
        Busy(self.clone())
    }

    /// Ready when the connection is to be given up.
    pub async fn given_up(&self) {
        self.give_up.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().places.remove(&self.number);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let place = &self.0;
        if let Some(held) = place.places.taken().places.get_mut(&place.number) {
            held.requests -= 1;
        }
    }
}

/// How many connections the system allows: the limit of open files is raised to what is wanted, as
/// far as it may be.
pub fn most() -> usize {
    let files = files(MOST + OTHER_FILES);
    files.saturating_sub(OTHER_FILES).clamp(FEWEST, MOST)
}

/// How many files may be open, of those that are wanted.
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

/// How many files may be open, of those that are wanted.
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

    impl Place {
        fn is_taken(&self) -> bool {
            self.places.taken().places.contains_key(&self.number)
        }
    }

    #[tokio::test]
    async fn a_newcomer_takes_a_place_of_the_network_that_has_the_most() {
        let places = Places::new(6);
        let mut held = Vec::new();
        for number in [1, 2, 2, 2, 2, 3] {
            held.push(places.enter(ip(number)).await.unwrap());
        }
        // The oldest of the crowd is busy, and the next is the lecturer's.
        let busy = held[1].busy();
        held[2].belongs_to(Client::lecturer_at(ip(2)));
        let (first, fourth) = (held[0].clone(), held.remove(3));
        let leaves = tokio::spawn(async move {
            fourth.given_up().await;
        });
        let newcomer = places.enter(ip(9)).await.unwrap();
        leaves.await.unwrap();
        assert!(newcomer.is_taken() && first.is_taken());
        assert!(held.iter().all(|place| place.is_taken()));
        drop(busy);
    }

    #[tokio::test]
    async fn a_network_that_has_them_all_has_room_for_one_more() {
        let places = Places::new(2);
        let lecturer = places.enter(ip(1)).await.unwrap();
        lecturer.belongs_to(Client::lecturer_at(ip(1)));
        let mut last = places.enter(ip(1)).await.unwrap();
        for _ in 0..10 {
            let leaves = tokio::spawn(async move { last.given_up().await });
            last = places.enter(ip(1)).await.unwrap();
            leaves.await.unwrap();
        }
        assert!(lecturer.is_taken() && last.is_taken());
        last.belongs_to(Client::lecturer_at(ip(1)));
        assert!(places.enter(ip(2)).await.is_none());
    }

    #[tokio::test]
    async fn a_connection_is_counted_for_whom_the_proxy_names() {
        let places = Places::new(2);
        let one = places.enter(ip(1)).await.unwrap();
        one.belongs_to(Client::at(ip(7)));
        let two = places.enter(ip(1)).await.unwrap();
        two.belongs_to(Client::at(ip(8)));
        let counted: Vec<IpAddr> = {
            let taken = places.taken();
            taken
                .places
                .values()
                .map(|held| held.client.address)
                .collect()
        };
        assert!(counted.contains(&ip(7)) && counted.contains(&ip(8)));
    }
}
