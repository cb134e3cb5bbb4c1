//! Job `particle`: a particle above a plane, stepped by complementarity (docs/theory/complementarity.md).
//!
//! Each step predicts the gap `x + h v - gamma h^2 g` that the particle would have without contact. If it is negative
//! the contact force is N = -(m / (h^2 gamma)) gap, so that `0 <= x+ perp N >= 0`; then `v+ = v + h N / m - h g` and
//! `x+ = x + h (gamma v+ + (1 - gamma) v)`, which is the gap without contact and exactly 0 with it. With e = 1/gamma -
//! 1 the velocity after a contact is `v+ = -(e v + (1 + e) x / h)`: -e v from x = 0 only (4).
//!
//! # Conventions
//! Positions upwards from the plane, velocities upwards, gravity positive downwards. A row holds the values at the
//! start of a step. Velocities never fall below those of free flight, so no run overflows f64.

use crate::job::Job;

/// Job `particle`: the outcome of each particle above a plane.
///
/// ```
/// # use touchdown_core as touchdown;
/// use touchdown::job::Compute;
/// use touchdown::query::{Particle, ParticleClass, Particles, Restitution};
/// use touchdown::reference::Reference;
///
/// let ball = Particle { position: 1.0, velocity: 0.0, step: 1e-3, mass: 2.0, gravity: 9.81, gamma: 0.625, steps: 1000 };
/// let outcome = Reference::new(1)?.compute::<Particles>(Restitution::Exact, &[ball])?[0];
/// // A restitution of 0.6 gives back 0.36 of the height, but for what the steps leave out.
/// assert_eq!(outcome.class, ParticleClass::Bouncing);
/// assert!((outcome.rebound_height.unwrap() - 0.36).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Particles;

impl Job for Particles {
    const NAME: &'static str = "particle";
    type Shared<'a> = Restitution;
    type Item = Particle;
    type Answer = ParticleOutcome;
}

/// Job `particle` step by step: a row for each step, none for an invalid particle. An engine may round the last place
/// differently here and there.
///
/// ```
/// # use touchdown_core as touchdown;
/// use touchdown::job::Compute;
/// use touchdown::query::{Particle, ParticleTraces, Restitution};
/// use touchdown::reference::Reference;
///
/// let ball = Particle { position: 1.0, velocity: -1.0, step: 0.1, mass: 1.0, gravity: 9.8, gamma: 0.5, steps: 9 };
/// let steps = &Reference::new(1)?.compute::<ParticleTraces>(Restitution::Nominal, &[ball])?[0];
/// assert_eq!((steps[0].position, steps[0].velocity, steps[0].force), (1.0, -1.0, 0.0));
/// // The plane pushes in the steps whose predicted gap is negative, and only then.
/// assert!(steps.iter().all(|step| (step.gap < 0.0) == (step.force > 0.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ParticleTraces;

impl Job for ParticleTraces {
    const NAME: &'static str = "particle_trace";
    type Shared<'a> = Restitution;
    type Item = Particle;
    type Answer = Vec<ParticleStep>;
}

/// Largest magnitude of an input of a particle, in SI units.
pub const MAX_PARTICLE_NUMBER: f64 = 1e30;
/// Smallest step \[s\] and mass \[kg\] of a particle.
pub const MIN_PARTICLE_STEP: f64 = 1e-30;
/// Smallest gamma of a particle: its restitution 1/gamma - 1 is below a million.
pub const MIN_GAMMA: f64 = 1e-6;
/// Maximum number of steps of a particle.
pub const MAX_PARTICLE_STEPS: u32 = 1 << 20;

/// A particle above a plane, and its time stepping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Height above the plane \[m\], not negative.
    pub position: f64,
    /// Velocity upwards \[m/s\].
    pub velocity: f64,
    /// Time step \[s\].
    pub step: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Gravity, positive downwards \[m/s^2\]; not negative.
    pub gravity: f64,
    /// Weight of the new velocity in the displacement of a step, above 0 and at most 1; 1 / (1 + e) for restitution e.
    pub gamma: f64,
    /// Number of steps.
    pub steps: u32,
}

impl Particle {
    /// True if all numbers are in range: magnitudes up to [`MAX_PARTICLE_NUMBER`], step and mass from
    /// [`MIN_PARTICLE_STEP`], gamma from [`MIN_GAMMA`] to 1, 1 to [`MAX_PARTICLE_STEPS`] steps.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let Self { position, velocity, step, mass, gravity, gamma, steps } = *self;
        let size = MIN_PARTICLE_STEP..=MAX_PARTICLE_NUMBER;
        // Comparisons that reject NaN.
        (0.0..=MAX_PARTICLE_NUMBER).contains(&position)
            && velocity.abs() <= MAX_PARTICLE_NUMBER
            && size.contains(&step)
            && size.contains(&mass)
            && (0.0..=MAX_PARTICLE_NUMBER).contains(&gravity)
            && (MIN_GAMMA..=1.0).contains(&gamma)
            && (1..=MAX_PARTICLE_STEPS).contains(&steps)
    }

    /// Nominal coefficient of restitution, 1/gamma - 1.
    #[must_use]
    pub fn restitution(&self) -> f64 {
        1.0 / self.gamma - 1.0
    }

    /// Energy per mass \[J/kg\] at a position \[m\] with a velocity \[m/s\].
    #[must_use]
    pub fn energy(&self, position: f64, velocity: f64) -> f64 {
        self.gravity * position + 0.5 * velocity * velocity
    }
}

/// Restitution law; common to all particles of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restitution {
    /// As in the source: e = 1/gamma - 1 from x = 0, less from above.
    Nominal,
    /// Exactly e = 1/gamma - 1 times the impact velocity. Flight uses 1/2 in place of gamma, which gives the exact
    /// parabola; a contact puts the particle on the plane with `v+ = e sqrt(v^2 + 2 g x)` and
    /// `N = m ((v+ - v) / h + g)`. N is not negative: a gap below 0 implies v < h g / 2 - x / h, so
    /// `v+ - v + h g > v+ + h g / 2 + x / h >= 0`. What a bounce loses of the rest of its step is time, not energy.
    Exact,
}

impl Restitution {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Nominal, Self::Exact];

    /// Name in options and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Exact => "exact",
        }
    }
}

/// A step of a particle; values at its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleStep {
    /// Height above the plane \[m\].
    pub position: f64,
    /// Velocity upwards \[m/s\].
    pub velocity: f64,
    /// Predicted height at the end of the step without contact \[m\].
    pub gap: f64,
    /// Contact force during the step \[N\]; 0 unless the gap is negative.
    pub force: f64,
}

/// Class of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParticleClass {
    /// Bad input: a number is out of range.
    Invalid,
    /// It never touches the plane.
    Free,
    /// It touches the plane, and is not in contact in both of the last two steps.
    Bouncing,
    /// It is in contact in both of the last two steps.
    Resting,
}

impl ParticleClass {
    /// All classes.
    pub const ALL: [Self; 4] = [Self::Invalid, Self::Free, Self::Bouncing, Self::Resting];

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Free => "free",
            Self::Bouncing => "bouncing",
            Self::Resting => "resting",
        }
    }
}

/// The outcome of a particle. For an invalid one everything is 0 or `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleOutcome {
    /// How it fares.
    pub class: ParticleClass,
    /// Height after the last step \[m\].
    pub position: f64,
    /// Velocity after the last step \[m/s\].
    pub velocity: f64,
    /// Steps in contact.
    pub contact_steps: u32,
    /// Number of maximal runs of consecutive steps in contact.
    pub bounces: u32,
    /// Largest contact force \[N\].
    pub peak_force: f64,
    /// The first step in contact, counted from 0.
    pub first_contact_step: Option<u32>,
    /// Largest height at the end of any step from the first contact on \[m\].
    pub rebound_height: Option<f64>,
    /// Energy at the end over energy at the start; `None` if the latter is zero.
    pub energy_ratio: Option<f64>,
}

/// Counts of an engine over the steps of a valid particle; heights and contact counts are 0 without contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleRecord {
    /// At the end \[m\].
    pub position: f64,
    /// At the end \[m/s\].
    pub velocity: f64,
    /// Steps in contact.
    pub contact_steps: u32,
    /// Contacts that began.
    pub bounces: u32,
    /// Largest force of contact \[N\].
    pub peak_force: f64,
    /// The first step in contact.
    pub first_contact_step: u32,
    /// Largest height at the end of any step from the first contact on \[m\].
    pub rebound_height: f64,
    /// In contact in both of the last two steps.
    pub rests: bool,
}

impl ParticleOutcome {
    /// The outcome of an invalid particle.
    #[must_use]
    pub fn invalid() -> Self {
        Self {
            class: ParticleClass::Invalid,
            position: 0.0,
            velocity: 0.0,
            contact_steps: 0,
            bounces: 0,
            peak_force: 0.0,
            first_contact_step: None,
            rebound_height: None,
            energy_ratio: None,
        }
    }

    /// The outcome of a valid particle.
    pub fn new(particle: &Particle, record: &ParticleRecord) -> Self {
        let ParticleRecord { position, velocity, contact_steps, bounces, peak_force, .. } = *record;
        let touched = contact_steps > 0;
        let class = match (touched, record.rests) {
            (false, _) => ParticleClass::Free,
            (true, false) => ParticleClass::Bouncing,
            (true, true) => ParticleClass::Resting,
        };
        let start = particle.energy(particle.position, particle.velocity);
        Self {
            class,
            position,
            velocity,
            contact_steps,
            bounces,
            peak_force,
            first_contact_step: touched.then_some(record.first_contact_step),
            rebound_height: touched.then_some(record.rebound_height),
            energy_ratio: (start > 0.0).then(|| particle.energy(position, velocity) / start),
        }
    }
}
