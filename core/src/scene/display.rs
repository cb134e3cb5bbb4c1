//! The expanded tree as text.

use std::fmt;

use super::{Cell, Cone, Layer, Leaf, Node, NodeId, Scene, Solid, Stretched};

/// Writes one node per line, children indented, then the paint regions.
impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_node(f, self.root, 0)?;
        let mut regions: Vec<NodeId> = self.coatings.iter().flatten().filter_map(|layer| layer.region).collect();
        regions.sort_unstable_by_key(|region| region.0);
        regions.dedup();
        for region in regions {
            writeln!(f, "region {}", region.0)?;
            self.write_node(f, region, 1)?;
        }
        Ok(())
    }
}

impl Scene {
    fn write_node(&self, f: &mut fmt::Formatter<'_>, node: NodeId, level: usize) -> fmt::Result {
        write!(f, "{:1$}", "", 2 * level)?;
        match self.node(node) {
            Node::Everything => writeln!(f, "everything"),
            Node::Nothing => writeln!(f, "nothing"),
            Node::Leaf(number) => self.write_leaf(f, *number),
            Node::Cell(cell) => self.write_cell(f, cell, level),
            Node::Union(children) => self.write_group(f, "union", children, level),
            Node::Intersection(children) => self.write_group(f, "intersection", children, level),
        }
    }

    fn write_group(&self, f: &mut fmt::Formatter<'_>, name: &str, children: &[NodeId], level: usize) -> fmt::Result {
        writeln!(f, "{name} of {}", children.len())?;
        children.iter().try_for_each(|&child| self.write_node(f, child, level + 1))
    }

    /// A half space alone is a line; a run is one under a heading of its own.
    fn write_cell(&self, f: &mut fmt::Formatter<'_>, cell: &Cell, level: usize) -> fmt::Result {
        if cell.half_spaces.len() == 1 {
            return self.write_leaf(f, cell.first_leaf);
        }
        writeln!(f, "cell of {}", cell.half_spaces.len())?;
        (cell.first_leaf..).take(cell.half_spaces.len()).try_for_each(|number| {
            write!(f, "{:1$}", "", 2 * (level + 1))?;
            self.write_leaf(f, number)
        })
    }

    fn write_leaf(&self, f: &mut fmt::Formatter<'_>, number: u32) -> fmt::Result {
        let leaf = self.leaf(number);
        // Leaves of paint regions have neither number nor material.
        if (number as usize) >= self.scene_leaves {
            return writeln!(f, "{leaf}");
        }
        write!(f, "[{number}] {leaf}")?;
        for layer in self.coating(leaf) {
            self.write_layer(f, layer)?;
        }
        writeln!(f)
    }

    fn write_layer(&self, f: &mut fmt::Formatter<'_>, layer: &Layer) -> fmt::Result {
        write!(f, " | {}", self.material(layer.material).name)?;
        layer.region.map_or(Ok(()), |region| write!(f, " in region {}", region.0))
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.complemented {
            write!(f, "complement of ")?;
        }
        self.solid.fmt(f)
    }
}

impl fmt::Display for Solid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HalfSpace(half_space) => {
                write!(f, "half space, normal {}, offset {}", half_space.normal, half_space.offset)
            }
            Self::Sphere(ball) => write!(f, "sphere at {}, radius {}", ball.center, ball.radius),
            Self::Cylinder(cylinder) => {
                write!(f, "cylinder at {}, axis {}, radius {}", cylinder.center, cylinder.axis, cylinder.radius)?;
                cylinder.half_height.map_or(Ok(()), |half| write!(f, ", height {}", 2.0 * half))
            }
            Self::Cone(Cone { base, axis, slope, height: None, .. }) => {
                write!(f, "cone with its apex at {base}, axis {axis}, slope {slope}")
            }
            Self::Cone(Cone { base, axis, radius, height: Some(height), slope }) => {
                let top_radius = radius + slope * height;
                write!(f, "cone from {base}, axis {axis}, radius {radius}, height {height}, top radius {top_radius}")
            }
            Self::Capsule(capsule) => {
                write!(f, "capsule from {} to {}, radius {}", capsule.from, capsule.to, capsule.radius)
            }
            Self::Stretched(stretched) => {
                let Stretched { center, from_local: map, base, .. } = stretched.as_ref();
                write!(f, "image at {center} under columns {} {} {} of {base}", map.x_axis, map.y_axis, map.z_axis)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::{Material, MaterialId, Scene, Shape, SurfaceDrag};
    use crate::program::Program;

    fn painted_hill() -> Scene {
        let material = |name: &str| Material {
            name: name.to_owned(),
            static_friction: 0.5,
            dynamic_friction: 0.4,
            max_force: f64::INFINITY,
            dynamic_friction_by_speed: Vec::new(),
            drag: SurfaceDrag::default(),
        };
        let ground = Shape::half_space(DVec3::Z, 0.0);
        let hill = Shape::sphere(DVec3::ZERO, 2.0);
        let strip = Shape::intersection([Shape::half_space(DVec3::Y, 1.0), Shape::half_space(DVec3::NEG_Y, 1.0)]);
        let shape = Shape::union([ground, hill]).made_of(MaterialId(0)).painted(MaterialId(1), strip);
        Scene::new(&shape, vec![material("grass"), material("tar")], None, None).unwrap()
    }

    #[test]
    fn a_scene_is_shown_as_its_tree_with_coatings_and_regions() {
        let expected = "\
union of 2
  [0] half space, normal [0, 0, 1], offset 0 | tar in region 3 | grass
  [1] sphere at [0, 0, 0], radius 2 | tar in region 3 | grass
region 3
  cell of 2
    half space, normal [0, 1, 0], offset 1
    half space, normal [0, -1, 0], offset 1
";
        assert_eq!(painted_hill().to_string(), expected);
    }

    #[test]
    fn a_program_is_shown_word_by_word() {
        let expected = "     0  cell of 1, constants at 0, leaves from 0, rank 0
     4  sphere, constants at 4, leaf 1, rank 1
     8  union
paint region
     9  cell of 2, constants at 8, leaves from 2, rank 0
";
        assert_eq!(Program::compile(&painted_hill()).to_string(), expected);
    }
}
