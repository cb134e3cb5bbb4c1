//! From shapes to the expanded tree.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use thiserror::Error;

use super::affine::{Affine, unit};
use super::paint::Paint;
use super::size::{Size, measure};
use super::{
    Appearance, Capsule, Cell, Cone, Cylinder, Layer, Leaf, Material, MaterialId, Node, NodeId, Runway, Scene, Shape,
    Solid, Sphere, Stretched,
};

/// Limits that keep every query finite in time, memory and numbers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes on a path from the root to a leaf.
    pub depth: usize,
    /// Nodes of the expanded tree, paint regions included; also the layers of material over all its leaves.
    pub nodes: usize,
    /// Magnitude of any number in the scene or in a ray: fourth powers stay finite in f64.
    pub magnitude: f64,
    /// Condition number of a map: beyond, its inverse is mostly rounding.
    pub distortion: f64,
    /// Greatest stretch of a map, and one over the least: coordinates in stretched solids stay below 1e91, whose third
    /// powers are finite in f64.
    pub stretch: f64,
    /// Greatest slope of a cone's side, the tangent of half its opening angle; products with the magnitude stay finite.
    pub slope: f64,
}

/// The limits of every scene.
pub const LIMITS: Limits =
    Limits { depth: 64, nodes: 4_000_000, magnitude: 1e60, distortion: 1e9, stretch: 1e30, slope: 1e9 };

/// Least stretch of a cone \[1\]. In its own coordinates lines are up to 3.5e60/1e-10 m long, radii along them grow by the
/// greatest slope, and (3.5e70 x 3.5e79)^2 = 1.5e300 is finite; lines past other solids need no more than third powers.
const MIN_STRETCH_OF_CONES: f64 = 1e-10;

/// Why shapes do not make a scene.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The tree is too deep.
    #[error("the tree is deeper than {} nodes", LIMITS.depth)]
    TooDeep,
    /// The expanded tree is too large.
    #[error("the expanded tree has more than {} nodes or layers of material", LIMITS.nodes)]
    TooLarge,
    /// A number is not finite or too large, a direction is zero, or a size is not allowed.
    #[error("leaf {leaf}: {what}")]
    BadLeaf {
        /// The leaf's number.
        leaf: usize,
        /// What is wrong and what is allowed.
        what: &'static str,
    },
    /// A map, combined with those above it, is too close to singular, or a rotation has no direction.
    #[error("a map {what}")]
    BadMap {
        /// What is wrong and what is allowed.
        what: String,
    },
    /// A shape uses a material that is not in the list.
    #[error("material number {number} does not exist: the scene has {count}")]
    UnknownMaterial {
        /// The number used.
        number: u32,
        /// Number of materials.
        count: usize,
    },
}

/// Context of a node: everything above it that its leaves depend on.
#[derive(Clone, Copy)]
struct Inherited {
    map: Affine,
    complemented: bool,
    coating: u32,
}

struct Builder<'a> {
    materials: &'a [Material],
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    coatings: Vec<Vec<Layer>>,
    coating_numbers: HashMap<(u32, u32, Option<usize>), u32>,
    /// Layers of all coatings: paint over paint makes more of them than there are nodes.
    layers: usize,
    /// Paint regions encountered, with their context; expanded after the scene so that its leaves come first.
    regions: Vec<(Arc<Shape>, Inherited)>,
    /// Inside a paint region materials mean nothing: only membership is asked.
    in_region: bool,
}

impl Scene {
    /// Expands a shape.
    ///
    /// # Errors
    /// If the tree exceeds [`LIMITS`], a leaf is not a proper solid, or a material does not exist.
    pub fn new(
        shape: &Shape,
        materials: Vec<Material>,
        default_material: Option<MaterialId>,
        runway: Option<Runway>,
    ) -> Result<Self, SceneError> {
        let Size { depth, .. } = measure(shape)?;
        let mut builder = Builder {
            materials: &materials,
            nodes: Vec::new(),
            leaves: Vec::new(),
            coatings: vec![Vec::new()],
            coating_numbers: HashMap::new(),
            layers: 0,
            regions: Vec::new(),
            in_region: false,
        };
        if let Some(material) = default_material {
            builder.check_material(material)?;
        }
        let top = Inherited { map: Affine::IDENTITY, complemented: false, coating: 0 };
        let root = builder.expand(shape, &top)?;
        let root = builder.push(root);
        let scene_leaves = builder.leaves.len();
        builder.expand_regions()?;
        let Builder { nodes, leaves, coatings, .. } = builder;
        let appearance = Appearance::default();
        let scene = Self {
            nodes,
            root,
            leaves,
            scene_leaves,
            depth,
            coatings,
            paint: Paint::default(),
            materials,
            default_material,
            runway,
            appearance,
            warnings: Vec::new(),
        };
        Ok(scene.laid_out())
    }
}

impl Builder<'_> {
    fn expand(&mut self, shape: &Shape, inherited: &Inherited) -> Result<Node, SceneError> {
        match shape {
            Shape::Solid(solid) => self.leaf(solid, inherited),
            Shape::Everything if inherited.complemented => Ok(Node::Nothing),
            Shape::Nothing if inherited.complemented => Ok(Node::Everything),
            Shape::Everything => Ok(Node::Everything),
            Shape::Nothing => Ok(Node::Nothing),
            Shape::Union(children) => {
                let children = self.expand_all(children, inherited)?;
                Ok(self.group(children, inherited.complemented))
            }
            Shape::Intersection(children) => {
                let children = self.expand_all(children, inherited)?;
                Ok(self.group(children, !inherited.complemented))
            }
            Shape::Difference(children) => {
                let turned = Inherited { complemented: !inherited.complemented, ..*inherited };
                let mut expanded = Vec::with_capacity(children.len());
                for (index, child) in children.iter().enumerate() {
                    expanded.push(self.expand(child, if index == 0 { inherited } else { &turned })?);
                }
                Ok(self.group(expanded, !inherited.complemented))
            }
            Shape::Complement(of) => {
                self.expand(of, &Inherited { complemented: !inherited.complemented, ..*inherited })
            }
            Shape::Transform { rotation, translation, of } => {
                let rotation = unit(*rotation).ok_or_else(|| no_direction(*rotation))?;
                let map = inherited.map.after(&Affine::rigid(rotation, *translation));
                self.expand(of, &Inherited { map, ..*inherited })
            }
            Shape::Map { linear, translation, of } => {
                let map = inherited.map.after(&Affine::new(*linear, *translation));
                check_map(&map).map_err(|what| SceneError::BadMap { what })?;
                self.expand(of, &Inherited { map, ..*inherited })
            }
            Shape::Material { of, .. } | Shape::Paint { of, .. } if self.in_region => self.expand(of, inherited),
            Shape::Material { material, of } => {
                self.check_material(*material)?;
                let coating = self.coat(inherited.coating, *material, None)?;
                self.expand(of, &Inherited { coating, ..*inherited })
            }
            Shape::Paint { material, region, of } => {
                self.check_material(*material)?;
                let of_region = Inherited { complemented: false, ..*inherited };
                self.regions.push((Arc::clone(region), of_region));
                let coating = self.coat(inherited.coating, *material, Some(self.regions.len() - 1))?;
                self.expand(of, &Inherited { coating, ..*inherited })
            }
        }
    }

    fn expand_all(&mut self, children: &[Arc<Shape>], inherited: &Inherited) -> Result<Vec<Node>, SceneError> {
        children.iter().map(|child| self.expand(child, inherited)).collect()
    }

    /// By de Morgan, a complemented union is the intersection of the complements. Neighbouring cells of an
    /// intersection are one cell; a group of one is its child.
    fn group(&mut self, children: Vec<Node>, intersection: bool) -> Node {
        let mut members: Vec<Node> = Vec::with_capacity(children.len());
        for child in children {
            match (members.last_mut(), child) {
                (Some(Node::Cell(run)), Node::Cell(next)) if intersection => run.half_spaces.extend(next.half_spaces),
                (_, child) => members.push(child),
            }
        }
        if members.len() == 1
            && let Some(only) = members.pop()
        {
            return only;
        }
        let members = members.into_iter().map(|member| self.push(member)).collect();
        if intersection { Node::Intersection(members) } else { Node::Union(members) }
    }

    fn leaf(&mut self, solid: &Solid, inherited: &Inherited) -> Result<Node, SceneError> {
        let number = self.leaves.len() as u32;
        let solid = solid.transformed(&inherited.map);
        check(&solid).map_err(|what| SceneError::BadLeaf { leaf: number as usize, what })?;
        let coating = inherited.coating;
        let (leaf, node) = match solid {
            Solid::HalfSpace(half_space) => {
                let half_space = if inherited.complemented { half_space.complement() } else { half_space };
                let leaf = Leaf { solid: Solid::HalfSpace(half_space), complemented: false, coating };
                (leaf, Node::Cell(Cell { first_leaf: number, half_spaces: vec![half_space] }))
            }
            _ => (Leaf { solid, complemented: inherited.complemented, coating }, Node::Leaf(number)),
        };
        self.leaves.push(leaf);
        Ok(node)
    }

    /// Node numbers fit: [`measure`] bounds their count.
    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// The coating that adds one layer under those of `outer`. Regions are named by their order until expanded.
    fn coat(&mut self, outer: u32, material: MaterialId, region: Option<usize>) -> Result<u32, SceneError> {
        let layers = &self.coatings[outer as usize];
        let covered = layers.last().is_some_and(|layer| layer.region.is_none());
        if covered {
            return Ok(outer);
        }
        let key = (outer, material.0, region);
        if let Some(&number) = self.coating_numbers.get(&key) {
            return Ok(number);
        }
        self.layers += layers.len() + 1;
        if self.layers > LIMITS.nodes {
            return Err(SceneError::TooLarge);
        }
        let mut layers = layers.clone();
        layers.push(Layer { material, region: region.map(|index| NodeId(index as u32)) });
        let number = self.coatings.len() as u32;
        self.coatings.push(layers);
        self.coating_numbers.insert(key, number);
        Ok(number)
    }

    /// Expands the paint regions and makes the coatings name their nodes.
    fn expand_regions(&mut self) -> Result<(), SceneError> {
        self.in_region = true;
        let mut roots = Vec::with_capacity(self.regions.len());
        for (region, inherited) in std::mem::take(&mut self.regions) {
            let root = self.expand(&region, &inherited)?;
            roots.push(self.push(root));
        }
        for region in self.coatings.iter_mut().flatten().filter_map(|layer| layer.region.as_mut()) {
            *region = roots[region.0 as usize];
        }
        Ok(())
    }

    fn check_material(&self, MaterialId(number): MaterialId) -> Result<(), SceneError> {
        let count = self.materials.len();
        if (number as usize) < count { Ok(()) } else { Err(SceneError::UnknownMaterial { number, count }) }
    }
}

fn no_direction(rotation: DQuat) -> SceneError {
    let (length, most) = (rotation.length(), LIMITS.magnitude);
    let what = format!("rotates by a quaternion of length {length:e}: must be from one over {most:e} to {most:e}");
    SceneError::BadMap { what }
}

/// What is wrong with a map, if anything.
pub(super) fn check_map(map: &Affine) -> Result<(), String> {
    let (stretch, distortion) = (map.stretch(), map.distortion());
    if distortion.is_nan() || distortion > LIMITS.distortion {
        return Err(format!(
            "must not be singular: one direction may be stretched at most {:e} times as much as another",
            LIMITS.distortion
        ));
    }
    if stretch > LIMITS.stretch || stretch * LIMITS.stretch < 1.0 {
        return Err(format!("must stretch by at most {0:e}, and by at least one over {0:e}", LIMITS.stretch));
    }
    Ok(())
}

fn check(solid: &Solid) -> Result<(), &'static str> {
    check_sizes(solid)?;
    let bounded = |number: f64| number.abs() <= LIMITS.magnitude; // false for NaN
    let bounded_vector = |v: DVec3| v.to_array().into_iter().all(bounded);
    let all_bounded = match solid {
        Solid::HalfSpace(half_space) => bounded_vector(half_space.normal) && bounded(half_space.offset),
        Solid::Sphere(ball) => bounded_vector(ball.center) && bounded(ball.radius),
        Solid::Cylinder(cylinder) => {
            bounded_vector(cylinder.center) && bounded(cylinder.radius) && cylinder.half_height.is_none_or(bounded)
        }
        Solid::Cone(cone) => {
            bounded_vector(cone.base)
                && [cone.radius, cone.slope].into_iter().chain(cone.height).chain(cone.top_radius()).all(bounded)
        }
        Solid::Capsule(capsule) => {
            bounded_vector(capsule.from) && bounded_vector(capsule.to) && bounded(capsule.radius)
        }
        Solid::Stretched(stretched) => bounded_vector(stretched.center) && bounded(stretched.least_stretch),
    };
    if !all_bounded {
        return Err("a number is not finite or above 1e60 in magnitude");
    }
    match solid {
        Solid::HalfSpace(half_space) if half_space.normal.length_squared() < 1.0 / LIMITS.magnitude => {
            Err("the normal is zero or too short: its length must be at least 1e-30")
        }
        Solid::Cylinder(cylinder) if !cylinder.axis.is_normalized() => Err("the axis is not a unit vector"),
        Solid::Cone(cone) => check_cone(cone),
        Solid::Stretched(stretched) => check_stretched(stretched),
        _ => Ok(()),
    }
}

/// Sizes, and what solids have where a size that they were made of was not allowed.
fn check_sizes(solid: &Solid) -> Result<(), &'static str> {
    match solid {
        Solid::HalfSpace(half_space) if half_space.offset.is_nan() => {
            Err("the offset is not a number; a box must have no negative half edge, and a rotation with a direction")
        }
        Solid::Sphere(Sphere { radius, .. })
        | Solid::Cylinder(Cylinder { radius, .. })
        | Solid::Cone(Cone { radius, .. })
        | Solid::Capsule(Capsule { radius, .. })
            if *radius < 0.0 =>
        {
            Err("the radius is negative")
        }
        Solid::Cylinder(cylinder) if cylinder.half_height.is_some_and(|half| half < 0.0) => {
            Err("the height is negative")
        }
        Solid::Cone(cone) if cone.height.is_some_and(|height| height <= 0.0) => Err("the height is not above 0"),
        Solid::Stretched(stretched) if !stretched.from_local.is_finite() => {
            Err("a stretch is not finite; an ellipsoid must have semi-axes above 0, and a rotation with a direction")
        }
        _ => Ok(()),
    }
}

fn check_cone(cone: &Cone) -> Result<(), &'static str> {
    // Half a unit in the last place of either radius may be lost in the slope.
    let reached = |height: f64| cone.radius + cone.slope * height >= -4.0 * f64::EPSILON * cone.radius;
    if !cone.axis.is_normalized() {
        Err("the axis is not a unit vector")
    } else if cone.slope.abs() > LIMITS.slope {
        Err("the side is too flat: its slope must be at most 1e9")
    } else {
        match cone.height {
            Some(height) if !reached(height) => Err("the top radius is negative"),
            None if cone.slope <= 0.0 || cone.radius != 0.0 => Err("an infinite cone does not open from its apex"),
            _ => Ok(()),
        }
    }
}

fn check_stretched(stretched: &Stretched) -> Result<(), &'static str> {
    let map = Affine::new(stretched.from_local, stretched.center);
    check_map(&map).map_err(|_| "the map of a stretched solid is singular, or stretches by more than 1e30")?;
    match &stretched.base {
        Solid::HalfSpace(_) | Solid::Stretched(_) => Err("a stretched solid must be made of a curved one"),
        Solid::Cone(_) if stretched.least_stretch < MIN_STRETCH_OF_CONES => {
            Err("a cone must not be squeezed to less than 1e-10 of its size")
        }
        base => check(base),
    }
}

#[cfg(test)]
mod tests {
    use glam::DMat3;

    use super::*;
    use crate::scene::SurfaceDrag;

    fn paper() -> Material {
        Material {
            name: "paper".to_owned(),
            static_friction: 1.0,
            dynamic_friction: 1.0,
            max_force: f64::INFINITY,
            dynamic_friction_by_speed: Vec::new(),
            drag: SurfaceDrag::default(),
        }
    }

    /// A ball under this many coats of paint.
    fn painted(coats: usize) -> Shape {
        let paint = |shape: Shape, _| shape.painted(MaterialId(0), Shape::Everything);
        (0..coats).fold(Shape::sphere(DVec3::ZERO, 1.0), paint)
    }

    #[test]
    fn layers_of_paint_count_towards_the_limit() {
        // Every ball has coatings of 1 to 40 layers: 13 million layers, but only 700,000 nodes.
        let ball = Arc::new(painted(40));
        let balls = Shape::Union(vec![ball; 1 << 14]);
        assert_eq!(Scene::new(&balls, vec![paper()], None, None).err(), Some(SceneError::TooLarge));
    }

    #[test]
    fn cones_are_not_squeezed_to_where_lines_overflow() {
        let squeezed = |factor: f64| {
            let cone = Cone::frustum(DVec3::ZERO, DVec3::Z, 1.0, 1.0, 0.5);
            let map = Affine::new(DMat3::from_diagonal(factor * DVec3::new(1.0, 2.0, 1.0)), DVec3::splat(1e60));
            Solid::Cone(cone).transformed(&map)
        };
        let refused = "a cone must not be squeezed to less than 1e-10 of its size";
        assert_eq!((check(&squeezed(0.9e-10)), check(&squeezed(1.1e-10))), (Err(refused), Ok(())));
        // Beyond by half of what it is wide: the line is met at a finite lambda.
        let x1 = DVec3::new(-1e60, 1e60, 1e60);
        let inside = squeezed(1.1e-10).interval(&x1, &DVec3::splat(1e60));
        assert!(inside.enter.is_finite() && inside.exit.is_finite(), "{inside:?}");
    }

    fn refusal(shape: &Shape) -> String {
        Scene::new(shape, Vec::new(), None, None).unwrap_err().to_string()
    }

    #[test]
    fn sizes_that_no_solid_has_are_refused_for_what_they_are() {
        let turned = DQuat::from_rotation_z(0.3);
        let flat = Cone::frustum(DVec3::ZERO, DVec3::Z, 0.0, 1.0, 0.5);
        for (shape, why) in [
            (Shape::cuboid(DVec3::ZERO, DVec3::new(1.0, 1.0, -1.0), turned), "no negative half edge"),
            (Shape::ellipsoid(DVec3::ZERO, DVec3::new(1.0, -2.0, 3.0), turned), "semi-axes above 0"),
            (Shape::ellipsoid(DVec3::ZERO, DVec3::new(1.0, 0.0, 3.0), DQuat::IDENTITY), "semi-axes above 0"),
            (Shape::sphere(DVec3::ZERO, -1.0), "the radius is negative"),
            (Shape::Solid(Solid::Cone(flat)), "the height is not above 0"),
        ] {
            let refusal = refusal(&shape);
            assert!(refusal.starts_with("leaf 0: ") && refusal.contains(why), "{refusal}");
        }
        let plate = Shape::cuboid(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0), turned);
        assert!(Scene::new(&plate, Vec::new(), None, None).is_ok());
    }

    #[test]
    fn quaternions_of_other_lengths_are_the_same_rotations_and_none_without_a_direction() {
        let sizes = DVec3::new(1.0, 2.0, 3.0);
        let rotated = |rotation: DQuat| Shape::sphere(DVec3::X, 1.0).rotated(rotation);
        let scene = |rotation: DQuat| Scene::new(&rotated(rotation), Vec::new(), None, None).unwrap();
        for short in [DQuat::IDENTITY, DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0)] {
            let long = short * 3.0;
            assert_eq!(Shape::cuboid(DVec3::X, sizes, long), Shape::cuboid(DVec3::X, sizes, short));
            assert_eq!(Shape::ellipsoid(DVec3::X, sizes, long), Shape::ellipsoid(DVec3::X, sizes, short));
            assert_eq!(scene(long), scene(short));
        }
        let rounded = DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8 + 1e-12);
        assert_eq!(unit(rounded), Some(rounded));
        for length in [0.0, 1e-70, 1e200, f64::NAN] {
            let none = DQuat::from_xyzw(length, 0.0, 0.0, 0.0);
            assert!(refusal(&rotated(none)).starts_with("a map rotates by a quaternion of length "), "{length}");
            for shape in [Shape::cuboid(DVec3::X, sizes, none), Shape::ellipsoid(DVec3::X, sizes, none)] {
                assert!(refusal(&shape).ends_with("a rotation with a direction"), "{length}: {}", refusal(&shape));
            }
        }
    }

    #[test]
    fn one_leaf_keeps_all_its_layers() {
        let scene = Scene::new(&painted(40), vec![paper()], None, None).unwrap();
        assert_eq!(scene.coating(&scene.leaves()[0]).len(), 40);
    }
}
