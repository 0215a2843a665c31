//! Where a function keeps the registers it runs out of.

use std::hint::black_box;
use std::mem::MaybeUninit;

/// Aligns the frame of the function that this is compiled into to cache lines.
///
/// The compiler does so only if a variable asks for it from the start. Registers that it spills later do not: each would
/// straddle two lines, and some of them two pages.
#[inline(always)]
pub(crate) fn align_frame() {
    #[repr(align(64))]
    struct Line {
        _bytes: [u8; 64],
    }
    black_box(&MaybeUninit::<Line>::uninit());
}
