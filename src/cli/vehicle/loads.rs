//! `touchdown vehicle loads`.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use touchdown::air_forces::{AirForces, Flight, FlightFault, Memory};
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{AirLoad, AirLoadStatus, AirLoads};
use touchdown::table::{Chunk, Column, ColumnKind, TableReader, TableWriter, Values, Wanted};

use super::aircraft::{self, Aircraft};
use crate::cli::Failure;
use crate::cli::engine::{EngineOptions, made_by};
use crate::cli::failure::Code;
use crate::cli::interrupt::{stop_on_interrupt, stopped};
use crate::cli::place::refuse_overwriting;

/// Gas constant of air [J/(kg K)] and ratio of its specific heats.
const AIR: [f64; 2] = [287.05287, 1.4];

/// Columns that every state has.
const REQUIRED: [&str; 10] = ["u", "v", "w", "p", "q", "r", "height", "air_density", "speed_of_sound", "mass"];
/// Columns that states may have.
const OPTIONAL: [&str; 12] = [
    "u_dot",
    "v_dot",
    "w_dot",
    "roll",
    "pitch",
    "ground_u",
    "ground_v",
    "ground_w",
    "temperature",
    "pressure",
    "stall_before",
    "lift_before",
];

/// Columns of the velocity over ground; the air's stands for it where there are none.
const GROUND_VELOCITY: [&str; 3] = ["ground_u", "ground_v", "ground_w"];

/// Forces and moments of the air on an aircraft, by the functions of its file
///
/// Reads a table with u,v,w (velocity through the air, body axes: X forward, Y right, Z down) [m/s], p,q,r [rad/s],
/// height of the centre of gravity above the ground [m], `air_density` [kg/m^3], `speed_of_sound` [m/s], mass [kg], and
/// one column for each given property that the functions read, such as fcs/elevator-pos-rad, by its name and in JSBSim's
/// units (`touchdown vehicle show` lists them). It may also have `u_dot`,`v_dot`,`w_dot` (of the velocity over ground; 0 if
/// left out), roll and pitch [rad] (0), `ground_u`,`ground_v`,`ground_w` (all of them; u,v,w), temperature [K] and pressure [Pa] (those
/// of an ideal gas), `stall_before` (1 in a stall, or 0; 0), and `lift_before` [N], from which JSBSim computes aero/cl-squared
/// (the lift of the same state).
///
/// Of a vehicle file with `[airframe]` all properties are given that its air forces read and do not make: positions of surfaces, and
/// what engines make.
///
/// Writes status (ok, or `not_finite` where a function leads beyond all numbers), fx,fy,fz [N] and l,m,n [N m], in body axes
/// and about the centre of gravity of the empty aircraft with its point masses. A function's column is empty where its own value
/// is infinite or undefined, whatever the status.
#[derive(Debug, Args)]
pub struct Loads {
    /// Aircraft of JSBSim (aircraft/NAME/NAME.xml), or a vehicle file with `[airframe]`
    aircraft: PathBuf,
    /// Take this property as given, though neither JSBSim nor a file of the aircraft makes it; may be repeated
    #[arg(long, value_name = "PROPERTY")]
    given: Vec<String>,
    /// Table of states
    #[arg(long, value_name = "FILE")]
    states: PathBuf,
    /// Table of loads
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write a column for each function, in JSBSim's units
    #[arg(long)]
    functions: bool,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Loads {
    pub fn run(&self) -> Result<Code, Failure> {
        refuse_overwriting("--out", &self.out, &[&self.aircraft, &self.states])?;
        let Aircraft { description, forces, airframe: _ } = aircraft::read(&self.aircraft, &self.given)?;
        let required = REQUIRED.into_iter().chain(forces.given().iter().map(String::as_str));
        let wanted: Vec<_> = required
            .map(|name| Wanted::required(name, ColumnKind::Number))
            .chain(OPTIONAL.map(|name| Wanted::optional(name, ColumnKind::Number)))
            .collect();
        let reader = TableReader::open(&self.states, &wanted)?;
        let engine = self.engine.engine()?;
        let stop = stop_on_interrupt();
        let columns = self.columns(&forces)?;
        let mut writer = TableWriter::create(&self.out, &columns, &made_by(engine.as_ref()))?;
        for chunk in reader {
            let chunk = chunk?;
            let states = states(&self.states, &chunk, &forces, description.reference_point)?;
            let answers = answers(engine.as_ref(), &forces, states)?;
            writer.write(&Chunk { first_row: chunk.first_row, columns: self.values(&forces, &answers) })?;
            if let Some(code) = stopped(&stop) {
                return Ok(code);
            }
        }
        writer.finish()?;
        Ok(Code::Done)
    }

    fn columns(&self, forces: &AirForces) -> Result<Vec<Column>, Failure> {
        let number = |name: &str, unit: &str, meaning: &str| Column::new(name, ColumnKind::Number, unit, meaning);
        let mut columns = vec![
            Column::new("status", ColumnKind::Text, "", "Whether the loads are known"),
            number("fx", "N", "Force forwards"),
            number("fy", "N", "Force to the right"),
            number("fz", "N", "Force downwards"),
            number("l", "N m", "Moment about the axis forwards"),
            number("m", "N m", "Moment about the axis to the right"),
            number("n", "N m", "Moment about the axis downwards"),
        ];
        for name in forces.functions().filter(|_| self.functions) {
            if columns.iter().any(|column| column.name == name) {
                return Err(Failure::bad_input(format!(
                    "{}: function `{name}`: another column of --functions is called that",
                    self.aircraft.display()
                )));
            }
            columns.push(number(name, "", "Value of the function, in JSBSim's units"));
        }
        Ok(columns)
    }

    fn values(&self, forces: &AirForces, answers: &[AirLoad]) -> Vec<Values> {
        let known = |answer: &AirLoad, value: f64| (answer.status == AirLoadStatus::Ok).then_some(value);
        let of = |value: &dyn Fn(&AirLoad) -> f64| {
            Values::Number(answers.iter().map(|answer| known(answer, value(answer))).collect())
        };
        let mut values =
            vec![Values::Text(answers.iter().map(|answer| Some(answer.status.name().to_owned())).collect())];
        for axis in 0..3 {
            values.push(of(&|answer| answer.force[axis]));
        }
        for axis in 0..3 {
            values.push(of(&|answer| answer.moment[axis]));
        }
        if self.functions {
            for number in 0..forces.functions().count() {
                let finite = |answer: &AirLoad| answer.functions.get(number).copied().filter(|value| value.is_finite());
                values.push(Values::Number(answers.iter().map(finite).collect()));
            }
        }
        values
    }
}

/// A state, and whether its own lift stands for that of the step before.
struct State {
    flight: Flight,
    is_steady: bool,
}

fn states(file: &Path, chunk: &Chunk, forces: &AirForces, arm: DVec3) -> Result<Vec<State>, Failure> {
    let count = REQUIRED.len() + forces.given().len() + OPTIONAL.len();
    let columns = (0..count).map(|column| chunk.numbers(column)).collect::<Result<Vec<_>, _>>()?;
    let (given, optional) = (REQUIRED.len(), REQUIRED.len() + forces.given().len());
    let refused = |row: usize, what: String| {
        let row = chunk.first_row + row as u64;
        Failure::bad_input(format!("{}: row {row} (the first is 0): {what}", file.display()))
    };
    let state = |row: usize| {
        let number = |column: usize| columns[column][row].unwrap_or(f64::NAN);
        let vector = |first: usize| DVec3::new(number(first), number(first + 1), number(first + 2));
        // A column that is left out has no numbers.
        let known = |name: &str| {
            let place = OPTIONAL.iter().position(|own| *own == name);
            place.and_then(|place| columns[optional + place].get(row).copied().flatten())
        };
        let or = |name: &str, other: f64| known(name).unwrap_or(other);
        let air = vector(0);
        let (density, sound) = (number(7), number(8));
        let temperature = or("temperature", sound * sound / (AIR[0] * AIR[1]));
        let lift = or("lift_before", f64::NAN);
        let stall = or("stall_before", 0.0);
        if stall != 0.0 && stall != 1.0 {
            return Err(refused(row, format!("`stall_before` {stall} must be 0 or 1")));
        }
        let ground_velocity = match GROUND_VELOCITY.map(known) {
            [None, None, None] => air,
            [Some(u), Some(v), Some(w)] => DVec3::new(u, v, w),
            some => {
                let missing = some.iter().position(Option::is_none).map_or("", |axis| GROUND_VELOCITY[axis]);
                let whole = "`ground_u`, `ground_v` and `ground_w` are given together or not at all";
                return Err(refused(row, format!("{whole}; `{missing}` is missing")));
            }
        };
        let flight = Flight {
            air_velocity: air,
            ground_velocity,
            rate: vector(3),
            air_rate: DVec3::ZERO,
            acceleration: DVec3::new(or("u_dot", 0.0), or("v_dot", 0.0), or("w_dot", 0.0)),
            roll: or("roll", 0.0),
            pitch: or("pitch", 0.0),
            height: number(6),
            density,
            sound,
            temperature,
            pressure: or("pressure", density * AIR[0] * temperature),
            mass: number(9),
            arm,
            memory: Memory { lift: if lift.is_nan() { 0.0 } else { lift }, stall, ..Memory::default() },
            given: (0..forces.given().len()).map(|property| number(given + property)).collect(),
        };
        match flight.fault() {
            None => Ok(State { flight, is_steady: lift.is_nan() }),
            Some(FlightFault { number, value, allowed }) => {
                Err(refused(row, format!("{number} {value:e} must be {allowed}")))
            }
        }
    };
    (0..chunk.len()).map(state).collect()
}

/// The loads of states. Where squares of the lift before are read and the table has none, the state is steady: its own lift stands for
/// it, found by asking once with a lift of 0. In JSBSim's aircraft such squares are in the drag, which is across the lift.
fn answers(engine: &dyn Engine, forces: &AirForces, states: Vec<State>) -> Result<Vec<AirLoad>, Failure> {
    let steady: Vec<bool> = states.iter().map(|state| state.is_steady).collect();
    let mut flights: Vec<Flight> = states.into_iter().map(|state| state.flight).collect();
    if forces.place("aero/cl-squared").is_some() && steady.contains(&true) {
        let first = engine.compute::<AirLoads>(forces, &flights)?;
        for (number, load) in first.iter().enumerate().filter(|&(number, _)| steady[number]) {
            flights[number].memory.lift = flights[number].lift(load.force);
        }
    }
    Ok(engine.compute::<AirLoads>(forces, &flights)?)
}
