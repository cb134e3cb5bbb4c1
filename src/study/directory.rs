//! Run directories: a verbatim copy of the study, its parts, its summary.
//!
//! ```text
//! DIR/study.toml, DIR/files/...   the study and the files it names, so that the directory is self-contained
//! DIR/parts/NNNNN.parquet         finished parts; by subset simulation CCC-LL.parquet, finished levels
//! DIR/summary.json                the summary, a function of the parts alone
//! DIR/timing.json                 wall-clock time and rates
//! DIR/lock                        empty; locked by the process that writes to the directory
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::lock::{Lock, OWN_DIRECTORIES, is_own_file};
use super::part::READ_TOGETHER;
use super::sources::{holds_run, stored_study};
use super::{Part, RunError, Study, Summary, Timing};
use crate::engine::EngineIdentity;
use crate::model::Models;
use crate::parallel;
use crate::table::{TableError, write_atomically};

/// Name of the summary in a run directory.
const SUMMARY_FILE: &str = "summary.json";

/// A directory that holds a run.
///
/// A [prepared](Self::prepare) one keeps other processes from writing to it while it lives, where the file system has
/// locks.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    lock: Option<Lock>,
}

impl RunDirectory {
    /// The directory for runs of a study, created if necessary.
    ///
    /// # Errors
    /// If it holds another study, another process is writing to it, or it cannot be written.
    pub fn prepare(path: &Path, study: &Study) -> Result<Self, RunError> {
        let mut directory = Self::open(path);
        let parts = directory.parts();
        // A directory that is not ours is left untouched.
        directory.is_run_of(study)?;
        fs::create_dir_all(&parts).map_err(|source| TableError::Write { path: parts, source })?;
        directory.lock = Some(Lock::of(path)?);
        // The previous holder of the lock may have made it a run.
        if !directory.is_run_of(study)? {
            study.store(path)?;
        }
        Ok(directory)
    }

    /// Whether it already holds a run of this study; a directory with any other study file is refused.
    fn is_run_of(&self, study: &Study) -> Result<bool, RunError> {
        if !stored_study(&self.path).exists() {
            return Ok(false);
        }
        if !holds_run(&self.path) {
            return Err(RunError::NotARun { directory: self.path.clone() });
        }
        let stored = study.models.stored_study(&self.path)?;
        if stored.hash() != study.hash() {
            let differences = stored.differences(study);
            return Err(RunError::OtherStudy { directory: self.path.clone(), differences });
        }
        Ok(true)
    }

    /// An existing run.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        Self { path: path.to_owned(), lock: None }
    }

    /// A warning where others could write to a prepared directory as well, since its file system has no locks.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let is_open = self.lock.as_ref().is_some_and(|lock| !lock.is_exclusive());
        is_open.then(|| {
            format!(
                "{}: the file system has no locks; no other process may write to this directory at the same time",
                self.path.display()
            )
        })
    }

    /// The run that reserves this path for its own files, whether or not it exists yet.
    #[must_use]
    pub fn owner_of(file: &Path) -> Option<PathBuf> {
        let (parent, name) = (resolved(Path::new(".").join(file).parent()?)?, file.file_name()?);
        let name = name.to_string_lossy();
        if holds_run(&parent) && (is_own_file(&name) || OWN_DIRECTORIES.contains(&&*name)) {
            return Some(parent);
        }
        let is_own = |directory: &&Path| {
            let name = directory.file_name().map(|name| name.to_string_lossy());
            let is_owned = name.is_some_and(|name| OWN_DIRECTORIES.contains(&&*name));
            is_owned && directory.parent().is_some_and(holds_run)
        };
        Some(parent.ancestors().find(is_own)?.parent()?.to_owned())
    }

    /// Directory of the parts.
    #[must_use]
    pub fn parts(&self) -> PathBuf {
        self.path.join("parts")
    }

    /// The file of a part.
    #[must_use]
    pub fn part(&self, part: &Part) -> PathBuf {
        self.parts().join(part.file_name())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn summary_file(&self) -> PathBuf {
        self.path.join(SUMMARY_FILE)
    }

    /// Whether there is a summary: the run is finished.
    pub(super) fn has_summary(&self) -> bool {
        self.summary_file().exists()
    }

    /// Publishes a summary.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), TableError> {
        write_atomically(&self.summary_file(), summary.to_json().as_bytes())
    }

    /// Publishes the timing of a run.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_timing(&self, timing: &Timing) -> Result<(), TableError> {
        write_atomically(&self.path.join("timing.json"), timing.to_json().as_bytes())
    }

    /// Number of leading parts present without a gap.
    pub(super) fn leading_parts(&self, study: &Study) -> u64 {
        let is_there = |number: &u64| self.parts().join(Part::file_name_of(*number)).exists();
        (0..study.parts()).take_while(is_there).count() as u64
    }

    /// The numbers of the parts present.
    pub(super) fn finished_parts(&self) -> Result<BTreeSet<u64>, RunError> {
        Ok(self.part_files()?.keys().filter_map(|name| Part::number_of(name)).collect())
    }

    /// Which of these files, by name, the parts directory is still without. What it has must be among them, with the same
    /// bytes: another run is not replaced.
    fn without<'a>(&self, sources: &'a BTreeMap<String, PathBuf>) -> Result<Vec<(&'a String, &'a PathBuf)>, RunError> {
        let there = self.part_files()?;
        for (name, path) in &there {
            let is_same = match sources.get(name) {
                Some(file) => bytes_of(file)? == bytes_of(path)?,
                None => false,
            };
            if !is_same {
                return Err(RunError::Occupied { path: path.clone() });
            }
        }
        let lacks: Vec<_> = sources.iter().filter(|(name, _)| !there.contains_key(*name)).collect();
        // The summary is written last: one without its parts is that of other parts.
        if !lacks.is_empty() && self.has_summary() {
            return Err(RunError::Occupied { path: self.summary_file() });
        }
        Ok(lacks)
    }

    /// The files in the parts directory, by name, but for hidden ones.
    pub(super) fn part_files(&self) -> Result<BTreeMap<String, PathBuf>, RunError> {
        let parts = self.parts();
        let unreadable = |source| TableError::Read { path: parts.clone(), source };
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(&parts).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !is_hidden(&name) {
                files.insert(name, entry.path());
            }
        }
        Ok(files)
    }
}

/// Whether a file of this name is none of a run's results: it is unfinished, or left by a file system or a desktop.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

/// The path of a directory without links, whether or not it exists yet.
fn resolved(directory: &Path) -> Option<PathBuf> {
    let (ancestor, mut path) =
        directory.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)))?;
    for component in directory.strip_prefix(ancestor).ok()?.components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    Some(path)
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, TableError> {
    fs::read(file).map_err(|source| TableError::Read { path: file.to_owned(), source })
}

/// Combines the parts of several run directories of one study in another one, with a summary. What an interrupted merge of
/// the same parts has left there is completed.
///
/// # Errors
/// If a directory holds another study, a part is foreign, present twice, missing, or keeps other rows than the first, or
/// `into` holds a part or a summary of another run; the message names it.
pub fn merge(models: &Models, from: &[PathBuf], into: &Path) -> Result<Summary, RunError> {
    let [first, ..] = from else {
        return Err(RunError::NothingToMerge);
    };
    let study = models.stored_study(first)?;
    if study.subset().is_some() {
        return Err(RunError::Undivided { directory: first.clone() });
    }
    let mut sources: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in from {
        let other = models.stored_study(path)?;
        if other.hash() != study.hash() {
            let differences = study.differences(&other);
            return Err(RunError::ForeignRun { directory: path.clone(), first: first.clone(), differences });
        }
        for (name, file) in RunDirectory::open(path).part_files()? {
            if let Some(other) = sources.insert(name, file.clone()) {
                return Err(RunError::Overlap { first: other, second: file });
            }
        }
    }
    let (identity, parts) = one_identity(&study, &sources)?;
    let directory = RunDirectory::prepare(into, &study)?;
    for (name, file) in directory.without(&sources)? {
        write_atomically(&directory.parts().join(name), &bytes_of(file)?)?;
    }
    let summary = Summary::of_parts(&study, &identity, &directory.parts(), parts)?;
    directory.write_summary(&summary)?;
    Ok(summary)
}

/// The common engine identity and the number of parts: each must be a part of this study with the same selection of rows,
/// none missing. Only a run with stopping rules may lack parts at its end.
fn one_identity(study: &Study, files: &BTreeMap<String, PathBuf>) -> Result<(EngineIdentity, u64), RunError> {
    let Some(first) = files.values().next() else {
        return Err(RunError::Gap { missing: format!("0 to {}", study.parts() - 1) });
    };
    if let Some((_, stranger)) = files.iter().find(|(name, _)| !Part::is_file_of(study, name)) {
        return Err(Part::stranger(study, stranger).into());
    }
    let identity = Part::identity(first)?;
    let mut kept_first = None;
    let (there, missing): (Vec<u64>, Vec<u64>) =
        (0..study.parts()).partition(|&number| files.contains_key(&Part::file_name_of(number)));
    for together in there.chunks(READ_TOGETHER) {
        let file = |number: u64| &files[&Part::file_name_of(number)];
        // Reads them completely: nothing is written before all parts are known to be good.
        let read = parallel::map(together, 1, |&number| Part::new(study, number, &identity).head(study, file(number)));
        for (&number, read) in together.iter().zip(read) {
            let kept = read?.kept;
            let first = *kept_first.get_or_insert(kept);
            if kept != first {
                return Err(RunError::MixedRows { path: file(number).clone(), kept, first });
            }
        }
    }
    let known = there.len() as u64;
    let is_prefix = missing.first() == Some(&known);
    if missing.is_empty() || (is_prefix && study.stopping.is_some()) {
        Ok((identity, known))
    } else {
        Err(RunError::Gap { missing: listed(&missing) })
    }
}

/// Numbers as ranges: `3, 5 to 9`.
fn listed(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let text = runs.map(|run| match run {
        [first, .., last] => format!("{first} to {last}"),
        other => other.iter().map(u64::to_string).collect(),
    });
    text.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_of_a_run_is_its_own_before_it_exists() {
        let room = tempfile::tempdir().unwrap();
        let run = room.path().join("run");
        fs::create_dir_all(run.join("files")).unwrap();
        fs::create_dir_all(run.join("parts")).unwrap();
        fs::write(run.join("study.toml"), "").unwrap();
        let owner = Some(run.canonicalize().unwrap());
        for own in
            ["cells", "parts/a.png", "parts/film/a.png", "cells/a.png", "files/a/b/c.png", "new/../parts/film/a.png"]
        {
            assert_eq!(RunDirectory::owner_of(&run.join(own)), owner, "{own}");
        }
        for other in ["film/a.png", "new/parts/a.png", "parts/../film/a.png", "../parts/film/a.png"] {
            assert_eq!(RunDirectory::owner_of(&run.join(other)), None, "{other}");
        }
    }

    #[test]
    fn missing_parts_are_listed_as_ranges() {
        assert_eq!(listed(&[0]), "0");
        assert_eq!(listed(&[3, 5, 6, 7, 9]), "3, 5 to 7, 9");
    }
}
