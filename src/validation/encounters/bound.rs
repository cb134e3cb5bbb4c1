//! How far an encounter in f32 may be from that in f64.
//!
//! The text of [`crate::encounter`] runs with [`Bounded`] numbers, from narrowed ones on. The search alone is not followed: it is
//! known by what it finds. It ends where the offset that it computes is right to [`RESIDUAL`] epsilons of the longest
//! semi-axis; with the error of that offset at one place, and the radius of curvature that takes offsets to s, the place is
//! known. One more step of Newton's method takes it at most as far again.

use super::bounded::{Bounded, Decided};
use crate::elementary::Real;
use crate::encounter::{Contact, Meeting, RESIDUAL, Tangent, contact, search};
use crate::query::EncounterStatus;

/// An encounter with its bounds, in the frame of the relative motion.
pub(super) struct EncounterBound {
    pub contact: Contact<Bounded>,
}

impl EncounterBound {
    pub fn new(meeting: &Meeting<f64>) -> Self {
        let bounded = Meeting::of_numbers(meeting.numbers().map(Bounded::narrowed));
        Self { contact: contact(&bounded, tangent) }
    }

    /// Whether f32 may come to a status.
    pub fn allows(&self, status: EncounterStatus) -> bool {
        let of = &self.contact;
        let in_order = [
            (of.not_converged, EncounterStatus::NotConverged),
            (of.misses, EncounterStatus::Missed),
            (of.overlaps, EncounterStatus::Overlap),
            (of.is_past, EncounterStatus::Missed),
            (of.has_no_normal, EncounterStatus::Degenerate),
        ];
        for (decided, of) in in_order {
            if decided.may(true) && of == status {
                return true;
            }
            if !decided.may(false) {
                return false;
            }
        }
        status == EncounterStatus::Contact
    }
}

/// Where the bodies touch at an offset, as f32 finds it.
fn tangent(meeting: &Meeting<Bounded>, offset: Bounded) -> Tangent<Bounded> {
    let vehicles = &meeting.vehicles;
    let nominal = Meeting::of_numbers(meeting.numbers().map(|number| number.value)).vehicles;
    let found = search(&nominal, offset.value, f64::EPSILON);
    let s = found.normal[1];
    let shapes = [vehicles.shape(0), vehicles.shape(1)];
    let [long, short] = {
        let [a, b] = nominal.semi_axes;
        [a.max(b), a.min(b)]
    };
    // Of both bodies where they are least curved into the offset.
    let least_rise = 2.0 * short * short / long;
    let residual = RESIDUAL * f64::from(f32::EPSILON) * long * (1.0 + 1e-6);
    let (side, _) = vehicles.side(&shapes, Bounded::exact(s));
    let off = residual + side.error + offset.error;
    let wide = (2.0 * off / least_rise).min(2.0);
    // There the rise is known better.
    let (_, rise) = vehicles.side(&shapes, Bounded { value: s, error: wide });
    let rise = (rise.value - rise.error).max(least_rise);
    let place = Bounded { value: s, error: (2.0 * off / rise).min(wide) + f64::from(f32::EPSILON) };
    let one = place.like(1.0);
    let across = ((one - place) * (one + place)).sqrt();
    let converged = Decided { answer: found.converged, certain: true };
    vehicles.touch([-across, place], converged, one)
}
