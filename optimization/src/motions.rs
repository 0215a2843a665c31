//! Motions whose numbers an optimizer changes.

use std::fmt::Display;

use least_action_core::drive::gradient::{GradientError, Sensitivities, differentiate};
use least_action_core::error::{BindError, ProjectionError, StartError};
use least_action_core::method::{Differentiable, project};
use least_action_core::system::{Layout, Parametric, Signal, State, System};
use least_action_core::{Bound, Model};
use thiserror::Error;

/// A stretch of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Its start, which constraints project.
    pub start: State,
    /// The time of its end.
    pub end: f64,
}

/// A model by a method with fixed steps, as a function of the numbers of its sensitive fields.
pub trait Motions {
    /// The reason why there is no motion.
    type Error: Display;

    /// The coordinates.
    fn layout(&self) -> &Layout;

    /// The names of the numbers θ, in the order of the sensitive fields.
    fn names(&self) -> &[String];

    /// θ of the model as it is.
    fn numbers(&self) -> &[f64];

    /// The signals among the sensitive fields, with the number of the first value of each.
    fn signals(&self) -> &[(usize, Signal)];

    /// The length of a step.
    fn step(&self) -> f64;

    /// Runs a stretch at other numbers θ, with the derivatives of its states along these directions:
    /// names of numbers, of coordinates, and of velocities after `der.`.
    ///
    /// # Errors
    /// The numbers make no system, a name is unknown, or a step fails.
    fn run(
        &mut self,
        theta: &[f64],
        stretches: &[Stretch],
        along: &[Vec<String>],
    ) -> Result<Vec<Sensitivities>, Self::Error>;
}

/// A model of a program by a method.
pub struct OfModel<M: Model, D> {
    model: M,
    method: D,
    step: f64,
    bound: Bound<M>,
    names: Vec<String>,
    numbers: Vec<f64>,
    signals: Vec<(usize, Signal)>,
}

/// The failure of a motion.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The numbers make no system.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The start is too far from the constraints.
    #[error("no point of the constraints near a start: {0}")]
    Projection(#[from] ProjectionError),
    /// The method does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A step fails, or a name is unknown.
    #[error(transparent)]
    Run(#[from] GradientError),
}

/// The signals among sensitive fields, with the number of the first value of each.
pub fn signals(parametric: &dyn Parametric) -> Vec<(usize, Signal)> {
    let mut before = 0;
    let first = parametric.inputs().iter().map(|(place, signal)| {
        let first = place + before;
        before += signal.values().len() - 1;
        (first, signal.clone())
    });
    first.collect()
}

impl<M: Model + Clone, D: Differentiable<Bound<M>>> OfModel<M, D> {
    /// The model by a method with steps of this size.
    ///
    /// # Errors
    /// The model does not bind.
    pub fn new(model: M, method: D, step: f64) -> Result<Self, MotionError> {
        let bound = model.bind()?;
        let names = bound.parametric().map(Parametric::number_names).unwrap_or_default();
        let signals = bound.parametric().map(signals).unwrap_or_default();
        Ok(Self { numbers: model.parameters(), names, signals, bound, model, method, step })
    }
}

impl<M: Model + Clone, D: Differentiable<Bound<M>>> Motions for OfModel<M, D> {
    type Error = MotionError;

    fn layout(&self) -> &Layout {
        self.bound.layout()
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    fn signals(&self) -> &[(usize, Signal)] {
        &self.signals
    }

    fn step(&self) -> f64 {
        self.step
    }

    fn run(
        &mut self,
        theta: &[f64],
        stretches: &[Stretch],
        along: &[Vec<String>],
    ) -> Result<Vec<Sensitivities>, MotionError> {
        let mut model = self.model.clone();
        model.set_parameters(theta)?;
        let system = model.bind()?;
        let each = stretches.iter().zip(along).map(|(Stretch { start, end }, along)| {
            let mut start = start.clone();
            if let Some(constrained) = M::constrained(&system) {
                project(constrained, &mut start)?;
            }
            let motion = differentiate(&system, &self.method, start, self.step)?.until(*end);
            let along: Vec<&str> = along.iter().map(String::as_str).collect();
            Ok(motion.sensitivities(&along)?)
        });
        each.collect()
    }
}
