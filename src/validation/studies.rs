//! The studies that landings are judged on, inside the program: it can be carried to a machine that has nothing else.

use std::fs;
use std::path::Path;

use crate::study::{Study, StudyError};

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

/// The four examples, one whose landings come to every end at least once in a hundred, and one whose wheels and ground
/// have everything that wheels and ground can have.
const STUDIES: [Embedded; 6] = [
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
    embedded!("endings", "src/validation/studies/", "endings.toml", "endings_vehicle.toml", "endings_scene.toml"),
    embedded!("gear", "src/validation/studies/", "gear.toml", "gear_vehicle.toml", "gear_scene.toml"),
];

/// Names of the studies.
#[must_use]
pub fn study_names() -> Vec<&'static str> {
    STUDIES.iter().map(|study| study.name).collect()
}

/// Reads the study with this name; `None` for another name.
///
/// # Errors
/// When there is no place for temporary files.
pub fn embedded_study(name: &str) -> Result<Option<Study>, StudyError> {
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
    Study::read(&directory.path().join("study.toml")).map(Some)
}
