//! Atomic files: complete or absent.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use super::TableError;
use super::checksum::seal;

/// Writes a whole file: either `path` holds all of `bytes` afterwards, or it is unchanged.
///
/// The bytes go to a temporary file in the same directory, which is flushed to disk and then renamed.
///
/// # Errors
///
/// [`TableError::IsDirectory`], [`TableError::NoDirectory`], or [`TableError::Write`] with the cause (a full disk, no
/// permission).
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), TableError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|source| write_error(path, source))?;
    file.commit()
}

/// Whether a file can be written at `path`: leaves what is there.
///
/// # Errors
///
/// As [`write_atomically`].
pub fn check_writable(path: &Path) -> Result<(), TableError> {
    AtomicFile::create(path).map(drop)
}

/// A file written beside its target that takes the target's name on [`commit`](Self::commit); dropped without it, it is
/// removed.
pub(super) struct AtomicFile {
    temporary: NamedTempFile,
    _listed: Listed,
    target: PathBuf,
    /// A write was refused, so bytes are missing whatever came later.
    incomplete: bool,
}

impl AtomicFile {
    pub(super) fn create(target: &Path) -> Result<Self, TableError> {
        let target = &replaceable(target)?;
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !directory.is_dir() {
            return Err(TableError::NoDirectory { path: target.to_owned(), directory: directory.to_owned() });
        }
        let temporary = temporary_beside(target, directory).map_err(|source| write_error(target, source))?;
        let listed = Listed::new(temporary.path());
        Ok(Self { temporary, _listed: listed, target: target.to_owned(), incomplete: false })
    }

    /// Flushes to the disk, then renames: after a crash the target is whole, old or new.
    pub(super) fn commit(self) -> Result<(), TableError> {
        let Self { temporary, _listed, target, incomplete } = self;
        if incomplete {
            let cause = io::Error::other("an earlier write failed, so the file is incomplete");
            return Err(write_error(&target, cause));
        }
        temporary.as_file().sync_all().map_err(|source| write_error(&target, source))?;
        temporary.persist(&target).map_err(|error| write_error(&target, error.error))?;
        Ok(())
    }

    /// Puts the checksum of what is written into the place that is kept for it.
    pub(super) fn seal(&mut self) -> io::Result<()> {
        self.noting_failure(seal)
    }

    fn noting_failure<T>(&mut self, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
        let result = write(self.temporary.as_file_mut());
        if let Err(error) = &result {
            // An interrupted call wrote nothing and is repeated by the caller.
            self.incomplete |= error.kind() != io::ErrorKind::Interrupted;
        }
        result
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.noting_failure(|file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.noting_failure(File::flush)
    }
}

/// The file that a new one may take the place of: where a link leads to, never a device, a FIFO, or what is read-only.
fn replaceable(target: &Path) -> Result<PathBuf, TableError> {
    let path = || target.to_owned();
    if fs::symlink_metadata(target).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(path());
    }
    // Of what is there a link that leads nowhere alone is not found.
    let there = fs::metadata(target).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => TableError::NoFile { path: path(), what: "a link that leads nowhere" },
        _ => write_error(target, error),
    })?;
    if there.is_dir() {
        Err(TableError::IsDirectory { path: path() })
    } else if !there.is_file() {
        Err(TableError::NoFile { path: path(), what: "a device, a FIFO or a socket" })
    } else if there.permissions().readonly() {
        Err(TableError::ReadOnly { path: path() })
    } else if target.is_symlink() {
        target.canonicalize().map_err(|error| write_error(target, error))
    } else {
        Ok(path())
    }
}

/// The temporary files that are there now.
static UNFINISHED_FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes this process's partial files, just before it exits in the middle of its work. No file is started or finished
/// after that.
pub fn discard_unfinished() {
    let files = UNFINISHED_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    for file in &*files {
        let _ = fs::remove_file(file);
    }
    // Whoever begins another file waits for the end.
    std::mem::forget(files);
}

/// A temporary file's place in the list of them.
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Self {
        UNFINISHED_FILES.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        UNFINISHED_FILES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Ending of files that are being written.
const UNFINISHED: &str = ".partial";

/// Whether a file of this name is one that is being written, or that a killed process left behind.
pub fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(UNFINISHED)
}

/// A hidden temporary file that tells whose it is, should a killed process leave it behind.
fn temporary_beside(target: &Path, directory: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file, the umask takes away from this; a temporary file's own 0600 would stay on the result.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

pub(super) fn write_error(path: &Path, source: io::Error) -> TableError {
    TableError::Write { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_file_holds_the_bytes_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("summary.json");
        write_atomically(&path, b"first, and longer").unwrap();
        write_atomically(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names_in(directory.path()), ["summary.json"]);
    }

    #[test]
    fn a_dropped_file_leaves_the_old_one_and_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("summary.json");
        write_atomically(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half of the n").unwrap();
        let names = names_in(directory.path());
        assert_eq!(names.len(), 2);
        assert_eq!(names.iter().filter(|name| is_unfinished(name)).count(), 1, "{names:?}");
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(directory.path()), ["summary.json"]);
    }

    #[test]
    fn a_file_with_a_failed_write_is_never_published() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("summary.json");
        let mut file = AtomicFile::create(&path).unwrap();
        let full = file.noting_failure::<()>(|_| Err(io::ErrorKind::StorageFull.into()));
        assert!(full.is_err());
        file.write_all(b"later bytes").unwrap();
        let error = file.commit().unwrap_err();
        assert!(error.to_string().contains("an earlier write failed"), "{error}");
        assert!(names_in(directory.path()).is_empty());
    }

    #[test]
    fn directories_missing_or_in_the_way_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("nowhere").join("summary.json");
        let error = write_atomically(&missing, b"").unwrap_err();
        assert!(matches!(&error, TableError::NoDirectory { .. }), "{error:?}");
        assert!(error.to_string().contains("nowhere"), "{error}");
        let error = write_atomically(directory.path(), b"").unwrap_err();
        assert!(matches!(error, TableError::IsDirectory { .. }), "{error:?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_what_is_no_file_of_ours_to_replace_is_left_alone() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        fs::write(place("file"), "old").unwrap();
        symlink(place("file"), place("link")).unwrap();
        write_atomically(&place("link"), b"new").unwrap();
        assert_eq!(fs::read(place("file")).unwrap(), b"new");
        assert!(place("link").is_symlink());
        symlink(place("nothing"), place("broken")).unwrap();
        fs::set_permissions(place("file"), fs::Permissions::from_mode(0o444)).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(place("socket")).unwrap();
        symlink(place("socket"), place("to_socket")).unwrap();
        for (name, words) in [
            ("broken", "leads nowhere"),
            ("file", "read-only"),
            ("link", "read-only"),
            ("socket", "socket"),
            ("to_socket", "socket"),
        ] {
            let before = fs::symlink_metadata(place(name)).unwrap().file_type();
            let error = write_atomically(&place(name), b"other").unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(words), "{error}");
            assert_eq!(fs::symlink_metadata(place(name)).unwrap().file_type(), before);
        }
        assert_eq!(fs::read(place("file")).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn the_file_has_the_permissions_of_an_ordinary_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let ordinary = directory.path().join("ordinary");
        let ours = directory.path().join("ours");
        fs::write(&ordinary, b"").unwrap();
        write_atomically(&ours, b"").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&ordinary));
    }

    /// `/proc` refuses new files even to the superuser, for whom permission bits mean nothing.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_takes_no_files_is_an_error_with_its_cause() {
        let error = write_atomically(Path::new("/proc/summary.json"), b"").unwrap_err();
        assert!(matches!(&error, TableError::Write { .. }), "{error:?}");
        assert!(error.to_string().starts_with("cannot write /proc/summary.json: "), "{error}");
    }
}
