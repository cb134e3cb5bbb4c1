//! Random particles.

use super::{Class, FallingParticles};
use crate::query::{MIN_GAMMA, Particle};
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};

/// A question.
pub(super) struct Drawn {
    pub particle: Particle,
    pub made_to_touch: bool,
}

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<FallingParticles>) -> Drawn {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::Particle, number);
    let particle = ordinary(&mut draws);
    match class {
        Class::Ordinary => Drawn { particle, made_to_touch: false },
        Class::Resting => resting(&mut draws, particle),
        Class::Elastic => {
            Drawn { particle: Particle { gamma: 0.5, steps: steps(&mut draws, 24), ..particle }, made_to_touch: false }
        }
        Class::Lively => {
            let gamma = draws.between(0.05, 0.5);
            Drawn { particle: Particle { gamma, steps: steps(&mut draws, 12), ..particle }, made_to_touch: false }
        }
        Class::Grazing => grazing(&mut draws, particle, particle.gamma),
        Class::Sizes => sizes(&mut draws, particle),
        Class::Exact => match draws.index(8) {
            0 => resting(&mut draws, particle),
            1 => grazing(&mut draws, particle, 0.5),
            2 => sizes(&mut draws, particle),
            3 => Drawn { particle: Particle { gamma: draws.between(0.1, 0.5), ..particle }, made_to_touch: false },
            _ => Drawn { particle, made_to_touch: false },
        },
    }
}

fn steps(draws: &mut Draws, most: usize) -> u32 {
    1 + draws.index(most) as u32
}

/// A particle of a kilogram or so, some decimetres or metres above the plane.
fn ordinary(draws: &mut Draws) -> Particle {
    Particle {
        position: draws.unit() * draws.power_of_ten(-2.0, 0.5),
        velocity: draws.between(-4.0, 4.0),
        step: draws.power_of_ten(-2.0, -0.5),
        mass: draws.power_of_ten(-1.0, 1.0),
        gravity: draws.between(1.0, 20.0),
        gamma: draws.between(0.5, 1.0),
        steps: steps(draws, 32),
    }
}

/// Nearly inelastic, and often on the plane from the start.
fn resting(draws: &mut Draws, particle: Particle) -> Drawn {
    let loss = [0.0, draws.power_of_ten(-9.0, -1.0), draws.unit() * 0.1][draws.index(3)];
    let on_plane = draws.index(2) == 0;
    let particle = Particle {
        position: if on_plane { 0.0 } else { 0.1 * particle.position },
        velocity: if on_plane { 0.1 * particle.velocity } else { particle.velocity },
        gamma: 1.0 - loss,
        steps: steps(draws, 200),
        ..particle
    };
    Drawn { particle, made_to_touch: false }
}

/// Starts so high that a step ends at the plane: the sum of so many steps is `k h v - h^2 g (k (k - 1) / 2 + k share)`.
fn grazing(draws: &mut Draws, particle: Particle, share: f64) -> Drawn {
    let Particle { step, gravity, .. } = particle;
    let k = f64::from(steps(draws, 6));
    let drop = step * step * gravity;
    let velocity = -particle.velocity.abs() - if k > 1.0 { 0.0 } else { step * gravity };
    let fall = drop * (0.5 * k * (k - 1.0) + k * share) - k * step * velocity;
    let aside = [0.0, draws.sign() * draws.power_of_ten(-9.0, -5.0)][draws.index(2)];
    let particle = Particle { position: fall * (1.0 + aside), velocity, steps: k as u32 + steps(draws, 3), ..particle };
    Drawn { particle, made_to_touch: true }
}

/// Numbers of any size, and some that are 0.
fn sizes(draws: &mut Draws, particle: Particle) -> Drawn {
    let any = |draws: &mut Draws| if draws.index(6) == 0 { 0.0 } else { draws.power_of_ten(-29.0, 29.0) };
    let (length, step) = (draws.power_of_ten(-20.0, 20.0), draws.power_of_ten(-9.0, 9.0));
    // Half of them so that all parts of a step count.
    let balanced = draws.index(2) == 0;
    let particle = Particle {
        position: if balanced { length * draws.unit() } else { any(draws) },
        velocity: draws.sign() * if balanced { length / step * draws.unit() } else { any(draws) },
        step,
        mass: draws.power_of_ten(-29.0, 29.0),
        gravity: if balanced { (length / (step * step) * draws.unit()).min(1e30) } else { any(draws) },
        gamma: if draws.index(8) == 0 { draws.between(MIN_GAMMA, 0.01) } else { particle.gamma },
        steps: steps(draws, 6),
    };
    // What is 0 but for rounding is touched by it.
    let made_to_touch = !balanced;
    Drawn { particle, made_to_touch }
}
