//! Steps that engines are asked about.

use super::{Class, DrivenVehicles};
use crate::encounter::driven::{BAND, COURSE_NUMBERS, Course, Drive, DrivenFrame, Motion};
use crate::encounter::{ContactFunction, common_scaling};
use crate::query::{Chassis, ContactModel, DrivenEncounter, DrivenStep, Encounter};
use crate::validation::answered::Drawn;
use crate::validation::drawn::DrawnItem;
use crate::validation::draws::{Draws, Purpose};

/// The question of an item.
pub(super) fn drawn(item: &DrawnItem<DrivenVehicles>) -> Drawn<DrivenStep> {
    let DrawnItem { class, seed, number } = *item;
    let mut draws = Draws::new(seed, Purpose::DrivenEncounter, number);
    let drive = drive(class, &mut draws);
    let mut course = course(class, &drive, &mut draws);
    let square = {
        let headings = course.motions.map(|motion| motion.heading);
        common_scaling(&ContactFunction::new(headings, drive.semi_axes, course.apart)).square
    };
    let distance = course.apart[0].hypot(course.apart[1]) / square.sqrt();
    let drift: [f64; 2] = std::array::from_fn(|k| course.motions[1].velocity[k] - course.motions[0].velocity[k]);
    let step = drift[0].hypot(drift[1]) * drive.step / distance;
    let factor = match class {
        Class::Driving => draws.between(1.05, 4.0),
        Class::Touching | Class::Sizes => 1.0 + 0.5 * BAND * draws.between(-0.9, 0.9),
        Class::Landing => 1.0 + BAND + step * draws.unit(),
        Class::Overlapping => draws.between(0.7, 1.0),
        Class::Borders => 1.0 + [0.0, 0.5 * BAND][draws.index(2)] + draws.sign() * draws.power_of_ten(-9.0, -4.0),
    };
    course.apart = course.apart.map(|part| part * factor / square.sqrt());
    Drawn { item: DrivenStep { drive, course }, made_to_touch: class == Class::Borders }
}

/// What holds.
fn drive(class: Class, draws: &mut Draws) -> Drive<f64> {
    let any_size = class == Class::Sizes;
    let sides = if any_size {
        let size = draws.power_of_ten(-1.0, 1.5);
        [0; 3].map(|_| size * draws.power_of_ten(-0.6, 0.6))
    } else {
        [draws.between(3.0, 8.0), draws.between(1.5, 2.6), draws.between(1.3, 3.5)]
    };
    let [length, width, height] = sides;
    let (least, long) = (length.min(width).min(height), length.max(width));
    let mass = if any_size { draws.power_of_ten(-2.0, 8.0) } else { draws.between(700.0, 4000.0) };
    let inertia = if any_size { draws.power_of_ten(-2.0, 0.0) } else { draws.between(0.05, 0.3) };
    let friction = if any_size { draws.power_of_ten(-2.0, 0.5) } else { draws.between(0.0, 0.8) };
    let encounter = Encounter {
        sides,
        radius: least * 0.5 * draws.power_of_ten(-1.5, 0.0),
        mass,
        yaw_inertia: inertia * mass * long * long,
        restitution: draws.unit(),
        friction,
        contact: ContactModel::ALL[draws.index(2)],
        ..Encounter::of_numbers([0.0; 16], ContactModel::Box)
    };
    let chassis = Chassis {
        axles: [draws.between(0.2, 0.4) * length, draws.between(0.2, 0.4) * length],
        half_track: draws.between(0.3, 0.5) * width,
        cornering_stiffness: mass * draws.between(0.0, 100.0),
        tyre_lag: draws.power_of_ten(-3.5, -0.5),
    };
    let steering = [draws.between(-0.5, 0.5), draws.between(-0.5, 0.5)];
    let step = draws.power_of_ten(-3.3, -2.3);
    DrivenFrame::new(&DrivenEncounter { encounter, chassis, steering, step, horizon: 2.0 }).1
}

/// How far they have come; the distance is chosen later.
fn course(class: Class, drive: &Drive<f64>, draws: &mut Draws) -> Course<f64> {
    let unit = |angle: f64| [angle.cos(), angle.sin()];
    let size = drive.semi_axes[0].max(drive.semi_axes[1]);
    let turn = if draws.index(3) == 0 { draws.between(-0.2, 0.2) } else { draws.between(-3.2, 3.2) };
    let heading = draws.between(-3.2, 3.2);
    let direction = unit(draws.between(-3.2, 3.2));
    // In lengths of the vehicle.
    let fast = size * draws.power_of_ten(-1.0, 1.3);
    let motions = [heading, heading + turn].map(|angle| {
        let (along, aside) = (fast * draws.between(-0.2, 1.0), fast * draws.between(-0.2, 0.2));
        let [cos, sin] = unit(angle);
        let full = drive.gear[0].stiffness;
        Motion {
            heading: [cos, sin],
            turned: draws.between(-3.0, 3.0),
            velocity: [along * cos - aside * sin, along * sin + aside * cos],
            yaw_rate: draws.between(-3.0, 3.0),
            tyres: [0; 4].map(|_| full * draws.between(-0.5, 0.5)),
        }
    });
    let mut numbers = [0.0; COURSE_NUMBERS];
    if draws.index(2) == 0 {
        // An impact lies behind them.
        for number in &mut numbers[26..47] {
            *number = draws.between(0.1, 2.0);
        }
        numbers[25] = 2.0;
    }
    // Of some the end is within the step.
    let left = if draws.index(8) == 0 { drive.step * draws.between(0.1, 2.0) } else { draws.between(0.05, 2.0) };
    let mut course = Course { time: drive.until - left, motions, ..Course::of_numbers(numbers) };
    course.apart = direction.map(|part| part * size);
    course.way = [size * draws.between(-20.0, 20.0), size * draws.between(-20.0, 20.0)];
    if class != Class::Driving && draws.index(4) > 0 {
        // Towards each other.
        let towards = fast * draws.between(0.1, 1.0);
        let of_a = course.motions[0].velocity;
        course.motions[1].velocity = std::array::from_fn(|k| of_a[k] - towards * direction[k]);
    }
    course
}
