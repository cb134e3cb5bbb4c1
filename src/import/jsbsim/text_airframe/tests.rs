use std::sync::Arc;

use glam::DVec3;
use proptest::prelude::*;

use super::*;
use crate::document::Document;
use crate::function::{Expression, Operation, Table};
use crate::vehicle::Vehicle;

const VEHICLE: &str = "name = 'a'\nmass = 1000\ninertia = { xx = 1000, yy = 1000, zz = 1500 }\n\
    [approach]\nairspeed = 30\nsink_rate = 1\n\
    [wheels.main]\nmain = true\nposition = [0, 0, 0]\nk_xy = -1e4\nk_z = -1e4\nd_xy = -1e3\nd_z = -1e3\n\
    z_min = 0\nz_zero = 1\nz_max = 1\n";

fn read_back(text: &str) -> AirframeDescription {
    let document = Document::parse("vehicle.toml", &format!("{VEHICLE}{text}")).unwrap();
    let vehicle = Vehicle::from_document(&document).unwrap();
    vehicle.airframe.unwrap().description().clone()
}

fn number() -> impl Strategy<Value = f64> {
    let any = any::<f64>().prop_filter("finite", |number| number.is_finite());
    prop_oneof![any, -10.0..10.0, (-20..20).prop_map(f64::from), Just(-0.0), Just(1e15), Just(5e-324)]
}

/// Numbers that increase.
fn points(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::btree_set(-1000..1000, count)
        .prop_map(|all| all.into_iter().map(|number| f64::from(number) / 7.0).collect())
}

fn line() -> impl Strategy<Value = Table> {
    points(1..20).prop_flat_map(|points| {
        prop::collection::vec(number(), points.len())
            .prop_map(move |values| Table::Line { points: points.clone(), values })
    })
}

fn grid() -> impl Strategy<Value = Table> {
    (points(1..6), points(1..20)).prop_flat_map(|(rows, columns)| {
        prop::collection::vec(number(), rows.len() * columns.len()).prop_map(move |values| Table::Grid {
            rows: rows.clone(),
            columns: columns.clone(),
            values,
        })
    })
}

fn blocks<T: Strategy<Value = Table> + 'static>(table: fn() -> T) -> impl Strategy<Value = Table> {
    points(1..4).prop_flat_map(move |points| {
        prop::collection::vec(table(), points.len())
            .prop_map(move |tables| Table::Blocks { points: points.clone(), tables })
    })
}

fn table() -> impl Strategy<Value = Arc<Table>> {
    let deeper = || blocks(|| blocks(grid));
    prop_oneof![line(), grid(), blocks(line), blocks(grid), deeper()].prop_map(Arc::new)
}

/// Properties that there are, some with names that need care in a file.
const PROPERTIES: [&str; 5] = ["pilot/elevator", "velocities/u-fps", "the \"first\\one\"", "ö # [0]", "x = { y }"];

fn expression() -> impl Strategy<Value = Expression<String>> {
    let leaf = prop_oneof![
        number().prop_map(Expression::Value),
        prop::sample::select(&PROPERTIES[..]).prop_map(Expression::of),
        prop::sample::select(&PROPERTIES[..]).prop_map(|name| Expression::Negative(name.to_owned())),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let of_operation = (prop::sample::select(&Operation::ALL[..]), prop::collection::vec(inner.clone(), 7))
            .prop_map(|((operation, ..), arguments)| {
                let fitting = (1..=7).rev().find(|&count| operation.takes(count)).unwrap();
                Expression::Operation(operation, arguments[..fitting].to_vec())
            });
        let few = prop_oneof![Just(Operation::Sum), Just(Operation::Sine)];
        let of_one = (few, inner.clone()).prop_map(|(operation, one)| Expression::Operation(operation, vec![one]));
        let looked_up = (table(), prop::collection::vec(inner, 5)).prop_map(|(table, by)| {
            let by = by[..table.arguments()].to_vec();
            Expression::Table(table, by)
        });
        prop_oneof![of_operation, of_one, looked_up]
    })
}

fn functions() -> impl Strategy<Value = Vec<Function<String>>> {
    let named = |(number, expression)| Function { name: format!("part/{number}"), expression };
    prop::collection::vec((0..9, expression()).prop_map(named), 0..4)
}

fn axis_function() -> impl Strategy<Value = AxisFunction> {
    let role = prop_oneof![
        Just(Role::Property),
        Just(Role::Shift),
        (0_usize..3).prop_map(Role::Force),
        (0_usize..3).prop_map(Role::ForceAtCentre),
        (0_usize..3).prop_map(Role::Moment),
    ];
    (role, any::<bool>(), expression()).prop_map(|(role, is_named, expression)| {
        let name = if is_named || role == Role::Property { "aero/part" } else { "" };
        AxisFunction { function: Function { name: name.to_owned(), expression }, role }
    })
}

fn description() -> impl Strategy<Value = AirframeDescription> {
    let pick = |count: usize| 0..count;
    let axes = (pick(ForceAxes::ALL.len()), pick(MomentAxes::ALL.len()));
    let limits = || prop::option::of((-10.0..0.0, 0.0..10.0).prop_map(|(low, high)| [low, high]));
    let numbers = (prop::collection::vec(0.0..1e9, 4), prop::collection::vec(number(), 6), limits(), limits());
    let lists = (functions(), functions(), functions(), prop::collection::vec(axis_function(), 0..4));
    (axes, numbers, lists).prop_map(|((force, moment), (sizes, free, alpha_limits, hysteresis_limits), lists)| {
        let (commands, controls, engines, functions) = lists;
        let constants = PROPERTIES[2..].iter().zip(&free).map(|(name, number)| ((*name).to_owned(), *number)).collect();
        let at_start = controls.first().map(|function| (function.name.clone(), free[0])).into_iter().collect();
        let air_forces = Description {
            force_axes: ForceAxes::ALL[force].1,
            moment_axes: MomentAxes::ALL[moment].1,
            sizes: Sizes { area: sizes[0], span: sizes[1], chord: sizes[2], incidence: sizes[3] },
            reference_point: DVec3::new(free[3], free[4], free[5]),
            alpha_limits,
            hysteresis_limits,
            constants,
            functions,
        };
        AirframeDescription { commands, controls, engines, air_forces, at_start }
    })
}

proptest! {
    // Descriptions are large: a quarter of the usual number.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_reads_back_to_the_bit(description in description()) {
        let text = airframe(&description, &|name| Some(format!("of {name}")));
        // The text of numbers tells -0 from 0, as comparing them would not.
        prop_assert_eq!(format!("{:?}", read_back(&text)), format!("{description:?}"));
    }
}

#[test]
fn equal_tables_stand_once_and_long_expressions_have_a_line_for_each_argument() {
    let points: Vec<f64> = (0..40).map(f64::from).collect();
    let table = || Arc::new(Table::Line { values: points.iter().map(|x| x * 0.125).collect(), points: points.clone() });
    let lift = |name: &str| Expression::of("aero/qbar-area") * Expression::Table(table(), vec![Expression::of(name)]);
    let long = (0..20).fold(lift("aero/alpha-rad"), |sum, number| sum + f64::from(number));
    let function = |name: &str, expression| AxisFunction {
        function: Function { name: name.to_owned(), expression },
        role: Role::Force(2),
    };
    let functions = vec![function("aero/CLalpha", lift("aero/alpha-rad")), function("", long)];
    let air_forces = Description { functions, ..Description::default() };
    let description = AirframeDescription { air_forces, ..AirframeDescription::default() };
    let text = airframe(&description, &|_| None);
    assert_eq!(text.matches("\n[airframe.tables.").count(), 1, "{text}");
    let line = "lift = { product = [\"aero/qbar-area\", { table = \"clalpha\", by = \"aero/alpha-rad\" }] }\n";
    assert!(text.contains(line), "{text}");
    assert!(text.lines().all(|line| line.len() <= 120), "{text}");
    assert_eq!(read_back(&text), description);
}
