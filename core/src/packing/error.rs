//! Errors of packings.

use glam::DVec3;
use thiserror::Error;

use super::fault::Fault;
use crate::query::MAX_ASPECT;

/// Why bodies do not form a packing.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PackingError {
    /// An invalid ellipsoid.
    #[error("body {id}: {fault}")]
    Body {
        /// Its id.
        id: i64,
        /// What is wrong with it.
        fault: Fault,
    },
    /// Two bodies with the same id.
    #[error("more than one body has the id {id}: ids must differ")]
    SameId {
        /// The id.
        id: i64,
        /// The positions of the two among the bodies, the earlier one first.
        places: [usize; 2],
    },
    /// Sizes too different for the contact computation.
    #[error(
        "body {small} has a semi-axis of {least:e} m and body {large} one of {most:e} m: none may be more than \
         {MAX_ASPECT:e} times another"
    )]
    Sizes {
        /// The body with the shortest semi-axis.
        small: i64,
        /// That semi-axis \[m\].
        least: f64,
        /// The body with the longest.
        large: i64,
        /// That semi-axis \[m\].
        most: f64,
    },
    /// Too many bodies for their indices.
    #[error("{count} bodies: at most {} can be handled together", u32::MAX)]
    TooMany {
        /// Number of bodies.
        count: usize,
    },
    /// An invalid period.
    #[error("a period of {period:e} m along {axis}: must be above {:.0e} and at most {limit:e} m", 1.0 / limit)]
    Period {
        /// The axis.
        axis: char,
        /// What was given \[m\].
        period: f64,
        /// The upper limit \[m\]; the lower one is 1 over it.
        limit: f64,
    },
    /// A tilt of a missing lattice vector.
    #[error("a tilt {name} of {tilt:e} m: must be 0, since {axis} is open")]
    OpenTilt {
        /// The tilt's name.
        name: &'static str,
        /// What was given \[m\].
        tilt: f64,
        /// The open axis.
        axis: char,
    },
    /// A tilt that is too large.
    #[error("a tilt {name} of {tilt:e} m: must be from -{limit:e} to {limit:e} m")]
    Tilt {
        /// The tilt's name.
        name: &'static str,
        /// What was given \[m\].
        tilt: f64,
        /// The limit \[m\].
        limit: f64,
    },
    /// A body that would touch countless images of itself.
    #[error(
        "body {id} reaches {reach} m along {axis} from its centre: at most {limit} m, {periods} periods, are allowed"
    )]
    WideBody {
        /// Its id.
        id: i64,
        /// The axis.
        axis: char,
        /// Its extent \[m\].
        reach: f64,
        /// The limit \[m\].
        limit: f64,
        /// The limit in periods.
        periods: f64,
    },
    /// A body so far away that its position within a cell is lost in rounding.
    #[error(
        "body {id} is at {coordinate} m along {axis}: at most {limit} periods from 0 are allowed; subtract {periods} m, a \
         whole number of periods, from all bodies"
    )]
    FarBody {
        /// Its id.
        id: i64,
        /// The axis of which there are too many periods in between.
        axis: char,
        /// Coordinate of its centre \[m\].
        coordinate: f64,
        /// The limit, in periods.
        limit: f64,
        /// An integer combination of lattice vectors that brings it into the cell at 0 \[m\].
        periods: DVec3,
    },
    /// An invalid search distance.
    #[error("a distance of {distance:e} m: must be from 0 to {limit:e} m here")]
    Distance {
        /// The distance given \[m\].
        distance: f64,
        /// The limit \[m\].
        limit: f64,
    },
}

/// Names of the axes.
pub(super) const AXES: [char; 3] = ['x', 'y', 'z'];
