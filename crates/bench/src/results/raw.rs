//! The files of what load tools and servers printed: a name for each slice's, and which of them are there.

use std::path::Path;

use super::{RAW_FOLDER, RunRecord};
use crate::plan::Cell;

/// What the files of a slice end in, and what is in them.
const ENDINGS: [(&str, &str); 4] = [
    ("stdout.txt", "load tool"),
    ("stderr.txt", "load tool, errors"),
    ("side.txt", "load tool, file beside"),
    ("server.txt", "server"),
];

/// The name of a slice's files, without their endings.
pub fn stem(record: &RunRecord, block: u32, cell: &Cell, tried: u32) -> String {
    let at = cell.setting.map_or(String::new(), |setting| format!("-{}-{}", setting.knob, setting.value));
    let again = if tried > 0 { format!("-again-{tried}") } else { String::new() };
    let (name, shape) = (file_name(&cell.target), cell.shape);
    // Two names may be the same as parts of a file name: the place in the block tells them apart.
    let place = record.cells.iter().position(|other| other == cell).unwrap_or_default() + 1;
    format!("{:03}-{place:02}-{name}-{shape}{at}{again}", block + 1)
}

/// A target's name as a part of a file name.
pub(crate) fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' }).take(60).collect()
}

/// The files of what was printed that a run has, without those that are empty.
#[derive(Debug, Clone, Default)]
pub struct Printed(std::collections::BTreeSet<String>);

impl Printed {
    /// Those in a run's folder; none where they were not kept.
    pub fn of(folder: &Path) -> Self {
        let files = std::fs::read_dir(folder.join(RAW_FOLDER)).into_iter().flatten().flatten();
        let holds_something = |file: &std::fs::DirEntry| file.metadata().is_ok_and(|of| of.is_file() && of.len() > 0);
        Self(files.filter(holds_something).map(|file| file.file_name().to_string_lossy().into_owned()).collect())
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those of a slice, whose files begin with `stem`: what is in each, and where it is from the run's folder.
    pub fn of_slice(&self, stem: &str) -> Vec<(&'static str, String)> {
        let file = |(ending, words): &(&str, &'static str)| {
            let name = format!("{stem}.{ending}");
            self.0.contains(&name).then(|| (*words, format!("{RAW_FOLDER}/{name}")))
        };
        ENDINGS.iter().filter_map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixed;

    #[test]
    fn every_slice_has_a_name_of_its_own_that_a_link_can_hold_as_it_is() {
        let run = fixed::run(&[("a b", 20.0), ("a_b", 24.0), ("<\"&'%?#>", 16.0)], 2, 1);
        let of = |slice: &crate::results::SliceRecord, tried| stem(&run.record, slice.block, &slice.cell, tried);
        let mut all: Vec<String> = run.slices.iter().flat_map(|slice| [of(slice, 0), of(slice, 1)]).collect();
        assert!(all.iter().flat_map(|name| name.chars()).all(|c| c.is_ascii_alphanumeric() || "-._".contains(c)));
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!((all.len(), count), (count, 16));
        assert_eq!(of(&run.slices[0], 2), "001-01-a_b-keep-alive-again-2");
    }

    #[test]
    fn what_is_empty_or_not_kept_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Printed::of(folder.path()).is_empty());
        std::fs::create_dir(folder.path().join(RAW_FOLDER)).unwrap();
        for (name, text) in [("001-a.stdout.txt", "x"), ("001-a.stderr.txt", ""), ("001-a.server.txt", "y")] {
            std::fs::write(folder.path().join(RAW_FOLDER).join(name), text).unwrap();
        }
        let printed = Printed::of(folder.path());
        let of_a = [("load tool", "raw/001-a.stdout.txt"), ("server", "raw/001-a.server.txt")];
        assert_eq!(printed.of_slice("001-a"), of_a.map(|(words, name)| (words, name.to_owned())));
        assert!(printed.of_slice("001").is_empty());
    }
}
