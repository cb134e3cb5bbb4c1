//! Progress of a run on standard error.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use touchdown::study::{Criterion, Progress, Study, Tally};

use super::text::{complain, duration, number};

/// Without a terminal a line is printed this often.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A bar on a terminal, lines elsewhere.
pub struct RunProgress<'a> {
    study: &'a Study,
    landings: u64,
    started: Instant,
    last_line: Instant,
    bar: Option<ProgressBar>,
}

impl<'a> RunProgress<'a> {
    /// Progress of a run that has this many landings to show.
    pub fn new(study: &'a Study, landings: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(landings);
            if let Ok(style) = ProgressStyle::with_template("{bar:32} {human_pos}/{human_len} landings  {msg}") {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        Self { study, landings, started: now, last_line: now, bar }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Rate, time left and the interval of each criterion.
    fn message(&self, done: u64, computed: u64, tallies: &[Tally]) -> String {
        let rate = computed as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let left =
            if rate > 0.0 { duration((self.landings - done.min(self.landings)) as f64 / rate) } else { "?".to_owned() };
        let mut message = format!("{}/s, {left} left", number(rate));
        for (criterion, tally) in self.study.criteria.iter().zip(tallies) {
            message.push_str(&interval(criterion, tally));
        }
        message
    }
}

fn interval(criterion: &Criterion, tally: &Tally) -> String {
    let (lower, upper) = tally.bounds(criterion.confidence);
    format!(
        "\n  {}: {} to {} (allowed {})",
        criterion.name,
        number(lower),
        number(upper),
        number(criterion.probability)
    )
}

impl Progress for RunProgress<'_> {
    fn advanced(&mut self, done: u64, computed: u64, tallies: &[Tally]) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(self.message(done, computed, tallies));
            }
            None if self.last_line.elapsed() >= LINE_INTERVAL => {
                self.last_line = Instant::now();
                let message = self.message(done, computed, tallies).replace('\n', ";");
                complain(&format!("{done}/{} landings, {message}\n", self.landings));
            }
            None => {}
        }
    }
}
