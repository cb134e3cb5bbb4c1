//! Gaps between bodies at one instant.

use super::contact::Partner;
use super::definition::World;
use super::motion::Motion;
use super::pose::Pose;
use super::shape::BodyShape;
use super::touch::separation;

/// All pairs of walls and bodies, and of bodies, whose gap is at most their size, with the gap \[m\], negative on
/// overlap.
pub(super) fn near<'a>(
    world: &'a World,
    motions: &'a [Motion],
    present: &'a [bool],
) -> impl Iterator<Item = (Partner, usize, f64)> + 'a {
    let there = move || (0..motions.len()).filter(|&body| present[body]);
    let of_body = move |body: usize| {
        let walls =
            (0..world.walls.len()).map(move |wall| (Partner::Wall(wall), body, to_wall(world, motions, wall, body)));
        let others = there().filter(move |&first| first < body);
        let others =
            others.filter_map(move |first| Some((Partner::Body(first), body, apart(world, motions, first, body)?)));
        walls.chain(others)
    };
    there().flat_map(of_body)
}

fn to_wall(world: &World, motions: &[Motion], wall: usize, body: usize) -> f64 {
    let (normal, offset) = (world.walls[wall].normal, world.walls[wall].offset);
    let lowest = match &world.bodies[body].shape {
        // The same operations as searches make.
        BodyShape::Sphere { radius } => -radius,
        shape => normal.dot(Pose::of(&motions[body]).support(shape, -normal) - motions[body].position),
    };
    normal.dot(motions[body].position) - offset + lowest
}

/// `None` for bodies far apart.
fn apart(world: &World, motions: &[Motion], first: usize, second: usize) -> Option<f64> {
    let shapes = [&world.bodies[first].shape, &world.bodies[second].shape];
    let reach = shapes[0].reach() + shapes[1].reach();
    let squared = motions[second].position.distance_squared(motions[first].position);
    let poses = || [first, second].map(|body| Pose::of(&motions[body]));
    (squared <= 4.0 * reach * reach).then(|| match shapes {
        [BodyShape::Sphere { .. }, BodyShape::Sphere { .. }] => squared.sqrt() - reach,
        _ => {
            let poses = poses();
            separation(shapes, [&poses[0], &poses[1]]).gap
        }
    })
}
