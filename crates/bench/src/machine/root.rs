//! The files that the kernel describes a machine with, below `/` or below a folder that a test has put them into.

use std::path::{Path, PathBuf};

use super::Known;

/// Where `/proc`, `/sys` and `/etc` are.
#[derive(Debug, Clone)]
pub struct Root(PathBuf);

impl Root {
    /// This machine's own.
    pub fn system() -> Self {
        Self::at(Path::new("/"))
    }

    /// Those below a folder.
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// A file's text without the white space around it; `None` if it cannot be read or is empty.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(self.path(path)).ok()?;
        // Device tree strings end with a NUL.
        let text = String::from_utf8_lossy(&bytes).trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// A file's text.
    pub fn known(&self, path: &str) -> Known<String> {
        self.text(path).into()
    }

    /// A file that holds a number.
    pub fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// The names in a folder, sorted; `None` if it cannot be read.
    pub fn names(&self, folder: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(self.path(folder)).ok()?;
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        Some(names)
    }

    /// Whether something is there.
    pub fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }
}

/// The value behind `key:` in the first line of that key, as in `/proc/cpuinfo` and `/proc/self/status`.
pub fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// The numbers of a kernel list, as in `0-3,8`; `None` if it is none.
pub fn parse_list(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        numbers.extend(first..=last);
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// A folder with these files, for tests of what reads them.
#[cfg(test)]
pub fn fake(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let root = Root::at(folder.path());
    (folder, root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_or_none() {
        assert_eq!(parse_list("0-3,8\n").unwrap(), [0, 1, 2, 3, 8]);
        assert_eq!(parse_list("5").unwrap(), [5]);
        assert_eq!(parse_list(""), None);
        assert_eq!(parse_list("a-b"), None);
    }

    #[test]
    fn an_empty_file_says_nothing() {
        let (_folder, root) = fake(&[("proc/a", "\n"), ("proc/b", "7\n")]);
        assert_eq!((root.text("/proc/a"), root.number("/proc/b"), root.text("/proc/c")), (None, Some(7), None));
    }
}
