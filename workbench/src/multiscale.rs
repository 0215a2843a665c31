//! The multiscale methods from the options of the command line: which macro-solver, which filter, how many micro-steps.

use integrator_core::error::StartError;
use integrator_core::method::multiscale::{
    Asynchronous, BoxFilter, Cubic, Estimator, EstimatorClaims, Exponential, Filter, FilterFor, Hmm,
    LeapFrog, MicroSteps, Synchronous,
};
use integrator_core::method::{Method, Rattle, Shake, Stepper, Symmetric, Verlet};
use integrator_core::system::{ConstrainedEven, ConstrainedVibrated, EvenInPhase, State, Vibrated};

use crate::options::Options;

/// The options of both methods.
pub(crate) const OPTIONS: &[&str] =
    &["filter", "window", "micro_steps_per_period", "slow_time", "macro_solver", "tolerance", "order"];

/// A vibrated model by its faces: with constraints or without, and that of an even force where it has one.
#[derive(Clone, Copy)]
pub(crate) enum VibratedFace<'s> {
    Free(&'s (dyn Vibrated + 's), Option<&'s (dyn EvenInPhase + 's)>),
    Constrained(&'s (dyn ConstrainedVibrated + 's), Option<&'s (dyn ConstrainedEven + 's)>),
}

type Started<'s> = Result<Box<dyn Stepper + 's>, StartError>;

/// With what a multiscale method is started.
pub(crate) struct Setup<'o> {
    pub(crate) options: &'o Options,
    pub(crate) state: State,
    pub(crate) step: f64,
}

/// Starts `hmm-asynchronous`; without the option `filter`, with a box where the force is even in the phase.
pub(crate) fn asynchronous<'s>(face: VibratedFace<'s>, setup: Setup<'_>) -> Started<'s> {
    let word = setup.options.word("filter");
    let order = setup.options.get("order").unwrap_or(2.0);
    match face {
        VibratedFace::Free(_, Some(even)) if matches!(word, None | Some("box")) => {
            free(even, Asynchronous, boxed(&setup), setup, |method, even, setup| {
                composed(method, even, setup, order)
            })
        }
        VibratedFace::Constrained(_, Some(even)) if matches!(word, None | Some("box")) => {
            constrained(even, Asynchronous, boxed(&setup), setup, |method, even, setup| {
                composed(method, even, setup, order)
            })
        }
        VibratedFace::Free(system, _) => match word {
            Some("box") => Err(not_even(system.name())),
            Some("cubic") => free(system, Asynchronous, cubic(&setup), setup, |method, system, setup| {
                composed(method, system, setup, order)
            }),
            _ => free(system, Asynchronous, exponential(&setup), setup, |method, system, setup| {
                composed(method, system, setup, order)
            }),
        },
        VibratedFace::Constrained(system, _) => match word {
            Some("box") => Err(not_even(system.name())),
            Some("cubic") => {
                constrained(system, Asynchronous, cubic(&setup), setup, |method, system, setup| {
                    composed(method, system, setup, order)
                })
            }
            _ => constrained(system, Asynchronous, exponential(&setup), setup, |method, system, setup| {
                composed(method, system, setup, order)
            }),
        },
    }
}

/// Starts `hmm-synchronous` with the ripple of the velocity that the force gives; without the option `filter`, with the exponential one.
pub(crate) fn synchronous<'s>(face: VibratedFace<'s>, setup: Setup<'_>) -> Started<'s> {
    let estimator = <Synchronous>::default();
    let word = setup.options.word("filter").unwrap_or(<Exponential as Filter>::NAME);
    if let Some(order) = setup.options.get("order").filter(|order| (*order - 2.0).abs() > 0.0) {
        // A map that is not reversible is not raised by composition.
        let (method, option, interval) = (<Synchronous as EstimatorClaims>::NAME, "order", "{2}");
        return Err(StartError::OptionOutOfRange { method, option, value: order, interval });
    }
    match (face, word) {
        (VibratedFace::Free(system, _), "box") => Err(not_even_about_its_window(system.name())),
        (VibratedFace::Constrained(system, _), "box") => Err(not_even_about_its_window(system.name())),
        (VibratedFace::Free(system, _), "cubic") => free(system, estimator, cubic(&setup), setup, plain),
        (VibratedFace::Free(system, _), _) => free(system, estimator, exponential(&setup), setup, plain),
        (VibratedFace::Constrained(system, _), "cubic") => {
            constrained(system, estimator, cubic(&setup), setup, plain)
        }
        (VibratedFace::Constrained(system, _), _) => {
            constrained(system, estimator, exponential(&setup), setup, plain)
        }
    }
}

fn boxed(setup: &Setup<'_>) -> BoxFilter {
    BoxFilter { periods: setup.options.get("window").unwrap_or(BoxFilter::default().periods) }
}

fn cubic(setup: &Setup<'_>) -> Cubic {
    Cubic { periods: setup.options.get("window").unwrap_or(Cubic::default().periods) }
}

fn exponential(setup: &Setup<'_>) -> Exponential {
    Exponential { periods: setup.options.get("window").unwrap_or(Exponential::default().periods) }
}

/// Without constraints: leap-frog as in the paper, or Verlet.
fn free<'s, S: Vibrated + ?Sized, E: Estimator<S> + 's, F: FilterFor<E, S> + 's>(
    system: &'s S,
    estimator: E,
    filter: F,
    setup: Setup<'_>,
    verlet: impl FnOnce(Hmm<Verlet, E, F>, &'s S, Setup<'_>) -> Started<'s>,
) -> Started<'s> {
    let micro_steps = micro_steps(&setup, E::NAME)?;
    match macro_solver(&setup, "leap-frog", "verlet") {
        "leap-frog" => plain(Hmm { macro_solver: LeapFrog, estimator, filter, micro_steps }, system, setup),
        "verlet" => verlet(Hmm { macro_solver: Verlet, estimator, filter, micro_steps }, system, setup),
        word => Err(StartError::PartDoesNotFit {
            method: E::NAME,
            part: "macro_solver",
            choice: word,
            system: system.name().to_owned(),
            reason: "it has no constraints; take leap-frog or verlet",
        }),
    }
}

/// With constraints: SHAKE as in the paper, or RATTLE.
fn constrained<'s, S: ConstrainedVibrated + ?Sized, E: Estimator<S> + 's, F: FilterFor<E, S> + 's>(
    system: &'s S,
    estimator: E,
    filter: F,
    setup: Setup<'_>,
    rattle: impl FnOnce(Hmm<Rattle, E, F>, &'s S, Setup<'_>) -> Started<'s>,
) -> Started<'s> {
    let micro_steps = micro_steps(&setup, E::NAME)?;
    let tolerance = setup.options.get("tolerance");
    match macro_solver(&setup, "shake", "rattle") {
        "shake" => {
            let mut macro_solver = Shake::default();
            macro_solver.tolerance = tolerance.unwrap_or(macro_solver.tolerance);
            plain(Hmm { macro_solver, estimator, filter, micro_steps }, system, setup)
        }
        "rattle" => {
            let mut macro_solver = Rattle::default();
            macro_solver.tolerance = tolerance.unwrap_or(macro_solver.tolerance);
            rattle(Hmm { macro_solver, estimator, filter, micro_steps }, system, setup)
        }
        word => Err(StartError::PartDoesNotFit {
            method: E::NAME,
            part: "macro_solver",
            choice: word,
            system: system.name().to_owned(),
            reason: "it has constraints; take shake or rattle",
        }),
    }
}

/// The macro-solver that was asked for; of the paper's and the one that steps from a state alone, the latter where it is to be composed.
fn macro_solver(setup: &Setup<'_>, paper: &'static str, one_step: &'static str) -> &'static str {
    let composed = setup.options.get("order").is_some_and(|order| (order - 2.0).abs() > 0.0);
    setup.options.word("macro_solver").unwrap_or(if composed { one_step } else { paper })
}

fn micro_steps(setup: &Setup<'_>, method: &'static str) -> Result<MicroSteps, StartError> {
    let Some(number) = setup.options.get("micro_steps_per_period") else {
        return Ok(setup.options.get("slow_time").map_or_else(MicroSteps::default, MicroSteps::SlowTime));
    };
    if number.fract() == 0.0 && (4.0..=f64::from(u32::MAX)).contains(&number) {
        return Ok(MicroSteps::PerPeriod(number as u32));
    }
    let (option, interval) = ("micro_steps_per_period", "the whole numbers from 4 on");
    Err(StartError::OptionOutOfRange { method, option, value: number, interval })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what may be composed is started in the same way, and that takes the method"
)]
fn plain<'s, S: ?Sized, M: Method<S>>(method: M, system: &'s S, setup: Setup<'_>) -> Started<'s> {
    Ok(Box::new(method.start(system, setup.state, setup.step)?))
}

fn composed<'s, S: ?Sized, M: Symmetric<S>>(
    method: M,
    system: &'s S,
    setup: Setup<'_>,
    order: f64,
) -> Started<'s> {
    crate::methods::of_order(method, system, (setup.state, setup.step), order)
}

fn not_even(system: &str) -> StartError {
    StartError::PartDoesNotFit {
        method: <Asynchronous as EstimatorClaims>::NAME,
        part: "filter",
        choice: BoxFilter::NAME,
        system: system.to_owned(),
        reason: "its force is not known to be the same for the phases θ and −θ, and a plain mean then leaves an error of size 1; take \
                 exponential or cubic",
    }
}

fn not_even_about_its_window(system: &str) -> StartError {
    StartError::PartDoesNotFit {
        method: <Synchronous as EstimatorClaims>::NAME,
        part: "filter",
        choice: BoxFilter::NAME,
        system: system.to_owned(),
        reason: "a window at the phase of the time is not even about its centre, and a plain mean then leaves an error of size 1; take \
                 exponential or cubic, or hmm-asynchronous",
    }
}
