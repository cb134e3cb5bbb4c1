//! `touchdown study compare`.

use std::path::PathBuf;

use clap::Args;
use touchdown::model::Models;
use touchdown::study::compare::{Comparison, compare};
use touchdown::table::write_atomically;

use super::Failure;
use super::failure::Code;
use super::place::refuse_of_run;
use super::text::{Shown, columns, number, optional_number, print};

/// Tell whether a change mattered: two runs side by side
///
/// Lists the differences between the two studies, then for each criterion and quantity that both have the difference
/// and its 95 % interval. Runs with the same seed are paired by trial number, which resolves far smaller differences.
/// p-values are Holm-corrected, separately for criteria and for quantities. The exit code is 0 whatever the
/// differences.
#[derive(Debug, Args)]
pub struct Compare {
    /// Directory of the first run
    #[arg(value_name = "DIR-A")]
    first: PathBuf,
    /// Directory of the second run
    #[arg(value_name = "DIR-B")]
    second: PathBuf,
    /// Also write the comparison to this JSON file; differences are lists of estimate, lower and upper bound
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Compare {
    pub fn run(&self) -> Result<Code, Failure> {
        if let Some(path) = &self.json {
            refuse_of_run("--json", path)?;
        }
        let comparison = compare(&Models::default(), &self.first, &self.second)?;
        print(&text(&comparison))?;
        if let Some(path) = &self.json {
            write_atomically(path, comparison.to_json().as_bytes())?;
        }
        Ok(Code::Done)
    }
}

fn text(comparison: &Comparison) -> String {
    let mut text = String::from("differences between the studies (first -> second)\n");
    if comparison.differences.is_empty() {
        text.push_str("  none\n");
    }
    for line in &comparison.differences {
        text.push_str(&format!("  {line}\n"));
    }
    let ([first, second], many) = (comparison.trials.counts, comparison.trials.nouns.many);
    text.push_str(&if comparison.is_paired {
        format!("\n{first} {many} of each, paired by number: the runs have one seed and one way of sampling.\n")
    } else {
        format!("\n{first} and {second} {many}, unpaired: the runs have other seeds, or other ways of sampling.\n")
    });
    let [criteria, quantities] = comparison.tests;
    text.push_str(&format!(
        "Intervals are at 95 %, each for itself; the {criteria} p-values of criteria are corrected together by Holm's method, \
         and so are the {quantities} of quantities.\n\n"
    ));
    text.push_str(&criteria_table(comparison));
    text.push_str(&quantity_table(comparison));
    text
}

fn criteria_table(comparison: &Comparison) -> String {
    if comparison.criteria.is_empty() {
        return String::new();
    }
    let mut header = vec!["criterion", "events", "", "first", "second", "difference", "interval"];
    if comparison.is_paired {
        header.extend(["only first", "only second"]);
    }
    header.extend(["p", ""]);
    let mut rows = vec![header.into_iter().map(str::to_owned).collect()];
    for criterion in &comparison.criteria {
        let mut row: Vec<String> = vec![criterion.name.clone()];
        row.extend(criterion.events.map(|events| events.to_string()));
        row.extend(criterion.estimates.map(number));
        row.push(number(criterion.difference.0));
        row.push(interval(criterion.difference, Shown::of("1")));
        row.extend(criterion.only_in.into_iter().flatten().map(|count| count.to_string()));
        row.extend([p_value(criterion.p_value), words(criterion.differs, criterion.untested.as_deref())]);
        rows.push(row);
    }
    columns(&rows) + "\n"
}

fn quantity_table(comparison: &Comparison) -> String {
    let mut header: Vec<String> =
        ["quantity", "unit", "first mean", "second mean", "difference", "interval", "p"].map(str::to_owned).to_vec();
    let compared = comparison.quantities.first().map(|quantity| &quantity.quantiles);
    for quantile in compared.into_iter().flatten() {
        header.extend([format!("of the {} % quantile", 100.0 * quantile.probability), "interval".to_owned()]);
    }
    header.extend(["distance", "p", ""].map(str::to_owned));
    let mut rows = vec![header];
    for quantity in &comparison.quantities {
        let shown = Shown::of(quantity.unit);
        let interval = |difference: (f64, f64, f64)| interval(difference, shown);
        let mut row = vec![quantity.name.clone(), shown.symbol.to_owned()];
        row.extend(quantity.means.map(|mean| shown.number(mean)));
        row.push(optional_number(quantity.difference.map(|(difference, ..)| shown.value(difference))));
        row.push(quantity.difference.map_or_else(|| "-".to_owned(), interval));
        row.push(p_value(quantity.mean_p_value));
        for quantile in &quantity.quantiles {
            row.push(shown.number(quantile.values[1] - quantile.values[0]));
            row.push(quantile.difference.map_or_else(|| "-".to_owned(), interval));
        }
        row.extend([number(quantity.distance), p_value(quantity.distance_p_value)]);
        row.push(words(quantity.differs, quantity.untested.as_deref()));
        rows.push(row);
    }
    columns(&rows) + "\n"
}

fn interval((_, lower, upper): (f64, f64, f64), shown: Shown<'_>) -> String {
    format!("{} to {}", shown.number(lower), shown.number(upper))
}

fn p_value(p_value: Option<f64>) -> String {
    match p_value {
        None => "-".to_owned(),
        Some(p_value) if p_value < 1e-4 => "<0.0001".to_owned(),
        Some(p_value) => format!("{p_value:.4}"),
    }
}

fn words(differs: bool, untested: Option<&str>) -> String {
    match untested {
        Some(why) if differs => format!("differs, {why}"),
        Some(why) => why.to_owned(),
        None if differs => "differs".to_owned(),
        None => "no difference seen".to_owned(),
    }
}
