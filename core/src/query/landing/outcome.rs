//! Outcomes of landings.

/// How a landing ended: the first of these that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LandingClass {
    /// The landing could not start (an input was invalid, or a wheel or structural point was inside the ground), or its
    /// numbers left the finite range.
    Invalid = 0,
    /// A wheel was compressed beyond its travel, or its upper end came into the ground, as where a vehicle falls over.
    WheelBroken = 1,
    /// A structural point touched the scene.
    StructureContact = 2,
    /// A wheel left the side of the runway.
    VeeredOff = 3,
    /// The vehicle passed the end of the runway.
    Overran = 4,
    /// Still moving at the time limit.
    Unfinished = 5,
    /// Came to rest.
    Stopped = 6,
}

impl LandingClass {
    /// All classes, in order of precedence.
    pub const ALL: [Self; 7] = [
        Self::Invalid,
        Self::WheelBroken,
        Self::StructureContact,
        Self::VeeredOff,
        Self::Overran,
        Self::Unfinished,
        Self::Stopped,
    ];

    /// Name in files and tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::WheelBroken => "wheel_broken",
            Self::StructureContact => "structure_contact",
            Self::VeeredOff => "veered_off",
            Self::Overran => "overran",
            Self::Unfinished => "unfinished",
            Self::Stopped => "stopped",
        }
    }

    /// What it means.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Invalid => "Could not start, or its numbers left the finite range",
            Self::WheelBroken => {
                "A wheel was compressed beyond its travel, or its upper end came into the ground, as where a vehicle falls over"
            }
            Self::StructureContact => "A structural point touched the scene",
            Self::VeeredOff => "A wheel left the side of the runway",
            Self::Overran => "The vehicle passed the end of the runway",
            Self::Unfinished => "Still moving at the time limit",
            Self::Stopped => "Came to rest",
        }
    }
}

/// The part of a vehicle that ended a landing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandingPart {
    /// A wheel, by index.
    Wheel(u32),
    /// A structural point, by index.
    Structure(u32),
}

/// The moment a main wheel touches for the first time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touchdown {
    /// Position of the wheel's contact point along the runway, from the landing threshold \[m\].
    pub distance: f64,
    /// Position of the centre of gravity along the runway, from the landing threshold \[m\].
    pub center_of_gravity: f64,
    /// Distance of the centre of gravity from the centreline \[m\], positive to the left.
    pub lateral: f64,
    /// Rate at which the height of the centre of gravity above the ground falls \[m/s\].
    pub sink_rate: f64,
    /// Speed over the ground \[m/s\].
    pub ground_speed: f64,
    /// Pitch angle \[rad\], from the horizon.
    pub pitch: f64,
    /// Bank angle \[rad\], right wing down.
    pub bank: f64,
    /// Angle from the ground track to the nose \[rad\], positive nose right.
    pub crab: f64,
}

/// Where a vehicle came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// x of the centre of gravity, from the landing threshold \[m\].
    pub point: f64,
    /// Distance of the centre of gravity along the runway from touchdown to there \[m\]: 0 if it stays where it
    /// touches.
    pub distance: f64,
}

impl Stop {
    /// The stop at a position of the centre of gravity \[m\] after a touchdown.
    pub fn new(point: f64, touchdown: Option<&Touchdown>) -> Self {
        Self { point, distance: point - touchdown.map_or(0.0, |touchdown| touchdown.center_of_gravity) }
    }
}

/// Extremes of a wheel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WheelOutcome {
    /// Largest force on the airframe \[N\].
    pub peak_force: f64,
    /// Largest compression \[m\].
    pub peak_compression: f64,
}

/// Everything recorded of a landing.
#[derive(Clone, Debug, PartialEq)]
pub struct LandingOutcome {
    /// How it ended.
    pub class: LandingClass,
    /// What ended it, if a wheel broke or the structure touched.
    pub failed_part: Option<LandingPart>,
    /// First contact of a main wheel.
    pub touchdown: Option<Touchdown>,
    /// How often all main wheels left the ground for at least 0.1 s after touchdown.
    pub bounces: u32,
    /// Largest distance of the centre of gravity from the centreline since touchdown \[m\].
    pub largest_lateral_deviation: Option<f64>,
    /// Speed over the ground when the centre of gravity passed the end of the runway \[m/s\].
    pub runway_end_speed: Option<f64>,
    /// Where it came to rest.
    pub stop: Option<Stop>,
    /// Steps that wheels spent in each state since touchdown, summed over the wheels; indexed by state.
    pub steps_in_state: [u64; 4],
    /// Steps in which a wheel's force exceeded the surface's maximum, summed over the wheels.
    pub force_limit_steps: u64,
    /// Number of steps simulated.
    pub steps: u64,
    /// Steps with a wheel in contact.
    pub contact_steps: u64,
    /// Time step \[s\].
    pub step: f64,
    /// The wheels, in the vehicle's order.
    pub wheels: Vec<WheelOutcome>,
}

impl LandingOutcome {
    /// A landing that could not be simulated.
    #[must_use]
    pub fn invalid(wheels: usize, step: f64) -> Self {
        Self {
            class: LandingClass::Invalid,
            failed_part: None,
            touchdown: None,
            bounces: 0,
            largest_lateral_deviation: None,
            runway_end_speed: None,
            stop: None,
            steps_in_state: [0; 4],
            force_limit_steps: 0,
            steps: 0,
            contact_steps: 0,
            step,
            wheels: vec![WheelOutcome::default(); wheels],
        }
    }
}
