//! The subcommands, each a few lines over what the modules do.

mod look;
mod measure;

use std::io::Write;
use std::time::Duration;

use anyhow::Result;

use crate::check::{Finding, verify as verify_target};
use crate::cli::{BurnServerArgs, ContainArgs, RunToolArgs, ServeArgs, SuperviseArgs, VerifyArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::process::server::StartOptions;
use crate::process::{self, Server, StartError, docker, own_program, supervisor, tool};
use crate::self_test;
use crate::targets::{Target, Workspace};

pub use look::{compose, doctor, features, list, mirrors, parse, results};
pub use measure::{compare, replay, report, run, self_test, sweep, versus};

/// To standard output, which may have been closed.
macro_rules! say {
    ($($words:tt)*) => {{ let _ = writeln!(std::io::stdout(), $($words)*); }};
}
use say;

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

/// The hidden `hello-bench burn-server`
///
/// # Errors
/// When it cannot listen.
pub fn burn_server(args: &BurnServerArgs) -> Result<Exit> {
    self_test::serve_and_burn((args.host, args.port).into(), args.burn_us)?;
    Ok(Exit::Well)
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
