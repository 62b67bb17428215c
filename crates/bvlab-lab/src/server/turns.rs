//! Turns at work that only a few clients can do at once, such as reading an experiment.
//!
//! The lecturer has places of their own. Students' places go to the network that has used the least
//! time, so that heavy users wait for each other; and one place is kept free of heavy users, so that
//! nobody else has to wait until one of their long turns has ended.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::identity::Client;

/// The number of turns that the lecturer can have at once.
const LECTURERS: usize = 4;
/// The time in turns after which a network is a heavy user,
const HEAVY_USE: Duration = Duration::from_secs(1);
/// and how much of that time is forgotten per second.
const FORGOTTEN: Duration = Duration::from_millis(100);
/// Above this number of networks, those whose time is all forgotten are dropped.
const MOST_REMEMBERED: usize = 1000;

/// Places for students and for the lecturer.
pub struct Turns {
    lecturer: Arc<Semaphore>,
    students: Mutex<Students>,
}

struct Students {
    free: usize,
    /// By network, in the order of their arrival.
    waiting: Vec<(IpAddr, VecDeque<oneshot::Sender<Turn>>)>,
    /// By network: its time in turns, as of some moment.
    used: HashMap<IpAddr, (Duration, Instant)>,
}

/// A turn; its place goes to the next client when it is dropped.
pub struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
    student: Option<(Arc<Turns>, IpAddr, Instant)>,
}

impl Turns {
    /// With this many places for students, at least two.
    pub fn new(places: usize) -> Arc<Self> {
        Arc::new(Turns {
            lecturer: Arc::new(Semaphore::new(LECTURERS)),
            students: Mutex::new(Students {
                free: places.max(2),
                waiting: Vec::new(),
                used: HashMap::new(),
            }),
        })
    }

    /// Waits for a turn.
    pub async fn take(self: &Arc<Self>, client: Client) -> Turn {
        if client.lecturer {
            // The semaphore is never closed; a turn without a permit would do no harm either.
            let permit = self.lecturer.clone().acquire_owned().await.ok();
            return Turn {
                _permit: permit,
                student: None,
            };
        }
        let turn = self.students().wait(client.address);
        self.assign();
        // A sender is dropped unused only together with all turns.
        turn.await.unwrap_or(Turn {
            _permit: None,
            student: None,
        })
    }

    /// Gives free places to waiting clients.
    fn assign(self: &Arc<Self>) {
        let now = Instant::now();
        loop {
            let next = self.students().next(now);
            let Some((network, sender)) = next else {
                return;
            };
            // If the client has just disconnected, the turn is dropped and its place is free again.
            let _ = sender.send(Turn {
                _permit: None,
                student: Some((self.clone(), network, now)),
            });
        }
    }

    fn students(&self) -> MutexGuard<'_, Students> {
        self.students
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}

impl Students {
    fn wait(&mut self, network: IpAddr) -> oneshot::Receiver<Turn> {
        let (sender, receiver) = oneshot::channel();
        let known = self.waiting.iter_mut().find(|(known, _)| *known == network);
        match known {
            Some((_, queue)) => queue.push_back(sender),
            None => self.waiting.push((network, VecDeque::from([sender]))),
        }
        receiver
    }

    /// Takes a place for the next client that still waits.
    fn next(&mut self, now: Instant) -> Option<(IpAddr, oneshot::Sender<Turn>)> {
        for (_, queue) in &mut self.waiting {
            queue.retain(|sender| !sender.is_closed());
        }
        self.waiting.retain(|(_, queue)| !queue.is_empty());
        let had = |(_, (network, _)): &(usize, &(IpAddr, _))| self.used(*network, now);
        let least = self.waiting.iter().enumerate().min_by_key(had)?;
        let (place, network) = (least.0, least.1.0);
        let kept = usize::from(self.used(network, now) > HEAVY_USE);
        if self.free <= kept {
            return None;
        }
        let (_, mut queue) = self.waiting.remove(place);
        let sender = queue.pop_front()?;
        if !queue.is_empty() {
            // Among networks with equal times, the others come first.
            self.waiting.push((network, queue));
        }
        self.free -= 1;
        Some((network, sender))
    }

    /// The time in turns of a network, without what is forgotten.
    fn used(&self, network: IpAddr, now: Instant) -> Duration {
        let had = self.used.get(&network);
        had.map_or(Duration::ZERO, |had| remembered(*had, now))
    }

    /// Frees the place of a turn that has ended.
    fn give_back(&mut self, network: IpAddr, begun: Instant) {
        let now = Instant::now();
        self.free += 1;
        let had = self.used(network, now) + now.saturating_duration_since(begun);
        self.used.insert(network, (had, now));
        if self.used.len() > MOST_REMEMBERED {
            self.used.retain(|_, had| !remembered(*had, now).is_zero());
        }
    }
}

/// What is not forgotten of some time at a later moment.
fn remembered((had, at): (Duration, Instant), now: Instant) -> Duration {
    let passed = now.saturating_duration_since(at);
    had.saturating_sub(passed.mul_f64(FORGOTTEN.as_secs_f64()))
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((turns, network, begun)) = self.student.take() {
            turns.students().give_back(network, begun);
            turns.assign();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::{JoinHandle, yield_now};

    fn student(number: u8) -> Client {
        Client::at([10, 0, 0, number].into())
    }

    /// Waits for a turn and notes it.
    async fn queue(
        turns: &Arc<Turns>,
        client: Client,
        order: &Arc<Mutex<Vec<Client>>>,
    ) -> JoinHandle<()> {
        let (turns, order) = (turns.clone(), order.clone());
        let task = tokio::spawn(async move {
            let _turn = turns.take(client).await;
            order.lock().unwrap().push(client);
        });
        yield_now().await;
        task
    }

    #[tokio::test]
    async fn networks_take_turns_and_the_lecturer_waits_for_nobody() {
        let turns = Turns::new(2);
        let order = Arc::default();
        let held = [turns.take(student(9)).await, turns.take(student(9)).await];
        let mut tasks = Vec::new();
        for number in [1, 1, 1, 1, 2, 3, 2] {
            tasks.push(queue(&turns, student(number), &order).await);
        }
        // A client that leaves is passed over.
        tasks.remove(0).abort();
        yield_now().await;
        let lecturer = Client::lecturer_at([10, 0, 0, 1].into());
        let guard = Duration::from_secs(60);
        let turn = tokio::time::timeout(guard, turns.take(lecturer)).await;
        assert!(turn.is_ok() && order.lock().unwrap().is_empty());
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        let order: Vec<Client> = order.lock().unwrap().clone();
        assert_eq!(order.len(), 6);
        assert_eq!(order[..3], [1, 2, 3].map(student));
        assert_eq!(turns.students().free, 2);
    }

    #[tokio::test]
    async fn long_turns_leave_a_place_for_others() {
        let turns = Turns::new(2);
        let order = Arc::default();
        let spent = (10 * HEAVY_USE, Instant::now());
        turns.students().used.insert(student(1).address, spent);
        let first = turns.take(student(1)).await;
        // One place is free, but not for heavy users.
        let mut tasks = vec![queue(&turns, student(1), &order).await];
        for _ in 0..20 {
            tasks.push(queue(&turns, student(2), &order).await);
        }
        for task in tasks.drain(1..) {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), [student(2); 20]);
        drop(first);
        tasks.remove(0).await.unwrap();
        assert_eq!(order.lock().unwrap().last(), Some(&student(1)));
    }
}
