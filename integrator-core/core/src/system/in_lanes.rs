//! A system whose type shows its elements, as code for several members at once.

use crate::lanes::{Exact, Registers};
use pulp::Simd;
use std::any::{Any, TypeId};

/// What a step in lanes asks: ∇V; g; g with its derivatives; d²g/dt² without acceleration.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted {
    Gradient,
    Values,
    Jacobian,
    Curvature,
}

/// An evaluation at q with the velocity v, in which a lane is a member.
pub(crate) struct Evaluation<'e, S: Simd> {
    /// The coefficients of V or of g.
    pub(crate) coefficients: &'e [Exact<S>],
    pub(crate) q: &'e [Exact<S>],
    pub(crate) v: &'e [Exact<S>],
    /// The entry of the derivatives for each input of each element of g.
    pub(crate) places: &'e [u32],
    /// Written over: rows, and a gradient or derivatives.
    pub(crate) values: &'e mut [Exact<S>],
    pub(crate) vector: &'e mut [Exact<S>],
}

/// The code of a model for registers of one kind.
pub(crate) trait LaneCode<S: Simd>: Send + Sync {
    fn evaluate(&self, simd: S, wanted: Wanted, evaluation: &mut Evaluation<'_, S>);
}

/// A system with its code for members in lanes, and its numbers.
#[derive(Clone, Copy)]
pub struct InLanes<'s> {
    /// The type of the model, and its `&'static dyn LaneCode<S>` for the `S` of registers.
    pub(crate) model: TypeId,
    pub(crate) code: fn(Registers) -> Box<dyn Any>,
    /// The coefficients of V and of g, and the place of each input of g among the derivatives.
    pub(crate) terms: &'s [f64],
    pub(crate) rows: &'s [f64],
    pub(crate) places: &'s [u32],
}
