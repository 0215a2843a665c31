//! The results of a derivative, and its errors.

use super::loss::LossError;
use crate::carried::CarryError;
use crate::drive::RunError;
use crate::error::{StepError, errors};
use thiserror::Error;

/// The states that a gradient keeps, and the further runs that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryPlan {
    /// All states: no further run.
    Store,
    /// A checkpoint at the start of each stretch, and the states of one: one further run.
    TwoLevels {
        /// The number of stretches.
        stretches: u64,
    },
    /// Checkpoints in two sizes of stretches, and the states of one small stretch: two further runs.
    ThreeLevels {
        /// The number of large stretches.
        stretches: u64,
        /// The number of small stretches in a large one.
        inner: u64,
    },
}

impl MemoryPlan {
    /// The quickest plan within the memory in bytes; with too little memory, the smallest.
    pub(super) fn choose(steps: u64, of_step: u64, of_checkpoint: u64, memory: u64) -> Self {
        if (steps + 1).saturating_mul(of_step) <= memory {
            return Self::Store;
        }
        // The sum of s checkpoints and N/s states is least at √(N · state/checkpoint).
        let ratio = of_step as f64 / of_checkpoint.max(1) as f64;
        let root = |power: f64, factor: f64| {
            let count = ((steps as f64).powf(power) * factor).round();
            #[expect(clippy::cast_sign_loss, reason = "a root of positive numbers")]
            let count = count as u64;
            count.clamp(1, steps)
        };
        let stretches = root(0.5, ratio.sqrt());
        let two = stretches.saturating_mul(of_checkpoint) + steps.div_ceil(stretches).saturating_mul(of_step);
        if two <= memory {
            return Self::TwoLevels { stretches };
        }
        let count = root(1.0 / 3.0, ratio.cbrt());
        Self::ThreeLevels { stretches: count, inner: count }
    }

    pub(super) fn stretches(self) -> u64 {
        match self {
            Self::Store => 1,
            Self::TwoLevels { stretches } | Self::ThreeLevels { stretches, .. } => stretches,
        }
    }

    pub(super) fn inner(self) -> u64 {
        match self {
            Self::Store | Self::TwoLevels { .. } => 1,
            Self::ThreeLevels { inner, .. } => inner,
        }
    }
}

/// The derivative of a loss by the start and by the parameters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// J.
    pub value: f64,
    /// ∂J/∂q₀ at fixed v₀, of length n.
    ///
    /// Under constraints it is the derivative by the start before its projection onto them, so it is
    /// orthogonal to the rows of G in the metric of M⁻¹.
    pub q: Vec<f64>,
    /// ∂J/∂v₀ at fixed q₀, of length n.
    pub v: Vec<f64>,
    /// ∂J/∂θ at a fixed start, in the order of [`names`](Self::names); [`following`](Self::following)
    /// adds the change of a start that depends on them.
    pub parameters: Vec<f64>,
    /// The names of the sensitive parameters θ, such as `gravity` and `rods[3]`; empty if the model has
    /// none, or the method has no derivative by parameters.
    pub names: Vec<String>,
    /// The states that were kept.
    pub plan: MemoryPlan,
    /// The number of steps of the motion.
    pub steps: u64,
    /// The factor by which the motion amplifies a change of its start, as the loss sees it: the size of
    /// this gradient by the sum of the sizes of the loss's own, both in units of the largest position
    /// and the largest velocity. Above 10⁶ a change of the start by rounding shows in the sixth digit of
    /// J already, and no optimizer can follow the gradient: shorten the motion.
    pub growth: f64,
}

impl Gradient {
    /// The decimal digits that rounding leaves at this growth; without any, no optimizer can follow the
    /// gradient.
    pub fn digits(&self) -> u32 {
        let left = -(f64::EPSILON * self.growth.max(1.0)).log10();
        #[expect(clippy::cast_sign_loss, reason = "not negative")]
        let left = left.floor().max(0.0) as u32;
        left
    }

    /// ∂J/∂θ by the name of a parameter, or the sum over all entries of an array.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        let named =
            |own: &str| own == name || own.strip_prefix(name).is_some_and(|rest| rest.starts_with('['));
        let own =
            self.names.iter().zip(&self.parameters).filter(|(own, _)| named(own)).map(|(_, slope)| *slope);
        let own: Vec<f64> = own.collect();
        (!own.is_empty()).then(|| own.iter().sum())
    }
}

/// The states of a motion and their derivatives, a column for each direction.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sensitivities {
    /// The times of all states.
    pub times: Vec<f64>,
    /// For each state and each direction the derivative of q, of length n.
    pub q: Vec<Vec<Vec<f64>>>,
    /// As `q`, for v.
    pub v: Vec<Vec<Vec<f64>>>,
}

errors! {
    /// The failure of a derivative of a motion.
    #[derive(Debug, Error)]
    #[non_exhaustive]
    GradientError:

    /// The plan of the run is invalid.
    #[error(transparent)]
    Plan(#[from] RunError),
    /// The loss does not fit the motion.
    #[error(transparent)]
    Loss(#[from] LossError),
    /// A step failed, forwards or back.
    #[error("no gradient, since the motion has no end: {0}")]
    Step(#[from] StepError),
    /// The loss, or its derivative by the state, is not finite.
    #[error("{}", not_finite(*value, *time))]
    NotFinite { value: f64 = "The loss.", time: f64 = "The time." },
    /// The program asked it to end.
    #[error("the derivative was stopped on request: it has no part that is complete")]
    Stopped,
    /// A direction has an unknown name.
    #[error("no number `{name}` to differentiate by: {known}")]
    UnknownDirection {
        name: String = "The name.",
        known: String = "The first names of the start, and the parameters.",
    },
    /// The code of a start fails.
    #[error("the model has no start for these parameters: {reason}")]
    OwnStart { reason: String = "The reason." },
    /// A start follows a parameter and has no derivative by it.
    #[error(
        "the model's own start has no derivative by `{parameter}`: {reason}; give the start, or hold `{parameter}` fast"
    )]
    Start { parameter: String = "The parameter.", reason: String = "The reason." },
    /// The run cannot be saved in memory.
    #[error("the motion cannot be taken back: {0}")]
    Kept(#[from] CarryError),
}

fn not_finite(value: f64, time: f64) -> String {
    if value.is_finite() {
        return format!(
            "the loss is {value} at t = {time}, and its derivative by the state is not finite there, as of a root or a norm at \
             zero: give a loss that is smooth on the whole motion"
        );
    }
    format!("the loss is {value} at t = {time}: give a loss that is finite on the whole motion")
}
