//! `touchdown encounters`.

mod items;
mod run;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use touchdown::query::ContactModel;

use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;

/// Vehicles that meet
///
/// Finds when and where two vehicles meet that drive at constant speeds, and what the impact does.
///
/// Reads a table with `a_x`,`a_y`,`a_yaw`,`a_speed` and `b_x`,`b_y`,`b_yaw`,`b_speed` (centre of mass, heading counter-clockwise
/// from x, speed along it), length,width,height of the vehicles' boxes, radius of their edges, mass, `yaw_inertia`,
/// restitution and friction; both vehicles have the same dimensions and masses. Writes status (contact; none; overlap where
/// the ellipsoids overlap at the start; degenerate where two edges have one normal, and `not_converged`), t, px,py (contact
/// point), nx,ny (the direction of the force on b), region (parts of both boxes: face-face, face-edge, edge-face or
/// edge-edge), impulse, `friction_impulse` (on b, along the normal turned to the left), and `a_vx`,`a_vy`,`a_yaw_rate`,
/// `b_vx`,`b_vy`,`b_yaw_rate` after the impact.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Encounters {
    #[command(subcommand)]
    verb: Option<EncountersVerb>,
    /// Table of encounters
    #[arg(long, value_name = "FILE", required = true)]
    items: Option<PathBuf>,
    /// Table of contacts
    #[arg(long, value_name = "FILE", required = true)]
    out: Option<PathBuf>,
    #[command(flatten)]
    contact: ContactOption,
    #[command(flatten)]
    engine: EngineOptions,
}

#[derive(Debug, Subcommand)]
enum EncountersVerb {
    Run(run::Run),
}

/// What touches.
#[derive(Clone, Copy, Debug, Args)]
struct ContactOption {
    /// What touches: ellipsoids of the boxes' volume and aspect ratios, or these with the normals of boxes with rounded
    /// edges, where boxes that pass each other do not meet
    #[arg(long, default_value = "box", value_parser = contact_model())]
    contact: ContactModel,
}

fn contact_model() -> impl TypedValueParser<Value = ContactModel> {
    let named =
        |name: String| ContactModel::ALL.into_iter().find(|model| model.name() == name).ok_or("no such contact");
    PossibleValuesParser::new(ContactModel::ALL.map(ContactModel::name)).try_map(named)
}

impl Encounters {
    pub fn run(&self) -> Result<Code, Failure> {
        match (&self.verb, &self.items, &self.out) {
            (Some(EncountersVerb::Run(verb)), ..) => verb.run(),
            (None, Some(items), Some(out)) => items::run(items, out, self.contact.contact, &self.engine),
            // Both are required.
            (None, ..) => Err(Failure::bad_input("--items and --out are needed")),
        }
    }
}
