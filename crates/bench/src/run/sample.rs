//! What is read right before and right after the load tool runs, so that nothing is asked of the server while it does.

use std::time::Duration;

use crate::process::cpu::{self, MachineCpu, TreeCpu, TreeUse};
use crate::process::memory::Resident;
use crate::process::sched::Threads;
use crate::process::tcp::TcpCounters;
use crate::process::tool::Ran;
use crate::process::{Server, ports};
use crate::results::Conditions;
use crate::targets::cores;

/// The scheduler's counts stand for the server if the threads that they are of ran for at least this share of its CPU
/// time; else too much of it was used by threads that have ended.
const COVERS: f64 = 0.9;

/// What may pass from the end of the load tool to the look at what it left.
const CLOSING: Duration = Duration::from_millis(500);

/// Everything before.
pub struct Before {
    peak_reset: bool,
    resident: Resident,
    threads: Threads,
    tcp: Option<TcpCounters>,
    opened: Option<u64>,
    throttled: Option<Duration>,
    carrying: Option<TreeCpu>,
    /// What the machine, the server and the harness itself had used: read last, being what is over the load alone. The
    /// harness's is the innermost: to find the server's processes is work of its own.
    machine: Option<MachineCpu>,
    cpu: TreeCpu,
    harness: Option<Duration>,
}

/// What passed.
pub struct Passed {
    /// What the server used.
    pub cpu: TreeUse,
    /// What all used, the hypervisor took, and how many cores there are.
    pub machine: Option<MachineCpu>,
    /// Connections that were opened to the server.
    pub opened: Option<u64>,
    /// All that could be seen beside.
    pub conditions: Conditions,
}

impl Before {
    /// Reads everything.
    pub fn read(server: &Server) -> Self {
        Self {
            peak_reset: server.reset_peak(),
            resident: server.resident(),
            threads: server.scheduled(),
            tcp: TcpCounters::read(),
            opened: ports::connections_opened(),
            throttled: server.throttled(),
            carrying: server.carrying(),
            machine: MachineCpu::read(),
            cpu: server.cpu(),
            harness: cpu::own(),
        }
    }

    /// Reads everything again, now that the load tool has ended. `kept` is how many connections it keeps, if it does.
    pub fn passed(&self, server: &Server, ran: &Ran, kept: Option<u32>) -> Passed {
        let harness = cpu::own().zip(self.harness).map(|(after, before)| after.saturating_sub(before));
        let cpu = server.cpu().since(&self.cpu);
        let machine = MachineCpu::read().zip(self.machine).map(|(after, before)| after.since(&before));
        let opened = ports::connections_opened().zip(self.opened).map(|(after, before)| after.saturating_sub(before));
        let opened = match (opened, kept) {
            // That counter holds connections of others too; those of the server are closed by now. To count them takes
            // up to a fifth of a second, and nothing hangs on it where no connection is to be kept, or all were.
            (Some(all), Some(kept)) if all > kept.into() => {
                ports::closed_within(server.port(), ran.wall + CLOSING).map(|own| all.min(own))
            }
            _ => opened,
        };
        let tcp = TcpCounters::read().zip(self.tcp).map(|(after, before)| after.since(&before));
        let scheduled = Some(server.scheduled().since(&self.threads))
            .filter(|scheduled| scheduled.ran.as_secs_f64() >= COVERS * cpu.total.as_secs_f64());
        let resident = server.resident();
        let throttled = server.throttled().zip(self.throttled).map(|(after, before)| after.saturating_sub(before));
        let carrying = server.carrying().zip(self.carrying).map(|(after, before)| after.since(&before).total);
        let conditions = Conditions {
            cores: machine.map(|machine| machine.cores),
            usable_cores: Some(cores()),
            interrupts_s: machine.map(|machine| machine.interrupts.as_secs_f64()),
            server_wait_s: scheduled.map(|scheduled| scheduled.waited.as_secs_f64()),
            server_busiest_s: scheduled.map(|scheduled| scheduled.busiest.as_secs_f64()),
            tool_wait_s: ran.scheduled.map(|scheduled| scheduled.waited.as_secs_f64()),
            voluntary_switches: scheduled.map(|scheduled| scheduled.voluntary),
            involuntary_switches: scheduled.map(|scheduled| scheduled.involuntary),
            rss_before_bytes: Some(self.resident.now),
            rss_peak_bytes: self.peak_reset.then_some(resident.peak),
            threads_before: Some(self.threads.count() as u64),
            accept_overflows: tcp.map(|tcp| tcp.accept_overflows),
            accept_drops: tcp.map(|tcp| tcp.accept_drops),
            syn_retransmits: tcp.map(|tcp| tcp.syn_retransmits),
            throttled_s: throttled.map(|throttled| throttled.as_secs_f64()),
            carrying_cpu_s: carrying.map(|carrying| carrying.as_secs_f64()),
            harness_cpu_s: harness.map(|harness| harness.as_secs_f64()),
            ..Conditions::default()
        };
        Passed { cpu, machine, opened, conditions }
    }
}
