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
    below(root).iter().filter(|stat| lives(stat)).map(of).collect()
}

/// The pids of every process below `root`, of zombies too: what they used is not their parent's yet.
pub fn descendants_and_zombies(root: i32) -> Vec<i32> {
    below(root).iter().map(|stat| stat.pid).collect()
}

/// Whether a process runs, though its first thread may have ended and left it to the others.
fn lives(stat: &Stat) -> bool {
    stat.state != 'Z' || stat.num_threads > 1
}

fn of(stat: &Stat) -> Process {
    Process { pid: stat.pid, start: stat.starttime }
}

fn below(root: i32) -> Vec<Stat> {
    let stats: Vec<Stat> = all_processes()
        .map(|all| all.flatten().filter_map(|process| process.stat().ok()).collect())
        .unwrap_or_default();
    let mut found: Vec<Stat> = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for stat in stats.iter().filter(|stat| stat.ppid == parent) {
            parents.push(stat.pid);
            found.push(stat.clone());
        }
    }
    found
}

/// The process `pid`, if it is there and no zombie.
pub fn process(pid: i32) -> Option<Process> {
    let stat = procfs::process::Process::new(pid).ok()?.stat().ok()?;
    lives(&stat).then(|| of(&stat))
}
