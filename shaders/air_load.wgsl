// Job `air_load`: one flight for each invocation. The function `row` is made for the aircraft.

@group(0) @binding(0) var<storage, read> curves: array<f32>;
@group(0) @binding(1) var<storage, read> flights: array<FlightWire>;
@group(0) @binding(2) var<storage, read_write> loads: array<AirLoadWire>;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&flights) {
        row(id.x);
    }
}

fn keep(id: u32, force: vec3<f32>, moment: vec3<f32>, is_undefined: bool) {
    let is_bounded = all(abs(force) < vec3<f32>(BEYOND)) && all(abs(moment) < vec3<f32>(BEYOND));
    let is_known = is_bounded && !is_undefined;
    let status = select(AIR_LOAD_NOT_FINITE, AIR_LOAD_OK, is_known);
    loads[id].force = vec4<f32>(select(vec3<f32>(), force, is_known), 0.0);
    loads[id].moment = vec4<f32>(select(vec3<f32>(), moment, is_known), 0.0);
    loads[id].status = status;
}
