//! Who was the bottleneck of a slice, from what was seen beside its figures.
//!
//! A closed loop is as fast as its slowest part. Which part that is shows in who never had to wait for the others: a
//! side whose threads run, or want to run, all the time is the limit. Where both want to and there is no core left, they
//! take the cores from each other, and requests per second are a figure of the pair.

use serde::{Deserialize, Serialize};

use super::{Conditions, Measurement};

/// A side is never idle if its threads run, or wait for a core, for more than this share of the time. A tenth is for
/// the start and the end of the load tool, in which nothing is asked, and for the coarseness of the counts.
pub const NEVER_IDLE: f64 = 0.9;

/// All cores are busy if server, load tool and others use more than this share of them. The clock ticks behind the
/// others' share are 10 ms: in a second of two cores chance alone moves it by some 3 %.
pub const ALL_BUSY: f64 = 0.9;

/// A side waits to run if that takes more than this share of the time that it runs or wants to. Waking up on a free
/// core costs 1 to 5 % in waits of microseconds; two threads on one core wait half of their time each.
pub const WAITS: f64 = 0.1;

/// A slice is disturbed if the hypervisor took more than this share of all cores: what it takes is missing from one
/// target and not from another, and more than this could by itself exceed the margin within which targets are equivalent.
pub const STOLEN: f64 = 0.05;

/// A slice is disturbed if other processes used more than this share of all cores: three times what chance in clock ticks
/// of 10 ms makes of a second of two cores, and as much as a timer job that happens to run.
pub const OTHERS: f64 = 0.1;

/// What limited the requests per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The server: it could not have answered faster.
    Server,
    /// The rate that was asked for, and was answered: nobody was to be faster.
    Rate,
    /// Neither: both waited, for the network, a timer or a lock.
    Neither,
    /// Not enough could be seen.
    #[default]
    Unknown,
    /// The load tool: it could not have asked faster, and the server could give at least so much.
    LoadTool,
    /// The cores, which server and load tool took from each other: requests per second are of the pair. Cost stands.
    SharedCpu,
    /// Something else took the cores.
    Disturbed,
}

/// What is looked at of a slice.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// From the start of the load tool to its end, in seconds.
    pub wall_s: f64,
    /// CPU time of the server, in seconds.
    pub server_cpu_s: f64,
    /// CPU time of the load tool, in seconds.
    pub tool_cpu_s: f64,
    /// How many threads the load tool asks from.
    pub tool_threads: u32,
    /// Whether the load tool runs all the time by design, so that its CPU time proves nothing.
    pub tool_spins: bool,
    /// Whether a fixed rate was asked for and answered.
    pub kept_rate: bool,
    /// CPU time of everything else, in seconds.
    pub other_cpu_s: Option<f64>,
    /// CPU time that the hypervisor took, in seconds.
    pub steal_s: Option<f64>,
    /// What else was seen.
    pub conditions: &'a Conditions,
}

impl Limit {
    /// As it stands in a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Rate => "rate",
            Self::Neither => "neither",
            Self::Unknown => "unknown",
            Self::LoadTool => "load tool",
            Self::SharedCpu => "shared CPU",
            Self::Disturbed => "disturbed",
        }
    }

    /// What limited a slice.
    pub fn of(seen: &Seen) -> Self {
        if seen.disturbed() {
            return Self::Disturbed;
        }
        if seen.kept_rate {
            return Self::Rate;
        }
        let all_busy = seen.all_busy();
        let (server_waits, tool_waits) = (seen.server_waits(), seen.tool_waits());
        // Where the waits of one side are unknown, those of the other must speak for both.
        let both_wait = match (server_waits, tool_waits) {
            (Some(server), Some(tool)) => server && tool,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => false,
        };
        if all_busy == Some(true) && both_wait {
            return Self::SharedCpu;
        }
        // Before the server: if neither is ever idle, "at least" is still true, and "not more" is not.
        if !seen.tool_spins && seen.tool_never_idle() {
            return Self::LoadTool;
        }
        if seen.server_never_idle() || (all_busy == Some(true) && server_waits == Some(true)) {
            return Self::Server;
        }
        match all_busy {
            None => Self::Unknown,
            // No core is left, and whose fault that is cannot be seen.
            Some(true) if server_waits.is_none() && tool_waits.is_none() => Self::Unknown,
            Some(_) => Self::Neither,
        }
    }

    /// The word for several slices of one cell, and how many have it: the most frequent one, and of equally frequent
    /// ones that which claims less for the figures. `None` without slices.
    pub fn of_all(limits: impl IntoIterator<Item = Self>) -> Option<(Self, usize)> {
        let mut counts = std::collections::BTreeMap::new();
        for limit in limits {
            *counts.entry(limit).or_insert(0_usize) += 1;
        }
        counts.into_iter().max_by_key(|(limit, count)| (*count, *limit))
    }
}

/// Whether something else took the cores in this slice. It looks at nothing that the target or the load tool did.
pub fn disturbed(measurement: &Measurement) -> bool {
    let Measurement { wall_s, other_cpu_s, steal_s, conditions, .. } = measurement;
    is_disturbed(*wall_s, *other_cpu_s, *steal_s, conditions)
}

fn is_disturbed(wall_s: f64, other_cpu_s: Option<f64>, steal_s: Option<f64>, conditions: &Conditions) -> bool {
    let Some(cores) = conditions.cores else { return false };
    let over = |used_s: Option<f64>, share: f64| used_s.is_some_and(|used_s| used_s > share * wall_s * cores as f64);
    // Where interrupts have a clock of their own, those of the load are no process's: they are nobody's fault here.
    let others = other_cpu_s.map(|other_s| other_s - conditions.interrupts_s.unwrap_or_default());
    over(steal_s, STOLEN) || over(others, OTHERS)
}

impl Seen<'_> {
    fn disturbed(&self) -> bool {
        is_disturbed(self.wall_s, self.other_cpu_s, self.steal_s, self.conditions)
    }

    fn all_busy(&self) -> Option<bool> {
        let (cores, usable) = (self.conditions.cores?, self.conditions.usable_cores?);
        // On cores that these two may not use, others are not in their way.
        let others_s = if usable < cores { 0.0 } else { self.other_cpu_s? };
        Some(self.server_cpu_s + self.tool_cpu_s + others_s > ALL_BUSY * self.wall_s * usable as f64)
    }

    fn server_waits(&self) -> Option<bool> {
        waits(self.conditions.server_wait_s?, self.server_cpu_s)
    }

    fn tool_waits(&self) -> Option<bool> {
        waits(self.conditions.tool_wait_s?, self.tool_cpu_s)
    }

    /// Its wait for a core counts as well: what it waited for is in the way of its asking.
    fn tool_never_idle(&self) -> bool {
        let wanted_s = self.tool_cpu_s + self.conditions.tool_wait_s.unwrap_or_default();
        wanted_s > NEVER_IDLE * self.wall_s * f64::from(self.tool_threads.max(1))
    }

    /// One thread that never rests is enough: it is the one that all else waits for, or, where threads are alike, one
    /// of them.
    fn server_never_idle(&self) -> bool {
        self.conditions.server_busiest_s.is_some_and(|busiest_s| busiest_s > NEVER_IDLE * self.wall_s)
    }
}

fn waits(wait_s: f64, ran_s: f64) -> Option<bool> {
    let share = wait_s / (wait_s + ran_s);
    share.is_finite().then_some(share > WAITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second of a machine with two cores on which nothing else runs.
    #[derive(Clone, Copy)]
    struct Case {
        server_s: f64,
        server_wait_s: Option<f64>,
        busiest_s: Option<f64>,
        tool_s: f64,
        tool_wait_s: Option<f64>,
        other_s: Option<f64>,
        steal_s: f64,
        interrupts_s: f64,
        spins: bool,
        kept_rate: bool,
        threads: u32,
        cores: (usize, usize),
    }

    const IDLE: Case = Case {
        server_s: 0.05,
        server_wait_s: Some(0.001),
        busiest_s: Some(0.03),
        tool_s: 0.05,
        tool_wait_s: Some(0.001),
        other_s: Some(0.02),
        steal_s: 0.0,
        interrupts_s: 0.0,
        spins: false,
        kept_rate: false,
        threads: 1,
        cores: (2, 2),
    };

    fn limit(case: Case) -> Limit {
        let conditions = Conditions {
            cores: Some(case.cores.0),
            usable_cores: Some(case.cores.1),
            interrupts_s: Some(case.interrupts_s),
            server_wait_s: case.server_wait_s,
            server_busiest_s: case.busiest_s,
            tool_wait_s: case.tool_wait_s,
            ..Conditions::default()
        };
        Limit::of(&Seen {
            wall_s: 1.0,
            server_cpu_s: case.server_s,
            tool_cpu_s: case.tool_s,
            tool_threads: case.threads,
            tool_spins: case.spins,
            kept_rate: case.kept_rate,
            other_cpu_s: case.other_s,
            steal_s: Some(case.steal_s),
            conditions: &conditions,
        })
    }

    /// One thread of each on a core of its own, the tool idle at times.
    const ONE_THREAD: Case = Case {
        server_s: 0.97,
        server_wait_s: Some(0.01),
        busiest_s: Some(0.98),
        tool_s: 0.6,
        tool_wait_s: Some(0.01),
        ..IDLE
    };
    /// Two threads of the server and one of the tool on two cores.
    const CROWDED: Case = Case {
        server_s: 1.2,
        server_wait_s: Some(0.5),
        busiest_s: Some(0.9),
        tool_s: 0.75,
        tool_wait_s: Some(0.2),
        ..IDLE
    };

    #[test]
    fn who_is_never_idle_is_the_limit() {
        assert_eq!(limit(IDLE), Limit::Neither);
        assert_eq!(limit(ONE_THREAD), Limit::Server);
        assert_eq!(limit(Case { tool_s: 0.96, server_s: 0.5, busiest_s: Some(0.3), ..IDLE }), Limit::LoadTool);
        // Two threads of a tool, one of them busy: the other could have asked.
        assert_eq!(limit(Case { tool_s: 0.96, threads: 2, server_s: 0.2, ..IDLE }), Limit::Neither);
        // Neither is ever idle: what was measured is at least true of the server.
        assert_eq!(limit(Case { tool_s: 0.96, ..ONE_THREAD }), Limit::LoadTool);
    }

    #[test]
    fn who_takes_the_cores_from_each_other_is_a_pair() {
        assert_eq!(limit(CROWDED), Limit::SharedCpu);
        // The tool had what it wanted.
        assert_eq!(limit(Case { tool_wait_s: Some(0.01), ..CROWDED }), Limit::Server);
        // The server had; the tool wanted to ask all the time.
        assert_eq!(limit(Case { server_wait_s: Some(0.01), busiest_s: Some(0.6), ..CROWDED }), Limit::LoadTool);
        // A core was free: waiting is not for want of one.
        assert_eq!(limit(Case { server_s: 0.6, busiest_s: Some(0.5), tool_s: 0.4, ..CROWDED }), Limit::Neither);
        // Only one core may be used, and others on the second are not in the way.
        let one = Case { cores: (2, 1), server_s: 0.5, tool_s: 0.45, busiest_s: Some(0.9), ..CROWDED };
        assert_eq!(limit(one), Limit::SharedCpu);
        let free = Case { server_s: 0.2, tool_s: 0.2, busiest_s: Some(0.2), tool_wait_s: Some(0.0), ..one };
        assert_eq!(limit(free), Limit::Neither);
    }

    #[test]
    fn a_tool_that_spins_by_design_proves_nothing() {
        let spins = Case { tool_s: 0.99, spins: true, ..IDLE };
        assert_eq!(limit(spins), Limit::Neither);
        assert_eq!(limit(Case { server_s: 0.95, busiest_s: Some(0.96), ..spins }), Limit::Server);
        assert_eq!(limit(Case { tool_s: 0.75, ..Case { spins: true, ..CROWDED } }), Limit::SharedCpu);
    }

    #[test]
    fn a_rate_that_is_answered_is_the_limit_and_one_that_is_not_has_another() {
        for case in [IDLE, ONE_THREAD, CROWDED, Case { tool_s: 0.99, ..IDLE }] {
            assert_eq!(limit(Case { kept_rate: true, ..case }), Limit::Rate);
            assert_ne!(limit(case), Limit::Rate);
            assert_eq!(limit(Case { kept_rate: true, steal_s: 0.11, ..case }), Limit::Disturbed);
        }
    }

    #[test]
    fn what_others_took_disturbs_and_the_load_s_own_interrupts_do_not() {
        for case in [IDLE, ONE_THREAD, CROWDED] {
            assert_eq!(limit(Case { steal_s: 0.11, ..case }), Limit::Disturbed);
            assert_ne!(limit(Case { steal_s: 0.09, ..case }), Limit::Disturbed);
            assert_eq!(limit(Case { other_s: Some(0.21), ..case }), Limit::Disturbed);
            assert_ne!(limit(Case { other_s: Some(0.19), ..case }), Limit::Disturbed);
            assert_ne!(limit(Case { other_s: Some(0.3), interrupts_s: 0.2, ..case }), Limit::Disturbed);
        }
    }

    #[test]
    fn what_is_not_seen_is_not_guessed() {
        let blind = Case { server_wait_s: None, busiest_s: None, tool_wait_s: None, ..CROWDED };
        assert_eq!(limit(Case { other_s: None, ..blind }), Limit::Unknown);
        assert_eq!(limit(blind), Limit::Unknown);
        // A tool that runs all the time is known from its own clock alone.
        assert_eq!(limit(Case { tool_s: 0.95, other_s: None, ..blind }), Limit::LoadTool);
        // Threads that ended took the server's waits with them; the tool's tell of both.
        assert_eq!(limit(Case { server_wait_s: None, busiest_s: None, ..CROWDED }), Limit::SharedCpu);
    }

    #[test]
    fn a_cell_has_its_most_frequent_word_and_of_two_the_more_careful() {
        use Limit::{Disturbed, LoadTool, Server, SharedCpu};
        assert_eq!(Limit::of_all([]), None);
        assert_eq!(Limit::of_all([Server, LoadTool, Server]), Some((Server, 2)));
        assert_eq!(Limit::of_all([Server, LoadTool]), Some((LoadTool, 1)));
        assert_eq!(Limit::of_all([SharedCpu, LoadTool, Disturbed]), Some((Disturbed, 1)));
    }
}
