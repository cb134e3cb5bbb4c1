//! Steps of landings on decks that engines are asked about.

use std::sync::LazyLock;

use glam::DVec2;

use super::{Class, DeckLandingSteps};
use crate::deck::{
    Configuration, ContactLaw, DeckLanding, DeckMotion, DeckRecord, DeckStart, DeckStep, Frame, Gear, Grip,
    Oscillation, Piece, Propagation, Tube,
};
use crate::query::ConvexTarget;
use crate::validation::answered::Drawn;
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};
use crate::validation::item::Class as _;

/// How long decks move \[s\].
const DURATION: f64 = 2.0;
/// Half the width of the deck, and of the recess in its middle \[m\].
const HALF_WIDTH: f64 = 8.2;
const HALF_RECESS: f64 = 0.5;
/// Half of the distance of the skids \[m\].
const HALF_TRACK: f64 = 1.2;

static LANDINGS: LazyLock<Vec<DeckLanding>> =
    LazyLock::new(|| Class::CLASSES.iter().map(|class| landing(*class).unwrap_or_else(|| unreachable!())).collect());

/// What the steps of a class share.
pub(in crate::validation) fn landing_of(class: Class) -> &'static DeckLanding {
    &LANDINGS[class as usize]
}

/// A helicopter with two legs of three tubes above a deck with a recess; `None` of gears and pieces that are none.
fn landing(class: Class) -> Option<DeckLanding> {
    let (modes, initiators, step): (usize, &[usize], f64) = match class {
        Class::AllModes => (14, &[0, 1, 4, 5], 4e-3),
        _ => (4, &[0, 5], 1e-3),
    };
    let tube =
        Tube { diameter: 0.085, wall: 0.009, count: 2.0, elasticity: 71.7e9, density: 2810.0, yield_stress: 455e6 };
    let nodes = [(-HALF_TRACK, -1.35), (-0.95, -1.0), (-0.35, -0.8), (0.35, -0.8), (0.95, -1.0), (HALF_TRACK, -1.35)];
    let frame = Frame {
        nodes: nodes.map(DVec2::from).to_vec(),
        elements: (1..nodes.len()).map(|node| ([node - 1, node], tube)).collect(),
        held: vec![(2, 0), (2, 1), (3, 0), (3, 1)],
    };
    let gear = Gear::new(&frame, initiators, modes, [0.0, 0.002]).ok()?;
    let piece = |corners: [(f64, f64); 4]| {
        ConvexTarget::new(corners.map(DVec2::from).to_vec()).ok().map(|target| Piece::new(&target))
    };
    let (wide, narrow) = (HALF_WIDTH, HALF_RECESS);
    let deck = [
        [(-wide, -1.5), (-wide, 0.0), (-narrow, 0.0), (-narrow, -1.5)],
        [(narrow, -1.5), (narrow, 0.0), (wide, 0.0), (wide, -1.5)],
        [(-0.7, -1.5), (-0.7, -0.05), (0.7, -0.05), (0.7, -1.5)],
    ];
    Some(DeckLanding {
        mass: 2250.0,
        inertia: 1500.0,
        propagations: gear.modes.iter().map(|mode| Propagation::new(mode, step)).collect(),
        gear,
        law: ContactLaw { stiffness: 2e6, damping: 5e3, grip_stiffness: 1e6, grip_damping: 3e3, static_ratio: 1.2 },
        deck: deck.into_iter().map(piece).collect::<Option<_>>()?,
        lift_factor: (-step / 0.5).exp(),
        rollover_angle: 0.52,
        clearance: 0.02,
        step,
        steps: (DURATION / step) as u32,
    })
}

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<DeckLandingSteps>) -> Drawn<DeckStep> {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::DeckStep, number);
    let landing = landing_of(class);
    let start = start(class, &mut draws);
    // Anywhere between the first step and one of the last in which most have come to rest.
    let steps = draws.index((0.4 / landing.step) as usize) as u32;
    let mut record = DeckRecord::after(landing, &start, steps);
    match class {
        Class::Anywhere => scatter(landing, &mut record, &mut draws),
        Class::Grazing => graze(landing, &start, &mut record, &mut draws),
        Class::Landing | Class::Slipping | Class::Edges | Class::AllModes => {}
    }
    Drawn { item: DeckStep { start, record }, made_to_touch: class == Class::Grazing }
}

/// A start of a class.
pub(in crate::validation) fn start(class: Class, draws: &mut Draws) -> DeckStart {
    let mut oscillation = || {
        let mut phasor = |size: f64| [draws.between(-size, size), draws.between(-size, size)];
        let phasors = [phasor(1.0), phasor(1.0), phasor(0.06)];
        Oscillation { frequency: draws.between(0.2, 1.5), phasors }
    };
    let oscillations = [oscillation(), oscillation()];
    let begin = draws.between(0.0, 100.0);
    let (drift, friction) = match class {
        Class::Slipping | Class::Edges => (draws.between(-3.0, 3.0), draws.between(0.02, 0.3)),
        _ => (draws.between(-0.5, 0.5), draws.between(0.2, 0.8)),
    };
    let offset = match class {
        // A skid near the deck's end, or near the wall of the recess.
        Class::Edges => {
            let edge = draws.sign() * [HALF_WIDTH, HALF_RECESS][draws.index(2)];
            edge + draws.sign() * HALF_TRACK + draws.between(-0.1, 0.1)
        }
        _ => draws.between(-5.0, 5.0),
    };
    DeckStart {
        motion: DeckMotion::of_oscillations(&oscillations, begin, DURATION),
        sink_rate: draws.between(0.5, 3.0),
        drift,
        roll: draws.between(-0.1, 0.1),
        roll_rate: draws.between(-0.1, 0.1),
        offset,
        friction,
        mass: draws.between(0.8, 1.2),
        lift: draws.between(0.5, 1.0),
    }
}

/// Anywhere about the deck, in contact with anything.
fn scatter(landing: &DeckLanding, record: &mut DeckRecord, draws: &mut Draws) {
    let mut vector = |size: f64| DVec2::new(draws.between(-size, size), draws.between(-size, size));
    record.state.place += vector(2.0);
    record.state.velocity += vector(3.0);
    let shifts: Vec<DVec2> = record.places.iter().map(|_| vector(0.02)).collect();
    record.state.roll += draws.between(-0.4, 0.4);
    record.state.roll_rate += draws.between(-1.0, 1.0);
    for ([coordinate, rate], mode) in record.state.modes.iter_mut().zip(&landing.gear.modes) {
        *coordinate += draws.between(-1.0, 1.0) * 20.0 / mode.frequency;
        *rate += draws.between(-20.0, 20.0);
    }
    record.places.iter_mut().zip(shifts).for_each(|(place, shift)| *place += shift);
    for (number, (configuration, grip)) in record.contacts.iter_mut().enumerate() {
        let piece = &landing.deck[number % landing.deck.len()];
        let place = record.places[number / landing.deck.len()];
        *configuration = piece.initial(place);
        if draws.unit() < 0.5 {
            let surface = draws.index(piece.surfaces().len());
            *configuration = Configuration { collision: Some(surface), ..*configuration };
            let pebble = piece.surfaces()[surface].way(place) + draws.between(-0.03, 0.03);
            *grip = Grip { pebble, stands: draws.unit() < 0.5 };
        }
    }
    record.has_touched = true;
}

/// Lifted or lowered until its first initiator is all but on the deck's plane.
fn graze(landing: &DeckLanding, start: &DeckStart, record: &mut DeckRecord, draws: &mut Draws) {
    let step = DeckStep { start: start.clone(), record: record.clone() };
    let found = step.stepped(landing).record.places[0].y;
    let by = draws.sign() * draws.power_of_ten(-9.0, -5.0) - found;
    let up = DVec2::from_angle(start.motion.pose(f64::from(record.steps) * landing.step).roll).perp();
    record.state.place += by * up;
    record.contacts.fill((Configuration::default(), Grip { pebble: 0.0, stands: true }));
    for (number, place) in record.places.iter_mut().enumerate() {
        place.y = 0.01;
        for (piece, shape) in landing.deck.iter().enumerate() {
            record.contacts[number * landing.deck.len() + piece].0 = shape.initial(*place);
        }
    }
}
