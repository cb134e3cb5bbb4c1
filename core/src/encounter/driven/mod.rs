//! Two cars that drive, collide and go on, in steps of a fixed length (docs/encounters.md).
//!
//! ```text
//! DrivenEncounter --> Frame --> Drive (what holds), Course (where they are) --> step, step, ... --> DrivenAnswer
//! ```
//!
//! A step lets bodies that touch and approach collide, and then moves both on until its end, or until bodies that
//! were apart touch. Written once for one number and for eight, and for numbers that carry their errors.
//!
//! # Conventions
//! As in [`super`], but for the frame: that of the world, as it is turned; lengths in the power of two of about half a
//! vehicle's length, masses in that of a vehicle, times in seconds.

mod collision;
mod course;
mod frame;
mod motion;
mod searches;
mod single;
mod step;
#[cfg(test)]
mod tests;

pub use self::collision::{BAND, OUT_OF_REACH, energy};
pub use self::course::{COURSE_NUMBERS, DRIVE_NUMBERS};
pub use self::course::{Course, Drive, FirstImpact};
pub use self::frame::DrivenFrame;
pub use self::motion::Motion;
pub use self::searches::{LANDING_RESIDUAL, LANDINGS};
pub use self::searches::{Searched, Searches, clear};
pub use self::single::{driven_encounter, driven_step, followed, most_steps};
pub use self::step::{Contacts, Touch, step};
