//! Processes: every target and every load tool is started, owned, sampled and ended here, and never by name.

pub mod build;
mod cgroup;
pub mod containers;
pub mod cpu;
pub mod docker;
mod listeners;
mod lock;
pub mod memory;
mod owned;
pub mod ports;
pub mod sched;
pub mod server;
pub mod supervisor;
pub mod tcp;
pub mod tool;
pub mod tree;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub use build::build;
pub use containers::Containers;
pub use lock::{LOCK_VARIABLE, Lock};
pub use server::{Server, StartError};

/// This program, which also becomes the supervisor of a target and, for a moment, the load tool.
pub fn own_program() -> &'static Path {
    static OWN: LazyLock<PathBuf> =
        LazyLock::new(|| std::env::current_exe().unwrap_or_else(|_| PathBuf::from("/proc/self/exe")));
    &OWN
}
