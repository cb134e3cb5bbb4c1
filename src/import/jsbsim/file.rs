//! The files of an aircraft, and the sections in them.

use std::path::{Path, PathBuf};

use roxmltree::Document;

use super::JsbsimError;
use super::doctype::without_doctype;
use super::systems::{self, sections_in_order};
use super::xml::{self, Element, Lines, Spot, shown};
use crate::import::ImportError;
use crate::scene::read_limited;

/// The texts of an aircraft: its own, and those of files that hold sections of it, by their names.
pub(super) struct Texts {
    path: PathBuf,
    code: String,
    files: Vec<(String, String)>,
}

impl Texts {
    /// Reads an aircraft with the files of these sections.
    pub(super) fn read(path: &Path, sections: &[&str]) -> Result<Self, ImportError> {
        let unreadable = |source| ImportError::UnreadableFile { path: path.to_owned(), source };
        let code = text_of("", read_limited(path).map_err(unreadable)?).map_err(|error| at(path, error))?;
        let mut texts = Self { path: path.to_owned(), code, files: Vec::new() };
        for file in texts.with(|_, all| Ok(files_of(&all, sections)))? {
            texts.add(file, |code| code)?;
        }
        Ok(texts)
    }

    /// Reads an aircraft with the files of these sections and of its sections of channels.
    pub(super) fn with_systems(path: &Path, sections: &[&str]) -> Result<Self, ImportError> {
        Self::read(path, sections)?.and_systems(Err)
    }

    /// The same where files of systems may be missing.
    pub(super) fn with_systems_there(path: &Path, sections: &[&str]) -> Result<Self, ImportError> {
        Self::read(path, sections)?.and_systems(|_| Ok(None))
    }

    /// Adds the files of its sections of channels; `missing` is what becomes of one that is not found.
    fn and_systems(
        mut self,
        missing: fn(JsbsimError) -> Result<Option<String>, JsbsimError>,
    ) -> Result<Self, ImportError> {
        let directory = self.directory().to_owned();
        let files = self.with(|_, all| {
            let files = sections_in_order(all.root).map(|own| systems::file_of(own, &directory).or_else(missing));
            files.collect::<Result<Vec<_>, _>>()
        })?;
        for file in files.into_iter().flatten() {
            self.add(file, without_doctype)?;
        }
        Ok(self)
    }

    /// Reads a file and changes its text, if it is not read yet.
    fn add(&mut self, file: String, change: fn(String) -> String) -> Result<(), ImportError> {
        if self.files.iter().all(|(known, _)| *known != file) {
            let path = self.directory().join(&file);
            let bytes = read_limited(&path).map_err(|source| ImportError::UnreadableFile { path, source })?;
            let code = text_of(&file, bytes).map_err(|error| at(&self.path, error))?;
            self.files.push((file, change(code)));
        }
        Ok(())
    }

    /// Where the aircraft is.
    pub(super) fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// What is made of the sections; errors name their file.
    pub(super) fn with<R>(
        &self,
        make: impl FnOnce(&str, Sections<'_>) -> Result<R, JsbsimError>,
    ) -> Result<R, ImportError> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let made = Parsed::new(&self.code, &self.files).and_then(|parsed| make(&name, parsed.sections()?));
        made.map_err(|error| at(&self.path, error))
    }
}

/// An error with the path of its file.
fn at(path: &Path, JsbsimError { spot: Spot { file, line }, message }: JsbsimError) -> ImportError {
    let directory = path.parent().unwrap_or(Path::new(""));
    let path = if file.is_empty() { path.to_owned() } else { directory.join(file) };
    ImportError::Jsbsim { path, line, message }
}

/// The text of a file, named as in [`Spot`].
pub(super) fn text_of(file: &str, bytes: Vec<u8>) -> Result<String, JsbsimError> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        let spot = Spot { file: file.to_owned(), line };
        JsbsimError { spot, message: "this line is not UTF-8 text".to_owned() }
    })
}

/// The name of a file with its ending, which JSBSim lets be left out.
pub(super) fn xml_file(name: &str) -> String {
    if Path::new(name).extension().is_some_and(|ending| ending == "xml") {
        name.to_owned()
    } else {
        format!("{name}.xml")
    }
}

/// The files that hold sections of an aircraft, named relative to it; JSBSim lets their ending be left out.
fn files_of(all: &Sections<'_>, sections: &[&str]) -> Vec<String> {
    sections.iter().filter_map(|tag| all.root.first(tag)).filter_map(file_of).collect()
}

fn file_of(section: Element<'_>) -> Option<String> {
    match section.attribute("file") {
        "" => None,
        file if Path::new(file).extension().is_some() => Some(file.to_owned()),
        file => Some(format!("{file}.xml")),
    }
}

/// An aircraft and its files as documents.
pub(super) struct Parsed<'a> {
    own: (Document<'a>, Lines),
    files: Vec<(&'a str, Document<'a>, Lines)>,
}

impl<'a> Parsed<'a> {
    pub(super) fn new(code: &'a str, files: &'a [(String, String)]) -> Result<Self, JsbsimError> {
        let parsed =
            files.iter().map(|(file, code)| Ok((file.as_str(), xml::parse(file, code)?, Lines::of(file, code))));
        Ok(Self { own: (xml::parse("", code)?, Lines::of("", code)), files: parsed.collect::<Result<_, _>>()? })
    }

    pub(super) fn sections(&self) -> Result<Sections<'_>, JsbsimError> {
        let root = Element::root(&self.own.0, &self.own.1);
        if root.tag() != "fdm_config" {
            return Err(
                root.error("is not allowed: an aircraft of JSBSim is <fdm_config>, and older forms are not read")
            );
        }
        let files = self.files.iter().map(|(name, document, lines)| (*name, Element::root(document, lines)));
        Ok(Sections { root, files: files.collect() })
    }
}

/// The sections of an aircraft, wherever they are.
pub(super) struct Sections<'a> {
    /// The aircraft's own element.
    pub root: Element<'a>,
    files: Vec<(&'a str, Element<'a>)>,
}

impl<'a> Sections<'a> {
    /// A section, if there is one.
    pub(super) fn get(&self, tag: &str) -> Result<Option<Element<'a>>, JsbsimError> {
        let Some(section) = self.root.first(tag) else {
            return Ok(None);
        };
        let Some(file) = file_of(section) else {
            return Ok(Some(section));
        };
        let inside = self.file(&file).ok_or_else(|| section.error(format!("{} is missing", shown(&file))))?;
        if inside.tag() == tag { Ok(Some(inside)) } else { Err(inside.error(format!("must be <{tag}>"))) }
    }

    /// The element of a file, if that has been read.
    pub(super) fn file(&self, file: &str) -> Option<Element<'a>> {
        self.files.iter().find(|(name, _)| *name == file).map(|(_, element)| *element)
    }

    /// The elements of all files.
    pub(super) fn all(&self) -> impl Iterator<Item = Element<'a>> {
        std::iter::once(self.root).chain(self.files.iter().map(|(_, element)| *element))
    }
}
