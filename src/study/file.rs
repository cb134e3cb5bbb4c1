//! Study files.

use std::path::Path;

use thiserror::Error;

use super::sampling::{Copula, Distribution, DistributionError};
use super::sources::{Place, Sources, stored_name, stored_study};
use super::{Criterion, Event, SampledInput, Study};
use crate::document::{Document, DocumentError, Field, Table, Unit, nearest};
use crate::query::{Input, LandingClass, LandingJob, Quantity, quantities};
use crate::scene::{Scene, read_limited};
use crate::table::{ColumnKind, TableError, TableReader, Wanted};
use crate::vehicle::Vehicle;

/// Step of the simulation \[s\].
const DEFAULT_STEP: f64 = 0.005;
/// Longest step that can be asked for \[s\]; no gear is stable there.
const LARGEST_STEP: f64 = 0.1;
/// A landing that has not ended by then is unfinished \[s\].
const DEFAULT_TIME_LIMIT: f64 = 120.0;
/// Longest time limit that can be asked for \[s\].
const LARGEST_TIME_LIMIT: f64 = 3600.0;
/// Standard gravity \[m/s^2\].
const STANDARD_GRAVITY: f64 = 9.80665;
/// Landings in a part.
const DEFAULT_PART_SIZE: u64 = 65_536;
/// Most landings in a part, whose rows are held in memory.
const LARGEST_PART: u64 = 1 << 20;
/// Most parts of a study: a directory must be able to hold them.
const MOST_PARTS: u64 = 1_000_000;
/// Most landings of a study: their number must fit tables and shell ranges with room to spare.
const MOST_LANDINGS: u64 = 1_000_000_000_000;
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
        path: std::path::PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

impl Study {
    /// Reads a study file and the files it names, which stand relative to it.
    ///
    /// # Errors
    /// When a file cannot be read or says something that is not allowed.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        Reader { place: Place::Beside(directory), named: Vec::new() }.study(path)
    }

    /// Reads the study of a run directory.
    ///
    /// # Errors
    /// As [`Study::read`].
    pub fn read_stored(directory: &Path) -> Result<Self, StudyError> {
        Reader { place: Place::Run(directory.to_owned()), named: Vec::new() }.study(&stored_study(directory))
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
}

impl Reader {
    fn study(mut self, path: &Path) -> Result<Study, StudyError> {
        let document = Document::read(path)?;
        let root = document.root();
        let vehicle = Vehicle::from_document(&self.document(&root.required("vehicle")?)?)?;
        // Nothing may depend on where the file stands: a run directory holds it under another name.
        let name = root.optional_or("name", vehicle.name.clone(), |field| Ok(field.string()?.to_owned()))?;
        let scene = self.scene(&root.required("scene")?)?;
        check_materials(&root.required("scene")?, &scene)?;
        let job = LandingJob {
            vehicle,
            scene,
            gravity: root.optional_or("gravity", STANDARD_GRAVITY, |field| field.not_negative(Unit::Acceleration))?,
            step: root.optional_or("step", DEFAULT_STEP, |field| field.in_range(Unit::Time, 1e-5, LARGEST_STEP))?,
            time_limit: root.optional_or("time_limit", DEFAULT_TIME_LIMIT, |field| {
                field.in_range(Unit::Time, LARGEST_STEP, LARGEST_TIME_LIMIT)
            })?,
        };
        let landings = whole(&root.required("landings")?, 1, MOST_LANDINGS)?;
        let seed = root.required("seed")?.unsigned()?;
        let part_size = root.optional_or("part_size", DEFAULT_PART_SIZE, |field| {
            whole(&field, landings.div_ceil(MOST_PARTS), LARGEST_PART)
        })?;
        let invalid_allowance = root.optional_or("invalid_allowance", 0, |field| whole(&field, 0, landings))?;
        let inputs = self.inputs(&root)?;
        let copula = copula(&root, &inputs)?;
        let quantities = quantities(&job.vehicle);
        let criteria = criteria(&root, &quantities)?;
        root.finish()?;
        let json = path.extension().is_some_and(|extension| extension == "json");
        let sources = Sources::new(document.text().as_bytes().to_vec(), json, self.named);
        Ok(Study {
            name,
            job,
            inputs,
            copula,
            criteria,
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

    /// `[inputs.NAME]`, in the order of the inputs' numbers.
    fn inputs(&mut self, root: &Table<'_>) -> Result<Vec<SampledInput>, StudyError> {
        let Some(tables) = root.optional_table("inputs")? else {
            return Ok(Vec::new());
        };
        let mut inputs = Vec::new();
        for (name, field) in tables.entries() {
            let input = input_named(name, &field)?;
            let table = field.table()?;
            let distribution = self.distribution(&table, input.unit())?;
            table.finish()?;
            inputs.push(SampledInput { input, distribution });
        }
        inputs.sort_by_key(|sampled| sampled.input);
        Ok(inputs)
    }

    fn distribution(&mut self, table: &Table<'_>, unit: Unit) -> Result<Distribution, StudyError> {
        let kind = table.required("distribution")?;
        let number = |key| table.required(key)?.number(unit);
        let refuse = |error: DistributionError| StudyError::from(kind.error(error.to_string()));
        let made = match kind.choice(KINDS)? {
            Kind::Constant => Distribution::constant(number("value")?),
            Kind::Uniform => Distribution::uniform(number("min")?, number("max")?),
            Kind::Normal => Distribution::normal(number("mean")?, number("sd")?),
            Kind::TruncatedNormal => {
                Distribution::truncated_normal(number("mean")?, number("sd")?, number("min")?, number("max")?)
            }
            Kind::LogNormal => Distribution::log_normal(number("mean")?, number("sd")?),
            Kind::Weibull => Distribution::weibull(number("scale")?, table.required("shape")?.number(Unit::One)?),
            Kind::Choice => {
                let values = table.required("values")?.numbers(unit)?;
                let weights = match table.optional("weights") {
                    Some(field) => field.numbers(Unit::One)?,
                    None => vec![1.0; values.len()],
                };
                Distribution::choice(&values, &weights)
            }
            Kind::Empirical => Distribution::empirical(&self.column(table)?),
        };
        made.map_err(refuse)
    }

    /// The values of a column of a table, in SI units already; rows without a value are left out.
    fn column(&mut self, table: &Table<'_>) -> Result<Vec<f64>, StudyError> {
        let file = table.required("file")?;
        let name = file.string()?;
        let column = table.required("column")?.string()?;
        let path = self.place.file(name);
        let wanted = Wanted { required_value: false, ..Wanted::required(column, ColumnKind::Number) };
        let mut values = Vec::new();
        let reader = TableReader::open(&path, &[wanted]).map_err(|error| match error {
            TableError::Read { .. } | TableError::IsDirectory { .. } | TableError::UnknownEnding { .. } => {
                StudyError::from(file.error(error.to_string()))
            }
            _ => StudyError::from(error),
        })?;
        for chunk in reader {
            values.extend(chunk?.numbers(0)?.iter().flatten());
        }
        let contents = std::fs::read(&path).map_err(|source| StudyError::Unreadable { path: path.clone(), source })?;
        self.keep(&file, name, contents)?;
        Ok(values)
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Constant,
    Uniform,
    Normal,
    TruncatedNormal,
    LogNormal,
    Weibull,
    Choice,
    Empirical,
}

const KINDS: &[(&str, Kind)] = &[
    ("constant", Kind::Constant),
    ("uniform", Kind::Uniform),
    ("normal", Kind::Normal),
    ("truncated_normal", Kind::TruncatedNormal),
    ("lognormal", Kind::LogNormal),
    ("weibull", Kind::Weibull),
    ("choice", Kind::Choice),
    ("empirical", Kind::Empirical),
];

fn whole(field: &Field<'_>, least: u64, most: u64) -> Result<u64, DocumentError> {
    let number = field.unsigned()?;
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(field.refused(format!("must be from {least} to {most}")))
    }
}

fn check_materials(field: &Field<'_>, scene: &Scene) -> Result<(), DocumentError> {
    scene.first_bare_leaf().map_or(Ok(()), |leaf| {
        Err(field.error(format!(
            "leaf {leaf} of the scene has no material everywhere; name a default_material in the scene"
        )))
    })
}

fn input_named(name: &str, field: &Field<'_>) -> Result<Input, DocumentError> {
    Input::ALL.iter().copied().find(|input| input.name() == name).ok_or_else(|| {
        let names = || Input::ALL.iter().map(|input| input.name());
        field.error(unknown("input", name, names()))
    })
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let all = known.clone().collect::<Vec<_>>().join(", ");
    match nearest(name, known) {
        Some(near) => format!("there is no {what} `{name}`; did you mean `{near}`? known: {all}"),
        None => format!("there is no {what} `{name}`; known: {all}"),
    }
}

/// `[[correlations]]`.
fn copula(root: &Table<'_>, inputs: &[SampledInput]) -> Result<Copula, DocumentError> {
    let Some(list) = root.optional("correlations") else {
        return Copula::new(inputs.len(), &[]).map_err(|error| root.error(error.to_string()));
    };
    let mut pairs = Vec::new();
    for field in list.array()? {
        let table = field.table()?;
        let between = table.required("between")?;
        let [first, second] = between.array()?[..] else {
            return Err(between.refused("must be the names of two inputs"));
        };
        let number = |field: Field<'_>| {
            let name = field.string()?;
            let sampled = || inputs.iter().map(|sampled| sampled.input.name());
            sampled()
                .position(|known| known == name)
                .ok_or_else(|| field.error(unknown("sampled input", name, sampled())))
        };
        pairs.push((number(first)?, number(second)?, table.required("rank")?.number(Unit::One)?));
        table.finish()?;
    }
    Copula::new(inputs.len(), &pairs).map_err(|error| {
        // Copulas know variables by number only.
        let names: Vec<String> =
            inputs.iter().enumerate().map(|(number, sampled)| format!("{number}: {}", sampled.input.name())).collect();
        list.error(format!("{error} (variables {})", names.join(", ")))
    })
}

/// `[criteria.NAME]`, in the order of the file.
fn criteria(root: &Table<'_>, quantities: &[Quantity]) -> Result<Vec<Criterion>, DocumentError> {
    let Some(tables) = root.optional_table("criteria")? else {
        return Ok(Vec::new());
    };
    tables.entries().map(|(name, field)| criterion(name, &field.table()?, quantities)).collect()
}

fn criterion(name: &str, table: &Table<'_>, quantities: &[Quantity]) -> Result<Criterion, DocumentError> {
    let asked = table.required("quantity")?;
    let quantity_name = asked.string()?;
    let class = LandingClass::ALL.into_iter().find(|class| class.name() == quantity_name);
    let (event, description) = if let Some(class) = class {
        (Event::Class(class), quantity_name.to_owned())
    } else {
        let names = || quantities.iter().map(|quantity| quantity.name.as_str());
        let number = names().position(|known| known == quantity_name).ok_or_else(|| {
            let classes = LandingClass::ALL.iter().map(|class| class.name());
            asked.error(unknown("quantity", quantity_name, names().chain(classes)))
        })?;
        let unit = quantities[number].unit;
        let (side, bound) = table.one_of(&["above", "below"])?;
        let limit = bound.number(unit)?;
        let event = if side == "above" {
            Event::Above { quantity: number, limit }
        } else {
            Event::Below { quantity: number, limit }
        };
        let symbol = if unit == Unit::One { String::new() } else { format!(" {}", unit.symbol()) };
        (event, format!("{quantity_name} {side} {limit}{symbol}"))
    };
    let between_0_and_1 = |field: Field<'_>| {
        let number = field.number(Unit::One)?;
        if number > 0.0 && number < 1.0 { Ok(number) } else { Err(field.refused("must be above 0 and below 1")) }
    };
    let criterion = Criterion {
        name: name.to_owned(),
        description,
        event,
        probability: between_0_and_1(table.required("probability")?)?,
        confidence: table.optional_or("confidence", DEFAULT_CONFIDENCE, between_0_and_1)?,
    };
    table.finish()?;
    Ok(criterion)
}
