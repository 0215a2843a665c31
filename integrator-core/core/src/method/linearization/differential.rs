//! A run that records its states, and carries tangents and covectors over its steps.

use super::contract::Differentiable;
use super::inputs::Inputs;
use super::program::{LinearStep, Part};
use super::span::{Node, Span};
use super::variation::Variation;
use crate::carried::{CarryError, put_back, save};
use crate::error::{Begun, StartError, StepError};
use crate::method::check;
use crate::method::contract::Stepper;
use crate::method::flow::{Erased, Flow, Substep};
use crate::method::force_error::ForceError;
use crate::method::running::Running;
use crate::system::{HeldAngles, State, System, turns};

/// What comes of a step, or of carrying derivatives over it.
type Stepped = Result<(), StepError>;

/// The states of consecutive steps, part by part, with their traces.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    numbers: Vec<f64>,
    /// The degrees of freedom, and the length of a trace.
    n: usize,
    trace: usize,
    /// The declaration of followed angles, and their number; behind the trace stand their values.
    angles: (u64, usize),
    /// The parts of a step.
    parts: usize,
    /// The number of the first state.
    pub first: u64,
}

impl Tape {
    fn length(&self) -> usize {
        1 + 2 * self.n + self.trace + self.angles.1
    }

    /// Forgets all states; the next one has this number.
    pub(crate) fn clear(&mut self, first: u64) {
        self.numbers.clear();
        self.first = first;
    }

    fn push(&mut self, run: &Running<'_, Erased<'_>>) {
        let state = run.state();
        self.numbers.push(state.t);
        self.numbers.extend_from_slice(&state.q);
        self.numbers.extend_from_slice(&state.v);
        let end = self.numbers.len();
        self.numbers.resize(end + self.trace, 0.0);
        run.flow().trace(&mut self.numbers[end..]);
        if let Some(held) = run.hold_angles() {
            held.append_to(&mut self.numbers);
        }
    }

    /// Holds the angles at state `k` in parts of steps.
    fn hold(&self, k: usize) -> Option<HeldAngles> {
        let (declaration, count) = self.angles;
        let end = (k + 1) * self.length();
        (count > 0).then(|| turns::hold(declaration, &self.numbers[end - count..end]))
    }

    /// State `k` in parts of steps.
    fn part(&self, k: usize) -> Node<'_> {
        let node = &self.numbers[k * self.length()..][..self.length()];
        let (t, rest) = (node[0], &node[1..node.len() - self.angles.1]);
        Node { t, q: &rest[..self.n], v: &rest[self.n..2 * self.n], trace: &rest[2 * self.n..] }
    }

    /// The state of this number.
    pub(crate) fn state(&self, number: u64) -> Node<'_> {
        self.part(self.place(number))
    }

    fn place(&self, number: u64) -> usize {
        (number - self.first) as usize * self.parts
    }
}

/// Starts a method for derivatives.
///
/// # Errors
/// The errors of the method's start and of its linear map.
pub(crate) fn differential<'s, S: System + ?Sized, M: Differentiable<S>>(
    system: &'s S,
    method: &M,
    state: State,
    step: f64,
) -> Begun<LinearizedRun<'s>> {
    let (parts, start) = (method.parts(), state.t);
    if check::first_cut(system).is_some() {
        return Err(StartError::NoDerivative {
            method: M::NAME,
            system: system.name().to_owned(),
            reason: "moments that change velocities",
            remedy: "differentiate the motion between two of them",
        });
    }
    let flow = method.traced(system, state, step)?.erased();
    let linear = method.linear(system, parts.len())?;
    let inputs = Inputs::new(system.parametric(), linear.dimension());
    Ok(LinearizedRun { flow, linear, inputs, method: M::NAME, parts, start, step, steps: 0 })
}

/// A run of any method with its linear map.
pub(crate) struct LinearizedRun<'s> {
    flow: Running<'s, Erased<'s>>,
    linear: Box<dyn LinearStep + 's>,
    inputs: Inputs,
    method: &'static str,
    parts: &'static [f64],
    start: f64,
    step: f64,
    steps: u64,
}

impl LinearizedRun<'_> {
    fn failed(&self, error: ForceError, number: u64, time: f64) -> StepError {
        let substep = Substep { number, size: self.step, end: time + self.step };
        let remedy = "its derivative needs another start or a smaller step";
        error.in_step(self.method, |row| self.linear.row_name(row), &substep, time, remedy)
    }

    /// Part `k` of a step of a tape.
    fn span<'t>(&self, tape: &'t Tape, number: u64, k: usize) -> Span<'t> {
        let place = tape.place(number - 1) + k;
        Span { from: tape.part(place), to: tape.part(place + 1), size: self.parts[k] * self.step }
    }

    /// The last state.
    pub(crate) fn state(&self) -> &State {
        self.flow.state()
    }

    /// The number of steps done.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// The numbers that a recorded step takes.
    pub(crate) fn numbers_of_a_step(&self) -> usize {
        self.tape().length() * self.parts.len()
    }

    /// An empty tape.
    pub(crate) fn tape(&self) -> Tape {
        let trace = self.flow.flow().trace_length();
        let angles = self.flow.hold_angles().map_or((0, 0), |held| held.of());
        Tape { n: self.state().q.len(), trace, angles, parts: self.parts.len(), ..Tape::default() }
    }

    /// Takes a step, and records its parts on a tape with the state before.
    ///
    /// # Errors
    /// When the step fails.
    pub(crate) fn step(&mut self, mut tape: Option<&mut Tape>) -> Stepped {
        let number = self.steps + 1;
        // As a whole step of `Running` has them, and a part of `Composed`.
        let end = self.start + number as f64 * self.step;
        let (begin, last) = (self.state().t, self.parts.len() - 1);
        let mut done = 0.0;
        for (k, part) in self.parts.iter().enumerate() {
            done += part;
            let end = if k == last { end } else { begin + done * self.step };
            self.flow.advance(&Substep { number, size: part * self.step, end })?;
            if let Some(tape) = &mut tape {
                tape.push(&self.flow);
            }
        }
        self.steps = number;
        Ok(())
    }

    /// Records the present state as the first of a tape.
    pub(crate) fn record_first(&mut self, tape: &mut Tape) {
        tape.clear(self.steps);
        tape.push(&self.flow);
    }

    /// Appends the memory of the run.
    ///
    /// # Errors
    /// A file beside the run fails.
    pub(crate) fn save(&mut self, words: &mut Vec<u64>) -> Result<(), CarryError> {
        words.push(self.steps);
        save(&mut self.flow, words)
    }

    /// Puts the memory of the run back.
    ///
    /// # Errors
    /// The words belong to another run.
    pub(crate) fn put_back(&mut self, words: &[u64]) -> Result<(), CarryError> {
        let (steps, words) = words.split_first().ok_or(CarryError::Foreign)?;
        self.steps = *steps;
        put_back(&mut self.flow, words).map(|_| ())
    }

    /// A variation that is zero.
    pub(crate) fn zero(&self) -> Variation {
        let mut zero = self.linear.zero();
        zero.values = vec![0.0; self.inputs.values()];
        zero
    }

    /// Begins anew at another state, if the method keeps no more of a trajectory than its state.
    pub(crate) fn begin_at(&mut self, state: &State) -> bool {
        // A followed angle has turned on the way to a state.
        let goes_on = self.flow.hold_angles().is_none() && self.flow.go_on_from(state);
        if goes_on {
            (self.start, self.steps) = (state.t, 0);
        }
        goes_on
    }

    /// Prepares for these tangents alone, none of which moves along other parameters.
    pub(crate) fn keep(&mut self, tangents: &[Variation]) {
        let [_, parameters] = self.linear.dimension();
        let moves = |k: usize| tangents.iter().any(|tangent| tangent.parameters()[k] != 0.0);
        // The parameter of an input changes from step to step.
        if self.inputs.values() == 0 {
            self.linear.keep(&(0..parameters).map(moves).collect::<Vec<_>>());
        }
    }

    /// From variations of (x, v) at the first state of a tape, which holds a step, to tangents.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn begin(&mut self, tape: &Tape, tangents: &mut [Variation]) -> Stepped {
        let _held = tape.hold(0);
        let first = self.span(tape, tape.first + 1, 0);
        let begun = self.linear.push(Part::Momentum(first.from), tangents);
        let begun = begun.and_then(|()| self.linear.push(Part::Begin(first), tangents));
        begun.map_err(|error| self.failed(error, tape.first + 1, first.from.t))
    }

    /// Carries tangents over step `number` of a tape, counted from 1.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn push(&mut self, tape: &Tape, number: u64, tangents: &mut [Variation]) -> Stepped {
        for k in 0..self.parts.len() {
            let _held = tape.hold(tape.place(number - 1) + k);
            let span = self.span(tape, number, k);
            tangents.iter_mut().for_each(|tangent| self.inputs.read(span.times(), tangent));
            let pushed = self.linear.push(Part::Step(span), tangents);
            pushed.map_err(|error| self.failed(error, number, span.from.t))?;
        }
        Ok(())
    }

    /// Writes the velocities of tangents at a state.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn velocities(&mut self, tape: &Tape, number: u64, tangents: &mut [Variation]) -> Stepped {
        let _held = tape.hold(tape.place(number));
        let node = tape.state(number);
        let moved = self.linear.push(Part::Velocity(node), tangents);
        moved.map_err(|error| self.failed(error, number, node.t))
    }

    /// Adds the covector of (x, v) at a state to a covector.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn inject(&mut self, tape: &Tape, number: u64, covector: &mut Variation) -> Stepped {
        let _held = tape.hold(tape.place(number));
        let node = tape.state(number);
        let added = self.linear.pull(Part::Velocity(node), covector);
        added.map_err(|error| self.failed(error, number, node.t))
    }

    /// Carries a covector back over step `number` of a tape.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn pull(&mut self, tape: &Tape, number: u64, covector: &mut Variation) -> Stepped {
        for k in (0..self.parts.len()).rev() {
            let _held = tape.hold(tape.place(number - 1) + k);
            let span = self.span(tape, number, k);
            let pulled = self.linear.pull(Part::Step(span), covector);
            pulled.map_err(|error| self.failed(error, number, span.from.t))?;
            self.inputs.take(span.times(), covector);
        }
        Ok(())
    }

    /// From a covector at the first state to the derivative by (x, v) there.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn end(&mut self, tape: &Tape, covector: &mut Variation) -> Stepped {
        let _held = tape.hold(0);
        let first = self.span(tape, tape.first + 1, 0);
        covector.v_mut().fill(0.0);
        let ended = self.linear.pull(Part::Begin(first), covector);
        let ended = ended.and_then(|()| self.linear.pull(Part::Momentum(first.from), covector));
        ended.map_err(|error| self.failed(error, tape.first + 1, first.from.t))
    }
}
