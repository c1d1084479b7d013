//! The CPU: what it is, how many cores of it there are, which of them this process may use.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::root::{Root, parse_list, value_of};
use super::{Cgroup, Known};

const CPUS: &str = "/sys/devices/system/cpu";

/// The CPU; in a virtual machine as the hypervisor shows it, which may call two threads of one core two cores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// Its model name; on ARM, which has none in /proc/cpuinfo, implementer and part, with the name where it is known.
    pub model: Known<String>,
    /// The microcode's revision, which carries mitigations and so changes speed.
    pub microcode: Known<String>,
    /// Hardware threads that are online.
    pub online: Known<usize>,
    /// Hardware threads that this process may run on (its affinity mask), no more than its cgroup's quota pays for.
    pub usable: Known<usize>,
    /// The affinity mask of this process, as in `0-3,8`.
    pub affinity: Known<String>,
    /// Physical cores, of those online.
    pub physical_cores: Known<usize>,
    /// Sockets, of those online.
    pub sockets: Known<usize>,
    /// NUMA nodes.
    pub numa_nodes: Known<usize>,
    /// Whether several hardware threads share a core, as the kernel has it now.
    pub smt_active: Known<bool>,
    /// Why not, or whether it can be switched: `on`, `off`, `forceoff`, `notsupported`, `notimplemented`.
    pub smt_control: Known<String>,
    /// Cores that the scheduler leaves alone (`isolcpus=`); empty if none.
    pub isolated: Known<String>,
    /// The caches that the first core uses.
    pub caches: Known<Vec<Cache>>,
}

/// A cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Its level, as in `1`.
    pub level: Known<String>,
    /// `Data`, `Instruction` or `Unified`.
    pub kind: Known<String>,
    /// Its size as the kernel gives it, as in `512K`.
    pub size: Known<String>,
    /// The hardware threads that share it, as in `0-1`.
    pub shared_by: Known<String>,
}

impl Cpu {
    /// Looks at the CPU of a machine, and at what a cgroup leaves of it.
    pub fn read(root: &Root, cgroup: &Cgroup) -> Self {
        let info = root.text("/proc/cpuinfo").unwrap_or_default();
        let status = root.text("/proc/self/status").unwrap_or_default();
        let affinity = value_of(&status, "Cpus_allowed_list").map(str::to_owned);
        let online = root.text(&format!("{CPUS}/online")).as_deref().and_then(parse_list);
        let topology = online.as_deref().and_then(|cpus| Topology::read(root, cpus));
        let smt = |name: &str| root.text(&format!("{CPUS}/smt/{name}"));
        Self {
            model: model(root, &info).into(),
            microcode: value_of(&info, "microcode").map(str::to_owned).into(),
            usable: usable(affinity.as_deref(), cgroup).into(),
            affinity: affinity.into(),
            physical_cores: topology.as_ref().map(|topology| topology.cores.len()).into(),
            sockets: topology.as_ref().map(|topology| topology.sockets.len()).into(),
            numa_nodes: root
                .text("/sys/devices/system/node/online")
                .and_then(|nodes| Some(parse_list(&nodes)?.len()))
                .into(),
            smt_active: smt("active")
                .and_then(|active| match active.as_str() {
                    "0" => Some(false),
                    "1" => Some(true),
                    _ => None,
                })
                .into(),
            smt_control: smt("control").into(),
            // An empty file is the usual answer, and not a missing one.
            isolated: match root.text(&format!("{CPUS}/isolated")) {
                Some(cpus) => Known::Is(cpus),
                None if root.has(&format!("{CPUS}/isolated")) => Known::Is(String::new()),
                None => Known::Unknown,
            },
            caches: caches(root).into(),
            online: online.map(|cpus| cpus.len()).or_else(|| processors(&info)).into(),
        }
    }
}

/// As std's `available_parallelism` counts, so that it is what the servers see: a quota of 1.5 cores is 1.
fn usable(affinity: Option<&str>, cgroup: &Cgroup) -> Option<usize> {
    let allowed = parse_list(affinity?)?.len();
    let Some(quota) = cgroup.cpu_quota_cores.get().and_then(super::Limit::bound) else { return Some(allowed) };
    // A quota is at most some thousand cores and never negative.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let paid = (*quota as usize).max(1);
    Some(allowed.min(paid))
}

fn processors(info: &str) -> Option<usize> {
    let count = info.lines().filter(|line| line.split(':').next().is_some_and(|key| key.trim() == "processor")).count();
    (count > 0).then_some(count)
}

fn model(root: &Root, info: &str) -> Option<String> {
    // x86 says "model name"; s390 and POWER "machine" or "cpu"; RISC-V "uarch".
    if let Some(name) = ["model name", "cpu", "uarch"].iter().find_map(|key| value_of(info, key)) {
        return Some(name.to_owned());
    }
    let part = arm_part(info);
    let board = root.text("/proc/device-tree/model");
    match (part, board) {
        (Some(part), Some(board)) => Some(format!("{part}, {board}")),
        (part, board) => part.or(board),
    }
}

/// `ARM Neoverse-N1 (implementer 0x41, part 0xd0c, variant 0x3, revision 1)`
fn arm_part(info: &str) -> Option<String> {
    let implementer = value_of(info, "CPU implementer")?;
    let part = value_of(info, "CPU part")?;
    // Main ID registers of what servers are most rented with; the numbers stand beside, for all others.
    let name = match (implementer, part) {
        ("0x41", "0xd08") => "ARM Cortex-A72 ",
        ("0x41", "0xd0b") => "ARM Cortex-A76 ",
        ("0x41", "0xd0c") => "ARM Neoverse-N1 ",
        ("0x41", "0xd40") => "ARM Neoverse-V1 ",
        ("0x41", "0xd49") => "ARM Neoverse-N2 ",
        ("0x41", "0xd4f") => "ARM Neoverse-V2 ",
        ("0x41", _) => "ARM ",
        _ => "",
    };
    let more = |key: &str| value_of(info, key).unwrap_or("unknown");
    Some(format!(
        "{name}(implementer {implementer}, part {part}, variant {}, revision {})",
        more("CPU variant"),
        more("CPU revision"),
    ))
}

struct Topology {
    cores: BTreeSet<String>,
    sockets: BTreeSet<String>,
}

impl Topology {
    fn read(root: &Root, cpus: &[usize]) -> Option<Self> {
        let of = |cpu: &usize, name: &str| root.text(&format!("{CPUS}/cpu{cpu}/topology/{name}"));
        Some(Self {
            cores: cpus.iter().map(|cpu| of(cpu, "thread_siblings_list")).collect::<Option<_>>()?,
            sockets: cpus.iter().map(|cpu| of(cpu, "physical_package_id")).collect::<Option<_>>()?,
        })
    }
}

fn caches(root: &Root) -> Option<Vec<Cache>> {
    let folder = format!("{CPUS}/cpu0/cache");
    let caches: Vec<Cache> = root
        .names(&folder)?
        .into_iter()
        .filter(|name| name.starts_with("index"))
        .map(|name| {
            let of = |file: &str| root.known(&format!("{folder}/{name}/{file}"));
            Cache { level: of("level"), kind: of("type"), size: of("size"), shared_by: of("shared_cpu_list") }
        })
        .collect();
    (!caches.is_empty()).then_some(caches)
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::super::{Cgroup, Limit};
    use super::*;

    const X86: &str = "processor\t: 0\nmodel name\t: AMD EPYC 7763\nmicrocode\t: 0xa0011d5\ncpu cores\t: 1\n\n\
                       processor\t: 1\nmodel name\t: AMD EPYC 7763\n";
    const GRAVITON: &str = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n\
                            CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n\
                            processor\t: 1\nCPU part\t: 0xd0c\n";

    fn read(files: &[(&str, &str)], cgroup: &Cgroup) -> Cpu {
        let (_folder, root) = fake(files);
        Cpu::read(&root, cgroup)
    }

    #[test]
    fn two_threads_of_one_x86_core_are_one_core_with_smt() {
        let files = [
            ("proc/cpuinfo", X86),
            ("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-1\n"),
            ("sys/devices/system/cpu/online", "0-1\n"),
            ("sys/devices/system/cpu/isolated", "\n"),
            ("sys/devices/system/cpu/smt/active", "1\n"),
            ("sys/devices/system/cpu/smt/control", "on\n"),
            ("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n"),
            ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n"),
            ("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"),
            ("sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n"),
            ("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"),
            ("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"),
            ("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n"),
        ];
        let cpu = read(&files, &Cgroup::unknown());
        assert_eq!(cpu.model.to_string(), "AMD EPYC 7763");
        assert_eq!(cpu.microcode.to_string(), "0xa0011d5");
        assert_eq!((cpu.online, cpu.usable, cpu.physical_cores, cpu.sockets), {
            (Known::Is(2), Known::Is(2), Known::Is(1), Known::Is(1))
        });
        assert_eq!(cpu.smt_active, Known::Is(true));
        assert_eq!(cpu.isolated, Known::Is(String::new()));
        let caches = cpu.caches.get().unwrap();
        assert_eq!((caches[0].size.to_string(), &caches[0].shared_by), ("32K".to_owned(), &Known::Unknown));
    }

    #[test]
    fn an_arm_cpu_without_a_model_name_is_named_by_its_part() {
        let cpu = read(&[("proc/cpuinfo", GRAVITON)], &Cgroup::unknown());
        assert_eq!(cpu.model.to_string(), "ARM Neoverse-N1 (implementer 0x41, part 0xd0c, variant 0x3, revision 1)");
        assert_eq!(cpu.online, Known::Is(2));
        assert_eq!((cpu.microcode, cpu.sockets, cpu.smt_active), (Known::Unknown, Known::Unknown, Known::Unknown));
    }

    #[test]
    fn a_quota_below_the_cores_leaves_as_many_as_the_servers_will_see() {
        let status = [("proc/self/status", "Cpus_allowed_list:\t0-7\n")];
        for (quota, usable) in [(1.5, 1), (0.2, 1), (4.0, 4), (16.0, 8)] {
            let cgroup = Cgroup { cpu_quota_cores: Known::Is(Limit::At(quota)), ..Cgroup::unknown() };
            assert_eq!(read(&status, &cgroup).usable, Known::Is(usable), "{quota}");
        }
    }

    #[test]
    fn without_any_file_all_is_unknown() {
        let cpu = read(&[], &Cgroup::unknown());
        assert_eq!((cpu.online, cpu.usable, &cpu.model), (Known::Unknown, Known::Unknown, &Known::Unknown));
        let json = serde_json::to_value(&cpu).unwrap();
        assert!(json.as_object().unwrap().values().all(|value| value == "unknown"), "{json}");
    }
}
