// Job `landing`: some steps of each landing.
//
// # Conventions
// As in the reference engine. World axes; places are relative to the scene's origin and to the landing's own frame,
// which moves by whole cells when the vehicle has left it. Steps and structural points are counted from 1: 0 is none.

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

// The landing that this invocation flies.
var<private> landing: Landing;
var<private> state: LandingState;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= flying.count {
        return;
    }
    // Those that have ended leave no gaps: the lanes of a workgroup are all at work.
    let number = flying.landings[id.x];
    landing = landings[number];
    state = states[number];
    end_at_limit();
    let steps = select(slice.steps, 1u, (state.flags & LANDING_CAUTIOUS) != 0u);
    // The next step is likely to need as many rounds as the last ones did.
    let enough = scene.rounds / 4u * 3u;
    for (var done = 0u; done < steps && rounds < enough && !has_ended(); done++) {
        rounds += 1u;
        advance();
        let is_cut = loops_are_cut();
        if is_cut || rounds >= scene.rounds {
            // A loop of this step may have been cut short. Of several steps, this landing's or its neighbours', this one can
            // be done again with all rounds to itself: the slice has not been, and from now on the landing goes step by step.
            if done > 0u || (is_cut && steps > 1u) {
                states[number].flags |= LANDING_CAUTIOUS;
                goes_on(number);
                return;
            }
            state.flags |= LANDING_ENDED | LANDING_OUT_OF_ROUNDS;
        }
        end_at_limit();
    }
    states[number] = state;
    if !has_ended() {
        goes_on(number);
    }
}

fn goes_on(number: u32) {
    still_flying.landings[atomicAdd(&still_flying.count, 1u)] = number;
}

fn has_ended() -> bool {
    return (state.flags & LANDING_ENDED) != 0u;
}

fn end_at_limit() {
    if state.step >= vehicle.step_limit {
        state.flags |= LANDING_ENDED;
    }
}

// One step: pilot, air and engines see the body in its middle, the gear then moves it, the structure is swept from the old
// pose to the new one, and the end is judged last.
fn advance() {
    shift_frame();
    let before = body_of_state();
    let middle = ahead(before, 0.5 * vehicle.time_step);
    let air = air_at(middle.position);
    state.controls = decide(middle, air);
    var seen = nothing_seen();
    let held = sum(air_load(middle, air), engine_load());
    let after = advance_gear(before, middle, held, &seen);
    state.gusts = gusts_after(state.step);
    state.step += 1u;
    state.position = after.position;
    state.orientation = after.orientation;
    state.velocity = after.velocity;
    state.rate = after.rate;
    if !(seen.sane && is_sane(after)) {
        state.flags |= LANDING_INVALID | LANDING_ENDED;
        return;
    }
    state.struck = sweep(before, after);
    if state.touchdown_step == 0u && seen.main_has_touched {
        state.touchdown_step = state.step;
    }
    record(before, seen);
}

// Moves the frame after the body.
fn shift_frame() {
    let shift = select(
        vec3<f32>(0.0),
        round(state.position / FRAME_CELL) * FRAME_CELL,
        abs(state.position) > vec3<f32>(FRAME_CELL),
    );
    if any(shift != vec3<f32>(0.0)) {
        state.frame += shift;
        state.position -= shift;
        rounds += 1u;
        for (var index = 0u; index < WHEELS; index++) {
            rounds += 1u;
            state.wheels[index].pebble -= shift;
        }
    }
    frame_origin = state.frame;
}

fn strut_line(index: u32) -> vec4<f32> {
    return vehicle.struts[index];
}

// The wheel's frame as the body carries, the pilot steers and the anti-skid brakes it.
fn wheel_frame(wheel: Wheel, last: WheelMemory, body: Body) -> WheelFrame {
    let limit = wheel.steering * state.controls.steering_authority;
    let angle = clamp(state.controls.steering, -limit, limit);
    var to_world = body.to_world;
    // Most wheels are fixed.
    if angle != 0.0 {
        let turn = sine_cosine(angle);
        to_world[0] = turn.y * body.to_world[0] + turn.x * body.to_world[1];
        to_world[1] = turn.y * body.to_world[1] - turn.x * body.to_world[0];
    }
    let velocity = body.velocity + body.to_world * cross(body.rate, wheel.position);
    let braking = braking_strength(wheel, last, velocity);
    return WheelFrame(body.position + body.to_world * wheel.position, braking.x, velocity, braking.y, to_world);
}

// B of a wheel without load [N], and what each newton of load adds to it. The anti-skid keeps brake and rolling
// resistance together below the friction that the wheel had in the step before.
fn braking_strength(wheel: Wheel, last: WheelMemory, velocity: vec3<f32>) -> vec2<f32> {
    if wheel.brake >= FAR {
        return vec2<f32>(FAR, 0.0);
    }
    let asked = vec2<f32>(wheel.brake, wheel.brake_friction) * state.controls.brake;
    if (landing.traits & ANTI_SKID) == 0u {
        return asked;
    }
    let resistance = rolling_resistance(wheel.parameters, last.material, last.normal, velocity);
    let share = max(vehicle.pilot.anti_skid * last.friction - resistance, 0.0);
    return min(asked, share * vec2<f32>(last.normal_force, 1.0));
}

fn engine_load() -> Load {
    let thrust = state.controls.thrust;
    return Load(vec3<f32>(thrust, 0.0, 0.0), vec3<f32>(0.0, vehicle.thrust_line * thrust, 0.0));
}

// False when the numbers are no vehicle's any more. What grows without bounds passes these limits long before it
// overflows, so NaN and infinity need not be known.
fn is_sane(body: Body) -> bool {
    return is_bounded(state.frame + body.position, MAX_NUMBER)
        && is_bounded(body.velocity, MAX_NUMBER)
        && is_bounded(body.rate, MAX_NUMBER);
}

fn is_bounded(v: vec3<f32>, limit: f32) -> bool {
    return all(abs(v) <= vec3<f32>(limit));
}
