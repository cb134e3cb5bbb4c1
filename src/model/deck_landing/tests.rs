//! Landings on decks as studies.

use std::path::{Path, PathBuf};

use super::*;
use crate::native::Native;
use crate::reference::Reference;
use crate::study::Study;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

#[test]
fn landings_on_the_frigate_end_in_several_ways_and_engines_agree() {
    let study = Study::read(&example("skid_on_frigate.toml")).unwrap();
    let inputs: Vec<Inputs> = (0..24).map(|trial| study.inputs_of(trial)).collect();
    let outcomes = study.model.outcomes(&Native::new(2).unwrap(), &inputs).unwrap();
    assert_eq!(outcomes, study.model.outcomes(&Reference::new(1).unwrap(), &inputs).unwrap());
    for outcome in &outcomes {
        let of = |name: &str| outcome.quantities[study.model.quantity_named(name).unwrap()].unwrap_or(f64::NAN);
        println!(
            "{:13} touchdown {:.2} m/s, peak {:6.0} N, bounces {}, slide {:.3} m, roll {:.2} deg, stress {:.2}",
            CLASSES[outcome.class].name,
            of("touchdown_speed"),
            of("peak_load"),
            of("bounces"),
            of("slide_distance"),
            of("largest_roll").to_degrees(),
            of("stress_ratio")
        );
        assert!(outcome.class != crate::model::INVALID && of("touchdown_speed") > 0.0);
        // At rest each skid carries half the weight.
        assert!(of("peak_load") > 0.4 * 0.85 * 2250.0 * 9.8);
    }
    assert!(outcomes.iter().any(|outcome| CLASSES[outcome.class].name == "safe"));
}
