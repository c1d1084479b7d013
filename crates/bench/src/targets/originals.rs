//! The originals: a folder under docker/originals each, with a target.toml and all that it takes to install and start
//! them, natively by `scripts/originals.sh` as in a container.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::file::read;
use super::{Description, Source, Target};

/// The file in an original's prefix that says what was installed; it is written last.
const INSTALLED: &str = "installed";

/// The files of a folder that name what it needs, the foremost first; the rest of a list of pinned requirements is what
/// that needs itself.
const NEEDS: [&str; 4] = ["packages.txt", "build-packages.txt", "native-packages.txt", REQUIREMENTS];

/// A folder that has it is installed into a virtual environment.
const REQUIREMENTS: &str = "requirements.txt";

/// Debian's package that makes one; images have it from their base, in whichever Python they bring.
const VENV: &str = "python3-venv";

/// An original that is not installed on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is not installed{}; get it with `scripts/originals.sh install {folder}`", in_brackets(.needs))]
pub struct NotInstalled {
    /// The target.
    pub name: String,
    /// Its folder's name.
    pub folder: String,
    /// What it needs, as the package managers call it.
    pub needs: Vec<String>,
}

fn in_brackets(needs: &[String]) -> String {
    if needs.is_empty() { String::new() } else { format!(" (it needs {})", needs.join(", ")) }
}

/// The originals of the project at `root`, in the order of their ports.
///
/// # Errors
/// In one line, when one of them describes itself wrongly.
pub fn originals(root: &Path) -> Result<Vec<Target>> {
    let folder = root.join("docker/originals");
    let Ok(entries) = folder.read_dir() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries {
        let folder = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        let file = folder.join("target.toml");
        let Some(name) = folder.file_name().filter(|_| file.is_file()) else { continue };
        let prefix = root.join("target/originals").join(name);
        let versions = std::fs::read_to_string(prefix.join(INSTALLED)).ok();
        found.extend(read(&file, &|description| {
            let source = Source::Original { folder: folder.clone(), prefix: prefix.clone() };
            (source, versions.as_ref().and_then(|versions| version_of(description, versions)))
        })?);
    }
    found.sort_by_key(|target| target.description.port);
    for pair in found.windows(2) {
        let port = pair[1].description.port;
        ensure!(pair[0].description.port != port, "{} and {} both have port {port}", pair[0].name(), pair[1].name());
    }
    Ok(found)
}

/// A target's version by what its folder's `install` printed: a line `TARGET: versions` if there is one, which an
/// optional target must have, else the first line; without the name of what it shows.
fn version_of(description: &Description, versions: &str) -> Option<String> {
    let own = versions.lines().find_map(|line| line.strip_prefix(&description.name)?.strip_prefix(": "));
    let shared = versions.lines().next().filter(|_| description.optional.is_none());
    let said = own.or(shared)?.trim();
    let what = description.framework.as_deref().unwrap_or(&description.name);
    Some(said.strip_prefix(what).unwrap_or(said).trim().to_owned())
}

impl Target {
    /// Why an original cannot be started here, if it is not installed.
    pub fn not_installed(&self) -> Option<NotInstalled> {
        let Source::Original { folder, .. } = &self.source else { return None };
        if self.version.is_some() {
            return None;
        }
        let venv = folder.join(REQUIREMENTS).is_file().then(|| VENV.to_owned());
        let packages = venv.into_iter().chain(NEEDS.iter().flat_map(|file| lines(&folder.join(file))));
        Some(NotInstalled {
            name: self.name().to_owned(),
            folder: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            needs: self.description.optional.clone().map_or_else(|| packages.collect(), |needed| vec![needed]),
        })
    }
}

fn lines(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let most = if file.ends_with(REQUIREMENTS) { 1 } else { usize::MAX };
    lines.take(most).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::targets::{installed, pick};

    const TARGETS: &str = r#"
        [shared]
        kind = "original"
        language = "Python"
        framework = "Server"
        model = "one thread"
        command = ["./entrypoint", "{prefix}"]

        [[target]]
        name = "new"
        port = 8251

        [[target]]
        name = "old"
        port = 8252
        optional = "a CPython 2.7"
    "#;

    /// A project with one original, of which this was installed.
    fn project(versions: Option<&str>) -> (tempfile::TempDir, Vec<Target>) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("docker/originals/server");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("target.toml"), TARGETS).unwrap();
        std::fs::write(folder.join("requirements.txt"), "server==3\nwhat-it-needs==1\n").unwrap();
        if let Some(versions) = versions {
            let prefix = root.path().join("target/originals/server");
            std::fs::create_dir_all(&prefix).unwrap();
            std::fs::write(prefix.join(INSTALLED), versions).unwrap();
        }
        let targets = originals(root.path()).unwrap();
        (root, targets)
    }

    #[test]
    fn what_is_not_installed_is_one_line_with_what_it_needs_and_the_command() {
        let (_root, targets) = project(None);
        let lines: Vec<String> = targets.iter().map(|target| target.not_installed().unwrap().to_string()).collect();
        let get = "get it with `scripts/originals.sh install server`";
        assert_eq!(
            lines,
            [
                format!("new is not installed (it needs python3-venv, server==3); {get}"),
                format!("old is not installed (it needs a CPython 2.7); {get}"),
            ]
        );
    }

    #[test]
    fn a_group_goes_on_with_those_that_are_there_and_a_name_does_not() {
        let (_root, targets) = project(Some("Server 3, CPython 3.11\n"));
        let wanted = |name: &str| {
            let names = [name.to_owned()];
            installed(pick(&targets, &names).unwrap(), &names)
        };
        for group in ["originals", "python"] {
            let (there, missing) = wanted(group).unwrap();
            assert_eq!((there[0].name(), there[0].shows().as_str()), ("new", "Server 3, CPython 3.11"));
            assert_eq!((there.len(), missing.len(), missing[0].name.as_str()), (1, 1, "old"));
        }
        assert_eq!(wanted("old").unwrap_err().name, "old");
        assert!(pick(&targets, &[]).unwrap().is_empty(), "originals are measured only if they are asked for");
    }

    #[test]
    fn an_optional_target_has_a_line_of_its_own() {
        let (_root, targets) = project(Some("Server 3, CPython 3.11\nold: Server 1, CPython 2.7\n"));
        let versions: Vec<String> = targets.iter().map(Target::shows).collect();
        assert_eq!(versions, ["Server 3, CPython 3.11", "Server 1, CPython 2.7"]);
    }

    #[test]
    fn an_original_is_told_where_to_listen_and_where_it_is_installed() {
        let (root, targets) = project(Some("Server 3\n"));
        let prefix = root.path().join("target/originals/server").display().to_string();
        assert_eq!(targets[0].command(None), ["./entrypoint", &prefix]);
        let environment = targets[0].environment(Some(3));
        let value = |name: &str| environment.iter().find(|(own, _)| own == name).unwrap().1.clone();
        assert_eq!([value("PORT"), value("WORKERS"), value("PREFIX")], ["8251", "3", &prefix]);
    }

    /// The originals of this project, whether they are installed or not.
    #[test]
    fn every_original_can_be_started_and_told_from_the_others() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let targets = originals(root).unwrap();
        let folders = root.join("docker/originals").read_dir().unwrap();
        let described = folders.flatten().filter(|entry| entry.path().is_dir()).count();
        let with_targets: BTreeSet<&Path> = targets.iter().filter_map(|target| target.source.folder()).collect();
        assert_eq!(with_targets.len(), described, "every folder has a target.toml");
        for target in &targets {
            let description = &target.description;
            let name = target.name();
            assert!((8201..=8260).contains(&description.port), "{name}: port {}", description.port);
            assert!(description.original.is_some(), "{name}: what the first comparisons call it is missing");
            assert!(description.container || description.container_reason.is_some(), "{name}: why no container?");
            assert!(!description.settings.is_empty(), "{name}: the settings that decide its speed are missing");
            assert!(targets.iter().all(|other| !other.groups().contains(&name.to_owned())), "{name} is a group too");
            let without = Target { version: None, ..target.clone() };
            assert!(!without.not_installed().unwrap().needs.is_empty(), "{name}: which package is missing?");
            let folder = target.source.folder().unwrap();
            let image = ["Dockerfile", "packages.txt", "build-packages.txt"].iter().filter(|_| description.container);
            for file in image.chain(&["entrypoint", "install"]) {
                assert!(folder.join(file).is_file(), "{} has no {file}", folder.display());
            }
        }
    }
}
