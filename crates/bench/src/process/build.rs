//! A build: cargo under a supervisor, so that neither it nor its compilers outlive the harness.

use std::path::Path;
use std::time::Duration;

use super::own_program;
use super::owned::Owned;
use crate::interrupt::{self, Interrupted};
use crate::targets::{Source, Target, Workspace, WorkspaceError};

/// How often it is looked at whether cargo has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Builds one server as it is measured: `cargo build --release --locked -p PACKAGE`. A target of the user's own needs
/// no build.
///
/// One package at a time, because a build of several unifies the features of what they share: the server would not be
/// the one that its own Cargo.toml describes.
///
/// # Errors
/// [`Interrupted`] when the user wants this to end; within, cargo's first error line.
pub fn build(workspace: &Workspace, target: &Target) -> Result<Result<(), WorkspaceError>, Interrupted> {
    match &target.source {
        Source::Command { .. } => Ok(Ok(())),
        Source::Package { package, .. } => in_folder(&workspace.root, package, None),
        Source::Revision { root, package, .. } => in_folder(root, package, Some(&Workspace::target_of_revision(root))),
    }
}

fn in_folder(root: &Path, package: &str, into: Option<&Path>) -> Result<Result<(), WorkspaceError>, Interrupted> {
    let failed = |why: String| Ok(Err(WorkspaceError::Build { package: package.to_owned(), why }));
    let log = match tempfile::Builder::new().prefix("hello-bench-build-").suffix(".txt").tempfile() {
        Ok(log) => log,
        Err(error) => return failed(format!("what cargo says cannot be kept: {error}")),
    };
    let line = Workspace::build_command(package, into);
    let started = Owned::spawn(own_program(), &line, log.path(), |command| {
        command.current_dir(root);
    })
    .and_then(|mut cargo| cargo.started().map(|_| cargo));
    let mut cargo = match started {
        Ok(cargo) => cargo,
        Err(why) => return failed(why),
    };
    let how = interrupt::wait_for(Duration::MAX, LOOK_EVERY, || {
        if cargo.is_lost() { Some("by a signal to its supervisor".to_owned()) } else { cargo.exited() }
    })?;
    // What is left of it goes too: all that it said is in the file then.
    let ended = cargo.end();
    match how.as_deref() {
        Some("with status 0") => Ok(ended.map_err(|why| WorkspaceError::Build { package: package.to_owned(), why })),
        how => failed(first_error(log.path()).unwrap_or_else(|| format!("cargo ended {}", how.unwrap_or_default()))),
    }
}

fn first_error(log: &Path) -> Option<String> {
    let text = std::fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&text);
    text.lines().find(|line| line.starts_with("error")).or(text.lines().last()).map(str::to_owned)
}
