//! Cars at rest on their springs.

use super::model::CarModel;

/// How a car stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equilibrium {
    /// Of the centre of mass over the ground \[m\].
    pub height: f64,
    /// Sine of the pitch, positive with the nose down.
    pub nose_down: f64,
    /// Load of each front and each rear wheel \[N\].
    pub loads: [f64; 2],
}

/// How a car stands on level ground. The springs carry its weight and balance its moment:
///
/// ```text
/// 2 C1 d1 + 2 C2 d2 = m g,    L1 C1 d1 = L2 C2 d2,    z1 = l - d1, z2 = l - d2
/// ```
///
/// with the assembly points at z1 and z2, so that the centre of mass, `drops` above their line, is where that line says. Of the
/// drops only what is along z counts, to the first order of the pitch.
#[must_use]
pub fn equilibrium(model: &CarModel, gravity: f64) -> Equilibrium {
    let [front, rear] = model.axles;
    let base = front + rear;
    let weight = 0.5 * model.mass * gravity;
    let loads = [weight * rear / base, weight * front / base];
    let heights = [0, 1].map(|axle| model.spring_length - loads[axle] / model.stiffness[axle] + model.drops[axle]);
    Equilibrium {
        height: (heights[0] * rear + heights[1] * front) / base,
        nose_down: (heights[1] - heights[0]) / base,
        loads,
    }
}
