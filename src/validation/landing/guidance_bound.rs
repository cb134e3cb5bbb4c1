//! Bounds on f32 errors of autoland or pilot's flare, and of the air.
//!
//! Words, constants and the counting of roundings as in `wheel_bound`; u = 2^-24. All laws are blends that do not stretch
//! an error by more than their gain, so nothing is decided in them:
//!
//! * **Height and way.** Places are narrowed in the frame, the frame's distance from the ground and from the gate is rounded:
//!   4 u of all lengths between. The ground's rise to a place is a product of two narrowed numbers and takes part in as
//!   many sums as the height does: 4 u of the rise to the frame, 5 u of that in it, which the frame's own 4 u cover.
//! * **Air.** Wind, shear times height and gusts: 4 u of each, and the shear times the error of the height. Wind of tables:
//!   the steepest part times the errors of height or time and of the narrowed points, 8 u of the farthest, and 16 u of the
//!   greatest wind for the interpolation. The 1-cosine gust: an angle up to half a turn, off by 6 u of it, its sine by
//!   another 4 u, and the square twice that: less than 64 u of the peak.
//! * **Sink rate asked for.** Of two laws the lesser: off by no more than the worse of both. The ground speed is a vector's
//!   length ([`LENGTH`]).
//! * **Pitch angle asked for.** The error of the sink rate asked for times each of the three gains that it passes, and 8 u
//!   of all summands. What the clamps cut off is not counted.
//! * **Thrust.** The errors of the airspeed times the gain and of the height times thrust over the height of the retard;
//!   of both the engines take their share in a step.
//! * **Gusts.** Sums of at most three products of narrowed numbers: 8 u of all of them. The noise is the same integer. Rotary
//!   gusts follow the change of linear ones, whose errors come with the gain.

use glam::DVec3;

use super::thresholds::LENGTH;
use crate::flight::{LandingPlan, Turbulence};
use crate::query::{Gusts, Input, LandingInputs, LandingJob, LandingState, Weather};
use crate::validation::wheel_bound::{FRAME_REACH, U};

/// The largest of the noise.
const MAX_NOISE: f64 = 16.0;

/// Errors of the air's speed and of what the autoland asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GuidanceErrors {
    /// Air velocity \[m/s\].
    pub air: f64,
    /// Speed of the air over the ground, at most \[m/s\].
    pub air_speed: f64,
    /// Angular velocity of the air \[rad/s\].
    pub air_rate: f64,
    /// Gusts after the step \[m/s\], rotary ones \[rad/s\].
    pub gusts: f64,
    /// Elevator due to the commanded pitch angle \[rad\].
    pub elevator: f64,
    /// Commanded bank angle \[rad\].
    pub bank: f64,
    /// Commanded heading \[rad\].
    pub heading: f64,
    /// Thrust after the step \[N\].
    pub thrust: f64,
    /// Integral after the step \[rad\].
    pub integral: f64,
    /// The thrust after the step per speed \[N s/m\] and place \[N/m\], the integral per speed and place: how they follow a
    /// displaced state.
    pub thrust_by: [f64; 2],
    pub integral_by: [f64; 2],
}

impl GuidanceErrors {
    /// In the step from `before`; `center` is what lengths in the scene are narrowed to, `lateral` the error of the
    /// distance from the centreline.
    pub fn new(
        job: &LandingJob,
        inputs: &LandingInputs,
        before: &LandingState,
        center: DVec3,
        lateral: f64,
        angle: f64,
    ) -> Self {
        let plan = LandingPlan::new(job, inputs);
        let motion = &before.motion;
        let ground = job.scene.ground_plane();
        let rise = ground.slope.abs() * (FRAME_REACH + motion.position.x.abs() + center.x.abs());
        let height = 4.0 * U * (FRAME_REACH + motion.position.z.abs() + center.z.abs() + rise);
        let (gusts, shear) = (&before.gusts, plan.shear.length());
        let blown = total(gusts);
        let above = ground.height(motion.position).abs();
        let sheared = shear * above;
        let tables = tables(job, (above, height), job.middle_of(before.step));
        let peak = plan.gust.map_or(0.0, |gust| gust.peak.length());
        let others = peak + tables.size;
        let size = plan.wind.length() + sheared + blown + others;
        let moving = 4.0 * U * size + shear * height + 64.0 * U * peak + tables.error;
        let mut errors = Self {
            // Steady wind is counted with the speed of the body.
            air: if plan.is_steady { 0.0 } else { moving },
            air_speed: size,
            air_rate: 2.0 * U * before.gusts.rotation().length(),
            gusts: plan.turbulence.as_ref().map_or(0.0, |turbulence| gusts_error(gusts, blown, turbulence)),
            ..Self::default()
        };
        errors.guide(job, inputs, before, &plan, (center, height, lateral, angle));
        errors
    }

    fn guide(
        &mut self,
        job: &LandingJob,
        inputs: &LandingInputs,
        before: &LandingState,
        plan: &LandingPlan,
        (center, height, lateral, angle): (DVec3, f64, f64, f64),
    ) {
        let (Some(law), Some(guidance)) = (job.vehicle.laws(), &plan.guidance) else {
            return;
        };
        let (motion, thrust) = (&before.motion, &job.vehicle.thrust);
        let engines = thrust.idle.abs().max(thrust.reverse).max(law.greatest_thrust);
        let share = guidance.engine_share;
        self.thrust = 8.0 * U * (engines + before.pilot.thrust.abs());
        self.integral = 4.0 * U * before.pilot.sink_integral.abs();
        if before.touchdown_step.is_some() {
            return;
        }
        let ground = job.scene.ground_plane();
        let slope = ground.slope.abs();
        let (velocity, tangent) = (motion.velocity.length(), guidance.glide_tangent);
        let height = height + 4.0 * U * guidance.wheel_depth.abs();
        let above = (ground.height(motion.position) - guidance.wheel_depth).abs();
        let way = (motion.position.x - law.gate_distance).abs();
        // Its fall against the ground.
        let fall = tangent + slope;
        let path = law.gate_height + way * fall;
        let along = 4.0 * U * (FRAME_REACH + motion.position.x.abs() + center.x.abs() + law.gate_distance.abs());
        let glide_size = guidance.descent + velocity * tangent + law.glide_gain * (above + path);
        let glide = LENGTH * velocity * tangent
            + law.glide_gain * (height + fall * along + 4.0 * U * path)
            + 4.0 * U * glide_size;
        let flare_size = law.touchdown_sink_rate + above / law.flare_time + slope * velocity;
        let flare = height / law.flare_time + 4.0 * U * flare_size;
        let (asked, size) = (glide.max(flare), glide_size.max(flare_size) + velocity);
        let error = asked + 4.0 * U * size;

        let integral_gain = job.step * law.sink_integral_gain;
        let integral = before.pilot.sink_integral.abs() + integral_gain * size;
        self.integral += integral_gain * error + 4.0 * U * integral;
        let gains = guidance.angle_per_sink_rate + law.sink_gain;
        let summands = guidance.angle_of_attack.abs() + gains * size + integral;
        let pitch = gains * error + self.integral + 8.0 * U * summands;
        self.elevator = law.pitch_gain * (pitch + 2.0 * angle + 8.0 * U)
            + 8.0 * U * (1.0 + law.pitch_damping * motion.rate.length());

        self.bank = law.bank_per_offset * lateral
            + 4.0 * U * (law.bank_per_offset * motion.position.y.abs() + law.bank_per_drift * velocity);
        self.heading = plan.heading.abs() * (guidance.decrab * height / law.decrab_height + 8.0 * U);

        let airspeed = velocity + self.air_speed;
        let speeds = airspeed + inputs.get(Input::TargetAirspeed);
        let held = law.speed_gain * (LENGTH * airspeed + 2.0 * U * velocity + self.air + 4.0 * U * speeds)
            + 4.0 * U * guidance.thrust.abs();
        let range = law.greatest_thrust - thrust.idle;
        self.thrust += share * (held + range * (height / law.retard_height + 4.0 * U));
        // A place displaced along x has another height, too.
        self.thrust_by = [share * law.speed_gain, share * range / law.retard_height * (1.0 + slope)];
        self.integral_by =
            [integral_gain * (1.0 + fall), integral_gain * (law.glide_gain + 1.0 / law.flare_time) * (1.0 + slope)];
    }
}

/// Sum of the magnitudes of speeds.
fn total(gusts: &Gusts) -> f64 {
    let Gusts { along, across, across_drive, vertical, vertical_drive, roll: _, pitch: _, yaw: _ } = *gusts;
    [along, across, across_drive, vertical, vertical_drive].into_iter().map(f64::abs).sum()
}

/// Gusts after a step; `blown` is the sum of the speeds before it.
fn gusts_error(gusts: &Gusts, blown: f64, turbulence: &Turbulence) -> f64 {
    let Turbulence { gain_roll, gain_pitch, gain_yaw, .. } = *turbulence;
    let linear = 8.0 * U * (blown + noise(turbulence));
    let slopes = gain_pitch.abs() + gain_yaw.abs();
    let rotary = gusts.rotation().length() + MAX_NOISE * gain_roll + 2.0 * slopes * (blown + noise(turbulence));
    linear + slopes * linear + 8.0 * U * rotary
}

/// Wind of tables.
fn tables(job: &LandingJob, (height, height_error): (f64, f64), time: f64) -> Tables {
    let Weather { standard_atmosphere: _, profile, history } = &job.weather;
    let mut tables = Tables::default();
    for (table, at, error) in [(profile, height, height_error), (history, time, 0.0)] {
        let Some(table) = table else { continue };
        let farthest = table.points().iter().fold(at.abs(), |most, point| most.max(point.abs()));
        tables.size += table.greatest();
        tables.error += table.steepest() * (error + 8.0 * U * farthest) + 16.0 * U * table.greatest();
    }
    tables
}

/// Speed of the wind of tables, at most, and its error \[m/s\].
#[derive(Clone, Copy, Default)]
struct Tables {
    size: f64,
    error: f64,
}

/// The most that the noise of a step adds.
fn noise(turbulence: &Turbulence) -> f64 {
    // Across and upwards it drives both numbers of the filter.
    MAX_NOISE * (turbulence.gain_along + 2.0 * (turbulence.gain_across + turbulence.gain_vertical))
}
