//! `touchdown vehicle show`.

use std::path::PathBuf;

use clap::Args;
use glam::DVec3;
use touchdown::air_forces::{ForceAxes, MomentAxes, Role};
use touchdown::airframe::{Airframe, AirframeDescription};
use touchdown::function::Words;
use touchdown::report::air_force_curves;
use touchdown::table::write_atomically;

use super::aircraft::{self, Aircraft};
use crate::cli::Failure;
use crate::cli::failure::Code;
use crate::cli::place::{refuse_other_ending, refuse_overwriting};
use crate::cli::text::{number, print};

/// Print the air forces of an aircraft: sizes, given properties, functions by axis, tables and words
///
/// Of a vehicle file also what its controls and engines are made of, and what a step leaves to the next.
///
/// The picture has the coefficients of lift, drag and pitching moment (about the centre of gravity) over the angle of attack,
/// in standard air at sea level, at 70 m/s and 500 m above the ground, with all given properties 0.
#[derive(Debug, Args)]
pub struct Show {
    /// Aircraft of JSBSim (aircraft/NAME/NAME.xml), or a vehicle file with `[airframe]`
    aircraft: PathBuf,
    /// Take this property as given, though neither JSBSim nor a file of the aircraft makes it; may be repeated
    #[arg(long, value_name = "PROPERTY")]
    given: Vec<String>,
    /// Draw curves of lift, drag and pitching moment (SVG)
    #[arg(long, value_name = "FILE")]
    curves: Option<PathBuf>,
}

impl Show {
    pub fn run(&self) -> Result<Code, Failure> {
        if let Some(curves) = &self.curves {
            refuse_overwriting("--curves", curves, &[&self.aircraft])?;
            refuse_other_ending("--curves", curves, "svg")?;
        }
        let Aircraft { description, forces, airframe } = aircraft::read(&self.aircraft, &self.given)?;
        let sizes = description.sizes;
        let [area, span, chord] = [sizes.area, sizes.span, sizes.chord].map(number);
        print(&format!("wing {area} m^2, span {span} m, chord {chord} m\n"))?;
        // Adding 0 takes the sign off a zero.
        let [forwards, right, down] = (description.reference_point + DVec3::ZERO).to_array().map(number);
        print(&format!(
            "forces act {forwards} m forwards of the centre of gravity, {right} m to its right and {down} m below it\n"
        ))?;
        print("\ngiven properties\n")?;
        for name in forces.given() {
            print(&format!("  {name}\n"))?;
        }
        print("\nfunctions\n")?;
        for function in description.in_order() {
            let place = forces.place(&function.function.name);
            let words = Words::compile(forces.made().filter(|&(own, _)| Some(own) == place), place, forces.width());
            let role = role(function.role, description.force_axes, description.moment_axes);
            let [count, tables] = [words.count(), words.tables().len()];
            print(&format!("  {role:<28} {:<44} {count:>4} words {tables:>2} tables\n", function.function.name))?;
        }
        let all = Words::compile(forces.made(), forces.function_places().chain(forces.load_places()), forces.width());
        let numbers: usize = all.tables().iter().map(|table| table.numbers()).sum();
        print(&format!(
            "\n{} words, {} tables of {numbers} numbers; rows of {}\n",
            all.count(),
            all.tables().len(),
            all.width()
        ))?;
        if let Some(airframe) = &airframe {
            print(&whole(airframe))?;
        }
        if let Some(curves) = &self.curves {
            let picture = air_force_curves(&description, &forces).ok_or_else(|| {
                Failure::bad_input(format!("{}: has no wing, whose area coefficients are by", self.aircraft.display()))
            })?;
            write_atomically(curves, picture.as_bytes())?;
        }
        Ok(Code::Done)
    }
}

/// What a step of landings evaluates: what forces depend on.
fn whole(airframe: &Airframe) -> String {
    let AirframeDescription { commands, controls, engines, .. } = airframe.description();
    let [commands, controls, engines] = [commands, controls, engines].map(Vec::len);
    let routine = airframe.routine();
    let wanted = airframe.load_places().into_iter().chain(routine.left_from());
    let words = Words::compile(routine.made(), wanted, routine.width());
    let mut text = format!(
        "\nwith {commands} commands, {controls} functions of controls and {engines} of engines: {} words, {} tables, rows of {}\n",
        words.count(),
        words.tables().len(),
        words.width()
    );
    text += "\nleft by a step to the next, and what the first one finds\n";
    for kept in airframe.routine().kept() {
        text += &format!("  {:<52} {}\n", kept.name, number(kept.at_start));
    }
    text
}

fn role(role: Role, forces: ForceAxes, moments: MomentAxes) -> String {
    let force = |axis: usize| match forces {
        ForceAxes::Wind => ["drag", "side force", "lift"][axis],
        ForceAxes::Axial => ["axial force", "side force", "normal force"][axis],
        ForceAxes::Body => ["x", "y", "z"][axis],
        ForceAxes::Stability => ["x, stability axes", "y", "z, stability axes"][axis],
    };
    let moment = |axis: usize| {
        let about = ["roll", "pitch", "yaw"][axis];
        match moments {
            MomentAxes::Body => about.to_owned(),
            MomentAxes::Stability => format!("{about}, stability axes"),
            MomentAxes::Wind => format!("{about}, wind axes"),
        }
    };
    match role {
        Role::Property => "property".to_owned(),
        Role::Force(axis) => force(axis).to_owned(),
        Role::ForceAtCentre(axis) => format!("{}, at the centre", force(axis)),
        Role::Shift => "shift of the point".to_owned(),
        Role::Moment(axis) => moment(axis),
    }
}
