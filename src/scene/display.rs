//! The expanded tree as text.

use std::fmt;

use super::{Cell, Layer, Leaf, Node, NodeId, Scene, Solid};

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
        if (number as usize) < self.scene_leaves {
            write!(f, "[{number}] ")?;
        }
        write!(f, "{leaf}")?;
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
        match &self.solid {
            Solid::HalfSpace(half_space) => {
                write!(f, "half space, normal {}, offset {}", half_space.normal, half_space.offset)
            }
            Solid::Sphere(ball) => write!(f, "sphere at {}, radius {}", ball.center, ball.radius),
            Solid::Cylinder(cylinder) => {
                write!(f, "cylinder at {}, axis {}, radius {}", cylinder.center, cylinder.axis, cylinder.radius)?;
                cylinder.half_height.map_or(Ok(()), |half| write!(f, ", height {}", 2.0 * half))
            }
        }
    }
}
