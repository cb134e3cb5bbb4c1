//! Borders in one place: of several leaves that a ray enters at one lambda the one is named that the set begins with.
//!
//! `TOUCHDOWN_TEST_SEED` changes the random scenes and rays.

use crate::support::crater;
use crate::support::random::{Random, test_seed};
use crate::support::random_scene::scene_of;
use glam::{DQuat, DVec3};
use touchdown::native::SceneIndex;
use touchdown::program::walk::{Walk, Walker};
use touchdown::program::{Interpreter, Program};
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::reference::Tracer;
use touchdown::scene::{Interval, MaterialId, Node, NodeId, Scene, Shape};

/// Trees whose leaves are drawn from a few solids on whole numbers, so that most borders are there several times.
struct Grower<'a> {
    random: &'a mut Random,
    pool: Vec<Shape>,
}

impl<'a> Grower<'a> {
    fn new(random: &'a mut Random) -> Self {
        let pool = (0..2 + random.index(6)).map(|_| solid(random)).collect();
        Self { random, pool }
    }

    fn node(&mut self, depth: usize) -> Shape {
        let material = MaterialId(self.random.index(4) as u32);
        if depth == 0 || self.random.chance(0.1) {
            let solid = self.pool[self.random.index(self.pool.len())].clone();
            return if self.random.chance(0.3) { solid.complement() } else { solid }.made_of(material);
        }
        let children: Vec<Shape> = (0..2 + self.random.index(5)).map(|_| self.node(depth - 1)).collect();
        match self.random.index(5) {
            0 | 1 => Shape::union(children),
            2 | 3 => Shape::intersection(children.into_iter().take(3)),
            _ => Shape::Difference(children.into_iter().take(3).map(Into::into).collect()),
        }
    }
}

fn solid(random: &mut Random) -> Shape {
    let whole = |random: &mut Random, greatest: f64| random.between(-greatest, greatest).round();
    let center = DVec3::from_array([0; 3].map(|_| whole(random, 2.0)));
    match random.index(4) {
        0 => Shape::half_space(DVec3::Z, whole(random, 1.0)),
        1 => Shape::half_space(DVec3::AXES[random.index(3)] * if random.chance(0.5) { 1.0 } else { -1.0 }, center.x),
        2 => Shape::sphere(center, 1.0 + random.index(3) as f64),
        _ => Shape::cuboid(center, DVec3::from_array([0; 3].map(|_| 1.0 + random.index(2) as f64)), DQuat::IDENTITY),
    }
}

/// What a node's set is about one lambda of a ray.
#[derive(Clone)]
struct Here {
    /// It holds the place itself.
    at: bool,
    /// It holds what is just before.
    before: bool,
    /// The leaves that it begins with, by docs/theory/entry-points.md, 9: of a union those of the first child that begins, of an
    /// intersection those of all children that had not begun. Those of its first such child stand first.
    begins_with: Vec<u32>,
}

impl Here {
    fn of_leaf(leaf: u32, inside: &Interval, complemented: bool, lambda: f64) -> Self {
        let Interval { enter, exit, flat } = *inside;
        let (at, before) = match complemented {
            false => (enter <= lambda && lambda <= exit, enter < lambda && lambda <= exit),
            true => (flat || lambda <= enter || lambda >= exit, flat || lambda <= enter || lambda > exit),
        };
        Self { at, before, begins_with: if at && !before { vec![leaf] } else { Vec::new() } }
    }

    fn all(children: impl Iterator<Item = Self>) -> Self {
        let start = Self { at: true, before: true, begins_with: Vec::new() };
        let all = children.fold(start, |all, child| Self {
            at: all.at && child.at,
            before: all.before && child.before,
            begins_with: [all.begins_with, child.begins_with].concat(),
        });
        if all.at { all } else { Self { begins_with: Vec::new(), ..all } }
    }

    fn any(children: impl Iterator<Item = Self>) -> Self {
        let start = Self { at: false, before: false, begins_with: Vec::new() };
        let any = children.fold(start, |any, child| Self {
            at: any.at || child.at,
            before: any.before || child.before,
            begins_with: if any.begins_with.is_empty() { child.begins_with } else { any.begins_with },
        });
        if any.before { Self { begins_with: Vec::new(), ..any } } else { any }
    }

    /// From the tree and the leaves' intervals alone.
    fn of_node(scene: &Scene, node: NodeId, ray: &Ray, lambda: f64) -> Self {
        let of_nodes = |children: &[NodeId]| -> Vec<Self> {
            children.iter().map(|&child| Self::of_node(scene, child, ray, lambda)).collect()
        };
        match scene.node(node) {
            Node::Everything => Self::all(std::iter::empty()),
            Node::Nothing => Self::any(std::iter::empty()),
            Node::Leaf(number) => {
                let leaf = scene.leaf(*number);
                Self::of_leaf(*number, &leaf.solid.interval(&ray.x1, &ray.x2), leaf.complemented, lambda)
            }
            Node::Cell(cell) => Self::all(
                (cell.first_leaf..)
                    .zip(&cell.half_spaces)
                    .map(|(leaf, half_space)| Self::of_leaf(leaf, &half_space.interval(ray.x1, ray.x2), false, lambda)),
            ),
            Node::Union(children) => Self::any(of_nodes(children).into_iter()),
            Node::Intersection(children) => Self::all(of_nodes(children).into_iter()),
        }
    }
}

#[test]
fn of_two_borders_in_one_place_that_of_the_set_which_begins_there_is_met() {
    let scene = crater::scene(0);
    let (program, walk, tracer) = (Program::compile(&scene), Walk::compile(&scene), Tracer::new(&scene));
    let (walker, index) = (Walker::new(&walk, &scene), SceneIndex::new(&scene));
    for (patch, height) in crater::PATCHES.iter().flat_map(|patch| crater::HEIGHTS.map(|height| (patch, height))) {
        let ray = patch.ray(height);
        // Alone, and side by side.
        let (mut alone, mut packet) = ([EntryPoint::none(RayStatus::Miss)], [EntryPoint::none(RayStatus::Miss); 16]);
        index.entry_points(&[ray], &mut alone);
        index.entry_points(&[ray; 16], &mut packet);
        let words = Interpreter::new(&program).entry_point(&ray);
        for found in [tracer.entry_point(&ray), walker.entry_point(&ray), words].into_iter().chain(alone).chain(packet)
        {
            assert_eq!((found.lambda, found.leaf, found.material), patch.entry(), "{ray:?}");
        }
    }
}

#[test]
fn words_and_walks_name_what_the_set_begins_with_on_two_million_rays() {
    const SCENES: usize = 4_000;
    const RAYS: usize = 500;
    let (mut entries, mut ties, mut others) = (0, 0, 0);
    for number in 0..SCENES {
        let mut random = Random::new(test_seed(), (9 << 32) + number as u64);
        let scene = scene_of(&Grower::new(&mut random).node(1 + number % 4));
        let (program, walk) = (Program::compile(&scene), Walk::compile(&scene));
        let mut interpreter = Interpreter::new(&program);
        let (tracer, walker) = (Tracer::new(&scene), Walker::new(&walk, &scene));
        for _ in 0..RAYS {
            let ray = Ray::segment(random.in_cube(5.0), random.in_cube(5.0));
            let (tree, walked) = (tracer.entry_point(&ray), walker.entry_point(&ray));
            assert_eq!((tree.status, tree.lambda), (walked.status, walked.lambda), "scene {number}, {ray:?}");
            if tree.status != RayStatus::Hit || tree.lambda == ray.lambda1 {
                continue;
            }
            entries += 1;
            let entered = (0..).zip(scene.leaves()).filter(|(number, leaf)| {
                let inside = leaf.solid.interval(&ray.x1, &ray.x2);
                !Here::of_leaf(*number, &inside, leaf.complemented, tree.lambda).begins_with.is_empty()
            });
            ties += usize::from(entered.count() > 1);
            let names = Here::of_node(&scene, scene.root(), &ray, tree.lambda).begins_with;
            assert_eq!(interpreter.entry_point(&ray), walked, "scene {number}, {ray:?}");
            assert_eq!(walked.leaf, names.first().copied(), "scene {number}, {ray:?}: {names:?}");
            // Where several children of an intersection begin together any of them is its border (docs/theory/entry-points.md, 9): the
            // tree names one that began in its last pass, and may have held an earlier part of the first.
            assert!(names.contains(&tree.leaf.unwrap()), "scene {number}, {ray:?}: {tree:?}, {names:?}");
            if walked.leaf == tree.leaf {
                assert_eq!((walked.material, walked.normal), (tree.material, tree.normal), "scene {number}, {ray:?}");
            } else {
                others += 1;
            }
        }
    }
    println!("{entries} entries, {ties} of them through several borders, {others} named otherwise by the tree");
    assert!(entries > 100_000 && ties > 50_000, "{entries} entries, {ties} through several borders");
}
