//! Numbers of functions, which may be infinite or none: WGSL need know neither infinity nor NaN.

/// Numbers of functions from here on are infinite on a device: no property of an aircraft comes near.
pub(in crate::gpu) const BEYOND: f64 = 1e30;
/// What stands for infinity.
pub(in crate::gpu) const INFINITE: f64 = 3.0e38;
/// What stands for a number that is none, where no flag of its own can go along.
pub(in crate::gpu) const UNDEFINED: f64 = 3.3e38;
/// From here on a number is none.
pub(in crate::gpu) const LEAST_UNDEFINED: f64 = 3.2e38;

/// As a device holds it.
pub(in crate::gpu) fn narrowed(number: f64) -> f32 {
    match number {
        number if number.is_nan() => UNDEFINED as f32,
        number if number.abs() >= BEYOND => INFINITE.copysign(number) as f32,
        number => number as f32,
    }
}

/// What a device's number stands for.
pub(in crate::gpu) fn widened(number: f32) -> f64 {
    match f64::from(number) {
        number if number.is_nan() || number.abs() >= LEAST_UNDEFINED => f64::NAN,
        number if number.abs() >= BEYOND => f64::INFINITY.copysign(number),
        number => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_infinite_or_none_goes_there_and_back_as_finite_numbers() {
        for number in [0.0, -2.5, 1e20, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(narrowed(number).is_finite());
            let back = widened(narrowed(number));
            assert!(back == number || (back - number).abs() <= 1e-7 * number.abs(), "{number} {back}");
        }
        assert!(narrowed(f64::NAN).is_finite() && widened(narrowed(f64::NAN)).is_nan());
    }
}
