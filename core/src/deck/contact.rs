//! Initiators on the deck: which surface they collide with, and what it does to them.
//!
//! # Conventions
//! The deck's axes: x to starboard, z up, from the deck's middle. Surfaces and collisions are those of the transient
//! separating-axis test with its tie break; along a surface the way counts from its first vertex.

use glam::DVec2;

use crate::query::{ConvexTarget, TargetSurface};

/// A convex piece of the deck, with its surfaces at hand: they stay while the deck moves, since places are in its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    surfaces: Vec<TargetSurface>,
}

/// Configuration of an initiator and a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// Bit i: separation from surface i is lost.
    pub penetration: u32,
    /// The surface that it collides with.
    pub collision: Option<usize>,
}

impl Piece {
    /// A target as a piece.
    #[must_use]
    pub fn new(target: &ConvexTarget) -> Self {
        Self { surfaces: target.surfaces().collect() }
    }

    /// Its surfaces.
    #[must_use]
    pub fn surfaces(&self) -> &[TargetSurface] {
        &self.surfaces
    }

    /// The configuration of an initiator that starts here: it collides with nothing.
    #[must_use]
    pub fn initial(&self, place: DVec2) -> Configuration {
        let mut penetration = 0;
        for (number, surface) in self.surfaces.iter().enumerate() {
            penetration |= u32::from(surface.separation(place) <= 0.0) << number;
        }
        Configuration { penetration, collision: None }
    }

    /// The configuration of an initiator that went from one place to another.
    #[must_use]
    pub fn next(&self, before: Configuration, from: DVec2, to: DVec2) -> Configuration {
        let Configuration { penetration, .. } = self.initial(to);
        let is_full = penetration == u32::MAX >> (32 - self.surfaces.len());
        let collision = match before.collision {
            Some(surface) if is_full => Some(surface),
            None if is_full => self.last_lost(penetration & !before.penetration, from, to),
            Some(number) => {
                let surface = &self.surfaces[number];
                (surface.is_on_range(to) && penetration >> number & 1 == 1).then_some(number)
            }
            None => None,
        };
        Configuration { penetration, collision }
    }

    /// Of surfaces that lost separation the one whose separation vanished last, the first of equals.
    fn last_lost(&self, lost: u32, from: DVec2, to: DVec2) -> Option<usize> {
        let mut last = None;
        let mut latest = f64::NEG_INFINITY;
        for (number, surface) in self.surfaces.iter().enumerate().filter(|(number, _)| lost >> number & 1 == 1) {
            let (before, after) = (surface.separation(from), surface.separation(to));
            let share = before / (before - after);
            if last.is_none() || share > latest {
                (last, latest) = (Some(number), share);
            }
        }
        last
    }
}

/// What a surface does to an initiator, by springs and dampers: across it, and along it to a pebble that stays on the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// Spring across the surface \[N/m\].
    pub stiffness: f64,
    /// Damper across the surface \[N s/m\].
    pub damping: f64,
    /// Spring along the surface \[N/m\].
    pub grip_stiffness: f64,
    /// Damper along the surface \[N s/m\].
    pub grip_damping: f64,
    /// Static friction by dynamic friction.
    pub static_ratio: f64,
}

/// What holds an initiator along a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Where the pebble is along the surface \[m\].
    pub pebble: f64,
    /// Whether it stands there, or slips.
    pub stands: bool,
}

/// An initiator by a surface: where it will be at the step's end without a force on it, and what forces change in that.
#[derive(Clone, Copy, Debug)]
pub struct Approach {
    /// Place outwards of the surface, and along it \[m\].
    pub place: [f64; 2],
    /// Velocity outwards and along the surface, relative to it \[m/s\].
    pub velocity: [f64; 2],
    /// By how much forces of 1 N outwards and along change the place \[m/N\]: outwards by outwards, across, along by along.
    pub give: [f64; 3],
    /// The same of the velocity \[m/s/N\].
    pub push: [f64; 3],
}

impl ContactLaw {
    /// Forces outwards and along the surface \[N\], and the grip after the step: those of springs and dampers at the step's end, which
    /// the forces themselves change. So however stiff the springs are, and however light the node is, nothing grows.
    #[must_use]
    pub fn forces(&self, approach: &Approach, friction: f64, grip: Grip) -> ([f64; 2], Grip) {
        let Approach { place, velocity, give, push } = *approach;
        let change = |stiffness: f64, damping: f64, number: usize| stiffness * give[number] + damping * push[number];
        let (own, cross) = (1.0 + change(self.stiffness, self.damping, 0), change(self.stiffness, self.damping, 1));
        let cross_along = change(self.grip_stiffness, self.grip_damping, 1);
        let own_along = 1.0 + change(self.grip_stiffness, self.grip_damping, 2);
        let free = -(self.stiffness * place[0] + self.damping * velocity[0]);
        let free_along = -(self.grip_stiffness * (place[1] - grip.pebble) + self.grip_damping * velocity[1]);
        // Both springs hold: two equations. Their determinant is that of a positive definite matrix, rows scaled.
        let determinant = own * own_along - cross * cross_along;
        let outwards = (free * own_along - cross * free_along) / determinant;
        let along = (own * free_along - cross_along * free) / determinant;
        let holds = friction * outwards * if grip.stands { self.static_ratio } else { 1.0 };
        if outwards > 0.0 && along.abs() <= holds {
            return ([outwards, along], Grip { stands: true, ..grip });
        }
        // It slips, or is about to leave: friction is a share of what presses. A share so large that it would press itself on
        // (Painleve) is left out of the equation.
        let direction = if outwards > 0.0 { 1.0_f64.copysign(along) } else { 1.0_f64.copysign(free_along) };
        let pressed = own + direction * friction * cross;
        let outwards = (free / if pressed > 0.5 * own { pressed } else { own }).max(0.0);
        let slips = direction * friction * outwards;
        let way = place[1] + give[1] * outwards + give[2] * slips;
        // Where the spring alone would have the pebble (R9 of the wheel).
        ([outwards, slips], Grip { pebble: way + slips / self.grip_stiffness, stands: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Compute;
    use crate::query::{InitiatorMotion, Oriented, TargetMotions};
    use crate::random::philox4x32;
    use crate::reference::Reference;

    fn plate() -> Piece {
        let corners = [(-2.0, -0.3), (-2.0, 0.0), (2.0, 0.0), (2.0, -0.3)].map(DVec2::from);
        Piece::new(&ConvexTarget::new(corners.into()).unwrap())
    }

    #[test]
    fn a_collision_is_kept_through_another_surface_and_lost_beyond_the_edge() {
        let piece = plate();
        let mut configuration = piece.initial(DVec2::new(0.0, 0.1));
        let mut place = DVec2::new(0.0, 0.1);
        let mut go = |x: f64, z: f64| {
            let to = DVec2::new(x, z);
            configuration = piece.next(configuration, place, to);
            place = to;
            configuration.collision
        };
        assert_eq!(go(0.5, -0.01), Some(1), "the upper surface");
        assert_eq!(go(0.5, -0.29), Some(1), "deep, and nearer to the lower one");
        assert_eq!(go(0.5, -0.4), Some(1), "through, and beside the surface still");
        assert_eq!(go(0.5, -0.2), Some(1));
        assert_eq!(go(2.5, -0.2), None, "past its end");
        assert_eq!(go(1.9, -0.2), Some(2), "in again by the side");
        assert_eq!(piece.initial(DVec2::new(0.0, -0.1)).collision, None, "who starts inside collides with nothing");
    }

    /// The same as the job `oriented` with its tie break, from step to step.
    #[test]
    fn pieces_are_collided_with_as_targets_of_the_oriented_job() {
        const PATHS: usize = 4000;
        const STEPS: usize = 25;
        let engine = Reference::new(1).unwrap();
        let mut collided = 0;
        for corners in 3..9_u32 {
            let corner = |number: u32| {
                // Clockwise around an ellipse.
                let angle = -std::f64::consts::TAU * f64::from(number) / f64::from(corners);
                DVec2::new(2.0 * angle.cos(), 0.6 * angle.sin())
            };
            let target = [ConvexTarget::new((0..corners).map(corner).collect()).unwrap()];
            let (piece, targets) = (Piece::new(&target[0]), TargetMotions::at_rest(&target));
            let uniform = |step: usize, path: usize, axis: u32| {
                let words = philox4x32([path as u32, step as u32, axis, corners], [7, 11]);
                f64::from(words[0]) / f64::from(u32::MAX) - 0.5
            };
            let place =
                |step: usize, path: usize| DVec2::new(6.0 * uniform(step, path, 0), 2.0 * uniform(step, path, 1));
            let motion = |from, to, reference| InitiatorMotion { target: 0, from, to, reference };
            let at = |step: usize| -> Vec<DVec2> { (0..PATHS).map(|path| place(step, path)).collect() };
            let mut mine: Vec<Configuration> = at(0).into_iter().map(|place| piece.initial(place)).collect();
            let start: Vec<_> = at(0).into_iter().map(|place| motion(place, place, None)).collect();
            let mut theirs = engine.compute::<Oriented>(targets, &start).unwrap();
            for step in 1..STEPS {
                let (from, to) = (at(step - 1), at(step));
                let motions: Vec<_> =
                    (0..PATHS).map(|path| motion(from[path], to[path], Some(theirs[path].configuration))).collect();
                theirs = engine.compute::<Oriented>(targets, &motions).unwrap();
                for path in 0..PATHS {
                    mine[path] = piece.next(mine[path], from[path], to[path]);
                    let mask = mine[path].collision.map_or(0, |surface| 1 << surface);
                    let expected = theirs[path].configuration;
                    assert_eq!(
                        (mine[path].penetration, mask),
                        (expected.penetration, expected.collision_last),
                        "{path}"
                    );
                    collided += usize::from(mask != 0);
                }
            }
        }
        println!("{collided} collisions of {}", 6 * PATHS * (STEPS - 1));
        assert!(collided > 50_000);
    }

    #[test]
    fn grips_stand_up_to_static_friction_and_slip_with_dynamic() {
        let law =
            ContactLaw { stiffness: 1e6, damping: 0.0, grip_stiffness: 1e5, grip_damping: 0.0, static_ratio: 1.25 };
        let at = |way: f64| Approach { place: [-1e-3, way], velocity: [0.0; 2], give: [0.0; 3], push: [0.0; 3] };
        let start = Grip { pebble: 0.0, stands: true };
        let ([outwards, along], grip) = law.forces(&at(6e-3), 0.5, start);
        assert!((outwards - 1000.0).abs() < 1e-9 && (along + 600.0).abs() < 1e-9 && grip == start, "below 625 N");
        let ([_, along], grip) = law.forces(&at(7e-3), 0.5, start);
        assert!((along + 500.0).abs() < 1e-9 && !grip.stands && (grip.pebble - 2e-3).abs() < 1e-12);
        let ([_, along], grip) = law.forces(&at(6.9e-3), 0.5, grip);
        assert!((along + 490.0).abs() < 1e-9 && grip.stands, "it stands as soon as it asks for less");
        let leaving = Approach { place: [1e-3, 0.01], ..at(0.0) };
        let ([outwards, along], _) = law.forces(&leaving, 0.5, start);
        assert!(outwards == 0.0 && along == 0.0, "nothing pulls");
    }

    /// The forces are those of the springs at the place to which they themselves bring the initiator.
    #[test]
    fn forces_are_those_of_the_end_of_the_step() {
        let law =
            ContactLaw { stiffness: 2e6, damping: 3e3, grip_stiffness: 1e6, grip_damping: 2e3, static_ratio: 1.2 };
        let (give, push) = ([2e-7, -1e-7, 4e-7], [3e-4, -2e-4, 5e-4]);
        for (velocity, friction) in [([-1.0, 0.1], 5.0), ([-1.0, 2.0], 0.4), ([-0.5, -1.0], 0.6)] {
            let approach = Approach { place: [-2e-3, 1e-3], velocity, give, push };
            let ([outwards, along], grip) = law.forces(&approach, friction, Grip { pebble: 0.0, stands: true });
            let end = |free: f64, by: [f64; 3], axis: usize| free + by[axis] * outwards + by[axis + 1] * along;
            let (place, speed) = (end(approach.place[0], give, 0), end(velocity[0], push, 0));
            assert!((-(2e6 * place + 3e3 * speed) / outwards - 1.0).abs() < 1e-12);
            let (way, speed) = (end(approach.place[1], give, 1), end(velocity[1], push, 1));
            if grip.stands {
                assert!((-(1e6 * way + 2e3 * speed) / along - 1.0).abs() < 1e-12);
            } else {
                assert!((along.abs() - friction * outwards).abs() < 1e-9 * outwards);
                assert!((1e6 * (grip.pebble - way) / along - 1.0).abs() < 1e-12);
            }
        }
    }
}
