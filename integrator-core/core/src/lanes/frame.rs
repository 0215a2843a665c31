//! The stack frame for the registers that a function spills.

use pulp::{Simd, WithSimd};
use std::hint::black_box;
use std::mem::MaybeUninit;

/// Runs `work` in a function with the instructions of its registers.
///
/// Spilled registers begin at cache lines. The compiler aligns them only if a variable needs alignment
/// from the start; otherwise, depending on the depth of the stack, each may straddle two lines, and some
/// two pages: up to half the speed.
#[inline(always)]
pub(super) fn vectorize<S: Simd, L: WithSimd>(simd: S, work: L) -> L::Output {
    simd.vectorize(Framed(work))
}

struct Framed<L>(L);

impl<L: WithSimd> WithSimd for Framed<L> {
    type Output = L::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> L::Output {
        #[repr(align(64))]
        struct CacheLine {
            _bytes: [u8; 64],
        }
        black_box(&MaybeUninit::<CacheLine>::uninit());
        self.0.with_simd(simd)
    }
}
