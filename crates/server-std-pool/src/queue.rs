//! The clients that wait for a thread of the pool.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use hello::blocking::Client;

/// First come, first served, and as many as come.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Mutex<VecDeque<Client>>,
    /// How many wait, to be read for every answer without the lock.
    len: AtomicUsize,
    arrived: Condvar,
}

impl Queue {
    pub(crate) fn is_empty(&self) -> bool {
        self.len.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn put(&self, client: Client) {
        let mut waiting = self.waiting();
        waiting.push_back(client);
        self.len.store(waiting.len(), Ordering::Relaxed);
        drop(waiting);
        self.arrived.notify_one();
    }

    /// The client that came first; waits until there is one.
    pub(crate) fn take(&self) -> Client {
        let mut waiting = self.waiting();
        loop {
            if let Some(client) = waiting.pop_front() {
                self.len.store(waiting.len(), Ordering::Relaxed);
                return client;
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Client>> {
        // Nothing panics while it holds the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
