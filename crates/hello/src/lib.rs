//! What every server of the comparison shares, and nothing of any one runtime:
//!
//! - [`response`]: the agreed response,
//! - [`args!`] and [`Args`]: the command line (`--host`, `--port`, `--workers`, `--check`),
//! - [`listen`]: the listening socket, the same for all, and the line that announces its URL,
//! - [`on_stop`]: SIGINT and SIGTERM, with a bounded grace period,
//! - [`check`]: one request and the agreed response, for health checks and for the harness,
//! - [`Tasks`]: how a stop reaches the tasks of an asynchronous server, whatever its runtime,
//! - [`blocking`]: what the servers on std alone share,
//! - [`http1`]: an HTTP/1.1 server connection without I/O, for the servers whose runtime brings no HTTP of its own.

mod args;
pub mod blocking;
pub mod check;
mod error;
pub mod http1;
mod listen;
pub mod response;
mod stop;
mod tasks;

pub use args::{Args, Identity, Workers};
pub use error::{Error, Result};
pub use listen::{BACKLOG, listen, pause_after};
pub use stop::{GRACE, on_stop};
pub use tasks::{Task, Tasks};
