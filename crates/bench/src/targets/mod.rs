//! Who can be measured: every target describes itself, and this finds them.

mod description;
mod file;
mod mirrors;
mod originals;
mod pick;
mod workspace;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

pub use description::{Description, Workers};
pub use file::from_file;
pub use mirrors::{Answer, answers};
pub use originals::{NotInstalled, originals};
pub use pick::{UnknownTarget, installed, pick};
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
    /// A command of the user's own, run in the folder of the file that names it.
    Command {
        /// The folder.
        folder: PathBuf,
    },
    /// An original, run in its folder.
    Original {
        /// The folder, `docker/originals/<folder>`.
        folder: PathBuf,
        /// Where `scripts/originals.sh` installs what it needs, `target/originals/<folder>`.
        prefix: PathBuf,
    },
}

impl Source {
    /// The folder that its command is run in; `None` if that does not matter.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Package { .. } => None,
            Self::Command { folder } | Self::Original { folder, .. } => Some(folder),
        }
    }
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
        match &self.version {
            Some(version) => format!("{what} {version}"),
            None if self.not_installed().is_some() => format!("{what}, not installed"),
            None => what.to_owned(),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(IpAddr::V4(self.host), self.description.port)
    }

    /// Whether it can be told to listen on another loopback address.
    pub fn can_move(&self) -> bool {
        match self.source {
            Source::Package { .. } | Source::Original { .. } => true,
            Source::Command { .. } => self.description.command.iter().any(|word| word.contains("{host}")),
        }
    }

    /// Where requests to it go.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address())
    }

    /// The command line that starts it; `workers` only where the user chose a number.
    pub fn command(&self, workers: Option<usize>) -> Vec<String> {
        let template = match &self.source {
            Source::Package { binary, .. } => {
                let mut line = vec![binary.display().to_string()];
                line.extend(["--host", "{host}", "--port", "{port}"].map(String::from));
                line
            }
            Source::Command { .. } | Source::Original { .. } => self.description.command.clone(),
        };
        let number = self.number(workers);
        let mut line: Vec<String> = template.iter().map(|word| self.filled_in(word, number)).collect();
        if matches!(self.source, Source::Package { .. }) && self.description.workers != Workers::Fixed {
            line.extend(["--workers".to_owned(), number.to_string()]);
        }
        line
    }

    /// What its environment says beside the caller's: the description's own variables, and for an original where to
    /// listen, with how many workers, and where it is installed, as in its container.
    pub fn environment(&self, workers: Option<usize>) -> Vec<(String, String)> {
        let number = self.number(workers);
        let mut variables: Vec<(String, String)> = Vec::new();
        if matches!(self.source, Source::Original { .. }) {
            let own = [("HOST", "{host}"), ("PORT", "{port}"), ("WORKERS", "{workers}"), ("PREFIX", "{prefix}")];
            variables.extend(own.map(|(name, value)| (name.to_owned(), self.filled_in(value, number))));
        }
        let described = self.description.environment.iter();
        variables.extend(described.map(|(name, value)| (name.clone(), self.filled_in(value, number))));
        variables
    }

    fn number(&self, workers: Option<usize>) -> usize {
        let chosen = workers.filter(|_| self.description.workers != Workers::Fixed);
        chosen.unwrap_or_else(|| self.workers(None))
    }

    fn filled_in(&self, word: &str, workers: usize) -> String {
        let address = self.address();
        let prefix = match &self.source {
            Source::Original { prefix, .. } => prefix.display().to_string(),
            Source::Package { .. } | Source::Command { .. } => String::new(),
        };
        word.replace("{host}", &address.ip().to_string())
            .replace("{port}", &address.port().to_string())
            .replace("{workers}", &workers.to_string())
            .replace("{prefix}", &prefix)
    }

    /// Whether it is one of the servers that the first comparisons measured, or stands in for one.
    pub fn is_original(&self) -> bool {
        matches!(self.source, Source::Original { .. })
    }

    /// The words by which it can be named together with others.
    pub fn groups(&self) -> Vec<String> {
        let own = self.description.group.clone().unwrap_or_else(|| self.description.language.to_lowercase());
        let originals = self.is_original().then(|| "originals".to_owned());
        originals.into_iter().chain([own]).collect()
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

/// The servers of the workspace, the originals and the targets of files of the user's own.
///
/// # Errors
/// For a file that cannot be used, and for a name that is there twice.
pub fn all(workspace: &Workspace, files: &[PathBuf]) -> anyhow::Result<Vec<Target>> {
    let mut all = workspace.targets.clone();
    let mut add = |targets: Vec<Target>, from: &Path| {
        for target in targets {
            if let Some(other) = all.iter().find(|other| other.name() == target.name()) {
                anyhow::bail!("{}: there is already a target called {}", from.display(), other.name());
            }
            all.push(target);
        }
        Ok(())
    };
    add(originals(&workspace.root)?, Path::new("docker/originals"))?;
    for file in files {
        add(from_file(file)?, file)?;
    }
    Ok(all)
}

/// The cores that this process may use, as a cgroup quota or an affinity mask leaves them.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}
