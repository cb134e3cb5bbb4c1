use super::*;
use crate::friction::drawn::Random;

const STOPPING: Stopping = Stopping { sweeps: 10_000, tolerance: 1e-12 };

/// Free bodies, of 0.1 to 10 kg, before a fixed one.
fn bodies(random: &mut Random, count: usize) -> (Vec<BodyMass>, Vec<BodyVelocity>) {
    let mut masses = vec![BodyMass::FIXED];
    let mut velocities = vec![BodyVelocity::default()];
    for _ in 0..count {
        let inverse_mass = 10f64.powf(random.next());
        let factor = DMat3::from_cols(random.vector(), random.vector(), random.vector());
        let inverse_inertia = (factor * factor.transpose() + DMat3::IDENTITY) * (2.5 * inverse_mass);
        masses.push(BodyMass { inverse_mass, inverse_inertia });
        velocities.push(BodyVelocity { linear: random.vector(), angular: random.vector() });
    }
    (masses, velocities)
}

fn contact(random: &mut Random, bodies: [usize; 2]) -> BodyContact {
    BodyContact {
        bodies,
        arms: [random.vector(), random.vector()],
        normal: random.vector().normalize(),
        friction: if random.next() > 0.5 { 0.0 } else { random.next().abs() },
        bias: 0.1 * random.vector(),
        impulse: 0.1 * random.vector(),
    }
}

/// Largest violation of Signorini's condition and Coulomb's law, each as it is written \[m/s, and N s times m/s\].
fn violation(contact: &BodyContact, velocities: &[BodyVelocity]) -> f64 {
    let [first, second] = [0, 1].map(|side| velocities[contact.bodies[side]].at(contact.arms[side]));
    let u = second - first + contact.bias;
    let (u_normal, r_normal) = (u.dot(contact.normal), contact.impulse.dot(contact.normal));
    let (u_tangential, r_tangential) = (u - u_normal * contact.normal, contact.impulse - r_normal * contact.normal);
    let against = u_tangential.length() * r_tangential + contact.friction * r_normal * u_tangential;
    [-u_normal, -r_normal, u_normal * r_normal, r_tangential.length() - contact.friction * r_normal, against.length()]
        .into_iter()
        .fold(0.0, f64::max)
}

#[test]
fn coulombs_law_and_the_balance_of_momentum_hold_among_many_bodies() {
    let mut random = Random(3);
    let mut solver = ContactSolver::default();
    let (mut worst, mut sweeps, mut states) = ([0.0f64; 2], 0, [0; 3]);
    for _ in 0..2000 {
        let count = 2 + (random.next().abs() * 6.0) as usize;
        let (masses, before) = bodies(&mut random, count);
        let mut contacts = Vec::new();
        for body in 0..count {
            let other = ((random.next().abs() * (body + 1) as f64) as usize).min(body);
            contacts.push(contact(&mut random, [other, body + 1]));
        }
        let mut after = before.clone();
        let outcome = solver.solve(&masses, &mut after, &mut contacts, STOPPING).unwrap();
        assert_eq!(outcome.status, Status::Solved, "{outcome:?}");
        sweeps = sweeps.max(outcome.sweeps);
        // M (v' - v) = J^T r, body by body.
        let mut expected = before;
        for contact in &contacts {
            worst[0] = worst[0].max(violation(contact, &after));
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let (body, impulse) = (contact.bodies[side], sign * contact.impulse);
                expected[body].linear += masses[body].inverse_mass * impulse;
                expected[body].angular += masses[body].inverse_inertia * contact.arms[side].cross(impulse);
            }
            let normal = contact.impulse.dot(contact.normal);
            let tangential = (contact.impulse - normal * contact.normal).length();
            states[if normal == 0.0 { 0 } else { 1 + usize::from(tangential < 0.999 * contact.friction * normal) }] +=
                1;
        }
        for (found, expected) in after.iter().zip(&expected) {
            let off = (found.linear - expected.linear).length().max((found.angular - expected.angular).length());
            worst[1] = worst[1].max(off);
        }
    }
    println!(
        "law {:e}, balance {:e}, at most {sweeps} sweeps, apart, sliding, sticking {states:?}",
        worst[0], worst[1]
    );
    // Residuals of 1e-12, times the velocities and impulses of up to some tens that they are multiplied with; roundings
    // of all sweeps.
    assert!(worst[0] <= 1e-10 && worst[1] <= 1e-11, "{worst:?}");
    assert!(states.iter().all(|count| *count >= 300), "{states:?}");
}

/// A block of 3 kg, 0.4 m long and wide and 0.2 m high, on a slope with its four corners; gravity has acted on it for
/// 10 ms.
fn on_slope(tangent: f64, friction: f64) -> (BodyVelocity, Outcome) {
    let angle = tangent.atan();
    let (across, along) = (DVec3::new(0.0, -angle.sin(), angle.cos()), DVec3::new(0.0, -angle.cos(), -angle.sin()));
    let inertia = DVec3::new(0.4 * 0.4 + 0.2 * 0.2, 0.4 * 0.4 + 0.2 * 0.2, 2.0 * 0.4 * 0.4) * (3.0 / 12.0);
    let axes = DMat3::from_cols(along, across.cross(along), across);
    let inverse_inertia = axes * DMat3::from_diagonal(1.0 / inertia) * axes.transpose();
    let masses = [BodyMass::FIXED, BodyMass { inverse_mass: 1.0 / 3.0, inverse_inertia }];
    let corner = |x: f64, y: f64| BodyContact {
        bodies: [0, 1],
        arms: [DVec3::ZERO, axes * DVec3::new(0.2 * x, 0.2 * y, -0.1)],
        normal: across,
        friction,
        bias: DVec3::ZERO,
        impulse: DVec3::ZERO,
    };
    let mut contacts = [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, -1.0), corner(1.0, 1.0)];
    let mut velocities = [BodyVelocity::default(), BodyVelocity { linear: DVec3::Z * -0.0981, angular: DVec3::ZERO }];
    let outcome = ContactSolver::default().solve(&masses, &mut velocities, &mut contacts, STOPPING).unwrap();
    let mut again = velocities;
    again[1].linear.z -= 0.0981;
    let warm = ContactSolver::with_capacity(4).solve(&masses, &mut again, &mut contacts, STOPPING).unwrap();
    println!("slope {tangent}, friction {friction}: {outcome:?}, then {} sweeps", warm.sweeps);
    // In the axes of the slope.
    let found = velocities[1];
    (BodyVelocity { linear: axes.transpose() * found.linear, angular: found.angular }, outcome)
}

#[test]
fn a_block_sticks_on_slopes_below_the_friction_and_slides_on_steeper_ones() {
    for friction in [0.0, 0.3, 0.8] {
        for tangent in [0.01, 0.29, 0.31, 0.79, 0.81] {
            let (velocity, outcome) = on_slope(tangent, friction);
            let cosine = 1.0 / (1.0f64 + tangent * tangent).sqrt();
            let expected = 0.0981 * cosine * (tangent - friction).max(0.0);
            assert_eq!(outcome.status, Status::Solved, "{friction} {tangent}");
            let off = (velocity.linear - DVec3::X * expected).length().max(velocity.angular.length());
            assert!(off <= 1e-10, "{friction} {tangent}: {velocity:?} {expected} {outcome:?}");
        }
    }
}

#[test]
fn a_skidding_ball_takes_five_sevenths_of_its_speed_into_rolling_if_it_is_pressed_enough() {
    let masses = [BodyMass::FIXED, BodyMass { inverse_mass: 1.0, inverse_inertia: DMat3::IDENTITY * 2.5 }];
    let pressed = |down: f64| {
        let mut velocities = [BodyVelocity::default(); 2];
        velocities[1].linear = DVec3::new(7.0, 0.0, -down);
        let mut contacts = [BodyContact {
            bodies: [1, 0],
            arms: [DVec3::NEG_Z, DVec3::ZERO],
            normal: DVec3::NEG_Z,
            friction: 0.5,
            bias: DVec3::ZERO,
            impulse: DVec3::ZERO,
        }];
        let outcome = ContactSolver::default().solve(&masses, &mut velocities, &mut contacts, STOPPING).unwrap();
        assert!(outcome.status == Status::Solved && outcome.sweeps == 2, "{outcome:?}");
        velocities[1]
    };
    // Rolling takes an impulse of 2, which a normal one of 4 allows.
    assert!((pressed(4.1).linear - DVec3::X * 5.0).length() <= 1e-14);
    assert!((pressed(4.1).angular - DVec3::Y * 5.0).length() <= 1e-14);
    assert!((pressed(2.0).linear - DVec3::X * 6.0).length() <= 1e-14);
    assert!((pressed(2.0).angular - DVec3::Y * 2.5).length() <= 1e-14);
}

#[test]
fn a_restitution_is_a_bias_and_sweeps_that_are_not_enough_say_so() {
    // A ball falls onto one that lies on the floor: half of its speed comes back, by sweeps that pass it on.
    let ball = BodyMass { inverse_mass: 1.0, inverse_inertia: DMat3::ZERO };
    let masses = [BodyMass::FIXED, ball, ball];
    let start = [DVec3::ZERO, DVec3::ZERO, DVec3::Z * -2.0].map(|linear| BodyVelocity { linear, angular: DVec3::ZERO });
    let contact = |bodies, speed| BodyContact {
        bodies,
        arms: [DVec3::ZERO; 2],
        normal: DVec3::Z,
        friction: 0.0,
        bias: DVec3::Z * speed,
        impulse: DVec3::ZERO,
    };
    let mut velocities = start;
    let mut contacts = [contact([0, 1], 0.0), contact([1, 2], -1.0)];
    let mut solver = ContactSolver::default();
    let outcome = solver.solve(&masses, &mut velocities, &mut contacts, STOPPING).unwrap();
    assert_eq!(outcome.status, Status::Solved);
    assert!((velocities[1].linear.z, velocities[2].linear.z - 1.0).0.abs() <= 1e-11, "{velocities:?}");
    assert!((velocities[2].linear.z - 1.0).abs() <= 1e-11 && (contacts[0].impulse.z - 3.0).abs() <= 1e-11);

    let (mut velocities, few) = (start, Stopping { sweeps: 2, tolerance: 1e-12 });
    contacts.iter_mut().for_each(|contact| contact.impulse = DVec3::ZERO);
    let outcome = solver.solve(&masses, &mut velocities, &mut contacts, few).unwrap();
    assert!(outcome.status == Status::NotConverged && outcome.sweeps == 2 && outcome.residual > 0.1, "{outcome:?}");
    // Nothing in contact is solved as it stands.
    let outcome = solver.solve(&masses, &mut velocities, &mut [], few).unwrap();
    assert_eq!(outcome, Outcome { status: Status::Solved, sweeps: 0, residual: 0.0 });
}

#[test]
fn what_is_no_contact_is_refused_by_number() {
    let mut random = Random(5);
    let (mut masses, velocities) = bodies(&mut random, 2);
    masses.push(BodyMass::FIXED);
    let right = contact(&mut random, [1, 2]);
    let refusal = |wrong: BodyContact| {
        let mut after = [velocities.clone(), vec![BodyVelocity::default()]].concat();
        let before = after.clone();
        let found = ContactSolver::default().solve(&masses, &mut after, &mut [right, wrong], STOPPING).unwrap_err();
        assert_eq!(after, before);
        found.to_string()
    };
    for bodies in [[1, 1], [1, 4]] {
        let found = refusal(BodyContact { bodies, ..right });
        assert_eq!(found, format!("contact 1: bodies {bodies:?}: must be two different ones of 4"));
    }
    let found = refusal(BodyContact { friction: -0.1, ..right });
    assert_eq!(found, "contact 1: friction: -1e-1 is not allowed: must be from 0 to 100");
    for wrong in [
        BodyContact { bodies: [0, 3], ..right },
        BodyContact { normal: DVec3::X * 1.1, ..right },
        BodyContact { normal: DVec3::NAN, ..right },
        BodyContact { arms: [DVec3::INFINITY; 2], ..right },
        BodyContact { bias: DVec3::NAN, ..right },
        BodyContact { impulse: DVec3::INFINITY, ..right },
    ] {
        assert!(refusal(wrong).starts_with("contact 1: bodies ["), "{wrong:?}");
    }
    let mut nowhere = [velocities.clone(), vec![BodyVelocity { linear: DVec3::NAN, angular: DVec3::ZERO }]].concat();
    let found = ContactSolver::default().solve(&masses, &mut nowhere, &mut [right], STOPPING).unwrap_err().to_string();
    assert_eq!(found, "body 3: its velocity is not finite");
    let found = ContactSolver::default().solve(&masses, &mut [], &mut [], STOPPING).unwrap_err().to_string();
    assert_eq!(found, "0 velocities: must be 4, as many as masses");
}

/// Cubes of these masses on four corners each, on a floor.
fn tower(masses: &[f64]) -> (Vec<BodyMass>, Vec<BodyContact>) {
    let cube = |mass: &f64| BodyMass { inverse_mass: 1.0 / mass, inverse_inertia: DMat3::IDENTITY * (6.0 / mass) };
    let mut contacts = Vec::new();
    for body in 1..=masses.len() {
        for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
            let below = if body == 1 { DVec3::new(x, y, 0.0) } else { DVec3::new(x, y, 0.5) };
            let arms = [below, DVec3::new(x, y, -0.5)];
            let (bias, impulse) = (DVec3::ZERO, DVec3::ZERO);
            contacts.push(BodyContact {
                bodies: [body - 1, body],
                arms,
                normal: DVec3::Z,
                friction: 0.5,
                bias,
                impulse,
            });
        }
    }
    ([BodyMass::FIXED].into_iter().chain(masses.iter().map(cube)).collect(), contacts)
}

#[test]
fn light_bodies_hold_a_load_of_a_thousand_times_their_mass() {
    // Gravity has acted for 10 ms, and nothing is known of the impulses.
    for masses in [[1.0, 1.0, 1.0, 1.0, 1e3], [1.0, 1.0, 1.0, 1.0, 100.0], [1e3, 1.0, 1e3, 1.0, 1e3]] {
        let (bodies, mut contacts) = tower(&masses);
        let falling = BodyVelocity { linear: DVec3::new(0.0, 0.0, -0.0981), angular: DVec3::ZERO };
        let mut velocities = [vec![BodyVelocity::default()], vec![falling; masses.len()]].concat();
        let stopping = Stopping { sweeps: 500, tolerance: 1e-9 };
        let outcome = ContactSolver::default().solve(&bodies, &mut velocities, &mut contacts, stopping).unwrap();
        println!("{masses:?}: {outcome:?}");
        assert_eq!(outcome.status, Status::Solved);
        // Each interface bears what is above it.
        for (number, four) in contacts.chunks_exact(4).enumerate() {
            let borne: f64 = four.iter().map(|contact| contact.impulse.z).sum();
            let above = 0.0981 * masses[number..].iter().sum::<f64>();
            // What is left of the fall is 1e-8 of it at each interface.
            assert!((borne / above - 1.0).abs() < 1e-7, "{borne} {above}");
        }
        // The same of what moves and turns at once, over all five.
        for velocity in &velocities {
            assert!(velocity.linear.length() + velocity.angular.length() < 5.0 * 4e-9, "{velocity:?}");
        }
    }
}

#[test]
fn a_tower_that_starts_to_slide_is_solved_at_once() {
    // Gravity has acted for 1 ms, and all move sideways: sweeps alone take hundreds, in the first of which changes grow.
    let (masses, mut contacts) = tower(&[1.0; 8]);
    let moving = BodyVelocity { linear: DVec3::new(0.003, 0.0, -0.00981), angular: DVec3::ZERO };
    let mut velocities = [vec![BodyVelocity::default()], vec![moving; 8]].concat();
    let stopping = Stopping { sweeps: 2000, tolerance: 1e-10 };
    let outcome = ContactSolver::default().solve(&masses, &mut velocities, &mut contacts, stopping).unwrap();
    println!("{outcome:?}");
    assert!(outcome.status == Status::Solved && outcome.sweeps <= PATIENCE, "{outcome:?}");
}

#[test]
fn newtons_method_is_tried_after_twice_as_many_sweeps_each_time() {
    let attempts: Vec<u32> = (1..=1000).filter(|&sweeps| next_attempt(sweeps, 1000) == sweeps).collect();
    assert_eq!(attempts, [25, 50, 100, 200, 400, 800, 1000]);
    assert_eq!([next_attempt(3, 10), next_attempt(26, 30), next_attempt(u32::MAX, u32::MAX)], [10, 30, u32::MAX]);
}
