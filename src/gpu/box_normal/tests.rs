//! Kernels that are broken on purpose.

use std::sync::Arc;

use crate::gpu::kernel::Kernel;
use crate::gpu::{Gpu, GpuOptions, shader};
use crate::reference::Reference;
use crate::validation::{Agreement, BoxClass, validate_boxes};

#[test]
fn broken_kernels_of_boxes_are_called_wrong() {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    let gpu = Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap();
    let judge = Reference::new(0).unwrap();
    let wrong = |class| {
        match validate_boxes(&judge, &gpu, (class, 1), 2_000, &mut |_| {}) {
            Ok(tally) => tally.count(Agreement::Wrong),
            // A normal that is no number is no answer.
            Err(error) if error.to_string().contains("got no answer") => 2_000,
            Err(error) => panic!("{error}"),
        }
    };
    for (right, broken, class) in [
        // Each face forgets that others are near; edges stay sharp.
        ("min(depth, radius)", "min(2.0 * depth, radius)", BoxClass::Vehicles),
        // The ray keeps to a face whose reach it has left, or leaves every corner.
        ("if dot(there, there) > 1.0", "if dot(there, there) > 1e9", BoxClass::Vehicles),
        ("if dot(there, there) > 1.0", "if dot(there, there) > 0.9", BoxClass::Vehicles),
        ("foot + direction * half_chord", "foot - direction * half_chord", BoxClass::Vehicles),
        ("body.contact * to_world", "to_world * body.contact", BoxClass::Axes),
        ("sqrt(max(1.0 - dot", "sqrt(max(1.0001 - dot", BoxClass::Seams),
        ("select(normal, -normal, local < zero)", "normal", BoxClass::Sizes),
        ("one.slope < two.slope", "one.slope > two.slope", BoxClass::Pairs),
        ("one.normal - two.normal", "one.normal - 0.99 * two.normal", BoxClass::Pairs),
    ] {
        assert_eq!(wrong(class), 0, "before {broken}");
        for source in [shader::box_normal_source(), shader::box_pair_source()] {
            let mut session = gpu.session.lock().unwrap();
            let changed = source.replace(right, broken);
            let kernel = Arc::new(Kernel::new(&session.device, "broken", &changed).unwrap());
            session.kernels.insert(source, kernel);
        }
        assert!(wrong(class) > 0, "{broken}");
        gpu.session.lock().unwrap().kernels.clear();
    }
}
