//! States of landings as they come from a device.

use glam::{DQuat, DVec3};

use super::super::{MATERIAL_NONE, widened, world};
use super::{Flag, GustsWire, OVER_MAX_FORCE, STATE_BITS, StateHead, WheelMemory, wide};
use crate::query::{
    Acceleration, ClipCase, Controls, Gusts, LandingState, Motion, PilotState, WheelContact, WheelStep,
};
use crate::scene::{MaterialId, Scene};
use crate::vehicle::Surfaces;

/// A state as it came from a device.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct StateView<'a> {
    pub head: StateHead,
    pub kept: &'a [f32],
    pub wheels: &'a [WheelMemory],
}

impl GustsWire {
    fn decode(&self) -> Gusts {
        let [roll, pitch, yaw] = self.rotation.map(f64::from);
        Gusts {
            roll,
            pitch,
            yaw,
            along: f64::from(self.along),
            across: f64::from(self.across),
            across_drive: f64::from(self.across_drive),
            vertical: f64::from(self.vertical),
            vertical_drive: f64::from(self.vertical_drive),
        }
    }
}

impl WheelMemory {
    fn decode(&self, scene: &Scene, origin: DVec3, frame: [f32; 3]) -> Option<WheelStep> {
        let state = self.state()?;
        let clip_case = *ClipCase::ALL.get(((self.status & (OVER_MAX_FORCE - 1)) >> STATE_BITS) as usize)?;
        let contact = if self.touches() {
            let pebble = world(origin, frame, self.pebble);
            let leaf = Some(self.leaf).filter(|&leaf| (leaf as usize) < scene.leaves().len())?;
            let material = (self.material != MATERIAL_NONE).then_some(MaterialId(self.material));
            WheelContact { state, pebble, normal: scene.leaf(leaf).normal(pebble), material, leaf: Some(leaf) }
        } else {
            WheelContact { state, ..WheelContact::FREE }
        };
        Some(WheelStep {
            contact,
            force: wide(self.force),
            application: world(origin, frame, self.application),
            normal_force: f64::from(self.normal_force),
            compression: f64::from(self.compression),
            friction: f64::from(self.friction),
            clip_case,
            over_max_force: self.is_over_max_force(),
            // Of all steps since the state came to the device.
            peak_force: f64::from(self.peak_force),
            peak_compression: f64::from(self.peak_compression),
        })
    }
}

impl StateView<'_> {
    /// Pose and motion in the world.
    pub fn motion(&self, origin: DVec3) -> Motion {
        let StateHead { frame, position, orientation, velocity, velocity_rest, rate, .. } = self.head;
        Motion {
            position: world(origin, frame, position),
            // In f64 it is a unit quaternion only after this.
            orientation: DQuat::from_array(orientation.map(f64::from)).normalize(),
            velocity: wide(velocity) + wide(velocity_rest),
            rate: wide(rate),
        }
    }

    /// `None` when the device wrote what no state has.
    pub fn decode(&self, scene: &Scene, origin: DVec3) -> Option<LandingState> {
        let head = &self.head;
        let wheels = self.wheels.iter().map(|wheel| wheel.decode(scene, origin, head.frame)).collect::<Option<_>>()?;
        let touched = |step: u32| (step != 0).then_some(u64::from(step));
        let mut motion = self.motion(origin);
        // Where the load was no number the kernel has gone on without one.
        if head.has(Flag::INVALID) && motion.is_sane() {
            (motion.velocity, motion.rate) = (DVec3::NAN, DVec3::NAN);
        }
        Some(LandingState {
            step: u64::from(head.step),
            motion,
            acceleration: Acceleration { linear: wide(head.acceleration), angular: wide(head.angular_acceleration) },
            wheels,
            pilot: PilotState {
                pedal: f64::from(head.controls.brake),
                last_speed: f64::from(head.last_speed),
                pitch_at_touchdown: head.has(Flag::KNOWS_PITCH).then_some(f64::from(head.pitch_at_touchdown)),
                begun: std::array::from_fn(|action| head.has_begun(action)),
                thrust: f64::from(head.thrust),
                sink_integral: f64::from(head.sink_integral),
            },
            gusts: head.gusts.decode(),
            airframe: self.kept.iter().map(|&kept| widened(kept)).collect(),
            touchdown_step: touched(head.touchdown_step),
            struck: head.struck.checked_sub(1),
        })
    }

    /// What pilot and engines did in the last step.
    pub fn controls(&self) -> Controls {
        let controls = &self.head.controls;
        Controls {
            surfaces: Surfaces {
                elevator: f64::from(controls.elevator),
                aileron: f64::from(controls.aileron),
                rudder: f64::from(controls.rudder),
                spoilers: f64::from(controls.spoilers),
            },
            steering: f64::from(controls.steering),
            steering_authority: f64::from(controls.steering_authority),
            brake: f64::from(controls.brake),
            thrust: f64::from(controls.thrust),
        }
    }
}
