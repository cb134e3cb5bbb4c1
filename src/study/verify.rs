//! Verification of runs: whether their files are intact, belong together, and can be reproduced.

use std::fs;
use std::sync::atomic::AtomicBool;

use super::analysis::verified_files;
use super::campaign::Work;
use super::known::KnownSums;
use super::map::{self, Map};
use super::part::{READ_TOGETHER, metadata_of};
use super::sensitivity::{self, Sensitivity};
use super::{Keep, Part, Progress, RunDirectory, RunError, RunOutcome, Study};
use crate::engine::{Engine, EngineIdentity};
use crate::parallel;
use crate::scene::read_limited;
use crate::table::TableError;

/// Result of reading a run completely.
#[derive(Debug)]
pub struct Verification {
    /// The engine that computed the run; `None` if nothing is computed yet.
    pub identity: Option<EngineIdentity>,
    /// Intact files with trials, by name.
    pub good: Vec<String>,
    /// Number of intact files of a sensitivity analysis or a map in the same directory.
    pub of_analyses: u64,
    /// What is wrong with the others, with the name of each.
    pub damaged: Vec<String>,
    /// State of the summary.
    pub summary: SummaryState,
}

/// Whether a summary agrees with the files it summarizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryState {
    /// There is none: the run is not finished.
    Missing,
    /// It agrees with the files.
    Equal,
    /// It differs.
    Different,
    /// It cannot be judged, since files are missing or damaged.
    Unknown,
}

/// A file that was recomputed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recomputed {
    /// Its name.
    pub file: String,
    /// Whether it is identical, byte for byte.
    pub is_equal: bool,
}

impl RunDirectory {
    /// Reads every file of a run completely: checksums, identity, rows and sums; and whether the summary follows from
    /// them. Files of a sensitivity analysis or a map are checked for their checksums and for belonging to this study.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn verify(&self, study: &Study) -> Result<Verification, RunError> {
        let campaign = study.campaign();
        let names = campaign.files(self)?;
        // The first readable file determines the identity.
        let identity = names.iter().find_map(|name| Part::identity(&self.parts().join(name)).ok());
        let unknown = EngineIdentity { engine: String::new(), adapter: String::new(), version: String::new() };
        let (mut good, mut damaged, mut known) = (Vec::new(), Vec::new(), KnownSums::new(study));
        for together in names.chunks(READ_TOGETHER) {
            let read =
                parallel::map(together, 1, |name| campaign.check(self, name, identity.as_ref().unwrap_or(&unknown)));
            let mut sums = Vec::with_capacity(together.len());
            for (name, read) in together.iter().zip(read) {
                match read {
                    Ok(of_part) => {
                        good.push(name.clone());
                        sums.extend(of_part);
                    }
                    Err(error) => damaged.push(error.to_string()),
                }
            }
            known.add(sums);
        }
        let summary = match &identity {
            _ if !self.has_summary() => SummaryState::Missing,
            Some(identity) if damaged.is_empty() => {
                let path = self.summary_file();
                let said = read_limited(&path).map_err(|source| TableError::Read { path, source })?;
                // With parts missing there is no summary.
                match campaign.summary(self, identity, known) {
                    Ok(summary) if summary.to_json().as_bytes() == said => SummaryState::Equal,
                    Ok(summary) => match self.lacks(study, &said, summary.trials.count) {
                        Some(what) => {
                            damaged.push(what);
                            SummaryState::Unknown
                        }
                        None => SummaryState::Different,
                    },
                    Err(error) => {
                        damaged.push(error.to_string());
                        SummaryState::Unknown
                    }
                }
            }
            _ => SummaryState::Unknown,
        };
        let of_analyses = self.verify_analyses(study, &mut damaged)?;
        Ok(Verification { identity, good, of_analyses, damaged, summary })
    }

    /// What is missing of a run that may end early, where its summary counts more trials than its leading parts hold.
    fn lacks(&self, study: &Study, said: &[u8], there: u64) -> Option<String> {
        let said: serde_json::Value = serde_json::from_slice(said).ok()?;
        let many = study.nouns().many;
        let counted = said[many].as_u64().filter(|&counted| counted > there && study.subset().is_none())?;
        let missing = self.parts().join(Part::file_name_of(self.leading_parts(study)));
        Some(format!(
            "{}: is missing: the summary counts {counted} {many}, and up to here there are {there}",
            missing.display()
        ))
    }

    /// Number of intact files of analyses.
    fn verify_analyses(&self, study: &Study, damaged: &mut Vec<String>) -> Result<u64, RunError> {
        let of_study =
            metadata_of([("touchdown.study", study.hash().to_owned()), ("touchdown.seed", study.seed.to_string())]);
        let mut refused = |error: String| damaged.push(error);
        let of_sensitivity = Sensitivity::read(self.path(), study.nouns().many).unwrap_or_else(|error| {
            refused(error.to_string());
            None
        });
        let of_map = Map::read(self.path()).unwrap_or_else(|error| {
            refused(error.to_string());
            None
        });
        let trials_of = |hash: &str, trials: u64| (hash == study.hash()).then_some(trials);
        let mut good = 0;
        for (names, result) in [
            (sensitivity::NAMES, of_sensitivity.map(|it| trials_of(&it.study_hash, it.trials))),
            (map::NAMES, of_map.map(|it| trials_of(&it.study_hash, it.trials * it.cells()))),
        ] {
            if result == Some(None) {
                damaged.push(format!(
                    "{}: the result beside `{}` is that of another study",
                    self.path().display(),
                    names.directory
                ));
            }
            let (intact, faults) = verified_files(self.path(), names, &of_study, result.flatten())?;
            good += intact;
            damaged.extend(faults);
        }
        Ok(good)
    }

    /// Recomputes files of a run, each separately, and compares their bytes; `None` if it was asked to stop. The run is
    /// left unchanged.
    ///
    /// # Errors
    /// If the engine is not the one that computed the run, files are missing or damaged, or the engine fails.
    pub fn recompute(
        &self,
        study: &Study,
        engine: &dyn Engine,
        files: &[String],
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Recomputed>>, RunError> {
        let failed = |source| TableError::Write { path: std::env::temp_dir(), source };
        let scratch = tempfile::tempdir().map_err(failed)?;
        let again = Self::open(scratch.path());
        fs::create_dir_all(again.parts()).map_err(failed)?;
        for name in files {
            let identity = Part::identity(&self.parts().join(name))?;
            if identity != engine.identity() {
                let [made_by, asked] = [identity, engine.identity()].map(Box::new);
                return Err(RunError::OtherEngine { directory: self.path().to_owned(), made_by, asked });
            }
        }
        let work = Work { engine, directory: &again, parts: 0..0, keep: Keep::All, progress, stop };
        if matches!(study.campaign().compute_again(work, self, files)?, RunOutcome::Interrupted) {
            return Ok(None);
        }
        let same = |name: &String| {
            let [old, new] = [self, &again].map(|run| {
                let path = run.parts().join(name);
                fs::read(&path).map_err(|source| TableError::Read { path, source })
            });
            Ok(Recomputed { file: name.clone(), is_equal: old? == new? })
        };
        files.iter().map(same).collect::<Result<_, RunError>>().map(Some)
    }
}
