//! A landing by steps of one length.
//!
//! Body and gear go their exact ways under forces that stay over the step: a parabola, and the exact solution of each mode
//! ([`super::Propagation`]). So the gear's stiffness limits no step: tubes swing at up to 1e5 rad/s, for which explicit steps would have to
//! be shorter than 20 us, and the same numbers come out on every engine, without a system to be solved. Forces of contacts are
//! those that springs and dampers will have at the step's end as far as they themselves change it ([`ContactLaw::forces`](super::contact::ContactLaw::forces)).

use glam::DVec2;

use super::contact::{Approach, Configuration, Grip};
use super::landing::{DeckLanding, DeckOutcome, DeckStart, DeckState, inverse, turned};
use super::motion::DeckPose;
use super::record::DeckRecord;
use super::response::GRAVITY;
use super::tally::{Moment, Tally};
use crate::elementary::atan2;
use crate::query::TargetSurface;

/// A landing that is being stepped.
#[derive(Clone, Debug)]
pub struct DeckStepper<'a> {
    landing: &'a DeckLanding,
    start: &'a DeckStart,
    state: DeckState,
    /// By initiator and piece.
    contacts: Vec<(Configuration, Grip)>,
    lift: f64,
    steps: u32,
    moment: Moment,
    /// Modes at the step's end without a force on the gear.
    free: Vec<[f64; 2]>,
    /// Force on each mode.
    pushes: Vec<f64>,
    coordinates: Vec<f64>,
    /// Force on each initiator in the last step, in the world's axes.
    forces: Vec<DVec2>,
}

/// Runs a landing to its end; `observe` sees every step.
pub fn run(landing: &DeckLanding, start: &DeckStart, observe: &mut dyn FnMut(&DeckStepper<'_>, &Tally)) -> DeckOutcome {
    let mut stepper = DeckStepper::new(landing, start);
    let mut tally = Tally::new(landing);
    while stepper.steps < landing.steps {
        stepper.step(&mut tally);
        let is_over = tally.look(landing, start.mass, &stepper.moment);
        observe(&stepper, &tally);
        if is_over || !stepper.is_finite() {
            break;
        }
    }
    let is_finite = stepper.is_finite();
    tally.finish(landing, is_finite)
}

impl<'a> DeckStepper<'a> {
    /// At the beginning: nothing collides.
    #[must_use]
    pub fn new(landing: &'a DeckLanding, start: &'a DeckStart) -> Self {
        let state = landing.initial(start);
        let initiators = landing.gear.initiators.len();
        let mut stepper = Self {
            landing,
            start,
            contacts: Vec::with_capacity(initiators * landing.deck.len()),
            lift: start.lift,
            steps: 0,
            moment: Moment {
                loads: vec![None; initiators],
                onto: vec![0.0; initiators],
                places: vec![DVec2::ZERO; initiators],
                ..Moment::default()
            },
            free: vec![[0.0; 2]; landing.gear.modes.len()],
            pushes: vec![0.0; landing.gear.modes.len()],
            coordinates: vec![0.0; landing.gear.modes.len()],
            forces: vec![DVec2::ZERO; initiators],
            state,
        };
        let pose = start.motion.pose(0.0);
        let (body, deck) = (turned(start.roll), turned(pose.roll));
        for initiator in 0..initiators {
            let [arm, _] = landing.bent(&stepper.state.modes, initiator);
            let place = inverse(deck, stepper.state.place + body.rotate(arm) - pose.place);
            stepper.moment.places[initiator] = place;
            let grip = Grip { pebble: 0.0, stands: true };
            stepper.contacts.extend(landing.deck.iter().map(|piece| (piece.initial(place), grip)));
        }
        stepper
    }

    /// As it was recorded.
    #[must_use]
    pub fn resumed(landing: &'a DeckLanding, start: &'a DeckStart, record: &DeckRecord) -> Self {
        let mut stepper = Self::new(landing, start);
        let DeckRecord { state, contacts, places, lift, has_touched: _, steps } = record;
        (stepper.state, stepper.contacts) = (state.clone(), contacts.clone());
        (stepper.moment.places, stepper.lift, stepper.steps) = (places.clone(), *lift, *steps);
        stepper
    }

    /// All that it needs to go on.
    #[must_use]
    pub fn record(&self, tally: &Tally) -> DeckRecord {
        DeckRecord {
            state: self.state.clone(),
            contacts: self.contacts.clone(),
            places: self.moment.places.clone(),
            lift: self.lift,
            has_touched: tally.has_touched(),
            steps: self.steps,
        }
    }

    /// The state after the last step.
    #[must_use]
    pub fn state(&self) -> &DeckState {
        &self.state
    }

    /// What was seen at the begin of the last step.
    #[must_use]
    pub fn moment(&self) -> &Moment {
        &self.moment
    }

    /// Force on each initiator over the last step, in the world's axes \[N\].
    #[must_use]
    pub fn forces(&self) -> &[DVec2] {
        &self.forces
    }

    /// Rotor lift over the last step, by weight.
    #[must_use]
    pub fn lift(&self) -> f64 {
        self.lift
    }

    /// Where the deck was at the begin of the last step.
    #[must_use]
    pub fn pose(&self) -> DeckPose {
        self.start.motion.pose(self.moment.time)
    }

    /// Steps so far.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Whether all numbers of the state are numbers.
    pub(super) fn is_finite(&self) -> bool {
        let DeckState { place, velocity, roll, roll_rate, modes } = &self.state;
        let body = [place.x, place.y, velocity.x, velocity.y, *roll, *roll_rate];
        body.iter().chain(modes.iter().flatten()).all(|number| number.is_finite())
    }

    pub(super) fn step(&mut self, tally: &mut Tally) {
        let landing = self.landing;
        let time = f64::from(self.steps) * landing.step;
        let pose = self.start.motion.pose(time);
        let (body, deck) = (turned(self.state.roll), turned(pose.roll));
        self.pushes.fill(0.0);
        for ((free, by), [q, p]) in self.free.iter_mut().zip(&self.landing.propagations).zip(&self.state.modes) {
            *free = [by.a * q + by.b * p, by.c * q + by.d * p];
        }
        let (mut force, mut torque) = (DVec2::ZERO, 0.0);
        for initiator in 0..landing.gear.initiators.len() {
            let [arm, push] = self.initiator(initiator, &pose, body, deck, tally);
            self.forces[initiator] = push;
            force += push;
            torque += arm.perp_dot(push);
            let own = inverse(body, push);
            for (sum, mode) in self.pushes.iter_mut().zip(&landing.gear.modes) {
                *sum += mode.at[initiator].dot(own);
            }
        }
        let (sine, cosine) = (deck.perp_dot(body), deck.dot(body));
        self.moment.time = time;
        self.moment.centre = inverse(deck, self.state.place - pose.place);
        // Beyond half a turn a landing is over long since.
        self.moment.roll = atan2(sine, cosine);
        self.moment.roll_rate = self.state.roll_rate - pose.roll_rate;
        self.moment.stress = 0.0;
        let touches = self.moment.loads.iter().any(Option::is_some);
        if touches {
            self.coordinates.iter_mut().zip(&self.state.modes).for_each(|(own, mode)| *own = mode[0]);
            self.moment.stress = landing.gear.stress_share(&self.coordinates);
        }
        if touches || tally.has_touched() {
            self.lift *= landing.lift_factor;
        }
        self.advance(body, force, torque);
    }

    /// Looks at what an initiator collides with: its arm from the centre of gravity, and the force on it, in the world's axes.
    fn initiator(&mut self, number: usize, pose: &DeckPose, body: DVec2, deck: DVec2, tally: &mut Tally) -> [DVec2; 2] {
        let landing = self.landing;
        let [bent, _] = landing.bent(&self.state.modes, number);
        let arm = body.rotate(bent);
        let from_deck = self.state.place + arm - pose.place;
        let place = inverse(deck, from_deck);
        let before = std::mem::replace(&mut self.moment.places[number], place);
        let mut force = DVec2::ZERO;
        self.moment.loads[number] = None;
        for (number_of_piece, piece) in landing.deck.iter().enumerate() {
            let at = number * landing.deck.len() + number_of_piece;
            let (old, mut grip) = self.contacts[at];
            let now = if self.steps == 0 { old } else { piece.next(old, before, place) };
            if let Some(surface) = now.collision.map(|surface| &piece.surfaces()[surface]) {
                if now.collision != old.collision {
                    grip = Grip { pebble: surface.way(place), stands: true };
                }
                let approach = self.approach(number, surface, [bent, arm], [body, deck], pose);
                let ([outwards, along], next) = landing.law.forces(&approach, self.start.friction, grip);
                tally.slip((next.pebble - grip.pebble).abs());
                grip = next;
                force += outwards * surface.normal + along * surface.along;
                self.moment.loads[number] = Some(self.moment.loads[number].unwrap_or(0.0) + outwards);
                // Before the step, in which it falls on.
                let fallen = inverse(deck, landing.step * self.fall(body));
                self.moment.onto[number] = surface.normal.dot(fallen) - approach.velocity[0];
            }
            self.contacts[at] = (now, grip);
        }
        [arm, deck.rotate(force)]
    }

    /// Where an initiator will be by a surface, and what forces change in that.
    fn approach(
        &self,
        number: usize,
        surface: &TargetSurface,
        [bent, arm]: [DVec2; 2],
        [body, deck]: [DVec2; 2],
        pose: &DeckPose,
    ) -> Approach {
        let DeckLanding { mass, inertia, step, ref gear, .. } = *self.landing;
        let [free, rate] = self.landing.bent(&self.free, number);
        let from_deck = self.state.place + arm - pose.place;
        // What moves as one rigid body, and what the gear bends meanwhile.
        let rigid =
            self.state.velocity + self.state.roll_rate * arm.perp() - pose.velocity - pose.roll_rate * from_deck.perp();
        let fall = self.fall(body);
        let velocity = inverse(deck, rigid + step * fall + body.rotate(rate));
        let way = step * (rigid + 0.5 * step * fall) + body.rotate(free - bent);
        let place = inverse(deck, from_deck + way) - surface.start;
        let axes = [surface.normal, surface.along];
        let world = axes.map(|axis| deck.rotate(axis));
        let own = world.map(|axis| inverse(body, axis));
        let lever = world.map(|axis| arm.perp_dot(axis));
        let (by_force, by_torque) = ((self.start.mass * mass).recip(), (self.start.mass * inertia).recip());
        let pairs = [(0, 0), (0, 1), (1, 1)];
        let rigid = pairs.map(|(a, b)| f64::from(u8::from(a == b)) * by_force + lever[a] * lever[b] * by_torque);
        let mut give = rigid.map(|by| 0.5 * step * step * by);
        let mut push = rigid.map(|by| step * by);
        for (mode, by) in gear.modes.iter().zip(&self.landing.propagations) {
            let at = own.map(|axis| mode.at[number].dot(axis));
            for (place, (a, b)) in pairs.into_iter().enumerate() {
                give[place] += at[a] * at[b] * by.e;
                push[place] += at[a] * at[b] * by.g;
            }
        }
        Approach { place: axes.map(|axis| axis.dot(place)), velocity: axes.map(|axis| axis.dot(velocity)), give, push }
    }

    /// The acceleration by lift and gravity \[m/s^2\].
    fn fall(&self, body: DVec2) -> DVec2 {
        GRAVITY * (self.lift * body.perp() - DVec2::Y)
    }

    fn advance(&mut self, body: DVec2, force: DVec2, torque: f64) {
        let h = self.landing.step;
        let mass = self.start.mass * self.landing.mass;
        let acceleration = force / mass + self.fall(body);
        let turning = torque / (self.start.mass * self.landing.inertia);
        let state = &mut self.state;
        state.place += h * (state.velocity + 0.5 * h * acceleration);
        state.velocity += h * acceleration;
        state.roll += h * (state.roll_rate + 0.5 * h * turning);
        state.roll_rate += h * turning;
        let modes = state.modes.iter_mut().zip(&self.free);
        for ((mode, [q, p]), (by, push)) in modes.zip(self.landing.propagations.iter().zip(&self.pushes)) {
            *mode = [q + by.e * push, p + by.g * push];
        }
        self.steps += 1;
    }
}
