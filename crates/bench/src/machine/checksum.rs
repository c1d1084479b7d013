//! Programs and files by what is in them: checksums, sizes, how a program is linked.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Known;

/// A program that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Where it lies, without symbolic links.
    pub path: String,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Its SHA-256 checksum, in hex.
    pub sha256: String,
    /// How it is linked: `dynamic, /lib64/ld-linux-x86-64.so.2`, `static`, or `script`.
    pub linked: Known<String>,
}

impl Program {
    /// Reads a program; `None` if it cannot be read.
    pub fn read(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let (sha256, bytes) = sha256(&path)?;
        let mut head = Vec::new();
        File::open(&path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        Some(Self { path: path.display().to_string(), bytes, sha256, linked: linked(&head).into() })
    }

    /// The program that a command line of this first word starts, from `folder`.
    pub fn of_command(word: &str, folder: &Path) -> Option<Self> {
        Self::read(&find(word, folder)?)
    }
}

/// The file that `word` starts: a path as it is, relative to `folder`; a bare name from PATH, as execvp(3) looks.
pub fn find(word: &str, folder: &Path) -> Option<PathBuf> {
    let runs =
        |path: &PathBuf| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
    if word.contains('/') {
        return Some(folder.join(word)).filter(runs);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|place| place.join(word)).find(runs)
}

/// The SHA-256 checksum of a file in hex, and its size in bytes; `None` if it cannot be read.
pub fn sha256(path: &Path) -> Option<(String, u64)> {
    let mut file = File::open(path).ok()?;
    let mut state = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Some((hex(&state.finalize()), bytes)),
            Ok(n) => {
                state.update(&buffer[..n]);
                bytes += n as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// The SHA-256 checksum of bytes, in hex.
pub fn sha256_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// So much of a program holds its program headers and the name of its interpreter, which linkers put first.
const HEAD: u64 = 1 << 16;

/// The interpreter that a program asks for (elf(5), PT_INTERP); only 64-bit little-endian programs are understood.
fn linked(head: &[u8]) -> Option<String> {
    const PT_INTERP: u64 = 3;
    if head.starts_with(b"#!") {
        return Some("script".to_owned());
    }
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: usize, size: usize| -> Option<u64> {
        Some(head.get(at..at.checked_add(size)?)?.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    let word = |at: usize| usize::try_from(number(at, 8)?).ok();
    let (table, size, count) = (word(32)?, usize::try_from(number(54, 2)?).ok()?, number(56, 2)?);
    for n in 0..usize::try_from(count).ok()? {
        let header = table.checked_add(n * size)?;
        if number(header, 4)? == PT_INTERP {
            let (from, length) = (word(header + 8)?, word(header + 32)?);
            let name = head.get(from..from.checked_add(length)?)?;
            return Some(format!("dynamic, {}", String::from_utf8_lossy(name).trim_end_matches('\0')));
        }
    }
    Some("static".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_the_one_that_sha256sum_prints() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256_of(b""), empty);
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(sha256(file.path()).unwrap(), (empty.to_owned(), 0));
        assert_eq!(sha256(Path::new("/not/there")), None);
    }

    #[test]
    fn this_very_program_is_read() {
        let own = Program::read(&std::env::current_exe().unwrap()).unwrap();
        assert!(own.bytes > 0 && own.sha256.len() == 64);
        let linked = own.linked.to_string();
        assert!(linked == "static" || linked.starts_with("dynamic, /"), "{linked}");
    }

    #[test]
    fn bare_names_come_from_the_path_and_folders_are_no_programs() {
        assert!(find("sh", Path::new("/")).unwrap().ends_with("sh"));
        assert_eq!(find("no-such-program-anywhere", Path::new("/")), None);
        assert_eq!(find("./bin", Path::new("/usr")), None);
    }

    #[test]
    fn what_is_cut_off_or_no_program_is_not_guessed_at() {
        assert_eq!(linked(b"\x7fELF\x02\x01"), None);
        assert_eq!(linked(b"MZ"), None);
        assert_eq!(linked(b"#!/bin/sh\n").unwrap(), "script");
    }
}
