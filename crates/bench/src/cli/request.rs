//! From the flags of `run` to what is to be measured, and how.

use anyhow::{Context, Error, Result, ensure};

use super::run::Blocks;
use super::{RunArgs, one};
use crate::container::{Limits, Network};
use crate::load::{self, Extent, LoadTool, Shape};
use crate::plan::{Setting, default_blocks};
use crate::process::Containers;
use crate::run::{PILOT_BLOCKS, Request, Wish, fresh_seed};
use crate::stats::Rules;
use crate::targets::{Target, Workspace, again, all, cores, pick};

impl RunArgs {
    /// What is to be measured, and how.
    ///
    /// # Errors
    /// For what the targets or the load tool cannot do.
    pub fn request(&self, workspace: &Workspace) -> Result<Request> {
        let shapes = if self.shape.is_empty() { vec![Shape::KeepAlive, Shape::Close] } else { self.shape.clone() };
        let fixed_rate = shapes.contains(&Shape::FixedRate);
        ensure!(self.rate.is_some() || !fixed_rate, "--shape fixed-rate needs --rate, in requests per second");
        ensure!(self.rate.is_none() || fixed_rate, "--rate is for --shape fixed-rate");
        let compared = self.compared(workspace, &shapes)?;
        Ok(Request { containers: self.containers(workspace)?, ..self.request_of(shapes, Vec::new(), compared)? })
    }

    /// What the number of blocks is to be planned from, if it is.
    ///
    /// # Errors
    /// For flags that mean nothing together.
    pub fn wish(&self) -> Result<Option<Wish>> {
        if self.blocks != Some(Blocks::Auto) {
            ensure!(self.resolve.is_none(), "--resolve is for --blocks auto");
            ensure!(self.max_blocks.is_none(), "--max-blocks is for --blocks auto");
            return Ok(None);
        }
        ensure!(!self.quick, "--quick is 2 blocks, and --blocks auto is as many as it takes");
        Ok(Some(Wish { resolve: self.resolve.unwrap_or(0.03), at_most: self.max_blocks.unwrap_or(60) }))
    }

    /// The same with these shapes and steps, of these targets and the baseline among them.
    pub(super) fn request_of(
        &self,
        mut shapes: Vec<Shape>,
        sweep: Vec<Setting>,
        (targets, baseline): (Vec<Target>, String),
    ) -> Result<Request> {
        shapes.sort_unstable();
        shapes.dedup();
        let pipelined = shapes.contains(&Shape::Pipelined);
        ensure!(self.depth.is_none() || pipelined, "--depth is for --shape pipelined");
        let default = if shapes.contains(&Shape::FixedRate) { "oha" } else { "wrk" };
        let name = self.tool.as_deref().unwrap_or(default);
        let tool: &'static dyn LoadTool = load::tool(name).with_context(|| format!("no load tool is called {name}"))?;
        let connections = self.connections.unwrap_or(64);
        let mut request = Request {
            targets,
            baseline,
            rules: Rules::new(self.min_effect, self.margin)?,
            tool,
            shapes,
            depth: self.depth.unwrap_or(16),
            rate: self.rate.unwrap_or_default(),
            sweep,
            connections,
            threads: self.threads_of(tool, connections)?,
            blocks: 2,
            extent: self.requests.map_or(Extent::Time(self.slice), Extent::Requests),
            workers: self.workers.map(usize::from),
            seed: self.seed.unwrap_or_else(fresh_seed),
            out: self.out.clone(),
            target_files: self.targets.targets.clone(),
            versus: None,
            containers: None,
        };
        match (self.blocks, self.quick) {
            (Some(Blocks::Number(blocks)), _) => request.blocks = blocks,
            // Those of the pilot: the run's own are not known yet.
            (Some(Blocks::Auto), _) => request.blocks = PILOT_BLOCKS,
            (None, true) => {}
            (None, false) => request.blocks = default_blocks(request.most_in_a_shape(), &request.rules),
        }
        let cells = request.cells();
        ensure!(!cells.is_empty(), "none of these targets can hold this shape");
        for cell in &cells {
            // The tool itself knows what it cannot do: it is asked before anything is built.
            let job = request.job("http://127.0.0.1:1/".to_owned(), cell);
            tool.command(&job, "side.txt".as_ref()).map_err(Error::msg)?;
        }
        Ok(request)
    }

    /// The targets, among them the baseline, and its name.
    pub(super) fn compared(&self, workspace: &Workspace, shapes: &[Shape]) -> Result<(Vec<Target>, String)> {
        let docker = self.launcher == "docker";
        let mut targets =
            if docker { self.targets.pick_in_containers(workspace)? } else { self.targets.pick(workspace)? };
        let baseline = if let Some(name) = &self.baseline {
            let all = all(workspace, &self.targets.targets)?;
            let baseline = if docker { pick(&all, std::slice::from_ref(name))?.remove(0) } else { one(&all, name)? };
            let name = baseline.name().to_owned();
            if targets.iter().all(|target| target.name() != name) {
                targets.insert(0, baseline);
            }
            name
        } else {
            let holds_all = |target: &&Target| shapes.iter().all(|shape| target.description.holds(*shape));
            let first = targets.iter().find(|target| target.name() == "tokio").or(targets.iter().find(holds_all));
            first.or(targets.first()).context("there is no target")?.name().to_owned()
        };
        let twin = again(&baseline);
        let taken = targets.iter().any(|target| target.name() == twin);
        ensure!(!taken, "a target is called {twin:?}, as the baseline's second self will be; give it another name");
        Ok((targets, baseline))
    }

    /// How targets are put into containers, if they are.
    pub(super) fn containers(&self, workspace: &Workspace) -> Result<Option<Containers>> {
        let docker = self.launcher == "docker";
        ensure!(docker || self.docker_network.is_none(), "--docker-network is for --launcher docker");
        if !docker {
            return Ok(None);
        }
        let limits = Limits::of(|name| std::env::var(name).ok())?;
        let network = self.docker_network.unwrap_or(Network::Host);
        Ok(Some(Containers { root: workspace.root.clone(), network, limits }))
    }

    fn threads_of(&self, tool: &dyn LoadTool, connections: u32) -> Result<u32> {
        match (tool.own_threads(), self.threads) {
            (Some(own), Some(wanted)) => {
                ensure!(own == wanted, "{} has {own} thread, not {wanted}", tool.name());
                Ok(own)
            }
            (Some(own), None) => Ok(own),
            (None, Some(wanted)) => Ok(wanted),
            (None, None) => Ok(u32::try_from(cores() / 2).unwrap_or(1).clamp(1, connections)),
        }
    }
}
