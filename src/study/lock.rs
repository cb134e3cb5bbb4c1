//! One process at a time writes to a run directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::RunError;
use crate::table::{TableError, is_unfinished};

/// Name of the file that is locked on behalf of its directory. It is never removed: a file that is deleted and
/// recreated could be locked by two processes at once.
const FILE: &str = "lock";
/// Files at the top of a run directory that are written under its lock, by prefix.
const WRITTEN: [&str; 6] = ["study.", "inputs.", "summary.", "timing.", "sensitivity.", "map."];
/// The report, which is written without the lock.
const REPORT: &str = "report.";
/// Directories in it that belong to the run alone.
pub(super) const OWN_DIRECTORIES: [&str; 4] = ["parts", "files", "evaluations", "cells"];

/// Whether a file with this name at the top of a run directory belongs to the run.
pub(super) fn is_own_file(name: &str) -> bool {
    name == FILE || name.starts_with(REPORT) || is_written_under_lock(name)
}

fn is_written_under_lock(name: &str) -> bool {
    WRITTEN.iter().any(|start| name.starts_with(start))
}

/// The right to write to a run directory. The operating system releases it when its owner ends, however that happens.
#[derive(Debug)]
pub(super) struct Lock {
    /// Closing it unlocks it. `None` if the file system has no locks.
    file: Option<File>,
}

impl Lock {
    /// Locks a directory, and removes partial files left by a killed owner. Where the file system has no locks nothing is
    /// removed: an owner may be at work on it.
    pub fn of(directory: &Path) -> Result<Self, RunError> {
        Self::by(directory, File::try_lock)
    }

    /// Whether others are kept out: not where the file system has no locks.
    pub fn is_exclusive(&self) -> bool {
        self.file.is_some()
    }

    fn by(directory: &Path, try_lock: fn(&File) -> Result<(), TryLockError>) -> Result<Self, RunError> {
        let path = directory.join(FILE);
        let failed = |source| RunError::from(TableError::Write { path: path.clone(), source });
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunError::Busy { directory: directory.to_owned() }),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(Self { file: None });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let is_written = |name: &str| is_written_under_lock(name.trim_start_matches('.'));
        remove_unfinished(directory, false, &is_written)?;
        for own in OWN_DIRECTORIES {
            remove_unfinished(&directory.join(own), true, &|_| true)?;
        }
        Ok(Self { file: Some(file) })
    }
}

/// Removes partial files with these names; if `deep`, also in subdirectories.
fn remove_unfinished(directory: &Path, deep: bool, is_written: &dyn Fn(&str) -> bool) -> Result<(), TableError> {
    let failed = |path: PathBuf| |source| TableError::Write { path, source };
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(directory.to_owned())(error)),
    };
    for entry in entries {
        let entry = entry.map_err(failed(directory.to_owned()))?;
        let kind = entry.file_type().map_err(failed(entry.path()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && deep {
            remove_unfinished(&entry.path(), deep, is_written)?;
        } else if kind.is_file() && is_unfinished(&name) && is_written(&name) {
            std::fs::remove_file(entry.path()).map_err(failed(entry.path()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_directory_has_one_owner_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let first = Lock::of(directory.path()).unwrap();
        let error = Lock::of(directory.path()).unwrap_err();
        assert!(matches!(&error, RunError::Busy { .. }), "{error}");
        assert!(error.to_string().contains(&directory.path().display().to_string()), "{error}");
        drop(first);
        Lock::of(directory.path()).unwrap();
    }

    #[test]
    fn without_locks_nothing_is_taken_away_and_the_directory_says_that_it_is_open() {
        let directory = tempfile::tempdir().unwrap();
        let half = directory.path().join("parts/.00000.parquet.a1.partial");
        fs::create_dir_all(directory.path().join("parts")).unwrap();
        fs::write(&half, "of a process at work").unwrap();
        let has_none = |_: &File| Err(TryLockError::Error(io::ErrorKind::Unsupported.into()));
        let lock = Lock::by(directory.path(), has_none).unwrap();
        assert!(half.exists() && !lock.is_exclusive());
        assert!(Lock::of(directory.path()).unwrap().is_exclusive());
        assert!(!half.exists());
    }

    #[test]
    fn the_report_belongs_to_the_run_as_its_other_files_do() {
        for own in ["report.html", "summary.json", "study.toml", "lock"] {
            assert!(is_own_file(own), "{own}");
        }
        for other in ["reports.html", "notes.txt", "locks"] {
            assert!(!is_own_file(other), "{other}");
        }
    }

    #[test]
    fn an_owner_takes_away_what_was_left_half_written_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        fs::create_dir_all(place("files/up/deeper")).unwrap();
        fs::create_dir_all(place("parts")).unwrap();
        fs::create_dir_all(place("mine")).unwrap();
        let gone = [".study.toml.a1.partial", "files/up/deeper/.x.toml.a1.partial", "parts/.00000.parquet.a1.partial"];
        let kept = [".report.html.a1.partial", "mine/.study.toml.a1.partial", "parts/00000.parquet", "x.partial"];
        for name in gone.iter().chain(&kept) {
            fs::write(place(name), "half").unwrap();
        }
        Lock::of(directory.path()).unwrap();
        for name in gone {
            assert!(!place(name).exists(), "{name}");
        }
        for name in kept {
            assert!(place(name).exists(), "{name}");
        }
    }
}
