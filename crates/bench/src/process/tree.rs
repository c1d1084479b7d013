//! Which processes descend from one of ours, as /proc tells.

use procfs::process::{Stat, all_processes};

/// A process at one moment. The start time tells it from a later one with the same pid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its pid.
    pub pid: i32,
    /// When it was started, in clock ticks after boot.
    pub start: u64,
}

/// Every process below `root`, but not `root` itself; zombies, which only wait to be reaped, are left out.
pub fn descendants(root: i32) -> Vec<Process> {
    let stats: Vec<Stat> = all_processes()
        .map(|all| all.flatten().filter_map(|process| process.stat().ok()).collect())
        .unwrap_or_default();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for stat in stats.iter().filter(|stat| stat.ppid == parent) {
            parents.push(stat.pid);
            if stat.state != 'Z' {
                found.push(Process { pid: stat.pid, start: stat.starttime });
            }
        }
    }
    found
}

/// The process `pid`, if it is there and no zombie.
pub fn process(pid: i32) -> Option<Process> {
    let stat = procfs::process::Process::new(pid).ok()?.stat().ok()?;
    (stat.state != 'Z').then_some(Process { pid, start: stat.starttime })
}
