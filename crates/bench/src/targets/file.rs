//! Targets of the user's own, from a TOML file with `[[target]]` tables.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::{Description, Source, Target};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    target: Vec<Description>,
}

/// The same with keys that all targets have, unless they say otherwise: variants of one program differ in little.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    shared: toml::Table,
    target: Vec<toml::Table>,
}

impl Family {
    /// Every target with all of its keys.
    fn targets(self) -> Result<Vec<Description>, toml::de::Error> {
        let whole = |own: toml::Table| {
            let mut all = self.shared.clone();
            merge(&mut all, own);
            all.try_into()
        };
        self.target.into_iter().map(whole).collect()
    }
}

/// What `own` says goes before what is shared; in tables, key by key.
fn merge(shared: &mut toml::Table, own: toml::Table) {
    for (key, value) in own {
        match (shared.get_mut(&key), value) {
            (Some(toml::Value::Table(shared)), toml::Value::Table(own)) => merge(shared, own),
            (_, value) => drop(shared.insert(key, value)),
        }
    }
}

/// Reads the targets that `path` describes.
///
/// # Errors
/// In one line, when the file cannot be read, is not such a file, or a target in it has no command.
pub fn from_file(path: &Path) -> Result<Vec<Target>> {
    let folder = path.canonicalize().ok().and_then(|path| path.parent().map(PathBuf::from)).unwrap_or_default();
    read(path, &|_| (Source::Command { folder: folder.clone() }, None))
}

/// The targets that `path` describes, each with where its program comes from and its version.
pub(super) fn read(path: &Path, from: &dyn Fn(&Description) -> (Source, Option<String>)) -> Result<Vec<Target>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let described = match toml::from_str::<Family>(&text) {
        Ok(family) => family.targets(),
        Err(_) => toml::from_str::<File>(&text).map(|file| file.target),
    };
    let described = described.map_err(|error| {
        // A target that was put together has no place in the text.
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map_or(String::new(), |line| format!(", line {line}"));
        anyhow::anyhow!("{}{line}: {}", path.display(), error.message().replace('\n', " "))
    })?;
    described
        .into_iter()
        .map(|description| {
            description.check_name().map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
            ensure!(!description.command.is_empty(), "{}: target {} has no command", path.display(), description.name);
            let (source, version) = from(&description);
            Ok(Target { description, source, version, host: Ipv4Addr::LOCALHOST })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Result<Vec<Target>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("target.toml");
        std::fs::write(&path, text).unwrap();
        from_file(&path)
    }

    const SHARED: &str = "[shared]\nkind = \"original\"\nlanguage = \"Python\"\nmodel = \"m\"\ncommand = [\"x\"]\n\
                          cannot.head = \"no\"\n[shared.settings]\nlog = \"off\"\nbacklog = \"5\"\n";

    #[test]
    fn variants_share_what_they_do_not_say_themselves() {
        let targets = described(&format!(
            "{SHARED}[[target]]\nname = \"a\"\nport = 1\n[[target]]\nname = \"b\"\nport = 2\nsettings.log = \"on\"\n"
        ))
        .unwrap();
        let [a, b] = &targets[..] else { panic!("{targets:?}") };
        assert_eq!([a.description.settings["log"].as_str(), b.description.settings["log"].as_str()], ["off", "on"]);
        assert_eq!(b.description.settings["backlog"], "5");
        assert_eq!(a.description.cannot, b.description.cannot);
    }

    #[test]
    fn a_wrong_key_is_found_with_and_without_shared_ones() {
        let wrong = "[[target]]\nname = \"a\"\nport = 1\nprot = 2\n";
        let alone = described(wrong).unwrap_err().to_string();
        assert!(alone.contains("line 4") && alone.contains("prot"), "{alone}");
        let shared = described(&format!("{SHARED}{wrong}")).unwrap_err();
        assert!(shared.to_string().contains("prot"), "{shared}");
    }
}
