//! [Compositions](crate::method::composition) for members side by side.

use super::InLanes;
use super::lockstep::{LaneBits, Lockstep};
use crate::binding::Members;
use crate::binding::members::Member;
use crate::method::composition::Composed;
use crate::method::composition::Composition;
use crate::method::running::Ready;
use crate::system::State;

impl<B: InLanes, const ORDER: u32> InLanes for Composition<B, ORDER> {
    type System<'s> = B::System<'s>;
    type Flow<'s> = Composed<'s, B::Flow<'s>>;
    type Lockstep = ComposedOfMembers<B::Lockstep>;

    fn tolerance(&self) -> Option<f64> {
        self.base.tolerance()
    }

    fn system<'s>(member: &Member<'s>) -> Result<&'s Self::System<'s>, &'static str> {
        B::system(member)
    }

    fn start_one<'s>(
        &self,
        system: &'s Self::System<'s>,
        state: State,
        step: f64,
    ) -> Ready<'s, Self::Flow<'s>> {
        Ok(Self::compose(self.base.start_one(system, state, step)?, step))
    }

    fn lockstep<'s>(
        &self,
        members: &Members<'s>,
        first: usize,
        started: &[Option<&Self::Flow<'s>>],
    ) -> Result<Self::Lockstep, &'static str> {
        let parts: Vec<_> = started.iter().map(|flow| flow.map(Composed::base)).collect();
        let parts = self.base.lockstep(members, first, &parts)?;
        let (lanes, state) = (members.lanes(), State::at_rest(vec![0.0; members.dimension()]));
        Ok(ComposedOfMembers {
            parts,
            coefficients: Self::COEFFICIENTS,
            before: vec![state; lanes],
            sizes: vec![0.0; lanes],
            ends: vec![0.0; lanes],
        })
    }
}

pub(super) struct ComposedOfMembers<L> {
    parts: L,
    coefficients: &'static [f64],
    /// The states before a step: a lane returns to its state if a part fails.
    before: Vec<State>,
    /// The sizes and ends of a part.
    sizes: Vec<f64>,
    ends: Vec<f64>,
}

impl<L: Lockstep> Lockstep for ComposedOfMembers<L> {
    fn advance(&mut self, lanes: LaneBits, sizes: &[f64], ends: &[f64]) -> LaneBits {
        let Self { parts, coefficients, before, sizes: part, ends: part_ends } = self;
        for (lane, state) in before.iter_mut().enumerate() {
            parts.get(lane, state);
        }
        let (mut on, mut done, last) = (lanes, 0.0, coefficients.len() - 1);
        for (k, coefficient) in coefficients.iter().enumerate() {
            done += coefficient;
            for (lane, state) in before.iter().enumerate() {
                part[lane] = coefficient * sizes[lane];
                part_ends[lane] = if k == last { ends[lane] } else { state.t + done * sizes[lane] };
            }
            on &= !parts.advance(on, part, part_ends);
        }
        for (lane, state) in before.iter_mut().enumerate() {
            match on >> lane & 1 {
                1 => state.t = ends[lane],
                _ => parts.put(lane, state),
            }
        }
        lanes & !on
    }

    fn get(&self, lane: usize, state: &mut State) {
        self.parts.get(lane, state);
    }

    fn put(&mut self, lane: usize, state: &State) {
        self.before[lane].t = state.t;
        self.parts.put(lane, state);
    }

    fn stand(&mut self) {
        self.parts.stand();
    }
}
