//! Fixed solids that bodies stay out of: the convex parts of a scene.
//!
//! A scene of half spaces in unions, intersections and differences is a union of intersections of half spaces, each of which is a
//! convex polyhedron, or a wall where it is one half space. Balls and ellipsoids are parts where nothing is cut off them.

use glam::{DMat3, DQuat, DVec3};

use super::definition::{Bounds, MAX_OBSTACLES, Wall, World};
use super::error::WorldError;
use super::hull::hull_body;
use super::motion::Motion;
use super::shape::BodyShape;
use crate::scene::{HalfSpace, HullError, Node, NodeId, Scene, Solid, Sphere};

/// Most half spaces of a part: its corners are sought among all triples of them.
const MAX_PLANES: usize = 48;
/// Most corners of a part: each is tested against every body that is near.
const MAX_CORNERS: usize = 128;
/// How far beyond the bounds of a world parts are kept, in sizes of the largest body: nothing that touches there comes so far.
const BEYOND: f64 = 8.0;
/// How far a corner may be off the planes that others make it by, in parts of the room: rounding.
const ROUNDING: f64 = 1e-12;

/// A fixed solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Its name in tables and errors.
    pub name: String,
    /// Its shape.
    pub shape: BodyShape,
    /// Where it stands, at rest.
    pub place: Motion,
    /// Restitution, overriding the world's.
    pub restitution: Option<f64>,
    /// Friction coefficient, overriding the world's.
    pub friction: Option<f64>,
}

/// What is the set of all points in all of them, and in the round one.
#[derive(Clone)]
struct Part {
    planes: Vec<HalfSpace>,
    round: Option<(BodyShape, Motion)>,
}

impl World {
    /// Puts the solids of a scene into the world, as walls and obstacles named `ground.1`, `ground.2` and so on.
    ///
    /// # Errors
    /// If the scene has other parts than half spaces in any combination, whole balls and whole ellipsoids, too many of them, or
    /// parts without an end in a world without bounds.
    pub fn add_ground(
        &mut self,
        scene: &Scene,
        restitution: Option<f64>,
        friction: Option<f64>,
    ) -> Result<(), WorldError> {
        let room = self.room();
        for (number, part) in parts(scene, scene.root())?.into_iter().enumerate() {
            let name = format!("ground.{}", number + 1);
            let (shape, place) = match part {
                Part { round: Some(round), .. } => round,
                Part { planes, .. } => match planes[..] {
                    [HalfSpace { normal, offset }] => {
                        let through = normal * (offset / normal.length_squared());
                        self.walls.push(Wall { restitution, friction, ..Wall::new(name, normal, through) });
                        continue;
                    }
                    _ => match polyhedron(&name, &planes, room)? {
                        Some(found) => found,
                        None => continue,
                    },
                },
            };
            self.obstacles.push(Obstacle { name, shape, place, restitution, friction });
        }
        Ok(())
    }

    /// Where bodies may touch something, if there are bounds.
    fn room(&self) -> Option<Bounds> {
        let largest = self.bodies.iter().map(|body| body.shape.reach()).fold(0.0, f64::max);
        self.bounds.map(|Bounds { min, max }| Bounds { min: min - BEYOND * largest, max: max + BEYOND * largest })
    }
}

fn refused<T>(what: impl Into<String>) -> Result<T, WorldError> {
    Err(WorldError::Ground { what: what.into() })
}

/// The parts of a node.
fn parts(scene: &Scene, node: NodeId) -> Result<Vec<Part>, WorldError> {
    let all = match scene.node(node) {
        Node::Nothing => Vec::new(),
        Node::Everything => return refused("it is everywhere"),
        Node::Cell(cell) => vec![Part { planes: cell.half_spaces.clone(), round: None }],
        Node::Leaf(number) => {
            let leaf = scene.leaf(*number);
            match round(&leaf.solid).filter(|_| !leaf.complemented) {
                Some(round) => vec![Part { planes: Vec::new(), round: Some(round) }],
                None => return refused(format!("leaf {number} is another solid, or has been cut out of others")),
            }
        }
        Node::Union(children) => {
            let mut all = Vec::new();
            for &child in children {
                all.extend(parts(scene, child)?);
            }
            all
        }
        Node::Intersection(children) => {
            let mut all = vec![Part { planes: Vec::new(), round: None }];
            for &child in children {
                let others = parts(scene, child)?;
                let mut both = Vec::with_capacity(all.len() * others.len());
                for one in &all {
                    for other in &others {
                        both.push(one.and(other)?);
                    }
                }
                all = both;
                at_most(all.len())?;
            }
            all
        }
    };
    at_most(all.len())?;
    Ok(all)
}

fn at_most(count: usize) -> Result<(), WorldError> {
    if count <= MAX_OBSTACLES { Ok(()) } else { refused(format!("it has more than {MAX_OBSTACLES} convex parts")) }
}

impl Part {
    /// What is in both.
    fn and(&self, other: &Self) -> Result<Self, WorldError> {
        let is_whole = |part: &Self| part.planes.is_empty() && part.round.is_none();
        match (&self.round, &other.round) {
            (None, None) => Ok(Self { planes: [&self.planes[..], &other.planes[..]].concat(), round: None }),
            _ if is_whole(self) => Ok(other.clone()),
            _ if is_whole(other) => Ok(self.clone()),
            _ => refused("something is cut off a ball"),
        }
    }
}

/// A ball or an ellipsoid, and where it stands.
fn round(solid: &Solid) -> Option<(BodyShape, Motion)> {
    match solid {
        Solid::Sphere(Sphere { center, radius }) => Some((BodyShape::Sphere { radius: *radius }, Motion::at(*center))),
        Solid::Stretched(stretched) => {
            let Solid::Sphere(Sphere { center, radius }) = stretched.base else { return None };
            let axes = stretched.from_local * radius;
            let sizes = DVec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length());
            let [x, y, z] = [axes.x_axis / sizes.x, axes.y_axis / sizes.y, axes.z_axis / sizes.z];
            let is_right = [x.dot(y), y.dot(z), z.dot(x)].into_iter().all(|cosine| cosine.abs() < 1e-9);
            let turn = DMat3::from_cols(x, y, x.cross(y));
            let position = stretched.center + stretched.from_local * center;
            let place = Motion { orientation: DQuat::from_mat3(&turn).normalize(), ..Motion::at(position) };
            is_right.then_some((BodyShape::Ellipsoid { semi_axes: sizes }, place))
        }
        _ => None,
    }
}

/// The polyhedron in these half spaces and the room; `None` for one without a volume.
fn polyhedron(
    name: &str,
    planes: &[HalfSpace],
    room: Option<Bounds>,
) -> Result<Option<(BodyShape, Motion)>, WorldError> {
    if planes.len() > MAX_PLANES {
        return refused(format!("{name} has {} sides, and may have {MAX_PLANES}", planes.len()));
    }
    let unit = |plane: &HalfSpace| {
        let length = plane.normal.length();
        HalfSpace { normal: plane.normal / length, offset: plane.offset / length }
    };
    let mut planes: Vec<HalfSpace> = planes.iter().map(unit).collect();
    let farthest = planes.iter().map(|plane| plane.offset.abs()).fold(1.0, f64::max);
    // Without bounds what reaches this far does not end.
    let far = 1e3 * farthest;
    let Bounds { min, max } = room.unwrap_or(Bounds { min: DVec3::splat(-far), max: DVec3::splat(far) });
    let own = planes.len();
    for axis in DVec3::AXES {
        planes.push(HalfSpace { normal: axis, offset: axis.dot(max) });
        planes.push(HalfSpace { normal: -axis, offset: -axis.dot(min) });
    }
    let tolerance = ROUNDING * min.abs().max_element().max(max.abs().max_element()).max(farthest);
    let mut corners: Vec<DVec3> = Vec::new();
    for first in 0..planes.len() {
        for second in first + 1..planes.len() {
            for third in second + 1..planes.len() {
                let Some(corner) = meet([planes[first], planes[second], planes[third]]) else { continue };
                let is_in = planes.iter().all(|plane| plane.normal.dot(corner) - plane.offset <= 64.0 * tolerance);
                if !is_in || corners.iter().any(|known| known.distance(corner) <= 256.0 * tolerance) {
                    continue;
                }
                if room.is_none() && third >= own {
                    return refused(format!("{name} has no end; [bounds] make one"));
                }
                corners.push(corner);
            }
        }
    }
    if corners.len() > MAX_CORNERS {
        return refused(format!("{name} has {} corners, and may have {MAX_CORNERS}", corners.len()));
    }
    match hull_body(&corners) {
        Ok(hull) => {
            let place = Motion { orientation: hull.rotation.normalize(), ..Motion::at(hull.center) };
            Ok(Some((hull.shape, place)))
        }
        Err(HullError::NoPoints | HullError::Flat { .. } | HullError::TooSmall) => Ok(None),
        Err(error) => refused(format!("{name}: {error}")),
    }
}

/// The point of three planes, if they have one.
fn meet(planes: [HalfSpace; 3]) -> Option<DVec3> {
    let [a, b, c] = planes.map(|plane| plane.normal);
    let volume = a.dot(b.cross(c));
    let point = b.cross(c) * planes[0].offset + c.cross(a) * planes[1].offset + a.cross(b) * planes[2].offset;
    (volume.abs() > 1e-9).then(|| point / volume)
}
