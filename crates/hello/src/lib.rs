//! What every server of the comparison shares, and nothing of any one runtime:
//!
//! - [`response`]: the agreed response,
//! - [`args!`] and [`Args`]: the command line (`--host`, `--port`, `--workers`, `--check`),
//! - [`listen`]: the listening socket, the same for all, and the line that announces its URL,
//! - [`on_stop`]: SIGINT and SIGTERM, with a bounded grace period,
//! - [`check`]: one request and the agreed response, for health checks and for the harness,
//! - [`http1`]: an HTTP/1.1 server connection without I/O, for the servers whose runtime brings no HTTP of its own.

mod args;
pub mod check;
mod error;
pub mod http1;
mod listen;
pub mod response;
mod stop;

pub use args::{Args, Identity, Workers};
pub use error::{Error, Result};
pub use listen::{BACKLOG, listen};
pub use stop::{GRACE, on_stop};
