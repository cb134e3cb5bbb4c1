//! Relaxation: how far each contact moves towards its own solution.

/// Sweeps between adjustments: with many bodies the largest change grows for some tens of sweeps, as contacts change
/// state one after another, without cycling.
const SWEEPS: u32 = 128;
/// Smallest factor: below, sweeps make no progress.
const LEAST: f64 = 1.0 / 16.0;

/// A factor of one as long as changes decrease. If they do not, sweeps cycle, which strong coupling of tangential and
/// normal impulses can cause: then one half, and so on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    factor: f64,
    sweeps: u32,
    /// Smallest change among the latest sweeps, and before them.
    least: [f64; 2],
}

impl Default for Pace {
    fn default() -> Self {
        Self { factor: 1.0, sweeps: 0, least: [f64::INFINITY; 2] }
    }
}

impl Pace {
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Records the largest change of a sweep.
    pub fn note(&mut self, change: f64) {
        let [latest, before] = &mut self.least;
        *latest = latest.min(change);
        self.sweeps += 1;
        if self.sweeps.is_multiple_of(SWEEPS) {
            if *latest >= *before {
                self.factor = LEAST.max(0.5 * self.factor);
            }
            (*latest, *before) = (f64::INFINITY, before.min(*latest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_halved_where_changes_do_not_decrease_and_stays_where_they_grow_for_some_sweeps_first() {
        let factor = |change: fn(f64) -> f64| {
            let mut pace = Pace::default();
            (0..500).for_each(|sweep| pace.note(change(f64::from(sweep))));
            pace.factor()
        };
        assert_eq!(factor(|sweep| (1.0 + sweep.min(100.0)) * (-0.05 * (sweep - 100.0).max(0.0)).exp()), 1.0);
        assert_eq!(factor(|sweep| 2.0 + (0.5 * sweep).cos().signum()), 0.25);
    }
}
