//! `[map]`: two inputs that `study map` sweeps.

use super::{MAX_TRIALS, unknown, whole};
use crate::document::{DocumentError, Field, Table};
use crate::model::Model;
use crate::study::map::{Grid, SAFE, Sweep};
use crate::study::sampling::{Copula, LatinHypercubes, Method, SobolNets};
use crate::study::{Criterion, SampledInput};

/// Fewest and most values of an input that is swept.
const POINTS: std::ops::RangeInclusive<u64> = 2..=101;
/// Most trials of all cells: their files must fit a directory.
const MAX_MAP_TRIALS: u64 = 1_000_000_000;

/// What a study has that its map must go with.
pub(super) struct Of<'a> {
    pub model: &'a dyn Model,
    pub inputs: &'a [SampledInput],
    pub criteria: &'a [Criterion],
    pub copula: &'a Copula,
    pub method: &'a Method,
    pub trials: u64,
}

/// `[map]` of a study.
pub(super) fn map(root: &Table<'_>, of: &Of<'_>) -> Result<Option<Grid>, DocumentError> {
    let Some(table) = root.optional_table("map")? else {
        return Ok(None);
    };
    if of.criteria.is_empty() {
        return Err(table.error("the study has no [criteria.NAME], whose events a map shows"));
    }
    if of.criteria.iter().any(|criterion| criterion.name == SAFE) {
        return Err(
            table.error(format!("a criterion is called `{SAFE}`, as the share without events is in a map; rename it"))
        );
    }
    let many = of.model.nouns().many;
    let x = sweep(&table.required("x")?, of)?;
    let y_field = table.required("y")?;
    let y = sweep(&y_field, of)?;
    if x.number == y.number {
        return Err(y_field.error(format!("x sweeps {} already", x.input.name)));
    }
    let cells = (x.values.len() * y.values.len()) as u64;
    let least = of.trials.min(MAX_TRIALS);
    let cell_trials = table.optional_or(many, least, |field| whole(&field, 1, MAX_TRIALS))?;
    table.finish()?;
    if cell_trials > MAX_MAP_TRIALS / cells {
        let most = MAX_MAP_TRIALS / cells;
        return Err(table.error(format!("{cells} cells of {cell_trials} {many}; at most {most} in each are possible")));
    }
    let method = method_of(&table, of, [x.number, y.number], cell_trials)?;
    Ok(Some(Grid { x, y, cell_trials, method }))
}

/// The study's way of sampling for so many trials of a study in which the swept inputs are constant.
fn method_of(table: &Table<'_>, of: &Of<'_>, swept: [usize; 2], trials: u64) -> Result<Method, DocumentError> {
    let (method, many) = (of.method, of.model.nouns().many);
    let shared = |replicates: u32| {
        if trials.is_multiple_of(u64::from(replicates)) {
            Ok(trials / u64::from(replicates))
        } else {
            let what = format!(
                "{trials} {many} of a cell cannot be shared out among the study's {replicates} replicates; take a multiple"
            );
            Err(table.error(what))
        }
    };
    match method {
        Method::Plain | Method::Importance(_) => Ok(method.clone()),
        Method::LatinHypercube(LatinHypercubes { replicates, .. }) => {
            Ok(Method::LatinHypercube(LatinHypercubes { replicates: *replicates, strata: shared(*replicates)? }))
        }
        Method::Sobol(nets) => {
            let varies =
                |sampled: &SampledInput| !sampled.distribution.is_constant() && !swept.contains(&sampled.number);
            let varies: Vec<bool> = of.inputs.iter().map(varies).collect();
            shared(nets.replicates()).map(|_| Method::Sobol(SobolNets::of_varying(nets.replicates(), &varies)))
        }
        Method::Subset(_) => Err(table.error("subset simulation follows one event in one study, and has no cells")),
        Method::Table(_) => Err(table.error("the rows of a table of inputs are what they are, and nothing is swept")),
    }
}

/// An input and its values: `{ input = "NAME", from = A, to = B, points = N }`, or `values = [...]`.
fn sweep(field: &Field<'_>, of: &Of<'_>) -> Result<Sweep, DocumentError> {
    let table = field.table()?;
    let name = table.required("input")?;
    let number = input_named(&name, of)?;
    let input = of.model.inputs()[number];
    let values = match table.optional("values") {
        Some(field) => listed(&field, input.unit)?,
        None => {
            let (from, end) = (table.required("from")?.number(input.unit)?, table.required("to")?);
            let to = end.number(input.unit)?;
            if to <= from {
                return Err(end.refused("must be above `from`"));
            }
            let points = whole(&table.required("points")?, *POINTS.start(), *POINTS.end())?;
            let step = |index: u64| from + (to - from) * index as f64 / (points - 1) as f64;
            (0..points - 1).map(step).chain([to]).collect()
        }
    };
    table.finish()?;
    Ok(Sweep { number, input, values })
}

fn listed(field: &Field<'_>, unit: crate::document::Unit) -> Result<Vec<f64>, DocumentError> {
    let values = field.numbers(unit)?;
    if !POINTS.contains(&(values.len() as u64)) {
        return Err(field.error(format!(
            "{} values; there must be from {} to {}",
            values.len(),
            POINTS.start(),
            POINTS.end()
        )));
    }
    if values.windows(2).any(|pair| pair[1] <= pair[0]) {
        return Err(field.error("the values must ascend"));
    }
    Ok(values)
}

/// The number of an input that can be swept.
fn input_named(field: &Field<'_>, of: &Of<'_>) -> Result<usize, DocumentError> {
    let name = field.string()?;
    let names = || of.model.inputs().iter().map(|input| input.name);
    let number = names().position(|known| known == name).ok_or_else(|| field.error(unknown("input", name, names())))?;
    of.model.without_meaning(number).map_or(Ok(()), |why| Err(field.error(why)))?;
    if let Some(place) = of.inputs.iter().position(|sampled| sampled.number == number) {
        if of.copula.correlates(place) {
            let why = "is correlated with others, and what those do when it is swept is not known; take its correlations away";
            return Err(field.error(format!("{name} {why}")));
        }
        let is_shifted = |importance: &crate::study::sampling::Importance| {
            importance.places.iter().any(|shifts| shifts[place].is_some())
        };
        if matches!(of.method, Method::Importance(importance) if is_shifted(importance)) {
            return Err(field.error(format!(
                "{name} is shifted by [sampling], so its weights are of values that it does not have; sweep another one"
            )));
        }
    }
    Ok(number)
}
