//! `touchdown import`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use touchdown::document::Unit;
use touchdown::import::{
    CsgRequest, DEFAULT_TYRE_PRESSURE, RunwayRequest, StructureContacts, csg_scene, jsbsim_vehicle,
    parse_condition_codes, read_runway, scene_text,
};
use touchdown::table::write_atomically;

use super::Failure;
use super::failure::Code;
use super::place::refuse_overwriting;
use super::text::{print_file, warn};

/// Files that can be imported.
#[derive(Debug, Subcommand)]
pub enum ImportVerb {
    /// A runway of an `OurAirports` table as a scene
    Runway(ImportRunway),
    /// An OpenSCAD model as a scene
    ///
    /// A cylinder with $fn of 3 to 12 stays a prism, pyramid or frustum with that many sides; with more sides it
    /// becomes round. A sphere always becomes round, with a warning if its $fn is 1 to 12. Extruded polygons may be
    /// concave and have holes. A hull of several round solids keeps their facets ($fn, $fa, $fs), with a warning,
    /// except that the hull of two equal spheres becomes a capsule. Twisted extrusions, text, and imported or revolved
    /// shapes are refused.
    Csg(ImportCsg),
    /// A JSBSim aircraft as a vehicle
    ///
    /// Imports mass, inertia, wheels, structural points or pads, and the physics of the aircraft's own files: air forces, flight
    /// controls, engines and gas cells; no fuel. Omitted or doubtful data give warnings. Aircraft files have their own licences, which may extend to the vehicle
    /// file.
    Jsbsim(ImportJsbsim),
}

/// Makes a scene from a runway of an `OurAirports` table (runways.csv): pavement in three zones by runway condition
/// code, shoulders and grass.
#[derive(Debug, Args)]
pub struct ImportRunway {
    /// Identifier of the airport, such as LSZH
    #[arg(long)]
    airport: String,
    /// Runway by name, in the landing direction, such as 14
    #[arg(long)]
    runway: String,
    /// Runway condition code of each third in the landing direction, such as 5/5/3; 6 is dry, 5 wet, 0 closed to operation.
    /// Reports begin at the end with the lower number, so for runway 32 those of a report are turned round
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

/// Makes a scene from a flat OpenSCAD export (`openscad -o model.csg model.scad`): union, difference, intersection and
/// hull of cubes, spheres, cylinders, cones, convex polyhedra and extruded squares, circles and polygons. Curved solids
/// become exact ones, colours become materials.
#[derive(Debug, Args)]
pub struct ImportCsg {
    /// Flat export
    model: PathBuf,
    /// Length of one unit of the model: mm, cm, m, km, in or ft. OpenSCAD has no unit; most models are in millimetres
    #[arg(long, value_name = "UNIT", default_value = "mm")]
    unit: String,
    /// Static friction of all materials, which OpenSCAD does not define; assumed
    #[arg(long, value_name = "COEFFICIENT", default_value_t = 0.6, value_parser = friction)]
    static_friction: f64,
    /// Dynamic friction of all materials; assumed
    #[arg(long, value_name = "COEFFICIENT", default_value_t = 0.5, value_parser = friction)]
    dynamic_friction: f64,
    /// Scene file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Makes a vehicle from a JSBSim aircraft (aircraft/NAME/NAME.xml).
#[derive(Debug, Args)]
pub struct ImportJsbsim {
    /// Aircraft
    aircraft: PathBuf,
    /// Make pads with springs, dampers and friction of the contacts of type STRUCTURE, as JSBSim has them, instead of points where
    /// a landing ends; the vehicle then asks for JSBSim's ground reactions
    #[arg(long)]
    pads: bool,
    /// Vehicle file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn friction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(coefficient) if (0.0..=1e3).contains(&coefficient) => Ok(coefficient),
        _ => Err("must be a number from 0 to 1000".to_owned()),
    }
}

impl ImportVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        match self {
            Self::Runway(verb) => verb.run(),
            Self::Csg(verb) => verb.run(),
            Self::Jsbsim(verb) => verb.run(),
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
        hand_over(&text, &warnings, self.out.as_deref())
    }
}

impl ImportCsg {
    fn run(&self) -> Result<Code, Failure> {
        if let Some(out) = &self.out {
            refuse_overwriting("--out", out, &[&self.model])?;
        }
        let unit = format!("1 {}", self.unit);
        let Some(meters) = Unit::Length.parse(&unit) else {
            return Err(Failure::bad_input(format!("--unit {}: must be one of mm, cm, m, km, in, ft", self.unit)));
        };
        let request =
            CsgRequest { unit, meters, static_friction: self.static_friction, dynamic_friction: self.dynamic_friction };
        let (text, warnings) = csg_scene(&self.model, &request)?;
        hand_over(&text, &warnings, self.out.as_deref())
    }
}

impl ImportJsbsim {
    fn run(&self) -> Result<Code, Failure> {
        if let Some(out) = &self.out {
            refuse_overwriting("--out", out, &[&self.aircraft])?;
        }
        let (text, warnings) = jsbsim_vehicle(
            &self.aircraft,
            if self.pads { StructureContacts::Pads } else { StructureContacts::Points },
        )?;
        hand_over(&text, &warnings, self.out.as_deref())
    }
}

/// Writes a scene or a vehicle to its file or to standard output.
fn hand_over(text: &str, warnings: &[String], out: Option<&Path>) -> Result<Code, Failure> {
    for warning in warnings {
        warn(warning);
    }
    match out {
        Some(path) => write_atomically(path, text.as_bytes())?,
        None => print_file(text)?,
    }
    Ok(Code::Done)
}

/// Greatest tyre pressure that is taken \[Pa\]: far above that of any tyre.
const MAX_TYRE_PRESSURE: f64 = 1e8;

fn pressure(text: &str) -> Result<f64, Failure> {
    match Unit::Pressure.parse(text) {
        Some(pressure) if pressure > 0.0 && pressure <= MAX_TYRE_PRESSURE => Ok(pressure),
        _ => Err(Failure::bad_input(format!(
            "--tyre-pressure {text}: must be a pressure above 0 with its unit, such as \"100 psi\" or \"690 kPa\", and at \
             most 1000 bar"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tyre_pressures_are_those_of_tyres() {
        for (text, is_good) in [("100 psi", true), ("1e308 psi", false), ("0 psi", false), ("100", false)] {
            assert_eq!(pressure(text).is_ok(), is_good, "{text}");
        }
        assert!(pressure("1000 bar").is_ok() && pressure("1001 bar").is_err());
    }
}
