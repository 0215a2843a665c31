//! Motions that commands differentiate.

use least_action::advanced::describe::{Part, Smoothness, TermFamily};
use least_action::drive::gradient::{Differentiation, Gradient, Loss};
use least_action::system::{Parametric, State};
use least_action_methods::{Entry, Options, Setup};

use crate::arguments::Run;
use crate::error::Error;
use crate::methods::{self, OnModels};
use crate::registry::{Instance, Registry};
use crate::stop::Stop;
use crate::streams::Streams;
use crate::{options, parameters, start};

/// The growth above which a gradient is no help.
const GROWTH: f64 = 1e6;

/// Refuses a method without a derivative, and names the methods of the model that have one; names terms
/// with kinks.
pub(crate) fn differentiable(
    method: &'static Entry,
    instance: &Instance,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    if let Some(reason) = method.claims.no_derivative() {
        let has_one = |name: &str| methods::find(name).is_ok_and(|entry| entry.derivative.is_some());
        let fits = methods::fits(instance).into_iter().filter(|fit| fit.fits && has_one(fit.method));
        let others = fits.map(|fit| fit.method).collect();
        return Err(Error::NoDerivative {
            method: method.name,
            model: instance.name.clone(),
            reason,
            others,
        });
    }
    for kink in kinks(instance) {
        // The derivative is there when nobody listens.
        let _ = writeln!(streams.err, "{kink}");
    }
    Ok(())
}

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

/// A motion to differentiate.
pub(crate) struct Motion<'a> {
    pub(super) registry: &'a Registry,
    pub(super) arguments: &'a Run,
    pub(super) method: &'static Entry,
    pub(super) options: Options,
    pub(crate) instance: Instance,
    pub(crate) start: State,
    /// The caller's wish that the command ends.
    stop: Option<Stop>,
}

impl<'a> Motion<'a> {
    /// The motion of a run, from its own start unless another one is given.
    pub(crate) fn new(
        registry: &'a Registry,
        arguments: &'a Run,
        start: Option<State>,
        streams: &mut Streams<'_>,
    ) -> Result<Self, Error> {
        let method = methods::find(&arguments.method)?;
        let instance = parameters::bind(registry, &arguments.model)?;
        differentiable(method, &instance, streams)?;
        let known = method.options(&*instance.system);
        let params = arguments.model.params.as_deref();
        let options = options::read(method.name, &known, params, &arguments.with)?;
        let start = start::first(&instance, start, arguments.start.as_deref())?;
        let stop = streams.stop.clone();
        Ok(Self { registry, arguments, method, options, instance, start, stop })
    }

    /// Warns of a step that is too long.
    pub(super) fn forewarn(&self, streams: &mut Streams<'_>) -> Result<(), Error> {
        let (faces, state, step) =
            (self.method.faces(&self.instance, &self.options)?, self.start.clone(), self.arguments.step);
        let setup = Setup { options: &self.options, state, step, seed: 0, forewarned: true };
        if let Some(warning) = self.method.start(&faces, setup)?.instability {
            // The result is there when nobody listens.
            let _ = writeln!(streams.err, "warning: {warning}");
        }
        Ok(())
    }

    /// Differentiates the motion of these parameters from a state.
    pub(crate) fn of<R>(
        &self,
        instance: &Instance,
        state: &State,
        differentiate: impl FnOnce(Differentiation<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let Run { step, until, seed, model, .. } = self.arguments;
        let (options, seed) = (&self.options, seed.unwrap_or_default());
        let setup = Setup { options, state: state.clone(), step: *step, seed, forewarned: false };
        let faces = self.method.faces(instance, options)?;
        let motion = self.method.differentiate(&faces, setup)?.until(*until);
        let motion = model.memory.into_iter().fold(motion, Differentiation::within);
        let asked = self.stop.as_ref().map(Stop::asked);
        differentiate(asked.into_iter().fold(motion, Differentiation::stopped_by))
    }

    /// A loss and its derivative, for these parameters from a state.
    pub(crate) fn gradient(
        &self,
        instance: &Instance,
        state: &State,
        loss: &mut dyn Loss,
    ) -> Result<Gradient, Error> {
        let found = self.of(instance, state, |motion| Ok(motion.gradient(loss)?))?;
        let all = found.q.iter().chain(&found.v).chain(&found.parameters);
        if all.into_iter().any(|slope| !slope.is_finite()) {
            return Err(Error::NotFinite { model: self.arguments.model.name.clone(), quantity: "gradient" });
        }
        Ok(found)
    }

    /// The values of the parameters.
    pub(super) fn values(&self) -> Result<Vec<f64>, Error> {
        let faces = self.method.faces(&self.instance, &self.options)?;
        Ok(faces.lagrangian().parametric().map(Parametric::numbers).unwrap_or_default())
    }
}

/// Warns of a gradient that is no help.
pub(crate) fn warn(found: &Gradient, streams: &mut Streams<'_>) {
    if found.growth > GROWTH {
        // The result is there when nobody listens.
        let _ = writeln!(
            streams.err,
            "warning: the motion amplifies a change of its start by {:.1e}: the gradient has {} digits, and no optimizer can follow it; \
             shorten the motion",
            found.growth,
            found.digits()
        );
    }
}
