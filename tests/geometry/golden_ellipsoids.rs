//! Ellipsoids against cases computed with 50 and 60 digits, and against HOOMD-blue's answers.

use crate::support::ellipsoids::{
    GoldenPair, golden_pairs, golden_walls, largest_semi_axis, numbers, reference_pairs, rotation, rows, three,
};
use crate::support::engines::{engines, f64_engines};
use glam::DVec3;
use touchdown::engine::Engine;
use touchdown::job::Compute;
use touchdown::query::{ContactStatus, Ellipsoid, EllipsoidPair, EllipsoidPairs, EllipsoidWalls};

/// Relative, of F.
const F_TOLERANCE: f64 = 1e-10;
/// Of normals, and of points and separations per largest semi-axis, or per distance of the centres where that is more.
const TOLERANCE: f64 = 1e-9;

/// Compares all pairs and says the greatest errors of F, normal, point, Lambda and separation.
fn compare(engine: &dyn Engine, golden: &[GoldenPair]) -> String {
    let pairs: Vec<EllipsoidPair> = golden.iter().map(|golden| golden.pair).collect();
    let contacts = engine.compute::<EllipsoidPairs>((), &pairs).unwrap();
    assert_eq!(contacts.len(), golden.len());
    let mut worst = [0.0f64; 5];
    for (golden, found) in golden.iter().zip(contacts) {
        let size = largest_semi_axis(&golden.pair).max((golden.pair.b.center - golden.pair.a.center).length());
        let separation = (found.separation - golden.separation).abs() / size;
        let Some(contact) = golden.contact else {
            assert_eq!((found.status, found.f), (ContactStatus::Degenerate, 0.0), "{}", golden.name);
            assert!(
                separation <= TOLERANCE,
                "{}: separation {} of {}",
                golden.name,
                found.separation,
                golden.separation
            );
            continue;
        };
        assert_eq!(found.status, ContactStatus::Ok, "{}", golden.name);
        let errors = [
            (found.f / contact.f - 1.0).abs(),
            (found.normal - contact.normal).length(),
            (found.point - contact.point).length() / size,
            (found.lambda - contact.lambda).abs(),
            separation,
        ];
        let limits = [F_TOLERANCE, TOLERANCE, TOLERANCE, TOLERANCE, TOLERANCE];
        let within = errors.iter().zip(limits).all(|(&error, limit)| error <= limit);
        assert!(within, "{}: {errors:?}\nfound {found:?}\ninstead of {contact:?}", golden.name);
        worst = std::array::from_fn(|index| worst[index].max(errors[index]));
    }
    worst.map(|error| format!("{error:.1e}")).join(", ")
}

#[test]
fn golden_pairs_have_their_contacts() {
    let (golden, reference) = (golden_pairs(), reference_pairs());
    assert_eq!((golden.len(), reference.len()), (310, 434));
    let ill = golden.iter().filter(|golden| golden.ill_conditioned).count();
    let concentric = golden.iter().filter(|golden| golden.contact.is_none()).count();
    for engine in f64_engines() {
        let name = engine.identity().engine;
        let worst = compare(engine, &golden);
        println!("{name}: 310 golden pairs ({ill} ill-conditioned, {concentric} concentric), greatest errors {worst}");
        println!("{name}: 434 reference pairs, greatest errors {}", compare(engine, &reference));
    }
}

#[test]
fn overlap_is_what_hoomd_answers() {
    let rows = rows("hoomd_overlap.csv");
    assert_eq!(rows.len(), 363);
    let mut overlaps = 0;
    for (engine, _) in engines() {
        for row in &rows {
            let mut next = numbers(row, 2);
            let mut body = || (rotation(&mut next), three(&mut next));
            let (a, b) = (body(), body());
            let at = |center: DVec3, (rotation, semi_axes)| Ellipsoid { center, semi_axes, rotation };
            let pair = EllipsoidPair::new(at(DVec3::ZERO, a), at(three(&mut next), b));
            let overlap = next() == 1.0;
            let found = engine.compute::<EllipsoidPairs>((), &[pair]).unwrap()[0];
            assert_eq!(found.f < 1.0, overlap, "{row:?}: F {}", found.f);
            overlaps += usize::from(overlap);
        }
    }
    println!("363 configurations of HOOMD-blue, {} of them overlap", overlaps / 3);
}

#[test]
fn golden_walls_are_touched_where_they_should() {
    let golden = golden_walls();
    assert_eq!(golden.len(), 100);
    let walls: Vec<_> = golden.iter().map(|golden| golden.wall).collect();
    for engine in f64_engines() {
        let mut worst = 0.0f64;
        for (golden, found) in golden.iter().zip(engine.compute::<EllipsoidWalls>((), &walls).unwrap()) {
            // What is added up to a distance from the wall.
            let size = golden.wall.ellipsoid.semi_axes.max_element().max(golden.wall.ellipsoid.center.length());
            let contact = golden.contact;
            let errors = [
                (found.normal - contact.normal).length(),
                (found.point - contact.point).length() / size,
                (found.separation - contact.separation).abs() / size,
                (found.mu - contact.mu).abs() * golden.wall.ellipsoid.semi_axes.min_element() / size,
            ];
            let error = errors.into_iter().fold(0.0, f64::max);
            assert!(error <= 1e-13, "{}: {errors:?}\nfound {found:?}\ninstead of {contact:?}", golden.name);
            worst = worst.max(error);
        }
        println!("{}: 100 walls, greatest error {worst:.1e}", engine.identity().engine);
    }
}

#[test]
fn exact_distances_are_the_golden_ones() {
    let (mut compared, mut deeper, mut worst) = (0, 0, 0.0f64);
    for golden in golden_pairs() {
        let Some(exact) = golden.exact else {
            continue;
        };
        let found = golden.pair.signed_distance();
        let size = largest_semi_axis(&golden.pair).max((golden.pair.b.center - golden.pair.a.center).length());
        let error = (found.distance - exact.distance) / size;
        // Of overlapping bodies the golden distance may itself be a local maximum.
        let is_shorter_way = exact.distance < 0.0 && !exact.is_unique && error > TOLERANCE;
        deeper += usize::from(is_shorter_way);
        assert!(
            error.abs() <= TOLERANCE || is_shorter_way,
            "{}: {} of {}",
            golden.name,
            found.distance,
            exact.distance
        );
        if exact.is_unique {
            let normal = (found.normal - exact.normal).length();
            assert!(normal <= 1e-7, "{}: {} of {}", golden.name, found.normal, exact.normal);
            if !exact.is_tangent {
                for (point, expected) in found.points.into_iter().zip(exact.points) {
                    assert!((point - expected).length() <= 1e-6 * size, "{}: {point} of {expected}", golden.name);
                }
            }
        }
        compared += 1;
        worst = worst.max(if is_shorter_way { 0.0 } else { error.abs() });
    }
    println!(
        "{compared} exact distances, greatest error {worst:.1e}, {deeper} with a shorter way out than the golden one"
    );
    assert!(compared > 100 && deeper == 0);
}
