//! `versus`: the flags of `run`, and which two commits.

use anyhow::{Result, ensure};
use clap::Args;

use super::{GateArgs, RunArgs};
use crate::compare::Gate;
use crate::load::Shape;
use crate::results::{PairRecord, RevisionRecord, VersusRecord};
use crate::run::{Request, Wish};
use crate::targets::{Revision, Workspace, both};

/// `versus`.
#[derive(Debug, Args)]
pub struct VersusArgs {
    /// The commit that is compared with: a hash, a branch, a tag, HEAD~1
    #[arg(value_name = "REV_A")]
    a: String,

    /// The commit that may be better or worse
    #[arg(value_name = "REV_B")]
    b: String,

    #[command(flatten)]
    run: RunArgs,

    #[command(flatten)]
    gate: GateArgs,
}

impl VersusArgs {
    /// Checks both commits out, and says what is to be measured.
    ///
    /// # Errors
    /// For what is no commit, has not the targets, or cannot be measured so.
    pub fn request(&self, workspace: &Workspace) -> Result<Request> {
        let run = &self.run;
        ensure!(
            run.targets.targets.is_empty(),
            "targets of a file have no commits: --targets is for `hello-bench run`"
        );
        ensure!(run.baseline.is_none(), "every target is compared with itself: --baseline is for `hello-bench run`");
        ensure!(
            run.containers(workspace)?.is_none(),
            "two commits are compared as processes: not with --launcher docker"
        );
        let (a, b) = (Revision::checkout(&workspace.root, &self.a)?, Revision::checkout(&workspace.root, &self.b)?);
        ensure!(a.hash != b.hash, "{} and {} are one commit, {}", self.a, self.b, a.short());
        let names = self.names(workspace, &a, &b)?;
        let shapes = if run.shape.is_empty() { vec![Shape::KeepAlive, Shape::Close] } else { run.shape.clone() };
        let record =
            |revision: &Revision| RevisionRecord { called: revision.called.clone(), hash: revision.hash.clone() };
        let pair = |target: &String| PairRecord { target: target.clone(), a: a.name_of(target), b: b.name_of(target) };
        let versus = VersusRecord { a: record(&a), b: record(&b), pairs: names.iter().map(pair).collect() };
        let targets = both(&a, &b, &names)?;
        let baseline = targets[0].name().to_owned();
        let request = run.request_of(shapes, Vec::new(), (targets, baseline))?;
        Ok(Request { versus: Some(versus), ..request })
    }

    /// Those that are named, or all that both commits have.
    fn names(&self, workspace: &Workspace, a: &Revision, b: &Revision) -> Result<Vec<String>> {
        let asked = &self.run.targets.names;
        if asked.is_empty() {
            let all = workspace.targets.iter().map(|target| target.name().to_owned());
            let (both, one): (Vec<_>, Vec<_>) = all.partition(|name| a.has(name) && b.has(name));
            if !one.is_empty() {
                eprintln!("left out, since not both commits have them: {}", one.join(", "));
            }
            ensure!(!both.is_empty(), "the two commits have no server in common");
            return Ok(both);
        }
        let mut names = Vec::new();
        for name in asked {
            for revision in [a, b] {
                ensure!(revision.has(name), "{} has no server called {name:?}", revision.called);
            }
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Ok(names)
    }

    /// What the number of blocks is to be planned from, if it is.
    ///
    /// # Errors
    /// For flags that mean nothing together.
    pub fn wish(&self) -> Result<Option<Wish>> {
        self.run.wish()
    }

    /// What the comparison must not show.
    pub fn gate(&self) -> Gate {
        self.gate.gate()
    }
}
