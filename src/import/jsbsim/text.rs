//! The text of a vehicle file, with the derivation of everything that JSBSim does not define.

use std::collections::HashSet;
use std::fmt::Write;

use glam::DVec3;

use super::airframe::ImportedAirframe;
use super::contact::Bogey;
use super::gear::{DAMPING_TIME, DESIGN_SINK_RATE, GIVE_AHEAD, GIVE_BEHIND, GRAVITY, MAIN_SHARE, MIN_SHARE, Wheel};
use super::mass::to_body;
use super::spring::Spring;
use super::text_airframe;
use super::{Aircraft, Wing};
use crate::import::number::{number, vector};

/// Lift coefficient that carries the weight at the approach speed: landing flaps out, assumed.
const APPROACH_LIFT: f64 = 1.5;
/// Air at sea level \[kg/m^3\].
const AIR_DENSITY: f64 = 1.225;
/// Nothing with wings touches down faster \[m/s\]; a wing that asks for more does not carry the vehicle alone.
const FASTEST_APPROACH: f64 = 110.0;
/// Of what gas carries \[m/s\].
const AIRSHIP_APPROACH: f64 = 15.0;
/// Of the lowest point at the start \[m\].
const START_HEIGHT: f64 = 0.01;

/// The whole vehicle file.
pub(super) fn vehicle(
    file: &str,
    aircraft: &Aircraft,
    airframe: Option<&ImportedAirframe>,
    warnings: &[String],
) -> String {
    let mut text = head(file, aircraft, warnings);
    text.push_str(&mass(aircraft));
    text.push_str(&wheels(aircraft));
    text.push_str(&structure(aircraft));
    let approach = approach(aircraft);
    match airframe {
        Some(airframe) => {
            text.push_str(&format!(
                "\n# The usual pilot of vehicle files; [pilot], [autoland] and [flare] would go here.\n{approach}"
            ));
            text.push_str(&physics(airframe));
        }
        None => {
            text.push_str(&wing(aircraft.wing.as_ref()));
            text.push_str(&format!(
                "\n# No thrust, and the usual pilot of vehicle files; [thrust] and [pilot] would go here.\n{approach}"
            ));
        }
    }
    text
}

fn head(file: &str, aircraft: &Aircraft, warnings: &[String]) -> String {
    // Names may hold anything, and a line break would end the comment.
    let mut text = format!("# From {}, an aircraft of JSBSim. Lines are those of that file. ", file.escape_debug());
    let _ = if aircraft.licence.is_empty() {
        writeln!(text, "It names no licence.")
    } else {
        writeln!(text, "Its licence: {}.", aircraft.licence.escape_debug())
    };
    text.push_str(
        "# SI units. Body frame: origin in the centre of gravity, X forward, Y right, Z down. \"assumed\" marks what has no\n\
         # source, \"derived\" what follows from the file by the rules given here.\n",
    );
    for warning in warnings {
        let _ = writeln!(text, "# Warning: {warning}");
    }
    let ground_reactions = if aircraft.contacts.bogeys.iter().any(|bogey| bogey.is_pad) {
        "\"jsbsim\"  # or \"pebble\", which presses pads along the body's Z axis and has the ground's friction alone"
    } else {
        "\"pebble\"  # or \"jsbsim\", for which the wheels have friction of their own"
    };
    let _ = writeln!(text, "\nname = {}\nground_reactions = {ground_reactions}", quoted(&aircraft.name));
    text
}

fn mass(aircraft: &Aircraft) -> String {
    let balance = &aircraft.balance;
    let inertia = &balance.inertia;
    let mut text = format!(
        "mass = {}  # empty {} kg, and point masses: {}{}; no fuel\n\n\
         # About the centre of gravity, which is at {} m of JSBSim's frame (x aft, y right, z up).\n\
         # Products are integrals such as xz = integral of x z dm.\n[inertia]\n",
        number(balance.mass),
        number(balance.empty_mass),
        balance.point_masses,
        if aircraft.displaced > 0.0 { ", and gas" } else { "" },
        place(balance.center),
    );
    let products = [("xy", inertia.xy), ("xz", inertia.xz), ("yz", inertia.yz)];
    for (key, value) in [("xx", inertia.xx), ("yy", inertia.yy), ("zz", inertia.zz)].into_iter().chain(products) {
        let _ = writeln!(text, "{key} = {}", number(value));
    }
    text
}

fn wheels(aircraft: &Aircraft) -> String {
    let gear = &aircraft.gear;
    let mut text = format!(
        "\n# k_z or strut, d_z and what begins with d_z are JSBSim's, and so is brake_friction: (static - rolling friction) of the contact at\n\
         # full pedal. Derived, for JSBSim has none of it:\n\
         # travel  z_max - z_min: a bound on how deep the mass M goes under its weight that meets the ground at {DESIGN_SINK_RATE} m/s\n\
         #         (10 ft/s, limit of design of transports). With k = -k_z, d = -d_z, w = sqrt(k/M), e = d / (2 sqrt(k M)) and\n\
         #         s = sqrt(1 - e^2): M g/k (1 + exp(-pi e/s)) + V/w exp(-e acos(e)/s); from e = 1 on M g/k + V/w exp(-e\n\
         #         acosh(e)/s) with s = sqrt(e^2 - 1).\n\
         #         M is the larger of the static load over g and 1/(1/m + x^2/yy + y^2/xx), what one wheel alone feels.\n\
         #         JSBSim's gear never breaks. z_zero = z_max, and z_min = 0 is free to choose; Z of the position is that\n\
         #         of the lowest point of the relaxed tyre less z_zero.\n\
         # k_xy    static load over {GIVE_BEHIND} m; of nose wheels, which are steered or stand in the plane of symmetry ahead of the\n\
         #         centre of gravity, over {GIVE_AHEAD} m: half of what main and nose wheels of the model's reference tricycle\n\
         #         give way by (60 kN/m under 3610 N, 20 kN/m under 3010 N), whose free rolling does not weave. At least\n\
         #         for {MIN_SHARE} of the weight.\n\
         # d_xy    {DAMPING_TIME} s of k_xy, as in the reference.\n\
         # Friction of the contacts' own is for `ground_reactions = \"jsbsim\"`; that of pebbles is the ground's. Of a wheel\n\
         # JSBSim uses the static one alone, of a pad (locked) that moves the dynamic one.\n\
         # main    wheels beside the plane of symmetry that carry more than {MAIN_SHARE} of the greatest load and do not turn; without\n\
         #         pairs of them, a pair that casters; without it, those with the greatest load; the lowest of a vehicle that cannot stand.\n",
    );
    let _ = match &gear.stance {
        Some(stance) => writeln!(
            text,
            "# Static loads: at rest on flat ground, {GRAVITY} m/s2, pitch {} deg, bank {} deg.",
            number(round(stance.pitch().to_degrees())),
            number(round(stance.bank().to_degrees()))
        ),
        None => writeln!(text, "# Static loads: equal shares, assumed; it cannot stand."),
    };
    let mut names = Names::default();
    for (bogey, wheel) in aircraft.contacts.bogeys.iter().zip(&gear.wheels) {
        text.push_str(&one_wheel(&names.key(&bogey.name, "wheel"), bogey, wheel));
    }
    text
}

fn one_wheel(key: &str, bogey: &Bogey, wheel: &Wheel) -> String {
    let mut text = format!(
        "\n[wheels.{key}]  # {}: {}{}\n\
         # Static load {} N; M = {} kg.\n\
         position = {}\n{}\nd_z = {}\nk_xy = {}\nd_xy = {}\nz_min = 0\nz_zero = {travel}\nz_max = {travel}\n",
        bogey.spot,
        bogey.name.escape_debug(),
        if bogey.retractable { ", retractable: taken as down" } else { "" },
        number(round(wheel.load)),
        number(round(wheel.mass)),
        place(wheel.foot - DVec3::Z * round(wheel.travel)),
        spring(&bogey.spring),
        number(-bogey.damper.linear),
        number(-round(wheel.horizontal_spring)),
        number(-round(wheel.horizontal_damper)),
        travel = number(round(wheel.travel)),
    );
    // What a rebound leaves out is that of compression.
    let (compression, rebound) = (bogey.damper, bogey.rebound.unwrap_or(bogey.damper));
    for (key, value, default) in [
        ("d_z_square", -compression.square, 0.0),
        ("d_z_rebound", -rebound.linear, -compression.linear),
        ("d_z_square_rebound", -rebound.square, -compression.square),
        ("rolling_resistance", bogey.rolling_friction, 0.0),
        ("steering_deg", wheel.steering, 0.0),
        ("brake_friction", wheel.brake, 0.0),
    ] {
        if value != default {
            let _ = writeln!(text, "{key} = {}", number(value));
        }
    }
    let friction = [("static_friction", bogey.static_friction), ("dynamic_friction", bogey.dynamic_friction)];
    for (key, value) in friction {
        let _ = writeln!(text, "{key} = {}", number(value));
    }
    for (key, holds) in [("caster", bogey.steering.casters), ("locked", bogey.is_pad)] {
        if holds {
            let _ = writeln!(text, "{key} = true");
        }
    }
    if wheel.main {
        text.push_str("main = true\n");
    }
    text
}

fn spring(spring: &Spring) -> String {
    if let Some(stiffness) = spring.stiffness() {
        return format!("k_z = {}", number(-stiffness));
    }
    let row = |&(compression, force): &(f64, f64)| format!("[{}, {}]", number(compression), number(force));
    format!("strut = [{}]", spring.rows().iter().map(row).collect::<Vec<_>>().join(", "))
}

fn structure(aircraft: &Aircraft) -> String {
    let mut text = String::new();
    let mut names = Names::default();
    for point in &aircraft.contacts.points {
        let _ = write!(
            text,
            "\n[structure.{}]  # {}: {}\nposition = {}\n",
            names.key(&point.name, "point"),
            point.spot,
            point.name.escape_debug(),
            place(to_body(point.place, aircraft.balance.center)),
        );
    }
    text
}

fn wing(wing: Option<&Wing>) -> String {
    let Some(Wing { area, span, chord }) = wing else {
        return "\n# No air forces: the file gives no wing.\n".to_owned();
    };
    format!(
        "\n# All derivatives are 0, so that nothing lifts, drags or damps it in the air: add those of the aircraft.\n\
         [aerodynamics]\narea = {}\nspan = {}\nchord = {}\nangle_limit_deg = 15    # assumed\nsurface_limit_deg = 25  # assumed\n",
        number(*area),
        number(*span),
        number(*chord)
    )
}

/// Physics of its own; what nothing makes is noted.
fn physics(airframe: &ImportedAirframe) -> String {
    text_airframe::airframe(&airframe.description, &|property| {
        let reader = airframe.zeros.get(property)?;
        Some(format!("made by nothing here, and read by {}", reader.escape_debug()))
    })
}

fn approach(aircraft: &Aircraft) -> String {
    let weight = aircraft.balance.mass * GRAVITY;
    let speed = aircraft.wing.as_ref().map(|wing| (2.0 * weight / (AIR_DENSITY * wing.area * APPROACH_LIFT)).sqrt());
    let (speed, why) = match speed {
        _ if aircraft.displaced > 0.0 => (AIRSHIP_APPROACH, "assumed: its gas carries it".to_owned()),
        Some(speed) if speed <= FASTEST_APPROACH => {
            (speed, format!("assumed: lift is the weight at a lift coefficient of {APPROACH_LIFT}, at sea level"))
        }
        Some(_) => (0.0, "assumed: its wing does not carry it alone".to_owned()),
        None => (0.0, "assumed: it has no wing".to_owned()),
    };
    let pitch = round(aircraft.gear.stance.as_ref().map_or(0.0, |stance| stance.pitch().to_degrees()));
    format!(
        "\n[approach]\nairspeed = {}  # {why}\nsink_rate = 0.6  # assumed: 2 ft/s\n\
         pitch = \"{} deg\"  # as it stands: assumed\nheight = {}  # of the mains; of the lowest point {START_HEIGHT}: low, for nothing trims it on the way down, assumed\n",
        number(round(speed)),
        number(pitch),
        number(round(START_HEIGHT + lowest_below_mains(aircraft, pitch.to_radians()))),
    )
}

/// How much lower the lowest wheel or structural point is than the lowest main wheel \[m\], at a pitch angle \[rad\]: a soft
/// nose gear that nothing presses hangs low.
fn lowest_below_mains(aircraft: &Aircraft, pitch: f64) -> f64 {
    let down = DVec3::new(-pitch.sin(), 0.0, pitch.cos());
    let lowest = |depth: f64, foot: DVec3| depth.max(foot.dot(down));
    let wheels = &aircraft.gear.wheels;
    let mains = wheels.iter().filter(|wheel| wheel.main).map(|wheel| wheel.foot).fold(f64::NEG_INFINITY, lowest);
    let points = aircraft.contacts.points.iter().map(|point| to_body(point.place, aircraft.balance.center));
    wheels.iter().map(|wheel| wheel.foot).chain(points).fold(mains, lowest) - mains
}

/// To six digits: what is derived or assumed has no more.
fn round(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// A place to the micrometre.
fn place(place: DVec3) -> String {
    vector((place * 1e6).round() / 1e6)
}

/// A text as a string of TOML.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => quoted.push(' '),
            _ => quoted.push(character),
        }
    }
    quoted + "\""
}

/// Names of contacts as keys, each once.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// The name in small letters and digits with `_` between them; the name of the thing where nothing is left.
    pub(super) fn key(&mut self, name: &str, thing: &str) -> String {
        let spaced = name.to_ascii_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), " ");
        let name = spaced.split_whitespace().collect::<Vec<_>>().join("_");
        let name = if name.is_empty() { thing.to_owned() } else { name };
        let mut free = name.clone();
        let mut number = 2;
        while !self.0.insert(free.clone()) {
            free = format!("{name}_{number}");
            number += 1;
        }
        free
    }
}
