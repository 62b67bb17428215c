//! Turns at something that only a few can do at once, such as reading an experiment.
//!
//! The lecturer has places of their own. Students' places go round the networks that wait, so that
//! whoever asks for much waits for it, and delays nobody else by more than one turn.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::identity::Client;

/// How many things the lecturer can do at once.
const LECTURERS: usize = 4;

/// Places for students and for the lecturer.
pub struct Turns {
    lecturer: Arc<Semaphore>,
    students: Mutex<Students>,
}

struct Students {
    free: usize,
    /// Those that wait, by network; whose turn is next comes first.
    waiting: VecDeque<(IpAddr, VecDeque<oneshot::Sender<Turn>>)>,
}

/// A place, which is passed on when it is dropped.
pub struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
    students: Option<Arc<Turns>>,
}

impl Turns {
    /// So many places for students.
    pub fn new(places: usize) -> Arc<Self> {
        Arc::new(Turns {
            lecturer: Arc::new(Semaphore::new(LECTURERS)),
            students: Mutex::new(Students {
                free: places,
                waiting: VecDeque::new(),
            }),
        })
    }

    /// Waits for a place.
    pub async fn take(self: &Arc<Self>, client: Client) -> Turn {
        if client.lecturer {
            // It is never closed; without a permit there would be no limit, and no harm either.
            let permit = self.lecturer.clone().acquire_owned().await.ok();
            return Turn {
                _permit: permit,
                students: None,
            };
        }
        let place = || Turn {
            _permit: None,
            students: Some(self.clone()),
        };
        let turn = {
            let mut students = self.students();
            if students.free > 0 {
                students.free -= 1;
                return place();
            }
            students.wait(client.address)
        };
        // A sender is only dropped without a word together with all turns.
        turn.await.unwrap_or(Turn {
            _permit: None,
            students: None,
        })
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
            None => self.waiting.push_back((network, VecDeque::from([sender]))),
        }
        receiver
    }

    /// Who is next of those that still wait; if there is nobody, a place is free.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        while let Some((network, mut queue)) = self.waiting.pop_front() {
            queue.retain(|sender| !sender.is_closed());
            let first = queue.pop_front();
            if !queue.is_empty() {
                self.waiting.push_back((network, queue));
            }
            if first.is_some() {
                return first;
            }
        }
        self.free += 1;
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(turns) = self.students.take() else {
            return;
        };
        let next = turns.students().next();
        if let Some(next) = next {
            // One that has just left hands the place on as it is dropped.
            let _ = next.send(Turn {
                _permit: None,
                students: Some(turns),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::task::JoinHandle;

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
        tokio::task::yield_now().await;
        task
    }

    #[tokio::test]
    async fn networks_take_turns_and_the_lecturer_waits_for_nobody() {
        let turns = Turns::new(1);
        let order = Arc::default();
        let held = turns.take(student(1)).await;
        let mut tasks = Vec::new();
        for number in [1, 1, 1, 1, 2, 3, 2] {
            tasks.push(queue(&turns, student(number), &order).await);
        }
        // One that leaves is passed over.
        tasks.remove(0).abort();
        tokio::task::yield_now().await;
        let lecturer = Client::lecturer_at([10, 0, 0, 1].into());
        let guard = Duration::from_secs(60);
        tokio::time::timeout(guard, turns.take(lecturer))
            .await
            .unwrap();
        assert!(order.lock().unwrap().is_empty());
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        let order: Vec<Client> = order.lock().unwrap().clone();
        assert_eq!(order, [1, 2, 3, 1, 2, 1].map(student));
        assert_eq!(turns.students().free, 1);
    }
}
