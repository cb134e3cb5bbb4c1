//! How far each contact goes towards its own solution.

/// Sweeps between two looks at the pace: among many bodies the largest change grows for some tens of sweeps, as contacts
/// change their states one after another, without going in circles.
const SWEEPS: u32 = 128;
/// Least factor: below, sweeps are too short to come anywhere.
const LEAST: f64 = 1.0 / 16.0;

/// All the way, as long as changes become smaller. Where they do not, sweeps go in circles, which is what strong
/// coupling of tangential and normal impulses can do: then half the way, and so on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    factor: f64,
    sweeps: u32,
    /// Least change among the latest sweeps, and before them.
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

    /// Takes note of the largest change of a sweep.
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
