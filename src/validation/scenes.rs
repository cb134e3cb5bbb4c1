//! Scenes for validation, built in code.
//!
//! # Conventions
//! As in [`crate::scene`].

mod solids;

use glam::{DQuat, DVec3};

use super::draws::{Draws, Purpose};
use super::item::Class;
use crate::scene::{Cylinder, Material, MaterialId, Runway, Scene, SceneError, Shape, Solid, SurfaceDrag};

/// Kinds of scenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneClass {
    /// A tent of four half spaces without a floor: one cell.
    House,
    /// Three kilometres of paved strip in zones, with markings, edge lights and a ground.
    Runway,
    /// 256 houses on a ground, 16 by 16.
    Village,
    /// Random trees: differences of differences of balls, cylinders and cells, complemented, moved and painted.
    NestedDifference,
    /// 2000 balls half buried in a ground.
    Boulders,
    /// A ground with craters that are filled up to its level with other materials: most of what is met has its border in
    /// one place with what is not there.
    Craters,
    /// A few ellipsoids, some of them cut out of the others; so are the solids of the classes that follow.
    Ellipsoids,
    /// Frustums, pointed cones and infinite ones.
    Cones,
    /// Capsules.
    Capsules,
    /// Boxes in arbitrary orientation.
    Boxes,
    /// Convex hulls of random points.
    Polyhedra,
    /// Cylinders under maps that keep no circles.
    StretchedCylinders,
    /// Deep random trees of all kinds of solids, complemented, moved, scaled and painted; some rays come from 10 km away.
    Mixed,
}

/// Dimensions of the runway \[m\].
const RUNWAY: Runway = Runway { length: 3000.0, width: 45.0, displaced_threshold: 0.0, slope: 0.0, elevation: 0.0 };
/// Half the edge of the square that the boulders lie in \[m\].
const BOULDER_FIELD: f64 = 100.0;
/// Spacing of the houses of the village \[m\].
const HOUSE_SPACING: f64 = 25.0;
const HOUSES_PER_SIDE: usize = 16;
/// Levels of operations in a nested difference.
const DEPTH: usize = 5;

impl Class for SceneClass {
    const CLASSES: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        Self::name(self)
    }
}

impl SceneClass {
    /// All classes.
    pub const ALL: [Self; 13] = [
        Self::House,
        Self::Runway,
        Self::Village,
        Self::NestedDifference,
        Self::Boulders,
        Self::Craters,
        Self::Ellipsoids,
        Self::Cones,
        Self::Capsules,
        Self::Boxes,
        Self::Polyhedra,
        Self::StretchedCylinders,
        Self::Mixed,
    ];

    /// Name for reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::House => "house",
            Self::Runway => "runway",
            Self::Village => "village",
            Self::NestedDifference => "nested difference",
            Self::Boulders => "boulders",
            Self::Craters => "craters",
            Self::Ellipsoids => "ellipsoids",
            Self::Cones => "cones",
            Self::Capsules => "capsules",
            Self::Boxes => "boxes",
            Self::Polyhedra => "polyhedra",
            Self::StretchedCylinders => "stretched cylinders",
            Self::Mixed => "mixed",
        }
    }

    /// How many items share a scene; the others get further variants.
    #[must_use]
    pub fn items_per_scene(self) -> u64 {
        match self {
            // Each tree is another; so many rays find what is peculiar to one.
            Self::NestedDifference
            | Self::Craters
            | Self::Ellipsoids
            | Self::Cones
            | Self::Capsules
            | Self::Boxes
            | Self::Polyhedra
            | Self::StretchedCylinders
            | Self::Mixed => 4096,
            Self::House | Self::Runway | Self::Village | Self::Boulders => u64::MAX,
        }
    }

    /// The box in which rays start and end \[m\].
    #[must_use]
    pub fn region(self) -> [DVec3; 2] {
        match self {
            Self::House => [DVec3::new(-12.0, -8.0, -10.0), DVec3::new(12.0, 8.0, 12.0)],
            Self::Runway => [DVec3::new(-200.0, -60.0, -2.0), DVec3::new(3200.0, 60.0, 60.0)],
            Self::Village => {
                let half = 0.5 * HOUSE_SPACING * HOUSES_PER_SIDE as f64;
                [DVec3::new(-half, -half, -3.0), DVec3::new(half, half, 15.0)]
            }
            Self::NestedDifference
            | Self::Ellipsoids
            | Self::Cones
            | Self::Capsules
            | Self::Boxes
            | Self::Polyhedra
            | Self::StretchedCylinders
            | Self::Mixed => [DVec3::splat(-12.0), DVec3::splat(12.0)],
            Self::Craters => [DVec3::new(-12.0, -12.0, -2.0), DVec3::new(12.0, 12.0, 6.0)],
            Self::Boulders => {
                [DVec3::new(-BOULDER_FIELD, -BOULDER_FIELD, -2.0), DVec3::new(BOULDER_FIELD, BOULDER_FIELD, 4.0)]
            }
        }
    }

    /// How far away some rays begin and end \[m\], where they leave the region.
    #[must_use]
    pub(super) fn reach(self) -> Option<f64> {
        (self == Self::Mixed).then_some(10e3)
    }

    /// The scene of a seed, in one of its variants.
    ///
    /// # Errors
    /// Never for these classes: the error is that of [`Scene::new`].
    pub fn scene(self, seed: u64, variant: u64) -> Result<Scene, SceneError> {
        let mut draws = Draws::new(seed, Purpose::Scene, variant);
        let (shape, runway) = match self {
            Self::House => (tent(), None),
            Self::Runway => (runway(), Some(RUNWAY)),
            Self::Village => (village(&mut draws), None),
            Self::NestedDifference => (nested_difference(&mut draws), None),
            Self::Boulders => (boulders(&mut draws), None),
            Self::Craters => (craters(&mut draws), None),
            Self::Ellipsoids => (solids::several(&mut draws, solids::ellipsoid), None),
            Self::Cones => (solids::several(&mut draws, solids::cone), None),
            Self::Capsules => (solids::several(&mut draws, solids::capsule), None),
            Self::Boxes => (solids::several(&mut draws, solids::cuboid), None),
            Self::Polyhedra => (solids::several(&mut draws, solids::polyhedron), None),
            Self::StretchedCylinders => (solids::several(&mut draws, solids::stretched_cylinder), None),
            Self::Mixed => (solids::mixed(&mut draws), None),
        };
        Scene::new(&shape, materials(), Some(GRASS), runway)
    }
}

const GRASS: MaterialId = MaterialId(0);
const PAVEMENT: [MaterialId; 3] = [MaterialId(1), MaterialId(2), MaterialId(3)];
const MARKING: MaterialId = MaterialId(4);
const WALL: MaterialId = MaterialId(5);
const ROCK: MaterialId = MaterialId(6);

/// Some have a force limit, some are slippery at speed, and some soft or flooded.
fn materials() -> Vec<Material> {
    let curve = vec![(0.0, 0.6), (20.0, 0.45), (40.0, 0.3), (60.0, 0.25)];
    let none = SurfaceDrag::default;
    let grass = SurfaceDrag { rolling_resistance: 0.08, ..none() };
    let slush = SurfaceDrag {
        rolling_resistance_by_speed: vec![(0.0, 0.02), (10.0, 0.12), (30.0, 0.05)],
        fluid_depth: 0.0127,
        fluid_density: 850.0,
        ..none()
    };
    [
        ("grass", 0.4, 3e3, Vec::new(), grass),
        ("dry", 0.8, f64::INFINITY, Vec::new(), none()),
        ("damp", 0.6, f64::INFINITY, curve.clone(), none()),
        ("wet", 0.5, 2e4, curve, slush),
        ("marking", 0.3, f64::INFINITY, Vec::new(), none()),
        ("wall", 0.7, f64::INFINITY, Vec::new(), none()),
        ("rock", 0.9, 1e4, Vec::new(), none()),
    ]
    .map(|(name, friction, max_force, dynamic_friction_by_speed, drag)| Material {
        name: name.to_owned(),
        static_friction: friction,
        dynamic_friction: friction,
        max_force,
        dynamic_friction_by_speed,
        drag,
    })
    .into()
}

fn ground() -> Shape {
    Shape::half_space(DVec3::Z, 0.0)
}

/// Two roofs and two gable ends, down for ever.
fn tent() -> Shape {
    Shape::intersection([
        Shape::half_space(DVec3::NEG_Y, 4.0),
        Shape::half_space(DVec3::Y, 4.0),
        Shape::half_space(DVec3::new(1.0, 0.0, 1.0), 7.0),
        Shape::half_space(DVec3::new(-1.0, 0.0, 1.0), 7.0),
    ])
}

/// A tent with side walls, and a floor below the ground.
fn house() -> Shape {
    let walls =
        [Shape::half_space(DVec3::X, 3.0), Shape::half_space(DVec3::NEG_X, 3.0), Shape::half_space(DVec3::NEG_Z, 1.0)];
    Shape::intersection([tent()].into_iter().chain(walls)).made_of(WALL)
}

fn village(draws: &mut Draws) -> Shape {
    let houses = (0..HOUSES_PER_SIDE * HOUSES_PER_SIDE).map(|number| {
        let place = |index: usize| (index as f64 + 0.5 - 0.5 * HOUSES_PER_SIDE as f64) * HOUSE_SPACING;
        let (row, column) = (number / HOUSES_PER_SIDE, number % HOUSES_PER_SIDE);
        let turned = house().rotated(DQuat::from_rotation_z(draws.between(0.0, std::f64::consts::TAU)));
        turned.translated(DVec3::new(place(row), place(column), draws.between(-0.5, 0.5)))
    });
    Shape::union(std::iter::once(ground()).chain(houses))
}

/// A prism over a rectangle, without top and bottom.
fn strip(x: [f64; 2], y: [f64; 2]) -> Shape {
    Shape::intersection([
        Shape::half_space(DVec3::NEG_X, -x[0]),
        Shape::half_space(DVec3::X, x[1]),
        Shape::half_space(DVec3::NEG_Y, -y[0]),
        Shape::half_space(DVec3::Y, y[1]),
    ])
}

fn runway() -> Shape {
    let Runway { length, width, .. } = RUNWAY;
    let third = length / 3.0;
    let pavement = PAVEMENT.into_iter().zip(0..).fold(ground(), |surface, (material, number)| {
        let start = f64::from(number) * third;
        surface.painted(material, strip([start, start + third], [-0.5 * width, 0.5 * width]))
    });
    // Stripes of 30 m and gaps of 20 m along the centreline, threshold bars, aiming points 300 m from both ends.
    let centreline =
        (0..58).map(|number| strip([60.0 + 50.0 * f64::from(number), 90.0 + 50.0 * f64::from(number)], [-0.45, 0.45]));
    let bars = (-6..6).flat_map(|number| {
        let y = [1.8 * 2.0 * (f64::from(number) + 0.25), 1.8 * 2.0 * (f64::from(number) + 0.75)];
        [strip([6.0, 36.0], y), strip([length - 36.0, length - 6.0], y)]
    });
    let aiming_points =
        [300.0, length - 360.0].into_iter().flat_map(|x| [[-14.0, -5.0], [5.0, 14.0]].map(|y| strip([x, x + 60.0], y)));
    let marked = pavement.painted(MARKING, Shape::union(centreline.chain(bars).chain(aiming_points)));
    let lights = (0..=50).flat_map(|number| {
        [-1.0, 1.0].map(|side| upright(DVec3::new(60.0 * f64::from(number), side * (0.5 * width + 1.5), 0.2), 0.1, 0.2))
    });
    Shape::union(std::iter::once(marked).chain(lights.map(|light| light.made_of(WALL))))
}

fn upright(center: DVec3, radius: f64, half_height: f64) -> Shape {
    Shape::Solid(Solid::Cylinder(Cylinder { center, axis: DVec3::Z, radius, half_height: Some(half_height) }))
}

fn boulders(draws: &mut Draws) -> Shape {
    let field = [DVec3::new(-BOULDER_FIELD, -BOULDER_FIELD, 0.0), DVec3::new(BOULDER_FIELD, BOULDER_FIELD, 0.0)];
    let balls: Vec<Shape> = (0..2000)
        .map(|_| {
            let center = draws.in_box(field);
            Shape::sphere(center, draws.between(0.2, 1.5))
        })
        .collect();
    Shape::union([ground(), Shape::union(balls).made_of(ROCK)])
}

/// Balls cut out of the ground, and the part of each below the ground's level put back. Some overlap.
fn craters(draws: &mut Draws) -> Shape {
    let middles = [DVec3::new(-10.0, -10.0, -1.0), DVec3::new(10.0, 10.0, 3.0)];
    let balls: Vec<Shape> =
        (0..2 + draws.index(29)).map(|_| Shape::sphere(draws.in_box(middles), draws.between(1.0, 4.0))).collect();
    let fill = |ball: &Shape| Shape::intersection([ground(), ball.clone()]).made_of(PAVEMENT[draws.index(3)]);
    let fills: Vec<Shape> = balls.iter().map(fill).collect();
    let soil = Shape::Difference(std::iter::once(ground()).chain(balls).map(Into::into).collect());
    Shape::union(std::iter::once(soil).chain(fills))
}

/// A large ball and a block, hollowed out by what is itself hollowed out.
fn nested_difference(draws: &mut Draws) -> Shape {
    let core = Shape::union([Shape::sphere(draws.in_cube(2.0), 7.0), block(draws, 6.0)]);
    let holes = [tree(draws, DEPTH), tree(draws, DEPTH)];
    Shape::Difference(std::iter::once(core).chain(holes).map(Into::into).collect())
}

fn tree(draws: &mut Draws, depth: usize) -> Shape {
    if depth == 0 {
        return solid(draws);
    }
    let children = |draws: &mut Draws, count: usize| (0..count).map(|_| tree(draws, depth - 1)).collect::<Vec<_>>();
    match draws.index(12) {
        0..=4 => {
            let count = 2 + draws.index(2);
            Shape::Difference(children(draws, count).into_iter().map(Into::into).collect())
        }
        5..=6 => Shape::union(children(draws, 2)),
        // Complements inside a difference turn back what is cut away.
        7 => Shape::intersection([tree(draws, depth - 1), tree(draws, depth - 1).complement()]),
        8 => tree(draws, depth - 1).complement(),
        9 => tree(draws, depth - 1).rotated(draws.rotation()).translated(draws.in_cube(2.0)),
        10 => tree(draws, depth - 1).made_of(ROCK),
        _ => {
            let region = solid(draws);
            tree(draws, depth - 1).painted(MARKING, region)
        }
    }
}

fn solid(draws: &mut Draws) -> Shape {
    let center = draws.in_cube(7.0);
    match draws.index(5) {
        0 | 1 => Shape::sphere(center, draws.between(0.5, 4.0)),
        2 => Shape::cylinder(center, draws.direction(), draws.between(0.3, 2.5)),
        3 => Shape::Solid(Solid::Cylinder(Cylinder {
            center,
            axis: draws.direction(),
            radius: draws.between(0.3, 2.5),
            half_height: Some(draws.between(0.3, 4.0)),
        })),
        _ => block(draws, 3.0),
    }
}

/// A cell of six half spaces, turned anyhow; normals are not unit vectors.
fn block(draws: &mut Draws, half_edge: f64) -> Shape {
    let faces: Vec<Shape> = DVec3::AXES
        .into_iter()
        .flat_map(|axis| [axis, -axis])
        .map(|normal| {
            let size = draws.between(0.2, 5.0);
            Shape::half_space(size * normal, size * draws.between(0.2, 1.0) * half_edge)
        })
        .collect();
    Shape::intersection(faces).rotated(draws.rotation()).translated(draws.in_cube(5.0))
}
