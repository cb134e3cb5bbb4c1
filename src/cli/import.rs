//! `touchdown import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use touchdown::document::Unit;
use touchdown::import::{DEFAULT_TYRE_PRESSURE, RunwayRequest, parse_condition_codes, read_runway, scene_text};
use touchdown::table::write_atomically;

use super::Failure;
use super::failure::Code;
use super::place::refuse_overwriting;
use super::text::{complain, print};

/// Files that can be imported.
#[derive(Debug, Subcommand)]
pub enum ImportVerb {
    /// A runway of an `OurAirports` table as a scene
    Runway(ImportRunway),
}

/// Makes a scene from a runway of an `OurAirports` table (runways.csv): pavement in three zones by runway condition
/// code, shoulders and grass.
#[derive(Debug, Args)]
pub struct ImportRunway {
    /// Identifier of the airport, such as LSZH
    #[arg(long)]
    airport: String,
    /// Runway in the landing direction, such as 14
    #[arg(long)]
    runway: String,
    /// Runway condition code of each third, such as 5/5/3; 6 is dry, 5 wet, 0 closed to operation
    #[arg(long, value_name = "CODES")]
    rwycc: String,
    /// Tyre pressure, with its unit; the friction of codes 5 and 2 depends on it [default: "100 psi"]
    #[arg(long, value_name = "PRESSURE")]
    tyre_pressure: Option<String>,
    /// Put a house beside the runway
    #[arg(long)]
    house: bool,
    /// Table of runways
    #[arg(long, value_name = "FILE")]
    runways: PathBuf,
    /// Scene file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl ImportVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        match self {
            Self::Runway(verb) => verb.run(),
        }
    }
}

impl ImportRunway {
    fn run(&self) -> Result<Code, Failure> {
        if let Some(out) = &self.out {
            refuse_overwriting("--out", out, &[&self.runways])?;
        }
        let request = RunwayRequest {
            airport: self.airport.clone(),
            runway: self.runway.clone(),
            condition_codes: parse_condition_codes(&self.rwycc)?,
            tyre_pressure: self.tyre_pressure.as_deref().map_or(Ok(DEFAULT_TYRE_PRESSURE), pressure)?,
            house: self.house,
        };
        let row = read_runway(&self.runways, &request.airport, &request.runway)?;
        let (text, warnings) = scene_text(&row, &request);
        for warning in warnings {
            complain(&format!("warning: {warning}\n"));
        }
        match &self.out {
            Some(path) => write_atomically(path, text.as_bytes())?,
            None => print(&text)?,
        }
        Ok(Code::Done)
    }
}

fn pressure(text: &str) -> Result<f64, Failure> {
    match Unit::Pressure.parse(text) {
        Some(pressure) if pressure > 0.0 => Ok(pressure),
        _ => Err(Failure::bad_input(format!(
            "--tyre-pressure {text}: must be a pressure above 0 with its unit, such as \"100 psi\" or \"690 kPa\""
        ))),
    }
}
