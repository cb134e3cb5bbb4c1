//! `touchdown box-normals`.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::{DMat3, DQuat, DVec3};
use touchdown::deformation::current_ellipsoid;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{
    self, BoxNormal, BoxPair, BoxPairNormal, BoxPairs, BoxPoint, BoxStatus, MAX_ASPECT, MIN_ROTATION, RoundedBox,
};
use touchdown::scene::LIMITS;
use touchdown::table::{Chunk, Column, ColumnKind, TableError, TableReader, TableWriter, Values, Wanted};

use super::Failure;
use super::engine::{EngineOptions, made_by};
use super::failure::Code;
use super::interrupt::{stop_on_interrupt, stopped};
use super::place::refuse_overwriting;

/// Columns of a body given by its box, and of one given by its deformation gradient.
const OF_BOX: [&str; 11] = ["l1", "l2", "l3", "radius", "qw", "qx", "qy", "qz", "rx", "ry", "rz"];
const OF_DEFORMATION: [&str; 16] =
    ["sa1", "sa2", "sa3", "f11", "f12", "f13", "f21", "f22", "f23", "f31", "f32", "f33", "radius", "rx", "ry", "rz"];
/// Columns common to both.
const OF_BOTH: [&str; 4] = ["radius", "rx", "ry", "rz"];
/// Prefixes of the columns of the two bodies of a pair.
const PREFIXES: [&str; 2] = ["body1_", "body2_"];

/// Contact normals of boxes with rounded edges
///
/// Computes contact normals of bodies represented by boxes with rounded edges, such as vehicles otherwise modelled as
/// ellipsoids.
///
/// Reads a table with l1,l2,l3 (side lengths), radius (of the edges), qw,qx,qy,qz (rotation from box to world axes) and
/// rx,ry,rz (vector from the centre to the contact point, world axes); writes status (ok, or degenerate on a sharp
/// edge), nx,ny,nz (the outward normal where the contact vector pierces the box) and region (face, edge or corner).
///
/// With columns prefixed by body1_ and body2_, each row is a pair; writes status (ok, or degenerate where two corner
/// normals cancel), n1x,n1y,n1z (direction of the force on body 2 from body 1) and case (face-face, face-corner,
/// corner-face or corner-corner; an edge counts as a corner).
///
/// Instead of l1,l2,l3,qw,qx,qy,qz a body may have sa1,sa2,sa3 and f11,f12,...,f33: the semi-axes of its ellipsoid in
/// the reference configuration, along x, y and z, and the deformation gradient row by row. Its box has the volume,
/// aspect ratios and axes of the current ellipsoid.
#[derive(Debug, Args)]
pub struct BoxNormals {
    /// Table of boxes with contact vectors, or of pairs
    #[arg(long, value_name = "FILE")]
    contacts: PathBuf,
    /// Table of normals
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    engine: EngineOptions,
}

impl BoxNormals {
    pub fn run(&self) -> Result<Code, Failure> {
        refuse_overwriting("--out", &self.out, &[&self.contacts])?;
        // The columns present determine what a row is.
        let names = TableReader::open(&self.contacts, &[])?.column_names().to_owned();
        let is_of_pair = |name: &String| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let prefixes: &[&'static str] = if names.iter().any(is_of_pair) { &PREFIXES } else { &[""] };
        let mut wanted = Vec::new();
        let body = |prefix: &&'static str| Body::new(prefix, &names, &mut wanted);
        let bodies = prefixes.iter().map(body).collect::<Result<Vec<_>, _>>();
        let bodies = bodies.map_err(|what| Failure::bad_input(format!("{}: {what}", self.contacts.display())))?;
        let rows = Rows { file: &self.contacts, bodies };
        let reader = TableReader::open(&self.contacts, &wanted)?;
        let engine = self.engine.engine()?;
        let stop = stop_on_interrupt();
        let columns = if rows.bodies.len() == 1 { columns_of_one() } else { columns_of_pairs() };
        let mut writer = TableWriter::create(&self.out, &columns, &made_by(engine.as_ref()))?;
        for chunk in reader {
            let chunk = chunk?;
            let columns = rows.answers(&chunk, engine.as_ref())?;
            writer.write(&Chunk { first_row: chunk.first_row, columns })?;
            if let Some(code) = stopped(&stop) {
                return Ok(code);
            }
        }
        writer.finish()?;
        Ok(Code::Done)
    }
}

/// How a table specifies a body.
struct Body {
    prefix: &'static str,
    is_deformed: bool,
    /// Index of its first column, in the order of [`OF_BOX`] or [`OF_DEFORMATION`].
    first: usize,
}

impl Body {
    /// Appends its columns to those wanted; an error if the columns present are inconsistent.
    fn new(prefix: &'static str, names: &[String], wanted: &mut Vec<Wanted>) -> Result<Self, String> {
        let present = |columns: &[&str]| -> Vec<String> {
            let own = columns.iter().filter(|name| !OF_BOTH.contains(name)).map(|name| format!("{prefix}{name}"));
            own.filter(|name| names.contains(name)).collect()
        };
        let (of_box, of_deformation) = (present(&OF_BOX), present(&OF_DEFORMATION));
        if !of_box.is_empty() && !of_deformation.is_empty() {
            return Err(format!(
                "columns {} and {}: a body is given by its box or by its deformation, not by both",
                of_box.join(", "),
                of_deformation.join(", ")
            ));
        }
        let body = Self { prefix, is_deformed: !of_deformation.is_empty(), first: wanted.len() };
        let column = |name: &&str| Wanted::required(&format!("{prefix}{name}"), ColumnKind::Number);
        wanted.extend(body.columns().iter().map(column));
        Ok(body)
    }

    fn columns(&self) -> &'static [&'static str] {
        if self.is_deformed { &OF_DEFORMATION } else { &OF_BOX }
    }

    /// Index of the contact vector, its last columns.
    fn contact(&self) -> usize {
        self.columns().len() - 3
    }

    /// The body of a row, or what is wrong with the row.
    fn read(&self, numbers: &[f64]) -> Result<BoxPoint, String> {
        let (prefix, names) = (self.prefix, self.columns());
        for (name, number) in names.iter().zip(numbers) {
            if number.abs() > LIMITS.magnitude {
                let limit = LIMITS.magnitude;
                return Err(format!("column {prefix}{name}: {number:e} is above {limit:e} in magnitude"));
            }
        }
        let least = 1.0 / LIMITS.magnitude;
        if let Some(axis) = (0..3).find(|&axis| numbers[axis] < least) {
            let (name, number) = (names[axis], numbers[axis]);
            return Err(format!("column {prefix}{name}: {number:e} must be positive, at least {least:e}"));
        }
        let three = |first: usize| DVec3::from_slice(&numbers[first..first + 3]);
        let body = if self.is_deformed { self.deformed(numbers)? } else { boxed(prefix, numbers)? };
        let (shortest, longest) = (body.sides.min_element(), body.sides.max_element());
        if longest > MAX_ASPECT * shortest || shortest < least || longest > LIMITS.magnitude {
            let whose = if prefix.is_empty() { "the body" } else { prefix.trim_end_matches('_') };
            return Err(format!(
                "the sides of {whose} are {}; they must be between {least:e} and {:e}, none above {MAX_ASPECT:e} times \
                 another",
                body.sides, LIMITS.magnitude
            ));
        }
        if !(0.0..=0.5 * shortest).contains(&body.radius) {
            let (radius, half) = (body.radius, 0.5 * shortest);
            return Err(format!(
                "column {prefix}radius: {radius:e} must be between 0 and {half:e}, half of the least side"
            ));
        }
        let contact = three(self.contact());
        if contact.abs().max_element() < least {
            return Err(format!(
                "columns {prefix}rx, {prefix}ry, {prefix}rz: the contact vector is {contact}; it must not be 0"
            ));
        }
        Ok(BoxPoint { body, contact })
    }

    fn deformed(&self, numbers: &[f64]) -> Result<RoundedBox, String> {
        let prefix = self.prefix;
        let semi_axes = DVec3::from_slice(&numbers[..3]);
        let mut gradient = [0.0; 9];
        gradient.copy_from_slice(&numbers[3..12]);
        let gradient = DMat3::from_cols_array(&gradient).transpose();
        let ellipsoid = current_ellipsoid(semi_axes, &gradient).ok_or_else(|| {
            format!(
                "columns {prefix}f11 to {prefix}f33: the deformation gradient flattens the body; it must be regular"
            )
        })?;
        Ok(RoundedBox::of_ellipsoid(&ellipsoid, numbers[12]))
    }
}

fn boxed(prefix: &str, numbers: &[f64]) -> Result<RoundedBox, String> {
    let rotation = DQuat::from_xyzw(numbers[5], numbers[6], numbers[7], numbers[4]);
    let length = rotation.length();
    if !(MIN_ROTATION..=LIMITS.magnitude.sqrt()).contains(&length) {
        return Err(format!(
            "columns {prefix}qw, {prefix}qx, {prefix}qy, {prefix}qz: the quaternion has length {length:e}; it must be at \
             least {MIN_ROTATION:e} and at most {:e}",
            LIMITS.magnitude.sqrt()
        ));
    }
    Ok(RoundedBox { sides: DVec3::from_slice(&numbers[..3]), radius: numbers[3], rotation })
}

/// Rows with one or two bodies each.
struct Rows<'a> {
    file: &'a Path,
    bodies: Vec<Body>,
}

impl Rows<'_> {
    fn answers(&self, chunk: &Chunk, engine: &dyn Engine) -> Result<Vec<Values>, Failure> {
        if let [one, two] = &self.bodies[..] {
            let (ones, twos) = (self.points(chunk, one)?, self.points(chunk, two)?);
            let pairs: Vec<BoxPair> =
                ones.into_iter().zip(twos).map(|(one, two)| BoxPair { bodies: [one, two] }).collect();
            return Ok(values_of_pairs(&engine.compute::<BoxPairs>((), &pairs)?));
        }
        let mut points = Vec::new();
        for body in &self.bodies {
            points.extend(self.points(chunk, body)?);
        }
        Ok(values_of_one(&engine.compute::<query::BoxNormals>((), &points)?))
    }

    fn points(&self, chunk: &Chunk, body: &Body) -> Result<Vec<BoxPoint>, Failure> {
        let columns = (body.first..body.first + body.columns().len())
            .map(|column| chunk.numbers(column))
            .collect::<Result<Vec<_>, TableError>>()?;
        (0..chunk.len())
            .map(|row| {
                let numbers: Vec<f64> = columns.iter().map(|column| column[row].unwrap_or(0.0)).collect();
                body.read(&numbers).map_err(|what| {
                    let number = chunk.first_row + row as u64;
                    Failure::bad_input(format!("{}: row {number} (the first is 0): {what}", self.file.display()))
                })
            })
            .collect()
    }
}

fn columns_of_one() -> Vec<Column> {
    let number = |name, meaning| Column::new(name, ColumnKind::Number, "1", meaning);
    vec![
        Column::new("status", ColumnKind::Text, "", "ok, or degenerate on an edge of radius 0"),
        number("nx", "Outward unit normal, world; missing where there is none"),
        number("ny", "Normal, y"),
        number("nz", "Normal, z"),
        Column::new("region", ColumnKind::Text, "", "Part of the box that is met: face, edge or corner"),
    ]
}

fn columns_of_pairs() -> Vec<Column> {
    let number = |name, meaning| Column::new(name, ColumnKind::Number, "1", meaning);
    let status = "ok, or degenerate on an edge of radius 0 and where the normals of corners cancel";
    vec![
        Column::new("status", ColumnKind::Text, "", status),
        number("n1x", "Direction of the force on body 2 from body 1, world; missing where there is none"),
        number("n1y", "Direction, y"),
        number("n1z", "Direction, z"),
        Column::new("case", ColumnKind::Text, "", "Parts that touch; an edge counts as a corner"),
    ]
}

fn values_of_one(normals: &[BoxNormal]) -> Vec<Values> {
    values(normals, |normal| (normal.status, normal.normal, normal.region.name()))
}

fn values_of_pairs(normals: &[BoxPairNormal]) -> Vec<Values> {
    values(normals, |normal| (normal.status, normal.normal, normal.case.name()))
}

fn values<T>(answers: &[T], of: impl Fn(&T) -> (BoxStatus, DVec3, &'static str)) -> Vec<Values> {
    let status = |answer| if of(answer).0 == BoxStatus::Ok { "ok" } else { "degenerate" };
    let number = |axis: usize| {
        let value = |answer| Some(of(answer)).filter(|answer| answer.0 == BoxStatus::Ok).map(|answer| answer.1[axis]);
        Values::Number(answers.iter().map(value).collect())
    };
    vec![
        Values::Text(answers.iter().map(|answer| Some(status(answer).to_owned())).collect()),
        number(0),
        number(1),
        number(2),
        Values::Text(answers.iter().map(|answer| Some(of(answer).2.to_owned())).collect()),
    ]
}
