//! What a cgroup has used: all of its processes, those that have ended too, whoever started them.
//!
//! Kernel documentation: admin-guide/cgroup-v1/cpuacct.rst and memory.rst, admin-guide/cgroup-v2.rst.

use std::time::Duration;

use super::cpu::TreeCpu;
use crate::machine::{Place, Root};

/// The group that a process is in.
#[derive(Debug, Clone)]
pub struct Group {
    root: Root,
    /// Where CPU time is counted.
    used: Place,
    /// Where CPU time is limited; in v2 the same.
    limited: Place,
    memory: Option<Place>,
}

impl Group {
    /// The group of a process, `self` or by its pid, if it can be seen from here.
    pub fn of(pid: &str) -> Option<Self> {
        Self::at(&Root::system(), pid)
    }

    fn at(root: &Root, pid: &str) -> Option<Self> {
        let place = |controller: &str| Place::of(root, pid, controller);
        Some(Self { root: root.clone(), used: place("cpuacct")?, limited: place("cpu")?, memory: place("memory") })
    }

    /// CPU time that was used so far.
    pub fn cpu(&self) -> Option<TreeCpu> {
        if self.used.v2 {
            return cpu_of_v2(&self.file(&self.used, "cpu.stat")?);
        }
        let number = |name: &str| self.file(&self.used, name)?.parse().ok();
        let (user, system): (u64, u64) = (number("cpuacct.usage_user")?, number("cpuacct.usage_sys")?);
        Some(TreeCpu::counted(Duration::from_nanos(number("cpuacct.usage")?), user, system))
    }

    /// How long its processes were held back so far, because the quota of a period was used up; summed over the cores.
    pub fn throttled(&self) -> Option<Duration> {
        let stat = self.file(&self.limited, "cpu.stat")?;
        if self.limited.v2 {
            value(&stat, "throttled_usec").map(Duration::from_micros)
        } else {
            value(&stat, "throttled_time").map(Duration::from_nanos)
        }
    }

    /// Memory that its processes have mapped and that is there, in bytes: a page counts once, by whom it was used first.
    pub fn resident_bytes(&self) -> Option<u64> {
        let memory = self.memory.as_ref()?;
        let stat = self.file(memory, "memory.stat")?;
        let [own, mapped] = if memory.v2 { ["anon", "file_mapped"] } else { ["total_rss", "total_mapped_file"] };
        Some(value(&stat, own)? + value(&stat, mapped)?)
    }

    fn file(&self, place: &Place, name: &str) -> Option<String> {
        self.root.text(&format!("{}/{name}", place.folder))
    }
}

fn cpu_of_v2(stat: &str) -> Option<TreeCpu> {
    let total = Duration::from_micros(value(stat, "usage_usec")?);
    Some(TreeCpu::counted(total, value(stat, "user_usec")?, value(stat, "system_usec")?))
}

/// The number behind `key` and a blank.
fn value(stat: &str, key: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::root::fake;

    /// As recorded of a container on Debian 12 with Linux 6.18 and cgroup v1.
    const V1: &[(&str, &str)] = &[
        ("proc/77/cgroup", "4:memory:/docker/ab\n2:cpuacct:/docker/ab\n1:cpu:/docker/ab\n0::/docker/ab\n"),
        (
            "proc/self/mountinfo",
            "30 29 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
             31 29 0:27 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct\n\
             33 29 0:29 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n",
        ),
        ("sys/fs/cgroup/cpuacct/docker/ab/cpuacct.usage", "567869054\n"),
        ("sys/fs/cgroup/cpuacct/docker/ab/cpuacct.usage_user", "515949572\n"),
        ("sys/fs/cgroup/cpuacct/docker/ab/cpuacct.usage_sys", "51919482\n"),
        (
            "sys/fs/cgroup/cpu/docker/ab/cpu.stat",
            "nr_periods 24\nnr_throttled 3\nthrottled_time 21000000\nnr_bursts 0\nburst_time 0\n",
        ),
        (
            "sys/fs/cgroup/memory/docker/ab/memory.stat",
            "cache 512000\nrss 266240\nrss_huge 0\nmapped_file 397312\ntotal_cache 512000\ntotal_rss 266240\n\
             total_rss_huge 0\ntotal_shmem 0\ntotal_mapped_file 397312\n",
        ),
    ];

    /// As cgroup-v2.rst describes the files, with the values above.
    const V2: &[(&str, &str)] = &[
        ("proc/77/cgroup", "0::/system.slice/docker-ab.scope\n"),
        ("proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"),
        (
            "sys/fs/cgroup/system.slice/docker-ab.scope/cpu.stat",
            "usage_usec 567869\nuser_usec 515949\nsystem_usec 51919\nnr_periods 24\nnr_throttled 3\nthrottled_usec 21000\n",
        ),
        (
            "sys/fs/cgroup/system.slice/docker-ab.scope/memory.stat",
            "anon 266240\nfile 512000\nkernel_stack 16384\nfile_mapped 397312\nanon_thp 0\n",
        ),
    ];

    #[test]
    fn both_versions_tell_the_same() {
        for files in [V1, V2] {
            let (_folder, root) = fake(files);
            let group = Group::at(&root, "77").unwrap();
            let used = group.cpu().unwrap().since(&TreeCpu::default());
            assert_eq!(used.total.as_micros(), 567_869);
            assert!((used.user_share.unwrap() - 0.9086).abs() < 1e-4, "{used:?}");
            assert_eq!(group.throttled(), Some(Duration::from_millis(21)));
            assert_eq!(group.resident_bytes(), Some(663_552));
        }
    }

    #[test]
    fn what_is_not_there_is_unknown_and_not_0() {
        let (_folder, root) = fake(&V2[..2]);
        let group = Group::at(&root, "77").unwrap();
        assert!(group.cpu().is_none() && group.throttled().is_none() && group.resident_bytes().is_none());
        assert!(Group::at(&root, "78").is_none());
    }
}
