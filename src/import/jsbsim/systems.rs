//! Sections that hold channels, in files of their own or not.

use std::path::{Path, PathBuf};

use super::JsbsimError;
use super::file::{Sections, xml_file};
use super::xml::{Element, shown};

/// Sections with channels, in the order of their evaluation, whatever their order in the file.
const SECTIONS: [(&str, usize); 3] = [("system", usize::MAX), ("autopilot", 1), ("flight_control", 1)];

/// Where JSBSim looks for the file of a section: beside the aircraft, and for a system in folders of systems. Relative to the
/// folder of the aircraft.
pub(super) fn file_of(section: Element<'_>, directory: &Path) -> Result<Option<String>, JsbsimError> {
    let file = section.attribute("file");
    if file.is_empty() {
        return Ok(None);
    }
    let file = xml_file(file);
    let folders: &[&str] = if section.tag() == "system" { &["", "Systems", "systems", "../../systems"] } else { &[""] };
    let places: Vec<PathBuf> = folders.iter().map(|folder| Path::new(folder).join(&file)).collect();
    match places.iter().find(|place| directory.join(place).is_file()) {
        Some(place) => Ok(Some(place.to_string_lossy().into_owned())),
        None => Err(section.error(format!(
            "{} is not found beside the aircraft{}",
            shown(&file),
            if section.tag() == "system" { ", nor in its folder Systems, nor in ../../systems" } else { "" }
        ))),
    }
}

/// The elements of all sections, in the order of their evaluation.
pub(super) fn sections_in_order(root: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    SECTIONS.into_iter().flat_map(move |(tag, count)| root.all(tag).take(count))
}

/// A section: its element in the aircraft, and that of its file.
pub(super) struct Section<'a> {
    /// In the aircraft.
    pub own: Element<'a>,
    /// The root of its file.
    pub file: Option<Element<'a>>,
}

impl<'a> Section<'a> {
    /// Children of a name: the file's after those of the element itself, as JSBSim appends them.
    pub(super) fn all(&self, tag: &str) -> Vec<Element<'a>> {
        self.parts().flat_map(|part| part.all(tag)).collect()
    }

    /// The element itself, then its file.
    pub(super) fn parts(&self) -> impl Iterator<Item = Element<'a>> {
        std::iter::once(self.own).chain(self.file)
    }

    /// The functions that it has itself; JSBSim reads those of the file in their place.
    pub(super) fn functions(&self) -> impl Iterator<Item = Element<'a>> {
        self.file.unwrap_or(self.own).all("function")
    }
}

/// Sections of an aircraft with their files.
pub(super) fn sections<'a>(all: &Sections<'a>, directory: &Path) -> Result<Vec<Section<'a>>, JsbsimError> {
    let section = |own: Element<'a>| {
        let Some(name) = file_of(own, directory)? else { return Ok(Section { own, file: None }) };
        let file = all.file(&name).ok_or_else(|| own.error(format!("{} is missing", shown(&name))))?;
        if file.tag() == own.tag() {
            Ok(Section { own, file: Some(file) })
        } else {
            Err(file.error(format!("must be <{}>", own.tag())))
        }
    };
    sections_in_order(all.root).map(section).collect()
}
