//! Aircraft of JSBSim become vehicles that stand, and that studies read. The aircraft are made up (tests/data/jsbsim).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::landing_jobs::{STEP, job_with, outcome, scene};
use crate::support::rigid_body::{RigidBody, level};
use crate::support::tricycle::ground;
use glam::{DMat3, DVec3};
use touchdown::document::Document;
use touchdown::import::{StructureContacts, jsbsim_vehicle};
use touchdown::query::{Input, LandingClass, LandingJob};
use touchdown::reference::Tracer;
use touchdown::vehicle::Vehicle;

const AIRCRAFT: [&str; 5] = ["liner", "jumbo", "twin", "fighter", "taildragger"];
/// That of the loads in the file [m/s2].
const GRAVITY: f64 = 9.806_65;

fn aircraft(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jsbsim").join(name).with_extension("xml")
}

fn import(name: &str) -> Vehicle {
    let (text, _) = jsbsim_vehicle(&aircraft(name), StructureContacts::Points).unwrap();
    Vehicle::from_document(&Document::parse("vehicle.toml", &text).unwrap()).unwrap()
}

#[test]
fn imported_aircraft_stand_for_a_minute_on_the_loads_of_the_file() {
    let scene = scene(&ground());
    let tracer = Tracer::new(&scene);
    let down = DVec3::new(0.0, 0.0, -GRAVITY);
    for name in AIRCRAFT {
        let vehicle = import(name);
        let mut body = RigidBody::new(&vehicle, 0.0);
        // Nose up about Y, as it will stand.
        body.axes = DMat3::from_quat(level()) * DMat3::from_rotation_y(vehicle.approach.pitch);
        // No brakes: rolling resistance holds it. The slowest strut here, soft and damped hard, takes d/k = 4 s by e; 150 s
        // leave 1e-16 of its metre.
        body.run(&tracer, down, 0.0, STEP, 150.0);
        let start = body.position;
        let mut drift: f64 = 0.0;
        for _ in 0..(60.0 / STEP) as usize {
            body.step(&tracer, down, 0.0, STEP);
            drift = drift.max(body.position.distance(start));
        }
        let to_body = body.axes.transpose();
        let nose = body.axes.x_axis;
        let pitch = nose.z.asin();
        println!("{name}: {drift:e} m of drift in 60 s; pitch {pitch:.6} of {:.6}", vehicle.approach.pitch);
        assert!(!body.is_broken() && drift < 1e-6, "{name}: {drift}");
        // Rolling resistance may hold a wheel back by a fiftieth of its load, where the file's stance holds back none, so that
        // its springs give way by 0.02 of 0.075 m at most: 1.5 mm on the shortest base here, of 4 m.
        let base = 4.0;
        let allowed_share = 0.02 * 0.075 / base;
        assert!((pitch - vehicle.approach.pitch).abs() < allowed_share, "{name}: {pitch}");

        for (wheel, contact) in vehicle.wheels.iter().zip(&body.contacts) {
            assert!(contact.touches(), "{name}: {}", wheel.name);
            let p = &wheel.parameters;
            let pebble = to_body * (contact.pebble - body.position) - wheel.position;
            let springs = DVec3::new(p.k_xy * pebble.x, p.k_xy * pebble.y, p.k_z * (pebble.z - p.z_zero));
            let found = -(body.axes * springs).z;
            // What the importer derived the horizontal spring from, to six digits.
            let is_nose = wheel.position.x > 0.0 && wheel.position.y.abs() < 0.2;
            let expected = -p.k_xy * if is_nose { 0.075 } else { 0.03 };
            println!("{name}: {} carries {found:.1} N of {expected:.1} N", wheel.name);
            let allowed = vehicle.mass * GRAVITY * allowed_share;
            assert!((found - expected).abs() < allowed, "{name}: {}: {found} {expected}, within {allowed}", wheel.name);
        }
        for point in &vehicle.structure {
            let height = (body.position + body.axes * point.position).z;
            assert!(height > 0.0, "{name}: {} is {height} m high", point.name);
        }
    }
}

#[test]
fn imported_aircraft_survive_the_sink_rate_that_their_travel_is_made_for() {
    for name in AIRCRAFT {
        let job = job_with(import(name), []);
        // Onto all wheels at once, as it stands, and level.
        for pitch in [job.vehicle.approach.pitch, 0.0] {
            let changes = [(Input::Airspeed, 20.0), (Input::SinkRate, 3.048), (Input::Pitch, pitch)];
            let outcome = outcome(&job, &changes);
            let deepest = job
                .vehicle
                .wheels
                .iter()
                .zip(&outcome.wheels)
                .map(|(wheel, worst)| worst.peak_compression / (wheel.parameters.z_max - wheel.parameters.z_min));
            println!("{name}: {:?}, shares of the travel {:.2?}", outcome.class, deepest.collect::<Vec<_>>());
            assert_ne!(outcome.class, LandingClass::WheelBroken, "{name}");
        }
    }
}

#[test]
fn imported_aircraft_land_and_stop_as_their_files_say() {
    for name in AIRCRAFT {
        let job = job_with(import(name), []);
        assert_eq!(job.vehicle.warnings(STEP), Vec::<String>::new(), "{name}");
        // Slow, for the runway of the tests is 600 m long.
        let job = LandingJob { time_limit: 120.0, ..job };
        let outcome = outcome(&job, &[(Input::Airspeed, 20.0)]);
        println!("{name}: {:?} after {:?}", outcome.class, outcome.stop);
        assert_eq!(outcome.class, LandingClass::Stopped, "{name}: {outcome:?}");
    }
}

fn touchdown(place: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchdown"));
    command.args(line.split_whitespace()).current_dir(place).output().unwrap()
}

#[test]
fn the_program_imports_what_a_study_reads_and_repeats_its_warnings_as_comments() {
    for name in AIRCRAFT {
        let place = tempfile::tempdir().unwrap();
        fs::copy(aircraft(name), place.path().join("aircraft.xml")).unwrap();
        let output = touchdown(place.path(), "import jsbsim aircraft.xml --out vehicle.toml");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{errors}");
        let text = fs::read_to_string(place.path().join("vehicle.toml")).unwrap();
        assert!(errors.lines().count() >= 3, "{errors}");
        for line in errors.lines() {
            let warning = line.strip_prefix("warning: ").unwrap();
            assert!(warning.starts_with("line ") && text.contains(&format!("\n# Warning: {warning}\n")), "{line}");
        }

        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tricycle/scene.toml");
        fs::copy(data, place.path().join("scene.toml")).unwrap();
        let study = "vehicle = 'vehicle.toml'\nscene = 'scene.toml'\nlandings = 10\nseed = 1\n";
        fs::write(place.path().join("study.toml"), study).unwrap();
        let output = touchdown(place.path(), "study check study.toml --engine reference");
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{text}{errors}");
        assert!(text.contains("3 wheels"), "{text}");
    }
}

/// Air forces and controls, of an elevator that is up with its command, and what nothing makes.
const PHYSICS: &str = "<aerodynamics>
<axis name='LIFT'><function name='lift'><product><p>aero/qbar-area</p><table><independentVar>aero/alpha-rad</independentVar>
<tableData>-0.2 -0.8
0.3 1.4</tableData></table></product></function></axis>
<axis name='DRAG'><function name='drag'><product><p>aero/qbar-area</p><sum><v>0.1</v><p>fcs/spoiler-pos-norm</p></sum></product></function></axis>
<axis name='PITCH'><function name='pitch'><product><p>aero/qbar-area</p><p>metrics/cbarw-ft</p><p>fcs/elevator-pos-rad</p></product></function>
<function name='stray'><product><p>systems/nobody</p><p>metrics/cbarw-ft</p></product></function></axis>
<axis name='ROLL'><function name='roll'><product><p>aero/qbar-area</p><p>metrics/bw-ft</p><p>fcs/left-aileron-pos-rad</p></product></function></axis>
</aerodynamics>
<flight_control name='controls'><channel name='all'>
<pure_gain name='fcs/pitch'><input>fcs/elevator-cmd-norm</input><gain>0.4</gain><output>fcs/elevator-pos-rad</output></pure_gain>
<pure_gain name='fcs/roll'><input>fcs/aileron-cmd-norm</input><gain>0.3</gain><output>fcs/left-aileron-pos-rad</output></pure_gain>
<switch name='fcs/lift-dumper'><default value='0'/><test value='fcs/spoiler-cmd-norm'>gear/unit[1]/WOW == 1</test>
<output>fcs/spoiler-pos-norm</output></switch>
<pure_gain name='fcs/instrument'><input>systems/lamp</input><gain>2</gain></pure_gain>
</channel></flight_control>";

/// The liner with these.
fn liner_that_flies() -> String {
    let liner = fs::read_to_string(aircraft("liner")).unwrap();
    let (before, rest) = liner.split_once("<aerodynamics>").unwrap();
    let (_, after) = rest.split_once("</aerodynamics>").unwrap();
    format!("{before}{PHYSICS}{after}")
}

#[test]
fn an_imported_aircraft_has_its_own_physics_with_the_signs_of_the_pilot() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    fs::write(at("liner.xml"), liner_that_flies()).unwrap();
    let output = touchdown(place.path(), "import jsbsim liner.xml --out liner.toml");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let text = fs::read_to_string(at("liner.toml")).unwrap();
    for warning in [
        "line 74: systems/nobody, which stray reads, is made by nothing here: taken as 0",
        "line 2: 5 of 11 functions of flight controls are left out: no force depends on them",
        "line 2: pilot/rudder leads to no yawing moment",
    ] {
        assert!(errors.contains(&format!("warning: {warning}\n")), "{errors}\nexpected {warning}");
    }
    for line in [
        "\"systems/nobody\" = 0  # made by nothing here, and read by stray",
        "name = \"fcs/elevator-cmd-norm\"\nvalue = \"-pilot/elevator\"",
        "name = \"fcs/aileron-cmd-norm\"\nvalue = \"pilot/aileron\"",
        "name = \"fcs/spoiler-cmd-norm\"\nvalue = \"pilot/spoilers\"",
        "name = \"gear/unit[1]/WOW\"\nvalue = \"pilot/on-ground\"",
    ] {
        assert!(text.contains(line), "{text}\nexpected {line}");
    }
    assert!(!text.contains("systems/lamp") && !text.contains("no air forces") && !text.contains("[thrust]"), "{text}");

    // The vehicle's air forces are the aircraft's, to the last digit.
    let states = "u,v,w,p,q,r,height,air_density,speed_of_sound,mass,fcs/elevator-pos-rad,fcs/left-aileron-pos-rad,\
        fcs/spoiler-pos-norm";
    fs::write(at("in.csv"), format!("{states}\n70,1,5,0.1,0.1,0.1,100,1.2,340,60000,0.1,0.2,0.3\n")).unwrap();
    let loads = |aircraft: &str, given: &str| {
        let line =
            format!("vehicle loads {aircraft} --states in.csv --out out.csv --functions --engine reference {given}");
        let output = touchdown(place.path(), &line);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(at("out.csv")).unwrap()
    };
    let of_vehicle = loads("liner.toml", "");
    assert!(of_vehicle.contains("ok,"), "{of_vehicle}");
    let with_constant =
        liner_that_flies().replace("<aerodynamics>", "<aerodynamics><property value='0'>systems/nobody</property>");
    fs::write(at("set.xml"), with_constant).unwrap();
    assert_eq!(of_vehicle, loads("set.xml", ""));

    let shown = touchdown(place.path(), "vehicle show liner.toml --curves liner.svg");
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(at("liner.svg").exists());
    for words in [
        "  fcs/elevator-pos-rad\n",
        "  lift ",
        "6 functions of controls and 0 of engines: ",
        "what the first one finds",
    ] {
        assert!(shown.contains(words), "{shown}\nexpected {words}");
    }
    let refused = touchdown(Path::new(env!("CARGO_MANIFEST_DIR")), "vehicle show examples/aircraft/c172.toml");
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors.contains("c172.toml: has no [airframe]"), "{errors}");
}

/// They take longer to come out than a landing to end.
#[test]
fn flaps_are_out_where_a_landing_starts_without_a_steady_flight() {
    let place = tempfile::tempdir().unwrap();
    let flaps = "<kinematic name='fcs/flaps'><input>fcs/flap-cmd-norm</input><traverse><setting><position>0</position>\
        <time>0</time></setting><setting><position>30</position><time>40</time></setting></traverse>\
        <output>fcs/flap-pos-deg</output></kinematic>";
    let drag = "<axis name='DRAG'><function name='of_flaps'><product><p>aero/qbar-area</p><v>0.001</v>\
        <p>fcs/flap-pos-deg</p></product></function>";
    let liner = liner_that_flies().replacen("<axis name='DRAG'>", drag, 1).replacen(
        "</channel></flight_control>",
        &format!("{flaps}</channel></flight_control>"),
        1,
    );
    assert!(liner.contains(drag) && liner.contains(flaps));
    fs::write(place.path().join("liner.xml"), liner).unwrap();
    let output = touchdown(place.path(), "import jsbsim liner.xml --out liner.toml");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let vehicle = Vehicle::read(&place.path().join("liner.toml")).unwrap();
    let airframe = vehicle.airframe.unwrap();
    let kept = airframe.routine().kept().iter().find(|kept| kept.name == "fcs/flap-pos-deg").unwrap();
    assert_eq!(kept.at_start, 30.0);
}

/// All aircraft of a folder of JSBSim.
fn all_aircraft(root: &Path) -> Vec<PathBuf> {
    let files = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let folders = files(&root.join("aircraft")).into_iter().filter(|path| path.is_dir());
    let mut all: Vec<_> = folders.flat_map(|folder| files(&folder)).collect();
    all.retain(|path| {
        path.extension().is_some_and(|ending| ending == "xml")
            && String::from_utf8_lossy(&fs::read(path).unwrap()).contains("<fdm_config")
    });
    all.sort();
    all
}

/// With `TOUCHDOWN_JSBSIM` naming the folder that has JSBSim's aircraft, whose licences are their own.
#[test]
fn jsbsim_s_own_aircraft_import_with_their_physics() {
    let Some(root) = std::env::var_os("TOUCHDOWN_JSBSIM").map(PathBuf::from) else {
        println!("not imported: TOUCHDOWN_JSBSIM names no folder with JSBSim's aircraft");
        return;
    };
    let all = all_aircraft(&root);
    let mut with_physics = 0;
    for path in &all {
        let name = path.file_stem().unwrap().to_string_lossy();
        let (text, warnings) = match jsbsim_vehicle(path, StructureContacts::Points) {
            Ok(imported) => imported,
            Err(error) => {
                println!("{name}: not imported: {error}");
                continue;
            }
        };
        let vehicle = Vehicle::from_document(&Document::parse("vehicle.toml", &text).unwrap()).unwrap();
        let Some(airframe) = vehicle.airframe else {
            let why: Vec<_> = warnings.iter().filter(|warning| warning.contains("<aerodynamics>")).collect();
            println!("{name}: without its physics: {why:?}");
            continue;
        };
        with_physics += 1;
        let routine = airframe.routine();
        let numbers = [routine.made().count(), routine.kept().len(), warnings.len()];
        println!(
            "{name}: {} numbers made in a step, {} left to the next; {} warnings",
            numbers[0], numbers[1], numbers[2]
        );
    }
    println!("{with_physics} of {} import with their physics", all.len());
    assert!(with_physics >= 60, "{with_physics} of {}", all.len());
}

#[test]
fn the_program_names_file_line_and_element_and_writes_nothing_when_it_refuses() {
    let liner = fs::read_to_string(aircraft("liner")).unwrap();
    let place = tempfile::tempdir().unwrap();
    for (part, other, place_of_error, words) in [
        ("86500", "0", "aircraft.xml:19: <emptywt>: `0` is not allowed", "above 0"),
        ("86500", "NaN", "aircraft.xml:19: <emptywt>: `NaN` is not allowed", "finite number"),
        ("BOGEY", "STRUCTURE", "aircraft.xml:26: <ground_reactions>: ", "at least one wheel is required"),
        ("</fdm_config>", "", "aircraft.xml:70: ", "ends before"),
        ("<?xml version=\"1.0\"?>", "<!DOCTYPE a [<!ENTITY b '&c;&c;'>]>", "aircraft.xml:1: ", "<!DOCTYPE>"),
        ("<?xml version=\"1.0\"?>", "{}", "aircraft.xml:1: is not XML", "1:1"),
        (
            "<spring_coeff unit=\"LBS/FT\"> 125000 </spring_coeff>",
            "<strut_force/>",
            "aircraft.xml:44: <strut_force>: ",
            "<function> is missing",
        ),
    ] {
        assert!(liner.contains(part));
        fs::write(place.path().join("aircraft.xml"), liner.replace(part, other)).unwrap();
        let output = touchdown(place.path(), "import jsbsim aircraft.xml --out vehicle.toml");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{other}: {errors}");
        assert!(errors.contains(place_of_error) && errors.contains(words), "{other}: {errors}");
        assert!(!place.path().join("vehicle.toml").exists(), "{other}");
    }
    let output = touchdown(place.path(), "import jsbsim aircraft.xml --out aircraft.xml");
    assert_eq!(output.status.code(), Some(2));
    // Without the physics that it should have it would fly by none.
    for (part, other, words) in [
        ("<axis name='LIFT'>", "<axis name='LOFT'>", ": <axis>: name `LOFT` is not allowed"),
        ("<gain>0.4</gain>", "<gain>much of it</gain>", ": <gain>: `much of it` is not allowed"),
        ("<input>fcs/aileron-cmd-norm</input>", "<input>5</input>", ": <input>: `5` is not allowed"),
    ] {
        assert!(PHYSICS.contains(part), "{part}");
        fs::write(place.path().join("aircraft.xml"), liner_that_flies().replace(part, other)).unwrap();
        let output = touchdown(place.path(), "import jsbsim aircraft.xml --out vehicle.toml");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{other}: {errors}");
        assert!(errors.contains("aircraft.xml:") && errors.contains(words), "{other}: {errors}");
        assert!(!place.path().join("vehicle.toml").exists(), "{other}");
    }
}
