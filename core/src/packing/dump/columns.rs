//! The columns of a snapshot, and the ellipsoids that stand in its lines.

use glam::{DQuat, DVec3};

use super::{Cell, DumpProblem};
use crate::packing::{ColumnNames, Fault};
use crate::query::Ellipsoid;
use crate::table::excerpt;

/// Where in a line the numbers of a particle are.
pub(super) struct Columns {
    names: Vec<String>,
    id: usize,
    center: [usize; 3],
    /// True when centres are parts of the box.
    is_scaled: bool,
    shape: Shape,
}

enum Shape {
    Ellipsoid { diameters: [usize; 3], quaternion: [usize; 4] },
    Radius(usize),
    Diameter(usize),
}

/// Names of centres, and whether they are parts of the box.
const CENTERS: [([&str; 3], bool); 4] =
    [(["x", "y", "z"], false), (["xu", "yu", "zu"], false), (["xs", "ys", "zs"], true), (["xsu", "ysu", "zsu"], true)];

/// Names of an ellipsoid's diameters, and of its quaternion.
const DIAMETERS: [&str; 3] = ["shapex", "shapey", "shapez"];
const QUATERNION: [&str; 4] = ["quatw", "quati", "quatj", "quatk"];

/// Names of columns that may be called otherwise.
pub(super) fn known_names() -> Vec<&'static str> {
    let centers = CENTERS.iter().flat_map(|(names, _)| *names);
    let shapes = DIAMETERS.into_iter().chain(QUATERNION).chain(["radius", "diameter"]);
    std::iter::once("id").chain(centers).chain(shapes).collect()
}

impl Columns {
    /// Finds the columns among those that a heading names.
    pub fn find(heading: &str, given: &ColumnNames) -> Result<Self, DumpProblem> {
        let names: Vec<String> = heading.split_whitespace().map(str::to_owned).collect();
        if let Some(name) = (1..names.len()).map(|place| &names[place]).find(|&name| occurs_twice(&names, name)) {
            return Err(DumpProblem::SameColumn { name: name.clone() });
        }
        let place = |name: &str| names.iter().position(|other| other == given.column(name));
        let missing = |needed: &[&str]| DumpProblem::MissingColumns {
            needed: needed.iter().map(|name| given.column(name)).collect::<Vec<_>>().join(" "),
            present: names.join(" "),
        };
        if let Some(absent) = given.columns().find(|column| !names.iter().any(|name| name == column)) {
            return Err(missing(&[absent]));
        }
        let id = place("id").ok_or_else(|| missing(&["id"]))?;
        let is_given = |names: &[&str]| names.iter().any(|name| given.is_given(name));
        let is_absent = |name: &&str| place(name).is_none();
        // Who says what centres are called means those, also where others are there.
        let meant = CENTERS.iter().find(|(names, _)| is_given(names));
        let (center, is_scaled) = match meant {
            Some((names, is_scaled)) => {
                let absent: Vec<&str> = names.iter().copied().filter(is_absent).collect();
                (all(names.map(place)).ok_or_else(|| missing(&absent))?, *is_scaled)
            }
            None => CENTERS
                .iter()
                .find_map(|(names, is_scaled)| Some((all(names.map(place))?, *is_scaled)))
                .ok_or_else(|| missing(&["x y z, xu yu zu, xs ys zs or xsu ysu zsu"]))?,
        };
        let is_ball = is_given(&["radius", "diameter"]);
        let absent: Vec<&str> = DIAMETERS.into_iter().chain(QUATERNION).filter(is_absent).collect();
        let ellipsoid = all(DIAMETERS.map(place)).zip(all(QUATERNION.map(place)));
        let (radius, diameter) = (place("radius"), place("diameter"));
        let shape = match (ellipsoid.filter(|_| !is_ball), radius, diameter) {
            (Some((diameters, quaternion)), _, _) => Shape::Ellipsoid { diameters, quaternion },
            // Who names a part of an ellipsoid means no ball.
            (None, _, _) if !is_ball && absent.len() < DIAMETERS.len() + QUATERNION.len() => {
                return Err(missing(&absent));
            }
            (None, _, Some(diameter)) if given.is_given("diameter") => Shape::Diameter(diameter),
            (None, Some(radius), _) => Shape::Radius(radius),
            (None, None, Some(diameter)) => Shape::Diameter(diameter),
            (None, None, None) => {
                return Err(missing(&["shapex shapey shapez quatw quati quatj quatk, radius or diameter"]));
            }
        };
        Ok(Self { names, id, center, is_scaled, shape })
    }

    /// The id and the ellipsoid of a line.
    pub fn body(&self, line: &str, cell: &Cell) -> Result<(i64, Ellipsoid), DumpProblem> {
        /// More columns than particles have properties are read as well, but slower.
        const USUAL: usize = 32;
        let mut few = [""; USUAL];
        let mut many = Vec::new();
        let values: &mut [&str] = if self.names.len() <= USUAL {
            &mut few[..self.names.len()]
        } else {
            many.resize(self.names.len(), "");
            &mut many
        };
        let mut words = line.split_ascii_whitespace();
        let found = values.iter_mut().zip(&mut words).map(|(value, word)| *value = word).count() + words.count();
        if found != self.names.len() {
            return Err(DumpProblem::ValueCount { found, expected: self.names.len() });
        }
        let refused = |column: usize, expected| DumpProblem::Value {
            column: self.names[column].clone(),
            found: excerpt(values[column]),
            expected,
        };
        let id = values[self.id].parse().map_err(|_| refused(self.id, "an integer of 64 bits"))?;
        let number = |column: usize| {
            let number = values[column].parse().ok().filter(|number: &f64| number.is_finite());
            number.ok_or_else(|| refused(column, "a finite number"))
        };
        let vector = |[x, y, z]: [usize; 3]| Ok(DVec3::new(number(x)?, number(y)?, number(z)?));
        let mut center = vector(self.center)?;
        if self.is_scaled {
            center = cell.place(center);
        }
        let (semi_axes, rotation) = match self.shape {
            Shape::Ellipsoid { diameters, quaternion: [w, x, y, z] } => {
                (0.5 * vector(diameters)?, DQuat::from_xyzw(number(x)?, number(y)?, number(z)?, number(w)?))
            }
            Shape::Radius(column) => (DVec3::splat(number(column)?), DQuat::IDENTITY),
            Shape::Diameter(column) => (DVec3::splat(0.5 * number(column)?), DQuat::IDENTITY),
        };
        let ellipsoid = Ellipsoid { center, semi_axes, rotation };
        match Fault::of(&ellipsoid) {
            None => Ok((id, ellipsoid)),
            Some(fault) => Err(self.faulty(fault)),
        }
    }

    fn faulty(&self, fault: Fault) -> DumpProblem {
        let (column, is_diameter) = match (fault.field, &self.shape) {
            (axis @ 0..3, _) => (self.center[axis], false),
            (axis @ 3..6, Shape::Ellipsoid { diameters, .. }) => (diameters[axis - 3], true),
            (_, Shape::Ellipsoid { quaternion, .. }) => (quaternion[0], false),
            (_, Shape::Radius(column)) => (*column, false),
            (_, Shape::Diameter(column)) => (*column, true),
        };
        DumpProblem::Body { column: self.names[column].clone(), fault, is_diameter }
    }
}

fn occurs_twice(names: &[String], name: &String) -> bool {
    names.iter().filter(|&other| other == name).count() > 1
}

/// The places of columns that are all there.
fn all<const N: usize>(places: [Option<usize>; N]) -> Option<[usize; N]> {
    places.iter().all(Option::is_some).then(|| places.map(Option::unwrap_or_default))
}
