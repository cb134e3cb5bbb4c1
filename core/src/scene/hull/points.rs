//! Meshes of files: STL (ASCII and binary) and OBJ. A convex hull needs the vertices alone; faces tell whether it is more than
//! the mesh.

use glam::DVec3;

use super::HullError;

/// Bytes of a binary STL before its facets: a comment and the number of facets.
const BINARY_HEAD: usize = 84;
/// Bytes of a facet: a normal, three vertices, and two for attributes.
const BINARY_FACET: usize = 50;
/// Bytes of a facet's normal.
const BINARY_NORMAL: usize = 12;
/// Coordinates in binary files are rounded to f32, by at most this part of themselves.
const BINARY_ROUNDING: f64 = 0.5 * f32::EPSILON as f64;
/// Coordinates in text have six digits at least.
const TEXT_ROUNDING: f64 = 5e-6;

/// The vertices of a file, those of its faces where it has some, and its surface.
pub(super) struct Mesh {
    pub points: Vec<DVec3>,
    /// Numbers of three vertices each, counter-clockwise as seen from outside. Without any the file is a cloud of points.
    pub triangles: Vec<[u32; 3]>,
    /// By this part of itself a coordinate may be rounded.
    pub rounding: f64,
}

/// The mesh of a file by the ending of its name.
pub(super) fn mesh(name: &str, bytes: &[u8]) -> Result<Mesh, HullError> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let mesh = match ending.as_str() {
        "stl" => stl(bytes)?,
        "obj" => obj(bytes)?,
        _ => return Err(HullError::UnknownEnding),
    };
    if mesh.points.is_empty() { Err(HullError::NoPoints) } else { Ok(mesh) }
}

fn stl(bytes: &[u8]) -> Result<Mesh, HullError> {
    let (points, rounding) = match binary_facets(bytes) {
        Some(facets) => (facets.flat_map(facet_corners).collect::<Vec<_>>(), BINARY_ROUNDING),
        None => (text_facets(bytes)?, TEXT_ROUNDING),
    };
    let triangles = (0..points.len() as u32 / 3).map(|facet| [3 * facet, 3 * facet + 1, 3 * facet + 2]).collect();
    Ok(Mesh { points, triangles, rounding })
}

fn obj(bytes: &[u8]) -> Result<Mesh, HullError> {
    let points = lines_after(|word| word == "v", bytes)?;
    let triangles = obj_triangles(text(bytes)?, points.len())?;
    let (points, triangles) = if triangles.is_empty() { (points, triangles) } else { used(&points, triangles) };
    Ok(Mesh { points, triangles, rounding: TEXT_ROUNDING })
}

/// The points that are corners of triangles, and these with their new numbers: what else there is may be of curves, or left over
/// from editing.
fn used(points: &[DVec3], mut triangles: Vec<[u32; 3]>) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut numbers = vec![None; points.len()];
    let mut kept = Vec::new();
    for corner in triangles.as_flattened_mut() {
        *corner = *numbers[*corner as usize].get_or_insert_with(|| {
            kept.push(points[*corner as usize]);
            kept.len() as u32 - 1
        });
    }
    (kept, triangles)
}

/// The faces of an OBJ, polygons as fans. Vertices are counted from 1, or backwards from the last one so far.
fn obj_triangles(text: &str, vertices: usize) -> Result<Vec<[u32; 3]>, HullError> {
    let mut triangles = Vec::new();
    let mut seen = 0;
    for (line, text) in (1..).zip(text.lines()) {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("v") => seen += 1,
            Some("f") => {
                let corner = |word: &str| {
                    let number: i64 = word.split('/').next()?.parse().ok()?;
                    let place = if number < 0 { seen + number } else { number - 1 };
                    u32::try_from(place).ok().filter(|&place| (place as usize) < vertices)
                };
                let corners: Option<Vec<u32>> = words.map(corner).collect();
                let Some([first, others @ ..]) = corners.as_deref().filter(|corners| corners.len() > 2) else {
                    return Err(HullError::BadFace { line, vertices });
                };
                triangles.extend(others.windows(2).map(|edge| [*first, edge[0], edge[1]]));
            }
            _ => {}
        }
    }
    Ok(triangles)
}

/// The corners of the facets of an STL of text.
fn text_facets(bytes: &[u8]) -> Result<Vec<DVec3>, HullError> {
    let points = lines_after(|word| word.eq_ignore_ascii_case("vertex"), bytes)?;
    let last = text(bytes)?.lines().filter_map(|line| line.split_whitespace().next()).next_back();
    let is_whole = points.len() % 3 == 0 && last.is_some_and(|word| word.eq_ignore_ascii_case("endsolid"));
    if points.is_empty() || is_whole { Ok(points) } else { Err(HullError::CutOff) }
}

/// The facets of a binary STL. Its length tells it from text: the comment may begin with "solid" as ASCII files do.
fn binary_facets(bytes: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let count = u32::from_le_bytes(bytes.get(BINARY_HEAD - 4..BINARY_HEAD)?.try_into().ok()?) as usize;
    let facets = &bytes[BINARY_HEAD..];
    (facets.len() == count.checked_mul(BINARY_FACET)?).then(|| facets.chunks_exact(BINARY_FACET))
}

fn facet_corners(facet: &[u8]) -> impl Iterator<Item = DVec3> {
    let (corners, _) = facet[BINARY_NORMAL..].as_chunks::<12>();
    corners.iter().map(|corner| {
        let (numbers, _) = corner.as_chunks::<4>();
        DVec3::from_array([0, 1, 2].map(|axis| f64::from(f32::from_le_bytes(numbers[axis]))))
    })
}

fn text(bytes: &[u8]) -> Result<&str, HullError> {
    str::from_utf8(bytes).map_err(|_| HullError::NotText)
}

/// The points on lines with a keyword.
fn lines_after(is_keyword: impl Fn(&str) -> bool, bytes: &[u8]) -> Result<Vec<DVec3>, HullError> {
    let mut points = Vec::new();
    for (line, text) in (1..).zip(text(bytes)?.lines()) {
        let mut words = text.split_whitespace();
        if words.next().is_some_and(&is_keyword) {
            let mut number = || words.next()?.parse::<f64>().ok();
            let (Some(x), Some(y), Some(z)) = (number(), number(), number()) else {
                return Err(HullError::BadLine { line });
            };
            points.push(DVec3::new(x, y, z));
        }
    }
    Ok(points)
}
