use std::sync::Arc;

use glam::DVec3;

use super::*;
use crate::document::Document;
use crate::function::{Expression, Operation, Table as Points};
use crate::vehicle::Vehicle;

const VEHICLE: &str = "name = 'a'\nmass = 1000\ninertia = { xx = 1000, yy = 1000, zz = 1500 }\n\
    [approach]\nairspeed = 30\nsink_rate = 1\n\
    [wheels.main]\nmain = true\nposition = [0, 0, 0]\nk_xy = -1e4\nk_z = -1e4\nd_xy = -1e3\nd_z = -1e3\n\
    z_min = 0\nz_zero = 1\nz_max = 1\n";

/// With a function of each kind; its first line is the seventeenth of the file.
const AIRFRAME: &str = "\
[airframe]
area = '100 ft2'
span = 10
chord = 1.5
incidence = '2 deg'
reference_point = [0.1, 0, -0.2]
moment_axes = 'stability'
stall_warning_angles = [-0.2, 0.3]
stall_angles = ['15 deg', 0.3]
[airframe.constants]
'metrics/free' = 2.5
[airframe.at_start]
'fcs/flap-pos-norm' = 1
[airframe.tables.polar]
rows = [0, 1]
columns = [0, 10, 20]
values = [[1, 2, 3], [4, 5, 6]]
[[airframe.commands]]
name = 'fcs/flap-cmd-norm'
value = 1
[[airframe.controls]]
name = 'fcs/flap-pos-norm'
value = { sum = ['fcs/flap-pos-norm', { product = [0.1, 'simulation/dt'] }] }
[[airframe.engines]]
name = 'engines x-lbs'
value = { max = [0, 'pilot/throttle'] }
[[airframe.functions]]
name = 'free'
value = { sin = '-metrics/free' }
[[airframe.functions]]
name = 'wing'
lift = { table = [[0, 0], [0.2, 1]], by = 'aero/alpha-rad' }
[[airframe.functions]]
at_centre = true
drag = { table = 'polar', by = ['free', 'fcs/flap-pos-norm'] }
[[airframe.functions]]
name = 'deep'
pitch = { points = [0, 1], by = ['free', 'free', 'free'], tables = [
  { rows = [0], columns = [1, 2], values = [[3, 4]] },
  { rows = [0], columns = [1, 2], values = [[5, 6]] },
] }
[[airframe.functions]]
shift = 0.1
";

fn read(text: &str) -> Result<Vehicle, DocumentError> {
    Vehicle::from_document(&Document::parse("vehicle.toml", &format!("{VEHICLE}{text}")).unwrap())
}

#[test]
fn every_key_reaches_its_own_field() {
    let vehicle = read(AIRFRAME).unwrap();
    let of = |name: &str| Expression::of(name);
    let function = |name: &str, expression| Function { name: name.to_owned(), expression };
    let made = |operation, arguments: Vec<_>| Expression::Operation(operation, arguments);
    let grow = made(Operation::Product, vec![0.1.into(), of("simulation/dt")]);
    let grid = |values: [f64; 2]| Points::Grid { rows: vec![0.0], columns: vec![1.0, 2.0], values: values.to_vec() };
    let polar = Points::Grid {
        rows: vec![0.0, 1.0],
        columns: vec![0.0, 10.0, 20.0],
        values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    };
    let deep = Points::Blocks { points: vec![0.0, 1.0], tables: vec![grid([3.0, 4.0]), grid([5.0, 6.0])] };
    let line = Points::Line { points: vec![0.0, 0.2], values: vec![0.0, 1.0] };
    let looked_up = |table, by: &[&str]| Expression::Table(Arc::new(table), by.iter().map(|name| of(name)).collect());
    let functions = [
        (Role::Property, "free", Expression::Negative("metrics/free".to_owned()).by(Operation::Sine)),
        (Role::Force(2), "wing", looked_up(line, &["aero/alpha-rad"])),
        (Role::ForceAtCentre(0), "", looked_up(polar, &["free", "fcs/flap-pos-norm"])),
        (Role::Moment(1), "deep", looked_up(deep, &["free", "free", "free"])),
        (Role::Shift, "", 0.1.into()),
    ];
    let expected = AirframeDescription {
        commands: vec![function("fcs/flap-cmd-norm", 1.0.into())],
        controls: vec![function("fcs/flap-pos-norm", made(Operation::Sum, vec![of("fcs/flap-pos-norm"), grow]))],
        engines: vec![function("engines x-lbs", made(Operation::Maximum, vec![0.0.into(), of("pilot/throttle")]))],
        air_forces: Description {
            force_axes: ForceAxes::Wind,
            moment_axes: MomentAxes::Stability,
            sizes: Sizes { area: 9.290_304, span: 10.0, chord: 1.5, incidence: 2_f64.to_radians() },
            reference_point: DVec3::new(0.1, 0.0, -0.2),
            alpha_limits: Some([-0.2, 0.3]),
            hysteresis_limits: Some([15_f64.to_radians(), 0.3]),
            constants: vec![("metrics/free".to_owned(), 2.5)],
            functions: functions
                .map(|(role, name, expression)| AxisFunction { function: function(name, expression), role })
                .to_vec(),
        },
        at_start: vec![("fcs/flap-pos-norm".to_owned(), 1.0)],
    };
    assert_eq!(*vehicle.airframe.unwrap().description(), expected);
    assert!(vehicle.aerodynamics.is_none());
}

/// Replaced parts of the airframe, with the line of the error and some of its words.
const BAD: [(&str, &str, &str, &str); 20] = [
    (
        "pilot/throttle",
        "pilot/throtle",
        "40:1",
        "engines x-lbs reads pilot/throtle, which nothing makes; did you mean pilot/throttle? Known are",
    ),
    (
        "'free', 'fcs/flap-pos-norm'",
        "'free', 'fcs/flop'",
        "49:1",
        "this function reads fcs/flop, which nothing makes. Known are",
    ),
    ("area = '100 ft2'", "", "17:1", "key `area` is missing"),
    ("span = 10", "span = -10", "19:8", "must be at least 0 m"),
    ("'stability'", "'stabilty'", "23:15", "did you mean \"stability\"?"),
    ("[-0.2, 0.3]", "[0.3]", "24:24", "must be two angles"),
    ("[-0.2, 0.3]", "[0.3, -0.2]", "24:24", "the lower one first"),
    ("'fcs/flap-pos-norm' = 1", "'fcs/flap-pos' = 1", "29:18", "no function makes fcs/flap-pos"),
    ("[[1, 2, 3], [4, 5, 6]]", "[[1, 2, 3], [4, 5]]", "33:22", "a row of 3 numbers, one for each column, and has 2"),
    ("[[1, 2, 3], [4, 5, 6]]", "[[1, 2, 3]]", "33:10", "must be 2 rows of 3 numbers, and has 1 rows"),
    ("columns = [0, 10, 20]", "columns = [0, 10, 10]", "30:1", "points of a table must increase, and 10 follows 10"),
    ("sin =", "sine =", "45:9", "unknown key `sine`: did you mean `sin`?"),
    ("'-metrics/free'", "['free', 1]", "45:17", "sin takes 1 of them, not 2"),
    ("lift =", "lft =", "46:1", "unknown key `lft`: did you mean `lift`?"),
    ("lift =", "drag = 1\nlift =", "46:1", "`drag`, `lift` cannot stand together"),
    ("lift =", "at_centre = true\nvalue =", "48:13", "only forces act at the centre of gravity"),
    ("'polar', by", "'poler', by", "51:18", "did you mean \"polar\"?"),
    ("by = ['free', 'fcs/flap-pos-norm']", "by = 'free'", "51:32", "the table is over 2 expressions"),
    ("[0.2, 1]]", "[0.2]]", "48:27", "must be a pair [x, y]"),
    ("shift = 0.1", "shift = '-'", "59:9", "must be the name of a property"),
];

#[test]
fn bad_airframes_are_refused_where_they_are_bad() {
    for (part, other, place, words) in BAD {
        assert!(AIRFRAME.contains(part), "{part}");
        let refusal = read(&AIRFRAME.replacen(part, other, 1)).unwrap_err().to_string();
        println!("{refusal}");
        assert!(refusal.starts_with(&format!("vehicle.toml:{place}: ")), "{other}: {refusal}, expected at {place}");
        assert!(refusal.contains(words), "{other}: {refusal}, expected {words}");
    }
}

#[test]
fn functions_too_long_for_a_row_are_refused() {
    let sum = |terms: &str, count: usize| format!("{{ sum = [{}] }}", vec![terms; count].join(", "));
    let vehicle = |sums: usize| {
        let value = format!("value = {}", sum(&sum("'pilot/throttle'", 4_000), sums));
        read(&AIRFRAME.replacen("value = { max = [0, 'pilot/throttle'] }", &value, 1))
    };
    vehicle(3).unwrap();
    let refusal = vehicle(5).unwrap_err().to_string();
    assert!(refusal.starts_with("vehicle.toml:17:1: airframe: the functions are too long"), "{refusal}");
    assert!(refusal.ends_with("at most 65536 fit"), "{refusal}");
}

/// Where a key is missing other conditions need not hold any more, and nothing may rely on them.
#[test]
fn nothing_is_made_of_an_airframe_without_a_key_that_it_needs() {
    let without_span = AIRFRAME.replacen("span = 10", "spam = 10", 1);
    let misspelt = "17:1: airframe: key `span` is missing; is `spam` a misspelling of it?";
    let sine = "{ sin = '-metrics/free' }";
    let line = "{ table = [[0, 0], [0.2, 1]], by = 'aero/alpha-rad' }";
    for (part, other) in [
        (sine, "{ sin = [] }"),
        (sine, "{ product = [] }"),
        (line, "{ table = 'polar', by = 1 }"),
        (line, "{ rows = [0, 1], columns = [0, 1], values = [[1, 2]], by = [1, 1] }"),
        (line, "{ table = [], by = 0.1 }"),
    ] {
        assert!(without_span.contains(part), "{part}");
        let refusal = read(&without_span.replacen(part, other, 1)).unwrap_err().to_string();
        assert_eq!(refusal, format!("vehicle.toml:{misspelt}"), "{other}");
    }
    let without_rows = AIRFRAME.replacen("rows = [0, 1]", "lines = [0, 1]", 1);
    let refusal = read(&without_rows.replacen("by = ['free', 'fcs/flap-pos-norm']", "by = 0.1", 1)).unwrap_err();
    let words = "vehicle.toml:30:1: airframe.tables.polar: one of `table`, `rows`, `points` is required";
    assert!(refusal.to_string().starts_with(words), "{refusal}");
    // What else is missing is told all the same.
    let without_approach = VEHICLE.replacen("sink_rate = 1\n", "", 1);
    let document = Document::parse("vehicle.toml", &format!("{without_approach}\n{without_span}")).unwrap();
    let refusal = Vehicle::from_document(&document).unwrap_err().to_string();
    assert!(refusal.starts_with(&format!("vehicle.toml:{misspelt}")) && refusal.contains("`sink_rate`"), "{refusal}");
}

#[test]
fn an_airframe_stands_alone() {
    for (other, words) in [
        ("[thrust]\nidle = 1\n", "60:1: thrust: `thrust` and `airframe` cannot stand together"),
        (
            "[aerodynamics]\narea = 1\nspan = 1\nchord = 1\nangle_limit_deg = 9\nsurface_limit_deg = 9\n",
            "60:1: aerodynamics: `aerodynamics` and `airframe` cannot stand together",
        ),
    ] {
        let refusal = read(&format!("{AIRFRAME}{other}")).unwrap_err().to_string();
        assert!(refusal.contains(words), "{refusal}");
    }
}

#[test]
fn laws_of_an_airframe_ask_for_a_throttle() {
    let flare = |thrust: &str| {
        let text = "[flare]\nairspeed = 30\nsink_rate = 1\nheight = 10\nstart_distance = 0\ntouchdown_sink_rate = 0.5\n\
            time = 2\nsink_gain = 1\nsink_integral_gain = 1\nsink_integral_limit = 1\nleast_pitch = 0\n\
            greatest_pitch = 0.1\npitch_gain = 1\npitch_damping = 1\nidle_height = 5\nbank_per_offset = 0\n\
            bank_per_drift = 0\nbank_limit = 0\ndecrab_height = 3\ngreatest_thrust = ";
        read(&format!("{AIRFRAME}{text}{thrust}\n")).map(|vehicle| vehicle.flare.unwrap().greatest_thrust)
    };
    assert_eq!(flare("0.8").unwrap(), 0.8);
    let refusal = flare("2500").unwrap_err().to_string();
    assert!(refusal.contains("flare.greatest_thrust: 2500 is not allowed: must be from 0 to 1"), "{refusal}");
}
