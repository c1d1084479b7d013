//! What the scheduler counts of each thread: how long it ran, how long it was ready to run and had to wait for a core,
//! and how often it gave its core up or lost it.
//!
//! The counts are in /proc/PID/task/TID and go with the thread: what a thread waited that has ended is nowhere. So the
//! sums come with the running time that they stand for, which can be held against the process's CPU clock.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

use super::tree::descendants;

/// A thread up to one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Thread {
    ran: Duration,
    waited: Duration,
    voluntary: u64,
    involuntary: u64,
}

/// Every thread of some processes up to one moment, by its thread id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Threads(HashMap<i32, Thread>);

/// What threads did between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scheduled {
    /// How long they ran, all together.
    pub ran: Duration,
    /// How long they were ready to run and had no core, all together.
    pub waited: Duration,
    /// How long the busiest one of them ran or waited to.
    pub busiest: Duration,
    /// How often one gave its core up, having nothing to do.
    pub voluntary: u64,
    /// How often one lost its core, having more to do.
    pub involuntary: u64,
}

impl Threads {
    /// All threads below the process `root`, their switches too.
    pub fn below(root: i32) -> Self {
        Self(descendants(root).iter().flat_map(|process| threads(process.pid, true)).collect())
    }

    /// Takes the threads of the process `pid` as they are now, without their switches: cheap enough to be done while
    /// they run. Those that have ended since the last look stay as they were then.
    pub fn look(&mut self, pid: i32) {
        self.0.extend(threads(pid, false));
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// What they did since `before`; threads that ended in between are missing.
    pub fn since(&self, before: &Self) -> Scheduled {
        let mut sum = Scheduled::default();
        for (id, now) in &self.0 {
            let then = before.0.get(id).copied().unwrap_or_default();
            let (ran, waited) = (now.ran.saturating_sub(then.ran), now.waited.saturating_sub(then.waited));
            sum.ran += ran;
            sum.waited += waited;
            sum.busiest = sum.busiest.max(ran + waited);
            sum.voluntary += now.voluntary.saturating_sub(then.voluntary);
            sum.involuntary += now.involuntary.saturating_sub(then.involuntary);
        }
        sum
    }
}

fn threads(pid: i32, with_switches: bool) -> Vec<(i32, Thread)> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let read = |entry: fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let (ran, waited) = parse_schedstat(&fs::read_to_string(entry.path().join("schedstat")).ok()?)?;
        let (voluntary, involuntary) = if with_switches {
            parse_switches(&fs::read_to_string(entry.path().join("status")).ok()?)?
        } else {
            (0, 0)
        };
        Some((id, Thread { ran, waited, voluntary, involuntary }))
    };
    tasks.flatten().filter_map(read).collect()
}

/// `ran waited slices`, the first two in ns (kernel documentation, scheduler/sched-stats.rst).
fn parse_schedstat(text: &str) -> Option<(Duration, Duration)> {
    let mut fields = text.split_whitespace().map(|field| field.parse().ok().map(Duration::from_nanos));
    Some((fields.next()??, fields.next()??))
}

/// The two counts of context switches in a status file (proc_pid_status(5)).
fn parse_switches(text: &str) -> Option<(u64, u64)> {
    let of = |key: &str| text.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok();
    Some((of("voluntary_ctxt_switches:")?, of("nonvoluntary_ctxt_switches:")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(ran_ms: u64, waited_ms: u64) -> Thread {
        let ms = Duration::from_millis;
        Thread { ran: ms(ran_ms), waited: ms(waited_ms), voluntary: ran_ms, involuntary: waited_ms }
    }

    #[test]
    fn the_scheduler_s_files_are_read() {
        let read = parse_schedstat("123456789 987654 42\n");
        assert_eq!(read, Some((Duration::from_nanos(123_456_789), Duration::from_nanos(987_654))));
        assert_eq!(parse_schedstat("12"), None);
        assert_eq!(parse_schedstat("x 1 2"), None);
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
        assert_eq!(parse_switches(status), Some((150, 545)));
        assert_eq!(parse_switches("Name:\tx\n"), None);
    }

    #[test]
    fn what_was_before_is_taken_off_and_new_threads_count_whole() {
        let before = Threads(HashMap::from([(1, thread(100, 10)), (2, thread(50, 5))]));
        let after = Threads(HashMap::from([(1, thread(130, 12)), (3, thread(7, 40))]));
        let ms = Duration::from_millis;
        let wanted = Scheduled { ran: ms(37), waited: ms(42), busiest: ms(47), voluntary: 37, involuntary: 42 };
        assert_eq!(after.since(&before), wanted);
    }

    #[test]
    fn a_thread_that_has_ended_stays_as_it_was_last_seen() {
        let me = i32::try_from(std::process::id()).unwrap();
        let mut seen = Threads(HashMap::from([(-1, thread(5, 5))]));
        seen.look(me);
        assert!(seen.count() >= 2);
        assert_eq!(seen.0[&-1], thread(5, 5));
    }
}
