//! The space in which bodies stand.
//!
//! # Conventions
//! World coordinates in metres. Along a periodic axis the place of 0 does not matter, so a domain knows lengths only.

use glam::{DVec3, IVec3};

use super::error::AXES;
use super::{Bodies, PackingError};
use crate::scene::LIMITS;

/// A body reaches at most this many periods to either side of its centre.
pub const MOST_PERIODS: f64 = 4.0;

/// A centre is at most this many periods from 0: of its place within the period 32 bits are left.
const FARTHEST: f64 = 1_048_576.0;

/// A space, periodic along some axes and open along the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Along open axes 0.
    periods: DVec3,
}

impl Domain {
    /// A space without end.
    pub const OPEN: Self = Self { periods: DVec3::ZERO };

    /// A space that repeats along those axes that have a period \[m\].
    ///
    /// # Errors
    /// When a period is not a length.
    pub fn new(periods: [Option<f64>; 3]) -> Result<Self, PackingError> {
        let allowed = 1.0 / LIMITS.magnitude..=LIMITS.magnitude;
        for (axis, period) in AXES.into_iter().zip(periods) {
            if let Some(period) = period.filter(|period| !allowed.contains(period)) {
                return Err(PackingError::Period { axis, period, limit: LIMITS.magnitude });
            }
        }
        Ok(Self { periods: DVec3::from_array(periods.map(|period| period.unwrap_or(0.0))) })
    }

    /// The period along an axis \[m\].
    #[must_use]
    pub fn period(&self, axis: usize) -> Option<f64> {
        Some(self.periods[axis]).filter(|&period| period > 0.0)
    }

    /// The shortest period \[m\].
    pub(super) fn shortest_period(&self) -> Option<f64> {
        (0..3).filter_map(|axis| self.period(axis)).reduce(f64::min)
    }

    /// A point of the same place in another period \[m\].
    #[must_use]
    pub fn image(&self, point: DVec3, image: IVec3) -> DVec3 {
        point + image.as_dvec3() * self.periods
    }

    /// In which period a point is, counted from that which begins at 0; along open axes 0.
    pub(super) fn period_of(&self, point: DVec3) -> IVec3 {
        // Within `FARTHEST`, which fits.
        let along = |axis| self.period(axis).map_or(0.0, |period| (point[axis] / period).floor()) as i32;
        IVec3::new(along(0), along(1), along(2))
    }

    /// Refuses bodies that are too large for their images to be counted, or too far off.
    pub(super) fn check(&self, bodies: &Bodies, half_extents: impl Fn(usize) -> DVec3) -> Result<(), PackingError> {
        for (number, (&id, ellipsoid)) in bodies.ids().iter().zip(bodies.ellipsoids()).enumerate() {
            for (place, axis) in AXES.into_iter().enumerate() {
                let Some(period) = self.period(place) else { continue };
                let (reach, limit) = (half_extents(number)[place], MOST_PERIODS * period);
                if reach > limit {
                    return Err(PackingError::WideBody { id, axis, reach, limit });
                }
                let (coordinate, limit) = (ellipsoid.center[place], FARTHEST * period);
                if coordinate.abs() > limit {
                    let periods = (coordinate / period).floor() * period;
                    return Err(PackingError::FarBody { id, axis, coordinate, limit, periods });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Ellipsoid;

    #[test]
    fn points_are_in_the_period_that_holds_them() {
        let domain = Domain::new([Some(2.0), None, Some(0.5)]).unwrap();
        for (point, period) in [
            (DVec3::new(0.0, 0.0, 0.0), IVec3::new(0, 0, 0)),
            (DVec3::new(1.9, 99.0, 0.5), IVec3::new(0, 0, 1)),
            (DVec3::new(-0.1, -99.0, -0.6), IVec3::new(-1, 0, -2)),
        ] {
            assert_eq!(domain.period_of(point), period, "{point}");
        }
        assert_eq!(domain.image(DVec3::new(1.0, 2.0, 3.0), IVec3::new(-1, 7, 2)), DVec3::new(-1.0, 2.0, 4.0));
    }

    #[test]
    fn a_body_that_is_too_far_off_is_told_what_brings_it_near() {
        let domain = Domain::new([None, Some(0.5), None]).unwrap();
        let at = |y: f64| Bodies::new(vec![(7, Ellipsoid::ball(DVec3::new(1e9, y, 0.0), 0.1))]).unwrap();
        let check = |y: f64| domain.check(&at(y), |_| DVec3::splat(0.1)).map_err(|error| error.to_string());
        let expected = "body 7 is at -600000.1 m along y: at most 524288 m from 0 are allowed with this period; subtract \
                        -600000.5 m, a whole number of periods, from y of all bodies";
        assert_eq!(check(-600_000.1), Err(expected.to_owned()));
        assert_eq!(check(-600_000.1 + 600_000.5), Ok(()));
    }

    #[test]
    fn periods_that_are_no_lengths_are_refused() {
        assert!(Domain::new([None, Some(1e-60_f64.next_up()), Some(1e60)]).is_ok());
        for period in [0.0, -1.0, 1e-60, f64::NAN, f64::INFINITY, 1e60_f64.next_up()] {
            let error = Domain::new([None, Some(period), None]).unwrap_err();
            assert!(error.to_string().ends_with("along y: must be above 1e-60 and at most 1e60 m"), "{error}");
        }
    }
}
