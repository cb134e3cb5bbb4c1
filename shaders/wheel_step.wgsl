// One step of the pebble-and-spring wheel (docs/theory/wheels.md, with its rules R1 to R14).
//
// # Conventions
// Wheel frame: X in the rolling direction, Y along the axle to the right, Z down. Places are in the job's frame, along
// world axes. Spring and damping coefficients are negative: a force F here is the force on the pebble, F'_z > 0 presses
// the surface (R1). Primed quantities are in pebble-border coordinates: X along the rolling direction in the surface, Y
// across it in the surface, Z into the surface.

struct WheelContact {
    pebble: vec3<f32>,
    state: u32,
    // Unit vector out of the surface.
    normal: vec3<f32>,
    material: u32,
    leaf: u32,
}

struct WheelFrame {
    origin: vec3<f32>,
    // FAR for a pad that never yields.
    brake: f32,
    velocity: vec3<f32>,
    // What each newton of load adds to the brake.
    brake_friction: f32,
    to_world: mat3x3<f32>,
}

struct WheelStep {
    contact: WheelContact,
    // On the airframe, world [N].
    force: vec3<f32>,
    application: vec3<f32>,
    normal_force: f32,
    compression: f32,
    friction: f32,
    clip_case: i32,
    over_max_force: bool,
}

// The region of horizontal forces that the pebble can resist.
struct PebbleBorder {
    axes: mat3x3<f32>,
    friction: f32,
    // Without load, and what each newton of load adds.
    brake: f32,
    per_load: f32,
    // The braking strength bounds the force in every direction.
    caster: bool,
}

struct Clipped {
    force: vec3<f32>,
    clip_case: i32,
}

fn wheel_in_the_air() -> WheelContact {
    return WheelContact(vec3<f32>(0.0), WHEEL_FREE, vec3<f32>(0.0), MATERIAL_NONE, LEAF_NONE);
}

fn without_force(contact: WheelContact, application: vec3<f32>, clip_case: i32) -> WheelStep {
    return WheelStep(contact, vec3<f32>(0.0), application, 0.0, 0.0, 0.0, clip_case, false);
}

// A wheel on the ground below (x, y) of its frame that reaches from `highest` to `deepest`: in `wheel_state`, free without
// ground on the way, broken when it starts inside (R7). The ground is the scene's, or the plane through `place` with the
// normal and the material that the wheel last touched.
fn find_ground(
    in_scene: bool,
    last: WheelContact,
    place: vec3<f32>,
    highest: f32,
    frame: WheelFrame,
    at: vec2<f32>,
    deepest: f32,
    wheel_state: u32,
) -> WheelContact {
    let high = frame.origin + frame.to_world * vec3<f32>(at, highest);
    let low = frame.origin + frame.to_world * vec3<f32>(at, deepest);
    if !in_scene {
        return ground_on_plane(last, place, high, low, wheel_state);
    }
    return ground_in_scene(high, low, wheel_state);
}

fn ground_on_plane(
    last: WheelContact, place: vec3<f32>, high: vec3<f32>, low: vec3<f32>, wheel_state: u32
) -> WheelContact {
    let above = dot(last.normal, high - place);
    let slope = dot(last.normal, low - high);
    var contact = wheel_in_the_air();
    // A wheel that leans away from the plane does not reach it.
    if above + slope >= 0.0 || slope >= 0.0 {
        return contact;
    }
    if above <= 0.0 {
        contact.state = WHEEL_BROKEN;
        return contact;
    }
    return WheelContact(high - above / slope * (low - high), wheel_state, last.normal, last.material, last.leaf);
}

fn ground_in_scene(high: vec3<f32>, low: vec3<f32>, wheel_state: u32) -> WheelContact {
    var contact = wheel_in_the_air();
    let entry = first_entry(high, low, 0.0, 1.0);
    if entry.status != RAY_HIT || entry.lambda >= 1.0 {
        return contact;
    }
    if entry.lambda == 0.0 || entry.stop == NO_STOP {
        contact.state = WHEEL_BROKEN;
        return contact;
    }
    contact.pebble = high + entry.lambda * (low - high);
    contact.state = wheel_state;
    contact.leaf = leaf_of(entry);
    contact.material = material_of(contact.leaf, contact.pebble);
    contact.normal = normal_of(entry, contact.pebble);
    return contact;
}

fn touches_ground(wheel_state: u32) -> bool {
    return wheel_state == WHEEL_SLIPPING || wheel_state == WHEEL_STANDING;
}

// What the springs of a touching wheel do before its pebble is moved.
struct Rolled {
    // Standing where the pebble keeps its place; slipping where ground is still to be found below `place`; else free or
    // broken.
    state: u32,
    place: vec2<f32>,
    // On the airframe, world, if there is ground to push against.
    force: vec3<f32>,
    normal_force: f32,
    compression: f32,
    friction: f32,
    clip_case: i32,
    over_max_force: bool,
}

fn not_rolled() -> Rolled {
    return Rolled(WHEEL_FREE, vec2<f32>(0.0), vec3<f32>(0.0), 0.0, 0.0, 0.0, CLIP_NOT_COMPUTED, false);
}

// States 2 and 3: the force of the springs with the pebble at this place of the world, clipped against the pebble border.
// Where the pebble `settles`, whether the wheel touches is known only when it `has_moved`.
fn roll(
    parameters: WheelParameters,
    contact: WheelContact,
    place: vec3<f32>,
    frame: WheelFrame,
    friction_scale: f32,
    settles: bool,
    has_moved: bool,
) -> Rolled {
    let to_wheel = transpose(frame.to_world);
    let pebble = to_wheel * (place - frame.origin);
    var rolled = not_rolled();
    if !has_moved && pebble.z >= parameters.z_max {
        return rolled;
    }
    if !has_moved && pebble.z <= parameters.z_min {
        rolled.state = WHEEL_BROKEN;
        return rolled;
    }

    let axes = pebble_border_axes(to_wheel * contact.normal);
    let resistance = rolling_resistance(parameters, contact.material, contact.normal, frame.velocity);
    let per_load = resistance + frame.brake_friction;
    let held_by = friction_scale * friction(contact, frame.velocity);
    let border = PebbleBorder(axes, held_by, frame.brake, per_load, parameters.caster == 1u);
    // R8: the pebble rests, so its speed relative to the wheel frame is the frame's own, reversed.
    var force = spring_force(parameters, pebble, to_wheel * -frame.velocity, axes[2]);
    let max_force = greatest_force(contact.material);
    let pressing = dot(force, axes[2]);
    rolled.over_max_force = pressing > max_force;
    rolled.normal_force = pressing;
    if rolled.over_max_force && parameters.clamp_to_max_force == 1u {
        force -= axes[2] * (pressing - max_force);
        rolled.normal_force = max_force;
    }

    let clipped = clip(border, force);
    rolled.clip_case = clipped.clip_case;
    // R5.
    if clipped.clip_case == CLIP_NO_PRESSING_FORCE && (has_moved || !settles) {
        return rolled;
    }
    rolled.force = -(frame.to_world * clipped.force);
    if parameters.displacement_drag > 0.0 {
        rolled.force += displacement_drag(parameters, contact.material, contact.normal, frame.velocity);
    }
    rolled.compression = max(parameters.z_zero - pebble.z, 0.0);
    rolled.friction = border.friction;
    rolled.state = WHEEL_STANDING;
    if clipped.clip_case != CLIP_INSIDE {
        rolled.state = WHEEL_SLIPPING;
        // R9: the pebble moves to where the springs alone would hold it. Springs that do not press hold nothing, and the
        // pebble follows the wheel.
        var elastic = elastic_force(parameters, pebble);
        var held = Clipped(elastic, CLIP_NOT_COMPUTED);
        var has_followed = false;
        rounds += 1u;
        loop {
            rounds += 1u;
            held = clip(border, elastic);
            if has_followed || !settles || held.clip_case == CLIP_INSIDE {
                break;
            }
            elastic = followed(parameters, border, pebble.z, elastic);
            has_followed = true;
        }
        if held.clip_case != CLIP_NO_PRESSING_FORCE {
            let taken = held.force - elastic;
            // Where it has followed along, both springs have changed already.
            let taken_along_axis = select(taken.z, axes[1].z * dot(axes[1], taken), has_followed);
            rolled.place = held_place(parameters, held.force, taken_along_axis, axes[2]);
        }
    }
    return rolled;
}

// One step of a wheel. One that is free looks for ground down to `deepest` first; where it finds some, or touched before,
// it rolls, unless it only looks, and one that then slips looks again, below its pebble's new place. Where its pebble
// `settles` it rolls once more, with the pebble there. Search and springs stand in one place each, for they are long, and
// little is held in registers from one to the other. `wheel_parameters` gives those of the wheel of this number.
fn step_wheel(
    in_scene: bool,
    number_of_wheel: u32,
    last: WheelContact,
    frame: WheelFrame,
    friction_scale: f32,
    deepest: f32,
    only_looks: bool,
    settles: bool,
) -> WheelStep {
    // What the wheel touches when it rolls, and what it comes to.
    var touched = last;
    var next = last;
    var clip_case = CLIP_NOT_COMPUTED;
    var place = vec2<f32>(0.0);
    var has_rolled = false;
    var has_moved = false;
    // Of one that does not settle.
    var before_moving = not_rolled();
    // Returned behind the loop: see `leaf.wgsl`.
    var step = without_force(last, frame.origin, CLIP_NOT_COMPUTED);
    rounds += 1u;
    loop {
        rounds += 1u;
        if touches_ground(next.state) {
            let parameters = wheel_parameters(number_of_wheel);
            let rolled =
                roll(parameters, touched, next.pebble, frame, friction_scale, settles, has_moved);
            clip_case = rolled.clip_case;
            if rolled.state == WHEEL_FREE {
                next = wheel_in_the_air();
            } else if !has_moved {
                next = touched;
                next.state = rolled.state;
            }
            if has_moved || rolled.state != WHEEL_SLIPPING {
                step = rolled_step(rolled, next, frame.origin);
                break;
            }
            has_rolled = true;
            place = rolled.place;
            if !settles {
                before_moving = rolled;
            }
        } else if next.state == WHEEL_BROKEN {
            break;
        }
        let parameters = wheel_parameters(number_of_wheel);
        let reach = select(deepest, parameters.z_max, has_rolled);
        let next_state = select(WHEEL_STANDING, WHEEL_SLIPPING, has_rolled);
        next = find_ground(in_scene, touched, last.pebble, parameters.z_min, frame, place, reach, next_state);
        has_moved = has_rolled;
        if !has_rolled {
            touched = next;
        }
        // R13: the step that finds the contact gives its force.
        if only_looks || !touches_ground(next.state) {
            step = without_force(next, frame.origin, clip_case);
            break;
        }
        if has_moved && !settles {
            step = rolled_step(before_moving, next, frame.origin);
            break;
        }
    }
    return step;
}

// The step of a wheel that rolled like this and then came to stand like that.
fn rolled_step(rolled: Rolled, next: WheelContact, origin: vec3<f32>) -> WheelStep {
    if !touches_ground(next.state) {
        // Over an edge, or taking off: the pebble has no ground to push against.
        return without_force(next, origin, rolled.clip_case);
    }
    return WheelStep(
        next,
        rolled.force,
        next.pebble,
        rolled.normal_force,
        rolled.compression,
        rolled.friction,
        rolled.clip_case,
        rolled.over_max_force,
    );
}

// The force that presses the surface [N] when a wheel just touches it. `slope` is the cosine of the angle between the
// surface's normal and the wheel's axis upwards, `speed` [m/s] is that away from the surface.
fn force_at_first_touch(parameters: WheelParameters, slope: f32, speed: f32) -> f32 {
    return axial_force(parameters, parameters.z_max) * slope + axial_damping(parameters, speed) * speed;
}

// Static friction while standing, dynamic friction at the speed along the surface while slipping.
fn friction(contact: WheelContact, velocity: vec3<f32>) -> f32 {
    if contact.material == MATERIAL_NONE {
        return 0.0;
    }
    let material = material_constants(contact.material);
    if contact.state == WHEEL_STANDING {
        return material.x;
    }
    let first = tables[scene.curves_at + 4u * contact.material];
    let count = tables[scene.curves_at + 4u * contact.material + 1u];
    if count == 0u {
        return material.y;
    }
    return coefficient_by_speed(first, count, length(across(contact.normal, velocity)));
}

// Static friction, dynamic friction, greatest force, rolling resistance.
fn material_constants(material: u32) -> vec4<f32> {
    return constants[scene.materials_at + 2u * material];
}

// From rows of (speed, coefficient, slope to the next row): linear between them, constant beyond.
fn coefficient_by_speed(first: u32, count: u32, speed: f32) -> f32 {
    // The last row that is not above the speed, by halves.
    var low = 0u;
    var high = count;
    rounds += 1u;
    while low < high {
        rounds += 1u;
        let middle = (low + high) / 2u;
        if constants[first + middle].x <= speed {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    if low == 0u {
        return constants[first].y;
    }
    let row = constants[first + low - 1u];
    return row.y + row.z * (speed - row.x);
}

fn greatest_force(material: u32) -> f32 {
    if material == MATERIAL_NONE {
        return FAR;
    }
    return material_constants(material).z;
}

// The force of springs and dampers on the pebble, with the damping split along the surface's normal (R10): wheel frame.
fn spring_force(parameters: WheelParameters, pebble: vec3<f32>, velocity: vec3<f32>, down: vec3<f32>) -> vec3<f32> {
    let normal_speed = dot(velocity, down);
    let normal_velocity = down * normal_speed;
    let damping = axial_damping(parameters, normal_speed);
    return elastic_force(parameters, pebble) + parameters.d_xy * (velocity - normal_velocity) + damping * normal_velocity;
}

// The springs' part of it.
fn elastic_force(parameters: WheelParameters, pebble: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(parameters.k_xy * pebble.xy, axial_force(parameters, pebble.z));
}

// The springs' force on a pebble, `elastic`, with the parts across and into the surface that it has once the pebble has followed the
// wheel in the rolling direction, as far as brake and friction let it: what bounds the force on the wheel must not be the load
// of a pebble that trails. `depth` is where the pebble is along the axis.
fn followed(parameters: WheelParameters, border: PebbleBorder, depth: f32, elastic: vec3<f32>) -> vec3<f32> {
    let axes = border.axes;
    let along = dot(elastic, axes[0]);
    // What the springs across change until the axial one has helped them to take all of the force along.
    let relaxed = along / (1.0 + parameters.axial_excess * (axes[0].z * axes[0].z));
    let change = axial_force(parameters, depth - axes[0].z * (relaxed / parameters.k_xy)) - elastic.z;
    let across = change * axes[1].z - relaxed * axes[0].x * axes[1].x;
    let pressing = change * axes[2].z - relaxed * axes[0].x * axes[2].x;
    let loads = dot(elastic, axes[2]) + vec2<f32>(0.0, pressing);
    let by_brake = share_held(abs(along), border.brake + border.per_load * loads);
    let left = 1.0 - min(by_brake, share_held(abs(along), border.friction * loads));
    return elastic + left * (across * axes[1] + pressing * axes[2]);
}

// What share of a force along is left where a bound holds it, of which the first is where the pebble is, and the second where it
// would be without that force: force and bound go evenly with the way.
fn share_held(force: f32, bounds: vec2<f32>) -> f32 {
    if force <= bounds.x {
        return 1.0;
    }
    if bounds.y <= 0.0 {
        return 0.0;
    }
    return bounds.y / (force + (bounds.y - bounds.x));
}

// Where the springs would hold the pebble with the force `held` along the surface, whose inward normal is `down`: x and y
// of the wheel frame. `taken` is what the border takes of their force along the axis. On the way there a wheel that leans changes its
// axial spring too; where that would be by more than half of what those across change, the way is shortened.
fn held_place(parameters: WheelParameters, held: vec3<f32>, taken: f32, down: vec3<f32>) -> vec2<f32> {
    let lean = dot(down.xy, down.xy);
    let change = parameters.axial_excess * lean;
    var force = held.xy;
    if change > 0.5 {
        force += (1.0 - 0.5 / change) * taken / lean * down.z * down.xy;
    }
    return force / parameters.k_xy;
}

// The axes of the pebble border in the wheel frame (docs/theory/wheels.md, 2).
fn pebble_border_axes(normal: vec3<f32>) -> mat3x3<f32> {
    let z_axis = -normalize(normal);
    // The rolling direction stays in the wheel's XZ plane. A normal along Y leaves it free: any choice will do.
    let rolling = vec3<f32>(z_axis.z, 0.0, -z_axis.x);
    let size = length(rolling);
    let x_axis = select(vec3<f32>(1.0, 0.0, 0.0), rolling / max(size, 1e-30), size > 0.0);
    return mat3x3<f32>(x_axis, cross(z_axis, x_axis), z_axis);
}

// A force in the wheel frame, clipped; the same bits when it is inside.
fn clip(border: PebbleBorder, force: vec3<f32>) -> Clipped {
    let primed = transpose(border.axes) * force;
    let brake = border.brake + border.per_load * primed.z;
    var clipped: Clipped;
    if border.caster {
        clipped = clip_to_disc(primed, border.friction, brake);
    } else {
        clipped = clip_horizontal(primed, border.friction, brake);
    }
    if clipped.clip_case <= CLIP_INSIDE {
        return Clipped(force, clipped.clip_case);
    }
    return Clipped(border.axes * clipped.force, clipped.clip_case);
}

// Of a wheel that swivels freely: the friction circle, made smaller by the braking strength.
fn clip_to_disc(force: vec3<f32>, friction: f32, brake: f32) -> Clipped {
    if force.z <= 0.0 {
        return Clipped(force, CLIP_NO_PRESSING_FORCE);
    }
    let circle = friction * force.z;
    let radius = min(brake, circle);
    let horizontal = length(force.xy);
    if horizontal <= radius {
        return Clipped(force, CLIP_INSIDE);
    }
    // A horizontal force whose square vanishes has no direction left.
    let scale = select(0.0, radius / max(horizontal, 1e-30), horizontal > 0.0);
    return Clipped(vec3<f32>(scale * force.xy, force.z), select(CLIP_CIRCLE, CLIP_BRAKE, brake < circle));
}

// "Clipping Force against Pebble Border", cases 1 to 3 (R4, R5).
fn clip_horizontal(force: vec3<f32>, friction: f32, brake: f32) -> Clipped {
    if force.z <= 0.0 {
        return Clipped(force, CLIP_NO_PRESSING_FORCE);
    }
    let circle = friction * force.z;
    let horizontal = length(force.xy);
    if abs(force.x) <= brake && horizontal <= circle {
        return Clipped(force, CLIP_INSIDE);
    }
    // The line of the braking strength within the circle, if it comes so far in.
    let cut = min(brake, circle);
    let corner = sqrt((circle - cut) * (circle + cut));
    let along = select(-cut, cut, force.x >= 0.0);
    if brake < circle && abs(force.y) <= corner {
        return Clipped(vec3<f32>(along, force.yz), CLIP_BRAKE);
    }
    if brake < circle && cut * abs(force.y) <= abs(force.x) * corner {
        return Clipped(vec3<f32>(along, select(-corner, corner, force.y >= 0.0), force.z), CLIP_CORNER);
    }
    // A horizontal force whose square vanishes has no direction left.
    let scale = select(0.0, circle / max(horizontal, 1e-30), horizontal > 0.0);
    return Clipped(vec3<f32>(scale * force.xy, force.z), CLIP_CIRCLE);
}
