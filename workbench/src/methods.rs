//! The methods by name: what each needs of a model, which options it has, how it is started.
//!
//! A new method is one entry of [`METHODS`].

use integrator_core::describe::{Force, Mass};
use integrator_core::drive::{Energy, PenaltyMultipliers, Quantity};
use integrator_core::error::StartError;
use integrator_core::method::{
    Claims, Langevin, Method, Rattle, Reference, Shake, Stepper, Verlet, ZhangSkeel, ZhangSkeelEuler,
    ZhangSkeelSimplified,
    rotation::{PenalizedRotation, RotationCayley, RotationPenalty, RotationPenaltyEuler},
};
use integrator_core::system::{Constrained, Holonomic, Kind, Lagrangian, Natural, State};
use integrator_core::wrap::Penalized;
use serde::Serialize;

use crate::error::{Error, Names};
use crate::model::Erased;
use crate::parameters::Options;
use crate::registry::Instance;

/// A method as the command line knows it.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// The names of its own options; `omega`, the penalty, is added for models with constraints.
    options: &'static [&'static str],
    build: Build,
}

/// The face that a method needs, and how it is started on it.
enum Build {
    /// L = ½ v·M v − V(q, t) with M constant; constraints must be replaced by a penalty.
    Natural(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// The same with constraints, which the method keeps.
    Constrained(for<'s> fn(&'s (dyn Constrained + 's), Setup<'_>) -> Started<'s>),
    /// Any L(q, v, t), with its constraints or with a penalty instead of them.
    Lagrangian(for<'s> fn(&'s (dyn Lagrangian + 's), Setup<'_>) -> Started<'s>),
    /// A body by its rotation matrix, which the method keeps a rotation.
    Body(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A body by its rotation matrix, which a penalty holds near the rotations.
    PenalizedBody(for<'s> fn(&'s PenalizedBody<'s>, Setup<'_>) -> Started<'s>),
}

/// A body with the penalty of its rotation matrix.
type PenalizedBody<'m> = PenalizedRotation<'m, dyn Natural + 'm>;

/// The stiffness of the penalty of a rotation matrix, unless it is given: that of Tao and Owhadi.
const OMEGA: f64 = 10.0;

type Started<'s> = Result<Box<dyn Stepper + 's>, StartError>;

/// With what a method is started.
pub(crate) struct Setup<'o> {
    pub(crate) options: &'o Options,
    pub(crate) state: State,
    pub(crate) step: f64,
    pub(crate) seed: u64,
}

impl Setup<'_> {
    fn beta(&self) -> f64 {
        self.options.get("beta").unwrap_or(ZhangSkeel::default().beta)
    }
}

/// Every method of the command line.
pub(crate) const METHODS: [Entry; 10] = [
    Entry {
        name: Verlet::NAME,
        options: &["friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| thermostatted(Verlet, system, setup)),
    },
    Entry {
        name: ZhangSkeel::NAME,
        options: &["beta", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| {
            let method = ZhangSkeel { beta: setup.beta() };
            thermostatted(method, system, setup)
        }),
    },
    Entry {
        name: ZhangSkeelSimplified::NAME,
        options: &["beta", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| {
            let method = ZhangSkeelSimplified { beta: setup.beta() };
            thermostatted(method, system, setup)
        }),
    },
    Entry {
        name: ZhangSkeelEuler::NAME,
        options: &["beta", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| {
            let method = ZhangSkeelEuler { beta: setup.beta() };
            thermostatted(method, system, setup)
        }),
    },
    Entry {
        name: RotationCayley::NAME,
        options: &[],
        build: Build::Body(|system, setup| Ok(Box::new(start(&RotationCayley, system, setup)?))),
    },
    Entry {
        name: RotationPenalty::NAME,
        options: &["omega", "beta"],
        build: Build::PenalizedBody(|system, setup| {
            let method = RotationPenalty { beta: setup.beta() };
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: RotationPenaltyEuler::NAME,
        options: &["omega", "beta"],
        build: Build::PenalizedBody(|system, setup| {
            let method = RotationPenaltyEuler { beta: setup.beta() };
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: Shake::NAME,
        options: &["tolerance", "friction", "inverse_temperature"],
        build: Build::Constrained(|system, setup| {
            let mut method = Shake::default();
            method.tolerance = setup.options.get("tolerance").unwrap_or(method.tolerance);
            thermostatted(method, system, setup)
        }),
    },
    Entry {
        name: Rattle::NAME,
        options: &["tolerance", "friction", "inverse_temperature"],
        build: Build::Constrained(|system, setup| {
            let mut method = Rattle::default();
            method.tolerance = setup.options.get("tolerance").unwrap_or(method.tolerance);
            thermostatted(method, system, setup)
        }),
    },
    Entry {
        name: Reference::NAME,
        options: &["tolerance"],
        build: Build::Lagrangian(|system, setup| {
            let mut method = Reference::default();
            method.tolerance = setup.options.get("tolerance").unwrap_or(method.tolerance);
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
];

fn start<'s, S: ?Sized, M: Method<S>>(
    method: &M,
    system: &'s S,
    setup: Setup<'_>,
) -> Result<M::Stepper<'s>, StartError> {
    method.start(system, setup.state, setup.step)
}

/// The method, with a thermostat around it when one of its options is given.
fn thermostatted<'s, S: Natural + ?Sized, M: Method<S>>(
    method: M,
    system: &'s S,
    setup: Setup<'_>,
) -> Started<'s> {
    let (friction, inverse_temperature) =
        (setup.options.get("friction"), setup.options.get("inverse_temperature"));
    if friction.is_none() && inverse_temperature.is_none() {
        return Ok(Box::new(start(&method, system, setup)?));
    }
    let mut langevin = Langevin { seed: setup.seed, ..Langevin::around(method) };
    langevin.friction = friction.unwrap_or(langevin.friction);
    langevin.inverse_temperature = inverse_temperature.unwrap_or(langevin.inverse_temperature);
    Ok(Box::new(start(&langevin, system, setup)?))
}

/// Whether a method fits a model.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Fit {
    pub(crate) method: &'static str,
    pub(crate) fits: bool,
    /// Under which condition it fits, or why it does not.
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

impl Entry {
    /// The options that the method has on this model.
    pub(crate) fn options(&self, system: &dyn Erased) -> Vec<&'static str> {
        let mut options = self.options.to_vec();
        if matches!(self.build, Build::Natural(_) | Build::Lagrangian(_)) && system.constrained().is_some() {
            options.push("omega");
        }
        options
    }

    fn fit(&self, system: &dyn Erased) -> Fit {
        let (fits, note) = match self.build {
            Build::Natural(_) if system.natural().is_none() => (false, Some(why_not_natural(system))),
            Build::Natural(_) if system.constrained().is_some() => {
                (true, Some("with --with omega=…, which replaces the constraints by a penalty".to_owned()))
            }
            Build::Constrained(_) if system.constrained().is_none() => {
                let reason = match system.natural() {
                    Some(_) => "it needs holonomic constraints, and the model declares none".to_owned(),
                    None => why_not_natural(system),
                };
                (false, Some(reason))
            }
            Build::Body(_) | Build::PenalizedBody(_) if system.natural().is_none() => {
                (false, Some(why_not_natural(system)))
            }
            Build::Body(_) | Build::PenalizedBody(_) => match system.lagrangian().layout().coordinates() {
                [one] if one.kind == Kind::Mat3 && one.lengths.is_empty() => (true, None),
                _ => (
                    false,
                    Some("it needs a body whose one coordinate is a rotation matrix, `r: Mat3`".to_owned()),
                ),
            },
            _ => (true, None),
        };
        Fit { method: self.name, fits, note }
    }

    /// The faces of the model that this method will see: the penalized ones when `omega` is given.
    pub(crate) fn faces<'m>(&self, instance: &'m Instance, options: &Options) -> Result<Faces<'m>, Error> {
        let system = &*instance.system;
        let fit = self.fit(system);
        if !fit.fits {
            let fitting = fits(system).into_iter().filter(|fit| fit.fits).map(|fit| fit.method).collect();
            let reason = fit.note.unwrap_or_default();
            return Err(Error::DoesNotFit {
                method: self.name.to_owned(),
                model: instance.name.clone(),
                reason,
                fitting,
            });
        }
        match (&self.build, system.constrained(), options.get("omega")) {
            (Build::PenalizedBody(_), _, omega) => Faces::penalized_body(system, omega.unwrap_or(OMEGA)),
            (Build::Natural(_) | Build::Lagrangian(_), Some(_), Some(omega)) => {
                Faces::penalized(instance, omega)
            }
            (Build::Natural(_), Some(constrained), None) => Err(Error::NeedsPenalty {
                method: self.name.to_owned(),
                model: instance.name.clone(),
                equations: constrained.constraints(),
                constrained: METHODS
                    .iter()
                    .filter(|entry| matches!(entry.build, Build::Constrained(_)))
                    .map(|entry| entry.name)
                    .collect(),
            }),
            _ => Ok(Faces::plain(system)),
        }
    }

    /// Starts the method on the faces that [`Entry::faces`] chose for it.
    pub(crate) fn start<'s>(&self, faces: &'s Faces<'s>, setup: Setup<'_>) -> Option<Started<'s>> {
        Some(match self.build {
            Build::Natural(build) => build(faces.natural()?, setup),
            Build::Constrained(build) => build(faces.model.constrained()?, setup),
            Build::Lagrangian(build) => build(faces.lagrangian(), setup),
            Build::Body(build) => build(faces.natural()?, setup),
            Build::PenalizedBody(build) => build(faces.body.as_ref()?, setup),
        })
    }
}

/// Why a model is not natural, in the words of its description.
fn why_not_natural(system: &dyn Erased) -> String {
    let description = system.description();
    if let Some(force) = description.forces.first() {
        return format!(
            "it knows only the forces that the Lagrangian gives, and this model declares the force `{}`",
            force.name
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

/// The constraints that a penalty replaces.
type PenaltyFace<'m> = dyn Constrained + 'm;

/// A model as a method or `eval` sees it: itself, or with its constraints replaced by a penalty.
pub(crate) struct Faces<'m> {
    model: &'m dyn Erased,
    penalized: Option<Penalized<'m, dyn Constrained + 'm>>,
    body: Option<PenalizedBody<'m>>,
}

impl<'m> Faces<'m> {
    /// The model itself.
    pub(crate) fn plain(model: &'m dyn Erased) -> Self {
        Self { model, penalized: None, body: None }
    }

    /// The model with the potential V + ½ omega² |g|² instead of its constraints g.
    pub(crate) fn penalized(instance: &'m Instance, omega: f64) -> Result<Self, Error> {
        let model = &*instance.system;
        let constrained =
            model.constrained().ok_or_else(|| Error::NothingToPenalize { model: instance.name.clone() })?;
        Ok(Self { model, penalized: Some(Penalized::new(constrained, omega)?), body: None })
    }

    /// The model with the potential V + ½ omega² tr((RᵀR − 1)²), where it is a body.
    fn penalized_body(model: &'m dyn Erased, omega: f64) -> Result<Self, Error> {
        let body = model.natural().map(|natural| PenalizedRotation::new(natural, omega)).transpose()?;
        Ok(Self { model, penalized: None, body })
    }

    /// The natural system that is integrated or evaluated.
    pub(crate) fn natural(&self) -> Option<&dyn Natural> {
        match (&self.penalized, &self.body) {
            (Some(penalized), _) => Some(penalized),
            (None, Some(body)) => Some(body),
            (None, None) => self.model.natural(),
        }
    }

    /// The Lagrangian that is integrated or evaluated.
    pub(crate) fn lagrangian(&self) -> &dyn Lagrangian {
        match (&self.penalized, &self.body) {
            (Some(penalized), _) => penalized,
            (None, Some(body)) => body,
            (None, None) => self.model.lagrangian(),
        }
    }

    /// The multipliers of the penalty with their means over a window, where constraints are penalized.
    pub(crate) fn penalty_multipliers(
        &self,
        window: f64,
    ) -> Result<PenaltyMultipliers<'_, PenaltyFace<'m>>, Error> {
        let penalized = self.penalized.as_ref().ok_or(Error::NoPenalty)?;
        Ok(PenaltyMultipliers::of(penalized, window)?)
    }

    /// The constraints of the model, whether they are kept or penalized.
    pub(crate) fn constraints(&self) -> Option<&'m dyn Holonomic> {
        self.model.lagrangian().holonomic()
    }

    /// The energy of what is integrated, with the penalty where there is one.
    pub(crate) fn energy(&self) -> Box<dyn Quantity + '_> {
        Box::new(Energy::of(self.lagrangian()))
    }
}
