//! What the pilot gives, by JSBSim's names.

use crate::function::{Expression, Operation};

type Formula = Expression<String>;

/// Commands of a pilot who lands: gear and flaps out, mixture rich, propellers fast, trims where they are.
const COMMANDS: [(&str, Given); 20] = [
    ("fcs/elevator-cmd-norm", Given::Pilot("pilot/elevator")),
    ("fcs/aileron-cmd-norm", Given::Pilot("pilot/aileron")),
    ("fcs/rudder-cmd-norm", Given::Pilot("pilot/rudder")),
    ("fcs/steer-cmd-norm", Given::Pilot("pilot/rudder")),
    ("fcs/throttle-cmd-norm", Given::Throttle),
    // FlightGear's, for systems that set the throttles themselves.
    ("/controls/engines/engine/throttle", Given::Throttle),
    ("fcs/mixture-cmd-norm", Given::Always(1.0)),
    ("fcs/advance-cmd-norm", Given::Always(1.0)),
    ("fcs/feather-cmd-norm", Given::Always(0.0)),
    ("fcs/flap-cmd-norm", Given::Always(1.0)),
    ("fcs/speedbrake-cmd-norm", Given::Pilot("pilot/spoilers")),
    ("fcs/spoiler-cmd-norm", Given::Pilot("pilot/spoilers")),
    ("fcs/pitch-trim-cmd-norm", Given::Always(0.0)),
    ("fcs/roll-trim-cmd-norm", Given::Always(0.0)),
    ("fcs/yaw-trim-cmd-norm", Given::Always(0.0)),
    ("fcs/left-brake-cmd-norm", Given::Pilot("pilot/brake")),
    ("fcs/right-brake-cmd-norm", Given::Pilot("pilot/brake")),
    ("gear/gear-cmd-norm", Given::Always(1.0)),
    ("gear/wow", Given::Pilot("pilot/on-ground")),
    ("gear/unit/WOW", Given::Pilot("pilot/on-ground")),
];

/// Where a command comes from.
#[derive(Clone, Copy)]
enum Given {
    Pilot(&'static str),
    /// The pilot's throttle, which JSBSim's engines do not take below 0.
    Throttle,
    Always(f64),
}

/// What the pilot gives under this name.
pub(super) fn command(name: &str) -> Option<Formula> {
    let (stem, _) = numbered(name);
    COMMANDS.iter().find(|(own, _)| *own == stem).map(|(_, given)| match *given {
        Given::Pilot(name) => Formula::of(name),
        Given::Throttle => Formula::made(Operation::Maximum, [Formula::of("pilot/throttle"), 0.0.into()]),
        Given::Always(value) => value.into(),
    })
}

/// `FlightGear`'s name of a manifold pressure, which systems of engines read where it flies the aircraft; here it is JSBSim's own.
const MANIFOLD_PRESSURE: &str = "/engines/engine/mp-inhg";
/// An inch of mercury \[Pa\].
const INCH_OF_MERCURY: f64 = 3386.38;

/// Whether `FlightGear` makes a property of something that JSBSim computes, though a file declares it.
pub(super) fn is_of_flightgear(name: &str) -> bool {
    numbered(name).0 == MANIFOLD_PRESSURE
}

/// What stands for a property that JSBSim or `FlightGear` makes and nothing does here. Heights are above the runway, the earth does not turn, and the
/// pilot sits at the centre of gravity.
pub(super) fn stand_in(name: &str) -> Option<Formula> {
    let (stem, number) = numbered(name);
    let levers = ["throttle", "mixture", "advance", "feather"].map(|lever| format!("fcs/{lever}-pos-norm"));
    if levers.contains(&stem) {
        return Some(Formula::of(&(stem.replace("-pos-", "-cmd-") + &number)));
    }
    let axis = |names: [&str; 3]| names.iter().position(|own| *own == stem);
    if let Some(axis) = axis(["velocities/pi-rad_sec", "velocities/qi-rad_sec", "velocities/ri-rad_sec"]) {
        return Some(Formula::of(RATES[axis]));
    }
    if let Some(axis) =
        axis(["accelerations/n-pilot-x-norm", "accelerations/n-pilot-y-norm", "accelerations/n-pilot-z-norm"])
    {
        return Some(load(axis));
    }
    Some(match stem.as_str() {
        "gear/gear-pos-norm" => 1.0.into(),
        "position/h-sl-ft" => Formula::of("position/h-agl-ft"),
        "position/h-sl-meters" => Formula::of("position/h-agl-ft") * 0.3048,
        MANIFOLD_PRESSURE => Formula::of(&format!("propulsion/engine{number}/map-pa")) / INCH_OF_MERCURY,
        "forces/load-factor" => Formula::of("before/lift-lbs") / "inertia/weight-lbs",
        _ => return None,
    })
}

const RATES: [&str; 3] = ["velocities/p-rad_sec", "velocities/q-rad_sec", "velocities/r-rad_sec"];
const VELOCITY: [&str; 3] = ["velocities/u-fps", "velocities/v-fps", "velocities/w-fps"];
const ACCELERATION: [&str; 3] =
    ["accelerations/udot-ft_sec2", "accelerations/vdot-ft_sec2", "accelerations/wdot-ft_sec2"];
/// Acceleration of gravity \[ft/s^2\], as JSBSim has it.
const GRAVITY: f64 = 32.174_049;

/// What a pilot feels along a body axis, over gravity: acceleration of the centre of gravity less that of gravity, of the step before.
fn load(axis: usize) -> Formula {
    let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
    let turning = Formula::of(RATES[next]) * VELOCITY[last] - Formula::of(RATES[last]) * VELOCITY[next];
    let sine = |name: &str| Formula::of(name).by(Operation::Sine);
    let cosine = |name: &str| Formula::of(name).by(Operation::Cosine);
    let (roll, pitch) = ("attitude/phi-rad", "attitude/theta-rad");
    let down = match axis {
        0 => -sine(pitch),
        1 => cosine(pitch) * sine(roll),
        _ => cosine(pitch) * cosine(roll),
    };
    (Formula::of(ACCELERATION[axis]) + turning) / GRAVITY - down
}

/// A name without the numbers in it, and the last of these with its brackets.
fn numbered(name: &str) -> (String, String) {
    let mut stem = String::new();
    let mut number = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((inside, behind)) = after.split_once(']') else { break };
        stem += before;
        number = format!("[{inside}]");
        rest = behind;
    }
    (stem + rest, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flightgear_s_throttles_are_the_pilot_s_as_jsbsim_s_are() {
        let asked = command("fcs/throttle-cmd-norm[1]");
        assert!(asked.is_some());
        for name in ["/controls/engines/engine/throttle", "/controls/engines/engine[1]/throttle"] {
            assert_eq!(command(name), asked, "{name}");
        }
        assert_eq!(command("/controls/engines/engine/reverser"), None);
        assert!(is_of_flightgear("/engines/engine[1]/mp-inhg") && !is_of_flightgear("/engines/engine[1]/rpm"));
        let pressure = stand_in("/engines/engine[1]/mp-inhg");
        assert_eq!(pressure, Some(Formula::of("propulsion/engine[1]/map-pa") / INCH_OF_MERCURY));
    }
}
