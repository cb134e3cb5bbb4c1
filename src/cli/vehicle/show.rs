//! `touchdown vehicle show`.

use std::path::PathBuf;

use clap::Args;
use touchdown::air_forces::{ForceAxes, MomentAxes, Role};
use touchdown::function::Words;
use touchdown::import::{ImportedAirForces, jsbsim_air_forces};

use crate::cli::Failure;
use crate::cli::failure::Code;
use crate::cli::text::{number, print};

/// Print the air forces of an aircraft of JSBSim: sizes, given properties, functions by axis, tables and words
#[derive(Debug, Args)]
pub struct Show {
    /// Aircraft of JSBSim (aircraft/NAME/NAME.xml)
    aircraft: PathBuf,
}

impl Show {
    pub fn run(&self) -> Result<Code, Failure> {
        let ImportedAirForces { description, forces } = jsbsim_air_forces(&self.aircraft)?;
        let sizes = description.sizes;
        print(&format!(
            "wing {} m^2, span {} m, chord {} m; forces act {} m from the centre of gravity\n",
            number(sizes.area),
            number(sizes.span),
            number(sizes.chord),
            description.reference_point
        ))?;
        print("\ngiven properties\n")?;
        for name in forces.given() {
            print(&format!("  {name}\n"))?;
        }
        print("\nfunctions\n")?;
        for function in description.in_order() {
            let place = forces.place(&function.function.name);
            let words = Words::compile(forces.made().filter(|&(own, _)| Some(own) == place));
            let role = role(function.role, description.force_axes, description.moment_axes);
            let [count, tables] = [words.words().len(), words.tables().len()];
            print(&format!("  {role:<28} {:<44} {count:>4} words {tables:>2} tables\n", function.function.name))?;
        }
        let all = Words::compile(forces.made());
        let numbers: usize = all.tables().iter().map(|table| table.numbers()).sum();
        print(&format!(
            "\n{} words, stack depth {}; {} tables of {numbers} numbers; rows of {}\n",
            all.words().len(),
            all.depth(),
            all.tables().len(),
            forces.width()
        ))?;
        Ok(Code::Done)
    }
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
