//! Job `world`: what worlds of rigid bodies come to.
//!
//! # Conventions
//! As in [`mod@crate::world`]. All worlds of a call share their bodies, walls and laws; what may differ is in [`WorldStart`].

use crate::job::Job;
use crate::world::{World, WorldOutcome, WorldStart};

/// Job `world`: a world from each start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Worlds;

impl Job for Worlds {
    const NAME: &'static str = "world";
    type Shared<'a> = &'a World;
    type Item = WorldStart;
    type Answer = WorldOutcome;
}
