//! Gaps between bodies at one instant.

use super::contact::Partner;
use super::definition::World;
use super::motion::Motion;
use super::pose::Pose;
use super::shape::BodyShape;
use super::touch::separation_if_near;

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
        let of_both = move |first: usize| {
            apart([&world.bodies[first].shape, &world.bodies[body].shape], [&motions[first], &motions[body]])
        };
        let others = others.filter_map(move |first| Some((Partner::Body(first), body, of_both(first)?)));
        let obstacles = (0..world.obstacles.len()).filter_map(move |number| {
            Some((Partner::Wall(world.walls.len() + number), body, to_obstacle(world, motions, number, body)?))
        });
        walls.chain(obstacles).chain(others)
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

fn to_obstacle(world: &World, motions: &[Motion], number: usize, body: usize) -> Option<f64> {
    let obstacle = &world.obstacles[number];
    apart([&obstacle.shape, &world.bodies[body].shape], [&obstacle.place, &motions[body]])
}

/// `None` for those far apart.
fn apart(shapes: [&BodyShape; 2], motions: [&Motion; 2]) -> Option<f64> {
    let reach = shapes[0].reach() + shapes[1].reach();
    let squared = motions[1].position.distance_squared(motions[0].position);
    (squared <= 4.0 * reach * reach).then(|| match shapes {
        [BodyShape::Sphere { .. }, BodyShape::Sphere { .. }] => squared.sqrt() - reach,
        _ => {
            let poses = motions.map(Pose::of);
            separation_if_near(shapes, [&poses[0], &poses[1]]).gap
        }
    })
}
