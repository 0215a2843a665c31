use crate::carried::carried;
use crate::system::State;

/// The most steps between two looks, for each state that a look measures.
///
/// A look costs about two gradients, and a step one or more.
const LONGEST: u64 = 512;
/// If single steps are judged, first looks are this much closer, so that a short run has many.
const CLOSER: u64 = 8;
/// The steps between two glances at velocities: a sum of squares costs up to a tenth of a cheap step.
const GLANCE: u64 = 16;
/// The growth of this sum, beyond its largest value at a look, that makes a look due.
const GROWTH: f64 = 4.0;

/// The steps at which a run is measured.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// The number of steps at the first look, and at the next.
    first: Option<u64>,
    next: u64,
    /// The number of steps at the last look, and the number of looks at consecutive steps until then.
    last: u64,
    in_a_row: u64,
    /// The largest sum of the squares of the velocities at a look.
    fastest: f64,
}

impl Schedule {
    /// True if a look is due: it is time, or the motion has become much faster.
    pub(super) fn is_due<'s>(&self, step: u64, state: impl FnOnce() -> &'s State) -> bool {
        let faster = || squares(&state().v) > GROWTH * self.fastest;
        self.first.is_none() || step >= self.next || (step.is_multiple_of(GLANCE) && faster())
    }

    /// True if a look may be due at a step, whatever its state.
    pub(super) fn may_be_due(&self, step: u64) -> bool {
        self.first.is_none() || step >= self.next || step.is_multiple_of(GLANCE)
    }

    /// Plans the look after this one; `states` in a row are measured.
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

/// Σ vᵢ², in eight sums at once.
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
