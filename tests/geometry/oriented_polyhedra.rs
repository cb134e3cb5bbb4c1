//! Oriented collisions in space: convex polyhedra by faces.
//!
//! `TOUCHDOWN_TEST_SEED` changes what is drawn.

use std::f64::consts::TAU;

use crate::support::engines::REFERENCE;
use crate::support::random::{Random, test_seed};
use glam::{DQuat, DVec2, DVec3};
use touchdown::integrator::{Watch, first_change};
use touchdown::oriented::CollisionTracker;
use touchdown::query::{ConvexPolyhedron, ConvexTarget, OrientedTarget, PolyhedronError};

/// A polygon with vertices on an ellipse, clockwise.
fn polygon(random: &mut Random) -> ConvexTarget {
    let (count, height, turn) = (3 + random.index(28), random.between(0.2, 1.0), random.between(0.0, TAU));
    let mut corner = |k: usize| {
        let angle = turn - TAU * (k as f64 + random.between(-0.3, 0.3)) / count as f64;
        DVec2::new(angle.cos(), height * angle.sin())
    };
    ConvexTarget::new((0..count).map(&mut corner).collect()).unwrap()
}

fn box_of(half: DVec3) -> ConvexPolyhedron {
    let corners = [(-half.x, -half.y), (-half.x, half.y), (half.x, half.y), (half.x, -half.y)].map(DVec2::from);
    ConvexPolyhedron::prism(&ConvexTarget::new(corners.to_vec()).unwrap(), [-half.z, half.z]).unwrap()
}

/// Its faces are those opposite to each vertex, in their order.
fn tetrahedron(corners: [DVec3; 4]) -> Result<ConvexPolyhedron, PolyhedronError> {
    let is_right = (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(corners[3] - corners[0]) > 0.0;
    let faces = if is_right {
        [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]
    } else {
        [[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]]
    };
    ConvexPolyhedron::new(corners.to_vec(), faces.map(|face| face.to_vec()).to_vec())
}

/// A box, a prism, a tetrahedron or a plate of a millimetre.
fn polyhedron(random: &mut Random) -> ConvexPolyhedron {
    match random.index(4) {
        0 => box_of(DVec3::new(random.between(0.2, 1.0), random.between(0.2, 1.0), random.between(0.2, 1.0))),
        1 => ConvexPolyhedron::prism(&polygon(random), [-0.5, random.between(0.0, 0.5)]).unwrap(),
        2 => loop {
            let corners: [DVec3; 4] = std::array::from_fn(|_| random.in_cube(1.0));
            let volume = (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(corners[3] - corners[0]).abs();
            if volume > 0.1 {
                return tetrahedron(corners).unwrap();
            }
        },
        _ => box_of(DVec3::new(1.0, 1.0, 0.0005)),
    }
}

/// A place inside: the mean of vertices with random weights.
fn inside(solid: &ConvexPolyhedron, random: &mut Random) -> DVec3 {
    let weights: Vec<f64> = solid.vertices().iter().map(|_| random.between(0.1, 1.0)).collect();
    let sum: DVec3 = solid.vertices().iter().zip(&weights).map(|(&vertex, weight)| *weight * vertex).sum();
    sum / weights.iter().sum::<f64>()
}

/// How a rigid target moves: a turn about an axis and a translation, evenly.
struct Motion {
    axis: DVec3,
    angle: f64,
    rate: f64,
    place: DVec3,
    velocity: DVec3,
}

impl Motion {
    fn draw(random: &mut Random) -> Self {
        Self {
            axis: random.direction(),
            angle: random.between(0.0, TAU),
            rate: random.between(-3.0, 3.0),
            place: 3.0 * random.in_cube(1.0),
            velocity: 50.0 * random.in_cube(1.0),
        }
    }

    fn turn(&self, time: f64) -> DQuat {
        DQuat::from_axis_angle(self.axis, self.angle + self.rate * time)
    }

    fn translation(&self, time: f64) -> DVec3 {
        self.place + time * self.velocity
    }

    fn at(&self, solid: &ConvexPolyhedron, time: f64) -> ConvexPolyhedron {
        solid.moved(self.turn(time), self.translation(time)).unwrap()
    }

    fn world(&self, local: DVec3, time: f64) -> DVec3 {
        self.turn(time) * local + self.translation(time)
    }
}

#[test]
fn a_polygon_that_is_extruded_has_the_masks_of_the_polygon() {
    const POINTS: usize = 16;
    const STEPS: usize = 12;
    let (mut compared, mut collided) = (0, 0);
    for number in 0..500 {
        let mut random = Random::new(test_seed(), 40_000 + number);
        let first = polygon(&mut random);
        let (center, velocity, rate) =
            (random.in_cube(1.0).truncate(), 0.2 * random.in_cube(1.0).truncate(), random.between(-0.3, 0.3));
        let place = |local: DVec2, step: usize| {
            center + step as f64 * velocity + DVec2::from_angle(rate * step as f64).rotate(local)
        };
        let flat = |step: usize| {
            ConvexTarget::new(first.vertices().iter().map(|&vertex| place(vertex, step)).collect()).unwrap()
        };
        // Its ends are farther off than any of its surfaces.
        let solid = |step: usize| ConvexPolyhedron::prism(&flat(step), [-50.0, 50.0]).unwrap();
        let paths: Vec<[DVec2; STEPS]> = (0..POINTS)
            .map(|_| {
                let (aim, speed) = (random.in_cube(1.0).truncate(), random.in_cube(0.3).truncate());
                std::array::from_fn(|step| {
                    place(aim + speed * (step as f64 - 0.5 * STEPS as f64) + 0.1 * random.in_cube(1.0).truncate(), step)
                })
            })
            .collect();
        let in_plane = |step: usize| -> Vec<DVec2> { paths.iter().map(|path| path[step]).collect() };
        let in_space =
            |step: usize| -> Vec<DVec3> { paths.iter().map(|path| path[step].extend(3.0 - step as f64)).collect() };
        let mut plane = CollisionTracker::initialise(&*REFERENCE, vec![flat(0)], in_plane(0)).unwrap();
        let mut space = CollisionTracker::initialise(&*REFERENCE, vec![solid(0)], in_space(0)).unwrap();
        for step in 1..STEPS {
            let flat = flat(step);
            let all = flat.all_surfaces();
            let expected = plane.accept(&*REFERENCE, vec![flat], in_plane(step)).unwrap();
            let found = space.accept(&*REFERENCE, vec![solid(step)], in_space(step)).unwrap();
            for (found, expected) in found.iter().zip(expected) {
                let ends = (all + 1) | ((all + 1) << 1);
                assert_eq!(found.penetration, expected.penetration | ends);
                assert_eq!(found.range & all, expected.range);
                assert_eq!((found.collision, found.collision_last), (expected.collision, expected.collision_last));
                assert_eq!(found.minimum_translation, expected.minimum_translation);
                collided += usize::from(found.collision != 0);
                compared += 1;
            }
        }
    }
    println!("{compared} configurations, {collided} collisions");
    assert!(collided > 10_000);
}

#[test]
fn the_surface_that_loses_separation_last_is_the_one_that_the_path_goes_in_by() {
    let (mut several, mut misled) = (0, 0);
    for number in 0..20_000 {
        let mut random = Random::new(test_seed(), 50_000 + number);
        let solid = polyhedron(&mut random);
        let solid = solid.moved(DQuat::from_axis_angle(random.direction(), 1.0), random.in_cube(1.0)).unwrap();
        let to = inside(&solid, &mut random);
        let from = to + random.between(3.0, 5.0) * random.direction();
        // Where the segment meets the planes of the faces: it is inside once it is behind the last.
        let meets = |face: usize| {
            let [before, after] = [from, to].map(|place| {
                let corner = solid.vertices()[solid.faces()[face][0] as usize];
                solid.normals()[face].dot(place - corner)
            });
            (before > 0.0).then(|| before / (before - after))
        };
        let faces = (0..solid.faces().len()).filter_map(|face| Some((face, meets(face)?)));
        let (entry, _) = faces.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        let mut tracker = CollisionTracker::initialise(&*REFERENCE, vec![solid.clone()], vec![from]).unwrap();
        let found = tracker.accept(&*REFERENCE, vec![solid], vec![to]).unwrap()[0];
        assert_eq!(found.collision_last, 1 << entry);
        assert_eq!(found.collision & 1 << entry, 1 << entry);
        several += usize::from(found.collision.count_ones() > 1);
        misled += usize::from(found.minimum_translation != Some(entry as u32));
    }
    println!("{several} go in beyond several faces, {misled} where minimum translation takes another");
    assert!(several > 5_000 && misled > 5_000);
}

/// The separations of a point that moves evenly from the faces of a polyhedron that moves and turns.
struct Passage<'a> {
    solid: &'a ConvexPolyhedron,
    motion: &'a Motion,
    from: DVec3,
    velocity: DVec3,
    rate: f64,
}

impl Watch for Passage<'_> {
    fn count(&self) -> usize {
        self.solid.faces().len()
    }

    fn values(&self, numbers: &[usize], time: f64) -> Vec<f64> {
        let solid = self.motion.at(self.solid, time);
        let place = self.from + time * self.velocity;
        numbers.iter().map(|&face| solid.standing(face, place).separation).collect()
    }

    fn rate_limit(&self, _face: usize) -> f64 {
        self.rate
    }
}

#[test]
fn no_point_at_a_hundred_metres_per_second_passes_a_polyhedron_unseen() {
    const END: f64 = 0.04;
    let (mut steps, mut ties, mut held) = (0, 0, 0);
    for number in 0..300 {
        let mut random = Random::new(test_seed(), 80_000 + number);
        let (solid, motion) = (polyhedron(&mut random), Motion::draw(&mut random));
        // It is inside of the target at this time.
        let meeting = 0.5 * END;
        let velocity = motion.velocity + 100.0 * random.direction();
        let from = motion.world(inside(&solid, &mut random), meeting) - meeting * velocity;
        let relative = (velocity - motion.velocity).length();
        let rate = relative + motion.rate.abs() * ((from - motion.place).length() + relative * END);
        let passage = Passage { solid: &solid, motion: &motion, from, velocity, rate };
        let at = |time: f64| (vec![motion.at(&solid, time)], vec![from + time * velocity]);
        let (targets, places) = at(0.0);
        let mut tracker = CollisionTracker::initialise(&*REFERENCE, targets, places).unwrap();
        let (mut time, mut entry) = (0.0, None);
        while time < END {
            let before = tracker.configurations()[0];
            time = first_change(&passage, [time, END], 1e-6).map_or(END, |change| change.at);
            let (targets, places) = at(time);
            let now = tracker.accept(&*REFERENCE, targets, places).unwrap()[0];
            let changed = before.penetration ^ now.penetration;
            ties += u32::from(changed.count_ones() > 1);
            let all = solid.surface_mask();
            if before.penetration != all && now.penetration == all && before.collision == 0 {
                // What it came through is what it collides with.
                assert_eq!(now.collision, changed);
                entry = entry.or(Some(changed));
            }
            let is_full = now.penetration == all;
            if before.collision != 0 && before.penetration == all && !is_full {
                // Out through another face: held where it is on the prism of the one it came in by.
                let stays = before.collision & now.range & now.penetration & !changed;
                assert_eq!(now.collision, stays);
                held += u32::from(stays != 0);
            }
            steps += 1;
        }
        assert!(entry.is_some(), "{number}");
    }
    println!("{steps} steps, {ties} with several faces of one point, {held} held beyond the other side");
    assert!(ties == 0 && held > 100);
}

#[test]
fn the_range_of_a_face_is_the_prism_that_stands_on_it() {
    let mut on_range = 0;
    for number in 0..5_000 {
        let mut random = Random::new(test_seed(), 90_000 + number);
        let corners: [DVec3; 4] = std::array::from_fn(|_| random.in_cube(1.0));
        let Ok(solid) = tetrahedron(corners) else { continue };
        let place = random.in_cube(1.5);
        for face in 0..4 {
            let [a, b, c] = std::array::from_fn(|corner| solid.vertices()[solid.faces()[face][corner] as usize]);
            // The shares of the vertices at its foot on the plane, from the least squares of two edges.
            let (one, two, from_a) = (b - a, c - a, place - a);
            let [pp, pq, qq] = [one.dot(one), one.dot(two), two.dot(two)];
            let determinant = pp * qq - pq * pq;
            let s = (qq * from_a.dot(one) - pq * from_a.dot(two)) / determinant;
            let t = (pp * from_a.dot(two) - pq * from_a.dot(one)) / determinant;
            let expected = s >= 0.0 && t >= 0.0 && s + t <= 1.0;
            assert_eq!(solid.standing(face, place).is_on_range, expected, "{number} {face} {s} {t}");
            on_range += usize::from(expected);
        }
    }
    println!("{on_range} on range");
    assert!(on_range > 1_000);
}

/// What is done to vertices and faces.
type Change<'a> = &'a dyn Fn(&mut Vec<DVec3>, &mut Vec<Vec<u32>>);

#[test]
fn what_is_no_polyhedron_is_said() {
    let whole = box_of(DVec3::ONE);
    let build = |change: Change<'_>| {
        let (mut vertices, mut faces) = (whole.vertices().to_vec(), whole.faces().to_vec());
        change(&mut vertices, &mut faces);
        let found = ConvexPolyhedron::new(vertices, faces);
        if let Err(error) = &found {
            println!("{error}");
        }
        found
    };
    assert!(build(&|_, _| ()).is_ok());
    for face in 0..6 {
        assert!(matches!(build(&|_, faces| faces[face].reverse()), Err(PolyhedronError::Open { .. })));
    }
    assert!(matches!(
        build(&|_, faces| faces.iter_mut().for_each(|face| face.reverse())),
        Err(PolyhedronError::NotConvex { face: 0, .. })
    ));
    assert!(matches!(build(&|_, faces| drop(faces.pop())), Err(PolyhedronError::Open { .. })));
    assert!(matches!(build(&|_, faces| faces.truncate(3)), Err(PolyhedronError::Faces { faces: 3 })));
    assert!(matches!(
        build(&|vertices, _| vertices[2].z = f64::NAN),
        Err(PolyhedronError::Coordinate { vertex: 2, .. })
    ));
    assert!(matches!(build(&|vertices, _| vertices[0] *= 1.01), Err(PolyhedronError::NotConvex { .. })));
    assert!(matches!(build(&|vertices, _| vertices[0] = DVec3::ZERO), Err(PolyhedronError::NotConvex { .. })));
    assert!(matches!(build(&|vertices, _| vertices[1] = vertices[0]), Err(PolyhedronError::Short { .. })));
    assert!(matches!(build(&|vertices, _| vertices.push(DVec3::ZERO)), Err(PolyhedronError::Unused { vertex: 8 })));
    assert!(matches!(build(&|_, faces| faces[1][0] = 9), Err(PolyhedronError::NoVertex { face: 1, vertex: 9, .. })));
    assert!(matches!(build(&|_, faces| faces[3].truncate(2)), Err(PolyhedronError::Corners { face: 3, .. })));
    assert!(matches!(
        build(&|vertices, _| vertices.iter_mut().for_each(|vertex| vertex.z = 0.0)),
        Err(PolyhedronError::Short { .. } | PolyhedronError::NotConvex { .. })
    ));
}
