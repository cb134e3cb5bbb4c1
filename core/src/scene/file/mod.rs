//! The scene file: from a document to shapes, and from shapes to a scene.

mod camera;
mod hulls;
mod node;
mod number;
mod solid;
mod uses;

use std::collections::BTreeMap;
use std::path::Path;

pub use self::hulls::Files;
pub use self::hulls::read_limited;
use self::node::Names;
use self::number::{not_negative, positive};
use super::{Appearance, Color, Material, MaterialId, Runway, Scene, SceneWarning, SurfaceDrag};
use crate::document::{Document, DocumentError, Field, Table, Unit};

impl Scene {
    /// Reads a scene file; see [`from_document`](Self::from_document).
    ///
    /// # Errors
    /// If the file cannot be read or parsed, and as [`from_document`](Self::from_document).
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        Self::from_document(&Document::read(path)?)
    }

    /// Reads a scene from a document.
    ///
    /// Plain numbers are in SI units; strings such as `"1900 ft"` carry their own. A node of the tree is a table with
    /// exactly one of these keys:
    ///
    /// | node | set |
    /// | --- | --- |
    /// | `half_space = { normal, offset }` | x.normal <= offset; the normal need not be a unit vector |
    /// | `half_space = { normal, point }` | the same, with a point of its border |
    /// | `sphere = { center, radius }` | a ball |
    /// | `cylinder = { center, axis, radius, height }` | centred at `center`; infinite without its whole `height` |
    /// | `ellipsoid = { center, axes, rotate }` | three semi-axes, turned about the centre by a `rotate` that may be left out |
    /// | `cone = { base, axis, height, radius, top_radius }` | from the disc at `base` along the axis to one of the top radius, 0 if left out |
    /// | `cone = { apex, axis, half_angle_deg }` | infinite, opens along the axis |
    /// | `capsule = { from, to, radius }` | all points no farther than the radius from a segment |
    /// | `box = { center, half, rotate }` | half edges along the axes, turned about the centre; leaves +x, -x, +y, -y, +z, -z |
    /// | `polyhedron = { half_spaces = [...] }` | the intersection of half spaces, each as above |
    /// | `polyhedron = { file = "hull.stl" }` | the convex hull of the vertices of an STL or OBJ file beside the scene file; a [warning](Self::warnings) where the mesh is concave |
    /// | `everything = true`, `nothing = true` | all of space, the empty set |
    /// | `union = [a, ...]`, `intersection = [a, ...]` | inside any, inside every node |
    /// | `difference = [a, b, ...]` | inside the first and outside of all others |
    /// | `complement = a` | the closed complement |
    /// | `translate = [x, y, z], of = a` | a node, moved |
    /// | `rotate = { axis, angle_deg }, of = a` | a node, turned right-handed about an axis through the origin |
    /// | `scale = s, of = a`, `scale = [x, y, z], of = a` | a node, scaled about the origin; negative factors mirror |
    /// | `matrix = [[4], [4], [4]], of = a` | a node under the affine map with these rows, translation last |
    /// | `material = "NAME", of = a` | every border of the node is of this material, unless a node above says otherwise |
    /// | `paint = "NAME", where = a, of = b` | borders of `b` inside of `a` are of this material |
    /// | `use = "NAME"` | the node of this name in `[shapes]` |
    ///
    /// A half space may have its own `material = "NAME"`. Materials are numbered in file order. Besides friction a
    /// material may have drag on rolling wheels, the fields of [`SurfaceDrag`]: `rolling_resistance` or
    /// `rolling_resistance_by_speed`, and `fluid_depth` with `fluid_density`. For pictures a material may have a
    /// `color = "#rrggbb"`, and the scene a `[camera]` with `from`, `at` and optionally `up` and `fov_deg`.
    ///
    /// `[runway]` has `length` and `width`, and may have `displaced_threshold` (0), `elevation` (0) and `slope` (0): rise per distance
    /// along the landing direction, positive uphill, as 0.012 or "1.2 %". It defines where heights are measured from;
    /// the ground itself is a shape like any other and must agree, such as
    /// `half_space = { normal = [-0.012, 0, 1], offset = 0 }`.
    ///
    /// ```
    /// # use touchdown_core as touchdown;
    /// use touchdown::document::Document;
    /// use touchdown::scene::Scene;
    ///
    /// let document = Document::parse("scene.toml", r#"
    ///     default_material = "grass"
    ///     [materials.grass]
    ///     static_friction = 0.6
    ///     dynamic_friction = 0.5
    ///     max_force = "20 kN"
    ///     [shapes]
    ///     ground = { half_space = { normal = [0, 0, 1], offset = 0 } }
    ///     [scene]
    ///     union = [{ use = "ground" }, { sphere = { center = [400, 0, 0], radius = "3 ft" } }]
    /// "#)?;
    /// let scene = Scene::from_document(&document)?;
    /// assert_eq!(scene.leaves().len(), 2);
    /// # Ok::<(), touchdown::document::DocumentError>(())
    /// ```
    ///
    /// # Errors
    /// At the first value that is not allowed, also in unused shapes; and at `scene` if the expanded tree exceeds
    /// [`LIMITS`](super::LIMITS).
    pub fn from_document(document: &Document) -> Result<Self, DocumentError> {
        let beside = document.path().parent().unwrap_or(Path::new("")).to_owned();
        Self::from_document_and_files(document, &mut |name| read_limited(&beside.join(name)))
    }

    /// Reads a scene from a document; `files` returns the contents of the files it names.
    ///
    /// # Errors
    /// As [`from_document`](Self::from_document).
    pub fn from_document_and_files(document: &Document, files: &mut Files<'_>) -> Result<Self, DocumentError> {
        document.read_whole(|root| Self::from_root(root, document.path(), files))
    }

    fn from_root(root: &Table<'_>, path: &Path, files: &mut Files<'_>) -> Result<Self, DocumentError> {
        let (materials, colors) = materials(root)?;
        let mut names = Names::new(numbers_by_name(&materials), files);
        let default_material = root.optional("default_material").map(|field| names.material(field)).transpose()?;
        let runway = root.optional_table("runway")?.map(|table| runway(&table)).transpose()?;
        let view = root.optional_table("camera")?.map(|table| camera::view(&table)).transpose()?;
        let shapes = root.optional_table("shapes")?;
        let scene = root.required("scene")?;
        root.finish()?;

        if let Some(shapes) = shapes {
            names.read_shapes(&shapes.entries().collect::<Vec<_>>())?;
        }
        let shape = names.read_node(scene)?.shape;
        let built = Self::new(&shape, materials, default_material, runway);
        let built = built.map_err(|error| scene.error(error.to_string()))?;
        let warning = |(line, message)| SceneWarning { path: path.to_owned(), line, message };
        let warnings = names.into_warnings().into_iter().map(warning).collect();
        Ok(Self { appearance: Appearance { view, colors }, warnings, ..built })
    }
}

/// The materials and their colours.
fn materials(root: &Table<'_>) -> Result<(Vec<Material>, Vec<Option<Color>>), DocumentError> {
    let Some(table) = root.optional_table("materials")? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let all: Result<(Vec<_>, Vec<_>), _> =
        table.entries().map(|(name, field)| material(name, &field.table()?)).collect();
    let (materials, mut colors) = all?;
    colors.truncate(colors.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    Ok((materials, colors))
}

fn material(name: &str, table: &Table<'_>) -> Result<(Material, Option<Color>), DocumentError> {
    let material = Material {
        name: name.to_owned(),
        static_friction: not_negative(table.required("static_friction")?, Unit::One)?,
        dynamic_friction: not_negative(table.required("dynamic_friction")?, Unit::One)?,
        max_force: table.optional("max_force").map_or(Ok(f64::INFINITY), |field| not_negative(field, Unit::Force))?,
        dynamic_friction_by_speed: table
            .optional("dynamic_friction_by_speed")
            .map_or(Ok(Vec::new()), |field| by_speed(field, "friction coefficient"))?,
        drag: drag(table)?,
    };
    let color = table.optional("color").map(color).transpose()?;
    table.finish()?;
    Ok((material, color))
}

fn color(field: Field<'_>) -> Result<Color, DocumentError> {
    Color::parse(field.string()?).ok_or_else(|| field.refused("must be a colour such as \"#6a8a3c\""))
}

/// Drag of a material on rolling wheels; none if not given.
fn drag(table: &Table<'_>) -> Result<SurfaceDrag, DocumentError> {
    let (constant, rows) = (table.optional("rolling_resistance"), table.optional("rolling_resistance_by_speed"));
    if let (Some(_), Some(rows)) = (&constant, &rows) {
        return Err(rows.error("`rolling_resistance` and `rolling_resistance_by_speed` cannot stand together"));
    }
    let (depth, density) = (table.optional("fluid_depth"), table.optional("fluid_density"));
    if let (Some(lonely), None) | (None, Some(lonely)) = (&depth, &density) {
        return Err(lonely.error("`fluid_depth` and `fluid_density` must stand together"));
    }
    let or_zero = |field: Option<Field<'_>>, unit| field.map_or(Ok(0.0), |field| not_negative(field, unit));
    Ok(SurfaceDrag {
        rolling_resistance: or_zero(constant, Unit::One)?,
        rolling_resistance_by_speed: rows
            .map_or(Ok(Vec::new()), |field| by_speed(field, "rolling resistance coefficient"))?,
        fluid_depth: or_zero(depth, Unit::Length)?,
        fluid_density: or_zero(density, Unit::Density)?,
    })
}

/// Rows of speed \[m/s\] and a coefficient \[1\], with increasing speeds; `coefficient` names it.
fn by_speed(field: Field<'_>, coefficient: &str) -> Result<Vec<(f64, f64)>, DocumentError> {
    let mut rows: Vec<(f64, f64)> = Vec::new();
    for row in field.array()? {
        let wrong = || row.refused(format!("must be a pair [speed, {coefficient}]"));
        let pair = row.array().map_err(|_| wrong())?;
        let [speed_field, value_field] = pair[..] else {
            return Err(wrong());
        };
        let speed = not_negative(speed_field, Unit::Speed)?;
        if let Some(&(before, _)) = rows.last()
            && speed <= before
        {
            return Err(speed_field.refused(format!("must be above {before} m/s, the speed of the row before")));
        }
        rows.push((speed, not_negative(value_field, Unit::One)?));
    }
    if rows.is_empty() {
        return Err(field.refused(format!("must have at least one pair [speed, {coefficient}]")));
    }
    Ok(rows)
}

fn numbers_by_name(materials: &[Material]) -> BTreeMap<String, MaterialId> {
    let numbered = materials.iter().zip(0..);
    numbered.map(|(material, number)| (material.name.clone(), MaterialId(number))).collect()
}

fn runway(table: &Table<'_>) -> Result<Runway, DocumentError> {
    let length = positive(table.required("length")?, Unit::Length)?;
    let width = positive(table.required("width")?, Unit::Length)?;
    let displaced_threshold = match table.optional("displaced_threshold") {
        None => 0.0,
        Some(field) => {
            let displaced = field.not_negative(Unit::Length)?;
            if displaced >= length {
                return Err(field.refused(format!("must be below the length, {length} m")));
            }
            displaced
        }
    };
    let slope = table.optional_or("slope", 0.0, |field| {
        let (slope, steepest) = (field.number(Unit::One)?, Runway::STEEPEST);
        let refused =
            || field.refused(format!("must be from -{steepest} to {steepest}: rise per distance, 0.01 for 1 %"));
        if slope.abs() <= steepest { Ok(slope) } else { Err(refused()) }
    })?;
    let elevation = table.optional_or("elevation", 0.0, |field| {
        field.in_range(Unit::Length, *Runway::ELEVATIONS.start(), *Runway::ELEVATIONS.end())
    })?;
    table.finish()?;
    Ok(Runway { length, width, displaced_threshold, slope, elevation })
}

#[cfg(test)]
mod tests;
