//! A body that deforms homogeneously and elastically: a pseudo-rigid body, the report's deformable vehicle.
//!
//! Its points are at x + F X, so that an ellipsoid stays one. With J the Euler tensor along the principal axes, V the volume,
//! and the elastic energy of St. Venant and Kirchhoff,
//!
//! ```text
//! W = lambda/2 (tr E)^2 + mu E:E,  E = (F^T F - 1)/2,  lambda = E nu / ((1 + nu)(1 - 2 nu)),  mu = E / (2 (1 + nu))
//! F'' J = sum of f (X)^T - V F S,  S = lambda tr E + 2 mu E
//! ```
//!
//! for forces f at the points X. An impulse p at X changes F' by p (X)^T J^-1 and so the velocity of X by
//! (1/m + X . J^-1 X) p: the same in all directions.
//!
//! # Conventions
//! As in [`super`]; columns of F are the directors.

use glam::{DMat3, DVec3};

use super::model::CarModel;

/// What deforms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PseudoRigid {
    /// Euler tensor along the principal axes \[kg m^2\].
    pub euler: DVec3,
    /// Lame's constants \[N/m^2\].
    pub lame: [f64; 2],
    /// \[m^3\]
    pub volume: f64,
}

impl PseudoRigid {
    /// Of a model, whose moments of inertia are sums of two entries of the Euler tensor each.
    #[must_use]
    pub fn new(model: &CarModel) -> Self {
        let [young, poisson, volume] = model.elasticity;
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let mu = 0.5 * young / (1.0 + poisson);
        Self { euler: euler_tensor(model.inertia), lame: [lambda, mu], volume }
    }

    fn strain(gradient: &DMat3) -> DMat3 {
        (gradient.transpose() * *gradient - DMat3::IDENTITY) * 0.5
    }

    /// Elastic energy \[J\].
    #[must_use]
    pub fn elastic_energy(&self, gradient: &DMat3) -> f64 {
        let strain = Self::strain(gradient);
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let square: f64 = strain.to_cols_array().iter().map(|entry| entry * entry).sum();
        self.volume * (0.5 * self.lame[0] * trace * trace + self.lame[1] * square)
    }

    /// Kinetic energy of rotation and deformation \[J\].
    #[must_use]
    pub fn kinetic_energy(&self, rate: &DMat3) -> f64 {
        let squares =
            DVec3::new(rate.x_axis.length_squared(), rate.y_axis.length_squared(), rate.z_axis.length_squared());
        0.5 * self.euler.dot(squares)
    }

    /// F'' under the dyads of forces with the points at which they act, summed \[N m\].
    #[must_use]
    pub fn acceleration(&self, gradient: &DMat3, dyads: &DMat3) -> DMat3 {
        let strain = Self::strain(gradient);
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        let stress = DMat3::from_diagonal(DVec3::splat(self.lame[0] * trace)) + strain * (2.0 * self.lame[1]);
        (*dyads - *gradient * stress * self.volume) * self.inverse_euler()
    }

    /// What an impulse at a material point does to F'.
    #[must_use]
    pub fn push(&self, point: DVec3, impulse: DVec3) -> DMat3 {
        dyad(impulse, point) * self.inverse_euler()
    }

    /// What an impulse of 1 at a material point does to the velocity of that point, its own motion as a whole aside.
    #[must_use]
    pub fn mobility(&self, point: DVec3) -> f64 {
        (point * point / self.euler).element_sum()
    }

    /// Angular velocity of the rigid body that has the same angular momentum, about the vertical.
    #[must_use]
    pub fn yaw_rate(&self, gradient: &DMat3, rate: &DMat3) -> f64 {
        let columns = [0, 1, 2].map(|k| (gradient.col(k).truncate(), rate.col(k).truncate(), self.euler[k]));
        let momentum: f64 = columns.iter().map(|(place, rate, euler)| euler * place.perp_dot(*rate)).sum();
        let inertia: f64 = columns.iter().map(|(place, _, euler)| euler * place.length_squared()).sum();
        momentum / inertia
    }

    fn inverse_euler(&self) -> DMat3 {
        DMat3::from_diagonal(self.euler.recip())
    }
}

/// The Euler tensor \[kg m^2\] along the principal axes of a body with these moments of inertia \[kg m^2\].
pub(super) fn euler_tensor(inertia: [f64; 3]) -> DVec3 {
    let inertia = DVec3::from_array(inertia);
    0.5 * inertia.element_sum() - inertia
}

/// a (b)^T.
#[must_use]
pub fn dyad(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encounter::platoon::Platoon;
    use crate::integrator::{Integrator, System, Tolerances};

    fn car() -> PseudoRigid {
        let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/encounters");
        let platoon = Platoon::read(&examples.join("model.dat"), &examples.join("platoon1.dat"), None).unwrap();
        PseudoRigid::new(&platoon.models[0])
    }

    /// In free flight: F and F'.
    impl System for PseudoRigid {
        fn rates(&self, _time: f64, state: &[f64], rates: &mut [f64]) {
            rates[..9].copy_from_slice(&state[9..]);
            let acceleration = self.acceleration(&DMat3::from_cols_slice(&state[..9]), &DMat3::ZERO);
            rates[9..].copy_from_slice(&acceleration.to_cols_array());
        }
    }

    fn flight(body: &PseudoRigid, gradient: DMat3, rate: DMat3, until: f64, watch: &mut dyn FnMut(f64, [DMat3; 2])) {
        let state = [gradient.to_cols_array(), rate.to_cols_array()].concat();
        let tolerances = Tolerances::uniform(1e-11, 1e-12, 18);
        let mut integrator = Integrator::new(0.0, state, tolerances).unwrap().with_longest_step(1e-3);
        while integrator.time() < until {
            let step = integrator.propose(body, until).unwrap();
            integrator.accept(&step, step.to());
            let halves = [0, 9].map(|first| DMat3::from_cols_slice(&integrator.state()[first..first + 9]));
            watch(integrator.time(), halves);
        }
    }

    #[test]
    fn free_flight_keeps_energy_and_angular_momentum() {
        let body = car();
        let gradient =
            DMat3::from_cols(DVec3::new(1.01, 0.01, 0.0), DVec3::new(-0.02, 0.99, 0.01), DVec3::new(0.0, 0.01, 1.02));
        let spin = DMat3::from_cols(DVec3::new(0.0, 2.0, 0.3), DVec3::new(-2.0, 0.0, 0.5), DVec3::new(-0.3, -0.5, 0.0));
        let rate = spin * gradient;
        let energies = |[gradient, rate]: [DMat3; 2]| [body.elastic_energy(&gradient), body.kinetic_energy(&rate)];
        let momentum = |[gradient, rate]: [DMat3; 2]| -> DVec3 {
            (0..3).map(|k| body.euler[k] * gradient.col(k).cross(rate.col(k))).sum()
        };
        let before = energies([gradient, rate]);
        let total = before[0] + before[1];
        let turning = momentum([gradient, rate]);
        let (mut drift, mut turned, mut least) = (0.0f64, 0.0f64, before[0]);
        flight(&body, gradient, rate, 1.0, &mut |_, state| {
            let [elastic, kinetic] = energies(state);
            drift = drift.max(((elastic + kinetic) / total - 1.0).abs());
            turned = turned.max((momentum(state) - turning).length() / turning.length());
            least = least.min(elastic);
        });
        println!(
            "free flight of 1 s: {:.0} J elastic (down to {least:.0} on the way) and {:.0} J kinetic; energy kept to \
             {drift:.1e}, angular momentum to {turned:.1e}",
            before[0], before[1]
        );
        assert!(least < 0.5 * before[0]);
        assert!(drift < 1e-6 && turned < 1e-6, "{drift} {turned}");
    }

    /// The frequency \[rad/s\] of what passes 0 in free flight, over some periods.
    fn frequency(body: &PseudoRigid, gradient: DMat3, expected: f64, value: fn(&DMat3) -> f64) -> f64 {
        let (mut before, mut passed) = ((0.0, value(&gradient)), Vec::new());
        flight(body, gradient, DMat3::ZERO, 20.5 * std::f64::consts::TAU / expected, &mut |time, [gradient, _]| {
            let now = value(&gradient);
            if (before.1 < 0.0) != (now < 0.0) {
                passed.push(before.0 + (time - before.0) * before.1 / (before.1 - now));
            }
            before = (time, now);
        });
        let (first, last) = (passed[0], passed[passed.len() - 1]);
        std::f64::consts::PI * (passed.len() - 1) as f64 / (last - first)
    }

    /// Two axes, and what tells of their shear.
    type Shear = ([usize; 2], fn(&DMat3) -> f64);

    #[test]
    fn small_vibrations_have_the_frequencies_of_closed_forms() {
        const SMALL: f64 = 1e-5;
        let car = car();
        let [lambda, mu] = car.lame;
        // Shear of two axes: w^2 = V mu (1/J_i + 1/J_k).
        let shears: [Shear; 3] = [
            ([0, 1], |gradient| gradient.x_axis.y + gradient.y_axis.x),
            ([0, 2], |gradient| gradient.x_axis.z + gradient.z_axis.x),
            ([1, 2], |gradient| gradient.y_axis.z + gradient.z_axis.y),
        ];
        let mut found = Vec::new();
        for ([i, k], value) in shears {
            let expected = (car.volume * mu * (1.0 / car.euler[i] + 1.0 / car.euler[k])).sqrt();
            let mut gradient = DMat3::IDENTITY;
            *gradient.col_mut(i) += SMALL * DVec3::AXES[k] / car.euler[i] * car.euler.max_element();
            *gradient.col_mut(k) += SMALL * DVec3::AXES[i] / car.euler[k] * car.euler.max_element();
            found.push((format!("shear {i}{k}"), frequency(&car, gradient, expected, value), expected));
        }
        // A body that is alike in all directions, breathing: w^2 = V (3 lambda + 2 mu) / J.
        let ball = PseudoRigid { euler: DVec3::splat(400.0), ..car };
        let expected = (ball.volume * (3.0 * lambda + 2.0 * mu) / 400.0).sqrt();
        let gradient = DMat3::from_diagonal(DVec3::splat(1.0 + SMALL));
        found.push(("breathing".to_owned(), frequency(&ball, gradient, expected, |it| it.x_axis.x - 1.0), expected));
        for (what, frequency, expected) in found {
            println!("{what}: {frequency:.4} rad/s, closed form {expected:.4}");
            assert!((frequency / expected - 1.0).abs() < 1e-3, "{what}");
        }
    }
}
