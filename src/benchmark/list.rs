//! What is measured, job by job. The command line follows from this list.

use std::fmt;

use super::cases::{Collisions, Landings, Meetings, Pairs, Problems, Rays, RaysInColumns, Wheels};
use super::measure::Measurement;
use super::report::Figures;
use crate::engine::EngineError;
use crate::scene::SceneError;
use crate::validation::SceneClass;

/// A measurable case.
pub trait Measured {
    /// Its figures on an engine.
    ///
    /// # Errors
    /// If the engine fails.
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError>;
}

impl Measured for Rays {
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError> {
        on.rays(self)
    }
}

impl Measured for RaysInColumns {
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError> {
        on.rays_in_columns(self)
    }
}

impl Measured for Pairs {
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError> {
        on.pairs(self)
    }
}

impl Measured for Collisions {
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError> {
        on.collisions(self)
    }
}

impl Measured for Problems {
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError> {
        on.problems(self)
    }
}

impl Measured for Meetings {
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError> {
        on.meetings(self)
    }
}

impl Measured for Wheels {
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError> {
        on.wheels(self)
    }
}

impl Measured for Landings {
    fn figures(&self, on: &Measurement<'_>) -> Result<Figures, EngineError> {
        on.landings(self)
    }
}

/// A measured job.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name.
    pub job: &'static str,
    /// What is measured, in brief.
    pub about: &'static str,
    scenarios: fn() -> Vec<Scenario>,
}

impl Case {
    /// The measured cases.
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

/// One measured case of a job.
pub struct Scenario {
    /// Description.
    pub what: String,
    make: Box<dyn Fn() -> Result<Box<dyn Measured>, SceneError>>,
}

impl Scenario {
    fn new<T: Measured + 'static>(what: String, make: impl Fn() -> Result<T, SceneError> + 'static) -> Self {
        Self { what, make: Box::new(move || Ok(Box::new(make()?))) }
    }

    /// Makes its scene.
    ///
    /// # Errors
    /// If the scene cannot be made.
    pub fn make(&self) -> Result<Box<dyn Measured>, SceneError> {
        (self.make)()
    }
}

/// Everything measured.
pub static CASES: [Case; 7] = [
    Case {
        job: "rays",
        about: "Long rays in every class of scenes, and columns of rays from above in one",
        scenarios: || {
            let in_class = |class: SceneClass| {
                let what = format!("rays in scene {}", class.name());
                Scenario::new(what, move || Rays::new(class))
            };
            let in_columns =
                Scenario::new("rays in columns".to_owned(), || Rays::new(SceneClass::House).map(RaysInColumns));
            SceneClass::ALL.map(in_class).into_iter().chain([in_columns]).collect()
        },
    },
    Case {
        job: "ellipsoids",
        about: "Pairs of ellipsoids of up to 5 to 1",
        scenarios: || vec![Scenario::new("ellipsoids".to_owned(), || Ok(Pairs))],
    },
    Case {
        job: "oriented",
        about: "Points that collide with a polygon of 8 surfaces and one of 32",
        scenarios: || {
            let with = |collisions: Collisions| {
                Scenario::new(format!("oriented collisions, {}", collisions.name), move || Ok(collisions))
            };
            vec![with(Collisions::OCTAGON), with(Collisions::LARGEST)]
        },
    },
    Case {
        job: "lcp",
        about: "Linear complementarity problems of eight unknowns",
        scenarios: || vec![Scenario::new("complementarity problems".to_owned(), || Ok(Problems))],
    },
    Case {
        job: "encounters",
        about: "Vehicles that meet as boxes with rounded edges",
        scenarios: || vec![Scenario::new("encounters".to_owned(), || Ok(Meetings))],
    },
    Case {
        job: "wheels",
        about: "Wheels that roll along a runway",
        scenarios: || vec![Scenario::new("wheels".to_owned(), Wheels::new)],
    },
    Case {
        job: "landings",
        about: "Landings of a light airplane on a runway",
        scenarios: || vec![Scenario::new("landings".to_owned(), Landings::new)],
    },
];
