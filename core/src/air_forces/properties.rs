//! Properties that follow from a flight: JSBSim's names, formulas of flight mechanics.

use super::description::Description;
use super::flight::{ARM, CHORD_TIME_BEFORE, FOOT, LIFT_BEFORE, SPAN_TIME_BEFORE, SQUARED_LIFT_BEFORE, STALL_BEFORE};
use crate::elementary::pow;
use crate::function::{Expression, Operation, canonical};

type Formula = Expression<String>;

/// Airspeed below which angles of the flow are 0 \[ft/s\].
const STILL: f64 = 1e-3;
/// Squared speed in the plane of symmetry below which the angle of attack is 0 \[ft^2/s^2\].
const STILL_IN_PLANE: f64 = 1e-6;
/// Squared speed in the plane of symmetry of an aircraft on the ground below which it has no angle of attack \[ft^2/s^2\]: 3 m/s.
const LEAST_FLOW: f64 = 96.9;
/// Dynamic pressure at which coefficients of lift are worth dividing for \[psf\].
const LEAST_PRESSURE: f64 = 1.0;
/// Pounds of mass of a slug, as JSBSim has it.
const SLUG_POUNDS: f64 = 32.174_049;
/// Feet per second of a knot.
const KNOT: f64 = 1852.0 / 3600.0 / FOOT;
/// Pressure of the standard air at sea level \[psf\], as JSBSim has it.
const SEA_LEVEL_PRESSURE: f64 = 2116.228;
/// Its speed of sound \[ft/s\]: sqrt(1.4 R T / M) at 288.15 K, R = 8.31432 J/(mol K), M = 28.9645 g/mol.
const SEA_LEVEL_SOUND: f64 = 1_116.448_557_589_7;
/// Its density \[slug/ft^3\].
const SEA_LEVEL_DENSITY: f64 = 1.4 * SEA_LEVEL_PRESSURE / (SEA_LEVEL_SOUND * SEA_LEVEL_SOUND);
/// Its temperature \[R\].
const SEA_LEVEL_WARMTH: f64 = 518.67;
/// Decrease of its temperature with height \[R/ft\]: 6.5 K in a kilometre.
const LAPSE: f64 = 0.0065 * 1.8 * FOOT;
/// Power of the temperature with which its pressure goes: g M / (R 6.5 K/km).
const BAROMETRIC: f64 = 9.806_65 * 0.028_964_5 / (8.314_32 * 0.0065);
/// Height up to which its temperature decreases \[ft\].
const TROPOPAUSE: f64 = 11_000.0 / FOOT;
/// Radius of the earth of its heights \[ft\].
const EARTH: f64 = 6_356_766.0 / FOOT;
/// Constants of Rayleigh's equation of a pitot tube, for a ratio of specific heats of 1.4.
const RAYLEIGH: [f64; 2] = [166.921_58, 0.881_284_85];
/// How often its solution is improved; JSBSim does as much.
const ROUNDS: usize = 10;

const DEGREES: f64 = 180.0 / std::f64::consts::PI;

fn of(name: &str) -> Formula {
    Formula::of(name)
}

fn square(name: &str) -> Formula {
    of(name) * name
}

fn sum<const N: usize>(parts: [Formula; N]) -> Formula {
    Formula::made(Operation::Sum, parts)
}

fn angle(y: impl Into<Formula>, x: impl Into<Formula>) -> Formula {
    Formula::made(Operation::ArcTangent2, [y.into(), x.into()])
}

/// The formula of a property, if it is one that follows from others; what the file sets of those stays as it follows.
pub fn derived(name: &str, description: &Description) -> Option<Formula> {
    let set = || description.constants.iter().find(|(own, _)| canonical(own) == name);
    in_other_units(name)
        .or_else(|| of_sizes(name, description))
        .or_else(|| of_flow(name))
        .or_else(|| of_motion(name))
        .or_else(|| of_standard_air(name))
        .or_else(|| of_stall(name, description))
        .or_else(|| set().map(|&(_, number)| number.into()))
}

/// The direction downwards in body axes, which landings give: the attitude has it without angles. The names are ours.
pub const DOWNWARDS: [&str; 3] = ["attitude/down-x", "attitude/down-y", "attitude/down-z"];

/// The same of an aircraft that lands. JSBSim has an angle of attack as soon as anything flows along the plane of symmetry, and one of half
/// a turn where the air comes from behind. Functions are made for neither: standing in a wind from the side or from behind, an aircraft
/// would be shaken, and lifted on its tail, by an angle that trembles from one end of its range to the other. So once a wheel has touched
/// there is none, and none turns, where little flows along that plane or the air comes from behind.
pub fn derived_in_landing(name: &str, description: &Description) -> Option<Formula> {
    let formula = derived(name, description)?;
    let down = |vector: [&str; 3]| sum([0, 1, 2].map(|axis| of(DOWNWARDS[axis]) * vector[axis]));
    Some(match name {
        "aero/h_b-mac-ft" => height_in_spans(down(ARM), description),
        "velocities/v-down-fps" => down(GROUND_VELOCITY),
        "aero/alpha-rad" | "aero/alphadot-rad_sec" | "aero/betadot-rad_sec" => {
            let (u, w) = ("velocities/u-aero-fps", "velocities/w-aero-fps");
            let from_behind = (of(u) + of(w).by(Operation::Magnitude)).less(0.0);
            let fast = Formula::from(LEAST_FLOW).less(square(u) + square(w));
            let flies = of("pilot/on-ground").less(0.5);
            flies.choose(1.0, from_behind.choose(0.0, fast)).choose(formula, 0.0)
        }
        _ => formula,
    })
}

fn in_other_units(name: &str) -> Option<Formula> {
    let same = [
        ("attitude/roll-rad", "attitude/phi-rad"),
        ("attitude/pitch-rad", "attitude/theta-rad"),
        ("aero/mag-alpha-rad", "aero/alpha-rad"),
        ("aero/mag-beta-rad", "aero/beta-rad"),
        ("fcs/mag-elevator-pos-rad", "fcs/elevator-pos-rad"),
        ("fcs/mag-left-aileron-pos-rad", "fcs/left-aileron-pos-rad"),
        ("fcs/mag-right-aileron-pos-rad", "fcs/right-aileron-pos-rad"),
        ("fcs/mag-rudder-pos-rad", "fcs/rudder-pos-rad"),
    ];
    if let Some((name, other)) = same.iter().find(|(own, _)| *own == name) {
        let is_magnitude = name.contains("/mag-");
        return Some(if is_magnitude { of(other).by(Operation::Magnitude) } else { of(other) });
    }
    let in_degrees =
        ["aero/alpha", "aero/beta", "aero/mag-beta", "attitude/phi", "attitude/theta", "flight-path/gamma"];
    if let Some(stem) = name.strip_suffix("-deg").filter(|stem| in_degrees.contains(stem)) {
        return Some(of(&format!("{stem}-rad")) * DEGREES);
    }
    Some(match name {
        "aero/alphadot-deg_sec" => of("aero/alphadot-rad_sec") * DEGREES,
        "aero/betadot-deg_sec" => of("aero/betadot-rad_sec") * DEGREES,
        "velocities/vt-kts" | "velocities/vtrue-kts" => of("velocities/vt-fps") / KNOT,
        "velocities/vtrue-fps" => of("velocities/vt-fps"),
        "velocities/vc-kts" => of("velocities/vc-fps") / KNOT,
        "velocities/ve-kts" => of("velocities/ve-fps") / KNOT,
        "velocities/h-dot-fps" => -of("velocities/v-down-fps"),
        _ => return None,
    })
}

fn of_sizes(name: &str, description: &Description) -> Option<Formula> {
    let sizes = description.sizes;
    let (span, chord) = (sizes.span / FOOT, sizes.chord / FOOT);
    let over_speed = |length: f64, before: &str| {
        let speed = of("velocities/vt-fps");
        Formula::from(0.0).less(speed.clone()).choose(Formula::from(length) / (speed * 2.0), before)
    };
    Some(match name {
        "metrics/Sw-sqft" => Formula::from(sizes.area / (FOOT * FOOT)),
        "metrics/bw-ft" => span.into(),
        "metrics/cbarw-ft" => chord.into(),
        "aero/bi2vel" => over_speed(span, SPAN_TIME_BEFORE),
        "aero/ci2vel" => over_speed(chord, CHORD_TIME_BEFORE),
        "aero/h_b-cg-ft" => of("position/h-agl-ft") / span,
        "aero/h_b-mac-ft" => height_in_spans(down(ARM), description),
        "aero/qbar-area" => of("aero/qbar-psf") * "metrics/Sw-sqft",
        "aero/cl-squared" => {
            let pressure = of("aero/qbar-psf");
            let coefficient = of(LIFT_BEFORE) / of("aero/qbar-area");
            Formula::from(LEAST_PRESSURE).less(pressure).choose(coefficient.clone() * coefficient, SQUARED_LIFT_BEFORE)
        }
        "aero/Re" => of("velocities/vt-fps") * chord / viscosity(),
        _ => return None,
    })
}

/// The height above the ground of a point this far below the centre of gravity \[ft\], in spans.
fn height_in_spans(below: Formula, description: &Description) -> Formula {
    (of("position/h-agl-ft") - below) / (description.sizes.span / FOOT)
}

/// Kinematic viscosity \[ft^2/s\], after Sutherland.
fn viscosity() -> Formula {
    let warmth = of("atmosphere/T-R");
    Formula::from(2.269_69e-8) * warmth.clone().power(1.5) / (warmth + 198.72) / "atmosphere/rho-slugs_ft3"
}

/// The downward part of a vector in body axes.
fn down([x, y, z]: [&str; 3]) -> Formula {
    let sine = |name| of(name).by(Operation::Sine);
    let cosine = |name| of(name).by(Operation::Cosine);
    let (roll, pitch) = ("attitude/phi-rad", "attitude/theta-rad");
    sum([-(sine(pitch) * x), cosine(pitch) * sine(roll) * y, cosine(pitch) * cosine(roll) * z])
}

fn of_flow(name: &str) -> Option<Formula> {
    let (u, v, w) = ("velocities/u-aero-fps", "velocities/v-aero-fps", "velocities/w-aero-fps");
    let rates = ["accelerations/udot-ft_sec2", "accelerations/vdot-ft_sec2", "accelerations/wdot-ft_sec2"];
    let in_plane = || square(u) + square(w);
    let speed = || of("velocities/vt-fps");
    let moves = || Formula::from(STILL).less(speed());
    let pressure = |squared: Formula| Formula::from(0.5) * "atmosphere/rho-slugs_ft3" * squared;
    Some(match name {
        "velocities/vt-fps" => sum([square(u), square(v), square(w)]).by(Operation::SquareRoot),
        "aero/alpha-rad" => {
            let moves_in_plane = Formula::made(Operation::GreaterOrEqual, [in_plane(), STILL_IN_PLANE.into()]);
            moves().choose(moves_in_plane.choose(angle(w, u), 0.0), 0.0)
        }
        "aero/beta-rad" => moves().choose(angle(v, in_plane().by(Operation::SquareRoot)), 0.0),
        "aero/alphadot-rad_sec" => {
            let turning = (of(u) * rates[2] - of(w) * rates[0]) / in_plane();
            let moves_in_plane = Formula::made(Operation::GreaterOrEqual, [in_plane(), STILL_IN_PLANE.into()]);
            moves().choose(moves_in_plane.choose(turning, 0.0), 0.0)
        }
        "aero/betadot-rad_sec" => {
            let faster = sum([of(u) * rates[0], of(v) * rates[1], of(w) * rates[2]]) / speed();
            let turning = (of(rates[1]) * speed() - of(v) * faster) / (speed() * in_plane().by(Operation::SquareRoot));
            let moves_in_plane = Formula::made(Operation::GreaterOrEqual, [in_plane(), STILL_IN_PLANE.into()]);
            moves().choose(moves_in_plane.choose(turning, 0.0), 0.0)
        }
        "aero/qbar-psf" => pressure(sum([square(u), square(v), square(w)])),
        "aero/qbarUW-psf" => pressure(in_plane()),
        "aero/qbarUV-psf" => pressure(square(u) + square(v)),
        "velocities/mach" => speed() / "atmosphere/a-fps",
        "velocities/machU" => of(u) / "atmosphere/a-fps",
        "velocities/ve-fps" => (of("aero/qbar-psf") * (2.0 / SEA_LEVEL_DENSITY)).by(Operation::SquareRoot),
        "velocities/vc-fps" => calibrated_airspeed(),
        "propulsion/pt-lbs_sqft" => of("atmosphere/P-psf") * stagnation(of("velocities/mach")),
        _ => return None,
    })
}

/// Calibrated airspeed \[ft/s\]: that of the standard air at sea level with the same pressure in front of a pitot tube.
fn calibrated_airspeed() -> Formula {
    let static_pressure = || of("atmosphere/P-psf");
    let ratio = stagnation(of("velocities/mach")) - 1.0;
    let sea_level = static_pressure() * ratio / SEA_LEVEL_PRESSURE + 1.0;
    let subsonic = ((sea_level.clone().power(1.0 / 3.5) - 1.0) * 5.0).by(Operation::SquareRoot);
    // Rayleigh's equation, solved for the Mach number by going round.
    let supersonic = (0..ROUNDS).fold(subsonic.clone(), |mach, _| {
        let behind = Formula::from(1.0) - Formula::from(1.0) / (mach.power(2.0) * 7.0);
        (sea_level.clone() * behind.power(2.5)).by(Operation::SquareRoot) * RAYLEIGH[1]
    });
    Formula::from(1.0).less(subsonic.clone()).choose(supersonic, subsonic) * SEA_LEVEL_SOUND
}

/// Pressure in front of a pitot tube by that of the air: behind a shock from Mach 1.
fn stagnation(mach: Formula) -> Formula {
    let slow = (Formula::from(1.0) + mach.clone().power(2.0) * 0.2).power(3.5);
    let fast = mach.clone().power(7.0) * RAYLEIGH[0] / (mach.clone().power(2.0) * 7.0 - 1.0).power(2.5);
    mach.less(1.0).choose(slow, fast)
}

/// What the air is against the standard one at sea level, and the height at which the standard one is like it \[ft\].
fn of_standard_air(name: &str) -> Option<Formula> {
    let density = || of("atmosphere/rho-slugs_ft3") / SEA_LEVEL_DENSITY;
    let pressure = || of("atmosphere/P-psf") / SEA_LEVEL_PRESSURE;
    Some(match name {
        "atmosphere/theta" => of("atmosphere/T-R") / SEA_LEVEL_WARMTH,
        "atmosphere/sigma" => density(),
        "atmosphere/delta" => pressure(),
        "atmosphere/density-altitude" => standard_height(density(), BAROMETRIC - 1.0),
        "atmosphere/pressure-altitude" => standard_height(pressure(), BAROMETRIC),
        _ => return None,
    })
}

/// The height at which the standard air has a share of what it has at sea level \[ft\], which goes with this power of the temperature;
/// above the lowest layer with an exponential function.
fn standard_height(share: Formula, exponent: f64) -> Formula {
    let below = (Formula::from(1.0) - share.clone().power(1.0 / exponent)) * (SEA_LEVEL_WARMTH / LAPSE);
    let warmth = 1.0 - LAPSE * TROPOPAUSE / SEA_LEVEL_WARMTH;
    let at_tropopause = pow(warmth, exponent);
    let scale = SEA_LEVEL_WARMTH * warmth / (LAPSE * BAROMETRIC);
    let above = (share.clone() / at_tropopause).by(Operation::NaturalLogarithm) * -scale + TROPOPAUSE;
    let height = share.less(at_tropopause).choose(above, below);
    // Gravity decreases with height.
    height.clone() * EARTH / (Formula::from(EARTH) - height)
}

/// Velocity over ground, body axes \[ft/s\].
const GROUND_VELOCITY: [&str; 3] = ["velocities/u-fps", "velocities/v-fps", "velocities/w-fps"];

fn of_motion(name: &str) -> Option<Formula> {
    Some(match name {
        "velocities/v-down-fps" => down(GROUND_VELOCITY),
        "velocities/vg-fps" => {
            let squared = sum(GROUND_VELOCITY.map(square)) - square("velocities/v-down-fps");
            Formula::made(Operation::Maximum, [squared, 0.0.into()]).by(Operation::SquareRoot)
        }
        "flight-path/gamma-rad" => angle(-of("velocities/v-down-fps"), "velocities/vg-fps"),
        "inertia/weight-lbs" => of("inertia/mass-slugs") * SLUG_POUNDS,
        _ => return None,
    })
}

fn of_stall(name: &str, description: &Description) -> Option<Formula> {
    let alpha = || of("aero/alpha-rad");
    Some(match (name, description.alpha_limits, description.hysteresis_limits) {
        ("aero/alpha-wing-rad", ..) => alpha() + description.sizes.incidence,
        ("systems/stall-warn-norm", Some([_, limit]), _) => {
            let share = alpha() / limit;
            Formula::from(0.85).less(share.clone()).choose(Formula::from(10.0) * (share - 0.85), 0.0)
        }
        ("aero/stall-hyst-norm", _, Some([ends, begins])) => {
            let goes_on = alpha().less(ends).choose(0.0, STALL_BEFORE);
            Formula::from(begins).less(alpha()).choose(1.0, goes_on)
        }
        ("systems/stall-warn-norm" | "aero/stall-hyst-norm", ..) => 0.0.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::air_forces::{Flight, Sizes};
    use crate::function::{Function, Routine};

    #[test]
    fn on_the_ground_air_from_the_side_and_from_behind_has_no_angle_of_attack() {
        let names = ["aero/alpha-rad", "aero/alphadot-rad_sec", "aero/betadot-rad_sec", "aero/beta-rad"];
        let functions = names.map(|name| Function { name: format!("read {name}"), expression: of(name) });
        let given = ["velocities/u-aero-fps", "velocities/v-aero-fps", "velocities/w-aero-fps"];
        let rates = ["accelerations/udot-ft_sec2", "accelerations/vdot-ft_sec2", "accelerations/wdot-ft_sec2"];
        let given =
            [&given[..], &rates, &["pilot/on-ground"]].concat().into_iter().map(str::to_owned).collect::<Vec<_>>();
        let derived = |name: &str| derived_in_landing(name, &Description::default());
        let routine = Routine::new(&functions, &given, &|_| 0.0, &derived).unwrap();
        let angles = |[u, v, w]: [f64; 3], on_ground: f64| {
            let row = routine.row(&[u, v, w, 0.3, 0.2, -0.4, on_ground], &[]);
            names.map(|name| row[routine.place(&format!("read {name}")).unwrap()])
        };
        for flow in [[0.1, 25.0, -0.1], [-0.1, 25.0, 0.1], [9.0, 25.0, 0.3], [-25.0, 3.0, 0.3], [-25.0, 3.0, -0.3]] {
            let [u, v, w]: [f64; 3] = flow;
            let sideslip = v.atan2((u * u + w * w).sqrt());
            let [attack, turning, swinging, found] = angles(flow, 1.0);
            assert!([attack, turning, swinging] == [0.0; 3] && (found - sideslip).abs() < 1e-14, "{flow:?}");
            let [attack, turning, ..] = angles(flow, 0.0);
            assert!(attack == w.atan2(u) && turning != 0.0, "{flow:?}");
        }
        for flow in [[10.0, 25.0, 0.3], [100.0, 0.0, -9.0], [-3.0, 0.0, 29.0]] {
            assert_eq!(angles(flow, 1.0), angles(flow, 0.0), "{flow:?}");
        }
    }

    #[test]
    fn in_landings_the_attitude_is_by_the_direction_downwards_what_it_is_by_angles() {
        let names = ["aero/h_b-mac-ft", "velocities/v-down-fps", "velocities/h-dot-fps", "flight-path/gamma-rad"];
        let functions = names.map(|name| Function { name: format!("read {name}"), expression: of(name) });
        let given =
            [&["position/h-agl-ft", "attitude/phi-rad", "attitude/theta-rad"][..], &ARM, &GROUND_VELOCITY, &DOWNWARDS];
        let given: Vec<String> = given.concat().into_iter().map(str::to_owned).collect();
        let sizes = Sizes { span: 30.0, ..Sizes::default() };
        let description = Description { sizes, ..Description::default() };
        for (roll, pitch) in [(0.0, 0.0), (0.3, 0.1), (-1.2, 0.4), (0.7, -1.1), (2.9, 1.5)] {
            let down = Flight { roll, pitch, ..Flight::default() }.downwards();
            assert!((down.length() - 1.0).abs() < 1e-15);
            let numbers = [&[40.0, roll, pitch, -12.0, 1.5, 7.0, 230.0, -9.0, 14.0][..], &down.to_array()].concat();
            let values = |derived: &dyn Fn(&str) -> Option<Formula>| {
                let routine = Routine::new(&functions, &given, &|_| 0.0, derived).unwrap();
                let row = routine.row(&numbers, &[]);
                names.map(|name| row[routine.place(&format!("read {name}")).unwrap()])
            };
            let by_angles = values(&|name| derived(name, &description));
            let by_direction = values(&|name| derived_in_landing(name, &description));
            for (one, other) in by_angles.into_iter().zip(by_direction) {
                assert!((one - other).abs() < 1e-12 && one != 0.0, "{roll} {pitch}: {one} {other}");
            }
        }
    }
}
