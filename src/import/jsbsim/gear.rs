//! Properties of our wheels that JSBSim does not define: travel and horizontal springs.
//!
//! # Conventions
//! Body frame as in [`crate::vehicle`]. Springs and dampers are positive here; the file gets them negative.

use glam::DVec3;

use super::contact::Bogey;
use super::mass::{MassBalance, to_body};
use super::spring::Spring;
use super::stance::{Foot, Stance, stance};

/// Standard gravity \[m/s^2\].
pub(super) const GRAVITY: f64 = 9.806_65;
/// The sink rate that every wheel's travel is made for \[m/s\]: 10 ft/s, at which transports' gear is designed to its
/// limit load (14 CFR 25.473).
pub(super) const DESIGN_SINK_RATE: f64 = 3.048;
/// How far a wheel that is no nose wheel gives way sideways under a force as large as its static load \[m\]: half of what
/// those of the reference tricycle of 1043 kg do (docs/theory/wheels.md), of which each has 60 kN/m and carries 1.2/1.7/2 of it, so
/// 3610 N. In JSBSim wheels do not give way along the ground. Levers are short in taildraggers: at half of it they stand
/// within 2 % as they do there, and one that brakes in JSBSim without tipping over does here.
pub(super) const GIVE_BEHIND: f64 = 0.03;
/// The same of a nose wheel, half of that of the tricycle's: 20 kN/m, and 0.5/1.7, so 3010 N. More than behind: the first
/// moment of the horizontal springs is then backward, and free rolling does not weave.
pub(super) const GIVE_AHEAD: f64 = 0.075;
/// Horizontal damper over horizontal spring \[s\]; both wheels of the reference tricycle have it (3000 over 60,000).
pub(super) const DAMPING_TIME: f64 = 0.05;
/// A wheel that carries nothing at rest gets horizontal springs for this share of the weight.
pub(super) const MIN_SHARE: f64 = 0.01;
/// Wheels beside the plane of symmetry are further from it than this \[m\].
const BESIDE: f64 = 0.1;
/// Main wheels carry more than this share of what the wheel with the greatest load carries.
pub(super) const MAIN_SHARE: f64 = 0.25;
/// Wheels that hang no higher above the lowest one are as low \[m\].
const LEVEL: f64 = 0.01;
/// No strut that carries its aircraft is longer \[m\].
const MAX_TRAVEL: f64 = 1e3;
/// Halvings that find a travel to far more digits than it is given with.
const HALVINGS: usize = 60;
/// Loads that change by less than this share of the weight have been found ...
const SETTLED: f64 = 1e-9;
/// ... in so many rounds, where wheels do not come and go.
const MAX_ROUNDS: usize = 20;

/// A wheel as the vehicle file has it.
pub(super) struct Wheel {
    /// Lowest point of the relaxed tyre, body \[m\].
    pub foot: DVec3,
    /// Static load \[N\].
    pub load: f64,
    /// Mass that the travel is made for \[kg\].
    pub mass: f64,
    /// From relaxed to broken \[m\].
    pub travel: f64,
    /// \[N/m\].
    pub horizontal_spring: f64,
    /// \[N s/m\].
    pub horizontal_damper: f64,
    /// Share of the load at full pedal \[1\].
    pub brake: f64,
    /// Greatest steering angle \[deg\]; 0 behind the centre of gravity, where the pilot's angle would turn it the wrong way.
    pub steering: f64,
    pub main: bool,
}

/// All wheels, and the equilibrium on them.
pub(super) struct Gear {
    pub wheels: Vec<Wheel>,
    /// `None` where the vehicle cannot stand on them.
    pub stance: Option<Stance>,
}

pub(super) fn gear(bogeys: &[Bogey], balance: &MassBalance) -> Gear {
    let weight = balance.mass * GRAVITY;
    let (feet, stance) = standing_feet(bogeys, balance, weight);
    let loads = stance.as_ref().map_or_else(|| equal_shares(weight, feet.len()), |stance| stance.loads.clone());
    let heaviest = loads.iter().copied().fold(0.0, f64::max);
    // Old aircraft have tips of wings as wheels: they carry nothing, or what keeps a glider from falling over.
    let beside = |bogey: &Bogey, load: f64| load > MAIN_SHARE * heaviest && bogey.foot.y.abs() > BESIDE;
    let fixed = |bogey: &Bogey, load: f64| beside(bogey, load) && !bogey.steering.turns;
    // Main wheels of some light aircraft caster in their files.
    let unsteered = |bogey: &Bogey, load: f64| beside(bogey, load) && (!bogey.steering.turns || bogey.steering.casters);
    let on = |side: f64, of: &dyn Fn(&Bogey, f64) -> bool| {
        bogeys.iter().zip(&loads).any(|(bogey, &load)| of(bogey, load) && bogey.foot.y * side > 0.0)
    };
    let has_fixed = [-1.0, 1.0].map(|side| on(side, &fixed));
    let has_unsteered = [-1.0, 1.0].map(|side| on(side, &unsteered));
    // What cannot stand touches down with what hangs lowest.
    let lowest = feet.iter().map(|foot| foot.place.z).fold(f64::NEG_INFINITY, f64::max);
    let is_main = |bogey: &Bogey, foot: &Foot, load: f64| match stance {
        None => foot.place.z >= lowest - LEVEL,
        Some(_) if has_fixed == [true; 2] => fixed(bogey, load),
        Some(_) if has_unsteered == [true; 2] => unsteered(bogey, load),
        Some(_) if has_fixed.contains(&true) => fixed(bogey, load),
        Some(_) => load == heaviest,
    };
    let wheels: Vec<Wheel> = bogeys
        .iter()
        .zip(&feet)
        .zip(loads)
        .map(|((bogey, foot), load)| {
            let mass = felt_mass(foot.place, balance).max(load / GRAVITY);
            Wheel {
                foot: foot.place,
                load,
                mass,
                travel: travel(mass, &bogey.spring, bogey.damper.linear),
                horizontal_spring: foot.horizontal_spring,
                horizontal_damper: DAMPING_TIME * foot.horizontal_spring,
                brake: if bogey.brakes { (bogey.static_friction - bogey.rolling_friction).max(0.0) } else { 0.0 },
                steering: if foot.place.x > 0.0 { bogey.steering.angle } else { 0.0 },
                main: is_main(bogey, foot, load),
            }
        })
        .collect();
    Gear { wheels, stance }
}

/// The feet, with horizontal springs by what they carry, and how the vehicle stands on them.
///
/// A leaning strut gives way across itself too, so that loads depend on the horizontal springs: by the lean's square, so
/// that a few rounds find both.
fn standing_feet(bogeys: &[Bogey], balance: &MassBalance, weight: f64) -> (Vec<Foot>, Option<Stance>) {
    let mut loads = equal_shares(weight, bogeys.len());
    let mut rounds = 0;
    loop {
        let feet: Vec<_> = bogeys
            .iter()
            .zip(&loads)
            .map(|(bogey, &load)| {
                let place = to_body(bogey.foot, balance.center);
                Foot {
                    place,
                    spring: bogey.spring.clone(),
                    horizontal_spring: horizontal_spring(bogey, place, load, weight),
                }
            })
            .collect();
        let stance = stance(&feet, weight);
        let change = stance.as_ref().map_or(0.0, |stance| {
            stance.loads.iter().zip(&loads).map(|(now, before)| (now - before).abs()).fold(0.0, f64::max)
        });
        rounds += 1;
        if change <= SETTLED * weight || rounds == MAX_ROUNDS {
            return (feet, stance);
        }
        loads = stance.map_or(loads, |stance| stance.loads);
    }
}

fn equal_shares(weight: f64, wheels: usize) -> Vec<f64> {
    vec![weight / wheels as f64; wheels]
}

/// Of a wheel whose relaxed tyre ends here, under its static load \[N/m\].
fn horizontal_spring(bogey: &Bogey, foot: DVec3, load: f64, weight: f64) -> f64 {
    let is_nose = foot.x > 0.0 && (bogey.steering.turns || foot.y.abs() <= BESIDE);
    load.max(MIN_SHARE * weight) / if is_nose { GIVE_AHEAD } else { GIVE_BEHIND }
}

/// What a blow along the strut of a foot moves \[kg\]: `1 / (1/m + x^2/I_yy + y^2/I_xx)`, the free body's answer without products
/// of inertia.
fn felt_mass(foot: DVec3, balance: &MassBalance) -> f64 {
    let inertia = &balance.inertia;
    (balance.mass.recip() + foot.x * foot.x / inertia.yy + foot.y * foot.y / inertia.xx).recip()
}

/// A bound on how deep a mass under its weight presses a strut that it meets at the design sink rate \[m\].
fn travel(mass: f64, spring: &Spring, damper: f64) -> f64 {
    if let Some(stiffness) = spring.stiffness() {
        return deepest(mass, stiffness, damper, DESIGN_SINK_RATE);
    }
    // Without the damper, which would make it less: where the spring holds all that speed and weight give.
    let rests =
        |depth: f64| spring.at(depth).energy >= mass * (0.5 * DESIGN_SINK_RATE * DESIGN_SINK_RATE + GRAVITY * depth);
    let mut far = 1.0;
    while !rests(far) && far < MAX_TRAVEL {
        far *= 2.0;
    }
    let mut near = 0.0;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (near + far);
        *(if rests(middle) { &mut far } else { &mut near }) = middle;
    }
    far
}

/// A bound on how deep a mass under its weight presses a spring and a damper that it meets at a speed \[m\].
///
/// A part of the damper that goes with the square of the speed would only make it less, and is left out.
/// Both are linear, so that the deflections by the weight and by the speed add, and so do bounds on each. With
/// omega = sqrt(k/m), zeta = d / (2 sqrt(k m)) and s = sqrt(1 - zeta^2): the weight's passes its static value m g / k by
/// the share exp(-pi zeta / s), the speed's reaches V / omega exp(-zeta acos(zeta) / s). From zeta = 1 on the weight's does
/// not pass it, and with s = sqrt(zeta^2 - 1) the speed's has acosh for acos.
fn deepest(mass: f64, spring: f64, damper: f64, speed: f64) -> f64 {
    let sag = mass * GRAVITY / spring;
    let omega = (spring / mass).sqrt();
    let zeta = 0.5 * damper / (spring * mass).sqrt();
    let s = ((1.0 - zeta) * (1.0 + zeta)).abs().sqrt();
    // acos and acosh of zeta, over s; both are 1 at zeta = 1, where nothing overshoots.
    let (overshoot, time) = if s == 0.0 {
        (0.0, 1.0)
    } else if zeta < 1.0 {
        ((-std::f64::consts::PI * zeta / s).exp(), s.atan2(zeta) / s)
    } else {
        (0.0, s.asinh() / s)
    };
    sag * (1.0 + overshoot) + speed / omega * (-zeta * time).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass, spring and damper by small steps: how deep they go until they first turn back.
    fn integrated(mass: f64, spring: f64, damper: f64, speed: f64) -> f64 {
        let step = 1e-5 * (mass / spring).sqrt().min(mass / damper.max(1e-9));
        let (mut depth, mut rate) = (0.0, speed);
        // A strong damper lets the mass sink to its static place for ever.
        for _ in 0..3_000_000 {
            if rate <= 0.0 {
                break;
            }
            rate += step * (GRAVITY - (spring * depth + damper * rate) / mass);
            depth += step * rate;
        }
        depth
    }

    #[test]
    fn the_travel_is_enough_and_less_than_twice_what_is_needed() {
        for zeta in [0.0, 0.05, 0.2, 0.5, 0.8, 0.99, 1.0, 1.5, 4.0] {
            for (mass, spring) in [(350.0, 40e3), (30e3, 1.8e6), (60e3, 320e3)] {
                let damper = 2.0 * zeta * f64::sqrt(spring * mass);
                let bound = deepest(mass, spring, damper, DESIGN_SINK_RATE);
                let found = integrated(mass, spring, damper, DESIGN_SINK_RATE);
                println!("zeta {zeta}: {found:.4} m of {bound:.4} m");
                // Steps of 1e-5 of the fastest time move the depth by about as much.
                assert!(found <= bound * (1.0 + 1e-4), "{zeta} {mass}: {found} {bound}");
                // A sum of two bounds, each of which the mass reaches, the first at least in the long run.
                let needed = found.max(mass * GRAVITY / spring);
                assert!(needed > 0.5 * bound, "{zeta} {mass}: {needed} {bound}");
            }
        }
    }
}
