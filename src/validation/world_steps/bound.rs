//! A step of a world of balls, as far as f32 may be off.
//!
//! The text of the kernel (`shaders/ball_world.wgsl`) in its own order and units, with numbers on a [`Tape`]. Kinks need no decision: what
//! is the larger of two, and whether a contact sticks, moves the result by no more than the error reaches beyond the kink. Where a
//! comparison jumps (whether two meet, whether a pair is a contact), and rounding may decide it otherwise, the step is followed as the
//! candidate tells that it has decided ([`StepDecisions`]), or both ways where it does not tell.

mod compared;
mod search;
mod sweeps;

use glam::DVec3;

use super::tape::{Number, Tape, Vector};
use crate::validation::deviation::Deviation;
use crate::world::{Balls, Partner, StepContact, StepDecisions, World, WorldStep, WorldStepped};

/// Places are split at multiples of this, in units of length.
const GRID: f64 = 1.0 / 64.0;
/// What is off by more than this part of itself has no direction.
const DIRECTED: f64 = 1.0 / 8.0;

/// Why a step cannot be followed: rounding decides a direction, or how friction of the step before is scaled.
pub(super) struct Undetermined(pub &'static str);

/// A step as it has been followed.
pub(super) struct Followed {
    /// What is not as the candidate has it, whatever rounding does.
    pub otherwise: Option<&'static str>,
    /// The largest error by its bound.
    pub worst: Deviation,
    /// Whether something was decided otherwise than by the judge.
    pub is_turned: bool,
    /// How decisions came out that rounding may take otherwise and of which the candidate does not tell.
    pub untold: Vec<bool>,
}

/// The decisions of a step.
struct Decisions<'a> {
    answer: &'a WorldStepped,
    /// How the first of those come out of which the candidate does not tell.
    forced: &'a [bool],
    untold: Vec<bool>,
    is_turned: bool,
}

impl Decisions<'_> {
    /// What holds of a comparison that comes out like this for the judge, and where the result jumps.
    fn decide(&mut self, truth: bool, is_certain: bool, told: Option<bool>) -> bool {
        let chosen = self.decide_kink(truth, is_certain, told);
        self.is_turned |= chosen != truth;
        chosen
    }

    /// The same where the result does not jump.
    fn decide_kink(&mut self, truth: bool, is_certain: bool, told: Option<bool>) -> bool {
        if is_certain {
            return truth;
        }
        told.unwrap_or_else(|| {
            let chosen = self.forced.get(self.untold.len()).copied().unwrap_or(truth);
            self.untold.push(chosen);
            chosen
        })
    }

    /// What the candidate tells of a pair.
    fn told(&self, partner: Partner, body: usize) -> Option<&StepContact> {
        self.answer.contacts.iter().find(|contact| contact.partner == partner && contact.body == body)
    }
}

/// A pair that may touch.
struct Pair<'t> {
    partner: Partner,
    first: usize,
    second: usize,
    normal: Vector<'t>,
    gap: Number<'t>,
    share: Number<'t>,
    mobility: Number<'t>,
    rub: Vector<'t>,
    half: Number<'t>,
    push: Number<'t>,
    /// Whether it pushes, where that is known.
    pushes: Option<bool>,
    friction: Number<'t>,
    bias: Number<'t>,
    decided: StepDecisions,
    /// Errors of push and rub when they were found last.
    last: [f64; 2],
}

/// A touch found by a search.
struct Touch<'t> {
    normal: Vector<'t>,
    gap: Number<'t>,
    share: Number<'t>,
    decided: StepDecisions,
}

/// Units of a world.
struct Units {
    length: f64,
    mass: f64,
    origin: DVec3,
}

impl Units {
    fn of(world: &World, balls: &Balls) -> Self {
        let power = |number: f64| number.log2().round().exp2();
        let bodies = &world.bodies;
        let of_start = bodies.iter().map(|body| body.motion.position).sum::<DVec3>() / bodies.len() as f64;
        Self {
            length: power(balls.radii.iter().copied().fold(0.0, f64::max)),
            mass: power(bodies.iter().map(|body| body.mass).fold(0.0, f64::max)),
            origin: balls.bounds.map_or(of_start, |[min, max]| 0.5 * (min + max)),
        }
    }
}

/// A step being followed.
struct Step<'t, 'a> {
    tape: &'t Tape,
    balls: &'a Balls,
    units: Units,
    item: &'a WorldStep,
    decisions: Decisions<'a>,
    /// Places as multiples of the grid, and rests; then what the kernel has of a body, the fixed one last.
    base: Vec<DVec3>,
    rest: Vec<Vector<'t>>,
    radii: Vec<Number<'t>>,
    velocity: Vec<Vector<'t>>,
    inverse_mass: Vec<Number<'t>>,
    moving: Vec<Vector<'t>>,
    after: Vec<Vector<'t>>,
    rim: Vec<Vector<'t>>,
    surfaces: Vec<[Number<'t>; 2]>,
    /// Errors of `moving`, `after` and `rim` when they were found last.
    last: Vec<[f64; 3]>,
    pairs: Vec<Pair<'t>>,
    /// Deepest penetration, and how far that may be off.
    depth: [f64; 2],
}

/// A place as a multiple of the grid and the rest.
fn split(place: DVec3) -> [DVec3; 2] {
    let base = (place / GRID).round() * GRID;
    [base, place - base]
}

/// Follows a step as a candidate has decided it, and otherwise as `forced` says.
///
/// # Errors
/// Where rounding decides a direction.
pub(super) fn follow(
    world: &World,
    balls: &Balls,
    (item, answer): (&WorldStep, &WorldStepped),
    forced: &[bool],
) -> Result<Followed, Undetermined> {
    let tape = Tape::default();
    let decisions = Decisions { answer, forced, untold: Vec::new(), is_turned: false };
    let mut step = Step::new(&tape, world, balls, item, decisions);
    step.search_walls();
    step.search_pairs()?;
    for pair in 0..step.pairs.len() {
        step.prepare(pair)?;
    }
    let rows = step.pairs.len();
    for sweep in 0..balls.sweeps {
        for place in 0..rows {
            step.move_apart(turned(sweep, place, rows));
        }
    }
    step.keep_closed();
    for pair in 0..step.pairs.len() {
        step.apply(pair, step.pairs[pair].push, step.pairs[pair].rub);
    }
    let rows = step.pairs.len();
    for sweep in 0..balls.sweeps {
        for place in 0..rows {
            step.push_apart(turned(sweep, place, rows));
        }
    }
    Ok(step.compared())
}

/// The row that comes in this place of a sweep.
fn turned(sweep: u32, place: usize, rows: usize) -> usize {
    if sweep.is_multiple_of(2) { place } else { rows - 1 - place }
}

impl<'t, 'a> Step<'t, 'a> {
    fn new(tape: &'t Tape, world: &World, balls: &'a Balls, item: &'a WorldStep, decisions: Decisions<'a>) -> Self {
        let units = Units::of(world, balls);
        let (length, step) = (units.length, balls.step);
        let narrowed = |vector: DVec3| Vector::of(|axis| tape.narrowed(vector[axis]));
        let zero = Vector::of(|_| tape.exact(0.0));
        let motions = &item.start.motions;
        let splits: Vec<[DVec3; 2]> =
            motions.iter().map(|motion| split((motion.position - units.origin) / length)).collect();
        let velocity: Vec<Vector<'t>> =
            motions.iter().map(|motion| narrowed(motion.velocity * (step / length))).collect();
        let (gravity, left) = (narrowed(balls.gravity * (step * step / length)), tape.narrowed(balls.left));
        let after: Vec<Vector<'t>> = velocity.iter().map(|velocity| (*velocity + gravity).by(left)).collect();
        let half = tape.exact(0.5);
        let moving = velocity.iter().zip(&after).map(|(velocity, after)| (*velocity + *after).by(half));
        let rims = motions
            .iter()
            .zip(&balls.radii)
            .map(|(motion, radius)| narrowed(motion.spin * (radius * step / length)).by(left));
        let inverse_mass = item.start.masses.iter().map(|mass| tape.narrowed(units.mass / mass));
        let surfaces = item.start.surfaces(world);
        let mut of = Self {
            tape,
            base: splits.iter().map(|[base, _]| *base).collect(),
            rest: splits.iter().map(|[_, rest]| narrowed(*rest)).collect(),
            radii: balls.radii.iter().map(|radius| tape.narrowed(radius / length)).collect(),
            inverse_mass: inverse_mass.chain([tape.exact(0.0)]).collect(),
            moving: moving.chain([zero]).collect(),
            rim: rims.chain([zero]).collect(),
            surfaces: surfaces.iter().map(|surface| surface.map(|part| tape.narrowed(part))).collect(),
            velocity,
            after,
            balls,
            units,
            item,
            decisions,
            last: vec![[0.0; 3]; motions.len() + 1],
            pairs: Vec::new(),
            depth: [0.0; 2],
        };
        of.velocity.push(zero);
        of.after.push(zero);
        of
    }

    fn bodies(&self) -> usize {
        self.balls.radii.len()
    }
}
