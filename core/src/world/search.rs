//! Contact search within a step.

use glam::DVec3;

use super::contact::{Contact, Partner};
use super::definition::{Contacts, World};
use super::ground::{Obstacle, is_covered};
use super::motion::Motion;
use super::pose::{Pose, Way};
use super::shape::BodyShape;
use super::touch::{
    Met, Touch, meet_on_way, met, plane_at_end, plane_on_way, separation, separation_if_near, spheres_at_end,
    spheres_on_way,
};

/// The box that holds a body on its way through the step.
#[derive(Clone, Copy, Debug)]
struct Extent {
    min: DVec3,
    max: DVec3,
}

impl Extent {
    /// Of what stands still.
    fn of(obstacle: &Obstacle) -> Self {
        let pose = Pose::of(&obstacle.place);
        let farthest =
            |sign: f64| DVec3::from_array(DVec3::AXES.map(|axis| axis.dot(pose.support(&obstacle.shape, sign * axis))));
        Self { min: farthest(-1.0), max: farthest(1.0) }
    }

    fn widened(&self, by: f64) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    fn meets(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// Input of a contact search.
pub(super) struct Ways<'a> {
    pub world: &'a World,
    /// How to search.
    pub contacts: Contacts,
    /// Poses and motions at the start of the step.
    pub motions: &'a [Motion],
    /// Where they go.
    pub ways: &'a [Way],
    /// Gaps up to this are rounding \[m\].
    pub closed: f64,
    /// Whether they are still part of the world.
    pub present: &'a [bool],
    /// Restitution and friction of bodies, then of walls and obstacles, each as a square root.
    pub surfaces: &'a [[f64; 2]],
}

/// Work space of searches, kept between calls.
#[derive(Debug, Default)]
pub(super) struct Searched {
    extents: Vec<Extent>,
    obstacles: Vec<Surroundings>,
}

/// Obstacles as near as this are neighbors, in parts of the size of one: rounding must not part them.
const BESIDE: f64 = 1e-3;

/// The box that holds an obstacle, and the others whose boxes meet it or nearly so.
#[derive(Debug)]
struct Surroundings {
    extent: Extent,
    neighbors: Vec<usize>,
}

impl Surroundings {
    fn of(obstacles: &[Obstacle]) -> Vec<Self> {
        let extents: Vec<Extent> = obstacles.iter().map(Extent::of).collect();
        let near = |number: usize| {
            let around = extents[number].widened(BESIDE * obstacles[number].shape.reach());
            (0..extents.len()).filter(|other| *other != number && around.meets(&extents[*other])).collect()
        };
        (0..extents.len()).map(|number| Self { extent: extents[number], neighbors: near(number) }).collect()
    }
}

impl Searched {
    /// The obstacles next to one.
    pub fn neighbors(&self, obstacle: usize) -> &[usize] {
        &self.obstacles[obstacle].neighbors
    }

    /// Calls `found` for each contact, in order: walls and obstacles first, by body; then pairs.
    pub fn contacts(&mut self, step: &Ways<'_>, mut found: impl FnMut(Contact)) {
        let bodies = step.motions.len();
        self.extents.clear();
        self.extents.extend((0..bodies).map(|body| step.extent(body)));
        if self.obstacles.is_empty() {
            self.obstacles = Surroundings::of(&step.world.obstacles);
        }
        for body in (0..bodies).filter(|&body| step.present[body]) {
            for wall in 0..step.world.walls.len() {
                step.at_wall(wall, body, &mut found);
            }
            for (number, around) in self.obstacles.iter().enumerate() {
                if around.extent.meets(&self.extents[body]) {
                    step.at_obstacle((number, &around.neighbors), body, &mut found);
                }
            }
        }
        for first in (0..bodies).filter(|&first| step.present[first]) {
            let extent = self.extents[first];
            for second in (first + 1..bodies).filter(|&second| step.present[second]) {
                if extent.meets(&self.extents[second]) {
                    step.of_pair(first, second, &mut found);
                }
            }
        }
    }
}

impl Ways<'_> {
    fn extent(&self, body: usize) -> Extent {
        let (from, reach) = (self.motions[body].position, self.world.bodies[body].shape.reach());
        let to = from + self.ways[body].shift;
        Extent { min: from.min(to) - reach, max: from.max(to) + reach }
    }

    /// The lowest point of what is round, each corner of what is not.
    fn at_wall(&self, wall: usize, body: usize, found: &mut impl FnMut(Contact)) {
        let (normal, offset) = (self.world.walls[wall].normal, self.world.walls[wall].offset);
        let (shape, motion, way) = (&self.world.bodies[body].shape, &self.motions[body], &self.ways[body]);
        let height = normal.dot(motion.position) - offset;
        let turned = motion.orientation.inverse();
        let mut point = |number: usize, arm: DVec3| {
            let (gap, way) = (height + normal.dot(arm), way.of_point(arm));
            let touch = match self.contacts {
                Contacts::EndOfStep => plane_at_end(normal, gap, way),
                Contacts::Swept => plane_on_way(normal, gap, way, self.closed),
            };
            if let Some(touch) = touch {
                found(self.contact(Partner::Wall(wall), (body, number), &touch, [DVec3::ZERO, arm]));
            }
        };
        match shape {
            BodyShape::Sphere { radius } => point(0, -*radius * normal),
            BodyShape::Ellipsoid { .. } => point(0, motion.orientation * shape.support(turned * -normal)),
            BodyShape::Box { .. } | BodyShape::Hull(_) => {
                // What is too high for any corner to come down.
                let reach = shape.reach();
                if height - reach <= way.shift.length() + reach * way.turn.length() {
                    let corners = (0..).map_while(|number| shape.corner(number)).enumerate();
                    corners.for_each(|(number, corner)| point(number, motion.orientation * corner));
                }
            }
        }
    }

    fn at_obstacle(&self, (number, neighbors): (usize, &[usize]), body: usize, found: &mut impl FnMut(Contact)) {
        let obstacle = &self.world.obstacles[number];
        let shapes = [&obstacle.shape, &self.world.bodies[body].shape];
        let still = Way::default();
        let Some(met) = self.meet(shapes, [&obstacle.place, &self.motions[body]], [&still, &self.ways[body]]) else {
            return;
        };
        let offset = self.motions[body].position - obstacle.place.position;
        let reach = shapes[1].reach();
        for (point, arms) in met.arms[..met.count].iter().enumerate() {
            if is_covered(self.world, (number, neighbors), reach, obstacle.place.position + arms[0], met.normal) {
                continue;
            }
            // What stands still is not turned about its centre.
            let arms_of_turns = [DVec3::ZERO, arms[1]];
            let partner = Partner::Wall(self.world.walls.len() + number);
            found(self.contact(partner, (body, point), &met.touch(offset, *arms), arms_of_turns));
        }
    }

    fn of_pair(&self, first: usize, second: usize, found: &mut impl FnMut(Contact)) {
        let shapes = [&self.world.bodies[first].shape, &self.world.bodies[second].shape];
        match shapes {
            [BodyShape::Sphere { radius: one }, BodyShape::Sphere { radius: other }] => {
                let offset = self.motions[second].position - self.motions[first].position;
                let way = self.ways[second].shift - self.ways[first].shift;
                let touch = match self.contacts {
                    Contacts::EndOfStep => spheres_at_end(offset, one + other, way),
                    Contacts::Swept => spheres_on_way(offset, one + other, way, self.closed),
                };
                if let Some(touch) = touch {
                    let arms = [*one * touch.normal, -*other * touch.normal];
                    found(self.contact(Partner::Body(first), (second, 0), &touch, arms));
                }
            }
            _ => {
                let both = [first, second];
                let met = self.meet(shapes, both.map(|body| &self.motions[body]), both.map(|body| &self.ways[body]));
                let Some(met) = met else { return };
                let offset = self.motions[second].position - self.motions[first].position;
                for (point, arms) in met.arms[..met.count].iter().enumerate() {
                    let touch = met.touch(offset, *arms);
                    found(self.contact(Partner::Body(first), (second, point), &touch, *arms));
                }
            }
        }
    }

    /// Where two shapes meet in the step, if they do.
    fn meet(&self, shapes: [&BodyShape; 2], motions: [&Motion; 2], ways: [&Way; 2]) -> Option<Met> {
        match self.contacts {
            Contacts::Swept => meet_on_way(shapes, motions, ways, self.closed),
            Contacts::EndOfStep => {
                let (now, then) =
                    (motions.map(Pose::of), [0, 1].map(|number| ways[number].after(motions[number], 1.0)));
                let overlaps = separation_if_near(shapes, [&then[0], &then[1]]).gap < 0.0;
                let both = [&now[0], &now[1]];
                overlaps.then(|| met(shapes, motions, both, 0.0, &separation(shapes, both)))
            }
        }
    }

    fn contact(&self, partner: Partner, (body, point): (usize, usize), touch: &Touch, arms: [DVec3; 2]) -> Contact {
        let Touch { share, normal, gap } = *touch;
        let of_partner = self.surfaces[match partner {
            Partner::Body(first) => first,
            Partner::Wall(wall) => self.motions.len() + wall,
        }];
        let [restitution, friction] = std::array::from_fn(|number| of_partner[number] * self.surfaces[body][number]);
        Contact {
            partner,
            body,
            point,
            normal,
            gap,
            share,
            approach: 0.0,
            restitution,
            friction,
            impulse: DVec3::ZERO,
            slack: None,
            lasts: 0.0,
            arms,
        }
    }
}
