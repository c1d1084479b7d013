//! What `hello-bench doctor` says: what is there, what is missing and how to get it.

use std::path::Path;

use super::{Bounds, Known, Limits, Machine, Program, Root, Toolchain, checksum, preflight};

/// A load tool, as its module describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The program, as it is looked for on PATH.
    pub program: String,
    /// What it says of its version; `None` if it is not there.
    pub version: Option<String>,
    /// How to get it.
    pub how_to_install: String,
    /// Whether nothing works without it.
    pub required: bool,
}

/// A load tool that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What was looked for.
    pub tool: Tool,
    /// The program on PATH; unknown if there is none.
    pub program: Known<Program>,
}

/// What a doctor looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The load tools.
    pub tools: Vec<Found>,
    /// What servers are built with.
    pub toolchain: Toolchain,
    /// The limits of this process.
    pub limits: Limits,
    /// What preflight would say.
    pub warnings: Vec<String>,
}

/// Finds each load tool on PATH.
pub fn find_tools(tools: Vec<Tool>) -> Vec<Found> {
    let find =
        |tool: Tool| Found { program: checksum::Program::of_command(&tool.program, Path::new(".")).into(), tool };
    tools.into_iter().map(find).collect()
}

impl Facts {
    /// Looks at this machine and the workspace, which takes [`preflight::LOOK`] and the time that the tools take.
    pub fn gather(tools: Vec<Tool>, workspace: &Path) -> Self {
        let machine = Machine::read();
        let now = preflight::Now::look(&Root::system(), &[], &workspace.join("results"), 0);
        Self {
            tools: find_tools(tools),
            toolchain: Toolchain::read(workspace),
            warnings: preflight::warnings(&machine, &now),
            limits: machine.limits,
        }
    }

    /// Whether everything is there that is required.
    pub fn is_well(&self) -> bool {
        let tools = self.tools.iter().all(|found| !found.tool.required || is_there(found));
        tools && self.toolchain.cargo.get().is_some() && self.toolchain.cc.get().is_some()
    }

    /// What to print, line by line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.tools.iter().map(tool_line).collect();
        let toolchain = &self.toolchain;
        let needed = [
            ("cargo", toolchain.cargo.clone(), "https://rustup.rs"),
            ("rustc", toolchain.compiler().map(|line| (*line).to_owned()), "https://rustup.rs"),
            ("cc", toolchain.cc.clone(), "apt install gcc"),
        ];
        for (name, version, how) in needed {
            lines.push(match version {
                Known::Is(version) => line("ok", name, &version),
                Known::Unknown => line("MISSING", name, &format!("needed to build the servers; get it: {how}")),
            });
        }
        for (name, bounds) in [("open files", &self.limits.open_files), ("processes", &self.limits.processes)] {
            let Bounds { soft, hard } = bounds;
            lines.push(line("limit", name, &format!("{soft}, may be raised to {hard}")));
        }
        lines.extend(self.warnings.iter().map(|warning| line("warning", "", warning)));
        lines
    }
}

/// A program that does not tell its version is not one that can be relied on.
fn is_there(found: &Found) -> bool {
    found.program.get().is_some() && found.tool.version.is_some()
}

fn tool_line(found: &Found) -> String {
    let tool = &found.tool;
    let get = format!("get it: {}", tool.how_to_install);
    match (&found.program, &tool.version) {
        (Known::Is(program), Some(version)) => line("ok", &tool.name, &format!("{version}, {}", program.path)),
        (Known::Is(program), None) => {
            let state = if tool.required { "BROKEN" } else { "broken" };
            line(state, &tool.name, &format!("{} does not tell its version; {get}", program.path))
        }
        (Known::Unknown, _) if tool.required => line("MISSING", &tool.name, &format!("required; {get}")),
        (Known::Unknown, _) => line("missing", &tool.name, &format!("optional; {get}")),
    }
}

fn line(state: &str, name: &str, what: &str) -> String {
    if name.is_empty() { format!("{state:<8} {what}") } else { format!("{state:<8} {name:<10} {what}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::Limit;
    use super::*;

    fn found(name: &str, there: bool, version: Option<&str>, required: bool) -> Found {
        let program = there.then(|| Program {
            path: format!("/usr/bin/{name}"),
            bytes: 1,
            sha256: String::new(),
            linked: Known::Unknown,
        });
        Found {
            tool: Tool {
                name: name.to_owned(),
                program: name.to_owned(),
                version: version.map(str::to_owned),
                how_to_install: format!("apt install {name}"),
                required,
            },
            program: program.into(),
        }
    }

    fn facts(tools: Vec<Found>) -> Facts {
        let bounds = |soft, hard| Bounds { soft: Known::Is(soft), hard: Known::Is(hard) };
        Facts {
            tools,
            toolchain: Toolchain {
                rustc: Known::Is(vec!["rustc 1.95.0 (59807616e 2026-04-14)".to_owned()]),
                cargo: Known::Is("cargo 1.95.0".to_owned()),
                cc: Known::Unknown,
                lock_sha256: Known::Unknown,
                release_profile: Known::Unknown,
                environment: BTreeMap::new(),
                cargo_config: BTreeMap::new(),
            },
            limits: Limits {
                open_files: bounds(Limit::At(1024), Limit::At(524_288)),
                processes: bounds(Limit::At(96_365), Limit::Unlimited),
                stack_bytes: bounds(Limit::Unlimited, Limit::Unlimited),
                locked_bytes: bounds(Limit::Unlimited, Limit::Unlimited),
            },
            warnings: vec!["turbo is on".to_owned()],
        }
    }

    #[test]
    fn what_is_there_and_what_is_not_is_said_with_how_to_get_it() {
        let facts = facts(vec![
            found("wrk", true, Some("4.1.0"), true),
            found("ab", false, None, true),
            found("oha", false, None, false),
            found("h2load", true, None, false),
        ]);
        insta::assert_snapshot!(facts.lines().join("\n"));
        assert!(!facts.is_well());
    }

    #[test]
    fn an_optional_tool_may_be_missing() {
        let mut facts = facts(vec![found("wrk", true, Some("4.1.0"), true), found("oha", false, None, false)]);
        assert!(!facts.is_well(), "there is no cc");
        facts.toolchain.cc = Known::Is("cc 12".to_owned());
        assert!(facts.is_well());
        facts.tools[0].tool.version = None;
        assert!(!facts.is_well());
    }
}
