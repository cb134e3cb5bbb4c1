//! Polyhedra against boxes, against all axes, and against what makes a nearest point one.

use std::cell::Cell;

use glam::DQuat;

use super::*;
use crate::random::uniform;
use crate::world::hull::{Hull, hull_body};
use crate::world::motion::Motion;
use crate::world::polyhedron::Edge;
use crate::world::pose::Way;
use crate::world::shape::BodyShape;
use crate::world::touch::meet_on_way;
use crate::world::touch::pair::{points, separation};

/// Numbers drawn one after another.
struct Draws {
    item: u64,
    next: Cell<u32>,
}

impl Draws {
    fn new(item: u64) -> Self {
        Self { item, next: Cell::new(0) }
    }

    fn between(&self, low: f64, high: f64) -> f64 {
        self.next.set(self.next.get() + 1);
        low + (high - low) * uniform(41, self.item, self.next.get())
    }

    fn in_cube(&self, half: f64) -> DVec3 {
        DVec3::new(self.between(-half, half), self.between(-half, half), self.between(-half, half))
    }

    fn pose(&self, half: f64) -> Pose {
        let rotation = DQuat::from_scaled_axis(self.in_cube(3.0));
        Pose { center: self.in_cube(half), axes: DMat3::from_quat(rotation) }
    }

    fn half(&self) -> DVec3 {
        DVec3::new(self.between(0.1, 0.6), self.between(0.1, 0.6), self.between(0.1, 0.6))
    }

    fn hull(&self, stretched: DVec3) -> BodyShape {
        let count = self.between(5.0, 20.0) as usize;
        hull_body(&(0..count).map(|_| stretched * self.in_cube(0.5)).collect::<Vec<_>>()).unwrap().shape
    }

    /// Somewhere on an edge.
    fn on_edge(&self, shape: &BodyShape, pose: &Pose) -> DVec3 {
        let on_edge = |polyhedron: Polyhedron<'_>| {
            let edges = &polyhedron.surface.edges;
            let edge = &edges[self.between(0.0, edges.len() as f64) as usize];
            let [from, to] = edge.ends.map(|end| pose.point(polyhedron.corners[end]));
            from + self.between(0.0, 1.0) * (to - from)
        };
        Polyhedron::of(shape, on_edge).unwrap()
    }
}

/// A box as the hull of its corners, and its pose where that of the box is this.
fn hull_of(half: DVec3, pose: &Pose) -> (BodyShape, Pose) {
    let shape = BodyShape::Box { half };
    let corners: Vec<DVec3> = (0..).map_while(|number| shape.corner(number)).collect();
    let Hull { shape, rotation, .. } = hull_body(&corners).unwrap();
    (shape, Pose { axes: pose.axes * DMat3::from_quat(rotation), ..*pose })
}

#[test]
fn hulls_of_boxes_meet_boxes_balls_and_each_other_as_boxes_do() {
    let mut overlaps = [0; 2];
    for item in 0..20_000 {
        let draws = Draws::new(item);
        let (halves, poses) = ([draws.half(), draws.half()], [draws.pose(0.8), draws.pose(0.8)]);
        let boxes = halves.map(|half| BodyShape::Box { half });
        let hulls = [0, 1].map(|body| hull_of(halves[body], &poses[body]));
        let of_boxes = [&poses[0], &poses[1]];
        let as_boxes = separation([&boxes[0], &boxes[1]], of_boxes);
        overlaps[usize::from(as_boxes.gap < 0.0)] += 1;
        for (one, other) in [(&hulls[0], &hulls[1]), (&(boxes[0].clone(), poses[0]), &hulls[1])] {
            let (shapes, poses) = ([&one.0, &other.0], [&one.1, &other.1]);
            let found = separation(shapes, poses);
            // Either may prefer a face by a millionth of the size, and what faces part is not looked at for edges.
            let is_apart = as_boxes.gap > 0.0 && found.gap > 0.0 && found.gap < as_boxes.gap + 3e-6;
            let is_equal = (found.gap - as_boxes.gap).abs() < 3e-6;
            assert!(is_apart || is_equal, "{item}: {found:?} instead of {as_boxes:?}");
            // Faces of what is apart need not face each other.
            if as_boxes.gap > 0.0 || (found.normal - as_boxes.normal).length() > 1e-9 {
                continue;
            }
            let ((mut here, count), (mut there, expected)) =
                (points(shapes, poses, &found), points([&boxes[0], &boxes[1]], of_boxes, &as_boxes));
            assert_eq!(count, expected, "{item}");
            let order = |a: &[DVec3; 2], b: &[DVec3; 2]| (a[0].x + 2.0 * a[0].y).total_cmp(&(b[0].x + 2.0 * b[0].y));
            here[..count].sort_by(order);
            there[..count].sort_by(order);
            let off = here[..count].iter().zip(&there).map(|(a, b)| (a[0] - b[0]).length() + (a[1] - b[1]).length());
            let off = off.fold(0.0, f64::max);
            assert!(off < 1e-9, "{item}: {off} {:?} {:?}", &here[..count], &there[..count]);
        }
        let ball = BodyShape::Sphere { radius: draws.between(0.05, 0.5) };
        let as_box = separation([&boxes[0], &ball], [&poses[0], &poses[1]]);
        let as_hull = separation([&hulls[0].0, &ball], [&hulls[0].1, &poses[1]]);
        let mirrored = separation([&ball, &hulls[0].0], [&poses[1], &hulls[0].1]);
        assert!((as_hull.gap - as_box.gap).abs() < 1e-12, "{item}: {as_hull:?} instead of {as_box:?}");
        assert!((mirrored.gap - as_hull.gap).abs() < 1e-15 && (mirrored.normal + as_hull.normal).length() < 1e-15);
    }
    println!("{overlaps:?} pairs of boxes are apart, overlap");
    assert!(overlaps.into_iter().all(|count| count > 3_000));
}

#[test]
fn boxes_that_touch_along_an_edge_meet_there_even_if_rounding_puts_it_beyond() {
    let at = |center: DVec3| Pose { center, axes: DMat3::IDENTITY };
    let cube = |center: DVec3| (BodyShape::Box { half: DVec3::ONE }, at(center));
    let hull = |center: DVec3| hull_of(DVec3::ONE, &at(center));
    for [x, z] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        // The faces across x part them by more than those across z, beyond which all of the edge is.
        let there = DVec3::new(x * (2.0 + 4.0 * f64::EPSILON), 0.0, z * (2.0 + 2.0 * f64::EPSILON));
        for bodies in [[cube(DVec3::ZERO), cube(there)], [hull(DVec3::ZERO), hull(there)]] {
            let (shapes, poses) = (bodies.each_ref().map(|(shape, _)| shape), bodies.each_ref().map(|(_, pose)| pose));
            let (pairs, count) = points(shapes, poses, &separation(shapes, poses));
            // Corners of hulls are rounded, and may leave one end as two points.
            assert!((2..=3).contains(&count), "{x}, {z}: {count}");
            for point in pairs[..count].as_flattened() {
                let off = (point.x - x).abs().max((point.z - z).abs()).max((point.y.abs() - 1.0).abs());
                assert!(off < 1e-14, "{point}");
            }
            for end in [-1.0, 1.0] {
                assert!(pairs[..count].iter().any(|pair| pair[1].y * end > 0.0), "both ends of the edge");
            }
        }
    }
}

/// How far two shapes are apart along a direction.
fn along(shapes: [&BodyShape; 2], poses: [&Pose; 2], normal: DVec3) -> f64 {
    normal.dot(poses[1].support(shapes[1], -normal)) - normal.dot(poses[0].support(shapes[0], normal))
}

/// The directions across the faces of two hulls and pairs of their edges, either way: those that overlap along all of them
/// overlap.
fn axes(shapes: [&BodyShape; 2], poses: [&Pose; 2]) -> Vec<DVec3> {
    let sides = |body: usize| {
        Polyhedron::of(shapes[body], |polyhedron| {
            let turned = |vector: DVec3| poses[body].axes * vector;
            let faces: Vec<DVec3> = polyhedron.surface.faces.iter().map(|face| turned(face.normal)).collect();
            let way = |edge: &Edge| turned(polyhedron.corners[edge.ends[1]] - polyhedron.corners[edge.ends[0]]);
            (faces, polyhedron.surface.edges.iter().map(way).collect::<Vec<_>>())
        })
        .unwrap()
    };
    let ((faces, edges), (other_faces, other_edges)) = (sides(0), sides(1));
    let crossed = edges.iter().flat_map(|u| other_edges.iter().map(|v| u.cross(*v).normalize_or_zero()));
    let axes = faces.into_iter().chain(other_faces).chain(crossed).filter(|axis| *axis != DVec3::ZERO);
    axes.flat_map(|axis| [axis, -axis]).collect()
}

/// The direction along which two hulls are farthest apart, and how far.
fn farthest(shapes: [&BodyShape; 2], poses: [&Pose; 2]) -> (DVec3, f64) {
    let gaps = axes(shapes, poses).into_iter().map(|axis| (axis, along(shapes, poses, axis)));
    gaps.fold((DVec3::Z, f64::NEG_INFINITY), |best, one| if one.1 > best.1 { one } else { best })
}

#[test]
fn no_axis_parts_hulls_that_overlap_by_more_than_the_one_that_is_found() {
    let mut overlaps = [0; 2];
    for item in 0..3_000 {
        let draws = Draws::new(item);
        // Every other pair all but touches at an edge of a slab that is as wide as the ground.
        let is_ground = item % 2 == 1;
        let slab = if is_ground { DVec3::new(100.0, 100.0, 1.0) } else { DVec3::ONE };
        let (shapes, mut poses) = ([draws.hull(slab), draws.hull(DVec3::ONE)], [draws.pose(0.6), draws.pose(0.6)]);
        let shapes = [&shapes[0], &shapes[1]];
        if is_ground {
            poses[1].center = draws.on_edge(shapes[0], &poses[0]) + draws.in_cube(0.4);
            let (axis, gap) = farthest(shapes, [&poses[0], &poses[1]]);
            poses[1].center += axis * (2e-5 - gap);
        }
        let poses = [&poses[0], &poses[1]];
        let found = separation(shapes, poses);
        let rounding = if is_ground { 1e-10 } else { 1e-12 };
        assert!((along(shapes, poses, found.normal) - found.gap).abs() < rounding, "{item}");
        let (_, best) = farthest(shapes, poses);
        overlaps[usize::from(best < 0.0)] += 1;
        if best < 0.0 {
            assert!(
                found.gap <= best + rounding && found.gap >= best - 4e-6,
                "{item}: {} instead of {best}",
                found.gap
            );
        } else if best > 1e-5 {
            assert!(found.gap > 0.0, "{item}: {} instead of {best}", found.gap);
        }
    }
    println!("{overlaps:?} pairs of hulls are apart, overlap");
    assert!(overlaps.into_iter().all(|count| count > 500));
}

#[test]
fn hulls_and_ellipsoids_are_parted_by_a_plane_or_have_a_point_in_common() {
    let mut overlaps = [0; 3];
    for item in 0..20_000 {
        let draws = Draws::new(item);
        let semi_axes = draws.half();
        let (shapes, poses) =
            ([draws.hull(DVec3::ONE), BodyShape::Ellipsoid { semi_axes }], [draws.pose(0.6), draws.pose(0.6)]);
        let (shapes, poses) = ([&shapes[0], &shapes[1]], [&poses[0], &poses[1]]);
        let (found, point) =
            Polyhedron::of(shapes[0], |polyhedron| polyhedron_ellipsoid(poses, polyhedron, semi_axes)).unwrap();
        // A plane that all of the hull is on one side of, and the ellipsoid as far as the gap says.
        assert!((along(shapes, poses, found.normal) - found.gap).abs() < 1e-12, "{item}: {found:?}");
        let scaled = (poses[1].own(point) / semi_axes).length();
        let is_of_hull = Polyhedron::of(shapes[0], |polyhedron| {
            let own = poses[0].own(point);
            let above = |face: &Face| face.normal.dot(own - polyhedron.corners[face.corners[0]]);
            polyhedron.surface.faces.iter().map(above).fold(f64::NEG_INFINITY, f64::max)
        });
        assert!(is_of_hull.unwrap() < 1e-12, "{item}: {is_of_hull:?}");
        let is_apart = found.gap > 0.0;
        // The centre of what is not inside sees the point along the normal of the scaled ball.
        let inside = (poses[1].own(point) / semi_axes).dot(poses[1].axes.transpose() * found.normal) > 0.0;
        assert!(inside || (scaled > 1.0) == is_apart || (scaled - 1.0).abs() < 1e-12, "{item}: {scaled}, {found:?}");
        overlaps[if inside { 2 } else { usize::from(!is_apart) }] += 1;
    }
    println!("{overlaps:?} are apart, overlap, hold the centre of the ellipsoid");
    assert!(overlaps.into_iter().all(|count| count > 1_000));
}

/// When in a step two hulls that do not turn begin to overlap: along each axis across faces or edges they do from one share
/// of the step to another.
fn first_overlap(shapes: [&BodyShape; 2], poses: [&Pose; 2], shift: DVec3) -> Option<f64> {
    let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in axes(shapes, poses) {
        let (gap, speed) = (along(shapes, poses, axis), axis.dot(shift));
        if speed < 0.0 {
            from = from.max(gap / -speed);
        } else if gap > 0.0 {
            return None;
        } else {
            to = to.min(-gap / speed);
        }
    }
    (from < to && from < 1.0).then_some(from)
}

#[test]
fn hulls_that_fly_at_each_other_meet_when_no_axis_parts_them_any_more() {
    let (mut meetings, mut misses) = (0, 0);
    for item in 0..4_000 {
        let draws = Draws::new(item);
        let shapes = [draws.hull(DVec3::ONE), draws.hull(DVec3::ONE)];
        let shapes = [&shapes[0], &shapes[1]];
        let orientation = || DQuat::from_scaled_axis(draws.in_cube(3.0));
        let place = DVec3::new(draws.between(-1.0, 1.0), draws.between(-1.0, 1.0), 2.0);
        let motions = [DVec3::ZERO, place].map(|at| Motion { orientation: orientation(), ..Motion::at(at) });
        let shift = DVec3::new(0.0, 0.0, -4.0);
        let ways = [Way::default(), Way { shift, ..Way::default() }];
        let poses = motions.each_ref().map(Pose::of);
        let expected = first_overlap(shapes, [&poses[0], &poses[1]], shift);
        let met = meet_on_way(shapes, [&motions[0], &motions[1]], [&ways[0], &ways[1]], 0.0);
        match (met, expected) {
            (Some(met), Some(expected)) => {
                let after = Pose { center: poses[1].center + met.share * shift, ..poses[1] };
                let (_, gap) = farthest(shapes, [&poses[0], &after]);
                // Faces are preferred by a millionth of a size below 1 m, and gaps of a billionth count as none.
                assert!(met.share < expected + 1e-9 && gap < 1.1e-6, "{item}: {gap} m apart, {met:?}");
                let off = gap - along(shapes, [&poses[0], &after], met.normal);
                assert!(off < 1.1e-6, "{item}: the normal's axis is {off} from the best");
                // At least one pair of points is there, and they are one point.
                let offset = motions[1].position - motions[0].position + met.share * shift;
                let apart = met.arms[..met.count].iter().map(|arms| (offset + arms[1] - arms[0]).length());
                let nearest = apart.fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-4, "{item}: the nearest points are {nearest} m apart");
                meetings += 1;
            }
            (None, None) => misses += 1,
            _ => panic!("{item}: {met:?} instead of {expected:?}"),
        }
    }
    println!("{meetings} meet, {misses} do not");
    assert!(meetings > 1_000 && misses > 500);
}
