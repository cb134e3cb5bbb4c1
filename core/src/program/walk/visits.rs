//! Visit counts of a walk, from which its cost is computed.

use std::iter::Sum;
use std::ops::Add;

use super::{Stop, Test};
use crate::scene::{Cylinder, Solid};

/// Number of stops visited, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// Cells.
    pub cells: u64,
    /// Half spaces of these cells.
    pub half_spaces: u64,
    /// Balls, or their complements.
    pub balls: u64,
    /// Infinite cylinders, or their complements.
    pub cylinders: u64,
    /// Cylinders with caps, or their complements.
    pub short_cylinders: u64,
    /// Other curved leaves: cones, capsules and stretched ones, or their complements.
    pub others: u64,
    /// Boxes of groups.
    pub boxes: u64,
}

impl Visits {
    /// Adds a visit of a stop.
    pub(super) fn count(&mut self, stop: &Stop) {
        match &stop.test {
            Test::Cell(half_spaces) => {
                self.cells += 1;
                self.half_spaces += half_spaces.len() as u64;
            }
            Test::Curved { solid, .. } => match solid {
                Solid::HalfSpace(_) => {
                    self.cells += 1;
                    self.half_spaces += 1;
                }
                Solid::Sphere(_) => self.balls += 1,
                Solid::Cylinder(Cylinder { half_height: None, .. }) => self.cylinders += 1,
                Solid::Cylinder(Cylinder { half_height: Some(_), .. }) => self.short_cylinders += 1,
                Solid::Cone(_) | Solid::Capsule(_) | Solid::Stretched(_) => self.others += 1,
            },
            Test::Bounds(_) => self.boxes += 1,
        }
    }
}

impl Add for Visits {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        // Destructured, so that no kind is forgotten.
        let Self { cells, half_spaces, balls, cylinders, short_cylinders, others, boxes } = other;
        Self {
            cells: self.cells + cells,
            half_spaces: self.half_spaces + half_spaces,
            balls: self.balls + balls,
            cylinders: self.cylinders + cylinders,
            short_cylinders: self.short_cylinders + short_cylinders,
            others: self.others + others,
            boxes: self.boxes + boxes,
        }
    }
}

impl Sum for Visits {
    fn sum<I: Iterator<Item = Self>>(visits: I) -> Self {
        visits.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::program::walk::{Walk, Walker};
    use crate::query::Ray;
    use crate::scene::{MaterialId, Scene, Shape};

    const NONE: Visits =
        Visits { cells: 0, half_spaces: 0, balls: 0, cylinders: 0, short_cylinders: 0, others: 0, boxes: 0 };

    /// x <= 1 and y <= 1, less the ball about (0, 0, 0) of radius 0.5.
    fn hollow_corner() -> Shape {
        let corner = Shape::intersection([Shape::half_space(DVec3::X, 1.0), Shape::half_space(DVec3::Y, 1.0)]);
        Shape::intersection([corner, Shape::sphere(DVec3::ZERO, 0.5).complement()])
    }

    fn visits(shape: &Shape, from: DVec3, to: DVec3) -> Visits {
        let scene = Scene::new(shape, Vec::new(), None, None).unwrap();
        Walker::new(&Walk::compile(&scene), &scene).visits_of_ray(&Ray::segment(from, to))
    }

    #[test]
    fn stops_of_rays_are_those_counted_by_hand() {
        let along_x = |y, from, to| visits(&hollow_corner(), DVec3::new(from, y, 0.0), DVec3::new(to, y, 0.0));
        // Outside the cell at lambda 0, which ends the first walk; at its border the second finds cell and complement.
        assert_eq!(along_x(0.0, 2.0, -2.0), Visits { cells: 2, half_spaces: 4, balls: 1, ..NONE });
        // The cell is never entered.
        assert_eq!(along_x(2.0, 2.0, -2.0), Visits { cells: 1, half_spaces: 2, ..NONE });
        // In the ball at lambda 0, and on its border in the second walk.
        assert_eq!(along_x(0.0, 0.0, -2.0), Visits { cells: 2, half_spaces: 4, balls: 2, ..NONE });
    }

    #[test]
    fn boxes_that_a_ray_misses_hide_what_is_in_them() {
        let balls = (0..4).map(|index| Shape::sphere(DVec3::new(10.0 * f64::from(index), 0.0, 0.0), 1.0));
        let row = Shape::union(balls);
        let down = |x| visits(&row, DVec3::new(x, 0.0, 5.0), DVec3::new(x, 0.0, -5.0));
        // One box about all, one about each half; single balls have none.
        assert_eq!(down(100.0), Visits { boxes: 1, ..NONE });
        assert_eq!(down(15.0), Visits { boxes: 3, ..NONE });
        // The ball's entry is exact, so no second walk confirms it; its neighbour stands in the same box.
        assert_eq!(down(0.0), Visits { boxes: 3, balls: 2, ..NONE });
    }

    #[test]
    fn stripes_without_an_end_upwards_are_skipped_in_groups() {
        // Prisms of 1 m by 1 m, as paint is made of.
        let walls = |x: f64| [(DVec3::X, x + 1.0), (DVec3::NEG_X, -x), (DVec3::Y, 1.0), (DVec3::NEG_Y, 0.0)];
        let stripe = |x| Shape::intersection(walls(x).map(|(normal, offset)| Shape::half_space(normal, offset)));
        let stripes = Shape::union((0..64).map(|number| stripe(2.0 * f64::from(number))));
        let across = |x| visits(&stripes, DVec3::new(x, -1.0, 0.0), DVec3::new(x, 3.0, 0.0));
        // A box about all, then two at each of five levels and those about two stripes.
        assert_eq!(across(1.5), Visits { boxes: 13, ..NONE });
        assert_eq!(across(6.5), Visits { boxes: 13, cells: 1, half_spaces: 4, ..NONE });
    }

    #[test]
    fn stops_of_materials_are_those_of_the_regions_that_were_asked() {
        let painted = Shape::half_space(DVec3::Z, 0.0)
            .painted(MaterialId(0), Shape::half_space(DVec3::X, 0.0))
            .painted(MaterialId(0), Shape::sphere(DVec3::ZERO, 2.0));
        let material = crate::scene::Material {
            name: "paint".to_owned(),
            static_friction: 0.5,
            dynamic_friction: 0.4,
            max_force: f64::INFINITY,
            dynamic_friction_by_speed: Vec::new(),
            drag: crate::scene::SurfaceDrag::default(),
        };
        let scene = Scene::new(&painted, vec![material], None, None).unwrap();
        let walk = Walk::compile(&scene);
        let walker = Walker::new(&walk, &scene);
        // The outermost layer, the ball, is asked first, but only within its box.
        assert_eq!(walker.visits_of_material(0, DVec3::X), Visits { balls: 1, ..NONE });
        let corner = DVec3::new(1.9, 1.9, 0.0);
        assert_eq!(walker.visits_of_material(0, corner), Visits { balls: 1, cells: 1, half_spaces: 1, ..NONE });
        assert_eq!(walker.visits_of_material(0, 3.0 * DVec3::X), Visits { cells: 1, half_spaces: 1, ..NONE });
    }
}
