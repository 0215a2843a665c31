//! Steps that fail.

use super::{FailedStep, SlowManifoldError, errors};
use thiserror::Error;

errors! {
    /// A step that failed.
    #[derive(Debug, Clone, PartialEq, Error)]
    #[non_exhaustive]
    StepError:

    /// A force has no value, the equations have no solution, or the method refuses the step.
    #[error("{0}")]
    Failed(Box<FailedStep>),
    /// The energy is not finite, or beyond all bounds.
    #[error(
        "the run has blown up: at t = {time} (step {step}) its energy is {energy:.3e}, and was {start:.3e} at the start; the last state \
         that can be believed is that of t = {good_time} (step {good}): take a smaller step, another method, or parameters nearer to each other"
    )]
    BlownUp {
        energy: f64 = "The energy.",
        step: u64 = "The number of steps.",
        time: f64 = "The time there.",
        start: f64 = "The energy at the start.",
        good: u64 = "The number of steps of the last good state.",
        good_time: f64 = "The time of the last good state.",
    },
    /// The energy is not finite before the first step.
    #[error("the energy is {energy} at the start: give parameters and a start for which it is finite")]
    EnergyAtStart { energy: f64 = "The energy." },
    /// The fast motion could not be followed through a window.
    #[error(
        "{method}: the fast motion cannot be followed in step {step} (from t = {time}){place}: {reason}; take more micro-steps than \
         {per_period} in a period, or a smaller step"
    )]
    FastMotion {
        method,
        step: u64 = "The number of the step that failed, counted from 1.",
        time: f64 = "The time of the last good state.",
        place: String = "The micro-step, in words.",
        reason: String = "The failure that was observed, in words.",
        per_period: usize = "The micro-steps in a period.",
    },
    /// The potential at a vertex of the grid is not finite.
    #[error(
        "{method}: the potential is {value} at the vertex {vertex} of the grid, reached at t = {time} after {crossings} \
         crossings: take smaller grid steps, or keep the motion away from the singularity"
    )]
    VertexNotFinite {
        method,
        vertex: String = "The coordinates of the vertex that matter, and their values.",
        value: f64 = "The value found.",
        time: f64 = "The time at which it was needed.",
        crossings: u64 = "The crossings done.",
    },
    /// The motion slides along faces of the grid, which no sequence of crossings can follow.
    #[error(
        "{method}: {burst} crossings in a row took no time at t = {time}, the last through {wall}: the motion slides along \
         faces of the grid, as from rest at a vertex at a minimum or in a narrow valley of the potential; shift the grid, at \
         random or by a thousandth of its step or more, and resolve the valley with a smaller step"
    )]
    Sliding {
        method,
        burst: u64 = "The crossings in a row.",
        wall: String = "The last face.",
        time: f64 = "The time.",
    },
    /// A point of the step cannot be projected onto the slow manifold.
    #[error("{method}: in step {step} (from t = {time}), {source}")]
    NotSlow {
        method,
        step: u64 = "The number of the step that failed, counted from 1.",
        time: f64 = "The time of the last good state.",
        source: Box<SlowManifoldError> = "The reason, with the last iterate.",
    },
}
