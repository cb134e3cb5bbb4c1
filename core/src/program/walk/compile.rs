//! Compilation of programs to walks.

use std::collections::HashMap;

use super::{Layer, Stop, Target, Test, Walk};
use crate::program::nested::{Nested, Set, SetId};
use crate::program::{Expression, Program};
use crate::scene::{BoundingBox, MaterialId, Scene};

/// Unions with fewer bounded children get no boxes: a box costs about as much as the leaf behind it.
const MIN_GROUP: usize = 4;
/// Children unbounded along more than one axis count as unbounded: their boxes would be hit by almost every ray.
const BOUNDED_AXES: usize = 2;

/// Stops are emitted from last to first, so that all targets are known; then the order is reversed.
struct Compiler<'a> {
    nested: Nested<'a>,
    stops: Vec<Stop>,
    /// Paint regions already emitted: many coatings may name one.
    regions: HashMap<Expression, Target>,
}

/// What a set's leaves must know of the sets that it is part of.
#[derive(Clone, Copy)]
struct Continuation {
    inside: Target,
    outside: Target,
    exact: bool,
}

impl Continuation {
    const TOP: Self = Self { inside: Target::Inside, outside: Target::Outside, exact: true };
}

impl Walk {
    /// Lays out a scene.
    #[must_use]
    pub fn compile(scene: &Scene) -> Self {
        Self::lower(&Program::compile(scene), scene)
    }

    /// Lowers a scene's program.
    fn lower(program: &Program, scene: &Scene) -> Self {
        let mut compiler = Compiler { nested: Nested::new(program, scene), stops: Vec::new(), regions: HashMap::new() };
        let start = compiler.expression(program.root());
        let layers: Vec<Layer> = program
            .layers()
            .iter()
            .map(|layer| Layer {
                material: MaterialId(layer.material),
                region: layer.region.map(|region| compiler.region(region)),
            })
            .collect();
        let count = compiler.stops.len() as u32;
        let turned = |target| match target {
            Target::Stop(number) => Target::Stop(count - 1 - number),
            Target::Inside | Target::Outside => target,
        };
        let turned_stop = |stop: Stop| Stop { inside: turned(stop.inside), outside: turned(stop.outside), ..stop };
        let turned_layer = |layer: Layer| Layer { region: layer.region.map(turned), ..layer };
        Self {
            stops: compiler.stops.into_iter().rev().map(turned_stop).collect(),
            start: turned(start),
            layers: layers.into_iter().map(turned_layer).collect(),
            coatings: program
                .leaf_coatings()
                .iter()
                .map(|coating| coating.first..coating.first + coating.layers)
                .collect(),
            default_material: scene.default_material(),
        }
    }
}

impl Compiler<'_> {
    fn region(&mut self, region: Expression) -> Target {
        if let Some(&target) = self.regions.get(&region) {
            return target;
        }
        let target = self.expression(region);
        self.regions.insert(region, target);
        target
    }

    fn expression(&mut self, expression: Expression) -> Target {
        let root = self.nested.read(expression);
        self.set(root, Continuation::TOP)
    }

    /// Emits a set and returns where it starts.
    fn set(&mut self, id: SetId, then: Continuation) -> Target {
        match self.nested.take(id) {
            Set::Nothing => then.outside,
            Set::Everything => then.inside,
            Set::Solid { test, leaf, rank } => self.stop(test, (leaf, rank), then),
            Set::Union(members) => self.union(&members, then),
            Set::Intersection(members) => self.intersection(&members, then),
        }
    }

    fn stop(&mut self, test: Test, (leaf, rank): (u32, u32), then: Continuation) -> Target {
        let Continuation { inside, outside, exact } = then;
        self.stops.push(Stop { test, leaf, rank, inside, outside, exact });
        Target::Stop(self.stops.len() as u32 - 1)
    }

    fn intersection(&mut self, members: &[SetId], then: Continuation) -> Target {
        let before = |inside, &member: &SetId| self.set(member, Continuation { inside, exact: false, ..then });
        members.iter().rev().fold(then.inside, before)
    }

    /// Unbounded members come first: they cannot be skipped, and what they yield lets more boxes be skipped.
    fn union(&mut self, members: &[SetId], then: Continuation) -> Target {
        let mut bounded: Vec<(BoundingBox, SetId)> = Vec::new();
        let mut unbounded = Vec::new();
        for &member in members {
            let bounds = self.nested.bounds(member);
            if bounds.bounded_axes() >= BOUNDED_AXES {
                bounded.push((bounds, member));
            } else {
                unbounded.push(member);
            }
        }
        if bounded.len() < MIN_GROUP {
            return self.chain(members, then);
        }
        let outside = self.group(&mut bounded, then);
        self.chain(&unbounded, Continuation { outside, ..then })
    }

    fn chain(&mut self, members: &[SetId], then: Continuation) -> Target {
        members.iter().rev().fold(then.outside, |outside, &member| self.set(member, Continuation { outside, ..then }))
    }

    /// Members in boxes within boxes: halves along the longest axis of their centres.
    fn group(&mut self, members: &mut [(BoundingBox, SetId)], then: Continuation) -> Target {
        let around = members.iter().fold(BoundingBox::EMPTY, |all, (bounds, _)| all.join(*bounds));
        let start = match members {
            [] => return then.outside,
            // A single curved solid is tested as fast as a box.
            [(_, member)] if self.nested.is_curved(*member) => return self.set(*member, then),
            [(_, member)] => self.set(*member, then),
            _ => {
                let centers = members.iter().map(|(bounds, _)| bounds.center());
                let (min, max) = centers.fold((around.max, around.min), |(min, max), c| (min.min(c), max.max(c)));
                let axis = (max - min).max_position();
                // Ties by number: the order of equals must not depend on the sort.
                members.sort_unstable_by(|(a, first), (b, second)| {
                    a.center()[axis].total_cmp(&b.center()[axis]).then(first.cmp(second))
                });
                let (left, right) = members.split_at_mut(members.len() / 2);
                let outside = self.group(right, then);
                self.group(left, Continuation { outside, ..then })
            }
        };
        let Target::Stop(_) = start else {
            return start;
        };
        self.stop(Test::Bounds(around), (0, 0), Continuation { inside: start, ..then })
    }
}
