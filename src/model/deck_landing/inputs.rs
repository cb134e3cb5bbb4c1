//! What may differ from landing to landing, and how one starts.

use std::ops::RangeInclusive;

use crate::deck::{DeckMotion, DeckStart, Oscillation, Sea, ShipMotion};
use crate::document::Unit;
use crate::model::{Input, Inputs};
use crate::random::{unit_interval, words};

/// The variable of waves in the random counter, far above all inputs; the block is the number of the wave's band.
const VARIABLE: u32 = 1 << 20;

/// Numbers of the inputs that waves depend on.
pub(super) const OF_WAVES: [usize; 3] = [0, 1, 2];

/// Number of the input of that name.
const DECK_TIME: usize = 3;

/// The inputs, their nominal values, and what they may be. Places in the list are variables of the random counter.
pub(super) const INPUTS: [(Input, f64, RangeInclusive<f64>); 12] = [
    (
        input(
            "sea_state",
            Unit::One,
            "Sea state from 0 to 6; between those of the table height and period are linear.",
        ),
        4.0,
        0.0..=6.0,
    ),
    (
        input(
            "heading",
            Unit::Angle,
            "Where the waves come from, by the course: 0 from astern, pi/2 from port, pi ahead.",
        ),
        std::f64::consts::PI,
        -10.0..=10.0,
    ),
    (input("ship_speed", Unit::Speed, "Speed of the ship."), 5.0, 0.0..=30.0),
    (input("deck_time", Unit::Time, "When in the deck's motion the landing begins."), 0.0, 0.0..=1e5),
    (input("sink_rate", Unit::Speed, "Downwards velocity, by the ship's mean place."), 1.0, 0.0..=20.0),
    (input("drift", Unit::Speed, "Velocity to starboard, by the ship's mean place."), 0.0, -20.0..=20.0),
    (input("roll", Unit::Angle, "Roll of the aircraft, starboard up."), 0.0, -1.0..=1.0),
    (input("roll_rate", Unit::AngularRate, "Its rate."), 0.0, -3.0..=3.0),
    (
        input("lateral_offset", Unit::Length, "Centre of gravity to starboard of the deck's middle."),
        0.0,
        -100.0..=100.0,
    ),
    (input("friction", Unit::One, "Dynamic friction of skids on the deck."), 0.5, 0.0..=5.0),
    (input("mass", Unit::One, "Factor of mass and moment of inertia."), 1.0, 0.1..=10.0),
    (input("lift", Unit::One, "Rotor lift until touchdown, by weight."), 1.0, 0.0..=2.0),
];

const fn input(name: &'static str, unit: Unit, description: &'static str) -> Input {
    Input { name, unit, description }
}

/// How a landing with these inputs starts; the deck moves for a duration \[s\].
pub(super) fn start(ship: &ShipMotion, duration: f64, inputs: &Inputs) -> DeckStart {
    let [state, heading, speed, begin, sink_rate, drift, roll, roll_rate, offset, friction, mass, lift] =
        std::array::from_fn(|number| inputs.values[number]);
    let motion = match ship {
        ShipMotion::Record(interval, rows) => DeckMotion::of_record(*interval, rows, begin, duration),
        ShipMotion::Responses(responses) => {
            let drawn = |band: usize| {
                let words = words(inputs.noise.seed, inputs.noise.item, VARIABLE, band as u32);
                [[words[0], words[1]], [words[2], words[3]]]
                    .map(|[low, high]| unit_interval(u64::from(high) << 32 | u64::from(low)))
            };
            let waves = Sea::of_state(state).waves(drawn);
            let oscillations: Vec<Oscillation> =
                waves.iter().map(|wave| responses.oscillation(wave, speed, heading)).collect();
            DeckMotion::of_oscillations(&oscillations, begin, duration)
        }
    };
    DeckStart { motion, sink_rate, drift, roll, roll_rate, offset, friction, mass, lift }
}

/// Number of the input of that name.
const SHIP_SPEED: usize = 2;

/// What is doubtful of a landing: the ship's responses at a speed that its table does not have.
pub(super) fn doubt(ship: &ShipMotion, inputs: &Inputs) -> Option<String> {
    let ShipMotion::Responses(responses) = ship else { return None };
    let (speed, speeds) = (inputs.values[SHIP_SPEED], &responses.speeds);
    let (least, greatest) = (*speeds.first()?, *speeds.last()?);
    (speed < least || speed > greatest).then(|| {
        format!("ship_speed = {speed:.2} m/s: the ship's responses are known from {least} to {greatest} m/s, and those nearest are taken")
    })
}

/// The first input that is not what it may be, in words, of a landing of this duration \[s\].
pub(super) fn fault(ship: &ShipMotion, duration: f64, inputs: &Inputs) -> Option<String> {
    let bad = |((input, _, range), value): (&(Input, f64, RangeInclusive<f64>), &f64)| input.fault(*value, range);
    let past_the_record = || {
        let ShipMotion::Record(interval, rows) = ship else { return None };
        let (begin, end) = (inputs.values[DECK_TIME], interval * (rows.len() - 1) as f64);
        // It begins with a sample.
        let lasts = (begin / interval).round() * interval + duration;
        (lasts > end * (1.0 + 1e-9)).then(|| {
            format!("deck_time = {begin} s: the landing lasts until {lasts} s, and the deck's record until {end} s")
        })
    };
    INPUTS.iter().zip(&inputs.values).find_map(bad).or_else(past_the_record)
}
