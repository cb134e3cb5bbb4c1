//! Bounding boxes of the nodes of a scene.

use glam::{DMat3, DVec3};

use super::cell_bounds::cell_bounds;
use super::{HalfSpace, Leaf, Node, NodeId, Scene, Solid};

/// Weight of the pull of [`center`] towards the world's origin.
const PULL: f64 = 1e-9;
/// Boxes and positions are computed with a few roundings of the coordinates involved: their relative error is below
/// this.
pub const BOUNDS_MARGIN: f64 = 1e-12;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    /// Least coordinates \[m\].
    pub min: DVec3,
    /// Greatest coordinates \[m\].
    pub max: DVec3,
}

impl BoundingBox {
    /// The empty box.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box of all space.
    pub const WHOLE: Self = Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The smallest box around both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Centre \[m\]; 0 along unbounded axes.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        let center = 0.5 * (self.min + self.max);
        DVec3::select(center.is_finite_mask(), center, DVec3::ZERO)
    }

    /// The largest magnitude of a finite face coordinate \[m\].
    #[must_use]
    pub fn reach(&self) -> f64 {
        let finite = |v: DVec3| DVec3::select(v.is_finite_mask(), v.abs(), DVec3::ZERO);
        finite(self.min).max(finite(self.max)).max_element()
    }

    /// The box with its faces so far outward that rounding hides nothing that is inside, neither that of the box nor that
    /// of a point with coordinates of at most `coordinates` \[m\].
    #[must_use]
    pub(crate) fn widened(&self, coordinates: f64) -> Self {
        self.dilated(BOUNDS_MARGIN * self.reach().max(coordinates))
    }

    /// The box with its faces moved outward by this \[m\].
    pub(crate) fn dilated(&self, by: f64) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// True if both have a point in common, faces included.
    #[inline(always)]
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        // Without branches between the comparisons, which would be unpredictable.
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.z <= self.max.z)
    }

    /// Number of axes with bounds on both sides.
    pub(crate) fn bounded_axes(&self) -> usize {
        (0..3).filter(|&axis| self.min[axis].is_finite() && self.max[axis].is_finite()).count()
    }

    /// True if it contains no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    fn meet(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Around a leaf.
    pub(crate) fn of_leaf(leaf: &Leaf) -> Self {
        if leaf.complemented { Self::WHOLE } else { solid_bounds(&leaf.solid).or_empty() }
    }

    /// Around the intersection of half spaces.
    pub(crate) fn of_cell(half_spaces: &[HalfSpace]) -> Self {
        cell_bounds(half_spaces).or_empty()
    }

    /// Around all of some sets, by their boxes.
    pub(crate) fn of_union(members: impl IntoIterator<Item = Self>) -> Self {
        members.into_iter().fold(Self::EMPTY, Self::join).or_empty()
    }

    /// Around what some sets have in common, by their boxes: any that is bounded bounds them all.
    pub(crate) fn of_intersection(members: impl IntoIterator<Item = Self>) -> Self {
        members.into_iter().fold(Self::WHOLE, Self::meet).or_empty()
    }

    /// Of all boxes that hold nothing the one that joins with others as nothing.
    fn or_empty(self) -> Self {
        if self.is_empty() { Self::EMPTY } else { self }
    }
}

/// Boxes around the sets of all nodes, by number, with infinite faces along the axes that a set is endless along; `None`
/// when that is all of them (or may be, as far as is known).
pub fn all_bounds(scene: &Scene) -> Vec<Option<BoundingBox>> {
    let mut all: Vec<BoundingBox> = Vec::new();
    for node in scene.nodes() {
        // Children have lower numbers than their parents.
        let bounds = node_bounds(scene, node, &all);
        all.push(bounds);
    }
    all.into_iter().map(|bounds| (bounds != BoundingBox::WHOLE).then_some(bounds)).collect()
}

/// A box around a node's set by those of the nodes before it.
fn node_bounds(scene: &Scene, node: NodeId, before: &[BoundingBox]) -> BoundingBox {
    let of_child = |child: &NodeId| before[child.0 as usize];
    match scene.node(node) {
        Node::Everything => BoundingBox::WHOLE,
        Node::Nothing => BoundingBox::EMPTY,
        Node::Leaf(number) => BoundingBox::of_leaf(scene.leaf(*number)),
        Node::Cell(cell) => BoundingBox::of_cell(&cell.half_spaces),
        Node::Union(children) => BoundingBox::of_union(children.iter().map(of_child)),
        Node::Intersection(children) => BoundingBox::of_intersection(children.iter().map(of_child)),
    }
}

/// A box around all bounded parts of a scene: unions are descended into, paint regions are ignored. `None` if no part
/// is bounded.
#[must_use]
pub fn bounded_extent(scene: &Scene) -> Option<BoundingBox> {
    fn extent(scene: &Scene, bounds: &[Option<BoundingBox>], node: NodeId) -> BoundingBox {
        match (bounds[node.0 as usize].filter(|bounds| bounds.bounded_axes() == 3), scene.node(node)) {
            (Some(bounds), _) => bounds,
            (None, Node::Union(children)) => {
                children.iter().fold(BoundingBox::EMPTY, |all, &child| all.join(extent(scene, bounds, child)))
            }
            (None, _) => BoundingBox::EMPTY,
        }
    }
    Some(extent(scene, &all_bounds(scene), scene.root())).filter(|extent| !extent.is_empty())
}

/// Boxes around the bounded parts of a scene: the parts of unions of unions, each intersection as one; paint regions are ignored.
#[must_use]
pub fn bounded_parts(scene: &Scene) -> Vec<BoundingBox> {
    let bounds = all_bounds(scene);
    let (mut parts, mut nodes) = (Vec::new(), vec![scene.root()]);
    while let Some(node) = nodes.pop() {
        match scene.node(node) {
            Node::Union(children) => nodes.extend(children),
            _ => {
                let own = bounds[node.0 as usize].filter(|own| own.bounded_axes() == 3 && !own.is_empty());
                parts.extend(own);
            }
        }
    }
    parts
}

/// A point near everything in a scene \[m\], as an origin for small relative coordinates: the centre of all bounded
/// parts; without any, the point closest to all planes.
#[must_use]
pub fn center(scene: &Scene) -> DVec3 {
    if let Some(all) = bounded_extent(scene) {
        return all.center();
    }
    // Of what is endless some parts may have an end.
    let boxes = all_bounds(scene).into_iter().flatten().filter(|bounds| bounds.bounded_axes() == 3);
    if let Some(all) = boxes.reduce(BoundingBox::join) {
        return all.center();
    }
    // Least squares with a slight pull to the world's origin, which decides what the planes leave open.
    let (mut normals, mut offsets) = (DMat3::from_diagonal(DVec3::splat(PULL)), DVec3::ZERO);
    for leaf in scene.leaves() {
        if let Solid::HalfSpace(HalfSpace { normal, offset }) = leaf.solid {
            let (n, d) = (normal / normal.length(), offset / normal.length());
            normals += DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            offsets += n * d;
        }
    }
    normals.inverse() * offsets
}

fn solid_bounds(solid: &Solid) -> BoundingBox {
    let reach = |sign: f64| DVec3::from_array(DVec3::AXES.map(|axis| sign * solid.support(sign * axis)));
    BoundingBox { min: reach(-1.0), max: reach(1.0) }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::scene::{Capsule, Cone, Cylinder, Shape};

    fn wall(x: f64, y: f64, z: f64, offset: f64) -> Shape {
        Shape::half_space(DVec3::new(x, y, z), offset)
    }

    fn bounds_of(shape: &Shape) -> Option<BoundingBox> {
        let scene = Scene::new(shape, Vec::new(), None, None).unwrap();
        all_bounds(&scene)[scene.root().0 as usize]
    }

    #[test]
    fn a_house_with_a_floor_has_a_box_and_one_without_is_endless_but_for_its_gables() {
        let walls =
            [wall(0.0, -1.0, 0.0, 4.0), wall(0.0, 1.0, 0.0, 4.0), wall(2.0, 0.0, 2.0, 14.0), wall(-1.0, 0.0, 1.0, 7.0)];
        let floorless = bounds_of(&Shape::intersection(walls.clone())).unwrap();
        assert!((floorless.min.y + 4.0).abs() < 1e-12 && (floorless.max.y - 4.0).abs() < 1e-12);
        assert_eq!((floorless.bounded_axes(), floorless.center()), (1, DVec3::ZERO));
        let house = Shape::intersection(walls.into_iter().chain([wall(0.0, 0.0, -1.0, 0.0)]));
        let found = bounds_of(&house).unwrap();
        assert!((found.min - DVec3::new(-7.0, -4.0, 0.0)).length() < 1e-7);
        assert!((found.max - DVec3::new(7.0, 4.0, 7.0)).length() < 1e-7);
    }

    fn curved(solid: Solid) -> BoundingBox {
        bounds_of(&Shape::Solid(solid)).unwrap()
    }

    #[test]
    fn curved_solids_have_the_boxes_computed_by_hand() {
        let post =
            curved(Solid::Cylinder(Cylinder { center: DVec3::X, axis: DVec3::Z, radius: 2.0, half_height: None }));
        assert_eq!((post.min.x, post.max.x, post.min.y, post.max.y), (-1.0, 3.0, -2.0, 2.0));
        assert_eq!((post.min.z, post.max.z), (f64::NEG_INFINITY, f64::INFINITY));
        let pyramid = curved(Solid::Cone(Cone::frustum(DVec3::Z, DVec3::Z, 4.0, 3.0, 0.0)));
        assert_eq!((pyramid.min, pyramid.max), (DVec3::new(-3.0, -3.0, 1.0), DVec3::new(3.0, 3.0, 5.0)));
        let upward = curved(Solid::Cone(Cone::infinite(DVec3::Z, DVec3::Z, 0.5)));
        assert_eq!((upward.min.z, upward.max.z, upward.min.x), (1.0, f64::INFINITY, f64::NEG_INFINITY));
        let capsule = curved(Solid::Capsule(Capsule { from: DVec3::ZERO, to: 4.0 * DVec3::Y, radius: 1.0 }));
        assert_eq!((capsule.min, capsule.max), (DVec3::splat(-1.0), DVec3::new(1.0, 5.0, 1.0)));
        let egg = bounds_of(&Shape::ellipsoid(DVec3::X, DVec3::new(1.0, 2.0, 3.0), DQuat::IDENTITY)).unwrap();
        assert!(
            (egg.max - DVec3::new(2.0, 2.0, 3.0)).length() < 1e-13 && egg.max.cmpge(DVec3::new(2.0, 2.0, 3.0)).all()
        );
    }

    #[test]
    fn an_intersection_has_the_sides_of_all_its_members_and_a_union_those_that_all_have() {
        let post = Shape::cylinder(DVec3::ZERO, DVec3::Z, 1.0);
        let ball = Shape::sphere(5.0 * DVec3::Z, 2.0);
        let both = bounds_of(&Shape::intersection([post.clone(), ball.clone()])).unwrap();
        assert_eq!((both.min, both.max), (DVec3::new(-1.0, -1.0, 3.0), DVec3::new(1.0, 1.0, 7.0)));
        let any = bounds_of(&Shape::union([post.clone(), ball])).unwrap();
        assert_eq!((any.max, any.min.z), (DVec3::new(2.0, 2.0, f64::INFINITY), f64::NEG_INFINITY));
        assert_eq!(bounds_of(&Shape::union([post.clone(), post.complement()])), None);
        let nowhere = [wall(0.0, 0.0, 1.0, -1.0), wall(0.0, 0.0, -1.0, -1.0)];
        assert_eq!(bounds_of(&Shape::intersection(nowhere)), Some(BoundingBox::EMPTY));
    }
}
