//! Boxes around nodes of a scene.

use glam::{DMat3, DVec3};

use crate::scene::{HalfSpace, Node, NodeId, Scene, Solid};

/// A cell with more half spaces than this gets no box: its corners are searched among all triples.
const LARGEST_CELL: usize = 32;
/// Corners are kept when they are inside all half spaces up to this share of the cell's size: a corner of four planes
/// is found from any three of them, with rounding.
const CORNER_TOLERANCE: f64 = 1e-9;

/// Below this determinant of unit normals three planes have no corner: it is all rounding.
const PARALLEL: f64 = 1e-14;

/// A box with faces across the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    /// Least coordinates \[m\].
    pub min: DVec3,
    /// Greatest coordinates \[m\].
    pub max: DVec3,
}

impl BoundingBox {
    /// A box that holds nothing.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// A box that holds everything.
    pub const WHOLE: Self = Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The smallest box around both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Centre \[m\].
    #[must_use]
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// True when no point is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, point| all.join(Self { min: point, max: point }))
    }

    fn meet(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }
}

/// A box around a node's set, or `None` when it reaches to infinity (or may, as far as is known).
pub(crate) fn bounds(scene: &Scene, node: NodeId) -> Option<BoundingBox> {
    match scene.node(node) {
        Node::Everything => None,
        Node::Nothing => Some(BoundingBox::EMPTY),
        Node::Leaf(number) => {
            let leaf = scene.leaf(*number);
            if leaf.complemented { None } else { solid_bounds(&leaf.solid) }
        }
        Node::Cell(cell) => cell_bounds(&cell.half_spaces),
        Node::Union(children) => {
            children.iter().try_fold(BoundingBox::EMPTY, |all, &child| Some(all.join(bounds(scene, child)?)))
        }
        // Any bounded child bounds them all.
        Node::Intersection(children) => {
            children.iter().filter_map(|&child| bounds(scene, child)).reduce(BoundingBox::meet)
        }
    }
}

/// A box around all parts of a scene that have an end: unions are looked into, paint regions are not. `None` when no part
/// has one.
#[must_use]
pub fn bounded_extent(scene: &Scene) -> Option<BoundingBox> {
    fn extent(scene: &Scene, node: NodeId) -> BoundingBox {
        let finite = |bounds: &BoundingBox| bounds.min.is_finite() && bounds.max.is_finite();
        match (bounds(scene, node).filter(finite), scene.node(node)) {
            (Some(bounds), _) => bounds,
            (None, Node::Union(children)) => {
                children.iter().fold(BoundingBox::EMPTY, |all, &child| all.join(extent(scene, child)))
            }
            (None, _) => BoundingBox::EMPTY,
        }
    }
    Some(extent(scene, scene.root())).filter(|extent| !extent.is_empty())
}

/// A point near everything that a scene holds \[m\], where coordinates relative to it are small: the centre of all that has
/// bounds; without any, the point nearest to all its planes.
#[must_use]
pub fn center(scene: &Scene) -> DVec3 {
    let cells = scene.nodes().filter_map(|node| bounds(scene, node)).filter(|bounds| !bounds.is_empty());
    if let Some(all) = cells.reduce(BoundingBox::join) {
        return all.center();
    }
    // Least squares with a slight pull to the world's origin, which decides what the planes leave open.
    let (mut normals, mut offsets) = (DMat3::from_diagonal(DVec3::splat(CORNER_TOLERANCE)), DVec3::ZERO);
    for leaf in scene.leaves() {
        if let Solid::HalfSpace(HalfSpace { normal, offset }) = leaf.solid {
            let (n, d) = (normal / normal.length(), offset / normal.length());
            normals += DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            offsets += n * d;
        }
    }
    normals.inverse() * offsets
}

fn solid_bounds(solid: &Solid) -> Option<BoundingBox> {
    let reach = |sign: f64| DVec3::from_array(DVec3::AXES.map(|axis| sign * solid.support(sign * axis)));
    let bounds = BoundingBox { min: reach(-1.0), max: reach(1.0) };
    (bounds.min.is_finite() && bounds.max.is_finite()).then_some(bounds)
}

/// The box around the corners of a cell. A cell is bounded when no direction leads out of it for ever; then its corners
/// span it.
fn cell_bounds(half_spaces: &[HalfSpace]) -> Option<BoundingBox> {
    if half_spaces.len() > LARGEST_CELL || !is_bounded(half_spaces) {
        return None;
    }
    let planes: Vec<(DVec3, f64)> = half_spaces
        .iter()
        .map(|half_space| {
            let length = half_space.normal.length();
            (half_space.normal / length, half_space.offset / length)
        })
        .collect();
    let corners: Vec<DVec3> = triples(planes.len())
        .filter_map(|triple| {
            let [(a, da), (b, db), (c, dc)] = triple.map(|index| planes[index]);
            let normals = DMat3::from_cols(a, b, c).transpose();
            match normals.determinant().abs() {
                // Parallel planes, or planes around a line: no corner.
                determinant if determinant <= PARALLEL => None,
                // They may have one, but where is not known well.
                determinant if determinant <= CORNER_TOLERANCE => Some(DVec3::NAN),
                _ => Some(normals.inverse() * DVec3::new(da, db, dc)),
            }
        })
        .collect();
    if corners.iter().any(|corner| !corner.is_finite()) {
        return None;
    }
    let size = corners.iter().map(|corner| corner.abs().max_element()).fold(1.0, f64::max);
    let inside = |corner: &DVec3| planes.iter().all(|(n, d)| n.dot(*corner) - d <= CORNER_TOLERANCE * size);
    let hull = BoundingBox::around(corners.into_iter().filter(inside));
    let margin = DVec3::splat(CORNER_TOLERANCE * size);
    (!hull.is_empty()).then_some(BoundingBox { min: hull.min - margin, max: hull.max + margin })
}

/// True when the normals span all directions: for each axis and side there is a way to bound the coordinate. The cell
/// `{x : n_i.x <= d_i}` has a direction v to infinity when no `n_i.v` is above 0; the extreme ones of those stand across
/// two normals, or across one and any direction when the normals lie in a plane.
fn is_bounded(half_spaces: &[HalfSpace]) -> bool {
    let normals: Vec<DVec3> = half_spaces.iter().map(|half_space| half_space.normal.normalize()).collect();
    let spans =
        triples(normals.len()).any(|[a, b, c]| normals[a].dot(normals[b].cross(normals[c])).abs() > CORNER_TOLERANCE);
    let leads_out = |v: DVec3| normals.iter().all(|n| n.dot(v) <= CORNER_TOLERANCE);
    spans
        && !pairs(normals.len())
            .any(|[a, b]| normals[a].cross(normals[b]).try_normalize().is_some_and(|v| leads_out(v) || leads_out(-v)))
}

fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]))
}

fn triples(count: usize) -> impl Iterator<Item = [usize; 3]> {
    pairs(count).flat_map(move |[a, b]| (b + 1..count).map(move |c| [a, b, c]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Shape;

    fn wall(x: f64, y: f64, z: f64, offset: f64) -> Shape {
        Shape::half_space(DVec3::new(x, y, z), offset)
    }

    fn bounds_of(shape: &Shape) -> Option<BoundingBox> {
        let scene = Scene::new(shape, Vec::new(), None, None).unwrap();
        bounds(&scene, scene.root())
    }

    #[test]
    fn a_house_with_a_floor_has_a_box_and_one_without_has_none() {
        let walls =
            [wall(0.0, -1.0, 0.0, 4.0), wall(0.0, 1.0, 0.0, 4.0), wall(2.0, 0.0, 2.0, 14.0), wall(-1.0, 0.0, 1.0, 7.0)];
        assert_eq!(bounds_of(&Shape::intersection(walls.clone())), None);
        let house = Shape::intersection(walls.into_iter().chain([wall(0.0, 0.0, -1.0, 0.0)]));
        let found = bounds_of(&house).unwrap();
        assert!((found.min - DVec3::new(-7.0, -4.0, 0.0)).length() < 1e-7);
        assert!((found.max - DVec3::new(7.0, 4.0, 7.0)).length() < 1e-7);
    }

    #[test]
    fn a_cell_of_nearly_parallel_faces_has_no_box_rather_than_one_that_cuts_it_off() {
        let crowned = [
            wall(2e-5, 0.0, 1.0, 0.0),
            wall(-2e-5, 0.0, 1.0, 0.0),
            wall(0.0, 2e-5, 1.0, 0.0),
            wall(0.0, -2e-5, 1.0, 0.0),
            wall(0.0, 0.0, -1.0, 1.0),
        ];
        assert_eq!(bounds_of(&Shape::intersection(crowned)), None);
    }

    #[test]
    fn slabs_and_wedges_are_unbounded() {
        let slab = [wall(0.0, 0.0, 1.0, 1.0), wall(0.0, 0.0, -1.0, 1.0), wall(1.0, 0.0, 0.0, 1.0)];
        assert_eq!(bounds_of(&Shape::intersection(slab)), None);
        let prism =
            [wall(1.0, 0.0, 0.0, 1.0), wall(-1.0, 1.0, 0.0, 1.0), wall(-1.0, -1.0, 0.0, 1.0), wall(0.0, 0.0, 1.0, 1.0)];
        assert_eq!(bounds_of(&Shape::intersection(prism)), None);
    }
}
