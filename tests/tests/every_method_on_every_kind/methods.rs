//! Every method of the command, and how its claims are measured on a kind.

use super::claims::{
    Case, Found, accurate, measure, measure_adaptive, measure_derivative, measure_resolved, measure_slow,
    measure_symmetric,
};
use super::kinds::{Feature, Kind};
use super::models::{self, Faces, start};
use least_action::advanced::system::Vibrated;
use least_action::advanced::wrap::Penalized;
use least_action::emitted::v1::ConstrainedVibrated;
use least_action::error::StartError;
use least_action::method::force_stepping::ForceStepping;
use least_action::method::multiscale::{Asynchronous, Cubic, Estimator, FilterFor, Hmm, Synchronous};
use least_action::method::rotation::PenalizedRotation;
use least_action::method::slow_manifold::Oscillating;
use least_action::method::{
    Bdf, BlanesMoan, Differentiable, EnergyStepping, ExplicitConstrained, ImplicitMidpoint, LaBuddeGreenspan,
    McLachlan, Method, Newmark, NewmarkLinearA, NewmarkLinearB, ProjectedRungeKutta, PushForwardNewmark,
    Rattle, Reference, RotationCayley, RotationPenalty, RotationPenaltyEuler, RotationVerlet, Shake,
    SlowManifold, Symmetric, VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet, ZhangSkeel,
    ZhangSkeelEuler, ZhangSkeelSimplified, ZhangSkeelStiff,
};
use least_action::system::{Constrained, Lagrangian, Natural, State, Stiff};

/// A method on a kind.
pub(crate) enum Cell {
    /// The types do not fit: rustc refuses.
    Untyped,
    /// The types fit, but the model has no mark of the method's purpose.
    Unsuited,
    /// The start refuses.
    Refused(StartError),
    Ran(Found),
}

impl From<Result<Found, StartError>> for Cell {
    fn from(result: Result<Found, StartError>) -> Self {
        result.map_or_else(Self::Refused, Self::Ran)
    }
}

/// The stiffness ω of the penalty that replaces constraints.
const OMEGA: f64 = 3.0;
/// The frequency of a stiff part beside a slow rest, and of a fast phase.
const STIFF: f64 = 1e4;
const FAST: f64 = 1e7;

/// A kind with a bound model, and with a penalty where that replaces constraints.
pub(crate) struct Subject<'m> {
    kind: &'m Kind,
    faces: &'m dyn Faces,
    penalized: Option<Penalized<'m, dyn Constrained + 'm>>,
    start: State,
    truth: State,
    /// The state at the end with the penalty.
    penalized_truth: State,
    /// A model with a very stiff part, and the state at the end of one with a rod instead.
    stiff: Option<Limit>,
    /// A model with a very fast phase, and the state at the end of one without it.
    vibrated: Option<Limit>,
}

/// A model with a much faster motion, and the state at the end in the limit without that motion.
struct Limit {
    faces: Box<dyn Faces>,
    truth: State,
}

impl<'m> Subject<'m> {
    pub(crate) fn new(number: usize, kind: &'m Kind, faces: &'m dyn Faces) -> Self {
        let penalized = faces.constrained().map(|system| Penalized::new(system, OMEGA).expect("a stiffness"));
        let start = start();
        let truth = accurate(faces.lagrangian(), &start);
        let penalized_truth = penalized.as_ref().map_or_else(|| truth.clone(), |one| accurate(one, &start));
        let limit = |without: usize, faces| {
            let truth = accurate(models::bound(without, None, None).lagrangian(), &start);
            Limit { faces, truth }
        };
        let natural = faces.natural().is_some() && faces.lagrangian().forced().is_none();
        let stiff = (natural && kind.has(Feature::Stiff) && !kind.has(Feature::Holonomic))
            .then(|| kind.with(Feature::Stiff, Some(Feature::Holonomic)))
            .flatten()
            .map(|rigid| limit(rigid, models::bound(number, Some(0.5 * STIFF * STIFF), None)));
        let vibrated = (natural && kind.has(Feature::Phase))
            .then(|| kind.with(Feature::Phase, None))
            .flatten()
            .map(|still| limit(still, models::bound(number, None, Some(FAST))));
        Self { kind, faces, penalized, start, truth, penalized_truth, stiff, vibrated }
    }

    fn case(&self, penalized: bool) -> Case<'_> {
        let (mechanics, truth): (&dyn Lagrangian, _) = match &self.penalized {
            Some(system) if penalized => (system, &self.penalized_truth),
            _ => (self.faces.lagrangian(), &self.truth),
        };
        Case { kind: self.kind, mechanics, start: &self.start, truth, penalized }
    }

    /// A measurement on the natural system, with a penalty where there are constraints.
    fn natural(&self, measure: impl FnOnce(&Case<'_>, &dyn Natural) -> Result<Found, StartError>) -> Cell {
        match (&self.penalized, self.faces.natural()) {
            (Some(penalized), _) => measure(&self.case(true), penalized).into(),
            (None, Some(system)) => measure(&self.case(false), system).into(),
            (None, None) => Cell::Untyped,
        }
    }

    fn lagrangian(
        &self,
        measure: impl FnOnce(&Case<'_>, &dyn Lagrangian) -> Result<Found, StartError>,
    ) -> Cell {
        measure(&self.case(false), self.faces.lagrangian()).into()
    }

    fn constrained(
        &self,
        measure: impl FnOnce(&Case<'_>, &dyn Constrained) -> Result<Found, StartError>,
    ) -> Cell {
        self.faces.constrained().map_or(Cell::Untyped, |system| measure(&self.case(false), system).into())
    }
}

/// A method: its name in the command, the type that rustc judges, and its measurement.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The names in `integrator-core/tests/ui/engines.txt`: it fits where one of them does.
    pub(crate) engines: &'static [&'static str],
    pub(crate) cell: Box<dyn Fn(&Subject<'_>) -> Cell>,
}

const SECOND: [u64; 3] = [80, 160, 320];
const FIRST: [u64; 3] = [200, 400, 800];
/// Below these the error of the slow manifold itself is left.
const FOURTH: [u64; 3] = [2, 4, 8];

fn row(
    name: &'static str,
    engines: &'static [&'static str],
    cell: impl Fn(&Subject<'_>) -> Cell + 'static,
) -> Row {
    Row { name, engines, cell: Box::new(cell) }
}

/// A symmetric method of natural systems.
fn natural<M>(name: &'static str, engines: &'static [&'static str], method: M) -> Row
where
    M: for<'s> Symmetric<dyn Natural + 's> + for<'s> Differentiable<dyn Natural + 's>,
{
    row(name, engines, move |subject| {
        subject.natural(|case, system| {
            let mut found = measure_symmetric(case, system, &method, SECOND)?;
            measure_derivative(case, system, &method, &mut found);
            Ok(found)
        })
    })
}

/// A method of natural systems that is not symmetric, or has no steps backwards.
fn one_way<M>(name: &'static str, engines: &'static [&'static str], method: M, steps: [u64; 3]) -> Row
where
    M: for<'s> Method<dyn Natural + 's> + 'static,
{
    row(name, engines, move |subject| subject.natural(|case, system| measure(case, system, &method, steps)))
}

/// A symmetric method of any Lagrangian.
fn general<M>(name: &'static str, engines: &'static [&'static str], method: M) -> Row
where
    M: for<'s> Symmetric<dyn Lagrangian + 's> + for<'s> Differentiable<dyn Lagrangian + 's>,
{
    row(name, engines, move |subject| {
        subject.lagrangian(|case, system| {
            let mut found = measure_symmetric(case, system, &method, SECOND)?;
            measure_derivative(case, system, &method, &mut found);
            Ok(found)
        })
    })
}

/// A method whose error falls with the resolution of its terraces or grid, at least with the root of it.
fn resolved<M>(
    name: &'static str,
    engines: &'static [&'static str],
    of: impl Fn(f64) -> M + Copy + 'static,
) -> Row
where
    M: for<'s> Method<dyn Natural + 's> + 'static,
{
    row(name, engines, move |subject| {
        subject.natural(|case, system| measure_resolved(case, system, of, [1.0 / 1024.0, 1.0 / 65536.0]))
    })
}

/// A method for systems without constraints.
fn unconstrained<M>(name: &'static str, engines: &'static [&'static str], method: M) -> Row
where
    M: for<'s> Method<dyn Natural + 's> + 'static,
{
    row(name, engines, move |subject| {
        let measured = |system| measure(&subject.case(false), system, &method, SECOND);
        subject.faces.natural().map_or(Cell::Untyped, |system| measured(system).into())
    })
}

/// A method of the mean motion under a fast phase.
fn vibrated<E: Estimator + Copy + 'static>(
    name: &'static str,
    engines: &'static [&'static str],
    estimator: E,
) -> Row
where
    Cubic: for<'s> FilterFor<E, dyn Vibrated + 's> + for<'s> FilterFor<E, dyn ConstrainedVibrated + 's>,
{
    row(name, engines, move |subject| {
        let Some(Limit { faces, truth }) = &subject.vibrated else {
            // Without a phase, or with features that the types refuse.
            return match subject.faces.vibrated() {
                Some(system) => {
                    let method = Hmm::new(Verlet, estimator, Cubic::default());
                    measure_slow(&subject.case(false), system, &method, SECOND).into()
                }
                None => Cell::Untyped,
            };
        };
        let case = Case { truth, ..subject.case(false) };
        match (faces.constrained_vibrated(), faces.vibrated()) {
            (Some(system), _) => {
                let method = Hmm::new(Rattle::default(), estimator, Cubic::default());
                measure_slow(&case, system, &method, SECOND).into()
            }
            (None, Some(system)) => {
                let method = Hmm::new(Verlet, estimator, Cubic::default());
                measure_slow(&case, system, &method, SECOND).into()
            }
            (None, None) => Cell::Untyped,
        }
    })
}

/// The projected Runge–Kutta method, on the slow manifold of a stiff part or of a penalty.
fn projected(name: &'static str, engines: &'static [&'static str]) -> Row {
    let manifold = SlowManifold { micro_steps: 24, force_tolerance: 1e-4, ..SlowManifold::default() };
    let method = ProjectedRungeKutta { manifold };
    row(name, engines, move |subject| {
        if let Some(system) = subject.faces.constrained() {
            let method = ExplicitConstrained { method, omega: STIFF };
            return measure_slow(&subject.case(false), system, &method, FOURTH).into();
        }
        let Some(Limit { faces, truth }) = &subject.stiff else { return Cell::Unsuited };
        let Some(system) = faces.natural() else { return Cell::Untyped };
        let case = Case { truth, ..subject.case(false) };
        Oscillating::new(system, STIFF)
            .and_then(|system| measure_slow(&case, &system, &method, FOURTH))
            .into()
    })
}

/// Every method of the command.
pub(crate) fn table() -> Vec<Row> {
    vec![
        natural("verlet", &["Verlet"], Verlet),
        natural("zhang-skeel", &["ZhangSkeel"], ZhangSkeel::default()),
        natural("zhang-skeel-simplified", &["ZhangSkeelSimplified"], ZhangSkeelSimplified::default()),
        one_way("blanes-moan", &["BlanesMoan"], BlanesMoan, [20, 40, 80]),
        one_way("mclachlan", &["McLachlan"], McLachlan, [20, 40, 80]),
        one_way("zhang-skeel-euler", &["ZhangSkeelEuler"], ZhangSkeelEuler::default(), FIRST),
        row("zhang-skeel-stiff", &["ZhangSkeelStiff", "ZhangSkeelStiff, with a penalty"], |subject| {
            let method = ZhangSkeelStiff::default();
            let measured = |case: &Case<'_>, system: &dyn Stiff| {
                let mut found = measure_symmetric(case, system, &method, SECOND)?;
                measure_derivative(case, system, &method, &mut found);
                Ok(found)
            };
            match (&subject.penalized, subject.faces.stiff()) {
                (Some(system), _) => measured(&subject.case(true), system).into(),
                (None, Some(system)) => measured(&subject.case(false), system).into(),
                (None, None) => Cell::Untyped,
            }
        }),
        natural("newmark", &["Newmark"], Newmark::default()),
        natural("newmark-pushforward", &["PushForwardNewmark"], PushForwardNewmark::default()),
        one_way("newmark-linear-a", &["NewmarkLinearA"], NewmarkLinearA::default(), SECOND),
        one_way("newmark-linear-b", &["NewmarkLinearB"], NewmarkLinearB::default(), SECOND),
        natural("implicit-midpoint", &["ImplicitMidpoint"], ImplicitMidpoint::default()),
        row("variational-euler", &["VariationalEuler"], |subject| {
            subject.lagrangian(|case, system| {
                let method = VariationalEuler::default();
                let mut found = measure(case, system, &method, FIRST)?;
                measure_derivative(case, system, &method, &mut found);
                Ok(found)
            })
        }),
        general("variational-midpoint", &["VariationalMidpoint"], VariationalMidpoint::default()),
        general("variational-trapezoid", &["VariationalTrapezoid"], VariationalTrapezoid::default()),
        resolved("force-stepping", &["ForceStepping"], ForceStepping::with_grid),
        resolved("energy-stepping", &["EnergyStepping"], |height| EnergyStepping {
            height: Some(height),
            edge: None,
        }),
        unconstrained("labudde-greenspan", &["LaBuddeGreenspan"], LaBuddeGreenspan::default()),
        unconstrained("so3-verlet", &["RotationVerlet"], RotationVerlet),
        unconstrained("so3-cayley", &["RotationCayley"], RotationCayley),
        turned("so3-penalty", &["RotationPenalty"], RotationPenalty::default()),
        turned("so3-penalty-euler", &["RotationPenaltyEuler"], RotationPenaltyEuler::default()),
        row("shake", &["Shake"], |subject| {
            subject.constrained(|case, system| {
                let mut found = measure(case, system, &Shake::default(), SECOND)?;
                measure_derivative(case, system, &Shake::default(), &mut found);
                Ok(found)
            })
        }),
        row("rattle", &["Rattle"], |subject| {
            subject.constrained(|case, system| {
                let mut found = measure_symmetric(case, system, &Rattle::default(), SECOND)?;
                measure_derivative(case, system, &Rattle::default(), &mut found);
                Ok(found)
            })
        }),
        projected("projected-rk4", &["ExplicitConstrained", "ProjectedRungeKutta, with a frequency"]),
        vibrated(
            "hmm-synchronous",
            &["Hmm<Verlet, Synchronous, Cubic>", "Hmm<Rattle, Synchronous, Cubic>"],
            Synchronous::default(),
        ),
        vibrated(
            "hmm-asynchronous",
            &["Hmm<Verlet, Asynchronous, Cubic>", "Hmm<Rattle, Asynchronous, BoxFilter>"],
            Asynchronous,
        ),
        row("bdf", &["Bdf"], |subject| {
            subject.lagrangian(|case, system| {
                measure_adaptive(case, system, |tolerance| Bdf { tolerance, ..Bdf::default() })
            })
        }),
        row("reference", &["Reference"], |subject| {
            subject.lagrangian(|case, system| {
                measure_adaptive(case, system, |tolerance| Reference { tolerance })
            })
        }),
    ]
}

/// A method with a penalty for rotation matrices, which no kind here has.
fn turned<M>(name: &'static str, engines: &'static [&'static str], method: M) -> Row
where
    M: for<'s> Method<PenalizedRotation<'s, dyn Natural + 's>> + 'static,
{
    row(name, engines, move |subject| {
        let Some(system) = subject.faces.natural() else { return Cell::Untyped };
        PenalizedRotation::new(system, OMEGA)
            .and_then(|system| measure(&subject.case(false), &system, &method, SECOND))
            .into()
    })
}
