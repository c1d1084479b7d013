//! One service: how its image is built, and what it is told, in a compose file and for a run alike.

use std::fmt::{self, Write};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::Network;
use crate::targets::{Source, Target, Workers};

/// What each container may use, the same for all; `None` is no limit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time, in cores.
    pub cpus: Option<f64>,
    /// Memory, as Docker understands it: `512m`, `1g`.
    pub memory: Option<String>,
    /// Open files.
    pub files: Option<u64>,
}

impl Limits {
    /// The limits that the compose files take from the environment.
    ///
    /// # Errors
    /// For a value that is no such limit.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty() && value != "0");
        let none = |name: &str, value: &str| format!("{name}={value} is no number above 0");
        let cpus = set("HELLO_BENCH_CPUS").map(|value| {
            let cores = value.parse().ok().filter(|cores: &f64| *cores > 0.0 && cores.is_finite());
            cores.with_context(|| none("HELLO_BENCH_CPUS", &value))
        });
        let files =
            set("HELLO_BENCH_FILES").map(|value| value.parse().ok().with_context(|| none("HELLO_BENCH_FILES", &value)));
        let memory = set("HELLO_BENCH_MEMORY");
        let is_size = |text: &str| {
            let digits = text.trim_end_matches(|c: char| "bkmgBKMG".contains(c));
            text.len() <= digits.len() + 1 && digits.parse::<u64>().is_ok()
        };
        if let Some(bad) = memory.as_deref().filter(|text| !is_size(text)) {
            anyhow::bail!("HELLO_BENCH_MEMORY={bad} is no size such as 512m or 1g");
        }
        Ok(Self { cpus: cpus.transpose()?, memory, files: files.transpose()? })
    }

    /// Files that each may open.
    pub fn open_files(&self) -> u64 {
        self.files.unwrap_or(FILES)
    }

    /// The workers of a target that was given no number; 0 where that cannot be chosen. Those that take as many as there are
    /// cores take as many as the quota has, rounded down, as the standard libraries do.
    pub fn workers(&self, target: &Target) -> usize {
        match (target.description.workers, self.cpus) {
            (Workers::Cores, Some(quota)) => {
                (1..=target.workers(None)).rev().find(|cores| *cores as f64 <= quota).unwrap_or(1)
            }
            _ => target.workers(None),
        }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(cpus) = self.cpus {
            write!(f, ", {cpus} cores")?;
        }
        if let Some(memory) = &self.memory {
            write!(f, ", {memory} of memory")?;
        }
        self.files.map_or(Ok(()), |files| write!(f, ", {files} open files"))
    }
}

/// How one container is launched for a run.
pub struct Launch<'a> {
    /// Its name.
    pub name: &'a str,
    /// How it is reached.
    pub network: Network,
    /// The address that it is reached at.
    pub host: Ipv4Addr,
    /// What it may use.
    pub limits: &'a Limits,
    /// Its workers; 0 where that cannot be chosen.
    pub workers: usize,
    /// Bytes that are added to its environment.
    pub environment_padding: usize,
}

/// The label of what a run launched: whoever has the right to measure may remove what an earlier one left.
pub const LABEL: &str = "hello-bench.launched";

/// The line for a number of workers that is the caller's, or else this one.
fn set_workers(otherwise: usize) -> String {
    format!("      WORKERS: \"${{WORKERS:-{otherwise}}}\"\n")
}

/// Why a target is no service, in one line.
pub fn without_container(target: &Target) -> String {
    let why = target.description.container_reason.as_deref();
    format!("{} has no container: {}", target.name(), why.unwrap_or("there is no Dockerfile for it in this project"))
}

/// Where an original is installed in its image.
const PREFIX: &str = "/opt/original";

/// Open files, unless told otherwise: more than the daemon itself may open cannot be given everywhere.
const FILES: u64 = 16_384;

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
    /// For an original that lies outside the project.
    pub fn of(target: &'a Target, root: &Path) -> Result<Option<Self>> {
        let image = match &target.source {
            Source::Package { package, .. } => {
                Image::Rust { server: package.strip_prefix("server-").unwrap_or(package).to_owned() }
            }
            Source::Original { folder, .. } if target.description.container => {
                let below = folder.strip_prefix(root).ok();
                let folder = below.with_context(|| format!("{} is not in this project", folder.display()))?.to_owned();
                Image::Folder { folder }
            }
            Source::Original { .. } | Source::Revision { .. } | Source::Command { .. } => return Ok(None),
        };
        Ok(Some(Self { target, image }))
    }

    /// The command line that builds its image, to be run in the project's root.
    pub fn build_line(&self, commit: &str) -> Vec<String> {
        let mut line: Vec<String> = ["docker", "build", "--tag", &self.image()].map(String::from).into();
        match &self.image {
            Image::Rust { server } => {
                line.extend(["--file", "docker/rust.Dockerfile"].map(String::from));
                for (name, value) in
                    [("SERVER", server.as_str()), ("VERSION", env!("CARGO_PKG_VERSION")), ("COMMIT", commit)]
                {
                    line.extend(["--build-arg".to_owned(), format!("{name}={value}")]);
                }
                line.push(".".to_owned());
            }
            Image::Folder { folder } => line.push(folder.display().to_string()),
        }
        line
    }

    /// The command line that launches it for a run: what the compose file says, but without health checks, whose CPU time
    /// would be the server's.
    pub fn run_line(&self, launch: &Launch) -> Vec<String> {
        let mut line: Vec<String> = ["docker", "run", "--name", launch.name].map(String::from).into();
        line.extend(
            ["--label", LABEL, "--no-healthcheck", "--init", "--read-only", "--tmpfs", "/tmp"].map(String::from),
        );
        line.extend(["--cap-drop", "ALL", "--security-opt", "no-new-privileges:true"].map(String::from));
        line.extend(["--log-driver", "json-file", "--log-opt", "max-size=1m"].map(String::from));
        let mut option = |name: &str, value: String| line.extend([name.to_owned(), value]);
        if let Some(cpus) = launch.limits.cpus {
            option("--cpus", cpus.to_string());
        }
        if let Some(memory) = &launch.limits.memory {
            option("--memory", memory.clone());
        }
        let files = launch.limits.open_files();
        option("--ulimit", format!("nofile={files}:{files}"));
        let port = self.target.description.port;
        let host = match launch.network {
            Network::Host => {
                option("--network", "host".to_owned());
                launch.host
            }
            Network::Bridge => {
                option("--publish", format!("{}:{port}:{port}", launch.host));
                Ipv4Addr::UNSPECIFIED
            }
        };
        option("--env", format!("HOST={host}"));
        option("--env", format!("PORT={port}"));
        if launch.workers > 0 {
            option("--env", format!("WORKERS={}", launch.workers));
        }
        for (name, value) in self.variables(host, &launch.workers.max(1).to_string()) {
            option("--env", format!("{name}={value}"));
        }
        option("--env", format!("HELLO_BENCH_PADDING={}", "x".repeat(launch.environment_padding)));
        line.push(self.image());
        line
    }

    /// The variables that its description names beside those that every service has.
    fn variables(&self, host: Ipv4Addr, workers: &str) -> Vec<(String, String)> {
        let filled_in = |value: &String| {
            value
                .replace("{host}", &host.to_string())
                .replace("{port}", &self.target.description.port.to_string())
                .replace("{workers}", workers)
                .replace("{prefix}", PREFIX)
        };
        self.target.description.environment.iter().map(|(name, value)| (name.clone(), filled_in(value))).collect()
    }

    /// The name of its image.
    pub fn image(&self) -> String {
        match &self.image {
            Image::Rust { server } => format!("hello-bench/{}", server.to_lowercase()),
            Image::Folder { folder } => {
                let name = folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
                format!("hello-bench/original-{name}")
            }
        }
    }

    /// Its part of a compose file.
    pub fn yaml(&self, network: Network) -> String {
        let (name, port) = (self.target.name(), self.target.description.port);
        let host = match network {
            Network::Host => Ipv4Addr::LOCALHOST,
            Network::Bridge => Ipv4Addr::UNSPECIFIED,
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
        let (workers, variable) = match (self.target.description.workers, &self.image) {
            // Without a value it is the caller's, or not set at all: then the server counts the cores that it may use.
            (Workers::Cores, Image::Rust { .. }) => (1, "      WORKERS:\n".to_owned()),
            (Workers::Cores, Image::Folder { .. }) => (1, set_workers(1)),
            (Workers::Default(n), _) => (n, set_workers(n)),
            (Workers::Fixed, _) => (1, String::new()),
        };
        text += &variable;
        for (name, value) in self.variables(host, &workers.to_string()) {
            // A string in JSON is one in YAML; Compose takes a single $ for the start of a variable.
            let _ = writeln!(text, "      {name}: {}", serde_json::Value::from(value.replace('$', "$$")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn service(target: &Target) -> Service<'_> {
        Service::of(target, Path::new("/")).unwrap().unwrap()
    }

    fn target() -> Target {
        let toml = "name = \"axum\"\nkind = \"x\"\nlanguage = \"Rust\"\nmodel = \"\"\nport = 8103";
        Target {
            description: toml::from_str(toml).unwrap(),
            source: Source::Package { package: "server-axum".into(), binary: PathBuf::new() },
            version: None,
            host: Ipv4Addr::LOCALHOST,
        }
    }

    fn launched(network: Network, limits: &Limits) -> String {
        let target = target();
        let host = Ipv4Addr::new(127, 0, 0, 2);
        let launch = Launch { name: "n", network, host, limits, workers: 2, environment_padding: 3 };
        service(&target).run_line(&launch).join(" ")
    }

    #[test]
    fn a_run_publishes_on_loopback_alone_and_on_the_host_network_nothing() {
        let bridge = launched(Network::Bridge, &Limits::default());
        assert!(bridge.contains("--publish 127.0.0.2:8103:8103 --env HOST=0.0.0.0 --env PORT=8103"), "{bridge}");
        let host = launched(Network::Host, &Limits::default());
        assert!(host.contains("--network host --env HOST=127.0.0.2"), "{host}");
        assert!(!host.contains("--publish") && !host.contains("0.0.0.0"), "{host}");
        assert!(host.ends_with("--env WORKERS=2 --env HELLO_BENCH_PADDING=xxx hello-bench/axum"), "{host}");
    }

    #[test]
    fn a_run_gives_a_container_what_the_compose_file_gives_it() {
        let limits = |name: &str| {
            let all = [("HELLO_BENCH_CPUS", "1.5"), ("HELLO_BENCH_MEMORY", "1g"), ("HELLO_BENCH_FILES", "99")];
            all.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let limits = Limits::of(limits).unwrap();
        assert_eq!(limits.to_string(), ", 1.5 cores, 1g of memory, 99 open files");
        let line = launched(Network::Host, &limits);
        let compose = super::super::compose::text(&[target()], Path::new("/"), Network::Host).unwrap();
        for (in_line, in_compose) in [
            ("--init", "init: true"),
            ("--read-only", "read_only: true"),
            ("--tmpfs /tmp", "tmpfs: [/tmp]"),
            ("--cap-drop ALL", "cap_drop: [ALL]"),
            ("--security-opt no-new-privileges:true", "security_opt: [\"no-new-privileges:true\"]"),
            ("--log-driver json-file --log-opt max-size=1m", "driver: json-file\n    options: {max-size: 1m}"),
            ("--cpus 1.5", "cpus: \"${HELLO_BENCH_CPUS:-0}\""),
            ("--memory 1g", "mem_limit: \"${HELLO_BENCH_MEMORY:-0}\""),
            ("--ulimit nofile=99:99", "soft: ${HELLO_BENCH_FILES:-16384}"),
            ("--env PORT=8103", "PORT: \"8103\""),
        ] {
            assert!(line.contains(in_line), "{in_line} is not in {line}");
            assert!(compose.contains(in_compose), "{in_compose} is not in {compose}");
        }
    }

    #[test]
    fn a_limit_that_is_none_is_refused_and_0_means_no_limit() {
        let of = |name: &'static str, value: &'static str| Limits::of(move |n| (n == name).then(|| value.to_owned()));
        for (name, value) in [("HELLO_BENCH_CPUS", "many"), ("HELLO_BENCH_CPUS", "-1"), ("HELLO_BENCH_MEMORY", "1 GB")]
        {
            assert!(of(name, value).unwrap_err().to_string().starts_with(&format!("{name}={value} is no ")));
        }
        assert_eq!(of("HELLO_BENCH_CPUS", "0").unwrap(), Limits::default());
    }

    #[test]
    fn workers_are_as_many_as_the_quota_has_cores_and_at_least_one() {
        let workers = |cpus| Limits { cpus, ..Limits::default() }.workers(&target());
        assert_eq!([workers(Some(1.9)), workers(Some(0.5)), workers(None)], [1, 1, crate::targets::cores()]);
    }
}
