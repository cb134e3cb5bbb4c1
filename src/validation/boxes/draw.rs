//! Random boxes and contact vectors.

use glam::DVec3;

use super::{Boxes, Class};
use crate::query::RoundedBox;
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};

/// A box and its contact vector.
type Met = (RoundedBox, DVec3);

/// A radius below this share of the least side makes roundings that f32 hardly tells from edges.
const SMALL_RADIUS: f64 = 1e-2;
/// Longest over shortest side of a body whose seams are wider than what rounding does to a ray that grazes it.
const MODEST_ASPECT: f64 = 8.0;

/// A question.
pub(super) struct Drawn {
    /// The box, or the first of a pair.
    pub first: Met,
    pub second: Option<Met>,
    pub made_to_touch: bool,
}

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<Boxes>) -> Drawn {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::Box, number);
    let (first, made_to_touch) = met(class, &mut draws);
    if class != Class::Pairs {
        return Drawn { first, second: None, made_to_touch };
    }
    let (body, contact) = first;
    let (second, other_touches) = match draws.index(16) {
        // Faces that are met equally far from their middles.
        0 => {
            let rotation = draws.rotation();
            let contact = rotation * (body.rotation.normalize().conjugate() * contact);
            ((RoundedBox { rotation, ..body }, contact), true)
        }
        // Normals that are the same.
        1 => (first, true),
        _ => met(class, &mut draws),
    };
    Drawn { first, second: Some(second), made_to_touch: made_to_touch || other_touches }
}

/// A box that is met somewhere, and whether rounding alone decides where.
fn met(class: Class, draws: &mut Draws) -> (Met, bool) {
    let mut sides = DVec3::new(draws.between(3.0, 6.0), draws.between(1.5, 2.5), draws.between(1.2, 3.0));
    let mut radius_share = draws.power_of_ten(-1.3, 0.0);
    let mut way = draws.power_of_ten(-1.0, 1.0);
    match class {
        Class::Vehicles | Class::Seams => {}
        Class::Pairs if draws.index(4) > 0 => {}
        Class::SmallRadii | Class::Pairs => radius_share = [2e-3, 2e-5][draws.index(2)],
        Class::Axes => radius_share = [radius_share, 0.0, 1.0, 1.0][draws.index(4)],
        Class::Sizes => {
            let spread = [1.0, 3.0][draws.index(2)];
            sides = DVec3::from_array([0.0; 3].map(|_: f64| draws.power_of_ten(-0.5 * spread, 0.5 * spread)));
            sides *= draws.power_of_ten(-50.0, 50.0);
            way = draws.power_of_ten(-50.0, 50.0);
        }
    }
    let least = sides.min_element();
    let radius = 0.5 * radius_share * least;
    let body = RoundedBox { sides, radius, rotation: draws.rotation() * draws.power_of_ten(-2.0, 2.0) };
    let (place, aimed) = place(class, draws, &body);
    let made_to_touch = aimed && (class == Class::Seams || radius < SMALL_RADIUS * least)
        || (class == Class::Axes && radius_share == 1.0)
        || sides.max_element() > MODEST_ASPECT * least;
    let contact = body.rotation.normalize() * (place * (way / place.length()));
    ((body, contact), made_to_touch)
}

/// A place on the box in its own axes, of any length, and whether it was aimed at a rounding.
fn place(class: Class, draws: &mut Draws, body: &RoundedBox) -> (DVec3, bool) {
    match class {
        Class::Axes => {
            let mut place = DVec3::ZERO;
            let along = draws.index(3);
            for axis in 0..3 {
                let beside = if draws.index(4) == 0 { 0.0 } else { draws.power_of_ten(-30.0, -2.0) };
                place[axis] = draws.sign() * if axis == along { 1.0 } else { beside };
            }
            (place, false)
        }
        Class::Seams => (aimed(draws, body, true), true),
        Class::Vehicles | Class::Sizes => (draws.direction(), false),
        Class::SmallRadii | Class::Pairs => match draws.index(4) {
            0..=1 => (draws.direction(), false),
            2 => (aimed(draws, body, false), true),
            _ => (0.5 * body.sides * draws.in_cube(1.0), false),
        },
    }
}

/// A place on an edge or a corner; about their seams, or anywhere.
fn aimed(draws: &mut Draws, body: &RoundedBox, at_seam: bool) -> DVec3 {
    let inner = 0.5 * body.sides - body.radius;
    let normal_axis = draws.index(3);
    let mut beyond = DVec3::ZERO;
    let mut place = DVec3::ZERO;
    for axis in (0..3).filter(|&axis| axis != normal_axis) {
        // Radii beyond the inner box.
        let by = match draws.index(3) {
            0 => None,
            _ if at_seam => Some(draws.sign() * draws.power_of_ten(-10.0, -2.0)),
            _ => Some(draws.between(0.0, 0.7)),
        };
        place[axis] = by.map_or_else(|| draws.unit() * inner[axis], |by| inner[axis] + by * body.radius);
        beyond[axis] = by.unwrap_or(0.0).max(0.0);
    }
    place[normal_axis] = inner[normal_axis] + body.radius * (1.0 - beyond.length_squared()).sqrt();
    let mirror = DVec3::new(draws.sign(), draws.sign(), draws.sign());
    place * mirror
}
