//! What is measured, job by job. The command line follows from this list.

use std::fmt;

use super::cases::{Landings, Pairs, Rays, Wheels};
use super::measure::Measurement;
use super::report::Figures;
use crate::engine::EngineError;
use crate::scene::SceneError;
use crate::validation::SceneClass;

/// Measures something on an engine.
pub type Measure = Box<dyn Fn(&Measurement<'_>) -> Result<Figures, EngineError>>;

/// A job that is measured.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name.
    pub job: &'static str,
    /// What is measured of it, in some words.
    pub about: &'static str,
    scenarios: fn() -> Vec<Scenario>,
}

impl Case {
    /// What is measured of it.
    #[must_use]
    pub fn scenarios(&self) -> Vec<Scenario> {
        (self.scenarios)()
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.job)
    }
}

/// One thing that is measured of a job.
pub struct Scenario {
    /// What it is, in words.
    pub what: String,
    make: Box<dyn Fn() -> Result<Measure, SceneError>>,
}

impl Scenario {
    fn new<T: 'static>(
        what: String,
        make: impl Fn() -> Result<T, SceneError> + 'static,
        measure: fn(&Measurement<'_>, &T) -> Result<Figures, EngineError>,
    ) -> Self {
        let make = move || {
            let made = make()?;
            Ok(Box::new(move |on: &Measurement<'_>| measure(on, &made)) as Measure)
        };
        Self { what, make: Box::new(make) }
    }

    /// Makes its scene; what is given back measures it on an engine.
    ///
    /// # Errors
    /// When the scene cannot be made.
    pub fn make(&self) -> Result<Measure, SceneError> {
        (self.make)()
    }
}

/// All that is measured.
#[expect(clippy::redundant_closure_for_method_calls, reason = "a method itself would do for one lifetime only")]
pub static CASES: [Case; 4] = [
    Case {
        job: "rays",
        about: "Long rays in five scenes",
        scenarios: || {
            let in_class = |class: SceneClass| {
                let what = format!("rays in scene {}", class.name());
                Scenario::new(what, move || Rays::new(class), |on, rays| on.rays(rays))
            };
            SceneClass::ALL.map(in_class).into()
        },
    },
    Case {
        job: "ellipsoids",
        about: "Pairs of ellipsoids of up to 5 to 1",
        scenarios: || vec![Scenario::new("ellipsoids".to_owned(), || Ok(Pairs), |on, pairs| on.pairs(pairs))],
    },
    Case {
        job: "wheels",
        about: "Wheels that roll along a runway",
        scenarios: || vec![Scenario::new("wheels".to_owned(), Wheels::new, |on, wheels| on.wheels(wheels))],
    },
    Case {
        job: "landings",
        about: "Landings of a light airplane on a runway",
        scenarios: || vec![Scenario::new("landings".to_owned(), Landings::new, |on, landings| on.landings(landings))],
    },
];
