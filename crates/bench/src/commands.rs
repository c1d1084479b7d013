//! The subcommands, each a few lines over what the modules do.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use comfy_table::{ContentArrangement, Table as Grid, presets};

use crate::check::{Finding, verify as verify_target};
use crate::cli::{
    BurnServerArgs, CompareArgs, ComposeArgs, ContainArgs, ParseArgs, ReplayArgs, ReplayAsked, ReportArgs, ResultsArgs,
    RunArgs, RunToolArgs, SelfTestArgs, ServeArgs, SuperviseArgs, SweepArgs, TargetArgs, VerifyArgs, VersusArgs,
};
use crate::compare;
use crate::container::compose;
use crate::exit::Exit;
use crate::interrupt;
use crate::load;
use crate::machine::doctor;
use crate::process::server::StartOptions;
use crate::process::{self, Lock, Server, StartError, docker, own_program, supervisor, tool};
use crate::replay;
use crate::results::Run;
use crate::results::listing::{self, Listed};
use crate::run::{self, Ended, Made};
use crate::self_test;
use crate::targets::{Source, Target, Workspace, all, answers};
use crate::voice;

/// To standard output, which may have been closed.
macro_rules! say {
    ($($words:tt)*) => {{ let _ = writeln!(std::io::stdout(), $($words)*); }};
}

/// `hello-bench list`
///
/// # Errors
/// For wrong use.
pub fn list(args: &TargetArgs) -> Result<Exit> {
    let targets = args.known(&Workspace::find()?)?;
    let mut grid = fitting(["target", "port", "kind", "shows", "mirrors", "concurrency"]);
    for target in &targets {
        let description = &target.description;
        grid.add_row([
            description.name.clone(),
            description.port.to_string(),
            description.kind.clone(),
            target.shows(),
            description.mirrors.join(", "),
            description.model.clone(),
        ]);
    }
    say!("{grid}");
    Ok(Exit::Well)
}

/// A table that is no wider than the terminal: what is too long goes on in the next line of its cell.
fn fitting<const N: usize>(heads: [&str; N]) -> Grid {
    let mut grid = Grid::new();
    let width = voice::columns().unwrap_or(voice::WIDTH);
    grid.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    grid.set_width(u16::try_from(width).unwrap_or(u16::MAX)).set_header(heads);
    grid
}

/// `hello-bench results`
///
/// # Errors
/// When the folder cannot be read.
pub fn results(args: &ResultsArgs) -> Result<Exit> {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => Workspace::find()?.root.join("results"),
    };
    let runs = listing::list(&folder)?;
    if runs.is_empty() {
        say!("no runs in {}", folder.display());
        return Ok(Exit::Well);
    }
    let mut grid = fitting(["run", "began", "machine", "commit", "state", "targets"]);
    for Listed { folder, run } in &runs {
        match run {
            Ok(run) => grid.add_row([
                folder,
                &run.began,
                &run.machine,
                &run.commit,
                &run.state.to_string(),
                &run.targets.join(", "),
            ]),
            Err(why) => grid.add_row([folder.as_str(), "–", "–", "–", &format!("unreadable: {why}"), "–"]),
        };
    }
    say!("{grid}");
    Ok(Exit::Well)
}

/// `hello-bench mirrors`
///
/// # Errors
/// For an original or a server that describes itself wrongly.
pub fn mirrors() -> Result<Exit> {
    let targets = all(&Workspace::find()?, &[])?;
    for answer in answers(&targets) {
        say!("{} ({})", answer.original, answer.targets.join(", "));
        for why in &answer.stand_ins {
            say!("  stand-in   {why}");
        }
        for model in &answer.models {
            say!("  model      {model}");
        }
        let workers = answer.workers.map_or(String::new(), |count| format!(", with --workers {count}"));
        match answer.mirrors.as_slice() {
            [] => say!("  mirror     none: no Rust server here has its model"),
            mirrors => say!("  mirror     {}{workers}", mirrors.join(", ")),
        }
    }
    Ok(Exit::Well)
}

/// `hello-bench verify`
///
/// # Errors
/// For wrong use.
pub fn verify(args: &VerifyArgs) -> Result<Exit> {
    interrupt::install()?;
    let workspace = Workspace::find()?;
    let mut exit = Exit::Well;
    let targets = if args.running { args.targets.known(&workspace)? } else { args.targets.pick(&workspace)? };
    for target in targets {
        say!("{} ({}), {}", target.name(), target.shows(), target.url());
        let server = if args.running { None } else { Some(started(&workspace, &target, None)) };
        let server = match server.transpose() {
            Err(StartError::Interrupted(_)) => return Ok(Exit::Interrupted),
            Err(error) => {
                say!("  FAILED     {error}");
                exit = Exit::SomeFailed;
                continue;
            }
            Ok(server) => server,
        };
        for (point, finding) in verify_target(&target) {
            // What is between, as Docker's proxy is, may hide what a server does to its connections.
            let hidden = args.running && finding == Finding::HoldsAfterAll;
            exit = if finding.is_wrong() && !hidden { Exit::SomeFailed } else { exit };
            match finding {
                _ if hidden => say!("  holds      {:<18} {} (by itself it cannot)", point.name, point.agreed),
                Finding::Holds => say!("  holds      {:<18} {}", point.name, point.agreed),
                Finding::Cannot(why) => say!("  cannot     {:<18} {}: {why}", point.name, point.agreed),
                Finding::Differs(what) => say!("  DIFFERS    {:<18} {}: {what}", point.name, point.agreed),
                Finding::HoldsAfterAll => {
                    say!("  UNTRUE     {:<18} its description says that it cannot, but it does", point.name);
                }
            }
            if interrupt::asked() {
                return Ok(Exit::Interrupted);
            }
        }
        for (setting, reason) in &target.description.settings {
            say!("  set        {setting}: {reason}");
        }
        for sentence in &target.description.known {
            say!("  known      {sentence}");
        }
        if let Err(why) = server.map_or(Ok(()), Server::stop) {
            say!("  FAILED     {why}");
            exit = Exit::SomeFailed;
        }
    }
    Ok(exit)
}

/// `hello-bench serve`
///
/// # Errors
/// For wrong use.
pub fn serve(args: &ServeArgs) -> Result<Exit> {
    interrupt::install()?;
    let workspace = Workspace::find()?;
    let target = args.pick(&workspace)?;
    let mut server = match started(&workspace, &target, args.workers.map(usize::from)) {
        Ok(server) => server,
        Err(StartError::Interrupted(_)) => return Ok(Exit::Interrupted),
        Err(error @ StartError::PortTaken { .. }) => return Err(error.into()),
        Err(error) => {
            eprintln!("hello-bench: {}: {error}", target.name());
            return Ok(Exit::SomeFailed);
        }
    };
    say!("{} answers at {} (pid {}); Ctrl-C stops it", target.name(), target.url(), server.pid());
    let every = Duration::from_millis(100);
    if let Ok(Some(why)) = interrupt::wait_for(Duration::MAX, every, || server.still_itself().err()) {
        eprintln!("hello-bench: {}: {why}", target.name());
        return Ok(Exit::SomeFailed);
    }
    server.stop().map_err(anyhow::Error::msg)?;
    Ok(Exit::Well)
}

fn started(workspace: &Workspace, target: &Target, workers: Option<usize>) -> Result<Server, StartError> {
    process::build(workspace, target)?.map_err(|error| StartError::Failed(error.to_string()))?;
    let log = tempfile::Builder::new()
        .prefix("hello-bench-")
        .suffix(".txt")
        .tempfile()
        .map_err(|error| StartError::Failed(format!("what it prints cannot be kept: {error}")))?;
    let program = own_program();
    let start = StartOptions { program, workers, log: log.path(), environment_padding: 0, containers: None };
    Server::start(target, &start)
}

/// `hello-bench run`
///
/// # Errors
/// For wrong use, and when the result cannot be kept.
pub fn run(args: &RunArgs) -> Result<Exit> {
    interrupt::install()?;
    let workspace = Workspace::find()?;
    let made = match (&args.resume, args.wish()?) {
        // The lock before it is read: a run that is still being made is not one that stopped.
        (Some(folder), _) => run::resume(&Lock::take()?, &workspace, folder)?,
        (None, Some(wish)) => run::planned(&Lock::take()?, &workspace, args.request(&workspace)?, wish)?,
        (None, None) => run::run(&Lock::take()?, &workspace, &args.request(&workspace)?)?,
    };
    Ok(exit_of_made(&made))
}

/// `hello-bench sweep`
///
/// # Errors
/// For wrong use, and when the result cannot be kept.
pub fn sweep(args: &SweepArgs) -> Result<Exit> {
    interrupt::install()?;
    let workspace = Workspace::find()?;
    let request = args.request(&workspace)?;
    Ok(exit_of_made(&run::run(&Lock::take()?, &workspace, &request)?))
}

/// `hello-bench versus`
///
/// # Errors
/// For wrong use, and when the result cannot be kept.
pub fn versus(args: &VersusArgs) -> Result<Exit> {
    interrupt::install()?;
    let workspace = Workspace::find()?;
    let wish = args.wish()?;
    // Before the builds, which would disturb a run that is being made.
    let lock = Lock::take()?;
    let request = args.request(&workspace)?;
    let made = match wish {
        Some(wish) => run::planned(&lock, &workspace, request, wish)?,
        None => run::run(&lock, &workspace, &request)?,
    };
    match (made.ended, &made.folder) {
        (Ended::Interrupted, _) | (_, None) => Ok(exit_of_made(&made)),
        (ended, Some(folder)) => {
            let (compared, _) = compare::versus_words(&Run::read(folder)?)?;
            Ok(match compare::exit(&compared, args.gate()) {
                Exit::Well => exit_of(ended),
                decided => decided,
            })
        }
    }
}

/// As [`exit_of`]; and who ended it before the first slice is told that there is nothing.
fn exit_of_made(made: &Made) -> Exit {
    if made.ended == Ended::Interrupted && made.folder.is_none() {
        eprintln!("hello-bench: interrupted before the first slice; nothing was kept");
    }
    exit_of(made.ended)
}

fn exit_of(ended: Ended) -> Exit {
    match ended {
        Ended::Well => Exit::Well,
        Ended::SomeFailed => Exit::SomeFailed,
        Ended::Interrupted => Exit::Interrupted,
    }
}

/// `hello-bench replay`
///
/// # Errors
/// For wrong use, and when the result cannot be kept.
pub fn replay(args: &ReplayArgs) -> Result<Exit> {
    match args.asked()? {
        ReplayAsked::List => {
            for replay in replay::REPLAYS {
                say!("{:<20} {}", replay.name(), replay.about());
            }
            Ok(Exit::Well)
        }
        ReplayAsked::Again(folder) => Ok(if replay::again(folder)? { Exit::SomeFailed } else { Exit::Well }),
        ReplayAsked::Make(experiment) => {
            interrupt::install()?;
            let workspace = Workspace::find()?;
            Ok(exit_of(replay::run(&workspace, &args.request(experiment, &workspace)?)?))
        }
    }
}

/// `hello-bench report`
///
/// # Errors
/// When a folder is no run, or a file cannot be written.
pub fn report(args: &ReportArgs) -> Result<Exit> {
    let _ = std::io::stdout().write_all(args.publish()?.as_bytes());
    Ok(Exit::Well)
}

/// `hello-bench compare`
///
/// # Errors
/// When a run cannot be read, or the two cannot be compared.
pub fn compare(args: &CompareArgs) -> Result<Exit> {
    let (compared, text) = args.compared()?;
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(compare::exit(&compared, args.gate()))
}

/// `hello-bench self-test`
///
/// # Errors
/// When a live run cannot be made.
pub fn self_test(args: &SelfTestArgs) -> Result<Exit> {
    interrupt::install()?;
    let all_hold = args.answers(|answer| say!("{}", answer.words))?;
    Ok(match all_hold {
        None => Exit::Interrupted,
        Some(true) => Exit::Well,
        Some(false) => Exit::SomeFailed,
    })
}

/// The hidden `hello-bench burn-server`
///
/// # Errors
/// When it cannot listen.
pub fn burn_server(args: &BurnServerArgs) -> Result<Exit> {
    self_test::serve_and_burn((args.host, args.port).into(), args.burn_us)?;
    Ok(Exit::Well)
}

/// `hello-bench features`
///
/// # Errors
/// When cargo cannot say.
pub fn features() -> Result<Exit> {
    let workspace = Workspace::find()?;
    let packages: Vec<&str> = workspace
        .targets
        .iter()
        .filter_map(|target| match &target.source {
            Source::Package { package, .. } => Some(package.as_str()),
            Source::Revision { .. } | Source::Command { .. } | Source::Original { .. } => None,
        })
        .collect();
    let together = workspace.features(&[])?;
    let mut differences = 0;
    for package in &packages {
        for (dependency, alone) in workspace.features(&[package])? {
            let more: Vec<&str> = together
                .get(&dependency)
                .into_iter()
                .flatten()
                .filter(|f| !alone.contains(*f))
                .map(String::as_str)
                .collect();
            if !more.is_empty() {
                differences += 1;
                say!("{package}: {dependency} would also have {}", more.join(", "));
            }
        }
    }
    say!(
        "{differences} differences between builds of their own and a build of the workspace, in {} servers",
        packages.len()
    );
    Ok(Exit::Well)
}

/// `hello-bench parse`
///
/// # Errors
/// When a file cannot be read.
pub fn parse(args: &ParseArgs) -> Result<Exit> {
    let read = |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let stdout = read(&args.stdout)?;
    let stderr = args.stderr.as_ref().map(read).transpose()?.unwrap_or_default();
    let side_file = args.csv.as_ref().map(read).transpose()?;
    let exit = args.exit_code.map_or(load::Exit::Unknown, load::Exit::from_number);
    let output = load::Output { stdout: &stdout, stderr: &stderr, exit, side_file: side_file.as_deref() };
    let object = load::parse_to_json(&args.tool, &output).map_err(anyhow::Error::msg)?;
    say!("{object}");
    Ok(Exit::Well)
}

/// `hello-bench compose`
///
/// # Errors
/// For targets that cannot be services, and when a file cannot be written.
pub fn compose(args: &ComposeArgs) -> Result<Exit> {
    let workspace = Workspace::find()?;
    let targets = all(&workspace, &[])?;
    if args.write {
        for path in compose::write(&targets, &workspace.root)? {
            say!("wrote {}", path.display());
        }
    } else {
        let text = compose::text(&targets, &workspace.root, args.network)?;
        let _ = std::io::stdout().write_all(text.as_bytes());
    }
    Ok(Exit::Well)
}

/// `hello-bench doctor`
///
/// # Errors
/// Outside the project.
pub fn doctor() -> Result<Exit> {
    let workspace = Workspace::find()?;
    let tools = load::TOOLS.map(|tool| doctor::Tool {
        name: tool.name().to_owned(),
        program: tool.name().to_owned(),
        version: tool::version(tool),
        how_to_install: tool.install().to_owned(),
        required: ["wrk", "ab"].contains(&tool.name()),
    });
    let facts = doctor::Facts::gather(tools.into(), &workspace.root);
    for line in facts.lines() {
        say!("{line}");
    }
    Ok(if facts.is_well() { Exit::Well } else { Exit::SomeFailed })
}

/// The hidden `hello-bench supervise`
///
/// # Errors
/// When it cannot become what it must be.
pub fn supervise(args: &SuperviseArgs) -> Result<Exit> {
    supervisor::supervise(&args.command, &args.log)?;
    Ok(Exit::Well)
}

/// The hidden `hello-bench contain`
///
/// # Errors
/// When the container cannot be launched, or not be removed.
pub fn contain(args: &ContainArgs) -> Result<std::convert::Infallible> {
    std::process::exit(docker::contain(&args.name, &args.command)?.into())
}

/// The hidden `hello-bench run-tool`
///
/// # Errors
/// When the tool cannot be run.
pub fn run_tool(args: &RunToolArgs) -> Result<Exit> {
    tool::become_tool(&args.command, args.parent)?;
    Ok(Exit::Well)
}
