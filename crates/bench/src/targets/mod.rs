//! Who can be measured: every target describes itself, and this finds them.

mod description;
mod file;
mod pick;
mod revision;
mod workspace;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

pub use description::{Description, Workers};
pub use file::from_file;
pub use pick::{UnknownTarget, pick};
pub use revision::{Revision, both};
pub use workspace::{Features, Workspace, WorkspaceError};

/// Something that can be measured.
#[derive(Debug, Clone)]
pub struct Target {
    /// What it says of itself.
    pub description: Description,
    /// Where its program comes from.
    pub source: Source,
    /// The version of what it shows: from the lock file for a workspace server, else unknown.
    pub version: Option<String>,
    /// The loopback address that it listens on.
    pub host: Ipv4Addr,
}

/// Where a target's program comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A package of this workspace, built with cargo.
    Package {
        /// The package's name, as in `server-axum`.
        package: String,
        /// Where its release binary is, once it is built.
        binary: PathBuf,
    },
    /// A server of another commit of this project, built in a worktree.
    Revision {
        /// The worktree.
        root: PathBuf,
        /// The package's name.
        package: String,
        /// Where its release binary is, once it is built.
        binary: PathBuf,
    },
    /// A command of the user's own, run in the folder of the file that names it.
    Command {
        /// The folder.
        folder: PathBuf,
    },
}

/// The name that a target goes by where it takes part once more.
pub fn again(name: &str) -> String {
    format!("{name} (again)")
}

impl Target {
    /// The same under its second name.
    #[must_use]
    pub fn again(&self) -> Self {
        let description = Description { name: again(self.name()), ..self.description.clone() };
        Self { description, ..self.clone() }
    }

    /// The name that it goes by everywhere.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// What it shows, with its version: `axum 0.8.9`.
    pub fn shows(&self) -> String {
        let what = self.description.framework.as_deref().unwrap_or(self.name());
        self.version.as_ref().map_or_else(|| what.to_owned(), |version| format!("{what} {version}"))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(IpAddr::V4(self.host), self.description.port)
    }

    /// Whether it can be told to listen on another loopback address.
    pub fn can_move(&self) -> bool {
        match self.source {
            Source::Package { .. } | Source::Revision { .. } => true,
            Source::Command { .. } => self.description.command.iter().any(|word| word.contains("{host}")),
        }
    }

    /// Where requests to it go.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address())
    }

    /// The command line that starts it; `workers` only where the user chose a number.
    pub fn command(&self, workers: Option<usize>) -> Vec<String> {
        let address = self.address();
        let chosen = workers.filter(|_| self.description.workers != Workers::Fixed);
        let number = chosen.unwrap_or_else(|| self.workers(None));
        let filled = |word: &String| {
            word.replace("{host}", &address.ip().to_string())
                .replace("{port}", &address.port().to_string())
                .replace("{workers}", &number.to_string())
        };
        self.template().iter().map(filled).collect()
    }

    /// The command line with `{host}`, `{port}` and `{workers}`: a server of this workspace takes them as flags.
    pub fn template(&self) -> Vec<String> {
        let binary = match &self.source {
            Source::Package { binary, .. } | Source::Revision { binary, .. } => binary,
            Source::Command { .. } => return self.description.command.clone(),
        };
        let flags = ["--host", "{host}", "--port", "{port}", "--workers", "{workers}"];
        let known = if self.description.workers == Workers::Fixed { &flags[..4] } else { &flags[..] };
        std::iter::once(binary.display().to_string()).chain(known.iter().map(|flag| (*flag).to_owned())).collect()
    }

    /// How many threads may run requests at once, if `chosen` was asked for; 0 where that cannot be chosen.
    pub fn workers(&self, chosen: Option<usize>) -> usize {
        match self.description.workers {
            Workers::Fixed => 0,
            Workers::Cores => chosen.unwrap_or_else(cores),
            Workers::Default(n) => chosen.unwrap_or(n),
        }
    }
}

/// The targets of the workspace and of files of the user's own.
///
/// # Errors
/// For a file that cannot be used, and for a name that is there twice.
pub fn all(workspace: &Workspace, files: &[PathBuf]) -> anyhow::Result<Vec<Target>> {
    let mut all = workspace.targets.clone();
    for file in files {
        for target in from_file(file)? {
            if let Some(other) = all.iter().find(|other| other.name() == target.name()) {
                anyhow::bail!("{}: there is already a target called {}", file.display(), other.name());
            }
            all.push(target);
        }
    }
    Ok(all)
}

/// The cores that this process may use, as a cgroup quota or an affinity mask leaves them.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}
