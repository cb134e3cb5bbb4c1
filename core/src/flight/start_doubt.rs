//! What is doubtful of how a landing starts.

use super::start::{Start, TrimmedApproach};
use crate::document::Unit;
use crate::query::{Input, LandingInputs, LandingJob};
use crate::vehicle::Vehicle;

/// Share of the airspeed that autothrottles are to hold by which that of the start differs in doubt: a fifth of the lift.
const OFF_TARGET: f64 = 0.1;

/// What is doubtful of a start. The landing is flown all the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StartDoubt {
    /// With autoland or flare, or of an airframe's own physics: no steady flight is found.
    Unsteady {
        /// \[m/s\].
        airspeed: f64,
    },
    /// The autoland starts so far from its glide path that it dives or climbs: the sink rate that it asks for differs from that of the
    /// path by more than that itself, and than that of the touchdown.
    OffGlidePath {
        /// How far above the path, negative below \[m\].
        above: f64,
        /// Sink rate asked for \[m/s\].
        asked: f64,
        /// That of the path \[m/s\].
        usual: f64,
        /// Where the path is at this height \[m\], as the input `start_distance`.
        on_path: f64,
    },
    /// The autoland starts with another airspeed than it goes to before its thrust is retarded.
    OffTarget {
        /// \[m/s\].
        airspeed: f64,
        /// That of the autothrottle \[m/s\].
        target: f64,
    },
}

impl StartDoubt {
    /// Of a landing that can start; `None` where nothing is doubtful.
    #[must_use]
    pub fn of(job: &LandingJob, inputs: &LandingInputs) -> Option<Self> {
        let start = Start::new(job, inputs);
        let is_steady = start.trim.as_ref().map_or(job.vehicle.airframe.is_none(), |trim| trim.is_steady);
        if !is_steady {
            return Some(Self::Unsteady { airspeed: inputs.get(Input::Airspeed) });
        }
        let TrimmedApproach { laws, slope, .. } = start.approach?;
        let (ground, height, place) =
            (job.scene.ground_plane(), inputs.get(Input::Height), inputs.get(Input::StartDistance));
        // Above the ground the path falls by its own slope and by the rise of the ground.
        let fall = slope? + ground.slope;
        let above = height - (laws.gate_height - (place - laws.gate_distance) * fall);
        let usual = -start.motion.velocity.z;
        let flare = laws.touchdown_sink_rate + height / laws.flare_time - ground.below(start.motion.velocity.x);
        let asked = (usual + laws.glide_gain * above).min(flare);
        let on_path = laws.gate_distance + (laws.gate_height - height) / fall;
        let is_far = (asked - usual).abs() > usual.max(laws.touchdown_sink_rate);
        // In the flare the path is left.
        if fall > 0.0 && usual < flare && is_far {
            return Some(Self::OffGlidePath { above, asked, usual, on_path });
        }
        let (airspeed, target) = (inputs.get(Input::Airspeed), inputs.get(Input::TargetAirspeed));
        let holds = laws.speed_gain > 0.0 && target > 0.0 && height > laws.retard_height;
        (holds && (airspeed - target).abs() > OFF_TARGET * target).then_some(Self::OffTarget { airspeed, target })
    }

    /// In words, for a landing of this vehicle.
    #[must_use]
    pub fn describe(&self, vehicle: &Vehicle) -> String {
        match *self {
            Self::Unsteady { airspeed } => {
                let instead = match vehicle.laws() {
                    Some(_) => "it starts as near to one as wing, surfaces and engines allow",
                    None => "surfaces and engines start as `[airframe.at_start]` has them",
                };
                format!("no steady flight is found at its airspeed of {airspeed:.2} m/s and its descent: {instead}")
            }
            Self::OffGlidePath { above, asked, usual, on_path } => format!(
                "it starts {:.1} m {} its glide path and so with a commanded sink rate of {asked:.2} m/s instead of \
                 {usual:.2}; start_distance = {} is on the path at its height",
                above.abs(),
                if above > 0.0 { "above" } else { "below" },
                Unit::Length.written(on_path.round())
            ),
            Self::OffTarget { airspeed, target } => format!(
                "it starts with an airspeed of {airspeed:.2} m/s, and its autothrottle goes to {target:.2}, its target_airspeed"
            ),
        }
    }
}
