//! Propellers: coefficients of thrust and power over the advance ratio, and the speed that the balance of power leaves.

use std::f64::consts::PI;
use std::sync::Arc;

use super::STEP;
use super::formula::{Formula, cross, dot, larger, plus, scaled, smaller, sum, times};
use super::lowering::Lowering;
use super::mounting::Mounting;
use crate::function::{Expression, Operation, Table};

/// A propeller.
#[derive(Clone, Debug, PartialEq)]
pub struct Propeller {
    /// Moment of inertia about the shaft \[slug ft^2\].
    pub inertia: f64,
    /// \[ft\].
    pub diameter: f64,
    /// Speed of the engine by that of the propeller.
    pub gear_ratio: f64,
    /// How its blades are set.
    pub pitch: Pitch,
    /// 1 if it turns clockwise seen from behind, else -1.
    pub sense: f64,
    /// 1, or -1 for files of a version above 1, which have the gyroscopic moment with its own sign.
    pub gyroscopic_sign: f64,
    /// By how much thrust moves across to the flow for each radian of its angle \[in\].
    pub p_factor: f64,
    /// Factors of the coefficients of thrust and power.
    pub factors: [f64; 2],
    /// Coefficients of thrust and power over the advance ratio, and over the angle of blades \[deg\] where that varies.
    pub coefficients: [Arc<Table>; 2],
    /// What multiplies them over the Mach number of the tips.
    pub of_mach: [Option<Arc<Table>>; 2],
}

/// How the blades of a propeller are set.
#[derive(Clone, Debug, PartialEq)]
pub enum Pitch {
    /// For good, at this angle \[deg\].
    Fixed(f64),
    /// By what sets the property `blade-angle`, which begins here \[deg\].
    Set(f64),
    /// By a governor that keeps a speed.
    Governed {
        /// Smallest and largest angle \[deg\].
        angles: [f64; 2],
        /// Speeds that the lever asks for at 0 and at 1 \[rev/min\].
        speeds: [f64; 2],
    },
}

/// Speed below which the oil of a governor has no pressure \[rev/min\].
const OIL_SPEED: f64 = 200.0;
/// Speeds below which ratios are made with something else \[rev/s\], \[rad/s\].
const STANDING: f64 = 0.01;
/// Velocity across the shaft below which flow comes from ahead \[ft/s\].
const STILL: f64 = 1e-4;
/// Inches of a foot.
const FOOT: f64 = 12.0;

impl Propeller {
    /// Adds the functions of a propeller that a power \[ft lbf/s\] turns; its force and moment.
    pub(super) fn load(
        &self,
        lowering: &mut Lowering<'_>,
        mounting: &Mounting,
        axes: &[[Formula; 3]; 3],
        power: &Formula,
        lever: Formula,
    ) -> [Formula; 6] {
        let velocity = velocity_of_air(mounting);
        let along = lowering.make("velocity along shaft-fps", dot(&axes[0], &velocity));
        let speed = lowering.make("speed-rps", lowering.of("propeller-rpm") / 60.0);
        let turns = || Formula::from(STANDING).less(speed.clone());
        let per_turn = turns().choose(speed.clone() * self.diameter, self.diameter);
        let ratio = lowering.make("advance-ratio", along.clone() / per_turn);
        let pitch = self.pitch(lowering, lever);
        let tips = self.mach_of_tips(lowering, &speed, &along);
        let [thrust, needed] = [0, 1].map(|number| {
            let mut by = vec![ratio.clone()];
            by.extend(pitch.clone());
            let coefficient = Expression::Table(self.coefficients[number].clone(), by);
            let coefficient = times(coefficient, self.factors[number].into());
            match (&self.of_mach[number], &tips) {
                (Some(table), Some(tips)) => coefficient * Expression::Table(table.clone(), vec![tips.clone()]),
                _ => coefficient,
            }
        });
        let density = || Formula::of("atmosphere/rho-slugs_ft3");
        let fourth = self.diameter.powi(4);
        let turning = larger(speed.clone(), STANDING);
        let needed = needed * turning.clone() * turning.clone() * turning * (fourth * self.diameter) * density();
        let needed = lowering.make("propeller-power-ftlbps", needed);
        let coefficient = lowering.make("thrust-coefficient", thrust);
        let thrust = coefficient * speed.clone() * speed.clone() * fourth * density();
        let thrust = lowering.make("thrust-lbs", thrust);
        let induced = self.induced_velocity(lowering, &along, &thrust);
        let omega = lowering.make("shaft speed-rad_sec", speed.clone() * (2.0 * PI));
        let torque = times(power.clone(), (-self.sense).into()) / larger(omega.clone(), STANDING);
        let torque = lowering.make("propeller-torque-ftlb", torque);
        let shift = self.shift(lowering, axes, &velocity, [&along, &induced]);
        let [l, m, n] = self.moment_about_shaft(&axes[0], &omega, &torque);

        let excess = (power.clone() - needed) / Formula::from(STANDING).less(omega.clone()).choose(omega, 1.0);
        let next = (speed + excess / self.inertia / (2.0 * PI) * STEP) * 60.0;
        let next = lowering.make("propeller-rpm", larger(next, 0.0));
        lowering.make("engine-rpm", times(next, self.gear_ratio.into()));

        let mut load = mounting.load(&axes[0], &thrust);
        let moved = match shift {
            Some(shift) => scaled(&cross(&shift, &axes[0]), &thrust),
            None => [(); 3].map(|()| 0.0.into()),
        };
        for (part, (own, moved)) in load[3..].iter_mut().zip([l, m, n].into_iter().zip(moved)) {
            *part = plus(plus(part.clone(), own), moved);
        }
        load
    }

    /// The angle of the blades that its coefficients depend on.
    fn pitch(&self, lowering: &mut Lowering<'_>, lever: Formula) -> Option<Formula> {
        match self.pitch {
            Pitch::Fixed(angle) => {
                lowering.make("blade-angle", angle);
                None
            }
            Pitch::Set(angle) => {
                lowering.starts("blade-angle", angle);
                let held = lowering.of("blade-angle");
                Some(lowering.make("blade-angle", held))
            }
            Pitch::Governed { angles: [least, most], speeds: [slow, fast] } => {
                let asked = times(lever, (fast - slow).into()) + slow;
                let (speed, angle) = (lowering.of("propeller-rpm"), lowering.of("blade-angle"));
                let too_slow = asked - speed.clone();
                let has_pressure = Formula::from(OIL_SPEED).less(speed);
                let turned = has_pressure.choose(angle.clone() - too_slow * STEP, angle);
                lowering.starts("blade-angle", least);
                Some(lowering.make("blade-angle", larger(smaller(turned, most), least)))
            }
        }
    }

    fn mach_of_tips(&self, lowering: &mut Lowering<'_>, speed: &Formula, along: &Formula) -> Option<Formula> {
        if self.of_mach.iter().all(Option::is_none) {
            return None;
        }
        let tip = lowering.make("tip speed-fps", speed.clone() * (self.diameter * PI));
        let squares = tip.clone() * tip + along.clone() * along.clone();
        let mach = squares.by(Operation::SquareRoot) / "atmosphere/a-fps";
        Some(lowering.make("helical-tip-Mach", mach))
    }

    /// Velocity that the disc adds to the air, from the momentum that its thrust is \[ft/s\].
    fn induced_velocity(&self, lowering: &mut Lowering<'_>, along: &Formula, thrust: &Formula) -> Formula {
        let disc = 0.25 * self.diameter * self.diameter * PI;
        let added = thrust.clone() * 2.0 / (Formula::of("atmosphere/rho-slugs_ft3") * disc);
        let squared = along.clone() * along.clone().by(Operation::Magnitude) + added;
        let squared = lowering.make("slipstream squared", squared);
        let root = squared.clone().by(Operation::Magnitude).by(Operation::SquareRoot);
        let slipstream = Formula::from(0.0).less(squared).choose(root.clone(), -root);
        lowering.make("prop-induced-velocity_fps", (slipstream - along.clone()) * 0.5)
    }

    /// How far the thrust acts beside the shaft, body axes \[ft\]; none without a p-factor.
    fn shift(
        &self,
        lowering: &mut Lowering<'_>,
        axes: &[[Formula; 3]; 3],
        velocity: &[Formula; 3],
        [along, induced]: [&Formula; 2],
    ) -> Option<[Formula; 3]> {
        if self.p_factor <= STILL {
            return None;
        }
        let right = lowering.make("velocity to the right-fps", dot(&axes[1], velocity));
        let down = lowering.make("velocity down-fps", dot(&axes[2], velocity));
        let across = (right.clone() * right.clone() + down.clone() * down.clone()).by(Operation::SquareRoot);
        let across = lowering.make("velocity across shaft-fps", across);
        let angle = Formula::made(Operation::ArcTangent2, [across.clone(), along.clone() + induced.clone()]);
        let moves = Formula::from(STILL).less(across.clone());
        let factor = moves.choose(angle * (self.sense * self.p_factor / FOOT) / across, 0.0);
        let factor = lowering.make("p-factor shift", factor);
        // JSBSim moves it in structural axes, whose z is up.
        Some([0.0.into(), times(factor.clone(), down), -times(factor, right)])
    }

    /// Torque of the engine on the airframe, and the gyroscopic moment.
    fn moment_about_shaft(&self, along: &[Formula; 3], omega: &Formula, torque: &Formula) -> [Formula; 3] {
        let momentum = times(omega.clone(), (self.inertia * self.sense * self.gyroscopic_sign).into());
        let rates = ["velocities/p-rad_sec", "velocities/q-rad_sec", "velocities/r-rad_sec"].map(Formula::of);
        let gyroscopic = scaled(&cross(&rates, along), &momentum);
        sum(gyroscopic, scaled(along, torque))
    }
}

/// Velocity of the thruster through the air, body axes \[ft/s\].
fn velocity_of_air(mounting: &Mounting) -> [Formula; 3] {
    let rates = ["velocities/p-aero-rad_sec", "velocities/q-aero-rad_sec", "velocities/r-aero-rad_sec"];
    let turning = cross(&rates.map(Formula::of), &mounting.arm.map(Into::into));
    let velocity = ["velocities/u-aero-fps", "velocities/v-aero-fps", "velocities/w-aero-fps"].map(Formula::of);
    sum(velocity, turning)
}
