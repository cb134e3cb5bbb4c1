//! Jobs `world` and `world_step`: outcomes of worlds of rigid bodies, and single steps of worlds of balls.
//!
//! # Conventions
//! As in [`mod@crate::world`]. All worlds of a call share their bodies, walls and contact laws; what may vary is in
//! [`WorldStart`].

use crate::job::Job;
use crate::world::{World, WorldOutcome, WorldStart, WorldStep, WorldStepped};

/// Job `world`: simulates a world from each start to its end.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::DVec3;
/// use touchdown::job::Compute;
/// use touchdown::native::Native;
/// use touchdown::query::Worlds;
/// use touchdown::world::{Body, Wall, World, WorldClass, WorldStart};
///
/// let world = World {
///     bodies: vec![Body::sphere("ball", 0.1, 1.0, DVec3::new(0.0, 0.0, 0.3))],
///     walls: vec![Wall::new("ground", DVec3::Z, DVec3::ZERO)],
///     restitution: 0.3,
///     ..World::default()
/// };
/// let slow = WorldStart::of(&world);
/// let mut fast = slow.clone();
/// fast.motions[0].velocity.z = -3.0;
/// let outcomes = Native::new(1)?.compute::<Worlds>(&world, &[slow, fast])?;
/// assert!(outcomes.iter().all(|outcome| outcome.class == WorldClass::Settled));
/// assert!(outcomes[1].impulses[0] > outcomes[0].impulses[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Worlds;

impl Job for Worlds {
    const NAME: &'static str = "world";
    type Shared<'a> = &'a World;
    type Item = WorldStart;
    type Answer = WorldOutcome;
}

/// Job `world_step`: one step of a world of balls with sweeps, by which engines are compared.
///
/// ```
/// # use touchdown_core as touchdown;
/// use glam::DVec3;
/// use touchdown::job::Compute;
/// use touchdown::query::WorldSteps;
/// use touchdown::reference::Reference;
/// use touchdown::world::{Body, Wall, World, WorldStart, WorldStep};
///
/// let world = World {
///     bodies: vec![Body::sphere("ball", 0.1, 1.0, DVec3::new(0.0, 0.0, 0.1))],
///     walls: vec![Wall::new("ground", DVec3::Z, DVec3::ZERO)],
///     sweeps: Some(4),
///     ..World::default()
/// };
/// let at_rest = WorldStep::of(&WorldStart::of(&world));
/// let stepped = &Reference::new(1)?.compute::<WorldSteps>(&world, &[at_rest])?[0];
/// // The ground holds the weight of 1 kg for 0.01 s.
/// assert!((stepped.contacts[0].impulse.z - 0.0980665).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WorldSteps;

impl Job for WorldSteps {
    const NAME: &'static str = "world_step";
    type Shared<'a> = &'a World;
    type Item = WorldStep;
    type Answer = WorldStepped;
}
