//! What a person should know before a run: facts that would disturb it, as warnings of one line each.
//!
//! Nothing here ends a run: what must be true beforehand is an error elsewhere.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use super::root::Root;
use super::{Known, Limit, Machine, net};

/// How long is looked at what else runs: fifty ticks of 10 ms per core.
pub const LOOK: Duration = Duration::from_millis(500);

/// Other processes may use this share of all cores, from 0 to 1, before it is worth a line.
const BUSY: f64 = 0.05;
/// The hypervisor may take this share of all cores.
const STOLEN: f64 = 0.01;
/// This share of the ephemeral ports may be in TIME_WAIT to one target.
const PORTS: f64 = 0.5;
/// A run's records and the bounded output of servers and tools stay below this.
const DISK_BYTES: u64 = 1 << 30;
/// JVMs of the originals take some hundred MiB each.
const MEMORY_BYTES: u64 = 1 << 30;

/// What is so now, beside what [`Machine`] records.
#[derive(Debug, Clone, PartialEq)]
pub struct Now {
    /// What the cores did for a short while.
    pub cores: Known<Share>,
    /// The 1-minute load average.
    pub load_average: Known<f64>,
    /// Targets, and connections in TIME_WAIT between this machine and each.
    pub time_wait: Vec<(SocketAddr, Known<usize>)>,
    /// Free space where results go, in bytes.
    pub disk_free_bytes: Known<u64>,
    /// Whether it runs on a battery.
    pub on_battery: Known<bool>,
    /// Connections that the run opens at once; 0 if there is no run yet.
    pub connections: u32,
}

/// What became of the time of all cores, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Used.
    pub busy: f64,
    /// Taken by the hypervisor.
    pub stolen: f64,
}

impl Now {
    /// Looks, which takes [`LOOK`]. `results` may not be there yet.
    pub fn look(root: &Root, targets: &[SocketAddr], results: &Path, connections: u32) -> Self {
        let before = root.text("/proc/stat");
        std::thread::sleep(LOOK);
        let after = root.text("/proc/stat");
        let mut time_wait: Vec<_> = targets.iter().map(|target| (*target, net::time_wait(root, *target))).collect();
        time_wait.dedup();
        Self {
            cores: before.zip(after).and_then(|(before, after)| share(&before, &after)).into(),
            load_average: root.text("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()).into(),
            time_wait,
            disk_free_bytes: disk_free(results).into(),
            on_battery: on_battery(root).into(),
            connections,
        }
    }
}

/// From two looks at /proc/stat: `cpu user nice system idle iowait irq softirq steal …`, in ticks (proc_stat(5)).
fn share(before: &str, after: &str) -> Option<Share> {
    let ticks = |text: &str| -> Option<[f64; 8]> {
        let line = text.lines().find(|line| line.starts_with("cpu "))?;
        let all: Vec<f64> = line.split_whitespace().skip(1).take(8).map(str::parse).collect::<Result<_, _>>().ok()?;
        all.try_into().ok()
    };
    let (before, after) = (ticks(before)?, ticks(after)?);
    let passed = |n: usize| (after[n] - before[n]).max(0.0);
    let all: f64 = (0..8).map(passed).sum();
    let (idle, stolen) = (passed(3) + passed(4), passed(7));
    (all > 0.0).then(|| Share { busy: (all - idle - stolen) / all, stolen: stolen / all })
}

fn disk_free(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let space = nix::sys::statvfs::statvfs(there).ok()?;
    space.blocks_available().checked_mul(space.fragment_size())
}

/// A battery that discharges and is not that of a mouse (kernel documentation, ABI/testing/sysfs-class-power).
fn on_battery(root: &Root) -> Option<bool> {
    let folder = "/sys/class/power_supply";
    let supplies = root.names(folder)?;
    let of = |supply: &str, name: &str| root.text(&format!("{folder}/{supply}/{name}"));
    Some(supplies.iter().any(|supply| {
        of(supply, "type").as_deref() == Some("Battery")
            && of(supply, "scope").as_deref() != Some("Device")
            && of(supply, "status").as_deref() == Some("Discharging")
    }))
}

/// What a person should know, one line each, the gravest first.
pub fn warnings(machine: &Machine, now: &Now) -> Vec<String> {
    let mut lines = Vec::new();
    busy(machine, now, &mut lines);
    ports(machine, now, &mut lines);
    room(machine, now, &mut lines);
    speed(machine, now, &mut lines);
    for name in machine.environment.keys().filter(|name| name.starts_with("LD_")) {
        lines.push(format!("{name} is set, and every server and load tool inherits it"));
    }
    lines
}

fn busy(machine: &Machine, now: &Now, lines: &mut Vec<String>) {
    match now.cores {
        Known::Is(share) => {
            if share.busy > BUSY {
                lines.push(format!("other processes are using {:.0} % of the cores", share.busy * 100.0));
            }
            if share.stolen > STOLEN {
                lines.push(format!("the hypervisor takes {:.0} % of the cores (steal)", share.stolen * 100.0));
            }
        }
        Known::Unknown => lines.push("whether other processes are using the cores is unknown".to_owned()),
    }
    if let (Known::Is(load), Known::Is(cores)) = (now.load_average, machine.cpu.usable)
        && load > cores as f64
    {
        lines.push(format!("the load average of the last minute is {load:.1} on {cores} cores"));
    }
    if let (Known::Is(Limit::At(quota)), Some(allowed)) =
        (machine.cgroup.cpu_quota_cores, machine.cpu.affinity.get().and_then(|list| super::root::parse_list(list)))
        && quota < allowed.len() as f64
    {
        lines.push(format!(
            "the cgroup pays for {quota:.2} of {} cores: servers are stopped for a part of each period",
            allowed.len()
        ));
    }
}

fn ports(machine: &Machine, now: &Now, lines: &mut Vec<String>) {
    if let Known::Is((first, last)) = machine.net.ephemeral_ports() {
        let room = f64::from(last.saturating_sub(first)) + 1.0;
        for (target, count) in &now.time_wait {
            if let Known::Is(count) = count
                && *count as f64 > room * PORTS
            {
                lines.push(format!("{count} of {room} ephemeral ports are in TIME_WAIT to {target}; wait a minute"));
            }
        }
    } else {
        lines.push("the range of ephemeral ports is unknown, and so is whether they suffice".to_owned());
    }
    let queue = machine.net.settings.get("net.core.somaxconn").and_then(Known::get);
    if let Some(queue) = queue.and_then(|queue| queue.parse::<u32>().ok())
        && queue < now.connections
    {
        let connections = now.connections;
        lines.push(format!(
            "net.core.somaxconn is {queue}, below the {connections} connections: some may wait a second for an answer"
        ));
    }
}

fn room(machine: &Machine, now: &Now, lines: &mut Vec<String>) {
    match now.disk_free_bytes {
        Known::Is(bytes) if bytes < DISK_BYTES => {
            lines.push(format!("only {} MiB are free where results go", bytes >> 20));
        }
        Known::Is(_) => {}
        Known::Unknown => lines.push("how much space is free where results go is unknown".to_owned()),
    }
    match machine.memory.available_bytes {
        Known::Is(bytes) if bytes < MEMORY_BYTES => {
            lines.push(format!("only {} MiB of memory are available", bytes >> 20));
        }
        Known::Is(_) => {}
        Known::Unknown => lines.push("how much memory is available is unknown".to_owned()),
    }
    if let Known::Is(Limit::At(bytes)) = machine.cgroup.memory_max_bytes
        && bytes < MEMORY_BYTES
    {
        lines.push(format!("the cgroup allows {} MiB of memory", bytes >> 20));
    }
}

fn speed(machine: &Machine, now: &Now, lines: &mut Vec<String>) {
    let frequency = &machine.frequency;
    match &frequency.governor {
        Known::Is(governor) if governor == "performance" => {}
        Known::Is(governor) => {
            lines.push(format!("the frequency governor is {governor}, not performance"));
        }
        Known::Unknown if frequency.turbo == Known::Unknown => lines.push(
            "frequency governor and turbo are unknown (a virtual machine's host decides): speed may drift".to_owned(),
        ),
        Known::Unknown => lines.push("the frequency governor is unknown".to_owned()),
    }
    match (&frequency.governor, frequency.turbo) {
        (_, Known::Is(true)) => {
            lines.push("turbo is on: speed depends on heat and on how many cores are busy".to_owned());
        }
        (Known::Is(_), Known::Unknown) => lines.push("whether turbo is on is unknown".to_owned()),
        _ => {}
    }
    if now.on_battery == Known::Is(true) {
        lines.push("this machine runs on its battery".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    const QUIET: &[(&str, &str)] = &[
        ("proc/meminfo", "MemAvailable: 8000000 kB\n"),
        ("proc/self/status", "Cpus_allowed_list:\t0-3\n"),
        ("proc/sys/net/ipv4/ip_local_port_range", "32768 60999\n"),
        ("proc/sys/net/core/somaxconn", "4096\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpufreq/boost", "0\n"),
    ];

    fn now() -> Now {
        Now {
            cores: Known::Is(Share { busy: 0.01, stolen: 0.0 }),
            load_average: Known::Is(0.1),
            time_wait: vec![("127.0.0.1:8101".parse().unwrap(), Known::Is(10))],
            disk_free_bytes: Known::Is(50 << 30),
            on_battery: Known::Is(false),
            connections: 64,
        }
    }

    fn machine(more: &[(&str, &str)]) -> Machine {
        let (_folder, root) = fake(&[QUIET, more].concat());
        Machine::read_at(&root)
    }

    #[test]
    fn a_quiet_machine_has_no_warning() {
        assert_eq!(warnings(&machine(&[]), &now()), Vec::<String>::new());
    }

    #[test]
    fn each_disturbance_is_one_line() {
        let mut machine = machine(&[
            ("proc/meminfo", "MemAvailable: 102400 kB\n"),
            ("proc/sys/net/core/somaxconn", "50\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpufreq/boost", "1\n"),
        ]);
        machine.cgroup.cpu_quota_cores = Known::Is(Limit::At(1.5));
        machine.cgroup.memory_max_bytes = Known::Is(Limit::At(256 << 20));
        machine.environment.insert("LD_PRELOAD".to_owned(), "x".to_owned());
        let now = Now {
            cores: Known::Is(Share { busy: 0.37, stolen: 0.08 }),
            load_average: Known::Is(9.0),
            time_wait: vec![("127.0.0.1:8101".parse().unwrap(), Known::Is(20_000))],
            disk_free_bytes: Known::Is(100 << 20),
            on_battery: Known::Is(true),
            connections: 64,
        };
        insta::assert_snapshot!(warnings(&machine, &now).join("\n"));
    }

    #[test]
    fn what_is_unknown_is_said_to_be() {
        let (_folder, root) = fake(&[]);
        let now = Now { cores: Known::Unknown, disk_free_bytes: Known::Unknown, ..now() };
        let lines = warnings(&Machine::read_at(&root), &now);
        assert_eq!(lines.iter().filter(|line| line.contains("unknown")).count(), 5, "{lines:?}");
    }

    #[test]
    fn shares_are_of_the_time_that_passed() {
        let before = "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1\n";
        let after = "cpu  120 0 110 860 5 0 0 5 0 0\n";
        let share = share(before, after).unwrap();
        assert!((share.busy - 0.3).abs() < 1e-9 && (share.stolen - 0.05).abs() < 1e-9, "{share:?}");
        assert_eq!(super::share(before, before), None);
        assert_eq!(super::share("", after), None);
    }

    #[test]
    fn only_the_machines_own_battery_counts() {
        let battery = [
            ("sys/class/power_supply/BAT0/type", "Battery\n"),
            ("sys/class/power_supply/BAT0/status", "Discharging\n"),
        ];
        let (_folder, root) = fake(&[]);
        assert_eq!(on_battery(&root), None);
        let (_folder, root) = fake(&battery);
        assert_eq!(on_battery(&root), Some(true));
        let (_folder, root) = fake(&[&battery[..], &[("sys/class/power_supply/BAT0/scope", "Device\n")]].concat());
        assert_eq!(on_battery(&root), Some(false));
    }
}
