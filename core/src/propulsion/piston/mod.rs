//! Piston engines: the pressure in the manifold, the air and fuel that it lets in, and the power that they give.

mod boost;

use std::sync::Arc;

pub use boost::{Boost, BoostSpeed};

use super::STEP;
use super::electric::driven;
use super::formula::{Formula, both, larger, plus, reaches, smaller, times};
use super::lowering::Lowering;
use crate::function::{Expression, Operation, Table};

/// A piston engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Piston {
    /// \[in^3\].
    pub displacement: f64,
    /// \[in\].
    pub stroke: f64,
    /// Strokes of a cycle: 2 or 4.
    pub cycles: f64,
    /// Speeds at idle and at most \[rev/min\].
    pub speeds: [f64; 2],
    /// Pressures in the manifold at idle and at full throttle \[inHg\].
    pub manifold: [f64; 2],
    /// Time constant of the pressure in the manifold \[s\].
    pub manifold_lag: f64,
    /// \[hp\].
    pub max_power: f64,
    /// Power that friction takes at any speed \[hp\].
    pub static_friction: f64,
    /// Fuel for a power \[lb/hp/h\]; without, what makes `max_power` of the engine's sizes.
    pub consumption: Option<f64>,
    /// Share of the displacement that is filled.
    pub volumetric_efficiency: f64,
    /// Largest volume of a cylinder by its smallest.
    pub compression: f64,
    /// Impedance of the intake; without, what makes the pressure of `manifold` at full throttle.
    pub intake_impedance: Option<f64>,
    /// Share of the ram pressure that the intake has.
    pub ram_factor: f64,
    /// Mean speed of pistons at which their impedance is 1 \[ft/s\].
    pub peak_piston_speed: f64,
    /// Mean pressure of friction by mean speed of pistons \[Pa s/m\].
    pub dynamic_friction: f64,
    /// Mean pressure of friction at rest \[Pa\].
    pub friction: f64,
    /// Efficiency of combustion over fuel by air; without, JSBSim's.
    pub mixture: Option<Arc<Table>>,
    /// A supercharger.
    pub boost: Option<Boost>,
}

/// Pascals of a pound per square foot, as JSBSim has it.
const PRESSURE: f64 = 47.88;
/// Pascals of an inch of mercury, as JSBSim has it.
const MERCURY: f64 = 3386.38;
/// Pressure of the standard air \[Pa\]: of impedances, and of mixtures.
const STANDARD: f64 = 101_320.73;
const STANDARD_OF_MIXTURE: f64 = 101_325.0;
/// Of pressures in inches of mercury.
const STANDARD_MERCURY: f64 = 29.92;
/// Largest pressure in the manifold without a supercharger \[inHg\].
const MAX_MANIFOLD: f64 = 29.9;
/// Gas constant of air \[J/(kg K)\].
const AIR: f64 = 287.3;
/// Air by fuel where both are used up.
const STOICHIOMETRIC: f64 = 14.7;
/// Fuel by air at full mixture, over that.
const FULL_MIXTURE: f64 = 1.3;
/// Pounds of a kilogram, as JSBSim has it.
const KILOGRAM: f64 = 2.2046;
/// Ratio of specific heats of what is left in a cylinder.
const HEATS: f64 = 1.3;
/// Impedance of pistons that stand.
const STANDING: f64 = 999_999.0;
/// Share of the speed at idle below which it stops.
const STALLING: f64 = 0.8;
/// What turns pressure, volume and speed \[Pa m^3/min\] into horsepowers, for one stroke.
const POWER: f64 = 22_371.0;
/// Metres of a foot and of an inch.
const FOOT: f64 = 0.3048;
const INCH: f64 = 0.0254;

impl Piston {
    /// The speed with which it starts \[rev/min\].
    pub(super) fn starting_speed(&self) -> f64 {
        2.0 * self.speeds[0]
    }

    /// Mean speed of pistons by speed of the engine \[ft/s min\].
    fn piston_speed(&self) -> f64 {
        self.stroke / 360.0
    }

    /// \[m^3\].
    fn volume(&self) -> f64 {
        self.displacement * INCH * INCH * INCH
    }

    /// Fuel for a power \[lb/hp/h\].
    fn consumption(&self) -> f64 {
        self.consumption.unwrap_or_else(|| {
            let [most, speed] = [self.manifold[1], self.speeds[1]];
            let pumping = (STANDARD_MERCURY - most) * MERCURY * self.volumetric_efficiency;
            let friction = self.dynamic_friction * speed * self.piston_speed() * FOOT + self.friction;
            let loss = (pumping + friction) * self.volume() * speed / (self.cycles * POWER);
            let air = 1.1 * self.displacement * speed * self.volumetric_efficiency * (most / STANDARD_MERCURY);
            air / (9411.0 * (self.max_power + loss - self.static_friction))
        })
    }

    /// Impedances of the intake and of the closed throttle.
    fn impedances(&self) -> [f64; 2] {
        let [least, most] = [self.manifold[0], self.manifold[1].min(MAX_MANIFOLD)].map(|pressure| pressure * MERCURY);
        let of_pistons = |speed: f64| self.peak_piston_speed / (speed * self.piston_speed());
        let intake = self.intake_impedance.unwrap_or_else(|| {
            let pistons = of_pistons(self.speeds[1]);
            STANDARD * pistons / most - pistons
        });
        [intake, of_pistons(self.speeds[0]) * (STANDARD / least - 1.0) - intake]
    }

    /// Adds the functions of manifold, air, fuel and power; the power \[ft lbf/s\] at a speed \[rev/min\].
    pub(super) fn power(&self, lowering: &mut Lowering<'_>, speed: &Formula) -> Formula {
        let outside = lowering.make("outside pressure-pa", Formula::of("atmosphere/P-psf") * PRESSURE);
        let efficiency = lowering.settable("volumetric-efficiency", self.volumetric_efficiency);
        let piston_speed = lowering.make("piston speed-fps", times(speed.clone(), self.piston_speed().into()));
        let throttled = self.throttled_pressure(lowering, &outside, &piston_speed);
        let (manifold, boost_loss) = match &self.boost {
            Some(boost) => boost.pressure(lowering, [&throttled, &outside, speed]),
            None => (throttled.clone(), 0.0.into()),
        };
        let manifold = lowering.make("map-pa", manifold);
        lowering.make("map-inhg", manifold.clone() / MERCURY);

        // What is left in a cylinder at the pressure of the exhaust leaves less room.
        let filled = smaller(outside.clone() / larger(manifold.clone(), 1.0), self.compression);
        let filled = Formula::from(1.0 - 1.0 / HEATS)
            + (Formula::from(self.compression) - filled) / (HEATS * (self.compression - 1.0));
        let swept = times(speed.clone(), (self.volume() / 120.0).into());
        let flow = lowering.make("air flow-m3_sec", swept * times(efficiency.clone(), filled));
        let warmth = Formula::of("atmosphere/T-R") / 1.8;
        let air = flow * manifold / (warmth * AIR);
        let mixture = lowering.control("mixture-pos-norm");
        let richness = mixture.clone() * (FULL_MIXTURE * STANDARD_OF_MIXTURE / STOICHIOMETRIC) / outside.clone();
        let richness = lowering.make("fuel by air", richness);
        let fuel = lowering.make("fuel-flow-rate-pps", air * richness.clone() * KILOGRAM);

        let is_fast = reaches(speed.clone(), STALLING * self.speeds[0]);
        let runs = lowering.make("piston engine runs", both(is_fast, Formula::from(0.0).less(mixture)));
        let consumption = lowering.settable("bsfc-lbs_hphr", self.consumption());
        let burns = Expression::Table(self.mixture.clone().unwrap_or_else(efficiency_of_mixture), vec![richness]);
        let indicated = runs.clone() * fuel * 3600.0 / consumption * burns;
        let pumping = (throttled - outside) * efficiency;
        let friction = piston_speed * (self.dynamic_friction * FOOT) + self.friction;
        let losses = (pumping - runs * friction) * times(speed.clone(), (self.volume() / (self.cycles * POWER)).into());
        let static_friction = lowering.settable("friction-hp", self.static_friction);
        let power = plus(indicated - static_friction + losses, times(boost_loss, (-1.0).into()));
        let power = lowering.make("power-hp", power);
        driven(power, speed)
    }

    /// The pressure behind the throttle \[Pa\].
    fn throttled_pressure(&self, lowering: &mut Lowering<'_>, outside: &Formula, piston_speed: &Formula) -> Formula {
        let [intake, throttle] = self.impedances();
        let intake = lowering.settable("air-intake-impedance-factor", intake);
        let ram_factor = lowering.settable("ram-air-factor", self.ram_factor);
        let ram = (Formula::of("propulsion/pt-lbs_sqft") - "atmosphere/P-psf") * times(ram_factor, PRESSURE.into());
        let closed = lowering.make("throttle closed", Formula::from(1.0) - lowering.control("throttle-pos-norm"));
        let turns = Formula::from(0.0).less(piston_speed.clone());
        let pistons = turns.choose(Formula::from(self.peak_piston_speed) / piston_speed.clone(), STANDING);
        let pistons = lowering.make("impedance of pistons", pistons);
        let all = Formula::made(Operation::Sum, [pistons.clone(), intake, closed.clone() * closed * throttle]);
        let steady = (ram + outside.clone()) * pistons / all;
        if self.manifold_lag == 0.0 {
            return lowering.make("throttled pressure-pa", steady);
        }
        let before = lowering.of("throttled pressure-pa");
        let share = smaller(Formula::of(STEP) / self.manifold_lag, 1.0);
        lowering.starts("throttled pressure-pa", STANDARD);
        lowering.make("throttled pressure-pa", before.clone() - (before - steady) * share)
    }
}

/// Efficiency of combustion over fuel by air, as JSBSim has it.
fn efficiency_of_mixture() -> Arc<Table> {
    let pairs = [
        (0.05, 0.0),
        (0.051_37, 0.008_62),
        (0.051_79, 0.215_52),
        (0.0543, 0.482_76),
        (0.058_42, 0.7069),
        (0.063_12, 0.836_21),
        (0.069_42, 0.931_03),
        (0.077_86, 1.0),
        (0.088_45, 1.0),
        (0.0927, 0.982_76),
        (0.1012, 0.931_03),
        (0.114_55, 0.724_14),
        (0.121_58, 0.4569),
        (0.124_35, 0.232_76),
        (0.125, 0.0),
    ];
    let (points, values) = pairs.into_iter().unzip();
    Arc::new(Table::Line { points, values })
}
