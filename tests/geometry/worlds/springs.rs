//! Contacts that give way.

use glam::DVec3;
use touchdown::world::{Body, Law, Stepper, World, WorldStart};

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
        stiff.starts_with("springs of this stiffness: step 0.01 is not allowed: must be from 0 to 0.00022"),
        "{stiff}"
    );
    let short = refusal(Law::ViscoElastic { contact_time: 0.05 }, 0.5).unwrap();
    assert!(short.contains("contact_time 0.05 is not allowed: must be from 0.1"), "{short}");
    let damped = refusal(Law::ViscoElastic { contact_time: 0.5 }, 0.0).unwrap();
    assert!(damped.contains("damped springs: restitution 0 is not allowed: must be from 0.001 to 1"), "{damped}");
}
