//! A lower bound on the distance of a point from a scene.

use glam::DVec3;

use super::ball::Ball;
use super::index::{Group, Part, SceneIndex};

impl SceneIndex {
    /// A lower bound on the distance \[m\] from a point to the scene; zero or negative if the point may be inside. At
    /// least that of the scene's tree ([`crate::scene::Scene::clearance`]): members in far boxes do not count, and
    /// those in near ones are evaluated identically.
    #[must_use]
    pub fn clearance(&self, point: DVec3) -> f64 {
        self.clearance_of_group(&self.top, point)
    }

    fn clearance_of_group(&self, group: &Group, point: DVec3) -> f64 {
        let of_member = |number: u32| self.clearance_of_part(&group.members[number as usize], point);
        let nearest = group.unboxed.iter().map(|&number| of_member(number)).fold(f64::INFINITY, f64::min);
        group.tree.around(point, nearest, of_member)
    }

    fn clearance_of_part(&self, part: &Part, point: DVec3) -> f64 {
        match part {
            Part::Everything => f64::NEG_INFINITY,
            Part::Nothing => f64::INFINITY,
            Part::Leaf(number) | Part::Ball(Ball { leaf: number, .. }) => self.scene.leaf(*number).clearance(point),
            Part::Cell(cell) => {
                let distances = self
                    .half_spaces(*cell)
                    .iter()
                    .map(|half_space| half_space.distance(point) / half_space.normal.length());
                distances.fold(f64::NEG_INFINITY, f64::max)
            }
            Part::Intersection(parts) => {
                parts.iter().map(|part| self.clearance_of_part(part, point)).fold(f64::NEG_INFINITY, f64::max)
            }
            Part::Union(group) => self.clearance_of_group(group, point),
        }
    }
}
