//! What holds during an encounter, and how far it has come.
//!
//! # Conventions
//! As in [`super`].

use super::motion::Motion;
use crate::elementary::Real;
use crate::encounter::running_gear::RunningGear;
use crate::encounter::{Both, Impact, RoundedOutline, Vector};

/// What holds during an encounter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive<R> {
    /// Half of the length and the width of the ellipses.
    pub semi_axes: Vector<R>,
    /// Half of the boxes' length and width.
    pub half: Vector<R>,
    /// Of the boxes' edges.
    pub radius: R,
    /// Mass over yaw inertia, times the square of the unit of length.
    pub slenderness: R,
    /// Of the normal impulse, by Poisson's hypothesis.
    pub restitution: R,
    /// Coulomb's coefficient.
    pub friction: R,
    /// Above 0 where normals are those of boxes.
    pub boxes: R,
    /// The wheels of both.
    pub gear: Both<RunningGear<R>>,
    /// Time by which tyre forces lag behind the slip.
    pub lag: R,
    /// Bodies that approach no faster do not collide.
    pub resting: R,
    /// The length of a step.
    pub step: R,
    /// The end.
    pub until: R,
}

/// Numbers of a [`Drive`].
pub const DRIVE_NUMBERS: usize = 22;

/// The first impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstImpact<R> {
    /// When.
    pub time: R,
    /// The contact point, from the place of A at the start.
    pub point: Vector<R>,
    /// The unit normal.
    pub normal: Vector<R>,
    /// On B, along the normal and along the tangent.
    pub impulse: Vector<R>,
    /// 1 for each body that is met at the rounding of an edge.
    pub on_edge: Both<R>,
    /// Velocities after it.
    pub velocities: Both<Vector<R>>,
    /// Yaw rates after it.
    pub yaw_rates: Both<R>,
}

/// How far an encounter has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course<R> {
    /// Since the start.
    pub time: R,
    /// From the centre of A to that of B.
    pub apart: Vector<R>,
    /// From the centre of A at the start to where it is.
    pub way: Vector<R>,
    /// Both vehicles.
    pub motions: Both<Motion<R>>,
    /// Steps with an impact.
    pub impacts: R,
    /// The first of these.
    pub first: FirstImpact<R>,
    /// The sum of all impulses on B.
    pub impulse: Vector<R>,
    /// The largest normal impulse.
    pub largest: R,
    /// The largest magnitudes of the yaw rates.
    pub peaks: Both<R>,
    /// Kinetic energy that impacts have taken.
    pub lost: R,
    /// Not 0 where the encounter cannot go on: 1 without a normal, 2 where a search has not ended.
    pub fault: R,
}

/// Numbers of a [`Course`].
pub const COURSE_NUMBERS: usize = 48;

impl<R: Real> Drive<R> {
    /// Both boxes, seen along an axis.
    #[inline(always)]
    pub(super) fn outlines(&self, headings: Both<Vector<R>>) -> Both<RoundedOutline<R>> {
        headings.map(|heading| RoundedOutline { heading, half: self.half, radius: self.radius })
    }

    /// Both bodies as they collide.
    #[inline(always)]
    pub(super) fn impact(&self) -> Impact<R> {
        Impact::of_twins(self.slenderness, self.restitution, self.friction)
    }
}

impl<R: Copy> Drive<R> {
    /// Its numbers.
    #[inline(always)]
    pub fn numbers(&self) -> [R; DRIVE_NUMBERS] {
        let Self { semi_axes, half, radius, slenderness, restitution, friction, boxes, gear, .. } = *self;
        let [a, b] = gear;
        [
            semi_axes[0],
            semi_axes[1],
            half[0],
            half[1],
            radius,
            slenderness,
            restitution,
            friction,
            boxes,
            a.axles[0],
            a.axles[1],
            a.half_track,
            a.stiffness,
            a.creep,
            a.steering[0],
            a.steering[1],
            b.steering[0],
            b.steering[1],
            self.lag,
            self.resting,
            self.step,
            self.until,
        ]
    }

    /// Of its numbers.
    #[inline(always)]
    pub fn of_numbers(n: [R; DRIVE_NUMBERS]) -> Self {
        let gear = |steering| RunningGear {
            axles: [n[9], n[10]],
            half_track: n[11],
            stiffness: n[12],
            creep: n[13],
            steering,
        };
        Self {
            semi_axes: [n[0], n[1]],
            half: [n[2], n[3]],
            radius: n[4],
            slenderness: n[5],
            restitution: n[6],
            friction: n[7],
            boxes: n[8],
            gear: [gear([n[14], n[15]]), gear([n[16], n[17]])],
            lag: n[18],
            resting: n[19],
            step: n[20],
            until: n[21],
        }
    }
}

impl<R: Copy> Course<R> {
    /// Its numbers.
    #[inline(always)]
    pub fn numbers(&self) -> [R; COURSE_NUMBERS] {
        let mut numbers = [self.time; COURSE_NUMBERS];
        let mut next = 1;
        let mut put = |some: &[R]| {
            numbers[next..next + some.len()].copy_from_slice(some);
            next += some.len();
        };
        put(&self.apart);
        put(&self.way);
        for motion in &self.motions {
            put(&motion.heading);
            put(&[motion.turned]);
            put(&motion.velocity);
            put(&[motion.yaw_rate]);
            put(&motion.tyres);
        }
        let first = &self.first;
        put(&[self.impacts, first.time]);
        put(&first.point);
        put(&first.normal);
        put(&first.impulse);
        put(&first.on_edge);
        put(&first.velocities[0]);
        put(&first.velocities[1]);
        put(&first.yaw_rates);
        put(&self.impulse);
        put(&[self.largest]);
        put(&self.peaks);
        put(&[self.lost, self.fault]);
        numbers
    }

    /// Of its numbers.
    #[inline(always)]
    pub fn of_numbers(n: [R; COURSE_NUMBERS]) -> Self {
        let motion = |at: usize| Motion {
            heading: [n[at], n[at + 1]],
            turned: n[at + 2],
            velocity: [n[at + 3], n[at + 4]],
            yaw_rate: n[at + 5],
            tyres: [n[at + 6], n[at + 7], n[at + 8], n[at + 9]],
        };
        Self {
            time: n[0],
            apart: [n[1], n[2]],
            way: [n[3], n[4]],
            motions: [motion(5), motion(15)],
            impacts: n[25],
            first: FirstImpact {
                time: n[26],
                point: [n[27], n[28]],
                normal: [n[29], n[30]],
                impulse: [n[31], n[32]],
                on_edge: [n[33], n[34]],
                velocities: [[n[35], n[36]], [n[37], n[38]]],
                yaw_rates: [n[39], n[40]],
            },
            impulse: [n[41], n[42]],
            largest: n[43],
            peaks: [n[44], n[45]],
            lost: n[46],
            fault: n[47],
        }
    }
}

impl<R: Real> Course<R> {
    /// This one where it is true, else another: number by number.
    #[inline(always)]
    pub(super) fn select(truth: R::Mask8, yes: &Self, no: &Self) -> Self {
        let (mut yes, no) = (yes.numbers(), no.numbers());
        for (yes, no) in yes.iter_mut().zip(no) {
            *yes = R::select(truth, *yes, no);
        }
        Self::of_numbers(yes)
    }
}
