//! The list of all methods, with their starts.

use least_action_core::advanced::wrap::Penalized;
use least_action_core::error::StartError;
use least_action_core::method::{
    Bdf, Claims, EnergyStepping, ExplicitConstrained, ImplicitMidpoint, LaBuddeGreenspan, Newmark,
    NewmarkLinearA, NewmarkLinearB, ProjectedRungeKutta, PushForwardNewmark, Rattle, Reference, Shake,
    VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet, ZhangSkeel, ZhangSkeelEuler,
    ZhangSkeelSimplified, ZhangSkeelStiff,
    force_stepping::{ForceStepping, RelativeForceStepping, Steps, Triangulation, Vertex},
    multiscale::{Asynchronous, Estimator, Synchronous},
    rotation::{RotationCayley, RotationPenalty, RotationPenaltyEuler, RotationVerlet},
    slow_manifold::Oscillating,
};
use least_action_core::system::Unforced;

use crate::derivative::{self, Derivative};
use crate::start::{Running, Setup, Started, composed, start, symmetric, thermostatted};
use crate::{Build, Claimed, Entry, Forces, SlowFace, multiscale, slow};

/// Every method of the command line.
pub static METHODS: &[Entry] = &[
    Entry {
        name: Verlet::NAME,
        claims: Claimed::by::<Verlet>(),
        forces: Forces::Any,
        options: &["order", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| symmetric(Verlet, system, setup)),
        derivative: Some(Derivative::Natural(|system, setup| derivative::symmetric(Verlet, system, setup))),
    },
    Entry {
        name: ZhangSkeel::NAME,
        claims: Claimed::by::<ZhangSkeel>(),
        forces: Forces::OfPosition,
        options: &["beta", "order", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| symmetric(zhang_skeel(&setup), system, setup)),
        derivative: Some(Derivative::Natural(|system, setup| {
            derivative::symmetric(zhang_skeel(&setup), system, setup)
        })),
    },
    Entry {
        name: ZhangSkeelSimplified::NAME,
        claims: Claimed::by::<ZhangSkeelSimplified>(),
        forces: Forces::OfPosition,
        options: &["beta", "order", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| symmetric(zhang_skeel_simplified(&setup), system, setup)),
        derivative: Some(Derivative::Natural(|system, setup| {
            derivative::symmetric(zhang_skeel_simplified(&setup), system, setup)
        })),
    },
    Entry {
        name: ZhangSkeelEuler::NAME,
        claims: Claimed::by::<ZhangSkeelEuler>(),
        forces: Forces::OfPosition,
        options: &["beta", "friction", "inverse_temperature"],
        build: Build::Natural(|system, setup| thermostatted(zhang_skeel_euler(&setup), system, setup)),
        derivative: Some(Derivative::Natural(|system, setup| {
            derivative::thermostatted(zhang_skeel_euler(&setup), system, setup)
        })),
    },
    Entry {
        name: ZhangSkeelStiff::NAME,
        claims: Claimed::by::<ZhangSkeelStiff>(),
        forces: Forces::OfPosition,
        options: &["beta", "order", "friction", "inverse_temperature"],
        build: Build::Stiff(|system, setup| symmetric(zhang_skeel_stiff(&setup), system, setup)),
        derivative: Some(Derivative::Stiff(|system, setup| {
            derivative::symmetric(zhang_skeel_stiff(&setup), system, setup)
        })),
    },
    Entry {
        name: Newmark::NAME,
        claims: Claimed::by::<Newmark>(),
        forces: Forces::OfPosition,
        options: &["beta", "tolerance", "order"],
        build: Build::Natural(|system, setup| composed(newmark(&setup), system, setup)),
        derivative: Some(Derivative::Natural(|system, setup| {
            derivative::composed(newmark(&setup), system, setup)
        })),
    },
    Entry {
        name: PushForwardNewmark::NAME,
        claims: Claimed::by::<PushForwardNewmark>(),
        forces: Forces::OfPosition,
        options: &["beta", "tolerance", "order"],
        build: Build::Natural(|system, setup| composed(push_forward_newmark(&setup), system, setup)),
        derivative: Some(Derivative::Natural(|system, setup| {
            derivative::composed(push_forward_newmark(&setup), system, setup)
        })),
    },
    Entry {
        name: NewmarkLinearA::NAME,
        claims: Claimed::by::<NewmarkLinearA>(),
        forces: Forces::OfPosition,
        options: &["beta"],
        build: Build::Natural(|system, setup| {
            let method = NewmarkLinearA { beta: setup.or("beta", NewmarkLinearA::default().beta) };
            start(&method, system, setup)
        }),
        derivative: None,
    },
    Entry {
        name: NewmarkLinearB::NAME,
        claims: Claimed::by::<NewmarkLinearB>(),
        forces: Forces::OfPosition,
        options: &["beta"],
        build: Build::Natural(|system, setup| {
            let method = NewmarkLinearB { beta: setup.or("beta", NewmarkLinearB::default().beta) };
            start(&method, system, setup)
        }),
        derivative: None,
    },
    Entry {
        name: ImplicitMidpoint::NAME,
        claims: Claimed::by::<ImplicitMidpoint>(),
        forces: Forces::OfPosition,
        options: &["tolerance", "order"],
        build: Build::Natural(|system, setup| composed(implicit_midpoint(&setup), system, setup)),
        derivative: Some(Derivative::Natural(|system, setup| {
            derivative::composed(implicit_midpoint(&setup), system, setup)
        })),
    },
    Entry {
        name: VariationalEuler::NAME,
        claims: Claimed::by::<VariationalEuler>(),
        forces: Forces::Any,
        options: &["tolerance"],
        build: Build::Lagrangian(|system, setup| start(&variational_euler(&setup), system, setup)),
        derivative: Some(Derivative::Lagrangian(|system, setup| {
            derivative::plain(&variational_euler(&setup), system, setup)
        })),
    },
    Entry {
        name: VariationalMidpoint::NAME,
        claims: Claimed::by::<VariationalMidpoint>(),
        forces: Forces::Any,
        options: &["tolerance", "order"],
        build: Build::Lagrangian(|system, setup| composed(variational_midpoint(&setup), system, setup)),
        derivative: Some(Derivative::Lagrangian(|system, setup| {
            derivative::composed(variational_midpoint(&setup), system, setup)
        })),
    },
    Entry {
        name: VariationalTrapezoid::NAME,
        claims: Claimed::by::<VariationalTrapezoid>(),
        forces: Forces::Any,
        options: &["tolerance", "order"],
        build: Build::Lagrangian(|system, setup| composed(variational_trapezoid(&setup), system, setup)),
        derivative: Some(Derivative::Lagrangian(|system, setup| {
            derivative::composed(variational_trapezoid(&setup), system, setup)
        })),
    },
    Entry {
        name: ForceStepping::NAME,
        claims: Claimed::by::<ForceStepping>(),
        forces: Forces::None,
        options: &["grid", "triangulation", "vertex", "interpolation"],
        build: Build::Autonomous(|system, setup| {
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
            start(&method, system, setup)
        }),
        derivative: None,
    },
    Entry {
        name: EnergyStepping::NAME,
        claims: Claimed::by::<EnergyStepping>(),
        forces: Forces::None,
        options: &["height", "edge"],
        build: Build::Autonomous(|system, setup| {
            let method =
                EnergyStepping { height: setup.options.get("height"), edge: setup.options.get("edge") };
            start(&method, system, setup)
        }),
        derivative: None,
    },
    Entry {
        name: LaBuddeGreenspan::NAME,
        claims: Claimed::by::<LaBuddeGreenspan>(),
        forces: Forces::None,
        options: &["tolerance", "order"],
        build: Build::Distances(|system, setup| {
            let mut method = LaBuddeGreenspan::default();
            method.tolerance = setup.or("tolerance", method.tolerance);
            composed(method, system, setup)
        }),
        derivative: None,
    },
    Entry {
        name: RotationVerlet::NAME,
        claims: Claimed::by::<RotationVerlet>(),
        forces: Forces::None,
        options: &["order"],
        build: Build::Bodies(|system, setup| composed(RotationVerlet, system, setup)),
        derivative: None,
    },
    Entry {
        name: RotationCayley::NAME,
        claims: Claimed::by::<RotationCayley>(),
        forces: Forces::None,
        options: &[],
        build: Build::Body(|system, setup| start(&RotationCayley, system, setup)),
        derivative: None,
    },
    Entry {
        name: RotationPenalty::NAME,
        claims: Claimed::by::<RotationPenalty>(),
        forces: Forces::OfPosition,
        options: &["omega", "beta"],
        build: Build::PenalizedBody(|system, setup| {
            let method = RotationPenalty { beta: setup.or("beta", RotationPenalty::default().beta) };
            start(&method, system, setup)
        }),
        derivative: None,
    },
    Entry {
        name: RotationPenaltyEuler::NAME,
        claims: Claimed::by::<RotationPenaltyEuler>(),
        forces: Forces::OfPosition,
        options: &["omega", "beta"],
        build: Build::PenalizedBody(|system, setup| {
            let method =
                RotationPenaltyEuler { beta: setup.or("beta", RotationPenaltyEuler::default().beta) };
            start(&method, system, setup)
        }),
        derivative: None,
    },
    Entry {
        name: Shake::NAME,
        claims: Claimed::by::<Shake>(),
        forces: Forces::Any,
        options: &["tolerance", "friction", "inverse_temperature"],
        build: Build::Constrained(|system, setup| thermostatted(shake(&setup), system, setup)),
        derivative: Some(Derivative::Constrained(|system, setup| {
            derivative::thermostatted(shake(&setup), system, setup)
        })),
    },
    Entry {
        name: Rattle::NAME,
        claims: Claimed::by::<Rattle>(),
        forces: Forces::Any,
        options: &["tolerance", "order", "friction", "inverse_temperature"],
        build: Build::Constrained(|system, setup| symmetric(rattle(&setup), system, setup)),
        derivative: Some(Derivative::Constrained(|system, setup| {
            derivative::symmetric(rattle(&setup), system, setup)
        })),
    },
    Entry {
        name: ExplicitConstrained::NAME,
        claims: Claimed::by::<ExplicitConstrained>(),
        forces: Forces::None,
        options: &["omega", "tolerance", "force_tolerance", "window", "micro_steps"],
        build: Build::Slow(|system, setup| {
            let default = ExplicitConstrained::default();
            let omega = setup.or("omega", default.omega);
            let manifold = default.method.manifold;
            Ok(match system {
                SlowFace::Constrained(system) => {
                    let penalized = Penalized::new(system, omega)?;
                    let manifold = slow::manifold(setup.options, manifold, &penalized, &setup.state)?;
                    let method = ProjectedRungeKutta { manifold };
                    start(&ExplicitConstrained { method, omega }, system, setup)?
                }
                SlowFace::Stiff(system) => {
                    let system = Box::new(Oscillating::new(system, omega)?);
                    let manifold = slow::manifold(setup.options, manifold, &*system, &setup.state)?;
                    let method = ProjectedRungeKutta { manifold };
                    Running::quiet(method.start_on(system, setup.state, setup.step)?)
                }
            })
        }),
        derivative: None,
    },
    Entry {
        name: Synchronous::NAME,
        claims: Claimed::by::<multiscale::AroundSynchronous>(),
        forces: Forces::None,
        options: multiscale::OPTIONS,
        build: Build::Vibrated(multiscale::synchronous),
        derivative: None,
    },
    Entry {
        name: <Asynchronous as Estimator>::NAME,
        claims: Claimed::by::<multiscale::AroundAsynchronous>(),
        forces: Forces::None,
        options: multiscale::OPTIONS,
        build: Build::Vibrated(multiscale::asynchronous),
        derivative: None,
    },
    Entry {
        name: Bdf::NAME,
        claims: Claimed::by::<Bdf>(),
        forces: Forces::Any,
        options: &["tolerance", "order"],
        build: Build::Accelerations(|system, setup| {
            let tolerance = setup.or("tolerance", Bdf::default().tolerance);
            let order = setup.or("order", f64::from(Bdf::default().order));
            if order.fract() != 0.0 {
                let (method, option, interval) = (Bdf::NAME, "order", Bdf::ORDERS);
                return Err(StartError::OptionOutOfRange { method, option, value: order, interval });
            }
            start(&Bdf { tolerance, order: order as u32 }, system, setup)
        }),
        derivative: None,
    },
    Entry {
        name: Reference::NAME,
        claims: Claimed::by::<Reference>(),
        forces: Forces::Any,
        options: &["tolerance"],
        build: Build::Accelerations(|system, setup| {
            let tolerance = setup.or("tolerance", Reference::default().tolerance);
            start(&Reference { tolerance }, system, setup)
        }),
        derivative: None,
    },
];

// Each claim of derivatives has its start.
const _: () = {
    let mut k = 0;
    while k < METHODS.len() {
        assert!(METHODS[k].derivative.is_some() == METHODS[k].claims.no_derivative().is_none());
        k += 1;
    }
};

/// The method with its options.
fn zhang_skeel(setup: &Setup<'_>) -> ZhangSkeel {
    ZhangSkeel { beta: setup.or("beta", ZhangSkeel::default().beta) }
}

/// The method with its options.
fn zhang_skeel_euler(setup: &Setup<'_>) -> ZhangSkeelEuler {
    ZhangSkeelEuler { beta: setup.or("beta", ZhangSkeelEuler::default().beta) }
}

/// The method with its options.
fn zhang_skeel_stiff(setup: &Setup<'_>) -> ZhangSkeelStiff {
    ZhangSkeelStiff { beta: setup.or("beta", ZhangSkeelStiff::default().beta) }
}

/// The method with its options.
fn zhang_skeel_simplified(setup: &Setup<'_>) -> ZhangSkeelSimplified {
    ZhangSkeelSimplified { beta: setup.or("beta", ZhangSkeelSimplified::default().beta) }
}

/// The method with its options.
fn newmark(setup: &Setup<'_>) -> Newmark {
    let mut method = Newmark::default();
    method.beta = setup.or("beta", method.beta);
    method.tolerance = setup.or("tolerance", method.tolerance);
    method
}

/// The method with its options.
fn push_forward_newmark(setup: &Setup<'_>) -> PushForwardNewmark {
    let mut method = PushForwardNewmark::default();
    method.beta = setup.or("beta", method.beta);
    method.tolerance = setup.or("tolerance", method.tolerance);
    method
}

/// The method with its options.
fn implicit_midpoint(setup: &Setup<'_>) -> ImplicitMidpoint {
    let mut method = ImplicitMidpoint::default();
    method.tolerance = setup.or("tolerance", method.tolerance);
    method
}

/// The method with its options.
fn variational_euler(setup: &Setup<'_>) -> VariationalEuler {
    let mut method = VariationalEuler::default();
    method.tolerance = setup.or("tolerance", method.tolerance);
    method
}

/// The method with its options.
fn variational_midpoint(setup: &Setup<'_>) -> VariationalMidpoint {
    let mut method = VariationalMidpoint::default();
    method.tolerance = setup.or("tolerance", method.tolerance);
    method
}

/// The method with its options.
fn variational_trapezoid(setup: &Setup<'_>) -> VariationalTrapezoid {
    let mut method = VariationalTrapezoid::default();
    method.tolerance = setup.or("tolerance", method.tolerance);
    method
}

/// The method with its options.
fn shake(setup: &Setup<'_>) -> Shake {
    let mut method = Shake::default();
    method.tolerance = setup.or("tolerance", method.tolerance);
    method
}

/// The method with its options.
fn rattle(setup: &Setup<'_>) -> Rattle {
    let mut method = Rattle::default();
    method.tolerance = setup.or("tolerance", method.tolerance);
    method
}

/// Starts force-stepping in relative vectors, which has one grid step and one grid.
fn relative<'s, S: Unforced + ?Sized>(grid: &Steps, system: &'s S, setup: Setup<'_>) -> Started<'s> {
    let method = RelativeForceStepping::NAME;
    let excluded = |option| StartError::OptionExcluded { method, option, by: "interpolation=relative" };
    if let Some(option) =
        ["triangulation", "vertex"].into_iter().find(|name| setup.options.word(name).is_some())
    {
        return Err(excluded(option));
    }
    match grid {
        Steps::Equal(grid) => start(&RelativeForceStepping { grid: *grid }, system, setup),
        Steps::Each(_) => Err(excluded("a list of steps in grid")),
    }
}
