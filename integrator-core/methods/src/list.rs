//! The list of all methods, with their starts.

use least_action_core::advanced::wrap::Penalized;
use least_action_core::error::StartError;
use least_action_core::method::{
    Bdf, BlanesMoan, Claims, EnergyStepping, ExplicitConstrained, ImplicitMidpoint, LaBuddeGreenspan,
    McLachlan, Newmark, NewmarkLinearA, NewmarkLinearB, ProjectedRungeKutta, PushForwardNewmark, Rattle,
    Reference, Shake, VariationalEuler, VariationalMidpoint, VariationalTrapezoid, Verlet, ZhangSkeel,
    ZhangSkeelEuler, ZhangSkeelSimplified, ZhangSkeelStiff,
    force_stepping::{ForceStepping, RelativeForceStepping, Steps, Triangulation, Vertex},
    rotation::{RotationCayley, RotationPenalty, RotationPenaltyEuler, RotationVerlet},
    slow_manifold::Oscillating,
};
use least_action_core::system::{Constrained, Natural};

#[cfg(feature = "derivatives")]
use crate::derivative;
use crate::start::{Running, Setup, Started};
use crate::{Claimed, Entry, Forces, Needs, multiscale, slow, start};

/// A method that starts by numbers of its options alone: its own ones in braces, then the way in which
/// it starts on the model that it needs, and the forces that it takes. Other methods give all of it.
macro_rules! entry {
    ($Method:ident { $($option:ident),* }, $way:ident on $Needs:ident, $forces:ident) => {
        Entry {
            name: $Method::NAME,
            claims: Claimed::by::<$Method>(),
            forces: Forces::$forces,
            options: options!($way $($option)*),
            needs: Needs::$Needs,
            start: begun!($Method $($option)*, start::$way, $Needs),
            derivative: None,
        }
    };
    ($Method:ident { $($option:ident),* }, $way:ident on $Needs:ident, $forces:ident, differentiable) => {
        Entry {
            #[cfg(feature = "derivatives")]
            derivative: Some(begun!($Method $($option)*, derivative::$way, $Needs)),
            ..entry!($Method { $($option),* }, $way on $Needs, $forces)
        }
    };
    ($Claims:ty, with $options:expr, on $Needs:ident, $forces:ident, $start:expr) => {
        Entry {
            name: <$Claims as Claims>::NAME,
            claims: Claimed::by::<$Claims>(),
            forces: Forces::$forces,
            options: $options,
            needs: Needs::$Needs,
            start: $start,
            derivative: None,
        }
    };
}

/// The names of the options of a method with these of its own.
macro_rules! options {
    (plain $($own:ident)*) => { &[$(stringify!($own)),*] };
    (composed $($own:ident)*) => { &[$(stringify!($own),)* "order"] };
    (thermostatted $($own:ident)*) => { &[$(stringify!($own),)* "friction", "inverse_temperature"] };
    (symmetric $($own:ident)*) => { &[$(stringify!($own),)* "order", "friction", "inverse_temperature"] };
}

/// Begins a method with its options, in this way, on the face that it needs.
macro_rules! begun {
    ($Method:ident $($option:ident)*, $module:ident::$way:ident, $Needs:ident) => {
        |faces, setup| {
            #[allow(unused_mut, reason = "a method may have no options")]
            let mut method = $Method::default();
            $(method.$option = setup.or(stringify!($option), method.$option);)*
            Some($module::$way(method, face!(faces, $Needs), setup))
        }
    };
}

/// The face for a need.
macro_rules! face {
    ($faces:ident, Stiff) => {
        $faces.stiff()?
    };
    ($faces:ident, Constrained) => {
        $faces.constrained()?
    };
    ($faces:ident, Lagrangian) => {
        $faces.lagrangian()
    };
    ($faces:ident, Accelerations) => {
        $faces.lagrangian()
    };
    ($faces:ident, PenalizedBody) => {
        $faces.body()?
    };
    ($faces:ident, $other:ident) => {
        $faces.natural()?
    };
}

/// Every method of the command line.
pub static METHODS: &[Entry] = &[
    entry!(Verlet {}, symmetric on Natural, Any, differentiable),
    entry!(BlanesMoan {}, plain on Natural, OfPosition, differentiable),
    entry!(McLachlan {}, plain on Natural, OfPosition, differentiable),
    entry!(ZhangSkeel { beta }, symmetric on Natural, OfPosition, differentiable),
    entry!(ZhangSkeelSimplified { beta }, symmetric on Natural, OfPosition, differentiable),
    entry!(ZhangSkeelEuler { beta }, thermostatted on Natural, OfPosition, differentiable),
    entry!(ZhangSkeelStiff { beta }, symmetric on Stiff, OfPosition, differentiable),
    entry!(Newmark { beta, tolerance }, composed on Natural, OfPosition, differentiable),
    entry!(PushForwardNewmark { beta, tolerance }, composed on Natural, OfPosition, differentiable),
    entry!(NewmarkLinearA { beta }, plain on Natural, OfPosition),
    entry!(NewmarkLinearB { beta }, plain on Natural, OfPosition),
    entry!(ImplicitMidpoint { tolerance }, composed on Natural, OfPosition, differentiable),
    entry!(VariationalEuler { tolerance }, plain on Lagrangian, Any, differentiable),
    entry!(VariationalMidpoint { tolerance }, composed on Lagrangian, Any, differentiable),
    entry!(VariationalTrapezoid { tolerance }, composed on Lagrangian, Any, differentiable),
    entry!(ForceStepping, with &["grid", "triangulation", "vertex", "interpolation"], on Autonomous, None, |faces, setup| Some(force_stepping(faces.natural()?, setup))),
    entry!(EnergyStepping, with &["height", "edge"], on Autonomous, None, |faces, setup| {
        let method =
            EnergyStepping { height: setup.options.get("height"), edge: setup.options.get("edge") };
        Some(start::plain(method, faces.natural()?, setup))
    }),
    entry!(LaBuddeGreenspan { tolerance }, composed on Distances, None),
    entry!(RotationVerlet {}, composed on Bodies, None),
    entry!(RotationCayley {}, plain on Body, None),
    Entry {
        options: &["omega", "beta"],
        ..entry!(RotationPenalty { beta }, plain on PenalizedBody, OfPosition)
    },
    Entry {
        options: &["omega", "beta"],
        ..entry!(RotationPenaltyEuler { beta }, plain on PenalizedBody, OfPosition)
    },
    entry!(Shake { tolerance }, thermostatted on Constrained, Any, differentiable),
    entry!(Rattle { tolerance }, symmetric on Constrained, Any, differentiable),
    entry!(ExplicitConstrained, with &["omega", "tolerance", "force_tolerance", "window", "micro_steps"], on Slow, None, |faces, setup| {
        Some(match faces.constrained() {
            Some(system) => projected(system, setup),
            None => projected_stiff(faces.natural()?, setup),
        })
    }),
    entry!(multiscale::AroundSynchronous, with multiscale::OPTIONS, on Vibrated, None, |faces, setup| Some(multiscale::synchronous(faces.vibrated()?, setup))),
    entry!(multiscale::AroundAsynchronous, with multiscale::OPTIONS, on Vibrated, None, |faces, setup| Some(multiscale::asynchronous(faces.vibrated()?, setup))),
    entry!(Bdf, with &["tolerance", "order"], on Accelerations, Any, |faces, setup| {
        let tolerance = setup.or("tolerance", Bdf::default().tolerance);
        let order = setup.or("order", f64::from(Bdf::default().order));
        if order.fract() != 0.0 {
            let (method, option, interval) = (Bdf::NAME, "order", Bdf::ORDERS);
            return Some(Err(StartError::OptionOutOfRange { method, option, value: order, interval }));
        }
        Some(start::plain(Bdf { tolerance, order: order as u32 }, faces.lagrangian(), setup))
    }),
    entry!(Reference { tolerance }, plain on Accelerations, Any),
];

// Each claim of derivatives has its start.
#[cfg(feature = "derivatives")]
const _: () = {
    let mut k = 0;
    while k < METHODS.len() {
        assert!(METHODS[k].derivative.is_some() == METHODS[k].claims.no_derivative().is_none());
        k += 1;
    }
};

/// The method on the slow manifold of a penalty, which acts in place of constraints.
fn projected<'s>(system: &'s (dyn Constrained + 's), setup: Setup<'_>) -> Started<'s> {
    let default = ExplicitConstrained::default();
    let omega = setup.or("omega", default.omega);
    let penalized = Penalized::new(system, omega)?;
    let manifold = slow::manifold(setup.options, default.method.manifold, &penalized, &setup.state)?;
    let method = ProjectedRungeKutta { manifold };
    start::plain(ExplicitConstrained { method, omega }, system, setup)
}

/// The method on the slow manifold of a stiff part.
fn projected_stiff<'s>(system: &'s (dyn Natural + 's), setup: Setup<'_>) -> Started<'s> {
    let default = ExplicitConstrained::default();
    let system = Box::new(Oscillating::new(system, setup.or("omega", default.omega))?);
    let manifold = slow::manifold(setup.options, default.method.manifold, &*system, &setup.state)?;
    let method = ProjectedRungeKutta { manifold };
    Ok(Running::quiet(method.start_on(system, setup.state, setup.step)?))
}

/// Force-stepping on its grid, or in relative vectors.
fn force_stepping<'s>(system: &'s (dyn Natural + 's), setup: Setup<'_>) -> Started<'s> {
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
    start::plain(ForceStepping { grid, triangulation, vertex, walls: None }, system, setup)
}

/// Starts force-stepping in relative vectors, which has one grid step and one grid.
fn relative<'s>(grid: &Steps, system: &'s (dyn Natural + 's), setup: Setup<'_>) -> Started<'s> {
    let method = RelativeForceStepping::NAME;
    let excluded = |option| StartError::OptionExcluded { method, option, by: "interpolation=relative" };
    if let Some(option) =
        ["triangulation", "vertex"].into_iter().find(|name| setup.options.word(name).is_some())
    {
        return Err(excluded(option));
    }
    match grid {
        Steps::Equal(grid) => start::plain(RelativeForceStepping { grid: *grid }, system, setup),
        Steps::Each(_) => Err(excluded("a list of steps in grid")),
    }
}
