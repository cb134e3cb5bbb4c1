//! Wheels of eight vehicles that are too far from the scene to find ground.

use glam::DVec3;

use super::body::Bodies;
use super::structure::ROUNDING;
use crate::native::rotation::Matrices;
use crate::native::surface::SurfaceFinder;
use crate::simd::{DVec3x8, F64x8, Mask8, Simd};
use crate::vehicle::Wheel;

/// How much farther than it reaches a wheel travels from look to look, near the ground.
const LOOKS_APART: f64 = 8.0;

/// A wheel at distance `c` from the scene is at least `c - d` from it after it has travelled `d`: in most steps in the air a
/// comparison tells that it need not look for ground.
pub(super) struct GearWatch<S: Simd> {
    wheels: Vec<WheelWatch<S>>,
    /// Where the bodies were last.
    position: DVec3x8<S>,
    to_world: Matrices<S>,
}

struct WheelWatch<S: Simd> {
    /// Body \[m\], and how far that is from the centre of gravity.
    position: DVec3,
    arm: f64,
    /// Of the farther end of the wheel's travel from there \[m\].
    travel: f64,
    /// How far the wheels are from the scene, at least \[m\].
    distance: F64x8<S>,
    /// A wheel that is not clear looks again when its distance is less than this \[m\]: in few steps near the ground.
    next_look: F64x8<S>,
}

impl<S: Simd> GearWatch<S> {
    pub fn new(simd: S, wheels: &[Wheel]) -> Self {
        let zero = F64x8::zero(simd);
        let watch = |wheel: &Wheel| WheelWatch {
            position: wheel.position,
            arm: wheel.position.length(),
            travel: wheel.parameters.z_min.abs().max(wheel.parameters.z_max.abs()),
            distance: zero,
            next_look: zero,
        };
        Self {
            wheels: wheels.iter().map(watch).collect(),
            position: DVec3x8::zero(simd),
            to_world: Matrices::zero(simd),
        }
    }

    /// Forgets what is known of a lane.
    pub fn forget(&mut self, lane: usize) {
        for wheel in &mut self.wheels {
            wheel.distance.set(lane, 0.0);
            wheel.next_look.set(lane, f64::INFINITY);
        }
    }

    /// Takes down that the bodies are here now, in these lanes, as it has to be before a wheel is asked about.
    #[inline(always)]
    pub fn follow(&mut self, bodies: &Bodies<S>, lanes: Mask8<S>) {
        let [x, y, z] = bodies.to_world.less(&self.to_world);
        // Frobenius' norm: no point moves farther by a turn than that times its distance from the centre.
        let turned = (x.dot(x) + y.dot(y) + z.dot(z)).sqrt();
        let moved = (bodies.position - self.position).length() + ROUNDING;
        for wheel in &mut self.wheels {
            let left = wheel.distance - (moved + turned * wheel.arm);
            wheel.distance = lanes.select(left, wheel.distance);
        }
        self.position = lanes.select3(bodies.position, self.position);
        self.to_world = self.to_world.unless(lanes, &bodies.to_world);
    }

    /// Of these lanes those in which a wheel cannot meet the scene in a step of this length \[s\], in whose middle the bodies
    /// are there, with these magnitudes of their velocities \[m/s\] and rates of rotation \[rad/s\].
    #[inline(always)]
    pub fn clear(
        &mut self,
        index: usize,
        finder: &SurfaceFinder<'_>,
        bodies: &Bodies<S>,
        [speed, turning]: [F64x8<S>; 2],
        step: f64,
        lanes: Mask8<S>,
    ) -> Mask8<S> {
        let wheel = &mut self.wheels[index];
        let reach = (speed + turning * wheel.arm) * step + (wheel.travel + ROUNDING);
        let due = lanes & !wheel.distance.gt(reach) & !wheel.distance.gt(wheel.next_look);
        if due.any() {
            wheel.look(finder, *bodies, reach, due);
        }
        lanes & wheel.distance.gt(reach)
    }
}

impl<S: Simd> WheelWatch<S> {
    /// The bodies are a value, which goes to memory only for wheels that look.
    #[inline(never)]
    fn look(&mut self, finder: &SurfaceFinder<'_>, bodies: Bodies<S>, reach: F64x8<S>, due: Mask8<S>) {
        for lane in due.lanes() {
            let place = bodies.position.get(lane) + bodies.to_world.get(lane) * self.position;
            let (distance, reach) = (finder.clearance(place), reach.get(lane));
            self.distance.set(lane, distance);
            self.next_look.set(lane, distance - LOOKS_APART * reach);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use proptest::prelude::*;

    use super::*;
    use crate::lanes::LANES;
    use crate::native::index::SceneIndex;
    use crate::query::{Motion, Ray, WheelParameters};
    use crate::scene::{Scene, Shape};
    use crate::simd::{InRegisters, in_registers};

    const STEP: f64 = 0.005;

    /// A vehicle that flies on, turned a little in each step.
    struct Flight<'a> {
        index: &'a SceneIndex,
        start: Motion,
        steps: usize,
    }

    impl InRegisters for Flight<'_> {
        /// Steps in which a wheel was clear, and whether one of these was wrong.
        type Output = (usize, bool);
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let Self { index, start, steps } = self;
            let finder = SurfaceFinder::new(index);
            let wheel = |x: f64, y: f64| Wheel {
                name: String::new(),
                position: DVec3::new(x, y, 1.5),
                parameters: WheelParameters { z_min: 0.3, z_max: 0.9, ..WheelParameters::PLAIN },
                main: true,
                brake: 0.0,
                brake_friction: 0.0,
                steering: 0.0,
                friction: None,
            };
            let wheels = [wheel(6.0, 0.0), wheel(-1.0, -3.0)];
            let mut watch = GearWatch::new(simd, &wheels);
            let (mut bodies, lanes) = (Bodies::at_rest(simd), Mask8::from_array(simd, [true; LANES]));
            (0..LANES).for_each(|lane| watch.forget(lane));
            let (mut motion, mut clear, mut wrong) = (start, 0, false);
            for _ in 0..steps {
                motion.position += motion.velocity * STEP;
                motion.orientation *= DQuat::from_scaled_axis(motion.rate * STEP);
                (0..LANES).for_each(|lane| bodies.set(lane, &motion));
                watch.follow(&bodies, lanes);
                for (number, wheel) in wheels.iter().enumerate() {
                    let speeds = [bodies.velocity.length(), bodies.rate.length()];
                    if watch.clear(number, &finder, &bodies, speeds, STEP, lanes).any() {
                        let at = |z: f64| motion.position + motion.to_world() * (wheel.position + DVec3::Z * z);
                        let speed = motion.velocity + motion.to_world() * motion.rate.cross(wheel.position);
                        let low = wheel.parameters.z_max + STEP * speed.length();
                        wrong |= finder.meets(&Ray::segment(at(wheel.parameters.z_min), at(low)));
                        clear += 1;
                    }
                }
            }
            (clear, wrong)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn wheels_that_are_clear_of_a_hilly_scene_find_nothing_in_it(
            height in 3.0..40.0f64,
            velocity in [20.0..90.0f64, -10.0..10.0f64, -25.0..5.0f64],
            rate in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        ) {
            let hill = |x: f64, radius: f64| Shape::sphere(DVec3::new(x, 0.0, 0.0), radius);
            let ground = Shape::half_space(DVec3::Z, 0.0);
            let scene = Scene::new(&Shape::union([ground, hill(30.0, 4.0), hill(70.0, 9.0)]), Vec::new(), None, None);
            let start = Motion {
                position: DVec3::new(0.0, 0.0, height),
                orientation: DQuat::from_rotation_x(std::f64::consts::PI),
                velocity: DVec3::from_array(velocity),
                rate: DVec3::from_array(rate),
            };
            let index = SceneIndex::new(&scene.unwrap());
            let (clear, wrong) = in_registers(Flight { index: &index, start, steps: 300 });
            prop_assert!(!wrong);
            // High above the scene looking would be in vain.
            prop_assert!(height < 15.0 || clear > 20, "{clear} steps");
        }
    }
}
