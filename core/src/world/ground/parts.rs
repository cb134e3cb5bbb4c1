//! A scene as a union of convex parts.

use glam::{DMat3, DQuat, DVec3};

use super::flats::{Fit, flats, simple};
use super::refused;
use crate::scene::{HalfSpace, Node, NodeId, Scene, Solid, Sphere};
use crate::world::definition::MAX_OBSTACLES;
use crate::world::error::WorldError;
use crate::world::motion::Motion;
use crate::world::shape::BodyShape;

/// All points that are in each of these.
#[derive(Clone, Default)]
pub(super) struct Part {
    pub planes: Vec<HalfSpace>,
    pub curved: Vec<Solid>,
}

/// What the parts of a scene are made with.
pub(super) struct Making<'a> {
    pub scene: &'a Scene,
    /// How far flat sides may be from what is curved \[m\].
    pub tolerance: Option<f64>,
    /// Corners of where bodies can be \[m\], if that has an end.
    pub room: &'a [DVec3],
}

impl Making<'_> {
    /// The parts of a node.
    pub fn parts(&self, node: NodeId) -> Result<Vec<Part>, WorldError> {
        match self.scene.node(node) {
            Node::Nothing => Ok(Vec::new()),
            Node::Everything => refused("the ground is everywhere"),
            Node::Cell(cell) => Ok(vec![Part { planes: cell.half_spaces.clone(), curved: Vec::new() }]),
            Node::Leaf(number) => {
                let leaf = self.scene.leaf(*number);
                let pieces = simple(&leaf.solid);
                if leaf.complemented {
                    in_each(pieces.iter().map(|piece| self.outside(piece)))
                } else {
                    Ok(pieces.into_iter().map(|piece| Part { planes: Vec::new(), curved: vec![piece] }).collect())
                }
            }
            Node::Union(children) => {
                let mut all = Vec::new();
                for &child in children {
                    all.extend(self.parts(child)?);
                    at_most(all.len())?;
                }
                Ok(all)
            }
            Node::Intersection(children) => in_each(children.iter().map(|&child| self.parts(child))),
        }
    }

    /// What is outside a solid: what is beyond any of its sides.
    fn outside(&self, solid: &Solid) -> Result<Vec<Part>, WorldError> {
        let beyond = |side: HalfSpace| HalfSpace { normal: -side.normal, offset: -side.offset };
        let sides = self.flats(solid, Fit::Within)?;
        Ok(sides.into_iter().map(|side| Part { planes: vec![beyond(side)], curved: Vec::new() }).collect())
    }

    /// The half spaces of a part.
    pub fn planes(&self, part: &Part) -> Result<Vec<HalfSpace>, WorldError> {
        let mut planes = part.planes.clone();
        for solid in &part.curved {
            planes.extend(self.flats(solid, Fit::Around)?);
        }
        Ok(planes)
    }

    fn flats(&self, solid: &Solid, fit: Fit) -> Result<Vec<HalfSpace>, WorldError> {
        match self.tolerance {
            Some(tolerance) => Ok(flats(solid, fit, tolerance, self.room)),
            None => refused(format!("{solid}: it needs flat sides, and `tolerance`, how far from it they may be")),
        }
    }
}

impl Part {
    /// The ball or ellipsoid that it is, if it is one, and where it stands.
    pub fn round(&self) -> Option<(BodyShape, Motion)> {
        let [solid] = &self.curved[..] else { return None };
        if !self.planes.is_empty() {
            return None;
        }
        match solid {
            Solid::Sphere(Sphere { center, radius }) => {
                Some((BodyShape::Sphere { radius: *radius }, Motion::at(*center)))
            }
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
}

/// The parts of what is in each of several unions of parts.
fn in_each(unions: impl Iterator<Item = Result<Vec<Part>, WorldError>>) -> Result<Vec<Part>, WorldError> {
    let mut all = vec![Part::default()];
    for union in unions {
        let union = union?;
        at_most(all.len() * union.len())?;
        let both = |one: &Part, other: &Part| Part {
            planes: [&one.planes[..], &other.planes[..]].concat(),
            curved: [&one.curved[..], &other.curved[..]].concat(),
        };
        all = all.iter().flat_map(|one| union.iter().map(move |other| both(one, other))).collect();
    }
    Ok(all)
}

fn at_most(count: usize) -> Result<(), WorldError> {
    if count <= MAX_OBSTACLES {
        Ok(())
    } else {
        refused(format!("the ground has {count} convex parts or more, and may have {MAX_OBSTACLES}"))
    }
}
