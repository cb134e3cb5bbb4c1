//! Cars that touch: how far two are apart, and what an impact does to them.
//!
//! # Conventions
//! As in [`super`]. Bodies are level: pitch and roll do not turn them, and impulses act at the height of the centres.

use glam::{DVec2, DVec3};

use super::car::{Car, Dynamics, Pose};
use super::law::Law;
use crate::elementary::rotation;
use crate::ellipsoid_contact::pair_contact;
use crate::encounter::{Impact, RoundedOutline, SAME_NORMALS, boxes_pass, pair_normal};
use crate::query::{
    ContactModel, ContactStatus, Ellipsoid, EllipsoidContact, EllipsoidPair, MIN_RELATIVE_SPEED, MetParts,
    SIDES_OVER_SEMI_AXES,
};

/// An impact of two cars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// Unit normal from the first to the second.
    pub normal: DVec2,
    /// The contact point \[m\].
    pub point: DVec2,
    /// The parts that meet; of boxes alone.
    pub parts: Option<MetParts>,
    /// How fast the bodies approach along the normal \[m/s\]; negative where they part.
    pub approach: f64,
    /// On the second, along the normal and along the normal turned to the left \[N s\].
    pub impulse: [f64; 2],
}

/// What there is between two cars whose ellipsoids touch or overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Touching {
    /// Their boxes pass each other.
    Passing,
    /// No normal, where the contact of the ellipsoids ended so; `Ok` where two edges' normals are the same.
    NoNormal(ContactStatus),
    /// They collide, or part.
    Contact(Collision),
}

/// A car's ellipsoid, level.
pub(super) fn ellipsoid(pose: &Pose) -> Ellipsoid {
    Ellipsoid {
        center: pose.position.truncate().extend(0.0),
        semi_axes: DVec3::from_array(pose.sides) / SIDES_OVER_SEMI_AXES,
        rotation: rotation(DVec3::Z, pose.yaw),
    }
}

/// The contact of the ellipsoids of two cars.
pub(super) fn between(poses: [&Pose; 2]) -> EllipsoidContact {
    let [a, b] = poses.map(ellipsoid);
    pair_contact(&EllipsoidPair::new(a, b))
}

/// A car's box.
fn outline(pose: &Pose, radius: f64) -> RoundedOutline<f64> {
    let [length, width, _] = pose.sides;
    RoundedOutline { heading: pose.heading().to_array(), half: [0.5 * length, 0.5 * width], radius }
}

/// What there is between two cars whose ellipsoids touch or overlap; `states` are theirs.
pub(super) fn touching(
    cars: [&Car; 2],
    poses: [&Pose; 2],
    states: [&[f64]; 2],
    (dynamics, law, model): (Dynamics, &Law, ContactModel),
) -> Touching {
    let contact = between(poses);
    if contact.normal == DVec3::ZERO {
        return Touching::NoNormal(contact.status);
    }
    let apart = (poses[1].position - poses[0].position).truncate();
    let drift = (poses[1].velocity - poses[0].velocity).truncate();
    let point = contact.point.truncate();
    let arms = [point - poses[0].position.truncate(), point - poses[1].position.truncate()];
    let (mut normal, mut parts) = (contact.normal.truncate(), None);
    if model == ContactModel::Box {
        let outlines = [0, 1].map(|k| outline(poses[k], law.radius.value));
        if boxes_pass(&outlines, apart.to_array(), drift.to_array(), MIN_RELATIVE_SPEED) {
            return Touching::Passing;
        }
        let [one, two] = outlines;
        let sides = [one.pierced(arms[0].to_array()), two.pierced(arms[1].to_array())];
        let (of_boxes, length) = pair_normal(&sides);
        if length < SAME_NORMALS {
            return Touching::NoNormal(contact.status);
        }
        (normal, parts) = (DVec2::from_array(of_boxes), Some(MetParts(sides.map(|side| side.on_edge))));
    }
    let [velocity_a, velocity_b] = [0, 1].map(|k| cars[k].velocity_at(dynamics, states[k], arms[k]));
    let relative = velocity_b - velocity_a;
    let [a, b] = [0, 1].map(|k| cars[k].mobilities(dynamics, states[k], arms[k]));
    let impact = Impact {
        mobilities: [a[0], b[0]],
        yaw_mobilities: [a[1], b[1]],
        restitution: law.restitution.value,
        friction: law.friction.value,
    };
    let impulse = impact.impulse(arms.map(|arm| arm.to_array()), normal.to_array(), relative.to_array());
    let impulse = [impulse.normal, impulse.tangential].map(|part| part + 0.0);
    Touching::Contact(Collision { normal, point, parts, approach: -relative.dot(normal), impulse })
}
