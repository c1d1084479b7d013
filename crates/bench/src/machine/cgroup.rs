//! The cgroups of this process: how much CPU time, which cores and how much memory it may have.

use serde::{Deserialize, Serialize};

use super::root::Root;
use super::{Known, Limit};

/// A v1 limit from here on is the kernel's way of saying "none": the largest number of bytes that is whole pages.
const V1_UNLIMITED_BYTES: u64 = 1 << 62;

/// What the cgroups of this process allow. Each limit is the tightest from its own group up to the root that can be
/// seen from here; a container does not see what its host limits further up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cgroup {
    /// `v1`, `v2`, or `v1+v2` where both are mounted.
    pub version: Known<String>,
    /// The group whose CPU time this process uses.
    pub path: Known<String>,
    /// CPU time that it may use, in cores: cpu.max, or cpu.cfs_quota_us / cpu.cfs_period_us.
    pub cpu_quota_cores: Known<Limit<f64>>,
    /// Its weight against its siblings when cores are short: cpu.weight, or cpu.shares.
    pub cpu_weight: Known<String>,
    /// Hardware threads that it may run on, as in `0-3`.
    pub cpuset: Known<String>,
    /// Memory that it may use, in bytes: memory.max, or memory.limit_in_bytes.
    pub memory_max_bytes: Known<Limit<u64>>,
    /// Memory above which it is slowed down, in bytes: memory.high; v1 has no such limit.
    pub memory_high_bytes: Known<Limit<u64>>,
    /// Processes and threads that it may have: pids.max.
    pub pids_max: Known<Limit<u64>>,
}

impl Cgroup {
    /// Nothing could be read.
    pub fn unknown() -> Self {
        Self {
            version: Known::Unknown,
            path: Known::Unknown,
            cpu_quota_cores: Known::Unknown,
            cpu_weight: Known::Unknown,
            cpuset: Known::Unknown,
            memory_max_bytes: Known::Unknown,
            memory_high_bytes: Known::Unknown,
            pids_max: Known::Unknown,
        }
    }

    /// Looks at this process, as a machine's files tell of it.
    pub fn read(root: &Root) -> Self {
        let (Some(own), Some(mounts)) = (root.text("/proc/self/cgroup"), root.text("/proc/self/mountinfo")) else {
            return Self::unknown();
        };
        let mounts = parse_mounts(&mounts);
        let group = |controller: &str| Group::of(controller, &own, &mounts);
        let (cpu, cpuset, memory, pids) = (group("cpu"), group("cpuset"), group("memory"), group("pids"));
        let bytes = |file: &str, v1: &str| memory.as_ref().and_then(|group| group.least(root, file, v1, parse_number));
        Self {
            version: version(&mounts).map(str::to_owned).into(),
            path: cpu.as_ref().map(|group| group.path.clone()).into(),
            cpu_quota_cores: cpu.as_ref().and_then(|group| group.quota(root)).into(),
            cpu_weight: cpu
                .as_ref()
                .and_then(|group| group.own(root, if group.v2 { &["cpu.weight"] } else { &["cpu.shares"] }))
                .into(),
            cpuset: cpuset
                .and_then(|group| {
                    group.nearest(root, &["cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"])
                })
                .into(),
            memory_max_bytes: bytes("memory.max", "memory.limit_in_bytes").into(),
            memory_high_bytes: match &memory {
                Some(group) if group.v2 => bytes("memory.high", "").into(),
                Some(_) => Known::Is(Limit::Unlimited),
                None => Known::Unknown,
            },
            pids_max: pids.and_then(|group| group.least(root, "pids.max", "pids.max", parse_number)).into(),
        }
    }
}

/// Where a controller has a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Whether that is in the v2 hierarchy.
    pub v2: bool,
    /// The group's folder.
    pub folder: String,
}

impl Place {
    /// Where `controller` has a process, `self` or by its pid, if that can be seen from here.
    pub fn of(root: &Root, pid: &str, controller: &str) -> Option<Self> {
        let (own, mounts) = (root.text(&format!("/proc/{pid}/cgroup"))?, root.text("/proc/self/mountinfo")?);
        let group = Group::of(controller, &own, &parse_mounts(&mounts))?;
        Some(Self { v2: group.v2, folder: group.folders.into_iter().next()? })
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Mount {
    /// The controllers of a v1 mount; `None` for v2.
    v1: Option<Vec<String>>,
    /// The group that is mounted.
    root: String,
    /// Where.
    point: String,
}

/// proc_pid_mountinfo(5): `36 35 98:0 /root /point options [optional …] - type source super,options`.
fn parse_mounts(text: &str) -> Vec<Mount> {
    text.lines()
        .filter_map(|line| {
            let (place, kind) = line.split_once(" - ")?;
            let mut place = place.split(' ').skip(3);
            let (root, point) = (place.next()?.to_owned(), place.next()?.to_owned());
            let mut kind = kind.split(' ');
            match (kind.next()?, kind.nth(1)) {
                ("cgroup2", _) => Some(Mount { v1: None, root, point }),
                ("cgroup", options) => {
                    let controllers = options.unwrap_or_default().split(',').map(str::to_owned).collect();
                    Some(Mount { v1: Some(controllers), root, point })
                }
                _ => None,
            }
        })
        .collect()
}

fn version(mounts: &[Mount]) -> Option<&'static str> {
    let v1 = mounts.iter().any(|mount| mount.v1.is_some());
    let v2 = mounts.iter().any(|mount| mount.v1.is_none());
    match (v1, v2) {
        (true, true) => Some("v1+v2"),
        (true, false) => Some("v1"),
        (false, true) => Some("v2"),
        (false, false) => None,
    }
}

/// The group that a controller has this process in.
struct Group {
    v2: bool,
    path: String,
    /// Its folder, then that of each ancestor, up to where it is mounted.
    folders: Vec<String>,
}

impl Group {
    fn of(controller: &str, own: &str, mounts: &[Mount]) -> Option<Self> {
        let has = |list: &[String]| list.iter().any(|name| name == controller);
        // A controller is in one hierarchy only; where v1 has it, v2 has not (cgroups(7)).
        let mount = mounts
            .iter()
            .find(|mount| mount.v1.as_deref().is_some_and(has))
            .or_else(|| mounts.iter().find(|mount| mount.v1.is_none()))?;
        let path = own.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (id, names, path) = (fields.next()?, fields.next()?, fields.next()?);
            let ours = if mount.v1.is_some() { names.split(',').any(|name| name == controller) } else { id == "0" };
            ours.then(|| path.to_owned())
        })?;
        let below = path.strip_prefix(mount.root.trim_end_matches('/')).unwrap_or(&path).trim_matches('/');
        let mut folders = vec![mount.point.clone()];
        for name in below.split('/').filter(|name| !name.is_empty()) {
            folders.insert(0, format!("{}/{name}", folders[0]));
        }
        Some(Self { v2: mount.v1.is_none(), path, folders })
    }

    /// What the group's own folder says.
    fn own(&self, root: &Root, files: &[&str]) -> Option<String> {
        files.iter().find_map(|file| root.text(&format!("{}/{file}", self.folders[0])))
    }

    /// What the nearest folder says that says anything.
    fn nearest(&self, root: &Root, files: &[&str]) -> Option<String> {
        self.folders.iter().find_map(|folder| files.iter().find_map(|file| root.text(&format!("{folder}/{file}"))))
    }

    /// The tightest limit of all folders. If none says anything there is no limit in a v2 group that can be seen (a
    /// controller that is not enabled limits nothing, and the root group has no limit files), and in the v1 root group,
    /// which alone has a release_agent (cgroups(7)). Elsewhere it is unknown.
    fn tightest<T: PartialOrd>(&self, root: &Root, read: impl Fn(&str) -> Option<Limit<T>>) -> Option<Limit<T>> {
        let own = |file: &str| root.has(&format!("{}/{file}", self.folders[0]));
        let no_limit = if self.v2 { own("cgroup.controllers") } else { own("release_agent") };
        let none_yet = no_limit.then_some(Limit::Unlimited);
        self.folders.iter().filter_map(|folder| read(folder)).fold(none_yet, |tightest, next| {
            Some(match (tightest, next) {
                (Some(Limit::At(a)), Limit::At(b)) => Limit::At(if b < a { b } else { a }),
                (Some(Limit::At(a)), Limit::Unlimited) => Limit::At(a),
                (_, next) => next,
            })
        })
    }

    fn least(&self, root: &Root, v2: &str, v1: &str, parse: impl Fn(&str) -> Option<Limit<u64>>) -> Option<Limit<u64>> {
        let file = if self.v2 { v2 } else { v1 };
        self.tightest(root, |folder| parse(&root.text(&format!("{folder}/{file}"))?))
    }

    fn quota(&self, root: &Root) -> Option<Limit<f64>> {
        self.tightest(root, |folder| {
            let file = |name: &str| root.text(&format!("{folder}/{name}"));
            if self.v2 {
                parse_cpu_max(&file("cpu.max")?)
            } else {
                parse_cfs(&file("cpu.cfs_quota_us")?, &file("cpu.cfs_period_us")?)
            }
        })
    }
}

/// `max 100000` or `150000 100000` (kernel documentation, admin-guide/cgroup-v2.rst).
fn parse_cpu_max(text: &str) -> Option<Limit<f64>> {
    let (quota, period) = text.split_once(' ')?;
    if quota == "max" { Some(Limit::Unlimited) } else { parse_cfs(quota, period) }
}

/// A quota of -1 is none (kernel documentation, scheduler/sched-bwc.rst).
fn parse_cfs(quota: &str, period: &str) -> Option<Limit<f64>> {
    let (quota, period): (f64, f64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    if quota < 0.0 {
        return Some(Limit::Unlimited);
    }
    (period > 0.0).then(|| Limit::At(quota / period))
}

fn parse_number(text: &str) -> Option<Limit<u64>> {
    if text == "max" {
        return Some(Limit::Unlimited);
    }
    let bytes = text.parse().ok()?;
    Some(if bytes >= V1_UNLIMITED_BYTES { Limit::Unlimited } else { Limit::At(bytes) })
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    #[test]
    fn a_v2_limit_of_an_ancestor_counts() {
        let (_folder, root) = fake(&[
            ("proc/self/cgroup", "0::/user.slice/run.scope\n"),
            ("proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"),
            ("sys/fs/cgroup/user.slice/run.scope/cgroup.controllers", "cpu memory\n"),
            ("sys/fs/cgroup/user.slice/run.scope/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/user.slice/run.scope/memory.max", "max\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/user.slice/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/cpuset.cpus.effective", "0-3\n"),
        ]);
        let group = Cgroup::read(&root);
        assert_eq!((group.version.to_string(), group.path.to_string()), ("v2".into(), "/user.slice/run.scope".into()));
        assert_eq!(group.cpu_quota_cores, Known::Is(Limit::At(1.5)));
        assert_eq!(group.memory_max_bytes, Known::Is(Limit::At(1 << 30)));
        assert_eq!(group.pids_max, Known::Is(Limit::Unlimited));
        assert_eq!(group.cpuset.to_string(), "0-3");
    }

    #[test]
    fn a_v1_container_is_found_below_the_group_that_is_mounted() {
        let (_folder, root) = fake(&[
            ("proc/self/cgroup", "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n"),
            (
                "proc/self/mountinfo",
                "31 30 0:27 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n\
                 32 30 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
            ),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.shares", "1024\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ]);
        let group = Cgroup::read(&root);
        assert_eq!(group.version.to_string(), "v1");
        assert_eq!(group.cpu_quota_cores, Known::Is(Limit::Unlimited));
        assert_eq!(group.memory_max_bytes, Known::Is(Limit::Unlimited));
        assert_eq!(group.cpu_weight.to_string(), "1024");
        assert_eq!((group.cpuset, group.pids_max), (Known::Unknown, Known::Unknown));
    }

    #[test]
    fn with_both_mounted_a_controller_is_looked_for_where_it_is() {
        let (_folder, root) = fake(&[
            ("proc/self/cgroup", "1:cpu:/\n0::/\n"),
            (
                "proc/self/mountinfo",
                "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                 41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
            ),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ]);
        let group = Cgroup::read(&root);
        assert_eq!((group.version.to_string(), group.cpu_quota_cores), ("v1+v2".into(), Known::Is(Limit::At(0.5))));
    }

    #[test]
    fn the_v1_root_group_has_no_limit_where_it_has_no_file_and_others_are_unknown() {
        let files = [
            ("proc/self/cgroup", "8:pids:/\n"),
            ("proc/self/mountinfo", "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"),
        ];
        let (_folder, root) = fake(&files);
        assert_eq!(Cgroup::read(&root).pids_max, Known::Unknown);
        let (_folder, root) = fake(&[&files[..], &[("sys/fs/cgroup/pids/release_agent", "\n")]].concat());
        assert_eq!(Cgroup::read(&root).pids_max, Known::Is(Limit::Unlimited));
    }

    #[test]
    fn without_cgroups_nothing_is_known() {
        let (_folder, root) = fake(&[]);
        assert_eq!(Cgroup::read(&root), Cgroup::unknown());
    }
}
