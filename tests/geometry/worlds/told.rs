//! What is told of worlds: traces, warnings, classes, and errors with their places.

use glam::{DQuat, DVec3};
use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::model::{Inputs, Model, Outcome, Watcher, WorldModel};
use touchdown::native::Native;
use touchdown::random::NoiseKey;
use touchdown::study::statistics::Accumulator;
use touchdown::world::{Body, BodyShape, Bounds, Contacts, Law, Motion, Wall, World, WorldClass, WorldStart, run};

fn read(text: &str) -> Result<World, String> {
    World::from_document(&Document::parse("world.toml", text).unwrap()).map_err(|error| error.to_string())
}

fn inputs(model: &WorldModel) -> Inputs {
    Inputs { noise: NoiseKey::default(), values: model.nominal() }
}

fn outcome(world: &World) -> Outcome {
    let model = WorldModel::new(world.clone());
    let engine: &dyn Engine = &Native::new(1).unwrap();
    model.outcomes(engine, &[inputs(&model)]).unwrap().remove(0)
}

/// The rows of a trace.
struct Rows(Vec<Vec<f64>>);

impl Watcher for Rows {
    fn step(&mut self, values: &[f64]) {
        self.0.push(values.to_vec());
    }

    fn event(&mut self, _: f64, _: &str, _: &str) {}
}

/// A tumbling box, and the same one as the hull of its corners in axes that are turned by 0.7 rad about (1, 2, 3).
#[test]
fn orientations_in_traces_turn_from_the_axes_in_which_points_of_hulls_are_given() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let half = DVec3::new(0.3, 0.2, 0.1);
    let corners = (0..8).map(|corner| {
        let sign = |bit: i32| if corner >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let point = DVec3::splat(5.0) + turn * (half * DVec3::new(sign(0), sign(1), sign(2)));
        format!("[{}, {}, {}]", point.x, point.y, point.z)
    });
    let points = corners.collect::<Vec<_>>().join(", ");
    // The hull's axes are turned back, so that both bodies lie alike.
    let back = turn.inverse();
    let text = format!(
        "gravity = [0, 0, 0]\nduration = 0.5\n\
         [[bodies]]\nname = 'box'\nbox = {{ size = [0.6, 0.4, 0.2] }}\nmass = 1\nposition = [0, 0, 0]\nspin = [1, 2, 3]\n\
         [[bodies]]\nname = 'hull'\nhull = {{ points = [{points}] }}\nmass = 1\nposition = [5, 0, 0]\nspin = [1, 2, 3]\n\
         orientation = [{}, {}, {}, {}]\n",
        back.w, back.x, back.y, back.z
    );
    let model = WorldModel::new(read(&text).unwrap());
    let mut rows = Rows(Vec::new());
    model.trace(&Native::new(1).unwrap(), &inputs(&model), &mut rows).unwrap();
    let names: Vec<String> = model.trace_columns().iter().map(|column| column.name.clone()).collect();
    let orientation = |row: &[f64], body: &str| {
        let of = |name: &str| row[names.iter().position(|column| *column == format!("{name}.{body}")).unwrap()];
        DQuat::from_xyzw(of("qx"), of("qy"), of("qz"), of("qw"))
    };
    assert_eq!(rows.0.len(), 50);
    for row in &rows.0 {
        let (of_box, of_hull) = (orientation(row, "box"), orientation(row, "hull"));
        let off = 1.0 - (of_box * back).dot(of_hull).abs();
        assert!(off.abs() < 1e-9, "{of_hull} instead of {}", of_box * back);
    }
    let turned = orientation(&rows.0[49], "box").dot(DQuat::IDENTITY).abs();
    assert!(turned < 0.9, "it does not tumble: {turned}");
}

/// An ellipsoid that rocks on a floor, released at an angle.
fn rocking(law: Law, step: f64, angle: f64) -> World {
    let semi_axes = DVec3::new(0.2, 0.15, 0.1);
    let orientation = DQuat::from_rotation_y(angle);
    let lowest = (semi_axes * (orientation.inverse() * DVec3::Z)).length();
    let shape = BodyShape::Ellipsoid { semi_axes };
    let motion = Motion { orientation, ..Motion::at(lowest * DVec3::Z) };
    World {
        law,
        step,
        steps: (3.0 / step) as u32,
        restitution: if law == Law::Rigid { 0.0 } else { 0.5 },
        friction: 0.5,
        bodies: vec![Body { shape, motion, ..Body::sphere("pebble", 0.1, 1.0, DVec3::ZERO) }],
        walls: vec![Wall::new("floor", DVec3::Z, DVec3::ZERO)],
        ..World::default()
    }
}

#[test]
fn worlds_whose_bodies_gain_energy_are_counted_and_warned_of() {
    let gains = |world: &World| {
        let totals = outcome(world).totals;
        assert_eq!((totals.len(), totals[2]), (4, 0), "{totals:?}");
        (totals[3], WorldModel::new(world.clone()).caution(&totals))
    };
    // Without loss, and with friction, the single pass turns some of the work of friction into energy.
    let rolling = rocking(Law::Rigid, 0.01, 0.5);
    let rolling = World { rest_speed: 0.0, restitution: 1.0, contacts: Contacts::EndOfStep, ..rolling };
    let (gained, warning) = gains(&rolling);
    assert_eq!(gained, 1);
    assert!(warning.unwrap().contains("in 1 world bodies ended with more energy than they started with"));
    let springs = rocking(Law::ViscoElastic { contact_time: 0.02 }, 0.001, 0.01);
    for harmless in [rocking(Law::Rigid, 0.01, 0.5), rocking(Law::Rigid, 0.01, 0.01), springs] {
        assert_eq!(gains(&World { rest_speed: 0.0, ..harmless }), (0, None));
    }
    // A bouncing ball keeps its energy to rounding, however far from the origin of potentials.
    for height in [0.0, 1e3] {
        let ball = Body::sphere("ball", 0.1, 1.0, DVec3::new(0.0, 0.0, height + 1.1));
        let walls = vec![Wall::new("floor", DVec3::Z, height * DVec3::Z)];
        let bouncing = World { restitution: 1.0, steps: 1000, bodies: vec![ball], walls, ..World::default() };
        assert_eq!(gains(&bouncing), (0, None), "{height} m up");
    }
    // Both warnings are told where both are due.
    let both = WorldModel::new(rolling).caution(&[100, 200, 3, 2]).unwrap();
    assert!(both.contains("3 of 100 steps are rough") && both.contains("in 2 worlds bodies ended"), "{both}");
}

#[test]
fn a_fall_that_counts_as_rest_is_warned_of() {
    let warnings = |world: World| WorldModel::new(world).warnings();
    let ball = World { bodies: vec![Body::sphere("ball", 0.1, 1.0, DVec3::Z)], ..World::default() };
    let asteroid = World { gravity: -0.01 * DVec3::Z, ..ball.clone() };
    let warned = warnings(asteroid.clone());
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].starts_with("rest_speed = 0.01 m/s is more than the 0.005 m/s"), "{warned:?}");
    for harmless in [ball.clone(), World { gravity: DVec3::ZERO, ..ball }, World { rest_speed: 1e-6, ..asteroid }] {
        assert_eq!(warnings(harmless), Vec::<String>::new());
    }
}

#[test]
fn a_body_that_starts_outside_the_bounds_is_refused() {
    let bounds = Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
    let ball = |x: f64| Body::sphere("ball", 0.1, 1.0, x * DVec3::X);
    let world = |x: f64| World { bounds: Some(bounds), bodies: vec![ball(x)], ..World::default() };
    let refused = WorldStart::of(&world(1.5)).check(&world(1.5)).unwrap_err().to_string();
    let why =
        "ball: its centre [1.5, 0, 0] m is outside the bounds at the start: they go from [-1, -1, -1] to [1, 1, 1] m";
    assert_eq!(refused, why);
    assert_eq!(run(&world(1.5), &WorldStart::of(&world(1.5)), &mut |_| ()).class, WorldClass::Invalid);
    assert_eq!(WorldStart::of(&world(1.0)).check(&world(1.0)), Ok(()), "on the bounds is within");
    let text = "[bounds]\nmin = [-1, -1, -1]\nmax = [1, 1, 1]\n\
                [[bodies]]\nname = 'ball'\nsphere = { radius = 0.1 }\nmass = 1\nposition = [1.5, 0, 0]\n";
    let refused = read(text).unwrap_err();
    assert!(refused.starts_with("world.toml:4:") && refused.ends_with(why), "{refused}");
}

#[test]
fn a_world_with_more_than_can_be_counted_is_invalid() {
    let world = |speed: f64| World {
        gravity: DVec3::ZERO,
        steps: 20,
        bodies: vec![Body::sphere("moon", 1e5, 1e9, (1e5 + 1.0) * DVec3::Z).moving(-speed * DVec3::Z)],
        walls: vec![Wall::new("ground", DVec3::Z, DVec3::ZERO)],
        ..World::default()
    };
    // 1.5e9 m/s kg for each m/s, and 2^40 are 1.0995e12; the energy is within for the slow one.
    let (counted, beyond) = (outcome(&world(40.0)), outcome(&world(1000.0)));
    assert_eq!((counted.class, beyond.class), (WorldClass::Moving as usize, WorldClass::Invalid as usize));
    assert!((counted.quantities[2].unwrap() / 6e10 - 1.0).abs() < 1e-9, "{:?}", counted.quantities);
    assert!(beyond.quantities.iter().all(Option::is_none), "{:?}", beyond.quantities);
    // What is valid can be counted, and the limit is that of statistics.
    let limit = (1_u64 << 40) as f64;
    assert!(Accumulator::new().add(limit).is_ok() && Accumulator::new().add(1.001 * limit).is_err());
}

#[test]
fn springs_and_numbers_of_the_world_are_refused_at_their_lines() {
    const BALL: &str = "[[bodies]]\nname = 'ball'\nsphere = { radius = 0.1 }\nmass = 1\nposition = [0, 0, 1.1]\n";
    for (keys, place, why) in [
        (
            "duration = 0.3\nstep = 0.001\nlaw = 'penalty'\nstiffness = 1e7\n",
            "world.toml:2:8: step: ",
            "0.001 s is too long for springs of this stiffness: must be at most 0.00007024814731040726 s",
        ),
        (
            "law = 'penalty'\nstiffness = 1e7\n",
            "world.toml:2:13: stiffness: ",
            "step 0.01 s is too long for springs of this stiffness: must be at most 0.00007024814731040726 s",
        ),
        (
            "step = 0.001\nlaw = 'viscoelastic'\ncontact_time = 0.01\n\nrestitution = 0\n",
            "world.toml:5:15: restitution: ",
            "the world with damped springs: restitution 0 is not allowed: must be from 0.001 to 1",
        ),
        (
            "step = 0.01\nlaw = 'viscoelastic'\ncontact_time = 0.05\n",
            "world.toml:3:16: contact_time: ",
            "0.05 is not allowed: must be from 0.1 to 1000000000 s",
        ),
        (
            "rest_speed = 1e10\n",
            "world.toml:1:14: rest_speed: ",
            "10000000000 is not allowed: must be from 0 to 1000000000 m/s",
        ),
    ] {
        assert_eq!(read(&format!("{keys}{BALL}")).unwrap_err(), format!("{place}{why}"));
    }
    let own = format!("law = 'viscoelastic'\nstep = 1e-3\ncontact_time = 0.02\n{BALL}restitution = 0\n");
    let refused = read(&own).unwrap_err();
    let why = "ball with damped springs: restitution 0 is not allowed: must be from 0.001 to 1";
    assert!(refused.starts_with("world.toml:4:") && refused.ends_with(why), "{refused}");
}
