use super::*;
use crate::import::jsbsim::file::Parsed;

/// A cell of hydrogen of 1000 m^3 with a ballonet, and one of helium that is a cylinder.
const SECTION: &str = "\
<fdm_config><buoyant_forces>
<gas_cell type='HYDROGEN'>
<location unit='M'><x>5</x><y>0</y><z>2</z></location>
<x_radius unit='M'>10</x_radius><y_radius unit='M'>5</y_radius><z_radius unit='M'>4.774648292756860</z_radius>
<max_overpressure unit='PA'>400</max_overpressure>
<fullness>0.8</fullness>
<ballonet type='AIR'>
<location unit='M'><x>8</x><y>0</y><z>1</z></location>
<x_radius unit='M'>3</x_radius><y_radius unit='M'>2</y_radius><z_radius unit='M'>1.989436788648692</z_radius>
<fullness>0.5</fullness>
</ballonet>
</gas_cell>
<gas_cell type='HELIUM'>
<location unit='M'><x>1</x><y>0</y><z>2</z></location>
<x_width unit='M'>4</x_width><y_radius unit='M'>1</y_radius><z_radius unit='M'>1</z_radius>
<fullness>1</fullness>
</gas_cell>
</buoyant_forces></fdm_config>";

fn read(text: &str) -> Result<Vec<Cell>, JsbsimError> {
    let parsed = Parsed::new(text, &[])?;
    let sections = parsed.sections()?;
    cells(sections.get("buoyant_forces")?.unwrap())
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-4, "{found} instead of {expected}");
}

#[test]
fn a_cell_weighs_its_gas_and_displaces_as_much_air() {
    let [limp, full] = &read(SECTION).unwrap()[..] else { panic!("two cells") };
    let [ballonet, gas] = &limp.gases[..] else { panic!("a ballonet and its cell") };
    // 50 m^3 lie 25 m^3 deep in air; beside it there is room for the 800 m^3 of gas.
    near(ballonet.mass, 25.0 * 1.184_118);
    near(gas.mass, 800.0 * 0.085_424);
    near(gas.moments.x, 0.2 * gas.mass * (25.0 + 4.774_648_f64.powi(2)));
    near(limp.limp, 1.225 * 825.0);
    near(full.full, 4.0 * std::f64::consts::PI);
    near(full.gases[0].moments.y, full.gases[0].mass * (0.25 + 16.0 / 12.0));
    near(displaced(&[]) + displaced(&read(SECTION).unwrap()), 1.225 * (825.0 + 4.0 * std::f64::consts::PI));
}

#[test]
fn gas_that_finds_no_room_is_let_out() {
    let [tight, _] = &read(&SECTION.replace("0.8</fullness>", "1.0</fullness>")).unwrap()[..] else { panic!() };
    // Of 1000 m^3 it keeps 975, and what 400 Pa press into them.
    near(tight.gases[1].mass, 975.0 * (1.0 + 400.0 / 101_325.0) * 0.085_424);
    near(displaced(std::slice::from_ref(tight)), 1225.0);
}

/// Of one cell ahead of, and above, a centre of gravity, in air of this density.
fn loads(cell: usize, density: f64, roll: f64, pitch: f64) -> ([f64; 6], f64) {
    let cells = vec![read(SECTION).unwrap().swap_remove(cell)];
    let mut functions = Vec::new();
    add_lift(&mut functions, &cells, DVec3::new(6.0, 0.0, 1.0));
    let given = ["atmosphere/rho-slugs_ft3", "attitude/phi-rad", "attitude/theta-rad"].map(str::to_owned);
    let routine = crate::function::Routine::new(&functions, &given, &|_| 0.0, &|_| None).unwrap();
    let row = routine.row(&[density * FOOT.powi(3) / SLUG, roll, pitch], &[]);
    let newton = ENGINE_LOADS.map(|name| row[routine.place(name).unwrap()] * POUND_FORCE);
    (newton, 9.80665 * displaced(&cells))
}

#[test]
fn cells_lift_upwards_in_the_world_where_they_are() {
    let ([x, y, z, l, m, n], lift) = loads(0, 1.225, 0.0, 0.0);
    near(-z, lift);
    // 1 m ahead of the centre: it lifts the nose.
    near(m * FOOT, lift);
    assert!([x, y, l, n].iter().all(|number| number.abs() < 1e-6 * lift));
    let (roll, pitch) = (0.3_f64, 0.2_f64);
    let ([x, y, z, l, m, n], _) = loads(0, 1.225, roll, pitch);
    near(x, lift * pitch.sin());
    near(y, -lift * pitch.cos() * roll.sin());
    near(z, -lift * pitch.cos() * roll.cos());
    // About the centre, 1 m ahead and 1 m above: arm (1, 0, -1) times the force.
    near(l * FOOT, y);
    near(m * FOOT, -x - z);
    near(n * FOOT, y);
}

#[test]
fn the_first_step_already_lifts_with_several_cells_and_engines() {
    let cells = read(SECTION).unwrap();
    let none = |name: &str| Function { name: name.to_owned(), expression: 0.0.into() };
    let given = ["atmosphere/rho-slugs_ft3", "attitude/phi-rad", "attitude/theta-rad"].map(str::to_owned);
    for engines in [Vec::new(), ENGINE_LOADS.map(none).to_vec()] {
        let mut functions = engines;
        add_lift(&mut functions, &cells, DVec3::ZERO);
        let routine = crate::function::Routine::new(&functions, &given, &|_| 0.0, &|_| None).unwrap();
        assert!(routine.kept().is_empty(), "of the step before");
        let row = routine.row(&[DENSITY * FOOT.powi(3) / SLUG, 0.0, 0.0], &[]);
        near(-row[routine.place(ENGINE_LOADS[2]).unwrap()] * POUND_FORCE, 9.80665 * displaced(&cells));
    }
}

#[test]
fn a_limp_cell_carries_as_much_in_thin_air_and_a_full_one_less() {
    let thin = |cell| loads(cell, 1.1, 0.0, 0.0).0[2] / loads(cell, 1.225, 0.0, 0.0).0[2];
    near(thin(0), 1.0);
    near(thin(1), 1.1 / 1.225);
}

#[test]
fn what_is_no_cell_is_refused_where_it_stands() {
    for (part, other, line, message) in [
        ("type='HYDROGEN'", "type='STEAM'", 2, "type `STEAM` is not allowed: must be AIR, HELIUM, HYDROGEN"),
        ("<x_width unit='M'>4</x_width>", "", 13, "must be an ellipsoid of <x_radius>"),
        ("0.5</fullness>", "50</fullness>", 2, "its ballonets leave no room for the gas"),
        ("0.8</fullness>", "-0.8</fullness>", 6, "must be at least 0"),
        ("unit='PA'", "unit='BAR'", 5, "unit `BAR` is not allowed: must be one of LBS/FT2, PA"),
    ] {
        assert!(SECTION.contains(part), "{part}");
        let refusal = read(&SECTION.replacen(part, other, 1)).err().unwrap();
        assert!(refusal.message.contains(message), "{other}: {}", refusal.message);
        assert_eq!(refusal.spot.line, line, "{other}: {}", refusal.message);
    }
}
