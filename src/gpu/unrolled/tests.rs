//! Code made for scenes, as text. What it answers is judged with the rest of job `entry_point`.

use glam::DVec3;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::*;
use crate::gpu::device::Loops;
use crate::gpu::shader;
use crate::gpu::wire::{StateLayout, Target};
use crate::random::uniform;
use crate::scene::{Cone, Cylinder, Material, MaterialId, Scene, Shape, Solid, SurfaceDrag};
use crate::vehicle::GroundReactions;

fn wire(shape: &Shape) -> SceneWire {
    SceneWire::new(&Scene::new(shape, Vec::new(), None, None).unwrap(), 1000).unwrap()
}

fn boxes(count: usize) -> Shape {
    let wall = |normal: DVec3, x: f64| Shape::half_space(normal, 1.0 + normal.x * x);
    let faces = |x: f64| DVec3::AXES.map(|axis| [wall(axis, x), wall(-axis, x)]).into_iter().flatten();
    Shape::union((0..count).map(|number| Shape::intersection(faces(4.0 * number as f64))))
}

#[test]
fn small_scenes_get_code_of_their_own_and_large_ones_do_not() {
    assert_eq!(Search::new(&wire(&boxes(32))).form, SearchForm::Unrolled);
    assert_eq!(Search::new(&wire(&boxes(33))).form, SearchForm::Interpreted);
}

#[test]
fn code_has_no_boxes_and_leads_past_them() {
    let wire = wire(&boxes(5));
    let is_box = |number: u32| kind(wire.stops[number as usize]) == StopKind::Box;
    let boxes: Vec<u32> = (0..wire.stops.len() as u32).filter(|&number| is_box(number)).collect();
    assert!(!boxes.is_empty());
    let code = walk_once(&wire);
    assert_eq!(code.matches("if at == ").count(), 5);
    for number in boxes {
        assert!(!code.contains(&format!(" {number}u;")) && !code.contains(&format!("select({number}u")));
    }
}

#[test]
fn scenes_without_stops_are_inside_or_outside_at_once() {
    for (shape, target) in [(Shape::Everything, Target::INSIDE), (Shape::Nothing, Target::OUTSIDE)] {
        let code = walk_once(&wire(&shape));
        assert!(code.contains(&format!("var at = {target}u;")) && !code.contains("if at"), "{code}");
    }
}

#[test]
fn numbers_are_written_to_the_last_bit() {
    for value in [0.1f32, -0.0, 1.0 / 3.0, 1e-41, 9.999_999e8, -1.0, f32::MIN_POSITIVE] {
        let [x, ..] = [vector([value, 0.0, 0.0, 0.0])];
        let text = x.trim_start_matches("vec4<f32>(").split("f,").next().unwrap();
        assert_eq!(text.parse::<f32>().unwrap().to_bits(), value.to_bits(), "{x}");
    }
}

#[test]
fn a_cell_of_many_half_spaces_is_valid_code() {
    let many = Shape::intersection((0..2000).map(|number| Shape::half_space(DVec3::Z, f64::from(number))));
    let source = shader::entry_point_source(&Search::unrolled(&wire(&many)).source, Loops::Whole);
    assert!(naga::front::wgsl::parse_str(&source).is_ok());
}

/// A random tree of all kinds of leaves and operations, small enough for code of its own.
pub(in crate::gpu) fn random_scene(number: u64) -> Scene {
    let mut grower = Grower { number, variable: 0 };
    let shape = grower.node(3);
    let paint = Material {
        name: "paint".to_owned(),
        static_friction: 0.5,
        dynamic_friction: 0.4,
        max_force: f64::INFINITY,
        dynamic_friction_by_speed: Vec::new(),
        drag: SurfaceDrag::default(),
    };
    Scene::new(&shape, vec![paint], None, None).unwrap()
}

struct Grower {
    number: u64,
    variable: u32,
}

impl Grower {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.variable += 1;
        low + (high - low) * uniform(7, self.number, self.variable)
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.between(-size, size)))
    }

    fn node(&mut self, depth: u32) -> Shape {
        if depth == 0 {
            return self.leaf();
        }
        let [a, b, c] = [0; 3].map(|_| self.node(depth - 1));
        match self.between(0.0, 6.0) as u32 {
            0 | 1 => Shape::union([a, b, c]),
            2 => Shape::intersection([a, b.complement()]),
            3 => Shape::intersection([Shape::union([a, b]), c]).complement(),
            4 => Shape::union([a, b]).painted(MaterialId(0), c),
            _ => Shape::Difference([a, b, c].map(Into::into).into()),
        }
    }

    fn leaf(&mut self) -> Shape {
        let (center, radius) = (self.vector(6.0), self.between(1.0, 5.0));
        let axis = self.vector(1.0).normalize();
        match self.between(0.0, 8.0) as u32 {
            0 => Shape::half_space(axis, axis.dot(center)),
            1 => Shape::intersection((0..4).map(|_| self.vector(1.0)).map(|n| Shape::half_space(n, n.length() * 2.0))),
            2 => Shape::sphere(center, radius),
            3 => Shape::ellipsoid(center, DVec3::new(radius, 1.0, 2.0), glam::DQuat::from_rotation_arc(DVec3::X, axis)),
            4 => Shape::Solid(Solid::Cone(Cone::frustum(center, axis, radius, 3.0, radius - 1.0))),
            5 => Shape::capsule(center, center + radius * axis, 1.0),
            kind => {
                let half_height = (kind == 7 && radius < 3.0).then_some(radius);
                Shape::Solid(Solid::Cylinder(Cylinder { center, axis, radius, half_height }))
            }
        }
    }
}

#[test]
fn code_of_random_scenes_is_valid_without_a_driver() {
    let mut stops = 0;
    for number in 0..60 {
        let wire = SceneWire::new(&random_scene(number), 1000).unwrap();
        let search = Search::unrolled(&wire).source;
        let vehicle = StateLayout { wheels: 3, points: 2, kept: 0, ground_reactions: GroundReactions::Pebble };
        stops += own_stops(&wire).count();
        for source in [
            shader::entry_point_source(&search, Loops::Whole),
            shader::landing_source(vehicle, &search, &shader::aerodynamics(), (Loops::Whole, shader::Stride::Together)),
        ] {
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|error| panic!("scene {number}: {}", error.emit_to_string(&source)));
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
            let checked = validator.validate(&module);
            assert!(checked.is_ok(), "scene {number}: {}", checked.unwrap_err().emit_to_string(&source));
        }
    }
    assert!(stops > 300, "{stops}");
}
