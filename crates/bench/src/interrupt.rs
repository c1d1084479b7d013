//! SIGINT, SIGTERM and SIGHUP of the harness: a flag that every wait looks at.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Takes the signals over; from then on they only raise the flag.
///
/// # Errors
/// If a handler cannot be set.
pub fn install() -> std::io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&ASKED))?;
    }
    Ok(())
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
