//! The kernel and the system around it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Known;
use super::root::Root;

/// Command line options that change how fast requests are served. Only these are recorded: the rest of the line may
/// hold what is nobody's business, such as disk identifiers.
const FLAGS: &[&str] = &[
    "amd_pstate",
    "clocksource",
    "cpufreq.default_governor",
    "cpuidle.off",
    "cpuidle_haltpoll.force",
    "hpet",
    "hugepages",
    "idle",
    "intel_idle.max_cstate",
    "intel_pstate",
    "irqaffinity",
    "isolcpus",
    "l1tf",
    "mds",
    "mitigations",
    "nmi_watchdog",
    "no_turbo",
    "nohz",
    "nohz_full",
    "nopti",
    "nosmt",
    "nospectre_v1",
    "nospectre_v2",
    "nowatchdog",
    "numa_balancing",
    "page_alloc.shuffle",
    "preempt",
    "processor.max_cstate",
    "pti",
    "rcu_nocbs",
    "retbleed",
    "skew_tick",
    "spec_rstack_overflow",
    "spec_store_bypass_disable",
    "spectre_v2",
    "threadirqs",
    "transparent_hugepage",
    "tsc",
];

/// The kernel and the system around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Its release, as in `6.12.48+deb13-amd64`.
    pub release: Known<String>,
    /// Its version, which tells the build and how it preempts.
    pub version: Known<String>,
    /// The architecture that it was built for, as in `x86_64`.
    pub architecture: String,
    /// Options of its command line that change how fast requests are served.
    pub flags: Known<Vec<String>>,
    /// The clock source: reading `tsc` costs nanoseconds, `hpet` or `acpi_pm` a microsecond.
    pub clock_source: Known<String>,
    /// How it preempts, where it can be chosen at boot: `none`, `voluntary`, `full`, `lazy`.
    pub preemption: Known<String>,
    /// Weakness of the CPU → what is done about it.
    pub mitigations: Known<BTreeMap<String, String>>,
    /// The distribution, as in `Debian GNU/Linux 13 (trixie)`.
    pub distribution: Known<String>,
    /// The C library of the system, as in `glibc 2.41`.
    pub libc: Known<String>,
}

impl Kernel {
    /// Looks at a machine; `libc` is asked by the caller, because no file tells.
    pub fn read(root: &Root, libc: Option<String>) -> Self {
        let preempt = root.text("/sys/kernel/debug/sched/preempt");
        Self {
            release: root.known("/proc/sys/kernel/osrelease"),
            version: root.known("/proc/sys/kernel/version"),
            architecture: std::env::consts::ARCH.to_owned(),
            flags: root.text("/proc/cmdline").map(|line| flags(&line)).into(),
            clock_source: root.known("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            preemption: preempt.as_deref().and_then(in_parentheses).map(str::to_owned).into(),
            mitigations: mitigations(root).into(),
            distribution: root.text("/etc/os-release").as_deref().and_then(pretty_name).into(),
            libc: libc.into(),
        }
    }
}

fn flags(line: &str) -> Vec<String> {
    // What follows `--` is for init.
    let words = line.split_whitespace().take_while(|word| *word != "--");
    let matters = |word: &&str| FLAGS.contains(&word.split('=').next().unwrap_or_default());
    words.filter(matters).map(str::to_owned).collect()
}

fn mitigations(root: &Root) -> Option<BTreeMap<String, String>> {
    let folder = "/sys/devices/system/cpu/vulnerabilities";
    let names = root.names(folder)?;
    Some(
        names
            .into_iter()
            .map(|name| {
                let state = root.known(&format!("{folder}/{name}")).to_string();
                (name, state)
            })
            .collect(),
    )
}

fn pretty_name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim().trim_matches(['"', '\'']).to_owned())
}

/// The word in parentheses, as in `none voluntary (full) lazy`.
fn in_parentheses(words: &str) -> Option<&str> {
    Some(words.split_once('(')?.1.split_once(')')?.0)
}

/// The C library that `getconf GNU_LIBC_VERSION` or, with musl, `ldd --version` tells of.
pub fn libc_version(getconf: Option<&str>, ldd: Option<&str>) -> Option<String> {
    if let Some(line) = getconf.filter(|line| line.starts_with("glibc ")) {
        return Some(line.trim().to_owned());
    }
    let text = ldd?;
    let version = text.lines().find_map(|line| line.strip_prefix("Version "))?;
    text.starts_with("musl libc").then(|| format!("musl {}", version.trim()))
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    #[test]
    fn only_flags_that_matter_are_kept_and_nothing_meant_for_init() {
        let line = "root=UUID=secret quiet mitigations=off isolcpus=2,3 -- idle=poll";
        assert_eq!(flags(line), ["mitigations=off", "isolcpus=2,3"]);
        assert!(flags("quiet").is_empty());
    }

    #[test]
    fn a_kernel_is_read_from_its_files() {
        let (_folder, root) = fake(&[
            ("proc/sys/kernel/osrelease", "6.12.48+deb13-amd64\n"),
            ("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n"),
            ("sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n"),
            ("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n"),
        ]);
        let kernel = Kernel::read(&root, None);
        assert_eq!(kernel.release.to_string(), "6.12.48+deb13-amd64");
        assert_eq!(kernel.mitigations.get().unwrap()["meltdown"], "Mitigation: PTI");
        assert_eq!(kernel.distribution.to_string(), "Debian GNU/Linux 13 (trixie)");
        assert_eq!((kernel.flags, kernel.clock_source, kernel.libc), (Known::Unknown, Known::Unknown, Known::Unknown));
    }

    #[test]
    fn both_c_libraries_tell_their_version() {
        assert_eq!(libc_version(Some("glibc 2.41"), None).unwrap(), "glibc 2.41");
        let musl = "musl libc (x86_64)\nVersion 1.2.5\nDynamic Program Loader";
        assert_eq!(libc_version(None, Some(musl)).unwrap(), "musl 1.2.5");
        assert_eq!(libc_version(Some("undefined"), Some("ldd (GNU libc) 2.41")), None);
    }
}
