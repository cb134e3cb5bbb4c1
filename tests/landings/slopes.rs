//! Landings on runways that rise or fall, beside closed forms: rolling, braking, glide paths, heights and the air above.
//! Each test prints what it measured.

use std::path::Path;

use crate::support::landing_jobs::{DYNAMIC_FRICTION, STATIC_FRICTION, STEP, inputs, outcome, relative};
use crate::support::recording::record;
use crate::support::tricycle::{GRAVITY, LOCKED, material, piloted_tricycle, tricycle};
use glam::DVec3;
use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::native::Native;
use touchdown::picture::{Moment, Size, flight};
use touchdown::query::{Input, LandingClass, LandingJob, LandingState, Weather};
use touchdown::reference::Reference;
use touchdown::scene::{MaterialId, Runway, Scene, Shape, Solid};
use touchdown::study::Study;
use touchdown::validation::LandingStudy;
use touchdown::vehicle::Vehicle;

/// Down and up, and level.
const SLOPES: [f64; 3] = [-0.02, 0.0, 0.02];

/// A runway without end on ground of one material, both with this slope.
fn scene(slope: f64) -> Scene {
    let runway = Runway { length: 1e4, width: 60.0, displaced_threshold: 0.0, slope, elevation: 0.0 };
    let ground = Shape::half_space(DVec3::new(-slope, 0.0, 1.0), 0.0);
    let materials = vec![material("runway", STATIC_FRICTION, DYNAMIC_FRICTION)];
    Scene::new(&ground, materials, Some(MaterialId(0)), Some(runway)).unwrap()
}

fn job(vehicle: Vehicle, slope: f64) -> LandingJob {
    LandingJob {
        vehicle,
        scene: scene(slope),
        weather: Weather::default(),
        gravity: GRAVITY,
        step: STEP,
        time_limit: 60.0,
    }
}

/// An example study on such a runway.
fn example(study: &str, slope: f64) -> LandingJob {
    let study =
        LandingStudy::of(Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(study)).unwrap())
            .unwrap();
    LandingJob { scene: scene(slope), ..study.job }
}

/// Along the surface, uphill.
fn along(slope: f64) -> DVec3 {
    DVec3::new(1.0, 0.0, slope).normalize()
}

#[test]
fn a_free_roll_slows_uphill_and_gains_downhill_by_g_times_the_sine() {
    for slope in [-0.05, -0.02, 0.02, 0.05] {
        let job = LandingJob { time_limit: 8.0, ..job(tricycle(0.0), slope) };
        let states = record(&job, &inputs(&job.vehicle, &[(Input::SinkRate, 0.2)])).1.states;
        // The springs have settled by then.
        let speed = |time: f64| states[(time / STEP) as usize - 1].motion.velocity.dot(along(slope));
        let (found, expected) = ((speed(8.0) - speed(5.0)) / 3.0, -GRAVITY * slope.atan().sin());
        println!("slope {slope}: {found:.9} m/s2, -g sin {expected:.9}, {:e}", relative(found, expected));
        assert!(relative(found, expected) < 1e-6, "{found} instead of {expected}");
    }
}

/// How far the tricycle slides from the moment its wheels are locked, along the surface, beside v^2 / (2 g (mu cos + sin)).
fn slide(slope: f64) -> (f64, f64) {
    let mut vehicle = tricycle(LOCKED);
    (vehicle.pilot.brake_delay, vehicle.pilot.brake_level) = (3.0, 1.0);
    let job = job(vehicle, slope);
    let (outcome, recording) = record(&job, &inputs(&job.vehicle, &[(Input::SinkRate, 0.2)]));
    assert_eq!(outcome.class, LandingClass::Stopped, "locked wheels hold on a slope of {slope}");
    let first = recording.states.iter().position(|state| state.pilot.pedal > 0.0).unwrap();
    let (start, end) = (recording.states[first - 1].motion, recording.states.last().unwrap().motion);
    let (speed, angle) = (start.velocity.dot(along(slope)), slope.atan());
    let expected = speed * speed / (2.0 * GRAVITY * (DYNAMIC_FRICTION * angle.cos() + angle.sin()));
    // The wheels start to slide on springs that were at ease: what is slid before they pull is the same everywhere.
    ((end.position - start.position).dot(along(slope)), expected)
}

#[test]
fn locked_wheels_slide_as_far_up_and_down_as_friction_and_slope_say() {
    let (level, level_expected) = slide(0.0);
    for slope in [-0.05, -0.02, 0.02, 0.05] {
        let (found, expected) = slide(slope);
        println!(
            "slope {slope}: {found:.3} m, closed form {expected:.3} m, {:.3} %",
            100.0 * relative(found, expected)
        );
        assert!(relative(found, expected) < 5e-3);
        // Beside the level run the springs' share cancels.
        assert!(relative(found / level, expected / level_expected) < 1e-3);
    }
}

#[test]
fn a_landing_starts_as_high_above_the_runway_and_sinks_as_fast_towards_it_as_asked() {
    for slope in [-0.2, -0.02, 0.0, 0.02, 0.2] {
        let job = example("737_crosswind.toml", slope);
        for (start, pitch, bank, crab) in [(0.0, 0.0, 0.0, 0.0), (900.0, 0.1, 0.05, -0.1), (-300.0, -0.02, -0.1, 0.3)] {
            let changes = [
                (Input::StartDistance, start),
                (Input::Height, 3.0),
                (Input::SinkRate, 0.7),
                (Input::Pitch, pitch),
                (Input::Bank, bank),
                (Input::Crab, crab),
            ];
            let motion = LandingState::start(&job, &inputs(&job.vehicle, &changes)).unwrap().motion;
            let plane = job.scene.ground_plane();
            let mains = job.vehicle.wheels.iter().filter(|wheel| wheel.main);
            let feet = mains.map(|wheel| plane.height(motion.position + motion.orientation * wheel.foot()));
            let lowest = feet.fold(f64::INFINITY, f64::min);
            assert!((lowest - 3.0).abs() < 1e-12, "{slope}, {start}: {lowest}");
            assert!((plane.sink_rate(motion.velocity) - 0.7).abs() < 1e-12, "{slope}: {}", motion.velocity);
            assert!((motion.pitch() - pitch).abs() < 1e-12, "attitudes keep to the horizon");
        }
    }
}

/// What is measured at touchdown and stop does not depend on where along the runway, and so how high, it happens: the wind
/// grows with the height above the runway.
#[test]
fn a_landing_further_up_the_slope_is_the_same_landing() {
    for slope in SLOPES {
        let job = example("c172_wet_runway.toml", slope);
        let at = |start: f64| {
            let changes = [
                (Input::StartDistance, start),
                (Input::Height, 2.0),
                (Input::HeadwindShear, 0.3),
                (Input::CrosswindShear, 0.1),
                (Input::Crosswind, 2.0),
            ];
            let outcome = outcome(&job, &changes);
            assert_eq!(outcome.class, LandingClass::Stopped, "{outcome:?}");
            let (touchdown, stop) = (outcome.touchdown.unwrap(), outcome.stop.unwrap());
            let there = [touchdown.distance - start, touchdown.center_of_gravity - start, stop.point - start];
            let anywhere = [touchdown.sink_rate, touchdown.ground_speed, touchdown.crab, stop.distance];
            [&there[..], &anywhere].concat()
        };
        let (here, up) = (at(100.0), at(1100.0));
        let apart = here.iter().zip(&up).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("slope {slope}: {here:?}; 1 km further on other by {apart:e}");
        // Roundings of places of a kilometre, which thousands of steps leave as they are.
        assert!(apart < 1e-6, "{here:?} and {up:?}");
    }
}

/// The example 737 on its glide path to the ground: nothing flares it.
fn unflared(slope: f64) -> LandingJob {
    let mut job = example("autoland_737.toml", slope);
    // Near the ground the path would bend.
    job.vehicle.aerodynamics.as_mut().unwrap().ground_effect = false;
    let law = job.vehicle.autoland.as_mut().unwrap();
    // It holds the path closely, and the flare never asks for less.
    (law.touchdown_sink_rate, law.retard_height, law.glide_gain) = (100.0, 1e-3, 0.4);
    (law.sink_gain, law.sink_integral_gain) = (0.03, 0.01);
    job
}

#[test]
fn a_glide_path_meets_the_runway_where_geometry_says() {
    for slope in SLOPES {
        let job = unflared(slope);
        let law = job.vehicle.autoland.unwrap();
        let start = LandingState::start(&job, &inputs(&job.vehicle, &[])).unwrap().motion.velocity;
        let tangent = law.glide_slope.tan();
        assert!((-start.z / start.x - tangent).abs() < 1e-12, "the path keeps to the horizon");
        let touchdown = outcome(&job, &[]).touchdown.unwrap();
        let (found, expected) = (touchdown.center_of_gravity, law.gate_distance + law.gate_height / (tangent + slope));
        // Down the path at its own speed, with what the runway rises or falls.
        let sink_rate = touchdown.ground_speed * (tangent + slope);
        println!(
            "slope {slope}: touches at {found:.2} m, geometry {expected:.2} m; {:.3} m/s, geometry {sink_rate:.3} m/s",
            touchdown.sink_rate
        );
        // A height off the path by a foot, in a step and a half of sinking.
        assert!((found - expected).abs() * (tangent + slope) < 0.3, "{found} instead of {expected}");
        assert!((touchdown.sink_rate - sink_rate).abs() < 0.1);
    }
}

#[test]
fn a_flare_touches_as_softly_uphill_and_downhill() {
    let touchdown = |slope: f64| outcome(&example("autoland_737.toml", slope), &[]).touchdown.unwrap();
    let level = touchdown(0.0);
    for slope in [-0.01, -0.005, 0.005, 0.01] {
        let found = touchdown(slope);
        println!(
            "slope {slope}: {:.1} m and {:.3} m/s towards the runway; level {:.1} m and {:.3} m/s",
            found.distance, found.sink_rate, level.distance, level.sink_rate
        );
        assert!((found.sink_rate - level.sink_rate).abs() < 0.35, "{found:?}");
        assert!((found.distance < level.distance) == (slope > 0.0), "rising ground is met sooner");
    }
}

#[test]
fn sloped_landings_have_the_references_bits_on_the_native_engine() {
    for (study, slope) in [("c172_wet_runway.toml", -0.02), ("737_crosswind.toml", 0.015), ("autoland_737.toml", 0.01)]
    {
        let job = example(study, slope);
        let study =
            LandingStudy::of(Study::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(study)).unwrap())
                .unwrap();
        let inputs: Vec<_> = (0..40).map(|landing| study.landing_inputs(landing)).collect();
        let outcomes = Reference::new(2).unwrap().landings(&job, &inputs).unwrap();
        assert_eq!(format!("{:?}", Native::new(2).unwrap().landings(&job, &inputs).unwrap()), format!("{outcomes:?}"));
        let stopped = outcomes.iter().filter(|outcome| outcome.class == LandingClass::Stopped).count();
        println!("{}: {stopped} of 40 landings stop on a slope of {slope}, equal", study.study.name);
        assert!(stopped > 20);
    }
}

#[test]
fn a_landing_that_stops_where_it_touches_has_no_stopping_distance() {
    for slope in SLOPES {
        let mut vehicle = tricycle(LOCKED);
        vehicle.pilot.brake_level = 1.0;
        let job = job(vehicle, slope);
        let changes = [(Input::Airspeed, 0.0), (Input::SinkRate, 0.3), (Input::StartDistance, 50.0)];
        let found = outcome(&job, &changes);
        assert_eq!(found.class, LandingClass::Stopped);
        let stop = found.stop.unwrap();
        println!("slope {slope}: {stop:?}");
        // The springs give way along the slope, and while it pitches: some centimetres, of 0.5 m to the main wheels.
        assert!(stop.distance.abs() < 0.03, "{stop:?}");
    }
    let level = outcome(&job(piloted_tricycle(), 0.0), &[]);
    let (touchdown, stop) = (level.touchdown.unwrap(), level.stop.unwrap());
    assert_eq!(stop.distance, stop.point - touchdown.center_of_gravity);
}

#[test]
fn in_a_picture_larger_wheels_stand_on_the_slope() {
    let job = job(piloted_tricycle(), 0.1);
    // As the slope is: level, its nose wheel would start in the ground.
    let last = record(&job, &inputs(&job.vehicle, &[(Input::Pitch, 0.1)])).1.states.pop().unwrap();
    let mut first = last.clone();
    first.motion.position -= 1000.0 * DVec3::new(1.0, 0.0, 0.1);
    let moments = [&first, &last].map(Moment::of);
    let size = Size { width: 640, height: 360 };
    let shown = flight(&job.scene, &job.vehicle, &moments, size).unwrap().unwrap();
    assert!(shown.magnification > 2.0, "{}", shown.magnification);
    let plane = job.scene.ground_plane();
    let mut balls = 0;
    for leaf in shown.scene.leaves() {
        if let Solid::Sphere(ball) = &leaf.solid {
            // Of a wheel that stands: as high as its spring is long, which is a few centimetres shorter than at rest.
            let height = plane.height(ball.center) / shown.magnification;
            assert!((0.6..0.72).contains(&height), "a wheel {height} m above the slope");
            balls += 1;
        }
    }
    assert!(balls >= 3);
}

#[test]
fn scene_files_have_slopes_in_per_cent_and_refuse_those_of_no_runway() {
    let read = |slope: &str| {
        let text = format!("[runway]\nlength = 900\nwidth = 30\nslope = {slope}\n[scene]\nnothing = true\n");
        Scene::from_document(&Document::parse("scene.toml", &text).unwrap()).map_err(|error| error.to_string())
    };
    assert_eq!(read("'-1.2 %'").unwrap().ground_plane().slope, -0.012);
    assert_eq!(read("0.02").unwrap().runway().unwrap().rise(), "2.00 % uphill");
    for slope in ["2", "-0.3", "nan"] {
        let error = read(slope).unwrap_err();
        assert!(error.starts_with("scene.toml:4:9: runway.slope: "), "{error}");
    }
    assert!(read("2").unwrap_err().contains("0.01 for 1 %"));
}
