//! Progress of a run on standard error.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use touchdown::study::LevelStatus;
use touchdown::study::{Criterion, Evidence, Look, Progress, Study};

use super::text::{complain, duration, number};

/// Without a terminal a line is printed this often.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A bar on a terminal, lines elsewhere.
pub struct Meter {
    items: u64,
    noun: &'static str,
    started: Instant,
    last_line: Instant,
    bar: Option<ProgressBar>,
}

impl Meter {
    /// Shows how many of so many items are done.
    pub fn new(items: u64, noun: &'static str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(items);
            let template = format!("{{bar:32}} {{human_pos}}/{{human_len}} {noun}  {{msg}}");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        Self { items, noun, started: now, last_line: now, bar }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Shows that so many are done, `computed` of them since the start, and some words more, which may take lines.
    pub fn show(&mut self, done: u64, computed: u64, words: impl FnOnce() -> String) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(self.rate(done, computed) + &words());
            }
            None if self.last_line.elapsed() >= LINE_INTERVAL => {
                self.last_line = Instant::now();
                let message = (self.rate(done, computed) + &words()).replace('\n', ";");
                complain(&format!("{done}/{} {}, {message}\n", self.items, self.noun));
            }
            None => {}
        }
    }

    /// Rate and time left.
    fn rate(&self, done: u64, computed: u64) -> String {
        let rate = computed as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let left = self.items - done.min(self.items);
        let left = if rate > 0.0 { duration(left as f64 / rate) } else { "?".to_owned() };
        format!("{}/s, {left} left", number(rate))
    }
}

/// Progress of a study.
pub struct RunProgress<'a> {
    study: &'a Study,
    meter: Meter,
}

impl<'a> RunProgress<'a> {
    /// Progress of a run that has this many trials to show.
    pub fn new(study: &'a Study, trials: u64) -> Self {
        Self { study, meter: Meter::new(trials, study.nouns().many) }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.meter.finish();
    }
}

impl Progress for RunProgress<'_> {
    /// The interval of each criterion beside rate and time left, and the look that comes next where there are several.
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

    /// The level of the criterion at work. How many levels it takes shows at its end, so the time left is the longest.
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
