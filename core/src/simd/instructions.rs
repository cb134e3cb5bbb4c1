//! Instruction sets, represented by tokens.

use bytemuck::NoUninit;
#[cfg(target_arch = "x86_64")]
use pulp::{Simd as Instructions, WithSimd, x86::V3};
use pulp::{f32x8, f64x8, u64x8};

use crate::lanes::{LANES, Vectorized};

/// Instructions on eight numbers: those of pulp's tokens for 512-bit or twice 256-bit registers, and [`Portable`].
pub trait Simd: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// A truth value for each lane.
    type Answers: Copy + std::fmt::Debug + NoUninit;

    /// Runs work with registers of the token's width.
    fn at_full_width<W: Vectorized>(self, work: W) -> W::Output;

    /// Sums.
    fn add(self, a: f64x8, b: f64x8) -> f64x8;
    /// Differences.
    fn sub(self, a: f64x8, b: f64x8) -> f64x8;
    /// Products.
    fn mul(self, a: f64x8, b: f64x8) -> f64x8;
    /// Quotients.
    fn div(self, a: f64x8, b: f64x8) -> f64x8;
    /// Square roots.
    fn sqrt(self, a: f64x8) -> f64x8;
    /// `if a < b { a } else { b }`.
    fn min(self, a: f64x8, b: f64x8) -> f64x8;
    /// `if a > b { a } else { b }`.
    fn max(self, a: f64x8, b: f64x8) -> f64x8;
    /// Bitwise and.
    fn both_bits(self, a: f64x8, b: f64x8) -> f64x8;
    /// Bitwise or.
    fn either_bits(self, a: f64x8, b: f64x8) -> f64x8;
    /// Bitwise exclusive or.
    fn differing_bits(self, a: f64x8, b: f64x8) -> f64x8;
    /// `a < b`.
    fn lt(self, a: f64x8, b: f64x8) -> Self::Answers;
    /// `a <= b`.
    fn le(self, a: f64x8, b: f64x8) -> Self::Answers;
    /// `a == b`.
    fn eq(self, a: f64x8, b: f64x8) -> Self::Answers;
    /// Lanes true in both.
    fn and(self, a: Self::Answers, b: Self::Answers) -> Self::Answers;
    /// Lanes true in either.
    fn or(self, a: Self::Answers, b: Self::Answers) -> Self::Answers;
    /// Lanes true in exactly one.
    fn xor(self, a: Self::Answers, b: Self::Answers) -> Self::Answers;
    /// Lanes that are false.
    fn not(self, a: Self::Answers) -> Self::Answers;
    /// `yes` in true lanes, `no` in the others.
    fn select(self, answers: Self::Answers, yes: f64x8, no: f64x8) -> f64x8;
    /// The first and third numbers of two by turns, and the second and fourth ones: `[a0, b0, a2, b2]`, `[a1, b1, a3, b3]`.
    fn by_turns(self, a: [f64; 4], b: [f64; 4]) -> [[f64; 4]; 2];
    /// The first halves of two, and the second ones: `[a0, a1, b0, b1]`, `[a2, a3, b2, b3]`.
    fn by_halves(self, a: [f64; 4], b: [f64; 4]) -> [[f64; 4]; 2];

    /// Rows of four numbers to columns.
    #[inline(always)]
    fn transposed(self, [a, b, c, d]: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
        let ([even, odd], [later_even, later_odd]) = (self.by_turns(a, b), self.by_turns(c, d));
        let ([a, c], [b, d]) = (self.by_halves(even, later_even), self.by_halves(odd, later_odd));
        [a, b, c, d]
    }

    /// Sums of words, wrapping.
    fn add_words(self, a: u64x8, b: u64x8) -> u64x8;
    /// Differences of words, wrapping.
    fn sub_words(self, a: u64x8, b: u64x8) -> u64x8;
    /// Products of the lower halves of words.
    fn mul_lower_halves(self, a: u64x8, b: u64x8) -> u64x8;
    /// The upper halves of words, as lower ones.
    fn upper_halves(self, a: u64x8) -> u64x8;
    /// Bitwise exclusive or of words.
    fn differing_words(self, a: u64x8, b: u64x8) -> u64x8;
    /// Bitwise and of words.
    fn both_words(self, a: u64x8, b: u64x8) -> u64x8;
    /// Bitwise or of words.
    fn either_words(self, a: u64x8, b: u64x8) -> u64x8;
    /// Bitwise complement of words.
    fn not_words(self, a: u64x8) -> u64x8;
    /// `a == b` of words.
    fn eq_words(self, a: u64x8, b: u64x8) -> Self::Answers;
    /// `yes` in true lanes, `no` in the others.
    fn select_words(self, answers: Self::Answers, yes: u64x8, no: u64x8) -> u64x8;
    /// A bit for each true lane.
    fn bits(self, answers: Self::Answers) -> u32;

    /// Rounded to f32.
    fn narrowed(self, a: f64x8) -> f32x8;
    /// Sums in f32.
    fn add_narrow(self, a: f32x8, b: f32x8) -> f32x8;
    /// Differences in f32.
    fn sub_narrow(self, a: f32x8, b: f32x8) -> f32x8;
    /// Products in f32.
    fn mul_narrow(self, a: f32x8, b: f32x8) -> f32x8;
    /// Quotients in f32.
    fn div_narrow(self, a: f32x8, b: f32x8) -> f32x8;
    /// `if a < b { a } else { b }` in f32.
    fn min_narrow(self, a: f32x8, b: f32x8) -> f32x8;
    /// `if a > b { a } else { b }` in f32.
    fn max_narrow(self, a: f32x8, b: f32x8) -> f32x8;
    /// A bit for each lane with `a <= b` in f32.
    fn le_narrow(self, a: f32x8, b: f32x8) -> u32;
    /// Those of eight numbers first that have a bit in `chosen`, in order; what follows them says nothing.
    fn chosen_first(self, numbers: [u16; LANES], chosen: u8) -> [u16; LANES];
}

/// Where the bytes of the chosen ones of eight numbers of two bytes are, by bits.
#[cfg(target_arch = "x86_64")]
static CHOSEN_BYTES: [[u8; 2 * LANES]; 1 << LANES] = {
    let mut all = [[0; 2 * LANES]; 1 << LANES];
    let mut chosen = 0;
    while chosen < all.len() {
        let (mut lane, mut place) = (0, 0);
        while lane < LANES {
            if chosen >> lane & 1 != 0 {
                all[chosen][place] = 2 * lane as u8;
                all[chosen][place + 1] = 2 * lane as u8 + 1;
                place += 2;
            }
            lane += 1;
        }
        chosen += 1;
    }
    all
};

/// Implements functions with those of pulp.
#[cfg(target_arch = "x86_64")]
macro_rules! by_pulp {
    ($($function:ident $instruction:ident ($($argument:ident: $type:ty),*) -> $output:ty;)*) => { $(
        #[inline(always)]
        fn $function(self, $($argument: $type),*) -> $output {
            Instructions::$instruction(self, $($argument),*)
        }
    )* };
}

/// Implements functions of eight f32, half a token's width, with instructions of AVX.
#[cfg(target_arch = "x86_64")]
macro_rules! by_avx {
    ($($function:ident $instruction:ident;)*) => { $(
        #[inline(always)]
        fn $function(self, a: f32x8, b: f32x8) -> f32x8 {
            bytemuck::cast(self.avx.$instruction(bytemuck::cast(a), bytemuck::cast(b)))
        }
    )* };
}

#[cfg(target_arch = "x86_64")]
impl<S: Instructions<f64s = f64x8, u64s = u64x8> + std::ops::Deref<Target = V3>> Simd for S {
    type Answers = S::m64s;

    #[inline(always)]
    fn at_full_width<W: Vectorized>(self, work: W) -> W::Output {
        struct Adapter<W>(W);
        impl<W: Vectorized> WithSimd for Adapter<W> {
            type Output = W::Output;
            #[inline(always)]
            fn with_simd<S: Instructions>(self, _: S) -> W::Output {
                self.0.run()
            }
        }
        Instructions::vectorize(self, Adapter(work))
    }

    by_pulp! {
        add add_f64s(a: f64x8, b: f64x8) -> f64x8;
        sub sub_f64s(a: f64x8, b: f64x8) -> f64x8;
        mul mul_f64s(a: f64x8, b: f64x8) -> f64x8;
        div div_f64s(a: f64x8, b: f64x8) -> f64x8;
        sqrt sqrt_f64s(a: f64x8) -> f64x8;
        min min_f64s(a: f64x8, b: f64x8) -> f64x8;
        max max_f64s(a: f64x8, b: f64x8) -> f64x8;
        both_bits and_f64s(a: f64x8, b: f64x8) -> f64x8;
        either_bits or_f64s(a: f64x8, b: f64x8) -> f64x8;
        differing_bits xor_f64s(a: f64x8, b: f64x8) -> f64x8;
        lt less_than_f64s(a: f64x8, b: f64x8) -> S::m64s;
        le less_than_or_equal_f64s(a: f64x8, b: f64x8) -> S::m64s;
        eq equal_f64s(a: f64x8, b: f64x8) -> S::m64s;
        and and_m64s(a: S::m64s, b: S::m64s) -> S::m64s;
        or or_m64s(a: S::m64s, b: S::m64s) -> S::m64s;
        xor xor_m64s(a: S::m64s, b: S::m64s) -> S::m64s;
        not not_m64s(a: S::m64s) -> S::m64s;
        add_words add_u64s(a: u64x8, b: u64x8) -> u64x8;
        sub_words sub_u64s(a: u64x8, b: u64x8) -> u64x8;
        differing_words xor_u64s(a: u64x8, b: u64x8) -> u64x8;
        both_words and_u64s(a: u64x8, b: u64x8) -> u64x8;
        either_words or_u64s(a: u64x8, b: u64x8) -> u64x8;
        not_words not_u64s(a: u64x8) -> u64x8;
        eq_words equal_u64s(a: u64x8, b: u64x8) -> S::m64s;
        select_words select_u64s(answers: S::m64s, yes: u64x8, no: u64x8) -> u64x8;
    }

    by_avx! {
        add_narrow _mm256_add_ps;
        sub_narrow _mm256_sub_ps;
        mul_narrow _mm256_mul_ps;
        div_narrow _mm256_div_ps;
        min_narrow _mm256_min_ps;
        max_narrow _mm256_max_ps;
    }

    #[inline(always)]
    fn mul_lower_halves(self, a: u64x8, b: u64x8) -> u64x8 {
        let ([a, c], [b, d]): ([[u64; 4]; 2], [[u64; 4]; 2]) = (bytemuck::cast(a), bytemuck::cast(b));
        let low = self.avx2._mm256_mul_epu32(bytemuck::cast(a), bytemuck::cast(b));
        bytemuck::cast([low, self.avx2._mm256_mul_epu32(bytemuck::cast(c), bytemuck::cast(d))])
    }

    #[inline(always)]
    fn by_turns(self, a: [f64; 4], b: [f64; 4]) -> [[f64; 4]; 2] {
        let (a, b) = (bytemuck::cast(a), bytemuck::cast(b));
        bytemuck::cast([self.avx._mm256_unpacklo_pd(a, b), self.avx._mm256_unpackhi_pd(a, b)])
    }

    #[inline(always)]
    fn by_halves(self, a: [f64; 4], b: [f64; 4]) -> [[f64; 4]; 2] {
        let (a, b) = (bytemuck::cast(a), bytemuck::cast(b));
        let avx = self.avx;
        bytemuck::cast([avx._mm256_permute2f128_pd::<0x20>(a, b), avx._mm256_permute2f128_pd::<0x31>(a, b)])
    }

    #[inline(always)]
    fn upper_halves(self, a: u64x8) -> u64x8 {
        let [low, high]: [[u64; 4]; 2] = bytemuck::cast(a);
        let low = self.avx2._mm256_srli_epi64::<32>(bytemuck::cast(low));
        bytemuck::cast([low, self.avx2._mm256_srli_epi64::<32>(bytemuck::cast(high))])
    }

    #[inline(always)]
    fn le_narrow(self, a: f32x8, b: f32x8) -> u32 {
        let answers = self.cmp_le_f32x8(a, b);
        self.avx._mm256_movemask_ps(bytemuck::cast(answers)) as u32
    }

    #[inline(always)]
    fn chosen_first(self, numbers: [u16; LANES], chosen: u8) -> [u16; LANES] {
        let bytes = bytemuck::cast(CHOSEN_BYTES[usize::from(chosen)]);
        bytemuck::cast(self.ssse3._mm_shuffle_epi8(bytemuck::cast(numbers), bytes))
    }

    #[inline(always)]
    fn narrowed(self, a: f64x8) -> f32x8 {
        let [low, high]: [[f64; 4]; 2] = bytemuck::cast(a);
        let low = self.avx._mm256_cvtpd_ps(bytemuck::cast(low));
        bytemuck::cast([low, self.avx._mm256_cvtpd_ps(bytemuck::cast(high))])
    }

    #[inline(always)]
    fn bits(self, answers: S::m64s) -> u32 {
        let bytes = bytemuck::bytes_of(&answers);
        // A byte with AVX-512, else two registers.
        if bytes.len() == 1 {
            return u32::from(bytes[0]);
        }
        let [low, high]: [[f64; 4]; 2] = bytemuck::pod_read_unaligned(bytes);
        let low = self.avx._mm256_movemask_pd(bytemuck::cast(low)) as u32;
        low | (self.avx._mm256_movemask_pd(bytemuck::cast(high)) as u32) << 4
    }

    #[inline(always)]
    fn select(self, answers: S::m64s, yes: f64x8, no: f64x8) -> f64x8 {
        // That of whole numbers is an instruction on every processor; that of floats is a call on those without AVX-512.
        bytemuck::cast(self.select_u64s(answers, bytemuck::cast(yes), bytemuck::cast(no)))
    }
}

/// Baseline for every processor: loops over eight numbers. On x86-64 only processors from before 2013 need it, and each
/// operation is a call: inlined it was more code than the kernels for AVX2 and AVX-512 together, and took the longest
/// to compile.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

/// Implements functions of [`Portable`] lane by lane.
macro_rules! lane_by_lane {
    ($($function:ident ($($argument:ident: $type:ty),*) -> $output:ty = $each:expr;)*) => { $(
        #[cfg_attr(target_arch = "x86_64", inline(never))]
        #[cfg_attr(not(target_arch = "x86_64"), inline(always))]
        fn $function(self, $($argument: $type),*) -> $output {
            $(let $argument: [_; LANES] = bytemuck::cast($argument);)*
            bytemuck::cast::<[_; LANES], $output>(std::array::from_fn(|lane| $each($($argument[lane]),*)))
        }
    )* };
}

/// All bits set for true, none for false.
fn answer(yes: bool) -> u64 {
    u64::from(yes).wrapping_neg()
}

impl Simd for Portable {
    type Answers = [u64; LANES];

    // Once for each piece of work, not once for each place that asks for it.
    #[inline(never)]
    fn at_full_width<W: Vectorized>(self, work: W) -> W::Output {
        work.run()
    }

    lane_by_lane! {
        add(a: f64x8, b: f64x8) -> f64x8 = |a: f64, b: f64| a + b;
        sub(a: f64x8, b: f64x8) -> f64x8 = |a: f64, b: f64| a - b;
        mul(a: f64x8, b: f64x8) -> f64x8 = |a: f64, b: f64| a * b;
        div(a: f64x8, b: f64x8) -> f64x8 = |a: f64, b: f64| a / b;
        sqrt(a: f64x8) -> f64x8 = |a: f64| a.sqrt();
        min(a: f64x8, b: f64x8) -> f64x8 = |a: f64, b: f64| if a < b { a } else { b };
        max(a: f64x8, b: f64x8) -> f64x8 = |a: f64, b: f64| if a > b { a } else { b };
        both_bits(a: f64x8, b: f64x8) -> f64x8 = |a: u64, b: u64| a & b;
        either_bits(a: f64x8, b: f64x8) -> f64x8 = |a: u64, b: u64| a | b;
        differing_bits(a: f64x8, b: f64x8) -> f64x8 = |a: u64, b: u64| a ^ b;
        lt(a: f64x8, b: f64x8) -> [u64; LANES] = |a: f64, b: f64| answer(a < b);
        le(a: f64x8, b: f64x8) -> [u64; LANES] = |a: f64, b: f64| answer(a <= b);
        eq(a: f64x8, b: f64x8) -> [u64; LANES] = |a: f64, b: f64| answer(a == b);
        and(a: [u64; LANES], b: [u64; LANES]) -> [u64; LANES] = |a: u64, b: u64| a & b;
        or(a: [u64; LANES], b: [u64; LANES]) -> [u64; LANES] = |a: u64, b: u64| a | b;
        xor(a: [u64; LANES], b: [u64; LANES]) -> [u64; LANES] = |a: u64, b: u64| a ^ b;
        not(a: [u64; LANES]) -> [u64; LANES] = |a: u64| !a;
        select(answers: [u64; LANES], yes: f64x8, no: f64x8) -> f64x8 =
            |answer: u64, yes: u64, no: u64| (answer & yes) | (!answer & no);
        add_words(a: u64x8, b: u64x8) -> u64x8 = |a: u64, b: u64| a.wrapping_add(b);
        sub_words(a: u64x8, b: u64x8) -> u64x8 = |a: u64, b: u64| a.wrapping_sub(b);
        mul_lower_halves(a: u64x8, b: u64x8) -> u64x8 =
            |a: u64, b: u64| (a & u64::from(u32::MAX)) * (b & u64::from(u32::MAX));
        upper_halves(a: u64x8) -> u64x8 = |a: u64| a >> 32;
        differing_words(a: u64x8, b: u64x8) -> u64x8 = |a: u64, b: u64| a ^ b;
        both_words(a: u64x8, b: u64x8) -> u64x8 = |a: u64, b: u64| a & b;
        either_words(a: u64x8, b: u64x8) -> u64x8 = |a: u64, b: u64| a | b;
        not_words(a: u64x8) -> u64x8 = |a: u64| !a;
        eq_words(a: u64x8, b: u64x8) -> [u64; LANES] = |a: u64, b: u64| answer(a == b);
        select_words(answers: [u64; LANES], yes: u64x8, no: u64x8) -> u64x8 =
            |answer: u64, yes: u64, no: u64| (answer & yes) | (!answer & no);
        narrowed(a: f64x8) -> f32x8 = |a: f64| a as f32;
        add_narrow(a: f32x8, b: f32x8) -> f32x8 = |a: f32, b: f32| a + b;
        sub_narrow(a: f32x8, b: f32x8) -> f32x8 = |a: f32, b: f32| a - b;
        mul_narrow(a: f32x8, b: f32x8) -> f32x8 = |a: f32, b: f32| a * b;
        div_narrow(a: f32x8, b: f32x8) -> f32x8 = |a: f32, b: f32| a / b;
        min_narrow(a: f32x8, b: f32x8) -> f32x8 = |a: f32, b: f32| if a < b { a } else { b };
        max_narrow(a: f32x8, b: f32x8) -> f32x8 = |a: f32, b: f32| if a > b { a } else { b };
    }

    fn by_turns(self, [a0, a1, a2, a3]: [f64; 4], [b0, b1, b2, b3]: [f64; 4]) -> [[f64; 4]; 2] {
        [[a0, b0, a2, b2], [a1, b1, a3, b3]]
    }

    fn by_halves(self, [a0, a1, a2, a3]: [f64; 4], [b0, b1, b2, b3]: [f64; 4]) -> [[f64; 4]; 2] {
        [[a0, a1, b0, b1], [a2, a3, b2, b3]]
    }

    fn bits(self, answers: [u64; LANES]) -> u32 {
        (0..LANES).fold(0, |bits, lane| bits | u32::from(answers[lane] != 0) << lane)
    }

    fn le_narrow(self, a: f32x8, b: f32x8) -> u32 {
        let (a, b): ([f32; LANES], [f32; LANES]) = (bytemuck::cast(a), bytemuck::cast(b));
        (0..LANES).fold(0, |bits, lane| bits | u32::from(a[lane] <= b[lane]) << lane)
    }

    fn chosen_first(self, numbers: [u16; LANES], chosen: u8) -> [u16; LANES] {
        let mut first = [0; LANES];
        let mut place = 0;
        for (lane, number) in numbers.into_iter().enumerate() {
            first[place % LANES] = number;
            place += usize::from(chosen >> lane & 1);
        }
        first
    }
}
