//! What the Rust servers are built with.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Known, ask, checksum};

/// What the Rust servers are built with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Toolchain {
    /// `rustc -vV`, its lines: version, commit, host, LLVM.
    pub rustc: Known<Vec<String>>,
    /// `cargo --version`.
    pub cargo: Known<String>,
    /// The first line of `cc --version`: what links, and compiles the C of some crates.
    pub cc: Known<String>,
    /// The SHA-256 checksum of Cargo.lock, in hex.
    pub lock_sha256: Known<String>,
    /// `[profile.release]` of the root Cargo.toml, as it stands there.
    pub release_profile: Known<serde_json::Map<String, serde_json::Value>>,
    /// Environment variables that change a build, those that are set.
    pub environment: BTreeMap<String, String>,
    /// Which of cargo's configuration files are there, and their SHA-256 checksums: they may change a build too.
    /// `.cargo/config.toml` of the workspace, `$CARGO_HOME/config.toml`, and of the folders above the workspace.
    pub cargo_config: BTreeMap<String, String>,
}

impl Toolchain {
    /// Asks the tools, in the workspace, whose rust-toolchain.toml decides which they are.
    pub fn read(workspace: &Path) -> Self {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let manifest = std::fs::read_to_string(workspace.join("Cargo.toml")).ok();
        Self {
            rustc: ask::answer(&rustc, &["-vV"], workspace)
                .map(|text| text.lines().map(str::to_owned).collect())
                .into(),
            cargo: ask::answer(&cargo, &["--version"], workspace).into(),
            cc: ask::answer("cc", &["--version"], workspace)
                .and_then(|text| text.lines().next().map(str::to_owned))
                .into(),
            lock_sha256: checksum::sha256(&workspace.join("Cargo.lock")).map(|(sum, _)| sum).into(),
            release_profile: manifest.as_deref().and_then(release_profile).into(),
            environment: that_change_a_build(
                std::env::vars_os()
                    .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))),
            ),
            cargo_config: cargo_config(workspace),
        }
    }

    /// The compiler in one line, as in `rustc 1.95.0 (59807616e 2026-04-14)`.
    pub fn compiler(&self) -> Known<&str> {
        self.rustc.get().and_then(|lines| lines.first()).map(String::as_str).into()
    }
}

/// `[profile.release]` of a Cargo.toml; empty if it has none, which means cargo's own.
fn release_profile(manifest: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let Some(profile) = manifest.get("profile").and_then(|profiles| profiles.get("release")) else {
        return Some(serde_json::Map::new());
    };
    match serde_json::to_value(profile).ok()? {
        serde_json::Value::Object(profile) => Some(profile),
        _ => None,
    }
}

/// Cargo's reference, "Environment variables" and "Configuration". Never the whole environment, which holds secrets.
fn that_change_a_build(all: impl Iterator<Item = (String, String)>) -> BTreeMap<String, String> {
    const NAMES: &[&str] = &[
        "AR",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_INCREMENTAL",
        "CC",
        "CFLAGS",
        "CXX",
        "CXXFLAGS",
        "LDFLAGS",
        "RUSTC",
        "RUSTC_BOOTSTRAP",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_WRAPPER",
        "RUSTFLAGS",
        "RUSTUP_TOOLCHAIN",
    ];
    const STARTS: &[&str] = &["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TARGET_"];
    all.filter(|(name, _)| NAMES.contains(&name.as_str()) || STARTS.iter().any(|start| name.starts_with(start)))
        // Where the target folder is changes nothing.
        .filter(|(name, _)| name != "CARGO_TARGET_DIR" && name != "CARGO_BUILD_TARGET_DIR")
        .collect()
}

fn cargo_config(workspace: &Path) -> BTreeMap<String, String> {
    let home = std::env::var_os("CARGO_HOME")
        .map(std::path::PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let folders = workspace.ancestors().enumerate().map(|(up, folder)| {
        let name = if up == 0 { ".cargo".to_owned() } else { format!("{}.cargo", "../".repeat(up)) };
        (name, folder.join(".cargo"))
    });
    folders
        .chain(home.map(|home| ("$CARGO_HOME".to_owned(), home)))
        .flat_map(|(name, folder)| ["config.toml", "config"].map(|file| (format!("{name}/{file}"), folder.join(file))))
        .filter_map(|(name, path)| Some((name, checksum::sha256(&path)?.0)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_profile_is_kept_as_it_stands() {
        let profile = release_profile("[profile.release]\nlto = \"fat\"\ncodegen-units = 1\n").unwrap();
        assert_eq!(serde_json::to_string(&profile).unwrap(), r#"{"codegen-units":1,"lto":"fat"}"#);
        assert!(release_profile("[workspace]\n").unwrap().is_empty());
        assert_eq!(release_profile("["), None);
    }

    #[test]
    fn only_variables_that_change_a_build_are_kept() {
        let all = [
            ("RUSTFLAGS", "-C target-cpu=native"),
            ("CARGO_PROFILE_RELEASE_LTO", "off"),
            ("CARGO_TARGET_DIR", "/tmp/x"),
            ("AWS_SECRET_ACCESS_KEY", "no"),
        ];
        let kept = that_change_a_build(all.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["CARGO_PROFILE_RELEASE_LTO", "RUSTFLAGS"]);
    }

    #[test]
    fn this_workspace_is_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let toolchain = Toolchain::read(&root);
        assert!(toolchain.compiler().to_string().starts_with("rustc 1."));
        assert!(toolchain.lock_sha256.get().is_some());
        assert_eq!(toolchain.release_profile.get().unwrap()["lto"], "fat");
    }
}
