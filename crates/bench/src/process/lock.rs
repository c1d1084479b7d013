//! One measuring run at a time on a machine: two would share its cores, and neither would know.
//!
//! The lock is flock(2)'s, on a well-known file: the kernel lets go of it when its holder ends in whatever way, so that
//! what an ended run left in the file is of no meaning. The file stays: to remove it would let two hold "the" lock.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use nix::fcntl::OFlag;

use super::tree;

/// Names another lock file, for a machine whose parts do not disturb each other, and for the harness's own tests.
pub const LOCK_VARIABLE: &str = "HELLO_BENCH_LOCK";

/// Not below TMPDIR, which differs from user to user.
const LOCK_FILE: &str = "/tmp/hello-bench.lock";

/// The right to measure on this machine, as long as it lives.
#[derive(Debug)]
pub struct Lock {
    /// Opened close-on-exec, as std opens everything: no server or load tool keeps it locked.
    _file: File,
}

impl Lock {
    /// Takes the lock of this machine.
    ///
    /// # Errors
    /// When another run has it, with who that is, or the file cannot be used.
    pub fn take() -> Result<Self> {
        let path = std::env::var_os(LOCK_VARIABLE).map_or_else(|| PathBuf::from(LOCK_FILE), PathBuf::from);
        Self::take_at(&path)
    }

    fn take_at(path: &Path) -> Result<Self> {
        let mut file = open(path).with_context(|| format!("cannot use the lock file {}", path.display()))?;
        ensure!(file.metadata()?.is_file(), "the lock file {} is not a file", path.display());
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("another run is measuring on this machine: {}; wait for it or end it", holder(&mut file))
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        // Only for the words above; another user's file may be one that cannot be written.
        let _ = say_who(&mut file);
        Ok(Self { _file: file })
    }
}

/// Opens it without O_CREAT first: in a sticky folder that would be refused for another user's file
/// (fs.protected_regular, proc_sys_fs(5)). A symbolic link is not followed: whoever may write to /tmp could have put it
/// there, and what it points to would be written.
fn open(path: &Path) -> std::io::Result<File> {
    let options = |write: bool| {
        let mut options = OpenOptions::new();
        options.read(true).write(write).custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits());
        options
    };
    loop {
        match options(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // A lock needs no right to write.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return options(false).open(path),
            opened => return opened,
        }
        match options(true).create_new(true).open(path) {
            Ok(file) => {
                // Whatever the umask: every user of the machine takes the same lock.
                file.set_permissions(Permissions::from_mode(0o666))?;
                return Ok(file);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn say_who(file: &mut File) -> std::io::Result<()> {
    let command: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    file.set_len(0)?;
    file.write_all(format!("{}\n{}\n", std::process::id(), command.join(" ").replace('\n', " ")).as_bytes())
}

/// Who has the lock, as the file says, if the process that it names is there; else the file is older than the lock.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(4096).read_to_string(&mut text));
    let mut lines = text.lines();
    let pid: Option<i32> = lines.next().and_then(|line| line.parse().ok());
    match pid.filter(|pid| tree::process(*pid).is_some()) {
        Some(pid) => {
            let command: String = lines.next().unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
            format!("pid {pid} ({command})")
        }
        None => "a process that has not said yet who it is".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_refused_with_who_holds_it_and_what_is_stale_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        // Left by a run that is gone, with a pid that no process can have.
        std::fs::write(&path, "999999999\nhello-bench run ancient\n").unwrap();
        let first = Lock::take_at(&path).unwrap();
        let refused = Lock::take_at(&path).unwrap_err().to_string();
        assert!(refused.contains(&format!("pid {}", std::process::id())), "{refused}");
        assert!(!refused.contains("ancient") && !refused.contains('\n'), "{refused}");
        drop(first);
        let again = Lock::take_at(&path).unwrap();
        std::fs::write(&path, "999999999\nhello-bench run ancient\n").unwrap();
        let refused = Lock::take_at(&path).unwrap_err().to_string();
        assert!(!refused.contains("ancient"), "{refused}");
        drop(again);
    }

    #[test]
    fn every_user_can_take_it_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        drop(Lock::take_at(&path).unwrap());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
        let (mine, link) = (folder.path().join("mine"), folder.path().join("link"));
        std::fs::write(&mine, "precious").unwrap();
        std::os::unix::fs::symlink(&mine, &link).unwrap();
        assert!(Lock::take_at(&link).is_err());
        assert_eq!(std::fs::read_to_string(&mine).unwrap(), "precious");
    }
}
