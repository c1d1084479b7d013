//! The clients that wait for a thread of the pool.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use hello::blocking::Client;

/// First come, first served, and as many as come.
#[derive(Default)]
pub(crate) struct Queue {
    inner: Mutex<Inner>,
    /// How many clients wait that no idle thread is about to take, to be read for every answer without the lock.
    unserved: AtomicUsize,
    arrived: Condvar,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Client>,
    /// How many threads wait for a client.
    idle: usize,
}

impl Queue {
    /// Whether every client has a thread, or is about to have one.
    pub(crate) fn is_served(&self) -> bool {
        self.unserved.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn put(&self, client: Client) {
        let mut inner = self.inner();
        inner.waiting.push_back(client);
        self.count(&inner);
        drop(inner);
        self.arrived.notify_one();
    }

    /// The client that came first; waits until there is one.
    pub(crate) fn take(&self) -> Client {
        let mut inner = self.inner();
        inner.idle += 1;
        loop {
            if let Some(client) = inner.waiting.pop_front() {
                inner.idle -= 1;
                self.count(&inner);
                return client;
            }
            inner = self.arrived.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count(&self, inner: &Inner) {
        self.unserved.store(inner.waiting.len().saturating_sub(inner.idle), Ordering::Relaxed);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics while it holds the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
