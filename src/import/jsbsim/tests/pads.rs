//! Contacts of the structure as pads.

use super::*;
use crate::vehicle::{ContactFriction, GroundReactions};

/// The least aircraft with one more contact, of type STRUCTURE.
fn with_structure(numbers: &str) -> String {
    let place = "<location unit='M'><x>4</x><y>0.5</y><z>0.05</z></location>";
    let contact = format!("<contact type='STRUCTURE' name='tail'>{place}{numbers}</contact></ground_reactions>");
    changed("</ground_reactions>", &contact)
}

#[test]
fn contacts_of_the_structure_become_pads_with_numbers_of_their_own() {
    let (vehicle, warnings) = parsed(
        convert_to_pads(&with_structure(
            "<static_friction>0.9</static_friction><dynamic_friction>0.6</dynamic_friction><rubber>1</rubber>\
             <spring_coeff unit='N/M'>70000</spring_coeff><damping_coeff unit='N/M/SEC'>900</damping_coeff>\
             <damping_coeff_rebound unit='N/M/SEC'>300</damping_coeff_rebound>",
        ))
        .unwrap(),
    );
    assert_eq!(vehicle.ground_reactions, GroundReactions::Jsbsim);
    assert!(vehicle.structure.is_empty() && !warnings.contains("pads"), "{warnings}");
    assert!(warnings.contains("line 28: <rubber> is left out"), "{warnings}");
    let pad = &vehicle.wheels[3];
    assert_eq!((pad.name.as_str(), pad.main, pad.brake), ("tail", false, f64::INFINITY));
    let foot = pad.position + DVec3::Z * pad.parameters.z_zero;
    assert!((foot - DVec3::new(-2.0, 0.5, 0.95)).length() < 1e-9, "{foot}");
    assert_eq!((pad.parameters.k_z, pad.parameters.d_z), (-7e4, -900.0));
    assert_eq!(pad.parameters.rebound_damper().linear, -300.0);
    assert_eq!(pad.friction, Some(ContactFriction { at_rest: 0.9, moving: 0.6 }));
    // It carries nothing: wheels are as they are without it.
    let without = read(MIN).0;
    assert_eq!(vehicle.wheels[..3], without.wheels[..]);
    assert_eq!(without.ground_reactions, GroundReactions::Pebble);
}

/// An empty weight of 1000 kg has as many pounds per foot and per foot per second; without a rebound of its own that of
/// compression holds.
#[test]
fn pads_without_numbers_have_those_that_jsbsim_takes_from_the_empty_weight() {
    let vehicle = parsed(convert_to_pads(&with_structure("")).unwrap()).0;
    let pad = &vehicle.wheels[3];
    let expected = -1000.0 * 9.80665 / 0.3048;
    assert_near(pad.parameters.k_z, expected);
    assert_near(pad.parameters.d_z, expected);
    assert_near(pad.parameters.rebound_damper().linear, expected);
    assert_eq!(pad.friction, Some(ContactFriction { at_rest: 1.0, moving: 1.0 }));
}

#[test]
fn an_aircraft_without_wheels_stands_on_pads() {
    let (vehicle, warnings) = parsed(convert_to_pads(&MIN.replace("BOGEY", "STRUCTURE")).unwrap());
    let pads: Vec<_> = vehicle.wheels.iter().map(|pad| (pad.name.as_str(), pad.main, pad.brake)).collect();
    assert_eq!(
        pads,
        [("nose", false, f64::INFINITY), ("left", true, f64::INFINITY), ("right", true, f64::INFINITY)],
        "{warnings}"
    );
    // Pads neither brake nor roll, whatever the file says.
    assert!(vehicle.wheels.iter().all(|pad| pad.brake_friction == 0.0 && pad.parameters.rolling_resistance == 0.0));
}
