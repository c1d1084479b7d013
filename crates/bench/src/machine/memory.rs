//! Memory: how much there is, and how its pages are handed out.

use serde::{Deserialize, Serialize};

use super::Known;
use super::root::{Root, value_of};

/// Memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// All of it, in bytes.
    pub total_bytes: Known<u64>,
    /// What could be had without swapping when it was read, in bytes.
    pub available_bytes: Known<u64>,
    /// Swap space, in bytes.
    pub swap_total_bytes: Known<u64>,
    /// Swap space that was free, in bytes.
    pub swap_free_bytes: Known<u64>,
    /// Transparent huge pages: `always`, `madvise` or `never`.
    pub transparent_huge_pages: Known<String>,
    /// Address space layout randomisation (`kernel.randomize_va_space`): 0 off, 1 without the heap, 2 full.
    pub aslr: Known<u64>,
    /// `vm.overcommit_memory`.
    pub overcommit: Known<u64>,
}

impl Memory {
    /// Looks at a machine.
    pub fn read(root: &Root) -> Self {
        let info = root.text("/proc/meminfo").unwrap_or_default();
        let pages = root.text("/sys/kernel/mm/transparent_hugepage/enabled");
        Self {
            total_bytes: bytes(&info, "MemTotal").into(),
            available_bytes: bytes(&info, "MemAvailable").into(),
            swap_total_bytes: bytes(&info, "SwapTotal").into(),
            swap_free_bytes: bytes(&info, "SwapFree").into(),
            transparent_huge_pages: pages.as_deref().and_then(chosen).map(str::to_owned).into(),
            aslr: root.number("/proc/sys/kernel/randomize_va_space").into(),
            overcommit: root.number("/proc/sys/vm/overcommit_memory").into(),
        }
    }
}

/// `MemTotal:  16303420 kB`, where kB are KiB (proc_meminfo(5)).
fn bytes(info: &str, key: &str) -> Option<u64> {
    value_of(info, key)?.strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The word in brackets, as in `always [madvise] never`.
fn chosen(words: &str) -> Option<&str> {
    Some(words.split_once('[')?.1.split_once(']')?.0)
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    #[test]
    fn kib_become_bytes_and_what_is_missing_is_unknown() {
        let (_folder, root) = fake(&[
            ("proc/meminfo", "MemTotal:        2048 kB\nMemFree: 1 kB\nSwapTotal:             0 kB\n"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
            ("proc/sys/kernel/randomize_va_space", "2\n"),
        ]);
        let memory = Memory::read(&root);
        assert_eq!((memory.total_bytes, memory.available_bytes), (Known::Is(2 << 20), Known::Unknown));
        assert_eq!((memory.swap_total_bytes, memory.aslr), (Known::Is(0), Known::Is(2)));
        assert_eq!(memory.transparent_huge_pages.to_string(), "madvise");
    }
}
