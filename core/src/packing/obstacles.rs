//! Contacts of bodies with the half spaces and balls of a scene.
//!
//! # Conventions
//! World coordinates in metres. Bodies are taken at their given positions; periodic images are not considered. Normals
//! point from the body into the leaf, separations are negative on overlap.

use glam::DVec3;
use thiserror::Error;

use super::Bodies;
use super::contacts::Selection;
use super::outline::Outline;
use crate::bvh::{Hierarchies, OverlapQuery};
use crate::engine::{Engine, EngineError};
use crate::job::Compute;
use crate::parallel;
use crate::query::{
    ContactStatus, Ellipsoid, EllipsoidContact, EllipsoidPair, EllipsoidPairs, EllipsoidWall, EllipsoidWalls,
    MAX_ASPECT, WallContact,
};
use crate::scene::BoundingBox;
use crate::scene::{HalfSpace, Node, NodeId, Scene, Solid, Sphere};

/// Maximum number of bodies processed together.
const BODIES_PER_BLOCK: usize = 1 << 14;

/// Pairs that a block ends with: some tens of megabytes.
const PAIRS_PER_BLOCK: usize = 1 << 16;

/// Bodies that one thread takes at a time.
const BODIES_PER_TASK: usize = 16;

/// Fewest and most bodies that threads share out among themselves.
const BODIES_PER_STEP: [usize; 2] = [16, 1 << 10];

/// What sums of a coordinate, half a box and a distance owe to rounding, as a part of their size: below 8 roundings of
/// 2^-53 each.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Half spaces and balls, by leaf number.
#[derive(Clone, Debug)]
pub struct Obstacles {
    half_spaces: Vec<(u32, HalfSpace)>,
    balls: Vec<(u32, Ellipsoid, Outline)>,
    /// Boxes around the balls.
    hierarchies: Hierarchies,
}

/// Why bodies cannot touch a scene leaf by leaf.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ObstaclesError {
    /// Leaves that are only partly on the surface of the scene.
    #[error("contacts with a scene require a union of half spaces and balls; this scene has {found}")]
    Scene {
        /// What is in the way.
        found: String,
    },
    /// Sizes too different for one formula.
    #[error(
        "body {body} has a semi-axis of {semi_axis:e} m and the ball of leaf {leaf} a radius of {radius:e} m: neither may \
         be more than {MAX_ASPECT:e} times the other"
    )]
    Sizes {
        /// The body with the shortest or longest semi-axis.
        body: i64,
        /// That semi-axis \[m\].
        semi_axis: f64,
        /// The leaf with the largest or smallest ball.
        leaf: u32,
        /// Its radius \[m\].
        radius: f64,
    },
}

/// A contact of a body with a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafContact {
    /// Id of the body.
    pub id: i64,
    /// Number of the leaf.
    pub leaf: u32,
    /// The contact; with a ball `mu` is the factor by which both are scaled, `point` is where they then touch, and the
    /// status may be `Degenerate`, if the centres coincide, or `NotConverged`.
    pub contact: WallContact,
}

/// Contacts of some bodies with all leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafBlock {
    /// By id, then leaf.
    pub contacts: Vec<LeafContact>,
    /// Number of bodies processed.
    pub bodies: usize,
}

impl Obstacles {
    /// The obstacles of a scene.
    ///
    /// # Errors
    /// If the scene is not a union of half spaces and balls of positive size.
    pub fn of(scene: &Scene) -> Result<Self, ObstaclesError> {
        let mut obstacles = Self { half_spaces: Vec::new(), balls: Vec::new(), hierarchies: Hierarchies::new(&[]) };
        obstacles.add(scene, scene.root())?;
        let boxes: Vec<BoundingBox> =
            parallel::map(&obstacles.balls, BODIES_PER_TASK, |(_, ball, outline)| around(ball.center, outline, 0.0));
        obstacles.hierarchies = Hierarchies::new(&boxes);
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

    /// Contacts with all bodies in blocks, ordered by id and leaf.
    ///
    /// # Errors
    /// If the sizes of a body and a ball differ by more than [`MAX_ASPECT`].
    pub fn contacts<'a>(
        &'a self,
        engine: &'a dyn Engine,
        bodies: &'a Bodies,
        selection: Selection,
    ) -> Result<impl Iterator<Item = Result<LeafBlock, EngineError>> + 'a, ObstaclesError> {
        self.refuse_sizes(bodies)?;
        let mut done = 0;
        Ok(std::iter::from_fn(move || {
            (done < bodies.len()).then(|| {
                let (near, end) = self.near(bodies, done, selection.distance());
                let looked_at = end - std::mem::replace(&mut done, end);
                Ok(LeafBlock { contacts: self.answers(engine, bodies, &near, selection)?, bodies: looked_at })
            })
        }))
    }

    /// Refuses balls that are too large or too small beside a body to be asked about together.
    fn refuse_sizes(&self, bodies: &Bodies) -> Result<(), ObstaclesError> {
        let radii = || self.balls.iter().map(|(leaf, ball, _)| (*leaf, ball.semi_axes.x));
        let smallest = radii().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((smallest, largest)) = smallest.zip(radii().max_by(|a, b| a.1.total_cmp(&b.1))) else {
            return Ok(());
        };
        for (&body, ellipsoid) in bodies.ids().iter().zip(bodies.ellipsoids()) {
            let (least, most) = (ellipsoid.semi_axes.min_element(), ellipsoid.semi_axes.max_element());
            if largest.1 > MAX_ASPECT * least {
                return Err(ObstaclesError::Sizes { body, semi_axis: least, leaf: largest.0, radius: largest.1 });
            }
            if most > MAX_ASPECT * smallest.1 {
                return Err(ObstaclesError::Sizes { body, semi_axis: most, leaf: smallest.0, radius: smallest.1 });
            }
        }
        Ok(())
    }

    /// The leaves that may be within a distance of some bodies, from one on; and the body that is next.
    fn near(&self, bodies: &Bodies, first: usize, distance: f64) -> (Vec<Near>, usize) {
        let leaves = self.half_spaces.len() + self.balls.len();
        let [fewest, most] = BODIES_PER_STEP;
        // Were all leaves near all of them, these would be the pairs of a block.
        let step = (PAIRS_PER_BLOCK / leaves.max(1)).clamp(fewest, most);
        let (mut near, mut end) = (Vec::new(), first);
        while end < bodies.len() && near.len() < PAIRS_PER_BLOCK && end - first < BODIES_PER_BLOCK {
            let some = end..bodies.len().min(end + step);
            end = some.end;
            near.extend(parallel::flat_map_ranges(some.len(), BODIES_PER_TASK, |numbers| {
                numbers.flat_map(|number| self.near_body(bodies, some.start + number, distance)).collect()
            }));
        }
        (near, end)
    }

    fn near_body(&self, bodies: &Bodies, body: usize, distance: f64) -> Vec<Near> {
        let ellipsoid = &bodies.ellipsoids()[body];
        let outline = Outline::of(ellipsoid);
        let half_spaces = self.half_spaces.iter().enumerate();
        let near = half_spaces.filter(|(_, (_, half_space))| !outline.is_apart_from(half_space, distance));
        let mut found: Vec<Near> = near.map(|(place, _)| Near { body, leaf: Leaf::HalfSpace(place) }).collect();
        let bounds = around(ellipsoid.center, &outline, distance);
        for (number, tree) in (0..).zip(self.hierarchies.trees()) {
            tree.meet(&OverlapQuery { tree: number, least_number: 0, bounds }, &mut |place| {
                let ball = tree.bodies()[place] as usize;
                if !outline.is_apart(&self.balls[ball].2, distance) {
                    found.push(Near { body, leaf: Leaf::Ball(ball) });
                }
            });
        }
        found
    }

    fn answers(
        &self,
        engine: &dyn Engine,
        bodies: &Bodies,
        near: &[Near],
        selection: Selection,
    ) -> Result<Vec<LeafContact>, EngineError> {
        let (mut wall_keys, mut walls) = (Vec::new(), Vec::new());
        let (mut pair_keys, mut pairs) = (Vec::new(), Vec::new());
        for &Near { body, leaf } in near {
            let (id, ellipsoid) = (bodies.ids()[body], bodies.ellipsoids()[body]);
            match leaf {
                Leaf::HalfSpace(place) => {
                    let (leaf, HalfSpace { normal, offset }) = self.half_spaces[place];
                    wall_keys.push((id, leaf));
                    walls.push(EllipsoidWall { ellipsoid, normal, offset });
                }
                Leaf::Ball(place) => {
                    let (leaf, ball, _) = self.balls[place];
                    pair_keys.push((id, leaf));
                    pairs.push(EllipsoidPair::new(ellipsoid, ball));
                }
            }
        }
        let of_walls = wall_keys.into_iter().zip(engine.compute::<EllipsoidWalls>((), &walls)?);
        let mut contacts: Vec<LeafContact> = of_walls
            .filter(|(_, contact)| contact.status != ContactStatus::Ok || contact.separation <= selection.distance())
            .map(|((id, leaf), contact)| LeafContact { id, leaf, contact })
            .collect();
        let of_pairs = pair_keys.into_iter().zip(engine.compute::<EllipsoidPairs>((), &pairs)?);
        let told = of_pairs.filter(|(_, contact)| selection.takes(contact));
        contacts.extend(told.map(|((id, leaf), contact)| LeafContact { id, leaf, contact: wall_contact(&contact) }));
        contacts.sort_unstable_by_key(|contact| (contact.id, contact.leaf));
        Ok(contacts)
    }
}

/// A body and a leaf that may be near it, by their places.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Near {
    body: usize,
    leaf: Leaf,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Leaf {
    HalfSpace(usize),
    Ball(usize),
}

/// A box around all that is within a distance of an ellipsoid.
fn around(center: DVec3, outline: &Outline, distance: f64) -> BoundingBox {
    let half = outline.half_extents() + distance;
    let half = half + ROUNDING * (center.abs() + half);
    BoundingBox { min: center - half, max: center + half }
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

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::random::uniform;
    use crate::scene::Shape;

    fn obstacles(shapes: Vec<Shape>) -> Obstacles {
        Obstacles::of(&Scene::new(&Shape::union(shapes), Vec::new(), None, None).unwrap()).unwrap()
    }

    /// A body of some size and direction in a box of side 10.
    fn body(number: u64) -> (i64, Ellipsoid) {
        let random = |variable| uniform(1, number, variable);
        let ellipsoid = Ellipsoid {
            center: 10.0 * DVec3::new(random(0), random(1), random(2)),
            semi_axes: 0.05 + DVec3::new(random(3), random(4), random(5)),
            rotation: DQuat::from_xyzw(random(6), random(7) - 0.5, random(8) - 0.5, random(9) - 0.5),
        };
        (number as i64, ellipsoid)
    }

    #[test]
    fn engines_are_asked_about_all_that_may_be_near_and_little_else() {
        let random = |number, variable| uniform(2, number, variable);
        let direction = |number| DVec3::new(random(number, 4), random(number, 5), random(number, 6)) - 0.5;
        let ball = |number| {
            let center = 10.0 * DVec3::new(random(number, 0), random(number, 1), random(number, 2));
            Shape::sphere(center, 0.01 + random(number, 3).powi(4))
        };
        let wall = |number| Shape::half_space(direction(number), -3.0 * random(number, 7));
        let obstacles = obstacles((0..300).map(ball).chain((300..320).map(wall)).collect());
        let bodies = Bodies::new((0..200).map(body).collect()).unwrap();
        for distance in [0.0, 0.3] {
            let (near, end) = obstacles.near(&bodies, 0, distance);
            assert_eq!(end, bodies.len());
            let (mut asked, mut truly_near) = (0, 0);
            for (body, ellipsoid) in bodies.ellipsoids().iter().enumerate() {
                for (place, (_, ball, _)) in obstacles.balls.iter().enumerate() {
                    let true_distance = EllipsoidPair::new(*ellipsoid, *ball).signed_distance().distance;
                    let is_asked = near.contains(&Near { body, leaf: Leaf::Ball(place) });
                    assert!(is_asked || true_distance > distance, "body {body}, ball {place}: {true_distance}");
                    asked += usize::from(is_asked);
                    truly_near += usize::from(true_distance <= distance);
                }
                for (place, (_, half_space)) in obstacles.half_spaces.iter().enumerate() {
                    let HalfSpace { normal, offset } = *half_space;
                    // How far it reaches against the normal, from its axes.
                    let along = ellipsoid.axes().transpose() * normal * ellipsoid.semi_axes;
                    let separation = (normal.dot(ellipsoid.center) - offset - along.length()) / normal.length();
                    let is_asked = near.contains(&Near { body, leaf: Leaf::HalfSpace(place) });
                    // Both sides round in the last places of tens of metres.
                    assert!((separation - distance).abs() < 1e-9 || is_asked == (separation <= distance));
                }
            }
            // Directions that are looked along part nearly all that a plane can part.
            assert!(truly_near > 100 && 4 * asked < 5 * truly_near, "{asked} asked, {truly_near} near");
        }
    }

    #[test]
    fn blocks_hold_a_bounded_number_of_pairs_where_all_touch_all() {
        let obstacles = obstacles(vec![Shape::sphere(DVec3::splat(5.0), 9.0); 3000]);
        let bodies = Bodies::new((0..100).map(body).collect()).unwrap();
        let (mut first, mut pairs) = (0, 0);
        while first < bodies.len() {
            let (near, end) = obstacles.near(&bodies, first, 0.0);
            assert!(near.len() <= 2 * PAIRS_PER_BLOCK && end > first, "{} pairs", near.len());
            (first, pairs) = (end, pairs + near.len());
        }
        assert_eq!(pairs, 100 * 3000);
    }
}
