//! Points of mesh files: the vertices of STL (ASCII and binary) and OBJ. Faces are of no interest to a convex hull.

use glam::DVec3;

use super::HullError;

/// Bytes of a binary STL before its facets: a comment and the number of facets.
const BINARY_HEAD: usize = 84;
/// Bytes of a facet: a normal, three vertices, and two for attributes.
const BINARY_FACET: usize = 50;
/// Bytes of a facet's normal.
const BINARY_NORMAL: usize = 12;

/// The points of a file by the ending of its name.
pub(super) fn points(name: &str, bytes: &[u8]) -> Result<Vec<DVec3>, HullError> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let points = match ending.as_str() {
        "stl" => match binary_facets(bytes) {
            Some(facets) => facets.flat_map(facet_corners).collect(),
            None => lines_after(|word| word.eq_ignore_ascii_case("vertex"), bytes)?,
        },
        "obj" => lines_after(|word| word == "v", bytes)?,
        _ => return Err(HullError::UnknownEnding),
    };
    if points.is_empty() { Err(HullError::NoPoints) } else { Ok(points) }
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

/// The points that stand on lines behind a keyword.
fn lines_after(is_keyword: impl Fn(&str) -> bool, bytes: &[u8]) -> Result<Vec<DVec3>, HullError> {
    let text = str::from_utf8(bytes).map_err(|_| HullError::NotText)?;
    let mut points = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
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
