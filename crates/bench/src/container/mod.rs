//! Targets in containers: what a service is, the compose files that describe them all, and how one is launched for a run.

pub mod compose;
mod service;

use std::path::Path;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

pub use service::{LABEL, Launch, Limits, Service, without_container};

/// How services are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// They share the host's network, as processes of the host do, and listen on 127.0.0.1.
    Host,
    /// Each has a network of its own behind a bridge, and its port is published on 127.0.0.1.
    Bridge,
}

impl Network {
    /// The compose file that describes it, below the project's root.
    pub fn file(self) -> &'static Path {
        Path::new(match self {
            Self::Host => "docker/compose.host.yaml",
            Self::Bridge => "docker/compose.yaml",
        })
    }
}

/// What targets are started by. Figures of different launchers are never in one ranking.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Launcher {
    /// The harness itself, as processes of this machine.
    #[default]
    Native,
    /// Docker, as containers of this machine.
    Docker {
        /// How they are reached.
        network: Network,
        /// What each may use.
        limits: Limits,
    },
}

impl Launcher {
    /// Whether it is the usual one, which older records do not name.
    pub fn is_native(&self) -> bool {
        matches!(self, Self::Native)
    }

    /// What a reader of the figures must know of it.
    pub fn note(&self) -> Option<String> {
        let carried = match self {
            Self::Native => return None,
            Self::Docker { network: Network::Host, .. } => "",
            Self::Docker { network: Network::Bridge, .. } => {
                ", with what docker-proxy used to carry its connections where there is one"
            }
        };
        Some(format!(
            "started by {self}: cost and memory are those of each container's cgroup{carried}. They are in no ranking with \
             figures of servers that were not in containers."
        ))
    }
}

impl std::fmt::Display for Launcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Native => f.write_str("native"),
            Self::Docker { network: Network::Host, limits } => write!(f, "Docker on the host's network{limits}"),
            Self::Docker { network: Network::Bridge, limits } => write!(f, "Docker behind a bridge{limits}"),
        }
    }
}
