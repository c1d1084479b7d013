//! One service: how its image is built, and what it is told.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::Network;
use crate::targets::{Source, Target, Workers};

/// A target as a service.
pub struct Service<'a> {
    target: &'a Target,
    image: Image,
}

/// Where its image comes from.
enum Image {
    /// docker/rust.Dockerfile with this server.
    Rust { server: String },
    /// The folder of an original, below the project's root; targets of one folder share its image.
    Folder { folder: PathBuf },
}

impl<'a> Service<'a> {
    /// The service that a target is; `None` for one that has no container.
    ///
    /// # Errors
    /// For a target that lies outside the project.
    pub fn of(target: &'a Target, root: &Path) -> Result<Option<Self>> {
        let image = match &target.source {
            Source::Package { package, .. } => {
                Image::Rust { server: package.strip_prefix("server-").unwrap_or(package).to_owned() }
            }
            Source::Command { folder } => {
                if !folder.join("Dockerfile").is_file() {
                    return Ok(None);
                }
                let below = folder.strip_prefix(root).ok();
                let folder = below.with_context(|| format!("{} is not in this project", folder.display()))?.to_owned();
                Image::Folder { folder }
            }
        };
        Ok(Some(Self { target, image }))
    }

    /// The groups that it belongs to.
    pub fn groups(&self) -> Vec<String> {
        match self.image {
            Image::Rust { .. } => vec!["rust".to_owned()],
            Image::Folder { .. } => vec!["originals".to_owned()],
        }
    }

    /// The name of its image.
    fn image(&self) -> String {
        let name = match &self.image {
            Image::Rust { server } => server.to_lowercase(),
            Image::Folder { folder } => folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase(),
        };
        format!("hello-bench/{name}")
    }

    /// Its part of a compose file.
    pub fn yaml(&self, network: Network) -> String {
        let (name, port) = (self.target.name(), self.target.description.port);
        let host = match network {
            Network::Host => "127.0.0.1",
            Network::Bridge => "0.0.0.0",
        };
        let mut text = format!("  {name}:\n    <<: *service\n    image: {}\n    build:\n", self.image());
        match &self.image {
            Image::Rust { server } => {
                let version = env!("CARGO_PKG_VERSION");
                text += "      context: ..\n      dockerfile: docker/rust.Dockerfile\n";
                let _ = writeln!(
                    text,
                    "      args: {{SERVER: {server}, VERSION: {version}, COMMIT: \"${{HELLO_BENCH_COMMIT:-unknown}}\"}}"
                );
            }
            Image::Folder { folder } => {
                let folder = folder.strip_prefix("docker").map_or_else(|_| Path::new("..").join(folder), PathBuf::from);
                let _ = writeln!(text, "      context: {}", folder.display());
            }
        }
        let _ = writeln!(text, "    environment:\n      HOST: {host}\n      PORT: \"{port}\"");
        if self.target.description.workers != Workers::Fixed {
            // Without a value it is the caller's, or not set at all.
            text += "      WORKERS:\n";
        }
        match network {
            Network::Host => text += "    network_mode: host\n",
            Network::Bridge => {
                let _ = writeln!(text, "    ports: [\"${{HELLO_BENCH_BIND:-127.0.0.1}}:{port}:{port}\"]");
            }
        }
        text
    }
}
