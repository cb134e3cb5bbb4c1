//! Random pairs and walls.

use glam::{DQuat, DVec3};

use super::{EllipsoidClass, Ellipsoids};
use crate::query::{Ellipsoid, EllipsoidPair, EllipsoidWall};
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};

/// A pair at some distance that is not yet the one it should have, and by what factor it should touch; or a wall.
pub(super) enum Drawn {
    Pair { pair: EllipsoidPair, mu: f64 },
    Wall(EllipsoidWall),
}

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<Ellipsoids>) -> Drawn {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::Ellipsoid, number);
    let draws = &mut draws;
    // Anywhere, of any size: neither may matter.
    let unit = draws.power_of_ten(-3.0, 3.0);
    let center = 100.0 * unit * draws.in_cube(1.0);
    let mut body = |shape: DVec3| Ellipsoid { center, semi_axes: unit * shape, rotation: rotation(draws) };
    let (a, b) = match class {
        EllipsoidClass::Needles => (body(DVec3::new(1.0, 1e-3, 1e-3)), body(DVec3::new(1e-3, 1e-3, 1.0))),
        EllipsoidClass::Discs => (body(DVec3::new(1.0, 1.0, 1e-3)), body(DVec3::new(1.0, 1e-3, 1.0))),
        EllipsoidClass::NeedlesAndDiscs => (body(DVec3::new(1.0, 1e-3, 1e-3)), body(DVec3::new(1.0, 1.0, 1e-3))),
        _ => (body(DVec3::ONE), body(DVec3::ONE)),
    };
    let aspect: f64 = match class {
        EllipsoidClass::Long => 30.0,
        EllipsoidClass::Far | EllipsoidClass::Walls => [3.0, 1000.0][draws.index(2)],
        EllipsoidClass::NearTangent | EllipsoidClass::Deep => 10.0,
        EllipsoidClass::Round | EllipsoidClass::Aligned => 3.0,
        EllipsoidClass::Needles | EllipsoidClass::Discs | EllipsoidClass::NeedlesAndDiscs => 1.1,
    };
    let mut squeezed = |ellipsoid: Ellipsoid| {
        let exponents = DVec3::new(draws.unit(), draws.unit(), draws.unit());
        let shape = DVec3::from_array(exponents.to_array().map(|exponent| aspect.powf(-exponent)));
        Ellipsoid { semi_axes: ellipsoid.semi_axes * shape, ..ellipsoid }
    };
    let (mut a, mut b) = (squeezed(a), squeezed(b));
    if class == EllipsoidClass::Walls {
        let normal = draws.direction();
        let width = (a.axes().transpose() * normal * a.semi_axes).length();
        let gap = width * draws.between(-3.0, 3.0);
        let length = draws.power_of_ten(-2.0, 2.0);
        let offset = normal.dot(a.center) - width - gap;
        return Drawn::Wall(EllipsoidWall { ellipsoid: a, normal: normal * length, offset: offset * length });
    }
    let mut way = draws.direction();
    if class == EllipsoidClass::Aligned {
        (a, b, way) = aligned(draws, a, b);
    }
    let mu = match class {
        EllipsoidClass::NearTangent => 1.0 + draws.sign() * draws.power_of_ten(-9.0, -2.0),
        EllipsoidClass::Deep => draws.power_of_ten(-6.0, -0.3),
        EllipsoidClass::Far => draws.power_of_ten(0.0, 6.0),
        _ => draws.between(0.3, 3.0),
    };
    b.center = a.center + unit * way;
    let guess = (draws.index(4) == 0).then(|| draws.between(0.01, 0.99));
    Drawn::Pair { pair: EllipsoidPair { guess, ..EllipsoidPair::new(a, b) }, mu }
}

/// Balls, bodies of one shape side by side, bodies about one axis: where eigenvalues and directions coincide.
fn aligned(draws: &mut Draws, mut a: Ellipsoid, mut b: Ellipsoid) -> (Ellipsoid, Ellipsoid, DVec3) {
    match draws.index(5) {
        0 => {
            a.semi_axes = DVec3::splat(a.semi_axes.x);
            b.semi_axes = DVec3::splat(b.semi_axes.x);
        }
        1 => b = Ellipsoid { semi_axes: a.semi_axes, rotation: a.rotation, ..b },
        2 => b.semi_axes = DVec3::splat(b.semi_axes.x),
        3 => {
            a.semi_axes.y = a.semi_axes.x;
            b = Ellipsoid { semi_axes: a.semi_axes, ..b };
        }
        _ => {
            (a.rotation, b.rotation) = (DQuat::IDENTITY, DQuat::IDENTITY);
            return (a, b, DVec3::AXES[draws.index(3)]);
        }
    }
    (a, b, draws.direction())
}

/// A rotation whose quaternion has any length.
fn rotation(draws: &mut Draws) -> DQuat {
    draws.rotation() * draws.power_of_ten(-1.0, 1.0)
}
