//! A folder with a file of targets, each a fault server, and the harness run on it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

use hello_bench::process::LOCK_VARIABLE;
use hello_bench::process::ports::prove_free;
use hello_bench::results::{Outcome, Run};

/// Targets and results of one test.
pub struct Fixture {
    folder: tempfile::TempDir,
    targets: String,
    out: PathBuf,
    /// The ports of its targets.
    pub ports: Vec<u16>,
}

impl Fixture {
    /// Without targets.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("result");
        Self { folder, targets: String::new(), out, ports: Vec::new() }
    }

    /// Has the result go elsewhere below its folder.
    pub fn to(mut self, out: &str) -> Self {
        self.out = self.folder.path().join(out);
        self
    }

    /// Adds a fault server that goes wrong in this way, after `n`; it goes by the fault's name.
    pub fn with(self, fault: &str, n: u64) -> Self {
        let port = free_port();
        let command = [fault_server().to_str().unwrap(), fault, "--port", "{port}", "--n", &n.to_string()]
            .map(|word| format!("{word:?}"))
            .join(", ");
        self.with_command(fault, port, &command)
    }

    /// Where a file of this fixture is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Adds a target with any command, as words of TOML.
    pub fn with_command(mut self, name: &str, port: u16, command: &str) -> Self {
        writeln!(
            self.targets,
            "[[target]]\nname = {name:?}\nkind = \"fault\"\nlanguage = \"Rust\"\nmodel = \"a thread per connection\"\n\
             port = {port}\nworkers = \"fixed\"\nstart-deadline-s = 2\nwarm-up-requests = 10\ncommand = [{command}]\n"
        )
        .unwrap();
        self.ports.push(port);
        self
    }

    /// Where the file of targets is.
    pub fn file(&self) -> PathBuf {
        let file = self.folder.path().join("targets.toml");
        std::fs::write(&file, &self.targets).unwrap();
        file
    }

    /// Where the result goes.
    pub fn out(&self) -> PathBuf {
        self.out.clone()
    }

    /// `hello-bench run` on the targets of this fixture, and what else it is told.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = hello_bench();
        command.env(LOCK_VARIABLE, self.lock());
        command.arg("run").arg("--targets").arg(self.file()).arg("--out").arg(self.out());
        command.args(self.names()).args(args);
        command
    }

    /// `hello-bench run --resume` on the result of this fixture.
    pub fn resuming(&self) -> Command {
        let mut command = hello_bench();
        command.env(LOCK_VARIABLE, self.lock()).arg("run").arg("--resume").arg(self.out());
        command
    }

    /// The same, to its end.
    pub fn resume(&self) -> Output {
        self.resuming().output().unwrap()
    }

    /// A lock of its own: the tests disturb each other, but look at no figures.
    fn lock(&self) -> PathBuf {
        self.folder.path().join("lock")
    }

    /// Runs it to its end.
    pub fn run(&self, args: &[&str]) -> (Option<i32>, String, Run) {
        let output = self.command(args).output().unwrap();
        let run = Run::read(&self.out()).unwrap_or_else(|error| panic!("{error:#}\n{}", text(&output)));
        (output.status.code(), text(&output), run)
    }

    fn names(&self) -> Vec<String> {
        let names = self.targets.lines().filter_map(|line| line.strip_prefix("name = "));
        names.map(|name| name.trim_matches('"').to_owned()).collect()
    }

    /// The processes that are there for a target of this fixture: servers, load tools and supervisors alike.
    pub fn left_behind(&self) -> Vec<String> {
        let folder = self.folder.path().to_string_lossy().into_owned();
        let is_server = |cmdline: &[String]| {
            cmdline.iter().any(|word| Path::new(word) == fault_server())
                && self.ports.iter().any(|port| cmdline.contains(&port.to_string()))
        };
        // Whatever else was started for this fixture has its folder on the command line; but not the harness itself,
        // and not the shell of a test.
        let is_helper = |cmdline: &[String]| {
            cmdline.iter().any(|word| word.contains(&folder))
                && (cmdline.iter().any(|word| word == "supervise" || word == "run-tool")
                    || cmdline.first().is_some_and(|program| ["wrk", "ab"].iter().any(|tool| program.ends_with(tool))))
        };
        let mine = |cmdline: &[String]| is_server(cmdline) || is_helper(cmdline);
        procfs::process::all_processes()
            .unwrap()
            .flatten()
            .filter_map(|process| process.cmdline().ok())
            .filter(|cmdline| mine(cmdline))
            .map(|cmdline| cmdline.join(" "))
            .collect()
    }
}

/// The harness.
pub fn hello_bench() -> Command {
    Command::new(env!("CARGO_BIN_EXE_hello-bench"))
}

/// The fault server, built: `cargo test --test harness` alone would not build an example, or take an old one.
pub fn fault_server() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let own = std::env::current_exe().unwrap();
        let profile = own.ancestors().nth(2).unwrap();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--locked", "--quiet", "-p", "hello-bench", "--example", "fault-server"]);
        build.arg("--target-dir").arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
        profile.join("examples/fault-server")
    })
}

/// A port that nothing listens on and that no other test was given.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(8300);
    loop {
        let port = NEXT.fetch_add(2, Ordering::Relaxed);
        if prove_free(([127, 0, 0, 1], port).into()).is_ok() {
            return port;
        }
    }
}

/// Everything that was printed.
pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Why each slice of a target failed; empty for the valid ones.
pub fn reasons(run: &Run, target: &str) -> Vec<String> {
    let own = run.slices.iter().filter(|slice| slice.cell.target == target);
    own.map(|slice| match &slice.outcome {
        Outcome::Valid(_) => String::new(),
        Outcome::Failed(failed) => failed.reason.clone(),
    })
    .collect()
}
