//! What a vehicle that does not move stands on.

use glam::DVec2;

/// Whether a vehicle can stand on the wheels that touch: its centre of gravity is above the inside of their polygon. At the top of a hop,
/// and on the way over two legs, a vehicle is slow too. Of fewer than three wheels, which have no polygon, all must touch.
///
/// `centre` is the place of the centre of gravity, `pebbles` the places of the wheels' contacts, `None` of one that does not touch: from
/// above, world \[m\].
pub fn stands_on(centre: DVec2, pebbles: impl Iterator<Item = Option<DVec2>> + Clone) -> bool {
    let mut all = pebbles.clone();
    if pebbles.clone().count() < 3 {
        return all.all(|pebble| pebble.is_some());
    }
    // It is inside if the arm to each has another within the half turn to its left.
    let arms = pebbles.flatten().map(|pebble| pebble - centre).filter(|arm| *arm != DVec2::ZERO);
    let is_followed = |arm: DVec2| arms.clone().any(|other| arm.perp_dot(other) > 0.0);
    arms.clone().next().is_some() && arms.clone().all(is_followed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vehicle_stands_where_its_centre_of_gravity_is_above_its_wheels_polygon() {
        let corner = |x: f64, y: f64| Some(DVec2::new(x, y));
        let legs = [corner(2.0, 0.0), corner(0.0, 2.0), corner(-2.0, 0.0), corner(0.0, -2.0)];
        for (centre, stands) in [([0.0, 0.0], true), ([0.9, 0.9], true), ([1.1, 1.0], false), ([5.0, 0.0], false)] {
            assert_eq!(stands_on(DVec2::from_array(centre), legs.into_iter()), stands, "{centre:?}");
            // Whichever comes first.
            assert_eq!(stands_on(DVec2::from_array(centre), legs.into_iter().rev()), stands, "{centre:?}");
        }
        let middle = DVec2::new(0.3, -0.2);
        let lifted = |which: [usize; 2]| (0..4).map(move |leg| legs[leg].filter(|_| !which.contains(&leg)));
        assert!(stands_on(middle, lifted([1, 1])), "three of four legs");
        for pair in [[0, 1], [0, 2], [1, 3]] {
            assert!(!stands_on(middle, lifted(pair)), "two of four legs");
        }
        assert!(!stands_on(DVec2::ZERO, [None; 4].into_iter()), "in the air");
        let centred = legs.into_iter().chain([corner(0.0, 0.0)]);
        assert!(stands_on(DVec2::ZERO, centred), "one of them right below it");
        let alone = [None, None, corner(0.0, 0.0)];
        assert!(!stands_on(DVec2::ZERO, alone.into_iter()), "on one alone");
    }

    #[test]
    fn of_one_or_two_wheels_all_must_touch() {
        let place = Some(DVec2::X);
        assert!(stands_on(DVec2::ZERO, [place; 1].into_iter()) && stands_on(DVec2::ZERO, [place; 2].into_iter()));
        assert!(!stands_on(DVec2::ZERO, [place, None].into_iter()));
    }
}
