//! Encounters one by one.

use super::{Found, Frame, Meeting, Searched, contact};
use crate::query::{Encounter, EncounterAnswer, EncounterStatus};

/// How an encounter goes.
#[must_use]
pub fn encounter(encounter: &Encounter) -> EncounterAnswer {
    if encounter.fault().is_some() {
        return EncounterAnswer::none(EncounterStatus::BadInput);
    }
    let (frame, meeting) = Frame::new(encounter);
    frame.answer(encounter, &meeting, &found(&meeting))
}

/// What there is to be found out about it.
#[must_use]
pub fn found(meeting: &Meeting<f64>) -> Found {
    let of = contact(meeting, Searched);
    Found {
        status: status([of.not_converged, of.misses, of.overlaps, of.is_past, of.has_no_normal]),
        way: of.way,
        arm: of.arm,
        normal: of.normal,
        on_edge: of.on_edge,
        impulse: [of.impulse.normal, of.impulse.tangential],
    }
}

/// Of what holds, the first that there is.
#[must_use]
pub fn status([not_converged, misses, overlaps, is_past, has_no_normal]: [bool; 5]) -> EncounterStatus {
    match () {
        () if not_converged => EncounterStatus::NotConverged,
        () if misses => EncounterStatus::Missed,
        () if overlaps => EncounterStatus::Overlap,
        () if is_past => EncounterStatus::Missed,
        () if has_no_normal => EncounterStatus::Degenerate,
        () => EncounterStatus::Contact,
    }
}
