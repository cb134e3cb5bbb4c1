// The air about a vehicle: wind, its growth with height, wind of tables, a gust of its own, and gusts with Dryden's spectra.
//
// # Conventions
// World axes. As in the documentation of `query::Turbulence`.

// Speed of the air over the ground in the middle of the step after this many [m/s].
fn air_at(position: vec3<f32>, step: u32) -> vec3<f32> {
    let steady = vec3<f32>(landing_wind(), 0.0);
    if (landing_traits() & UNSTEADY_AIR) == 0u {
        return steady;
    }
    let height = height_above_ground(position);
    let gusts = state_gusts();
    let moving = landing_wind() + (landing_shear() * height + vec2<f32>(gusts.along, gusts.across));
    var air = vec3<f32>(moving, gusts.vertical);
    if (landing_traits() & DISCRETE_GUST) != 0u {
        air += discrete_gust(step);
    }
    if WIND_TABLES {
        air += table_wind(height, (f32(step) + 0.5) * vehicle.time_step);
    }
    return air;
}

// One minus a cosine, as the square of a sine.
fn discrete_gust(step: u32) -> vec3<f32> {
    let angle = landing_gust_turn() * (f32(i32(step - landing_gust_step())) + landing_gust_lead());
    if angle < 0.0 || angle > HALF_TURN {
        return vec3<f32>(0.0);
    }
    let sine = sine_cosine(angle).x;
    return landing_gust_peak() * (sine * sine);
}

// The gusts after the step of this number.
fn gusts_after(step: u32) -> Gusts {
    let g = state_gusts();
    if (landing_traits() & TURBULENT_AIR) == 0u {
        return g;
    }
    let words = philox(vec4<u32>(landing_noise().xy, NOISE_VARIABLE, step), landing_noise().zw);
    let noise = vec4<f32>(vec4<i32>(countOneBits(words)) - vec4<i32>(16));
    let across =
        landing_decay() * g.across + landing_cascade() * g.across_drive + landing_gain_across() * noise.y;
    let vertical = landing_decay_vertical() * g.vertical
        + landing_cascade_vertical() * g.vertical_drive
        + landing_gain_vertical() * noise.z;
    let driven = vec3<f32>(noise.w, vertical - g.vertical, across - g.across);
    return Gusts(
        landing_decay_rotation() * g.rotation + landing_gain_rotation() * driven,
        landing_decay() * g.along + landing_gain_along() * noise.x,
        across,
        landing_decay() * g.across_drive + landing_gain_across() * noise.y,
        vertical,
        landing_decay_vertical() * g.vertical_drive + landing_gain_vertical() * noise.z,
    );
}

// The random words of a counter under a key: Philox4x32-10. Without a loop, whose rounds would have to be counted.
fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    let more = vec2<u32>(PHILOX_KEY_STEP_0, PHILOX_KEY_STEP_1);
    var words = philox_round(counter, key);
    words = philox_round(words, key + more);
    words = philox_round(words, key + 2u * more);
    words = philox_round(words, key + 3u * more);
    words = philox_round(words, key + 4u * more);
    words = philox_round(words, key + 5u * more);
    words = philox_round(words, key + 6u * more);
    words = philox_round(words, key + 7u * more);
    words = philox_round(words, key + 8u * more);
    return philox_round(words, key + 9u * more);
}

fn philox_round(words: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    let high = vec2<u32>(high_word(PHILOX_MULTIPLIER_0, words.x), high_word(PHILOX_MULTIPLIER_1, words.z));
    let low = vec2<u32>(PHILOX_MULTIPLIER_0 * words.x, PHILOX_MULTIPLIER_1 * words.z);
    return vec4<u32>(high.y ^ words.y ^ key.x, low.y, high.x ^ words.w ^ key.y, low.x);
}

// The upper half of a product of 64 bits, from products of halves: none of the sums passes 2^32 - 1.
fn high_word(a: u32, b: u32) -> u32 {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let middle = a_high * b_low + ((a_low * b_low) >> 16u);
    let crossed = a_low * b_high + (middle & 0xffffu);
    return a_high * b_high + (middle >> 16u) + (crossed >> 16u);
}
