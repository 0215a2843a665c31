//! The lanes that all engines of members share.

use crate::lanes::{Aligned, Exact, MOST_LANES, Real};
use crate::system::State;
use pulp::Simd;

/// A bit for each lane.
pub(in crate::method) type LaneBits = u8;

/// The members in the lanes of a register, with the numerical flow of a method.
pub(in crate::method) trait Lockstep {
    /// Takes a step or a part of one in the lanes of this mask, with their sizes and end times; returns
    /// the lanes that did not move and must step alone.
    fn advance(&mut self, lanes: LaneBits, sizes: &[f64], ends: &[f64]) -> LaneBits;

    /// Copies positions and velocities of a lane to `state`.
    fn get(&self, lane: usize, state: &mut State);

    /// Replaces the state of a lane.
    fn put(&mut self, lane: usize, state: &State);

    /// Makes the memory of all lanes belong to their states.
    fn stand(&mut self);
}

/// Numbers of all members: a register for each entry.
#[derive(Debug)]
pub(super) struct LaneColumns {
    numbers: Aligned,
    lanes: usize,
}

impl LaneColumns {
    pub(super) fn zeros(entries: usize, lanes: usize) -> Self {
        Self { numbers: Aligned::zeros(entries * lanes), lanes }
    }

    pub(super) fn all(&self) -> &[f64] {
        self.numbers.get()
    }

    pub(super) fn all_mut(&mut self) -> &mut [f64] {
        self.numbers.get_mut()
    }

    pub(super) fn get(&self, lane: usize, to: &mut [f64]) {
        to.iter_mut().zip(self.all()[lane..].iter().step_by(self.lanes)).for_each(|(to, from)| *to = *from);
    }

    pub(super) fn put(&mut self, lane: usize, from: &[f64]) {
        let step = self.lanes;
        self.all_mut()[lane..].iter_mut().step_by(step).zip(from).for_each(|(to, from)| *to = *from);
    }
}

/// Numbers as registers.
#[inline(always)]
pub(super) fn registers<S: Simd>(numbers: &[f64]) -> &[S::f64s] {
    S::as_simd_f64s(numbers).0
}

/// Numbers as mutable registers.
#[inline(always)]
pub(super) fn registers_mut<S: Simd>(numbers: &mut [f64]) -> &mut [S::f64s] {
    S::as_mut_simd_f64s(numbers).0
}

/// The lanes of a mask.
#[inline(always)]
pub(super) fn lanes_of<S: Simd>(simd: S, mask: LaneBits) -> <Exact<S> as Real>::Mask {
    let holds: [f64; MOST_LANES] = std::array::from_fn(|lane| f64::from(mask >> lane & 1));
    let zero = Exact::splat(simd, 0.0);
    zero.lt(Exact::of(simd, S::as_simd_f64s(&holds).0[0]))
}

/// The lanes in which all numbers are finite.
#[inline(always)]
pub(super) fn finite<S: Simd>(simd: S, numbers: &[S::f64s]) -> <Exact<S> as Real>::Mask {
    let (zero, most) = (Exact::splat(simd, 0.0), Exact::splat(simd, f64::MAX));
    let mut all = zero.le(zero);
    for number in numbers {
        all = Exact::<S>::both(all, Exact::of(simd, *number).abs().le(most));
    }
    all
}

/// Copies the new numbers in the lanes of a mask.
#[inline(always)]
pub(super) fn take<S: Simd>(
    simd: S,
    mask: <Exact<S> as Real>::Mask,
    new: &[S::f64s],
    numbers: &mut [S::f64s],
) {
    for (number, new) in numbers.iter_mut().zip(new) {
        *number = Exact::select(mask, Exact::of(simd, *new), Exact::of(simd, *number)).values();
    }
}
