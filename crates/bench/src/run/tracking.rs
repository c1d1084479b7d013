//! Room in the kernel's table of tracked connections. A firewall that asks for the state of connections, as Docker's rules
//! do, has the kernel track those over loopback too, and remember each for two minutes after its end; a new one that finds
//! the table full is dropped without a word (kernel documentation, networking/nf_conntrack-sysctl.rst).

use std::time::Duration;

use crate::interrupt::{self, Interrupted};
use crate::machine::Root;

/// More than this share of the table taken is too much: a slice adds some thousands itself.
const TAKEN: f64 = 0.8;

/// From this share on, a connection that was not opened was most likely dropped for want of room.
const FULL: f64 = 0.98;

/// An ended connection is forgotten after 120 s (nf_conntrack_tcp_timeout_time_wait).
const FORGOTTEN: Duration = Duration::from_secs(125);

/// How often it is looked at while waiting.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tracked {
    /// Connections in it.
    pub entries: u64,
    /// How many it holds at the most.
    pub most: u64,
}

impl Tracked {
    /// As it is now; `None` where nothing is tracked.
    pub fn look(root: &Root) -> Option<Self> {
        let number = |name: &str| root.number(&format!("/proc/sys/net/netfilter/{name}"));
        Some(Self {
            entries: number("nf_conntrack_count")?,
            most: number("nf_conntrack_max").filter(|most| *most > 0)?,
        })
    }

    /// Whether connections were most likely dropped for want of room.
    pub fn is_full(self) -> bool {
        self.share() >= FULL
    }

    fn share(self) -> f64 {
        self.entries as f64 / self.most as f64
    }

    /// What it is, in words.
    pub fn words(self) -> String {
        format!(
            "the kernel tracks connections for a firewall (Docker's, perhaps), and {} of {} places of its table were taken",
            self.entries, self.most
        )
    }
}

/// Waits until there is room, and says so.
///
/// # Errors
/// When the user interrupts the wait.
pub fn make_room(root: &Root) -> Result<Option<String>, Interrupted> {
    let has_room = |now: Option<Tracked>| now.is_none_or(|now| now.share() <= TAKEN);
    let before = Tracked::look(root);
    let Some(taken) = before.filter(|_| !has_room(before)) else { return Ok(None) };
    let waited = interrupt::wait_for(FORGOTTEN, LOOK_EVERY, || has_room(Tracked::look(root)).then_some(()))?;
    Ok(Some(match waited {
        Some(()) => {
            format!("{}, which was waited for; a greater net.netfilter.nf_conntrack_max saves that", taken.words())
        }
        None => format!("{}, and it was waited for in vain: connections may be dropped", taken.words()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::fake;

    fn root(entries: u64, most: u64) -> (tempfile::TempDir, Root) {
        fake(&[
            ("proc/sys/net/netfilter/nf_conntrack_count", &format!("{entries}\n")),
            ("proc/sys/net/netfilter/nf_conntrack_max", &format!("{most}\n")),
        ])
    }

    #[test]
    fn a_table_with_room_is_not_waited_for_and_where_nothing_is_tracked_there_is_none() {
        let (_folder, free) = root(800, 1000);
        assert_eq!(make_room(&free).unwrap(), None);
        assert!(!Tracked::look(&free).unwrap().is_full());
        let (_folder, full) = root(990, 1000);
        assert!(Tracked::look(&full).unwrap().is_full());
        let (_folder, nothing) = fake(&[]);
        assert_eq!((Tracked::look(&nothing), make_room(&nothing).unwrap()), (None, None));
    }
}
