//! Struts given by functions.

use super::*;

/// The nose wheel's spring and damper replaced by a function.
fn with_function(function: &str) -> String {
    let (spring, damper) =
        ("<spring_coeff unit='N/M'>40000</spring_coeff>\n", "<damping_coeff unit='N/M/SEC'>3500</damping_coeff>\n");
    changed(&format!("{spring}{damper}"), &format!("<strut_force><function>{function}</function></strut_force>\n"))
}

const COMPRESSION: &str = "<property>gear/unit[0]/compression-ft</property>";
const SPEED: &str = "<p>gear/unit[0]/compression-velocity-fps</p>";

#[test]
fn functions_of_struts_that_are_springs_and_dampers_are_taken() {
    let (foot, pound) = (0.3048, 0.453_592_37 * 9.80665);
    let function = format!(
        "<sum><product><value>-5000</value>{COMPRESSION}</product>\
         <ifthen><ge>{SPEED}<v>0</v></ge><product><v>-150</v>{SPEED}</product>\
         <product><v>3</v>{SPEED}<abs>{SPEED}</abs><v>-1</v></product></ifthen></sum>"
    );
    let nose = read(&with_function(&function)).0.wheels[0].parameters;
    assert_near(nose.k_z, -5000.0 * pound / foot);
    assert_near(nose.compression_damper().linear, -150.0 * pound / foot);
    let rebound = nose.rebound_damper();
    assert_eq!((nose.compression_damper().square, rebound.linear), (0.0, 0.0));
    assert_near(rebound.square, -3.0 * pound / (foot * foot));

    let table = "<difference><v>0</v><table><independentVar lookup='row'>gear/unit[0]/compression-ft</independentVar>\
         <tableData>0 0 0.5 400 1.0 3000</tableData></table></difference>";
    let nose = read(&with_function(table)).0.wheels[0].parameters;
    let strut = nose.strut.unwrap();
    let slopes: Vec<_> = strut.lines().iter().map(|line| line.slope * foot / pound).collect();
    assert!((slopes[0] - 800.0).abs() < 1e-6 && (slopes[1] - 5200.0).abs() < 1e-6, "{slopes:?}");
    assert_eq!((nose.d_z, nose.rebound_damper().linear), (0.0, 0.0));
}

/// The same words mean the same wherever a file has a function: here a sign before a name, numbers by their names, powers.
#[test]
fn functions_of_struts_are_read_as_all_functions_are() {
    let (foot, pound) = (0.3048, 0.453_592_37 * 9.80665);
    let function = "<sum><product><pow><v>10</v><v>3</v></pow><p>-gear/unit[#]/compression-ft</p></product>\
         <product><pi/><p>-gear/unit/compression-velocity-fps</p></product></sum>";
    let nose = read(&with_function(function)).0.wheels[0].parameters;
    assert_near(nose.k_z, -1000.0 * pound / foot);
    assert_near(nose.d_z, -std::f64::consts::PI * pound / foot);
}

#[test]
fn functions_of_struts_that_no_wheel_can_have_are_refused() {
    let linear = format!("<product><value>-5000</value>{COMPRESSION}</product>");
    for (function, message) in [
        ("<property>fcs/hook</property>".to_owned(), "`fcs/hook` is not allowed: a strut may depend on gear/unit[0]/"),
        (format!("<product>{linear}{COMPRESSION}</product>"), "must be a spring, straight between"),
        (format!("<sum>{linear}<product>{COMPRESSION}{SPEED}</product></sum>"), "must be a spring, straight between"),
        (format!("<sum>{linear}{SPEED}</sum>"), "must be a spring, straight between"),
        (format!("<sum>{linear}<v>-7</v></sum>"), "the force without compression must be 0"),
        (format!("<product><v>5000</v>{COMPRESSION}</product>"), "must not be below 0 N"),
        (format!("<sum>{linear}<product><v>-200</v><sin><product><v>12.566370614359172</v>{COMPRESSION}</product></sin></product></sum>"),
            "must be a spring, straight between"),
        (format!("<sum>{linear}<quotient><v>1</v><difference>{SPEED}<v>4</v></difference></quotient></sum>"),
            "must be a spring, straight between"),
        (format!("<twist>{COMPRESSION}</twist>"), "<twist>: is not read: must be value, property"),
        (format!("{linear}{linear}"), "a function has one value"),
        (format!("<quotient>{COMPRESSION}</quotient>"), "1 arguments are not allowed"),
        (linear.replace("-5000", "many"), "must be a finite number"),
        (
            "<table><independentVar>gear/unit[0]/compression-ft</independentVar><tableData>0 1 2</tableData></table>"
                .to_owned(),
            "must hold pairs of a point and a value",
        ),
        (
            "<table><independentVar>gear/unit[0]/compression-velocity-fps</independentVar><tableData>0 0 1 2</tableData></table>"
                .to_owned(),
            "a table must be over the strut's own compression",
        ),
        (format!("{}{linear}{}", "<abs>".repeat(80), "</abs>".repeat(80)), "more than 38 elements within each other"),
    ] {
        let refusal = convert("least.xml", &with_function(&function)).unwrap_err();
        assert!(refusal.message.contains(message), "{function}: {}, expected {message}", refusal.message);
    }
}
