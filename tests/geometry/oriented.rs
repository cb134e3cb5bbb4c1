//! Oriented collisions: golden cases, Figure 5 of the paper, both forms of the algorithm, and integrators that reject
//! steps.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn.

use crate::support::engines::{GPU, REFERENCE, f64_engines};
use crate::support::random::{Random, test_seed};
use crate::support::{flag, list, number, read_json, text};
use glam::DVec2;
use serde_json::Value;
use touchdown::job::{Compute, Computes};
use touchdown::native::Native;
use touchdown::oriented::{CollisionTracker, TrackError};
use touchdown::query::{
    ConvexTarget, InitiatorMotion, Oriented, OrientedAnswer, OrientedConfiguration, TargetError, TargetMotions,
};
use touchdown::reference::Reference;

fn point(value: &Value) -> DVec2 {
    DVec2::new(number(&value[0]), number(&value[1]))
}

fn points(value: &Value) -> Vec<DVec2> {
    list(value).iter().map(point).collect()
}

fn target(vertices: &[(f64, f64)]) -> ConvexTarget {
    ConvexTarget::new(vertices.iter().copied().map(DVec2::from).collect()).unwrap()
}

/// A column of a binary matrix.
fn mask(column: &Value) -> u32 {
    list(column).iter().enumerate().fold(0, |mask, (i, bit)| mask | (bit.as_u64().unwrap() as u32) << i)
}

/// Every golden case by an engine: pairs of an initiator and a time whose whole configuration is right, the surfaces of
/// exact ties left out where rounding may decide them.
fn check_golden<E: Computes<Oriented> + ?Sized>(engine: &E, with_ties: bool) -> usize {
    let file = read_json("contacts/sat.json");
    let mut right = 0;
    for case in list(&file["cases"]).iter().filter(|case| with_ties || !flag(&case["exact_ties"])) {
        let (input, expected) = (&case["input"], &case["expected"]);
        let mut tracker: Option<CollisionTracker> = None;
        for (step, (vertices, places)) in list(&input["vertices"]).iter().zip(list(&input["initiators"])).enumerate() {
            let (targets, places) = (vec![ConvexTarget::new(points(vertices)).unwrap()], points(places));
            let before = tracker.as_ref().map(|tracker| tracker.configurations().to_vec());
            let found = match &mut tracker {
                None => tracker.insert(CollisionTracker::initialise(engine, targets, places).unwrap()).configurations(),
                Some(tracker) => tracker.accept(engine, targets, places).unwrap(),
            };
            for (initiator, found) in found.iter().enumerate() {
                let of = |name: &str| &expected[name][step][initiator];
                let nearest = of("mtv").as_i64().unwrap();
                let right_one = OrientedConfiguration {
                    penetration: mask(of("P")),
                    range: mask(of("S")),
                    collision: mask(of("C")),
                    collision_last: mask(of("C_last")),
                    minimum_translation: u32::try_from(nearest).ok(),
                };
                assert_eq!(*found, right_one, "{} step {step} initiator {initiator}", text(&case["id"]));
                let then = before.as_ref().map_or(0, |before| before[initiator].penetration);
                for (i, change) in list(of("Delta")).iter().enumerate().filter(|_| step > 0) {
                    let bit = |mask: u32| i64::from(mask >> i & 1);
                    assert_eq!(bit(found.penetration) - bit(then), change.as_i64().unwrap());
                }
                right += 1;
            }
        }
    }
    right
}

#[test]
fn engines_in_f64_give_every_golden_configuration() {
    for engine in f64_engines() {
        assert_eq!(check_golden(engine, true), 2026);
    }
}

#[test]
fn the_gpu_gives_every_golden_configuration_without_exact_ties() {
    // The least separation is 3.8e-5, some 30 times what f32 knows of lengths below 12 m.
    assert_eq!(check_golden(&*GPU, false), 2021);
}

#[test]
fn separations_are_the_golden_ones() {
    let file = read_json("contacts/sat.json");
    let mut compared = 0;
    for case in list(&file["cases"]) {
        let (input, expected) = (&case["input"], &case["expected"]);
        for (step, (vertices, places)) in list(&input["vertices"]).iter().zip(list(&input["initiators"])).enumerate() {
            let (targets, places) = ([ConvexTarget::new(points(vertices)).unwrap()], points(places));
            let expected = list(&expected["separations"][step]).iter().flat_map(list);
            let pairs = places.iter().flat_map(|&place| targets[0].surfaces().map(move |surface| (place, surface)));
            for ((found, expected), (place, surface)) in
                CollisionTracker::separations(&targets, &places).zip(expected).zip(pairs)
            {
                // Coordinates below 8 m are read to a unit in their last place, 4 epsilon, at both ends of the surface along
                // both axes, which turns it; and there are edge, length, quotient, differences, products and their sum.
                let (distance, length) = (place.distance(surface.start), surface.start.distance(surface.end));
                let tolerance = f64::EPSILON * (4.0 * 4.0 * (1.0 + distance / length) + 8.0 * distance);
                assert!((found - number(expected)).abs() <= tolerance, "{found} {expected}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 9_704);
}

/// The configurations of an initiator along a path past a target that stands still.
fn along_path(target: &ConvexTarget, path: &[(f64, f64)]) -> Vec<OrientedConfiguration> {
    let place = |step: usize| vec![DVec2::from(path[step])];
    let targets = || vec![target.clone()];
    let mut tracker = CollisionTracker::initialise(&*REFERENCE, targets(), place(0)).unwrap();
    (1..path.len()).map(|step| tracker.accept(&*REFERENCE, targets(), place(step)).unwrap()[0]).collect()
}

#[test]
fn minimum_translation_takes_the_wrong_face_where_figure_5_says_and_the_transient_test_does_not() {
    // Vertices from the lower left one on: surfaces are left, upper, right, lower.
    let square = target(&[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]);
    // From above, beside the upper right vertex.
    let at_corner = along_path(&square, &[(0.9, 1.1), (0.95, 0.9)]);
    assert_eq!((at_corner[0].collision, at_corner[0].minimum_translation), (1 << 1, Some(2)));
    let plate = target(&[(0.0, 0.0), (0.0, 0.1), (1.0, 0.1), (1.0, 0.0)]);
    // From above, beyond the middle of the plate.
    let in_plate = along_path(&plate, &[(0.5, 0.12), (0.5, 0.06), (0.5, 0.03)]);
    assert_eq!((in_plate[0].collision, in_plate[0].minimum_translation), (1 << 1, Some(1)));
    assert_eq!((in_plate[1].collision, in_plate[1].minimum_translation), (1 << 1, Some(3)));
}

#[test]
fn a_point_that_has_passed_a_plate_is_held_while_it_is_on_range() {
    let plate = target(&[(0.0, 0.0), (0.0, 0.1), (1.0, 0.1), (1.0, 0.0)]);
    // In from above, out below, on along the plate, beyond its end, and back below it.
    let path = [(0.5, 0.2), (0.5, 0.05), (0.5, -0.1), (0.9, -0.1), (1.1, -0.1), (0.9, -0.1)];
    let collisions: Vec<u32> = along_path(&plate, &path).iter().map(|found| found.collision).collect();
    assert_eq!(collisions, [1 << 1, 1 << 1, 1 << 1, 0, 0]);
    // And let go where it leaves as it has come.
    let path = [(0.5, 0.2), (0.5, 0.05), (0.5, -0.1), (0.5, 0.05), (0.5, 0.2), (0.5, 0.3)];
    let collisions: Vec<u32> = along_path(&plate, &path).iter().map(|found| found.collision).collect();
    assert_eq!(collisions, [1 << 1, 1 << 1, 1 << 1, 0, 0]);
}

#[test]
fn the_tie_break_takes_the_surface_whose_separation_vanished_last() {
    let square = target(&[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]);
    for (from, last) in [((1.1, 1.5), 1 << 1), ((1.5, 1.1), 1 << 2), ((1.5, 1.5), 1 << 1)] {
        let found = along_path(&square, &[from, (0.9, 0.9)])[0];
        assert_eq!((found.collision, found.collision_last), (0b110, last), "{from:?}");
    }
}

#[test]
fn a_point_that_starts_inside_collides_with_nothing_until_it_has_left() {
    let square = target(&[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]);
    let found = along_path(&square, &[(0.5, 0.5), (0.5, 0.6), (0.5, 1.5), (0.5, 0.6)]);
    let collisions: Vec<u32> = found.iter().map(|found| found.collision).collect();
    assert_eq!(collisions, [0, 0, 1 << 1]);
}

/// A target that moves and turns.
struct Moving {
    corners: Vec<DVec2>,
    center: DVec2,
    velocity: DVec2,
    angle: f64,
    rate: f64,
}

impl Moving {
    /// A polygon on an ellipse, a thin plate or a needle.
    fn draw(random: &mut Random) -> Self {
        let kind = random.index(3);
        let corners = match kind {
            0 => {
                let (count, height) = (3 + random.index(30), random.between(0.2, 1.0));
                let turn = random.between(0.0, 6.0);
                let corner = |k: usize| {
                    let share = (k as f64 + random.between(-0.3, 0.3)) / count as f64;
                    let angle = turn - std::f64::consts::TAU * share;
                    DVec2::new(angle.cos(), height * angle.sin())
                };
                (0..count).map(corner).collect()
            }
            1 => {
                let half = 10f64.powf(random.between(-3.0, -1.0));
                [(-1.0, -half), (-1.0, half), (1.0, half), (1.0, -half)].map(DVec2::from).to_vec()
            }
            _ => {
                let half = 10f64.powf(random.between(-2.0, 0.0));
                [(-1.0, 0.0), (-0.9, half), (1.0, 0.0)].map(DVec2::from).to_vec()
            }
        };
        Self {
            corners,
            center: 3.0 * plane(random),
            velocity: 0.2 * plane(random),
            angle: random.between(0.0, 6.0),
            rate: random.between(-0.3, 0.3),
        }
    }

    fn place(&self, local: DVec2, step: usize) -> DVec2 {
        let time = step as f64;
        self.center + self.velocity * time + DVec2::from_angle(self.angle + self.rate * time).rotate(local)
    }

    fn at(&self, step: usize) -> ConvexTarget {
        ConvexTarget::new(self.corners.iter().map(|&corner| self.place(corner, step)).collect()).unwrap()
    }

    /// A place on it, on a corner or beside it.
    fn aim(&self, random: &mut Random) -> DVec2 {
        let [one, two] = [0; 2].map(|_: usize| self.corners[random.index(self.corners.len())]);
        let share = if random.chance(0.3) { 0.0 } else { random.between(0.0, 1.0) };
        one.lerp(two, share) + 10f64.powf(random.between(-4.0, -0.5)) * plane(random)
    }
}

fn plane(random: &mut Random) -> DVec2 {
    random.in_cube(1.0).truncate()
}

/// Steps of each trajectory.
const STEPS: usize = 12;

/// The places of an initiator that is at the target, or in it, about the middle of its steps, and follows it for a while.
fn trajectory(target: &Moving, random: &mut Random) -> [DVec2; STEPS] {
    let aim = target.aim(random);
    let speed = plane(random) * 10f64.powf(random.between(-3.0, 0.0));
    let shake = 10f64.powf(random.between(-4.0, -1.0));
    std::array::from_fn(|step| {
        let local = aim + speed * (step as f64 - 0.5 * STEPS as f64) + shake * plane(random);
        target.place(local, step)
    })
}

#[test]
fn loops_and_matrices_give_the_same_bits_on_a_million_trajectories() {
    const TARGETS: usize = 625;
    const INITIATORS: usize = 16;
    let (loops, matrices) = (Reference::new(0).unwrap(), Native::new(0).unwrap());
    let (mut collided, mut held, mut tied, mut misled) = (0, 0, 0, 0);
    for batch in 0..100 {
        let mut random = Random::new(test_seed(), batch);
        let moving: Vec<Moving> = (0..TARGETS).map(|_| Moving::draw(&mut random)).collect();
        let paths: Vec<[DVec2; STEPS]> =
            (0..TARGETS * INITIATORS).map(|item| trajectory(&moving[item / INITIATORS], &mut random)).collect();
        let at = |step: usize| -> Vec<ConvexTarget> { moving.iter().map(|target| target.at(step)).collect() };
        let mut reference = at(0);
        let mut before: Vec<Option<OrientedConfiguration>> = vec![None; paths.len()];
        for step in 0..STEPS {
            let current = at(step);
            let targets = TargetMotions { reference: &reference, current: &current };
            let motion = |item: usize| InitiatorMotion {
                target: (item / INITIATORS) as u32,
                from: paths[item][step.saturating_sub(1)],
                to: paths[item][step],
                reference: before[item],
            };
            let motions: Vec<InitiatorMotion> = (0..paths.len()).map(motion).collect();
            let found = loops.compute::<Oriented>(targets, &motions).unwrap();
            assert_eq!(found, matrices.compute::<Oriented>(targets, &motions).unwrap(), "batch {batch} step {step}");
            for (item, answer) in found.iter().enumerate() {
                let OrientedConfiguration { penetration, collision, collision_last, minimum_translation, .. } =
                    answer.configuration;
                let is_full = penetration == current[item / INITIATORS].all_surfaces();
                collided += usize::from(collision != 0 && before[item].is_some_and(|before| before.collision == 0));
                held += usize::from(collision != 0 && !is_full);
                tied += usize::from(collision != collision_last);
                misled += usize::from(
                    collision != 0 && minimum_translation.is_some_and(|nearest| collision >> nearest & 1 == 0),
                );
                // Nothing is collided with that is separated, and one surface at most with the tie break.
                assert_eq!(collision & !penetration, 0);
                assert!(collision_last.count_ones() <= 1);
                before[item] = Some(answer.configuration);
            }
            reference = current;
        }
    }
    println!(
        "{collided} collisions, {held} held outside, {tied} with ties, {misled} where minimum translation differs"
    );
    assert!(collided > 100_000 && held > 10_000 && tied > 1_000 && misled > 10_000);
}

#[test]
fn lanes_of_several_targets_do_not_see_each_other() {
    let mut random = Random::new(test_seed(), 1_000);
    let moving: Vec<Moving> = (0..64).map(|_| Moving::draw(&mut random)).collect();
    let at = |step: usize| -> Vec<ConvexTarget> { moving.iter().map(|target| target.at(step)).collect() };
    let (reference, current) = (at(0), at(1));
    let targets = TargetMotions { reference: &reference, current: &current };
    let native = Native::new(1).unwrap();
    let mut motions = Vec::new();
    for _ in 0..20_000 {
        let target = random.index(moving.len());
        let [from, to] = [0, 1].map(|step| moving[target].place(moving[target].aim(&mut random), step));
        let first = InitiatorMotion { target: target as u32, from, to: from, reference: None };
        let before = (*REFERENCE).compute::<Oriented>(TargetMotions::at_rest(&reference), &[first]).unwrap()[0];
        motions.push(InitiatorMotion { to, reference: Some(before.configuration), ..first });
    }
    // And some that cannot be.
    for index in (0..motions.len()).step_by(7) {
        match random.index(4) {
            0 => motions[index].target = 64,
            1 => motions[index].to.x = f64::NAN,
            2 => motions[index].from.y = 1.1e9,
            _ => motions[index].reference = Some(OrientedConfiguration { collision: 1 << 31, ..Default::default() }),
        }
    }
    let found = native.compute::<Oriented>(targets, &motions).unwrap();
    assert_eq!(found, (*REFERENCE).compute::<Oriented>(targets, &motions).unwrap());
    let bad = found.iter().filter(|answer| **answer == OrientedAnswer::BAD_INPUT).count();
    // A target of 32 surfaces has the last one.
    assert!((2_500..=2_858).contains(&bad), "{bad}");
    for (motion, found) in motions.iter().zip(&found) {
        assert_eq!(native.compute::<Oriented>(targets, &[*motion]).unwrap()[0], *found);
    }
}

#[test]
fn vertices_that_bound_no_convex_area_clockwise_are_refused() {
    let refused =
        |vertices: &[(f64, f64)]| ConvexTarget::new(vertices.iter().copied().map(DVec2::from).collect()).unwrap_err();
    assert_eq!(refused(&[(0.0, 0.0), (1.0, 0.0)]), TargetError::Count { vertices: 2 });
    assert_eq!(refused(&[(0.0, 0.0); 33]), TargetError::Count { vertices: 33 });
    let counter_clockwise = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    assert_eq!(refused(&counter_clockwise), TargetError::NotConvex { vertex: 2, surface: 0 });
    let dented = [(0.0, 0.0), (0.0, 1.0), (0.4, 0.4), (1.0, 0.0)];
    assert!(matches!(refused(&dented), TargetError::NotConvex { .. }));
    let on_a_line = [(0.0, 0.0), (0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (1.0, 0.0)];
    assert!(matches!(refused(&on_a_line), TargetError::NotConvex { vertex: 3, surface: 1 }));
    // Every corner of a star turns right, and so does a square that is gone round twice.
    let star: Vec<(f64, f64)> =
        (0..5).map(|k| DVec2::from_angle(-0.8 * f64::from(k) * std::f64::consts::PI).into()).collect();
    assert!(matches!(refused(&star), TargetError::NotConvex { .. }));
    let square = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)];
    assert!(matches!(refused(&[square, square].concat()), TargetError::NotConvex { .. }));
    assert!(matches!(refused(&[(0.0, 0.0), (0.0, 0.0), (1.0, 1.0)]), TargetError::Short { vertex: 0, .. }));
    let far = refused(&[(0.0, 0.0), (0.0, 1.0), (2e9, 0.0)]);
    assert_eq!(far, TargetError::Coordinate { vertex: 2, value: 2e9 });
    assert!(matches!(refused(&[(0.0, f64::NAN), (0.0, 1.0), (1.0, 0.0)]), TargetError::Coordinate { vertex: 0, .. }));
}

#[test]
fn trials_between_accepted_steps_change_nothing() {
    let mut random = Random::new(test_seed(), 2_000);
    let mut collisions = 0;
    for _ in 0..200 {
        let moving = [Moving::draw(&mut random), Moving::draw(&mut random)];
        let paths: Vec<[DVec2; STEPS]> = (0..16).map(|item| trajectory(&moving[item % 2], &mut random)).collect();
        let targets = |step: usize| moving.iter().map(|target| target.at(step)).collect::<Vec<_>>();
        let places = |step: usize| paths.iter().map(|path| path[step]).collect::<Vec<_>>();
        let begin = || CollisionTracker::initialise(&*REFERENCE, targets(0), places(0)).unwrap();
        let (mut plain, mut tried) = (begin(), begin());
        for step in 1..STEPS {
            for _ in 0..random.index(4) {
                // Of any time, as a step that is rejected may be.
                let other = random.index(STEPS);
                let before = tried.clone();
                let trial = tried.trial(&*REFERENCE, &targets(other), &places(other)).unwrap();
                assert_eq!(tried, before);
                assert_eq!(trial, tried.trial(&*REFERENCE, &targets(other), &places(other)).unwrap());
                assert_eq!(CollisionTracker::separations(&targets(other), &places(other)).count() % 16, 0);
            }
            let trial = tried.trial(&*REFERENCE, &targets(step), &places(step)).unwrap();
            let accepted = tried.accept(&*REFERENCE, targets(step), places(step)).unwrap().to_vec();
            assert_eq!(trial, accepted);
            assert_eq!(plain.accept(&*REFERENCE, targets(step), places(step)).unwrap(), accepted);
            collisions += accepted.iter().filter(|found| found.collision != 0).count();
        }
    }
    assert!(collisions > 1_000, "{collisions}");
}

#[test]
fn a_tracker_refuses_what_it_does_not_know_and_stays_as_it_was() {
    let square = || vec![target(&[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)])];
    let inside = || vec![DVec2::splat(0.5)];
    let mut tracker = CollisionTracker::initialise(&*REFERENCE, square(), inside()).unwrap();
    let before = tracker.clone();
    let triangle = vec![target(&[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)])];
    assert!(matches!(tracker.accept(&*REFERENCE, triangle, inside()), Err(TrackError::Targets { .. })));
    assert!(matches!(tracker.accept(&*REFERENCE, square(), Vec::new()), Err(TrackError::Initiators { .. })));
    let far = vec![DVec2::new(0.0, f64::INFINITY)];
    assert!(matches!(tracker.accept(&*REFERENCE, square(), far), Err(TrackError::Place { initiator: 0, .. })));
    assert_eq!(tracker, before);
}
