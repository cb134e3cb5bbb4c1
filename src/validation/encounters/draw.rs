//! Encounters that engines are asked about.

use super::{Class, MeetingVehicles};
use crate::query::{ContactModel, Encounter, SIDES_OVER_SEMI_AXES};
use crate::validation::answered::Drawn;
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<MeetingVehicles>) -> Drawn<Encounter> {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::Encounter, number);
    let contact = ContactModel::ALL[draws.index(2)];
    let [length, width, height] = sides(class, &mut draws);
    let least = length.min(width).min(height);
    let radius = least * 0.5 * draws.power_of_ten(-1.5, 0.0);
    let mass = if class == Class::Sizes { draws.power_of_ten(-2.0, 8.0) } else { draws.between(700.0, 4000.0) };
    let inertia = match class {
        // Little inertia couples slip to the normal impulse.
        Class::Friction => draws.power_of_ten(-2.5, -1.0),
        _ => draws.between(0.05, 0.3),
    };
    let yaw_inertia = inertia * mass * length.max(width) * length.max(width);
    let friction = if class == Class::Friction { draws.power_of_ten(-2.0, 0.5) } else { draws.between(0.0, 0.8) };
    let tail = [length, width, height, radius, mass, yaw_inertia, draws.unit(), friction];

    let turn = match class {
        Class::Traffic => draws.between(-0.2, 0.2) * [0.0, 1.0][draws.index(2)],
        _ => draws.between(-3.2, 3.2),
    };
    let heading = draws.between(-3.2, 3.2);
    let speeds = [draws.between(25.0, 35.0), draws.between(5.0, 24.0)];
    let size = length.max(width);
    let (ahead, aside) = match class {
        Class::Overlapping => (draws.between(-1.0, 1.0), draws.between(-1.0, 1.0)),
        _ => (draws.between(1.5, 4.0), draws.between(-0.6, 0.6)),
    };
    let (cos, sin) = (heading.cos(), heading.sin());
    let place = [size * (ahead * cos - aside * sin), size * (ahead * sin + aside * cos)];
    let at = draws.between(-100.0, 100.0);
    let head = [at, -at, heading, speeds[0], at + place[0], place[1] - at, heading + turn, speeds[1]];
    let numbers = std::array::from_fn(|number| if number < 8 { head[number] } else { tail[number - 8] });
    let item = Encounter::of_numbers(numbers, contact);
    if class == Class::Grazes {
        let item = grazing(item, &mut draws);
        return Drawn { item, made_to_touch: true };
    }
    Drawn { item, made_to_touch: false }
}

fn sides(class: Class, draws: &mut Draws) -> [f64; 3] {
    if class != Class::Sizes {
        return [draws.between(3.0, 8.0), draws.between(1.5, 2.6), draws.between(1.3, 3.5)];
    }
    let size = draws.power_of_ten(-1.0, 1.5);
    [0; 3].map(|_| size * draws.power_of_ten(-0.6, 0.6))
}

/// The same headings and speeds, with the second vehicle moved so that both hardly touch, or hardly miss.
fn grazing(item: Encounter, draws: &mut Draws) -> Encounter {
    let [a, b] = item.vehicles;
    let velocity = |yaw: f64, speed: f64| [speed * yaw.cos(), speed * yaw.sin()];
    let [va, vb] = [velocity(a.yaw, a.speed), velocity(b.yaw, b.speed)];
    let relative = [vb[0] - va[0], vb[1] - va[1]];
    let speed = relative[0].hypot(relative[1]);
    let along = [relative[0] / speed, relative[1] / speed];
    let semi_axes = [item.sides[0] / SIDES_OVER_SEMI_AXES, item.sides[1] / SIDES_OVER_SEMI_AXES];
    let width = |yaw: f64| {
        let across = [-along[1], along[0]];
        let (cos, sin) = (yaw.cos(), yaw.sin());
        let local = [across[0] * cos + across[1] * sin, across[1] * cos - across[0] * sin];
        (semi_axes[0] * local[0]).hypot(semi_axes[1] * local[1])
    };
    let offset = draws.sign() * (width(a.yaw) + width(b.yaw)) * (1.0 + draws.sign() * draws.power_of_ten(-9.0, -2.0));
    let behind = -draws.between(1.0, 3.0) * item.sides[0].max(item.sides[1]) * 2.0;
    let mut item = item;
    item.vehicles[1].position.x = a.position.x + behind * along[0] - offset * along[1];
    item.vehicles[1].position.y = a.position.y + behind * along[1] + offset * along[0];
    item
}
