//! Newton's method on all contacts of a group at once, used where sweeps do not settle in a few rounds: in stacks, under heavy bodies
//! on light ones, among bodies that jam while they slide.
//!
//! With P the projection of Alart and Curnier (1991) and rho = kappa / W for each contact and component, the impulses r solve
//!
//! ```text
//! F(r) = r - P(y) = 0,   y = r - rho u,   u = J v + b,   v = v_free + M^-1 J^T r
//! ```
//!
//! P' is that of Hüeber, Stadler and Wohlmuth (2008), for a contact that slides: impulses off the friction disc, as they are on the
//! way, do not spoil it. A proximal term (Rockafellar 1976) makes steps exist where several impulses solve the contacts, as of a
//! table on four legs: what nothing determines stays nearly what it was. Steps dr of the impulses and dv of the velocities are,
//! contact by contact and then for all bodies,
//!
//! ```text
//! ((1 + damping) 1 - P') dr = -F - P' rho J dv   or   dr = -E F - D J dv,   (1 + M^-1 J^T D J) dv = -M^-1 J^T E F
//! ```
//!
//! which are six equations per body, however many contacts bear it. The size of F need not decrease in every step, but must
//! stay below the largest of the last few (Grippo, Lampariello and Lucidi 1986): as contacts change between sticking and
//! sliding, steps that make it grow for a while get to the solution that a decrease at any price keeps away from.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::bodies::{BodyMass, BodyVelocity, Prepared, largest_residual};
use super::cone::{project, project_parts, slope_of_parts, tangential_length};
use super::coupled::Coupled;

/// Weight of velocities against impulses in y. With a third or three times as much somewhat fewer groups are solved.
const KAPPA: f64 = 1e3;
/// Damping: at the start, where it is least; its factor after a step that is shortened much; and where there is nothing to be
/// found by more of it, as steps are hardly longer than those of sweeps.
const MIN_DAMPING: f64 = 1e-4;
const DAMPING_FACTOR: f64 = 10.0;
const MAX_DAMPING: f64 = 10.0;
/// Maximum number of steps: those that succeed take some five, or some thirty where bodies jam.
const MAX_STEPS: u32 = 40;
/// Sizes of F that a step is compared with. With one, so that each step had to make F smaller, three times as many groups of balls
/// poured into a bowl would stay unsolved.
const MEMORY: usize = 4;
/// A step is halved until the size is below the largest of these by this part of what it is; at most so often.
const DECREASE: f64 = 1e-4;
const HALVINGS: u32 = 9;
/// Steps shorter than this part of the full one are damped more.
const SHORT: f64 = 0.2;
/// Maximum number of bodies of a group: the system's memory grows with its square.
const MAX_BODIES: usize = 256;

/// Work space, kept between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Semismooth {
    /// Bodies that contacts move, and where each of all is among them.
    moving: Vec<usize>,
    places: Vec<Option<usize>>,
    system: Coupled,
    /// Iterate, also where it is outside the cones, and its velocities.
    impulses: Vec<DVec3>,
    velocities: Vec<BodyVelocity>,
    /// The step: dr, or before dv is known -E F; D of each contact, and the velocities that -E F gives to bodies.
    step: Vec<DVec3>,
    slopes: Vec<DMat3>,
    given: Vec<BodyVelocity>,
    /// Impulses before the step.
    from: Vec<DVec3>,
    /// Impulses in their cones with the smallest residual.
    best: Vec<DVec3>,
}

/// The part of a step that was gone, and the size of F after it.
struct Taken {
    part: f64,
    size: f64,
}

/// What contacts act on: masses, and velocities without impulses.
#[derive(Clone, Copy)]
pub(super) struct Free<'a> {
    pub masses: &'a [BodyMass],
    pub velocities: &'a [BodyVelocity],
}

impl Semismooth {
    /// Continues from the impulses of a group of contacts, until its residual \[m/s\] is within the tolerance or no step comes
    /// nearer to it; then impulses and velocities are those with the smallest residual, which may be those at the start.
    pub fn improve(
        &mut self,
        contacts: &mut [Prepared],
        free: Free<'_>,
        velocities: &mut [BodyVelocity],
        tolerance: f64,
    ) {
        self.arrange(contacts, free.masses);
        if self.moving.len() > MAX_BODIES {
            return;
        }
        self.impulses.clear();
        self.impulses.extend(contacts.iter().map(|contact| contact.impulse));
        self.best.clone_from(&self.impulses);
        self.velocities.clear();
        self.velocities.extend_from_slice(velocities);
        let mut least = largest_residual(contacts, velocities);
        let mut sizes = [self.size(contacts); MEMORY];
        let (mut damping, mut steps) = (MIN_DAMPING, 0);
        while least > tolerance && damping <= MAX_DAMPING && steps < MAX_STEPS {
            let bound = sizes.iter().copied().fold(0.0, f64::max);
            let taken = self.direct(contacts, free, damping).and_then(|()| self.advance(contacts, free, bound));
            steps += 1;
            let Some(Taken { part, size }) = taken else {
                damping *= DAMPING_FACTOR;
                continue;
            };
            if part < SHORT {
                damping *= DAMPING_FACTOR;
            } else if part >= 1.0 {
                damping = MIN_DAMPING.max(damping / DAMPING_FACTOR);
            }
            sizes.rotate_left(1);
            sizes[MEMORY - 1] = size;
            least = self.keep_if_best(contacts, free, velocities, least);
        }
        contacts.iter_mut().zip(&self.best).for_each(|(contact, best)| contact.impulse = *best);
        self.push(contacts, free, velocities);
    }

    /// Velocities of the group with all its impulses.
    fn push(&self, contacts: &[Prepared], free: Free<'_>, velocities: &mut [BodyVelocity]) {
        self.moving.iter().for_each(|&body| velocities[body] = free.velocities[body]);
        contacts.iter().for_each(|contact| contact.push(free.masses, velocities, contact.impulse));
    }

    /// Numbers the bodies that move, and couples those that touch.
    fn arrange(&mut self, contacts: &[Prepared], masses: &[BodyMass]) {
        let is_moving = |body: &usize| masses[*body] != BodyMass::FIXED;
        self.moving.clear();
        self.moving.extend(contacts.iter().flat_map(|contact| contact.bodies).filter(is_moving));
        self.moving.sort_unstable();
        self.moving.dedup();
        self.places.clear();
        self.places.resize(masses.len(), None);
        self.moving.iter().enumerate().for_each(|(place, &body)| self.places[body] = Some(place));
        if self.moving.len() <= MAX_BODIES {
            let pairs = contacts.iter().filter_map(|Prepared { bodies: [one, other], .. }| {
                self.places[*one].zip(self.places[*other]).map(|(one, other)| [one, other])
            });
            self.system.arrange(self.moving.len(), pairs);
        }
    }

    /// The step from the iterate; `None` where its matrix is singular to rounding.
    fn direct(&mut self, contacts: &[Prepared], free: Free<'_>, damping: f64) -> Option<()> {
        self.system.clear();
        self.step.clear();
        self.slopes.clear();
        self.given.clear();
        self.given.resize(free.masses.len(), BodyVelocity::default());
        for (contact, impulse) in contacts.iter().zip(&self.impulses) {
            let (friction, target) = (contact.block.friction(), contact.target(*impulse, &self.velocities));
            let projected = slope(*impulse, target, friction);
            let inverse = (DMat3::from_diagonal(DVec3::splat(1.0 + damping)) - projected).inverse();
            let step = inverse * (project_parts(target, friction) - *impulse);
            contact.push(free.masses, &mut self.given, step);
            self.step.push(step);
            let slope = inverse * projected * DMat3::from_diagonal(contact.rho());
            self.slopes.push(slope);
            if slope != DMat3::ZERO {
                contact.couple(&mut self.system, &self.places, free.masses, &slope);
            }
        }
        for (entries, &body) in self.system.vector.iter_mut().zip(&self.moving) {
            let BodyVelocity { linear, angular } = self.given[body];
            let ([x, y, z], [p, q, r]) = (linear.to_array(), angular.to_array());
            *entries = [x, y, z, p, q, r];
        }
        self.system.solve()?;
        if !self.system.vector.as_flattened().iter().all(|entry| entry.is_finite()) {
            return None;
        }
        let change = |body: usize| {
            let entries = self.places[body].map_or([0.0; 6], |place| self.system.vector[place]);
            BodyVelocity { linear: DVec3::from_slice(&entries), angular: DVec3::from_slice(&entries[3..]) }
        };
        for ((contact, slope), step) in contacts.iter().zip(&self.slopes).zip(&mut self.step) {
            *step -= *slope * contact.relative(&contact.bodies.map(change));
        }
        self.step.iter().all(|step| step.is_finite()).then_some(())
    }

    /// Goes by the part of the step after which the size of F is below the bound. Where none is, the iterate stays.
    fn advance(&mut self, contacts: &[Prepared], free: Free<'_>, bound: f64) -> Option<Taken> {
        self.from.clone_from(&self.impulses);
        let mut part = 1.0;
        for _ in 0..=HALVINGS {
            self.go(contacts, free, part);
            let size = self.size(contacts);
            if size < (1.0 - DECREASE * part) * bound {
                return Some(Taken { part, size });
            }
            part *= 0.5;
        }
        self.go(contacts, free, 0.0);
        None
    }

    /// Goes by a part of the step.
    fn go(&mut self, contacts: &[Prepared], free: Free<'_>, part: f64) {
        self.moving.iter().for_each(|&body| self.velocities[body] = free.velocities[body]);
        let ways = self.from.iter().zip(&self.step);
        for ((contact, impulse), (from, step)) in contacts.iter().zip(&mut self.impulses).zip(ways) {
            *impulse = *from + part * *step;
            contact.push(free.masses, &mut self.velocities, *impulse);
        }
    }

    /// The size of F at the iterate: the sum of squares of F / rho \[m^2/s^2\].
    fn size(&self, contacts: &[Prepared]) -> f64 {
        let missed = |(contact, impulse): (&Prepared, &DVec3)| {
            let projected = project_parts(contact.target(*impulse, &self.velocities), contact.block.friction());
            ((*impulse - projected) / contact.rho()).length_squared()
        };
        contacts.iter().zip(&self.impulses).map(missed).sum()
    }

    /// Keeps the iterate, brought into the cones, if its residual is less than the least so far; gives the least then.
    fn keep_if_best(
        &mut self,
        contacts: &mut [Prepared],
        free: Free<'_>,
        velocities: &mut [BodyVelocity],
        least: f64,
    ) -> f64 {
        for (contact, impulse) in contacts.iter_mut().zip(&self.impulses) {
            contact.impulse = project(*impulse, contact.block.friction());
        }
        self.push(contacts, free, velocities);
        let residual = largest_residual(contacts, velocities);
        if residual < least {
            self.best.iter_mut().zip(contacts).for_each(|(best, contact)| *best = contact.impulse);
        }
        residual.min(least)
    }
}

/// P' at y: that of the projection, but of r for y's direction where the contact slides.
fn slope(impulse: DVec3, target: DVec3, friction: f64) -> DMat3 {
    let length = tangential_length(target);
    let radius = friction * target.x;
    if target.x <= 0.0 || friction == 0.0 || length <= radius {
        return slope_of_parts(target, friction);
    }
    let along = DVec3::new(0.0, target.y, target.z) / length;
    let tangential = DVec3::new(0.0, impulse.y, impulse.z);
    // On the disc, and not against y: then 1 - P' has no negative eigenvalues.
    let shown = if tangential.dot(along) < 0.0 { DVec3::ZERO } else { tangential.clamp_length_max(radius) / length };
    let turning = radius / length;
    DMat3::from_cols(
        DVec3::X + friction * along,
        DVec3::Y * turning - shown * along.y,
        DVec3::Z * turning - shown * along.z,
    )
}

/// Levers of a contact, the frame or that of an end, with the half of a velocity and the ends that have it.
const LEVERS: [(Option<usize>, usize, Range<usize>); 3] = [(None, 0, 0..2), (Some(0), 1, 0..1), (Some(1), 1, 1..2)];

impl Prepared {
    /// rho of the normal and the tangents.
    fn rho(&self) -> DVec3 {
        let DMat3 { x_axis, y_axis, z_axis } = self.matrix;
        let tangential = KAPPA / y_axis.y.max(z_axis.z);
        DVec3::new(KAPPA / x_axis.x, tangential, tangential)
    }

    /// y.
    fn target(&self, impulse: DVec3, velocities: &[BodyVelocity]) -> DVec3 {
        impulse - self.rho() * self.velocity(velocities)
    }

    /// Adds M^-1 J^T D J of a contact.
    fn couple(&self, system: &mut Coupled, places: &[Option<usize>], masses: &[BodyMass], slope: &DMat3) {
        let places = self.bodies.map(|body| places[body]);
        for (lever, half, ends) in LEVERS {
            let of_velocity = match lever {
                None => *slope * self.frame.transpose(),
                Some(end) => *slope * self.levers[end].transpose(),
            };
            let linear = self.frame * of_velocity;
            for (end, place) in places.into_iter().enumerate() {
                let Some(place) = place else { continue };
                let (inverse_mass, angular) = (masses[self.bodies[end]].inverse_mass, self.turns[end] * of_velocity);
                for other_end in ends.clone() {
                    let Some(other) = places[other_end] else { continue };
                    let sign = if end == other_end { 1.0 } else { -1.0 };
                    system.add([place, 0], [other, half], sign * inverse_mass, &linear);
                    system.add([place, 1], [other, half], sign, &angular);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bodies::{BodyContact, ContactSolver, Outcome, Stopping};
    use super::super::drawn::Random;
    use super::*;
    use crate::lcp::Status;

    fn ball(inverse_mass: f64) -> BodyMass {
        BodyMass { inverse_mass, inverse_inertia: DMat3::IDENTITY * (2.5 * inverse_mass) }
    }

    fn contact(bodies: [usize; 2], arms: [DVec3; 2], normal: DVec3) -> BodyContact {
        BodyContact { bodies, arms, normal, friction: 0.5, bias: DVec3::ZERO, impulse: DVec3::ZERO }
    }

    fn solve(
        masses: &[BodyMass],
        velocity: BodyVelocity,
        contacts: &mut [BodyContact],
        (sweeps, tolerance): (u32, f64),
    ) -> Outcome {
        let mut velocities = [vec![BodyVelocity::default()], vec![velocity; masses.len() - 1]].concat();
        let stopping = Stopping { sweeps, tolerance };
        ContactSolver::default().solve(masses, &mut velocities, contacts, stopping).unwrap()
    }

    #[test]
    fn a_column_is_held_beside_another_that_takes_more_steps() {
        // Balls on each other, each column under a load: 1e3 and 1e7 times as heavy.
        let on = |bodies| contact(bodies, [DVec3::ZERO, DVec3::NEG_Z], DVec3::Z);
        let column = |first: usize| [on([0, first]), on([first, first + 1]), on([first + 1, first + 2])];
        let masses: Vec<BodyMass> =
            [BodyMass::FIXED].into_iter().chain([1.0, 1.0, 1e-3, 1.0, 1.0, 1e-7].map(ball)).collect();
        let falling = BodyVelocity { linear: DVec3::Z * -0.1, angular: DVec3::ZERO };
        let solve = |columns: &[usize]| {
            let mut contacts: Vec<BodyContact> = columns.iter().flat_map(|&first| column(first)).collect();
            (solve(&masses, falling, &mut contacts, (50, 1e-10)), contacts)
        };
        let (alone, impulses) = solve(&[1]);
        assert_eq!(alone.status, Status::Solved);
        let (_, beside) = solve(&[1, 4]);
        assert_eq!(impulses[..], beside[..3]);
    }

    /// Cubes on four corners each, some a thousand times as heavy as others, all sliding one way: steps that must make F smaller
    /// each time stay away from the solution of many of them.
    #[test]
    fn towers_of_light_and_heavy_cubes_that_slide_are_solved() {
        let mut random = Random(11);
        for friction in [0.05, 0.5] {
            for number in 0..40 {
                let count = 2 + number % 7;
                let mut masses = vec![BodyMass::FIXED];
                masses.extend((0..count).map(|_| ball(if random.next() > 0.0 { 1e-3 } else { 1.0 })));
                let corners = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)];
                let on = |body: usize, (x, y): (f64, f64)| {
                    let below = DVec3::new(x, y, if body == 1 { 0.0 } else { 0.5 });
                    let on = contact([body - 1, body], [below, DVec3::new(x, y, -0.5)], DVec3::Z);
                    BodyContact { friction, ..on }
                };
                let mut contacts: Vec<BodyContact> =
                    (1..=count).flat_map(|body| corners.map(|corner| on(body, corner))).collect();
                let linear = DVec3::Z * -0.1 + 0.03 * random.vector();
                let velocity = BodyVelocity { linear, angular: DVec3::ZERO };
                // One tower comes to 1.3e-10 only: from there on F shrinks by a few hundredths in a step, whatever the damping.
                let outcome = solve(&masses, velocity, &mut contacts, (200, 1e-9));
                assert_eq!(outcome.status, Status::Solved, "{friction} {number}: {outcome:?}");
            }
        }
    }

    /// Two walls of nearly the same direction bear a ball that slides, and impulses along the line between both points do nothing.
    #[test]
    fn a_ball_between_walls_that_nearly_coincide_is_solved() {
        let (tilt, radius) = (0.07f64, 0.05);
        let masses = [BodyMass::FIXED, BodyMass { inverse_mass: 0.76, inverse_inertia: DMat3::IDENTITY * 764.0 }];
        let walls = [DVec3::new(tilt.sin(), 0.0, tilt.cos()), DVec3::new(0.0, tilt.sin(), tilt.cos())];
        let velocity =
            BodyVelocity { linear: DVec3::new(-0.0151, -0.0150, -0.0963), angular: DVec3::new(0.302, -0.303, 0.0) };
        let mut contacts = walls.map(|normal| contact([0, 1], [DVec3::ZERO, -radius * normal], normal));
        contacts[0].bias = DVec3::new(-1.70e-6, 0.0, -2.43e-5);
        contacts[1].bias = DVec3::new(0.0, -1.55e-6, -2.21e-5);
        let outcome = solve(&masses, velocity, &mut contacts, (200, 1e-10));
        assert_eq!(outcome.status, Status::Solved, "{outcome:?}");
    }

    #[test]
    fn the_slope_is_the_derivative_where_a_contact_slides_and_leaves_steps_determined_elsewhere() {
        let (target, friction) = (DVec3::new(2.0, 3.0, -4.0), 0.5);
        let sliding = project_parts(target, friction);
        let difference = slope(sliding, target, friction) - slope_of_parts(target, friction);
        assert!(difference.abs_diff_eq(DMat3::ZERO, 1e-15), "{difference}");
        let mut random = Random(3);
        for _ in 0..1000 {
            let (impulse, target) = (5.0 * random.vector(), random.vector());
            let target = DVec3::new(target.x.abs(), target.y, target.z);
            let damping = 1e-4;
            let matrix = DMat3::from_diagonal(DVec3::splat(1.0 + damping)) - slope(impulse, target, friction);
            // All eigenvalues are at least the damping.
            assert!(matrix.determinant() >= 0.99 * damping.powi(3), "{impulse} {target}: {matrix}");
        }
    }
}
