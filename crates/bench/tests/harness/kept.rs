//! A result that cannot be kept ends the run with the reason, and blames no target.

use std::path::Path;
use std::process::Command;

use hello_bench::results::{Outcome, Run};

use crate::fixture::{Fixture, text};
use crate::interrupted::{long_run, nothing_is_left, until_slices};

#[test]
fn a_removed_result_ends_the_run_with_one_line() {
    let fixture = Fixture::new().with("none", 0);
    let child = long_run(&fixture);
    std::fs::remove_dir_all(fixture.out()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = std::fs::read_to_string(fixture.path("stderr")).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("hello-bench: ")).collect();
    assert!(errors.len() == 1 && errors[0].contains("was removed"), "{said}");
    nothing_is_left(&fixture);
}

#[test]
fn a_file_that_may_grow_no_further_is_said_and_leaves_nothing_running() {
    let fixture = Fixture::new().with("none", 0);
    let inner = fixture.command(&["--blocks", "1"]);
    let mut run = Command::new("sh");
    run.args(["-c", "ulimit -f 2; exec \"$@\"", "sh"]).arg(inner.get_program()).args(inner.get_args());
    run.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = run.output().unwrap();
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("run.json") && printed.contains("File too large"), "{printed}");
    nothing_is_left(&fixture);
}

/// A small file system of its own, for who may mount one.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    fn mount(folder: &'a Path) -> Option<Self> {
        std::fs::create_dir(folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=4m", "hello-bench-test"]).arg(folder);
        mount.output().is_ok_and(|output| output.status.success()).then_some(Self(folder))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_ends_the_run_and_when_there_is_room_again_it_goes_on() {
    let fixture = Fixture::new().with("none", 0).to("disk/result");
    let folder = fixture.path("disk");
    let Some(_disk) = Disk::mount(&folder) else {
        println!("not tried: only root may mount a file system; the limit of file size is tried in its place");
        return;
    };
    let child = long_run(&fixture);
    let fill = folder.join("fill");
    // As much as there is room for.
    assert!(std::fs::write(&fill, vec![0; 8 << 20]).is_err());
    let output = child.wait_with_output().unwrap();
    let said = std::fs::read_to_string(fixture.path("stderr")).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("hello-bench: ") && (last.contains("free") || last.contains("No space")), "{said}");
    nothing_is_left(&fixture);
    let run = Run::read(&fixture.out()).unwrap();
    assert!(run.slices.iter().all(|slice| matches!(slice.outcome, Outcome::Valid(_))), "a target is blamed");

    std::fs::remove_file(fill).unwrap();
    let mut going_on = fixture.resuming();
    let mut child = going_on.stdout(std::process::Stdio::null()).spawn().unwrap();
    until_slices(&fixture, run.slices.len() + 1);
    crate::interrupted::signal(&child, nix::sys::signal::Signal::SIGINT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
