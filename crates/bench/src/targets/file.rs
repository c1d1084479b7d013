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

/// Reads the targets that `path` describes.
///
/// # Errors
/// In one line, when the file cannot be read, is not such a file, or a target in it has no command.
pub fn from_file(path: &Path) -> Result<Vec<Target>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let file: File = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
        anyhow::anyhow!("{}, line {line}: {}", path.display(), error.message().replace('\n', " "))
    })?;
    let folder = path.canonicalize()?.parent().map(PathBuf::from).unwrap_or_default();
    file.target
        .into_iter()
        .map(|description| {
            description.check_name().map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
            ensure!(!description.command.is_empty(), "{}: target {} has no command", path.display(), description.name);
            let source = Source::Command { folder: folder.clone() };
            Ok(Target { description, source, version: None, host: Ipv4Addr::LOCALHOST })
        })
        .collect()
}
