//! Two commits of a project beside each other.

use std::path::Path;
use std::process::{Command, Output};

use hello_bench::process::LOCK_VARIABLE;
use hello_bench::results::{Outcome, Run};

use crate::fixture::{free_port, hello_bench, text};

/// Slices of about a tenth of a second.
const SHORT: &[&str] = &["--tool", "ab", "--requests", "200", "--connections", "4", "--shape", "close"];

/// A project with one server, which burns more time per request from one commit to the next, and is broken in the third.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let own = Self { folder: tempfile::tempdir().unwrap() };
        own.git(&["init", "--quiet"]);
        own.write(".gitignore", "/target\n/built\n/results\n/lock\n");
        own.write("crates/bench/Cargo.toml", "[package]\nname = \"hello-bench\"\nedition = \"2024\"\n");
        own.write("crates/bench/src/lib.rs", "");
        own.write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n");
        let port = free_port();
        own.write(
            "crates/server-x/Cargo.toml",
            &format!(
                "[package]\nname = \"server-x\"\nedition = \"2024\"\n[package.metadata.hello-bench]\nname = \"x\"\n\
                 kind = \"test\"\nlanguage = \"Rust\"\nmodel = \"\"\nport = {port}\nworkers = \"fixed\"\n"
            ),
        );
        for burn_us in [0, 2000] {
            // It has the harness's own server do the work, so that nothing but std is to be built.
            own.write(
                "crates/server-x/src/main.rs",
                &format!(
                    "use std::os::unix::process::CommandExt;\nfn main() {{\n    let port = std::env::args().nth(4).unwrap();\n    \
                     let line = [\"burn-server\", \"--port\", &port, \"--burn-us\", \"{burn_us}\"];\n    \
                     panic!(\"{{}}\", std::process::Command::new({:?}).args(line).exec());\n}}\n",
                    env!("CARGO_BIN_EXE_hello-bench")
                ),
            );
            own.commit();
        }
        own.write("crates/server-x/src/main.rs", "fn main() { it is broken }\n");
        own.commit();
        own
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) {
        let settings = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"];
        assert!(Command::new("git").args(settings).args(args).current_dir(self.root()).status().unwrap().success());
    }

    fn commit(&self) {
        let cargo = Command::new(env!("CARGO"))
            .args(["generate-lockfile", "--quiet", "--offline"])
            .current_dir(self.root())
            .status();
        assert!(cargo.unwrap().success());
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", "x"]);
    }

    fn hello_bench(&self, args: &[&str]) -> Output {
        let mut command = hello_bench();
        // Both commits are built into one folder: neither may be taken for the other.
        command.env("CARGO_TARGET_DIR", self.root().join("built")).env(LOCK_VARIABLE, self.root().join("lock"));
        command.current_dir(self.root()).args(args).output().unwrap()
    }
}

#[test]
fn a_commit_that_costs_more_is_worse_than_the_one_before_in_the_same_blocks() {
    let project = Project::new();
    let versus = ["versus", "HEAD~2", "HEAD~1", "--out", "results/x", "--blocks", "12", "--fail-on", "worse"];
    let output = project.hello_bench(&[&versus, SHORT].concat());
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(3), "{printed}");
    let run = Run::read(&project.root().join("results/x")).unwrap();
    // A, B and A once more.
    assert_eq!((run.record.targets.len(), run.slices.len()), (3, 3 * 12), "{printed}");
    let row = printed.lines().rfind(|line| line.starts_with("│ x ")).unwrap();
    assert!(row.contains("worse"), "{printed}");
    assert!(printed.contains("B: HEAD~1, commit "), "{printed}");
    // The same again from the records alone.
    let again = project.hello_bench(&["compare", "results/x"]);
    assert_eq!(again.status.code(), Some(0));
    let again = String::from_utf8(again.stdout).unwrap();
    assert!(printed.contains(&again), "{printed}\n{again}");
    // And the other way round, in the worktrees that are there.
    let versus = ["versus", "HEAD~1", "HEAD~2", "x", "--out", "results/y", "--blocks", "1"];
    let output = project.hello_bench(&[&versus, SHORT].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let run = Run::read(&project.root().join("results/y")).unwrap();
    let cost = |target: usize| {
        let own = run.slices.iter().find(|slice| slice.cell.target == run.record.targets[target].name).unwrap();
        let Outcome::Valid(measurement) = &own.outcome else { panic!("{}", text(&output)) };
        measurement.cost_us
    };
    assert!(cost(0) > 2.0 * cost(1), "{}", text(&output));
    let complete = project.hello_bench(&["run", "--resume", "results/y"]);
    assert_eq!(complete.status.code(), Some(0), "{}", text(&complete));
}

#[test]
fn a_commit_that_does_not_build_is_failed_and_what_is_none_is_refused_in_one_line() {
    let project = Project::new();
    let broken =
        project.hello_bench(&[&["versus", "HEAD~1", "HEAD", "--out", "results/x", "--blocks", "1"], SHORT].concat());
    let printed = text(&broken);
    assert_eq!(broken.status.code(), Some(1), "{printed}");
    assert!(printed.contains("not compared   x@") && printed.contains("not built: "), "{printed}");
    for wrong in [
        &["versus", "HEAD", "no-such-branch"][..],
        &["versus", "HEAD", "HEAD"],
        &["versus", "HEAD~1", "HEAD", "nobody"],
        &["versus", "HEAD~1", "HEAD", "--baseline", "x"],
        &["versus", "HEAD~1", "HEAD", "--targets", "x.toml"],
        &["versus", "HEAD~1", "HEAD", "--slice", "300ms"],
    ] {
        let refused = project.hello_bench(wrong);
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}: {}", text(&refused));
        assert_eq!(text(&refused).lines().count(), 1, "{wrong:?}: {}", text(&refused));
    }
}
