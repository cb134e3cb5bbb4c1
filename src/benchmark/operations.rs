//! Operation counts of benchmark items: those of the kernel functions, times the number of calls.
//!
//! Of the ways that an item of the benchmarks may take through a function the costliest is counted: a ball that the line
//! passes by is taken for one that it meets. Cones, capsules and stretched solids count as short cylinders, and so do
//! infinite cylinders where a point is asked for. A device whose items all take these ways cannot be faster than its rate
//! over this count; it will be slower, since quotients and roots take several instructions, and lanes that wait for each
//! other do nothing.

pub use crate::gpu::operations::Operations;

use crate::gpu::operations::{CountError, CountedPath, Reading};
use crate::program::walk::Visits;
use crate::query::{LCP_CORRECTIONS, MAX_LCP_UNKNOWNS};

/// Searches along rays and for materials: counted by what they look at.
const SEARCHES: [&str; 2] = ["first_entry", "material_of"];
/// What wheels do not come to: they have struts without lines, and roll on a half space without fluids on it and without
/// friction by speed.
const NOT_OF_WHEELS: [&str; 4] = ["strut_line", "curved_of", "displacement_drag", "coefficient_by_speed"];
/// What a step of a landing with all wheels on the ground does not come to: nobody guides the vehicle, the air has no gusts,
/// no wheel touches for the first time, and structural points are known to be clear.
const NOT_OF_LANDINGS: [&str; 10] = [
    "elevator_asked",
    "thrust_asked",
    "bank_asked",
    "heading_asked",
    "philox",
    "onset_of",
    "record_first_touches",
    "record_touchdown",
    "stands_on_wheels",
    "clearance_from",
];
/// Sweeps over the rows of random pairs of ellipsoids; the last turns little.
const PAIR_SWEEPS: u64 = 4;

/// Of functions that are called one after another.
fn all(reading: &Reading, functions: &[&str], path: &CountedPath<'_>) -> Result<Operations, CountError> {
    functions.iter().try_fold(Operations::default(), |sum, function| Ok(sum + reading.count(function, path)?))
}

impl Operations {
    /// Of the searches along this many rays, relative to the scene's origin.
    pub(super) fn of_rays(rays: u64, visits: &Visits) -> Result<Self, CountError> {
        let Visits { cells, half_spaces, balls, cylinders, short_cylinders, others, boxes } = *visits;
        let (interpreted, unrolled) = (Reading::interpreted_rays()?, Reading::unrolled_rays()?);
        let of = |functions: &[&str]| all(&interpreted, functions, &CountedPath::default());
        let without_caps = CountedPath { never: &["half_space_interval"], ..CountedPath::default() };
        let cylinder = ["line_past", "cylinder_interval"];
        Ok(of(&["slope_of"])? * rays
            + all(&unrolled, &["is_within"], &CountedPath::default())?
                * (cells + balls + cylinders + short_cylinders + others)
            + of(&["plane_interval", "within_plane"])? * half_spaces
            + of(&["line_past", "ball_interval"])? * balls
            + all(&interpreted, &cylinder, &without_caps)? * cylinders
            + of(&cylinder)? * (short_cylinders + others)
            + of(&["meets_box"])? * boxes)
    }

    /// Of the membership of points.
    pub(super) fn of_points(visits: &Visits) -> Result<Self, CountError> {
        let Visits { cells, half_spaces, balls, cylinders, short_cylinders, others, boxes } = *visits;
        let reading = Reading::interpreted_rays()?;
        let stop = CountedPath { elsewhere: &["leaf_distance", "box_distance"], ..CountedPath::default() };
        let in_cell = CountedPath { never: &["curved_of"], ..CountedPath::default() };
        let short_cylinder = CountedPath {
            never: &["to_local_of", "cone_distance", "capsule_distance"],
            elsewhere: &["curved_of"],
            ..CountedPath::default()
        };
        let ball = CountedPath {
            never: &["to_local_of", "cone_distance", "capsule_distance", "cylinder_distance"],
            ..short_cylinder
        };
        let leaf = |path| reading.count("leaf_distance", path);
        Ok(reading.count("contains", &stop)? * (cells + balls + cylinders + short_cylinders + others + boxes)
            + leaf(&in_cell)? * half_spaces
            + leaf(&ball)? * balls
            + leaf(&short_cylinder)? * (cylinders + short_cylinders + others)
            + reading.count("box_distance", &CountedPath::default())? * boxes)
    }

    /// What frames of their own add to the same visits.
    pub(super) fn of_frames(visits: &Visits) -> Result<Self, CountError> {
        let Visits { cells: _, half_spaces, balls, cylinders, short_cylinders, others, boxes } = *visits;
        let (framed, plain) = (Reading::wheels()?, Reading::interpreted_rays()?);
        let added = |function| -> Result<Self, CountError> {
            Ok(framed.count(function, &CountedPath::default())? - plain.count(function, &CountedPath::default())?)
        };
        // A box has two corners.
        Ok(added("plane_offset")? * half_spaces
            + added("from_center")? * (balls + cylinders + short_cylinders + others + 2 * boxes))
    }

    /// Of this many pairs of ellipsoids whose searches take so many rounds together.
    pub(super) fn of_pairs(pairs: u64, rounds: u64) -> Result<Self, CountError> {
        let reading = Reading::pairs()?;
        let with = |rounds| {
            let rounds = [("diagonalize", &[PAIR_SWEEPS][..]), ("ellipsoid_pair", &[3, rounds])];
            reading.count("ellipsoid_pair", &CountedPath { rounds: &rounds, ..CountedPath::default() })
        };
        let without = with(0)?;
        Ok(without * pairs + (with(1)? - without) * rounds)
    }

    /// Of an initiator and a target of so many surfaces, of which it does not pass several at once.
    pub(super) fn of_initiator(surfaces: usize) -> Result<Self, CountError> {
        let rounds = [("configuration", &[surfaces as u64][..])];
        let path = CountedPath { never: &["last_to_vanish"], elsewhere: &[], rounds: &rounds };
        Reading::oriented()?.count("configuration", &path)
    }

    /// Of this many problems of so many unknowns, which take so many pivots together and have no ties.
    pub(super) fn of_problems(problems: u64, unknowns: usize, pivots: u64) -> Result<Self, CountError> {
        let (n, corrections) = (unknowns as u64, LCP_CORRECTIONS as u64);
        let columns = 2 * MAX_LCP_UNKNOWNS as u64 + 2;
        let rounds = [
            ("pivot", &[columns, n, columns][..]),
            ("leaving_row", &[n]),
            ("is_before", &[0]),
            ("slack", &[n]),
            ("solution", &[n, corrections, n, n, n, n]),
            ("solves", &[n, n]),
        ];
        let path = CountedPath { rounds: &rounds, ..CountedPath::default() };
        let reading = Reading::problems()?;
        Ok(all(&reading, &["pivot", "leaving_row"], &path)? * pivots
            + all(&reading, &["solution", "solves"], &path)? * problems)
    }

    /// Of this many encounters of boxes that end with a contact, whose searches take so many rounds together.
    pub(super) fn of_encounters(encounters: u64, rounds: u64) -> Result<Self, CountError> {
        let reading = Reading::encounters()?;
        let with = |rounds| {
            let rounds = [("tangent_at", &[rounds][..])];
            reading.count("tangent_at", &CountedPath { rounds: &rounds, ..CountedPath::default() })
        };
        let without = with(0)?;
        let twice = all(&reading, &["shape_of", "reach_of", "pierced"], &CountedPath::default())?;
        let once = reading.count("impulse_of", &CountedPath::default())?;
        Ok((without + twice * 2 + once) * encounters + (with(1)? - without) * rounds)
    }

    /// Of a step of a rolling wheel through a prescribed frame, its ray and its material aside.
    pub(super) fn of_wheel_step() -> Result<Self, CountError> {
        let path = CountedPath { never: &NOT_OF_WHEELS, elsewhere: &SEARCHES, rounds: &[] };
        Reading::wheels()?.count("main", &path)
    }

    /// Of a step of a landing with so many wheels, all of them rolling, and structural points, rays and materials of wheels
    /// aside. The gear takes so many sub-steps.
    pub(super) fn of_landing_step(wheels: usize, points: usize, substeps: u32) -> Result<Self, CountError> {
        let reading = Reading::landings(wheels, points)?;
        let count = |number: usize| number as u64;
        let rounds: [(&str, &[u64]); 5] = [
            ("advance_gear", &[u64::from(substeps), count(wheels), count(wheels)]),
            ("substeps_asked", &[count(wheels)]),
            // A wheel that slips is moved, and rolls once more where its pebble has come to.
            ("step_wheel", &[2]),
            ("shift_frame", &[count(wheels)]),
            ("sweep", &[count(points)]),
        ];
        let never = [&NOT_OF_WHEELS[..], &NOT_OF_LANDINGS].concat();
        let path = CountedPath { never: &never, elsewhere: &SEARCHES, rounds: &rounds };
        // Before the first sub-step wheels look for what they have below them, and how many sub-steps that takes is asked.
        let looks = all(&reading, &["contact_of", "wheel_frame", "remember_ground"], &path)?;
        Ok(reading.count("advance", &path)? + looks * count(wheels) + reading.count("substeps_asked", &path)?)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::program::walk::{Walk, Walker};
    use crate::query::Ray;
    use crate::scene::{Scene, Shape};

    const NONE: Visits =
        Visits { cells: 0, half_spaces: 0, balls: 0, cylinders: 0, short_cylinders: 0, others: 0, boxes: 0 };

    fn show(what: &str, found: Result<Operations, CountError>) -> Operations {
        let found = found.unwrap();
        let Operations { additions, multiplications, divisions, comparisons } = found;
        #[allow(clippy::print_stdout, reason = "the count")]
        {
            println!("{what}: {additions} + -, {multiplications} *, {divisions} / root, {comparisons} compare");
        }
        found
    }

    #[test]
    fn all_that_is_counted_has_its_functions() {
        let mut counts = vec![show("ray", Operations::of_rays(1, &NONE))];
        for (what, visits) in [
            ("cell", Visits { cells: 1, ..NONE }),
            ("half space", Visits { half_spaces: 1, ..NONE }),
            ("ball", Visits { balls: 1, ..NONE }),
            ("cylinder", Visits { cylinders: 1, ..NONE }),
            ("short cylinder", Visits { short_cylinders: 1, ..NONE }),
            ("box", Visits { boxes: 1, ..NONE }),
        ] {
            counts.push(show(&format!("search, {what}"), Operations::of_rays(0, &visits)));
            counts.push(show(&format!("membership, {what}"), Operations::of_points(&visits)));
            let framed = show(&format!("frame, {what}"), Operations::of_frames(&visits));
            assert_eq!(framed.total() > 0.0, what != "cell", "{what}");
        }
        let first = show("pair", Operations::of_pairs(1, 0));
        counts.extend([first, show("round of a pair", Operations::of_pairs(0, 1))]);
        counts.push(show("initiator", Operations::of_initiator(8)));
        counts.push(show("encounter", Operations::of_encounters(1, 4)));
        counts.push(show("wheel step", Operations::of_wheel_step()));
        counts.push(show("landing step without wheels", Operations::of_landing_step(1, 0, 0)));
        counts.push(show("landing step", Operations::of_landing_step(3, 4, 1)));
        counts.push(show("landing step, two sub-steps", Operations::of_landing_step(3, 4, 2)));
        assert!(counts.iter().all(|count| count.total() > 0.0), "{counts:?}");
    }

    #[test]
    fn operations_of_a_ray_are_those_of_what_it_looks_at() {
        // A ground and a ball beside it, under one union: three stops make no group, so there are no boxes.
        let scene = Scene::new(
            &Shape::union([Shape::half_space(DVec3::Z, 0.0), Shape::sphere(DVec3::new(5.0, 0.0, 1.0), 1.0)]),
            Vec::new(),
            None,
            None,
        )
        .unwrap();
        let ray = Ray::segment(DVec3::new(0.0, 0.0, 2.0), DVec3::new(0.0, 0.0, -2.0));
        let walk = Walk::compile(&scene);
        let visits = Walker::new(&walk, &scene).visits_of_ray(&ray);
        // The ground and the ball once each, both leaves; the ground's entry is exact.
        let of = |visits: Visits| Operations::of_rays(0, &visits).unwrap();
        let parts = of(Visits { cells: 1, half_spaces: 1, ..NONE }) + of(Visits { balls: 1, ..NONE });
        assert_eq!(Operations::of_rays(1, &visits).unwrap(), parts + Operations::of_rays(1, &NONE).unwrap());
        // In a frame of its own: the half space's offset and the ball's centre.
        let expected = Operations { additions: 6.0, multiplications: 3.0, ..Operations::default() };
        assert_eq!(Operations::of_frames(&visits), Ok(expected));
    }
}
