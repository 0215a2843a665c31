//! The methods beside the models of the command: the methods that fit a model, the face that each takes,
//! and the reasons against the others.

mod advice;
mod beginning;
mod faces;
mod kinds;
mod reasons;

pub(crate) use advice::{ADVICE, Advice};
pub(crate) use beginning::{fits, fits_by_kind};
pub(crate) use faces::Faces;
pub use kinds::KINDS;
pub(crate) use kinds::letters;
pub(crate) use reasons::{by_reason, varying_mass};

use least_action::drive::gradient::Differentiation;
use least_action_methods::{Entry, METHODS, Needs, Options, Running, Setup};
use reasons::{why_no_body, why_not_forces, why_not_natural};
use serde::Serialize;

use crate::error::{Error, Names, Result};
use crate::model::Erased;
use crate::registry::Instance;

/// The stiffness of the penalty of a rotation matrix, unless it is given: Tao and Owhadi's value.
const OMEGA: f64 = 10.0;

/// The verdict on a method for a model.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Fit {
    pub(crate) method: &'static str,
    /// The order that the method claims.
    pub(crate) order: u32,
    /// The properties of the motion of this model that the method keeps.
    pub(crate) keeps: Vec<&'static str>,
    pub(crate) fits: bool,
    /// The condition under which the method fits, or the reason for which it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// The method called `name`.
pub(crate) fn find(name: &str) -> Result<&'static Entry> {
    METHODS.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let known = METHODS.iter().map(|entry| entry.name);
        Error::unknown(format_args!("unknown method `{name}`"), name, "there are:", known)
    })
}

/// True if a method moves the average over a fast phase: its energy at a moment is the energy of a
/// phase.
pub(crate) fn averages(name: &str) -> bool {
    METHODS.iter().any(|entry| entry.name == name && entry.needs == Needs::Vibrated)
}

/// A method beside the models of the command: its options there, its verdict, and its start.
pub(crate) trait OnModels {
    /// The options that the method has on this model.
    fn options(&self, system: &dyn Erased) -> Vec<&'static str>;

    /// The verdict on the method for this model, whatever its start.
    fn fit(&self, system: &dyn Erased) -> Fit;

    /// The faces of the model that this method will see: the penalized ones when `omega` is given.
    fn faces<'m>(&self, instance: &'m Instance, options: &Options) -> Result<Faces<'m>>;

    /// Starts the method on the faces that [`OnModels::faces`] chose for it.
    fn start<'s>(&self, faces: &'s Faces<'s>, setup: Setup<'_>) -> Result<Running<'s>>;

    /// As [`OnModels::start`], for derivatives of the motion.
    fn differentiate<'s>(&self, faces: &'s Faces<'s>, setup: Setup<'_>) -> Result<Differentiation<'s>>;
}

impl OnModels for Entry {
    fn options(&self, system: &dyn Erased) -> Vec<&'static str> {
        let mut options = self.options.to_vec();
        let has_none = !matches!(
            self.needs,
            Needs::Constrained | Needs::Slow | Needs::Vibrated | Needs::Distances | Needs::Bodies
        );
        if has_none && system.faces().constrained.is_some() {
            options.push("omega");
        }
        options
    }

    fn fit(&self, system: &dyn Erased) -> Fit {
        let why_not_forces = why_not_forces(self, system);
        let change = system.lagrangian().moments().and_then(|moments| moments.first_change());
        let why_not_cut = change.filter(|_| !self.claims.cuts()).map(|change| {
            format!("it needs motions that nothing changes inside of a step, and `{}` does: its steps cannot be cut", change.name)
        });
        let (fits, note) = match self.needs {
            _ if why_not_forces.is_some() => (false, why_not_forces),
            _ if why_not_cut.is_some() => (false, why_not_cut),
            Needs::Natural | Needs::Autonomous | Needs::Distances | Needs::Stiff | Needs::Slow
                if system.faces().natural.is_none() =>
            {
                (false, Some(why_not_natural(system)))
            }
            Needs::Autonomous if system.description().structure.time_dependent => {
                let reason = "it needs a potential that does not depend on time, and this model depends on it explicitly";
                (false, Some(reason.to_owned()))
            }
            Needs::Accelerations
                if system.lagrangian().holonomic().is_some()
                    || system.lagrangian().nonholonomic().is_some() =>
            {
                (true, Some("if no constraint follows from the others".to_owned()))
            }
            Needs::Slow if system.faces().constrained.is_some() => (true, None),
            Needs::Distances if system.lagrangian().holonomic().is_some() => {
                (false, Some("it keeps no constraints, and it takes forces along distances alone".to_owned()))
            }
            Needs::Distances => {
                (true, Some("if every term of the potential depends on one distance alone".to_owned()))
            }
            Needs::Natural | Needs::Autonomous | Needs::Stiff if system.faces().constrained.is_some() => {
                (true, Some("with --with omega=…, which replaces the constraints by a penalty".to_owned()))
            }
            Needs::Stiff | Needs::Slow if system.faces().stiff.is_none() => {
                let reason =
                    "it needs a stiff part of the potential, in `stiff(…)`, or constraints to penalize";
                (false, Some(reason.to_owned()))
            }
            Needs::Slow => (true, Some("with --with omega=…, the frequency of the stiff part".to_owned())),
            Needs::Constrained if system.faces().constrained.is_none() => {
                let reason = match system.faces().natural {
                    Some(_) => "it needs holonomic constraints, and the model declares none".to_owned(),
                    None => why_not_natural(system),
                };
                (false, Some(reason))
            }
            Needs::Vibrated if system.faces().natural.is_none() => (false, Some(why_not_natural(system))),
            Needs::Vibrated if system.vibrated().is_none() => {
                let reason =
                    "it needs a fast phase: an argument of type `Phase`, and a method marked #[frequency]";
                (false, Some(reason.to_owned()))
            }
            Needs::Bodies | Needs::Body | Needs::PenalizedBody => match system.faces().natural {
                None => (false, Some(why_not_natural(system))),
                Some(natural) => {
                    let reason = why_no_body(self, natural);
                    (reason.is_none(), reason)
                }
            },
            _ => (true, None),
        };
        let keeps = if fits { self.claims.keeps(system.lagrangian()) } else { Vec::new() };
        Fit { method: self.name, order: self.claims.order, keeps, fits, note }
    }

    fn faces<'m>(&self, instance: &'m Instance, options: &Options) -> Result<Faces<'m>> {
        let system = &*instance.system;
        let fit = self.fit(system);
        if !fit.fits {
            let fitting = fits(instance).into_iter().filter(|fit| fit.fits).map(|fit| fit.method).collect();
            return Err(does_not_fit(self, &instance.name, fit.note.unwrap_or_default(), &fitting));
        }
        match (self.needs, system.faces().constrained, options.get("omega")) {
            (Needs::Slow, None, None) => Err(Error::Mistake(format!(
                "`{}` needs the frequency of the stiff part of `{}`: add --with omega=…",
                self.name, instance.name
            ))),
            (Needs::Constrained | Needs::Slow | Needs::Vibrated | Needs::Bodies | Needs::Body, ..) => {
                Ok(Faces::plain(system))
            }
            (Needs::PenalizedBody, _, omega) => Faces::penalized_body(system, omega.unwrap_or(OMEGA)),
            (_, Some(_), Some(omega)) => Faces::penalized(instance, omega),
            (Needs::Natural | Needs::Autonomous | Needs::Stiff, Some(constrained), None) => {
                let keeps = METHODS.iter().filter(|entry| entry.needs == Needs::Constrained);
                let keeps: Names = keeps.map(|entry| entry.name).collect();
                Err(Error::NeedsPenalty(format!(
                    "`{}` knows no constraints, and `{}` has {}: add --with omega=… to replace them by the penalty ½ omega² |g|², or use a \
                     constrained method: {keeps}",
                    self.name,
                    instance.name,
                    constrained.constraints()
                )))
            }
            _ => Ok(Faces::plain(system)),
        }
    }

    fn start<'s>(&self, faces: &'s Faces<'s>, setup: Setup<'_>) -> Result<Running<'s>> {
        let started = (self.start)(faces, setup);
        Ok(started.ok_or_else(|| {
            let reason = "the model does not have the face that it announces".to_owned();
            does_not_fit(self, faces.model.lagrangian().name(), reason, &Names(Vec::new()))
        })??)
    }

    fn differentiate<'s>(&self, faces: &'s Faces<'s>, setup: Setup<'_>) -> Result<Differentiation<'s>> {
        let started = self.derivative.and_then(|begin| begin(faces, setup));
        Ok(started.ok_or_else(|| {
            let reason = "its derivative has no face of the model".to_owned();
            does_not_fit(self, faces.model.lagrangian().name(), reason, &Names(Vec::new()))
        })??)
    }
}

fn does_not_fit(method: &Entry, model: &str, reason: String, fitting: &Names) -> Error {
    let sentence = format!("`{}` does not fit `{model}`: {reason}; methods that fit: {fitting}", method.name);
    Error::DoesNotFit { sentence, reason }
}
