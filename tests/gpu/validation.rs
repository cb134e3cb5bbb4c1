//! Judging engines item by item: what f32 may do passes, faults do not.
//!
//! `TOUCHDOWN_TEST_SEED` changes the random scenes and rays, `TOUCHDOWN_ADAPTER` names the adapter.

use crate::support::gpu;
use crate::support::random::{Random, test_seed};
use crate::support::random_scene::{random_ray, random_shape, scene_of};
use crate::support::single::{Fault, Loose, Real, Single, inside};
use glam::{DMat3, DVec3};
use touchdown::document::Document;
use touchdown::engine::Engine;
use touchdown::query::{EntryPoint, Ray, RayStatus};
use touchdown::reference::{Reference, Tracer};
use touchdown::scene::{
    Affine, Capsule, Cone, Cylinder, HalfSpace, Interval, Leaf, MaterialId, Scene, Shape, Solid, Sphere,
};
use touchdown::validation::{
    Agreement, Agreements, BackwardError, EntryPointJudge, Finding, RayFinding, RayItem, SceneClass, saved_items,
    validate_rays,
};

fn judge() -> Reference {
    Reference::new(0).unwrap()
}

/// Validates in all classes and prints the table.
fn validated(what: &str, candidate: &dyn Engine, items: u64) -> Vec<Agreements> {
    println!("{what}, {items} rays per class");
    println!(
        "  {:<18}{:>9}{:>9}{:>11}{:>11}{:>8}{:>14}",
        "class", "match", "within", "ambiguous", "of touch", "wrong", "error/bound"
    );
    SceneClass::ALL
        .map(|class| {
            let tally = validate_rays(&judge(), candidate, (class, test_seed()), items, &mut |_| {}).unwrap();
            let count = |verdict| tally.count(verdict);
            println!(
                "  {:<18}{:>9}{:>9}{:>11}{:>11}{:>8}{:>14.4}",
                class.name(),
                count(Agreement::Match),
                count(Agreement::WithinBound),
                tally.ambiguous_by_chance(),
                tally.ambiguous_touching(),
                count(Agreement::Wrong),
                tally.largest_ratio()
            );
            tally
        })
        .into()
}

#[test]
fn the_reference_matches_itself() {
    for tally in validated("reference", &judge(), 500) {
        assert_eq!(tally.count(Agreement::Match), 500);
        assert!(tally.passes());
    }
}

fn assert_all_pass(tallies: &[Agreements]) {
    for (tally, class) in tallies.iter().zip(SceneClass::ALL) {
        assert!(tally.passes(), "{}: {:#?}", class.name(), tally.worst());
    }
}

#[test]
fn f32_as_ieee_has_it_passes() {
    assert_all_pass(&validated("f32", &Single::<f32>::engine(Fault::None), 20_000));
}

#[test]
fn f32_as_loose_as_wgsl_allows_passes() {
    assert_all_pass(&validated("loose f32", &Single::<Loose>::engine(Fault::None), 5_000));
}

#[test]
fn the_gpu_passes() {
    assert_all_pass(&validated("gpu", &gpu::open(), 20_000));
}

/// Scenes that a fault is looked for in, of classes where each is another: one may hide what is wrong.
const SCENES: u64 = 6;

#[test]
fn faults_do_not_pass_in_any_class() {
    for fault in [Fault::NormalSign, Fault::ExitComparison, Fault::LeafLeftOut, Fault::LambdaOff] {
        let candidate = Single::<f32>::engine(fault);
        for class in SceneClass::ALL {
            let mut wrong = 0;
            let mut has_planes = false;
            for number in 0..SCENES {
                let seed = test_seed() + number;
                let scene = class.scene(seed, 0).unwrap();
                has_planes |= scene.leaves().iter().any(|leaf| matches!(leaf.solid, Solid::HalfSpace(_)));
                let tally = validate_rays(&judge(), &candidate, (class, seed), 2_000, &mut |_| {}).unwrap();
                assert_eq!(tally.passes(), tally.count(Agreement::Wrong) == 0);
                wrong += tally.count(Agreement::Wrong);
                if wrong > 0 {
                    break;
                }
            }
            println!("{fault:?} in class {}: {wrong} wrong", class.name());
            // Normals are numbers of half spaces alone.
            assert!(wrong > 0 || (fault == Fault::NormalSign && !has_planes), "{fault:?} in class {}", class.name());
        }
    }
}

/// A solid with sizes between 0.1 and 20 m within 50 m of the origin, or a plane.
fn random_solid(random: &mut Random) -> Solid {
    let center = random.in_cube(50.0);
    let size = |random: &mut Random| 10f64.powf(random.between(-1.0, 1.3));
    match random.index(9) {
        0 => Solid::HalfSpace(HalfSpace::through(random.between(0.1, 10.0) * random.direction(), center)),
        1 => Solid::Sphere(Sphere { center, radius: size(random) }),
        2 => {
            let half_angle = random.between(0.02, 1.55);
            Solid::Cone(Cone::infinite(center, random.direction(), half_angle))
        }
        3 => Solid::Cone(Cone::frustum(center, random.direction(), size(random), size(random), size(random))),
        4 => Solid::Cone(Cone::frustum(center, random.direction(), size(random), size(random), 0.0)),
        5 => {
            let to = center + size(random) * random.direction();
            Solid::Capsule(Capsule { from: center, to, radius: size(random) })
        }
        6 => {
            let base = loop {
                match random_solid(random) {
                    Solid::HalfSpace(_) | Solid::Stretched(_) => {}
                    curved => break curved,
                }
            };
            let factors = DVec3::from_array([0; 3].map(|_| 10f64.powf(random.between(-1.0, 1.0))));
            let turned = DMat3::from_quat(random.rotation()) * DMat3::from_diagonal(factors);
            base.transformed(&Affine::new(turned * DMat3::from_quat(random.rotation()), center))
        }
        kind => Solid::Cylinder(Cylinder {
            center,
            axis: random.direction(),
            radius: size(random),
            half_height: (kind == 8).then(|| size(random)),
        }),
    }
}

/// A ray about a solid: through it, from its border, or along it.
fn ray_about(random: &mut Random, solid: &Solid) -> Ray {
    let reach = 10f64.powf(random.between(-1.0, 3.5));
    let inner = match solid {
        Solid::HalfSpace(plane) => plane.normal * plane.offset / plane.normal.length_squared(),
        curved => curved.reference_point(),
    };
    // Out to the border along a random direction, where there is one.
    let outward = random.direction();
    let exit = solid.interval(&inner, &(inner + outward)).exit;
    let border = inner + outward * if exit.is_finite() { exit } else { 1.0 };
    let normal = solid.normal(border).normalize();
    let along = random.direction().cross(normal).normalize();
    let height = random.between(-1.0, 1.0) * 10f64.powf(random.between(-9.0, 0.0));
    let place = border + height * normal;
    let direction = match random.index(3) {
        0 => random.direction(),
        1 => along,
        _ => (along + random.between(-1.0, 1.0) * 10f64.powf(random.between(-7.0, -1.0)) * normal).normalize(),
    };
    let back = if random.index(3) == 0 { 0.0 } else { random.between(-0.5, 1.5) * reach };
    let x1 = place - back * direction;
    Ray { lambda1: -1.0, lambda2: 2.0, ..Ray::segment(x1, x1 + reach * direction) }
}

/// The part of an interval within a ray's range, widened by some rounding of f64.
fn part_of(ray: &Ray, inside: Interval, widened: f64) -> Interval {
    Interval { enter: inside.enter.max(ray.lambda1) - widened, exit: inside.exit.min(ray.lambda2) + widened, ..inside }
}

/// Largest displacement of a border over what it may be, found by solids that are intersected in f32.
fn largest_displacement<T: Real>(stream: u64) -> [f64; 8] {
    /// Lambdas of the judge, of magnitude 3 at most.
    const NOISE: f64 = 1e-11;
    let mut random = Random::new(test_seed(), stream);
    let mut largest = [0.0_f64; 8];
    for _ in 0..300_000 {
        let solid = random_solid(&mut random);
        let ray = ray_about(&mut random, &solid);
        let origin = random.in_cube(30.0);
        let rounding = BackwardError::new(&ray, origin);
        let found = inside::<T>(&solid, &ray, origin, 1.0);
        let found = Interval { enter: found.enter.wide(), exit: found.exit.wide(), flat: false };
        for end in [found.enter, found.exit].into_iter().filter(|end| (ray.lambda1..=ray.lambda2).contains(end)) {
            if found.is_empty() {
                continue;
            }
            let (kind, scale) = match &solid {
                Solid::HalfSpace(plane) => (0, plane.normal.length()),
                Solid::Sphere(_) => (1, 1.0),
                Solid::Cylinder(cylinder) => (2 + usize::from(cylinder.half_height.is_some()), 1.0),
                Solid::Cone(cone) => (4 + usize::from(cone.height.is_some()), 1.0),
                Solid::Capsule(_) => (6, 1.0),
                Solid::Stretched(_) => (7, 1.0),
            };
            let displacement = solid.distance(ray.at(end)).abs() / scale / rounding.at(&solid, end);
            largest[kind] = largest[kind].max(displacement);
            assert!(displacement <= 1.0, "{displacement} at {end}: {solid:?} {ray:?} {origin}");
        }
        let moved = |by: f64| solid.dilated(by).map_or(Interval::EMPTY, |solid| solid.interval(&ray.x1, &ray.x2));
        let by = rounding.over_range(&solid);
        let [small, found, large] = [(moved(-by), 0.0), (found, NOISE), (moved(by), 2.0 * NOISE)]
            .map(|(inside, widened)| part_of(&ray, inside, widened));
        let holds = |outer: &Interval, inner: &Interval| {
            inner.enter > inner.exit || (outer.enter <= inner.enter && outer.exit >= inner.exit)
        };
        assert!(holds(&found, &small), "{found:?} lacks {small:?}: {solid:?} {ray:?} {origin}");
        assert!(holds(&large, &found), "{found:?} beyond {large:?}: {solid:?} {ray:?} {origin}");
    }
    largest
}

#[test]
fn borders_in_f32_are_displaced_by_less_than_the_bound() {
    for (what, largest) in
        [("f32", largest_displacement::<f32>(1 << 40)), ("loose f32", largest_displacement::<Loose>(2 << 40))]
    {
        println!(
            "{what}: displacement over bound, plane, ball, cylinder, short cylinder, cone, short cone, capsule, stretched: {largest:.3?}"
        );
        // A bound that nothing comes near would let faults pass.
        assert!(largest.into_iter().all(|share| share > 0.1), "{what}: {largest:?}");
    }
}

/// A number in [-1, 1] that depends on nothing but the leaf.
fn whim(leaf: &Leaf) -> f64 {
    let center = match &leaf.solid {
        Solid::HalfSpace(plane) => plane.normal * plane.offset,
        curved => curved.reference_point(),
    };
    (1e3 * center.element_sum()).sin()
}

#[test]
fn borders_displaced_at_will_give_entry_points_between_those_of_the_dilated_and_the_eroded_scene() {
    const MAX: f64 = 1e-3; // m
    // Windows are wider than MAX by far; what remains is the rounding of a root that nearly vanishes.
    const NOISE: f64 = 1e-7;
    let lambda = |entry: EntryPoint| if entry.status == RayStatus::Hit { entry.lambda } else { f64::INFINITY };
    let (mut moved, mut hits) = (0, 0);
    for number in 0..500 {
        let mut random = Random::new(test_seed(), (3 << 40) + number);
        let scene = scene_of(&random_shape(&mut random, number as usize));
        let [dilated, displaced, eroded] =
            [scene.dilated(|_| MAX), scene.dilated(|leaf| MAX * whim(leaf)), scene.dilated(|_| -MAX)];
        for _ in 0..100 {
            let ray = random_ray(&mut random, &Tracer::new(&scene)).ray;
            let [first, between, last] =
                [&dilated, &displaced, &eroded].map(|scene| lambda(Tracer::new(scene).entry_point(&ray)));
            assert!(first <= between + NOISE && between <= last + NOISE, "{number}: {first} {between} {last} {ray:?}");
            hits += usize::from(between.is_finite());
            moved += usize::from(first < between && between < last);
        }
    }
    println!("{hits} hits, {moved} strictly between");
    assert!(hits > 10_000 && moved > 1_000);
}

/// Ground with a strip of other material between y = -1 and 1, and a ball beside it.
fn strip_and_ball() -> Scene {
    let strip = Shape::intersection([Shape::half_space(DVec3::Y, 1.0), Shape::half_space(DVec3::NEG_Y, 1.0)]);
    let ground = Shape::half_space(DVec3::Z, 0.0).painted(MaterialId(1), strip);
    scene_of(&Shape::union([ground, Shape::sphere(DVec3::new(10.0, 0.0, 0.0), 1.0)]))
}

/// What an answer to a ray comes to that differs from the reference's in this way.
fn judged(scene: &Scene, ray: &Ray, change: impl Fn(&mut EntryPoint)) -> (Agreement, &'static str) {
    let reference = judge();
    let truth = Tracer::new(scene).entry_point(ray);
    let mut answer = truth;
    change(&mut answer);
    let judgement = EntryPointJudge::new(&reference, scene).judge(ray, &truth, &answer).unwrap();
    (judgement.verdict, judgement.why)
}

fn down(x: f64, y: f64) -> Ray {
    Ray::segment(DVec3::new(x, y, 5.0), DVec3::new(x, y, -5.0))
}

type Change<'a> = &'a dyn Fn(&mut EntryPoint);

#[test]
fn each_way_to_be_wrong_is_told_apart() {
    use Agreement::{Match, WithinBound, Wrong};
    let (scene, ray) = (strip_and_ball(), down(0.0, 0.0));
    let wrong = |why| (Wrong, why);
    let cases: [(Change, _); 17] = [
        (&|_| {}, (Match, "")),
        // One unit in the last place of 1 is 1.2e-7.
        (&|answer| answer.lambda += 1.1e-7, (Match, "")),
        // The bound: u (10 * 5 m + 8 * 0.5 * 10 m) over 10 m is 5.4e-7.
        (&|answer| answer.lambda += 5e-7, (WithinBound, "")),
        // Over the whole range: u (10 * 5 m + 8 * 10 m) over 10 m, and the last place: 8.9e-7.
        (&|answer| answer.lambda += 1e-6, wrong("inside the scene")),
        (&|answer| answer.lambda -= 1e-6, wrong("before the scene")),
        (&|answer| answer.lambda = f64::NAN, wrong("lambda")),
        (&|answer| answer.lambda = 1.5, wrong("lambda")),
        (&|answer| answer.leaf = None, wrong("lambda")),
        (&|answer| answer.leaf = Some(2), wrong("no such leaf")),
        (&|answer| (answer.leaf, answer.normal) = (Some(1), DVec3::new(-10.0, 0.0, 0.0).normalize()), {
            wrong("far from the leaf's border")
        }),
        (&|answer| answer.normal = DVec3::NEG_Z, wrong("normal")),
        (&|answer| answer.normal.x = f64::NAN, wrong("normal")),
        (&|answer| answer.material = Some(MaterialId(0)), wrong("material")),
        (&|answer| answer.material = None, wrong("material")),
        (&|answer| answer.material = Some(MaterialId(99)), wrong("no such material")),
        (&|answer| *answer = EntryPoint::none(RayStatus::Miss), wrong("a hit is missed")),
        (&|answer| *answer = EntryPoint::none(RayStatus::NotConverged), wrong("status")),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        assert_eq!(judged(&scene, &ray, change), expected, "case {number}");
    }
    let above = Ray::segment(DVec3::new(0.0, 0.0, 5.0), DVec3::new(0.0, 0.0, 1.0));
    let ground = |answer: &mut EntryPoint| {
        let material = Some(MaterialId(1));
        *answer = EntryPoint { status: RayStatus::Hit, lambda: 1.0, normal: DVec3::Z, leaf: Some(0), material };
    };
    assert_eq!(judged(&scene, &above, ground), wrong("a miss is hit"));
    let backwards = Ray { lambda1: 1.0, lambda2: 0.0, ..ray };
    assert_eq!(judged(&scene, &backwards, |_| {}), (Match, ""));
    assert_eq!(judged(&scene, &backwards, ground), wrong("status"));
}

#[test]
fn what_rounding_may_decide_is_ambiguous_and_nothing_beside_it() {
    use Agreement::{Ambiguous, Wrong};
    let scene = strip_and_ball();
    let miss = |answer: &mut EntryPoint| *answer = EntryPoint::none(RayStatus::Miss);
    // Past the top of the ball, within and beyond the rounding of coordinates of 10 m.
    let over_ball = |height: f64| {
        let (x, z) = (DVec3::X, DVec3::new(10.0, 0.0, 1.0 + height));
        Ray::segment(z - 5.0 * x, z + 5.0 * x)
    };
    assert_eq!(judged(&scene, &over_ball(-1e-7), miss), (Ambiguous, "near a border"));
    assert_eq!(judged(&scene, &over_ball(-1e-3), miss), (Wrong, "a hit is missed"));

    let grass = |answer: &mut EntryPoint| answer.material = Some(MaterialId(0));
    assert_eq!(judged(&scene, &down(0.0, 1.0 - 1e-8), grass), (Ambiguous, "material, near a region's border"));
    assert_eq!(judged(&scene, &down(0.0, 1.0 - 1e-4), grass).0, Wrong);

    // From the top of the ball and from the ground. Numbers near 0 are as exact as any, so there a border is far soon.
    let up = |x: f64, z: f64| Ray::segment(DVec3::new(x, 0.0, z), DVec3::new(13.0, 0.0, 2.0));
    let from = |leaf: u32| {
        move |answer: &mut EntryPoint| (answer.leaf, answer.normal, answer.lambda) = (Some(leaf), DVec3::Z, 0.0)
    };
    assert_eq!(judged(&scene, &up(10.0, 1.0 - 1e-7), from(1)), (Ambiguous, "near a border"));
    assert_eq!(judged(&scene, &up(10.0, 1.0 - 1e-4), from(1)), (Wrong, "far from the leaf's border"));
    assert_eq!(judged(&scene, &up(0.0, -1e-15), from(0)), (Ambiguous, "near a border"));
    assert_eq!(judged(&scene, &up(0.0, -1e-8), from(0)), (Wrong, "far from the leaf's border"));
    // What speaks for a start inside is decided by borders alone; far from them its material is certain.
    assert_eq!(judged(&scene, &up(0.0, -1e-4), grass), (Wrong, "material"));

    // Into the crease between ball and ground either may be met.
    let crease = Ray::segment(DVec3::new(9.0 - 1e-9, 0.0, 5.0), DVec3::new(9.0 - 1e-9, 0.0, -5.0));
    let ball = |answer: &mut EntryPoint| (answer.leaf, answer.normal) = (Some(1), DVec3::NEG_X);
    let of_ball = |answer: &mut EntryPoint| {
        ball(answer);
        answer.material = Some(MaterialId(0));
    };
    assert_eq!(judged(&scene, &crease, of_ball), (Ambiguous, "near a border"));
    assert_eq!(judged(&scene, &crease, ball), (Wrong, "material"));
}

/// Findings about an answer that is no answer, and one that is.
fn findings() -> Vec<RayFinding> {
    let class = SceneClass::NestedDifference;
    let scene = class.scene(7, 2).unwrap();
    let ray =
        Ray { lambda1: -0.1, lambda2: 1.0 / 3.0, ..Ray::segment(DVec3::splat(0.1), DVec3::new(-9.7, 1e-300, 3.0)) };
    let item = RayItem { class, seed: u64::MAX, number: 2 * class.items_per_scene() + 5, made_to_touch: true, ray };
    let truth = Tracer::new(&scene).entry_point(&ray);
    let reference = judge();
    [truth, EntryPoint { status: RayStatus::Hit, lambda: f64::NAN, ..truth }]
        .map(|answer| {
            let judgement = EntryPointJudge::new(&reference, &scene).judge(&ray, &truth, &answer).unwrap();
            RayFinding { item, truth, answer, judgement }
        })
        .into()
}

#[test]
fn saved_findings_give_back_their_items_bit_for_bit() {
    let findings: Vec<Finding> = findings().into_iter().map(Finding::from).collect();
    let json = Finding::to_json(&findings, &judge().identity());
    let saved = saved_items(&Document::parse("findings.json", &json).unwrap()).unwrap();
    for (finding, (item, verdict)) in findings.iter().zip(&saved) {
        assert_eq!((item.as_ref(), *verdict), (finding.item.as_ref(), finding.verdict));
    }
    assert_eq!(saved.len(), findings.len());
    assert_eq!(saved.iter().map(|(_, verdict)| *verdict).collect::<Vec<_>>(), [Agreement::Match, Agreement::Wrong]);
    assert_eq!(self::findings()[0].item.variant(), 2);
}

#[test]
fn a_tally_fails_by_one_wrong_item_or_by_more_ambiguous_ones_than_one_in_a_thousand() {
    let finding = |verdict, made_to_touch| {
        let mut finding = findings().remove(0);
        finding.item.made_to_touch = made_to_touch;
        finding.judgement.verdict = verdict;
        Finding::from(finding)
    };
    let [matching, ambiguous, touching, wrong] = [
        finding(Agreement::Match, false),
        finding(Agreement::Ambiguous, false),
        finding(Agreement::Ambiguous, true),
        finding(Agreement::Wrong, true),
    ];
    let mut tally = Agreements::default();
    // Of 2000 with a probability of one in a thousand, 13 are seen once in five million times, and 12 more often than once in a
    // million.
    (0..1988).for_each(|_| tally.add(matching.clone()));
    (0..12).for_each(|_| tally.add(ambiguous.clone()));
    (0..50).for_each(|_| tally.add(touching.clone()));
    assert!(tally.passes());
    let mut doubtful = tally.clone();
    doubtful.add(ambiguous);
    assert!(!doubtful.passes());
    (0..200).for_each(|_| tally.add(wrong.clone()));
    assert!(!tally.passes());
    assert_eq!((tally.count(Agreement::Wrong), tally.wrong().len(), tally.items()), (200, 100, 2250));
    assert_eq!(tally.worst().unwrap().verdict, Agreement::Wrong);
}

#[test]
fn items_depend_on_seed_and_number_alone() {
    let validate = |seed, items| {
        validate_rays(
            &judge(),
            &Single::<f32>::engine(Fault::NormalSign),
            (SceneClass::House, seed),
            items,
            &mut |_| {},
        )
        .unwrap()
        .wrong()
        .iter()
        .map(|finding| finding.item.to_string() + &format!("{:?}", finding.item))
        .collect::<Vec<_>>()
    };
    let (few, many) = (validate(3, 50), validate(3, 100));
    assert!(few.len() > 10 && many.len() > few.len() && many.starts_with(&few));
    assert_ne!(few, validate(4, 50));
}
