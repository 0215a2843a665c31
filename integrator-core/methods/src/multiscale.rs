//! The multiscale methods from their options: macro-solver, filter, number of micro-steps.

use least_action_core::emitted::v1::{ConstrainedVibrated, Vibrated};
use least_action_core::error::StartError;
use least_action_core::method::multiscale::{
    Asynchronous, BoxFilter, Cubic, Estimator, Exponential, Filter, FilterFor, Hmm, LeapFrog, MicroSolver,
    MicroSteps, Nystrom, Synchronous,
};
use least_action_core::method::{Rattle, Shake, Symmetric, Verlet};
use least_action_core::system::System;

use crate::face::VibratedFace;
use crate::start::{Setup, Started, composed, plain};

/// The methods without options, for their claims.
pub(crate) type AroundSynchronous = Hmm<LeapFrog, Synchronous, Exponential>;
pub(crate) type AroundAsynchronous = Hmm<LeapFrog, Asynchronous, BoxFilter>;

/// The options of both methods.
pub(crate) const OPTIONS: &[&str] = &[
    "filter",
    "window",
    "micro_solver",
    "micro_steps_per_period",
    "slow_time",
    "macro_solver",
    "tolerance",
    "order",
];

/// The filter of the options, where the face lets it average the force.
#[derive(Debug)]
struct Chosen(Box<dyn Filter>);

impl Chosen {
    /// The filter `word`, with the option `window`.
    fn of(word: &str, setup: &Setup<'_>) -> Self {
        let periods = setup.options.get("window");
        Self(match word {
            "box" => Box::new(BoxFilter { periods: periods.unwrap_or(BoxFilter::default().periods) }),
            "cubic" => Box::new(Cubic { periods: periods.unwrap_or(Cubic::default().periods) }),
            _ => Box::new(Exponential { periods: periods.unwrap_or(Exponential::default().periods) }),
        })
    }
}

impl Filter for Chosen {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn takes_whole_periods(&self) -> bool {
        self.0.takes_whole_periods()
    }

    fn kernel(&self, x: f64) -> f64 {
        self.0.kernel(x)
    }

    fn periods(&self) -> f64 {
        self.0.periods()
    }
}

/// The starts below choose the box under the conditions of its own implementation alone.
impl<E: Estimator, S: Vibrated + ?Sized> FilterFor<E, S> for Chosen {}

/// Starts `hmm-asynchronous`; its default `filter` is the box, if the force is even in the phase.
pub(crate) fn asynchronous<'s>(face: VibratedFace<'s>, setup: Setup<'_>) -> Started<'s> {
    let default = if face.is_even() { "box" } else { "exponential" };
    match setup.word("filter", default) {
        "box" if !face.is_even() => Err(no_box(Asynchronous::NAME, face.name(), NOT_EVEN)),
        word => filtered(face, Asynchronous, Chosen::of(word, &setup), setup),
    }
}

/// Starts `hmm-synchronous` with the force's velocity ripple; the default `filter` is exponential.
pub(crate) fn synchronous<'s>(face: VibratedFace<'s>, setup: Setup<'_>) -> Started<'s> {
    if let Some(value) = setup.options.get("order").filter(|_| is_composed(&setup)) {
        let (method, option, interval) = (Synchronous::NAME, "order", "{2}");
        return Err(StartError::OptionOutOfRange { method, option, value, interval });
    }
    match setup.word("filter", "exponential") {
        "box" => Err(no_box(Synchronous::NAME, face.name(), NOT_EVEN_ABOUT_ITS_WINDOW)),
        word => filtered(face, Synchronous::default(), Chosen::of(word, &setup), setup),
    }
}

/// With a filter that averages the force.
fn filtered<'s, E>(face: VibratedFace<'s>, estimator: E, filter: Chosen, setup: Setup<'_>) -> Started<'s>
where
    E: Raised<dyn Vibrated + 's> + Raised<dyn ConstrainedVibrated + 's> + 's,
{
    match face {
        VibratedFace::Free(system, _) => free(system, estimator, filter, setup),
        VibratedFace::Constrained(system, _) => constrained(system, estimator, filter, setup),
    }
}

/// An estimator whose methods may start with the option `order`.
trait Raised<S: ?Sized>: Estimator {
    fn start<'s, M: Symmetric<S>>(method: M, system: &'s S, setup: Setup<'_>) -> Started<'s>;
}

/// Composed, if the order is above two.
impl<S: Vibrated + ?Sized> Raised<S> for Asynchronous {
    fn start<'s, M: Symmetric<S>>(method: M, system: &'s S, setup: Setup<'_>) -> Started<'s> {
        composed(method, system, setup)
    }
}

/// Starts the method itself: composition cannot raise an irreversible map.
impl<S: Vibrated + ?Sized> Raised<S> for Synchronous {
    fn start<'s, M: Symmetric<S>>(method: M, system: &'s S, setup: Setup<'_>) -> Started<'s> {
        plain(method, system, setup)
    }
}

/// Without constraints, with the chosen micro-solver.
fn free<'s, S: Vibrated + ?Sized, E: Raised<S> + 's>(
    system: &'s S,
    estimator: E,
    filter: Chosen,
    setup: Setup<'_>,
) -> Started<'s> {
    match setup.options.word("micro_solver") {
        Some("nystrom") => followed(system, estimator, filter, Nystrom, setup),
        _ => followed(system, estimator, filter, Verlet, setup),
    }
}

/// Without constraints: leap-frog as in the paper, or Verlet.
fn followed<'s, S, E, I>(
    system: &'s S,
    estimator: E,
    filter: Chosen,
    micro_solver: I,
    setup: Setup<'_>,
) -> Started<'s>
where
    S: Vibrated + ?Sized,
    E: Raised<S> + 's,
    I: MicroSolver + 's,
{
    let micro_steps = micro_steps(&setup, E::NAME)?;
    let refused = |word, reason| Err(does_not_fit(E::NAME, "macro_solver", word, system, reason));
    match macro_solver(&setup, "leap-frog", "verlet") {
        word @ "leap-frog" if is_composed(&setup) => {
            refused(word, "it cannot be composed to this order; take verlet")
        }
        "leap-frog" => {
            plain(Hmm { macro_solver: LeapFrog, estimator, filter, micro_solver, micro_steps }, system, setup)
        }
        "verlet" => E::start(
            Hmm { macro_solver: Verlet, estimator, filter, micro_solver, micro_steps },
            system,
            setup,
        ),
        word => refused(word, "it has no constraints; take leap-frog or verlet"),
    }
}

/// With constraints: SHAKE as in the paper, or RATTLE.
fn constrained<'s, S: ConstrainedVibrated + ?Sized, E: Raised<S> + 's>(
    system: &'s S,
    estimator: E,
    filter: Chosen,
    setup: Setup<'_>,
) -> Started<'s> {
    if let Some(word) = setup.options.word("micro_solver") {
        let reason =
            "it has constraints, on which the fast motion is followed by SHAKE; leave the option away";
        return Err(does_not_fit(E::NAME, "micro_solver", word, system, reason));
    }
    let micro_steps = micro_steps(&setup, E::NAME)?;
    let tolerance = setup.options.get("tolerance");
    let refused = |word, reason| Err(does_not_fit(E::NAME, "macro_solver", word, system, reason));
    match macro_solver(&setup, "shake", "rattle") {
        word @ "shake" if is_composed(&setup) => {
            refused(word, "it cannot be composed to this order; take rattle")
        }
        "shake" => {
            let mut shake = Shake::default();
            shake.tolerance = tolerance.unwrap_or(shake.tolerance);
            plain(Hmm::new(shake, estimator, filter).with_micro_steps(micro_steps), system, setup)
        }
        "rattle" => {
            let mut rattle = Rattle::default();
            rattle.tolerance = tolerance.unwrap_or(rattle.tolerance);
            E::start(Hmm::new(rattle, estimator, filter).with_micro_steps(micro_steps), system, setup)
        }
        word => refused(word, "it has constraints; take shake or rattle"),
    }
}

/// The chosen macro-solver; by default the paper's, in compositions the one from a state alone.
fn macro_solver(setup: &Setup<'_>, paper: &'static str, one_step: &'static str) -> &'static str {
    setup.options.word("macro_solver").unwrap_or(if is_composed(setup) { one_step } else { paper })
}

/// True if the chosen order needs a composition.
fn is_composed(setup: &Setup<'_>) -> bool {
    setup.options.get("order").is_some_and(|order| (order - 2.0).abs() > 0.0)
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

fn does_not_fit<S: System + ?Sized>(
    method: &'static str,
    part: &'static str,
    choice: &'static str,
    system: &S,
    reason: &'static str,
) -> StartError {
    StartError::PartDoesNotFit { method, part, choice, system: system.name().to_owned(), reason }
}

/// Refuses the box for the force of a system.
fn no_box(method: &'static str, system: String, reason: &'static str) -> StartError {
    StartError::PartDoesNotFit { method, part: "filter", choice: "box", system, reason }
}

const NOT_EVEN: &str = "its force is not known to be the same for the phases θ and −θ, and a plain mean then leaves an error of size 1; take \
                        exponential or cubic";
const NOT_EVEN_ABOUT_ITS_WINDOW: &str = "a window at the phase of the time is not even about its centre, and a plain mean then leaves an error of \
                                         size 1; take exponential or cubic, or hmm-asynchronous";
