//! The servers of this workspace: found by their metadata, built with cargo, as they are measured.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::MetadataCommand;

use super::{Description, Source, Target};

/// The cargo workspace that holds the servers.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Its root folder.
    pub root: PathBuf,
    /// The servers in it, by name.
    pub targets: Vec<Target>,
}

/// What is wrong with the workspace, or with a build in it.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// Neither the current folder nor the program's is inside the project.
    #[error("this is not inside the hello-bench project; run it in the folder that was cloned")]
    NotFound,
    /// cargo could not be asked.
    #[error("cargo cannot describe the workspace {}: {}", .root.display(), .why)]
    Metadata {
        /// The workspace.
        root: PathBuf,
        /// What cargo said.
        why: String,
    },
    /// A server describes itself wrongly.
    #[error("{package}: [package.metadata.hello-bench] is wrong: {why}")]
    Description {
        /// The package.
        package: String,
        /// What is wrong.
        why: String,
    },
    /// A server did not build.
    #[error("`cargo build --release --locked -p {package}` failed: {why}")]
    Build {
        /// The package.
        package: String,
        /// cargo's first error line, or why it could not be run.
        why: String,
    },
}

impl Workspace {
    /// Finds the project from the current folder, or from where this program lies, and reads what its servers say.
    ///
    /// # Errors
    /// When it is not found, cargo cannot be asked, or a server describes itself wrongly.
    pub fn find() -> Result<Self, WorkspaceError> {
        let starts = [std::env::current_dir().ok(), std::env::current_exe().ok()];
        let root = starts
            .iter()
            .flatten()
            .flat_map(|start| start.ancestors())
            .find(|folder| folder.join("crates/bench/Cargo.toml").is_file())
            .ok_or(WorkspaceError::NotFound)?;
        Self::read(root)
    }

    /// Reads the workspace at `root`.
    ///
    /// # Errors
    /// When cargo cannot be asked, or a server describes itself wrongly.
    pub fn read(root: &Path) -> Result<Self, WorkspaceError> {
        let failed = |why: String| WorkspaceError::Metadata { root: root.to_owned(), why: one_line(&why) };
        let metadata = MetadataCommand::new().current_dir(root).exec().map_err(|error| failed(error.to_string()))?;
        // Where cargo puts what it builds for a target that was named (cargo reference, build.target).
        let mut folder = metadata.target_directory.clone();
        if let Some(triple) = std::env::var("CARGO_BUILD_TARGET").ok().filter(|triple| !triple.is_empty()) {
            folder.push(triple);
        }
        folder.push("release");
        let mut targets = Vec::new();
        for package in metadata.workspace_packages() {
            let Some(value) = package.metadata.get("hello-bench") else { continue };
            let description: Description = serde_json::from_value(value.clone()).map_err(|error| {
                WorkspaceError::Description { package: package.name.to_string(), why: error.to_string() }
            })?;
            let version = match description.framework.as_deref() {
                Some("std") => rustc_version(),
                Some(name) => metadata
                    .packages
                    .iter()
                    .find(|other| other.name.as_str() == name)
                    .map(|other| other.version.to_string()),
                None => None,
            };
            let binary = folder.join(package.name.as_str()).into_std_path_buf();
            let source = Source::Package { package: package.name.to_string(), binary };
            targets.push(Target { description, source, version, host: std::net::Ipv4Addr::LOCALHOST });
        }
        targets.sort_by_key(|target| target.description.port);
        for (n, target) in targets.iter().enumerate() {
            let package = || format!("the server called {:?}", target.name());
            target.description.check_name().map_err(|why| WorkspaceError::Description { package: package(), why })?;
            if targets[..n].iter().any(|other| other.name() == target.name()) {
                let why = "another server has the same name".to_owned();
                return Err(WorkspaceError::Description { package: package(), why });
            }
        }
        Ok(Self { root: root.to_owned(), targets })
    }

    /// The command line that builds one server as it is measured, to be run in the root; into the folder that cargo has
    /// for it, if none is named.
    pub fn build_command(package: &str, into: Option<&Path>) -> Vec<String> {
        let cargo = cargo_program().to_string_lossy().into_owned();
        let args = ["build", "--release", "--locked", "--quiet", "-p", package].map(str::to_owned);
        let into = into.map(|folder| ["--target-dir".to_owned(), folder.to_string_lossy().into_owned()]);
        std::iter::once(cargo).chain(args).chain(into.into_iter().flatten()).collect()
    }

    /// Where the servers of another commit are built, whatever the user's cargo is told: in a folder that two worktrees
    /// share, cargo takes one's binary for the other's, since it knows packages by their place in the workspace and
    /// changes by their time.
    pub fn target_of_revision(root: &Path) -> PathBuf {
        root.join("target")
    }

    /// What `packages` are built from when they are built together, or the whole workspace if none is named: crate and
    /// version → features.
    ///
    /// # Errors
    /// When cargo cannot say.
    pub fn features(&self, packages: &[&str]) -> Result<Features, WorkspaceError> {
        let mut args = vec!["tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}\t{f}"];
        for package in packages {
            args.extend(["-p", package]);
        }
        if packages.is_empty() {
            args.push("--workspace");
        }
        let failed = |why: String| WorkspaceError::Metadata { root: self.root.clone(), why: one_line(&why) };
        let output = self.cargo(&args).output().map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(parse_tree(&String::from_utf8_lossy(&output.stdout)))
    }

    /// How long a server's own source is: the lines of its `src` folder that are neither blank nor a comment. `None` if
    /// it cannot be read.
    pub fn source_lines(&self, package: &str) -> Option<u64> {
        let mut folders = vec![self.root.join("crates").join(package).join("src")];
        let mut lines = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).ok()? {
                let path = entry.ok()?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    lines += code_lines(&std::fs::read_to_string(path).ok()?);
                }
            }
        }
        Some(lines)
    }

    fn cargo(&self, args: &[&str]) -> Command {
        let mut command = Command::new(cargo_program());
        command.current_dir(&self.root).args(args).stdin(Stdio::null());
        command
    }
}

fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Crate and version, as in `tokio v1.54.1` → its features.
pub type Features = BTreeMap<String, BTreeSet<String>>;

fn parse_tree(text: &str) -> Features {
    text.lines()
        .filter_map(|line| {
            // A path package has its folder behind the version, and what was listed before ends with (*).
            let (package, features) = line.split_once('\t')?;
            let name: Vec<&str> = package.split(' ').take(2).collect();
            let features = features.trim_end_matches("(*)").trim();
            let features = features.split(',').filter(|f| !f.is_empty()).map(String::from).collect();
            Some((name.join(" "), features))
        })
        .collect()
}

fn rustc_version() -> Option<String> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    String::from_utf8(output.stdout).ok()?.split(' ').nth(1).map(String::from)
}

fn code_lines(text: &str) -> u64 {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count() as u64
}

fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_becomes_crates_and_features() {
        let features = parse_tree(
            "server-tokio v0.1.0 (/somewhere/crates/server-tokio)\t\ntokio v1.54.1\tnet,rt\nmio v1.2.5\tnet (*)\n",
        );
        assert_eq!(features["tokio v1.54.1"], BTreeSet::from(["net".into(), "rt".into()]));
        assert_eq!(features["mio v1.2.5"], BTreeSet::from(["net".into()]));
        assert!(features["server-tokio v0.1.0"].is_empty());
    }

    #[test]
    fn blank_lines_and_comments_are_no_code() {
        assert_eq!(code_lines("//! A server.\n\nfn main() {\n    // Why.\n    run(); // what\n}\n"), 3);
    }
}
