//! The number of numbers that a loop computes at once.

use super::instructions::Instructions;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};
use pulp::{Simd, WithSimd};

/// The number of numbers that a loop computes at once,
/// by default in the widest registers of the processor.
///
/// Builds with debug assertions have [`Width::ONE`] alone:
/// without optimization registers gain nothing, and their code compiles slowly.
///
/// All registers give the same bits: each lane rounds as in every other width, no instruction estimates,
/// and sums have as many parts as the widest registers. Single numbers round differently: sums of
/// products twice, functions as the standard library does, sums in the order of their elements. A run
/// takes [`Width::ONE`] for the same bits on every machine, with or without registers.
#[derive(Debug, Clone, Copy)]
pub struct Width(Option<Registers>);

/// Registers of several numbers; builds with debug assertions have none.
#[derive(Debug, Clone, Copy)]
pub struct Registers(Instructions);

impl Width {
    /// Single numbers, on every machine.
    pub const ONE: Self = Self(None);

    /// All widths of this processor, ascending.
    pub fn available() -> Vec<Self> {
        let several = Instructions::available().into_iter().flatten().map(Registers).map(Some);
        std::iter::once(None).chain(several).map(Self).collect()
    }

    /// The widest registers of this processor.
    pub fn widest() -> Self {
        Self::available().last().copied().unwrap_or(Self::ONE)
    }

    /// The number of lanes.
    pub fn lanes(self) -> usize {
        self.0.map_or(1, Registers::lanes)
    }

    /// The registers, if it has more than one lane.
    pub fn registers(self) -> Option<Registers> {
        self.0
    }
}

impl Registers {
    /// The number of lanes.
    pub(crate) fn lanes(self) -> usize {
        struct Count;
        impl WithSimd for Count {
            type Output = usize;

            fn with_simd<S: Simd>(self, _: S) -> usize {
                S::F64_LANES
            }
        }
        self.run(Count)
    }

    /// Runs a loop that is compiled for each width.
    #[inline]
    pub fn run<L: WithSimd>(self, work: L) -> L::Output {
        self.0.run(work)
    }
}

/// The instructions of AVX-512, if the registers are AVX-512's; a constant in code compiled for them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn avx512<S: Simd>(simd: S) -> Option<V4> {
    (&simd as &dyn std::any::Any).downcast_ref().copied()
}

/// The instructions of AVX2, likewise.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn avx2<S: Simd>(simd: S) -> Option<V3> {
    (&simd as &dyn std::any::Any).downcast_ref().copied()
}

impl PartialEq for Width {
    fn eq(&self, other: &Self) -> bool {
        self.lanes() == other.lanes()
    }
}

impl Eq for Width {}
