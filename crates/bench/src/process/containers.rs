//! How the targets of a run are put into containers.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::docker;
use crate::container::{Launch, Launcher, Limits, Network, Service, without_container};
use crate::machine::{Known, Program};
use crate::targets::Target;

/// Files that a server has open beside its connections.
const OTHER_FILES: u64 = 200;

/// How targets are put into containers.
#[derive(Debug, Clone)]
pub struct Containers {
    /// The project's root.
    pub root: PathBuf,
    /// How they are reached.
    pub network: Network,
    /// What each may use.
    pub limits: Limits,
}

impl Containers {
    /// The service that a target is.
    ///
    /// # Errors
    /// In words, when it is none.
    pub fn service<'a>(&self, target: &'a Target) -> std::result::Result<Service<'a>, String> {
        let service = Service::of(target, &self.root).map_err(|error| error.to_string())?;
        service.ok_or_else(|| without_container(target))
    }

    /// The workers of a target; 0 where that cannot be chosen.
    pub fn workers(&self, target: &Target, chosen: Option<usize>) -> usize {
        if target.workers(None) == 0 { 0 } else { chosen.unwrap_or_else(|| self.limits.workers(target)) }
    }

    /// The command line that launches a target's container under a name.
    ///
    /// # Errors
    /// As [`Containers::service`].
    pub fn line(
        &self,
        target: &Target,
        name: &str,
        workers: Option<usize>,
        environment_padding: usize,
    ) -> std::result::Result<Vec<String>, String> {
        Ok(self.service(target)?.run_line(&Launch {
            name,
            network: self.network,
            host: target.host,
            limits: &self.limits,
            workers: self.workers(target, workers),
            environment_padding,
        }))
    }

    /// That the servers can hold so many connections.
    ///
    /// # Errors
    /// In one line, with what to do.
    pub fn must_hold(&self, connections: u32) -> Result<()> {
        let (files, needed) = (self.limits.open_files(), u64::from(connections) + OTHER_FILES);
        ensure!(
            files >= needed,
            "containers may open {files} files, too few for {connections} connections; set HELLO_BENCH_FILES={needed}"
        );
        Ok(())
    }

    /// The image that a target's container runs, as its program: its id is the checksum of what is in it.
    pub fn program(&self, target: &Target) -> Option<Program> {
        let path = self.service(target).ok()?.image();
        let (sha256, bytes) = docker::image(&path)?;
        Some(Program { path, bytes, sha256, linked: Known::Unknown })
    }

    /// The name of a target's container in this process's run.
    pub fn name_of(target: &Target) -> String {
        let word: String = target.name().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        format!("hello-bench-{}-{}", std::process::id(), word.trim_end_matches('-'))
    }

    /// The launcher that this is.
    pub fn launcher(&self) -> Launcher {
        Launcher::Docker { network: self.network, limits: self.limits.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_connections_than_files_are_refused_with_what_would_do() {
        let containers = Containers { root: PathBuf::new(), network: Network::Host, limits: Limits::default() };
        assert!(containers.must_hold(1000).is_ok());
        let refused = containers.must_hold(20_000).unwrap_err().to_string();
        assert!(refused.ends_with("too few for 20000 connections; set HELLO_BENCH_FILES=20200"), "{refused}");
    }
}
