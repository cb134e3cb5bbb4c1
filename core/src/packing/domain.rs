//! The domain of the bodies.
//!
//! # Conventions
//! World coordinates in metres. A periodic domain repeats by lattice vectors, one per periodic axis, as in a triclinic
//! cell of LAMMPS: a = (lx, 0, 0), b = (xy, ly, 0) and c = (xz, yz, lz), with the periods lx, ly, lz and the tilts xy,
//! xz, yz. The origin of the cell is irrelevant, so a domain stores lengths only.
//!
//! Bodies are wrapped such that their centres are in the brick from 0 to lx, ly and lz: whatever the tilts, its images
//! under the lattice tile space, since along z only c moves it, and only b along y within a layer.

use glam::{DVec3, IVec3};

use super::error::AXES;
use super::{Bodies, PackingError};
use crate::scene::LIMITS;

/// A body extends at most this many periods to either side of its centre.
pub const MAX_PERIODS: f64 = 4.0;

/// Largest tilt in periods of the axis along which it points: more would cost digits of positions.
pub const MAX_TILT: f64 = 64.0;

/// Largest number of lattice vectors between a centre and the cell at 0: 32 bits are left for its position within the
/// cell.
const MAX_SHIFT: f64 = 1_048_576.0;

/// The tilts of a cell by name, with the axes along which they point and to which they belong.
const TILTS: [(&str, usize, usize); 3] = [("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2)];

/// Tilts of the lattice vectors of the y and z axes \[m\]; all 0 for a cell with right angles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tilts {
    /// Of the vector of y along x.
    pub xy: f64,
    /// Of the vector of z along x.
    pub xz: f64,
    /// Of the vector of z along y.
    pub yz: f64,
}

/// A domain, periodic along some axes and open along the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// 0 along open axes.
    periods: DVec3,
    tilts: Tilts,
}

impl Domain {
    /// An unbounded domain.
    pub const OPEN: Self = Self { periods: DVec3::ZERO, tilts: Tilts { xy: 0.0, xz: 0.0, yz: 0.0 } };

    /// A domain periodic along those axes that have a period \[m\].
    ///
    /// # Errors
    /// If a period is invalid.
    pub fn new(periods: [Option<f64>; 3]) -> Result<Self, PackingError> {
        Self::tilted(periods, Tilts::default())
    }

    /// A domain periodic by the lattice vectors of those axes that have a period \[m\], which may be tilted.
    ///
    /// # Errors
    /// If a period is invalid, or a tilt belongs to an open axis or is more than [`MAX_TILT`] periods of the axis along
    /// which it points.
    pub fn tilted(periods: [Option<f64>; 3], tilts: Tilts) -> Result<Self, PackingError> {
        let allowed = 1.0 / LIMITS.magnitude..=LIMITS.magnitude;
        for (axis, period) in AXES.into_iter().zip(periods) {
            if let Some(period) = period.filter(|period| !allowed.contains(period)) {
                return Err(PackingError::Period { axis, period, limit: LIMITS.magnitude });
            }
        }
        for ((name, along, of), tilt) in TILTS.into_iter().zip([tilts.xy, tilts.xz, tilts.yz]) {
            if tilt != 0.0 && periods[of].is_none() {
                return Err(PackingError::OpenTilt { name, tilt, axis: AXES[of] });
            }
            let limit = periods[along].map_or(LIMITS.magnitude, |period| MAX_TILT * period);
            if tilt.is_nan() || tilt.abs() > limit {
                return Err(PackingError::Tilt { name, tilt, limit });
            }
        }
        Ok(Self { periods: DVec3::from_array(periods.map(|period| period.unwrap_or(0.0))), tilts })
    }

    /// The period along an axis \[m\].
    #[must_use]
    pub fn period(&self, axis: usize) -> Option<f64> {
        Some(self.periods[axis]).filter(|&period| period > 0.0)
    }

    /// The tilts of the lattice vectors \[m\].
    #[must_use]
    pub fn tilts(&self) -> Tilts {
        self.tilts
    }

    /// The shortest period \[m\].
    pub(super) fn shortest_period(&self) -> Option<f64> {
        (0..3).filter_map(|axis| self.period(axis)).reduce(f64::min)
    }

    /// Displacement by these numbers of lattice vectors \[m\].
    fn displacement(&self, image: DVec3) -> DVec3 {
        let Tilts { xy, xz, yz } = self.tilts;
        let DVec3 { x, y, z } = image;
        DVec3::new(x * self.periods.x + (y * xy + z * xz), y * self.periods.y + z * yz, z * self.periods.z)
    }

    /// A point shifted by these numbers of lattice vectors \[m\].
    #[must_use]
    pub fn image(&self, point: DVec3, image: IVec3) -> DVec3 {
        point + self.displacement(image.as_dvec3())
    }

    /// By how many lattice vectors a point is moved from the brick at 0: along z, then what is left along y, then along x.
    fn lattice_vectors_to(&self, point: DVec3) -> DVec3 {
        let Tilts { xy, xz, yz } = self.tilts;
        let along = |axis: usize, rest: f64| self.period(axis).map_or(0.0, |period| (rest / period).floor());
        let z = along(2, point.z);
        let y = along(1, point.y - z * yz);
        DVec3::new(along(0, point.x - (y * xy + z * xz)), y, z)
    }

    /// The image of the brick at 0 that contains a point; 0 along open axes.
    pub(super) fn period_of(&self, point: DVec3) -> IVec3 {
        // Within `MAX_SHIFT`, which fits.
        self.lattice_vectors_to(point).as_ivec3()
    }

    /// The sizes of what is added up for the image of a point that is so many lattice vectors farther \[m\].
    pub(super) fn magnitude(&self, image: DVec3) -> DVec3 {
        let Tilts { xy, xz, yz } = self.tilts;
        let sizes = Self { tilts: Tilts { xy: xy.abs(), xz: xz.abs(), yz: yz.abs() }, ..*self };
        sizes.displacement(image.abs())
    }

    /// By how many lattice vectors a brick is moved at most to be within so many periods of another along each axis: what
    /// tilts move it along y and x must be made good there.
    pub(super) fn most_vectors(&self, periods: f64) -> DVec3 {
        let Tilts { xy, xz, yz } = self.tilts;
        let along = |axis: usize, leaning: f64| self.period(axis).map_or(0.0, |period| periods + leaning / period);
        let z = along(2, 0.0);
        let y = along(1, z * yz.abs());
        DVec3::new(along(0, y * xy.abs() + z * xz.abs()), y, z)
    }

    /// Refuses bodies too large for their images to be counted, or too far away.
    pub(super) fn check(&self, bodies: &Bodies, half_extents: impl Fn(usize) -> DVec3) -> Result<(), PackingError> {
        for (number, (&id, ellipsoid)) in bodies.ids().iter().zip(bodies.ellipsoids()).enumerate() {
            for (place, axis) in AXES.into_iter().enumerate() {
                let Some(period) = self.period(place) else { continue };
                let (reach, limit) = (half_extents(number)[place], MAX_PERIODS * period);
                if reach > limit {
                    return Err(PackingError::WideBody { id, axis, reach, limit, periods: MAX_PERIODS });
                }
            }
            let vectors = self.lattice_vectors_to(ellipsoid.center);
            if let Some(place) = (0..3).find(|&place| vectors[place].abs() > MAX_SHIFT) {
                let (axis, coordinate) = (AXES[place], ellipsoid.center[place]);
                let periods = self.displacement(vectors);
                return Err(PackingError::FarBody { id, axis, coordinate, limit: MAX_SHIFT, periods });
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
        let expected = "body 7 is at -600000.1 m along y: at most 1048576 periods from 0 are allowed; subtract \
                        [0, -600000.5, 0] m, a whole number of periods, from all bodies";
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

    /// A cell that leans far.
    fn leaning() -> Domain {
        Domain::tilted([Some(2.0), Some(3.0), Some(0.5)], Tilts { xy: -7.3, xz: 1.25, yz: 11.5 }).unwrap()
    }

    #[test]
    fn images_are_moved_by_lattice_vectors_and_every_point_has_one_in_the_brick() {
        let domain = leaning();
        assert_eq!(domain.image(DVec3::ZERO, IVec3::X), DVec3::new(2.0, 0.0, 0.0));
        assert_eq!(domain.image(DVec3::ZERO, IVec3::Y), DVec3::new(-7.3, 3.0, 0.0));
        assert_eq!(domain.image(DVec3::ZERO, IVec3::Z), DVec3::new(1.25, 11.5, 0.5));
        for number in 0..1000 {
            let draw = |variable| 40.0 * crate::random::uniform(9, number, variable) - 20.0;
            let point = DVec3::new(draw(0), draw(1), draw(2));
            let home = domain.image(point, -domain.period_of(point));
            // Some hundreds of metres are added up.
            let margin = 1e-12;
            let (low, high) = (DVec3::splat(-margin), DVec3::new(2.0, 3.0, 0.5) + margin);
            assert!(home.cmpge(low).all() && home.cmple(high).all(), "{point} -> {home}");
        }
    }

    #[test]
    fn bricks_that_are_near_are_no_more_lattice_vectors_apart_than_is_said() {
        let domain = leaning();
        let periods = DVec3::new(2.0, 3.0, 0.5);
        let most = domain.most_vectors(2.0);
        for z in -4..=4i32 {
            for y in -40..=40i32 {
                for x in -200..=200i32 {
                    let image = IVec3::new(x, y, z);
                    let moved = domain.image(DVec3::ZERO, image).abs();
                    let is_near = moved.cmple(2.0 * periods).all();
                    assert!(!is_near || image.as_dvec3().abs().cmple(most).all(), "{image}: {most}");
                    assert!(moved.cmple(domain.magnitude(image.as_dvec3()) * (1.0 + 1e-15)).all(), "{image}");
                }
            }
        }
    }

    #[test]
    fn tilts_without_a_period_or_beyond_the_limit_are_refused() {
        let tilted =
            |periods: [Option<f64>; 3], tilts| Domain::tilted(periods, tilts).map_err(|error| error.to_string());
        let none = Tilts::default();
        let (x, y) = (Some(2.0), Some(3.0));
        assert!(tilted([x, y, None], Tilts { xy: -128.0, ..none }).is_ok());
        assert!(tilted([None, y, None], Tilts { xy: 1e9, ..none }).is_ok());
        assert_eq!(
            tilted([x, y, None], Tilts { yz: 0.5, ..none }).unwrap_err(),
            "a tilt yz of 5e-1 m: must be 0, since z is open"
        );
        for bad in [128.1, f64::NAN, f64::INFINITY] {
            let error = tilted([x, y, None], Tilts { xy: bad, ..none }).unwrap_err();
            assert!(error.ends_with("m: must be from -1.28e2 to 1.28e2 m"), "{error}");
        }
    }
}
