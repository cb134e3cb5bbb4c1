//! Job `world`: outcomes of worlds of rigid bodies.
//!
//! # Conventions
//! As in [`mod@crate::world`]. All worlds of a call share their bodies, walls and contact laws; what may vary is in
//! [`WorldStart`].

use crate::job::Job;
use crate::world::{World, WorldOutcome, WorldStart};

/// Job `world`: simulates a world from each start to its end.
///
/// ```
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
