//! SIGINT and SIGTERM: stop accepting, finish what is under way, exit 0 within the grace period.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use crate::Result;

/// How long a server may take to finish what is under way once it was told to stop.
pub const GRACE: Duration = Duration::from_secs(1);

/// Calls `stop` on the first SIGINT or SIGTERM, from a thread of its own. Whatever then remains, the process ends
/// with status 0 after [`GRACE`], so that a client that sent half a request and went silent cannot hold it up.
///
/// It is a plain callback because every runtime has a way to be told something from another thread.
///
/// # Errors
/// If the signal handlers, or the thread that waits for them, cannot be set up.
pub fn on_stop(stop: impl FnOnce() + Send + 'static) -> Result {
    let (mut asked, signal) = UnixStream::pair()?;
    pipe::register(SIGINT, signal.try_clone()?)?;
    pipe::register(SIGTERM, signal)?;
    std::thread::Builder::new().name("stop".into()).spawn(move || {
        if asked.read_exact(&mut [0]).is_ok() {
            stop();
            std::thread::sleep(GRACE);
            std::process::exit(0);
        }
    })?;
    Ok(())
}
