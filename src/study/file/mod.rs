//! Study files.

mod criteria;
mod design;
mod importance;
mod inputs;
mod map;
mod measured;
mod sampling;
mod stopping;
mod subset;
mod tolerance;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

use self::design::design;
use self::inputs::copula;
use self::measured::measured;
use self::stopping::stopping;
use self::tolerance::tolerance;
use super::Study;
use super::sampling::Method;
use super::sources::{Sources, StudyFiles, stored_inputs_name, stored_name, stored_study};
use crate::document::{Document, DocumentError, Field, Table, Unit, nearest};
use crate::model::{Files, MeasuredColumn, Models};
use crate::scene::Scene;
use crate::table::{ColumnKind, TableError, TableReader, Wanted};

/// Default number of trials in a part.
const DEFAULT_PART_SIZE: u64 = 65_536;
/// Maximum number of trials in a part, whose rows are held in memory.
pub const MAX_PART: u64 = 1 << 20;
/// Maximum number of parts: a directory must be able to hold them.
const MAX_PARTS: u64 = 1_000_000;
/// Maximum number of trials: it must fit tables and shell ranges with room to spare.
pub const MAX_TRIALS: u64 = 1_000_000_000_000;
/// Default confidence of verdicts.
pub(crate) const DEFAULT_CONFIDENCE: f64 = 0.95;

/// Below this, the lower bound of a probability exceeds the upper one.
const MIN_CONFIDENCE: f64 = 0.5;
/// Above this, no interval is ever narrow enough.
const MAX_CONFIDENCE: f64 = 1.0 - 1e-9;
/// Below this, a confidence is probably a typing error, or meant as an error probability.
const LOW_CONFIDENCE: f64 = 0.9;

/// Why a study could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The study, its vehicle or its scene is invalid.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A table of measured values cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A file named by the study cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A table of inputs is invalid.
    #[error("{path}: {why}")]
    Inputs {
        /// The table.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl Study {
    /// Reads a study file and the files it names, relative to it.
    ///
    /// # Errors
    /// If a file cannot be read or has invalid content.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        Models::default().study(path)
    }

    /// Reads a study file and the files it names; its trials are the rows of a table of inputs, CSV or Parquet,
    /// whatever `trials` is. A column `NAME` or `input.NAME` provides an input in SI units, and a column `weight` the
    /// weights of the rows; inputs of the study that are not in the table are drawn.
    ///
    /// # Errors
    /// As [`Study::read`]; also if the study has `[sampling]` or `[stopping]`, or the table is invalid.
    pub fn read_with_inputs(path: &Path, table: &Path) -> Result<Self, StudyError> {
        Models::default().study_with_inputs(path, table)
    }

    /// Reads the study of a run directory.
    ///
    /// # Errors
    /// As [`Study::read`].
    pub fn read_stored(directory: &Path) -> Result<Self, StudyError> {
        Models::default().stored_study(directory)
    }

    /// Reads a study from its text as if it stood at a path: the files it names are relative to it.
    ///
    /// # Errors
    /// As [`Study::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, StudyError> {
        Models::default().parse_study(path, text)
    }

    /// Reads a study from memory: its text, under a name that ends in `.toml` or `.json`, and the files it names.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use touchdown::reference::Reference;
    /// use touchdown::study::Study;
    ///
    /// let text = r#"
    ///     model = "particle"
    ///     particles = 1000
    ///     seed = 1
    ///     [inputs.position]
    ///     distribution = "uniform"
    ///     min = 1.0
    ///     max = 2.0
    /// "#;
    /// let study = Study::in_memory("bounce.toml", text, BTreeMap::new())?;
    /// let inputs: Vec<_> = (0..study.trials).map(|trial| study.inputs_of(trial)).collect();
    /// let outcomes = study.model.outcomes(&Reference::new(1)?, &inputs)?;
    /// let force = study.quantities().iter().position(|quantity| quantity.name == "peak_force").unwrap();
    /// assert!(outcomes.iter().all(|outcome| outcome.quantities[force].is_some()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the study or a file has invalid content, or a file is not among those given.
    pub fn in_memory(name: &str, text: &str, files: BTreeMap<String, Vec<u8>>) -> Result<Self, StudyError> {
        Models::default().study_in_memory(name, text, files)
    }

    /// Writes the study and the files it names to a run directory, so that it is self-contained.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn store(&self, directory: &Path) -> Result<(), TableError> {
        self.sources.store(directory)
    }
}

impl Models {
    /// Reads a study file and the files it names, relative to it. Its model must be one of these.
    ///
    /// # Errors
    /// If a file cannot be read or has invalid content.
    pub fn study(&self, path: &Path) -> Result<Study, StudyError> {
        let files = StudyFiles::of(path);
        let inputs = files.stored_inputs();
        self.reader(files, inputs).study(path)
    }

    /// Reads a study from its text: [`Study::parse`].
    ///
    /// # Errors
    /// As there.
    pub fn parse_study(&self, path: &Path, text: &str) -> Result<Study, StudyError> {
        self.reader(StudyFiles::of(path), None).of_document(&Document::parse(path, text)?)
    }

    /// Reads a study from memory: [`Study::in_memory`].
    ///
    /// # Errors
    /// As there.
    pub fn study_in_memory(
        &self,
        name: &str,
        text: &str,
        files: BTreeMap<String, Vec<u8>>,
    ) -> Result<Study, StudyError> {
        self.reader(StudyFiles::Memory(files), None).of_document(&Document::parse(name, text)?)
    }

    /// The same, with a table of inputs: [`Study::read_with_inputs`].
    ///
    /// # Errors
    /// As there.
    pub fn study_with_inputs(&self, path: &Path, table: &Path) -> Result<Study, StudyError> {
        self.reader(StudyFiles::of(path), Some(table.to_owned())).study(path)
    }

    /// Reads the study of a run directory.
    ///
    /// # Errors
    /// As [`Models::study`].
    pub fn stored_study(&self, directory: &Path) -> Result<Study, StudyError> {
        let files = StudyFiles::Run(directory.to_owned());
        let inputs = files.stored_inputs();
        self.reader(files, inputs).study(&stored_study(directory))
    }

    fn reader(&self, files: StudyFiles, inputs: Option<PathBuf>) -> Reader {
        Reader { models: self.clone(), files, named: Vec::new(), inputs, warnings: Vec::new() }
    }
}

struct Reader {
    models: Models,
    files: StudyFiles,
    /// The files read so far, by their names in the study.
    named: Vec<(String, Vec<u8>)>,
    /// The table of inputs.
    inputs: Option<PathBuf>,
    /// Warnings with their place: content that is allowed but hardly intended.
    warnings: Vec<String>,
}

impl Reader {
    fn study(self, path: &Path) -> Result<Study, StudyError> {
        self.of_document(&Document::read(path)?)
    }

    fn of_document(self, document: &Document) -> Result<Study, StudyError> {
        document.read_whole(|root| self.of_root(root, document))
    }

    fn of_root(mut self, root: &Table<'_>, document: &Document) -> Result<Study, StudyError> {
        let seed = root.required("seed")?.unsigned()?;
        let models = self.models.clone();
        let model = models.read(root, &mut self)?;
        let many = model.nouns().many;
        // Nothing may depend on the location of the file: a run directory stores it under another name.
        let name = root.optional_or("name", model.subject().to_owned(), |field| Ok(field.string()?.to_owned()))?;
        let criteria = self.criteria(root, model.as_ref())?;
        let mut inputs = self.inputs(root, model.as_ref())?;
        let method = match &self.inputs {
            Some(table) => Method::Table(design(table, root, &mut inputs, model.as_ref(), &mut self.warnings)?),
            None => self.method(root, &inputs, many)?,
        };
        let trials = match &method {
            Method::Table(design) => {
                root.optional_or(many, 0, |field| whole(&field, 1, MAX_TRIALS))?;
                design.rows()
            }
            Method::Subset(settings) => {
                subset::check(root, &criteria, model.as_ref())?;
                criteria.len() as u64 * settings.samples_at_most()
            }
            _ => trials(root, many)?,
        };
        let part_size = part_size(root, trials, many)?;
        let invalid_allowance = root.optional_or("invalid_allowance", 0, |field| whole(&field, 0, trials))?;
        let copula = copula(root, &inputs, &method)?;
        let stopping = stopping(root, &criteria)?;
        let of = map::Of {
            model: model.as_ref(),
            inputs: &inputs,
            criteria: &criteria,
            copula: &copula,
            method: &method,
            trials,
        };
        let map = map::map(root, &of)?;
        let tolerance = tolerance(root, method.is_weighted(), &mut self.warnings)?;
        root.finish()?;
        let json = document.path().extension().is_some_and(|extension| extension == "json");
        let table = self.inputs.as_deref().map(input_table).transpose()?;
        let sources = Sources::new(document.text().as_bytes().to_vec(), json, self.named, table);
        Ok(Study {
            name,
            model,
            inputs,
            copula,
            method,
            stopping,
            criteria,
            tolerance,
            map,
            trials,
            seed,
            part_size,
            invalid_allowance,
            models,
            sources,
            warnings: self.warnings,
        })
    }

    /// Reads the text file named by a field.
    fn text(&mut self, field: &Field<'_>) -> Result<String, StudyError> {
        let name = field.string()?;
        let path = self.files.file(name);
        let contents =
            self.files.contents(name).map_err(|error| field.error(format!("{}: {error}", path.display())))?;
        let text = String::from_utf8(contents.clone())
            .map_err(|error| field.error(format!("{}: not UTF-8: {error}", path.display())))?;
        self.keep(field, name, contents)?;
        Ok(text)
    }

    /// Keeps a file for the run directory, where no two may have the same path.
    fn keep(&mut self, field: &Field<'_>, name: &str, contents: Vec<u8>) -> Result<(), DocumentError> {
        match self.named.iter().find(|(kept, _)| stored_name(kept) == stored_name(name)) {
            Some((kept, _)) if kept == name => {}
            Some((kept, _)) => {
                let why = format!("`{name}` and `{kept}` would be one file in a run's directory; rename one of them");
                return Err(field.error(why));
            }
            None => self.named.push((name.to_owned(), contents)),
        }
        Ok(())
    }
}

impl Reader {
    /// The document of this name, which a field gives.
    fn document_named(&mut self, field: &Field<'_>, name: &str) -> Result<Document, DocumentError> {
        let path = self.files.file(name);
        let contents = self.files.contents(name);
        let contents = contents.map_err(|error| field.error(format!("{}: {error}", path.display())))?;
        let document = Document::from_bytes(&path, &contents)?;
        self.keep(field, name, document.text().as_bytes().to_vec())?;
        Ok(document)
    }

    /// The scene of this name, with the files that it names itself.
    fn scene_named(&mut self, field: &Field<'_>, name: &str) -> Result<Scene, DocumentError> {
        let document = self.document_named(field, name)?;
        let directory = Path::new(name).parent().unwrap_or(Path::new(""));
        let mut file = |name: &str| {
            let name = directory.join(name).to_string_lossy().into_owned();
            let contents = self.files.contents(&name)?;
            self.keep(field, &name, contents.clone()).map_err(|error| std::io::Error::other(error.to_string()))?;
            Ok(contents)
        };
        Scene::from_document_and_files(&document, &mut file)
    }
}

impl Files for Reader {
    fn scene(&mut self, field: &Field<'_>) -> Result<Scene, DocumentError> {
        self.scene_named(field, field.string()?)
    }

    fn scene_beside(&mut self, file: &Field<'_>, field: &Field<'_>) -> Result<Scene, DocumentError> {
        let directory = Path::new(file.string()?).parent().unwrap_or(Path::new(""));
        let name = directory.join(field.string()?);
        self.scene_named(field, &name.to_string_lossy())
    }

    fn document(&mut self, field: &Field<'_>) -> Result<Document, DocumentError> {
        self.document_named(field, field.string()?)
    }

    fn columns(&mut self, field: &Field<'_>, names: &[&str]) -> Result<Vec<Vec<f64>>, DocumentError> {
        let name = field.string()?;
        let (path, _kept) = self.files.on_disk(name).map_err(|error| field.error(format!("{name}: {error}")))?;
        let columns = columns_of(&path, names).map_err(|error| field.error(error.to_string()))?;
        let contents = std::fs::read(&path).map_err(|error| field.error(format!("{}: {error}", path.display())))?;
        self.keep(field, name, contents)?;
        Ok(columns)
    }

    fn measured(&mut self, field: &Field<'_>, columns: &[MeasuredColumn]) -> Result<Vec<Vec<f64>>, DocumentError> {
        let name = field.string()?;
        let (path, _kept) = self.files.on_disk(name).map_err(|error| field.error(format!("{name}: {error}")))?;
        let measured = measured(&path, columns).map_err(|why| field.error(why))?;
        let contents = std::fs::read(&path).map_err(|error| field.error(format!("{}: {error}", path.display())))?;
        self.keep(field, name, contents)?;
        Ok(measured)
    }
}

/// Columns of numbers of a table, each as long as the table.
fn columns_of(path: &Path, names: &[&str]) -> Result<Vec<Vec<f64>>, TableError> {
    let wanted: Vec<Wanted> = names.iter().map(|name| Wanted::required(name, ColumnKind::Number)).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for chunk in TableReader::open(path, &wanted)? {
        let chunk = chunk?;
        for (number, column) in columns.iter_mut().enumerate() {
            column.extend(chunk.numbers(number)?.iter().flatten());
        }
    }
    Ok(columns)
}

/// A table of inputs: its name in a run directory, and its contents.
fn input_table(path: &Path) -> Result<(&'static str, Vec<u8>), StudyError> {
    let name = stored_inputs_name(path).ok_or_else(|| TableError::UnknownEnding { path: path.to_owned() })?;
    let contents = std::fs::read(path).map_err(|source| StudyError::Unreadable { path: path.to_owned(), source })?;
    Ok((name, contents))
}

fn whole(field: &Field<'_>, least: u64, most: u64) -> Result<u64, DocumentError> {
    let number = field.unsigned().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| field.refused(format!("must be a whole number from {least} to {most}")))
}

/// A confidence of bounds.
fn confidence(field: &Field<'_>, warnings: &mut Vec<String>) -> Result<f64, DocumentError> {
    let number = field.number(Unit::One)?;
    if !(MIN_CONFIDENCE..=MAX_CONFIDENCE).contains(&number) {
        return Err(field.refused(format!("must be from {MIN_CONFIDENCE} to {MAX_CONFIDENCE}, such as 0.95")));
    }
    if number < LOW_CONFIDENCE {
        let wrong = (100.0 * (1.0 - number)).round();
        let what =
            format!("{number} is a low confidence: bounds are wrong in up to {wrong} % of studies; 0.95 is usual");
        warnings.push(field.error(what).to_string());
    }
    Ok(number)
}

/// Trials per part. A directory must be able to hold all parts, whether or not the size is given.
fn part_size(root: &Table<'_>, trials: u64, many: &'static str) -> Result<u64, DocumentError> {
    let least = trials.div_ceil(MAX_PARTS);
    match root.optional("part_size") {
        Some(field) => whole(&field, least, MAX_PART),
        None if DEFAULT_PART_SIZE >= least => Ok(DEFAULT_PART_SIZE),
        None => {
            let parts = trials.div_ceil(DEFAULT_PART_SIZE);
            let what = format!(
                "would be in {parts} parts, of which at most {MAX_PARTS} are allowed: say part_size, from {least} to {MAX_PART} (it is {DEFAULT_PART_SIZE} where nothing is said)"
            );
            Err(root.required(many)?.refused(what))
        }
    }
}

/// Number of trials, under the model's name for them.
fn trials(root: &Table<'_>, many: &'static str) -> Result<u64, DocumentError> {
    whole(&root.required(many)?, 1, MAX_TRIALS)
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let all = known.clone().collect::<Vec<_>>().join(", ");
    match nearest(name, known) {
        Some(near) => format!("there is no {what} `{name}`; did you mean `{near}`? known: {all}"),
        None => format!("there is no {what} `{name}`; known: {all}"),
    }
}
