//! What else was seen of a slice beside its figures, right before and right after the load tool ran: from this, and
//! never from the figures, it is told what the limit was and whether something disturbed it.

use serde::{Deserialize, Serialize};

/// Everything that could be seen; `None` is unknown, and never 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Conditions {
    /// The cores of the machine, over which `steal_s` and `other_cpu_s` are.
    pub cores: Option<usize>,
    /// The cores that servers and load tools may use, as affinity and cgroup leave them.
    pub usable_cores: Option<usize>,
    /// CPU time of interrupts on all cores, in seconds: much of it is the load's own packets, so that it is not held
    /// against anybody.
    pub interrupts_s: Option<f64>,
    /// The threads that the load tool asks from.
    pub tool_threads: Option<u32>,
    /// How long threads of the server were ready to run and had no core, in seconds, all together. Unknown if so many
    /// threads ended during the slice that the rest does not stand for all.
    pub server_wait_s: Option<f64>,
    /// How long the busiest thread of the server ran or waited to, in seconds; unknown as above.
    pub server_busiest_s: Option<f64>,
    /// The same wait of the load tool's threads, in seconds. It is looked at every tenth of a second while it runs, so
    /// that up to the last tenth is missing.
    pub tool_wait_s: Option<f64>,
    /// Context switches of the server because it had nothing to do; unknown as above.
    pub voluntary_switches: Option<u64>,
    /// Context switches of the server because its core was taken from it; unknown as above.
    pub involuntary_switches: Option<u64>,
    /// Resident memory of the server's process tree before the load, in bytes.
    pub rss_before_bytes: Option<u64>,
    /// Its highest during the load, in bytes: the sum over the processes, each at its own time. Unknown where the
    /// kernel does not reset it.
    pub rss_peak_bytes: Option<u64>,
    /// Threads of the server's process tree before the load.
    pub threads_before: Option<u64>,
    /// Connections that found an accept queue full, on this machine.
    pub accept_overflows: Option<u64>,
    /// Connections that a listening socket dropped, on this machine.
    pub accept_drops: Option<u64>,
    /// SYNs, and answers to them, that were sent again, on this machine.
    pub syn_retransmits: Option<u64>,
    /// Connections in TIME_WAIT with the target before the load.
    pub time_wait: Option<u64>,
    /// Ephemeral ports that were left for connections to the target before the load.
    pub port_room: Option<u64>,
    /// How long the server was held back because the CPU quota of its cgroup was used up, in seconds, summed over cores.
    pub throttled_s: Option<f64>,
    /// The part of the server's CPU time that carried its connections through Docker's bridge, in seconds; unknown if
    /// nothing did.
    pub carrying_cpu_s: Option<f64>,
    /// CPU time of the harness itself, in seconds.
    pub harness_cpu_s: Option<f64>,
    /// Answers times their mean latency over the time of all connections: near 1 in a closed loop (Little's law).
    pub little: Option<f64>,
}
