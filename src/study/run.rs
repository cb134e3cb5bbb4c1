//! Runs by parts: missing parts are computed, finished ones are kept.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::batches::{self, Batch};
use super::campaign::{Campaign, Kept, Work};
use super::known::KnownSums;
use super::part::{PartBuilder, READ_TOGETHER};
use super::progress::{Progress, RunError, RunOutcome, Timing};
use super::{Evidence, Keep, Part, PartError, RunDirectory, Study, Summary, Sums};
use crate::engine::{Engine, EngineIdentity};
use crate::model::Inputs;
use crate::parallel;

/// Independent parts.
pub(super) struct ByParts<'a> {
    pub study: &'a Study,
}

impl Campaign for ByParts<'_> {
    fn run(&self, work: Work<'_>) -> Result<RunOutcome, RunError> {
        let study = self.study;
        let Work { engine, directory, parts, keep, progress, stop } = work;
        if parts.is_empty() || parts.end > study.parts() {
            return Err(RunError::NoSuchParts { asked: parts, parts: study.parts() });
        }
        if study.stopping.is_some() && parts != (0..study.parts()) {
            return Err(RunError::PartsWithStopping);
        }
        let identity = engine.identity();
        let wall_time = study.stopping.and_then(|stopping| stopping.wall_time);
        let mut run = Run {
            study,
            engine,
            stop,
            deadline: wall_time.and_then(|seconds| Instant::now().checked_add(Duration::from_secs_f64(seconds))),
            keep,
            progress,
            done: 0,
            timing: Timing::new(study),
            evidence: study.no_evidence(),
        };
        // Whoever reads all tables of the parts would count it as well.
        self.files(directory)?;
        let there = directory.finished_parts()?;
        let (own, others): (Vec<u64>, Vec<u64>) = there.iter().copied().partition(|number| parts.contains(number));
        // Nothing is computed that could not be summed up with them.
        for number in others {
            let part = Part::new(study, number, &identity);
            let path = directory.part(&part);
            let kept = part.kept_as_said(&path)?;
            run.refuse_other_rows(&path, kept)?;
        }
        let mut known = KnownSums::new(study);
        for together in own.chunks(READ_TOGETHER) {
            let read = parallel::map(together, 1, |&number| {
                let part = Part::new(study, number, &identity);
                let path = directory.part(&part);
                let is_stopped = stop.load(Ordering::Relaxed);
                (!is_stopped).then(|| part.head(study, &path))
            });
            let mut sums = Vec::with_capacity(together.len());
            for (&number, read) in together.iter().zip(read) {
                let Some(read) = read else { return Ok(RunOutcome::Interrupted) };
                let part = read?;
                run.refuse_other_rows(&directory.parts().join(Part::file_name_of(number)), part.kept)?;
                run.take_in(&part.sums);
                sums.push((number, part.sums));
            }
            known.add(sums);
        }
        let started = Instant::now();
        // The parts of each stretch between looks. A run never passes a look without evaluating it.
        let ends = study.looks().into_iter().map(|look| look.parts);
        let mut begin = parts.start;
        let mut summary = None;
        for end in ends.map(|end| end.min(parts.end)) {
            let missing: Vec<u64> = (begin..end).filter(|number| !there.contains(number)).collect();
            let end_of_stretch = run.compute(&missing, &identity, directory)?;
            if end_of_stretch == EndOfStretch::Interrupted {
                return Ok(RunOutcome::Interrupted);
            }
            let there = directory.leading_parts(study).min(end);
            if there == end && study.stopping.is_some() || end_of_stretch == EndOfStretch::OutOfTime {
                summary = Some(known.summary(&identity, &directory.parts(), there)?);
            }
            if end_of_stretch == EndOfStretch::OutOfTime || summary.as_ref().is_some_and(Summary::is_settled) {
                break;
            }
            begin = end;
        }
        let timing = run.timing.ended(started);
        if timing.trials.count > 0 {
            directory.write_timing(&timing)?;
        }
        if summary.is_none() && directory.leading_parts(study) == study.parts() {
            summary = Some(known.summary(&identity, &directory.parts(), study.parts())?);
        }
        let Some(summary) = summary else {
            return Ok(RunOutcome::PartsDone(timing));
        };
        directory.write_summary(&summary)?;
        Ok(RunOutcome::Complete(Box::new(summary), timing))
    }

    fn files(&self, directory: &RunDirectory) -> Result<Vec<String>, RunError> {
        let files = directory.part_files()?;
        match files.iter().find(|(name, _)| !Part::is_file_of(self.study, name)) {
            Some((_, path)) => Err(Part::stranger(self.study, path).into()),
            None => Ok(files.into_keys().collect()),
        }
    }

    fn check(
        &self,
        directory: &RunDirectory,
        file: &str,
        identity: &EngineIdentity,
    ) -> Result<Option<(u64, Sums)>, PartError> {
        let Some(number) = Part::number_of(file) else {
            return Err(Part::stranger(self.study, &directory.parts().join(file)));
        };
        let part = Part::new(self.study, number, identity);
        Ok(Some((number, part.check_rows(self.study, &directory.parts().join(file))?)))
    }

    fn summary(
        &self,
        directory: &RunDirectory,
        identity: &EngineIdentity,
        mut known: KnownSums<'_>,
    ) -> Result<Summary, RunError> {
        let parts = match self.study.stopping {
            Some(_) => directory.leading_parts(self.study),
            None => self.study.parts(),
        };
        Ok(known.summary(identity, &directory.parts(), parts)?)
    }

    fn compute_again(&self, work: Work<'_>, run: &RunDirectory, files: &[String]) -> Result<RunOutcome, RunError> {
        let Work { engine, directory, progress, stop, .. } = work;
        let identity = engine.identity();
        let started = Instant::now();
        let timing = Timing::new(self.study);
        let evidence = self.study.no_evidence();
        let mut again = Run {
            study: self.study,
            engine,
            stop,
            deadline: None,
            keep: Keep::All,
            progress,
            done: 0,
            timing,
            evidence,
        };
        for number in files.iter().filter_map(|file| Part::number_of(file)) {
            let part = Part::new(self.study, number, &identity);
            again.keep = part.kept(&run.part(&part))?;
            if again.compute(&[number], &identity, directory)? == EndOfStretch::Interrupted {
                return Ok(RunOutcome::Interrupted);
            }
        }
        Ok(RunOutcome::PartsDone(again.timing.ended(started)))
    }

    fn made_by(&self, directory: &RunDirectory, trial: u64) -> Result<Option<EngineIdentity>, PartError> {
        let path = directory.parts().join(Part::file_name_of(trial / self.study.part_size));
        if path.exists() { Part::identity(&path).map(Some) } else { Ok(None) }
    }

    fn inputs_of(&self, _: &RunDirectory, trial: u64) -> Result<Option<Inputs>, PartError> {
        Ok(Some(self.study.inputs_of(trial)))
    }

    fn kept(&self, directory: &RunDirectory, trial: u64) -> Result<Kept, PartError> {
        let Some(identity) = self.made_by(directory, trial)? else {
            return Ok(Kept::NoFile);
        };
        let part = Part::new(self.study, trial / self.study.part_size, &identity);
        let mut kept = Kept::NoRow;
        part.read(self.study, &directory.part(&part), |number, row| {
            if number == trial {
                kept = Kept::Row(row.clone());
            }
            Ok(())
        })?;
        Ok(kept)
    }
}

/// How the computation of a stretch of parts ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndOfStretch {
    AllThere,
    OutOfTime,
    Interrupted,
}

struct Run<'a> {
    study: &'a Study,
    engine: &'a dyn Engine,
    stop: &'a AtomicBool,
    deadline: Option<Instant>,
    keep: Keep,
    progress: &'a mut dyn Progress,
    done: u64,
    timing: Timing,
    evidence: Vec<Evidence>,
}

impl Run<'_> {
    /// A part that is already present must keep the same rows.
    fn refuse_other_rows(&self, path: &Path, kept: Keep) -> Result<(), RunError> {
        match kept == self.keep {
            true => Ok(()),
            false => Err(RunError::OtherRows { path: path.to_owned(), kept, asked: self.keep }),
        }
    }

    /// Counts a part that is already present.
    fn take_in(&mut self, sums: &Sums) {
        self.done += sums.trials();
        self.evidence.iter_mut().zip(sums.evidence()).for_each(|(mine, part)| mine.merge(part));
        self.progress.advanced(self.done, self.timing.trials.count, &self.evidence);
    }

    /// Computes parts and publishes each as soon as it is complete. A batch may end within a part or several parts
    /// later, except that it ends with the part once time is up.
    fn compute(
        &mut self,
        parts: &[u64],
        identity: &EngineIdentity,
        directory: &RunDirectory,
    ) -> Result<EndOfStretch, RunError> {
        let (study, engine, keep, stop, deadline) = (self.study, self.engine, self.keep, self.stop, self.deadline);
        let mut ahead = parts.iter().flat_map(|&number| study.part_trials(number));
        let mut started = self.timing.trials.count;
        let mut end = EndOfStretch::AllThere;
        let admit = |trials: &[u64]| {
            let is_stopped = stop.load(Ordering::Relaxed);
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let part = study.part_trials(trials[0] / study.part_size);
            // At least one part is computed, so that a run whose time is always up still progresses.
            let is_over = is_stopped || is_late && started > 0 && trials[0] == part.start;
            let end_of_time = if is_late { part.end } else { u64::MAX };
            let admitted = trials.iter().take_while(|&&trial| !is_over && trial < end_of_time).count();
            if admitted < trials.len() {
                end = if is_stopped { EndOfStretch::Interrupted } else { EndOfStretch::OutOfTime };
            }
            started += admitted as u64;
            admitted
        };
        let mut unfinished = None;
        let mut builders = parts.iter().map(|&number| {
            let part = Part::new(study, number, identity);
            let path = directory.part(&part);
            PartBuilder::new(study, part, path, keep)
        });
        batches::compute(
            &*study.model,
            engine,
            |size| ahead.by_ref().take(size).collect(),
            admit,
            |&trial| study.inputs_of(trial),
            |batch| self.take_in_batch(batch, &mut unfinished, &mut builders),
        )?;
        Ok(end)
    }

    /// Puts the trials of a batch into their parts, of which one may have been begun, and publishes those that are whole.
    fn take_in_batch(
        &mut self,
        batch: Batch<u64>,
        unfinished: &mut Option<PartBuilder>,
        builders: &mut dyn Iterator<Item = PartBuilder>,
    ) -> Result<(), RunError> {
        let study = self.study;
        self.timing.add(&batch);
        self.done += batch.trials.len() as u64;
        let mut rows = batch.into_rows().map(|(_, inputs, outcome)| (inputs, outcome));
        let mut parts = Vec::new();
        while rows.len() > 0
            && let Some(part) = unfinished.take().or_else(|| builders.next())
        {
            let own: Vec<_> = rows.by_ref().take(part.lacks() as usize).collect();
            parts.push((part, own, Ok(())));
        }
        parallel::for_each_part(parts.iter_mut(), |_, (part, rows, result)| *result = part.fill(study, rows));
        for (part, _, result) in parts {
            result?;
            if part.lacks() > 0 {
                *unfinished = Some(part);
            } else {
                self.evidence.iter_mut().zip(part.evidence()).for_each(|(mine, part)| mine.merge(part));
            }
        }
        let mut evidence = self.evidence.clone();
        for part in unfinished.iter() {
            evidence.iter_mut().zip(part.evidence()).for_each(|(all, part)| all.merge(part));
        }
        self.progress.advanced(self.done, self.timing.trials.count, &evidence);
        Ok(())
    }
}
