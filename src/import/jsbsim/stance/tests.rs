use super::*;
use crate::random::uniform;

fn feet(feet: &[([f64; 3], f64, f64)]) -> Vec<Foot> {
    let foot = |&(place, stiffness, horizontal_spring): &([f64; 3], f64, f64)| Foot {
        place: DVec3::from(place),
        spring: Spring::linear(stiffness),
        horizontal_spring,
    };
    feet.iter().map(foot).collect()
}

/// Forces and moments that are left on a vehicle that stands, over its weight and over its weight and 1 m: each foot's
/// springs, deflected so that they push straight up, at the place where the ground meets them.
fn left(feet: &[Foot], weight: f64, stance: &Stance) -> f64 {
    let (pitch, bank) = (stance.pitch(), stance.bank());
    let down = DVec3::new(-pitch.sin(), pitch.cos() * bank.sin(), pitch.cos() * bank.cos());
    let (mut force, mut moment) = (down * weight, DVec3::ZERO);
    for (foot, load) in feet.iter().zip(&stance.loads) {
        let push = -down * *load;
        // By halves: how far a strut gives way under this force.
        let (mut near, mut far) = (0.0, 10.0);
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            *(if foot.spring.at(middle).force < -push.z { &mut near } else { &mut far }) = middle;
        }
        let across = push.truncate() / foot.horizontal_spring;
        let tread = foot.place + across.extend(-near);
        force += push;
        moment += tread.cross(push);
        // On the ground, or relaxed above it.
        let height = -stance.depth(tread);
        assert!(if *load > 0.0 { height.abs() < 1e-9 } else { height >= 0.0 }, "{height} m above the ground");
    }
    force.length().max(moment.length()) / weight
}

/// Both are sums of a dozen products of lengths of metres known to 1e-10 of the weight.
const AT_REST: f64 = 1e-9;

#[test]
fn level_wheels_share_the_weight_by_their_levers_whatever_their_springs() {
    // Springs that give way alike: level. 0.4/1.6 of the weight on the nose, a determinate beam.
    let level = feet(&[([1.2, 0.0, 1.0], 2e4, 1e4), ([-0.4, -1.0, 1.0], 3e4, 5e4), ([-0.4, 1.0, 1.0], 3e4, 5e4)]);
    let stance = stance(&level, 8000.0).unwrap();
    for (found, expected) in stance.loads.iter().zip([2000.0, 3000.0, 3000.0]) {
        assert!((found - expected).abs() < 1e-9 * 8000.0, "{:?}", stance.loads);
    }
    assert!(stance.pitch().abs() < 1e-9 && stance.bank().abs() < 1e-9);
    assert!((stance.depth(DVec3::new(0.0, 0.0, 1.0)) - 0.1).abs() < 1e-9);
}

#[test]
fn a_taildragger_stands_on_levers_that_have_turned_with_it() {
    // Mains 0.4 m ahead and 1.5 m below, tail wheel 4.6 m behind and 0.3 m below.
    let cub = feet(&[([0.4, -0.9, 1.5], 3e4, 3e4), ([0.4, 0.9, 1.5], 3e4, 3e4), ([-4.6, 0.0, 0.3], 6e3, 6e3)]);
    let weight = 4000.0;
    let found = stance(&cub, weight).unwrap();
    // By halves: the pitch at which springs that push straight up, all as stiff in every direction, balance. Those on the
    // ground are then weight/stiffness deep in the vertical.
    let moment_and_tail = |pitch: f64| {
        let (sine, cosine) = pitch.sin_cos();
        let ahead_and_below = |x: f64, z: f64| (x * cosine + z * sine, z * cosine - x * sine);
        let ((main_x, main_z), (tail_x, tail_z)) = (ahead_and_below(0.4, 1.5), ahead_and_below(-4.6, 0.3));
        let height = (6e4 * main_z + 6e3 * tail_z - weight) / 6.6e4;
        let (main, tail) = (6e4 * (main_z - height), 6e3 * (tail_z - height));
        (main * main_x + tail * tail_x, tail)
    };
    let (mut low, mut high) = (0.1, 0.4);
    for _ in 0..80 {
        let middle: f64 = 0.5 * (low + high);
        *(if moment_and_tail(middle).0 > 0.0 { &mut low } else { &mut high }) = middle;
    }
    let tail = moment_and_tail(low).1;
    println!(
        "pitch {:.4} deg of {:.4}, tail {:.2} N of {tail:.2}",
        found.pitch().to_degrees(),
        low.to_degrees(),
        found.loads[2]
    );
    assert!((found.pitch() - low).abs() < 1e-9 && (found.loads[2] - tail).abs() < 1e-6 * weight);
    // Levers along the body's own axes would leave it 0.4/5 of the weight.
    assert!(tail > 1.5 * 0.08 * weight, "{tail}");
    assert!(left(&cub, weight, &found) < AT_REST);
}

#[test]
fn nothing_is_left_of_forces_and_moments_whatever_the_wheels() {
    let mut stood = 0;
    for case in 0..2000 {
        let mut drawn = 0;
        let mut between = |low: f64, high: f64| {
            drawn += 1;
            low + (high - low) * uniform(17, case, drawn)
        };
        // Up to 16 wheels around the centre of gravity; stiffness over three decades.
        let count = 3 + (between(0.0, 14.0) as usize);
        let weight = 10f64.powf(between(2.0, 6.0));
        let wheels: Vec<_> = (0..count)
            .map(|_| {
                let place = [between(-4.0, 4.0), between(-3.0, 3.0), between(0.5, 1.5)];
                let stiffness = weight * 10f64.powf(between(0.3, 3.3));
                (place, stiffness, stiffness * 10f64.powf(between(-0.5, 0.5)))
            })
            .collect();
        let wheels = feet(&wheels);
        if let Some(stance) = stance(&wheels, weight) {
            stood += 1;
            let left = left(&wheels, weight, &stance);
            assert!(left < AT_REST, "case {case}: {left} of the weight is left");
            assert!((stance.loads.iter().sum::<f64>() / weight - 1.0).abs() < 1e-9);
        }
    }
    println!("{stood} of 2000 stand");
    assert!(stood > 1000);
}

#[test]
fn struts_of_tables_are_stood_on_too() {
    let table = || Spring::table(vec![(0.0, 0.0), (0.1, 500.0), (0.15, 2000.0), (0.3, 40000.0)]).unwrap();
    let mut wheels = feet(&[([1.2, 0.0, 1.0], 1.0, 1e4), ([-0.4, -1.0, 1.2], 1.0, 5e4), ([-0.4, 1.0, 1.2], 1.0, 5e4)]);
    for wheel in &mut wheels {
        wheel.spring = table();
    }
    let stance = stance(&wheels, 8000.0).unwrap();
    println!("{:?}, pitch {:.2} deg", stance.loads, stance.pitch().to_degrees());
    assert!(left(&wheels, 8000.0, &stance) < AT_REST);
    assert!(stance.loads.iter().all(|load| *load > 500.0));
}

#[test]
fn one_spring_may_be_much_stiffer_than_another() {
    for ratio in [50.0, 1e3] {
        let wheels =
            feet(&[([2.0, 0.0, 1.2], 1e4, 1e4), ([-0.5, -1.0, 1.2], 1e4 * ratio, 1e5), ([-0.5, 1.0, 1.2], 1e4, 1e5)]);
        let stance = stance(&wheels, 1e4).unwrap();
        println!("{ratio}: {:?}, bank {:.2} deg", stance.loads, stance.bank().to_degrees());
        assert!(left(&wheels, 1e4, &stance) < AT_REST);
    }
}

#[test]
fn wheels_that_do_not_reach_the_ground_carry_nothing() {
    let mut four = vec![([1.0, 0.0, 1.0], 4e4, 4e4), ([-1.0, -1.0, 1.0], 4e4, 4e4), ([-1.0, 1.0, 1.0], 4e4, 4e4)];
    let short = stance(&feet(&four), 4000.0).unwrap();
    four.push(([-3.0, 0.0, 0.3], 4e4, 4e4));
    let long = stance(&feet(&four), 4000.0).unwrap();
    assert_eq!(long.loads[3], 0.0);
    for (found, expected) in long.loads.iter().zip(&short.loads) {
        assert!((found - expected).abs() < 1e-8 * 4000.0);
    }
}

#[test]
fn a_glider_lies_on_the_tip_of_a_wing() {
    let glider = feet(&[
        ([0.2, 0.0, 0.8], 5e4, 5e4),
        ([-4.0, 0.0, 0.5], 2e4, 2e4),
        ([0.0, -8.0, 0.2], 1e3, 1e3),
        ([0.0, 8.0, 0.2], 1e3, 1e3),
    ]);
    let stance = stance(&glider, 3000.0).unwrap();
    println!("{:?}, bank {:.2} deg", stance.loads, stance.bank().to_degrees());
    assert!(left(&glider, 3000.0, &stance) < AT_REST);
    assert!(stance.bank() > 0.05 && stance.loads[3] > 0.0 && stance.loads[2] == 0.0);
}

#[test]
fn nothing_stands_on_a_line_nor_beside_its_wheels() {
    let fallen = |feet: &[[f64; 3]]| {
        let feet: Vec<_> = feet
            .iter()
            .map(|&place| Foot { place: DVec3::from(place), spring: Spring::linear(4e4), horizontal_spring: 4e4 })
            .collect();
        assert_eq!(stance(&feet, 4000.0), None, "{feet:?}");
    };
    fallen(&[[1.0, 0.5, 1.0], [-1.0, -0.5, 1.0], [0.0, 0.0, 1.0]]);
    fallen(&[[1.0, 0.5, 1.0]]);
    fallen(&[[0.0, 0.0, 1.0]]);
    fallen(&[[1.0, 0.0, 1.0], [0.1, -1.0, 1.0], [0.1, 1.0, 1.0]]);
}
