//! Air forces on a device against JSBSim's own answers: `tests/data/jsbsim`.

use touchdown::job::Compute;
use touchdown::query::{AirLoadStatus, AirLoads};
use touchdown::reference::Reference;

use crate::support::air_forces::{OfFunctions, any, at, golden, of_functions};
use crate::support::{gpu, list, number, text};

/// What every function is allowed, of its largest value.
const LEAST: f64 = 1e-6;
/// How many times what leaves rounded to binary32 change is allowed: functions have some twenty operations.
const TIMES: f64 = 20.0;

#[test]
fn functions_on_a_device_have_the_values_that_jsbsim_gives_them_but_for_rounding() {
    let (gpu, reference) = (gpu::open(), Reference::new(2).unwrap());
    for aircraft in list(&golden("functions")["aircraft"]) {
        let name = text(&aircraft["name"]);
        let OfFunctions { forces, flights, .. } = of_functions(aircraft);
        let answers = gpu.compute::<AirLoads>(&forces, &flights).unwrap();
        let breaks: Vec<&str> = list(&aircraft["breaks"]).iter().map(text).collect();
        let (mut compared, mut worst) = (0, 0.0_f64);
        for (number_of, function) in forces.functions().enumerate().filter(|(_, function)| !breaks.contains(function)) {
            let expected: Vec<f64> =
                (0..flights.len()).map(|state| any(at(&aircraft["function"][function], state))).collect();
            let largest =
                expected.iter().filter(|value| value.is_finite()).fold(0.0_f64, |most, value| most.max(value.abs()));
            let allowed = (TIMES * number(&aircraft["f32"][function]) + LEAST) * largest;
            for (state, (answer, expected)) in answers.iter().zip(expected).enumerate() {
                let found = answer.functions[number_of];
                let is_near = found == expected || (found - expected).abs() <= allowed;
                assert!(is_near, "{name} {function} {state}: {found} instead of {expected}, within {allowed:e}");
                worst = worst.max(if found == expected { 0.0 } else { (found - expected).abs() / allowed });
                compared += 1;
            }
        }
        let known = answers.iter().filter(|answer| answer.status == AirLoadStatus::Ok).count();
        let truths = reference.compute::<AirLoads>(&forces, &flights).unwrap();
        assert_eq!(known, truths.iter().filter(|answer| answer.status == AirLoadStatus::Ok).count(), "{name}");
        println!("{name}: {compared} values, at most {worst:.2} of what is allowed");
        assert!(compared > 500);
    }
}
