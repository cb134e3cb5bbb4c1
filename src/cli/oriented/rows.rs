//! The two tables of `touchdown oriented`, step by step.

use std::path::Path;

use glam::DVec2;
use touchdown::query::{ConvexTarget, MAX_PLANAR_COORDINATE, is_coordinate};
use touchdown::table::{Chunk, ColumnKind, TableReader, Wanted};

use crate::cli::Failure;

/// Numeric columns of a row, the step first, and a point.
struct Row<const N: usize> {
    row: u64,
    numbers: [i64; N],
    point: DVec2,
}

/// The rows of a table with these numeric columns, followed by x and y.
struct Rows<'a, const N: usize> {
    file: &'a Path,
    names: [&'static str; N],
    reader: TableReader,
    chunk: Option<Chunk>,
    next: usize,
    /// First row of the next step, read ahead.
    waiting: Option<Row<N>>,
}

impl<'a, const N: usize> Rows<'a, N> {
    fn open(file: &'a Path, names: [&'static str; N]) -> Result<Self, Failure> {
        let integers = names.iter().map(|name| Wanted::required(name, ColumnKind::Integer));
        let numbers = ["x", "y"].iter().map(|name| Wanted::required(name, ColumnKind::Number));
        let reader = TableReader::open(file, &integers.chain(numbers).collect::<Vec<_>>())?;
        Ok(Self { file, names, reader, chunk: None, next: 0, waiting: None })
    }

    fn refuse(&self, row: u64, what: &str) -> Failure {
        Failure::bad_input(format!("{}: row {row} (the first is 0): {what}", self.file.display()))
    }

    /// The next row.
    fn read(&mut self) -> Result<Option<Row<N>>, Failure> {
        if let Some(row) = self.waiting.take() {
            return Ok(Some(row));
        }
        while self.chunk.as_ref().is_none_or(|chunk| self.next >= chunk.len()) {
            match self.reader.next().transpose()? {
                None => return Ok(None),
                Some(chunk) => (self.chunk, self.next) = (Some(chunk), 0),
            }
        }
        let Some(chunk) = &self.chunk else { return Ok(None) };
        let (index, row) = (self.next, chunk.first_row + self.next as u64);
        self.next += 1;
        let mut numbers = [0; N];
        for (column, number) in numbers.iter_mut().enumerate() {
            *number = chunk.integers(column)?[index].unwrap_or(0);
        }
        let coordinate = |column: usize| chunk.numbers(N + column).map(|values| values[index].unwrap_or(0.0));
        let point = DVec2::new(coordinate(0)?, coordinate(1)?);
        for (name, value) in ["x", "y"].into_iter().zip(point.to_array()) {
            if !is_coordinate(value) {
                let most = MAX_PLANAR_COORDINATE;
                let what = format!("column {name}: {value:e} must be between {:e} and {most:e}", -most);
                return Err(self.refuse(row, &what));
            }
        }
        Ok(Some(Row { row, numbers, point }))
    }

    /// The rows of a step; empty at the end of the table. The step number must be the expected one.
    fn step(&mut self, step: i64) -> Result<Vec<Row<N>>, Failure> {
        let mut rows: Vec<Row<N>> = Vec::new();
        while let Some(row) = self.read()? {
            if row.numbers[0] == step {
                rows.push(row);
            } else if !rows.is_empty() && row.numbers[0] == step + 1 {
                self.waiting = Some(row);
                break;
            } else {
                let found = row.numbers[0];
                let expected = if rows.is_empty() { format!("{step}") } else { format!("{step} or {}", step + 1) };
                let what = format!("column step: {found} stands where {expected} should; steps count from 0");
                return Err(self.refuse(row.row, &what));
            }
        }
        Ok(rows)
    }

    /// Checks that a number in a row has the expected value.
    fn expect(&self, row: &Row<N>, column: usize, expected: i64) -> Result<(), Failure> {
        let found = row.numbers[column];
        if found == expected {
            return Ok(());
        }
        let name = self.names[column];
        let what = format!("column {name}: {found} stands where {expected} should; they count from 0 in each step");
        Err(self.refuse(row.row, &what))
    }
}

/// Targets, step by step.
pub struct TargetSteps<'a> {
    rows: Rows<'a, 3>,
    /// Vertices of each target, from the first step.
    vertices: Option<Vec<usize>>,
}

impl<'a> TargetSteps<'a> {
    pub fn open(file: &'a Path) -> Result<Self, Failure> {
        Ok(Self { rows: Rows::open(file, ["step", "target", "vertex"])?, vertices: None })
    }

    /// The targets of a step; `None` at the end of the table.
    pub fn step(&mut self, step: i64) -> Result<Option<Vec<ConvexTarget>>, Failure> {
        let rows = self.rows.step(step)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut groups: Vec<&[Row<3>]> = Vec::new();
        for group in rows.chunk_by(|one, two| one.numbers[1] == two.numbers[1]) {
            self.rows.expect(&group[0], 1, groups.len() as i64)?;
            for (vertex, row) in (0..).zip(group) {
                self.rows.expect(row, 2, vertex)?;
            }
            groups.push(group);
        }
        let counts: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let expected = self.vertices.get_or_insert_with(|| counts.clone());
        if let Some(target) =
            (0..counts.len().max(expected.len())).find(|&target| counts.get(target) != expected.get(target))
        {
            let of = |counts: &[usize]| counts.get(target).copied().unwrap_or(0);
            let row = groups.get(target).map_or(rows[rows.len() - 1].row, |group| group[0].row);
            let what = format!(
                "target {target} has {} vertices in step {step}; in step 0 it has {}, and they must stay as many",
                of(&counts),
                of(expected)
            );
            return Err(self.rows.refuse(row, &what));
        }
        let targets = groups.iter().map(|group| {
            ConvexTarget::new(group.iter().map(|row| row.point).collect()).map_err(|error| {
                let row = error.vertex().map_or(group[0].row, |vertex| group[vertex].row);
                self.rows.refuse(row, &format!("target {} of step {step}: {error}", group[0].numbers[1]))
            })
        });
        targets.collect::<Result<_, _>>().map(Some)
    }
}

/// Initiators, step by step.
pub struct InitiatorSteps<'a> {
    rows: Rows<'a, 2>,
    /// Number of initiators, from the first step.
    count: Option<usize>,
}

impl<'a> InitiatorSteps<'a> {
    pub fn open(file: &'a Path) -> Result<Self, Failure> {
        Ok(Self { rows: Rows::open(file, ["step", "initiator"])?, count: None })
    }

    /// The positions of the initiators in a step; `None` at the end of the table.
    pub fn step(&mut self, step: i64) -> Result<Option<Vec<DVec2>>, Failure> {
        let rows = self.rows.step(step)?;
        let Some(last) = rows.last() else { return Ok(None) };
        for (initiator, row) in (0..).zip(&rows) {
            self.rows.expect(row, 1, initiator)?;
        }
        let expected = *self.count.get_or_insert(rows.len());
        if rows.len() != expected {
            let what =
                format!("step {step} has {} initiators; step 0 has {expected}, and they must stay as many", rows.len());
            return Err(self.rows.refuse(last.row, &what));
        }
        Ok(Some(rows.iter().map(|row| row.point).collect()))
    }
}
