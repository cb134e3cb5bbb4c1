//! A soft square of masses, springs and dampers settles on a plate that sways and rocks: a deformable body, none of whose
//! points passes.
//!
//!     cargo run --release --example settling > docs/settling.svg
//!
//! The picture shows the plate and the square from time to time; what happens is told on standard error.
//!
//! # Conventions
//! Metres, x to the right and y upwards; a picture's y goes down.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is the picture and what happens")]

use std::f64::consts::TAU;
use std::fmt::Write;

use glam::DVec2;
use touchdown::integrator::{Integrator, Tolerances};
use touchdown::native::Native;
use touchdown::oriented::{
    CollidingSystem, CollisionSimulation, Contact, MotionLimits, MovingTarget, Pose, SimulationError,
};
use touchdown::query::{ConvexTarget, TargetSurface};

/// Masses around the square, so many along each side; half a side [m], how it is turned first [rad], and the mass of all [kg].
const MASSES: usize = 4 * PER_SIDE;
const PER_SIDE: usize = 4;
const HALF_SIDE: f64 = 0.4;
const TILT: f64 = 0.5;
const MASS: f64 = 10.0;
const GRAVITY: DVec2 = DVec2::new(0.0, -9.81);
/// Springs from each mass to others, so far along the sides [N/m], and dampers beside them [N s/m].
const NEIGHBOURS: [usize; 4] = [1, 2, PER_SIDE, 2 * PER_SIDE];
const SPRING: f64 = 4000.0;
const DAMPER: f64 = 15.0;
/// Along a surface's normal [N/m] and [N s/m], and against sliding along it [N s/m].
const STIFFNESS: f64 = 2e4;
const DAMPING: f64 = 20.0;
const DRAG: f64 = 100.0;
/// Half the extents of the plate [m].
const HALF_LENGTH: f64 = 1.6;
const HALF_THICKNESS: f64 = 0.03;
/// The plate sways by this [m], [m] and [rad], so often [rad/s].
const SWAY: DVec2 = DVec2::new(0.15, 0.1);
const ROCK: f64 = 0.12;
const RATES: [f64; 3] = [1.3, 1.9, 1.6];
/// How long it is followed, and from when on it should have settled [s].
const TIME: f64 = 8.0;
const SETTLED: f64 = 6.0;
const PICTURES: usize = 6;

/// The state is (x, y) of all masses, then their velocities.
struct Square;

impl Square {
    fn vector(state: &[f64], number: usize) -> DVec2 {
        DVec2::new(state[2 * number], state[2 * number + 1])
    }

    /// Where a mass is on the undeformed square, clockwise from the lower left corner.
    fn local(mass: usize) -> DVec2 {
        let along = -HALF_SIDE + 2.0 * HALF_SIDE * (mass % PER_SIDE) as f64 / PER_SIDE as f64;
        let quarters = -((mass / PER_SIDE) as f64) * TAU / 4.0;
        DVec2::from_angle(quarters).rotate(DVec2::new(-HALF_SIDE, along))
    }

    /// At rest above the plate.
    fn start() -> Vec<f64> {
        let place = |mass: usize| DVec2::new(0.2, 1.2) + DVec2::from_angle(TILT).rotate(Self::local(mass));
        (0..MASSES).flat_map(|mass| place(mass).to_array()).chain([0.0; 2 * MASSES]).collect()
    }
}

impl CollidingSystem for Square {
    fn initiators(&self) -> usize {
        MASSES
    }

    fn place(&self, state: &[f64], initiator: usize) -> DVec2 {
        Self::vector(state, initiator)
    }

    fn speed_limit(&self, rates: &[f64], initiator: usize) -> f64 {
        Self::vector(rates, initiator).length()
    }

    fn rates(&self, _time: f64, state: &[f64], contacts: &[Contact], rates: &mut [f64]) {
        let mass = MASS / MASSES as f64;
        let velocity = |number: usize| Self::vector(state, MASSES + number);
        let mut forces = [mass * GRAVITY; MASSES];
        for (one, away) in (0..MASSES).flat_map(|one| NEIGHBOURS.map(|away| (one, away))) {
            let other = (one + away) % MASSES;
            let (between, relative) =
                (Self::vector(state, other) - Self::vector(state, one), velocity(other) - velocity(one));
            let length = between.length();
            let at_rest = Self::local(other).distance(Self::local(one));
            let along = between / length;
            // Those across the square are counted from both ends.
            let force = (SPRING * (length - at_rest) + DAMPER * relative.dot(along)) * along;
            forces[one] += force;
            forces[other] -= force;
        }
        for contact in contacts {
            let slip = velocity(contact.initiator) - contact.velocity;
            let TargetSurface { normal, along, .. } = contact.surface;
            // A damper pushes, it does not pull: otherwise what leaves would stick.
            let push = (STIFFNESS * contact.depth() - DAMPING * slip.dot(normal)).max(0.0);
            forces[contact.initiator] += push * normal - DRAG * slip.dot(along) * along;
        }
        let (velocities, accelerations) = rates.split_at_mut(2 * MASSES);
        velocities.copy_from_slice(&state[2 * MASSES..]);
        for (acceleration, force) in accelerations.chunks_mut(2).zip(forces) {
            acceleration.copy_from_slice(&(force / mass).to_array());
        }
    }
}

/// Its surfaces are left, upper, right and lower.
pub fn plate() -> MovingTarget<'static> {
    let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)].map(DVec2::from);
    let size = DVec2::new(HALF_LENGTH, HALF_THICKNESS);
    let shape = ConvexTarget::new(corners.map(|corner| corner * size).to_vec()).expect("a rectangle is convex");
    let [x, y, turn] = RATES;
    let limits = MotionLimits { speed: (SWAY * DVec2::new(x, y)).length(), angular_rate: ROCK * turn };
    MovingTarget::new(shape, limits, move |time| Pose {
        position: SWAY * DVec2::new((x * time).sin(), (y * time).sin()),
        angle: ROCK * (turn * time).sin(),
        velocity: SWAY * DVec2::new(x * (x * time).cos(), y * (y * time).cos()),
        angular_rate: ROCK * turn * (turn * time).cos(),
    })
}

/// The mask of the upper one.
pub const UPPER: u32 = 1 << 1;

/// What happens.
#[derive(Clone, Debug, Default)]
pub struct Settling {
    /// Accepted steps.
    pub steps: u32,
    /// Steps that end where something is crossed.
    pub crossings: u32,
    /// Steps in which more than one surface of one mass changes.
    pub ties: u32,
    /// Surfaces that masses have ever collided with.
    pub collisions: u32,
    /// Those that minimum translation takes for them.
    pub minimum_translations: u32,
    /// The farthest that a mass has been behind the upper surface [m].
    pub deepest: f64,
    /// The greatest speed of the square's centre relative to the plate, before and after it should have settled [m/s].
    pub speeds: [f64; 2],
    /// The places of the masses in the end, in the plate's axes [m].
    pub places: Vec<DVec2>,
    /// As SVG.
    pub picture: String,
}

/// Follows the square.
pub fn settle() -> Result<Settling, Box<dyn std::error::Error>> {
    let engine = Native::new(1)?;
    let integrator = Integrator::new(0.0, Square::start(), Tolerances::uniform(1e-6, 1e-6, 4 * MASSES))?;
    let mut simulation = CollisionSimulation::new(&engine, Square, vec![plate()], integrator)?;
    let (mut told, mut body) = (Settling::default(), String::new());
    for picture in 0..PICTURES {
        draw(&mut body, &simulation, picture)?;
        let until = TIME * (picture + 1) as f64 / PICTURES as f64;
        while simulation.time() < until {
            step(&mut simulation, until, &mut told)?;
        }
    }
    draw(&mut body, &simulation, PICTURES)?;
    let pose = plate().pose(simulation.time());
    let local = |place: &DVec2| DVec2::from_angle(-pose.angle).rotate(*place - pose.position);
    told.places = simulation.tracker().initiators().iter().map(local).collect();
    told.picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-2 -2.1 4 2.7\">\n<title>A soft square settles on a swaying \
         plate</title>\n{STYLE}<rect x=\"-2\" y=\"-2.1\" width=\"4\" height=\"2.7\" fill=\"white\"/>\n{body}</svg>\n"
    );
    Ok(told)
}

fn step(
    simulation: &mut CollisionSimulation<'_, Square, Native>,
    until: f64,
    told: &mut Settling,
) -> Result<(), SimulationError> {
    let before: Vec<u32> = simulation.tracker().configurations().iter().map(|it| it.penetration).collect();
    told.steps += 1;
    told.crossings += u32::from(!simulation.step(until)?.is_empty());
    for (before, now) in before.into_iter().zip(simulation.tracker().configurations()) {
        told.ties += u32::from((before ^ now.penetration).count_ones() > 1);
        told.collisions |= now.collision;
        if now.collision != 0 {
            told.minimum_translations |= now.minimum_translation.map_or(0, |nearest| 1 << nearest);
        }
    }
    told.deepest = simulation.contacts().iter().map(Contact::depth).fold(told.deepest, f64::max);
    let relative = |mass: usize| {
        let (place, velocity) =
            (Square::vector(simulation.state(), mass), Square::vector(simulation.state(), MASSES + mass));
        velocity - simulation.targets()[0].pose(simulation.time()).velocity_at(place)
    };
    let speed = (0..MASSES).map(relative).sum::<DVec2>().length() / MASSES as f64;
    let of_part = &mut told.speeds[usize::from(simulation.time() >= SETTLED)];
    *of_part = of_part.max(speed);
    Ok(())
}

const STYLE: &str = "<style>\n  polygon { fill: none; stroke: #c8ccd0; stroke-width: 0.01; }\n  .last { stroke: #2a6fb0; }\n  \
                     .plate { stroke: #30363c; fill: #e4e8ec; }\n  circle { fill: #c0392b; }\n</style>\n";

/// The plate and the square, with a dot on each mass that collides.
fn draw(
    body: &mut String,
    simulation: &CollisionSimulation<'_, Square, Native>,
    picture: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let is_last = picture == PICTURES;
    let points = |vertices: &[DVec2]| {
        vertices.iter().map(|vertex| format!("{:.3},{:.3}", vertex.x, -vertex.y)).collect::<Vec<_>>().join(" ")
    };
    let plate = simulation.targets()[0].at(simulation.time())?;
    let square = simulation.tracker().initiators();
    let [of_plate, of_square] = if is_last { ["plate", "last"] } else { [""; 2] };
    writeln!(body, "<polygon class=\"{of_plate}\" points=\"{}\"/>", points(plate.vertices()))?;
    writeln!(body, "<polygon class=\"{of_square}\" points=\"{}\"/>", points(square))?;
    for contact in simulation.contacts().iter().filter(|_| is_last) {
        let DVec2 { x, y } = square[contact.initiator];
        writeln!(body, "<circle cx=\"{x:.3}\" cy=\"{:.3}\" r=\"0.02\"/>", -y)?;
    }
    Ok(())
}

#[allow(dead_code, reason = "tests ask for the rest")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let told = settle()?;
    eprintln!("{} steps, {} of them end where something is crossed", told.steps, told.crossings);
    eprintln!("deepest {:.4} m behind the upper surface of a plate {:.2} m thick", told.deepest, 2.0 * HALF_THICKNESS);
    eprintln!(
        "collisions with surfaces {:#06b}, minimum translation has {:#06b}",
        told.collisions, told.minimum_translations
    );
    let [before, after] = told.speeds;
    eprintln!("speed relative to the plate up to {before:.3} m/s, from {SETTLED} s on up to {after:.4} m/s");
    print!("{}", told.picture);
    Ok(())
}
