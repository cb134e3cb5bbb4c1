// The gear in a step of a landing, by JSBSim's ground reactions: finer steps of wheels and body alone, as the reference
// describes them.
//
// # Conventions
// Body axes unless stated. Within a step the pebble of a wheel with known ground is the place where it found it, and
// `application` the point of contact. Sweeps add up what friction changes apart from the speeds of the vehicle, which are so
// much larger that their roundings would be worth a force.

// What is the same for all wheels in a sub-step.
struct Moment {
    // Body at its start, and in its middle.
    start: Body,
    middle: Body,
    // [s]
    length: f32,
}

// How fast a point of contact is at the start of a sub-step.
struct Sliding {
    velocity: vec3<f32>,
    // Along the ground.
    along: vec3<f32>,
    moves: bool,
}

// Moves the body from the start of a step to its end: under a load that holds, and under the wheels'.
fn advance_gear(held: Load) -> Body {
    let middle_of_step = ahead(body_of_state(), 0.5 * vehicle.time_step);
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        number = afresh(number);
        look_down(index, middle_of_step);
    }
    let substeps = substeps_asked(middle_of_step);
    let substep = vehicle.time_step / f32(substeps);
    var body = body_of_state();
    rounds += 1u;
    for (var pass_number = 0u; pass_number < substeps; pass_number++) {
        rounds += 1u;
        body = advance_on_contacts(Moment(body, ahead(body, 0.5 * substep), substep), held);
    }
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        if touches_ground(state_of(index)) {
            set_wheel_pebble(index, wheel_application(index));
        }
    }
    // Not carried through the loop.
    body.to_world = matrix_of(body.orientation);
    return body;
}

// One sub-step.
fn advance_on_contacts(moment: Moment, held: Load) -> Body {
    var pushed = held;
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        number = afresh(number);
        if press(index, moment) {
            let reaction = reaction(index);
            pushed = sum(pushed, load_at(reaction.arm, push_of(index, reaction, moment.middle)));
        }
    }
    settle_friction(moment, acceleration_of(moment.middle, pushed));
    var load = pushed;
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        if touches_ground(state_of(index)) {
            let reaction = reaction(index);
            load = sum(load, load_at(reaction.arm, rubbed(index, reaction, moment.middle)));
            take_in(index, reaction, moment.middle);
        }
    }
    let felt = acceleration_of(moment.middle, load);
    set_state_acceleration(felt.linear);
    set_state_angular_acceleration(felt.angular);
    var moved = moment.middle;
    moved.velocity = velocity_after(moment.start.velocity, moment.length * felt.linear);
    moved.rate = moment.start.rate + moment.length * felt.angular;
    return drifted(moved, 0.5 * moment.length);
}

fn load_at(arm: vec3<f32>, force: vec3<f32>) -> Load {
    return Load(force, cross(arm, force));
}

// The lowest point of a wheel with its spring relaxed.
fn foot_of(index: u32) -> vec3<f32> {
    return vehicle.wheels[index].position + vec3<f32>(0.0, 0.0, vehicle.wheels[index].parameters.z_max);
}

// Speed of a point of the body, world.
fn velocity_at(point: vec3<f32>, body: Body) -> vec3<f32> {
    return body.velocity + body.to_world * cross(body.rate, point);
}

// Looks for the ground under a wheel at the start of a step in whose middle the body is here: down its axis, as far as it
// may come in the step.
fn look_down(index: u32, middle: Body) {
    let last = state_of(index);
    set_wheel_status(index, last);
    if last == WHEEL_BROKEN {
        return;
    }
    let origin = wheel_place(index, middle);
    let reach = vehicle.wheels[index].parameters.z_max
        + vehicle.time_step * length(wheel_velocity(index, middle));
    let high = origin + middle.to_world * vec3<f32>(0.0, 0.0, vehicle.wheels[index].parameters.z_min);
    let low = origin + middle.to_world * vec3<f32>(0.0, 0.0, reach);
    let ground = ground_in_scene(high, low, WHEEL_STANDING);
    if ground.state == WHEEL_BROKEN {
        set_wheel_status(index, WHEEL_BROKEN);
    } else if ground.state == WHEEL_STANDING {
        remember_contact(index, ground);
        set_wheel_status(index, last | GROUND_KNOWN);
    }
}

// What a wheel is about in a step in whose middle the body is here.
fn pace_of(index: u32, middle: Body) -> u32 {
    if (wheel_status(index) & GROUND_KNOWN) == 0u {
        return PACE_ALOFT;
    }
    let up = wheel_normal(index);
    let foot = foot_of(index);
    let rising = dot(up, velocity_at(foot, middle));
    if touches_ground(state_of(index)) {
        return select(PACE_CALM, PACE_LIVELY, abs(rising) > LIVELY_SPEED);
    }
    let place = middle.position + middle.to_world * foot;
    let gap_at_end = dot(up, place - wheel_pebble(index)) + 0.5 * vehicle.time_step * rising;
    return select(PACE_ALOFT, PACE_LIVELY, gap_at_end < 0.0);
}

// The contact of a wheel in the middle of a sub-step, before its friction has settled; false, and no force, without one.
fn press(index: u32, moment: Moment) -> bool {
    let last_force = wheel_force(index);
    let last_friction = wheel_friction(index);
    let marks = wheel_status(index) & (OVER_MAX_FORCE | GROUND_KNOWN);
    let was_broken = state_of(index) == WHEEL_BROKEN;
    let foot = foot_of(index);
    let place = moment.middle.position + moment.middle.to_world * foot;
    set_wheel_force(index, vec3<f32>(0.0));
    set_wheel_normal_force(index, 0.0);
    set_wheel_application(index, place);
    set_wheel_compression(index, 0.0);
    set_wheel_friction(index, 0.0);
    set_wheel_status(index, select(WHEEL_FREE, WHEEL_BROKEN, was_broken) | marks);
    if was_broken || (marks & GROUND_KNOWN) == 0u {
        return false;
    }
    let parameters = vehicle.wheels[index].parameters;
    let is_pad = vehicle.wheels[index].pad == 1u;
    let world_up = wheel_normal(index);
    let height = dot(world_up, place - wheel_pebble(index));
    let up = world_up * moment.middle.to_world;
    let slope = select(-up.z, 1.0, is_pad);
    if height >= 0.0 || slope <= 0.0 {
        return false;
    }
    let compression = -height / slope;
    if compression > parameters.z_max - parameters.z_min {
        set_wheel_status(index, WHEEL_BROKEN | marks);
        return false;
    }
    let arm = select(foot - vec3<f32>(0.0, 0.0, compression), foot - up * height, is_pad);

    // Nothing that has come to this compression within the sub-step has been faster on average.
    let fastest = compression / (0.5 * moment.length);
    let contact_velocity = moment.middle.velocity * moment.middle.to_world + cross(moment.middle.rate, arm);
    let closing = clamp(-dot(contact_velocity, up) / slope, -fastest, fastest);
    let strut = axial_force(parameters, parameters.z_max - compression) - axial_damping(parameters, -closing) * closing;
    let pressed = max(strut, 0.0) / slope;
    let max_force = greatest_force(wheel_material(index));
    let is_over = pressed > max_force;
    let normal_force = select(pressed, max_force, is_over && parameters.clamp_to_max_force == 1u);

    // Along the ground, at the start of the sub-step.
    let velocity = moment.start.velocity * moment.middle.to_world + cross(moment.start.rate, arm);
    let along_ground = velocity - up * dot(velocity, up);
    let sliding = Sliding(velocity, along_ground, length(along_ground) > MIN_SLIP_SPEED);
    let along = direction_of(index, up, sliding);
    let world_velocity = moment.middle.to_world * velocity;
    let grip = landing_friction_scale()
        * (ground_friction(wheel_material(index), world_up, world_velocity) / OWN_FRICTION_GROUND);
    let resistance = rolling_resistance(parameters, wheel_material(index), world_up, world_velocity);
    let side = side_of(index, grip, along, cross(up, along), sliding, last_friction);
    let most = limits_of(index, normal_force, grip, resistance, side, sliding.moves);
    var drag = vec3<f32>(0.0);
    if parameters.displacement_drag > 0.0 {
        drag = displacement_drag(parameters, wheel_material(index), world_up, world_velocity) * moment.middle.to_world;
    }
    let before = last_force * moment.middle.to_world;
    let friction = clamp(
        vec2<f32>(dot(before, along), dot(before, cross(up, along))), -most.xy, vec2<f32>(most.z, most.y)
    );
    set_reaction(index, Reaction(arm, most.x, along, most.y, drag, most.z, friction, vec2<f32>(0.0)));
    set_wheel_normal_force(index, normal_force);
    set_wheel_application(index, moment.middle.position + moment.middle.to_world * arm);
    set_wheel_compression(index, compression);
    set_wheel_friction(index, side);
    set_wheel_status(index, select(WHEEL_STANDING, WHEEL_SLIPPING, sliding.moves) | marks | select(0u, OVER_MAX_FORCE, is_over));
    set_wheel_peak_compression(index, max(wheel_peak_compression(index), compression));
    return true;
}

// Friction of the ground: by the speed of what moves over it if the material says how, else static.
fn ground_friction(material: u32, normal: vec3<f32>, velocity: vec3<f32>) -> f32 {
    if material == MATERIAL_NONE {
        return 0.0;
    }
    let first = tables[scene.curves_at + 4u * material];
    let count = tables[scene.curves_at + 4u * material + 1u];
    if count == 0u {
        return material_constants(material).x;
    }
    return coefficient_by_speed(first, count, length(across(normal, velocity)));
}

// Along the ground: the rolling direction, or that of a pad which moves.
fn direction_of(index: u32, up: vec3<f32>, sliding: Sliding) -> vec3<f32> {
    if vehicle.wheels[index].pad == 1u && sliding.moves {
        return normalize(sliding.along);
    }
    var turn = vec2<f32>(0.0, 1.0);
    if vehicle.wheels[index].parameters.caster == 1u {
        // It swivels so that it rolls the way it moves.
        let speed = length(sliding.velocity.xy);
        if speed > 0.0 {
            turn = vec2<f32>(sliding.velocity.y, abs(sliding.velocity.x)) / speed;
        }
    } else {
        let limit = vehicle.wheels[index].steering * state_controls_steering_authority();
        turn = sine_cosine(clamp(state_controls_steering(), -limit, limit));
    }
    let rolling = vec3<f32>(turn.y, turn.x, 0.0);
    return normalize(rolling - up * dot(rolling, up));
}

// Coefficient of friction across the direction. At rest that of a wheel is what it was when it came to rest.
fn side_of(
    index: u32, grip: f32, along: vec3<f32>, across_it: vec3<f32>, sliding: Sliding, last_friction: f32
) -> f32 {
    let at_rest = grip * vehicle.wheels[index].friction_at_rest;
    if vehicle.wheels[index].rubs == 0u {
        return 0.0;
    }
    if vehicle.wheels[index].pad == 1u {
        return select(at_rest, grip * vehicle.wheels[index].friction_moving, sliding.moves);
    }
    if !sliding.moves {
        return last_friction;
    }
    return side_friction(at_rest, dot(sliding.along, along), dot(sliding.along, across_it));
}

// The magic formula, as the reference has it.
fn side_friction(peak: f32, along: f32, across_it: f32) -> f32 {
    let slip = angle_of(abs(across_it), abs(along)) * SIDE_STIFFNESS;
    let curved = slip - (slip - angle_of(slip, 1.0)) * SIDE_CURVATURE;
    return abs(sine_cosine(angle_of(curved, 1.0) * SIDE_SHAPE).x * peak);
}

// Greatest friction [N] against the direction, across it to both sides, and along it.
fn limits_of(index: u32, normal_force: f32, grip: f32, resistance: f32, side: f32, moves: bool) -> vec3<f32> {
    if vehicle.wheels[index].rubs == 0u {
        return vec3<f32>(0.0);
    }
    let most = side * normal_force;
    if vehicle.wheels[index].pad == 1u {
        return select(vec3<f32>(most), vec3<f32>(most, 0.0, 0.0), moves);
    }
    let spare = max(vehicle.wheels[index].friction_at_rest - vehicle.wheels[index].parameters.rolling_resistance, 0.0);
    let pedal = state_controls_brake();
    let pads = min(pedal * vehicle.wheels[index].brake, grip * spare * normal_force);
    let braking = pedal * (grip * vehicle.wheels[index].brake_friction * normal_force) + pads;
    let along = resistance * normal_force + braking;
    return vec3<f32>(along, most, along);
}

// What presses a wheel and drags it.
fn push_of(index: u32, reaction: Reaction, middle: Body) -> vec3<f32> {
    return up_of(index, middle) * wheel_normal_force(index) + reaction.drag;
}

fn up_of(index: u32, middle: Body) -> vec3<f32> {
    return wheel_normal(index) * middle.to_world;
}

fn rubbed(index: u32, reaction: Reaction, middle: Body) -> vec3<f32> {
    let across_it = cross(up_of(index, middle), reaction.along);
    return reaction.along * reaction.friction.x + across_it * reaction.friction.y;
}

// Finds the friction of all contacts together: that with which their points end the sub-step without velocity along the
// ground, or that at its limit. The accelerations are those without friction, world and body axes.
fn settle_friction(moment: Moment, unhindered: Acceleration) {
    let velocity = (moment.start.velocity + moment.length * unhindered.linear) * moment.middle.to_world;
    let rate = moment.start.rate + moment.length * unhindered.angular;
    // What friction adds.
    var slower = Acceleration(vec3<f32>(0.0), vec3<f32>(0.0));
    var contacts = 0u;
    rounds += 1u;
    for (var index = 0u; index < WHEELS; index++) {
        rounds += 1u;
        if !touches_ground(state_of(index)) {
            continue;
        }
        contacts += 1u;
        let reaction = reaction(index);
        let across_it = cross(up_of(index, moment.middle), reaction.along);
        let speed = velocity + cross(rate, reaction.arm);
        set_reaction_sliding(index, vec2<f32>(dot(reaction.along, speed), dot(across_it, speed)));
        slower = faster(slower, change_by(reaction.arm, rubbed(index, reaction, moment.middle), moment.length));
    }
    var is_open = contacts > 0u;
    rounds += 1u;
    for (var sweep = 0u; sweep < MAX_FRICTION_SWEEPS && is_open; sweep++) {
        rounds += 1u;
        var changed = 0.0;
        var size = 0.0;
        rounds += 1u;
        for (var index = 0u; index < WHEELS; index++) {
            rounds += 1u;
            if !touches_ground(state_of(index)) {
                continue;
            }
            let reaction = reaction(index);
            let across_it = cross(up_of(index, moment.middle), reaction.along);
            let along = friction_along(
                reaction, reaction.along, vec3<f32>(reaction.friction.x, -reaction.most_along, reaction.most_forward),
                reaction.sliding.x, slower, moment.length,
            );
            let first = along - reaction.friction.x;
            slower = faster(slower, change_by(reaction.arm, reaction.along * first, moment.length));
            let sideways = friction_along(
                reaction, across_it, vec3<f32>(reaction.friction.y, -reaction.most_across, reaction.most_across),
                reaction.sliding.y, slower, moment.length,
            );
            let second = sideways - reaction.friction.y;
            slower = faster(slower, change_by(reaction.arm, across_it * second, moment.length));
            set_reaction_friction(index, vec2<f32>(along, sideways));
            changed += abs(first) + abs(second);
            size += abs(along) + abs(sideways);
        }
        // Numbers this large are not known any better.
        is_open = changed >= max(SETTLED_FRICTION, 4.0 * UNIT_ROUNDOFF * size);
    }
}

// Friction in a direction that stops the point of contact, if its limits allow. `known` is friction so far, least and
// greatest; the point's speed at the end is `sliding` and what friction adds to it.
fn friction_along(
    reaction: Reaction, direction: vec3<f32>, known: vec3<f32>, sliding: f32, slower: Acceleration, span: f32
) -> f32 {
    let lever = cross(reaction.arm, direction);
    let by_one = change_by(reaction.arm, direction, span);
    // How much faster the point is along the direction at the end for each newton.
    let give = dot(direction, by_one.linear) + dot(lever, by_one.angular);
    let speed = sliding + (dot(direction, slower.linear) + dot(lever, slower.angular));
    return clamp(known.x - speed / give, known.y, known.z);
}

// How a force changes the speeds of the body within a time, body axes.
fn change_by(arm: vec3<f32>, force: vec3<f32>, time: f32) -> Acceleration {
    let mass = landing_mass();
    let angular = vehicle.inverse_inertia * (cross(arm, force) / (mass / vehicle.mass));
    return Acceleration(time / mass * force, time * angular);
}

fn faster(a: Acceleration, b: Acceleration) -> Acceleration {
    return Acceleration(a.linear + b.linear, a.angular + b.angular);
}

// What a sub-step gave a wheel.
fn take_in(index: u32, reaction: Reaction, middle: Body) {
    let force = middle.to_world * (push_of(index, reaction, middle) + rubbed(index, reaction, middle));
    let along = reaction.friction.x <= -reaction.most_along || reaction.friction.x >= reaction.most_forward;
    let across_it = abs(reaction.friction.y) >= reaction.most_across;
    let held = select(CLIP_BRAKE, CLIP_CORNER, across_it);
    let clip_case = select(select(CLIP_INSIDE, CLIP_CIRCLE, across_it), held, along);
    set_wheel_force(index, force);
    set_wheel_status(index, wheel_status(index) | (u32(clip_case - CLIP_NOT_COMPUTED) << STATE_BITS));
    set_wheel_peak_force(index, max(wheel_peak_force(index), length(force)));
}
