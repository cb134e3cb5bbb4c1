//! Ellipsoids with ids.

use super::{Fault, PackingError};
use crate::query::{Ellipsoid, MAX_ASPECT};

/// Ellipsoids with unique ids, ordered by id. All are valid, and so is every pair of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    ids: Vec<i64>,
    ellipsoids: Vec<Ellipsoid>,
}

impl Bodies {
    /// Bodies, each an id and an ellipsoid, in any order.
    ///
    /// # Errors
    /// If an ellipsoid is invalid, two ids are equal, sizes differ by more than [`MAX_ASPECT`], or there are more
    /// bodies than 32-bit indices.
    pub fn new(mut bodies: Vec<(i64, Ellipsoid)>) -> Result<Self, PackingError> {
        if u32::try_from(bodies.len()).is_err() {
            return Err(PackingError::TooMany { count: bodies.len() });
        }
        if let Some((id, fault)) = bodies.iter().find_map(|(id, ellipsoid)| Some((*id, Fault::of(ellipsoid)?))) {
            return Err(PackingError::Body { id, fault });
        }
        if !bodies.is_sorted_by(|a, b| a.0 < b.0) {
            refuse_same_ids(&bodies)?;
            bodies.sort_unstable_by_key(|body| body.0);
        }
        refuse_sizes(&bodies)?;
        let (ids, ellipsoids) = bodies.into_iter().unzip();
        Ok(Self { ids, ellipsoids })
    }

    /// Number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there are no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids, ascending.
    #[must_use]
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }

    /// The ellipsoids in the order of the ids.
    #[must_use]
    pub fn ellipsoids(&self) -> &[Ellipsoid] {
        &self.ellipsoids
    }
}

fn refuse_same_ids(bodies: &[(i64, Ellipsoid)]) -> Result<(), PackingError> {
    let mut places: Vec<usize> = (0..bodies.len()).collect();
    places.sort_unstable_by_key(|&place| (bodies[place].0, place));
    // Of several the one that stands first in the file is told.
    let same = places.windows(2).filter(|pair| bodies[pair[0]].0 == bodies[pair[1]].0).min_by_key(|pair| pair[1]);
    match same {
        None => Ok(()),
        Some(pair) => Err(PackingError::SameId { id: bodies[pair[0]].0, places: [pair[0], pair[1]] }),
    }
}

fn refuse_sizes(bodies: &[(i64, Ellipsoid)]) -> Result<(), PackingError> {
    let least = |body: &(i64, Ellipsoid)| body.1.semi_axes.min_element();
    let most = |body: &(i64, Ellipsoid)| body.1.semi_axes.max_element();
    let small = bodies.iter().min_by(|a, b| least(a).total_cmp(&least(b)));
    let large = bodies.iter().max_by(|a, b| most(a).total_cmp(&most(b)));
    match small.zip(large) {
        Some((small, large)) if most(large) > MAX_ASPECT * least(small) => {
            Err(PackingError::Sizes { small: small.0, least: least(small), large: large.0, most: most(large) })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    fn ball(id: i64, radius: f64) -> (i64, Ellipsoid) {
        (id, Ellipsoid::ball(DVec3::ZERO, radius))
    }

    #[test]
    fn bodies_stand_in_the_order_of_their_ids() {
        let bodies = Bodies::new(vec![ball(7, 1.0), ball(-3, 2.0), ball(5, 3.0)]).unwrap();
        assert_eq!(bodies.ids(), [-3, 5, 7]);
        let radii: Vec<f64> = bodies.ellipsoids().iter().map(|ellipsoid| ellipsoid.semi_axes.x).collect();
        assert_eq!(radii, [2.0, 3.0, 1.0]);
        assert!(Bodies::new(Vec::new()).unwrap().is_empty());
    }

    #[test]
    fn what_makes_no_bodies_is_refused() {
        let refused = |bodies: &[(i64, Ellipsoid)]| Bodies::new(bodies.to_vec()).unwrap_err();
        let same = [ball(4, 1.0), ball(1, 1.0), ball(2, 1.0), ball(1, 1.0), ball(4, 1.0)];
        assert_eq!(refused(&same), PackingError::SameId { id: 1, places: [1, 3] });
        // Also where they stand side by side and all else is in order.
        assert_eq!(refused(&[ball(1, 1.0), ball(1, 1.0)]), PackingError::SameId { id: 1, places: [0, 1] });
        assert_eq!(
            refused(&[ball(3, 1.0), ball(8, -1.0)]).to_string(),
            "body 8: a semi-axis of -1e0 m: must be above 1e-60 and at most 1e60 m"
        );
        assert_eq!(
            refused(&[ball(3, 2e8), ball(8, 1.0)]),
            PackingError::Sizes { small: 8, least: 1.0, large: 3, most: 2e8 }
        );
        assert!(Bodies::new(vec![ball(3, 1e8), ball(8, 1.0)]).is_ok());
    }
}
