use proptest::prelude::*;

use super::*;
use crate::lanes::{LANES, Lanes3};
use crate::native::eight::{Eight, Rayx8};
use crate::simd::{DVec3x8, F32x8, F64x8, InRegisters, in_registers};

/// Boxes about places, with half sizes.
fn boxes(places: &[DVec3], half: DVec3) -> Vec<(u32, BoundingBox)> {
    (0u32..).zip(places.iter().map(|&place| BoundingBox { min: place - half, max: place + half })).collect()
}

fn depth(tree: &BoxTree, node: u32) -> usize {
    let below = tree.nodes[node as usize].children.into_iter().filter(|child| child & ITEM == 0);
    1 + below.map(|child| depth(tree, child)).max().unwrap_or(0)
}

#[test]
fn trees_hold_every_item_once_and_are_never_deep() {
    let geometric: Vec<DVec3> = (0..500).map(|power| DVec3::X * 1.5f64.powi(-power)).collect();
    let cases = [
        ("nothing", Vec::new(), 1),
        ("one", vec![DVec3::ONE], 1),
        ("nine", (0..9).map(|x| DVec3::X * f64::from(x)).collect(), 2),
        ("all in one place", vec![DVec3::ONE; 100_000], 8),
        ("halved again and again", geometric, 51),
    ];
    for (what, places, deepest) in cases {
        let tree = BoxTree::new(&boxes(&places, DVec3::splat(0.01)));
        let mut items: Vec<u32> = tree.items().collect();
        items.sort_unstable();
        assert_eq!(items, (0..places.len() as u32).collect::<Vec<_>>(), "{what}");
        assert_eq!(tree.is_empty(), places.is_empty());
        assert!(depth(&tree, 0) <= deepest, "{what}: {} levels", depth(&tree, 0));
    }
}

/// Counts what it is shown.
struct Shown(Vec<u32>);

impl Visitor for Shown {
    fn look(&mut self, item: u32, _: &mut Deferred) -> f64 {
        self.0.push(item);
        f64::INFINITY
    }
}

impl StreamVisitor for Shown {
    fn look(&mut self, item: u32, ray: u16) -> Option<f64> {
        // The first ray's alone.
        if ray == 0 {
            self.0.push(item);
        }
        None
    }
}

/// What a ray is shown.
struct Along<'a, R>(&'a BoxTree, &'a R, f64);

impl<R: BoxRay> InRegisters for Along<'_, R> {
    type Output = Vec<u32>;
    fn run<S: Simd>(self, simd: S) -> Vec<u32> {
        let mut shown = Shown(Vec::new());
        self.0.along(simd, self.1, self.2, &mut shown, &mut Deferred::new());
        shown.0
    }
}

fn rays<S: Simd>(simd: S, [x1, x2]: [&Lanes3; 2], [from, until]: [f64; 2]) -> Rayx8<S> {
    let (x1, x2) = (DVec3x8::from_lanes(simd, x1), DVec3x8::from_lanes(simd, x2));
    Rayx8 { x1, x2, from: F64x8::splat(simd, from), until: F64x8::splat(simd, until) }
}

/// What a bundle of eight rays is shown and may meet, if they are one.
struct Bundled<'a>(&'a BoxTree, [&'a Lanes3; 2], [f64; 2]);

impl InRegisters for Bundled<'_> {
    type Output = Option<Vec<u32>>;
    fn run<S: Simd>(self, simd: S) -> Option<Vec<u32>> {
        let Self(tree, [x1, x2], [from, until]) = self;
        let rays = rays(simd, [x1, x2], [from, until]);
        let lines = Lines::new(tree, &rays);
        let mut eight = Eight::NONE;
        eight.set(&rays);
        let bundle = Bundle::new(tree, &[eight, eight], rays.coordinates())?;
        let mut shown = Shown(Vec::new());
        tree.along(simd, &bundle, until, &mut shown, &mut Deferred::new());
        let limits = F32x8::splat(simd, (until as f32).next_up());
        shown.0.retain(|&item| lines.may_meet(simd, tree.box_of(item), limits));
        Some(shown.0)
    }
}

/// What the first of eight rays is shown in a stream of those that pass the box of all items.
struct Streamed<'a>(&'a BoxTree, [&'a Lanes3; 2], [f64; 2]);

impl InRegisters for Streamed<'_> {
    type Output = Vec<u32>;
    fn run<S: Simd>(self, simd: S) -> Vec<u32> {
        let Self(tree, [x1, x2], [from, until]) = self;
        let lines = Lines::new(tree, &rays(simd, [x1, x2], [from, until]));
        let until = (until as f32).next_up();
        let enter = lines.enter(simd, tree, F32x8::splat(simd, until));
        if enter & 1 == 0 {
            return Vec::new();
        }
        // Those of other octants belong into other streams.
        let alike = (0..LANES).filter(|&lane| lines.octant(lane) == lines.octant(0) && enter >> lane & 1 != 0);
        let mut alike: Vec<_> = alike.map(|lane| StreamLine { line: lines.get(lane).unwrap(), until }).collect();
        let mut shown = Shown(Vec::new());
        let numbers: Vec<u16> = (0..alike.len() as u16).collect();
        tree.stream(simd, (lines.octant(0), &numbers), &mut alike, &mut shown, &mut Lists::new());
        shown.0
    }
}

/// True when the ray is in the box somewhere in [lambda1, lambda2], as plain f64 has it.
fn meets(bounds: &BoundingBox, x1: DVec3, x2: DVec3, (lambda1, lambda2): (f64, f64)) -> bool {
    let (mut first, mut last) = (lambda1, lambda2);
    for axis in 0..3 {
        let (low, high, d) = (bounds.min[axis] - x1[axis], bounds.max[axis] - x1[axis], x2[axis] - x1[axis]);
        if d == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
        } else {
            first = first.max((low / d).min(high / d));
            last = last.min((low / d).max(high / d));
        }
    }
    first <= last
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![(-3..=3i32).prop_map(f64::from), -10.0..10.0f64]
}

fn vector() -> impl Strategy<Value = DVec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
}

/// Directions along axes, across them, and all but standing still.
fn direction() -> impl Strategy<Value = DVec3> {
    let part = || prop_oneof![Just(0.0), Just(1e-25), Just(-1e-19), Just(1e-13), coordinate()];
    [part(), part(), part()].prop_map(DVec3::from_array)
}

fn range() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![Just((0.0, 1.0)), Just((-2.0, 3.0)), Just((-1e22, -1e21)), Just((1e60, 1e60)), Just((0.0, 1e15)),]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn boxes_that_a_ray_meets_are_shown_to_it_alone_and_in_a_bundle(
        places in prop::collection::vec(vector(), 1..40),
        half in [0.0..2.0f64, 0.0..2.0f64, 0.0..2.0f64].prop_map(DVec3::from_array),
        offset in prop::sample::select(vec![0.0, 1e4, 1e7, -1e12]),
        x1 in vector(),
        direction in direction(),
        spread in prop::sample::select(vec![0.0, 1e-6, 0.1]),
        range in range(),
    ) {
        let offset = DVec3::new(offset, -offset, 0.5 * offset);
        let places: Vec<DVec3> = places.into_iter().map(|place| place + offset).collect();
        let items = boxes(&places, half);
        let tree = BoxTree::new(&items);
        let x1 = x1 + offset;
        let x2 = x1 + direction;
        let met: Vec<u32> =
            items.iter().filter(|(_, bounds)| meets(bounds, x1, x2, range)).map(|&(number, _)| number).collect();

        let shown = in_registers(Along(&tree, &Line::new(&tree, x1, x2, range).unwrap(), range.1));
        prop_assert!(met.iter().all(|number| shown.contains(number)), "{met:?}, shown {shown:?}");

        let neighbour = |lane: usize| DVec3::splat(spread * lane as f64 / LANES as f64);
        let range = [range.0, range.1];
        let starts = Lanes3::from_fn(|lane| x1 + neighbour(lane));
        let ends = Lanes3::from_fn(|lane| x2 + neighbour(lane));
        if let Some(shown) = in_registers(Bundled(&tree, [&starts, &ends], range)) {
            prop_assert!(met.iter().all(|number| shown.contains(number)), "{met:?}, bundle {shown:?}");
        }
        let shown = in_registers(Streamed(&tree, [&starts, &ends], range));
        prop_assert!(met.iter().all(|number| shown.contains(number)), "{met:?}, stream {shown:?}");
    }
}

#[test]
fn endless_boxes_are_met_wherever_a_ray_passes_beside_their_ends() {
    let upright = |x: f64| BoundingBox {
        min: DVec3::new(x, -1.0, f64::NEG_INFINITY),
        max: DVec3::new(x + 1.0, 1.0, f64::INFINITY),
    };
    let items: Vec<(u32, BoundingBox)> = (0..50).map(|number| (number, upright(2.0 * f64::from(number)))).collect();
    assert!(items.iter().all(|(_, bounds)| BoxTree::takes(bounds)));
    assert!(!BoxTree::takes(&BoundingBox { min: DVec3::NEG_INFINITY, max: DVec3::new(1.0, 1.0, 1e9) }));
    let tree = BoxTree::new(&items);
    for (number, height) in [(0u32, 0.0), (7, 1e6), (49, -1e9)] {
        let x = 2.0 * f64::from(number) + 0.5;
        let (x1, x2) = (DVec3::new(x, -5.0, height), DVec3::new(x, 5.0, height + 1.0));
        let line = Line::new(&tree, x1, x2, (0.0, 1.0)).unwrap();
        assert_eq!(in_registers(Along(&tree, &line, 1.0)), [number]);
        let (x1, x2) = (Lanes3::from_fn(|_| x1), Lanes3::from_fn(|_| x2));
        assert_eq!(in_registers(Streamed(&tree, [&x1, &x2], [0.0, 1.0])), [number]);
        assert_eq!(in_registers(Bundled(&tree, [&x1, &x2], [0.0, 1.0])).unwrap(), [number]);
    }
}

#[test]
fn the_nearest_of_items_around_a_point_is_found() {
    let places: Vec<DVec3> = (0..1000).map(|number| DVec3::X * f64::from(number)).collect();
    let tree = BoxTree::new(&boxes(&places, DVec3::splat(0.25)));
    for x in [-3.0, 0.1, 499.6, 2000.0] {
        let distance = |item: u32| (places[item as usize] - DVec3::X * x).length() - 0.25;
        let nearest = (0..1000).map(distance).fold(f64::INFINITY, f64::min);
        assert_eq!(tree.around(DVec3::X * x, f64::INFINITY, distance), nearest);
    }
}
