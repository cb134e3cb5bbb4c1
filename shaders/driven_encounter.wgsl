// Jobs `driven_encounter` and `driven_step`: two cars on tyres, as src/encounter/driven explains it.

struct Gear {
    axles: vec2<f32>,
    half_track: f32,
    stiffness: f32,
    creep: f32,
    steering: vec2<f32>,
}

// What holds during an encounter.
struct Drive {
    semi_axes: vec2<f32>,
    half: vec2<f32>,
    radius: f32,
    slenderness: f32,
    restitution: f32,
    friction: f32,
    by_boxes: bool,
    gear_a: Gear,
    gear_b: Gear,
    lag: f32,
    resting: f32,
    step: f32,
    until: f32,
}

struct Motion {
    heading: vec2<f32>,
    turned: f32,
    velocity: vec2<f32>,
    yaw_rate: f32,
    tyres: vec4<f32>,
}

// How far an encounter has come: all but what is recorded.
struct Course {
    time: f32,
    apart: vec2<f32>,
    way: vec2<f32>,
    a: Motion,
    b: Motion,
}

struct FirstImpact {
    time: f32,
    point: vec2<f32>,
    normal: vec2<f32>,
    impulse: vec2<f32>,
    on_edge: vec2<f32>,
    velocity_a: vec2<f32>,
    velocity_b: vec2<f32>,
    yaw_rates: vec2<f32>,
}

// What is recorded of it.
struct Record {
    impacts: f32,
    first: FirstImpact,
    impulse: vec2<f32>,
    largest: f32,
    peaks: vec2<f32>,
    lost: f32,
    fault: f32,
}

struct Touch {
    not_converged: bool,
    square: f32,
    normal: vec2<f32>,
    arm_a: vec2<f32>,
    arm_b: vec2<f32>,
}

// What the contact function is made by.
struct ContactFunction {
    area: f32,
    mixed: f32,
    own: vec2<f32>,
    other: vec2<f32>,
    normal_a: vec2<f32>,
    normal_b: vec2<f32>,
}

struct Force {
    force: vec2<f32>,
    torque: f32,
}

struct Moved {
    motion: Motion,
    way: vec2<f32>,
}

fn rotated(turn: vec2<f32>, v: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(turn.x * v.x - turn.y * v.y, turn.y * v.x + turn.x * v.y);
}

// From the centre of mass to a wheel, along the car and to the left.
fn wheel_place(gear: Gear, wheel: u32) -> vec2<f32> {
    let along = select(-gear.axles.y, gear.axles.x, wheel < 2u);
    return vec2<f32>(along, select(-gear.half_track, gear.half_track, (wheel & 1u) == 0u));
}

fn wheel_direction(gear: Gear, heading: vec2<f32>, wheel: u32) -> vec2<f32> {
    if wheel < 2u {
        return rotated(gear.steering, heading);
    }
    return heading;
}

fn steady_force(gear: Gear, direction: vec2<f32>, velocity: vec2<f32>) -> f32 {
    let along = dot(velocity, direction);
    let across = cross_of(direction, velocity);
    return -gear.stiffness * (across / sqrt(along * along + across * across + gear.creep * gear.creep));
}

fn steady_forces(gear: Gear, heading: vec2<f32>, velocity: vec2<f32>, yaw_rate: f32) -> vec4<f32> {
    var forces = vec4<f32>();
    for (var wheel = 0u; wheel < 4u; wheel++) {
        let arm = rotated(heading, wheel_place(gear, wheel));
        let of_wheel = vec2<f32>(velocity.x - yaw_rate * arm.y, velocity.y + yaw_rate * arm.x);
        forces[wheel] = steady_force(gear, wheel_direction(gear, heading, wheel), of_wheel);
    }
    return forces;
}

fn resultant(gear: Gear, heading: vec2<f32>, tyres: vec4<f32>) -> Force {
    var all = Force(vec2<f32>(), 0.0);
    for (var wheel = 0u; wheel < 4u; wheel++) {
        let direction = wheel_direction(gear, heading, wheel);
        let left = vec2<f32>(-direction.y, direction.x);
        all.force += tyres[wheel] * left;
        all.torque += tyres[wheel] * cross_of(rotated(heading, wheel_place(gear, wheel)), left);
    }
    return all;
}

fn turned(heading: vec2<f32>, angle: f32) -> vec2<f32> {
    let tangent = angle / (2.0 - angle * angle * SIXTH);
    let square = tangent * tangent;
    let size = 1.0 + square;
    return rotated(vec2<f32>((1.0 - square) / size, 2.0 * tangent / size), heading);
}

fn motion_after(drive: Drive, gear: Gear, start: Motion, time: f32) -> Moved {
    let half_time = time * 0.5;
    let first = resultant(gear, start.heading, start.tyres);
    let middle_velocity = start.velocity + half_time * first.force;
    let middle_rate = start.yaw_rate + half_time * (drive.slenderness * first.torque);
    let middle_heading = turned(start.heading, half_time * start.yaw_rate);
    let steady = steady_forces(gear, middle_heading, middle_velocity, middle_rate);

    let lags = time / drive.lag;
    let left = 1.0 / (1.0 + lags + 0.5 * (lags * lags));
    let mean_left = (1.0 + 0.5 * lags) * left;
    let mean = steady + (start.tyres - steady) * mean_left;
    let tyres = steady + (start.tyres - steady) * left;
    let second = resultant(gear, middle_heading, mean);
    let velocity = start.velocity + time * second.force;
    let yaw_rate = start.yaw_rate + time * (drive.slenderness * second.torque);
    let angle = half_time * (start.yaw_rate + yaw_rate);
    let motion = Motion(turned(start.heading, angle), start.turned + angle, velocity, yaw_rate, tyres);
    return Moved(motion, half_time * (start.velocity + velocity));
}

fn course_after(drive: Drive, start: Course, time: f32) -> Course {
    let a = motion_after(drive, drive.gear_a, start.a, time);
    let b = motion_after(drive, drive.gear_b, start.b, time);
    return Course(start.time + time, start.apart + (b.way - a.way), start.way + a.way, a.motion, b.motion);
}

fn widened(semi_axes: vec2<f32>, heading: vec2<f32>, v: vec2<f32>) -> f32 {
    let along = dot(heading, v);
    let across = cross_of(heading, v);
    return semi_axes.x * (along * along) + semi_axes.y * (across * across);
}

fn narrowed_normal(squares: vec2<f32>, heading: vec2<f32>, apart: vec2<f32>) -> vec2<f32> {
    return rotated(heading, vec2<f32>(squares.y * dot(heading, apart), squares.x * cross_of(heading, apart)));
}

fn contact_function(squares: vec2<f32>, a: vec2<f32>, b: vec2<f32>, apart: vec2<f32>) -> ContactFunction {
    let area = squares.x * squares.y;
    let cosine = dot(a, b);
    let sine = cross_of(a, b);
    let mixed = area * (cosine * cosine) + area * (cosine * cosine)
        + (squares.x * squares.x + squares.y * squares.y) * (sine * sine);
    let normal_a = narrowed_normal(squares, a, apart);
    let normal_b = narrowed_normal(squares, b, apart);
    let own = vec2<f32>(widened(squares.yx, a, apart), widened(squares.yx, b, apart));
    let other = vec2<f32>(widened(squares, a, normal_b), widened(squares, b, normal_a));
    return ContactFunction(area, mixed, own, other, normal_a, normal_b);
}

fn determinant_at(by: ContactFunction, l: f32, rest: f32) -> f32 {
    return by.area * (rest * rest + l * l) + l * rest * by.mixed;
}

// F' and F'' at l.
fn slope_at(by: ContactFunction, l: f32) -> vec2<f32> {
    let rest = 1.0 - l;
    let both = 2.0 * (l * rest);
    let width_a = by.area * (rest * rest * by.own.x + both * by.own.y) + l * l * by.other.x;
    let width_b = by.area * (l * l * by.own.y + both * by.own.x) + rest * rest * by.other.y;
    let divisor = determinant_at(by, l, rest);
    let square = divisor * divisor;
    let slope = (rest * rest * width_a - l * l * width_b) / square;
    let turning = rest - l;
    let rise_a = 2.0 * (by.area * (turning * by.own.y - rest * by.own.x) + l * by.other.x);
    let rise_b = 2.0 * (by.area * (turning * by.own.x + l * by.own.y) - rest * by.other.y);
    let rise = rest * (rest * rise_a - 2.0 * width_a) - l * (l * rise_b + 2.0 * width_b);
    let stretch = turning * (by.mixed - 2.0 * by.area) / divisor;
    return vec2<f32>(slope, rise / square - 2.0 * slope * stretch);
}

fn scaled_arm(squares: vec2<f32>, heading: vec2<f32>, normal: vec2<f32>, share: f32) -> vec2<f32> {
    return share * rotated(heading, vec2<f32>(squares.x * dot(heading, normal), squares.y * cross_of(heading, normal)));
}

// How the ellipses are to each other under their common factor.
fn common_scaling(drive: Drive, course: Course) -> Touch {
    let squares = drive.semi_axes * drive.semi_axes;
    let by = contact_function(squares, course.a.heading, course.b.heading, course.apart);
    let tolerance = SCALING_RESIDUAL * ((by.own.x + by.own.y) / by.area);
    var low = 0.0;
    var high = 1.0;
    var l = 0.5;
    var converged = false;
    for (var round = 0u; round < SCALING_ROUNDS; round++) {
        let slope = slope_at(by, l);
        if abs(slope.x) <= tolerance {
            converged = true;
            break;
        }
        if slope.x > 0.0 {
            low = l;
        } else {
            high = l;
        }
        let next = l - slope.x / slope.y;
        l = select((low + high) * 0.5, next, next > low && next < high);
    }
    let rest = 1.0 - l;
    let divisor = determinant_at(by, l, rest);
    let square = l * rest * (rest * by.own.x + l * by.own.y) / divisor;
    let normal = rest * by.normal_a + l * by.normal_b;
    let arm_a = scaled_arm(squares, course.a.heading, normal, rest / divisor);
    let arm_b = scaled_arm(squares, course.b.heading, normal, -l / divisor);
    return Touch(!converged, square, normal / sqrt(dot(normal, normal)), arm_a, arm_b);
}

fn touch_of(drive: Drive, course: Course) -> Touch {
    let reach = 2.0 * max(drive.semi_axes.x, drive.semi_axes.y);
    if reach * reach * REACH_BAND > dot(course.apart, course.apart) {
        return common_scaling(drive, course);
    }
    return Touch(false, OUT_OF_REACH, vec2<f32>(), vec2<f32>(), vec2<f32>());
}

// Whether the boxes pass each other: an axis across their drift separates them.
fn boxes_pass(drive: Drive, course: Course) -> bool {
    let drift = course.b.velocity - course.a.velocity;
    let speed = sqrt(dot(drift, drift));
    let moves = speed >= drive.resting;
    let axis = select(course.a.heading, drift * (1.0 / select(1.0, speed, moves)), moves);
    let a = vec2<f32>(dot(axis, course.a.heading), cross_of(axis, course.a.heading));
    let b = vec2<f32>(dot(axis, course.b.heading), cross_of(axis, course.b.heading));
    let widths = reach_of(a, drive.half, drive.radius) + reach_of(b, drive.half, drive.radius);
    return abs(cross_of(axis, course.apart)) > widths;
}

fn moving(motion: Motion, arm: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(motion.velocity.x - motion.yaw_rate * arm.y, motion.velocity.y + motion.yaw_rate * arm.x);
}

fn kinetic_energy(drive: Drive, motion: Motion) -> f32 {
    return (dot(motion.velocity, motion.velocity) + motion.yaw_rate * motion.yaw_rate / drive.slenderness) * 0.5;
}

// Lets bodies that touch and approach collide; what was decided.
fn collide(drive: Drive, touch: Touch, course: ptr<function, Course>, record: ptr<function, Record>) -> u32 {
    if touch.square > TOUCHING {
        return 0u;
    }
    let now = *course;
    var contacts = STEP_TOUCHES;
    if drive.by_boxes && boxes_pass(drive, now) {
        return contacts | STEP_PASSES;
    }
    var normal = touch.normal;
    var has_normal = dot(normal, normal) > 0.5;
    var edges = 0u;
    if drive.by_boxes {
        let one = pierced(now.a.heading, drive.half, drive.radius, touch.arm_a);
        let two = pierced(now.b.heading, drive.half, drive.radius, touch.arm_b);
        let met = pair_normal(one, two);
        normal = met.xy;
        has_normal = dot(normal, normal) > 0.5 && met.z >= SAME_NORMALS;
        edges = select(0u, STEP_EDGE_OF_A, one.on_edge) | select(0u, STEP_EDGE_OF_B, two.on_edge);
    }
    if !has_normal {
        return contacts | STEP_HAS_NO_NORMAL;
    }
    let relative = moving(now.b, touch.arm_b) - moving(now.a, touch.arm_a);
    // Ellipses that are apart in their band, and part, do not touch whatever the boxes' normal.
    let meets = touch.square <= 1.0 || dot(relative, touch.normal) < 0.0;
    if !meets || -dot(relative, normal) <= drive.resting {
        return contacts;
    }
    contacts |= STEP_HITS | edges;
    let size = impulse_of(
        drive.slenderness, drive.restitution, drive.friction, touch.arm_a, touch.arm_b, normal, relative);
    let impulse = vec2<f32>(size.x * normal.x - size.y * normal.y, size.x * normal.y + size.y * normal.x);
    var next = now;
    next.a.velocity = now.a.velocity - impulse;
    next.b.velocity = now.b.velocity + impulse;
    next.a.yaw_rate = now.a.yaw_rate - drive.slenderness * cross_of(touch.arm_a, impulse);
    next.b.yaw_rate = now.b.yaw_rate + drive.slenderness * cross_of(touch.arm_b, impulse);
    if (*record).impacts < 1.0 {
        let on_edge = vec2<f32>(select(0.0, 1.0, (edges & STEP_EDGE_OF_A) != 0u), select(0.0, 1.0, (edges & STEP_EDGE_OF_B) != 0u));
        (*record).first = FirstImpact(
            now.time, now.way + touch.arm_a, normal, size, on_edge, next.a.velocity, next.b.velocity,
            vec2<f32>(next.a.yaw_rate, next.b.yaw_rate));
    }
    (*record).impacts += 1.0;
    (*record).impulse += impulse;
    (*record).largest = max((*record).largest, size.x);
    let before = kinetic_energy(drive, now.a) + kinetic_energy(drive, now.b);
    (*record).lost += before - (kinetic_energy(drive, next.a) + kinetic_energy(drive, next.b));
    *course = next;
    return contacts;
}

fn peaks_of(peaks: vec2<f32>, course: Course) -> vec2<f32> {
    return max(peaks, abs(vec2<f32>(course.a.yaw_rate, course.b.yaw_rate)));
}

// A step, and what was decided in it.
fn step_of(
    drive: Drive, known: ptr<function, Touch>, course: ptr<function, Course>, record: ptr<function, Record>
) -> u32 {
    let remaining = drive.until - (*course).time;
    var contacts = collide(drive, *known, course, record);
    var not_converged = (*known).not_converged;
    (*record).peaks = peaks_of((*record).peaks, *course);
    let is_last = remaining <= drive.step;
    let time = select(drive.step, remaining, is_last);
    let start = *course;
    var next = course_after(drive, start, time);
    if is_last {
        next.time = drive.until;
    }
    var after = touch_of(drive, next);
    if (contacts & STEP_TOUCHES) == 0u && after.square <= 1.0 {
        contacts |= STEP_LANDS;
        // By false position: seconds, and how far the factor is above 1.
        var low = vec2<f32>(0.0, sqrt(common_scaling(drive, start).square) - 1.0);
        var high = vec2<f32>(time, sqrt(after.square) - 1.0);
        for (var round = 0u; round < LANDINGS; round++) {
            let share = low.y / (low.y - high.y);
            let to = low.x + (high.x - low.x) * share;
            next = course_after(drive, start, to);
            let clear = sqrt(common_scaling(drive, next).square) - 1.0;
            if abs(clear) <= LANDING_RESIDUAL {
                break;
            }
            if clear > 0.0 {
                low = vec2<f32>(to, clear);
            } else {
                high = vec2<f32>(to, clear);
            }
        }
        after = touch_of(drive, next);
    }
    (*record).peaks = peaks_of((*record).peaks, next);
    not_converged = not_converged || after.not_converged;
    if (contacts & STEP_HAS_NO_NORMAL) != 0u {
        (*record).fault = 1.0;
    }
    if not_converged {
        contacts |= STEP_NOT_CONVERGED;
        (*record).fault = 2.0;
    }
    *course = next;
    *known = after;
    return contacts;
}

fn number(item: ptr<function, DrivenWire>, index: u32) -> f32 {
    return (*item).numbers[index / 4u][index % 4u];
}

fn pair(item: ptr<function, DrivenWire>, index: u32) -> vec2<f32> {
    return vec2<f32>(number(item, index), number(item, index + 1u));
}

fn gear_of(item: ptr<function, DrivenWire>, steering: u32) -> Gear {
    return Gear(pair(item, 9u), number(item, 11u), number(item, 12u), number(item, 13u), pair(item, steering));
}

fn motion_of(item: ptr<function, DrivenWire>, at: u32) -> Motion {
    let tyres = vec4<f32>(pair(item, at + 6u), pair(item, at + 8u));
    return Motion(pair(item, at), number(item, at + 2u), pair(item, at + 3u), number(item, at + 5u), tyres);
}

// As many steps as are asked for, or until the end.
fn driven(wire: DrivenWire) -> DrivenAnswerWire {
    var item = wire;
    let drive = Drive(
        pair(&item, 0u), pair(&item, 2u), number(&item, 4u), number(&item, 5u), number(&item, 6u), number(&item, 7u),
        number(&item, 8u) > 0.0, gear_of(&item, 14u), gear_of(&item, 16u), number(&item, 18u), number(&item, 19u),
        number(&item, 20u), number(&item, 21u));
    const C = COURSE_AT;
    var course = Course(
        number(&item, C), pair(&item, C + 1u), pair(&item, C + 3u), motion_of(&item, C + 5u), motion_of(&item, C + 15u));
    let first = FirstImpact(
        number(&item, C + 26u), pair(&item, C + 27u), pair(&item, C + 29u), pair(&item, C + 31u), pair(&item, C + 33u),
        pair(&item, C + 35u), pair(&item, C + 37u), pair(&item, C + 39u));
    var record = Record(
        number(&item, C + 25u), first, pair(&item, C + 41u), number(&item, C + 43u), pair(&item, C + 44u),
        number(&item, C + 46u), number(&item, C + 47u));
    var known = touch_of(drive, course);
    var contacts = 0u;
    var done = 0u;
    for (; done < wire.steps.x; done++) {
        if course.time >= drive.until || record.fault > 0.0 {
            break;
        }
        contacts = step_of(drive, &known, &course, &record);
    }
    let f = record.first;
    return DrivenAnswerWire(
        array<vec4<f32>, 12>(
            vec4<f32>(course.time, course.apart, course.way.x),
            vec4<f32>(course.way.y, course.a.heading, course.a.turned),
            vec4<f32>(course.a.velocity, course.a.yaw_rate, course.a.tyres.x),
            vec4<f32>(course.a.tyres.yzw, course.b.heading.x),
            vec4<f32>(course.b.heading.y, course.b.turned, course.b.velocity),
            vec4<f32>(course.b.yaw_rate, course.b.tyres.xyz),
            vec4<f32>(course.b.tyres.w, record.impacts, f.time, f.point.x),
            vec4<f32>(f.point.y, f.normal, f.impulse.x),
            vec4<f32>(f.impulse.y, f.on_edge, f.velocity_a.x),
            vec4<f32>(f.velocity_a.y, f.velocity_b, f.yaw_rates.x),
            vec4<f32>(f.yaw_rates.y, record.impulse, record.largest),
            vec4<f32>(record.peaks, record.lost, record.fault),
        ),
        vec4<u32>(contacts, done, STEP_DONE, 0u));
}
