//! SIGINT, SIGTERM and SIGHUP of the harness: a flag that every wait looks at. And whether it was stopped meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use nix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static CONTINUED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// A machine that slept this long was suspended; less is the two clocks being read one after the other.
const SUSPENDED: Duration = Duration::from_millis(50);

/// Takes the signals over; from then on they only raise the flag.
///
/// # Errors
/// If a handler cannot be set.
pub fn install() -> std::io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&ASKED))?;
    }
    signal_hook::flag::register(SIGCONT, Arc::clone(&CONTINUED))?;
    // A file that may grow no further fails the write then, with a reason, instead of ending this at once.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    // Under `stty tostop` a background process that prints is stopped; while SIGTTOU is blocked it prints all the
    // same (POSIX.1-2024, General Terminal Interface, 11.1.4), and no slice is spoiled by a line of progress.
    let mut stops = SigSet::empty();
    stops.add(Signal::SIGTTOU);
    stops.thread_block()?;
    Ok(())
}

/// A look-out for stops of the harness (SIGSTOP, SIGTSTP from the terminal) and of the whole machine (suspend): what
/// was measured meanwhile is not what was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Watch {
    asleep: Duration,
}

impl Watch {
    /// From now on.
    pub fn begin() -> Self {
        CONTINUED.store(false, Ordering::Relaxed);
        Self { asleep: asleep() }
    }

    /// What stopped meanwhile, if anything did. Whoever goes on after a stop gets SIGCONT first (signal(7)).
    pub fn stopped(self) -> Option<&'static str> {
        if CONTINUED.load(Ordering::Relaxed) {
            return Some("the harness was stopped and continued (SIGCONT)");
        }
        (asleep().saturating_sub(self.asleep) > SUSPENDED).then_some("the machine was suspended")
    }
}

/// How long the machine was suspended since boot: only CLOCK_BOOTTIME counts that (clock_gettime(2)).
fn asleep() -> Duration {
    let read = |clock| clock_gettime(clock).map(Duration::from).unwrap_or_default();
    let monotonic = read(ClockId::CLOCK_MONOTONIC);
    read(ClockId::CLOCK_BOOTTIME).saturating_sub(monotonic)
}

/// Whether the user wants this to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// The user wants this to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Waits until `ready` gives something, looking every `step`; `None` when `limit` has passed, which with
/// `Duration::MAX` is never.
///
/// # Errors
/// [`Interrupted`], when the user wants this to end.
pub fn wait_for<T>(
    limit: Duration,
    step: Duration,
    mut ready: impl FnMut() -> Option<T>,
) -> Result<Option<T>, Interrupted> {
    let deadline = Instant::now().checked_add(limit);
    loop {
        if let Some(value) = ready() {
            return Ok(Some(value));
        }
        if asked() {
            return Err(Interrupted);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(None);
        }
        thread::sleep(step);
    }
}
