//! Scenes that pass the limit of a driver that stops long loops in silence: answers are right, or the device says that it
//! has none. Old llvmpipe is such a driver; on others all answers must be right.
//!
//! `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::gpu;
use crate::support::landing_jobs;
use crate::support::landing_jobs::{inputs, job_with};
use crate::support::tricycle;
use glam::{DQuat, DVec3};
use touchdown::engine::{Engine, EngineError};
use touchdown::job::Compute;
use touchdown::query::{EntryPoints, LandingClass, LandingJob, Ray, RayStatus, WheelFrame, WheelStep, Wheels};
use touchdown::reference::Reference;
use touchdown::scene::Shape;

/// From a size that any driver manages to one whose every walk passes the limit.
const SIZES: [usize; 4] = [10, 1000, 5000, 40_000];

/// Holes in a row beside the way, each a complement without a box: a walk past any of them asks all.
fn punched(holes: usize) -> Shape {
    let hole = |index: usize| Shape::sphere(DVec3::new(index as f64, -50.0, 0.0), 0.4).complement();
    Shape::intersection((0..holes).map(hole).chain([tricycle::ground()]))
}

/// Wedges without an end, which have no boxes: a walk that meets none of them asks all.
fn wedges(count: usize) -> Shape {
    let wedge = |index: usize| {
        let x = 1e3 + index as f64;
        let walls =
            [(DVec3::X, x + 0.25), (DVec3::NEG_X, 0.25 - x)].map(|(normal, offset)| Shape::half_space(normal, offset));
        Shape::intersection(walls)
    };
    Shape::union((0..count).map(wedge).chain([tricycle::ground()]))
}

/// A scene of so many solids.
type Maker = fn(usize) -> Shape;

const SCENES: [(&str, Maker); 2] = [("holes", punched), ("wedges", wedges)];

fn job(shape: &Shape) -> LandingJob {
    let mut job = job_with(tricycle::tricycle(1000.0), []);
    job.scene = landing_jobs::scene(shape);
    job.time_limit = 0.2;
    job
}

/// True when a call was refused because of the limit; any other failure is one.
fn is_refused<T>(result: &Result<T, EngineError>) -> bool {
    match result {
        Ok(_) => false,
        Err(error) if ["stops the loops", "rounds of loops"].iter().any(|text| error.to_string().contains(text)) => {
            true
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn rays_past_the_limit_are_right_or_not_converged() {
    let (gpu, reference) = (gpu::open(), Reference::new(0).unwrap());
    for (name, shape) in SCENES {
        for size in SIZES {
            let scene = landing_jobs::scene(&shape(size));
            // At places that f32 holds: down to the ground, along it above, into the thing in the middle, into the last one.
            let place = |x: f64, z: f64| DVec3::new(x, if name == "holes" { -50.0 } else { 3.0 }, z);
            let first = if name == "holes" { 0.0 } else { 1e3 };
            let rays: Vec<Ray> = [0.0, 0.5, (size / 2) as f64, size as f64 - 1.0]
                .into_iter()
                .flat_map(|index| {
                    let x = first + index;
                    [
                        Ray::segment(place(x, 2.0), place(x, -2.0)),
                        Ray::segment(place(x - 0.75, 1.0), place(x + 0.75, 1.0)),
                        Ray::segment(place(x, 0.0), place(x, -3.0)),
                    ]
                })
                .collect();
            let expected = reference.compute::<EntryPoints>(&scene, &rays).unwrap();
            let found = gpu.compute::<EntryPoints>(&scene, &rays).unwrap();
            let not_converged = found.iter().filter(|entry| entry.status == RayStatus::NotConverged).count();
            println!("{size} {name}: {not_converged} of {} rays did not converge", rays.len());
            for ((ray, expected), found) in rays.iter().zip(&expected).zip(&found) {
                if found.status != RayStatus::NotConverged {
                    assert_eq!((found.status, found.leaf), (expected.status, expected.leaf), "{size} {name} {ray:?}");
                    assert!((found.lambda - expected.lambda).abs() < 1e-4, "{found:?} {expected:?}");
                }
            }
            assert!(size > 10 || not_converged == 0);
        }
    }
}

#[test]
fn wheels_past_the_limit_are_right_or_an_error() {
    let (gpu, reference) = (gpu::open(), Reference::new(0).unwrap());
    let frame = |step: u32| WheelFrame {
        origin: DVec3::new(20.0 + 0.1 * f64::from(step), 0.0, 0.65),
        // Half a turn about x: Z down.
        orientation: DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        velocity: 20.0 * DVec3::X,
        brake: 100.0,
        brake_friction: 0.0,
    };
    let runs: Vec<Vec<WheelFrame>> = (0..20).map(|_| (0..8).map(frame).collect()).collect();
    let mut answered = 0;
    for (name, shape) in SCENES {
        for size in SIZES {
            let scene = landing_jobs::scene(&shape(size));
            let found = gpu.compute::<Wheels>((&scene, &tricycle::main_wheel()), &runs);
            println!("{size} {name}: wheels refused: {}", is_refused(&found));
            let Ok(found) = found else { continue };
            answered += 1;
            let expected = reference.compute::<Wheels>((&scene, &tricycle::main_wheel()), &runs).unwrap();
            let same = |(found, expected): (&WheelStep, &WheelStep)| {
                found.contact.state == expected.contact.state && (found.force - expected.force).length() < 1.0
            };
            assert!(found.iter().flatten().zip(expected.iter().flatten()).all(same), "{size} {name}");
        }
    }
    assert!(answered >= SCENES.len(), "{answered}");
}

#[test]
fn landings_past_the_limit_are_right_or_an_error() {
    let (gpu, reference) = (gpu::open(), Reference::new(0).unwrap());
    let mut answered = 0;
    for (name, shape) in SCENES {
        for size in SIZES {
            let job = job(&shape(size));
            let landings = vec![inputs(&job.vehicle, &[]); 9];
            let found = gpu.landings(&job, &landings);
            println!("{size} {name}: landings refused: {}", is_refused(&found));
            let Ok(found) = found else { continue };
            answered += 1;
            let expected = reference.landings(&job, &landings).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!((found.class, found.steps), (expected.class, expected.steps), "{size} {name}");
                assert_eq!(found.class, LandingClass::Unfinished);
                assert_eq!(found.contact_steps, expected.contact_steps, "{size} {name}");
            }
        }
    }
    assert!(answered >= SCENES.len(), "{answered}");
}
