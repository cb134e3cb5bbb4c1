//! `touchdown encounters run`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};
use touchdown::encounter::platoon::{Drive, Dynamics, Impacts, Platoon, Pose, Sample, drive, equilibrium, top_view};
use touchdown::query::MetParts;
use touchdown::table::{CHUNK_ROWS, Chunk, Column, ColumnKind, TableWriter, Values, write_atomically};

use super::ContactOption;
use crate::cli::Failure;
use crate::cli::failure::Code;
use crate::cli::interrupt::stop_on_interrupt;
use crate::cli::place::refuse_overwriting;
use crate::cli::text::print;

/// Width of pictures \[px\].
const WIDTH: u32 = 1200;

/// Drive a platoon of vehicles through its encounters
///
/// Reads a model file and a platoon file of the report's format (% begins a comment), and what these lack (tyres, law of
/// contact, gravity, duration) from a vehicle file in TOML; what that has in its table `assumed` is marked so in the summary.
///
/// Writes into a directory tracks.parquet (all vehicles in steps of 0.01 s and at impacts), summary.json (impacts: time,
/// point, normal, impulse, yaw rates), and view.svg and view.png, the first impact from above.
#[derive(Debug, Args)]
pub struct Run {
    /// Model file
    model: PathBuf,
    /// Platoon file
    platoon: PathBuf,
    /// Directory for results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What the model and platoon files lack [default: examples/encounters/vehicle.toml]
    #[arg(long, value_name = "FILE")]
    vehicle: Option<PathBuf>,
    /// How vehicles move: in the plane; with heave, pitch and roll on their springs; or these as bodies that deform
    /// homogeneously
    #[arg(long, default_value = "spatial", value_parser = dynamics())]
    dynamics: Dynamics,
    #[command(flatten)]
    contact: ContactOption,
}

fn dynamics() -> impl TypedValueParser<Value = Dynamics> {
    let named = |name: String| Dynamics::ALL.into_iter().find(|kind| kind.name() == name).ok_or("no such dynamics");
    PossibleValuesParser::new(Dynamics::ALL.map(Dynamics::name)).try_map(named)
}

impl Run {
    pub fn run(&self) -> Result<Code, Failure> {
        let bad = |error: &dyn std::fmt::Display| Failure::bad_input(error.to_string());
        let platoon =
            Platoon::read(&self.model, &self.platoon, self.vehicle.as_deref()).map_err(|error| bad(&error))?;
        let inputs: Vec<&Path> =
            [&self.model, &self.platoon].into_iter().chain(&self.vehicle).map(PathBuf::as_path).collect();
        let file = |name: &str| self.out.join(name);
        for name in ["tracks.parquet", "summary.json", "view.svg", "view.png"] {
            refuse_overwriting("--out", &file(name), &inputs)?;
        }
        // A long drive is cut short after the grace that an interrupt gives.
        let _ = stop_on_interrupt();
        let drive = drive(&platoon, self.dynamics, self.contact.contact)
            .map_err(|error| Failure::bad_input(format!("{}: {error}", self.platoon.display())))?;
        std::fs::create_dir_all(&self.out)
            .map_err(|error| Failure::bad_input(format!("--out {}: {error}", self.out.display())))?;
        write_tracks(&file("tracks.parquet"), &drive.samples)?;
        let title = format!("{} ({}, {})", self.platoon.display(), self.contact.contact.name(), self.dynamics.name());
        let view = top_view(&platoon, &drive, &title);
        write_atomically(&file("view.svg"), view.svg(WIDTH).as_bytes())?;
        write_atomically(&file("view.png"), &view.png(WIDTH).map_err(|error| bad(&error))?)?;
        let summary = serde_json::to_string_pretty(&self.summary(&platoon, &drive)).unwrap_or_default() + "\n";
        write_atomically(&file("summary.json"), summary.as_bytes())?;
        print(&self.lines(&platoon, &drive))?;
        Ok(Code::Done)
    }

    fn summary(&self, platoon: &Platoon, drive: &Drive) -> Value {
        let given: Vec<Value> = platoon
            .law
            .all()
            .iter()
            .map(|given| {
                json!({ "name": given.name, "value": given.value, "unit": given.unit, "assumed": given.assumed })
            })
            .collect();
        let equilibria: Vec<Value> = platoon
            .models
            .iter()
            .map(|model| {
                let found = equilibrium(model, platoon.law.gravity.value);
                json!({
                    "model": model.number,
                    "height": found.height,
                    "height_of_file": model.height,
                    "nose_down": found.nose_down,
                    "wheel_loads": found.loads,
                })
            })
            .collect();
        let overlapping = |pairs: &[([usize; 2], f64)]| -> Vec<Value> {
            let pair =
                |([a, b], f): &([usize; 2], f64)| json!({ "vehicles": [a + 1, b + 1], "least_contact_function": f });
            pairs.iter().map(pair).collect()
        };
        json!({
            "contact": self.contact.contact.name(),
            "dynamics": self.dynamics.name(),
            "given": given,
            "equilibrium": equilibria,
            "first_impacts": first_impacts(drive).iter().map(FirstImpact::json).collect::<Vec<_>>(),
            "passed": overlapping(&drive.passed),
            "parting": overlapping(&drive.parting),
        })
    }

    fn lines(&self, platoon: &Platoon, drive: &Drive) -> String {
        let mut text = String::new();
        for first in first_impacts(drive) {
            text += &first.line();
        }
        for ([a, b], f) in &drive.passed {
            let collided = drive.impacts.iter().any(|impact| impact.vehicles == [*a, *b]);
            let when = if collided { "at other times than their impacts " } else { "" };
            text += &format!(
                "vehicles {} and {}: {when}the ellipsoids overlap (contact function down to {f:.4}), the boxes pass each \
                 other\n",
                a + 1,
                b + 1
            );
        }
        for ([a, b], f) in &drive.parting {
            text += &format!(
                "vehicles {} and {}: before any impact the ellipsoids overlap (contact function down to {f:.4}), and the normal of the boxes \
                 has them part\n",
                a + 1,
                b + 1
            );
        }
        if text.is_empty() {
            text += "no contact\n";
        }
        let assumed = platoon.law.all().into_iter().filter(|given| given.assumed);
        let assumed: Vec<String> = assumed
            .map(|given| format!("{} {} {}", given.name, given.value, given.unit).trim_end().to_owned())
            .collect();
        if !assumed.is_empty() {
            text += &format!("assumed: {}\n", assumed.join(", "));
        }
        text + &format!("written to {}\n", self.out.display())
    }
}

/// The first impact of a pair, and what all of them come to.
struct FirstImpact<'a> {
    first: &'a Impacts,
    count: usize,
    impulse: f64,
    energy_lost: f64,
}

/// Of each pair, in the order of their first impacts.
fn first_impacts(drive: &Drive) -> Vec<FirstImpact<'_>> {
    let mut found: Vec<FirstImpact<'_>> = Vec::new();
    for impact in &drive.impacts {
        let place = found.iter().position(|other| other.first.vehicles == impact.vehicles);
        let place = place.unwrap_or_else(|| {
            found.push(FirstImpact { first: impact, count: 0, impulse: 0.0, energy_lost: 0.0 });
            found.len() - 1
        });
        found[place].count += 1;
        found[place].impulse += impact.collision.impulse[0];
        found[place].energy_lost += impact.energy_lost;
    }
    found
}

impl FirstImpact<'_> {
    fn json(&self) -> Value {
        let Impacts { time, vehicles: [a, b], collision, before, after, energy_lost } = self.first;
        let rates = |poses: &[Pose; 2]| poses.map(|pose| pose.yaw_rate);
        json!({
            "vehicles": [a + 1, b + 1],
            "time": time,
            "point": [collision.point.x, collision.point.y],
            "normal": [collision.normal.x, collision.normal.y],
            "region": collision.parts.map(MetParts::name),
            "impulse": collision.impulse[0],
            "friction_impulse": collision.impulse[1],
            "yaw_rates_before": rates(before),
            "yaw_rates_after": rates(after),
            "energy_lost": energy_lost,
            "impacts": self.count,
            "impulse_of_all": self.impulse,
            "energy_lost_in_all": self.energy_lost,
        })
    }

    fn line(&self) -> String {
        let Impacts { time, vehicles: [a, b], collision, after, .. } = self.first;
        let [rate_a, rate_b] = after.map(|pose| pose.yaw_rate);
        let (point, normal) = (collision.point, collision.normal);
        let region = collision.parts.map(|parts| format!(", {}", parts.name())).unwrap_or_default();
        format!(
            "vehicles {} and {}: contact at {time:.4} s at ({:.3}, {:.3}) m, normal ({:.4}, {:.4}){region}, impulse {:.1} N s, \
             yaw rates {rate_a:.4} and {rate_b:.4} rad/s; {} impacts in all\n",
            a + 1,
            b + 1,
            point.x,
            point.y,
            normal.x,
            normal.y,
            collision.impulse[0],
            self.count
        )
    }
}

fn write_tracks(path: &Path, samples: &[Sample]) -> Result<(), Failure> {
    let number = |name, unit, meaning| Column::new(name, ColumnKind::Number, unit, meaning);
    let columns = [
        number("time", "s", "Time; an impact has two rows for each vehicle, before and after it"),
        Column::new("vehicle", ColumnKind::Integer, "", "Number of the vehicle in the platoon file, from 1"),
        number("x", "m", "Centre of mass"),
        number("y", "m", "Centre of mass"),
        number("z", "m", "Centre of mass over the ground"),
        number("yaw", "rad", "Heading, counter-clockwise from x"),
        number("pitch", "rad", "Positive with the nose down"),
        number("roll", "rad", "Positive to the right"),
        number("vx", "m/s", "Velocity of the centre of mass"),
        number("vy", "m/s", "Velocity of the centre of mass"),
        number("vz", "m/s", "Velocity of the centre of mass"),
        number("yaw_rate", "rad/s", "Counter-clockwise"),
        number("tyre_force", "N", "Sum of the lateral forces of all tyres, to the left of their wheels"),
    ];
    let mut writer = TableWriter::create(path, &columns, &[])?;
    let of_sample = |sample: &Sample| -> Vec<(f64, i64, Pose)> {
        (1..).zip(&sample.poses).map(|(vehicle, pose)| (sample.time, vehicle, *pose)).collect()
    };
    let rows: Vec<(f64, i64, Pose)> = samples.iter().flat_map(of_sample).collect();
    for rows in rows.chunks(CHUNK_ROWS) {
        let number = |value: fn(&Pose) -> f64| Values::Number(rows.iter().map(|row| Some(value(&row.2))).collect());
        let columns = vec![
            Values::Number(rows.iter().map(|row| Some(row.0)).collect()),
            Values::Integer(rows.iter().map(|row| Some(row.1)).collect()),
            number(|pose| pose.position.x),
            number(|pose| pose.position.y),
            number(|pose| pose.position.z),
            number(|pose| pose.yaw),
            number(|pose| pose.pitch),
            number(|pose| pose.roll),
            number(|pose| pose.velocity.x),
            number(|pose| pose.velocity.y),
            number(|pose| pose.velocity.z),
            number(|pose| pose.yaw_rate),
            number(|pose| pose.tyre_force),
        ];
        writer.write(&Chunk { first_row: 0, columns })?;
    }
    writer.finish()?;
    Ok(())
}
