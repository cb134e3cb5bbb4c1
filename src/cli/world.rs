//! `touchdown world`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use touchdown::world::{World, compare_laws};

use super::Failure;
use super::failure::Code;
use super::text::print;

/// Lengths of steps, in those of the file.
const FACTORS: [f64; 3] = [1.0, 0.5, 0.1];

#[derive(Debug, Subcommand)]
pub enum WorldVerb {
    Laws(Laws),
}

impl WorldVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        match self {
            Self::Laws(laws) => laws.run(),
        }
    }
}

/// Compare contact laws on one world
///
/// Runs a world file with each contact law that it may have, with steps of its own length, a half and a tenth of it, and
/// prints a Markdown table: penetration, energy, and how far bodies end from where the shortest step of the law leaves
/// them. Springs have a contact time of 12 of the file's steps.
#[derive(Debug, Args)]
pub struct Laws {
    /// The world file
    world: PathBuf,
}

impl Laws {
    fn run(&self) -> Result<Code, Failure> {
        let world = World::read(&self.world)?;
        let rows = compare_laws(&world, &FACTORS)
            .map_err(|error| Failure::bad_input(format!("{}: {error}", self.world.display())))?;
        print(
            "| law | step \\[s\\] | penetration \\[m\\] | energy lost \\[J\\] | gained at most \\[J\\] | off \\[m\\] |\n",
        )?;
        print("| --- | --- | --- | --- | --- | --- |\n")?;
        for row in rows {
            // Rounding is not shown: it differs between processors' libraries.
            let shown = |value: f64| match value {
                _ if !value.is_finite() => "diverges".to_owned(),
                _ if value < 1e-9 => "0".to_owned(),
                _ => format!("{value:.2e}"),
            };
            let [penetration, gained, off] = [row.penetration, row.energy_gained, row.off].map(shown);
            let lost = if row.energy_lost.is_finite() { format!("{:.3}", row.energy_lost) } else { shown(f64::NAN) };
            print(&format!("| {} | {} | {penetration} | {lost} | {gained} | {off} |\n", row.law, row.step))?;
        }
        Ok(Code::Done)
    }
}
