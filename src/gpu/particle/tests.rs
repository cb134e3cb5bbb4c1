//! Kernels that are broken on purpose.

use super::MAX_SLICE;
use crate::gpu::faults::see_all;
use crate::gpu::particle::{source, trace_source};
use crate::gpu::{Gpu, GpuOptions};
use crate::reference::Reference;
use crate::validation::particles::{Class as ParticleClass, FallingParticles};
use crate::validation::{Agreement, validate_drawn};

fn open() -> Gpu {
    let adapter = std::env::var("TOUCHDOWN_ADAPTER").unwrap_or_else(|_| "llvmpipe".to_owned());
    Gpu::open(GpuOptions { adapter: Some(adapter), ..GpuOptions::default() }).unwrap()
}

/// Steps of a slice.
fn slice_of(gpu: &Gpu) -> u32 {
    gpu.session.lock().unwrap().device.rounds.min(MAX_SLICE)
}

/// Of how many particles of a class the device has wrong answers.
fn wrong(gpu: &Gpu) -> impl Fn(ParticleClass) -> u64 {
    let judge = Reference::new(0).unwrap();
    move |class| {
        let report = validate_drawn::<FallingParticles>(&judge, gpu, (class, 1), 2_000, &mut |_| {}).unwrap();
        report.tally.count(Agreement::Wrong)
    }
}

#[test]
fn broken_kernels_of_particles_are_called_wrong() {
    let gpu = open();
    let slice = slice_of(&gpu);
    let faults = [
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
    ];
    let sources = |class: ParticleClass| [source(class.restitution(), slice), trace_source(class.restitution())];
    see_all(&gpu, sources, &faults, wrong(&gpu));
}

#[test]
fn what_is_counted_wrongly_is_seen_in_the_outcomes_alone() {
    let gpu = open();
    let slice = slice_of(&gpu);
    let faults = [
        ("gap < 0.0", "gap < 1e-3", ParticleClass::Ordinary),
        ("w - particle.drop;", "w - 1.00002 * particle.drop;", ParticleClass::Ordinary),
    ];
    see_all(&gpu, |class| [source(class.restitution(), slice)], &faults, wrong(&gpu));
}
