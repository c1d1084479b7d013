//! Every original that is installed here, started for real, held to what it says of itself and driven by ab and wrk.
//! `HELLO_BENCH_ORIGINALS` names some of them; without it all that are installed are meant.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use hello_bench::check::{self, Finding, Peer, verify};
use hello_bench::load::{self, Exit, Extent, Failure, Job, Manner, Output, Shape, SideFile};
use hello_bench::process::Server;
use hello_bench::process::server::StartOptions;
use hello_bench::run::Speaks;
use hello_bench::targets::{Target, Workspace, all, pick};

/// Connections at once: no more than any pool here has threads, so that none is kept waiting for another's end.
const CONNECTIONS: u32 = 8;

/// Responses that ab asks for: few enough for the slowest.
const REQUESTS: u64 = 400;

/// Those that are to be tried.
fn meant() -> Vec<Target> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let all = all(&Workspace::read(root).unwrap(), &[]).unwrap();
    let named = std::env::var("HELLO_BENCH_ORIGINALS").unwrap_or_default();
    let names: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
    if !names.is_empty() {
        return pick(&all, &names).unwrap();
    }
    let installed: Vec<Target> =
        all.into_iter().filter(|target| target.is_original() && target.not_installed().is_none()).collect();
    assert!(!installed.is_empty(), "no original is installed; `scripts/originals.sh install all` does that");
    installed
}

/// How one of them stood.
struct Tried {
    name: String,
    shows: String,
    /// Points of the agreed behaviour that it gives, and those that it says that it cannot.
    points: [usize; 2],
    /// Load tool and shape, with the good answers.
    driven: Vec<String>,
    wrong: Vec<String>,
}

#[test]
fn every_original_is_what_it_says_and_answers_ab_and_wrk_well() {
    let logs = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for target in meant() {
        let tried = try_out(&target, logs.path());
        println!("{}: {}", tried.name, if tried.wrong.is_empty() { "well".into() } else { tried.wrong.join("; ") });
        all.push(tried);
    }
    if let Some(file) = std::env::var_os("HELLO_BENCH_ORIGINALS_RESULT") {
        std::fs::write(file, table(&all)).unwrap();
    }
    let wrong: Vec<String> =
        all.iter().flat_map(|one| one.wrong.iter().map(|why| format!("{}: {why}", one.name))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn try_out(target: &Target, folder: &Path) -> Tried {
    let (name, shows) = (target.name().to_owned(), target.shows());
    let mut tried = Tried { name, shows, points: [0, 0], driven: Vec::new(), wrong: Vec::new() };
    if let Some(missing) = target.not_installed() {
        tried.wrong.push(missing.to_string());
        return tried;
    }
    let log = folder.join(&tried.name);
    let program = Path::new(env!("CARGO_BIN_EXE_hello-bench"));
    let options = StartOptions { program, workers: None, log: &log, environment_padding: 0, containers: None };
    let mut server = match Server::start(target, &options) {
        Ok(server) => server,
        Err(error) => {
            tried.wrong.push(error.to_string());
            return tried;
        }
    };
    for (point, finding) in verify(target) {
        match finding {
            Finding::Holds => tried.points[0] += 1,
            Finding::Cannot(_) => tried.points[1] += 1,
            wrong => tried.wrong.push(format!("{}: {wrong:?}", point.name)),
        }
    }
    for shape in &target.description.shapes {
        for tool in ["ab", "wrk"] {
            match drive(target, tool, *shape, folder) {
                Ok(()) => tried.driven.push(format!("{tool} {shape}")),
                Err(why) => tried.wrong.push(format!("{tool} {shape}: {why}")),
            }
        }
    }
    tried.wrong.extend(server.still_itself().err());
    tried.wrong.extend(server.stop().err());
    tried
}

/// The result that is kept.
fn table(all: &[Tried]) -> String {
    let day = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let mut text = format!(
        "# The originals, as they were last tried\n\nWritten by `scripts/test.sh all_originals` on {day}: each one that was \
         installed was started, held to what it says of itself\nand driven by ab and wrk. No figures: other work may have \
         run beside it.\n\n| target | shows | points it gives | cannot give | driven by | wrong |\n|---|---|--:|--:|---|---|\n"
    );
    for Tried { name, shows, points: [holds, cannot], driven, wrong } in all {
        let wrong = wrong.join("; ").replace('|', "\\|");
        let _ = writeln!(text, "| {name} | {shows} | {holds} | {cannot} | {} | {wrong} |", driven.join(", "));
    }
    text
}

/// Has a load tool ask, and reads what it says as a slice does; then asks once more.
fn drive(target: &Target, tool: &str, shape: Shape, folder: &Path) -> Result<(), String> {
    let tool = load::tool(tool).unwrap();
    let job = Job {
        url: target.url(),
        manner: if shape == Shape::KeepAlive { Manner::KeepAlive } else { Manner::Close },
        connections: CONNECTIONS,
        threads: 1,
        extent: if tool.name() == "ab" { Extent::Requests(REQUESTS) } else { Extent::Time(Duration::from_secs(1)) },
        timeout: check::TIMEOUT,
    };
    let side = folder.join("side");
    if let SideFile::Reads(text) = tool.side_file() {
        std::fs::write(&side, text).map_err(|error| error.to_string())?;
    }
    let mut command = Command::new("timeout");
    command.args(["60", tool.name()]).args(tool.command(&job, &side)?);
    let ran = command.output().map_err(|error| error.to_string())?;
    let side = if matches!(tool.side_file(), SideFile::Writes) { std::fs::read(&side).ok() } else { None };
    let exit = ran.status.code().map_or(Exit::Unknown, Exit::from_number);
    let output = Output { stdout: &ran.stdout, stderr: &ran.stderr, exit, side_file: side.as_deref() };
    let answer = check::agreed(Peer::of(target), tool.dialect(), shape.keeps())?;
    let is_silent = shape == Shape::Close && answer.kept && tool.wants_closes_announced();
    let excused = |failure: Failure| {
        load::excused(&failure, answer.bytes, CONNECTIONS).filter(|_| is_silent).ok_or(failure.reason)
    };
    let report = tool.parse(&output).or_else(excused)?;
    let good = report.good_requests.unwrap_or_default();
    if good == 0 || job.due().is_some_and(|due| due != good) {
        return Err(format!("{good} good answers"));
    }
    Ok(())
}
