//! Where a thruster is, and where it points.

use super::formula::{Formula, cosine, cross, plus, scaled, sine, times};
use super::lowering::Lowering;

/// Where a thruster is, and where it points.
#[derive(Clone, Debug, PartialEq)]
pub struct Mounting {
    /// From the centre of gravity to the thruster, body axes \[ft\].
    pub arm: [f64; 3],
    /// Where it points.
    pub direction: Direction,
}

/// Where a thruster points.
#[derive(Clone, Debug, PartialEq)]
pub enum Direction {
    /// Roll, pitch and yaw of the thruster against the body \[rad\]; pitch and yaw may be set from outside, as a gimbal does.
    Angles([f64; 3]),
    /// Along a vector of body axes, by whose length the thrust is multiplied.
    Pointing([f64; 3]),
}

impl Mounting {
    /// The axes of the thruster in body axes: along the thrust, then across.
    pub(super) fn axes(&self, lowering: &mut Lowering<'_>) -> [[Formula; 3]; 3] {
        let [roll, pitch, yaw] = match self.direction {
            Direction::Pointing(along) => {
                return [along.map(Into::into), [(); 3].map(|()| 0.0.into()), [(); 3].map(|()| 0.0.into())];
            }
            Direction::Angles(angles) => angles,
        };
        let pitch = lowering.settable("pitch-angle-rad", pitch);
        let yaw = lowering.settable("yaw-angle-rad", yaw);
        let (sr, cr) = (sine(roll.into()), cosine(roll.into()));
        let (sp, cp) = (sine(pitch.clone()), cosine(pitch));
        let (sy, cy) = (sine(yaw.clone()), cosine(yaw));
        let product = |a: &Formula, b: &Formula| times(a.clone(), b.clone());
        let (srsp, crsp) = (product(&sr, &sp), product(&cr, &sp));
        [
            [product(&cp, &cy), product(&cp, &sy), times(sp, (-1.0).into())],
            [
                plus(product(&srsp, &cy), -product(&cr, &sy)),
                plus(product(&srsp, &sy), product(&cr, &cy)),
                product(&sr, &cp),
            ],
            [
                plus(product(&crsp, &cy), product(&sr, &sy)),
                plus(product(&crsp, &sy), -product(&sr, &cy)),
                product(&cr, &cp),
            ],
        ]
    }

    /// Force and moment of a thrust along an axis.
    pub(super) fn load(&self, along: &[Formula; 3], thrust: &Formula) -> [Formula; 6] {
        let [x, y, z] = scaled(along, thrust);
        // The arm is turned with the axis, once, so that what is constant is one factor.
        let [l, m, n] = scaled(&cross(&self.arm.map(Into::into), along), thrust);
        [x, y, z, l, m, n]
    }
}
