//! Engines judged by the reference, item by item, in every class of a check.

use touchdown::engine::Engine;
use touchdown::native::Native;
use touchdown::reference::Reference;
use touchdown::validation::{Agreement, Agreements, Class as _, DrawnCheck, validate_drawn};

use super::engines::GPU;
use super::gpu;
use super::random::test_seed;

/// What an engine's answers come to, class by class.
pub fn judged<C: DrawnCheck>(what: &str, candidate: &dyn Engine, items: u64) -> Vec<(C::Class, Agreements)> {
    println!(
        "{what}, {items} items per class: match, within bound, ambiguous by chance, by touch, wrong, largest error/bound"
    );
    let judge = Reference::new(0).unwrap();
    let judged = C::Class::CLASSES.iter().map(|&class| {
        let report = validate_drawn::<C>(&judge, candidate, (class, test_seed()), items, &mut |_| {}).unwrap();
        let tally = report.tally;
        println!(
            "  {:<12}{:>9}{:>9}{:>9}{:>9}{:>9}{:>12.4}",
            class.name(),
            tally.count(Agreement::Match),
            tally.count(Agreement::WithinBound),
            tally.ambiguous_by_chance(),
            tally.ambiguous_touching(),
            tally.count(Agreement::Wrong),
            tally.largest_ratio()
        );
        (class, tally)
    });
    judged.collect()
}

/// The native engine gives the reference's bits.
pub fn native_is_equal<C: DrawnCheck>(items: u64) {
    for (class, tally) in judged::<C>("native", &Native::new(0).unwrap(), items) {
        assert_eq!(tally.count(Agreement::Match), items, "{}: {:?}", class.name(), tally.worst());
    }
}

/// The GPU passes.
pub fn gpu_passes<C: DrawnCheck>(items: u64) {
    for (class, tally) in judged::<C>("gpu", &*GPU, items) {
        assert!(tally.passes(), "{}: {:?}", class.name(), tally.worst());
    }
}

/// The GPU's answers do not depend on how items are cut into chunks.
pub fn chunks_do_not_matter<C: DrawnCheck>(items: u64) {
    let whole = judged::<C>("gpu", &*GPU, items);
    let in_chunks = judged::<C>("gpu, seven at a time", &gpu::open_with(Some(7), None), items);
    for ((_, one), (class, other)) in whole.iter().zip(&in_chunks) {
        for agreement in Agreement::ALL {
            assert_eq!(one.count(agreement), other.count(agreement), "{}", class.name());
        }
    }
}
