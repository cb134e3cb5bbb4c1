//! Engines of aircraft files, step after step.

use glam::DVec3;
use touchdown::air_forces::{AirForces, AxisFunction, Description, Flight, Role};
use touchdown::function::{Expression, Function, Routine};
use touchdown::import::ImportedPropulsion;

/// Newtons of a pound, and metres of a foot.
pub const POUND: f64 = 4.448_221_615_260_5;
pub const FOOT: f64 = 0.3048;

/// What engines read of the air.
const AIR: [&str; 18] = [
    "velocities/u-aero-fps",
    "velocities/v-aero-fps",
    "velocities/w-aero-fps",
    "velocities/p-aero-rad_sec",
    "velocities/q-aero-rad_sec",
    "velocities/r-aero-rad_sec",
    "velocities/p-rad_sec",
    "velocities/q-rad_sec",
    "velocities/r-rad_sec",
    "velocities/mach",
    "velocities/ve-kts",
    "atmosphere/rho-slugs_ft3",
    "atmosphere/P-psf",
    "atmosphere/T-R",
    "atmosphere/a-fps",
    "atmosphere/sigma",
    "atmosphere/density-altitude",
    "propulsion/pt-lbs_sqft",
];

/// A flight straight ahead \[m/s\] in the standard air at a height \[m\].
pub fn standard_flight(speed: f64, height: f64) -> Flight {
    let geopotential = 6_356_766.0 * height / (6_356_766.0 + height);
    let (temperature, gas) = (288.15 - 0.0065 * geopotential, 8.314_32 / 0.028_964_5);
    let sea_level = 2116.228 * POUND / (FOOT * FOOT);
    let pressure = sea_level * (288.15 / temperature).powf(-9.806_65 / (gas * 0.0065));
    Flight {
        air_velocity: DVec3::new(speed, 0.0, 0.0),
        density: pressure / (gas * temperature),
        sound: (1.4 * gas * temperature).sqrt(),
        temperature,
        pressure,
        mass: 1.0,
        ..Flight::default()
    }
}

/// Engines that are stepped.
pub struct Engines {
    routine: Routine,
    names: Vec<String>,
    given: Vec<f64>,
    kept: Vec<f64>,
    row: Vec<f64>,
}

impl Engines {
    /// Engines in a flight, with mixture and advance 1; `start` tells where a property starts other than by itself.
    pub fn new(
        imported: &ImportedPropulsion,
        count: usize,
        step: f64,
        flight: &Flight,
        start: &dyn Fn(&str) -> Option<f64>,
    ) -> Self {
        let mut names: Vec<String> =
            AIR.iter().map(|&name| name.to_owned()).chain(["simulation/dt".to_owned()]).collect();
        for engine in 0..count {
            names.extend(["throttle", "mixture", "advance"].map(|control| format!("fcs/{control}-pos-norm[{engine}]")));
        }
        let own = |name: &str| imported.at_start.iter().find(|(own, _)| own == name).map_or(0.0, |&(_, value)| value);
        let at_start = |name: &str| start(name).unwrap_or_else(|| own(name));
        let routine = Routine::new(&imported.functions, &names, &at_start, &|_| None).unwrap();
        let mut given = air(flight);
        given.push(step);
        (0..count).for_each(|_| given.extend([0.0, 1.0, 1.0]));
        let kept = routine.at_start();
        Self { routine, names, given, kept, row: Vec::new() }
    }

    /// Sets a given number.
    pub fn set(&mut self, name: &str, value: f64) {
        let number = self.names.iter().position(|own| own == name).unwrap();
        self.given[number] = value;
    }

    /// A step; the next goes on from what it leaves.
    pub fn step(&mut self) {
        self.row = self.routine.row(&self.given, &self.kept);
        self.kept = self.routine.left(&self.row);
    }

    /// A property after the last step.
    pub fn of(&self, name: &str) -> f64 {
        let place = self.routine.place(name).unwrap_or_else(|| panic!("nothing makes {name}"));
        self.row[place]
    }

    /// Force \[N\] and moment \[N m\] of all engines after the last step.
    pub fn loads(&self) -> [DVec3; 2] {
        let [x, y, z, l, m, n] = touchdown::propulsion::LOADS.map(|name| self.of(name));
        [DVec3::new(x, y, z) * POUND, DVec3::new(l, m, n) * (POUND * FOOT)]
    }
}

/// Values of [`AIR`].
fn air(flight: &Flight) -> Vec<f64> {
    let reading = |name: &&str| AxisFunction {
        function: Function { name: format!("read {name}"), expression: Expression::of(name) },
        role: Role::Property,
    };
    let description = Description { functions: AIR.iter().map(reading).collect(), ..Description::default() };
    let forces = AirForces::new(&description, &[]).unwrap();
    forces.values(&forces.row(flight)).collect()
}
