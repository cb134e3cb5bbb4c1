//! Files of numbered trials.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::engine::EngineIdentity;
use crate::study::directory::is_hidden;
use crate::study::part::{Metadata, open_own};
use crate::study::{PartError, Study};
use crate::table::{Chunk, Column, TableError, TableReader, TableWriter, Values, Wanted};

/// Trials per file: some seconds of CPU time, which is what an interruption loses.
const FILE_SIZE: u64 = 4096;

/// What the files of an analysis are called.
#[derive(Clone, Copy)]
pub(in crate::study) struct TrialNames {
    /// Their directory, in that of the analysis.
    pub directory: &'static str,
    /// Metadata: number of the first trial.
    pub first: &'static str,
    /// Metadata: number of trials.
    pub count: &'static str,
}

/// The files of one analysis.
pub(in crate::study) struct TrialFiles<'a> {
    pub study: &'a Study,
    names: TrialNames,
    directory: PathBuf,
    /// Trials in all files.
    trials: u64,
    /// What every file says of itself.
    common: Metadata,
}

impl<'a> TrialFiles<'a> {
    /// The files of so many trials in the directory of an analysis, which is created if necessary. `own` is what tells them from
    /// those of another analysis of the same study.
    pub fn prepare(
        study: &'a Study,
        identity: &EngineIdentity,
        directory: &Path,
        names: TrialNames,
        trials: u64,
        own: Metadata,
    ) -> Result<Self, TableError> {
        let directory = directory.join(names.directory);
        fs::create_dir_all(&directory).map_err(|source| TableError::Write { path: directory.clone(), source })?;
        let mut common = own;
        common.extend([
            ("touchdown.version".to_owned(), identity.version.clone()),
            ("touchdown.engine".to_owned(), identity.engine.clone()),
            ("touchdown.adapter".to_owned(), identity.adapter.clone()),
            ("touchdown.study".to_owned(), study.hash().to_owned()),
            ("touchdown.seed".to_owned(), study.seed.to_string()),
        ]);
        Ok(Self { study, names, directory, trials, common })
    }

    /// Number of trials in all files.
    pub fn all(&self) -> u64 {
        self.trials
    }

    /// Total number of files.
    pub fn files(&self) -> u64 {
        self.trials.div_ceil(FILE_SIZE)
    }

    /// The trials in a file.
    pub fn trials(&self, file: u64) -> Range<u64> {
        file * FILE_SIZE..((file + 1) * FILE_SIZE).min(self.trials)
    }

    /// Number of trials in a file.
    pub fn size(&self, file: u64) -> usize {
        let trials = self.trials(file);
        (trials.end - trials.start) as usize
    }

    /// Whether a file is present; a file of another analysis is an error.
    pub fn has(&self, file: u64) -> Result<bool, PartError> {
        Ok(self.path(file).exists() && self.open(file, &[]).map(|_| true)?)
    }

    /// The path of a file.
    pub fn path(&self, file: u64) -> PathBuf {
        self.directory.join(file_name(file))
    }

    /// Opens a file, which must be present and of this analysis.
    pub fn open(&self, file: u64, wanted: &[Wanted]) -> Result<TableReader, PartError> {
        open_own(&self.path(file), wanted, &self.metadata(file))
    }

    /// Publishes a file.
    pub fn publish(&self, file: u64, columns: &[Column], values: Vec<Values>) -> Result<(), TableError> {
        let metadata: Vec<(String, String)> = self.metadata(file).into_iter().collect();
        let mut writer = TableWriter::create_with_checksum(&self.path(file), columns, &metadata)?;
        writer.write(&Chunk { first_row: 0, columns: values })?;
        writer.finish()
    }

    fn metadata(&self, file: u64) -> Metadata {
        let Range { start, end } = self.trials(file);
        let mut metadata = self.common.clone();
        metadata.insert(self.names.first.to_owned(), start.to_string());
        metadata.insert(self.names.count.to_owned(), (end - start).to_string());
        metadata
    }
}

fn file_name(file: u64) -> String {
    format!("{file:05}.parquet")
}

/// The number of intact files of an analysis, and what is wrong with the others: each must hold the trials that its name says, and
/// none be missing where the analysis is finished and says how many trials it has.
pub(in crate::study) fn verified_files(
    analysis: &Path,
    names: TrialNames,
    common: &Metadata,
    trials: Option<u64>,
) -> Result<(u64, Vec<String>), TableError> {
    let (mut good, mut faults) = (0, Vec::new());
    let there = finished_files(analysis, names.directory)?;
    let all = trials.map_or(u64::MAX, |trials| trials.div_ceil(FILE_SIZE));
    for file in &there {
        let number = file.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        let Some(number) = number.filter(|&number| number < all && file.ends_with(file_name(number))) else {
            faults.push(format!("{}: is none of the files of this analysis; delete it", file.display()));
            continue;
        };
        let mut metadata = common.clone();
        metadata.insert(names.first.to_owned(), (number * FILE_SIZE).to_string());
        match open_own(file, &[], &metadata) {
            Ok(_) => good += 1,
            Err(error) => faults.push(error.to_string()),
        }
    }
    let missing = (0..trials.map_or(0, |_| all)).map(file_name).map(|name| analysis.join(names.directory).join(name));
    faults.extend(
        missing.filter(|file| there.binary_search(file).is_err()).map(|file| format!("{}: is missing", file.display())),
    );
    Ok((good, faults))
}

/// The files in a directory of the directory of an analysis, in order, but for hidden ones; empty without one.
fn finished_files(analysis: &Path, directory: &str) -> Result<Vec<PathBuf>, TableError> {
    let directory = analysis.join(directory);
    let failed = |source| TableError::Read { path: directory.clone(), source };
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    files.retain(|file| !is_hidden(&file.file_name().unwrap_or_default().to_string_lossy()));
    files.sort();
    Ok(files)
}
