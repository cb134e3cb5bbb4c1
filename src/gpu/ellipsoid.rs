//! Job `ellipsoid` on a device.
//!
//! A pair takes 80 bytes up and 48 down, an ellipsoid with its wall 48 and 16. The host adds what needs f64: the
//! position of the centre, the distance of the wall, F from mu. Cases that f32 cannot represent (semi-axes of 1e5 to 1,
//! say), concentric pairs and pairs that almost touch, all of them rare, are computed on the host.
//!
//! # Conventions
//! As in [`crate::query::EllipsoidPair`].

use glam::DVec3;

use super::items::ClosedForm;
use super::shader::{unsigned, upper};
use super::wire::{ContactWord, PairAnswer, PairWire, Scale, Structure, WallAnswer, WallWire};
use crate::ellipsoid_contact::{pair_contact, wall_contact};
use crate::query::{
    ContactStatus, EllipsoidContact, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls, WallContact,
};

/// Pairs this close to touching, times one plus a tenth of the aspect ratio, are recomputed on the host: whether they
/// overlap is decided in f64. The kernel's error of mu is a tenth of that, as measured up to aspect ratios of 10,000.
const UNDECIDED: f64 = 1e-5;

const ROTATION: &str = include_str!("../../shaders/ellipsoid.wgsl");

impl ClosedForm for EllipsoidPairs {
    type Wire = PairWire;
    type AnswerWire = PairAnswer;
    const FUNCTION: &'static str = "ellipsoid_pair";

    fn library() -> String {
        let word = |word: ContactWord| unsigned(&format!("CONTACT_{}", upper(&format!("{word:?}"))), word as u32);
        [
            &ContactWord::ALL.map(word).concat(),
            &PairWire::declaration(),
            &PairAnswer::declaration(),
            ROTATION,
            include_str!("../../shaders/ellipsoid_pair.wgsl"),
        ]
        .concat()
    }

    fn pack(pair: &EllipsoidPair) -> PairWire {
        Scale::of_pair(pair).map_or(PairWire::NONE, |scale| PairWire::new(pair, scale.unit))
    }

    fn decode(pair: &EllipsoidPair, answer: &PairAnswer) -> Option<EllipsoidContact> {
        contact_of_pair(pair, answer)
    }
}

impl ClosedForm for EllipsoidWalls {
    type Wire = WallWire;
    type AnswerWire = WallAnswer;
    const FUNCTION: &'static str = "ellipsoid_wall";

    fn library() -> String {
        let wall = include_str!("../../shaders/ellipsoid_wall.wgsl");
        [&WallWire::declaration(), &WallAnswer::declaration(), ROTATION, wall].concat()
    }

    fn pack(wall: &EllipsoidWall) -> WallWire {
        Scale::of_wall(wall).map_or(WallWire::NONE, |scale| WallWire::new(wall, scale.unit))
    }

    fn decode(wall: &EllipsoidWall, answer: &WallAnswer) -> Option<WallContact> {
        contact_of_wall(wall, answer)
    }
}

/// `None` if the device wrote anything invalid.
fn contact_of_pair(pair: &EllipsoidPair, answer: &PairAnswer) -> Option<EllipsoidContact> {
    let Some(Scale { unit, aspect }) = Scale::of_pair(pair) else {
        return Some(pair_contact(pair));
    };
    match ContactWord::ALL.into_iter().find(|&word| word as u32 == answer.status)? {
        ContactWord::Concentric => Some(pair_contact(pair)),
        ContactWord::NotConverged => Some(EllipsoidContact::none(ContactStatus::NotConverged)),
        ContactWord::Found => {
            let mu = f64::from(answer.mu);
            if (mu - 1.0).abs() <= UNDECIDED * (1.0 + 0.1 * aspect) {
                return Some(pair_contact(pair));
            }
            let normal = wide(answer.normal).try_normalize()?;
            let point = unit * wide(answer.point);
            let separation = unit * f64::from(answer.separation);
            (mu.is_finite() && point.is_finite() && separation.is_finite()).then(|| EllipsoidContact {
                status: ContactStatus::Ok,
                f: mu * mu,
                mu,
                lambda: f64::from(answer.lambda),
                normal,
                point: pair.a.center + point,
                separation,
                iterations: answer.rounds,
            })
        }
    }
}

/// `None` if the device wrote anything invalid.
fn contact_of_wall(wall: &EllipsoidWall, answer: &WallAnswer) -> Option<WallContact> {
    let Some(Scale { unit, .. }) = Scale::of_wall(wall) else {
        return Some(wall_contact(wall));
    };
    let (width, deepest) = (unit * f64::from(answer.width), unit * wide(answer.deepest));
    let length = wall.normal.length();
    let height = -wall.offset_from_center() / length;
    (width > 0.0 && width.is_finite() && deepest.is_finite()).then(|| WallContact {
        status: ContactStatus::Ok,
        mu: height / width,
        normal: -wall.normal / length,
        point: wall.ellipsoid.center + deepest,
        separation: height - width,
    })
}

fn wide(vector: [f32; 3]) -> DVec3 {
    DVec3::from_array(vector.map(f64::from))
}

#[cfg(test)]
mod tests;
