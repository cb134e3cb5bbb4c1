//! Pairs of bodies that may be close.
//!
//! # Conventions
//! World coordinates in metres. Bodies are numbered from 0, ordered by id. The pairs found depend on the bodies and the
//! domain alone.

use std::ops::RangeInclusive;

use glam::{DVec3, IVec3};

use super::domain::MAX_PERIODS;
use super::outline::Outline;
use super::{Bodies, Domain, PackingError};
use crate::bvh::{Hierarchies, Overlap, OverlapQuery, Tree};
use crate::engine::{Engine, EngineError};
use crate::parallel;
use crate::query::{Ellipsoid, EllipsoidPair};
use crate::scene::BoundingBox;
use crate::scene::LIMITS;

/// What coordinates, and their differences after a whole number of lattice vectors, owe to rounding, as a part of their size.
///
/// A centre is moved into the brick at 0, its box made, and the box of another moved to where it may be near: for the two
/// and the pair that is told, four times a sum of up to four products and a coordinate, with half a box and a distance
/// below 32 roundings of 2^-53 each, of numbers up to the sum of all their sizes.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Bodies that one thread takes at a time: enough that sharing them out costs nothing.
const BODIES_PER_TASK: usize = 256;

/// So many periods of each axis two bricks are apart at most whose bodies are near each other: both reach [`MAX_PERIODS`]
/// to one side, so far may they be apart, and centres are up to one period apart.
const MAX_SHIFT: f64 = 3.0 * MAX_PERIODS + 1.0;

/// Bodies in a domain, organized for neighbour searches.
#[derive(Clone, Debug)]
pub struct Packing {
    bodies: Bodies,
    domain: Domain,
    /// Boxes around bodies, with centres wrapped into the brick at 0.
    hierarchies: Hierarchies,
    /// Positions of bodies along a space-filling curve.
    places: Vec<u32>,
}

/// Two bodies that may be close, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbor {
    /// The body with the lower id.
    pub a: u32,
    /// The other, or the same again.
    pub b: u32,
    /// Shift of B in lattice vectors of each axis.
    pub image: [i32; 3],
}

impl Packing {
    /// Organizes bodies in a domain.
    ///
    /// # Errors
    /// If a body is too large for the domain's periods, or too far from their origin.
    pub fn new(bodies: Bodies, domain: Domain) -> Result<Self, PackingError> {
        let half_extents: Vec<DVec3> =
            parallel::map(bodies.ellipsoids(), BODIES_PER_TASK, |ellipsoid| Outline::of(ellipsoid).half_extents());
        domain.check(&bodies, |number| half_extents[number])?;
        let bounds = |number: usize| bounds(&domain, bodies.ellipsoids()[number].center, half_extents[number]);
        let boxes: Vec<BoundingBox> = parallel::map_numbers(bodies.len(), BODIES_PER_TASK, bounds);
        let hierarchies = Hierarchies::new(&boxes);
        Ok(Self { bodies, domain, places: hierarchies.places(), hierarchies })
    }

    /// The bodies.
    #[must_use]
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// Position of a body along a space-filling curve: searches for many bodies are fastest in this order.
    pub(super) fn place(&self, number: u32) -> u32 {
        self.places[number as usize]
    }

    /// Refuses distances that are none, or so far that countless images would be near.
    pub(super) fn check_distance(&self, distance: f64) -> Result<(), PackingError> {
        let limit = self.domain.shortest_period().map_or(LIMITS.magnitude, |period| MAX_PERIODS * period);
        if (0.0..=limit).contains(&distance) { Ok(()) } else { Err(PackingError::Distance { distance, limit }) }
    }

    /// The ellipsoids of a pair: A at its given position, B's image.
    #[must_use]
    pub fn pair(&self, neighbor: Neighbor) -> EllipsoidPair {
        let [a, b] = [neighbor.a, neighbor.b].map(|number| self.bodies.ellipsoids()[number as usize]);
        let center = self.domain.image(b.center, IVec3::from_array(neighbor.image));
        EllipsoidPair::new(a, Ellipsoid { center, ..b })
    }

    /// The neighbours of bodies among those with no lower ids, unordered: all that may be within this distance \[m\],
    /// and few that are farther.
    pub fn neighbors(&self, engine: &dyn Engine, numbers: &[u32], distance: f64) -> Result<Vec<Neighbor>, EngineError> {
        let asked = parallel::flat_map_ranges(numbers.len(), BODIES_PER_TASK, |range| {
            numbers[range].iter().flat_map(|&number| self.queries(number, distance)).collect()
        });
        let (shifts, queries): (Vec<IVec3>, Vec<OverlapQuery>) = asked.into_iter().unzip();
        let overlaps = engine.overlaps(&self.hierarchies, &queries)?;
        let of_queries: Vec<&[Overlap]> = overlaps.chunk_by(|one, next| one.query == next.query).collect();
        Ok(parallel::flat_map_ranges(of_queries.len(), BODIES_PER_TASK, |range| {
            let near = of_queries[range].iter().flat_map(|overlaps| {
                let query = overlaps[0].query as usize;
                self.near(queries[query].least_number, shifts[query], distance, overlaps)
            });
            near.collect()
        }))
    }

    /// Where the boxes of a body's neighbours of no lower numbers are looked for, and by how many lattice vectors those are
    /// moved.
    fn queries(&self, number: u32, distance: f64) -> Vec<(IVec3, OverlapQuery)> {
        let a = &self.bodies.ellipsoids()[number as usize];
        let own = bounds(&self.domain, a.center, Outline::of(a).half_extents());
        let wider = distance * (1.0 + ROUNDING);
        let near = BoundingBox { min: own.min - wider, max: own.max + wider };
        let mut queries = Vec::new();
        for (tree, root) in (0..).zip(self.hierarchies.trees().iter().map(Tree::root)) {
            // Vectors of later axes move along earlier ones, so those follow.
            for z in self.shifts(&near, &root, 2, IVec3::ZERO) {
                for y in self.shifts(&near, &root, 1, IVec3::new(0, 0, z)) {
                    for x in self.shifts(&near, &root, 0, IVec3::new(0, y, z)) {
                        let shift = IVec3::new(x, y, z);
                        let moved = BoundingBox {
                            min: self.domain.image(near.min, -shift),
                            max: self.domain.image(near.max, -shift),
                        };
                        if moved.touches(&root) {
                            queries.push((shift, OverlapQuery { tree, least_number: number, bounds: moved }));
                        }
                    }
                }
            }
        }
        queries
    }

    /// Of the bodies whose boxes meet that of a body when they are moved by so many lattice vectors, those that are not surely
    /// farther away.
    fn near<'a>(
        &'a self,
        number: u32,
        shift: IVec3,
        distance: f64,
        overlaps: &'a [Overlap],
    ) -> impl Iterator<Item = Neighbor> + 'a {
        let ellipsoids = self.bodies.ellipsoids();
        let a = &ellipsoids[number as usize];
        let outline = Outline::of(a);
        let period = self.domain.period_of(a.center);
        overlaps.iter().filter_map(move |overlap| {
            let other = overlap.number;
            if other == number && !is_positive(shift) {
                return None;
            }
            let b = &ellipsoids[other as usize];
            let image = shift - self.domain.period_of(b.center) + period;
            let center = self.domain.image(b.center, image);
            let is_apart = outline.is_apart(&Outline::of(b).at(center), distance);
            (!is_apart).then_some(Neighbor { a: number, b: other, image: image.to_array() })
        })
    }

    /// By how many lattice vectors of an axis a body of a tree must be moved to be near along it, after those of others.
    fn shifts(&self, near: &BoundingBox, root: &BoundingBox, axis: usize, others: IVec3) -> RangeInclusive<i32> {
        // Within `Domain::most_vectors`. Boxes are wider than bodies by more than this is rounded by.
        self.domain.period(axis).map_or(0..=0, |period| {
            let moved = self.domain.image(DVec3::ZERO, others)[axis];
            let least = ((near.min[axis] - root.max[axis] - moved) / period).ceil();
            let most = ((near.max[axis] - root.min[axis] - moved) / period).floor();
            least as i32..=most as i32
        })
    }
}

/// Of the two images of a body that touch it on opposite sides one counts.
fn is_positive(shift: IVec3) -> bool {
    shift.to_array() > [0; 3]
}

/// The box around a body whose centre is moved into the brick at 0.
fn bounds(domain: &Domain, center: DVec3, half: DVec3) -> BoundingBox {
    let from_home = domain.period_of(center);
    let home = domain.image(center, -from_home);
    let sizes = domain.magnitude(from_home.as_dvec3()) + domain.magnitude(domain.most_vectors(MAX_SHIFT));
    let half = half + ROUNDING * (center.abs() + sizes);
    BoundingBox { min: home - half, max: home + half }
}

#[cfg(test)]
mod tests;
