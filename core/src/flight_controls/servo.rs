//! Actuators and sensors.

use super::component::{Actuator, Quantization, Sensor};
use super::lowering::{Formula, Lowering};
use super::output::within;
use super::scale::deadband;
use crate::function::Operation;

/// What an actuator with hysteresis keeps is called so, after its own name.
pub(crate) const AFTER_HYSTERESIS: &str = "after hysteresis";

/// Lag, limits of the rate and hysteresis let an actuator's input pass in its first step.
pub(super) fn actuator(lowering: &mut Lowering, actuator: &Actuator) -> Formula {
    let Actuator { input, lag, rise, fall, deadband: width, hysteresis, bias } = actuator;
    let mut output = lowering.keep("input", input.clone());
    if let Some(lag) = lag {
        let lagged = lagged(lowering, &output, lag.clone());
        let lagged = lowering.after_first(lagged, output.clone());
        output = remembered(lowering, output, lagged);
    }
    if rise.is_some() || fall.is_some() {
        let before = lowering.before("limited");
        let mut limited = output.clone();
        if let Some(fall) = fall {
            let most = lowering.keep("most of a fall", fall.clone() * lowering.dt.clone());
            limited = Formula::made(Operation::Maximum, [limited, before.clone() - most]);
        }
        if let Some(rise) = rise {
            let most = lowering.keep("most of a rise", rise.clone() * lowering.dt.clone());
            limited = Formula::made(Operation::Minimum, [limited, before + most]);
        }
        let limited = lowering.after_first(limited, output);
        output = lowering.keep("limited", limited);
    }
    if *width != 0.0 {
        output = deadband(lowering, &output, (*width).into(), 1.0);
    }
    if *hysteresis != 0.0 {
        let output_before = lowering.before(AFTER_HYSTERESIS);
        let moved = lowering.keep("before hysteresis", output);
        let half = 0.5 * hysteresis;
        let held = within(output_before, moved.clone() - half, moved.clone() + half);
        let held = lowering.after_first(held, moved);
        output = lowering.keep(AFTER_HYSTERESIS, held);
    }
    if *bias == 0.0 { output } else { output + *bias }
}

/// A sensor's signal up to its delay.
pub(super) fn sensed(lowering: &mut Lowering, sensor: &Sensor) -> Formula {
    let Sensor { input, lag, drift_rate, gain, bias, quantization: _ } = sensor;
    let mut output = lowering.keep("input", input.clone());
    if *lag != 0.0 {
        let lagged = lagged(lowering, &output, (*lag).into());
        output = remembered(lowering, output, lagged);
    }
    if *drift_rate != 0.0 {
        let change = lowering.keep("change of drift", lowering.dt.clone() * *drift_rate);
        let drift = lowering.before("drift") + change;
        output = output + lowering.keep("drift", drift);
    }
    if *gain != 0.0 {
        output = output * *gain;
    }
    if *bias == 0.0 { output } else { output + *bias }
}

/// The steps of a sensor's output.
pub(super) fn quantized(lowering: &mut Lowering, sensor: &Sensor, output: Formula) -> Formula {
    let Some(Quantization { range: [low, high], steps, counted }) = &sensor.quantization else {
        return output;
    };
    let size = (high - low) / steps;
    let count = (within(output, (*low).into(), (*high).into()) - *low) / size;
    let count = lowering.keep("step number", count.by(Operation::Integer));
    if let Some(name) = counted {
        lowering.set(name, count.clone());
    }
    count * size + *low
}

/// A lag's output of its input now and of both before.
fn lagged(lowering: &mut Lowering, input: &Formula, lag: Formula) -> Formula {
    let turn = lag * lowering.dt.clone();
    let divisor = lowering.keep("divisor", Formula::from(2.0) + turn.clone());
    let new = lowering.keep("input weight", turn.clone() / divisor.clone());
    let old = lowering.keep("output weight", (Formula::from(2.0) - turn) / divisor);
    new * (input.clone() + lowering.before("lag input before")) + old * lowering.before("lag output")
}

/// Keeps what a lag needs of this step.
fn remembered(lowering: &mut Lowering, input: Formula, output: Formula) -> Formula {
    let output = lowering.keep("lag output", output);
    lowering.keep("lag input before", input);
    output
}
