//! `touchdown vehicle` as it is called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use touchdown::table::{ColumnKind, TableReader, Wanted};

fn vehicle(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.arg("vehicle").args(arguments).current_dir(directory).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// An aircraft with drag, lift of a table that grows with the flap, and a moment of the elevator.
const AIRCRAFT: &str = include_str!("../data/jsbsim/aircraft/wing.xml");

const STATES: &str = "u,v,w,p,q,r,height,air_density,speed_of_sound,mass,fcs/elevator-pos-rad,fcs/flap-pos-norm";

#[test]
fn loads_are_those_of_the_functions_by_hand() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("least.xml"), AIRCRAFT).unwrap();
    fs::write(at("in.csv"), format!("{STATES}\n50,0,5,0,0,0,100,1.2,340,1000,0.1,0.5\n")).unwrap();
    let arguments = ["loads", "least.xml", "--states", "in.csv", "--out", "out.csv", "--functions"];
    for engine in ["reference", "native"] {
        let output = vehicle(directory.path(), &[&arguments[..], &["--engine", engine]].concat());
        assert!(output.status.success(), "{}", errors(&output));
        let names = ["fx", "fy", "fz", "l", "m", "n", "lift"].map(|name| Wanted::required(name, ColumnKind::Number));
        let chunk = TableReader::open(&at("out.csv"), &names).unwrap().next().unwrap().unwrap();
        let found: Vec<f64> = (0..7).map(|column| chunk.numbers(column).unwrap()[0].unwrap()).collect();
        let foot = 0.3048_f64;
        let pressure = 0.6 * (50.0_f64 * 50.0 + 5.0 * 5.0) * 200.0 * foot * foot;
        let alpha = 5.0_f64.atan2(50.0);
        let lift_coefficient = alpha / 0.2 + 0.5;
        // Induced drag is of the lift of the state itself.
        let [lift, drag] =
            [lift_coefficient, 0.03 + 0.05 * lift_coefficient * lift_coefficient].map(|of| of * pressure);
        let (sine, cosine) = alpha.sin_cos();
        let pound = 4.448_221_615_260_5;
        let expected = [
            lift * sine - drag * cosine,
            0.0,
            -lift * cosine - drag * sine,
            0.0,
            -0.15 * 6.0 * foot * pressure,
            0.0,
            lift / pound,
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-9 * pressure, "{engine}: {found} instead of {expected}");
        }
    }
    let shown = vehicle(directory.path(), &["show", "least.xml", "--curves", "curves.svg"]);
    let picture = fs::read_to_string(at("curves.svg")).unwrap();
    assert_eq!(picture.matches("class=\"curve\"").count(), 3, "{picture}");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    for words in [
        "wing 18.58 m^2",
        "act 0 m forwards",
        "  fcs/elevator-pos-rad\n  fcs/flap-pos-norm\n",
        "lift",
        "1 tables of 4 numbers",
    ] {
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn errors_name_function_line_property_and_column() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for (part, other, words) in [
        (
            "fcs/flap-pos-norm",
            "fcs/flop-pos-norm",
            "least.xml:9: <function>: lift reads fcs/flop-pos-norm, which is neither",
        ),
        (
            "<p>aero/qbar-area</p><p>metrics/cbarw-ft</p>",
            "<cosh><v>1</v></cosh>",
            "least.xml:12: <cosh>: is not read: must be value",
        ),
        (
            "-0.2 -1.0\n0.2 1.0",
            "0.2 -1.0\n0.2 1.0",
            "least.xml:10: <tableData>: points of a table must increase, and 0.2 follows 0.2",
        ),
        ("'PITCH'", "'PICH'", "least.xml:12: <axis>: name `PICH` is not allowed: must be one of DRAG"),
        ("<sum><v>0.03</v>", "<sum><v>x</v>", "least.xml:7: <v>: `x` is not allowed: must be a finite number"),
        ("<v>-1.5</v>", "<atan2><v>1</v></atan2>", "<atan2>: 1 arguments are not allowed: must be from 2 to 2"),
    ] {
        assert!(AIRCRAFT.contains(part), "{part}");
        fs::write(at("least.xml"), AIRCRAFT.replace(part, other)).unwrap();
        let output = vehicle(directory.path(), &["show", "least.xml"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains(words), "{}", errors(&output));
    }
    // What nothing makes may be given all the same.
    fs::write(at("least.xml"), AIRCRAFT.replace("fcs/flap-pos-norm", "fcs/flop-pos-norm")).unwrap();
    assert!(vehicle(directory.path(), &["show", "least.xml", "--given", "fcs/flop-pos-norm"]).status.success());
    fs::write(at("least.xml"), AIRCRAFT).unwrap();
    let arguments = ["loads", "least.xml", "--states", "in.csv", "--out", "out.csv", "--engine", "native"];
    for (header, row, words) in [
        (STATES.replace(",fcs/flap-pos-norm", ""), "50,0,5,0,0,0,100,1.2,340,1000,0.1", "fcs/flap-pos-norm"),
        (
            STATES.to_owned(),
            "50,0,5,0,0,0,100,-1.2,340,1000,0.1,0",
            "row 0 (the first is 0): density -1.2e0 must be at least 0",
        ),
        (STATES.to_owned(), "50,0,5,0,0,0,100,1.2,340,0,0.1,0", "mass 0e0 must be above 0"),
        (
            format!("{STATES},ground_u,ground_w"),
            "50,0,5,0,0,0,100,1.2,340,1000,0.1,0,50,5",
            "given together or not at all; `ground_v` is missing",
        ),
        (
            format!("{STATES},stall_before"),
            "50,0,5,0,0,0,100,1.2,340,1000,0.1,0,0.3",
            "row 0 (the first is 0): `stall_before` 0.3 must be 0 or 1",
        ),
    ] {
        fs::write(at("in.csv"), format!("{header}\n{row}\n")).unwrap();
        let output = vehicle(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(words), "{}", errors(&output));
        assert!(!at("out.csv").exists());
    }
}

#[test]
fn gains_are_found_for_steady_flights_alone() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/aircraft/light_airframe.toml");
    let text = fs::read_to_string(example).unwrap();
    let (physics, rest) = text.split_once("[pilot]").unwrap();
    let approach = rest[rest.find("[approach]").unwrap()..].split_once("\n\n").unwrap().0;
    fs::write(at("bare.toml"), format!("{physics}{approach}\n")).unwrap();
    fs::write(at("whole.toml"), &text).unwrap();
    for (arguments, code, words) in [
        ("bare.toml --airspeed 33 --out tuned.toml", 0, ""),
        (
            "bare.toml --airspeed 36 --mass 1150 --out heavy.toml",
            0,
            "the gains are for 1150 kg, and the vehicle's mass is",
        ),
        ("bare.toml --airspeed 33 --power-off --out glide.toml", 0, "throttle 0,"),
        ("bare.toml --airspeed 33 --power-off --glide-slope 0.1 --out none.toml", 2, "cannot be used with"),
        ("bare.toml --airspeed 5 --out none.toml", 1, "of the weight are not balanced, at 5.000 m/s down 3.000 deg"),
        (
            "bare.toml --airspeed 33 --glide-slope 3 --out none.toml",
            2,
            "must be at most 45 deg; a number without a unit is in rad",
        ),
        ("bare.toml --airspeed -5 --out none.toml", 2, "must be a number above 0"),
        ("bare.toml --airspeed 33 --step 10 --out none.toml", 2, "must be at most 0.1 s"),
        ("whole.toml --airspeed 33 --out none.toml", 2, "whole.toml: has [pilot] already"),
        ("bare.toml --airspeed 33 --out none.json", 2, "none.json: is JSON, and gains are written as TOML"),
        ("bare.json --airspeed 33 --out none.toml", 2, "bare.json: is JSON, and gains are written as TOML"),
    ] {
        let words_of_call: Vec<&str> = std::iter::once("tune").chain(arguments.split(' ')).collect();
        let output = vehicle(directory.path(), &words_of_call);
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
        assert!(output.status.code() == Some(code) && said.contains(words), "{arguments}: {said}");
    }
    // An aileron that turns next to nothing, of which a gain would be infinite.
    let aileron = "product = [0.178, \"fcs/aileron-pos-rad\"]";
    assert!(physics.contains(aileron));
    let weak = physics.replace(aileron, "product = [1e-310, \"fcs/aileron-pos-rad\"]");
    fs::write(at("weak.toml"), format!("{weak}{approach}\n")).unwrap();
    let output = vehicle(directory.path(), &["tune", "weak.toml", "--airspeed", "33", "--out", "open.toml"]);
    let said = errors(&output);
    assert!(output.status.success() && said.contains("bank_gain and roll_damping are 0, so nothing holds"), "{said}");
    assert!(fs::read_to_string(at("open.toml")).unwrap().contains("\nbank_gain = 0.0\nroll_damping = 0.0\n"));
    assert!(at("tuned.toml").exists() && !at("none.toml").exists() && !at("none.json").exists());
    let [powered, gliding] = ["tuned.toml", "glide.toml"]
        .map(|name| touchdown::vehicle::Vehicle::read(&at(name)).unwrap().autoland.unwrap());
    assert_eq!([powered.greatest_thrust, gliding.greatest_thrust, gliding.speed_gain], [1.0, 0.0, 0.0]);
    assert!(gliding.glide_slope > powered.glide_slope, "{} rad without power", gliding.glide_slope);
    // The sink rate crosses over at 0.27 of 2.2 rad/s; a wheel that turns by 10 degrees turns by 4 at the airspeed of the approach.
    assert!((powered.flare_time - 2.7 / (0.27 * 2.2)).abs() < 1e-3, "{}", powered.flare_time);
    let pilot = touchdown::vehicle::Vehicle::read(&at("tuned.toml")).unwrap().pilot;
    assert!((pilot.full_steering_speed - 33.0 * 0.4f64.sqrt()).abs() < 0.01, "{}", pilot.full_steering_speed);
    // Near the stall more angle of attack lifts no more.
    for (airspeed, words) in [("24.02", "the flare is no longer than 8 s"), ("24", "too low for a flare")] {
        let output = vehicle(directory.path(), &["tune", "bare.toml", "--airspeed", airspeed]);
        assert!(errors(&output).contains(words), "{airspeed}: {}", errors(&output));
    }
    // With its main wheels ahead of the centre of gravity.
    let ahead = physics.replace("[-0.43, ", "[0.43, ");
    fs::write(at("ahead.toml"), format!("{ahead}{approach}\n")).unwrap();
    let output = vehicle(directory.path(), &["tune", "ahead.toml", "--airspeed", "33", "--out", "tail.toml"]);
    assert!(output.status.success(), "{}", errors(&output));
    let [usual, tail] =
        ["tuned.toml", "tail.toml"].map(|name| touchdown::vehicle::Vehicle::read(&at(name)).unwrap().pilot);
    assert!(tail.derotation_rate == 0.0 && usual.derotation_rate > 0.0);
    assert!(tail.brake_level < usual.brake_level && tail.target_deceleration < usual.target_deceleration);
    // The nose wheel hangs lowest below a pitch of atan(0.1/1.63), 3.51 degrees: level at 30 m/s that is 4.61, at the touchdown 3.47.
    let warned = |airspeed: &str| {
        errors(&vehicle(directory.path(), &["tune", "bare.toml", "--airspeed", airspeed])).contains("it touches first")
    };
    assert_eq!([warned("29"), warned("30")], [false, true]);
    let output = vehicle(directory.path(), &["show", "bare.toml", "--curves", "curves.png"]);
    assert!(output.status.code() == Some(2) && errors(&output).contains("must end in .svg"), "{}", errors(&output));
}
