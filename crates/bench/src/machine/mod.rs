//! The machine that a run is made on: what is recorded of it, and what must be true before the run.

mod limits;

use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

pub use limits::{FileLimit, raise_file_limit};

/// What reproduction needs to know of the machine. What cannot be read is "unknown", never guessed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The host's name.
    pub host: String,
    /// The CPU's model name.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory, in bytes; 0 if unknown.
    pub memory_bytes: u64,
    /// The kernel and its release.
    pub kernel: String,
    /// The distribution.
    pub system: String,
    /// The frequency governor of the first core.
    pub governor: String,
    /// Whether the CPU says that it is a virtual one.
    pub virtual_machine: String,
    /// The compiler.
    pub rustc: String,
}

const UNKNOWN: &str = "unknown";

impl Machine {
    /// Looks at this machine.
    pub fn read() -> Self {
        let unknown = || UNKNOWN.to_owned();
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let uname = nix::sys::utsname::uname().ok();
        let word = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        Self {
            host: host(),
            cpu: value_of(&cpuinfo, "model name").unwrap_or_else(unknown),
            cores: crate::targets::cores(),
            memory_bytes: memory_bytes().unwrap_or_default(),
            kernel: uname
                .map_or_else(unknown, |u| format!("{} {} {}", word(u.sysname()), word(u.release()), word(u.machine()))),
            system: std::fs::read_to_string("/etc/os-release")
                .ok()
                .and_then(|text| {
                    text.lines().find_map(|line| Some(line.strip_prefix("PRETTY_NAME=")?.trim_matches('"').to_owned()))
                })
                .unwrap_or_else(unknown),
            governor: std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                .map_or_else(|_| unknown(), |text| text.trim().to_owned()),
            virtual_machine: match value_of(&cpuinfo, "flags") {
                Some(flags) if flags.split(' ').any(|flag| flag == "hypervisor") => "yes".to_owned(),
                Some(_) => "no".to_owned(),
                None => unknown(),
            },
            rustc: first_line("rustc", &["--version"]).unwrap_or_else(unknown),
        }
    }
}

/// The host's name; "unknown" if it has none.
pub fn host() -> String {
    nix::unistd::gethostname().map_or_else(|_| UNKNOWN.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The commit that a folder is at, and whether it has changes that are not committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The commit's hash; "unknown" outside a repository.
    pub hash: String,
    /// Whether something is changed; `None` if unknown.
    pub dirty: Option<bool>,
}

impl Commit {
    /// Asks git.
    pub fn of(folder: &Path) -> Self {
        let git = |args: &[&str]| {
            let output = Command::new("git").current_dir(folder).args(args).stderr(Stdio::null()).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        Self {
            hash: git(&["rev-parse", "HEAD"]).unwrap_or_else(|| UNKNOWN.to_owned()),
            dirty: git(&["status", "--porcelain"]).map(|changes| !changes.is_empty()),
        }
    }

    /// The hash as it stands in names: seven digits.
    pub fn short(&self) -> &str {
        self.hash.get(..7).unwrap_or(&self.hash)
    }
}

fn value_of(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

fn memory_bytes() -> Option<u64> {
    use procfs::Current;
    procfs::Meminfo::current().ok().map(|memory| memory.mem_total)
}

/// The first line that a program prints; `None` if it cannot be run.
pub fn first_line(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output().ok()?;
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    String::from_utf8_lossy(&text).lines().next().map(|line| line.trim().to_owned())
}
