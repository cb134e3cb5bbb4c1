//! Progress of a run on standard error.

use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use touchdown::study::LevelStatus;
use touchdown::study::{Criterion, Evidence, Look, Progress, Study};

use super::text::{complain, duration, legible, number};

/// Interval between lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A progress bar on a terminal, lines elsewhere.
pub struct Meter {
    items: u64,
    noun: &'static str,
    started: Instant,
    last_line: Arc<Mutex<LastLine>>,
    /// Dropping it ends the thread that reports long batches.
    _at_work: Sender<()>,
    bar: Option<ProgressBar>,
}

/// The line printed last, without a terminal.
struct LastLine {
    printed: Instant,
    done: u64,
}

impl Meter {
    /// Progress over this many items.
    pub fn new(items: u64, noun: &'static str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(items);
            let template = format!("{{bar:32}} {{human_pos}}/{{human_len}} {noun} after {{elapsed}}  {{msg}}");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        let started = Instant::now();
        let last_line = Arc::new(Mutex::new(LastLine { printed: started, done: 0 }));
        let (at_work, ended) = channel();
        if bar.is_none() {
            let last_line = Arc::clone(&last_line);
            std::thread::spawn(move || say_that_it_goes_on(&ended, &last_line, items, noun, started));
        }
        Self { items, noun, started, last_line, _at_work: at_work, bar }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Shows the number done, `computed` of them since the start, and further text, possibly several lines.
    pub fn show(&mut self, done: u64, computed: u64, words: impl FnOnce() -> String) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(legible(&(self.rate(done, computed) + &words())));
            }
            None => {
                let mut last = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
                last.done = done;
                if last.printed.elapsed() < LINE_INTERVAL {
                    return;
                }
                last.printed = Instant::now();
                let message = (self.rate(done, computed) + &words()).replace('\n', ";");
                complain(&format!("{done}/{} {}, {message}\n", self.items, self.noun));
            }
        }
    }

    /// Rate and remaining time.
    fn rate(&self, done: u64, computed: u64) -> String {
        let rate = computed as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let left = self.items - done.min(self.items);
        let left = if rate > 0.0 { duration(left as f64 / rate) } else { "?".to_owned() };
        format!("{}/s, {left} left", number(rate))
    }
}

/// Reports that a long batch is still running, until it has `ended`. A batch shows no progress before its end.
fn say_that_it_goes_on(
    ended: &Receiver<()>,
    last_line: &Mutex<LastLine>,
    items: u64,
    noun: &'static str,
    started: Instant,
) {
    while ended.recv_timeout(LINE_INTERVAL / 10) == Err(RecvTimeoutError::Timeout) {
        let mut last = last_line.lock().unwrap_or_else(PoisonError::into_inner);
        if last.printed.elapsed() >= LINE_INTERVAL {
            last.printed = Instant::now();
            let time = duration(started.elapsed().as_secs_f64());
            complain(&format!("{}/{items} {noun} after {time}; the next batch is at work\n", last.done));
        }
    }
}

/// Progress of a study.
pub struct RunProgress<'a> {
    study: &'a Study,
    meter: Meter,
}

impl<'a> RunProgress<'a> {
    /// Progress of a run with this many trials.
    pub fn new(study: &'a Study, trials: u64) -> Self {
        Self { study, meter: Meter::new(trials, study.nouns().many) }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.meter.finish();
    }
}

impl Progress for RunProgress<'_> {
    /// The interval of each criterion beside rate and remaining time, and the next interim look if there are several.
    fn advanced(&mut self, done: u64, computed: u64, evidence: &[Evidence]) {
        let study = self.study;
        self.meter.show(done, computed, || {
            let look = study.look_from(done.div_ceil(study.part_size));
            let criteria = study.criteria.iter().zip(evidence);
            let intervals: String =
                criteria.map(|(criterion, evidence)| interval(criterion, evidence, &look)).collect();
            if look.looks > 1 {
                let place = (look.parts * study.part_size).min(study.trials);
                format!(", look {} of {} at {place}{intervals}", look.number, look.looks)
            } else {
                intervals
            }
        });
    }

    /// The current level of a criterion. The number of levels is known only at the end, so the remaining time is an
    /// upper bound.
    fn advanced_in_level(&mut self, status: &LevelStatus) {
        let each = self.study.trials / self.study.criteria.len() as u64;
        let criterion = &self.study.criteria[status.criterion];
        self.meter.show(status.criterion as u64 * each + status.trials, status.computed, || {
            format!(
                " at most\n  {}: level {}, probability below {} (allowed {})",
                criterion.name,
                status.level,
                number(status.probability),
                number(criterion.probability)
            )
        });
    }
}

fn interval(criterion: &Criterion, evidence: &Evidence, look: &Look) -> String {
    let bounds = evidence.bounds(look.confidence(criterion.confidence));
    format!(
        "\n  {}: {} to {} (allowed {})",
        criterion.name,
        number(bounds.lower),
        number(bounds.upper),
        number(criterion.probability)
    )
}
