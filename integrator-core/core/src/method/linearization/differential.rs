//! A run that records its states, and carries tangents and covectors over its steps.

use super::contract::Differentiable;
use super::inputs::Inputs;
use super::program::{Node, Program, Span, Variation};
use crate::carried::{CarryError, put_back, save};
use crate::error::{Begun, StepError};
use crate::method::contract::Stepper;
use crate::method::flow::{Flow, Substep};
use crate::method::force_error::ForceError;
use crate::method::running::Running;
use crate::system::{HeldAngles, State, System, turns};

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

    fn push<F: Flow>(&mut self, run: &Running<'_, F>) {
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

/// A run of any method, for the driver of derivatives.
pub(crate) trait Differential: Send {
    /// The last state.
    fn state(&self) -> &State;

    /// The number of steps done.
    fn steps(&self) -> u64;

    /// The numbers that a recorded step takes.
    fn numbers_of_a_step(&self) -> usize;

    /// An empty tape.
    fn tape(&self) -> Tape;

    /// Takes a step, and records its parts on a tape with the state before.
    ///
    /// # Errors
    /// When the step fails.
    fn step(&mut self, tape: Option<&mut Tape>) -> Result<(), StepError>;

    /// Records the present state as the first of a tape.
    fn record_first(&mut self, tape: &mut Tape);

    /// Appends the memory of the run.
    ///
    /// # Errors
    /// A file beside the run fails.
    fn save(&mut self, words: &mut Vec<u64>) -> Result<(), CarryError>;

    /// Puts the memory of the run back.
    ///
    /// # Errors
    /// The words belong to another run.
    fn put_back(&mut self, words: &[u64]) -> Result<(), CarryError>;

    /// A variation that is zero.
    fn zero(&self) -> Variation;

    /// From variations of (x, v) at the first state of a tape, which holds a step, to tangents.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn begin(&mut self, tape: &Tape, tangents: &mut [Variation]) -> Result<(), StepError>;

    /// Writes the velocities of tangents at a state.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn velocities(&mut self, tape: &Tape, number: u64, tangents: &mut [Variation]) -> Result<(), StepError>;

    /// Carries tangents over step `number` of a tape, counted from 1.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn push(&mut self, tape: &Tape, number: u64, tangents: &mut [Variation]) -> Result<(), StepError>;

    /// Adds the covector of (x, v) at a state to a covector.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn inject(&mut self, tape: &Tape, number: u64, covector: &mut Variation) -> Result<(), StepError>;

    /// Carries a covector back over step `number` of a tape.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn pull(&mut self, tape: &Tape, number: u64, covector: &mut Variation) -> Result<(), StepError>;

    /// From a covector at the first state to the derivative by (x, v) there.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn end(&mut self, tape: &Tape, covector: &mut Variation) -> Result<(), StepError>;
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
) -> Begun<Box<dyn Differential + 's>> {
    let (parts, start) = (method.parts(), state.t);
    let flow = method.traced(system, state, step)?;
    let program = Program::new(method.linear(system, parts.len())?);
    let inputs = Inputs::new(system.parametric(), program.linear().dimension());
    Ok(Box::new(Differentiated { flow, program, inputs, method: M::NAME, parts, start, step, steps: 0 }))
}

struct Differentiated<'s, F> {
    flow: Running<'s, F>,
    program: Program<'s>,
    inputs: Inputs,
    method: &'static str,
    parts: &'static [f64],
    start: f64,
    step: f64,
    steps: u64,
}

impl<F: Flow> Differentiated<'_, F> {
    fn failed(&self, error: ForceError, number: u64, time: f64) -> StepError {
        let substep = Substep { number, size: self.step, end: time + self.step };
        let remedy = "its derivative needs another start or a smaller step";
        error.in_step(self.method, |row| self.program.linear().row_name(row), &substep, time, remedy)
    }

    /// Stands at part `k` of a step of a tape; returns its span of time.
    fn stand(&mut self, tape: &Tape, number: u64, k: usize, transposed: bool) -> Result<[f64; 2], StepError> {
        let span = self.span(tape, number, k);
        let stood = self.program.stand(&span, transposed);
        stood.map_err(|error| self.failed(error, number, span.from.t))?;
        Ok([span.from.t, span.size])
    }

    /// Part `k` of a step of a tape.
    fn span<'t>(&self, tape: &'t Tape, number: u64, k: usize) -> Span<'t> {
        let place = tape.place(number - 1) + k;
        Span { from: tape.part(place), to: tape.part(place + 1), size: self.parts[k] * self.step }
    }
}

impl<F: Flow> Differential for Differentiated<'_, F> {
    fn state(&self) -> &State {
        self.flow.state()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn numbers_of_a_step(&self) -> usize {
        self.tape().length() * self.parts.len()
    }

    fn tape(&self) -> Tape {
        let trace = self.flow.flow().trace_length();
        let angles = self.flow.hold_angles().map_or((0, 0), |held| held.of());
        Tape { n: self.state().q.len(), trace, angles, parts: self.parts.len(), ..Tape::default() }
    }

    fn step(&mut self, mut tape: Option<&mut Tape>) -> Result<(), StepError> {
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

    fn record_first(&mut self, tape: &mut Tape) {
        tape.clear(self.steps);
        tape.push(&self.flow);
    }

    fn save(&mut self, words: &mut Vec<u64>) -> Result<(), CarryError> {
        words.push(self.steps);
        save(&mut self.flow, words)
    }

    fn put_back(&mut self, words: &[u64]) -> Result<(), CarryError> {
        let (steps, words) = words.split_first().ok_or(CarryError::Foreign)?;
        self.steps = *steps;
        put_back(&mut self.flow, words).map(|_| ())
    }

    fn zero(&self) -> Variation {
        self.program.zero(self.inputs.values())
    }

    fn begin(&mut self, tape: &Tape, tangents: &mut [Variation]) -> Result<(), StepError> {
        let _held = tape.hold(0);
        let first = self.span(tape, tape.first + 1, 0);
        let begun = self.program.start(&first, tangents);
        begun.map_err(|error| self.failed(error, tape.first + 1, first.from.t))
    }

    fn push(&mut self, tape: &Tape, number: u64, tangents: &mut [Variation]) -> Result<(), StepError> {
        for k in 0..self.parts.len() {
            let _held = tape.hold(tape.place(number - 1) + k);
            let [from, size] = self.stand(tape, number, k, false)?;
            tangents.iter_mut().for_each(|tangent| self.inputs.read([from, from + size], tangent));
            self.program.push(size, tangents);
        }
        Ok(())
    }

    fn velocities(&mut self, tape: &Tape, number: u64, tangents: &mut [Variation]) -> Result<(), StepError> {
        let _held = tape.hold(tape.place(number));
        let node = tape.state(number);
        let moved = self.program.velocity(&node, tangents);
        moved.map_err(|error| self.failed(error, number, node.t))
    }

    fn inject(&mut self, tape: &Tape, number: u64, covector: &mut Variation) -> Result<(), StepError> {
        let _held = tape.hold(tape.place(number));
        let node = tape.state(number);
        let added = self.program.velocity_back(&node, covector);
        added.map_err(|error| self.failed(error, number, node.t))
    }

    fn pull(&mut self, tape: &Tape, number: u64, covector: &mut Variation) -> Result<(), StepError> {
        for k in (0..self.parts.len()).rev() {
            let _held = tape.hold(tape.place(number - 1) + k);
            let [from, size] = self.stand(tape, number, k, true)?;
            self.program.pull(size, covector);
            self.inputs.take([from, from + size], covector);
        }
        Ok(())
    }

    fn end(&mut self, tape: &Tape, covector: &mut Variation) -> Result<(), StepError> {
        let _held = tape.hold(0);
        let first = self.span(tape, tape.first + 1, 0);
        let ended = self.program.start_back(&first, covector);
        ended.map_err(|error| self.failed(error, tape.first + 1, first.from.t))
    }
}
