//! CPU time of a process tree, to the nanosecond.
//!
//! Each process has a CPU clock (clock_getcpuclockid(3)) that counts what its exited threads used too; a sum over
//! /proc/PID/task loses those, and a server with a thread per connection would look nearly free. What ended children
//! used is in their parent's `cutime` and `cstime` (proc_pid_stat(5)), in clock ticks.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use super::tree::descendants_and_zombies;

/// What a process tree has used up to one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct TreeCpu {
    total: Duration,
    user_ticks: u64,
    system_ticks: u64,
}

/// What a process tree used between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TreeUse {
    /// User and system, from the CPU clocks, and what ended children used.
    pub total: Duration,
    /// The share of user time in it, from 0 to 1, from clock ticks of 10 ms; `None` if no tick passed.
    pub user_share: Option<f64>,
}

impl TreeCpu {
    /// Reads the clocks of all below `root`; of `root` itself only what its ended children used.
    ///
    /// A process that is reaped moves its time to its parent, which is in the sum as well, so that nothing is lost and
    /// nothing counts twice. Only a parent that ignores SIGCHLD has the kernel throw its children's time away (wait(2)).
    pub fn below(root: i32) -> Self {
        let of_ended = used(root).map_or(Duration::ZERO, |used| used.ended_children);
        let mut sum = Self { total: of_ended, ..Self::default() };
        for used in descendants_and_zombies(root).into_iter().filter_map(used) {
            sum.total += used.own + used.ended_children;
            sum.user_ticks += used.user_ticks;
            sum.system_ticks += used.system_ticks;
        }
        sum
    }

    /// What somebody else has counted; user and system in any unit that is the same for both.
    pub fn counted(total: Duration, user_ticks: u64, system_ticks: u64) -> Self {
        Self { total, user_ticks, system_ticks }
    }

    /// The same with what these processes have used themselves.
    #[must_use]
    pub fn with(mut self, pids: &[i32]) -> Self {
        for used in pids.iter().copied().filter_map(used) {
            self.total += used.own;
            self.user_ticks += used.user_ticks;
            self.system_ticks += used.system_ticks;
        }
        self
    }

    /// What was used since `before`.
    pub fn since(&self, before: &Self) -> TreeUse {
        let user = self.user_ticks.saturating_sub(before.user_ticks);
        let ticks = user + self.system_ticks.saturating_sub(before.system_ticks);
        TreeUse {
            total: self.total.saturating_sub(before.total),
            user_share: (ticks > 0).then(|| user as f64 / ticks as f64),
        }
    }
}

struct Used {
    own: Duration,
    ended_children: Duration,
    user_ticks: u64,
    system_ticks: u64,
}

fn used(pid: i32) -> Option<Used> {
    let clock = clock_getcpuclockid(Pid::from_raw(pid)).ok()?;
    let own = clock_gettime(clock).ok().map(Duration::from)?;
    let stat = procfs::process::Process::new(pid).ok()?.stat().ok()?;
    let ended = u64::try_from(stat.cutime + stat.cstime).unwrap_or_default();
    let ended_children = Duration::from_secs_f64(ended as f64 / procfs::ticks_per_second() as f64);
    Some(Used { own, ended_children, user_ticks: stat.utime, system_ticks: stat.stime })
}

/// CPU time of all children of this process that have ended and were waited for: the load tool's, when it is the only
/// one that ended between two calls.
pub fn ended_children() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return Duration::ZERO };
    let seconds = |t: nix::sys::time::TimeVal| {
        Duration::new(t.tv_sec().unsigned_abs(), 0) + Duration::from_micros(t.tv_usec().unsigned_abs())
    };
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// The whole machine's CPU time up to one moment, summed over its cores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineCpu {
    /// Everything but idling and waiting for disks.
    pub busy: Duration,
    /// Taken by the hypervisor for somebody else.
    pub steal: Duration,
    /// The part of `busy` that went to interrupts, among them packets of the load itself. Whether a process's own CPU
    /// time holds them as well depends on the kernel (CONFIG_IRQ_TIME_ACCOUNTING).
    pub interrupts: Duration,
    /// How many cores this is over.
    pub cores: usize,
}

impl MachineCpu {
    /// Reads /proc/stat; `None` where there is none.
    pub fn read() -> Option<Self> {
        use procfs::CurrentSI;
        let stats = procfs::KernelStats::current().ok()?;
        let cpu = stats.total;
        let time = |ticks: u64| Duration::from_secs_f64(ticks as f64 / procfs::ticks_per_second() as f64);
        let steal = cpu.steal.unwrap_or_default();
        let interrupts = cpu.irq.unwrap_or_default() + cpu.softirq.unwrap_or_default();
        let busy = cpu.user + cpu.nice + cpu.system + interrupts;
        let cores = stats.cpu_time.len();
        Some(Self { busy: time(busy), steal: time(steal), interrupts: time(interrupts), cores })
    }
}

impl MachineCpu {
    /// What passed since `before`, on as many cores.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(before.busy),
            steal: self.steal.saturating_sub(before.steal),
            interrupts: self.interrupts.saturating_sub(before.interrupts),
            cores: self.cores,
        }
    }
}

/// What this process itself has used.
pub fn own() -> Option<Duration> {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok().map(Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    /// A shell that burns CPU time in itself, then in a child that ends, then waits for its standard input.
    #[test]
    fn what_ended_children_used_is_not_lost() {
        let burn = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
        let script = format!("{burn}; sh -c '{burn}'; echo; read x");
        let mut shell =
            Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        shell.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let own = used(i32::try_from(shell.id()).unwrap()).unwrap();
        let all = TreeCpu::below(i32::try_from(std::process::id()).unwrap());
        drop(shell.stdin.take());
        shell.wait().unwrap();
        // Both parts do the same work, so that each is a good part of the whole, however slow the machine is.
        assert!(own.ended_children > own.own / 4, "{:?} of ended children, {:?} own", own.ended_children, own.own);
        assert!(all.total >= own.own + own.ended_children);
    }
}
