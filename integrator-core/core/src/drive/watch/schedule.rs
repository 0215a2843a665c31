use crate::carried::carried;
use crate::system::State;

/// The steps between two looks are at most this many, for each state that a look measures.
///
/// A look costs about two gradients, and a step one or more.
const LONGEST: u64 = 512;
/// Where single steps are judged, looks come this much closer at first, so that a short run has many of them.
const CLOSER: u64 = 8;
/// Velocities are glanced at after so many steps: their squares cost up to a tenth of a step, where a gradient is cheap.
const GLANCE: u64 = 16;
/// The factor by which the sum of their squares may grow beyond that of every look before it is looked at again.
const GROWTH: f64 = 4.0;

/// The steps after which a run is looked at.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// The number of steps at the first look, and at the next one.
    first: Option<u64>,
    next: u64,
    /// The number of steps at the last look, and the number of looks without a step between them until then.
    last: u64,
    in_a_row: u64,
    /// The largest sum of the squares of the velocities at a look.
    fastest: f64,
}

impl Schedule {
    /// False if nothing of the state at this step can make it one that is looked at.
    pub(super) fn may_be_due(&self, step: u64) -> bool {
        self.first.is_none() || step >= self.next || step.is_multiple_of(GLANCE)
    }

    /// True if the run is to be looked at now: it is time to, or it has become much faster.
    pub(super) fn is_due<'s>(&self, step: u64, state: impl FnOnce() -> &'s State) -> bool {
        let faster = || squares(&state().v) > GROWTH * self.fastest;
        self.first.is_none() || step >= self.next || (step.is_multiple_of(GLANCE) && faster())
    }

    /// Plans the next look after one at this step, where `states` in a row are measured.
    pub(super) fn looked(&mut self, step: u64, state: &State, states: u64) {
        self.fastest = self.fastest.max(squares(&state.v));
        self.in_a_row = if self.last + 1 == step { self.in_a_row + 1 } else { 1 };
        self.last = step;
        let done = step - *self.first.get_or_insert(step);
        let complete = self.in_a_row >= states;
        let pause = if states == 1 { done } else { done / CLOSER };
        self.next = step + if complete { pause.clamp(1, states * LONGEST) } else { 1 };
        self.in_a_row = if complete { 0 } else { self.in_a_row };
    }
}

/// Σ vᵢ², in sums side by side.
fn squares(v: &[f64]) -> f64 {
    let (blocks, rest) = v.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for block in blocks {
        for (sum, v) in sums.iter_mut().zip(block) {
            *sum += v * v;
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|v| v * v).sum::<f64>()
}

carried!([] Schedule { first, next, last, in_a_row, fastest } besides {});
