//! What the kernel runs on, and what this process runs in: hypervisor and container.

use serde::{Deserialize, Serialize};

use super::Known;
use super::root::{Root, value_of};

/// What is between this process and the hardware.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Virtual {
    /// The hypervisor, as in `KVM`; `none` if the CPU says that there is none.
    pub hypervisor: Known<String>,
    /// What the firmware calls the machine, as in `Amazon EC2 m7i.large`.
    pub product: Known<String>,
    /// The container engine, as in `docker`; `none` if no sign of one is there.
    pub container: String,
}

impl Virtual {
    /// Looks at a machine; `signature` is what the CPU answers as the hypervisor's name, which it is asked for in `signature` below.
    pub fn read(root: &Root, signature: Option<&str>) -> Self {
        let dmi = |name: &str| root.text(&format!("/sys/class/dmi/id/{name}"));
        let product = match (dmi("sys_vendor"), dmi("product_name")) {
            (Some(vendor), Some(product)) => Some(format!("{vendor} {product}")),
            (vendor, product) => vendor.or(product),
        };
        Self { hypervisor: hypervisor(root, signature).into(), product: product.into(), container: container(root) }
    }
}

fn hypervisor(root: &Root, signature: Option<&str>) -> Option<String> {
    if let Some(kind) = root.text("/sys/hypervisor/type") {
        return Some(kind);
    }
    let info = root.text("/proc/cpuinfo").unwrap_or_default();
    // Only x86 tells in its flags; elsewhere silence proves nothing.
    let virtual_cpu = value_of(&info, "flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"))?;
    if !virtual_cpu {
        return Some("none".to_owned());
    }
    Some(signature.map_or_else(|| "some".to_owned(), |signature| named(signature).to_owned()))
}

/// The names behind the signatures (Linux, arch/x86/include/asm and the vendors' documents).
fn named(signature: &str) -> &str {
    match signature {
        "KVMKVMKVM" => "KVM",
        "Microsoft Hv" => "Hyper-V",
        "VMwareVMware" => "VMware",
        "XenVMMXenVMM" => "Xen",
        "bhyve bhyve " | "bhyve bhyve" => "bhyve",
        "TCGTCGTCGTCG" => "QEMU without KVM",
        "VBoxVBoxVBox" => "VirtualBox",
        "prl hyperv" | " lrpepyh  vr" => "Parallels",
        other => other,
    }
}

fn container(root: &Root) -> String {
    let release = root.text("/proc/sys/kernel/osrelease").unwrap_or_default().to_lowercase();
    let kind = if root.has("/.dockerenv") {
        "docker"
    } else if root.has("/run/.containerenv") {
        "podman"
    } else if root.has("/var/run/secrets/kubernetes.io") {
        "kubernetes"
    } else if release.contains("microsoft") {
        "wsl"
    } else {
        "none"
    };
    kind.to_owned()
}

/// The hypervisor's signature, CPUID leaf 0x4000_0000 (Linux, Documentation/virt/kvm/x86/cpuid.rst). It means something
/// only where the CPU has the flag `hypervisor`.
#[cfg(target_arch = "x86_64")]
pub fn signature() -> Option<String> {
    let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
    let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx].iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = String::from_utf8(bytes).ok()?;
    let text = text.trim_end_matches('\0');
    (!text.is_empty() && text.chars().all(|c| c == ' ' || c.is_ascii_graphic())).then(|| text.to_owned())
}

/// Other architectures have no such question.
#[cfg(not(target_arch = "x86_64"))]
pub fn signature() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::super::root::fake;
    use super::*;

    #[test]
    fn a_guest_names_its_hypervisor_and_bare_metal_has_none() {
        let guest = [("proc/cpuinfo", "flags\t: fpu vme hypervisor\n"), ("sys/class/dmi/id/sys_vendor", "QEMU\n")];
        let (_folder, root) = fake(&guest);
        let seen = Virtual::read(&root, Some("KVMKVMKVM"));
        assert_eq!((seen.hypervisor.to_string(), seen.product.to_string()), ("KVM".to_owned(), "QEMU".to_owned()));
        assert_eq!(Virtual::read(&root, None).hypervisor.to_string(), "some");
        let (_folder, root) = fake(&[("proc/cpuinfo", "flags\t: fpu vme\n")]);
        // Leaf 0x4000_0000 of a CPU without a hypervisor is whatever its highest leaf holds.
        assert_eq!(Virtual::read(&root, Some("junk")).hypervisor.to_string(), "none");
    }

    #[test]
    fn an_arm_cpu_does_not_tell() {
        let (_folder, root) = fake(&[("proc/cpuinfo", "Features\t: fp asimd\n"), (".dockerenv", "")]);
        let seen = Virtual::read(&root, None);
        assert_eq!((seen.hypervisor, seen.container.as_str()), (Known::Unknown, "docker"));
    }
}
