use glam::DVec3;

use super::file::Parsed;
use super::*;
use crate::vehicle::Inertia;

mod pads;
mod struts;

/// The least that an aircraft may say, a tricycle of round figures in SI units; lines are counted in [`REFUSED`].
const MIN: &str = "\
<fdm_config name='least'>
<mass_balance>
<ixx unit='KG*M2'>1200</ixx>
<iyy unit='KG*M2'>1800</iyy>
<izz unit='KG*M2'>2600</izz>
<emptywt unit='KG'>1000</emptywt>
<location name='CG' unit='M'><x>2</x><y>0</y><z>1</z></location>
</mass_balance>
<ground_reactions>
<contact type='BOGEY' name='nose'>
<location unit='M'><x>1</x><y>0</y><z>0</z></location>
<spring_coeff unit='N/M'>40000</spring_coeff>
<damping_coeff unit='N/M/SEC'>3500</damping_coeff>
</contact>
<contact type='BOGEY' name='left'>
<location unit='M'><x>3</x><y>-1</y><z>0</z></location>
<static_friction>0.8</static_friction>
<rolling_friction>0.05</rolling_friction>
<spring_coeff unit='N/M'>40000</spring_coeff>
<damping_coeff unit='N/M/SEC'>3500</damping_coeff>
<brake_group>LEFT</brake_group>
</contact>
<contact type='BOGEY' name='right'>
<location unit='M'><x>3</x><y>1</y><z>0</z></location>
<spring_coeff unit='N/M'>40000</spring_coeff>
<damping_coeff unit='N/M/SEC'>3500</damping_coeff>
</contact>
</ground_reactions>
</fdm_config>
";

fn convert(name: &str, code: &str) -> Result<(String, Vec<String>), JsbsimError> {
    convert_with(name, code, &[])
}

fn convert_with(name: &str, code: &str, files: &[(&str, &str)]) -> Result<(String, Vec<String>), JsbsimError> {
    let files: Vec<_> = files.iter().map(|(file, code)| ((*file).to_owned(), (*code).to_owned())).collect();
    super::convert(name, &Parsed::new(code, &files)?.sections()?, StructureContacts::Points, None)
}

fn convert_to_pads(code: &str) -> Result<(String, Vec<String>), JsbsimError> {
    super::convert("least.xml", &Parsed::new(code, &[])?.sections()?, StructureContacts::Pads, None)
}

fn read(text: &str) -> (Vehicle, String) {
    parsed(convert("least.xml", text).unwrap())
}

fn parsed((text, warnings): (String, Vec<String>)) -> (Vehicle, String) {
    let vehicle = Vehicle::from_document(&Document::parse("least.toml", &text).unwrap()).unwrap();
    (vehicle, warnings.join("\n"))
}

/// The least aircraft with a part replaced.
fn changed(part: &str, other: &str) -> String {
    assert!(MIN.contains(part), "{part}");
    MIN.replacen(part, other, 1)
}

/// What it takes to tell two numbers apart that differ in the last of twelve digits, and a little.
const DIGITS: f64 = 1e-11;

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= DIGITS * expected.abs().max(1.0), "{found} instead of {expected}");
}

#[test]
fn a_tricycle_gets_what_it_is_given_and_what_follows() {
    // A nose as stiff as both mains together: it stands level.
    let (vehicle, warnings) = read(&changed("40000</spring_coeff>", "80000</spring_coeff>"));
    assert_eq!((vehicle.name.as_str(), vehicle.mass), ("least", 1000.0));
    assert_eq!(vehicle.inertia, Inertia { xx: 1200.0, yy: 1800.0, zz: 2600.0, xy: 0.0, xz: 0.0, yz: 0.0 });
    let names: Vec<_> = vehicle.wheels.iter().map(|wheel| (wheel.name.as_str(), wheel.main)).collect();
    assert_eq!(names, [("nose", false), ("left", true), ("right", true)]);
    let [nose, left, _] = &vehicle.wheels[..] else { panic!("{names:?}") };
    // x aft and z up of the structural frame are forward and down of ours.
    assert_eq!((nose.position.x, nose.position.y), (1.0, 0.0));
    assert_eq!((left.position.x, left.position.y), (-1.0, -1.0));
    let p = &left.parameters;
    assert_near(left.position.z + p.z_zero, 1.0);
    assert_eq!((p.k_z, p.d_z, p.rolling_resistance, p.z_min, p.z_max), (-40e3, -3500.0, 0.05, 0.0, p.z_zero));
    // The nose carries a half, each main wheel a quarter.
    let load = 0.25 * 1000.0 * 9.80665;
    let six_digits = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 5e-6, "{found} {expected}");
    six_digits(-p.k_xy, load / 0.03);
    six_digits(-p.d_xy, 0.05 * load / 0.03);
    assert!((left.brake_friction - 0.75).abs() < 1e-12 && left.brake == 0.0);
    six_digits(-nose.parameters.k_xy, 2.0 * load / 0.075);
    assert_eq!((nose.brake_friction, nose.steering), (0.0, 0.0));
    // 1 / (1/1000 + 1/1800 + 1/1200) = 418.6 kg on one main wheel; zeta = 0.428.
    let (mass, k, d): (f64, f64, f64) = (1.0 / (1e-3 + 1.0 / 1800.0 + 1.0 / 1200.0), 40e3, 3500.0);
    let zeta = d / (2.0 * (k * mass).sqrt());
    let slowness = zeta / (1.0 - zeta * zeta).sqrt();
    let travel = mass * 9.80665 / k * (1.0 + (-std::f64::consts::PI * slowness).exp())
        + 3.048 * (mass / k).sqrt() * (-slowness * zeta.acos()).exp();
    six_digits(p.z_zero, travel);
    assert!(vehicle.aerodynamics.is_none() && vehicle.structure.is_empty() && vehicle.approach.airspeed == 0.0);
    assert!(warnings.contains("line 1: <metrics> is missing: no wing"), "{warnings}");
}

#[test]
fn dampers_of_rebound_and_square_ones_are_taken() {
    let damper = "<damping_coeff unit='N/M/SEC'>3500</damping_coeff>";
    for (text, expected) in [
        (damper.to_owned(), [3500.0, 0.0, 3500.0, 0.0]),
        (
            format!("{damper}<damping_coeff_rebound unit='N/M/SEC'>700</damping_coeff_rebound>"),
            [3500.0, 0.0, 700.0, 0.0],
        ),
        (
            format!("{damper}<damping_coeff_rebound type='SQUARE' unit='N/M2/SEC2'>90</damping_coeff_rebound>"),
            [3500.0, 0.0, 0.0, 90.0],
        ),
        ("<damping_coeff type='SQUARE' unit='N/M2/SEC2'>800</damping_coeff>".to_owned(), [0.0, 800.0, 0.0, 800.0]),
        ("<damping_coeff type='SQUARE'>10</damping_coeff>".to_owned(), [0.0, 478.802_589_8, 0.0, 478.802_589_8]),
    ] {
        let vehicle = read(&changed(damper, &text)).0;
        let p = &vehicle.wheels[0].parameters;
        let (compression, rebound) = (p.compression_damper(), p.rebound_damper());
        let found = [compression.linear, compression.square, rebound.linear, rebound.square];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found + expected).abs() < 1e-6, "{text}: {found} instead of {}", -expected);
        }
    }
}

#[test]
fn wheels_that_caster_in_jsbsim_caster() {
    let left = "<brake_group>LEFT</brake_group>";
    for (text, casters) in [
        ("<max_steer>360</max_steer>", true),
        ("<castered>1</castered>", true),
        ("<max_steer>360</max_steer><castered>0</castered>", false),
        ("<max_steer>20</max_steer>", false),
    ] {
        let found: Vec<_> = read(&changed(left, text)).0.wheels.iter().map(|wheel| wheel.parameters.caster).collect();
        assert_eq!(found, [false, casters, false], "{text}");
    }
}

#[test]
fn of_moments_that_no_body_has_that_of_yaw_gives_way() {
    for (from, to, expected) in [
        ("2600</izz>", "3700</izz>", [1200.0, 1800.0, 3000.0]),
        ("1800</iyy>", "5000</iyy>", [1200.0, 5000.0, 3800.0]),
        ("1200</ixx>", "9000</ixx>", [9000.0, 1800.0, 7200.0]),
    ] {
        let inertia = read(&changed(from, to)).0.inertia;
        for (found, expected) in [inertia.xx, inertia.yy, inertia.zz].into_iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-8, "{to}: {inertia:?}");
        }
    }
}

#[test]
fn sections_may_stand_in_files_of_their_own() {
    let (start, end) = (MIN.find("<ground_reactions>").unwrap(), MIN.find("</fdm_config>").unwrap());
    let gear = &MIN[start..end];
    let undamped = gear.replacen("<damping_coeff unit='N/M/SEC'>3500</damping_coeff>", "", 1);
    assert_ne!(undamped, gear);
    for name in ["Gear.xml", "Gear"] {
        let aircraft = MIN.replace(gear, &format!("<ground_reactions file='{name}'/>"));
        let (text, _) = convert_with("least.xml", &aircraft, &[("Gear.xml", gear)]).unwrap();
        let vehicle = Vehicle::from_document(&Document::parse("least.toml", &text).unwrap()).unwrap();
        assert_eq!(vehicle, read(MIN).0);
        let (_, warnings) = convert_with("least.xml", &aircraft, &[("Gear.xml", &undamped)]).unwrap();
        assert!(warnings.join("\n").contains("line 2 of Gear.xml: contact `nose` has no damper"), "{warnings:?}");
        let refused =
            convert_with("least.xml", &aircraft, &[("Gear.xml", &gear.replacen("40000", "0", 1))]).unwrap_err();
        assert_eq!((refused.spot.file.as_str(), refused.spot.line), ("Gear.xml", 4), "{}", refused.message);
        let other = convert_with("least.xml", &aircraft, &[("Gear.xml", "<gear/>")]).unwrap_err();
        assert!(other.message.contains("must be <ground_reactions>"), "{}", other.message);
    }
}

/// Products of a swarm of points in the structural frame, as integrals.
fn swarm() -> (Vec<(f64, DVec3)>, [f64; 6]) {
    let points = vec![
        (300.0, DVec3::new(-2.0, 0.5, 0.2)),
        (200.0, DVec3::new(1.5, -1.0, 0.9)),
        (250.0, DVec3::new(0.4, 1.2, -0.7)),
        (150.0, DVec3::new(2.0, -1.5, 0.1)),
        (100.0, DVec3::new(-1.0, -0.4, -0.5)),
    ];
    let mass: f64 = points.iter().map(|(mass, _)| mass).sum();
    let center: DVec3 = points.iter().map(|&(mass, place)| mass * place).sum::<DVec3>() / mass;
    let points: Vec<_> = points.into_iter().map(|(mass, place)| (mass, place - center)).collect();
    let sum = |of: fn(DVec3) -> f64| points.iter().map(|&(mass, place)| mass * of(place)).sum::<f64>();
    let integrals = [
        sum(|p| p.y * p.y + p.z * p.z),
        sum(|p| p.x * p.x + p.z * p.z),
        sum(|p| p.x * p.x + p.y * p.y),
        sum(|p| p.x * p.y),
        sum(|p| p.x * p.z),
        sum(|p| p.y * p.z),
    ];
    (points, integrals)
}

/// The moments and products of the least aircraft replaced.
fn with_inertia(attribute: &str, [xx, yy, zz, xy, xz, yz]: [f64; 6]) -> String {
    let unit = "unit='KG*M2'";
    changed("<mass_balance>", &format!("<mass_balance {attribute}>"))
        .replace(&format!("<ixx {unit}>1200</ixx>"), &format!("<ixx {unit}>{xx}</ixx><ixy {unit}>{xy}</ixy>"))
        .replace(&format!("<iyy {unit}>1800</iyy>"), &format!("<iyy {unit}>{yy}</iyy><ixz {unit}>{xz}</ixz>"))
        .replace(&format!("<izz {unit}>2600</izz>"), &format!("<izz {unit}>{zz}</izz><iyz {unit}>{yz}</iyz>"))
}

#[test]
fn products_of_inertia_mean_the_same_body_in_both_of_jsbsims_conventions() {
    let (points, [xx, yy, zz, xy, xz, yz]) = swarm();
    // Straight from the points, in body axes.
    let product = |of: fn(DVec3) -> f64| {
        points.iter().map(|&(mass, place)| mass * of(place * DVec3::new(-1.0, 1.0, -1.0))).sum::<f64>()
    };
    let expected = [product(|p| p.x * p.y), product(|p| p.x * p.z), product(|p| p.y * p.z)];
    assert!(expected.iter().all(|product| product.abs() > 10.0), "{expected:?} must tell signs apart");
    for (attribute, sign) in
        [("", -1.0), ("negated_crossproduct_inertia='true'", -1.0), ("negated_crossproduct_inertia='false'", 1.0)]
    {
        let inertia = read(&with_inertia(attribute, [xx, yy, zz, sign * xy, sign * xz, sign * yz])).0.inertia;
        for (found, expected) in [inertia.xy, inertia.xz, inertia.yz].into_iter().zip(expected) {
            assert_near(found, expected);
        }
    }
}

#[test]
fn point_masses_move_the_centre_and_add_their_moments_about_it() {
    let whole = read(MIN).0;
    // Two halves of 60 kg, 0.5 m before and behind a place 1 m ahead of the centre and 0.2 m above it.
    let halves: String = [0.5, 1.5]
        .map(|x| format!("<pointmass><weight unit='KG'>60</weight><location unit='M'><x>{x}</x><y>0</y><z>1.2</z></location></pointmass>"))
        .concat();
    let (loaded, _) = read(&changed("</mass_balance>", &(halves + "</mass_balance>")));
    assert_near(loaded.mass, 1120.0);
    let (share, x, z) = (120.0 / 1120.0, 1.0, -0.2);
    // The wheels have moved back and down by the shift of the centre.
    assert!((whole.wheels[0].position.x - loaded.wheels[0].position.x - share * x).abs() < 1e-6);
    let reach = |vehicle: &Vehicle| vehicle.wheels[0].position.z + vehicle.wheels[0].parameters.z_zero;
    assert!((reach(&loaded) - reach(&whole) + share * z).abs() < 1e-6);
    // The reduced mass over the distance, and the halves about their own place.
    let reduced = 1000.0 * 120.0 / 1120.0;
    let inertia = loaded.inertia;
    assert_near(inertia.xx, 1200.0 + reduced * z * z);
    assert_near(inertia.yy, 1800.0 + reduced * (x * x + z * z) + 120.0 * 0.25);
    assert_near(inertia.zz, 2600.0 + reduced * x * x + 120.0 * 0.25);
    assert_near(inertia.xz, reduced * x * z);
}

#[test]
fn point_masses_have_forms_or_moments_of_their_own() {
    let added = |inside: &str| {
        let point = format!(
            "<pointmass><weight unit='KG'>12</weight><location unit='M'><x>2</x><y>0</y><z>1</z></location>{inside}</pointmass>"
        );
        let (vehicle, warnings) = read(&changed("</mass_balance>", &(point + "</mass_balance>")));
        let inertia = vehicle.inertia;
        ([inertia.xx - 1200.0, inertia.yy - 1800.0, inertia.zz - 2600.0], warnings)
    };
    let form =
        |shape: &str| format!("<form shape='{shape}'><radius unit='M'>0.5</radius><length unit='M'>2</length></form>");
    // Textbook moments of 12 kg, radius 0.5 m, length 2 m.
    for (inside, expected) in [
        (form("tube"), [3.0, 5.5, 5.5]),
        (form("cylinder"), [1.5, 4.75, 4.75]),
        (form("sphere"), [2.0; 3]),
        (form("ball"), [1.2; 3]),
        ("<ixx unit='KG*M2'>7</ixx><izz unit='KG*M2'>8</izz>".to_owned(), [7.0, 0.0, 8.0]),
        (form("egg"), [0.0; 3]),
    ] {
        let (found, warnings) = added(&inside);
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 2600.0 * DIGITS, "{inside}: {found} instead of {expected}");
        }
        assert_eq!(warnings.contains("<form> is left out"), inside.contains("egg"), "{warnings}");
    }
}

#[test]
fn units_are_those_of_the_attributes_and_jsbsims_own_without_them() {
    let slug = 14.593_902_937_206_364;
    let bare = changed("<ixx unit='KG*M2'>1200</ixx>", "<ixx>1000</ixx>")
        .replace("<emptywt unit='KG'>1000</emptywt>", "<emptywt>2000</emptywt>")
        .replace("<location unit='M'><x>1</x><y>0</y><z>0</z></location>", "<location><x>40</x><y>0</y><z>0</z></location>")
        .replacen("<spring_coeff unit='N/M'>40000", "<spring_coeff>3000", 1)
        .replacen("<damping_coeff unit='N/M/SEC'>3500", "<damping_coeff>250", 1)
        .replace("</fdm_config>", "<metrics><wingarea>100</wingarea><wingspan unit='M'>9</wingspan><chord unit='IN'>50</chord></metrics></fdm_config>");
    let (vehicle, _) = read(&bare);
    assert_near(vehicle.mass, 907.184_74);
    assert_near(vehicle.inertia.xx, 1000.0 * slug * 0.3048 * 0.3048);
    let nose = &vehicle.wheels[0];
    assert!((nose.position.x - (2.0 - 1.016)).abs() < 1e-6);
    assert_near(nose.parameters.k_z, -3000.0 * slug);
    assert_near(nose.parameters.d_z, -250.0 * slug);
    let wing = vehicle.aerodynamics.unwrap();
    assert_near(wing.area, 9.290_304);
    assert_near(wing.span, 9.0);
    assert_near(wing.chord, 1.27);
    // Lift coefficient 1.5 at sea level carries the weight.
    let speed = vehicle.approach.airspeed;
    assert!((0.5 * 1.225 * speed * speed * wing.area * 1.5 / (vehicle.mass * 9.80665) - 1.0).abs() < 1e-5);
}

#[test]
fn doubtful_things_are_warnings_with_their_lines() {
    let left = "<brake_group>LEFT</brake_group>";
    let end = "</fdm_config>";
    for (part, other, warning) in [
        ("<emptywt", "<gas/><emptywt", "line 6: <gas> is left out"),
        (
            "<izz unit='KG*M2'>2600",
            "<izz unit='KG*M2'>3100",
            "line 5: no body has this inertia: 3100 kg m2 about Z, with 1200 about X and 1800 about Y",
        ),
        (
            left,
            "<brake_group>NOSE</brake_group>",
            "line 21: brake group `NOSE` of contact `left` is left without a brake",
        ),
        (left, "<max_steer>-20</max_steer>", "line 15: contact `left` turns to the left when steered to the right"),
        (left, "<max_steer>120</max_steer>", "line 15: contact `left` is steered by 120 deg; taken as 90 deg"),
        (left, "<max_steer>20</max_steer>", "line 15: contact `left` is steered behind the centre of gravity"),
        (left, "<dynamic_friction>0.9</dynamic_friction>", "line 15: static friction 0.8 of contact `left` is below"),
        (left, "<orientation/>", "line 21: <orientation> is left out"),
        (left, "<table name='CORNERING_COEFF'/>", "line 21: <table> is left out: friction is the ground's"),
        (left, "<x1/><x1/>", "line 21: <x1> is left out (2 times)"),
        ("<damping_coeff unit='N/M/SEC'>3500</damping_coeff>", "", "line 10: contact `nose` has no damper"),
        ("<x>2</x>", "<x>3.1</x>", "line 9: the vehicle cannot stand"),
        ("<x>2</x>", "<x>0.9</x>", "line 9: the vehicle cannot stand"),
        (end, "<propulsion/></fdm_config>", "line 29: <propulsion> is left out: no thrust, and 0 kg of fuel"),
        (end, "<system/></fdm_config>", "line 29: <system> is left out"),
        (
            end,
            "<metrics><wingarea>0</wingarea></metrics></fdm_config>",
            "line 29: <wingarea>, <wingspan> or <chord> is missing or 0",
        ),
    ] {
        let (_, warnings) = read(&changed(part, other));
        assert!(warnings.contains(warning), "{other}:\n{warnings}\nexpected {warning}");
        assert!(!read(MIN).1.contains(warning), "{warning} is not about {other}");
    }
}

#[test]
fn structural_points_stay_clear_of_the_ground_that_the_vehicle_stands_on() {
    let point = |kind: &str, z: f64| {
        let text = format!(
            "<contact type='{kind}' name='a tail'><location unit='M'><x>4</x><y>0.5</y><z>{z}</z></location></contact></ground_reactions>"
        );
        read(&changed("</ground_reactions>", &text))
    };
    // It stands 60 mm deep behind and 126 mm before: 27 mm above the main wheels' line, 1 m behind, is just clear.
    let (vehicle, warnings) = point("STRUCTURE", 0.05);
    assert_eq!(vehicle.structure[0].name, "a_tail");
    assert_eq!(vehicle.structure[0].position, DVec3::new(-2.0, 0.5, 0.95));
    assert!(!warnings.contains("touches the ground"), "{warnings}");
    let (_, warnings) = point("SKID", 0.02);
    assert!(warnings.contains("line 28: contact `a tail` touches the ground when the vehicle stands"), "{warnings}");
    assert!(warnings.contains("line 28: type `SKID` is taken for STRUCTURE"), "{warnings}");
}

#[test]
fn names_become_keys_each_once_and_text_cannot_leave_its_place() {
    let hostile = changed("name='nose'", "name=' Left&#10;main = true &quot; Gear '")
        .replace("name='left'", "name='left main-true.gear'")
        .replace("name='right'", "name='\u{e9}'")
        .replace("name='least'", "name='a &quot;b&quot; \\ &#10;mass = 0 \u{7f}'");
    let (vehicle, _) = read(&hostile);
    let names: Vec<_> = vehicle.wheels.iter().map(|wheel| wheel.name.as_str()).collect();
    assert_eq!(names, ["left_main_true_gear", "left_main_true_gear_2", "wheel"]);
    assert_eq!(vehicle.name, "a \"b\" \\  mass = 0  ");
    assert_eq!(read(&changed(" name='least'", "")).0.name, "least.xml");
}

/// A part of the least aircraft, what it is replaced by, the line of the error and what the message says.
const REFUSED: &[(&str, &str, usize, &str)] = &[
    ("<fdm_config name='least'>", "<FDM_CONFIG>", 29, "is not XML: expected 'FDM_CONFIG' tag, not 'fdm_config'"),
    ("<fdm_config name='least'>", "<!DOCTYPE a [<!ENTITY b 'c'>]><fdm_config>", 1, "<!DOCTYPE> is not allowed"),
    ("<emptywt", "<emptywt &b;", 6, "is not XML"),
    ("1000</emptywt>", "&b;</emptywt>", 6, "is not XML: unknown entity reference 'b'"),
    ("</fdm_config>\n", "", 28, "ends before its first element is closed"),
    ("<mass_balance>", "<mass_balance file='mass.xml'>", 2, "<mass_balance>: `mass.xml` is missing"),
    ("<ixx unit='KG*M2'>1200</ixx>", "", 2, "<mass_balance>: <ixx> is missing"),
    ("1200</ixx>", "-1</ixx>", 3, "<ixx>: `-1` is not allowed: must be above 0"),
    ("</izz>", "</izz><ixz unit='KG*M2'>1e4</ixz>", 2, "no body has this inertia: the products are too large"),
    ("1000</emptywt>", "0</emptywt>", 6, "<emptywt>: `0` is not allowed: must be above 0"),
    ("1000</emptywt>", "NaN</emptywt>", 6, "<emptywt>: `NaN` is not allowed: must be a finite number"),
    ("1000</emptywt>", "inf</emptywt>", 6, "`inf` is not allowed: must be a finite number"),
    ("1000</emptywt>", "</emptywt>", 6, "<emptywt>: `` is not allowed: must be a finite number"),
    ("1000</emptywt>", "1 ton</emptywt>", 6, "`1 ton` is not allowed: must be a finite number"),
    ("1000</emptywt>", "<value>7</value></emptywt>", 6, "<emptywt>: must be a number, and holds <value>"),
    ("unit='KG'", "unit='STONE'", 6, "<emptywt>: unit `STONE` is not allowed: must be one of LBS, KG, SLUG"),
    ("name='CG'", "name='VRP'", 2, "<location name=\"CG\"> is missing"),
    ("<y>0</y><z>1</z>", "<y>0</y>", 7, "<location>: <z> is missing"),
    ("</mass_balance>", "<pointmass/></mass_balance>", 8, "<pointmass>: <weight> is missing"),
    ("</mass_balance>", "<pointmass><weight>-1</weight></pointmass></mass_balance>", 8, "must be at least 0"),
    ("<spring_coeff unit='N/M'>40000</spring_coeff>", "", 10, "<contact>: <spring_coeff> is missing"),
    ("40000</spring_coeff>", "0</spring_coeff>", 12, "<spring_coeff>: `0` is not allowed: must be above 0"),
    ("<damping_coeff unit='N/M/SEC'>3500", "<damping_coeff type='CUBE'>3500", 13, "type `CUBE` is not allowed"),
    (
        "<damping_coeff unit='N/M/SEC'>3500",
        "<damping_coeff type='SQUARE' unit='N/M/SEC'>3500",
        13,
        "LBS/FT2/SEC2, N/M2/SEC2",
    ),
    ("3500</damping_coeff>", "-3500</damping_coeff>", 13, "`-3500` is not allowed: must be at least 0"),
    ("<spring_coeff unit='N/M'>40000</spring_coeff>", "<strut_force/>", 12, "<strut_force>: <function> is missing"),
    (
        "<location unit='M'><x>1</x>",
        "<location unit='KG'><x>1</x>",
        11,
        "unit `KG` is not allowed: must be one of IN, FT",
    ),
    ("0.8</static_friction>", "-0.8</static_friction>", 17, "must be at least 0"),
    ("<static_friction>", "<static_friction unit='FT'>", 17, "unit `FT` is not allowed: must be one of none"),
];

#[test]
fn what_no_vehicle_can_be_made_of_is_refused_where_it_stands() {
    for (part, other, line, message) in REFUSED {
        let refusal = convert("least.xml", &changed(part, other)).unwrap_err();
        assert!(refusal.message.contains(message), "{other}: {}, expected {message}", refusal.message);
        assert_eq!(refusal.spot.line, *line, "{other}: {}", refusal.message);
    }
}

#[test]
fn missing_sections_and_wheels_are_refused() {
    let without = |from: &str, to: &str| {
        let (start, end) = (MIN.find(from).unwrap(), MIN.find(to).unwrap() + to.len());
        convert("least.xml", &format!("{}{}", &MIN[..start], &MIN[end..])).unwrap_err().message
    };
    assert_eq!(without("<mass_balance>", "</mass_balance>"), "<fdm_config>: <mass_balance> is missing");
    assert_eq!(without("<ground_reactions>", "</ground_reactions>"), "<fdm_config>: <ground_reactions> is missing");
    let wheelless = convert("least.xml", &MIN.replace("BOGEY", "STRUCTURE")).unwrap_err();
    assert_eq!((wheelless.spot.line, wheelless.message.contains("at least one wheel is required; --pads")), (9, true));
    let (start, end) = (MIN.find("<contact").unwrap(), MIN.rfind("</contact>").unwrap() + "</contact>".len());
    let bare = convert_to_pads(&format!("{}{}", &MIN[..start], &MIN[end..])).unwrap_err();
    assert_eq!((bare.spot.line, bare.message.contains("at least one wheel or pad is required")), (9, true));
    let wheels = "<contact type='BOGEY'/>".repeat(MANY);
    let many = convert("least.xml", &changed("</ground_reactions>", &(wheels + "</ground_reactions>"))).unwrap_err();
    assert_eq!(many.message, "<contact>: 20 wheels are not allowed: at most 16");
    let points = "<contact type='STRUCTURE'/>".repeat(65);
    let many =
        convert("least.xml", &changed("</ground_reactions>", &(points.clone() + "</ground_reactions>"))).unwrap_err();
    assert_eq!(many.message, "<contact>: 65 structural points are not allowed: at most 64");
    let many = convert_to_pads(&changed("</ground_reactions>", &(points + "</ground_reactions>"))).unwrap_err();
    assert_eq!(many.message, "<contact>: 68 wheels and pads are not allowed: at most 16");
}

/// With the three that it has, 20 wheels.
const MANY: usize = 17;

#[test]
fn every_beginning_of_a_file_is_refused_and_none_panics() {
    for end in 0..MIN.trim_end().len() {
        assert!(convert("least.xml", &MIN[..end]).is_err(), "{}", &MIN[..end]);
    }
}

#[test]
fn numbers_beyond_all_measure_are_refused_or_read_and_never_written_as_none() {
    for huge in ["1e300", "1e-300", "1e155", "-1e300"] {
        for (at, _) in MIN.match_indices('>') {
            let Some(length) = MIN[at + 1..].find('<') else { continue };
            if MIN[at + 1..at + 1 + length].parse::<f64>().is_err() {
                continue;
            }
            let text = format!("{}{huge}{}", &MIN[..=at], &MIN[at + 1 + length..]);
            if let Ok((text, _)) = convert("least.xml", &text) {
                assert!(!text.contains("NaN") && !text.contains("inf\n") && !text.contains("= inf"), "{text}");
            }
        }
    }
}

#[test]
fn deep_and_wide_files_are_read_in_time() {
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert!(convert("deep.xml", &deep).unwrap_err().message.contains("more than 256 elements"));
    let wide: String = (0..100_000).fold(String::new(), |text, number| text + &format!("<a{number}/>"));
    let (_, warnings) = convert("wide.xml", &changed("</fdm_config>", &(wide + "</fdm_config>"))).unwrap();
    assert!(warnings.len() > 100_000);
    let nodes = "<a/>".repeat(1_000_001);
    let refusal = convert("nodes.xml", &changed("</fdm_config>", &(nodes + "</fdm_config>"))).unwrap_err();
    assert!(refusal.message.contains("more than 1000000"), "{}", refusal.message);
}

#[test]
fn a_wing_tip_that_is_a_wheel_to_jsbsim_is_no_main_wheel() {
    let tip = |y: f64| {
        format!(
            "<contact type='BOGEY' name='tip'><location unit='M'><x>2</x><y>{y}</y><z>1.5</z></location>\
             <spring_coeff unit='N/M'>40000</spring_coeff></contact></ground_reactions>"
        )
    };
    let (vehicle, warnings) = read(&changed("</ground_reactions>", &tip(5.0)));
    let main: Vec<_> = vehicle.wheels.iter().map(|wheel| wheel.main).collect();
    assert_eq!(main, [false, true, true, false]);
    assert!(warnings.contains("line 28: contact `tip` carries nothing when the vehicle stands"), "{warnings}");
    // Horizontal springs for 1 % of the weight.
    assert!((vehicle.wheels[3].parameters.k_xy * 0.03 / (-0.01 * 9806.65) - 1.0).abs() < 5e-6);
}

#[test]
fn the_travel_is_made_for_what_a_wheel_carries_where_a_blow_moves_less() {
    // Slender in pitch: a blow on the nose moves 1 / (1/1000 + 1/100) = 91 kg, and it carries 500 kg.
    let slender = changed("1800</iyy>", "100</iyy>").replace("2600</izz>", "1250</izz>");
    let nose = &read(&slender).0.wheels[0].parameters;
    assert!(nose.z_zero > 500.0 * 9.80665 / 40e3, "{}", nose.z_zero);
}

#[test]
fn without_pairs_the_wheel_that_carries_most_is_main() {
    let row = MIN.replace("<y>-1</y>", "<y>0</y>").replace("<y>1</y>", "<y>0</y>").replace("<x>3</x>", "<x>2</x>");
    // They stand on a line: shares are equal, and all are as good as each other.
    assert!(read(&row).0.wheels.iter().all(|wheel| wheel.main));
}

#[test]
fn a_pair_that_casters_is_main_where_none_is_fixed() {
    let with = |element: &str| {
        let text = MIN.replace("<spring_coeff unit='N/M'>40000", &format!("{element}<spring_coeff unit='N/M'>40000"));
        read(&text).0.wheels.iter().map(|wheel| wheel.main).collect::<Vec<_>>()
    };
    // The nose carries a half: what is steered is main only where it carries most.
    assert_eq!(with("<castered>1</castered>"), [false, true, true]);
    assert_eq!(with("<max_steer unit='DEG'>10</max_steer>"), [true, false, false]);
}

#[test]
fn what_cannot_stand_touches_down_with_its_lowest_wheel() {
    // All on a line below the centre of gravity, those of the wing tips 0.2 m higher.
    let glider = ["<y>-1</y><z>0</z>", "<y>1</y><z>0</z>"]
        .iter()
        .fold(MIN.replace("<x>3</x>", "<x>2</x>").replace("<x>1</x>", "<x>2</x>"), |text, foot| {
            text.replace(foot, &foot.replace("<z>0</z>", "<z>0.2</z>"))
        });
    let (vehicle, warnings) = read(&glider);
    assert!(warnings.contains("cannot stand"), "{warnings}");
    let main: Vec<_> = vehicle.wheels.iter().map(|wheel| wheel.main).collect();
    assert_eq!(main, [true, false, false]);
}
