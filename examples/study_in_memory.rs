//! A landing study from inside a program: texts in place of files, outcomes in place of a run's directory.
//!
//!     cargo run --release --example study_in_memory
//!
//! How hard does a Cessna 172 touch down that is flown less evenly from pilot to pilot, and what do 2,000 landings say of all of them?

#![allow(clippy::print_stdout, reason = "its output is the answer")]

use std::collections::BTreeMap;
use std::error::Error;

use touchdown::native::Native;
use touchdown::study::Study;
use touchdown::study::statistics::{clopper_pearson_lower, clopper_pearson_upper};

const STUDY: &str = r#"
vehicle = "c172.toml"
scene = "runway.toml"
landings = 2000
seed = 1

[inputs.sink_rate]    # (assumed)
distribution = "truncated_normal"
mean = 0.6
sd = 0.4
min = 0.1
max = 3.0

[inputs.crosswind]    # (assumed)
distribution = "normal"
mean = 0
sd = "5 kt"
"#;

const RUNWAY: &str = r#"
default_material = "asphalt"
scene = { half_space = { normal = [0, 0, 1], offset = 0 } }

[runway]
length = 800
width = 18

[materials.asphalt]
static_friction = 0.75
dynamic_friction = 0.7
"#;

/// A touchdown at more than this is looked into [m/s].
const HARD: f64 = 1.5;

/// How many touchdowns of how many landings are hard.
pub fn hard_touchdowns() -> Result<(u64, u64), Box<dyn Error>> {
    let vehicle = include_bytes!("aircraft/c172.toml").to_vec();
    let files = BTreeMap::from([("c172.toml".to_owned(), vehicle), ("runway.toml".to_owned(), RUNWAY.into())]);
    let study = Study::in_memory("study.toml", STUDY, files)?;
    let sink_rate = study.model.quantity_named("touchdown_sink_rate").ok_or("there is no such quantity")?;
    let inputs: Vec<_> = (0..study.trials).map(|trial| study.inputs_of(trial)).collect();
    let outcomes = study.model.outcomes(&Native::new(0)?, &inputs)?;
    // A landing that never touched down is no hard one here; a study would count it as invalid.
    let is_hard = |value: Option<f64>| value.is_some_and(|value| value > HARD);
    let hard = outcomes.iter().filter(|outcome| is_hard(outcome.quantities[sink_rate])).count();
    Ok((hard as u64, study.trials))
}

#[allow(dead_code, reason = "tests ask for the rest")]
fn main() -> Result<(), Box<dyn Error>> {
    let (hard, landings) = hard_touchdowns()?;
    let bounds = [clopper_pearson_lower, clopper_pearson_upper].map(|bound| bound(hard, landings, 0.95));
    println!("{hard} of {landings} touch down at more than {HARD} m/s");
    println!("with 95 % confidence on either side, from {:.4} to {:.4} of all do", bounds[0], bounds[1]);
    Ok(())
}
