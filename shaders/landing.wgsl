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
@group(0) @binding(6) var<storage, read> landings: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> states: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read> flying: Flying;
@group(0) @binding(9) var<storage, read_write> still_flying: StillFlying;

// Number of the landing that this invocation flies. Its inputs and its state are read and written in their places, where
// they are used: what is held in between takes registers from the search for ground, and arrays take memory of their own.
var<private> number: u32;
// What the state has of them, while it is worked on.
var<private> flags: u32;

// Where four words of this landing's structure stand, of structures of so many fours: side by side in blocks, so that lanes in
// a row find what they look for in a row.
fn place_in(quads: u32, quad: u32) -> u32 {
    return (number / LANES * quads + quad) * LANES + number % LANES;
}

@compute @workgroup_size(LANDINGS_IN_GROUP)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    // A lane without a landing keeps step with the others, and does nothing.
    var steps = 0u;
    if id.x < flying.count {
        // Those that have ended leave no gaps: the lanes of a workgroup are all at work.
        number = flying.landings[id.x];
        flags = state_flags();
        if LOOPS_ARE_LIMITED {
            begin_slice();
        }
        end_at_limit();
        steps = select(slice.steps, 1u, (flags & LANDING_CAUTIOUS) != 0u);
    }
    // The next step is likely to need as many rounds as the last ones did.
    let enough = scene.rounds / 4u * 3u;
    var spent = 0u;
    var is_undone = false;
    for (var done = 0u; done < slice.steps; done++) {
        if IN_STEP {
            workgroupBarrier();
        }
        // All lanes come to the barrier: none leaves the loop, or goes on in it, before the others.
        let takes_part = done < steps && spent < enough && !has_ended() && !is_undone;
        if takes_part {
            if !LOOPS_ARE_LIMITED {
                // Each step has all rounds to itself: none ever has to be done again.
                rounds = 0u;
            }
            rounds += 1u;
            advance();
            spent = select(spent + rounds, rounds, LOOPS_ARE_LIMITED);
            let is_cut = loops_are_cut();
            if is_cut || rounds >= scene.rounds {
                // A loop of this step may have been cut short. Of several steps, this landing's or its neighbours', this one
                // can be done again with all rounds to itself: the slice has not been, and from now on the landing goes step
                // by step.
                is_undone = LOOPS_ARE_LIMITED && (done > 0u || (is_cut && steps > 1u));
                flags |= select(LANDING_ENDED | LANDING_OUT_OF_ROUNDS, 0u, is_undone);
            }
            end_at_limit();
        }
    }
    if steps == 0u {
        return;
    }
    // Of what else the state has now nothing is known.
    flags = select(flags, LANDING_UNDONE, is_undone);
    set_state_flags(flags);
    if !has_ended() {
        goes_on();
    }
}

// Where drivers cut loops short, the state with which a slice begins is kept behind the states of all: after a slice that
// was cut short its landing goes on from there. This is done here since no loop can be relied upon after one was cut.
fn begin_slice() {
    let is_undone = (flags & LANDING_UNDONE) != 0u;
    for (var quad = 0u; quad < STATES_QUADS; quad++) {
        rounds += 1u;
        let now = place_in(STATES_QUADS, quad);
        let start = arrayLength(&states) / 2u + now;
        if is_undone {
            states[now] = states[start];
        } else {
            states[start] = states[now];
        }
    }
    if is_undone {
        flags = state_flags() | LANDING_CAUTIOUS;
    }
}

fn goes_on() {
    still_flying.landings[atomicAdd(&still_flying.count, 1u)] = number;
}

fn has_ended() -> bool {
    return (flags & LANDING_ENDED) != 0u;
}

fn end_at_limit() {
    if state_step() >= vehicle.step_limit {
        flags |= LANDING_ENDED;
    }
}

// One step: pilot, air and engines see the body in its middle, the gear then moves it, the structure is swept from the old
// pose to the new one, and the end is judged last.
fn advance() {
    shift_frame();
    let middle = ahead(body_of_state(), 0.5 * vehicle.time_step);
    let air = air_at(middle.position, state_step());
    set_state_controls(decide(middle, air));
    let held = held_load(middle, air);
    // Neither the addresses nor what was read of the state is worth its registers while the gear is at work.
    number = afresh(number);
    let after = advance_gear(held);
    number = afresh(number);
    let seen = wheels_seen();
    let before = body_of_state();
    set_state_gusts(gusts_after(state_step()));
    set_state_step(state_step() + 1u);
    set_state_position(after.position);
    set_state_orientation(after.orientation);
    set_state_velocity(after.velocity);
    set_state_rate(after.rate);
    if !(seen.sane && is_sane(after)) || (flags & LANDING_INVALID) != 0u {
        flags |= LANDING_INVALID | LANDING_ENDED;
        return;
    }
    set_state_struck(sweep(before, after));
    if state_touchdown_step() == 0u && seen.main_has_touched {
        set_state_touchdown_step(state_step());
    }
    record(before, after, seen);
}

// Moves the frame after the body.
fn shift_frame() {
    let position = state_position();
    let shift = select(
        vec3<f32>(0.0),
        round(position / FRAME_CELL) * FRAME_CELL,
        abs(position) > vec3<f32>(FRAME_CELL),
    );
    frame_origin = state_frame();
    if any(shift != vec3<f32>(0.0)) {
        frame_origin += shift;
        set_state_frame(frame_origin);
        set_state_position(position - shift);
        rounds += 1u;
        for (var index = 0u; index < WHEELS; index++) {
            rounds += 1u;
            set_wheel_pebble(index, wheel_pebble(index) - shift);
        }
    }
}

fn wheel_parameters(number: u32) -> WheelParameters {
    return vehicle.wheels[number].parameters;
}

fn strut_line(index: u32) -> vec4<f32> {
    return vehicle.struts[index];
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
