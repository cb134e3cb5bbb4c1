//! Pairs of ellipsoids: golden ones, and random ones of every shape.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;

use glam::{DQuat, DVec3};
use serde_json::Value;
use touchdown::query::{Ellipsoid, EllipsoidContact, EllipsoidPair, EllipsoidWall, WallContact};

use super::random::Random;
use super::{flag, list, number, quaternion, read_json, text, vector};

/// A pair and its contact, computed elsewhere.
pub struct GoldenPair {
    pub name: String,
    /// Of a case that rounding of its inputs alone spoils.
    pub ill_conditioned: bool,
    pub pair: EllipsoidPair,
    /// F, `None` when nothing but that it is 0 and the separation are known.
    pub contact: Option<EllipsoidContact>,
    pub separation: f64,
    /// How far rounding of all inputs to f32 moves F (relative), the normal \[rad\], the point and the separation
    /// (per largest semi-axis).
    pub sensitivity: Option<[f64; 4]>,
    pub exact: Option<GoldenDistance>,
}

/// The true distance of a pair.
pub struct GoldenDistance {
    pub distance: f64,
    pub normal: DVec3,
    pub points: [DVec3; 2],
    /// False when other directions may tie.
    pub is_unique: bool,
    /// The points have no meaning beyond 1e-9.
    pub is_tangent: bool,
}

pub fn largest_semi_axis(pair: &EllipsoidPair) -> f64 {
    pair.a.semi_axes.max(pair.b.semi_axes).max_element()
}

fn ellipsoid(value: &Value) -> Ellipsoid {
    Ellipsoid { center: vector(&value["r"]), semi_axes: vector(&value["s"]), rotation: quaternion(&value["q"]) }
}

/// What a reference says of a contact.
fn contact(f: f64, lambda: f64, normal: DVec3, point: DVec3, separation: f64) -> EllipsoidContact {
    EllipsoidContact {
        status: touchdown::query::ContactStatus::Ok,
        f,
        mu: f.sqrt(),
        lambda,
        normal,
        point,
        separation,
        iterations: 0,
    }
}

/// The cases in JSON.
pub fn golden_pairs() -> Vec<GoldenPair> {
    let cases = read_json("contacts/ellipsoid_pairs.json");
    let golden = list(&cases["cases"]).iter().map(|case| {
        let (input, expected, exact) = (&case["input"], &case["expected"], &case["exact"]);
        let separation = number(&expected["u_n"]);
        let of_sensitivity = |name: &str| case["f32_sensitivity"][name].as_f64();
        let sensitivity =
            [of_sensitivity("F_rel"), of_sensitivity("n_rad"), of_sensitivity("point"), of_sensitivity("u_n")];
        GoldenPair {
            name: text(&case["id"]).to_owned(),
            ill_conditioned: flag(&case["ill_conditioned"]),
            pair: EllipsoidPair::new(ellipsoid(&input["a"]), ellipsoid(&input["b"])),
            contact: (!flag(&expected["degenerate"])).then(|| {
                let of = |name: &str| number(&expected[name]);
                contact(of("F"), of("lam"), vector(&expected["normal"]), vector(&expected["point"]), separation)
            }),
            separation,
            sensitivity: sensitivity.into_iter().collect::<Option<Vec<_>>>().map(|all| all.try_into().unwrap()),
            exact: (!exact.is_null()).then(|| GoldenDistance {
                distance: number(&exact["signed_distance"]),
                normal: vector(&exact["normal"]),
                points: [vector(&exact["point_on_a"]), vector(&exact["point_on_b"])],
                is_unique: flag(&exact["global_unique"]),
                is_tangent: flag(&exact["tangent"]),
            }),
        }
    });
    golden.collect()
}

/// Rows of a table of numbers, with one column of text.
pub fn rows(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/contacts").join(name);
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

pub fn numbers(row: &[String], first: usize) -> impl FnMut() -> f64 + '_ {
    let mut cells = row[first..].iter();
    move || cells.next().unwrap().parse().unwrap()
}

pub fn three(next: &mut impl FnMut() -> f64) -> DVec3 {
    DVec3::new(next(), next(), next())
}

pub fn rotation(next: &mut impl FnMut() -> f64) -> DQuat {
    let w = next();
    DQuat::from_xyzw(next(), next(), next(), w)
}

/// The 434 pairs with inputs that f32 holds.
pub fn reference_pairs() -> Vec<GoldenPair> {
    let pair = |row: Vec<String>| {
        let mut next = numbers(&row, 2);
        let mut body = || {
            let semi_axes = three(&mut next);
            let rotation = rotation(&mut next);
            Ellipsoid { center: three(&mut next), semi_axes, rotation }
        };
        let pair = EllipsoidPair::new(body(), body());
        let (lambda, f, _mu) = (next(), next(), next());
        let (normal, point, separation) = (three(&mut next), three(&mut next), next());
        GoldenPair {
            name: format!("{} {}", row[0], row[1]),
            ill_conditioned: false,
            pair,
            contact: Some(contact(f, lambda, normal, point, separation)),
            separation,
            sensitivity: None,
            exact: None,
        }
    };
    rows("perram_wertham_reference.csv").into_iter().map(pair).collect()
}

/// An ellipsoid, its wall and their contact, computed elsewhere.
pub struct GoldenWall {
    pub name: String,
    pub wall: EllipsoidWall,
    pub contact: WallContact,
}

pub fn golden_walls() -> Vec<GoldenWall> {
    let cases = read_json("contacts/ellipsoid_plane.json");
    let golden = list(&cases["cases"]).iter().map(|case| {
        let (plane, expected) = (&case["input"]["plane"], &case["expected"]);
        GoldenWall {
            name: text(&case["id"]).to_owned(),
            wall: EllipsoidWall {
                ellipsoid: ellipsoid(&case["input"]["ellipsoid"]),
                normal: vector(&plane["N"]),
                offset: number(&plane["d"]),
            },
            contact: WallContact {
                status: touchdown::query::ContactStatus::Ok,
                mu: number(&expected["mu"]),
                normal: vector(&expected["normal"]),
                point: vector(&expected["point_deepest"]),
                separation: number(&expected["u_n"]),
            },
        }
    });
    golden.collect()
}

/// A rotation, evenly over all.
pub fn random_rotation(random: &mut Random) -> DQuat {
    loop {
        let [x, y, z, w] = [(); 4].map(|()| random.between(-1.0, 1.0));
        let rotation = DQuat::from_xyzw(x, y, z, w);
        if (0.01..=1.0).contains(&rotation.length_squared()) {
            return rotation.normalize();
        }
    }
}

/// Bodies that may overlap or not, with semi-axes of up to `aspect` to 1.
pub fn random_pair(random: &mut Random, aspect: f64) -> EllipsoidPair {
    let mut body = |reach: f64| {
        let exponents = DVec3::from_array([(); 3].map(|()| random.between(0.0, 1.0)));
        let semi_axes = DVec3::from_array(exponents.to_array().map(|exponent| aspect.powf(-exponent)));
        Ellipsoid { center: random.in_cube(reach), semi_axes, rotation: random_rotation(random) }
    };
    EllipsoidPair::new(body(0.2), body(0.5))
}
