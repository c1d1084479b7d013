//! Causes that are known by their traces, in words: for the reason of a slice that failed, and as a warning of one that
//! did not.

use crate::load::{Report, Shape};
use crate::results::Conditions;
use crate::run::tracking::Tracked;

/// Linux delays an ACK by 40 ms at least (TCP_DELACK_MIN); Nagle's algorithm (RFC 896) has a server that writes head and
/// body apart wait for it. Behind the 40 ms come the answer's own time and up to two ticks of 4 ms (CONFIG_HZ=250): medians of 44.0
/// and 45.4 ms, and many single ones of 48.0 ms, were seen on a busy guest.
const DELAYED_ACK_US: std::ops::RangeInclusive<f64> = 39_000.0..=48_500.0;

/// Who waits for a timer leaves the cores idle. If server and load tool used more than this share of one core, a median
/// of 40 ms is more likely a queue.
const LOW_CPU: f64 = 0.5;

/// What mean latency may fill of the connections' time. Below, connections were idle between an answer and the next
/// request for more than half of it, which a closed loop does not do; above, an answer took longer than its connection had.
const LITTLE: std::ops::RangeInclusive<f64> = 0.5..=1.1;

/// How programs say that they may open no more files: strerror(3) of EMFILE and ENFILE, and what Rust and Node add.
const TOO_MANY_FILES: [&str; 4] = ["Too many open files", "EMFILE", "ENFILE", "(os error 24)"];

/// What the traces are looked for in.
#[derive(Debug, Clone, Copy)]
pub struct Traces<'a> {
    /// How connections are used.
    pub shape: Shape,
    /// Connections open at once.
    pub connections: u32,
    /// What the load tool reported, if it did.
    pub report: Option<&'a Report>,
    /// CPU time of server and load tool, as a share of one core.
    pub busy: f64,
    /// Connections that were opened.
    pub opened: Option<u64>,
    /// Files that the server might still open before the load.
    pub file_room: Option<u64>,
    /// The kernel's table of tracked connections, where it has one.
    pub tracked: Option<Tracked>,
    /// What server and load tool printed beside the report.
    pub printed: [&'a str; 2],
    /// What else was seen.
    pub conditions: &'a Conditions,
}

/// The causes whose traces are there, a clause each.
pub fn named(traces: &Traces) -> Vec<String> {
    let all = [delayed_ack, full_queue, files, ports, tracked, little, throttled];
    all.into_iter().filter_map(|cause| cause(traces)).collect()
}

fn delayed_ack(traces: &Traces) -> Option<String> {
    let p50 = traces.report?.latency_us.p50.filter(|p50| DELAYED_ACK_US.contains(p50))?;
    (traces.busy < LOW_CPU).then(|| {
        format!(
            "half of the answers take {:.0} ms at little CPU time: Nagle's algorithm waits for a delayed ACK \
             (TCP_NODELAY is not set, or head and body are written apart)",
            p50 / 1e3
        )
    })
}

fn full_queue(traces: &Traces) -> Option<String> {
    let conditions = traces.conditions;
    if let Some(overflows) = conditions.accept_overflows.filter(|overflows| *overflows > 0) {
        return Some(format!(
            "{overflows} times an accept queue was full: such a connection waits 1 s or more for its SYN to be sent again"
        ));
    }
    // The count is of the whole machine, and somebody else may have opened them.
    let again = conditions.syn_retransmits.filter(|again| *again > 0)?;
    Some(format!("SYNs sent again on this machine, after 1 s or more: {again}; connections may have opened late"))
}

fn files(traces: &Traces) -> Option<String> {
    let said = |printed: &&str| TOO_MANY_FILES.iter().any(|words| printed.contains(words));
    if let Some(who) = traces.printed.iter().position(said) {
        return Some(format!("{} may open no more files (ulimit -n)", ["the server", "the load tool"][who]));
    }
    let room = traces.file_room.filter(|room| *room < u64::from(traces.connections))?;
    Some(format!("the server may open only {room} more files (ulimit -n), for {} connections", traces.connections))
}

fn ports(traces: &Traces) -> Option<String> {
    let room = traces.conditions.port_room?;
    let refused = traces.report.is_some_and(|report| report.errors.connect.is_some_and(|errors| errors > 0));
    let used_up = traces.opened.is_some_and(|opened| opened >= room);
    let said = traces.printed[1].contains("assign requested address");
    (said || (refused && used_up)).then(|| {
        format!("the ephemeral ports are used up: there was room for {room} connections to the target before the load")
    })
}

/// What is held back for less than this in all has not met the quota in earnest.
const HELD_BACK_S: f64 = 0.01;

fn throttled(traces: &Traces) -> Option<String> {
    let held_back = traces.conditions.throttled_s.filter(|seconds| *seconds >= HELD_BACK_S)?;
    Some(format!("the CPU quota of its cgroup held the server back for {held_back:.2} s, summed over cores"))
}

fn tracked(traces: &Traces) -> Option<String> {
    let tracked = traces.tracked.filter(|tracked| tracked.is_full())?;
    Some(format!("{}: connections were dropped; raise net.netfilter.nf_conntrack_max", tracked.words()))
}

fn little(traces: &Traces) -> Option<String> {
    let share = traces.conditions.little?;
    // In the other shape there is the time to open a connection, which most tools do not count as latency.
    let idle = traces.shape == Shape::KeepAlive && share < *LITTLE.start();
    (idle || share > *LITTLE.end()).then(|| {
        format!(
            "requests times their mean latency are {:.0} % of the connections' time, and in a closed loop near 100 % \
             (Little's law): the latency is not to be relied on",
            share * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Errors, Latency};

    fn report(p50_ms: f64) -> Report {
        Report { latency_us: Latency { p50: Some(p50_ms * 1e3), ..Latency::default() }, ..Report::default() }
    }

    const NOTHING: Conditions = Conditions {
        cores: None,
        usable_cores: None,
        interrupts_s: None,
        tool_threads: None,
        server_wait_s: None,
        server_busiest_s: None,
        tool_wait_s: None,
        voluntary_switches: None,
        involuntary_switches: None,
        rss_before_bytes: None,
        rss_peak_bytes: None,
        threads_before: None,
        accept_overflows: Some(0),
        accept_drops: Some(0),
        syn_retransmits: Some(0),
        time_wait: Some(0),
        port_room: Some(28_000),
        throttled_s: None,
        carrying_cpu_s: None,
        harness_cpu_s: None,
        little: Some(0.97),
    };

    const NONE: Traces<'static> = Traces {
        shape: Shape::KeepAlive,
        connections: 64,
        report: None,
        busy: 0.1,
        opened: Some(64),
        file_room: Some(1000),
        tracked: None,
        printed: [""; 2],
        conditions: &NOTHING,
    };

    fn words(traces: Traces) -> String {
        named(&traces).join("; ")
    }

    #[test]
    fn a_slice_without_traces_has_no_words() {
        assert_eq!(words(NONE), "");
        assert_eq!(words(Traces { report: Some(&Report::default()), ..NONE }), "");
    }

    #[test]
    fn a_floor_of_40_ms_is_nagle_with_delayed_ack_unless_the_cores_are_busy() {
        for (p50_ms, busy, named) in
            [(38.9, 0.1, false), (39.0, 0.1, true), (44.0, 0.49, true), (48.6, 0.1, false), (41.0, 1.8, false)]
        {
            let report = report(p50_ms);
            let words = words(Traces { report: Some(&report), busy, ..NONE });
            assert_eq!(words.contains("Nagle") && words.contains("delayed ACK"), named, "{p50_ms} {busy}: {words}");
        }
    }

    #[test]
    fn a_full_accept_queue_is_named_with_the_second_that_it_costs() {
        let full = Conditions { accept_overflows: Some(12), syn_retransmits: Some(30), ..NOTHING };
        assert!(words(Traces { conditions: &full, ..NONE }).starts_with("12 times an accept queue was full"));
        let late = Conditions { syn_retransmits: Some(3), ..NOTHING };
        assert!(words(Traces { conditions: &late, ..NONE }).contains("or more: 3;"));
    }

    #[test]
    fn a_limit_of_files_is_seen_beforehand_and_in_what_was_printed() {
        assert!(words(Traces { file_room: Some(63), ..NONE }).contains("only 63 more files"));
        assert_eq!(words(Traces { file_room: Some(64), ..NONE }), "");
        for said in ["accept4: Too many open files", "Error: EMFILE", "Os { code: 24 } (os error 24)"] {
            assert!(words(Traces { printed: [said, ""], ..NONE }).starts_with("the server may open no more files"));
        }
        assert!(
            words(Traces { printed: ["", "socket: Too many open files (24)"], ..NONE }).starts_with("the load tool")
        );
    }

    #[test]
    fn used_up_ports_are_named_if_connections_failed_for_that() {
        let errors = Errors { connect: Some(5), ..Errors::default() };
        let report = Report { errors, ..Report::default() };
        let failed = |opened| words(Traces { report: Some(&report), opened: Some(opened), ..NONE });
        assert!(failed(28_000).starts_with("the ephemeral ports are used up: there was room for 28000"));
        assert_eq!(failed(100), "");
        // Ports were used anew, and nothing failed.
        assert_eq!(words(Traces { opened: Some(40_000), ..NONE }), "");
        let said = "apr_socket_connect(): Cannot assign requested address (99)";
        assert!(words(Traces { printed: ["", said], ..NONE }).contains("used up"));
    }

    #[test]
    fn a_quota_that_held_the_server_back_is_named() {
        let held_back = |seconds| {
            let conditions = Conditions { throttled_s: Some(seconds), ..NOTHING };
            words(Traces { conditions: &conditions, ..NONE })
        };
        assert!(held_back(0.5).starts_with("the CPU quota of its cgroup held the server back for 0.50 s"));
        assert_eq!(held_back(0.0), "");
    }

    #[test]
    fn latencies_that_contradict_the_rate_are_not_relied_on() {
        let little = |share, shape| {
            let conditions = Conditions { little: Some(share), ..NOTHING };
            words(Traces { conditions: &conditions, shape, ..NONE }).contains("Little's law")
        };
        for (share, keep_alive, close) in
            [(0.4, true, false), (0.6, false, false), (1.05, false, false), (1.2, true, true)]
        {
            assert_eq!((little(share, Shape::KeepAlive), little(share, Shape::Close)), (keep_alive, close), "{share}");
        }
    }

    #[test]
    fn a_full_table_of_tracked_connections_is_named() {
        let at = |entries| words(Traces { tracked: Some(Tracked { entries, most: 1000 }), ..NONE });
        assert!(at(1000).contains("1000 of 1000 places") && at(1000).contains("nf_conntrack_max"));
        assert_eq!(at(900), "");
    }
}
