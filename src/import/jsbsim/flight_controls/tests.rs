use std::f64::consts::TAU;
use std::fs;
use std::path::Path;

use touchdown_core::lanes::LANES;

use super::*;
use crate::flight_controls::TimeStep;
use crate::function::{Routine, Words};
use crate::native::function_rows;

/// An aircraft of these sections in a folder with these files.
fn imported(sections: &str, files: &[(&str, &str)]) -> Result<ImportedControls, String> {
    let place = tempfile::tempdir().unwrap();
    let aircraft = place.path().join("aircraft/one");
    fs::create_dir_all(&aircraft).unwrap();
    for (name, text) in files {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let path = aircraft.join("one.xml");
    fs::write(&path, format!("<fdm_config>\n{sections}\n</fdm_config>")).unwrap();
    // Where the folder is does not matter.
    let folder = format!("{}/", aircraft.display());
    jsbsim_flight_controls(&path).map_err(|error| error.to_string().replace(&folder, ""))
}

fn names(imported: &ImportedControls) -> Vec<&str> {
    let channels = imported.controls.channels.iter();
    channels.flat_map(|channel| &channel.components).map(|component| component.name.as_str()).collect()
}

fn system(name: &str) -> String {
    format!(
        "<system><property value='1'>{name}/value</property>\n\
         <channel><pure_gain name='{name}/gain'><input>x</input><gain>2</gain></pure_gain></channel></system>"
    )
}

#[test]
fn systems_come_first_then_the_autopilot_then_the_flight_control() {
    let section = |tag: &str| system(tag).replace("system>", &format!("{tag}>"));
    let sections = ["flight_control", "autopilot"].map(section).concat()
        + "<system file='beside'><property value='7'> beside/value </property></system>\n"
        + "<system file='folder.xml'/><system file='shared'/>"
        + "<propulsion><engine file='none'/><engine file='none'/></propulsion>";
    let files = [
        ("aircraft/one/beside.xml", system("beside")),
        ("aircraft/one/Systems/folder.xml", system("folder")),
        ("systems/shared.xml", format!("<!DOCTYPE system [\n<!ENTITY none '0'>\n]>\n{}", system("shared"))),
    ];
    let imported = imported(&sections, &files.each_ref().map(|(name, text)| (*name, text.as_str()))).unwrap();
    let order = ["beside", "folder", "shared", "autopilot", "flight_control"];
    assert_eq!(names(&imported), order.map(|name| format!("{name}/gain")));
    assert_eq!(imported.controls.channels[2].components[0].place, "../../systems/shared.xml:5");
    assert_eq!(imported.controls.engines, 2);
    let at_start = |name: &str| imported.at_start.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
    // The aircraft has the last word on what its files give.
    assert_eq!(["beside/value", "folder/value", "gear/gear-pos-norm"].map(at_start), [Some(7.0), Some(1.0), Some(1.0)]);
    let functions = imported.controls.functions(TimeStep::Constant(0.01)).unwrap();
    let throttle = functions.iter().find(|function| function.name == "fcs/throttle-pos-norm[1]").unwrap();
    assert_eq!(throttle.expression, crate::function::Expression::of("fcs/throttle-cmd-norm[1]"));
}

#[test]
fn what_is_left_out_is_listed_with_its_line() {
    let sections = "<flight_control><channel>\n\
        <sensor name='Height Sensor'><input>h</input><noise variation='ABSOLUTE'>1</noise></sensor>\n\
        <gyro name='gyro'><input>q</input></gyro>\n\
        <linear_actuator name='linear'><input>-x</input></linear_actuator>\n\
        <pure_gain name='free'><input>x</input><clipto><max>1</max></clipto></pure_gain>\n\
        <magic><spell/></magic><documentation>of no effect</documentation>\n\
        </channel></flight_control>";
    let imported = imported(sections, &[]).unwrap();
    assert_eq!(names(&imported), ["fcs/height-sensor", "fcs/gyro", "fcs/linear", "fcs/free"]);
    assert_eq!(
        imported.left_out,
        [
            "line 3: <noise> of the sensor `Height Sensor` is left out: its output is without noise",
            "line 4: <gyro> `gyro` is left out: its output is 0",
            "line 5: <linear_actuator> `linear` is left out: its output is its input",
            "line 6: <clipto> without <min> and <max> is left out, as JSBSim does",
            "line 7: <magic> is left out: it is no component of JSBSim",
        ]
    );
}

/// A component, and what the error says of it.
const REFUSED: &[(&str, &str)] = &[
    ("<pure_gain name='a b'/>", "3: <pure_gain>: <input> is missing"),
    (
        "<pure_gain name='a/b c'><input>x</input></pure_gain>",
        "3: <pure_gain>: `a/b c` is not allowed: must be the name",
    ),
    ("<pure_gain name='g'><input>x y</input></pure_gain>", "3: <input>: `x y` is not allowed: must be the name"),
    (
        "<pure_gain name='g'><input>x</input><gain>1 2</gain></pure_gain>",
        "3: <gain>: `1 2` is not allowed: must be a number or a",
    ),
    (
        "<pure_gain name='g'><input>x</input><gain>inf</gain></pure_gain>",
        "3: <gain>: `inf` is not allowed: must be finite",
    ),
    ("<pure_gain name='g'><input>x</input><output>-y</output></pure_gain>", "3: <output>: `-y` is not allowed"),
    ("<scheduled_gain name='g'><input>x</input></scheduled_gain>", "3: <scheduled_gain>: <table> is missing"),
    ("<aerosurface_scale name='g'><input>x</input></aerosurface_scale>", "3: <aerosurface_scale>: <range> is missing"),
    ("<lead_lag_filter name='g'><input>x</input><c1>1</c1></lead_lag_filter>", "3: <lead_lag_filter>: <c2> is missing"),
    ("<integrator name='g'><input>x</input></integrator>", "3: <integrator>: <c1> is missing"),
    ("<fcs_function name='g'/>", "3: <fcs_function>: <function> is missing"),
    (
        "<kinematic name='g'><input>x</input><traverse/></kinematic>",
        "3: <traverse>: 0 settings are not allowed: must be at least 2",
    ),
    (
        "<switch name='s'><test value='1'>x above 2</test></switch>",
        "3: <test>: comparison `above` is not allowed: must be one of ==",
    ),
    (
        "<switch name='s'><test value='1'>x gt</test></switch>",
        "3: <test>: `x gt` is not allowed: must be a property, a comparison",
    ),
    ("<switch name='s'><test>x gt 1</test></switch>", "3: <test>: value is missing"),
    ("<switch name='s'><test value='1' logic='XOR'>x gt 1</test></switch>", "3: <test>: logic `XOR` is not allowed"),
    ("<switch name='s'><test value='1'/></switch>", "3: <test>: must hold a comparison"),
    ("<distributor name='d'/>", "3: <distributor>: type `` is not allowed: must be inclusive or exclusive"),
    (
        "<actuator name='a'><input>x</input><rate_limit sense='up'>1</rate_limit></actuator>",
        "3: <rate_limit>: sense `up` is not allowed: must be incr or decr",
    ),
    (
        "<actuator name='a'><input>x</input><delay type='s'>1</delay></actuator>",
        "3: <delay>: type `s` is not allowed: must be time or frames",
    ),
    (
        "<sensor name='a'><input>x</input><quantization><bits>31</bits></quantization></sensor>",
        "3: <bits>: `31` is not allowed: must be from 0 to 30",
    ),
    ("<angle name='a'><source_angle>x</source_angle></angle>", "3: <angle>: <target_angle> is missing"),
];

#[test]
fn what_is_wrong_is_refused_with_its_line() {
    for (component, message) in REFUSED {
        let sections = format!("<system><channel>\n{component}</channel></system>");
        let error = imported(&sections, &[]).unwrap_err();
        assert!(error.starts_with(&format!("one.xml:{message}")), "{component}: {error}");
    }
    for (section, message) in [
        (
            "<system file='lost'/>",
            "one.xml:2: <system>: `lost.xml` is not found beside the aircraft, nor in its folder Systems",
        ),
        ("<autopilot file='ap'/>", "one.xml:2: <autopilot>: `ap.xml` is not found beside the aircraft"),
        ("<system file='ap'/>", "../../systems/ap.xml:1: <autopilot>: must be <system>"),
        ("<system><channel execrate='often'/></system>", "one.xml:2: <channel>: execrate `often` is not allowed"),
        ("<system><property value='on'>a</property></system>", "one.xml:2: <property>: value `on` is not allowed"),
        (
            "<system><function name='a' type='late'><value>1</value></function></system>",
            "one.xml:2: <function>: type `late`",
        ),
        ("<system file='entity'/>", "../../systems/entity.xml:2: is not XML: unknown entity reference 'a'"),
    ] {
        let files = [
            ("systems/ap.xml", "<autopilot/>"),
            ("systems/entity.xml", "<!DOCTYPE system [<!ENTITY a 'b'>]>\n<system>&a;</system>"),
        ];
        let error = imported(section, &files).unwrap_err();
        assert!(error.starts_with(message), "{section}: {error}");
    }
    let late = "<actuator name='late'><input>x</input><delay>10</delay></actuator>";
    let late = imported(&format!("<system><channel>\n\n{late}</channel></system>"), &[]).unwrap();
    let fault = late.controls.functions(TimeStep::Constant(0.01)).unwrap_err().to_string();
    assert_eq!(fault, "one.xml:4: fcs/late: a delay of 1000 steps is not allowed: must be from 0 to 512");
}

#[test]
fn all_components_in_lanes_have_the_bits_of_the_trees_step_after_step() {
    /// \[s\]
    const STEP: f64 = 1.0 / 120.0;
    const STEPS: usize = 120;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jsbsim/aircraft/oracle-fcs.xml");
    let controls = jsbsim_flight_controls(&path).unwrap().controls;
    let functions = controls.functions(TimeStep::Given(STEP)).unwrap();
    let mut given: Vec<String> = Vec::new();
    let is_made = |name: &str| functions.iter().any(|function| function.name == name);
    for function in &functions {
        function.expression.properties(&mut |name| {
            if !is_made(name) && !given.contains(name) {
                given.push(name.clone());
            }
        });
    }
    let routine = Routine::new(&functions, &given, &|_| 0.0, &|_| None).unwrap();
    let words = Words::compile(routine.made(), routine.first_made()..routine.width(), routine.width());
    let mut kept = [const { Vec::new() }; LANES].map(|_: Vec<f64>| routine.at_start());
    for step in 0..STEPS {
        // Everything swings, each at its own pace in each lane, and a lane has whole numbers only.
        let number = |lane: usize, place: usize| {
            let swing = (TAU * (step as f64 / (17.0 + place as f64) + lane as f64 / LANES as f64)).sin() * 1.5;
            match (given[place].as_str(), lane) {
                ("simulation/dt", _) => STEP,
                (_, 0) => swing.round(),
                _ => swing,
            }
        };
        let of = |lane: usize| (0..given.len()).map(|place| number(lane, place)).collect::<Vec<_>>();
        let rows: [Vec<f64>; LANES] = std::array::from_fn(|lane| routine.row(&of(lane), &kept[lane]));
        let begun: Vec<[f64; LANES]> =
            (0..routine.first_made()).map(|place| std::array::from_fn(|lane| rows[lane][place])).collect();
        let found = function_rows(&words, &begun);
        // What words make on their way has places of its own behind.
        for (place, lanes) in found[..routine.width()].iter().enumerate() {
            for (lane, row) in rows.iter().enumerate() {
                assert_eq!(lanes[lane].to_bits(), row[place].to_bits(), "step {step}, lane {lane}, place {place}");
            }
        }
        kept = rows.map(|row| routine.left(&row));
    }
}
