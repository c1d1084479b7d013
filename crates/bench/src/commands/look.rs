//! The subcommands that show what is there, and change nothing but the compose files.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use comfy_table::{ContentArrangement, Table as Grid, presets};

use super::say;
use crate::cli::{ComposeArgs, ParseArgs, ResultsArgs, TargetArgs};
use crate::container::compose;
use crate::exit::Exit;
use crate::load;
use crate::machine::doctor;
use crate::process::tool;
use crate::replay;
use crate::results::listing::{self, Listed};
use crate::targets::{Source, Workspace, all, answers};
use crate::voice;

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
    let all = listing::in_order([listing::list(&folder)?, replay::list(&folder)?].concat());
    if all.is_empty() {
        say!("no runs and no replays in {}", folder.display());
        return Ok(Exit::Well);
    }
    let mut grid = fitting(["folder", "what", "began", "machine", "commit", "state", "targets"]);
    for Listed { folder, known } in &all {
        match known {
            Ok(known) => grid.add_row([
                folder,
                &known.what,
                &known.began,
                &known.machine,
                &known.commit,
                &known.state.to_string(),
                &known.targets.join(", "),
            ]),
            Err(why) => grid.add_row([folder.as_str(), "–", "–", "–", "–", &format!("unreadable: {why}"), "–"]),
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
