//! The numbers of eight rows.

use bytemuck::{cast_slice, cast_slice_mut, zeroed_slice_box};

use crate::function::Words;
use crate::lanes::{LANES, Lanes};
use crate::simd::{DVec3x8, F64x8, Simd};

/// A number for every place that a word can name: none asks whether its places exist.
type All = [Lanes; Words::MAX_WIDTH];

/// Where they are: 4 MiB, of which fresh memory from the system is only there as far as it is touched. An allocator that is asked for zeros
/// where a register begins would clear it all, so the place is found in a little more. One that hands out memory again clears it: rows
/// are made for many steps.
pub(super) struct Memory {
    numbers: Box<[f64]>,
    begin: usize,
}

impl Memory {
    /// Zeros.
    pub fn new() -> Self {
        let numbers: Box<[f64]> = zeroed_slice_box((Words::MAX_WIDTH + 1) * LANES);
        let begin = numbers.as_ptr().align_offset(align_of::<Lanes>());
        Self { numbers, begin }
    }

    fn all(&self) -> &[Lanes] {
        cast_slice(&self.numbers[self.begin..][..Words::MAX_WIDTH * LANES])
    }

    /// All numbers, to be read and written.
    #[inline(always)]
    pub fn numbers<S: Simd>(&mut self, simd: S) -> Numbers<'_, S> {
        let all: &mut [Lanes] = cast_slice_mut(&mut self.numbers[self.begin..][..Words::MAX_WIDTH * LANES]);
        let Ok(all) = all.try_into() else { unreachable!("as many as places") };
        Numbers { simd, all }
    }

    /// A lane's number of a place.
    pub fn of_lane(&self, lane: usize, place: usize) -> f64 {
        self.all()[place].0[lane]
    }
}

/// The numbers of eight rows while something is at them.
pub(in crate::native) struct Numbers<'a, S: Simd> {
    simd: S,
    all: &'a mut All,
}

impl<S: Simd> Numbers<'_, S> {
    /// Those of a place.
    #[inline(always)]
    pub fn get(&self, place: usize) -> F64x8<S> {
        F64x8::from_array(self.simd, self.all[place].0)
    }

    /// Gives a place its numbers.
    #[inline(always)]
    pub fn set(&mut self, place: usize, numbers: F64x8<S>) {
        self.all[place] = numbers.to_lanes();
    }

    /// Gives three places, one after another, their numbers.
    #[inline(always)]
    pub fn set_vector(&mut self, place: usize, vectors: DVec3x8<S>) {
        self.set(place, vectors.x);
        self.set(place + 1, vectors.y);
        self.set(place + 2, vectors.z);
    }

    /// Gives a lane of a place its number.
    pub fn set_lane(&mut self, lane: usize, place: usize, number: f64) {
        self.all[place].0[lane] = number;
    }

    /// What has no form of its own for eight.
    pub fn each_lane(&mut self, to: u16, places: &[u16], make: &dyn Fn(&[f64]) -> f64) {
        let mut few = [0.0; 4];
        let mut many = Vec::new();
        let arguments = match few.get_mut(..places.len()) {
            Some(arguments) => arguments,
            None => {
                many.resize(places.len(), 0.0);
                &mut many[..]
            }
        };
        for lane in 0..LANES {
            for (own, &place) in arguments.iter_mut().zip(places) {
                *own = self.all[usize::from(place)].0[lane];
            }
            self.all[usize::from(to)].0[lane] = make(arguments);
        }
    }
}
