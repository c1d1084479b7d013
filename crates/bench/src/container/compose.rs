//! The compose files: a service for every target that can be had in a container, under its own name. They are written
//! from what the targets say of themselves and kept in `docker/`; a test holds both equal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use super::{Network, Service};
use crate::targets::Target;

/// The text of a compose file with these targets; `root` is the project's.
///
/// # Errors
/// For a target whose name is none for a service, or that lies outside the project.
pub fn text(targets: &[Target], root: &Path, network: Network) -> Result<String> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut services = String::new();
    for target in targets {
        let Some(service) = Service::of(target, root)? else { continue };
        ensure!(is_service_name(target.name()), "{:?} is no name for a service", target.name());
        for group in target.groups() {
            groups.entry(group).or_default().push(target.name());
        }
        services.push('\n');
        services.push_str(&service.yaml(network));
    }
    let line = |(group, names): (&String, &Vec<&str>)| format!("  {group}: [{}]\n", names.join(", "));
    let groups = groups.iter().map(line).collect::<Vec<_>>().concat();
    Ok(format!("{}\n{LIMITS}\nx-groups:\n{groups}\nservices:{services}{}", head(network), bench(network)))
}

/// Writes both files; gives their paths.
///
/// # Errors
/// As [`text`], and when one cannot be written.
pub fn write(targets: &[Target], root: &Path) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for network in Network::value_variants() {
        let path = root.join(network.file());
        std::fs::write(&path, text(targets, root, *network)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
        written.push(path);
    }
    Ok(written)
}

fn is_service_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

fn head(network: Network) -> String {
    let about = match network {
        Network::Bridge => {
            "# Every target in a container of its own, under its own name, on its own port of 127.0.0.1.\n\
             #   docker compose -f docker/compose.yaml up --build        all of them; stops at the first that fails\n\
             #   scripts/compose-up.sh axum python                       some, one by one; the rest stays up if one fails\n"
        }
        Network::Host => {
            "# The same services as in compose.yaml on the host's own network, without a bridge between: what\n\
             # `hello-bench run --launcher docker` measures. They listen on 127.0.0.1 and publish nothing.\n"
        }
    };
    format!(
        "{about}\
         # Written by `hello-bench compose --write` from what the targets say of themselves; do not edit it.\n\
         # HELLO_BENCH_CPUS, HELLO_BENCH_MEMORY and HELLO_BENCH_FILES limit all services alike (0: no limit); WORKERS goes\n\
         # to all that can choose.\n"
    )
}

/// What all services have in common. A file without `version:` is what Compose 1.27 and all later ones read; `restart`
/// is quoted, because a bare `no` is false in YAML 1.1.
const LIMITS: &str = r#"x-service: &service
  init: true
  restart: "no"
  read_only: true
  tmpfs: [/tmp]
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]
  stop_grace_period: 5s
  cpus: "${HELLO_BENCH_CPUS:-0}"
  mem_limit: "${HELLO_BENCH_MEMORY:-0}"
  ulimits:
    nofile:
      soft: ${HELLO_BENCH_FILES:-16384}
      hard: ${HELLO_BENCH_FILES:-16384}
  logging:
    driver: json-file
    options: {max-size: 1m}
"#;

/// The harness and its load tools in a container, for a machine that has nothing but Docker.
fn bench(network: Network) -> &'static str {
    match network {
        Network::Host => "",
        Network::Bridge => {
            r#"
  # Runs the whole comparison inside one container, as its processes; nothing else needs to be up.
  #   docker compose -f docker/compose.yaml run --rm bench run --quick
  bench:
    profiles: [bench]
    image: hello-bench/bench
    build:
      context: ..
      dockerfile: docker/bench.Dockerfile
    init: true
    cpus: "${HELLO_BENCH_CPUS:-0}"
    mem_limit: "${HELLO_BENCH_MEMORY:-0}"
    ulimits:
      nofile:
        soft: ${HELLO_BENCH_FILES:-16384}
        hard: ${HELLO_BENCH_FILES:-16384}
    volumes:
      - ../results:/src/results
"#
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{Source, Workspace, all};

    fn described(targets: &[Target], network: Network) -> String {
        text(targets, &root(), network).unwrap()
    }

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
    }

    fn target(name: &str, more: &str) -> Target {
        let toml = format!("name = {name:?}\nkind = \"x\"\nlanguage = \"Rust\"\nmodel = \"\"\nport = 8101\n{more}");
        Target {
            description: toml::from_str(&toml).unwrap(),
            source: Source::Package { package: format!("server-{name}"), binary: PathBuf::new() },
            version: None,
            host: std::net::Ipv4Addr::LOCALHOST,
        }
    }

    #[test]
    fn the_files_that_are_kept_are_those_of_the_targets() {
        let workspace = Workspace::read(&root()).unwrap();
        let targets = all(&workspace, &[]).unwrap();
        for network in Network::value_variants() {
            let kept = std::fs::read_to_string(workspace.root.join(network.file())).unwrap();
            let same = kept == described(&targets, *network);
            assert!(same, "{} is out of date: hello-bench compose --write", network.file().display());
            for target in &workspace.targets {
                assert!(kept.contains(&format!("\n  {}:\n", target.name())), "{} has no service", target.name());
            }
        }
    }

    #[test]
    fn behind_a_bridge_a_port_is_published_on_loopback_and_on_the_host_network_none_is() {
        let targets = [target("a", "")];
        let bridge = described(&targets, Network::Bridge);
        assert!(bridge.contains("ports: [\"${HELLO_BENCH_BIND:-127.0.0.1}:8101:8101\"]"), "{bridge}");
        assert!(bridge.contains("HOST: 0.0.0.0") && !bridge.contains("network_mode"), "{bridge}");
        let host = described(&targets, Network::Host);
        assert!(host.contains("network_mode: host") && host.contains("HOST: 127.0.0.1"), "{host}");
        assert!(!host.contains("ports:") && !host.contains("0.0.0.0"), "{host}");
    }

    #[test]
    fn workers_go_only_to_those_that_can_choose() {
        assert!(described(&[target("a", "")], Network::Bridge).contains("\n      WORKERS:\n"));
        assert!(described(&[target("a", "workers = 10")], Network::Bridge).contains("WORKERS: \"${WORKERS:-10}\"\n"));
        assert!(!described(&[target("a", "workers = \"fixed\"")], Network::Bridge).contains("\n      WORKERS"));
    }

    #[test]
    fn a_name_that_compose_does_not_take_is_refused() {
        let refused = text(&[target("a b", "")], &root(), Network::Bridge).unwrap_err().to_string();
        assert_eq!(refused, "\"a b\" is no name for a service");
    }
}
