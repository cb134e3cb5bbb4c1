//! Separations of cars during a step, and how fast they may change.
//!
//! Cars that move as one keep their separation, however fast they are. In axes that turn with the first car, at `w_a`, a point q
//! from the centre of the second one moves at
//!
//! ```text
//! v = V - w_a x R + (w_b - w_a) x q,    |q| <= the greatest semi-axis of b
//! ```
//!
//! with R and V the place and the velocity of the second centre relative to the first. The distance of two bodies changes no
//! faster than the fastest of these points, and the separation, which is the width of a gap between parallel planes, is no
//! greater than the distance: two bodies that are apart do not touch as long as the points' ways are shorter than it. Of a
//! part of a step v is known in the middle, and bounds on accelerations over the step say by how much it changes: the
//! bound for cars that stay side by side falls with the length of the part.
//!
//! # Conventions
//! As in [`super`].

use glam::{DVec2, DVec4};

use super::car::Dynamics;
use super::drive::Driver;
use crate::elementary::hypot;
use crate::integrator::{Step, Watch};
use crate::query::SIDES_OVER_SEMI_AXES;

/// The level share of the quaternion's axis forwards counts as at least this, so that the yaw rate of a car that stands
/// upright, which has no heading, is bounded.
const LEAST_LEVEL: f64 = 0.1;

/// Where a spatial car's state has its quaternion.
const QUATERNION: [usize; 4] = [6, 7, 8, 9];

/// Separations of pairs during a step.
pub(super) struct Separations<'a> {
    driver: &'a Driver<'a>,
    step: &'a Step,
    pairs: Vec<[usize; 2]>,
    /// Of each car.
    limits: Vec<Limits>,
}

/// A car's level motion at a time.
struct Motion {
    position: DVec2,
    velocity: DVec2,
    yaw_rate: f64,
}

/// Bounds on a car's level motion over a step.
struct Limits {
    /// \[m/s^2\]
    acceleration: f64,
    /// \[rad/s\]
    yaw_rate: f64,
    /// \[rad/s^2\]
    yaw_acceleration: f64,
    /// How fast points of its surface move as it deforms, turning included \[m/s\].
    deforming: f64,
    /// Its greatest level semi-axis, when it is not deformed \[m\].
    radius: f64,
}

impl<'a> Separations<'a> {
    /// Of pairs that are apart when the step begins.
    pub fn new(driver: &'a Driver<'a>, step: &'a Step, pairs: Vec<[usize; 2]>) -> Self {
        let limits = (0..driver.cars.len()).map(|car| limits(driver, step, car)).collect();
        Self { driver, step, pairs, limits }
    }

    fn motion(&self, car: usize, time: f64) -> Motion {
        let first = car * self.driver.dynamics.components();
        let rate = |component: usize| self.step.rate(first + component, time);
        let value = |component: usize| self.step.component(first + component, time);
        Motion {
            position: DVec2::new(value(0), value(1)),
            velocity: DVec2::new(rate(0), rate(1)),
            yaw_rate: match self.driver.dynamics {
                Dynamics::Planar => rate(4),
                Dynamics::Spatial => {
                    let turned = DVec4::from_array(QUATERNION.map(value));
                    let turning = DVec4::from_array(QUATERNION.map(rate));
                    let forwards = level_forwards(turned, turned);
                    forwards.perp_dot(2.0 * level_forwards(turned, turning)) / forwards.length_squared()
                }
                // Among what deforms it.
                Dynamics::Deformable => 0.0,
            },
        }
    }
}

impl Watch for Separations<'_> {
    fn count(&self) -> usize {
        self.pairs.len()
    }

    fn values(&self, numbers: &[usize], time: f64) -> Vec<f64> {
        let state = self.step.at(time);
        numbers.iter().map(|&number| self.driver.separation(self.pairs[number], &state)).collect()
    }

    fn rate_limit(&self, number: usize) -> f64 {
        self.rate_limit_within(number, [self.step.from(), self.step.to()])
    }

    fn rate_limit_within(&self, number: usize, [from, to]: [f64; 2]) -> f64 {
        let pair = self.pairs[number];
        let [a, b] = pair.map(|car| &self.limits[car]);
        let half = 0.5 * (to - from);
        let [motion_a, motion_b] = pair.map(|car| self.motion(car, from + half));
        let (apart, drift) = (motion_b.position - motion_a.position, motion_b.velocity - motion_a.velocity);
        let carried = drift - motion_a.yaw_rate * apart.perp();
        let turning = (motion_b.yaw_rate - motion_a.yaw_rate).abs();
        // By how much both change until either end.
        let acceleration = a.acceleration + b.acceleration;
        let fastest = drift.length() + acceleration * half;
        let farthest = apart.length() + fastest * half;
        let change = acceleration + a.yaw_acceleration * farthest + a.yaw_rate * fastest;
        let turning_change = a.yaw_acceleration + b.yaw_acceleration;
        carried.length() + change * half + (turning + turning_change * half) * b.radius + a.deforming + b.deforming
    }
}

fn limits(driver: &Driver<'_>, step: &Step, car: usize) -> Limits {
    let first = car * driver.dynamics.components();
    let rate = |component: usize| step.rate_limit(first + component);
    let acceleration = |component: usize| step.acceleration_limit(first + component);
    let [length, width, _] = driver.cars[car].model.sides;
    let level = Limits {
        acceleration: hypot(acceleration(0), acceleration(1)),
        yaw_rate: 0.0,
        yaw_acceleration: 0.0,
        deforming: 0.0,
        radius: length.max(width) / SIDES_OVER_SEMI_AXES,
    };
    match driver.dynamics {
        Dynamics::Planar => Limits { yaw_rate: rate(4), yaw_acceleration: acceleration(4), ..level },
        Dynamics::Spatial => {
            // The heading is that of f, a square of the quaternion: f' = 2 f(q, q') and f'' = 2 f(q', q') + 2 f(q, q'').
            let half = 0.5 * (step.to() - step.from());
            let value = |component: usize| step.component(first + component, step.from() + half);
            let middle = DVec4::from_array(QUATERNION.map(value));
            let once = DVec4::from_array(QUATERNION.map(rate)).length();
            let twice = DVec4::from_array(QUATERNION.map(acceleration)).length();
            let size = middle.length() + once * half;
            let (rate, bend) = (2.0 * size * once, 2.0 * (once * once + size * twice));
            let least = (level_forwards(middle, middle).length() - rate * half).max(LEAST_LEVEL);
            let yaw_rate = rate / least;
            Limits { yaw_rate, yaw_acceleration: bend / least + 2.0 * yaw_rate * yaw_rate, ..level }
        }
        // Directors are near unit vectors; what they do turns and stretches.
        Dynamics::Deformable => Limits { deforming: 4.0 * (6..15).map(rate).sum::<f64>() * length.max(width), ..level },
    }
}

/// The level part of the form in two quaternions that is the axis forwards where both are the same, in squares of
/// their length. It is no longer than the product of their lengths.
fn level_forwards(p: DVec4, q: DVec4) -> DVec2 {
    DVec2::new(p.x * q.x - p.y * q.y - p.z * q.z + p.w * q.w, p.x * q.y + p.y * q.x + p.z * q.w + p.w * q.z)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use super::*;
    use crate::encounter::platoon::Platoon;
    use crate::encounter::platoon::touching::ellipsoid;
    use crate::integrator::{Integrator, Tolerances, first_change};
    use crate::query::{ContactModel, EllipsoidPair};
    use crate::random::uniform;

    /// The report's cars, the second in front of the first or beside it by this \[m\].
    fn report(ahead: f64, beside: f64) -> Platoon {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/encounters");
        let mut platoon = Platoon::read(&examples.join("model.dat"), &examples.join("platoon1.dat"), None).unwrap();
        platoon.vehicles[1].position = [ahead, beside];
        platoon
    }

    fn first_step(driver: &Driver<'_>, state: Vec<f64>) -> Step {
        let tolerances = Tolerances::uniform(1e-9, 1e-9, state.len());
        let mut integrator = Integrator::new(0.0, state, tolerances).unwrap().with_longest_step(0.02);
        integrator.propose(driver, 0.02).unwrap()
    }

    #[test]
    fn no_distance_changes_faster_than_the_limit_of_any_part_of_a_step() {
        for dynamics in Dynamics::ALL {
            let mut closest = 0.0f64;
            for item in 0..100 {
                let draw = |variable: u32, most: f64| most * (2.0 * uniform(7, item, variable) - 1.0);
                let mut platoon = report(7.0 + draw(0, 1.0), draw(1, 3.0));
                platoon.vehicles[0].yaw = draw(2, 3.0);
                platoon.vehicles[1].yaw = draw(3, 3.0);
                let cars = platoon.cars();
                let driver = Driver { cars: &cars, dynamics, model: ContactModel::Box, platoon: &platoon };
                let mut state: Vec<f64> = cars.iter().flat_map(|car| car.start(dynamics)).collect();
                let size = dynamics.components();
                for (number, component) in state.iter_mut().enumerate() {
                    let most = match (dynamics, number % size) {
                        (Dynamics::Planar, 2..=3) | (Dynamics::Spatial | Dynamics::Deformable, 3..=4) => 10.0,
                        (Dynamics::Planar, 5) | (Dynamics::Spatial, 10..=12) | (Dynamics::Deformable, 15..=23) => 2.0,
                        (Dynamics::Spatial, 6..=9) => 0.2,
                        (Dynamics::Deformable, 6..=14) => 0.01,
                        _ => 0.0,
                    };
                    *component += draw(10 + number as u32, most);
                }
                let step = first_step(&driver, state);
                let watch = Separations::new(&driver, &step, vec![[0, 1], [1, 0]]);
                let distance = |time: f64| {
                    let state = step.at(time);
                    let [a, b] = [0, 1].map(|car| ellipsoid(&driver.pose(car, &state)));
                    EllipsoidPair::new(a, b).signed_distance().distance
                };
                let at = |share: f64| step.from() + (step.to() - step.from()) * share;
                for part in 0..4 {
                    let [one, two] = [4, 5].map(|variable| uniform(7 + part, item, variable));
                    let (from, to) = (at(one.min(two)), at(one.max(two)));
                    let change = (distance(to) - distance(from)).abs();
                    for number in 0..2 {
                        let limit = watch.rate_limit_within(number, [from, to]) * (to - from);
                        assert!(change <= limit + 1e-9, "{} {item}: {change} {limit}", dynamics.name());
                        assert!(watch.rate_limit(number).is_finite());
                        closest = closest.max(change / limit);
                    }
                }
            }
            println!("{}: changes of distances are up to {closest:.3} of their limits", dynamics.name());
            // A bound on what deforms counts all that the directors do.
            assert!(closest > if dynamics == Dynamics::Deformable { 0.01 } else { 0.5 });
        }
    }

    /// How often values are asked for.
    struct Counted<'a>(Separations<'a>, Cell<usize>);

    impl Watch for Counted<'_> {
        fn count(&self) -> usize {
            self.0.count()
        }
        fn values(&self, numbers: &[usize], time: f64) -> Vec<f64> {
            self.1.set(self.1.get() + 1);
            assert!(self.1.get() < 10_000, "the search does not end");
            self.0.values(numbers, time)
        }
        fn rate_limit(&self, number: usize) -> f64 {
            self.0.rate_limit(number)
        }
        fn rate_limit_within(&self, number: usize, part: [f64; 2]) -> f64 {
            self.0.rate_limit_within(number, part)
        }
    }

    #[test]
    fn fast_cars_that_move_as_one_next_to_each_other_are_looked_at_a_few_times() {
        const GAP: f64 = 1e-8;
        const YAW_RATE: f64 = 0.12;
        for dynamics in [Dynamics::Planar, Dynamics::Spatial] {
            let mut platoon = report(0.0, 3.0 / SIDES_OVER_SEMI_AXES * 2.0 + GAP);
            // Nothing but their turning parts them.
            platoon.law.cornering_stiffness.value = 0.0;
            platoon.vehicles.iter_mut().for_each(|vehicle| vehicle.speed = 29.0);
            let cars = platoon.cars();
            let driver = Driver { cars: &cars, dynamics, model: ContactModel::Box, platoon: &platoon };
            let mut state: Vec<f64> = cars.iter().flat_map(|car| car.start(dynamics)).collect();
            let (size, [along, turn]) =
                (dynamics.components(), if dynamics == Dynamics::Planar { [2, 5] } else { [3, 12] });
            state[turn] = YAW_RATE;
            state[size + turn] = YAW_RATE;
            state[size + along] -= YAW_RATE * platoon.vehicles[1].position[1];
            let step = first_step(&driver, state.clone());
            assert!((driver.separation([0, 1], &state) / GAP - 1.0).abs() < 1e-6);
            let watch = Counted(Separations::new(&driver, &step, vec![[0, 1]]), Cell::new(0));
            assert_eq!(first_change(&watch, [step.from(), step.to()], 1e-9), None);
            println!("{}: {} looks in {:.4} s", dynamics.name(), watch.1.get(), step.to() - step.from());
            assert!(watch.1.get() < 1000 && step.to() - step.from() > 1e-3);
        }
    }
}
