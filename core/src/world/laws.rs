//! Contact laws side by side: the same world with each law and several steps.

use std::f64::consts::PI;

use glam::DVec3;

use super::definition::{Contacts, Law, MAX_WORLD_STEPS, Resolution, STEPS_IN_CONTACT, World};
use super::error::WorldError;
use super::run::run;
use super::shape::BodyShape;
use super::start::WorldStart;
use crate::parallel;

/// Sweeps of the approximate law.
const SWEEPS: u32 = 8;
/// The contact time of springs, in the longest steps: more than the least, which rounding may miss.
const LONGEST_STEPS_IN_CONTACT: f64 = 1.2 * STEPS_IN_CONTACT;

/// A world with one law and one step.
#[derive(Clone, Debug, PartialEq)]
pub struct LawResult {
    /// The law, as in docs/contact-laws.md.
    pub law: String,
    /// Length of a step \[s\].
    pub step: f64,
    /// Largest penetration \[m\]; this and the other results are not finite if the run diverges.
    pub penetration: f64,
    /// Loss of energy from start to end \[J\].
    pub energy_lost: f64,
    /// Largest excess of the energy over that at the start \[J\].
    pub energy_gained: f64,
    /// Largest distance of a body at the end from where the smallest step of this law leaves it \[m\].
    pub off: f64,
}

/// Runs a world with each contact law, and with steps of its own length and of shorter ones by these factors, on all
/// threads; those of one law follow each other. Springs have a contact time of 12 of the world's steps, the stiffness of
/// undamped ones between two of the lightest bodies. Laws that the world is not for are left out; so are damped springs
/// where a restitution is too small for them.
///
/// # Errors
/// If the world is invalid, or a step is too short for its duration.
pub fn compare_laws(world: &World, factors: &[f64]) -> Result<Vec<LawResult>, WorldError> {
    world.check()?;
    let start = WorldStart::of(world);
    let mut worlds = Vec::new();
    for (name, base) in laws(world) {
        if base.check().and_then(|()| start.check(&base)).is_err() {
            continue;
        }
        for factor in factors {
            let steps = (f64::from(world.steps) / factor).round();
            if !(1.0..=f64::from(MAX_WORLD_STEPS)).contains(&steps) {
                return Err(WorldError::Steps { steps: steps.min(f64::from(u32::MAX)) as u32 });
            }
            let step = world.step * factor;
            worlds.push((name.clone(), World { step, steps: steps as u32, ..base.clone() }));
        }
    }
    let mut runs = parallel::map(&worlds, 1, |(name, world)| followed(name, world, &start));
    for runs in runs.chunk_by_mut(|one, other| one.0.law == other.0.law) {
        let finest = runs.iter().min_by(|one, other| one.0.step.total_cmp(&other.0.step)).map(|run| run.1.clone());
        for (row, places) in runs {
            let offs = places.iter().zip(finest.iter().flatten()).map(|(place, other)| place.distance(*other));
            row.off = offs.fold(0.0, larger);
        }
    }
    Ok(runs.into_iter().map(|(row, _)| row).collect())
}

/// The laws that a world may have, with their names.
fn laws(world: &World) -> Vec<(String, World)> {
    let rigid = World { law: Law::Rigid, sweeps: None, ..world.clone() };
    let contact_time = LONGEST_STEPS_IN_CONTACT * world.step;
    let lightest = world.bodies.iter().map(|body| body.mass).fold(f64::INFINITY, f64::min);
    let stiffness = 0.5 * lightest * (PI / contact_time).powi(2);
    let swept = World { contacts: Contacts::Swept, ..rigid.clone() };
    let mut laws = vec![("rigid, swept".to_owned(), swept.clone())];
    if world.bodies.iter().all(|body| matches!(body.shape, BodyShape::Sphere { .. })) {
        laws.push((
            format!("rigid, {SWEEPS} sweeps"),
            World { sweeps: Some(SWEEPS), resolution: Resolution::Simultaneous, ..swept },
        ));
    }
    laws.push(("rigid, end of step".to_owned(), World { contacts: Contacts::EndOfStep, ..rigid.clone() }));
    laws.push(("viscoelastic".to_owned(), World { law: Law::ViscoElastic { contact_time }, ..rigid.clone() }));
    laws.push(("penalty".to_owned(), World { law: Law::Penalty { stiffness }, ..rigid }));
    laws
}

/// The larger of two numbers; none if one is none, as after a run that diverges.
fn larger(one: f64, other: f64) -> f64 {
    if other > one || other.is_nan() { other } else { one }
}

/// A run, and where it leaves its bodies.
fn followed(law: &str, world: &World, start: &WorldStart) -> (LawResult, Vec<DVec3>) {
    let mut energies: Option<[f64; 2]> = None;
    let mut places = Vec::new();
    let outcome = run(world, start, &mut |stepper| {
        let energy: f64 = stepper.energies().iter().sum();
        let [_, most] = energies.unwrap_or([energy; 2]);
        energies = Some([energy, larger(most, energy)]);
        places = stepper.motions().iter().map(|motion| motion.position).collect();
    });
    let [last, most] = energies.unwrap_or_default();
    let row = LawResult {
        law: law.to_owned(),
        step: world.step,
        penetration: outcome.penetration,
        energy_lost: outcome.energy_lost,
        energy_gained: larger(0.0, most - last - outcome.energy_lost),
        off: 0.0,
    };
    (row, places)
}

#[cfg(test)]
mod tests {
    use super::larger;

    #[test]
    fn the_larger_of_numbers_is_none_where_one_is_none() {
        assert_eq!([larger(1.0, 2.0), larger(2.0, 1.0), larger(0.0, f64::INFINITY)], [2.0, 2.0, f64::INFINITY]);
        assert!([0.0, f64::NAN, 1.0].into_iter().fold(0.0, larger).is_nan());
    }
}
