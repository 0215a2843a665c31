//! Motions that commands differentiate.

use std::sync::atomic::Ordering;

use least_action::advanced::describe::{Part, Smoothness, TermFamily};
use least_action::drive::gradient::{Differentiation, Following, Gradient, Loss, Starting};
use least_action::method::project;
use least_action::system::{Parametric, Signal, State};
use least_action_methods::{Options, Setup};
use least_action_optimization::fit::{Motions, Runs, parameters_of, signals_of};

use crate::error::{Error, Names, Result};
use crate::methods::{self, Faces, OnModels};
use crate::parameters;
use crate::prepared::Prepared;
use crate::registry::Instance;
use crate::streams::Streams;

/// The growth above which a gradient is no help.
const GROWTH: f64 = 1e6;

/// A line for each term with a jump of the force or of its slope.
fn kinks(instance: &Instance) -> Vec<String> {
    let families = instance.system.description().families.into_iter();
    let line = |TermFamily { name, part, smoothness, .. }: TermFamily| {
        // A force is the slope of a potential.
        let of_force = u32::from(part == Part::Force);
        let order = match smoothness {
            Smoothness::Smooth => return None,
            Smoothness::Times(order) => order + of_force,
            Smoothness::Unknown => 0,
        };
        match order {
            0 => Some(format!(
                "warning: the force of `{name}` may jump, and the derivative misses the change at each crossing: smooth the term, see `describe`"
            )),
            1 => Some(format!(
                "note: the slope of the force of `{name}` may jump: the derivative is exact for the steps, and errs by a part of a step at each crossing"
            )),
            _ => None,
        }
    };
    families.filter_map(line).collect()
}

/// Motions that have derivatives.
impl Prepared<'_> {
    /// Refuses a method without a derivative, and names the methods of the model that have one; refuses
    /// mistakes in its options, and names terms with kinks.
    pub(crate) fn differentiable(&mut self, streams: &mut Streams<'_>) -> Result {
        let Self { method, instance, options, .. } = self;
        if let Some(reason) = method.claims.no_derivative() {
            // A method may have a derivative, and none with the forces of this model; one that needs an
            // option, such as omega, is not asked.
            let has_one = |name: &str| {
                let (options, state) = (Options::default(), instance.start.clone());
                let setup = Setup { options: &options, state, step: 1e-3, seed: 0, forewarned: false };
                let entry = methods::find(name).ok().filter(|entry| entry.derivative.is_some());
                entry.is_some_and(|entry| {
                    let faces = entry.faces(instance, &options);
                    faces.map_or(true, |faces| entry.differentiate(&faces, setup).is_ok())
                })
            };
            let fits = methods::fits(instance).into_iter().filter(|fit| fit.fits && has_one(fit.method));
            let others: Names = fits.map(|fit| fit.method).collect();
            return Err(Error::Mistake(format!(
                "`{}` has no gradient: {reason}; on `{}` these methods have: {others}",
                method.name, instance.name
            )));
        }
        kinks(instance).into_iter().for_each(|kink| streams.tell(kink));
        method.faces(instance, options)?;
        self.stop = streams.stop.clone().unwrap_or_default();
        Ok(())
    }

    /// Warns of a step that is too long.
    pub(super) fn forewarn(&self, state: State, streams: &mut Streams<'_>) -> Result {
        let faces = self.method.faces(&self.instance, &self.options)?;
        let setup = Setup { forewarned: true, ..self.setup(state) };
        let warning = self.method.start(&faces, setup)?.instability;
        warning.into_iter().for_each(|warning| streams.warn(warning));
        Ok(())
    }

    /// The motion from a state, without its end.
    fn begun<'f>(&'f self, faces: &'f Faces<'f>, state: State) -> Result<Differentiation<'f>> {
        let motion = self.method.differentiate(faces, self.setup(state))?.stopped_by(self.stop.asked());
        Ok(self.model.memory.into_iter().fold(motion, Differentiation::within))
    }

    /// Differentiates the motion of these parameters from a state.
    pub(crate) fn of<R>(
        &self,
        instance: &Instance,
        state: &State,
        differentiate: impl FnOnce(Differentiation<'_>) -> Result<R>,
    ) -> Result<R> {
        let faces = self.method.faces(instance, &self.options)?;
        differentiate(self.begun(&faces, state.clone())?.until(self.until))
    }

    /// A loss and its derivative, for these parameters from a state.
    pub(crate) fn gradient(
        &self,
        instance: &Instance,
        state: &State,
        loss: &mut dyn Loss,
    ) -> Result<Gradient> {
        let found = self.of(instance, state, |motion| Ok(motion.gradient(loss)?))?;
        let all = found.q.iter().chain(&found.v).chain(&found.parameters);
        if all.into_iter().any(|slope| !slope.is_finite()) {
            return Err(Error::not_finite(&self.model.name, "gradient"));
        }
        Ok(found)
    }

    /// The model's own start, with its derivatives by the parameters.
    pub(crate) fn own_start(&self) -> Result<Following> {
        let (mut starting, parameters) = (self.starting()?, self.parameters());
        Ok(Following::of(&mut *starting, &parameters, 0..parameters.len())?)
    }

    /// The model's own start by its parameters, but for the entries that are others.
    pub(super) fn starting(&self) -> Result<Starting<'_, Error>> {
        let mut own = parameters::starting(self.registry, &self.model)?;
        Ok(Box::new(move |values| own(values).map(|state| self.changes.on(state))))
    }

    /// The values of the parameters.
    pub(super) fn values(&self) -> Result<Vec<f64>> {
        let faces = self.method.faces(&self.instance, &self.options)?;
        Ok(faces.lagrangian().parametric().map(Parametric::numbers).unwrap_or_default())
    }
}

impl Motions for Prepared<'_> {
    type Error = Error;

    fn coordinates(&self) -> Vec<String> {
        let layout = self.instance.system.lagrangian().layout();
        (0..layout.dimension()).map(|index| layout.name_of(index)).collect()
    }

    fn parameters(&self) -> Vec<(String, f64)> {
        self.instance.system.lagrangian().parametric().map(parameters_of).unwrap_or_default()
    }

    fn signals(&self) -> Vec<(usize, Signal)> {
        self.instance.system.lagrangian().parametric().map(signals_of).unwrap_or_default()
    }

    fn step(&self) -> f64 {
        self.step
    }

    fn bound(&self, values: &[f64], runs: &mut Runs<'_, Error>) -> Result {
        let instance = parameters::varied(self.registry, &self.model, values)?;
        let faces = self.method.faces(&instance, &self.options)?;
        runs(&|mut state, ended| {
            if let Some(constrained) = instance.system.faces().constrained.filter(|_| self.keeps()) {
                project(constrained, &mut state)?;
            }
            let again = ended.and_then(|motion| motion.again(&state));
            again.map_or_else(|| self.begun(&faces, state), Ok)
        })
    }

    fn starting(&self) -> Result<Option<Starting<'_, Error>>> {
        Self::starting(self).map(Some)
    }

    fn is_stopped(&self) -> bool {
        self.stop.asked().load(Ordering::Relaxed)
    }
}

/// Says that the start follows parameters, if there are any.
pub(crate) fn in_words(follows: &[String]) -> Option<String> {
    let names = follows.join("`, `");
    let counts = "and its change counts; --start holds the start fast";
    (!follows.is_empty()).then(|| format!("the model's own start follows `{names}`, {counts}"))
}

/// Warns of a gradient that is no help.
pub(crate) fn warn(found: &Gradient, streams: &mut Streams<'_>) {
    if found.growth > GROWTH {
        streams.warn(format_args!(
            "the motion amplifies a change of its start by {:.1e}: the gradient has {} digits, and no optimizer can follow it; shorten \
             the motion",
            found.growth,
            found.digits()
        ));
    }
}
