//! LAMMPS dumps: text files of style `custom` with aspherical particles.
//!
//! ```text
//! ITEM: TIMESTEP
//! 5000
//! ITEM: NUMBER OF ATOMS
//! 2
//! ITEM: BOX BOUNDS pp pp ff
//! 0 10
//! 0 10
//! 0 20
//! ITEM: ATOMS id x y z shapex shapey shapez quatw quati quatj quatk
//! 1 0.5 3.25 7 1 1 2 1 0 0 0
//! 2 4.5 3.25 7 1 1 2 0.6 0.8 0 0
//! ```
//!
//! A file may contain many such snapshots. Columns may be in any order, and others are ignored:
//!
//! * `id`;
//! * `x y z`, unwrapped `xu yu zu`, or scaled `xs ys zs` or `xsu ysu zsu`, from 0 to 1 over the box;
//! * `shapex shapey shapez`, which LAMMPS defines as the three diameters (`compute property/atom`), so semi-axes are half
//!   of them, with `quatw quati quatj quatk`; or for balls `radius` or `diameter`.
//!
//! LAMMPS names columns of computes `c_ID[1]` and so on; [`ColumnNames`] or `dump_modify ... colname` map them to the
//! names above. A box is periodic along axes marked `pp`; other boundaries (`f`, `s`, `m`) are not walls here.
//!
//! A triclinic box has `ITEM: BOX BOUNDS xy xz yz pp pp pp` and a tilt at the end of each line, before which the bounds of
//! the whole leaning cell stand (LAMMPS, "Howto triclinic"): those of the cell at its origin are
//! `xlo = xlo_bound - min(0, xy, xz, xy + xz)`, `xhi = xhi_bound - max(0, xy, xz, xy + xz)`,
//! `ylo = ylo_bound - min(0, yz)` and `yhi = yhi_bound - max(0, yz)`. General triclinic boxes (`abc origin`) are refused.
//!
//! Gzip-compressed files are recognized and decompressed.
//!
//! # Conventions
//! Lengths are taken as metres, whatever the simulation's units. Quaternions rotate particle axes to world axes.

mod columns;
mod error;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::{self, FromStr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;

use self::columns::{Columns, known_names};
pub use self::error::{DumpError, DumpProblem};
use super::{Bodies, BodiesFile, ColumnNames, ColumnNamesError, Domain, PackingError, Tilts};
use crate::query::Ellipsoid;
use crate::table::{TextFile, excerpt};

/// Longest line read \[bytes\]: a binary file may have no line ends.
const MAX_LINE: u64 = 65_536;

/// Lines between checks for interruption: some milliseconds.
const LINES_PER_LOOK: u64 = 1 << 16;

/// What stands before the boundaries of a triclinic box: its three tilts, each of which follows two bounds.
const TILTS: [&str; 3] = ["xy", "xz", "yz"];

/// The state of a simulation at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The time step number of the simulation.
    pub timestep: i64,
    /// Periodic along the axes of the simulation's box, with its lattice vectors.
    pub domain: Domain,
    /// The particles.
    pub bodies: Bodies,
}

/// Reads the snapshots of a dump one by one. Iteration ends after an error.
pub struct DumpReader {
    path: PathBuf,
    input: BufReader<TextFile>,
    names: ColumnNames,
    /// The line read last, without its end.
    line: Vec<u8>,
    /// Its number, counted from 1.
    number: u64,
    /// True when that line is still to be looked at.
    is_waiting: bool,
    /// True when there was a snapshot.
    has_snapshot: bool,
    ended: bool,
    stop: Option<Arc<AtomicBool>>,
}

impl DumpReader {
    /// Opens a dump.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, DumpError> {
        let input = TextFile::open(path).map_err(|source| DumpError::Read { path: path.to_owned(), source })?;
        Ok(Self {
            path: path.to_owned(),
            input: BufReader::with_capacity(1 << 18, input),
            names: ColumnNames::default(),
            line: Vec::new(),
            number: 0,
            is_waiting: false,
            has_snapshot: false,
            ended: false,
            stop: None,
        })
    }

    /// Makes the reader end with [`DumpError::Interrupted`] once this is set, even within a snapshot.
    #[must_use]
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// Sets column names.
    ///
    /// # Errors
    /// If a name is unknown in a dump.
    pub fn with_columns(self, names: ColumnNames) -> Result<Self, ColumnNamesError> {
        names.check(BodiesFile::Dump, &known_names())?;
        Ok(Self { names, ..self })
    }

    fn refused(&self, problem: DumpProblem) -> DumpError {
        self.refused_at(self.number, problem)
    }

    fn refused_at(&self, line: u64, problem: DumpProblem) -> DumpError {
        DumpError::Content { path: self.path.clone(), line, problem }
    }

    /// Reads the next line; false at the end of the file.
    fn advance(&mut self) -> Result<bool, DumpError> {
        if std::mem::take(&mut self.is_waiting) {
            return Ok(true);
        }
        self.line.clear();
        let read = (&mut self.input).take(MAX_LINE).read_until(b'\n', &mut self.line);
        read.map_err(|source| DumpError::Read { path: self.path.clone(), source })?;
        if self.line.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        let is_stopped = || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        if self.number.is_multiple_of(LINES_PER_LOOK) && is_stopped() {
            return Err(DumpError::Interrupted { path: self.path.clone() });
        }
        if self.line.len() as u64 == MAX_LINE && !self.line.ends_with(b"\n") {
            return Err(self.refused(DumpProblem::LongLine { limit: MAX_LINE }));
        }
        self.line.truncate(self.line.trim_ascii_end().len());
        Ok(true)
    }

    /// The line read last.
    fn text(&self) -> Result<&str, DumpError> {
        str::from_utf8(&self.line).map_err(|_| self.refused(DumpProblem::Encoding))
    }

    /// Reads the next line; an error at the end of the file.
    fn next_line(&mut self, expected: &'static str) -> Result<&str, DumpError> {
        if !self.advance()? {
            return Err(self.refused(DumpProblem::Truncated { expected }));
        }
        self.text()
    }

    /// Reads the heading of a section and returns the words after it. Units and time, which some dumps contain, are
    /// skipped.
    fn heading(&mut self, name: &'static str) -> Result<String, DumpError> {
        loop {
            let line = self.next_line(name)?;
            let Some(item) = line.strip_prefix("ITEM: ") else {
                let found = excerpt(line);
                return Err(self.refused(DumpProblem::Expected { expected: name, found }));
            };
            if let Some(words) = item.strip_prefix(&name["ITEM: ".len()..]) {
                return Ok(words.to_owned());
            }
            if item != "UNITS" && item != "TIME" {
                let found = excerpt(line);
                return Err(self.refused(DumpProblem::Expected { expected: name, found }));
            }
            self.next_line("the value of ITEM: UNITS or TIME")?;
        }
    }

    /// Reads a line with nothing but a number.
    fn number<T: FromStr>(&mut self, expected: &'static str) -> Result<T, DumpError> {
        let line = self.next_line(expected)?;
        let (number, found) = (line.trim().parse().ok(), excerpt(line));
        number.ok_or_else(|| self.refused(DumpProblem::Expected { expected, found }))
    }

    fn snapshot(&mut self) -> Result<Snapshot, DumpError> {
        self.heading("ITEM: TIMESTEP")?;
        let timestep = self.number("a timestep, an integer")?;
        self.heading("ITEM: NUMBER OF ATOMS")?;
        let count: u32 = self.number("a number of atoms below 2^32")?;
        let (domain, cell) = self.cell(timestep)?;
        let names = self.heading("ITEM: ATOMS")?;
        let columns = Columns::find(&names, &self.names).map_err(|problem| self.refused(problem))?;
        let first_line = self.number + 1;
        let mut bodies = Vec::new();
        for read in 0..count {
            if !self.advance()? {
                return Err(self.refused(DumpProblem::FewAtoms { read, count }));
            }
            let body = self.text().and_then(|line| {
                if line.starts_with("ITEM:") {
                    return Err(self.refused(DumpProblem::FewAtoms { read, count }));
                }
                columns.body(line, &cell).map_err(|problem| self.refused(problem))
            })?;
            bodies.push(body);
        }
        let bodies = self.bodies(timestep, bodies, first_line)?;
        // What follows must be another snapshot or nothing.
        if self.skip_blank_lines()? {
            if !self.line.starts_with(b"ITEM:") {
                return Err(self.refused(DumpProblem::ManyAtoms { count }));
            }
            self.is_waiting = true;
        }
        Ok(Snapshot { timestep, domain, bodies })
    }

    fn bodies(&self, timestep: i64, bodies: Vec<(i64, Ellipsoid)>, first_line: u64) -> Result<Bodies, DumpError> {
        Bodies::new(bodies).map_err(|error| match error {
            PackingError::SameId { places, .. } => {
                let [earlier, line] = places.map(|place| first_line + place as u64);
                self.refused_at(line, DumpProblem::SameId { earlier })
            }
            error => self.refused(DumpProblem::Packing { timestep, error }),
        })
    }

    /// The box and its periods.
    fn cell(&mut self, timestep: i64) -> Result<(Domain, Cell), DumpError> {
        let words = self.heading("ITEM: BOX BOUNDS")?;
        let mut marks: Vec<&str> = words.split_whitespace().collect();
        if marks.contains(&"abc") {
            return Err(self.refused(DumpProblem::General));
        }
        let is_triclinic = marks.starts_with(&TILTS);
        if is_triclinic {
            marks.drain(..TILTS.len());
        }
        let is_mark = |mark: &&str| mark.len() == 2 && mark.bytes().all(|byte| b"pfsm".contains(&byte));
        let is_half_periodic = |mark: &&str| mark.contains('p') && *mark != "pp";
        if marks.len() != 3 || !marks.iter().all(is_mark) || marks.iter().any(is_half_periodic) {
            return Err(self.refused(DumpProblem::Boundaries { found: excerpt(words.trim()) }));
        }
        let (mut bounds, mut tilts, mut found) = ([[0.0; 2]; 3], [0.0; 3], Vec::new());
        for axis in 0..3 {
            let line = self.next_line("the bounds of the box")?;
            let numbers: Vec<Option<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
            let text = excerpt(line);
            found.push((self.number, text));
            (bounds[axis], tilts[axis]) = match (is_triclinic, &numbers[..]) {
                (false, &[Some(low), Some(high)]) => ([low, high], 0.0),
                (true, &[Some(low), Some(high), Some(tilt)]) => ([low, high], tilt),
                _ => ([f64::NAN; 2], 0.0),
            };
        }
        let tilts = Tilts { xy: tilts[0], xz: tilts[1], yz: tilts[2] };
        let cell = Cell::within(bounds, tilts);
        for (axis, (line, found)) in found.into_iter().enumerate() {
            // Comparisons that NaN and infinity do not pass.
            if !(cell.lengths[axis] > 0.0 && cell.lengths[axis].is_finite() && cell.low[axis].is_finite()) {
                return Err(self.refused_at(line, DumpProblem::Bounds { found }));
            }
        }
        let periods = [0, 1, 2].map(|axis| (marks[axis] == "pp").then_some(cell.lengths[axis]));
        let domain = Domain::tilted(periods, tilts);
        Ok((domain.map_err(|error| self.refused(DumpProblem::Packing { timestep, error }))?, cell))
    }

    /// True when a line that is not blank has been read.
    fn skip_blank_lines(&mut self) -> Result<bool, DumpError> {
        while self.advance()? {
            if !self.line.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Iterator for DumpReader {
    type Item = Result<Snapshot, DumpError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let more = self.skip_blank_lines();
        let next = match more {
            // A file without a single snapshot is no dump.
            Ok(false) if self.has_snapshot => None,
            Ok(more) => {
                self.is_waiting = more;
                Some(self.snapshot())
            }
            Err(error) => Some(Err(error)),
        };
        self.ended = !matches!(next, Some(Ok(_)));
        self.has_snapshot = !self.ended;
        next
    }
}

/// The box of a snapshot: the parallelepiped from its origin along its lattice vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    /// Its origin \[m\].
    low: DVec3,
    /// Lengths along the axes of its lattice vectors \[m\].
    lengths: DVec3,
    /// How far those lean.
    tilts: Tilts,
}

impl Cell {
    /// The cell that has these least and greatest coordinates along each axis.
    fn within([x, y, z]: [[f64; 2]; 3], tilts: Tilts) -> Self {
        let Tilts { xy, xz, yz } = tilts;
        let least = DVec3::new(xy.min(xz).min(xy + xz).min(0.0), yz.min(0.0), 0.0);
        let most = DVec3::new(xy.max(xz).max(xy + xz).max(0.0), yz.max(0.0), 0.0);
        let low = DVec3::new(x[0], y[0], z[0]) - least;
        Self { low, lengths: DVec3::new(x[1], y[1], z[1]) - most - low, tilts }
    }

    /// The place of shares of the lattice vectors \[m\].
    fn place(&self, shares: DVec3) -> DVec3 {
        let Tilts { xy, xz, yz } = self.tilts;
        let leaning = DVec3::new(shares.y * xy + shares.z * xz, shares.z * yz, 0.0);
        self.low + (shares * self.lengths + leaning)
    }
}

#[cfg(test)]
mod tests;
