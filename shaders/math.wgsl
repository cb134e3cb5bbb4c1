// Functions whose built-in namesakes promise too little: WGSL allows atan2 an error of 4096 units in the last place,
// and sin and cos one of 2^-11.

const HALF_TURN = 3.14159265358979;

// The angle [rad] of a point in the plane, from the x axis, as atan2; 0 at the origin. Off by less than 4 units in the
// last place; the polynomial is that of atanf in Moshier's Cephes library, good to 2 within tan(pi/8).
fn angle_of(y: f32, x: f32) -> f32 {
    let across = abs(y);
    let along = abs(x);
    let larger = max(across, along);
    if larger == 0.0 {
        return 0.0;
    }
    let smaller = min(across, along);
    // Beyond tan(pi/8) seen from the diagonal.
    let turned = smaller > 0.414213562 * larger;
    let t = select(smaller, smaller - larger, turned) / select(larger, smaller + larger, turned);
    let z = t * t;
    let series = ((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1;
    var angle = select(0.0, 0.25 * HALF_TURN, turned) + (series * z * t + t);
    angle = select(angle, 0.5 * HALF_TURN - angle, across > along);
    angle = select(angle, HALF_TURN - angle, x < 0.0);
    return select(angle, -angle, y < 0.0);
}

// Sine and cosine of an angle [rad], off by less than 2e-7. Polynomials of sinf and cosf in Cephes for an eighth of a
// turn to both sides; the quarters that are taken off are exact up to some thousand turns.
fn sine_cosine(angle: f32) -> vec2<f32> {
    let quarters = round(angle * (2.0 / HALF_TURN));
    let a = ((angle - quarters * 1.5703125) - quarters * 4.837512969970703e-4) - quarters * 7.54978995489188e-8;
    let z = a * a;
    let sine = ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * a + a;
    let cosine = ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
    // Of an angle that is that large nothing is known any more; the conversion must not overflow.
    let quarter = u32(i32(clamp(quarters, -1e9, 1e9))) & 3u;
    let swapped = (quarter & 1u) != 0u;
    let s = select(sine, cosine, swapped);
    let c = select(cosine, sine, swapped);
    return vec2<f32>(select(s, -s, (quarter & 2u) != 0u), select(c, -c, quarter == 1u || quarter == 2u));
}
