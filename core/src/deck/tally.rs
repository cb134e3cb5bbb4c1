//! What is kept of a landing on its way.

use glam::DVec2;

use super::landing::{DeckClass, DeckLanding, DeckOutcome};
use super::response::GRAVITY;

/// All initiators must be free for so long to count as a bounce; for so long at its end a landing slides or stands \[s\].
pub const BOUNCE_TIME: f64 = 0.1;
/// Initiators that slip faster than this as the landing ends have not come to stand \[m/s\].
const SLIDING_SPEED: f64 = 0.05;
/// Least energy to the tipping point \[J\]: at that point the margin stays finite.
const MIN_BARRIER: f64 = 1e-30;

/// A landing at one moment, in the deck's axes.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// Time \[s\].
    pub time: f64,
    /// Force outwards on each initiator that collides \[N\].
    pub loads: Vec<Option<f64>>,
    /// Velocity of each initiator onto the surface that it collides with \[m/s\].
    pub onto: Vec<f64>,
    /// Places of the initiators \[m\].
    pub places: Vec<DVec2>,
    /// Place of the centre of gravity \[m\].
    pub centre: DVec2,
    /// Roll relative to the deck \[rad\].
    pub roll: f64,
    /// Its rate \[rad/s\].
    pub roll_rate: f64,
    /// Greatest stress by yield stress.
    pub stress: f64,
}

/// How a landing was when it ended.
#[derive(Clone, Copy, Debug)]
pub struct LastMoment {
    /// Nothing touched for the time of a bounce.
    pub is_free: bool,
    /// All initiators were lower than any of the deck.
    pub is_past: bool,
    /// All numbers of the state were numbers.
    pub is_finite: bool,
}

/// What was seen so far.
#[derive(Clone, Debug)]
pub struct Tally {
    outcome: DeckOutcome,
    edges: [f64; 2],
    /// Height of the deck's lowest vertex \[m\].
    floor: f64,
    is_past: bool,
    /// How far initiators had slipped before the landing's last 0.1 s \[m\].
    early_slide: f64,
    /// It has rolled over, or gone over the edge.
    is_over: bool,
    /// Steps without contact in a row, after the first touch.
    free: u32,
}

impl Tally {
    /// Nothing yet.
    pub fn new(landing: &DeckLanding) -> Self {
        let outcome = DeckOutcome {
            class: DeckClass::Invalid,
            touchdown_time: None,
            touchdown_speed: None,
            peak_loads: vec![0.0; landing.gear.initiators.len()],
            bounces: 0,
            slide: 0.0,
            sliding_speed: None,
            largest_roll: 0.0,
            rollover_margin: None,
            stress: 0.0,
            edge_distance: None,
            steps: 0,
        };
        Self {
            outcome,
            edges: landing.edges(),
            floor: landing.floor(),
            is_past: false,
            early_slide: 0.0,
            is_over: false,
            free: 0,
        }
    }

    /// Nothing yet of a landing that is on its way; one that has touched did so at time 0.
    pub fn resumed(landing: &DeckLanding, has_touched: bool) -> Self {
        let mut tally = Self::new(landing);
        if has_touched {
            (tally.outcome.touchdown_time, tally.outcome.touchdown_speed) = (Some(0.0), Some(0.0));
        }
        tally
    }

    /// Whether an initiator has touched.
    pub fn has_touched(&self) -> bool {
        self.outcome.touchdown_time.is_some()
    }

    /// Adds what an initiator slipped \[m\].
    pub fn slip(&mut self, way: f64) {
        self.outcome.slide += way / self.outcome.peak_loads.len() as f64;
    }

    /// Looks at a moment; true when the landing is over: it has rolled over, or gone over the edge.
    pub fn look(&mut self, landing: &DeckLanding, mass: f64, moment: &Moment) -> bool {
        self.outcome.steps += 1;
        self.is_past = moment.places.iter().all(|place| place.y < self.floor);
        let first = moment.loads.iter().zip(&moment.onto).find(|(load, _)| load.is_some());
        // Rounding of a time must not move the begin by a step.
        if moment.time < (f64::from(landing.late_from()) - 0.5) * landing.step {
            self.early_slide = self.outcome.slide;
        }
        if let (None, Some((_, onto))) = (self.outcome.touchdown_time, first) {
            (self.outcome.touchdown_time, self.outcome.touchdown_speed) = (Some(moment.time), Some(*onto));
        }
        if !self.has_touched() {
            return false;
        }
        self.free = if first.is_some() { 0 } else { self.free + 1 };
        self.outcome.bounces += u32::from(self.free == landing.bounce_steps());
        for (peak, load) in self.outcome.peak_loads.iter_mut().zip(&moment.loads) {
            *peak = peak.max(load.unwrap_or(0.0));
        }
        self.outcome.largest_roll = self.outcome.largest_roll.max(moment.roll.abs());
        self.outcome.stress = self.outcome.stress.max(moment.stress);
        let from_edges = |place: &DVec2| (place.x - self.edges[0]).min(self.edges[1] - place.x);
        let distance = moment.places.iter().map(from_edges).fold(f64::INFINITY, f64::min);
        self.outcome.edge_distance = Some(self.outcome.edge_distance.map_or(distance, |least| least.min(distance)));
        if let Some(margin) = rollover_margin([landing.mass, landing.inertia], mass, moment) {
            self.outcome.rollover_margin = Some(self.outcome.rollover_margin.map_or(margin, |least| least.min(margin)));
        }
        self.is_over = moment.roll.abs() > landing.rollover_angle || distance < 0.0;
        self.is_over
    }

    /// What it came to; `is_finite` tells whether all numbers of the last state are numbers.
    pub fn finish(mut self, landing: &DeckLanding, is_finite: bool) -> DeckOutcome {
        let is_on_deck = self.has_touched() && !self.is_over;
        self.outcome.sliding_speed = is_on_deck.then(|| (self.outcome.slide - self.early_slide) / landing.late_time());
        let (is_free, is_past) = (self.free >= landing.bounce_steps(), self.is_past);
        self.outcome.classed(landing.rollover_angle, LastMoment { is_free, is_past, is_finite })
    }
}

impl DeckOutcome {
    /// The outcome with its class.
    pub fn classed(mut self, rollover_angle: f64, last: LastMoment) -> Self {
        self.class = if !last.is_finite {
            DeckClass::Invalid
        } else if self.largest_roll > rollover_angle {
            DeckClass::RolledOver
        } else if last.is_past || self.edge_distance.is_some_and(|distance| distance < 0.0) {
            DeckClass::SlidOff
        } else if self.stress > 1.0 {
            DeckClass::GearYielded
        } else if self.touchdown_time.is_none() || last.is_free {
            DeckClass::Airborne
        } else if self.sliding_speed.is_some_and(|speed| speed > SLIDING_SPEED) {
            DeckClass::Sliding
        } else {
            DeckClass::Safe
        };
        self
    }
}

/// From the pivot to the centre of gravity \[m\], while everything that touches is on one side of that: what is right below is on none.
fn pivot_arm(moment: &Moment) -> Option<DVec2> {
    let touching = moment.places.iter().zip(&moment.loads).filter(|(_, load)| load.is_some());
    let mut arms = touching.map(|(place, _)| moment.centre - *place);
    let first = arms.next().filter(|arm| arm.x != 0.0)?;
    arms.try_fold(first, |before, arm| (before.x * arm.x > 0.0).then_some(arm))
}

/// How far the centre of gravity rises to the tipping point over a pivot at this arm \[m\].
fn rise(arm: DVec2) -> f64 {
    let length = arm.length();
    // Two forms of the same, none of which loses digits.
    if arm.y > 0.0 { arm.x * arm.x / (length + arm.y) } else { length - arm.y }
}

/// The share of the energy to the tipping point that is missing, while everything that touches is on one side of the centre of
/// gravity; -1 beyond the tipping point. The lift is taken for gone. Mass and inertia are those of the landing, times `mass`.
fn rollover_margin([own_mass, inertia]: [f64; 2], mass: f64, moment: &Moment) -> Option<f64> {
    let arm = pivot_arm(moment)?;
    let is_lowest = |place: &DVec2| (moment.centre.x - place.x) * arm.x < 0.0;
    // With nobody on the other side the aircraft lies beyond its gear already.
    if !moment.places.iter().any(is_lowest) {
        return Some(-1.0);
    }
    // Rolling over the pivot: starboard up (positive) where the pivot is to port, arm.x positive.
    let towards = moment.roll_rate * arm.x.signum();
    let length = arm.length();
    let barrier = mass * own_mass * GRAVITY * rise(arm);
    let about_pivot = mass * (inertia + own_mass * length * length);
    // Roll with the pivot to port lifts starboard, which turns the centre of gravity over the pivot.
    Some(1.0 - 0.5 * about_pivot * towards.max(0.0).powi(2) / barrier.max(MIN_BARRIER))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass \[kg\] and inertia \[kg m2\].
    const BODY: [f64; 2] = [4000.0, 3000.0];

    /// Touching at the first of two places, from which the centre of gravity is `arm` away; the other is to starboard of both.
    fn on_one_skid(arm: DVec2, roll_rate: f64) -> Moment {
        Moment {
            loads: vec![Some(1.0), None],
            places: vec![DVec2::ZERO, DVec2::new(2.0, 0.0)],
            centre: arm,
            roll_rate,
            ..Moment::default()
        }
    }

    #[test]
    fn the_margin_keeps_its_digits_near_the_tipping_point() {
        let arm = DVec2::new(1e-9, 1.0);
        assert!((rise(arm) / 5e-19 - 1.0).abs() < 1e-12, "{}", rise(arm));
        let margin = rollover_margin(BODY, 1.0, &on_one_skid(arm, 1e-9)).unwrap();
        // E / B = (I + m) w^2 / 2 over m g rise.
        let expected = 1.0 - 0.5 * (BODY[0] + BODY[1]) * 1e-18 / (BODY[0] * GRAVITY * 5e-19);
        assert!((margin - expected).abs() < 1e-9, "{margin} {expected}");
        assert_eq!(rollover_margin(BODY, 1.0, &on_one_skid(arm, 0.0)), Some(1.0));
    }

    #[test]
    fn the_margin_is_finite_as_near_to_the_tipping_point_as_numbers_come() {
        let margin = rollover_margin(BODY, 1.0, &on_one_skid(DVec2::new(1e-300, 1.0), 1.0)).unwrap();
        assert!(margin.is_finite() && margin < -1.0, "{margin}");
    }

    #[test]
    fn what_touches_right_below_the_centre_of_gravity_is_on_no_side() {
        assert_eq!(rollover_margin(BODY, 1.0, &on_one_skid(DVec2::new(0.0, 1.0), 0.1)), None);
        for centre in [1.0, 0.0, 2.0] {
            let both = Moment { loads: vec![Some(1.0); 2], ..on_one_skid(DVec2::new(centre, 1.0), 0.1) };
            assert_eq!(rollover_margin(BODY, 1.0, &both), None);
        }
        // Everything is to port.
        assert_eq!(rollover_margin(BODY, 1.0, &on_one_skid(DVec2::new(3.0, 1.0), 0.1)), Some(-1.0));
    }
}
