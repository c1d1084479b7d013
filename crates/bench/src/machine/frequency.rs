//! How fast the cores may run: governor, driver, turbo.

use serde::{Deserialize, Serialize};

use super::Known;
use super::root::Root;

const CPUS: &str = "/sys/devices/system/cpu";

/// What decides on the cores' frequency (kernel documentation, admin-guide/pm/cpufreq.rst).
///
/// In most virtual machines the host decides and none of this can be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frequency {
    /// The governor; all of them, with commas, where cores differ.
    pub governor: Known<String>,
    /// The driver, as in `intel_pstate`.
    pub driver: Known<String>,
    /// Whether cores may run above their base frequency.
    pub turbo: Known<bool>,
    /// The preference between energy and performance, of the first core.
    pub energy_preference: Known<String>,
    /// The lowest frequency that is allowed on the first core, in kHz.
    pub min_khz: Known<u64>,
    /// The highest frequency that is allowed on the first core, in kHz.
    pub max_khz: Known<u64>,
    /// The driver of the idle states, whose depth is the time that waking takes.
    pub idle_driver: Known<String>,
}

impl Frequency {
    /// Looks at a machine.
    pub fn read(root: &Root) -> Self {
        let first = |name: &str| format!("{CPUS}/cpu0/cpufreq/{name}");
        Self {
            governor: governors(root).into(),
            driver: root.known(&first("scaling_driver")),
            turbo: turbo(root).into(),
            energy_preference: root.known(&first("energy_performance_preference")),
            min_khz: root.number(&first("scaling_min_freq")).into(),
            max_khz: root.number(&first("scaling_max_freq")).into(),
            idle_driver: root.known(&format!("{CPUS}/cpuidle/current_driver")),
        }
    }
}

fn governors(root: &Root) -> Option<String> {
    let policies = root.names(&format!("{CPUS}/cpufreq")).unwrap_or_default();
    let mut names: Vec<String> = policies
        .iter()
        .filter(|name| name.starts_with("policy"))
        .filter_map(|policy| root.text(&format!("{CPUS}/cpufreq/{policy}/scaling_governor")))
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() { root.text(&format!("{CPUS}/cpu0/cpufreq/scaling_governor")) } else { Some(names.join(",")) }
}

/// intel_pstate tells whether turbo is off, acpi-cpufreq and amd-pstate whether it is on.
fn turbo(root: &Root) -> Option<bool> {
    let is_one = |path: &str| match root.text(&format!("{CPUS}/{path}"))?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    is_one("intel_pstate/no_turbo").map(|off| !off).or_else(|| is_one("cpufreq/boost"))
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    #[test]
    fn turbo_is_told_in_two_ways_and_governors_may_differ() {
        let (_folder, root) = fake(&[
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3500000\n"),
        ]);
        let intel = Frequency::read(&root);
        assert_eq!(
            (intel.turbo, intel.max_khz, intel.min_khz),
            (Known::Is(false), Known::Is(3_500_000), Known::Unknown)
        );
        assert_eq!(intel.governor.to_string(), "performance,powersave");
        let (_folder, root) = fake(&[("sys/devices/system/cpu/cpufreq/boost", "1\n")]);
        assert_eq!(Frequency::read(&root).turbo, Known::Is(true));
    }

    #[test]
    fn a_virtual_machine_without_cpufreq_knows_none_of_it() {
        let (_folder, root) = fake(&[]);
        let frequency = Frequency::read(&root);
        assert_eq!((&frequency.governor, frequency.turbo), (&Known::Unknown, Known::Unknown));
    }
}
