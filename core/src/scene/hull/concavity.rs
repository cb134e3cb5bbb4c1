//! How far a mesh is from its convex hull.

use std::collections::HashMap;
use std::fmt;

use glam::DVec3;

use super::facets::area_normal;
use super::points::Mesh;
use super::{FLATNESS, Hull, MAX_PAIRS, STANDING_OUT};

/// A vertex is off by so many times the rounding of a coordinate: the diagonal of a cube.
const DIAGONAL: f64 = 1.732_050_807_568_877_2;

/// What of a hull is not the mesh that it is around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::scene) enum Concavity {
    /// The share of the hull's volume that is outside of the mesh.
    Volume(f64),
    /// The share of the mesh's surface that is inside of the hull; the mesh is not closed, or its parts overlap, so that it
    /// has no volume.
    Surface(f64),
}

impl fmt::Display for Concavity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| {
            let percent = 100.0 * share;
            if percent < 0.1 { format!("{percent:.1e} %") } else { format!("{percent:.1} %") }
        };
        match *self {
            Self::Volume(share) => write!(formatter, "{} of the hull's volume is not in the mesh", percent(share)),
            Self::Surface(share) => {
                write!(
                    formatter,
                    "{} of the mesh's surface, which is not closed, is inside of the hull",
                    percent(share)
                )
            }
        }
    }
}

/// What of the hull around a mesh is not the mesh; `None` where rounding may be all that there is, and for points without
/// a surface.
///
/// Let d be how far a vertex may be off. Of a convex solid with the surface A, the mesh and the hull of the vertices each err
/// by at most A d, so volumes that differ by more than 2 A d are those of another solid.
pub(super) fn of(mesh: &Mesh, hull: &Hull) -> Option<Concavity> {
    if mesh.triangles.is_empty() {
        return None;
    }
    let greatest = mesh.points.iter().fold(0.0, |greatest: f64, point| greatest.max(point.abs().max_element()));
    let off = DIAGONAL * mesh.rounding * greatest;
    let margin = 2.0 * hull.area * off;
    match closed_volume(mesh).filter(|&volume| volume <= hull.volume + margin) {
        Some(volume) => {
            let missing = hull.volume - volume;
            (missing > margin).then_some(Concavity::Volume(missing / hull.volume))
        }
        None => surface_inside(mesh, hull, 2.0 * off).map(Concavity::Surface),
    }
}

/// The volume in a mesh of which each edge belongs to two triangles, once in each direction \[m^3\].
fn closed_volume(mesh: &Mesh) -> Option<f64> {
    // Vertices of STL are repeated; the same bits are the same place, whatever the sign of a zero.
    let mut numbers: HashMap<[u64; 3], u32> = HashMap::new();
    let mut number = |corner: u32| {
        let bits = (mesh.points[corner as usize] + DVec3::ZERO).to_array().map(f64::to_bits);
        let next = numbers.len() as u32;
        *numbers.entry(bits).or_insert(next)
    };
    let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
    let middle = mesh.points[0];
    let mut volume = 0.0;
    for triangle in &mesh.triangles {
        let corners = triangle.map(&mut number);
        for (from, to) in [(0, 1), (1, 2), (2, 0)].map(|(from, to)| (corners[from], corners[to])) {
            *edges.entry((from.min(to), from.max(to))).or_default() += i32::from(from < to) - i32::from(from > to);
        }
        let [a, b, c] = triangle.map(|corner| mesh.points[corner as usize] - middle);
        volume += a.dot(b.cross(c)) / 6.0;
    }
    // Inside out is the same solid.
    edges.values().all(|&count| count == 0).then_some(volume.abs())
}

/// The share of the surface whose triangles have their middle deeper in the hull than a margin \[m\]; `None` without any.
fn surface_inside(mesh: &Mesh, hull: &Hull, margin: f64) -> Option<f64> {
    // The hull's half spaces stand out by that.
    let margin = margin + STANDING_OUT * FLATNESS * hull.size;
    let step = (mesh.triangles.len().saturating_mul(hull.half_spaces.len()) / MAX_PAIRS).max(1);
    let (mut inside, mut all) = (0.0, 0.0);
    for &triangle in mesh.triangles.iter().step_by(step) {
        let area = area_normal(&mesh.points, triangle).length();
        let middle = triangle.iter().map(|&corner| mesh.points[corner as usize]).sum::<DVec3>() / 3.0;
        let is_deep = hull.half_spaces.iter().all(|face| face.offset - face.normal.dot(middle) > margin);
        inside += if is_deep { area } else { 0.0 };
        all += area;
    }
    (inside > 0.0).then(|| inside / all)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::super::{HullError, around, of_file};
    use super::*;

    /// A prism over a polygon of corners counter-clockwise, whose triangles are given.
    fn prism(corners: &[[f64; 2]], caps: &[[u32; 3]], height: f64) -> Mesh {
        let count = corners.len() as u32;
        let level = |z: f64| corners.iter().map(move |[x, y]| DVec3::new(*x, *y, z));
        let mut triangles = Vec::new();
        for &[a, b, c] in caps {
            triangles.extend([[a, c, b], [a + count, b + count, c + count]]);
        }
        for from in 0..count {
            let to = (from + 1) % count;
            triangles.extend([[from, to, to + count], [from, to + count, from + count]]);
        }
        Mesh { points: level(0.0).chain(level(height)).collect(), triangles, rounding: 5e-6 }
    }

    /// An L of three unit squares: its hull has half a square more.
    fn angle() -> Mesh {
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        prism(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]], 3.0)
    }

    fn concavity(mesh: &Mesh) -> Option<Concavity> {
        of(mesh, &around(mesh.points.clone()).unwrap())
    }

    fn share(concavity: Option<Concavity>) -> f64 {
        match concavity {
            Some(Concavity::Volume(share) | Concavity::Surface(share)) => share,
            None => 0.0,
        }
    }

    #[test]
    fn an_angle_lacks_a_seventh_of_its_hull_wherever_it_stands() {
        for number in 0..50 {
            let turn = DQuat::from_axis_angle(DVec3::new(1.0, f64::from(number), 2.0).normalize(), f64::from(number));
            let mut mesh = angle();
            mesh.points.iter_mut().for_each(|point| *point = turn * *point + DVec3::splat(f64::from(number)));
            let found = share(concavity(&mesh));
            assert!((found - 1.0 / 7.0).abs() < 1e-9, "{number}: {found}");
            // Inside out.
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
            assert!((share(concavity(&mesh)) - 1.0 / 7.0).abs() < 1e-9);
        }
    }

    #[test]
    fn convex_meshes_are_no_concave_ones_when_their_corners_are_rounded() {
        // A drum of many facets in six digits: each is off, and its neighbours are not in one plane with it.
        let six_digits =
            |point: DVec3| DVec3::from(point.to_array().map(|x| format!("{x:.5e}").parse::<f64>().unwrap()));
        let mut largest: f64 = 0.0;
        for number in 0..40 {
            let sides = 3 + 5 * number;
            let corner = |side: u32| std::f64::consts::TAU * f64::from(side) / f64::from(sides);
            let corners: Vec<[f64; 2]> = (0..sides).map(|side| [corner(side).cos(), corner(side).sin()]).collect();
            let caps: Vec<[u32; 3]> = (1..sides - 1).map(|side| [0, side, side + 1]).collect();
            let mut mesh = prism(&corners, &caps, 0.01 + f64::from(number));
            let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, f64::from(number)).normalize(), 1.0);
            mesh.points.iter_mut().for_each(|point| *point = six_digits(turn * *point + DVec3::X));
            assert_eq!(concavity(&mesh), None, "{sides} sides");
            let hull = around(mesh.points.clone()).unwrap();
            let margin = 2.0 * hull.area * DIAGONAL * mesh.rounding * (2.0 + f64::from(number));
            largest = largest.max((hull.volume - closed_volume(&mesh).unwrap()) / margin);
        }
        println!("rounding takes at most {largest:.2} of what is allowed for it");
        assert!(largest > 0.0);
    }

    #[test]
    fn a_dent_that_is_deeper_than_rounding_is_told() {
        // A cube whose upper side is pushed in at its middle: a pyramid of a third of the depth.
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        for (depth, is_told) in [(0.3, true), (1e-3, true), (1e-6, false), (0.0, false)] {
            let mut mesh = prism(&corners, &[[0, 1, 2], [0, 2, 3]], 1.0);
            mesh.triangles.retain(|triangle| triangle.iter().any(|&corner| corner < 4));
            mesh.points.push(DVec3::new(0.5, 0.5, 1.0 - depth));
            mesh.triangles.extend([[4, 5, 8], [5, 6, 8], [6, 7, 8], [7, 4, 8]]);
            let found = share(concavity(&mesh));
            assert_eq!(found > 0.0, is_told, "{depth}: {found}");
            assert!(!is_told || (found - depth / 3.0).abs() < 1e-12, "{depth}: {found}");
        }
    }

    #[test]
    fn what_is_not_closed_is_judged_by_its_surface() {
        let mut open = angle();
        open.triangles.pop();
        // Of the sides 3 m high, those 2 m long around the inner corner; of 24 m^2 and two caps of 3 m^2 one triangle lacks.
        let lacking = 0.5 * 2.0 * 3.0;
        let found = concavity(&open);
        let expected = 2.0 * 3.0 / (24.0 + 6.0 - lacking);
        assert!(matches!(found, Some(Concavity::Surface(share)) if (share - expected).abs() < 1e-12), "{found:?}");
        // A box without its lid is as convex as the box.
        let mut tub = prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], &[[0, 1, 2], [0, 2, 3]], 1.0);
        tub.triangles.remove(1);
        assert_eq!(concavity(&tub), None);
        // Two boxes, of which one is told twice: the volumes are more than the hull's.
        let mut boxes = prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], &[[0, 1, 2], [0, 2, 3]], 1.0);
        let shifted: Vec<DVec3> = boxes.points.iter().map(|point| *point + DVec3::splat(0.1)).collect();
        boxes.points.extend(shifted);
        let again: Vec<[u32; 3]> = boxes.triangles.iter().map(|triangle| triangle.map(|corner| corner + 8)).collect();
        boxes.triangles.extend(again);
        assert!(matches!(concavity(&boxes), Some(Concavity::Surface(_))), "{:?}", concavity(&boxes));
        boxes.triangles.clear();
        assert_eq!(concavity(&boxes), None, "points alone are a hull by what they are");
    }

    #[test]
    fn faces_of_obj_files_are_read_in_all_their_forms() {
        let corners = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 2 0 3\nv 2 1 3\nv 1 1 3\nv 1 2 3\nv 0 2 3\n";
        let sides = "f 1 2 8 7\nf 2/1 3/2 9/3 8/4\nf 3//1 4//1 10//1 9//1\nf -9/1/1 -8/1/1 -2/1/1 -3/1/1\nf 5 6 12 11\nf 6 1 7 12\n";
        // Seen from a corner of its own a polygon with an inner corner is a fan all the same.
        let caps = "f 4 3 2 1 6 5\nf 10 11 12 7 8 9\n";
        let (_, found) = of_file("l.obj", format!("{corners}{sides}{caps}").as_bytes()).unwrap();
        assert!((share(found) - 1.0 / 7.0).abs() < 1e-12, "{found:?}");
        for bad in ["f 1 2 99\n", "f 0 1 2\n", "f a b c\n", "f 1 2 -13\n", "f 1 2\n", "f\n"] {
            let refused = of_file("l.obj", format!("{corners}{sides}{caps}{bad}").as_bytes()).unwrap_err();
            assert_eq!(refused, HullError::BadFace { line: 21, vertices: 12 }, "{bad}");
        }
    }
}
