//! A motion to differentiate.

use super::loss::{Loss, Observed};
use super::names::{Direction, Parameters, direction, first_names};
use super::result::{Gradient, GradientError, Sensitivities};
use super::sweep::Kept;
use crate::drive::Plan;
use crate::error::StartError;
use crate::method::Differentiable;
use crate::method::linearization::span::Node;
use crate::method::linearization::{ABREAST, LinearizedRun, Tape, Variation, differential};
use crate::system::{Layout, Signal, State, System, Text};
use std::sync::atomic::{AtomicBool, Ordering};

/// Starts `method` on `system` from `start` with steps of size `step`, for derivatives of the motion.
///
/// The compiler refuses a method whose steps have no derivative, and names the reason.
///
/// ```
/// use least_action::drive::gradient::{Target, differentiate};
/// use least_action::method::Rattle;
/// use least_action::prelude::*;
///
/// struct Pendulum { rod: f64 }
///
/// #[lagrangian]
/// impl Pendulum {
///     fn lagrangian(&self, bob: Vec2) -> Scalar {
///         0.5 * der(bob).norm_squared() - 9.81 * bob.y
///     }
///
///     #[holonomic]
///     fn rod(&self, bob: Vec2) -> Scalar {
///         bob.norm_squared() - self.rod.powi(2)
///     }
/// }
///
/// let (system, start) = (Pendulum { rod: 0.5 }.bind()?, State::at_rest(vec![0.5, 0.0]));
/// let motion = differentiate(&system, &Rattle::default(), start, 0.01)?.until(0.3);
/// let gradient = motion.gradient(&mut Target::new("bob.x", 0.0))?;
/// assert!(gradient.value > 0.0);
/// // A start that moves along the rod leaves the motion as it was.
/// assert!(gradient.q[0].abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of [`integrate`](crate::drive::integrate), and a system without second derivatives.
pub fn differentiate<'s, S, M>(
    system: &'s S,
    method: &M,
    start: State,
    step: f64,
) -> Result<Differentiation<'s>, StartError>
where
    S: System + ?Sized,
    M: Differentiable<S>,
{
    let begin = start.t;
    let run = differential(system, method, start, step)?;
    let (layout, signals) = (system.layout(), system.signals());
    let parameters = Parameters::new(system.parametric(), &run.zero());
    Ok(Differentiation {
        run,
        layout,
        signals,
        parameters,
        begin,
        step,
        end: begin + step,
        memory: MEMORY,
        stop: None,
    })
}

/// A direction, and what changes with it of q₀ and v₀ beside; empty where nothing does.
pub type Along<'n> = (Direction, [&'n [f64]; 2]);

/// Sees a state, with the derivatives of q and v along each direction.
type See<'s> = dyn FnMut(&Observed<'_>, &[[&[f64]; 2]]) + 's;

/// The most tangents that do not go abreast.
const FEW: usize = 3;
/// The default memory for states in bytes.
const MEMORY: u64 = 256 << 20;

/// A motion in preparation; [`gradient`](Self::gradient) or [`sensitivities`](Self::sensitivities) runs
/// it.
#[must_use = "nothing runs before `.gradient(…)` or `.sensitivities(…)`"]
pub struct Differentiation<'s> {
    run: LinearizedRun<'s>,
    layout: &'s Layout,
    signals: &'s [(Text, Signal)],
    parameters: Parameters<'s>,
    begin: f64,
    step: f64,
    end: f64,
    memory: u64,
    stop: Option<&'s AtomicBool>,
}

impl<'s> Differentiation<'s> {
    /// Sets the end of the motion, which [`Plan::until`] meets; without it the motion is one step.
    pub fn until(self, end: f64) -> Self {
        Self { end, ..self }
    }

    /// Sets the memory for states in bytes; the default is 256 MiB. A motion with more states takes one
    /// or two more runs.
    pub fn within(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Stops the derivative after the step in which `stop` becomes true.
    pub fn stopped_by(self, stop: &'s AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// The names of the parameters by which the motion has derivatives, as a [`Gradient`] has them.
    pub fn parameters(&self) -> Vec<String> {
        self.parameters.names()
    }

    fn plan(&self) -> Result<u64, GradientError> {
        let plan = Plan::until(self.begin, self.end, self.step)?;
        Ok(plan.within(self.signals, self.begin, self.step)?.steps)
    }

    /// The loss and its derivative by the start and by the parameters.
    ///
    /// # Errors
    /// The loss does not fit or is not finite, a step fails, or the program asks for the end.
    pub fn gradient(mut self, loss: &mut dyn Loss) -> Result<Gradient, GradientError> {
        let (steps, stop) = (self.plan()?, self.stop);
        loss.begin(self.layout, self.begin, self.step, steps)?;
        let run = &mut self.run;
        let mut kept = Kept::new(run, steps, self.memory)?;
        let mut sizes = Sizes::default();
        kept.forwards(run, &mut |state| {
            sizes.see(state);
            asked(stop)
        })?;
        let mut way = Way { loss, steps, covector: run.zero(), sizes, value: 0.0, injected: 0.0 };
        kept.backwards(run, &mut |run, tape, number| {
            asked(stop)?;
            way.inject(run, tape, number)?;
            Ok(run.pull(tape, number, &mut way.covector)?)
        })?;
        way.inject(run, kept.tape(), 0)?;
        run.end(kept.tape(), &mut way.covector)?;
        let Way { covector, value, injected, sizes, .. } = way;
        let (q, v) = (covector.q().to_vec(), covector.v().to_vec());
        let growth = sizes.of(&q, &v) / injected;
        let growth = if injected > 0.0 { growth } else { 0.0 };
        let parameters = self.parameters.of(&covector);
        let names = self.parameters.names();
        Ok(Gradient { value, q, v, parameters, names, plan: kept.plan(), steps, growth })
    }

    /// The derivatives of all states by some entries of the start, `bobs[9].x` or `der.bobs[9].x`, or by
    /// sensitive parameters, `gravity`.
    ///
    /// # Errors
    /// A name is unknown, a step fails, or the program asks for the end.
    pub fn sensitivities(self, names: &[&str]) -> Result<Sensitivities, GradientError> {
        let mut all = Sensitivities { times: Vec::new(), q: Vec::new(), v: Vec::new() };
        let along = names.iter().map(|name| Ok((self.direction(name)?, [&[][..]; 2])));
        let along = along.collect::<Result<Vec<Along<'_>>, GradientError>>()?;
        self.follow(&along, &|_| true, &mut |at, tangents| {
            all.times.push(at.t);
            all.q.push(tangents.iter().map(|[q, _]| q.to_vec()).collect());
            all.v.push(tangents.iter().map(|[_, v]| v.to_vec()).collect());
        })?;
        Ok(all)
    }

    /// The direction of a name: `bobs[9].x`, `der.bobs[9].x` or `gravity`.
    ///
    /// # Errors
    /// The name is unknown.
    pub fn direction(&self, name: &str) -> Result<Direction, GradientError> {
        match direction(self.layout, name) {
            Some((true, index)) => Ok(Direction::Velocity(index)),
            Some((false, index)) => Ok(Direction::Position(index)),
            None => {
                let found = self.parameters.names().iter().position(|own| own == name);
                found.map(Direction::Parameter).ok_or_else(|| self.unknown(name))
            }
        }
    }

    /// Shows the states after some numbers of steps, with the derivatives of q and v along each
    /// direction.
    ///
    /// # Errors
    /// There is no such parameter, a step fails, or the program asks for the end.
    pub fn follow(
        self,
        along: &[Along<'_>],
        shown: &dyn Fn(u64) -> bool,
        see: &mut See<'_>,
    ) -> Result<Ended<'s>, GradientError> {
        let mut tangents = Vec::new();
        for (direction, [of_q, of_v]) in along {
            let mut tangent = self.run.zero();
            let is_known = match *direction {
                Direction::Parameter(number) => self.parameters.set_along(number, &mut tangent),
                Direction::Velocity(index) => {
                    tangent.v_mut().get_mut(index).map(|entry| *entry = 1.0).is_some()
                }
                Direction::Position(index) => {
                    let entries = tangent.x_mut().iter_mut().take(self.layout.dimension());
                    entries.skip(index).take(1).map(|entry| *entry = 1.0).count() == 1
                }
            };
            if !is_known {
                return Err(self.unknown(&format!("{direction:?}")));
            }
            tangent.x_mut().iter_mut().zip(*of_q).for_each(|(entry, part)| *entry += part);
            tangent.v_mut().iter_mut().zip(*of_v).for_each(|(entry, part)| *entry += part);
            tangents.push(tangent);
        }
        self.carry(tangents, shown, see)
    }

    /// As [`follow`](Self::follow), along one direction (δq₀, δv₀, δθ) of lengths n, n and p, with θ in
    /// the order of [`parameters`](Self::parameters); numbers that are missing are zero.
    ///
    /// # Errors
    /// A step fails, or the program asks for the end.
    pub fn follow_along(
        self,
        [of_q, of_v, of_parameters]: [&[f64]; 3],
        shown: &dyn Fn(u64) -> bool,
        see: &mut See<'_>,
    ) -> Result<Ended<'s>, GradientError> {
        let (mut tangent, n) = (self.run.zero(), self.layout.dimension());
        tangent.x_mut().iter_mut().zip(of_q).take(n).for_each(|(entry, part)| *entry = *part);
        tangent.v_mut().iter_mut().zip(of_v).for_each(|(entry, part)| *entry = *part);
        self.parameters.set(of_parameters, &mut tangent);
        self.carry(vec![tangent], shown, see)
    }

    /// Carries tangents of the start over all steps.
    fn carry(
        mut self,
        tangents: Vec<Variation>,
        shown: &dyn Fn(u64) -> bool,
        see: &mut See<'_>,
    ) -> Result<Ended<'s>, GradientError> {
        let (steps, n) = (self.plan()?, self.layout.dimension());
        let mut columns = vec![[(); 2].map(|()| vec![0.0; n]); tangents.len()];
        self.run.keep(&tangents);
        // Abreast they share the matrices of a step, which take as long as a few tangents.
        let lanes = if tangents.len() > FEW { ABREAST } else { 1 };
        let mut tangents = match lanes {
            1 => tangents,
            _ => tangents.chunks(lanes).map(|tangents| Variation::abreast(tangents, lanes)).collect(),
        };
        let run = &mut self.run;
        let mut tape = run.tape();
        for step in 0..=steps {
            asked(self.stop)?;
            // The tape of the first step has the start, too.
            if step != 1 {
                run.record_first(&mut tape);
                run.step(Some(&mut tape))?;
            }
            let are_any = !tangents.is_empty();
            if are_any && step == 0 {
                run.begin(&tape, &mut tangents)?;
            } else if are_any {
                run.push(&tape, step, &mut tangents)?;
            }
            if shown(step) {
                if are_any {
                    run.velocities(&tape, step, &mut tangents)?;
                }
                for (columns, tangents) in columns.chunks_mut(lanes).zip(&tangents) {
                    columns.iter_mut().enumerate().for_each(|(k, column)| tangents.copy(k, column));
                }
                let Node { t, q, v, .. } = tape.state(step);
                let pairs: Vec<_> =
                    columns.iter().map(|column| column.each_ref().map(Vec::as_slice)).collect();
                see(&Observed { step, of: steps, t, q, v }, &pairs);
            }
        }
        Ok(Ended(self))
    }
}

/// A motion that has been followed to its end.
pub struct Ended<'s>(Differentiation<'s>);

impl<'s> Ended<'s> {
    /// The motion from another start, without its end; none where the method needs a start of its own.
    pub fn again(self, start: &State) -> Option<Differentiation<'s>> {
        let Self(mut motion) = self;
        let n = motion.layout.dimension();
        let is_finite = start.q.iter().chain(&start.v).all(|entry| entry.is_finite());
        let is_fit = is_finite && [start.q.len(), start.v.len()] == [n, n];
        (is_fit && motion.run.begin_at(start)).then(|| {
            let begin = start.t;
            Differentiation { begin, end: begin + motion.step, ..motion }
        })
    }
}

impl Differentiation<'_> {
    fn unknown(&self, name: &str) -> GradientError {
        let mut known = format!("the start has {}", first_names(self.layout));
        let parameters = self.parameters.first_names();
        if parameters.is_empty() {
            known += ", and no parameter is marked as in `#[lagrangian(sensitive(mass))]`";
        } else {
            known += &format!(", and {parameters} are sensitive");
        }
        GradientError::UnknownDirection { name: name.to_owned(), known }
    }
}

/// An error once the program asks for the end.
fn asked(stop: Option<&AtomicBool>) -> Result<(), GradientError> {
    let is_asked = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    if is_asked { Err(GradientError::Stopped) } else { Ok(()) }
}

/// The largest position and velocity of a motion.
#[derive(Debug, Default, Clone, Copy)]
struct Sizes {
    q: f64,
    v: f64,
}

impl Sizes {
    fn see(&mut self, run: &LinearizedRun<'_>) {
        // `f64::max` looks for NaN with more instructions than a comparison takes.
        let larger = |most: f64, size: f64| if size > most { size } else { most };
        let largest = |most: f64, x: &[f64]| x.iter().map(|entry| entry.abs()).fold(most, larger);
        let State { q, v, .. } = run.state();
        (self.q, self.v) = (largest(self.q, q), largest(self.v, v));
    }

    /// The size of a covector in these units.
    fn of(&self, of_q: &[f64], of_v: &[f64]) -> f64 {
        let squares = |x: &[f64], unit: f64| x.iter().map(|entry| (unit * entry).powi(2)).sum::<f64>();
        (squares(of_q, self.q) + squares(of_v, self.v)).sqrt()
    }
}

/// The way back.
struct Way<'l> {
    loss: &'l mut dyn Loss,
    steps: u64,
    covector: Variation,
    sizes: Sizes,
    value: f64,
    /// The sum of the sizes of the loss's own gradients.
    injected: f64,
}

impl Way<'_> {
    /// Adds the loss at a state.
    fn inject(&mut self, run: &mut LinearizedRun<'_>, tape: &Tape, step: u64) -> Result<(), GradientError> {
        if !self.loss.sees(step, self.steps) {
            return Ok(());
        }
        let node = tape.state(step);
        let at = Observed { step, of: self.steps, t: node.t, q: node.q, v: node.v };
        let (mut of_q, mut of_v) = (vec![0.0; node.q.len()], vec![0.0; node.q.len()]);
        let value = self.loss.add(&at, &mut of_q, &mut of_v);
        let is_finite = of_q.iter().chain(&of_v).all(|slope| slope.is_finite());
        if !(value.is_finite() && is_finite) {
            return Err(GradientError::NotFinite { value, time: node.t });
        }
        self.value += value;
        self.injected += self.sizes.of(&of_q, &of_v);
        self.covector.x_mut().iter_mut().zip(&of_q).for_each(|(sum, slope)| *sum += slope);
        if of_v.iter().any(|slope| *slope != 0.0) {
            self.covector.v_mut().copy_from_slice(&of_v);
            run.inject(tape, step, &mut self.covector)?;
        }
        Ok(())
    }
}

crate::shown::shown!([] Ended<'_>, |own| "Ended" { motion: own.0 });

crate::shown::shown!([] Differentiation<'_>, |own| "Differentiation" {
    step: own.step, end: own.end, memory: own.memory
});
