//! What must be equal for two runs to be compared.
//!
//! In it is what changes how fast the same program serves the same load: the CPU and what is left of it for this
//! process, how fast it may run, the kernel and its settings, the C library, the load tool and what it was asked for.
//!
//! Not in it:
//! - what is measured (commit, Cargo.lock, compiler, profile, binaries, workers by default): to compare two of these on
//!   one machine is what runs are compared for; [`Fingerprint::with_build`] adds them, for a run that is resumed;
//! - names of host and product, and the distribution: they act only through what is in it, and a container has a new
//!   host name each time;
//! - the sizes of memory and swap: twelve bytes to a connection need little, and a virtual machine's memory differs from
//!   boot to boot; a limit of the cgroup is in it;
//! - seed, blocks and which shapes: they decide how sure a figure is, not how large; tables are compared shape by shape;
//! - what passes (idle CPU, TIME_WAIT, load average): covariates of each run, not conditions of the comparison;
//! - soft limits: the run raises them to what it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::{Commit, Known, Machine, Program, Toolchain, checksum};

/// The settings of the network stack that are in it; the others of [`super::net::SETTINGS`] are recorded only.
const SETTINGS: &[&str] = &[
    "net.core.busy_poll",
    "net.core.busy_read",
    "net.core.default_qdisc",
    "net.core.netdev_budget",
    "net.core.netdev_max_backlog",
    "net.core.rmem_default",
    "net.core.somaxconn",
    "net.core.wmem_default",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_abort_on_overflow",
    "net.ipv4.tcp_autocorking",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_fastopen",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_wmem",
];

/// What must be equal for two runs to be compared, in words, and a short hash of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The first 16 hex digits of the SHA-256 checksum of `facts` as JSON, keys sorted, without white space.
    pub hash: String,
    /// What → how it is.
    pub facts: BTreeMap<String, String>,
}

impl Fingerprint {
    /// Of a machine, a load tool and what it is asked for (name → value, as in `connections` → `64`).
    pub fn of<'a>(
        machine: &Machine,
        tool: (&str, &str, &Known<Program>),
        asked: impl IntoIterator<Item = (&'a str, String)>,
    ) -> Self {
        let mut facts = Facts::default();
        facts.cpu(machine);
        facts.kernel(machine);
        facts.allowed(machine);
        for name in SETTINGS {
            facts.add(name, machine.net.settings.get(*name).unwrap_or(&Known::Unknown));
        }
        facts.add("loopback MTU", machine.net.loopback_mtu);
        for (name, value) in &machine.environment {
            facts.add(&format!("environment variable {name}"), value);
        }
        let (name, version, program) = tool;
        facts.add("load tool", name);
        facts.add("load tool version", version);
        facts.add("load tool checksum", program.map(|program| program.sha256.clone()));
        for (name, value) in asked {
            facts.add(name, value);
        }
        Self::hashed(facts.0)
    }

    /// The same with what is measured, for a run that goes on where it stopped: that must be the very same.
    #[must_use]
    pub fn with_build<'a>(
        &self,
        commit: &Commit,
        toolchain: &Toolchain,
        binaries: impl IntoIterator<Item = (&'a str, &'a Known<Program>)>,
    ) -> Self {
        let mut facts = Facts(self.facts.clone());
        facts.add("commit", &commit.hash);
        facts.add("changes that are not committed", commit.dirty);
        facts.add("Cargo.lock", &toolchain.lock_sha256);
        facts.add("compiler", toolchain.rustc.map(|lines| lines.join("; ")));
        facts.add("release profile", toolchain.release_profile.map(json));
        facts.add("build environment", json(&toolchain.environment));
        facts.add("cargo configuration", json(&toolchain.cargo_config));
        for (target, program) in binaries {
            facts.add(&format!("binary of {target}"), program.map(|program| program.sha256.clone()));
        }
        Self::hashed(facts.0)
    }

    /// What differs, one line each: `governor: performance, then powersave`.
    pub fn differences(&self, then: &Self) -> Vec<String> {
        let names: BTreeSet<&String> = self.facts.keys().chain(then.facts.keys()).collect();
        let of = |facts: &BTreeMap<String, String>, name: &String| {
            facts.get(name).map_or("not recorded", |value| if value.is_empty() { "none" } else { value }).to_owned()
        };
        names
            .into_iter()
            .filter(|name| self.facts.get(*name) != then.facts.get(*name))
            .map(|name| format!("{name}: {}, then {}", of(&self.facts, name), of(&then.facts, name)))
            .collect()
    }

    /// What is unknown: that it is so in two runs does not make it equal.
    pub fn unknown(&self) -> Vec<&str> {
        self.facts.iter().filter(|(_, value)| *value == "unknown").map(|(name, _)| name.as_str()).collect()
    }

    fn hashed(facts: BTreeMap<String, String>) -> Self {
        // A BTreeMap is sorted, and serde_json writes no white space.
        let mut hash = checksum::sha256_of(json(&facts).as_bytes());
        hash.truncate(16);
        Self { hash, facts }
    }
}

#[derive(Default)]
struct Facts(BTreeMap<String, String>);

impl Facts {
    fn add(&mut self, name: &str, value: impl Display) {
        self.0.insert(name.to_owned(), value.to_string());
    }

    fn cpu(&mut self, machine: &Machine) {
        let (cpu, frequency) = (&machine.cpu, &machine.frequency);
        self.add("CPU model", &cpu.model);
        self.add("microcode", &cpu.microcode);
        self.add("hardware threads online", cpu.online);
        self.add("hardware threads usable", cpu.usable);
        // Which ones, too: two threads of one core are not two cores, nor are cores of two sockets those of one.
        self.add("affinity", &cpu.affinity);
        self.add("cores", cpu.physical_cores);
        self.add("sockets", cpu.sockets);
        self.add("NUMA nodes", cpu.numa_nodes);
        self.add("SMT", cpu.smt_active);
        self.add("isolated cores", &cpu.isolated);
        let caches = |caches: &Vec<super::Cache>| {
            let cache = |cache: &super::Cache| format!("L{} {} {}", cache.level, cache.kind, cache.size);
            caches.iter().map(cache).collect::<Vec<_>>().join(", ")
        };
        self.add("caches", cpu.caches.map(caches));
        self.add("governor", &frequency.governor);
        self.add("frequency driver", &frequency.driver);
        self.add("turbo", frequency.turbo);
        self.add("energy preference", &frequency.energy_preference);
        self.add("lowest frequency, kHz", frequency.min_khz);
        self.add("highest frequency, kHz", frequency.max_khz);
        self.add("idle driver", &frequency.idle_driver);
        self.add("hypervisor", &machine.virtualisation.hypervisor);
        self.add("container", &machine.virtualisation.container);
    }

    fn kernel(&mut self, machine: &Machine) {
        let kernel = &machine.kernel;
        self.add("kernel", &kernel.release);
        self.add("kernel build", &kernel.version);
        self.add("architecture", &kernel.architecture);
        self.add("kernel flags", kernel.flags.map(|flags| flags.join(" ")));
        self.add("clock source", &kernel.clock_source);
        self.add("preemption", &kernel.preemption);
        match &kernel.mitigations {
            Known::Is(all) => {
                for (weakness, state) in all {
                    self.add(&format!("mitigation of {weakness}"), state);
                }
            }
            Known::Unknown => self.add("mitigations", "unknown"),
        }
        self.add("C library", &kernel.libc);
        self.add("transparent huge pages", &machine.memory.transparent_huge_pages);
        self.add("ASLR", machine.memory.aslr);
    }

    fn allowed(&mut self, machine: &Machine) {
        let cgroup = &machine.cgroup;
        self.add("cgroup CPU quota, cores", cgroup.cpu_quota_cores);
        self.add("cgroup cores", &cgroup.cpuset);
        self.add("cgroup memory limit, bytes", cgroup.memory_max_bytes);
        self.add("cgroup memory.high, bytes", cgroup.memory_high_bytes);
        self.add("cgroup process limit", cgroup.pids_max);
        self.add("open files, hard limit", machine.limits.open_files.hard);
        self.add("processes, hard limit", machine.limits.processes.hard);
    }
}

/// Maps of strings always have a JSON form.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    fn machine(files: &[(&str, &str)]) -> Machine {
        let (_folder, root) = fake(files);
        Machine::read_at(&root)
    }

    fn of(machine: &Machine, connections: u32) -> Fingerprint {
        Fingerprint::of(machine, ("wrk", "4.1.0", &Known::Unknown), [("connections", connections.to_string())])
    }

    #[test]
    fn equal_conditions_have_one_hash_and_what_differs_is_said_in_words() {
        let governor = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
        let (one, two) = (machine(&[(governor, "performance\n")]), machine(&[(governor, "powersave\n")]));
        assert_eq!(of(&one, 64), of(&one, 64));
        assert_ne!(of(&one, 64).hash, of(&two, 64).hash);
        assert_eq!(of(&one, 64).differences(&of(&one, 64)), Vec::<String>::new());
        assert_eq!(
            of(&one, 64).differences(&of(&two, 8)),
            ["connections: 64, then 8", "governor: performance, then powersave"]
        );
    }

    #[test]
    fn what_is_not_a_condition_changes_nothing() {
        let one = machine(&[("proc/meminfo", "MemTotal: 2048 kB\n"), ("proc/sys/kernel/hostname", "a\n")]);
        let two = machine(&[("proc/meminfo", "MemTotal: 4096 kB\n"), ("proc/sys/kernel/hostname", "b\n")]);
        assert_eq!(of(&one, 64).hash, of(&two, 64).hash);
    }

    #[test]
    fn another_build_may_be_compared_but_not_resumed() {
        let machine = machine(&[]);
        let commit = |hash: &str| Commit { hash: Known::Is(hash.to_owned()), dirty: Known::Is(false) };
        let toolchain = Toolchain::read(std::path::Path::new("/"));
        let same = of(&machine, 64);
        let build = |hash: &str| same.with_build(&commit(hash), &toolchain, [("axum", &Known::Unknown)]);
        assert_eq!(build("1").differences(&build("2")), ["commit: 1, then 2"]);
        assert_ne!(build("1").hash, build("2").hash);
        assert!(build("1").unknown().contains(&"binary of axum"));
    }

    #[test]
    fn what_is_unknown_is_named() {
        let fingerprint = of(&machine(&[("proc/sys/kernel/osrelease", "6.12\n")]), 64);
        assert!(fingerprint.unknown().contains(&"governor"));
        assert!(!fingerprint.unknown().contains(&"kernel"));
    }

    #[test]
    fn the_hash_is_the_same_for_ever() {
        let facts = BTreeMap::from([("b".to_owned(), "2".to_owned()), ("a".to_owned(), "1".to_owned())]);
        // printf '{"a":"1","b":"2"}' | sha256sum
        assert_eq!(Fingerprint::hashed(facts).hash, "21f76dfbfe6dfe21");
    }
}
