//! Programs that are asked for their version and the like.

use std::path::Path;
use std::process::{Command, Stdio};

/// What a program prints; standard error if it prints nothing else. `None` if it cannot be run.
pub fn output(program: &str, args: &[&str], folder: &Path) -> Option<String> {
    let output =
        Command::new(program).args(args).current_dir(folder).env("LC_ALL", "C").stdin(Stdio::null()).output().ok()?;
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// What a program prints to standard output if it ends well.
pub fn answer(program: &str, args: &[&str], folder: &Path) -> Option<String> {
    let output =
        Command::new(program).args(args).current_dir(folder).env("LC_ALL", "C").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// The first line that a program prints; `None` if it cannot be run or prints none.
pub fn first_line(program: &str, args: &[&str]) -> Option<String> {
    let line = output(program, args, Path::new("."))?.lines().next()?.trim().to_owned();
    (!line.is_empty()).then_some(line)
}
