//! hello-bench: parse, dispatch, exit status.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use hello_bench::cli::{Cli, Command};
use hello_bench::commands;
use hello_bench::exit::Exit;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| error.exit());
    let result = match cli.command {
        Command::List(args) => commands::list(&args),
        Command::Mirrors => commands::mirrors(),
        Command::Verify(args) => commands::verify(&args),
        Command::Serve(args) => commands::serve(&args),
        Command::Run(args) => commands::run(&args),
        Command::Sweep(args) => commands::sweep(&args),
        Command::Compare(args) => commands::compare(&args),
        Command::SelfTest(args) => commands::self_test(&args),
        Command::BurnServer(args) => commands::burn_server(&args),
        Command::Features => commands::features(),
        Command::Parse(args) => commands::parse(&args),
        Command::Compose(args) => commands::compose(&args),
        Command::Doctor => commands::doctor(),
        Command::Supervise(args) => commands::supervise(&args),
        Command::Contain(args) => commands::contain(&args).map(|never| match never {}),
        Command::RunTool(args) => commands::run_tool(&args),
    };
    result
        .unwrap_or_else(|error| {
            // One line, whatever the chain of causes.
            let _ = writeln!(std::io::stderr(), "hello-bench: {}", format!("{error:#}").replace('\n', " "));
            Exit::WrongUse
        })
        .into()
}
