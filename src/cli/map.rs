//! `touchdown study map`.

use std::path::PathBuf;

use clap::Args;
use touchdown::report::write_map_pictures;
use touchdown::study::Study;
use touchdown::study::map::{Grid, Layer, Map, map};
use touchdown::study::statistics::Verdict;

use super::Failure;
use super::engine::EngineOptions;
use super::failure::Code;
use super::interrupt::{interrupted, stop_keeping};
use super::place::default_directory;
use super::progress::Meter;
use super::scene::{tell_model_warnings, tell_study_warnings};
use super::text::{Shown, columns, number, one_line, print};

/// Most rows and columns of a table that is printed; larger maps are in the picture alone.
const MAX_SHOWN: usize = 14;

/// Map the probability of each criterion's event over two inputs
///
/// Sweeps the two inputs that the study's [map] names over a grid, with all others as the study has them, and writes the
/// probability of each criterion's event with its bounds in every cell: map.parquet, map.json, and a picture with contours,
/// map.svg and map.png. Started again, the same command goes on where it was interrupted. The exit code is 0 when the map
/// is there, whatever the verdicts of its cells.
#[derive(Debug, Args)]
pub struct MapVerb {
    /// Study file with [map]
    file: PathBuf,
    /// Directory of the map [default: the study file's name in `runs`, ending in `.map`]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
}

impl MapVerb {
    pub fn run(&self) -> Result<Code, Failure> {
        let study = Study::read(&self.file)?;
        tell_study_warnings(&study);
        let engine = self.engine.engine_for(study.model.as_ref(), study.map.as_ref().map_or(0, Grid::trials))?;
        self.engine.start_threads()?;
        tell_model_warnings(&study)?;
        let out = self.out.clone().unwrap_or_else(|| default_directory(&self.file, ".map"));
        let stop = stop_keeping("finished files are kept, the same command goes on from them");
        let mut meter: Option<Meter> = None;
        let mut progress = |trials, done, computed| {
            meter.get_or_insert_with(|| Meter::new(trials, study.nouns().many)).show(done, computed, String::new);
        };
        let result = map(&study, engine.as_ref(), &out, &mut progress, &stop);
        if let Some(meter) = meter {
            meter.finish();
        }
        let Some(map) = result? else {
            return Ok(interrupted());
        };
        write_map_pictures(&map, &out)?;
        print(&text(study.nouns().many, &map))?;
        print(&format!("results: {}\n", out.display()))?;
        Ok(if map.invalid > study.invalid_allowance { Code::InvalidItems } else { Code::Done })
    }
}

fn text(many: &str, map: &Map) -> String {
    let mut text = format!(
        "map of study {}: {} by {} cells of {} {many} each, seed {}, engine {} on {}, version {}\n",
        one_line(&map.study),
        map.x.values.len(),
        map.y.values.len(),
        map.trials,
        map.seed,
        map.engine,
        map.adapter,
        map.version
    );
    if map.invalid > 0 {
        text.push_str(&format!("{} {many} are invalid and count as every event\n", map.invalid));
    }
    text.push_str("Bounds and verdicts hold cell by cell, not for all cells together.\n");
    for layer in &map.layers {
        text.push_str(&layer_text(map, layer));
    }
    text.push('\n');
    text
}

fn layer_text(map: &Map, layer: &Layer) -> String {
    let mut text = format!("\n{}: {}", one_line(&layer.name), layer.event);
    if let Some(allowed) = layer.allowed {
        let count = |verdict| layer.count(verdict);
        text.push_str(&format!(
            "\n  allowed {}: met in {} of {} cells, failed in {}, undecided in {}",
            number(allowed),
            count(Verdict::Met),
            layer.cells.len(),
            count(Verdict::Failed),
            count(Verdict::Undecided)
        ));
    }
    text.push('\n');
    if map.x.values.len() <= MAX_SHOWN && map.y.values.len() <= MAX_SHOWN {
        text.push_str(&table(map, layer));
    }
    text
}

/// Estimates in per cent, y upwards, with a mark where the criterion is met or failed.
fn table(map: &Map, layer: &Layer) -> String {
    let [x, y] = [&map.x, &map.y].map(|axis| Shown::of(&axis.unit));
    let named = |name: &str, shown: Shown<'_>| match shown.symbol {
        "1" | "" => name.to_owned(),
        symbol => format!("{name} [{symbol}]"),
    };
    let columns_of = map.x.values.len();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (row, &value) in map.y.values.iter().enumerate().rev() {
        let cells = layer.cells[row * columns_of..(row + 1) * columns_of].iter();
        let mut cells: Vec<String> = cells.map(cell_text).collect();
        cells.insert(0, y.number(value));
        rows.push(cells);
    }
    let mut last = vec![format!("{} / {}", named(&map.y.input, y), named(&map.x.input, x))];
    last.extend(map.x.values.iter().map(|&value| x.number(value)));
    rows.push(last);
    let key = if layer.is_safe() { "per cent" } else { "per cent; + met, ! failed" };
    format!("{}  ({key})\n", columns(&rows))
}

fn cell_text(cell: &touchdown::study::map::Cell) -> String {
    let mark = match cell.verdict {
        Some(Verdict::Met) => "+",
        Some(Verdict::Failed) => "!",
        Some(Verdict::Undecided) | None => "",
    };
    format!("{:.1}{mark}", 100.0 * cell.estimate)
}
