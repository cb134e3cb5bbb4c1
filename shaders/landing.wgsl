// Job `landing`: some steps of each landing.
//
// # Conventions
// As in the reference engine. World axes; places are relative to the scene's origin and to the landing's own frame,
// which moves by whole cells when the vehicle has left it. Steps and structural points are counted from 1: 0 is none.

// What all landings share.
struct Vehicle {
    // At the vehicle's own mass.
    inertia: mat3x3<f32>,
    inverse_inertia: mat3x3<f32>,
    aerodynamics: Aerodynamics,
    pilot: Pilot,
    autoland: Autoland,
    mass: f32,
    gravity: f32,
    // [s]
    time_step: f32,
    // Distance of the farthest structural point from the centre of gravity [m].
    reach: f32,
    thrust_idle: f32,
    thrust_reverse: f32,
    reverse_cutoff: f32,
    thrust_line: f32,
    // Relative to the scene's origin: x of the runway's end, y of the centreline; FAR where there is no runway.
    runway_end: f32,
    centreline: f32,
    half_width: f32,
    // z of the ground at the scene's origin, relative to it.
    ground: f32,
    step_limit: u32,
    bounce_steps: u32,
    rest_steps: u32,
    // Of a step in which a wheel touches: where all are calm, and where one is lively.
    calm_substeps: u32,
    lively_substeps: u32,
    // Rise of the ground per distance along x.
    slope: f32,
    unused0: u32,
    unused1: u32,
    wheels: array<Wheel, WHEELS>,
    // Those of the first wheel, then those of the next.
    struts: array<vec4<f32>, WHEELS * MAX_STRUT_LINES>,
    points: array<vec4<f32>, max(POINTS, 1u)>,
}

struct Wheel {
    position: vec3<f32>,
    // FAR for a pad that never yields.
    brake: f32,
    brake_friction: f32,
    steering: f32,
    main: u32,
    unused: u32,
    parameters: WheelParameters,
}

// What differs from landing to landing and holds throughout.
struct Landing {
    // Along and across the runway.
    wind: vec2<f32>,
    mass: f32,
    friction_scale: f32,
    air_density: f32,
    // What the pilot holds until touchdown.
    trim: f32,
    pitch: f32,
    heading: f32,
    derotation_rate: f32,
    brake_level: f32,
    target_deceleration: f32,
    reverse_level: f32,
    // Steps from touchdown to spoilers, brakes and reverse thrust.
    delays: vec3<u32>,
    // UNSTEADY_AIR, TURBULENT_AIR, GUIDED, AERODYNAMIC and ANTI_SKID. The last three are the same in all landings; told by a
    // uniform they would make Mesa's software adapter compile the kernel again in every dispatch.
    traits: u32,
    // Item, then seed of the noise; low words first.
    noise: vec4<u32>,
    // Growth of the wind with height.
    shear: vec2<f32>,
    // Coefficients of the gusts' filters.
    decay: f32,
    decay_vertical: f32,
    cascade: f32,
    cascade_vertical: f32,
    gain_along: f32,
    gain_across: f32,
    gain_vertical: f32,
    // What the autoland, or the pilot's flare, goes by.
    target_airspeed: f32,
    glide_tangent: f32,
    wheel_depth: f32,
    angle_of_attack: f32,
    trim_thrust: f32,
    angle_per_sink_rate: f32,
    decrab: f32,
    descent: f32,
    unused0: u32,
    unused1: u32,
    unused2: u32,
}

// A landing after some whole number of steps.
struct LandingState {
    frame: vec3<f32>,
    step: u32,
    position: vec3<f32>,
    touchdown_step: u32,
    // Body to world: vector part, then the scalar.
    orientation: vec4<f32>,
    velocity: vec3<f32>,
    flags: u32,
    // Body axes.
    rate: vec3<f32>,
    // The structural point that met the scene.
    struck: u32,
    // Of the last sub-step of the gear; world and body axes.
    acceleration: vec3<f32>,
    // What the autoland remembers.
    thrust: f32,
    angular_acceleration: vec3<f32>,
    sink_integral: f32,
    // Of the last step; the pedal stays where it was.
    controls: Controls,
    last_speed: f32,
    pitch_at_touchdown: f32,
    runway_end_speed: f32,
    bounces: u32,
    touchdown: Touchdown,
    // y of the place farthest from the centreline: frame and place in it.
    largest_lateral: vec2<f32>,
    contact_steps: u32,
    force_limit_steps: u32,
    steps_in_air: u32,
    steps_at_rest: u32,
    steps_in_state: vec4<u32>,
    gusts: Gusts,
    unused0: u32,
    unused1: u32,
    unused2: u32,
    // How far each structural point may still travel before it has to be looked at again [m].
    clear: array<f32, max(POINTS, 1u)>,
    wheels: array<WheelMemory, WHEELS>,
}

// The last step of a wheel, and the worst of all.
struct WheelMemory {
    pebble: vec3<f32>,
    leaf: u32,
    normal: vec3<f32>,
    material: u32,
    force: vec3<f32>,
    normal_force: f32,
    application: vec3<f32>,
    compression: f32,
    friction: f32,
    // The state in the lowest bits, then the clip case, then OVER_MAX_FORCE; within a step GROUND_KNOWN, where pebble,
    // normal, material and leaf are those of the ground below a free wheel, and GROUND_OLD, where a wheel has been on it
    // since before the step.
    status: u32,
    peak_force: f32,
    peak_compression: f32,
}

struct Slice {
    steps: u32,
    unused0: u32,
    unused1: u32,
    unused2: u32,
}

// Numbers of the landings that are under way, in no order.
struct Flying {
    count: u32,
    landings: array<u32>,
}

struct StillFlying {
    count: atomic<u32>,
    landings: array<u32>,
}

@group(0) @binding(4) var<uniform> vehicle: Vehicle;
@group(0) @binding(5) var<uniform> slice: Slice;
@group(0) @binding(6) var<storage, read> landings: array<Landing>;
@group(0) @binding(7) var<storage, read_write> states: array<LandingState>;
@group(0) @binding(8) var<storage, read> flying: Flying;
@group(0) @binding(9) var<storage, read_write> still_flying: StillFlying;

// Number of the landing that this invocation flies. Its inputs and its state are read and written in their places, where
// they are used: what is held in between takes registers from the search for ground, and arrays take memory of their own.
var<private> number: u32;
// What the state has of them, while it is worked on.
var<private> flags: u32;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= flying.count {
        return;
    }
    // Those that have ended leave no gaps: the lanes of a workgroup are all at work.
    number = flying.landings[id.x];
    // A slice of which the driver has cut a loop short leaves its landing as it was.
    var before: LandingState;
    if LOOPS_ARE_LIMITED {
        before = states[number];
    }
    flags = states[number].flags;
    end_at_limit();
    let steps = select(slice.steps, 1u, (flags & LANDING_CAUTIOUS) != 0u);
    // The next step is likely to need as many rounds as the last ones did.
    let enough = scene.rounds / 4u * 3u;
    var spent = 0u;
    for (var done = 0u; done < steps && spent < enough && !has_ended(); done++) {
        if !LOOPS_ARE_LIMITED {
            // Each step has all rounds to itself: none ever has to be done again.
            rounds = 0u;
        }
        rounds += 1u;
        advance();
        spent = select(spent + rounds, rounds, LOOPS_ARE_LIMITED);
        let is_cut = loops_are_cut();
        if is_cut || rounds >= scene.rounds {
            // A loop of this step may have been cut short. Of several steps, this landing's or its neighbours', this one can
            // be done again with all rounds to itself: the slice has not been, and from now on the landing goes step by step.
            if LOOPS_ARE_LIMITED && (done > 0u || (is_cut && steps > 1u)) {
                before.flags |= LANDING_CAUTIOUS;
                states[number] = before;
                goes_on();
                return;
            }
            flags |= LANDING_ENDED | LANDING_OUT_OF_ROUNDS;
        }
        end_at_limit();
    }
    states[number].flags = flags;
    if !has_ended() {
        goes_on();
    }
}

fn goes_on() {
    still_flying.landings[atomicAdd(&still_flying.count, 1u)] = number;
}

fn has_ended() -> bool {
    return (flags & LANDING_ENDED) != 0u;
}

fn end_at_limit() {
    if states[number].step >= vehicle.step_limit {
        flags |= LANDING_ENDED;
    }
}

// One step: pilot, air and engines see the body in its middle, the gear then moves it, the structure is swept from the old
// pose to the new one, and the end is judged last.
fn advance() {
    shift_frame();
    let middle = ahead(body_of_state(), 0.5 * vehicle.time_step);
    let air = air_at(middle.position);
    states[number].controls = decide(middle, air);
    let held = sum(air_load(middle, air), engine_load());
    // Neither the addresses nor what was read of the state is worth its registers while the gear is at work.
    number = afresh(number);
    let after = advance_gear(held);
    number = afresh(number);
    let seen = wheels_seen();
    let before = body_of_state();
    states[number].gusts = gusts_after(states[number].step);
    states[number].step += 1u;
    states[number].position = after.position;
    states[number].orientation = after.orientation;
    states[number].velocity = after.velocity;
    states[number].rate = after.rate;
    if !(seen.sane && is_sane(after)) {
        flags |= LANDING_INVALID | LANDING_ENDED;
        return;
    }
    states[number].struck = sweep(before, after);
    if states[number].touchdown_step == 0u && seen.main_has_touched {
        states[number].touchdown_step = states[number].step;
    }
    record(before, after, seen);
}

// Moves the frame after the body.
fn shift_frame() {
    let position = states[number].position;
    let shift = select(
        vec3<f32>(0.0),
        round(position / FRAME_CELL) * FRAME_CELL,
        abs(position) > vec3<f32>(FRAME_CELL),
    );
    frame_origin = states[number].frame;
    if any(shift != vec3<f32>(0.0)) {
        frame_origin += shift;
        states[number].frame = frame_origin;
        states[number].position = position - shift;
        rounds += 1u;
        for (var index = 0u; index < WHEELS; index++) {
            rounds += 1u;
            states[number].wheels[index].pebble -= shift;
        }
    }
}

fn wheel_parameters(number: u32) -> WheelParameters {
    return vehicle.wheels[number].parameters;
}

fn strut_line(index: u32) -> vec4<f32> {
    return vehicle.struts[index];
}

// The wheel's frame as the body carries, the pilot steers and the anti-skid brakes it.
fn wheel_frame(index: u32, body: Body) -> WheelFrame {
    let wheel = vehicle.wheels[index];
    let limit = wheel.steering * states[number].controls.steering_authority;
    let angle = clamp(states[number].controls.steering, -limit, limit);
    var to_world = body.to_world;
    // Most wheels are fixed.
    if angle != 0.0 {
        let turn = sine_cosine(angle);
        to_world[0] = turn.y * body.to_world[0] + turn.x * body.to_world[1];
        to_world[1] = turn.y * body.to_world[1] - turn.x * body.to_world[0];
    }
    let velocity = wheel_velocity(index, body);
    let braking = braking_strength(index, velocity);
    return WheelFrame(wheel_place(index, body), braking.x, velocity, braking.y, to_world);
}

fn wheel_place(index: u32, body: Body) -> vec3<f32> {
    return body.position + body.to_world * vehicle.wheels[index].position;
}

fn wheel_velocity(index: u32, body: Body) -> vec3<f32> {
    return body.velocity + body.to_world * cross(body.rate, vehicle.wheels[index].position);
}

// B of a wheel without load [N], and what each newton of load adds to it. The anti-skid keeps brake and rolling
// resistance together below the friction that the wheel had in the step before.
fn braking_strength(index: u32, velocity: vec3<f32>) -> vec2<f32> {
    let wheel = vehicle.wheels[index];
    if wheel.brake >= FAR {
        return vec2<f32>(FAR, 0.0);
    }
    let asked = vec2<f32>(wheel.brake, wheel.brake_friction) * states[number].controls.brake;
    if (landings[number].traits & ANTI_SKID) == 0u {
        return asked;
    }
    let resistance = rolling_resistance(
        wheel.parameters,
        states[number].wheels[index].material,
        states[number].wheels[index].normal,
        velocity,
    );
    let share = max(vehicle.pilot.anti_skid * states[number].wheels[index].friction - resistance, 0.0);
    return min(asked, share * vec2<f32>(states[number].wheels[index].normal_force, 1.0));
}

fn engine_load() -> Load {
    let thrust = states[number].controls.thrust;
    return Load(vec3<f32>(thrust, 0.0, 0.0), vec3<f32>(0.0, vehicle.thrust_line * thrust, 0.0));
}

// False when the numbers are no vehicle's any more. What grows without bounds passes these limits long before it
// overflows, so NaN and infinity need not be known.
fn is_sane(body: Body) -> bool {
    return is_bounded(frame_origin + body.position, MAX_NUMBER)
        && is_bounded(body.velocity, MAX_NUMBER)
        && is_bounded(body.rate, MAX_NUMBER);
}

fn is_bounded(v: vec3<f32>, limit: f32) -> bool {
    return all(abs(v) <= vec3<f32>(limit));
}
