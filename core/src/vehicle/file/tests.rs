use std::fmt::Write;

use proptest::prelude::*;

use super::*;

/// The least that a vehicle file may say.
const MIN: &str = "\
name = 'sled'
mass = 1000
[inertia]
xx = 1000
yy = 2000
zz = 2500
[wheels.skid]
position = [0, 0, 1]
k_xy = -20000
k_z = -40000
d_xy = 0
d_z = -3500
z_min = 0.35
z_zero = 0.7
z_max = 0.7
main = true
[approach]
airspeed = 12
sink_rate = 0.5
";

const WHEEL: &str = "k_xy = -20000\nk_z = -40000\nd_xy = 0\nd_z = -3500\nz_min = 0.35\nz_zero = 0.7\nz_max = 0.8\n";

const AERODYNAMICS: &str =
    "[aerodynamics]\narea = 16\nspan = 11\nchord = 1.5\nangle_limit_deg = 18\nsurface_limit_deg = 90\n";

fn read(text: &str) -> Result<Vehicle, DocumentError> {
    Vehicle::from_document(&Document::parse("vehicle.toml", text).unwrap())
}

fn skid_parameters() -> WheelParameters {
    WheelParameters {
        k_xy: -20_000.0,
        k_z: -40_000.0,
        d_xy: 0.0,
        d_z: -3500.0,
        z_min: 0.35,
        z_zero: 0.7,
        z_max: 0.7,
        rolling_resistance: 0.0,
        clamp_to_max_force: false,
        ..WheelParameters::PLAIN
    }
}

fn sled() -> Vehicle {
    Vehicle {
        name: "sled".to_owned(),
        mass: 1000.0,
        inertia: Inertia { xx: 1000.0, yy: 2000.0, zz: 2500.0, xy: 0.0, xz: 0.0, yz: 0.0 },
        wheels: vec![Wheel {
            name: "skid".to_owned(),
            position: DVec3::new(0.0, 0.0, 1.0),
            parameters: skid_parameters(),
            main: true,
            brake: 0.0,
            brake_friction: 0.0,
            steering: 0.0,
            friction: None,
        }],
        structure: Vec::new(),
        aerodynamics: None,
        airframe: None,
        thrust: Thrust { idle: 0.0, reverse: 0.0, reverse_cutoff: 0.0, line: 0.0 },
        pilot: Pilot {
            derotation_rate: Unit::AngularRate.parse("2 deg/s").unwrap(),
            pitch_gain: 1.0,
            pitch_damping: 0.5,
            bank_gain: 1.0,
            roll_damping: 0.3,
            spoiler_delay: 0.5,
            brake_delay: 1.0,
            brake_level: 0.5,
            target_deceleration: 0.0,
            anti_skid: 0.0,
            reverse_delay: 1.0,
            lateral_gain: 0.01,
            heading_gain: 2.0,
            yaw_damping: 1.0,
            full_steering_speed: 5.0,
        },
        approach: Approach { airspeed: 12.0, sink_rate: 0.5, pitch: 0.0, start_distance: 0.0, height: 0.3 },
        autoland: None,
        flare: None,
        ground_reactions: GroundReactions::Pebble,
    }
}

#[test]
fn everything_optional_has_its_default() {
    assert_eq!(read(MIN).unwrap(), sled());
    assert_eq!(read(&format!("{MIN}[pilot]\n[thrust]\n[structure]\n")).unwrap(), sled());
}

#[test]
fn aerodynamics_without_derivatives_push_nothing() {
    let aerodynamics = read(&format!("{MIN}{AERODYNAMICS}")).unwrap().aerodynamics.unwrap();
    assert_eq!((aerodynamics.area, aerodynamics.span, aerodynamics.chord), (16.0, 11.0, 1.5));
    assert_eq!((aerodynamics.angle_limit, aerodynamics.surface_limit), (18.0 * PI / 180.0, FRAC_PI_2));
    let air = super::super::AirState {
        velocity: DVec3::new(40.0, 3.0, 5.0),
        rate: DVec3::new(0.1, 0.2, 0.3),
        density: 1.2,
        wing_height: 1.0,
    };
    let surfaces = super::super::Surfaces { elevator: 0.1, aileron: 0.1, rudder: 0.1, spoilers: 1.0 };
    let (force, moment) = aerodynamics.force_and_moment(&air, &surfaces);
    assert_eq!((force.length(), moment.length()), (0.0, 0.0));
    assert!(aerodynamics.ground_effect && aerodynamics.wing_height == 0.0);
    let without = read(&format!("{MIN}{AERODYNAMICS}ground_effect = false\n")).unwrap().aerodynamics.unwrap();
    assert!(!without.ground_effect);
}

#[test]
fn wheels_and_structure_keep_the_order_of_the_file_and_have_all_their_fields() {
    let text = format!(
        "clamp_to_max_force = true\n{MIN}[wheels.nose]\nposition = ['4 ft', 0, 1]\n{WHEEL}\
         rolling_resistance = 0.02\nbrake = '3 kN'\nsteering_deg = 30\n\
         [wheels.left]\nposition = [0, -1, 1]\n{WHEEL}locked = true\n\
         [wheels.a]\nposition = [0, 1, 1]\n{WHEEL}locked = false\n\
         [wheels.b]\nposition = [0, 2, 1]\n{WHEEL}brake_friction = '40 %'\ncaster = true\n\
         [structure.tail]\nposition = [-4, 0, 0]\n[structure.nose]\nposition = [2, 0, 0]\n"
    );
    let vehicle = read(&text).unwrap();
    let names: Vec<_> = vehicle.wheels.iter().map(|wheel| wheel.name.as_str()).collect();
    assert_eq!(names, ["skid", "nose", "left", "a", "b"]);
    assert!(vehicle.wheels.iter().all(|wheel| wheel.parameters.clamp_to_max_force));
    let nose = Wheel {
        name: "nose".to_owned(),
        position: DVec3::new(1.2192, 0.0, 1.0),
        parameters: WheelParameters {
            z_max: 0.8,
            rolling_resistance: 0.02,
            clamp_to_max_force: true,
            ..skid_parameters()
        },
        main: false,
        brake: 3000.0,
        brake_friction: 0.0,
        steering: 30.0 * PI / 180.0,
        friction: None,
    };
    assert_eq!(vehicle.wheels[1], nose);
    let brakes: Vec<_> = vehicle.wheels[2..].iter().map(|wheel| (wheel.brake, wheel.brake_friction)).collect();
    assert_eq!(brakes, [(f64::INFINITY, 0.0), (0.0, 0.0), (0.0, 0.4)]);
    assert!(vehicle.wheels.iter().all(|wheel| wheel.parameters.caster == (wheel.name == "b")));
    let points: Vec<_> = vehicle.structure.iter().map(|point| (point.name.as_str(), point.position.x)).collect();
    assert_eq!(points, [("tail", -4.0), ("nose", 2.0)]);
}

#[test]
fn what_a_wheel_is_said_not_to_be_excludes_nothing() {
    let wheels = |keys: &str| {
        let nose = format!("[wheels.nose]\nposition = [1, 0, 1]\n{WHEEL}{keys}\n");
        read(&format!("{MIN}{nose}")).unwrap().wheels
    };
    assert_eq!(wheels("caster = false\nsteering_deg = 30"), wheels("steering_deg = 30"));
    for brake in ["brake = '3 kN'", "brake_friction = 0.4"] {
        assert_eq!(wheels(&format!("locked = false\n{brake}")), wheels(brake));
    }
}

/// Each key of a table is given a value of its own; the debug text of the struct that is read must show it beside the
/// field of the same name. Two fields read from each other's key cannot pass.
fn assert_keys_reach_their_fields(header: &str, shown: impl Fn(&Vehicle) -> String, keys: &[&str]) {
    for (index, key) in keys.iter().enumerate() {
        let value = (index as f64 + 1.0) / 64.0;
        let vehicle = read(&format!("{MIN}{header}\n{key} = {value}\n")).unwrap();
        let shown = shown(&vehicle);
        assert!(shown.contains(&format!(" {key}: {value}")), "{key} = {value} gives {shown}");
    }
}

#[test]
fn every_key_of_the_tables_reaches_its_own_field() {
    let derivatives = [
        "wing_height",
        "lift_zero",
        "lift_alpha",
        "lift_pitch_rate",
        "lift_elevator",
        "drag_zero",
        "drag_induced",
        "spoiler_lift",
        "spoiler_drag",
        "side_beta",
        "side_rudder",
        "roll_beta",
        "roll_roll_rate",
        "roll_yaw_rate",
        "roll_aileron",
        "roll_rudder",
        "pitch_zero",
        "pitch_alpha",
        "pitch_pitch_rate",
        "pitch_elevator",
        "yaw_beta",
        "yaw_roll_rate",
        "yaw_yaw_rate",
        "yaw_aileron",
        "yaw_rudder",
    ];
    assert_keys_reach_their_fields(AERODYNAMICS, |vehicle| format!("{:?}", vehicle.aerodynamics), &derivatives);
    let pilot = [
        "derotation_rate",
        "pitch_gain",
        "pitch_damping",
        "bank_gain",
        "roll_damping",
        "spoiler_delay",
        "brake_delay",
        "brake_level",
        "target_deceleration",
        "anti_skid",
        "reverse_delay",
        "lateral_gain",
        "heading_gain",
        "yaw_damping",
        "full_steering_speed",
    ];
    assert_keys_reach_their_fields("[pilot]", |vehicle| format!("{:?}", vehicle.pilot), &pilot);
    let thrust = ["idle", "reverse", "reverse_cutoff", "line"];
    assert_keys_reach_their_fields("[thrust]", |vehicle| format!("{:?}", vehicle.thrust), &thrust);
    // [approach] comes last in the least file.
    let approach = ["pitch", "start_distance", "height"];
    assert_keys_reach_their_fields("", |vehicle| format!("{:?}", vehicle.approach), &approach);
    let products = MIN.replace("zz = 2500", "zz = 2500\nxy = 1\nxz = '2 kg m2'\nyz = 3");
    let inertia = Inertia { xy: 1.0, xz: 2.0, yz: 3.0, ..sled().inertia };
    assert_eq!(read(&products).unwrap().inertia, inertia);
}

#[test]
fn what_a_damper_of_rebound_leaves_out_is_that_of_compression() {
    let parameters = |more: &str| {
        let vehicle = read(&MIN.replacen("d_z = -3500", &format!("d_z = -3500\n{more}"), 1)).unwrap();
        vehicle.wheels[0].parameters
    };
    let rebound = |linear, square| Some(Damper { linear, square });
    let square = WheelParameters { d_z_square: -20.0, ..skid_parameters() };
    assert_eq!(parameters("d_z_square = -20"), square);
    let found = parameters("d_z_square = -20\nd_z_rebound = '-1 kN s/m'");
    assert_eq!(found, WheelParameters { rebound: rebound(-1000.0, -20.0), ..square });
    assert_eq!(found.rebound_damper(), Damper { linear: -1000.0, square: -20.0 });
    let found = parameters("d_z_square_rebound = -7");
    assert_eq!(found, WheelParameters { rebound: rebound(-3500.0, -7.0), ..skid_parameters() });
    assert_eq!(skid_parameters().rebound_damper(), Damper { linear: -3500.0, square: 0.0 });
}

#[test]
fn a_tyre_is_one_that_is_not_flattened_unless_the_file_says_more() {
    let tyre = |text: &str| {
        let vehicle = read(&MIN.replacen("main = true", &format!("main = true\ntyre = {text}"), 1)).unwrap();
        vehicle.wheels[0].parameters.tyre
    };
    assert_eq!(tyre("{ width = '16 in' }"), Some(Tyre { width: 0.4064, deflection: 0.0, count: 1 }));
    let twins = tyre("{ width = 0.3, deflection = '3 cm', count = 2 }");
    assert_eq!(twins, Some(Tyre { width: 0.3, deflection: 0.03, count: 2 }));
}

#[test]
fn a_strut_stands_in_place_of_the_vertical_spring() {
    let text = MIN.replacen("k_z = -40000", "strut = [[0, '1 kN'], ['10 cm', 2e3], [0.3, 12e3]]", 1);
    let parameters = read(&text).unwrap().wheels[0].parameters;
    let strut = Strut::new(&[(0.0, 1e3), (0.1, 2e3), (0.3, 12e3)]).unwrap();
    assert_eq!(parameters, WheelParameters { k_z: 0.0, strut: Some(strut), ..skid_parameters() });
    assert_eq!(parameters.greatest_stiffness(), strut.greatest_slope());
}

#[test]
fn json_gives_the_same_vehicle() {
    let json = r#"{
        "name": "sled", "mass": 1000, "inertia": { "xx": 1000, "yy": 2000, "zz": 2500 },
        "wheels": { "skid": {
            "position": [0, 0, 1], "k_xy": -20000, "k_z": -40000, "d_xy": 0, "d_z": -3500,
            "z_min": 0.35, "z_zero": 0.7, "z_max": 0.7, "main": true
        } },
        "approach": { "airspeed": 12, "sink_rate": 0.5 }
    }"#;
    let document = Document::parse("vehicle.json", json).unwrap();
    assert_eq!(Vehicle::from_document(&document).unwrap(), sled());
}

#[test]
fn wheel_files_have_their_parameters_at_the_top() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wheel.toml");
    std::fs::write(&path, WHEEL).unwrap();
    let parameters = WheelParameters { z_max: 0.8, ..skid_parameters() };
    assert_eq!(read_wheel(&path).unwrap(), parameters);

    let more = format!("{WHEEL}rolling_resistance = '2 %'\nclamp_to_max_force = true\n");
    let wheel = wheel_from_document(&Document::parse("wheel.toml", &more).unwrap()).unwrap();
    assert_eq!(wheel, WheelParameters { rolling_resistance: 0.02, clamp_to_max_force: true, ..parameters });

    std::fs::write(&path, format!("{WHEEL}position = [0, 0, 0]\n")).unwrap();
    let refusal = read_wheel(&path).unwrap_err().to_string();
    assert!(refusal.contains("wheel.toml:8:1: unknown key `position`"), "{refusal}");
}

/// A line of the least file, what it is replaced by, the place of the error and what the message says.
const BAD: &[(&str, &str, &str, &str)] = &[
    ("name = 'sled'", "", "1:1", "key `name` is missing"),
    ("name = 'sled'", "name = 3", "1:8", "must be a string"),
    ("mass = 1000", "mass = 0", "2:8", "must be above 0 kg"),
    ("mass = 1000", "mass = '-3 lb'", "2:8", "must be above 0 kg"),
    ("mass = 1000", "mas = 1000", "1:1", "key `mass` is missing; is `mas` a misspelling of it?"),
    ("mass = 1000", "mass = 1000\nlength = 7", "3:1", "unknown key `length`"),
    ("xx = 1000", "xx = -1", "4:6", "must be above 0 kg m2"),
    ("xx = 1000", "xx = 5000", "3:1", "no body has this inertia: xx = 5000 is above yy + zz = 4500"),
    ("yy = 2000", "yy = 3501", "3:1", "yy = 3501 is above xx + zz = 3500"),
    ("zz = 2500", "zz = 3001", "3:1", "zz = 3001 is above xx + yy = 3000"),
    ("zz = 2500", "zz = 2500\nxy = 1500", "3:1", "the product xy = 1500 is too large"),
    ("zz = 2500", "zz = 2500\nxz = 1600", "3:1", "must be positive definite"),
    ("[wheels.skid]", "[wheels]\n[wheel.skid]", "7:1", "at least one wheel is required"),
    ("main = true", "main = false", "7:2", "at least one wheel must have `main = true`"),
    ("main = true", "main = 1", "16:8", "must be true or false"),
    ("main = true", "main = true\nbrake = -1", "17:9", "must be at least 0 N"),
    ("main = true", "main = true\nbrake = inf", "17:9", "must be finite"),
    ("main = true", "main = true\nbrake = 1\nlocked = true", "18:10", "`brake` and `locked` cannot stand together"),
    ("main = true", "main = true\nbrake_friction = -1", "17:18", "must be at least 0"),
    (
        "main = true",
        "main = true\nbrake_friction = 1\nbrake = 1",
        "17:18",
        "`brake` and `brake_friction` cannot stand together",
    ),
    (
        "main = true",
        "main = true\nbrake_friction = 1\nlocked = true",
        "18:10",
        "`brake_friction` and `locked` cannot stand together",
    ),
    ("main = true", "main = true\nsteering_deg = -1", "17:16", "must be from 0 to 90 deg"),
    ("main = true", "main = true\nsteering_deg = 91", "17:16", "must be from 0 to 90 deg"),
    ("main = true", "main = true\nrolling_resistance = -1", "17:22", "must be at least 0"),
    ("main = true", "main = true\ncaster = 1", "17:10", "must be true or false"),
    (
        "main = true",
        "main = true\ncaster = true\nsteering_deg = 1",
        "17:10",
        "`caster` and `steering_deg` cannot stand together",
    ),
    ("main = true", "main = true\ntyre = 1", "17:8", "must be a table"),
    ("main = true", "main = true\ntyre = { count = 2 }", "17:8", "key `width` is missing"),
    ("main = true", "main = true\ntyre = { width = 0 }", "17:18", "must be above 0 m"),
    ("main = true", "main = true\ntyre = { width = 1, count = 0 }", "17:29", "must be from 1 to 16"),
    ("main = true", "main = true\ntyre = { width = 1, depth = 0 }", "17:21", "unknown key `depth`"),
    ("main = true", "main = true\nclamp_to_max_force = true", "17:1", "unknown key `clamp_to_max_force`"),
    ("position = [0, 0, 1]", "position = [0, 1]", "8:12", "must be an array of three numbers"),
    ("k_xy = -20000", "k_xy = 0", "9:8", "must be below 0 N/m"),
    ("k_z = -40000", "k_z = 40000", "10:7", "must be below 0 N/m"),
    ("k_z = -40000", "", "7:1", "one of `k_z`, `strut` is required"),
    ("k_z = -40000", "k_z = -1\nstrut = [[0, 0], [1, 1]]", "7:1", "`k_z`, `strut` cannot stand together"),
    ("k_z = -40000", "strut = [[0, 0]]", "10:9", "must have 2 to 16 pairs [compression, force]"),
    ("k_z = -40000", "strut = [[0, 0], [1]]", "10:18", "must be a pair [compression, force]"),
    ("k_z = -40000", "strut = [[0, 0], [0.1, '1 m']]", "10:24", "kN"),
    (
        "k_z = -40000",
        "strut = [[0, 0], [0.1, 9], [0.2, 8]]",
        "10:28",
        "must not be below 9 N, the force of the row before",
    ),
    ("k_z = -40000", "strut = [[0.1, 0], [0.2, 9]]", "10:10", "must be at compression 0"),
    ("d_xy = 0", "d_xy = 1", "11:8", "must be at most 0 N s/m"),
    ("d_z = -3500", "d_z = '1 kg'", "12:7", "N s/m"),
    ("d_z = -3500", "d_z = -3500\nd_z_square = 1", "13:14", "must be at most 0 N s2/m2"),
    ("d_z = -3500", "d_z = -3500\nd_z_square = '1 N s/m'", "13:14", "lbf s2/ft2"),
    ("d_z = -3500", "d_z = -3500\nd_z_rebound = 1", "13:15", "must be at most 0 N s/m"),
    ("d_z = -3500", "d_z = -3500\nd_z_square_rebound = 1", "13:22", "must be at most 0 N s2/m2"),
    ("z_zero = 0.7", "z_zero = 0.35", "14:10", "0.35 is not allowed: must be above z_min = 0.35 m"),
    ("z_max = 0.7", "z_max = 0.69", "15:9", "must be at least z_zero = 0.7 m"),
    ("airspeed = 12", "airspeed = -1", "18:12", "must be at least 0 m/s"),
    ("sink_rate = 0.5", "", "17:1", "key `sink_rate` is missing"),
    ("sink_rate = 0.5", "sink_rate = -1", "19:13", "must be at least 0 m/s"),
    ("sink_rate = 0.5", "sink_rate = 1\nheight = -1", "20:10", "must be at least 0 m"),
    ("sink_rate = 0.5", "sink_rate = 1\n[pilot]\nbrake_level = 1.5", "21:15", "must be from 0 to 1"),
    ("sink_rate = 0.5", "sink_rate = 1\n[pilot]\nbrake_delay = -1", "21:15", "must be at least 0 s"),
    ("sink_rate = 0.5", "sink_rate = 1\n[pilot]\npitch_gain = -1", "21:14", "must be at least 0"),
    ("sink_rate = 0.5", "sink_rate = 1\n[pilot]\nbank_gain = -1", "21:13", "must be at least 0"),
    ("sink_rate = 0.5", "sink_rate = 1\n[pilot]\nheading_gain = -0.1", "21:16", "must be at least 0"),
    ("sink_rate = 0.5", "sink_rate = 1\n[pilot]\nyaw_damping = -0.1", "21:15", "must be at least 0"),
    ("sink_rate = 0.5", "sink_rate = 1\n[pilot]\nanti_skid = 2", "21:13", "must be from 0 to 1"),
    ("sink_rate = 0.5", "sink_rate = 1\n[pilot]\ngain = 2", "21:1", "unknown key `gain`"),
    ("sink_rate = 0.5", "sink_rate = 1\n[thrust]\nreverse = -1", "21:11", "must be at least 0 N"),
    ("sink_rate = 0.5", "sink_rate = 1\n[structure]\ntail = [1, 2, 3]", "21:8", "must be a table"),
    ("sink_rate = 0.5", "sink_rate = 1\n[aerodynamics]\narea = 1\nspan = 0", "22:8", "must be above 0 m"),
    (
        "sink_rate = 0.5",
        "sink_rate = 1\n[aerodynamics]\narea = 1\nspan = 1\nchord = 1\nground_effect = 1",
        "24:17",
        "must be true or false",
    ),
    (
        "sink_rate = 0.5",
        "sink_rate = 1\n[flare]\nairspeed = 30",
        "20:1",
        "without [aerodynamics] or [airframe] cannot flare",
    ),
    (
        "sink_rate = 0.5",
        "sink_rate = 1\n[aerodynamics]\narea = 1\nspan = 1\nchord = 1\nangle_limit_deg = 0",
        "24:19",
        "must be above 0 and at most 90 deg",
    ),
];

#[test]
fn bad_files_are_refused_where_they_are_bad() {
    for (line, bad, place, message) in BAD {
        assert!(MIN.contains(line), "{line}");
        let refusal = read(&MIN.replacen(line, bad, 1)).unwrap_err().to_string();
        assert!(refusal.starts_with(&format!("vehicle.toml:{place}: ")), "{bad}: {refusal}, expected at {place}");
        assert!(refusal.contains(message), "{bad}: {refusal}, expected {message}");
    }
}

#[test]
fn wheels_above_the_centre_of_gravity_are_warned_of() {
    let with = |rest: &str| read(&format!("{MIN}[wheels.tip]\n{rest}\n{WHEEL}")).unwrap().warnings(0.001);
    let tip = |z: f64| with(&format!("position = [0, 5, {z}]"));
    // Its foot is 0.8 m below its position.
    assert!(tip(-0.7).is_empty());
    let warnings = tip(-1.3);
    assert!(warnings.len() == 1 && warnings[0].contains("wheels.tip: its foot is 0.500 m above"), "{warnings:?}");
    assert!(!warnings[0].contains("main wheel"), "{warnings:?}");
    let warnings = with("position = [0, 5, -1.3]\nmain = true");
    assert!(
        warnings.len() == 1 && warnings[0].contains("nothing stands on it though it is a main wheel"),
        "{warnings:?}"
    );
}

#[test]
fn wheels_and_points_are_counted() {
    let more = |parts: &str, count: usize, text: &str| {
        let mut file = MIN.to_owned();
        for number in 0..count {
            write!(file, "[{parts}.p{number}]\nposition = [0, 0, 0]\n{text}").unwrap();
        }
        read(&file)
    };
    assert_eq!(more("wheels", MAX_WHEELS - 1, WHEEL).unwrap().wheels.len(), MAX_WHEELS);
    assert_eq!(more("structure", MAX_STRUCTURE, "").unwrap().structure.len(), MAX_STRUCTURE);
    let wheels = more("wheels", MAX_WHEELS, WHEEL).unwrap_err().to_string();
    assert!(wheels.contains("wheels.p15: 17 wheels are not allowed: at most 16"), "{wheels}");
    let points = more("structure", MAX_STRUCTURE + 1, "").unwrap_err().to_string();
    assert!(points.contains("structure.p64: 65 structural points are not allowed: at most 64"), "{points}");
}

proptest! {
    #[test]
    fn no_body_made_of_points_is_refused(
        points in proptest::collection::vec((0.1..5.0_f64, proptest::array::uniform3(-3.0..3.0_f64)), 4..12),
    ) {
        let sum = |of: fn([f64; 3]) -> f64| points.iter().map(|&(mass, place)| mass * of(place)).sum::<f64>();
        let inertia = Inertia {
            xx: sum(|[_, y, z]| y * y + z * z),
            yy: sum(|[x, _, z]| x * x + z * z),
            zz: sum(|[x, y, _]| x * x + y * y),
            xy: sum(|[x, y, _]| x * y),
            xz: sum(|[x, _, z]| x * z),
            yz: sum(|[_, y, z]| y * z),
        };
        prop_assert_eq!(inertia.defect(), None);
    }
}
