//! Servers of other commits of this project: each commit in a git worktree of its own, where its servers are built as
//! they are measured.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Description, Source, Target, Workspace};

/// A commit of this project, checked out.
#[derive(Debug, Clone)]
pub struct Revision {
    /// What the user called it.
    pub called: String,
    /// The commit's hash.
    pub hash: String,
    /// Its servers, as it describes them.
    workspace: Workspace,
}

impl Revision {
    /// Checks `called` out, below `target/` of the project at `root`; again, if it is there.
    ///
    /// # Errors
    /// If there is no such commit, or its worktree cannot be had.
    pub fn checkout(root: &Path, called: &str) -> Result<Self> {
        let what = format!("{called}^{{commit}}");
        let hash = git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &what])
            .map_err(|_| anyhow::anyhow!("{called:?} is no commit of this project"))?;
        let folder = root.join("target/versus").join(&hash[..hash.len().min(12)]);
        if folder.exists() {
            let is_it = git(&folder, &["rev-parse", "--verify", "HEAD"]).is_ok_and(|head| head == hash);
            let is_clean = git(&folder, &["status", "--porcelain"]).is_ok_and(|changes| changes.is_empty());
            ensure!(
                is_it && is_clean,
                "{} is not commit {hash} as it was checked out there; remove that folder",
                folder.display()
            );
        } else {
            let path = folder.to_str().context("the path of this project is no text")?;
            git(root, &["worktree", "add", "--force", "--detach", path, &hash])
                .with_context(|| format!("no worktree of {called}"))?;
        }
        let workspace = Workspace::read(&folder).with_context(|| format!("{called} cannot be measured"))?;
        Ok(Self { called: called.to_owned(), hash, workspace })
    }

    /// The hash as it stands in names.
    pub fn short(&self) -> &str {
        &self.hash[..self.hash.len().min(7)]
    }

    /// Whether this commit has a server of that name.
    pub fn has(&self, target: &str) -> bool {
        self.workspace.targets.iter().any(|own| own.name() == target)
    }

    /// A server of this commit, as a target of the name `NAME@COMMIT`.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn target(&self, name: &str) -> Result<Target> {
        let own = self.workspace.targets.iter().find(|own| own.name() == name);
        let own = own.with_context(|| format!("{} has no server called {name:?}", self.called))?;
        let Source::Package { package, .. } = &own.source else { unreachable!("a server of a workspace") };
        let root = self.workspace.root.clone();
        let binary = Workspace::target_of_revision(&root).join("release").join(package);
        let source = Source::Revision { root, package: package.clone(), binary };
        let description = Description { name: self.name_of(name), ..own.description.clone() };
        Ok(Target { description, source, ..own.clone() })
    }

    /// The name that a server of this commit goes by beside those of others.
    pub fn name_of(&self, target: &str) -> String {
        format!("{target}@{}", self.short())
    }
}

/// These servers of both commits, A's first.
///
/// # Errors
/// If one of them has not all.
pub fn both(a: &Revision, b: &Revision, names: &[String]) -> Result<Vec<Target>> {
    [a, b].iter().flat_map(|revision| names.iter().map(|name| revision.target(name))).collect()
}

/// What git prints.
///
/// # Errors
/// What it says if it fails.
fn git(folder: &Path, args: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(args)
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .context("git cannot be run")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {} failed: {}", args[0], said.lines().last().unwrap_or("without a word"));
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project with one server, in two commits; gives the hashes.
    fn project(root: &Path) -> Vec<String> {
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"server-x\"]\n");
        write(
            "server-x/Cargo.toml",
            "[package]\nname = \"server-x\"\nedition = \"2024\"\n[package.metadata.hello-bench]\nname = \"x\"\n\
             kind = \"test\"\nlanguage = \"Rust\"\nmodel = \"\"\nport = 8390\n",
        );
        write(".gitignore", "/target\n");
        write(
            "Cargo.lock",
            "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n\
             [[package]]\nname = \"server-x\"\nversion = \"0.0.0\"\n",
        );
        let settings = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"];
        git(root, &["init", "--quiet"]).unwrap();
        ["fn main() {}\n", "fn main() { println!(); }\n"]
            .iter()
            .map(|main| {
                write("server-x/src/main.rs", main);
                git(root, &["add", "."]).unwrap();
                let commit = ["commit", "--quiet", "--message", "x"];
                git(root, &[&settings[..], &commit[..]].concat()).unwrap();
                git(root, &["rev-parse", "HEAD"]).unwrap()
            })
            .collect()
    }

    #[test]
    fn each_commit_has_a_worktree_which_is_used_again_and_refused_once_it_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let hashes = project(root);
        let before = Revision::checkout(root, "HEAD~1").unwrap();
        let after = Revision::checkout(root, &hashes[1][..10]).unwrap();
        assert_eq!([&before.hash, &after.hash], [&hashes[0], &hashes[1]]);
        assert!(before.has("x") && !before.has("y"));
        assert_ne!(before.workspace.root, after.workspace.root);
        let main = before.workspace.root.join("server-x/src/main.rs");
        assert_eq!(std::fs::read_to_string(&main).unwrap(), "fn main() {}\n");
        Revision::checkout(root, "HEAD~1").unwrap();
        std::fs::write(&main, "fn main() { panic!(); }\n").unwrap();
        let refused = Revision::checkout(root, "HEAD~1").unwrap_err().to_string();
        assert!(refused.contains("remove that folder"), "{refused}");
        std::fs::remove_dir_all(&before.workspace.root).unwrap();
        Revision::checkout(root, "HEAD~1").unwrap();
        let refused = Revision::checkout(root, "--help").unwrap_err().to_string();
        assert!(refused.contains("is no commit"), "{refused}");
    }
}
