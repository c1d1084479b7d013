//! From the names on a command line to targets.

use super::{NotInstalled, Target};

/// A name that no target has.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no target is called {name:?}{}", hint(.nearest))]
pub struct UnknownTarget {
    /// What was asked for.
    pub name: String,
    /// The names that look most like it, best first.
    pub nearest: Vec<String>,
}

fn hint(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return "; `hello-bench list` shows all".into();
    }
    format!("; did you mean {}?", nearest.join(" or "))
}

/// The targets of these names and groups, in the order asked for and each once; all but the originals when `names` is
/// empty. `server-axum` is understood as `axum`; a name goes before a group.
///
/// # Errors
/// For the first name that no target has, with the nearest ones.
pub fn pick(all: &[Target], names: &[String]) -> Result<Vec<Target>, UnknownTarget> {
    if names.is_empty() {
        return Ok(all.iter().filter(|target| !target.is_original()).cloned().collect());
    }
    let mut picked: Vec<Target> = Vec::new();
    for name in names {
        let short = name.strip_prefix("server-").unwrap_or(name);
        let named = all
            .iter()
            .find(|target| target.name() == name)
            .or_else(|| all.iter().find(|target| target.name() == short));
        let meant: Vec<&Target> = match named {
            Some(target) => vec![target],
            None => all.iter().filter(|target| target.groups().contains(name)).collect(),
        };
        if meant.is_empty() {
            return Err(UnknownTarget { name: name.clone(), nearest: nearest(all, short) });
        }
        for target in meant {
            if picked.iter().all(|other| other.name() != target.name()) {
                picked.push(target.clone());
            }
        }
    }
    Ok(picked)
}

/// Those of `picked` that can be started here, and the originals among them that are not installed: somebody who named
/// a group goes on with those that are there.
///
/// # Errors
/// When one that is not installed was named itself, or nothing is left.
pub fn installed(picked: Vec<Target>, names: &[String]) -> Result<(Vec<Target>, Vec<NotInstalled>), NotInstalled> {
    let (there, missing): (Vec<_>, Vec<_>) = picked.into_iter().partition(|target| target.not_installed().is_none());
    let missing: Vec<NotInstalled> = missing.iter().filter_map(Target::not_installed).collect();
    let wanted = missing.iter().find(|missing| names.contains(&missing.name));
    let none_left = missing.first().filter(|_| there.is_empty());
    match wanted.or(none_left) {
        Some(missing) => Err(missing.clone()),
        None => Ok((there, missing)),
    }
}

fn nearest(all: &[Target], name: &str) -> Vec<String> {
    const ALIKE: f64 = 0.75;
    let name = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = all
        .iter()
        .map(Target::name)
        .map(|other| {
            let part = name.len() >= 3 && (other.contains(&name) || name.contains(other));
            (if part { 1.0 } else { strsim::jaro_winkler(&name, other) }, other)
        })
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.into_iter().take(3).map(|(_, other)| other.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{Description, Source};

    fn targets() -> Vec<Target> {
        ["tokio", "axum", "may-minihttp", "std-threads", "std-pool"]
            .iter()
            .map(|name| {
                let toml = format!(
                    "name = {name:?}\nkind = \"runtime\"\nlanguage = \"Rust\"\nmodel = \"\"\nport = 8101\n\
                     command = [\"x\"]"
                );
                let description: Description = toml::from_str(&toml).unwrap();
                Target {
                    description,
                    source: Source::Command { folder: "/".into() },
                    version: None,
                    host: std::net::Ipv4Addr::LOCALHOST,
                }
            })
            .collect()
    }

    fn picked(names: &[&str]) -> Result<Vec<String>, UnknownTarget> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        Ok(pick(&targets(), &names)?.iter().map(|t| t.name().to_owned()).collect())
    }

    #[test]
    fn no_name_means_all_and_a_name_counts_once() {
        assert_eq!(picked(&[]).unwrap().len(), 5);
        assert_eq!(picked(&["std-pool", "axum", "server-axum"]).unwrap(), ["std-pool", "axum"]);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        assert_eq!(picked(&["axun"]).unwrap_err().nearest, ["axum"]);
        assert_eq!(picked(&["server-minihttp"]).unwrap_err().nearest, ["may-minihttp"]);
        assert!(picked(&["std"]).unwrap_err().to_string().contains("std-pool or std-threads"));
        assert!(picked(&["zzz"]).unwrap_err().to_string().contains("hello-bench list"));
    }
}
