//! The machine that a run is made on: what is recorded of it, what must be equal for two runs to be compared, and what
//! a person should know before a run.
//!
//! Parsers are functions of the text of the kernel's files, found below a [`Root`] that a test can put elsewhere.
//! What cannot be read is the word "unknown".

pub mod ask;
mod cgroup;
mod checksum;
mod commit;
mod cpu;
pub mod doctor;
mod fingerprint;
mod frequency;
mod hypervisor;
mod kernel;
mod known;
mod limits;
mod memory;
pub mod net;
pub mod preflight;
pub(crate) mod root;
mod toolchain;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use ask::first_line;
pub use cgroup::{Cgroup, Place};
pub use checksum::{Program, find, sha256};
pub use commit::Commit;
pub use cpu::{Cache, Cpu};
pub use fingerprint::Fingerprint;
pub use frequency::Frequency;
pub use hypervisor::Virtual;
pub use kernel::Kernel;
pub use known::{Known, Limit};
pub use limits::{Bounds, FileLimit, Limits, raise_file_limit};
pub use memory::Memory;
pub use net::Net;
pub use root::Root;
pub use toolchain::Toolchain;

/// What reproduction needs to know of the machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The host's name.
    pub host: Known<String>,
    /// The CPU.
    pub cpu: Cpu,
    /// How fast it may run.
    pub frequency: Frequency,
    /// What is between this process and the hardware.
    #[serde(rename = "virtual")]
    pub virtualisation: Virtual,
    /// Memory.
    pub memory: Memory,
    /// The kernel and the system around it.
    pub kernel: Kernel,
    /// The cgroups of this process.
    pub cgroup: Cgroup,
    /// The network stack.
    pub net: Net,
    /// The limits of this process.
    pub limits: Limits,
    /// Environment variables that servers and load tools inherit and that change what they do, those that are set.
    pub environment: BTreeMap<String, String>,
}

impl Machine {
    /// Looks at this machine.
    pub fn read() -> Self {
        let here = Path::new("/");
        let libc = kernel::libc_version(
            ask::answer("getconf", &["GNU_LIBC_VERSION"], here).as_deref(),
            ask::output("ldd", &["--version"], here).as_deref(),
        );
        let environment = that_change_a_server(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))),
        );
        Self::assembled(&Root::system(), libc, hypervisor::signature().as_deref(), environment)
    }

    /// What files below `root` tell of a machine; what only this machine could be asked is unknown.
    pub fn read_at(root: &Root) -> Self {
        Self::assembled(root, None, None, BTreeMap::new())
    }

    fn assembled(
        root: &Root,
        libc: Option<String>,
        hypervisor: Option<&str>,
        environment: BTreeMap<String, String>,
    ) -> Self {
        let cgroup = Cgroup::read(root);
        Self {
            host: root.known("/proc/sys/kernel/hostname"),
            cpu: Cpu::read(root, &cgroup),
            frequency: Frequency::read(root),
            virtualisation: Virtual::read(root, hypervisor),
            memory: Memory::read(root),
            kernel: Kernel::read(root, libc),
            cgroup,
            net: Net::read(root),
            limits: Limits::read(root),
            environment,
        }
    }
}

/// Never the whole environment, which holds secrets.
fn that_change_a_server(all: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
    const NAMES: &[&str] = &[
        "GLIBC_TUNABLES",
        "GOGC",
        "GOMAXPROCS",
        "GOMEMLIMIT",
        "JAVA_OPTS",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "LD_BIND_NOW",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "NODE_ENV",
        "NODE_OPTIONS",
        "PYTHONMALLOC",
        "PYTHONOPTIMIZE",
        "RUST_LOG",
        "RUST_MIN_STACK",
        "TOKIO_WORKER_THREADS",
        "UV_THREADPOOL_SIZE",
    ];
    all.filter(|(name, _)| NAMES.contains(&name.as_str()) || name.starts_with("MALLOC_")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_read_and_survives_json() {
        let machine = Machine::read();
        let text = serde_json::to_string(&machine).unwrap();
        assert_eq!(serde_json::from_str::<Machine>(&text).unwrap(), machine);
        assert_eq!(machine.cpu.usable, Known::Is(crate::targets::cores()));
    }

    #[test]
    fn a_machine_of_which_nothing_can_be_read_is_unknown_and_nowhere_zero() {
        let folder = tempfile::tempdir().unwrap();
        let text = serde_json::to_string(&Machine::read_at(&Root::at(folder.path()))).unwrap();
        assert!(!text.contains(":0") && !text.contains("null"), "{text}");
    }

    #[test]
    fn only_variables_that_change_a_server_are_kept() {
        let all = [("LD_PRELOAD", "libjemalloc.so"), ("MALLOC_ARENA_MAX", "1"), ("TOKEN", "secret")];
        let kept = that_change_a_server(all.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["LD_PRELOAD", "MALLOC_ARENA_MAX"]);
    }
}
