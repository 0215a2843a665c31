//! The methods by name: what each needs of a model, which options it has, how it is started.
//!
//! A new method is one entry of [`METHODS`].

use integrator_core::describe::{Force, Mass};
use integrator_core::drive::{Energy, PenaltyMultipliers, Quantity};
use integrator_core::error::StartError;
use integrator_core::method::composition::coefficients;
use integrator_core::method::{
    Claims, Composition, Edge, EnergyStepping, ExplicitConstrained, ImplicitMidpoint, LaBuddeGreenspan,
    Langevin, Method, Newmark, NewmarkLinearA, NewmarkLinearB, ProjectedRungeKutta, PushForwardNewmark,
    Rattle, Reference, Shake, Stepper, Symmetric, VariationalEuler, VariationalMidpoint,
    VariationalTrapezoid, Verlet, ZhangSkeel, ZhangSkeelEuler, ZhangSkeelSimplified, ZhangSkeelStiff,
    force_stepping::{ForceStepping, RelativeForceStepping, Steps, Triangulation, Vertex},
    multiscale::{Asynchronous, EstimatorClaims, Synchronous},
    rotation::{PenalizedRotation, RotationCayley, RotationPenalty, RotationPenaltyEuler},
    slow_manifold::Oscillating,
};
use integrator_core::system::{Constrained, Holonomic, Kind, Lagrangian, Natural, State, Stiff};
use integrator_core::wrap::Penalized;
use serde::Serialize;

use crate::error::{Error, Names};
use crate::model::Erased;
use crate::multiscale::{self, VibratedFace};
use crate::options::Options;
use crate::registry::Instance;
use crate::slow;

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
    /// The same without constraints, where every element of V depends on one distance alone, which the method finds out.
    Distances(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// The same with a stiff part: what the model marks, or the penalty of its constraints.
    Stiff(for<'s> fn(&'s (dyn Stiff + 's), Setup<'_>) -> Started<'s>),
    /// The same with constraints, which the method keeps.
    Constrained(for<'s> fn(&'s (dyn Constrained + 's), Setup<'_>) -> Started<'s>),
    /// Any L(q, v, t) without other forces; constraints must be replaced by a penalty.
    Variational(for<'s> fn(&'s (dyn Lagrangian + 's), Setup<'_>) -> Started<'s>),
    /// Any L(q, v, t), with its constraints or with a penalty instead of them.
    Lagrangian(for<'s> fn(&'s (dyn Lagrangian + 's), Setup<'_>) -> Started<'s>),
    /// A natural system with fast oscillations: constraints, or a stiff part with a frequency that is given.
    Slow(for<'s> fn(SlowFace<'s>, Setup<'_>) -> Started<'s>),
    /// A natural system with a fast phase, with its constraints.
    Vibrated(for<'s> fn(VibratedFace<'s>, multiscale::Setup<'_>) -> Started<'s>),
    /// A body by its rotation matrix, which the method keeps a rotation.
    Body(for<'s> fn(&'s (dyn Natural + 's), Setup<'_>) -> Started<'s>),
    /// A body by its rotation matrix, which a penalty holds near the rotations.
    PenalizedBody(for<'s> fn(&'s PenalizedBody<'s>, Setup<'_>) -> Started<'s>),
}

/// What a method on a slow manifold is given.
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

type Started<'s> = Result<Box<dyn Stepper + 's>, StartError>;

/// With what a method is started.
pub(crate) struct Setup<'o> {
    pub(crate) options: &'o Options,
    pub(crate) state: State,
    pub(crate) step: f64,
    pub(crate) seed: u64,
}

impl Setup<'_> {
    /// The option `name`, or what the method has without it.
    fn or(&self, name: &str, default: f64) -> f64 {
        self.options.get(name).unwrap_or(default)
    }

    /// The word that was given for `name`, one of those in `options.rs`, or what the method has without it.
    fn word(&self, name: &str, default: &'static str) -> &'static str {
        self.options.word(name).unwrap_or(default)
    }

    /// Whether an option of the thermostat is given.
    fn has_thermostat(&self) -> bool {
        ["friction", "inverse_temperature"].iter().any(|name| self.options.get(name).is_some())
    }
}

/// Every method of the command line.
pub(crate) const METHODS: &[Entry] = &[
    Entry {
        name: Verlet::NAME,
        options: &["order", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| symmetric(Verlet, system, setup)),
    },
    Entry {
        name: ZhangSkeel::NAME,
        options: &["beta", "order", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| {
            let beta = setup.or("beta", ZhangSkeel::default().beta);
            symmetric(ZhangSkeel { beta }, system, setup)
        }),
    },
    Entry {
        name: ZhangSkeelSimplified::NAME,
        options: &["beta", "order", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| {
            let beta = setup.or("beta", ZhangSkeelSimplified::default().beta);
            symmetric(ZhangSkeelSimplified { beta }, system, setup)
        }),
    },
    Entry {
        name: ZhangSkeelEuler::NAME,
        options: &["beta", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| {
            let method = ZhangSkeelEuler { beta: setup.or("beta", ZhangSkeelEuler::default().beta) };
            thermostatted(method, system, setup)
        }),
    },
    Entry {
        name: ZhangSkeelStiff::NAME,
        options: &["beta", "order", "friction", "inverse_temperature"],
        build: Build::Stiff(|system, setup| {
            let beta = setup.or("beta", ZhangSkeelStiff::default().beta);
            symmetric(ZhangSkeelStiff { beta }, system, setup)
        }),
    },
    Entry {
        name: Newmark::NAME,
        options: &["beta", "tolerance", "order"],
        build: Build::Natural(|system, setup| {
            let mut method = Newmark::default();
            method.beta = setup.or("beta", method.beta);
            method.tolerance = setup.or("tolerance", method.tolerance);
            composed(method, system, setup)
        }),
    },
    Entry {
        name: PushForwardNewmark::NAME,
        options: &["beta", "tolerance", "order"],
        build: Build::Natural(|system, setup| {
            let mut method = PushForwardNewmark::default();
            method.beta = setup.or("beta", method.beta);
            method.tolerance = setup.or("tolerance", method.tolerance);
            composed(method, system, setup)
        }),
    },
    Entry {
        name: NewmarkLinearA::NAME,
        options: &["beta"],
        build: Build::Natural(|system, setup| {
            let method = NewmarkLinearA { beta: setup.or("beta", NewmarkLinearA::default().beta) };
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: NewmarkLinearB::NAME,
        options: &["beta"],
        build: Build::Natural(|system, setup| {
            let method = NewmarkLinearB { beta: setup.or("beta", NewmarkLinearB::default().beta) };
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: ImplicitMidpoint::NAME,
        options: &["tolerance", "order"],
        build: Build::Natural(|system, setup| {
            let mut method = ImplicitMidpoint::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            composed(method, system, setup)
        }),
    },
    Entry {
        name: VariationalEuler::NAME,
        options: &["tolerance"],
        build: Build::Variational(|system, setup| {
            let mut method = VariationalEuler::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: VariationalMidpoint::NAME,
        options: &["tolerance", "order"],
        build: Build::Variational(|system, setup| {
            let mut method = VariationalMidpoint::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            composed(method, system, setup)
        }),
    },
    Entry {
        name: VariationalTrapezoid::NAME,
        options: &["tolerance", "order"],
        build: Build::Variational(|system, setup| {
            let mut method = VariationalTrapezoid::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            composed(method, system, setup)
        }),
    },
    Entry {
        name: ForceStepping::NAME,
        options: &["grid", "triangulation", "vertex", "interpolation"],
        build: Build::Natural(|system, setup| {
            let grid = match setup.options.numbers("grid") {
                Some([step]) => Steps::Equal(*step),
                Some(steps) => Steps::Each(steps.to_vec()),
                None => {
                    return Err(StartError::OptionMissing {
                        method: ForceStepping::NAME,
                        option: "grid",
                        meaning: "the step of its grid, in the units of the coordinates, one for all or a list with one for each",
                    });
                }
            };
            if setup.word("interpolation", "coordinates") == "relative" {
                return relative(&grid, system, setup);
            }
            let triangulation = match setup.word("triangulation", "kuhn") {
                "mirrored" => Triangulation::Mirrored,
                "union-jack" => Triangulation::UnionJack,
                _ => Triangulation::Kuhn,
            };
            let vertex = match setup.word("vertex", "start") {
                "origin" => Vertex::Origin,
                "random" => Vertex::Random(setup.seed),
                _ => Vertex::Start,
            };
            let method = ForceStepping { grid, triangulation, vertex, walls: None };
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: EnergyStepping::NAME,
        options: &["height", "edge"],
        build: Build::Natural(|system, setup| {
            let edge = setup.options.get("edge").map_or(Edge::Start, Edge::At);
            let method = EnergyStepping { height: setup.options.get("height"), edge };
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: LaBuddeGreenspan::NAME,
        options: &["tolerance", "order"],
        build: Build::Distances(|system, setup| {
            let mut method = LaBuddeGreenspan::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            composed(method, system, setup)
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
            let method = RotationPenalty { beta: setup.or("beta", RotationPenalty::default().beta) };
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: RotationPenaltyEuler::NAME,
        options: &["omega", "beta"],
        build: Build::PenalizedBody(|system, setup| {
            let method =
                RotationPenaltyEuler { beta: setup.or("beta", RotationPenaltyEuler::default().beta) };
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
    Entry {
        name: Shake::NAME,
        options: &["tolerance", "friction", "inverse_temperature"],
        build: Build::Constrained(|system, setup| {
            let mut method = Shake::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            thermostatted(method, system, setup)
        }),
    },
    Entry {
        name: Rattle::NAME,
        options: &["tolerance", "order", "friction", "inverse_temperature"],
        build: Build::Constrained(|system, setup| {
            let mut method = Rattle::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            symmetric(method, system, setup)
        }),
    },
    Entry {
        name: ExplicitConstrained::<4, 4>::NAME,
        options: &["omega", "tolerance", "force_tolerance", "window", "micro_steps"],
        build: Build::Slow(|system, setup| {
            let default = ExplicitConstrained::default();
            let omega = setup.or("omega", default.omega);
            let manifold = default.method.manifold;
            Ok(match system {
                SlowFace::Constrained(system) => {
                    let penalized = Penalized::new(system, omega)?;
                    let manifold = slow::manifold(setup.options, manifold, &penalized, &setup.state)?;
                    let method = ProjectedRungeKutta { manifold, ..default.method };
                    Box::new(start(&ExplicitConstrained { method, omega }, system, setup)?)
                }
                SlowFace::Stiff(system) => {
                    let system = Box::new(Oscillating::new(system, omega)?);
                    let manifold = slow::manifold(setup.options, manifold, &*system, &setup.state)?;
                    let method = ProjectedRungeKutta { manifold, ..default.method };
                    Box::new(method.start_on(system, setup.state, setup.step)?)
                }
            })
        }),
    },
    Entry {
        name: <Synchronous as EstimatorClaims>::NAME,
        options: multiscale::OPTIONS,
        build: Build::Vibrated(multiscale::synchronous),
    },
    Entry {
        name: <Asynchronous as EstimatorClaims>::NAME,
        options: multiscale::OPTIONS,
        build: Build::Vibrated(multiscale::asynchronous),
    },
    Entry {
        name: Reference::NAME,
        options: &["tolerance"],
        build: Build::Lagrangian(|system, setup| {
            let mut method = Reference::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            Ok(Box::new(start(&method, system, setup)?))
        }),
    },
];

/// Starts force-stepping in relative vectors, which has one grid step and one grid.
fn relative<'s, S: Natural + ?Sized>(grid: &Steps, system: &'s S, setup: Setup<'_>) -> Started<'s> {
    let method = RelativeForceStepping::NAME;
    let excluded = |option| StartError::OptionExcluded { method, option, by: "interpolation=relative" };
    if let Some(option) =
        ["triangulation", "vertex"].into_iter().find(|name| setup.options.word(name).is_some())
    {
        return Err(excluded(option));
    }
    match grid {
        Steps::Equal(grid) => Ok(Box::new(start(&RelativeForceStepping { grid: *grid }, system, setup)?)),
        Steps::Each(_) => Err(excluded("a list of steps in grid")),
    }
}

/// Starts a symmetric method: composed to the option `order`, or with a thermostat around it.
fn symmetric<'s, S: Natural + ?Sized, M: Symmetric<S>>(
    method: M,
    system: &'s S,
    setup: Setup<'_>,
) -> Started<'s> {
    if !setup.has_thermostat() {
        return composed(method, system, setup);
    }
    let order = setup.or("order", f64::from(M::ORDER));
    if order > f64::from(M::ORDER) {
        // The thermostat is of order 2 itself, and the steps backwards of a composition would heat where it cools.
        let interval = "{2} with a thermostat";
        return Err(StartError::OptionOutOfRange {
            method: M::NAME,
            option: "order",
            value: order,
            interval,
        });
    }
    thermostatted(method, system, setup)
}

/// Starts a symmetric method, composed to the option `order`.
fn composed<'s, S: ?Sized, M: Symmetric<S>>(method: M, system: &'s S, setup: Setup<'_>) -> Started<'s> {
    let order = setup.or("order", f64::from(M::ORDER));
    of_order(method, system, (setup.state, setup.step), order)
}

/// Starts a symmetric method, composed to this order.
pub(crate) fn of_order<S: ?Sized, M: Symmetric<S>>(
    method: M,
    system: &S,
    (state, step): (State, f64),
    order: f64,
) -> Started<'_> {
    Ok(match order {
        2.0 => Box::new(method.start(system, state, step)?),
        4.0 => Box::new(Composition::<M, 4>::of(method).start(system, state, step)?),
        6.0 => Box::new(Composition::<M, 6>::of(method).start(system, state, step)?),
        8.0 => Box::new(Composition::<M, 8>::of(method).start(system, state, step)?),
        value => {
            let (method, option, interval) = (M::NAME, "order", "{2, 4, 6, 8}");
            return Err(StartError::OptionOutOfRange { method, option, value, interval });
        }
    })
}

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
    if !setup.has_thermostat() {
        return Ok(Box::new(start(&method, system, setup)?));
    }
    let mut langevin = Langevin { seed: setup.seed, ..Langevin::around(method) };
    langevin.friction = setup.or("friction", langevin.friction);
    langevin.inverse_temperature = setup.or("inverse_temperature", langevin.inverse_temperature);
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
        let has_none = !matches!(
            self.build,
            Build::Constrained(_) | Build::Slow(_) | Build::Vibrated(_) | Build::Distances(_)
        );
        if has_none && system.constrained().is_some() {
            options.push("omega");
        }
        options
    }

    fn fit(&self, system: &dyn Erased) -> Fit {
        let (fits, note) = match self.build {
            Build::Natural(_) | Build::Distances(_) | Build::Stiff(_) | Build::Slow(_)
                if system.natural().is_none() =>
            {
                (false, Some(why_not_natural(system)))
            }
            Build::Slow(_) if system.constrained().is_some() => (true, None),
            Build::Distances(_) if system.lagrangian().holonomic().is_some() => (
                false,
                Some("it keeps no constraints, and its forces are those of distances alone".to_owned()),
            ),
            Build::Distances(_) => {
                (true, Some("if every term of the potential depends on one distance alone".to_owned()))
            }
            Build::Variational(_) if system.lagrangian().forced().is_some() => {
                (false, Some(why_not_natural(system)))
            }
            Build::Variational(_)
                if system.lagrangian().holonomic().is_some() && system.constrained().is_none() =>
            {
                let reason =
                    "it keeps no constraints, and a penalty instead of them needs a constant mass matrix";
                (false, Some(reason.to_owned()))
            }
            Build::Natural(_) | Build::Stiff(_) | Build::Variational(_) if system.constrained().is_some() => {
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
            return Err(self.does_not_fit(&instance.name, system, fit.note.unwrap_or_default()));
        }
        match (&self.build, system.constrained(), options.get("omega")) {
            (Build::Slow(_), None, None) => {
                Err(Error::NeedsFrequency { command: self.name.to_owned(), model: instance.name.clone() })
            }
            (Build::Constrained(_) | Build::Slow(_) | Build::Vibrated(_) | Build::Body(_), ..) => {
                Ok(Faces::plain(system))
            }
            (Build::PenalizedBody(_), _, omega) => Faces::penalized_body(system, omega.unwrap_or(OMEGA)),
            (_, Some(_), Some(omega)) => Faces::penalized(instance, omega),
            (Build::Natural(_) | Build::Stiff(_) | Build::Variational(_), Some(constrained), None) => {
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

    /// What should be known before a run with these options and this step: a stiffness at which the method blows up.
    pub(crate) fn warning(&self, options: &Options, step: f64) -> Option<String> {
        let omega = options.get("omega").filter(|_| self.name == ZhangSkeel::NAME)?;
        let beta = options.get("beta").unwrap_or(ZhangSkeel::default().beta);
        // Of a composition, the largest part counts.
        let parts = coefficients(options.get("order").map_or(2, |order| order as u32)).unwrap_or(&[1.0]);
        let largest = parts.iter().fold(0.0, |largest: f64, part| largest.max(part.abs()));
        let number = ZhangSkeel { beta }.stiffness_number(largest * step, omega);
        (number > ZhangSkeel::STIFFNESS_LIMIT).then(|| {
            let limit = ZhangSkeel::STIFFNESS_LIMIT;
            let safe = step * (limit / number).sqrt();
            format!(
                "β h² omega is {number:.3}, and {} with penalties tends to blow up above {limit}: take a step below \
                 {safe:.2e}, or {}",
                self.name,
                PushForwardNewmark::NAME
            )
        })
    }

    /// Starts the method on the faces that [`Entry::faces`] chose for it.
    pub(crate) fn start<'s>(
        &self,
        faces: &'s Faces<'s>,
        setup: Setup<'_>,
    ) -> Result<Box<dyn Stepper + 's>, Error> {
        let started = match self.build {
            Build::Natural(build) | Build::Distances(build) | Build::Body(build) => {
                faces.natural().map(|face| build(face, setup))
            }
            Build::Stiff(build) => faces.stiff().map(|face| build(face, setup)),
            Build::Constrained(build) => faces.model.constrained().map(|face| build(face, setup)),
            Build::Variational(build) | Build::Lagrangian(build) => Some(build(faces.lagrangian(), setup)),
            Build::Slow(build) => {
                let constrained = faces.model.constrained().map(SlowFace::Constrained);
                let face = constrained.or_else(|| faces.natural().map(SlowFace::Stiff));
                face.map(|face| build(face, setup))
            }
            Build::PenalizedBody(build) => faces.body.as_ref().map(|face| build(face, setup)),
            Build::Vibrated(build) => {
                let Setup { options, state, step, .. } = setup;
                faces.model.vibrated().map(|face| build(face, multiscale::Setup { options, state, step }))
            }
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

    /// The natural system with its stiff part, which is the penalty where there is one.
    fn stiff(&self) -> Option<&dyn Stiff> {
        match &self.penalized {
            Some(penalized) => Some(penalized),
            None => self.model.stiff(),
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
