//! `[inputs.NAME]` and `[[correlations]]`: what varies from trial to trial.

use super::measured::Header;
use super::{Reader, unknown};
use crate::document::{DocumentError, Field, Table, Unit};
use crate::model::Model;
use crate::study::sampling::{Copula, CopulaError, Distribution, DistributionError, Method, Ranks};
use crate::study::{SampledInput, StudyError};
use crate::table::{ColumnKind, TableError, TableReader, Wanted};

impl Reader {
    /// `[inputs.NAME]`, ordered by input number.
    pub(super) fn inputs(&mut self, root: &Table<'_>, model: &dyn Model) -> Result<Vec<SampledInput>, StudyError> {
        let Some(tables) = root.optional_table("inputs")? else {
            return Ok(Vec::new());
        };
        let mut inputs = Vec::new();
        for (name, field) in tables.entries() {
            let number = input_named(name, &field, model)?;
            let input = model.inputs()[number];
            model.without_meaning(number).map_or(Ok(()), |why| Err(field.error(why)))?;
            let table = field.table()?;
            let distribution = self.distribution(&table, input.unit)?;
            let limit = table.optional("limit").map(|field| limit(&field, &distribution, input.unit)).transpose()?;
            table.finish()?;
            inputs.push(SampledInput { number, input, distribution, limit });
        }
        inputs.sort_by_key(|sampled| sampled.number);
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
            Kind::Empirical => Distribution::empirical(&self.column(table, unit)?),
        };
        made.map_err(refuse)
    }

    /// The values of a table column in SI units: those of its header `NAME [UNIT]`, or SI units already. Rows without a value are
    /// skipped.
    fn column(&mut self, table: &Table<'_>, unit: Unit) -> Result<Vec<f64>, StudyError> {
        let file = table.required("file")?;
        let name = file.string()?;
        let asked = table.required("column")?;
        let column = asked.string()?;
        let (path, _kept) = self.files.on_disk(name).map_err(|error| file.error(format!("{name}: {error}")))?;
        let refused = |error: TableError| match error {
            TableError::Read { .. } | TableError::IsDirectory { .. } | TableError::UnknownEnding { .. } => {
                StudyError::from(file.error(error.to_string()))
            }
            _ => StudyError::from(error),
        };
        let headers = TableReader::open(&path, &[]).map_err(refused)?.column_names().to_vec();
        let with_unit = || headers.iter().find(|header| Header::of(header).name == column);
        let header = headers.iter().find(|header| *header == column).or_else(with_unit).map_or(column, String::as_str);
        let scale = Header::of(header).scale(unit).map_err(|why| asked.error(format!("column `{header}`: {why}")))?;
        let wanted = Wanted { required_value: false, ..Wanted::required(header, ColumnKind::Number) };
        let mut values = Vec::new();
        for chunk in TableReader::open(&path, &[wanted]).map_err(refused)? {
            values.extend(chunk?.numbers(0)?.iter().flatten().map(|value| value * scale));
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

fn input_named(name: &str, field: &Field<'_>, model: &dyn Model) -> Result<usize, DocumentError> {
    let names = || model.inputs().iter().map(|input| input.name);
    names().position(|known| known == name).ok_or_else(|| field.error(unknown("input", name, names())))
}

/// `limit`: one or more values at which limit risks hold an input.
fn limit(field: &Field<'_>, distribution: &Distribution, unit: Unit) -> Result<Vec<f64>, DocumentError> {
    let items = if field.is_array() { field.array()? } else { vec![*field] };
    if distribution.is_constant() {
        return Err(field.error("the input never varies, so there is nothing that could be held"));
    }
    if items.is_empty() {
        return Err(field.refused("must be a value or a list of values"));
    }
    let mut values = Vec::new();
    for item in items {
        let value = item.number(unit)?;
        if let Some(known) = distribution.values().filter(|known| !known.contains(&value)) {
            let known: Vec<String> = known.iter().map(f64::to_string).collect();
            return Err(item.refused(format!("must be one of the input's values, in SI units {}", known.join(", "))));
        }
        let (minimum, maximum) = (distribution.minimum(), distribution.maximum());
        if minimum.is_some_and(|minimum| value < minimum) || maximum.is_some_and(|maximum| value > maximum) {
            let end = |end: Option<f64>| end.map_or_else(|| "any value".to_owned(), |end| end.to_string());
            return Err(item.refused(format!("must be from {} to {}", end(minimum), end(maximum))));
        }
        values.push(value);
    }
    values.sort_by(f64::total_cmp);
    values.dedup();
    Ok(values)
}

/// `[[correlations]]`.
pub(super) fn copula(root: &Table<'_>, inputs: &[SampledInput], method: &Method) -> Result<Copula, DocumentError> {
    let in_table = |number: usize| match method {
        Method::Table(design) => design.inputs().contains(&inputs[number].number),
        _ => false,
    };
    let Some(list) = root.optional("correlations") else {
        return Copula::new(inputs.len(), &[]).map_err(|error| root.error(error.to_string()));
    };
    let ranks: Vec<Ranks> = inputs.iter().map(|sampled| Ranks::of(&sampled.distribution)).collect();
    let mut pairs = Vec::new();
    let mut fields = Vec::new();
    for field in list.array()? {
        let table = field.table()?;
        let between = table.required("between")?;
        let [first, second] = between.array()?[..] else {
            return Err(between.refused("must be the names of two inputs"));
        };
        let number = |field: Field<'_>| {
            let name = field.string()?;
            let sampled = || inputs.iter().map(|sampled| sampled.input.name);
            sampled()
                .position(|known| known == name)
                .ok_or_else(|| field.error(unknown("sampled input", name, sampled())))
        };
        let (first, second) = (number(first)?, number(second)?);
        let rank = table.required("rank")?;
        let asked = rank.number(Unit::One)?;
        table.finish()?;
        match [first, second].map(in_table) {
            // Correlated already, in the rows of the table.
            [true, true] => {}
            [false, false] => {
                pairs.push((first, second, asked));
                fields.push(rank);
            }
            _ => {
                return Err(
                    between.error("one of them is in the table of inputs, and the other is drawn without regard to it")
                );
            }
        }
    }
    let copula = Copula::of_ranks(&ranks, &pairs).map_err(|error| {
        if let CopulaError::Impossible { first, second, least, greatest, .. } = error {
            let field =
                pairs.iter().position(|pair| (pair.0, pair.1) == (first, second)).map_or(list, |pair| fields[pair]);
            return field.refused(possible_words(&inputs[first], &inputs[second], least, greatest));
        }
        // The copula knows variables by index only.
        let names: Vec<String> =
            inputs.iter().enumerate().map(|(number, sampled)| format!("{number}: {}", sampled.input.name)).collect();
        list.error(format!("{error} (variables {})", names.join(", ")))
    })?;
    let at_ends = inputs.iter().enumerate().filter(|(place, _)| copula.correlates(*place));
    match at_ends.filter_map(|(_, sampled)| limit_at_an_end(sampled).map(|value| (sampled.input.name, value))).next() {
        None => Ok(copula),
        Some((name, value)) => Err(list.error(format!(
            "inputs.{name}.limit = {value} is an end of the range of {name}, which is correlated: what the others do there is not known, for \
             nothing ever comes so far; take a value within the range, or let the range reach farther"
        ))),
    }
}

/// A limit that no draw of a continuous input ever comes to: given it, those correlated with the input would be at their ends too.
fn limit_at_an_end(sampled: &SampledInput) -> Option<f64> {
    let SampledInput { distribution, limit, .. } = sampled;
    let is_end = |value: &f64| [distribution.minimum(), distribution.maximum()].contains(&Some(*value));
    limit.iter().flatten().copied().find(|value| distribution.is_continuous() && is_end(value))
}

/// The range of possible correlations of two inputs, at least one of which has ties.
fn possible_words(first: &SampledInput, second: &SampledInput, least: f64, greatest: f64) -> String {
    let said = |sampled: &SampledInput| format!("{} ({})", sampled.input.name, sampled.distribution);
    if least == greatest {
        return format!("must be 0: of {} and {} one never varies", said(first), said(second));
    }
    // Slightly inside and rounded towards 0, so that the values stated are possible.
    let inwards = |correlation: f64| (999.9 * correlation).trunc() / 1000.0;
    format!(
        "must be from {} to {}: equal values of {} and {} leave no stronger rank correlation",
        inwards(least),
        inwards(greatest),
        said(first),
        said(second)
    )
}

#[cfg(test)]
mod tests {
    use crate::study::Study;

    #[test]
    fn a_limit_at_the_end_of_a_correlated_range_is_refused_and_within_it_is_not() {
        let read = |distribution: &str, limit: f64, rank: f64| {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("study.toml");
            let text = format!(
                "model = \"particle\"\nparticles = 10\nseed = 1\n[inputs.position]\n{distribution}\nlimit = {limit}\n[inputs.velocity]\n\
                 distribution = \"normal\"\nmean = 0\nsd = 1\n[[correlations]]\nbetween = [\"position\", \"velocity\"]\nrank = {rank}\n"
            );
            std::fs::write(&path, text).unwrap();
            Study::read(&path).map(|_| ()).map_err(|error| error.to_string())
        };
        let truncated = "distribution = \"truncated_normal\"\nmean = 20\nsd = 1\nmin = 17\nmax = 22";
        for (distribution, limit) in
            [(truncated, 22.0), (truncated, 17.0), ("distribution = \"uniform\"\nmin = 20\nmax = 21", 21.0)]
        {
            let error = read(distribution, limit, 0.5).unwrap_err();
            assert!(error.contains(&format!("inputs.position.limit = {limit} is an end of the range")), "{error}");
            read(distribution, limit, 0.0).unwrap();
        }
        read(truncated, 21.9, 0.5).unwrap();
        // Of a value that is drawn the others have what they do there.
        read("distribution = \"choice\"\nvalues = [19, 20, 22]", 22.0, 0.5).unwrap();
    }
}
