//! Motions of a registered model.

use least_action::drive::gradient::Differentiation;
use least_action::method::project;
use least_action_methods::{Entry, Options, Setup};
use least_action_optimization::fit::{self, Motions, Parameters, Runs, Signals, parameters_of};
use least_action_optimization::least_squares;

use crate::arguments::Run;
use crate::error::Error;
use crate::methods::OnModels;
use crate::parameters;
use crate::registry::{Instance, Registry};

/// A registered model with a method and a step.
pub(crate) struct Moving<'a> {
    registry: &'a Registry,
    arguments: &'a Run,
    method: &'static Entry,
    options: &'a Options,
    coordinates: Vec<String>,
    parameters: Parameters,
    signals: Signals,
}

impl<'a> Moving<'a> {
    pub(crate) fn new(
        registry: &'a Registry,
        arguments: &'a Run,
        (method, options): (&'static Entry, &'a Options),
        instance: &Instance,
    ) -> Result<Self, Error> {
        let lagrangian = instance.system.lagrangian();
        let layout = lagrangian.layout();
        let coordinates = (0..layout.dimension()).map(|index| layout.name_of(index)).collect();
        let (parameters, signals) = lagrangian.parametric().map(parameters_of).unwrap_or_default();
        // A mistake in the options is told before the first iteration.
        method.faces(instance, options)?;
        Ok(Self { registry, arguments, method, options, coordinates, parameters, signals })
    }
}

impl Motions for Moving<'_> {
    type Error = Error;

    fn coordinates(&self) -> Vec<String> {
        self.coordinates.clone()
    }

    fn parameters(&self) -> Parameters {
        self.parameters.clone()
    }

    fn signals(&self) -> Signals {
        self.signals.clone()
    }

    fn step(&self) -> f64 {
        self.arguments.step
    }

    fn bound(&self, values: &[f64], runs: &mut Runs<'_, Error>) -> Result<(), Error> {
        let Run { model, step, .. } = self.arguments;
        let instance = parameters::varied(self.registry, model, values)?;
        let faces = self.method.faces(&instance, self.options)?;
        let keeps = self.options.get("omega").is_none();
        runs(&|mut state| {
            if let Some(constrained) = instance.system.constrained().filter(|_| keeps) {
                project(constrained, &mut state)?;
            }
            let setup = Setup { options: self.options, state, step: *step, seed: 0, forewarned: false };
            let motion = self.method.differentiate(&faces, setup)?;
            Ok(model.memory.into_iter().fold(motion, Differentiation::within))
        })
    }
}

/// The error of a fit as one of the command.
pub(super) fn of_fit(error: fit::Error<Error>) -> Error {
    match error {
        fit::Error::Motion(error) => error,
        fit::Error::Solver(error @ least_squares::Error::Infeasible { .. }) => Error::NotFitted(format!(
            "{error}; with fewer --segments there are fewer jumps, and with more of them each is easier"
        )),
        error => Error::Fit(error.to_string()),
    }
}
