//! The methods by name: what each needs of a model, which options it has, how it is started.
//!
//! A new method is one entry of [`METHODS`].

mod advice;
mod claimed;
mod faces;
mod kinds;
mod list;
mod members;

pub(crate) use advice::{ADVICE, Advice};
pub(crate) use faces::Faces;
pub use kinds::KINDS;
pub(crate) use kinds::letters;
pub(crate) use list::{METHODS, of_order, start};

use claimed::Claimed;

use least_action::describe::{Force, Mass};
use least_action::error::StartError;
use least_action::method::rotation::{self, PenalizedRotation};
use least_action::method::{Instability, Stepper};
use least_action::system::{Constrained, Kind, Lagrangian, Natural, State, Stiff};
use serde::Serialize;

use crate::error::{Error, Names};
use crate::model::Erased;
use crate::multiscale::VibratedFace;
use crate::options::Options;
use crate::registry::Instance;

/// A method as the command line knows it.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// Its claims, of a composition those of its base: the tables of the documents are written from them.
    pub(crate) claims: Claimed,
    /// The forces beside those of the Lagrangian that it takes.
    forces: Forces,
    /// The names of its own options; `omega`, the penalty, is added for models with constraints.
    options: &'static [&'static str],
    build: Build,
}

/// The forces beside those of the Lagrangian that a method takes.
#[derive(Clone, Copy)]
enum Forces {
    None,
    /// Forces of the position and the time.
    OfPosition,
    Any,
}

/// The face that a method needs, and how it is started on it.
enum Build {
    /// L = ½ v·M v − V(q, t) with M constant; constraints must be replaced by a penalty.
    Natural(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// The same with V(q) that does not depend on the time.
    Autonomous(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A natural system without constraints, where every element of V depends on one distance alone, which the method finds out.
    Distances(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A natural system with a stiff part: the part that the model marks, or the penalty of its constraints.
    Stiff(for<'s> fn(&'s (dyn Stiff + 's), Setup<'_>) -> Started<'s>),
    /// A natural system with constraints, which the method keeps.
    Constrained(for<'s> fn(&'s (dyn Constrained + 's), Setup<'_>) -> Started<'s>),
    /// Any L(q, v, t), with any forces, and with its constraints or with a penalty instead of them.
    Lagrangian(for<'s> fn(&'s (dyn Lagrangian + 's), Setup<'_>) -> Started<'s>),
    /// The same, by its accelerations, which take constraints that do not depend on each other.
    Accelerations(for<'s> fn(&'s (dyn Lagrangian + 's), Setup<'_>) -> Started<'s>),
    /// A natural system with fast oscillations: constraints, or a stiff part with a frequency that is given.
    Slow(for<'s> fn(SlowFace<'s>, Setup<'_>) -> Started<'s>),
    /// A natural system with a fast phase, with its constraints.
    Vibrated(for<'s> fn(VibratedFace<'s>, Setup<'_>) -> Started<'s>),
    /// Bodies by their rotation matrices, which the method keeps rotations.
    Bodies(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A body by its rotation matrix, which the method keeps a rotation.
    Body(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A body by its rotation matrix, which a penalty holds near the rotations.
    PenalizedBody(for<'s> fn(&'s PenalizedBody<'s>, Setup<'_>) -> Started<'s>),
}

/// The face of a system for a method on a slow manifold.
enum SlowFace<'s> {
    /// Constraints, which a penalty is to replace.
    Constrained(&'s (dyn Constrained + 's)),
    /// A stiff part.
    Stiff(&'s (dyn Natural + 's)),
}

/// A body with the penalty of its rotation matrix.
type PenalizedBody<'m> = PenalizedRotation<'m, dyn Natural + 'm>;

/// The stiffness of the penalty of a rotation matrix, unless it is given: that of Tao and Owhadi.
const OMEGA: f64 = 10.0;

pub(crate) type Started<'s> = Result<Running<'s>, StartError>;

/// A method that has been started.
pub(crate) struct Running<'s> {
    pub(crate) stepper: Box<dyn Stepper + 's>,
    /// The reason for which the run probably blows up, where that was asked for and is known.
    pub(crate) instability: Option<Instability>,
    /// The part of a run that its states do not tell.
    pub(crate) beside_state: Option<&'static str>,
}

impl<'s> Running<'s> {
    /// The run of a method that knows no limit of the step.
    fn quiet(stepper: impl Stepper + 's) -> Self {
        Self { stepper: Box::new(stepper), instability: None, beside_state: None }
    }
}

/// The options and the state with which a method is started.
pub(crate) struct Setup<'o> {
    pub(crate) options: &'o Options,
    pub(crate) state: State,
    pub(crate) step: f64,
    pub(crate) seed: u64,
    /// True if the step is to be compared with the limits of the method.
    pub(crate) forewarned: bool,
}

impl Setup<'_> {
    /// The option `name`, or the default of the method.
    fn or(&self, name: &str, default: f64) -> f64 {
        self.options.get(name).unwrap_or(default)
    }

    /// The word that was given for `name`, one of those in `options.rs`, or the default of the method.
    fn word(&self, name: &str, default: &'static str) -> &'static str {
        self.options.word(name).unwrap_or(default)
    }

    /// True if an option of the thermostat is given.
    fn has_thermostat(&self) -> bool {
        THERMOSTAT.iter().any(|name| self.options.get(name).is_some())
    }
}

/// The options of which any puts a thermostat around a method.
pub(crate) const THERMOSTAT: [&str; 2] = ["friction", "inverse_temperature"];

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

/// Every method with its verdict on a model.
pub(crate) fn fits(system: &dyn Erased) -> Vec<Fit> {
    METHODS.iter().map(|entry| entry.fit(system)).collect()
}

/// The method called `name`.
pub(crate) fn find(name: &str) -> Result<&'static Entry, Error> {
    METHODS.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let known: Names = METHODS.iter().map(|entry| entry.name).collect();
        Error::UnknownMethod { name: name.to_owned(), hint: known.near(name), known }
    })
}

impl Forces {
    /// The forces in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::None => "no",
            Self::OfPosition => "of position and time",
            Self::Any => "any",
        }
    }
}

impl Build {
    /// The Lagrangian, the constraints on positions and those on velocities that the face has, in words.
    pub(crate) fn words(&self) -> [&'static str; 3] {
        const PENALTY: &str = "by a penalty, `omega`";
        match self {
            Self::Natural(_) => ["constant mass", PENALTY, "no"],
            Self::Autonomous(_) => ["constant mass, V(q) free of the time", PENALTY, "no"],
            Self::Distances(_) => ["constant mass, V of distances", "no", "no"],
            Self::Stiff(_) => ["constant mass, a part in `stiff(…)` or constraints", PENALTY, "no"],
            Self::Constrained(_) => ["constant mass", "yes, at least one", "no"],
            Self::Lagrangian(_) => ["any", "yes, or by a penalty, `omega`", "yes"],
            Self::Accelerations(_) => ["any", "independent ones, or by a penalty, `omega`", "yes"],
            Self::Slow(_) => ["constant mass, a part in `stiff(…)` or constraints, `omega`", PENALTY, "no"],
            Self::Vibrated(_) => ["constant mass, a `Phase`", "yes", "no"],
            Self::Bodies(_) => ["constant mass, rotation matrices `r: Mat3`", "those of rotations", "no"],
            Self::Body(_) => ["one rotation matrix `r: Mat3`", "those of a rotation", "no"],
            Self::PenalizedBody(_) => {
                ["one rotation matrix `r: Mat3`", "those of a rotation, by a penalty, `omega`", "no"]
            }
        }
    }
}

impl Entry {
    /// The forces that it takes, its options, and the words of its face.
    pub(crate) fn facts(&self) -> (&'static str, &'static [&'static str], [&'static str; 3]) {
        (self.forces.words(), self.options, self.build.words())
    }

    /// The options that the method has on this model.
    pub(crate) fn options(&self, system: &dyn Erased) -> Vec<&'static str> {
        let mut options = self.options.to_vec();
        let has_none = !matches!(
            self.build,
            Build::Constrained(_)
                | Build::Slow(_)
                | Build::Vibrated(_)
                | Build::Distances(_)
                | Build::Bodies(_)
        );
        if has_none && system.constrained().is_some() {
            options.push("omega");
        }
        options
    }

    /// The reason for which it cannot take the forces of the model beside those of the Lagrangian, if it cannot.
    fn why_not_forces(&self, system: &dyn Erased) -> Option<String> {
        let system_of = system.lagrangian();
        let forced = system_of.forced()?;
        match self.forces {
            Forces::Any => None,
            Forces::None => {
                let names: Vec<String> =
                    system.description().forces.into_iter().map(|force| force.name).collect();
                Some(format!(
                    "it knows only the forces that the Lagrangian gives, and this model declares {}",
                    Names(names)
                ))
            }
            Forces::OfPosition => {
                let n = system_of.dimension();
                let (_, column) = forced.force_pattern().entries().find(|&(_, column)| column >= n)?;
                Some(format!(
                    "it takes forces of the position and the time alone, and those of this model depend on the velocity of {}",
                    system_of.layout().name_of(column - n)
                ))
            }
        }
    }

    /// The reason for which a system is none of bodies by their rotation matrices, as the start of the method would tell it.
    fn why_no_body(&self, system: &dyn Natural) -> Option<String> {
        let coordinates = system.layout().coordinates();
        let is_one = matches!(coordinates, [one] if one.kind == Kind::Mat3 && one.lengths.is_empty());
        let checked = match self.build {
            Build::Bodies(_) if coordinates.iter().all(|one| one.kind != Kind::Mat3) => {
                return Some("it needs bodies by their rotation matrices, such as `r: Mat3`".to_owned());
            }
            Build::Bodies(_) => rotation::check_bodies(self.name, system),
            _ if !is_one => {
                return Some(
                    "it needs a body whose one coordinate is a rotation matrix, `r: Mat3`".to_owned(),
                );
            }
            _ => rotation::check_body(self.name, system),
        };
        Some(match checked.err()? {
            StartError::NoRotatingBody { reason, .. } => {
                format!("it takes rotation matrices that nothing holds but that they are rotations: {reason}")
            }
            other => other.to_string(),
        })
    }

    fn fit(&self, system: &dyn Erased) -> Fit {
        let why_not_forces = self.why_not_forces(system);
        let (fits, note) = match self.build {
            _ if why_not_forces.is_some() => (false, why_not_forces),
            Build::Natural(_)
            | Build::Autonomous(_)
            | Build::Distances(_)
            | Build::Stiff(_)
            | Build::Slow(_)
                if system.natural().is_none() =>
            {
                (false, Some(why_not_natural(system)))
            }
            Build::Autonomous(_) if system.description().structure.time_dependent => {
                let reason = "it needs a potential that does not depend on time, and this model depends on it explicitly";
                (false, Some(reason.to_owned()))
            }
            Build::Accelerations(_)
                if system.lagrangian().holonomic().is_some()
                    || system.lagrangian().nonholonomic().is_some() =>
            {
                (true, Some("if no constraint follows from the others".to_owned()))
            }
            Build::Slow(_) if system.constrained().is_some() => (true, None),
            Build::Distances(_) if system.lagrangian().holonomic().is_some() => (
                false,
                Some("it keeps no constraints, and its forces are those of distances alone".to_owned()),
            ),
            Build::Distances(_) => {
                (true, Some("if every term of the potential depends on one distance alone".to_owned()))
            }
            Build::Natural(_) | Build::Autonomous(_) | Build::Stiff(_) if system.constrained().is_some() => {
                (true, Some("with --with omega=…, which replaces the constraints by a penalty".to_owned()))
            }
            Build::Stiff(_) | Build::Slow(_) if system.stiff().is_none() => {
                let reason =
                    "it needs a stiff part of the potential, in `stiff(…)`, or constraints to penalize";
                (false, Some(reason.to_owned()))
            }
            Build::Slow(_) => (true, Some("with --with omega=…, the frequency of the stiff part".to_owned())),
            Build::Constrained(_) if system.constrained().is_none() => {
                let reason = match system.natural() {
                    Some(_) => "it needs holonomic constraints, and the model declares none".to_owned(),
                    None => why_not_natural(system),
                };
                (false, Some(reason))
            }
            Build::Vibrated(_) if system.natural().is_none() => (false, Some(why_not_natural(system))),
            Build::Vibrated(_) if system.vibrated().is_none() => {
                let reason =
                    "it needs a fast phase: an argument of type `Phase`, and a method marked #[frequency]";
                (false, Some(reason.to_owned()))
            }
            Build::Bodies(_) | Build::Body(_) | Build::PenalizedBody(_) => match system.natural() {
                None => (false, Some(why_not_natural(system))),
                Some(natural) => {
                    let reason = self.why_no_body(natural);
                    (reason.is_none(), reason)
                }
            },
            _ => (true, None),
        };
        let keeps = if fits { self.claims.keeps(system) } else { Vec::new() };
        Fit { method: self.name, order: self.claims.order, keeps, fits, note }
    }

    /// The faces of the model that this method will see: the penalized ones when `omega` is given.
    pub(crate) fn faces<'m>(&self, instance: &'m Instance, options: &Options) -> Result<Faces<'m>, Error> {
        let system = &*instance.system;
        let fit = self.fit(system);
        if !fit.fits {
            return Err(self.does_not_fit(&instance.name, system, fit.note.unwrap_or_default()));
        }
        match (&self.build, system.constrained(), options.get("omega")) {
            (Build::Slow(_), None, None) => {
                Err(Error::NeedsFrequency { command: self.name.to_owned(), model: instance.name.clone() })
            }
            (
                Build::Constrained(_)
                | Build::Slow(_)
                | Build::Vibrated(_)
                | Build::Bodies(_)
                | Build::Body(_),
                ..,
            ) => Ok(Faces::plain(system)),
            (Build::PenalizedBody(_), _, omega) => Faces::penalized_body(system, omega.unwrap_or(OMEGA)),
            (_, Some(_), Some(omega)) => Faces::penalized(instance, omega),
            (Build::Natural(_) | Build::Autonomous(_) | Build::Stiff(_), Some(constrained), None) => {
                Err(Error::NeedsPenalty {
                    method: self.name.to_owned(),
                    model: instance.name.clone(),
                    equations: constrained.constraints(),
                    constrained: METHODS
                        .iter()
                        .filter(|entry| matches!(entry.build, Build::Constrained(_)))
                        .map(|entry| entry.name)
                        .collect(),
                })
            }
            _ => Ok(Faces::plain(system)),
        }
    }

    /// Starts the method on the faces that [`Entry::faces`] chose for it.
    pub(crate) fn start<'s>(&self, faces: &'s Faces<'s>, setup: Setup<'_>) -> Result<Running<'s>, Error> {
        let started = match self.build {
            Build::Natural(build)
            | Build::Autonomous(build)
            | Build::Distances(build)
            | Build::Bodies(build)
            | Build::Body(build) => faces.natural().map(|face| build(face, setup)),
            Build::Stiff(build) => faces.stiff().map(|face| build(face, setup)),
            Build::Constrained(build) => faces.model.constrained().map(|face| build(face, setup)),
            Build::Lagrangian(build) | Build::Accelerations(build) => Some(build(faces.lagrangian(), setup)),
            Build::Slow(build) => {
                let constrained = faces.model.constrained().map(SlowFace::Constrained);
                let face = constrained.or_else(|| faces.natural().map(SlowFace::Stiff));
                face.map(|face| build(face, setup))
            }
            Build::PenalizedBody(build) => faces.body.as_ref().map(|face| build(face, setup)),
            Build::Vibrated(build) => faces.model.vibrated().map(|face| build(face, setup)),
        };
        let reason = || "the model does not have the face that it announces".to_owned();
        Ok(started
            .ok_or_else(|| self.does_not_fit(faces.model.lagrangian().name(), faces.model, reason()))??)
    }

    fn does_not_fit(&self, model: &str, system: &dyn Erased, reason: String) -> Error {
        Error::DoesNotFit {
            method: self.name.to_owned(),
            model: model.to_owned(),
            reason,
            fitting: fits(system).into_iter().filter(|fit| fit.fits).map(|fit| fit.method).collect(),
        }
    }
}

/// The reason for which a model is not natural, in the words of its description.
fn why_not_natural(system: &dyn Erased) -> String {
    let description = system.description();
    if let Some(constraint) = description.nonholonomic.first() {
        return format!(
            "it keeps no constraints on velocities, and this model declares `{}` with #[nonholonomic]",
            constraint.name
        );
    }
    let structure = description.structure;
    let listed = |names: Vec<String>| Names(names).to_string();
    match (structure.mass, structure.force) {
        (Mass::DependsOn(names), _) => {
            format!("it needs a constant mass matrix, and this one depends on {}", listed(names))
        }
        (Mass::Unproven(names), _) => {
            format!(
                "it needs a constant mass matrix, and this one could not be shown to be constant in {}",
                listed(names)
            )
        }
        (Mass::Constant, Force::DependsOn(names) | Force::Unproven(names)) => {
            format!(
                "it needs a force free of velocities, and this one depends on the velocity of {}",
                listed(names)
            )
        }
        (Mass::Constant, Force::PositionOnly) => "it needs L = ½ v·M v − V(q, t) with constant M".to_owned(),
    }
}
