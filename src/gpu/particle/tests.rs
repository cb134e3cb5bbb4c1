//! Kernels that are broken on purpose.

use std::sync::Arc;

use super::MAX_SLICE;
use crate::gpu::kernel::Kernel;
use crate::gpu::particle::{source, trace_source};
use crate::gpu::{Gpu, GpuOptions};
use crate::reference::Reference;
use crate::validation::particles::{Class as ParticleClass, FallingParticles};
use crate::validation::{Agreement, validate_drawn};

fn open() -> Gpu {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap()
}

#[test]
fn broken_kernels_of_particles_are_called_wrong() {
    let (gpu, judge) = (open(), Reference::new(0).unwrap());
    let wrong = |class| {
        let report = validate_drawn::<FallingParticles>(&judge, &gpu, (class, 1), 2_000, &mut |_| {}).unwrap();
        report.tally.count(Agreement::Wrong)
    };
    for (right, broken, class) in [
        ("x + w - particle.gap_drop", "x + w - particle.drop", ParticleClass::Ordinary),
        ("w - particle.drop;", "w - particle.gap_drop;", ParticleClass::Ordinary),
        ("gap < 0.0", "gap < 1e-3", ParticleClass::Ordinary),
        ("particle.inverse_gamma * x", "particle.restitution * x", ParticleClass::Ordinary),
        ("particle.inverse_gamma * -gap", "-gap", ParticleClass::Lively),
        ("position = 0.0", "position = -gap", ParticleClass::Ordinary),
        ("was_in_contact << 1u", "0u", ParticleClass::Resting),
        ("1u - was_in_contact", "1u", ParticleClass::Resting),
        ("contact_steps == 0u", "contact_steps == 1u", ParticleClass::Resting),
        ("max((*state).peak_push, push)", "push", ParticleClass::Elastic),
        ("max((*state).rebound_height, gap)", "gap", ParticleClass::Elastic),
        ("particle.restitution * sqrt", "sqrt", ParticleClass::Exact),
        ("2.0 * particle.drop", "particle.drop", ParticleClass::Exact),
        ("travel - w + particle.drop", "travel - w", ParticleClass::Exact),
    ] {
        assert_eq!(wrong(class), 0, "before {broken}");
        let restitution = class.restitution();
        {
            let mut session = gpu.session.lock().unwrap();
            let slice = session.device.rounds.min(MAX_SLICE);
            for source in [source(restitution, slice), trace_source(restitution)] {
                let changed = source.replace(right, broken);
                assert_ne!(changed, source);
                let kernel = Arc::new(Kernel::new(&session.device, "broken", &changed).unwrap());
                session.kernels.insert(source, kernel);
            }
        }
        assert!(wrong(class) > 0, "{broken}");
        gpu.session.lock().unwrap().kernels.clear();
    }
}

#[test]
fn what_is_counted_wrongly_is_seen_in_the_outcomes_alone() {
    let (gpu, judge) = (open(), Reference::new(0).unwrap());
    let source = {
        let session = gpu.session.lock().unwrap();
        source(ParticleClass::Ordinary.restitution(), session.device.rounds.min(MAX_SLICE))
    };
    for (right, broken) in [("gap < 0.0", "gap < 1e-3"), ("w - particle.drop;", "w - 1.00002 * particle.drop;")] {
        let mut session = gpu.session.lock().unwrap();
        let kernel = Arc::new(Kernel::new(&session.device, "broken", &source.replace(right, broken)).unwrap());
        session.kernels.insert(source.clone(), kernel);
        drop(session);
        let report =
            validate_drawn::<FallingParticles>(&judge, &gpu, (ParticleClass::Ordinary, 1), 2_000, &mut |_| {}).unwrap();
        assert!(report.tally.count(Agreement::Wrong) > 0, "{broken}");
    }
}
