//! The limit on open files, which is the limit on connections.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// What is needed beside connections: listeners, pollers, pipes, logs.
const OTHER_FILES: u64 = 64;

/// The limit on open files is too low for the connections that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{connections} connections need {needed} open files in one process, and this user may have {allowed}; raise the \
     limit (`ulimit -Hn`, or LimitNOFILE of the service) or ask for fewer --connections"
)]
pub struct FileLimit {
    /// Connections that are asked for.
    pub connections: u32,
    /// Files that a server or a load tool opens for them.
    pub needed: u64,
    /// What the hard limit allows.
    pub allowed: u64,
}

/// Raises the soft limit as far as these connections need, the same for the servers and the load tools, which inherit
/// it; to the hard limit at the most.
///
/// # Errors
/// When the hard limit is too low.
pub fn raise_file_limit(connections: u32) -> Result<(), FileLimit> {
    let needed = u64::from(connections) + OTHER_FILES;
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    if hard < needed || (soft < needed && setrlimit(Resource::RLIMIT_NOFILE, needed, hard).is_err()) {
        return Err(FileLimit { connections, needed, allowed: hard });
    }
    Ok(())
}
