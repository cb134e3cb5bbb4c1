//! The studies of the landing checks, embedded in the program: it needs no other files.

use std::fs;
use std::path::Path;

use crate::model::LandingModel;
use crate::query::{LandingInputs, LandingJob, Quantity};
use crate::study::{Study, StudyError};

/// A study whose model is known to be landings.
#[derive(Clone, Debug)]
pub struct LandingStudy {
    /// The study.
    pub study: Study,
    /// Data shared by all its landings.
    pub job: LandingJob,
    readings: Vec<Quantity>,
}

impl LandingStudy {
    /// This study; `None` if it has another model.
    #[must_use]
    pub fn of(study: Study) -> Option<Self> {
        let model = study.model.downcast::<LandingModel>()?;
        let (job, readings) = (model.job().clone(), model.readings().to_vec());
        Some(Self { study, job, readings })
    }

    /// The inputs of a landing.
    #[must_use]
    pub fn landing_inputs(&self, landing: u64) -> LandingInputs {
        LandingInputs::from(&self.study.inputs_of(landing))
    }

    /// The inputs with every distribution at its median: a typical landing.
    #[must_use]
    pub fn median_inputs(&self) -> LandingInputs {
        LandingInputs::from(&self.study.median_inputs())
    }

    /// The quantities and how they are read from an outcome.
    #[must_use]
    pub fn quantities(&self) -> &[Quantity] {
        &self.readings
    }
}

/// A study's name, its file, and the files it names.
struct Embedded {
    name: &'static str,
    file: &'static str,
    named: &'static [(&'static str, &'static str)],
}

macro_rules! embedded {
    ($name:literal, $directory:literal, $file:literal, $($named:literal),+) => {
        Embedded {
            name: $name,
            file: include_str!(concat!("../../", $directory, $file)),
            named: &[$(($named, include_str!(concat!("../../", $directory, $named)))),+],
        }
    };
}

/// The five examples, one in which every class of landing occurs at least once in a hundred, and one whose wheels and
/// ground have every feature, by pebbles and by JSBSim's ground reactions.
const STUDIES: [Embedded; 8] = [
    embedded!("c172", "examples/", "c172_wet_runway.toml", "aircraft/c172.toml", "scenes/ybcg17_wet.toml"),
    embedded!("737", "examples/", "737_crosswind.toml", "aircraft/b737.toml", "scenes/lszh14_wet.toml"),
    embedded!("lander", "examples/", "lander_boulders.toml", "aircraft/lander.toml", "scenes/boulders.toml"),
    embedded!(
        "autoland",
        "examples/",
        "autoland_737.toml",
        "aircraft/b737.toml",
        "scenes/lszh14_wet.toml",
        "criteria/autoland.toml"
    ),
    embedded!("flare", "examples/", "c172_flare.toml", "aircraft/c172.toml", "scenes/ybcg17_wet.toml"),
    embedded!("endings", "src/validation/studies/", "endings.toml", "endings_vehicle.toml", "endings_scene.toml"),
    embedded!("gear", "src/validation/studies/", "gear.toml", "gear_vehicle.toml", "gear_scene.toml"),
    embedded!("reactions", "src/validation/studies/", "reactions.toml", "gear_vehicle.toml", "gear_scene.toml"),
];

/// Names of the studies.
#[must_use]
pub fn study_names() -> Vec<&'static str> {
    STUDIES.iter().map(|study| study.name).collect()
}

/// Reads the study with this name; `None` if there is none.
///
/// # Errors
/// If temporary files cannot be written.
pub fn embedded_study(name: &str) -> Result<Option<LandingStudy>, StudyError> {
    let Some(study) = STUDIES.iter().find(|study| study.name == name) else {
        return Ok(None);
    };
    let unwritten =
        |path: &Path, cause: std::io::Error| StudyError::Unreadable { path: path.to_owned(), source: cause };
    let directory = tempfile::tempdir().map_err(|cause| unwritten(&std::env::temp_dir(), cause))?;
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .map_err(|cause| unwritten(&path, cause))
    };
    for (name, text) in study.named {
        write(name, text)?;
    }
    write("study.toml", study.file)?;
    Ok(LandingStudy::of(Study::read(&directory.path().join("study.toml"))?))
}
