//! `touchdown study new`.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use touchdown::import::{RunwayRequest, RunwayRow, Surface, parse_condition_codes, scene_text};
use touchdown::study::{MAX_PART_SIZE, MAX_TRIALS};
use touchdown::table::write_atomically;

use super::Failure;
use super::failure::Code;
use super::text::{complain, print, quoted, warn};

/// The study, with placeholders for what depends on vehicle and runway.
const STUDY: &str = include_str!("new/study.toml");

/// Wet on all thirds.
const USUAL_CONDITION: &str = "5/5/5";
/// Landings in a part.
const USUAL_PART_SIZE: u64 = 1000;
/// Parts beyond which they are made larger.
const USUAL_PARTS: u64 = 10_000;

/// Write a study, a vehicle and a scene that run, with every key explained
///
/// Writes study.toml, vehicle.toml and scene.toml to a new directory: a runway with the given dimensions and condition
/// and an airplane to begin with, every key with a comment. Values not given as options are prompted for on a terminal,
/// and otherwise take their defaults. Then replace what is marked (assumed) by your own data; `touchdown explain KEY`
/// has more on each key.
#[derive(Debug, Args)]
pub struct New {
    /// Directory to make
    directory: PathBuf,
    /// Airplane to begin with [default: c172]
    #[arg(long, value_enum)]
    vehicle: Option<Airplane>,
    /// Length of the runway from its threshold [default: 800 or 2500 m]
    #[arg(long, value_name = "M", value_parser = metres)]
    length: Option<f64>,
    /// Width of the runway [default: 18 or 45 m]
    #[arg(long, value_name = "M", value_parser = metres)]
    width: Option<f64>,
    /// Runway condition code of each third in the landing direction: 6 dry, 5 wet, down to 1 ice [default: 5/5/5]
    #[arg(long, value_name = "A/B/C")]
    condition: Option<String>,
    /// Maximum number of landings [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_TRIALS))]
    landings: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Airplane {
    /// Cessna 172
    C172,
    /// Boeing 737
    B737,
}

/// Defaults for the study of an airplane.
struct Beginning {
    name: &'static str,
    file: &'static str,
    length: f64,
    width: f64,
    tyre_pressure: f64,
    /// Mass \[kg\]: minimum and maximum.
    mass: [f64; 2],
    /// At touchdown \[kt\]: mean and standard deviation.
    airspeed: [f64; 2],
    /// At touchdown \[m/s\]: mean and standard deviation.
    sink_rate: [f64; 2],
    /// At touchdown \[deg\]: mean and standard deviation.
    pitch: [f64; 2],
    /// Beyond the threshold \[m\]: mean and standard deviation.
    touchdown: [f64; 2],
}

impl Airplane {
    fn beginning(self) -> Beginning {
        match self {
            Self::C172 => Beginning {
                name: "Cessna 172",
                file: include_str!("../../examples/aircraft/c172.toml"),
                length: 800.0,
                width: 18.0,
                tyre_pressure: 2.4e5,
                mass: [850.0, 1043.0],
                airspeed: [53.0, 2.0],
                sink_rate: [0.6, 0.3],
                pitch: [6.0, 0.8],
                touchdown: [150.0, 40.0],
            },
            Self::B737 => Beginning {
                name: "Boeing 737",
                file: include_str!("../../examples/aircraft/b737.toml"),
                length: 2500.0,
                width: 45.0,
                tyre_pressure: 1.25e6,
                mass: [42_000.0, 48_000.0],
                airspeed: [122.0, 4.0],
                sink_rate: [0.8, 0.3],
                pitch: [4.0, 0.6],
                touchdown: [400.0, 80.0],
            },
        }
    }
}

fn metres(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(length) if (5.0..=10_000.0).contains(&length) => Ok(length),
        _ => Err("must be from 5 to 10000 m".to_owned()),
    }
}

impl New {
    pub fn run(&self) -> Result<Code, Failure> {
        let vehicle = asked(self.vehicle, "airplane, c172 or b737", Airplane::C172, "c172", |text| {
            Airplane::from_str(text, true)
        })?;
        let beginning = vehicle.beginning();
        let length = |given, what: &str, usual: f64| asked(given, what, usual, &usual.to_string(), metres);
        let runway_length = length(self.length, "length of the runway in metres", beginning.length)?;
        let runway_width = length(self.width, "width of the runway in metres", beginning.width)?;
        let codes = |text: &str| parse_condition_codes(text).map_err(|error| error.to_string());
        let given = self.condition.as_deref().map(codes).transpose();
        let given = given.map_err(|why| Failure::bad_input(format!("--condition: {why}")))?;
        let usual = codes(USUAL_CONDITION).map_err(Failure::bad_input)?;
        let condition_codes = asked(given, "runway condition code by thirds", usual, USUAL_CONDITION, codes)?;
        let allowed = || format!("must be from 1 to {MAX_TRIALS}");
        let landings = asked(self.landings, "greatest number of landings", 10_000, "10000", |text| {
            u64::from_str(text)
                .map_err(|why| why.to_string())
                .and_then(|count| if (1..=MAX_TRIALS).contains(&count) { Ok(count) } else { Err(allowed()) })
        })?;
        let row = RunwayRow {
            data: "options of `touchdown study new`",
            source: "not surveyed".to_owned(),
            airport: "your airport".to_owned(),
            runway: "01".to_owned(),
            length: runway_length,
            width: runway_width,
            displaced_threshold: 0.0,
            elevation: None,
            slope: Some(0.0),
            surface: Surface::Asphalt,
            closed: false,
        };
        let request = RunwayRequest {
            airport: row.airport.clone(),
            runway: row.runway.clone(),
            condition_codes,
            tyre_pressure: beginning.tyre_pressure,
            house: false,
        };
        let (scene, warnings) = scene_text(&row, &request);
        for warning in warnings {
            warn(&warning);
        }
        let study = study_text(&beginning, runway_length, landings);
        self.write(&[("study.toml", &study), ("vehicle.toml", beginning.file), ("scene.toml", &scene)])?;
        let study = quoted(&self.directory.join("study.toml"));
        print(&format!(
            "{}: study.toml, vehicle.toml, scene.toml\n  touchdown study check {study}    \
             what it asks, and one typical landing\n  touchdown study run {study}\n",
            self.directory.display()
        ))?;
        Ok(Code::Done)
    }

    fn write(&self, files: &[(&str, &str)]) -> Result<(), Failure> {
        let cannot = |why: &dyn std::fmt::Display| Failure::bad_input(format!("{}: {why}", self.directory.display()));
        if self.directory.exists() {
            return Err(cannot(&"is there already; a study is written into a new directory"));
        }
        std::fs::create_dir_all(&self.directory).map_err(|error| cannot(&error))?;
        let written = files
            .iter()
            .try_for_each(|(name, text)| write_atomically(&self.directory.join(Path::new(name)), text.as_bytes()));
        written.map_err(|error| {
            // A part of a study would refuse the next attempt.
            let _ = std::fs::remove_dir_all(&self.directory);
            error.into()
        })
    }
}

fn study_text(beginning: &Beginning, length: f64, landings: u64) -> String {
    let Beginning { name, mass, airspeed, sink_rate, pitch, touchdown, .. } = beginning;
    let numbers = [
        ("MASS_MIN", mass[0]),
        ("MASS_MAX", mass[1]),
        ("AIRSPEED_MEAN", airspeed[0]),
        ("AIRSPEED_SD", airspeed[1]),
        ("SINK_MEAN", sink_rate[0]),
        ("SINK_SD", sink_rate[1]),
        ("PITCH_MEAN", pitch[0]),
        ("PITCH_SD", pitch[1]),
        ("TOUCHDOWN_MEAN", touchdown[0]),
        ("TOUCHDOWN_SD", touchdown[1]),
        ("STOP_LIMIT", (0.9 * length).round()),
        ("LANDINGS", landings as f64),
        ("PART_SIZE", part_size(landings) as f64),
    ];
    let text = STUDY.replace("{NAME}", name);
    numbers.iter().fold(text, |text, (place, number)| text.replace(&format!("{{{place}}}"), &number.to_string()))
}

/// Landings in a part: few enough that an interruption loses little, unless there were more files than a directory
/// should hold.
fn part_size(landings: u64) -> u64 {
    landings.div_ceil(USUAL_PARTS).clamp(USUAL_PART_SIZE, MAX_PART_SIZE)
}

/// The given value, or the answer on a terminal, or the default.
fn asked<T>(
    given: Option<T>,
    what: &str,
    usual: T,
    usual_text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Failure> {
    if let Some(given) = given {
        return Ok(given);
    }
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Ok(usual);
    }
    loop {
        complain(&format!("{what} [{usual_text}]: "));
        let _ = std::io::stderr().flush();
        let mut line = String::new();
        let count = input.lock().read_line(&mut line);
        match (count, line.trim()) {
            (Ok(0), _) => return Err(Failure::bad_input(format!("{what}: no answer; nothing is written"))),
            (Err(_), _) | (_, "") => return Ok(usual),
            (_, text) => match read(text) {
                Ok(answer) => return Ok(answer),
                Err(why) => complain(&format!("{text}: {why}\n")),
            },
        }
    }
}
