//! Whether what a model says of itself can be used: its names become keys of studies and columns of tables.

use std::collections::HashSet;

use super::Model;

/// Columns that runs have beside those of the model.
const OF_RUNS: [&str; 5] = ["class", "weight", "replicate", "response", "noise"];

/// What of a model's declarations cannot be used, in words.
pub(super) fn fault(model: &dyn Model) -> Option<String> {
    let inputs: Vec<&str> = model.inputs().iter().map(|input| input.name).collect();
    let classes: Vec<&str> = model.classes().iter().map(|class| class.name).collect();
    let nominal = model.nominal().len();
    if nominal < inputs.len() {
        return Some(format!("it has {} inputs and nominal values of {nominal}; each input needs one", inputs.len()));
    }
    if classes.len() < 2 {
        return Some(format!(
            "it has {} classes; it needs at least 2, the first for invalid trials and the last for the normal outcome",
            classes.len()
        ));
    }
    let quantities: Vec<&str> = model.quantities().iter().map(|quantity| quantity.name.as_str()).collect();
    let totals: Vec<&str> = model.totals().iter().map(|total| total.column).collect();
    let labels: Vec<&str> = model.labels().iter().map(|label| label.name).collect();
    let named = [
        ("inputs", &inputs),
        ("classes", &classes),
        ("quantities", &quantities),
        ("totals", &totals),
        ("labels", &labels),
    ];
    named.into_iter().find_map(|(what, names)| unusable(what, names)).or_else(|| {
        let of_inputs = inputs.iter().flat_map(|name| [format!("input.{name}"), format!("z.{name}")]);
        let others = [quantities.as_slice(), &totals, &labels, &OF_RUNS, &[model.nouns().one]].concat();
        let columns: Vec<String> = of_inputs.chain(others.into_iter().map(str::to_owned)).collect();
        first_repeated(columns.iter().map(String::as_str)).map(|name| {
            format!(
                "two columns of its tables would be `{name}`; quantities, totals and labels must differ from each other, \
                 from the trial's noun, from {} and from `input.` and `z.` before an input's name",
                OF_RUNS.join(", ")
            )
        })
    })
}

/// What is wrong with names of one kind.
fn unusable(what: &str, names: &[&str]) -> Option<String> {
    if let Some(number) = names.iter().position(|name| name.is_empty()) {
        return Some(format!("number {number} of its {what}, counted from 0, has an empty name"));
    }
    if let Some(name) = names.iter().find(|name| name.contains(char::is_control)) {
        return Some(format!("among its {what} is {name:?}; a name has no line feeds and other control characters"));
    }
    first_repeated(names.iter().copied()).map(|name| format!("two of its {what} are named `{name}`; names must differ"))
}

fn first_repeated<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.find(|name| !seen.insert(*name))
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;
    use crate::document::Unit;
    use crate::engine::{Engine, EngineError};
    use crate::model::{Class, Input, Inputs, Label, Nouns, Outcome, PictureError, Quantity, Shown, Total, Watcher};
    use crate::table::Column;

    /// Names alone.
    #[derive(Debug)]
    struct Names {
        inputs: Vec<Input>,
        nominal: usize,
        classes: Vec<Class>,
        quantities: Vec<Quantity>,
        totals: Vec<Total>,
        labels: Vec<Label>,
    }

    fn input(name: &'static str) -> Input {
        Input { name, unit: Unit::One, description: "" }
    }

    fn class(name: &'static str) -> Class {
        Class { name, description: "" }
    }

    fn quantity(name: &str) -> Quantity {
        Quantity { name: name.to_owned(), unit: Unit::One, description: String::new(), lack_is_good: false }
    }

    fn names() -> Names {
        Names {
            inputs: vec![input("speed"), input("friction")],
            nominal: 2,
            classes: vec![class("invalid"), class("stopped")],
            quantities: vec![quantity("distance"), quantity("speed")],
            totals: vec![Total { column: "steps", description: "", name: "", title: "", short: "" }],
            labels: vec![Label { name: "part", description: "" }],
        }
    }

    impl Model for Names {
        fn nouns(&self) -> Nouns {
            Nouns { one: "slide", many: "slides" }
        }

        fn subject(&self) -> &str {
            "names"
        }

        fn inputs(&self) -> &[Input] {
            &self.inputs
        }

        fn nominal(&self) -> Vec<f64> {
            vec![0.0; self.nominal]
        }

        fn quantities(&self) -> &[Quantity] {
            &self.quantities
        }

        fn classes(&self) -> &[Class] {
            &self.classes
        }

        fn totals(&self) -> &[Total] {
            &self.totals
        }

        fn labels(&self) -> &[Label] {
            &self.labels
        }

        fn description(&self) -> String {
            String::new()
        }

        fn facts(&self) -> Vec<(&'static str, String)> {
            Vec::new()
        }

        fn settings(&self) -> Vec<(&'static str, String)> {
            Vec::new()
        }

        fn batch(&self, _: &dyn Engine) -> RangeInclusive<usize> {
            1..=1
        }

        fn outcomes(&self, _: &dyn Engine, _: &[Inputs]) -> Result<Vec<Outcome>, EngineError> {
            Ok(Vec::new())
        }

        fn trace_columns(&self) -> Vec<Column> {
            Vec::new()
        }

        fn trace(&self, _: &dyn Engine, _: &Inputs, _: &mut dyn Watcher) -> Result<Outcome, EngineError> {
            Ok(Outcome { class: 0, totals: Vec::new(), labels: Vec::new(), quantities: Vec::new() })
        }

        fn picture(&self, _: &dyn Engine, _: &Inputs, _: (u32, u32)) -> Result<Shown, PictureError> {
            Err(PictureError::Nothing(String::new()))
        }
    }

    #[test]
    fn what_cannot_be_a_key_or_a_column_is_named() {
        type Change = fn(&mut Names);
        let cases: [(Change, &str); 13] = [
            (|names| names.nominal = 1, "it has 2 inputs and nominal values of 1"),
            (|names| names.classes.truncate(1), "it has 1 classes"),
            (|names| names.classes.push(class("stopped")), "two of its classes are named `stopped`"),
            (|names| names.inputs[1] = input("speed"), "two of its inputs are named `speed`"),
            (|names| names.inputs[1] = input(""), "number 1 of its inputs, counted from 0, has an empty name"),
            (|names| names.quantities[0] = quantity("way\n"), "among its quantities is \"way\\n\""),
            (|names| names.quantities.push(quantity("distance")), "two of its quantities are named `distance`"),
            (|names| names.quantities.push(quantity("class")), "two columns of its tables would be `class`"),
            (|names| names.quantities.push(quantity("weight")), "two columns of its tables would be `weight`"),
            (|names| names.quantities.push(quantity("slide")), "two columns of its tables would be `slide`"),
            (|names| names.quantities.push(quantity("steps")), "two columns of its tables would be `steps`"),
            (|names| names.quantities.push(quantity("part")), "two columns of its tables would be `part`"),
            (
                |names| names.quantities.push(quantity("input.speed")),
                "two columns of its tables would be `input.speed`",
            ),
        ];
        assert_eq!(fault(&names()), None);
        for (spoil, said) in cases {
            let mut names = names();
            spoil(&mut names);
            let fault = fault(&names).unwrap_or_default();
            assert!(fault.starts_with(said), "{fault}");
        }
    }
}
