//! Bodies against the half spaces and balls of a scene.
//!
//! # Conventions
//! World coordinates in metres. Bodies stand where they were given; images in a periodic space are not looked at. Normals
//! point from the body into the leaf, separations are negative on overlap.

use thiserror::Error;

use super::Bodies;
use super::contacts::Selection;
use super::outline::Outline;
use crate::engine::{Engine, EngineError};
use crate::query::{ContactStatus, Ellipsoid, EllipsoidContact, EllipsoidPair, EllipsoidWall, WallContact};
use crate::scene::{HalfSpace, Node, NodeId, Scene, Solid, Sphere};

/// Bodies that are looked at together.
const BODIES_PER_BLOCK: usize = 1 << 14;

/// Half spaces and balls, by the numbers of their leaves.
#[derive(Clone, Debug, Default)]
pub struct Obstacles {
    half_spaces: Vec<(u32, HalfSpace)>,
    balls: Vec<(u32, Ellipsoid, Outline)>,
}

/// Why a scene is none that bodies touch leaf by leaf.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ObstaclesError {
    /// Leaves of which only a part is the scene's border.
    #[error("bodies touch scenes that are a union of half spaces and balls; this one has {found}")]
    Scene {
        /// What is in the way.
        found: String,
    },
}

/// A contact of a body with a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafContact {
    /// Id of the body.
    pub id: i64,
    /// Number of the leaf.
    pub leaf: u32,
    /// The contact; with a ball `mu` is the factor by which both grow, `point` is where they touch then, and the status may
    /// be `Degenerate`, where the centres coincide, or `NotConverged`.
    pub contact: WallContact,
}

/// Contacts of some bodies with all leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafBlock {
    /// By id, then leaf.
    pub contacts: Vec<LeafContact>,
    /// How many bodies were looked at.
    pub bodies: usize,
}

impl Obstacles {
    /// The obstacles of a scene.
    ///
    /// # Errors
    /// When the scene is not a union of half spaces and balls of some size.
    pub fn of(scene: &Scene) -> Result<Self, ObstaclesError> {
        let mut obstacles = Self::default();
        obstacles.add(scene, scene.root())?;
        Ok(obstacles)
    }

    fn add(&mut self, scene: &Scene, node: NodeId) -> Result<(), ObstaclesError> {
        let refused = |found: String| Err(ObstaclesError::Scene { found });
        match scene.node(node) {
            Node::Nothing => {}
            Node::Everything => return refused("everything".to_owned()),
            Node::Intersection(_) => return refused("an intersection".to_owned()),
            Node::Union(children) => children.iter().try_for_each(|&child| self.add(scene, child))?,
            Node::Cell(cell) => match &cell.half_spaces[..] {
                [half_space] => self.half_spaces.push((cell.first_leaf, *half_space)),
                half_spaces => return refused(format!("an intersection of {} half spaces", half_spaces.len())),
            },
            Node::Leaf(number) => {
                let leaf = scene.leaf(*number);
                match leaf.solid {
                    Solid::Sphere(Sphere { center, radius }) if !leaf.complemented => {
                        let ball = Ellipsoid::ball(center, radius);
                        if !ball.is_valid() {
                            return refused(format!("a ball of radius {radius} m as leaf {number}"));
                        }
                        self.balls.push((*number, ball, Outline::of(&ball)));
                    }
                    _ => return refused(format!("another solid as leaf {number}")),
                }
            }
        }
        Ok(())
    }

    /// Contacts with all bodies in blocks, by id and leaf.
    pub fn contacts<'a>(
        &'a self,
        engine: &'a dyn Engine,
        bodies: &'a Bodies,
        selection: Selection,
    ) -> impl Iterator<Item = Result<LeafBlock, EngineError>> + 'a {
        let blocks = bodies.ids().chunks(BODIES_PER_BLOCK).zip(bodies.ellipsoids().chunks(BODIES_PER_BLOCK));
        blocks.map(move |(ids, ellipsoids)| {
            let contacts = self.of_block(engine, ids, ellipsoids, selection)?;
            Ok(LeafBlock { contacts, bodies: ids.len() })
        })
    }

    fn of_block(
        &self,
        engine: &dyn Engine,
        ids: &[i64],
        ellipsoids: &[Ellipsoid],
        selection: Selection,
    ) -> Result<Vec<LeafContact>, EngineError> {
        let (mut wall_keys, mut walls) = (Vec::new(), Vec::new());
        let (mut pair_keys, mut pairs) = (Vec::new(), Vec::new());
        for (&id, &ellipsoid) in ids.iter().zip(ellipsoids) {
            let outline = Outline::of(&ellipsoid);
            for &(leaf, HalfSpace { normal, offset }) in &self.half_spaces {
                wall_keys.push((id, leaf));
                walls.push(EllipsoidWall { ellipsoid, normal, offset });
            }
            for (leaf, ball, around) in &self.balls {
                if !outline.is_apart(around, selection.distance()) {
                    pair_keys.push((id, *leaf));
                    pairs.push(EllipsoidPair::new(ellipsoid, *ball));
                }
            }
        }
        let of_walls = wall_keys.into_iter().zip(engine.ellipsoid_walls(&walls)?);
        let mut contacts: Vec<LeafContact> = of_walls
            .filter(|(_, contact)| contact.status != ContactStatus::Ok || contact.separation <= selection.distance())
            .map(|((id, leaf), contact)| LeafContact { id, leaf, contact })
            .collect();
        let of_pairs = pair_keys.into_iter().zip(engine.ellipsoid_pairs(&pairs)?);
        let told = of_pairs.filter(|(_, contact)| selection.takes(contact));
        contacts.extend(told.map(|((id, leaf), contact)| LeafContact { id, leaf, contact: wall_contact(&contact) }));
        contacts.sort_unstable_by_key(|contact| (contact.id, contact.leaf));
        Ok(contacts)
    }
}

/// A contact with a ball in the words of one with a wall.
fn wall_contact(contact: &EllipsoidContact) -> WallContact {
    WallContact {
        status: contact.status,
        mu: contact.mu,
        normal: contact.normal,
        point: contact.point,
        separation: contact.separation,
    }
}
