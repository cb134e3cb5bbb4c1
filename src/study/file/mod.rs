//! Study files.

mod criteria;
mod design;
mod importance;
mod inputs;
mod sampling;
mod stopping;
mod subset;
mod tolerance;

use std::path::{Path, PathBuf};

use thiserror::Error;

use self::design::design;
use self::inputs::copula;
use self::stopping::stopping;
use self::tolerance::tolerance;
use super::Study;
use super::sampling::Method;
use super::sources::{Place, Sources, stored_inputs, stored_inputs_name, stored_name, stored_study};
use crate::document::{Document, DocumentError, Field, Table, Unit, nearest};
use crate::query::{LandingJob, quantities};
use crate::scene::{Scene, read_limited};
use crate::table::TableError;
use crate::vehicle::Vehicle;

/// Step of the simulation \[s\].
const DEFAULT_STEP: f64 = 0.005;
/// Longest step that can be asked for \[s\]: pilots and air are not resolved there.
const MAX_STEP: f64 = 0.1;
/// A landing that has not ended by then is unfinished \[s\].
const DEFAULT_TIME_LIMIT: f64 = 120.0;
/// Longest time limit that can be asked for \[s\].
const MAX_TIME_LIMIT: f64 = 3600.0;
/// Standard gravity \[m/s^2\].
const STANDARD_GRAVITY: f64 = 9.80665;
/// Landings in a part.
const DEFAULT_PART_SIZE: u64 = 65_536;
/// Most landings in a part, whose rows are held in memory.
const MAX_PART: u64 = 1 << 20;
/// Most parts of a study: a directory must be able to hold them.
const MAX_PARTS: u64 = 1_000_000;
/// Most landings of a study: their number must fit tables and shell ranges with room to spare.
const MAX_LANDINGS: u64 = 1_000_000_000_000;
/// Confidence of verdicts.
pub(crate) const DEFAULT_CONFIDENCE: f64 = 0.95;

/// Why a study could not be read.
#[derive(Debug, Error)]
pub enum StudyError {
    /// The study, its vehicle or its scene is not what it should be.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A table of measured values cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file the study names cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A table of inputs is not what it should be.
    #[error("{path}: {why}")]
    Inputs {
        /// The table.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl Study {
    /// Reads a study file and the files it names, which stand relative to it.
    ///
    /// # Errors
    /// When a file cannot be read or says something that is not allowed.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        Reader { place: Place::beside(path), named: Vec::new(), inputs: None }.study(path)
    }

    /// Reads a study file and the files it names; its landings are the rows of a table of inputs, CSV or Parquet, whatever
    /// `landings` says. A column `NAME` or `input.NAME` gives an input in SI units, and a column `weight` the rows' weights;
    /// inputs of the study that the table does not give are drawn.
    ///
    /// # Errors
    /// As [`Study::read`]; when the study has `[sampling]` or `[stopping]`, or the table is not what it should be.
    pub fn read_with_inputs(path: &Path, table: &Path) -> Result<Self, StudyError> {
        Reader { place: Place::beside(path), named: Vec::new(), inputs: Some(table.to_owned()) }.study(path)
    }

    /// Reads the study of a run directory.
    ///
    /// # Errors
    /// As [`Study::read`].
    pub fn read_stored(directory: &Path) -> Result<Self, StudyError> {
        let inputs = stored_inputs(directory);
        Reader { place: Place::Run(directory.to_owned()), named: Vec::new(), inputs }.study(&stored_study(directory))
    }

    /// Writes the study and the files it names into a run directory, so that it can stand alone.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn store(&self, directory: &Path) -> Result<(), TableError> {
        self.sources.store(directory)
    }
}

struct Reader {
    place: Place,
    /// The files read so far, by their names in the study.
    named: Vec<(String, Vec<u8>)>,
    /// The table of inputs.
    inputs: Option<PathBuf>,
}

impl Reader {
    fn study(mut self, path: &Path) -> Result<Study, StudyError> {
        let document = Document::read(path)?;
        let root = document.root();
        let mut vehicle = Vehicle::from_document(&self.document(&root.required("vehicle")?)?)?;
        choose_laws(&root, &mut vehicle)?;
        // Nothing may depend on where the file stands: a run directory holds it under another name.
        let name = root.optional_or("name", vehicle.name.clone(), |field| Ok(field.string()?.to_owned()))?;
        let scene = self.scene(&root.required("scene")?)?;
        check_materials(&root.required("scene")?, &scene)?;
        let job = LandingJob {
            vehicle,
            scene,
            gravity: root.optional_or("gravity", STANDARD_GRAVITY, |field| field.not_negative(Unit::Acceleration))?,
            step: root.optional_or("step", DEFAULT_STEP, |field| field.in_range(Unit::Time, 1e-5, MAX_STEP))?,
            time_limit: root.optional_or("time_limit", DEFAULT_TIME_LIMIT, |field| {
                field.in_range(Unit::Time, MAX_STEP, MAX_TIME_LIMIT)
            })?,
        };
        let quantities = quantities(&job.vehicle);
        let criteria = self.criteria(&root, &quantities)?;
        let mut inputs = self.inputs(&root, &job.vehicle)?;
        let method = match &self.inputs {
            Some(table) => Method::Table(design(table, &root, &mut inputs, &job.vehicle)?),
            None => self.method(&root, &inputs)?,
        };
        let landings = match &method {
            Method::Table(design) => {
                root.optional_or("landings", 0, |field| whole(&field, 1, MAX_LANDINGS))?;
                design.rows()
            }
            Method::Subset(settings) => {
                subset::check(&root, &criteria, &job.vehicle)?;
                criteria.len() as u64 * settings.samples_at_most()
            }
            _ => landings(&root)?,
        };
        let seed = root.required("seed")?.unsigned()?;
        let part_size = root.optional_or("part_size", DEFAULT_PART_SIZE, |field| {
            whole(&field, landings.div_ceil(MAX_PARTS), MAX_PART)
        })?;
        let invalid_allowance = root.optional_or("invalid_allowance", 0, |field| whole(&field, 0, landings))?;
        let copula = copula(&root, &inputs, &method)?;
        let stopping = stopping(&root, &criteria)?;
        let tolerance = tolerance(&root, method.is_weighted())?;
        root.finish()?;
        let json = path.extension().is_some_and(|extension| extension == "json");
        let table = self.inputs.as_deref().map(input_table).transpose()?;
        let sources = Sources::new(document.text().as_bytes().to_vec(), json, self.named, table);
        Ok(Study {
            name,
            job,
            inputs,
            copula,
            method,
            stopping,
            criteria,
            tolerance,
            landings,
            seed,
            part_size,
            invalid_allowance,
            quantities,
            sources,
        })
    }

    /// Reads the scene that a field names, and the files that the scene names, which stand relative to it.
    fn scene(&mut self, field: &Field<'_>) -> Result<Scene, StudyError> {
        let document = self.document(field)?;
        let directory = Path::new(field.string()?).parent().unwrap_or(Path::new(""));
        let mut file = |name: &str| {
            let name = directory.join(name).to_string_lossy().into_owned();
            let contents = read_limited(&self.place.file(&name))?;
            self.keep(field, &name, contents.clone()).map_err(|error| std::io::Error::other(error.to_string()))?;
            Ok(contents)
        };
        Ok(Scene::from_document_and_files(&document, &mut file)?)
    }

    /// Reads the text file that a field names.
    fn text(&mut self, field: &Field<'_>) -> Result<String, StudyError> {
        let name = field.string()?;
        let path = self.place.file(name);
        let contents = read_limited(&path).map_err(|error| field.error(format!("{}: {error}", path.display())))?;
        let text = String::from_utf8(contents.clone())
            .map_err(|error| field.error(format!("{}: not UTF-8: {error}", path.display())))?;
        self.keep(field, name, contents)?;
        Ok(text)
    }

    /// Reads the document that a field names. A file that is not there is the fault of the field.
    fn document(&mut self, field: &Field<'_>) -> Result<Document, StudyError> {
        let name = field.string()?;
        let path = self.place.file(name);
        let document = Document::read(&path).map_err(|error| match error {
            DocumentError::Unreadable { .. } => field.error(error.to_string()),
            _ => error,
        })?;
        self.keep(field, name, document.text().as_bytes().to_vec())?;
        Ok(document)
    }

    /// Keeps a file for the run directory, where no two may have the same place.
    fn keep(&mut self, field: &Field<'_>, name: &str, contents: Vec<u8>) -> Result<(), StudyError> {
        match self.named.iter().find(|(kept, _)| stored_name(kept) == stored_name(name)) {
            Some((kept, _)) if kept == name => {}
            Some((kept, _)) => {
                let why = format!("`{name}` and `{kept}` would be one file in a run's directory; rename one of them");
                return Err(field.error(why).into());
            }
            None => self.named.push((name.to_owned(), contents)),
        }
        Ok(())
    }
}

/// A table of inputs: its name in a run directory, and its bytes.
fn input_table(path: &Path) -> Result<(&'static str, Vec<u8>), StudyError> {
    let name = stored_inputs_name(path).ok_or_else(|| TableError::UnknownEnding { path: path.to_owned() })?;
    let contents = std::fs::read(path).map_err(|source| StudyError::Unreadable { path: path.to_owned(), source })?;
    Ok((name, contents))
}

/// `autoland` and `flare`: the vehicle's own, or none.
fn choose_laws(root: &Table<'_>, vehicle: &mut Vehicle) -> Result<(), DocumentError> {
    vehicle.autoland = chosen(root, "autoland", vehicle.autoland, &vehicle.name)?;
    vehicle.flare = chosen(root, "flare", vehicle.flare, &vehicle.name)?;
    match root.optional("flare").filter(|_| vehicle.autoland.is_some() && vehicle.flare.is_some()) {
        Some(field) => Err(field.error("`autoland` and `flare` cannot both be true: one of them flies")),
        None => Ok(()),
    }
}

/// What the vehicle's file has in a table, where the study asks for it.
fn chosen<T>(root: &Table<'_>, key: &'static str, own: Option<T>, vehicle: &str) -> Result<Option<T>, DocumentError> {
    let Some(field) = root.optional(key) else {
        return Ok(None);
    };
    if !field.boolean()? {
        return Ok(None);
    }
    own.map(Some).ok_or_else(|| field.error(format!("the vehicle `{vehicle}` has no [{key}] in its file")))
}

fn whole(field: &Field<'_>, least: u64, most: u64) -> Result<u64, DocumentError> {
    let number = field.unsigned()?;
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(field.refused(format!("must be from {least} to {most}")))
    }
}

/// `landings`.
fn landings(root: &Table<'_>) -> Result<u64, DocumentError> {
    whole(&root.required("landings")?, 1, MAX_LANDINGS)
}

fn check_materials(field: &Field<'_>, scene: &Scene) -> Result<(), DocumentError> {
    scene.first_bare_leaf().map_or(Ok(()), |leaf| {
        Err(field.error(format!(
            "leaf {leaf} of the scene has no material everywhere; name a default_material in the scene"
        )))
    })
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let all = known.clone().collect::<Vec<_>>().join(", ");
    match nearest(name, known) {
        Some(near) => format!("there is no {what} `{name}`; did you mean `{near}`? known: {all}"),
        None => format!("there is no {what} `{name}`; known: {all}"),
    }
}
