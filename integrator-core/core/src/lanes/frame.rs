//! The stack frame in which a function keeps the registers it runs out of.

use pulp::{Simd, WithSimd};
use std::hint::black_box;
use std::mem::MaybeUninit;

/// Runs `work` in a function of its own with the instructions of its registers.
///
/// Registers that it spills begin where cache lines do. The compiler aligns them so only if a variable asks for it from the start;
/// else it depends on the depth of the stack whether each straddles two lines, and some of them two pages: up to half the speed.
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
        struct Line {
            _bytes: [u8; 64],
        }
        black_box(&MaybeUninit::<Line>::uninit());
        self.0.with_simd(simd)
    }
}
