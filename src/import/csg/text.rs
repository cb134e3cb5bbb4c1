//! Pieces as the text of a scene file: one named shape for each group, so that nothing nests deeply, named after its line
//! in the model.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::super::colors::hexadecimal;
pub(super) use super::super::number::{number, vector};
use super::{CsgRequest, GroupKind, Piece};
use crate::scene::{Color, HalfSpace};

/// OpenSCAD's own colour for what has none.
const UNCOLORED: Color = Color([0xf9, 0xd7, 0x2c]);

/// Colours with a name of their own (CSS).
const NAMES: [(&str, [u8; 3]); 16] = [
    ("black", [0, 0, 0]),
    ("white", [255, 255, 255]),
    ("red", [255, 0, 0]),
    ("lime", [0, 255, 0]),
    ("green", [0, 128, 0]),
    ("blue", [0, 0, 255]),
    ("yellow", [255, 255, 0]),
    ("cyan", [0, 255, 255]),
    ("magenta", [255, 0, 255]),
    ("gray", [128, 128, 128]),
    ("silver", [192, 192, 192]),
    ("orange", [255, 165, 0]),
    ("brown", [165, 42, 42]),
    ("navy", [0, 0, 128]),
    ("purple", [128, 0, 128]),
    ("pink", [255, 192, 203]),
];

/// A node as an inline table.
pub(super) fn leaf(node: &str) -> String {
    format!("{{ {node} }}")
}

/// A node of half spaces, to the last digit: they meet in corners.
pub(super) fn polyhedron_of(half_spaces: &[HalfSpace]) -> String {
    let faces: Vec<String> = half_spaces
        .iter()
        .map(|face| format!("{{ normal = {:?}, offset = {:?} }}", face.normal.to_array(), face.offset))
        .collect();
    leaf(&format!("polyhedron = {{ half_spaces = [{}] }}", faces.join(", ")))
}

/// The whole scene file.
pub(super) fn scene(name: &str, piece: &Piece, warnings: &[String], request: &CsgRequest) -> String {
    let mut writer = Writer { shapes: String::new(), taken: HashMap::new(), colors: BTreeMap::new() };
    let root = writer.node(piece);
    let Writer { shapes, colors, .. } = writer;
    // A name may hold anything, and a line break would end the comment.
    let mut text = format!(
        "# From {}, a flat export of OpenSCAD. Metres; one unit of the model is {}.\n\
         # Spheres, cylinders and cones are round: the facets of $fn, $fa and $fs are not kept, but for cylinders of 3 to 12\n\
         # sides ($fn). Shapes are named after their lines in the model.\n",
        name.escape_debug(),
        request.unit
    );
    for warning in warnings {
        let _ = writeln!(text, "# Warning: {warning}");
    }
    text.push_str(
        "default_material = \"uncolored\"\n\n\
         # Frictions are assumed, for OpenSCAD has none. Materials are named after colours.\n",
    );
    let materials = std::iter::once(("uncolored".to_owned(), UNCOLORED)).chain(colors.into_iter().map(|(a, b)| (b, a)));
    for (name, color) in materials {
        let _ = write!(
            text,
            "[materials.{name}]\nstatic_friction = {}\ndynamic_friction = {}\ncolor = \"{}\"\n\n",
            request.static_friction,
            request.dynamic_friction,
            hexadecimal(color)
        );
    }
    text.push_str(&shapes);
    // Every node is an inline table, whose inside is a table's body.
    let body = root.strip_prefix("{ ").and_then(|rest| rest.strip_suffix(" }")).unwrap_or(&root);
    let _ = if shapes.is_empty() || !body.starts_with("use") {
        writeln!(text, "[scene]\nunion = [{root}]")
    } else {
        writeln!(text, "[scene]\n{body}")
    };
    text
}

struct Writer {
    /// Text of the groups so far, inner ones first.
    shapes: String,
    /// How many shapes have each name, but for their numbers.
    taken: HashMap<String, u32>,
    colors: BTreeMap<Color, String>,
}

impl Writer {
    /// The text of a node; groups in it become shapes.
    fn node(&mut self, piece: &Piece) -> String {
        match piece {
            Piece::Nothing => "{ nothing = true }".to_owned(),
            Piece::Leaf(text) => text.clone(),
            Piece::Colored(color, of) => {
                let name = self.colors.entry(*color).or_insert_with(|| color_name(*color)).clone();
                format!("{{ material = \"{name}\", of = {} }}", self.node(of))
            }
            Piece::Group { kind, line, children } => {
                let kind = match kind {
                    GroupKind::Union => "union",
                    GroupKind::Intersection => "intersection",
                    GroupKind::Difference => "difference",
                };
                let children: Vec<String> = children.iter().map(|child| self.node(child)).collect();
                let name = self.free_name(&format!("{kind}_{line}"));
                let _ = write!(self.shapes, "[shapes.{name}]\n{kind} = [\n");
                for child in children {
                    let _ = writeln!(self.shapes, "    {child},");
                }
                self.shapes.push_str("]\n\n");
                format!("{{ use = \"{name}\" }}")
            }
        }
    }

    /// The name, or the name and a number when several groups start on one line.
    fn free_name(&mut self, name: &str) -> String {
        let taken = self.taken.entry(name.to_owned()).or_default();
        *taken += 1;
        if *taken == 1 { name.to_owned() } else { format!("{name}_{taken}") }
    }
}

fn color_name(color: Color) -> String {
    let [red, green, blue] = color.0;
    let known = NAMES.iter().find(|(_, bytes)| *bytes == color.0);
    known.map_or_else(|| format!("color_{red:02x}{green:02x}{blue:02x}"), |(name, _)| (*name).to_owned())
}
