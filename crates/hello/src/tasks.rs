//! The tasks of an asynchronous server, whatever runtime runs them, so that a stop reaches each one at once.
//!
//! Nothing of it is paid per request but the reading of one flag: a task leaves its waker here once, and is woken by a
//! stop where it waits. (A channel or a notification in a `select!` would be asked again at every read.)

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// All tasks of a server.
#[derive(Debug, Clone, Default)]
pub struct Tasks(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    stopping: AtomicBool,
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    /// How to wake each task; `None` for one that has not waited yet, and in a free slot.
    wakers: Vec<Option<Waker>>,
    /// Slots that no task has.
    free: Vec<usize>,
    /// Who waits for the last task to end.
    finished: Option<Waker>,
}

impl Slots {
    fn are_free(&self) -> bool {
        self.free.len() == self.wakers.len()
    }
}

impl Shared {
    fn slots(&self) -> MutexGuard<'_, Slots> {
        // Nothing panics while it holds the lock.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }
}

impl Tasks {
    /// Makes room for a task; to be called before the task is spawned.
    #[must_use]
    pub fn enter(&self) -> Task {
        let mut slots = self.0.slots();
        let slot = slots.free.pop().unwrap_or_else(|| {
            slots.wakers.push(None);
            slots.wakers.len() - 1
        });
        Task { shared: Arc::clone(&self.0), slot, waker: None }
    }

    /// Tells every task to stop.
    pub fn stop(&self) {
        self.0.stopping.store(true, Ordering::Release);
        // Woken outside the lock, which a task may take at once.
        let wakers: Vec<Waker> = {
            let mut slots = self.0.slots();
            let finished = slots.finished.take();
            slots.wakers.iter().flatten().cloned().chain(finished).collect()
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Waits until the server was stopped and no task is left.
    pub async fn finished(&self) {
        poll_fn(|cx| {
            let mut slots = self.0.slots();
            if self.0.is_stopping() && slots.are_free() {
                return Poll::Ready(());
            }
            slots.finished = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// What a task holds as long as it runs.
#[derive(Debug)]
pub struct Task {
    shared: Arc<Shared>,
    slot: usize,
    /// What stands in the slot, to see without the lock that it need not be changed.
    waker: Option<Waker>,
}

impl Task {
    /// Whether the server is being stopped.
    pub fn is_stopping(&self) -> bool {
        self.shared.is_stopping()
    }

    /// Waits for `future`, or gives `None` if the server is being stopped and it is not ready.
    pub async fn unless_stopped<F: Future>(&mut self, future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if self.poll_stopping(cx) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    fn poll_stopping(&mut self, cx: &Context<'_>) -> bool {
        if !self.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            let waker = cx.waker().clone();
            self.shared.slots().wakers[self.slot] = Some(waker.clone());
            self.waker = Some(waker);
        }
        // Asked after the waker was left: a stop in between either is seen here or finds the waker.
        self.is_stopping()
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let mut slots = self.shared.slots();
        let waker = slots.wakers[self.slot].take();
        slots.free.push(self.slot);
        let finished = if self.is_stopping() && slots.are_free() { slots.finished.take() } else { None };
        drop(slots);
        drop(waker);
        if let Some(finished) = finished {
            finished.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_stop_wakes_who_waits_and_lets_the_ready_go_on() {
        let tasks = Tasks::default();
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut cx = Context::from_waker(&waker);
        let mut task = tasks.enter();
        {
            let mut waiting = pin!(task.unless_stopped(pending::<()>()));
            assert_eq!(waiting.as_mut().poll(&mut cx), Poll::Pending);
            tasks.stop();
            assert_eq!(count.0.load(Ordering::Relaxed), 1);
            assert_eq!(waiting.as_mut().poll(&mut cx), Poll::Ready(None));
        }
        assert_eq!(pin!(task.unless_stopped(ready(7))).poll(&mut cx), Poll::Ready(Some(7)));
    }

    #[test]
    fn it_is_finished_when_stopped_and_empty() {
        let tasks = Tasks::default();
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut cx = Context::from_waker(&waker);
        let mut finished = pin!(tasks.finished());
        assert_eq!(finished.as_mut().poll(&mut cx), Poll::Pending);
        let (one, other) = (tasks.enter(), tasks.enter());
        drop(one);
        tasks.stop();
        assert_eq!(finished.as_mut().poll(&mut cx), Poll::Pending);
        let before = count.0.load(Ordering::Relaxed);
        drop(other);
        assert_eq!(count.0.load(Ordering::Relaxed), before + 1);
        assert_eq!(finished.as_mut().poll(&mut cx), Poll::Ready(()));
    }

    #[test]
    fn slots_are_used_again() {
        let tasks = Tasks::default();
        for _ in 0..100 {
            drop(tasks.enter());
        }
        assert_eq!(tasks.0.slots().wakers.len(), 1);
    }
}
