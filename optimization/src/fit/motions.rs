//! Models whose motions have derivatives.

use std::error::Error;
use std::fmt::Display;

use least_action_core::Model;
use least_action_core::binding::Bound;
use least_action_core::drive::gradient::{Differentiation, Ended, GradientError, Starting, differentiate};
use least_action_core::error::BindError;
use least_action_core::method::{Differentiable, project};
use least_action_core::system::{Parametric, Signal, Start, State, System};

/// The memory of a derivative in bytes, by rows and columns, in factors, and while they are made.
pub(crate) const OF_A_SLOPE: u64 = 100;

/// Begins a motion at a state, without its end; one that has ended may begin again there.
pub type Begin<'a, E> = dyn Fn(State, Option<Ended<'a>>) -> Result<Differentiation<'a>, E> + 'a;

/// Runs motions of a model with fixed parameters.
pub type Runs<'r, E> = dyn for<'a> FnMut(&Begin<'a, E>) -> Result<(), E> + 'r;

/// A model with a method and a step, for any values of its parameters.
pub trait Motions {
    /// The reason why there is no motion.
    type Error: From<GradientError> + Display;

    /// The names of the coordinates, such as `bobs[3].x`, in the order of q.
    fn coordinates(&self) -> Vec<String>;

    /// The names and the values of the sensitive parameters, each value of each signal included.
    fn parameters(&self) -> Vec<(String, f64)>;

    /// The signals among the parameters, with the number of the first value of each.
    fn signals(&self) -> Vec<(usize, Signal)>;

    /// h.
    fn step(&self) -> f64;

    /// Binds the model to these values of all sensitive parameters, and runs its motions.
    ///
    /// # Errors
    /// The values make no system, or a motion fails.
    fn bound(&self, values: &[f64], runs: &mut Runs<'_, Self::Error>) -> Result<(), Self::Error>;

    /// The start that the model has for its sensitive parameters; none where it has none.
    ///
    /// # Errors
    /// The parameters make no model.
    fn starting(&self) -> Result<Option<Starting<'_, Self::Error>>, Self::Error> {
        Ok(None)
    }

    /// True once the program asks for the end.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A declared model with a method and a step.
#[derive(Debug, Clone)]
pub struct Moving<M, D> {
    model: M,
    method: D,
    step: f64,
    coordinates: Vec<String>,
    parameters: Vec<(String, f64)>,
    signals: Vec<(usize, Signal)>,
    own: Option<fn(&M) -> State>,
}

impl<M: Model + Clone, D: Differentiable<Bound<M>>> Moving<M, D> {
    /// The parameters of the model are the first guess of a fit.
    ///
    /// # Errors
    /// The parameters make no system.
    pub fn new(model: M, method: D, step: f64) -> Result<Self, BindError> {
        let system = model.bind()?;
        let layout = system.layout();
        let coordinates = (0..layout.dimension()).map(|index| layout.name_of(index)).collect();
        let parametric = system.parametric();
        let parameters = parametric.map(parameters_of).unwrap_or_default();
        let signals = parametric.map(signals_of).unwrap_or_default();
        Ok(Self { model, method, step, coordinates, parameters, signals, own: None })
    }

    /// With the model's own start, which follows the parameters.
    #[must_use]
    pub fn from_own_start(self) -> Self
    where
        M: Start,
    {
        Self { own: Some(M::start), ..self }
    }
}

/// The names and the values of the parameters of a bound system, as [`Motions`] has them.
pub fn parameters_of(own: &dyn Parametric) -> Vec<(String, f64)> {
    own.number_names().into_iter().zip(own.numbers()).collect()
}

/// The signals of a bound system, each with the number of its first value among the parameters.
pub fn signals_of(own: &dyn Parametric) -> Vec<(usize, Signal)> {
    let mut before = 0;
    let signals = own.inputs().iter().map(|(place, signal)| {
        let first = place + before;
        before += signal.values().len() - 1;
        (first, signal.clone())
    });
    signals.collect()
}

impl<M: Model + Clone, D: Differentiable<Bound<M>>> Motions for Moving<M, D> {
    type Error = Box<dyn Error + Send + Sync>;

    fn coordinates(&self) -> Vec<String> {
        self.coordinates.clone()
    }

    fn parameters(&self) -> Vec<(String, f64)> {
        self.parameters.clone()
    }

    fn signals(&self) -> Vec<(usize, Signal)> {
        self.signals.clone()
    }

    fn step(&self) -> f64 {
        self.step
    }

    fn bound(&self, values: &[f64], runs: &mut Runs<'_, Self::Error>) -> Result<(), Self::Error> {
        let mut model = self.model.clone();
        model.set_parameters(values)?;
        let system = model.bind()?;
        runs(&|mut state, ended| {
            if let Some(constrained) = system.faces().constrained {
                project(constrained, &mut state)?;
            }
            if let Some(again) = ended.and_then(|motion| motion.again(&state)) {
                return Ok(again);
            }
            Ok(differentiate(&system, &self.method, state, self.step)?)
        })
    }

    fn starting(&self) -> Result<Option<Starting<'_, Self::Error>>, Self::Error> {
        let mut model = self.model.clone();
        Ok(self.own.map(|start| -> Starting<'_, Self::Error> {
            Box::new(move |values| {
                model.set_parameters(values)?;
                Ok(start(&model))
            })
        }))
    }
}
