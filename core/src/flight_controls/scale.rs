//! Components without memory.

use super::component::SurfaceScale;
use super::lowering::{Formula, Lowering};
use super::output::within;
use crate::function::Operation;

/// By the slopes of a domain and a range.
pub(super) fn surface_scale(lowering: &mut Lowering, surface: &SurfaceScale) -> Formula {
    let SurfaceScale { input, domain: [low, high], range: [lowest, highest], is_zero_centered, gain } = surface;
    let output = if *is_zero_centered {
        let x = lowering.keep("input", input.clone());
        let above = slope(x.clone(), *high, *highest);
        let below = slope(x.clone(), *low, *lowest);
        // 0 stays 0 even where the domain ends there.
        let below = if *low == 0.0 { x.clone().less(0.0).choose(below, 0.0) } else { below };
        Formula::from(0.0).less(x).choose(above, below)
    } else {
        Formula::from(*lowest) + (input.clone() - *low) / (high - low) * (highest - lowest)
    };
    if *gain == Formula::Value(1.0) { output } else { output * gain.clone() }
}

/// x / end * value.
fn slope(x: Formula, end: f64, value: f64) -> Formula {
    if end.abs() == 1.0 { x * (value * end) } else { x / end * value }
}

/// What is beyond a band about 0.
pub(super) fn deadband(lowering: &mut Lowering, input: &Formula, width: Formula, gain: f64) -> Formula {
    let x = lowering.keep("in deadband", input.clone());
    let half = lowering.keep("half width", width * 0.5);
    let below = (x.clone() + half.clone()) * gain;
    let above = (x.clone() - half.clone()) * gain;
    let from_centre = half.clone().less(x.clone()).choose(above, 0.0);
    x.less(half * -1.0).choose(below, from_centre)
}

/// From one angle to another, the short way round.
pub(super) fn angle(lowering: &mut Lowering, source: &Formula, target: &Formula, scale: f64) -> Formula {
    let mut part = |what: &str, angle: &Formula, operation| lowering.keep(what, angle.clone().by(operation));
    let [x1, y1] = [part("x 1", source, Operation::Cosine), part("y 1", source, Operation::Sine)];
    let [x2, y2] = [part("x 2", target, Operation::Cosine), part("y 2", target, Operation::Sine)];
    let cosine = within(x1.clone() * x2.clone() + y1.clone() * y2.clone(), (-1.0).into(), 1.0.into());
    let turn = lowering.keep("turn", cosine.by(Operation::ArcCosine));
    let is_right = Formula::made(Operation::GreaterOrEqual, [x1 * y2, x2 * y1]);
    is_right.choose(turn.clone() * scale, turn * -scale)
}
