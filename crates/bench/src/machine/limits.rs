//! What one process may have: open files above all, which is the limit on connections.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use super::root::Root;
use super::{Known, Limit};

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

/// The limits of this process, which servers and load tools inherit (getrlimit(2)).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Open files.
    pub open_files: Bounds,
    /// Processes and threads of this user.
    pub processes: Bounds,
    /// The stack of a main thread, in bytes.
    pub stack_bytes: Bounds,
    /// Memory that may be locked, in bytes: what io_uring counts its rings against before Linux 5.12.
    pub locked_bytes: Bounds,
}

/// A limit that counts, and how far the process itself may raise it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// What counts.
    pub soft: Known<Limit<u64>>,
    /// How far it may be raised without privilege.
    pub hard: Known<Limit<u64>>,
}

impl Limits {
    /// Looks at this process, as a machine's files tell of it.
    pub fn read(root: &Root) -> Self {
        let text = root.text("/proc/self/limits").unwrap_or_default();
        let of = |name: &str| bounds(&text, name);
        Self {
            open_files: of("Max open files"),
            processes: of("Max processes"),
            stack_bytes: of("Max stack size"),
            locked_bytes: of("Max locked memory"),
        }
    }
}

/// `Max open files            1024                 524288               files`
fn bounds(text: &str, name: &str) -> Bounds {
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let mut numbers = line.split_whitespace().map(|word| match word {
        "unlimited" => Some(Limit::Unlimited),
        number => number.parse().ok().map(Limit::At),
    });
    Bounds { soft: numbers.next().flatten().into(), hard: numbers.next().flatten().into() }
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    #[test]
    fn soft_and_hard_limits_are_read() {
        let text = "Limit                     Soft Limit           Hard Limit           Units\n\
                    Max processes             96365                unlimited            processes\n\
                    Max open files            1024                 524288               files\n";
        let (_folder, root) = fake(&[("proc/self/limits", text)]);
        let limits = Limits::read(&root);
        assert_eq!(limits.open_files, Bounds { soft: Known::Is(Limit::At(1024)), hard: Known::Is(Limit::At(524_288)) });
        assert_eq!(limits.processes.hard, Known::Is(Limit::Unlimited));
        assert_eq!(limits.stack_bytes, Bounds { soft: Known::Unknown, hard: Known::Unknown });
    }
}
