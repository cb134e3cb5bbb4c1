//! Simulations whose steps end where something collides.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn.

use std::f64::consts::{PI, TAU};

use crate::support::engines::REFERENCE;
use crate::support::random::{Random, test_seed};
use glam::DVec2;
use touchdown::integrator::{Integrator, Tolerances};
use touchdown::oriented::{
    Border, CollidingSystem, CollisionSimulation, Contact, Crossing, MotionLimits, MovingTarget, Pose, SimulationError,
};
use touchdown::query::ConvexTarget;
use touchdown::reference::Reference;

/// Points of 1 kg; the state is (x, y) of all, then their velocities.
#[derive(Clone, Copy)]
struct Points {
    count: usize,
    /// Of the springs that keep them out of targets \[N/m\].
    stiffness: f64,
    gravity: DVec2,
}

impl CollidingSystem for Points {
    fn initiators(&self) -> usize {
        self.count
    }

    fn place(&self, state: &[f64], initiator: usize) -> DVec2 {
        DVec2::new(state[2 * initiator], state[2 * initiator + 1])
    }

    fn speed_limit(&self, rates: &[f64], initiator: usize) -> f64 {
        rates[2 * initiator].hypot(rates[2 * initiator + 1])
    }

    fn rates(&self, _time: f64, state: &[f64], contacts: &[Contact], rates: &mut [f64]) {
        let (velocities, accelerations) = rates.split_at_mut(2 * self.count);
        velocities.copy_from_slice(&state[2 * self.count..]);
        for acceleration in accelerations.chunks_mut(2) {
            acceleration.copy_from_slice(&self.gravity.to_array());
        }
        for contact in contacts {
            let force = self.stiffness * contact.depth() * contact.surface.normal;
            accelerations[2 * contact.initiator] += force.x;
            accelerations[2 * contact.initiator + 1] += force.y;
        }
    }
}

/// Where a point begins, and how fast.
type Start = (DVec2, DVec2);

fn state(starts: &[Start]) -> Vec<f64> {
    let places = starts.iter().flat_map(|(place, _)| place.to_array());
    places.chain(starts.iter().flat_map(|(_, velocity)| velocity.to_array())).collect()
}

fn simulation<'a>(
    system: Points,
    targets: Vec<MovingTarget<'a>>,
    starts: &[Start],
    tolerance: f64,
) -> CollisionSimulation<'a, Points, Reference> {
    let tolerances = Tolerances::uniform(tolerance, tolerance, 4 * system.count);
    let integrator = Integrator::new(0.0, state(starts), tolerances).unwrap();
    CollisionSimulation::new(&*REFERENCE, system, targets, integrator).unwrap()
}

/// A plate of this thickness \[m\] from x = -1 to 1: surfaces are left, upper, right, lower.
fn plate(thickness: f64) -> ConvexTarget {
    let half = 0.5 * thickness;
    ConvexTarget::new([(-1.0, -half), (-1.0, half), (1.0, half), (1.0, -half)].map(DVec2::from).to_vec()).unwrap()
}

const UPPER: usize = 1;
const LOWER: usize = 3;

/// A plate that moves and turns evenly.
fn moving(shape: ConvexTarget, first: Pose) -> MovingTarget<'static> {
    let limits = MotionLimits { speed: first.velocity.length(), angular_rate: first.angular_rate.abs() };
    MovingTarget::new(shape, limits, move |time| Pose {
        position: first.position + time * first.velocity,
        angle: first.angle + time * first.angular_rate,
        ..first
    })
}

#[test]
fn nothing_passes_a_plate_of_a_millimetre_at_a_hundred_metres_per_second() {
    const SHOTS: u64 = 1000;
    const POINTS: usize = 4;
    // At 200 m/s relative to the plate it is 63 mm deep into the springs: far through the plate.
    const STIFFNESS: f64 = 1e7;
    let (mut hits, mut changes, mut steps, mut through) = (0, 0, 0, 0);
    for shot in 0..SHOTS {
        let mut random = Random::new(test_seed(), 20_000 + shot);
        let pose = Pose {
            position: 3.0 * random.in_cube(1.0).truncate(),
            angle: random.between(0.0, TAU),
            velocity: DVec2::from_angle(random.between(0.0, TAU)) * random.between(0.0, 100.0),
            angular_rate: random.between(-3.0, 3.0),
        };
        let target = moving(plate(0.001), pose);
        // In the plate's own axes they come from one side, within 45 degrees of its normal, and hit its middle after a while.
        let sides: Vec<f64> = (0..POINTS).map(|_| if random.chance(0.5) { 1.0 } else { -1.0 }).collect();
        let starts: Vec<Start> = sides
            .iter()
            .map(|&side| {
                let after = random.between(0.001, 0.02);
                let meeting = target.pose(after);
                let axes = DVec2::from_angle(meeting.angle);
                let place = meeting.position + axes.rotate(DVec2::new(random.between(-0.5, 0.5), side * 0.0005));
                let way = axes.rotate(-side * DVec2::from_angle(PI / 2.0 + random.between(-0.7, 0.7)));
                let velocity = meeting.velocity_at(place) + 100.0 * way;
                (place - after * velocity, velocity)
            })
            .collect();
        let system = Points { count: POINTS, stiffness: STIFFNESS, gravity: DVec2::ZERO };
        let mut simulation = simulation(system, vec![target], &starts, 1e-8);
        let mut collided = [0; POINTS];
        while simulation.time() < 0.03 {
            let before: Vec<u32> = simulation.tracker().configurations().iter().map(|it| it.penetration).collect();
            let crossings = simulation.step(0.03).unwrap();
            steps += 1;
            for (point, now) in simulation.tracker().configurations().iter().enumerate() {
                let changed = before[point] ^ now.penetration;
                assert!(changed.count_ones() <= 1, "shot {shot}: {changed:b} of point {point}");
                changes += changed.count_ones();
                // What the engine sees is what the step has ended for.
                let of_separation = |it: &&Crossing| it.border == Border::Separation && it.initiator == point;
                let crossed = crossings.iter().filter(of_separation).fold(0, |mask, it| mask | 1 << it.surface);
                assert_eq!(changed, crossed);
                collided[point] |= now.collision;
                through += usize::from(now.collision != 0 && now.penetration != 0b1111);
            }
        }
        let pose = simulation.targets()[0].pose(simulation.time());
        for (point, &side) in sides.iter().enumerate() {
            let face = if side > 0.0 { UPPER } else { LOWER };
            assert_eq!(collided[point], 1 << face, "shot {shot} point {point}");
            let place = system.place(simulation.state(), point);
            let local = DVec2::from_angle(-pose.angle).rotate(place - pose.position);
            assert!(side * local.y > 0.0005, "shot {shot} point {point} is at {local}");
            hits += 1;
        }
    }
    println!("{hits} hits, {changes} surfaces changed in {steps} steps, {through} held beyond the plate");
    assert_eq!(hits, SHOTS as usize * POINTS);
    assert!(through > hits);
}

/// All borders that one point comes to until a time, and when.
fn crossings(mut simulation: CollisionSimulation<'_, Points, Reference>, until: f64) -> (Vec<(usize, f64)>, u64) {
    let (mut all, mut steps) = (Vec::new(), 0);
    while simulation.time() < until {
        let crossings = simulation.step(until).unwrap();
        all.extend(crossings.iter().map(|crossing| (crossing.surface, simulation.time())));
        steps += 1;
    }
    (all, steps)
}

#[test]
fn a_plate_that_is_passed_both_ways_within_one_step_is_seen_four_times() {
    // Under a constant acceleration of 2 m/s2 a point dips to a depth below the plate's upper face at 1 s, and comes back: the
    // method is exact for it, so that steps are as long as they may be. What resists is left out.
    for (depth, thickness) in [(0.5, 0.001), (0.0005, 0.001), (1e-5, 0.001), (0.5, 1e-5), (2e-5, 1e-5)] {
        let top = 0.5 * thickness;
        let points = Points { count: 1, stiffness: 0.0, gravity: DVec2::new(0.0, 2.0) };
        let start = (DVec2::new(0.0, top - depth + 1.0), DVec2::new(0.0, -2.0));
        let (found, steps) =
            crossings(simulation(points, vec![MovingTarget::at_rest(plate(thickness))], &[start], 1e-9), 2.0);
        let upper = f64::sqrt(depth);
        let mut expected = vec![(UPPER, 1.0 - upper), (UPPER, 1.0 + upper)];
        if depth > thickness {
            let lower = f64::sqrt(depth - thickness);
            expected.splice(1..1, [(LOWER, 1.0 - lower), (LOWER, 1.0 + lower)]);
        }
        println!("depth {depth} m, plate of {thickness} m: {steps} steps, {found:?}");
        assert_eq!(found.len(), expected.len());
        for ((surface, time), (expected_surface, expected)) in found.iter().zip(&expected) {
            assert_eq!(surface, expected_surface);
            // Coordinates of 1 m are known to some 8 units of 2^-53; the point is at its slowest 2 sqrt(depth - thickness).
            let slowest = 2.0 * f64::sqrt(if depth > thickness { depth - thickness } else { depth });
            assert!((time - expected).abs() <= 8.0 * f64::EPSILON / slowest, "{time} {expected}");
        }
        // Long ones: the first few that find out how long they may be, one for each border, and the last.
        assert!(steps < 15, "{steps}");
    }
}

#[test]
fn a_mass_on_a_spring_plate_bounces_with_the_period_and_the_energy_of_theory() {
    const GRAVITY: f64 = 9.81;
    const HEIGHT: f64 = 1.0;
    const BOUNCES: u32 = 20;
    for (stiffness, tolerance) in [(1e4, 1e-6), (1e4, 1e-9), (1e6, 1e-9), (1e6, 1e-12)] {
        let points = Points { count: 1, stiffness, gravity: DVec2::new(0.0, -GRAVITY) };
        let start = (DVec2::new(0.0, HEIGHT + 0.0005), DVec2::ZERO);
        let mut simulation = simulation(points, vec![MovingTarget::at_rest(plate(0.001))], &[start], tolerance);
        // Free flight down and up; half an oscillation about where the spring bears the weight, and the parts before and after it.
        let (speed, frequency) = ((2.0 * GRAVITY * HEIGHT).sqrt(), stiffness.sqrt());
        let flight = 2.0 * speed / GRAVITY;
        let contact = (PI + 2.0 * (GRAVITY / (frequency * speed)).atan()) / frequency;
        let energy = |simulation: &CollisionSimulation<'_, Points, Reference>| {
            let state = simulation.state();
            let springs: f64 = simulation.contacts().iter().map(|it| 0.5 * stiffness * it.depth().powi(2)).sum();
            0.5 * state[3].powi(2) + GRAVITY * (state[1] - 0.0005) + springs
        };
        let first = energy(&simulation);
        let (mut worst, mut late, mut landings, mut steps) = (0.0f64, 0.0f64, 0u32, 0u32);
        while landings < BOUNCES {
            let crossings = simulation.step(100.0).unwrap();
            steps += 1;
            worst = worst.max((energy(&simulation) / first - 1.0).abs());
            let configuration = simulation.tracker().configurations()[0];
            if crossings.iter().any(|it| it.surface == UPPER) && configuration.collision == 1 << UPPER {
                let expected = 0.5 * flight + f64::from(landings) * (flight + contact);
                late = late.max((simulation.time() - expected).abs());
                landings += 1;
            }
        }
        let rejected = simulation.integrator().rejected();
        println!(
            "k {stiffness:e}, tolerance {tolerance:e}: energy {worst:e}, times {late:e} s, {steps} steps, {rejected} rejected"
        );
        // Each step errs in each component, speed among them, by the tolerance times 1 plus its size of up to 4.4; energy is
        // at most so much per step times the speed; and half of a component's error in energy shifts periods by a share of a
        // quarter of it, bounce by bounce.
        let of_step = tolerance * (1.0 + speed) * speed / first;
        let allowed = f64::from(steps) * of_step;
        assert!(worst <= allowed, "{worst:e} {allowed:e}");
        assert!(late <= allowed * (flight + contact) * f64::from(BOUNCES), "{late:e}");
    }
}

#[test]
fn trials_between_accepted_steps_change_nothing() {
    let run = |with_trials: bool| {
        let mut random = Random::new(test_seed(), 30_000);
        let pose = Pose { velocity: DVec2::new(0.1, 0.2), angular_rate: 0.3, ..Pose::default() };
        let starts: Vec<Start> = (0..8)
            .map(|_| (DVec2::new(random.between(-0.8, 0.8), random.between(0.1, 1.0)), random.in_cube(1.0).truncate()))
            .collect();
        let points = Points { count: 8, stiffness: 1e4, gravity: DVec2::new(0.0, -9.81) };
        let mut simulation = simulation(points, vec![moving(plate(0.001), pose)], &starts, 1e-6);
        let (mut ends, mut trials) = (Vec::new(), 0);
        while simulation.time() < 1.0 {
            if with_trials {
                for _ in 0..random.index(5) {
                    // Any time, before and after, and any places.
                    let time = simulation.time() + random.between(-0.5, 0.5);
                    let target = simulation.targets()[0].at(time).unwrap();
                    let places: Vec<DVec2> = (0..8).map(|_| 0.5 * random.in_cube(1.0).truncate()).collect();
                    simulation.tracker().trial(&*REFERENCE, &[target], &places).unwrap();
                    trials += 1;
                }
            }
            simulation.step(1.0).unwrap();
            ends.push((simulation.time(), simulation.state().to_vec(), simulation.tracker().clone()));
        }
        (ends, trials)
    };
    let ((without, _), (with, trials)) = (run(false), run(true));
    let collisions = without.iter().filter(|(.., tracker)| tracker.configurations().iter().any(|it| it.collision != 0));
    println!("{} steps, {} of them with collisions, {trials} trials", without.len(), collisions.clone().count());
    assert!(without == with && trials > 100 && collisions.count() > 50);
}

#[test]
fn a_collision_lets_go_just_beyond_the_end_of_its_surface() {
    // In through the upper face, out through the lower one, and along below the plate: held without a force.
    let points = Points { count: 1, stiffness: 0.0, gravity: DVec2::ZERO };
    let start = (DVec2::new(0.0, 1.0), DVec2::new(0.5, -1.0));
    let mut simulation = simulation(points, vec![MovingTarget::at_rest(plate(0.001))], &[start], 1e-9);
    let mut ends = Vec::new();
    while simulation.time() < 5.0 {
        let crossings = simulation.step(5.0).unwrap();
        let is_end = |it: &Crossing| it.surface == UPPER && it.border == Border::End;
        if crossings.iter().any(is_end) {
            ends.push((simulation.time(), simulation.tracker().configurations()[0].collision));
        }
    }
    println!("{ends:?}");
    // At x = 1, where the right surface's separation begins at the same time.
    let [(time, collision)] = ends[..] else { panic!("{ends:?}") };
    assert!((time - 2.0).abs() <= 8.0 * f64::EPSILON && collision == 0);
}

#[test]
fn a_target_that_is_faster_than_its_limit_is_an_error() {
    let limits = MotionLimits { speed: 1.0, angular_rate: 0.0 };
    let target = MovingTarget::new(plate(0.1), limits, |time| Pose {
        position: DVec2::new(0.0, time * time),
        velocity: DVec2::new(0.0, 2.0 * time),
        ..Pose::default()
    });
    let points = Points { count: 1, stiffness: 1.0, gravity: DVec2::ZERO };
    let mut simulation = simulation(points, vec![target], &[(DVec2::new(0.0, 5.0), DVec2::ZERO)], 1e-6);
    let error = simulation.run(1.0).unwrap_err();
    println!("{error}");
    assert!(matches!(error, SimulationError::Limit { target: 0, .. }));
    assert!(simulation.time() <= 0.5);
}
