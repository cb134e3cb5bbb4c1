//! Polygons as differences of convex ones.
//!
//! A polygon is its convex hull minus its pockets: a pocket lies between an edge of the hull, the lid, and the corners
//! that the polygon has from one end of the lid to the other. It is a polygon with fewer corners. It is subtracted
//! without its lid, beyond which there is no hull, and without ends: so surfaces coincide only where they bound the
//! polygon.
//!
//! Signs of areas are exact (Shewchuk 1997, crate `robust`): whether a corner is on the hull never depends on rounding.

use glam::DVec2;
use robust::{Coord, orient2d};

use super::extrusion::Plane;
use super::nodes::difference;
use super::{CsgError, Piece};

/// Most corners of a polygon: all pairs of edges are looked at.
const MAX_CORNERS: usize = 5000;

/// Above 0 where three points turn to the left, exactly 0 in a line.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |point: DVec2| Coord { x: point.x, y: point.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// The numbers of the corners of the convex hull of points, counter-clockwise (Andrew 1979); `None` where all are in a line.
fn hull(points: &[DVec2]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a].x.total_cmp(&points[b].x).then(points[a].y.total_cmp(&points[b].y)));
    order.dedup_by_key(|place| points[*place].to_array());
    let chain = |places: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for place in places {
            while let [.., a, b] = chain[..]
                && turn(points[a], points[b], points[place]) <= 0.0
            {
                chain.pop();
            }
            chain.push(place);
        }
        chain.pop();
        chain
    };
    let mut corners = chain(&mut order.iter().copied());
    corners.extend(chain(&mut order.iter().rev().copied()));
    (corners.len() >= 3).then_some(corners)
}

/// The convex hull of points, counter-clockwise; `None` where it has no inside.
pub(super) fn convex(points: &[DVec2]) -> Option<Vec<DVec2>> {
    Some(hull(points)?.into_iter().map(|place| points[place]).collect())
}

/// Twice the area on the left of an outline.
fn area(outline: &[DVec2]) -> f64 {
    let first = outline.first().copied().unwrap_or_default();
    outline.windows(2).map(|edge| (edge[0] - first).perp_dot(edge[1] - first)).sum()
}

/// The solid of a polygon in the plane of an extrusion.
pub(super) fn region(outline: &[DVec2], plane: &Plane, line: usize) -> Result<Piece, CsgError> {
    let mut outline = outline.to_vec();
    if area(&outline) < 0.0 {
        outline.reverse();
    }
    without_pockets(&outline, plane, true, line)
}

/// The solid of a polygon whose corners stand counter-clockwise; without the side from the last to the first where that is
/// open.
fn without_pockets(outline: &[DVec2], plane: &Plane, has_last_side: bool, line: usize) -> Result<Piece, CsgError> {
    // From a corner of the hull on its corners come in the order of the outline.
    let Some(mut corners) = hull(outline) else { return Ok(Piece::Nothing) };
    corners.sort_unstable();
    let places: Vec<DVec2> = corners.iter().map(|&corner| outline[corner]).collect();
    let mut pieces = vec![plane.prism(&places, has_last_side)?];
    let open = Plane { is_open: true, ..*plane };
    for (index, &from) in corners.iter().enumerate() {
        let to = corners.get(index + 1).copied().unwrap_or(corners[0] + outline.len());
        if to - from > 1 {
            // Backwards, so that it is counter-clockwise; from its last corner to the first is the lid.
            let pocket: Vec<DVec2> = (from..=to).rev().map(|corner| outline[corner % outline.len()]).collect();
            pieces.push(without_pockets(&pocket, &open, false, line)?);
        }
    }
    Ok(difference(pieces, line))
}

/// Outlines by how many others each is in. None crosses itself or another.
pub(super) fn levels(outlines: &[Vec<DVec2>]) -> Result<Vec<Vec<Vec<DVec2>>>, String> {
    if outlines.iter().map(Vec::len).sum::<usize>() > MAX_CORNERS {
        return Err(format!("must be simpler: at most {MAX_CORNERS} corners are allowed"));
    }
    let outlines: Vec<Vec<DVec2>> = outlines.iter().flat_map(|outline| loops(outline)).collect();
    let edges: Vec<(DVec2, DVec2)> = outlines.iter().flat_map(|outline| edges(outline)).collect();
    for (place, one) in edges.iter().enumerate() {
        if edges[place + 1..].iter().any(|other| cross(*one, *other)) {
            return Err("its outline crosses itself or another, which is not supported".to_owned());
        }
    }
    let mut levels: Vec<Vec<Vec<DVec2>>> = Vec::new();
    for (place, outline) in outlines.iter().enumerate().filter(|(_, outline)| hull(outline).is_some()) {
        let around = |(other, around): (usize, &Vec<DVec2>)| other != place && is_inside(outline, around);
        let level = outlines.iter().enumerate().filter(|&it| around(it)).count();
        if levels.len() <= level {
            levels.resize(level + 1, Vec::new());
        }
        levels[level].push(outline.clone());
    }
    Ok(levels)
}

/// Outlines that have no corner twice, and together the sides of this one: with those that a slit has on both of its banks
/// they part inside and outside as it does.
fn loops(outline: &[DVec2]) -> Vec<Vec<DVec2>> {
    let mut loops = Vec::new();
    let mut way: Vec<DVec2> = Vec::new();
    for &corner in outline {
        match way.iter().position(|&before| before == corner) {
            Some(place) => {
                loops.push(way.split_off(place));
                way.push(corner);
            }
            None => way.push(corner),
        }
    }
    loops.push(way);
    loops.retain(|outline| outline.len() > 2);
    loops
}

fn edges(outline: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    (0..outline.len()).map(|from| (outline[from], outline[(from + 1) % outline.len()]))
}

/// True when two edges have one point in common that is no end of either.
fn cross((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> bool {
    let parts = |from: f64, to: f64| (from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0);
    parts(turn(a, b, c), turn(a, b, d)) && parts(turn(c, d, a), turn(c, d, b))
}

/// True when an outline is in another, which it does not cross: a corner of it is that is not on the border, or the middle of
/// an edge.
fn is_inside(outline: &[DVec2], around: &[DVec2]) -> bool {
    let middles = edges(outline).map(|(from, to)| 0.5 * (from + to));
    let is_off = |point: &DVec2| edges(around).all(|(from, to)| !is_on(*point, from, to));
    outline.iter().copied().chain(middles).find(is_off).is_some_and(|point| holds(around, point))
}

fn is_on(point: DVec2, from: DVec2, to: DVec2) -> bool {
    let between = point.cmpge(from.min(to)).all() && point.cmple(from.max(to)).all();
    between && turn(from, to, point) == 0.0
}

/// True when a ray from a point along x leaves an outline.
fn holds(outline: &[DVec2], point: DVec2) -> bool {
    let is_passed = |(from, to): &(DVec2, DVec2)| {
        let is_upwards = from.y <= point.y;
        is_upwards != (to.y <= point.y) && (turn(*from, *to, point) > 0.0) == is_upwards
    };
    edges(outline).filter(is_passed).count() % 2 == 1
}
