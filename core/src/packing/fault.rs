//! Faults of ellipsoids, in words for the author of the file.

use std::fmt;

use crate::query::{Ellipsoid, MAX_ASPECT, MIN_ROTATION};
use crate::scene::LIMITS;

/// The longest quaternion that [`Ellipsoid::is_valid`] allows.
const MAX_ROTATION: f64 = 1e30;

/// The numbers of an ellipsoid, as tables name them: centre, semi-axes, quaternion.
pub const ELLIPSOID_FIELDS: [&str; 10] = ["x", "y", "z", "s1", "s2", "s3", "qw", "qx", "qy", "qz"];

/// A number that makes an ellipsoid invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// Which number, as an index in [`ELLIPSOID_FIELDS`]; for a quaternion the first.
    pub field: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Coordinate(f64),
    SemiAxis(f64),
    Aspect { least: f64, most: f64 },
    Rotation { length: f64 },
}

impl Fault {
    /// The first fault of an ellipsoid; `None` for a valid one ([`Ellipsoid::is_valid`]).
    #[must_use]
    pub fn of(ellipsoid: &Ellipsoid) -> Option<Self> {
        let Ellipsoid { center, semi_axes, rotation } = *ellipsoid;
        let fault = |field, kind| Some(Self { field, kind });
        // Comparisons that NaN does not pass.
        let within = |coordinate: &f64| coordinate.abs() <= LIMITS.magnitude;
        if let Some(axis) = (0..3).find(|&axis| !within(&center[axis])) {
            return fault(axis, Kind::Coordinate(center[axis]));
        }
        let lengths = 1.0 / LIMITS.magnitude..=LIMITS.magnitude;
        if let Some(axis) = (0..3).find(|&axis| !lengths.contains(&semi_axes[axis])) {
            return fault(3 + axis, Kind::SemiAxis(semi_axes[axis]));
        }
        let (least, most) = (semi_axes.min_element(), semi_axes.max_element());
        if most > MAX_ASPECT * least {
            return fault(3 + semi_axes.min_position(), Kind::Aspect { least, most });
        }
        let squares = MIN_ROTATION * MIN_ROTATION..=MAX_ROTATION * MAX_ROTATION;
        if !squares.contains(&rotation.length_squared()) {
            return fault(6, Kind::Rotation { length: rotation.length() });
        }
        None
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = LIMITS.magnitude;
        match self.kind {
            Kind::Coordinate(value) => {
                write!(f, "a coordinate of {value:e} m: must be at most {limit:e} m in magnitude")
            }
            Kind::SemiAxis(value) => {
                // The quotient is the next number above 1e-60.
                write!(f, "a semi-axis of {value:e} m: must be above {:.0e} and at most {limit:e} m", 1.0 / limit)
            }
            Kind::Aspect { least, most } => write!(
                f,
                "a semi-axis of {least:e} m beside one of {most:e} m: none may be more than {MAX_ASPECT:e} times another"
            ),
            Kind::Rotation { length } => {
                write!(f, "a quaternion of length {length:e}: must be from {MIN_ROTATION:e} to {MAX_ROTATION:e}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};
    use proptest::prelude::*;

    use super::*;

    /// Numbers that are good, and some that are not.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            6 => 0.1f64..10.0,
            1 => prop::sample::select(vec![
                0.0, -1.0, 1e-9, 1e9, 1e-31, 1e31, 1e-61, 1e61, f64::NAN, f64::INFINITY, f64::NEG_INFINITY,
            ]),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn an_ellipsoid_has_a_fault_when_it_is_not_valid_and_only_then(n in prop::collection::vec(number(), 10)) {
            let ellipsoid = Ellipsoid {
                center: DVec3::new(n[0], n[1], n[2]),
                semi_axes: DVec3::new(n[3], n[4], n[5]),
                rotation: DQuat::from_xyzw(n[6], n[7], n[8], n[9]),
            };
            prop_assert_eq!(Fault::of(&ellipsoid).is_none(), ellipsoid.is_valid(), "{:?}", ellipsoid);
        }
    }

    #[test]
    fn limits_are_those_that_messages_name() {
        let ball = |radius| Ellipsoid::ball(DVec3::ZERO, radius);
        let turned = |length| Ellipsoid { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, length), ..ball(1.0) };
        for (good, bad) in [
            (ball(1e-60_f64.next_up()), ball(1e-60)),
            (ball(1e60), ball(1e60_f64.next_up())),
            (turned(1.000_001e-6), turned(0.999_999e-6)),
            (turned(0.999_999e30), turned(1.000_001e30)),
        ] {
            assert!(Fault::of(&good).is_none() && good.is_valid(), "{good:?}");
            assert!(Fault::of(&bad).is_some() && !bad.is_valid(), "{bad:?}");
        }
    }

    #[test]
    fn a_fault_names_field_value_and_what_is_allowed() {
        let ball = Ellipsoid::ball(DVec3::ZERO, 1.0);
        let told = |ellipsoid| {
            let fault = Fault::of(&ellipsoid).unwrap();
            (ELLIPSOID_FIELDS[fault.field], fault.to_string())
        };
        let (field, text) = told(Ellipsoid { semi_axes: DVec3::new(1.0, 0.0, 1.0), ..ball });
        assert_eq!((field, text.as_str()), ("s2", "a semi-axis of 0e0 m: must be above 1e-60 and at most 1e60 m"));
        let (field, text) = told(Ellipsoid { semi_axes: DVec3::new(1.0, 1.0, 1e-9), ..ball });
        assert_eq!(field, "s3");
        assert!(text.contains("beside one of 1e0 m: none may be more than 1e8 times"), "{text}");
        let (field, text) = told(Ellipsoid { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..ball });
        assert_eq!((field, text.as_str()), ("qw", "a quaternion of length 0e0: must be from 1e-6 to 1e30"));
        let (field, text) = told(Ellipsoid { center: DVec3::new(0.0, 0.0, f64::NAN), ..ball });
        assert_eq!((field, text.as_str()), ("z", "a coordinate of NaN m: must be at most 1e60 m in magnitude"));
    }

    #[test]
    fn a_fault_is_an_error_like_any_other() {
        let fault = Fault::of(&Ellipsoid::ball(DVec3::ZERO, 0.0)).unwrap();
        let error: Box<dyn std::error::Error> = Box::new(fault);
        assert_eq!(error.to_string(), fault.to_string());
    }
}
