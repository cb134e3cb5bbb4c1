//! Single items, with their checks.

use glam::DVec3;

use super::signed_distance::{body, concentric_contact};
use super::{touch, touch_wall};
use crate::query::{ContactStatus, EllipsoidContact, EllipsoidPair, EllipsoidWall, WallContact};

/// The contact of a pair.
pub fn pair_contact(pair: &EllipsoidPair) -> EllipsoidContact {
    if !pair.is_valid() {
        return EllipsoidContact::none(ContactStatus::BadInput);
    }
    let between = pair.b.center - pair.a.center;
    let touch = touch(&body(&pair.a), &body(&pair.b), between.to_array(), pair.guess.unwrap_or(0.0));
    if touch.concentric {
        return concentric_contact(pair);
    }
    if !touch.converged {
        return EllipsoidContact::none(ContactStatus::NotConverged);
    }
    EllipsoidContact {
        status: ContactStatus::Ok,
        f: touch.mu * touch.mu,
        mu: touch.mu,
        lambda: touch.lambda,
        normal: DVec3::from_array(touch.normal),
        point: pair.a.center + DVec3::from_array(touch.point),
        separation: touch.separation,
        iterations: touch.rounds as u32,
    }
}

/// The contact of an ellipsoid with a wall.
pub fn wall_contact(item: &EllipsoidWall) -> WallContact {
    if !item.is_valid() {
        return WallContact::none(ContactStatus::BadInput);
    }
    let ellipsoid = &item.ellipsoid;
    let touch = touch_wall(&body(ellipsoid), item.normal.to_array(), item.offset_from_center());
    WallContact {
        status: ContactStatus::Ok,
        mu: touch.mu,
        normal: DVec3::from_array(touch.normal),
        point: ellipsoid.center + DVec3::from_array(touch.point),
        separation: touch.separation,
    }
}
