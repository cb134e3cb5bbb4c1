//! Code for the functions of an aircraft.

use super::{AirLoadWire, FlightWire};
use crate::air_forces::AirForces;
use crate::gpu::functions::{Code, functions};
use crate::gpu::shader::{MATH, WORKGROUP, unsigned};
use crate::gpu::wire::Structure;
use crate::query::AirLoadStatus;

const AIR_LOAD: &str = include_str!("../../../shaders/air_load.wgsl");

/// The source of the kernel, and the numbers of the tables.
pub(super) fn source(forces: &AirForces) -> (String, Vec<f32>) {
    let mut code = Code::default();
    for place in 0..forces.first_made() {
        code.given(place, &format!("flights[id].numbers[{}][{}]", place / 4, place % 4));
    }
    code.row(forces.made());
    for (number, place) in forces.function_places().enumerate() {
        let value = code.written(place);
        code.line(format_args!("loads[id].functions[{}][{}] = {value};", number / 4, number % 4));
    }
    let places = forces.load_places();
    let undefined = code.undefined(&places);
    let [fx, fy, fz, l, m, n] = places;
    code.line(format_args!("keep(id, vec3<f32>(r{fx}, r{fy}, r{fz}), vec3<f32>(r{l}, r{m}, r{n}), {undefined});"));
    let (lines, numbers) = code.finish();
    let source = [
        &unsigned("WORKGROUP", WORKGROUP),
        &unsigned("AIR_LOAD_OK", AirLoadStatus::Ok as u32),
        &unsigned("AIR_LOAD_NOT_FINITE", AirLoadStatus::NotFinite as u32),
        &FlightWire::declaration(),
        &AirLoadWire::declaration(),
        MATH,
        &functions(),
        AIR_LOAD,
        &format!("fn row(id: u32) {{\n{lines}}}\n"),
    ];
    (source.concat(), numbers)
}
