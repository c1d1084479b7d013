//! A build: cargo, or docker, under a supervisor, so that neither it nor its compilers outlive the harness.

use std::path::Path;
use std::time::Duration;

use super::containers::Containers;
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
    let (root, package, into) = match &target.source {
        Source::Command { .. } | Source::Original { .. } => return Ok(Ok(())),
        Source::Package { package, .. } => (&workspace.root, package, None),
        Source::Revision { root, package, .. } => (root, package, Some(Workspace::target_of_revision(root))),
    };
    let built = owned(&Workspace::build_command(package, into.as_deref()), root)?;
    Ok(built.map_err(|why| WorkspaceError::Build { package: package.clone(), why }))
}

/// Builds the image of a target's container.
///
/// # Errors
/// [`Interrupted`] when the user wants this to end; within, the first error line of what was run.
pub fn image(containers: &Containers, target: &Target, commit: &str) -> Result<Result<(), String>, Interrupted> {
    match containers.service(target) {
        Ok(service) => owned(&service.build_line(commit), &containers.root),
        Err(why) => Ok(Err(why)),
    }
}

fn owned(line: &[String], folder: &Path) -> Result<Result<(), String>, Interrupted> {
    let log = match tempfile::Builder::new().prefix("hello-bench-build-").suffix(".txt").tempfile() {
        Ok(log) => log,
        Err(error) => return Ok(Err(format!("what the build says cannot be kept: {error}"))),
    };
    let started = Owned::spawn(own_program(), line, log.path(), |command| {
        command.current_dir(folder);
    })
    .and_then(|mut build| build.started().map(|_| build));
    let mut build = match started {
        Ok(build) => build,
        Err(why) => return Ok(Err(why)),
    };
    let how = interrupt::wait_for(Duration::MAX, LOOK_EVERY, || {
        if build.is_lost() { Some("by a signal to its supervisor".to_owned()) } else { build.exited() }
    })?;
    // What is left of it goes too: all that it said is in the file then.
    let ended = build.end();
    let program = line.first().map(String::as_str).unwrap_or_default();
    Ok(match how.as_deref() {
        Some("with status 0") => ended,
        how => Err(first_error(log.path()).unwrap_or_else(|| format!("{program} ended {}", how.unwrap_or_default()))),
    })
}

/// The first line that is an error of cargo or of a package manager; else the last line.
fn first_error(log: &Path) -> Option<String> {
    let text = std::fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&text);
    let lines = || text.lines().map(plain).filter(|line| !line.is_empty());
    let is_error = |line: &String| line.starts_with("error") || line.starts_with("E: ");
    lines().find(is_error).or_else(|| lines().next_back())
}

/// A line without colours and other control sequences (ECMA-48, 5.4), which Docker puts around what a build says.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        text += before;
        rest = sequence.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, after)| after);
    }
    (text + rest).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_found_between_colours() {
        let log = tempfile::NamedTempFile::new().unwrap();
        let said = "Step 8/21 : RUN cargo build\n\u{1b}[91m\u{1b}[1merror\u{1b}[0m: no such crate\n  |\nThe command returned 101\n";
        std::fs::write(log.path(), said).unwrap();
        assert_eq!(first_error(log.path()).unwrap(), "error: no such crate");
        std::fs::write(log.path(), "3 steps\nno space left on device\n\n").unwrap();
        assert_eq!(first_error(log.path()).unwrap(), "no space left on device");
    }
}
