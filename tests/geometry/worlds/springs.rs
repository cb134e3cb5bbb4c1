//! Contacts that give way.

use glam::DVec3;
use touchdown::world::{Body, Law, Stepper, Wall, World, WorldStart, run};

use super::{balls, least_gap};

#[test]
fn springs_give_back_what_they_should_after_their_time() {
    for restitution in [1.0, 0.7, 0.2] {
        let contact_time = 0.01;
        for (law, expected) in [
            (Law::ViscoElastic { contact_time }, restitution),
            // With half of 1 kg, as of both balls together, a spring of this stiffness swings for as long.
            (Law::Penalty { stiffness: 0.5 * (std::f64::consts::PI / contact_time).powi(2) }, 1.0),
        ] {
            let ball = |x: f64, v: f64| Body::sphere(format!("{x}"), 0.1, 1.0, x * DVec3::X).moving(v * DVec3::X);
            let world = World { law, ..balls(vec![ball(0.0, 0.0), ball(0.2, -1.0)], restitution, 1e-5) };
            let mut stepper = Stepper::new(&world, &WorldStart::of(&world)).unwrap();
            let (mut steps, mut deepest) = (0, 0.0_f64);
            for _ in 0..2000 {
                stepper.step();
                steps += usize::from(!stepper.contacts().is_empty());
                deepest = deepest.max(-least_gap(&world, stepper.motions()));
            }
            let [one, other] = [0, 1].map(|body| stepper.motions()[body].velocity.x);
            println!("{law:?}: e = {} for {expected}, {} s, {deepest} m deep", other - one, steps as f64 * world.step);
            assert!((other - one - expected).abs() < 0.002 && (one + other + 1.0).abs() < 1e-12);
            assert!((steps as f64 * world.step / contact_time - 1.0).abs() < 0.005);
            // v T / pi without damping.
            assert!(deepest > 0.0 && deepest < 1.001 * contact_time / std::f64::consts::PI);
        }
    }
}

/// That of bodies that meet is m (1 + e) v, that of one at rest its weight for as long as a contact takes.
#[test]
fn the_largest_impulse_of_springs_does_not_depend_on_the_step() {
    let contact_time = 0.02;
    let law = Law::ViscoElastic { contact_time };
    let largest = |world: &World| run(world, &WorldStart::of(world), &mut |_| ()).impulses;
    for restitution in [0.9, 0.6, 0.2] {
        for step in [1e-3, 1e-4, 3e-5] {
            let ball = |x: f64, v: f64| Body::sphere(format!("{x}"), 0.1, 2.0, x * DVec3::X).moving(v * DVec3::X);
            let world = World { law, ..balls(vec![ball(0.0, 0.0), ball(0.25, -3.0)], restitution, step) };
            let impulses = largest(&World { steps: (0.1 / step) as u32, ..world });
            println!("e = {restitution}, step {step}: {impulses:?}");
            // Of 1 kg, half of each; steps leave out at most one of contact_time / step.
            let expected = (1.0 + restitution) * 3.0;
            assert!(impulses.iter().all(|impulse| (impulse / expected - 1.0).abs() < 2.0 * step / contact_time));
        }
    }
    for step in [1e-3, 1e-4] {
        let ball = Body::sphere("ball", 0.1, 2.0, 0.1 * DVec3::Z);
        let world =
            World { law, walls: vec![Wall::new("floor", DVec3::Z, DVec3::ZERO)], ..balls(vec![ball], 0.5, step) };
        let world = World { gravity: -10.0 * DVec3::Z, steps: (1.0 / step) as u32, ..world };
        let share = largest(&world)[0] / (2.0 * 10.0 * contact_time);
        println!("at rest, step {step}: {share} of the weight in the time of a contact");
        // Of some steps more than that time has.
        assert!((share - 1.0).abs() < 4.0 * step / contact_time);
    }
}

#[test]
fn what_springs_cannot_follow_is_refused() {
    let bodies = vec![Body::sphere("ball", 0.1, 1.0, DVec3::Z)];
    let refusal = |law, restitution| {
        let world = World { law, bodies: bodies.clone(), restitution, step: 0.01, ..World::default() };
        Stepper::new(&world, &WorldStart::of(&world)).err().map(|error| error.to_string())
    };
    let soft = Law::Penalty { stiffness: 100.0 };
    assert_eq!(refusal(soft, 0.0), None);
    let stiff = refusal(Law::Penalty { stiffness: 1e6 }, 0.5).unwrap();
    assert!(
        stiff.starts_with("step 0.01 s is too long for springs of this stiffness: must be at most 0.00022"),
        "{stiff}"
    );
    let short = refusal(Law::ViscoElastic { contact_time: 0.05 }, 0.5).unwrap();
    assert!(short.contains("contact_time 0.05 is not allowed: must be from 0.1"), "{short}");
    let damped = refusal(Law::ViscoElastic { contact_time: 0.5 }, 0.0).unwrap();
    assert!(damped.contains("damped springs: restitution 0 is not allowed: must be from 0.001 to 1"), "{damped}");
}
