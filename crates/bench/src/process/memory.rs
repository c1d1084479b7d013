//! Resident memory of a process tree: now, and at its highest since the last reset.

use std::fs;

use super::tree::descendants;

/// Resident memory of a tree, in bytes. Pages that processes share count for each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resident {
    /// At this moment.
    pub now: u64,
    /// The sum of each process's highest, which they need not have had at the same moment: at most so much.
    pub peak: u64,
}

impl Resident {
    /// Of everything below the process `root`.
    pub fn below(root: i32) -> Self {
        let mut sum = Self::default();
        for process in descendants(root) {
            let status = fs::read_to_string(format!("/proc/{}/status", process.pid)).unwrap_or_default();
            // A process that ends between two looks has no memory any more.
            let Some(found) = parse(&status) else { continue };
            sum.now += found.now;
            sum.peak += found.peak;
        }
        sum
    }
}

/// Has the kernel forget the highest so far of all below `root` (`5` in clear_refs: proc_pid_clear_refs(5)); whether it
/// did for all, without which a later peak may be that of the start.
pub fn reset_peak(root: i32) -> bool {
    descendants(root).iter().all(|process| fs::write(format!("/proc/{}/clear_refs", process.pid), "5").is_ok())
}

/// `VmRSS` and `VmHWM` of a status file (proc_pid_status(5)), there in kB.
fn parse(status: &str) -> Option<Resident> {
    let of = |key: &str| {
        let rest = status.lines().find_map(|line| line.strip_prefix(key))?;
        let kilobytes: u64 = rest.trim().strip_suffix(" kB")?.parse().ok()?;
        kilobytes.checked_mul(1024)
    };
    Some(Resident { now: of("VmRSS:")?, peak: of("VmHWM:")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    #[test]
    fn a_status_file_is_read_and_a_kernel_thread_s_has_no_memory() {
        let status = "VmPeak:\t  999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(parse(status), Some(Resident { now: 1 << 20, peak: 2 << 20 }));
        assert_eq!(parse("Name:\tkthreadd\n"), None);
        assert_eq!(parse("VmHWM:\t1 MB\nVmRSS:\t1 kB\n"), None);
    }

    /// A shell grows by 32 MiB, says so, gives them back, says so, and waits.
    #[test]
    fn a_peak_that_is_over_is_still_seen_until_it_is_reset() {
        let script = "x=$(head -c 33554432 /dev/zero | tr '\\0' x); echo; x=; echo; read y";
        let mut bash = Command::new("bash");
        let mut shell = bash.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(shell.stdout.take().unwrap()).lines();
        assert!(said.next().is_some() && said.next().is_some());
        let look = || parse(&fs::read_to_string(format!("/proc/{}/status", shell.id())).unwrap()).unwrap();
        assert!(look().peak > 32 << 20, "{:?}", look());
        if fs::write(format!("/proc/{}/clear_refs", shell.id()), "5").is_ok() {
            assert!(look().peak < 32 << 20, "{:?}", look());
        }
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }
}
