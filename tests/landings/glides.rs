//! Glides of ten seconds beside JSBSim's: with its own integrators to a millimetre, and with the step of landings.
//!
//! `glides.json.gz` has a glider of our own, and aircraft of JSBSim's whose surfaces stand still with their engines off; those need
//! `TOUCHDOWN_JSBSIM` (as in `air_forces`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use serde_json::Value;
use touchdown::air_forces::{AirForces, Description, Flight, Memory};
use touchdown::airframe::{Airframe, AirframeDescription};
use touchdown::engine::Engine;
use touchdown::import::jsbsim_air_forces;
use touchdown::query::{Acceleration, Input, LandingJob, LandingState, Motion};
use touchdown::reference::Reference;
use touchdown::vehicle::{Inertia, Vehicle};

use crate::support::air_forces::{any, golden, vector};
use crate::support::landing_jobs::{inputs, job_with};
use crate::support::tricycle::piloted_tricycle;
use crate::support::{list, text};

const GRAVITY: f64 = 9.806_65;
/// Feet of a length that JSBSim has in feet, and so on.
const FOOT: f64 = 0.3048;

/// The standard atmosphere as JSBSim has it: pressure at sea level in pounds per square foot.
fn air(height: f64) -> (f64, f64, f64, f64) {
    let gas = 8.314_32 / 0.028_964_5;
    let geopotential = 6_356_766.0 * height / (6_356_766.0 + height);
    let temperature = 288.15 - 0.0065 * geopotential;
    let sea_level = 2116.228 * 4.448_221_615_260_5 / (FOOT * FOOT);
    let pressure = sea_level * (288.15 / temperature).powf(-GRAVITY / (gas * 0.0065));
    (pressure / (gas * temperature), (1.4 * gas * temperature).sqrt(), temperature, pressure)
}

/// A state in flight, in north, east and down from where the glide began.
#[derive(Clone, Copy, Debug)]
struct State {
    position: DVec3,
    /// Over the ground, world axes.
    velocity: DVec3,
    /// Body to world.
    attitude: DQuat,
    rate: DVec3,
}

impl State {
    fn of(values: &Value) -> Self {
        let [x, y, h, u, v, w, phi, theta, psi, p, q, r] = [
            "x_m",
            "y_m",
            "h_agl_m",
            "u_mps",
            "v_mps",
            "w_mps",
            "phi_rad",
            "theta_rad",
            "psi_rad",
            "p_rps",
            "q_rps",
            "r_rps",
        ]
        .map(|name| any(&values[name]));
        let attitude = DQuat::from_rotation_z(psi) * DQuat::from_rotation_y(theta) * DQuat::from_rotation_x(phi);
        Self {
            position: DVec3::new(x, y, -h),
            velocity: attitude * DVec3::new(u, v, w),
            attitude,
            rate: DVec3::new(p, q, r),
        }
    }

    fn euler(&self) -> [f64; 2] {
        let axes = DMat3::from_quat(self.attitude);
        [axes.y_axis.z.atan2(axes.z_axis.z), (-axes.x_axis.z).asin()]
    }
}

/// An aircraft in a glide.
struct Glide {
    name: String,
    description: Description,
    forces: AirForces,
    given: Vec<f64>,
    mass: f64,
    inertia: DMat3,
    arm: DVec3,
    start: State,
    /// Derivatives in the first frame: of the body's velocity \[m/s^2\], and of its rates \[rad/s^2\].
    at_start: [DVec3; 2],
    expected: State,
    converged: State,
}

impl Glide {
    fn new(values: &Value, root: &Path) -> Self {
        let imported = jsbsim_air_forces(&root.join(text(&values["file"])), &[]).unwrap();
        let known = values["given"].as_object().unwrap();
        let forces = AirForces::with_given(&imported.description, &|_| true).unwrap();
        // What is neither flight nor surface is 0: engines are off.
        let given = forces.given().iter().map(|name| known.get(name).map_or(0.0, any)).collect();
        let [centre, point] = ["cg_in", "aero_rp_in"].map(|name| vector(&values[name], 0));
        let rows =
            list(&values["J_kgm2"]).iter().map(|row| DVec3::from_array(std::array::from_fn(|axis| any(&row[axis]))));
        let rows: Vec<DVec3> = rows.collect();
        Self {
            name: text(&values["name"]).to_owned(),
            description: imported.description,
            forces,
            given,
            mass: any(&values["mass_kg"]),
            inertia: DMat3::from_cols(rows[0], rows[1], rows[2]),
            arm: DVec3::new(centre.x - point.x, point.y - centre.y, centre.z - point.z) * 0.0254,
            start: State::of(&values["start"]),
            at_start: ["accel_at_start_mps2", "turn_at_start_rps2"].map(|name| vector(&values[name], 0)),
            expected: State::of(&values["at_10_s"]),
            converged: State::of(&values["at_10_s_with_tenth_step"]),
        }
    }

    /// Derivatives of the body's velocity and rates; `memory` becomes what the next frame finds.
    fn derivatives(&self, state: &State, acceleration: DVec3, memory: &mut Memory) -> [DVec3; 2] {
        let height = -state.position.z;
        let (density, sound, temperature, pressure) = air(height);
        let velocity = state.attitude.inverse() * state.velocity;
        let [roll, pitch] = state.euler();
        let flight = Flight {
            air_velocity: velocity,
            ground_velocity: velocity,
            rate: state.rate,
            acceleration,
            roll,
            pitch,
            height,
            density,
            sound,
            temperature,
            pressure,
            mass: self.mass,
            arm: self.arm,
            memory: *memory,
            given: self.given.clone(),
            ..Flight::default()
        };
        let [force, moment] = self.forces.loads(&self.forces.row(&flight));
        memory.lift = flight.lift(force);
        let down = state.attitude.inverse() * DVec3::new(0.0, 0.0, GRAVITY);
        let turning = moment - state.rate.cross(self.inertia * state.rate);
        [force / self.mass + down - state.rate.cross(velocity), self.inertia.inverse() * turning]
    }

    /// JSBSim's integrators: rectangular for rates and attitude, Adams-Bashforth of the second order for velocities and of the
    /// third for places, each from the derivatives of the frames before.
    fn as_jsbsim(&self, step: f64, seconds: f64) -> State {
        let mut state = self.start;
        let mut memory = Memory::default();
        // What a first frame leaves: its lift.
        self.derivatives(&state, self.at_start[0], &mut memory);
        let [mut acceleration, mut turn] = self.at_start;
        let world = |state: &State, acceleration: DVec3| {
            state.attitude * (acceleration + state.rate.cross(state.attitude.inverse() * state.velocity))
        };
        let mut speeds = [state.velocity; 3];
        let mut pulls = [world(&state, acceleration); 2];
        for _ in 0..(seconds / step).round() as usize {
            let position = state.position + step / 12.0 * (23.0 * speeds[0] - 16.0 * speeds[1] + 5.0 * speeds[2]);
            let spin = DQuat::from_xyzw(state.rate.x, state.rate.y, state.rate.z, 0.0);
            let attitude = (state.attitude + (state.attitude * spin) * (0.5 * step)).normalize();
            let velocity = state.velocity + step * (1.5 * pulls[0] - 0.5 * pulls[1]);
            state = State { position, velocity, attitude, rate: state.rate + step * turn };
            [acceleration, turn] = self.derivatives(&state, acceleration, &mut memory);
            speeds = [state.velocity, speeds[0], speeds[1]];
            pulls = [world(&state, acceleration), pulls[0]];
        }
        state
    }

    /// The same by the reference engine, as a landing in the air, with air of the density at a height \[m\] throughout.
    fn as_landing(&self, step: f64, seconds: f64, air_height: f64) -> State {
        let mut air_forces = Description { reference_point: self.arm, ..self.description.clone() };
        let given = self.forces.given().iter().cloned().zip(self.given.iter().copied());
        air_forces.constants.extend(given);
        let airframe = Airframe::new(AirframeDescription { air_forces, ..AirframeDescription::default() }).unwrap();
        let [x, y, z] = [self.inertia.x_axis, self.inertia.y_axis, self.inertia.z_axis];
        let vehicle = Vehicle {
            mass: self.mass,
            inertia: Inertia { xx: x.x, yy: y.y, zz: z.z, xy: -x.y, xz: -x.z, yz: -y.z },
            aerodynamics: None,
            airframe: Some(Arc::new(airframe)),
            ..piloted_tricycle()
        };
        let job = LandingJob { step, gravity: GRAVITY, ..job_with(vehicle, []) };
        let inputs = inputs(&job.vehicle, &[(Input::AirDensity, air(air_height).0), (Input::Mass, self.mass)]);
        // North, east, down to along, left, up.
        let turned = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        let start = &self.start;
        let engine = Reference::new(1).unwrap();
        let mut state = LandingState::at_start(&job, &inputs);
        state.motion = Motion {
            position: turned * start.position,
            orientation: (turned * start.attitude).normalize(),
            velocity: turned * start.velocity,
            rate: start.rate,
        };
        let velocity = start.attitude.inverse() * start.velocity;
        state.acceleration = Acceleration {
            linear: state.motion.orientation * (self.at_start[0] + start.rate.cross(velocity)),
            angular: self.at_start[1],
        };
        for _ in 0..(seconds / step).round() as usize {
            state = engine.step_landings(&job, &[(inputs, state)]).unwrap().remove(0);
        }
        let Motion { position, orientation, velocity, rate } = state.motion;
        State { position: turned * position, velocity: turned * velocity, attitude: turned * orientation, rate }
    }
}

fn glides() -> Vec<Glide> {
    let free = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jsbsim");
    let others = std::env::var_os("TOUCHDOWN_JSBSIM").map(PathBuf::from);
    if others.is_none() {
        println!("the glider alone: TOUCHDOWN_JSBSIM names no folder with JSBSim's aircraft");
    }
    let golden = golden("glides");
    let all = list(&golden["aircraft"]).iter().filter_map(|values| {
        let root = if text(&values["name"]) == "glider" { Some(&free) } else { others.as_ref() };
        root.map(|root| Glide::new(values, root))
    });
    all.collect()
}

fn apart(a: &State, b: &State) -> f64 {
    a.position.distance(b.position)
}

#[test]
fn with_jsbsims_integrators_a_glide_ends_within_a_millimetre_of_its_own() {
    for glide in glides() {
        let found = glide.as_jsbsim(1.0 / 120.0, 10.0);
        let off = apart(&found, &glide.expected);
        println!("{}: {:.3} mm from JSBSim after 10 s and {:.0} m", glide.name, 1e3 * off, glide.expected.position.x);
        assert!(off < 1e-3, "{}: {found:?} {:?}", glide.name, glide.expected);
        // Another order of any integrator would be seen.
        assert!(apart(&glide.as_jsbsim(1.0 / 60.0, 10.0), &glide.expected) > 1e-3);
    }
}

#[test]
fn with_the_step_of_landings_it_ends_within_half_a_metre_and_the_rest_is_jsbsims_step_and_the_air() {
    for glide in glides() {
        let middle = -0.5 * (glide.start.position.z + glide.expected.position.z);
        let found = glide.as_landing(0.005, 10.0, middle);
        let finer = glide.as_landing(0.001, 10.0, middle);
        let converged = glide.as_jsbsim(1.0 / 1200.0, 10.0);
        println!(
            "{}: {:.3} m from JSBSim at 1/120 s, {:.3} m from JSBSim at 1/1200 s; a step of 1 ms moves it by {:.4} m, 1/1200 s \
             moved JSBSim by {:.3} m (ours with its integrators {:.4} m from it)",
            glide.name,
            apart(&found, &glide.expected),
            apart(&found, &glide.converged),
            apart(&found, &finer),
            apart(&glide.expected, &glide.converged),
            apart(&converged, &glide.converged),
        );
        assert!(apart(&found, &glide.converged) < 0.5, "{}: {found:?} {:?}", glide.name, glide.converged);
        assert!(apart(&found, &finer) < 0.05);
    }
}
