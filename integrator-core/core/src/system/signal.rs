//! Functions of time given by numbers: inputs of forces, and tables.

mod form;
mod held;

pub use form::SignalError;

use form::SignalForm;
use held::Held;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// The course of a [`Signal`] between its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Course {
    /// One value from each time to the next; jumps between them.
    Constant,
    /// Straight lines between values.
    Linear,
}

/// A number u(t) that depends on time: an `Input` of a force, or the table of `table(t, …)`.
///
/// The times t₀ < t₁ < … < t_k are in the unit of time of the model, and need not be times of steps.
/// A constant course has k values, one on each [t_i, t_{i+1}); a linear one has k + 1, one at each t_i.
/// Outside of [t₀, t_k] a signal is NaN, and a run that needs it there is refused.
/// [`Signal::steady`] has no times, and never ends.
/// [`Signal::held`] has one value, which a program may replace between two steps.
///
/// Integrals over any span take O(log k) additions without cancellation,
/// so they are exact to rounding. Copies share their numbers.
///
/// # As a parameter
/// A signal is read from its numbers, `{"times": [0, 1, 3], "values": [0.5, -2], "kind": "constant"}`,
/// from a file, `{"file": "torque.csv", "kind": "linear"}`, or from one number, `0.5`, which is steady;
/// `{"held": 0.5}` is held. The default kind is linear. See [`Signal::read`] for the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SignalForm", into = "SignalForm")]
pub struct Signal(Arc<SampledSignal>);

#[derive(Debug, PartialEq)]
struct SampledSignal {
    course: Course,
    times: Vec<f64>,
    values: Vec<f64>,
    /// The value of a held signal.
    held: Option<Held>,
    /// For each k, the integrals over blocks of 2ᵏ pieces from their starts s:
    /// ∫ u dt and ∫ (t − s) u dt.
    blocks: Vec<Vec<[f64; 2]>>,
}

/// A piece of a signal: u(t) = value + slope (t − start).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SignalPiece {
    pub(crate) value: f64,
    pub(crate) slope: f64,
    pub(crate) start: f64,
}

impl SignalPiece {
    /// ∫ u dt and ∫ (t − a) u dt from a to b.
    fn integrals(self, a: f64, b: f64) -> [f64; 2] {
        let (value, length) = (self.at(a), b - a);
        [
            length * (value + 0.5 * self.slope * length),
            length * length * (0.5 * value + self.slope * length / 3.0),
        ]
    }

    pub(crate) fn at(self, t: f64) -> f64 {
        self.value + self.slope * (t - self.start)
    }
}

impl Signal {
    /// A constant course from k + 1 times and k values, one from each time to the next.
    ///
    /// # Errors
    /// The numbers of times and values do not fit, times do not ascend, or a number is not finite.
    pub fn constant(times: Vec<f64>, values: Vec<f64>) -> Result<Self, SignalError> {
        Self::new(Course::Constant, times, values)
    }

    /// A linear course from times and as many values.
    ///
    /// # Errors
    /// The numbers of times and values do not fit, times do not ascend, or a number is not finite.
    pub fn linear(times: Vec<f64>, values: Vec<f64>) -> Result<Self, SignalError> {
        Self::new(Course::Linear, times, values)
    }

    /// One value at all times.
    ///
    /// # Errors
    /// The value is not finite.
    pub fn steady(value: f64) -> Result<Self, SignalError> {
        form::finite(&[value], "value")?;
        Ok(Self::without_times(value, None))
    }

    /// One value that [`Signal::set`] replaces: the input that a controller sets from step to step.
    ///
    /// ```
    /// # use least_action::system::Signal;
    /// let torque = Signal::held(0.0)?;
    /// let of_the_model = torque.clone();
    /// torque.set(0.3)?;
    /// assert_eq!(of_the_model.value(1.0), 0.3);
    /// # Ok::<(), least_action::system::SignalError>(())
    /// ```
    ///
    /// # Errors
    /// The value is not finite.
    pub fn held(value: f64) -> Result<Self, SignalError> {
        form::finite(&[value], "value")?;
        Ok(Self::without_times(value, Some(Held::new(value))))
    }

    fn without_times(value: f64, held: Option<Held>) -> Self {
        let (times, blocks) = (Vec::new(), Vec::new());
        Self(Arc::new(SampledSignal { course: Course::Constant, times, values: vec![value], held, blocks }))
    }

    /// Replaces the value of a [held](Self::held) signal in all copies, also in bound systems.
    ///
    /// A step reads one value: set it between two steps. If no `#[force]` has inputs, a stepper keeps
    /// forces from one step to the next: with a held signal in the Lagrangian, let it
    /// [go on](crate::method::Stepper::go_on_from) from its own state.
    ///
    /// # Errors
    /// The signal is not held, or the value is not finite.
    pub fn set(&self, value: f64) -> Result<(), SignalError> {
        form::finite(&[value], "value")?;
        self.0.held.as_ref().map(|held| held.set(value)).ok_or(SignalError::NotHeld)
    }

    /// True if [`Signal::set`] can replace the value.
    pub fn is_held(&self) -> bool {
        self.0.held.is_some()
    }

    /// A linear course from values of `of` at these times.
    ///
    /// # Errors
    /// The errors of [`Signal::linear`].
    pub fn sampled(times: Vec<f64>, of: impl FnMut(f64) -> f64) -> Result<Self, SignalError> {
        let values = times.iter().copied().map(of).collect();
        Self::linear(times, values)
    }

    /// Reads a file of two columns, time and value, separated by a comma, a semicolon or blanks; a first
    /// line of words, empty lines and text after a `#` are ignored. The last value of a constant course
    /// only ends it, and may be left out.
    ///
    /// # Errors
    /// The file cannot be read, a line does not have two numbers, or the errors of [`Signal::linear`].
    pub fn read(path: impl AsRef<Path>, course: Course) -> Result<Self, SignalError> {
        form::read(path.as_ref(), course)
    }

    fn new(course: Course, times: Vec<f64>, values: Vec<f64>) -> Result<Self, SignalError> {
        form::check(course, &times, &values)?;
        Ok(Self::of(course, times, values))
    }

    /// This signal with other values, as many as it has; a held signal takes its value for all copies.
    #[must_use]
    pub fn with_values(&self, values: &[f64]) -> Self {
        match (&self.0.held, values) {
            (Some(held), [value]) => {
                held.set(*value);
                self.clone()
            }
            (None, [value]) if self.times().is_empty() => Self::without_times(*value, None),
            _ => Self::of(self.course(), self.times().to_vec(), values.to_vec()),
        }
    }

    fn of(course: Course, times: Vec<f64>, values: Vec<f64>) -> Self {
        let mut numbers = SampledSignal { course, times, values, held: None, blocks: Vec::new() };
        let pieces = numbers.times.len() - 1;
        let first = (0..pieces).map(|k| numbers.piece(k).integrals(numbers.times[k], numbers.times[k + 1]));
        let mut blocks: Vec<[f64; 2]> = first.collect();
        let mut length = 1;
        while !blocks.is_empty() {
            let joined = blocks.chunks_exact(2).enumerate().map(|(k, pair)| {
                let apart = numbers.times[(2 * k + 1) * length] - numbers.times[2 * k * length];
                [pair[0][0] + pair[1][0], pair[0][1] + pair[1][1] + apart * pair[1][0]]
            });
            let joined = joined.collect();
            numbers.blocks.push(std::mem::replace(&mut blocks, joined));
            length *= 2;
        }
        Self(Arc::new(numbers))
    }

    /// The course between the times.
    pub fn course(&self) -> Course {
        self.0.course
    }

    /// The times t₀ … t_k; empty for a steady signal.
    pub fn times(&self) -> &[f64] {
        &self.0.times
    }

    /// The values; for a held signal the first one.
    pub fn values(&self) -> &[f64] {
        &self.0.values
    }

    /// The first and the last time of the signal.
    pub fn span(&self) -> [f64; 2] {
        match self.0.times[..] {
            [first, .., last] => [first, last],
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// True if the signal is defined at t; times that differ by rounding are equal.
    pub fn reaches(&self, t: f64) -> bool {
        let [first, last] = self.span();
        let rounding = 1e-10 * (last - first).max(t.abs()).min(f64::MAX);
        (first..=last).contains(&t) || (first - rounding..=last + rounding).contains(&t)
    }

    /// u(t); at a jump, the value after it; NaN outside of the times.
    pub fn value(&self, t: f64) -> f64 {
        self.piece_at(t).at(t)
    }

    /// The slope of u at t; at a bend, the slope after it.
    pub fn slope(&self, t: f64) -> f64 {
        self.piece_at(t).slope
    }

    /// ∫ u dt from a to b.
    pub fn integral(&self, a: f64, b: f64) -> f64 {
        self.moments(a, b)[0]
    }

    /// m₀ = ∫ u dt and m₁ = ∫ (t − a)/(b − a) u dt from a to b, where b may lie before a:
    /// the impulse of u, and its part for the end of a step from a to b.
    pub fn moments(&self, a: f64, b: f64) -> [f64; 2] {
        if b < a {
            let [whole, end] = self.moments(b, a);
            return [-whole, end - whole];
        }
        if !(self.reaches(a) && self.reaches(b)) {
            return [f64::NAN; 2];
        }
        let numbers = &*self.0;
        let (first, last) = (numbers.place(a), numbers.before(b));
        let length = b - a;
        let [mut whole, mut about] = if first >= last {
            numbers.piece(first).integrals(a, b)
        } else {
            numbers.piece(first).integrals(a, numbers.times[first + 1])
        };
        let mut add = |[of, own]: [f64; 2], start: f64| {
            whole += of;
            about += own + (start - a) * of;
        };
        let mut place = first + 1;
        while place < last {
            let level = place.trailing_zeros().min((last - place).ilog2());
            add(numbers.blocks[level as usize][place >> level], numbers.times[place]);
            place += 1 << level;
        }
        if first < last {
            let start = numbers.times[last];
            add(numbers.piece(last).integrals(start, b), start);
        }
        [whole, if length > 0.0 { about / length } else { 0.0 }]
    }

    /// Visits the values on which [`moments`](Self::moments) depend, with both derivatives by them.
    pub(crate) fn moments_by_values(&self, a: f64, b: f64, visit: &mut dyn FnMut(usize, [f64; 2])) {
        if b < a {
            return self
                .moments_by_values(b, a, &mut |value, [whole, end]| visit(value, [-whole, end - whole]));
        }
        let (numbers, length) = (&*self.0, b - a);
        let (first, last) = (numbers.place(a), numbers.before(b));
        for place in first..=last.max(first) {
            let from = if place == first { a } else { numbers.times[place] };
            let to = if place >= last { b } else { numbers.times[place + 1] };
            // The parts of the values in the piece, as pieces of their own.
            let rise = match numbers.course {
                Course::Constant => 0.0,
                Course::Linear => 1.0 / (numbers.times[place + 1] - numbers.times[place]),
            };
            let start = numbers.times.get(place).copied().unwrap_or_default();
            for (k, piece) in [
                (place, SignalPiece { value: 1.0, slope: -rise, start }),
                (place + 1, SignalPiece { value: 0.0, slope: rise, start }),
            ] {
                let [whole, about] = piece.integrals(from, to);
                if whole != 0.0 {
                    visit(k, [whole, (about + (from - a) * whole) / length]);
                }
            }
        }
    }

    /// The first time after t at which u jumps or bends.
    pub fn next_time(&self, t: f64) -> Option<f64> {
        let times = self.times();
        times.get(times.partition_point(|time| *time <= t)).copied()
    }

    /// The piece at t.
    pub(crate) fn piece_at(&self, t: f64) -> SignalPiece {
        if self.reaches(t) {
            self.0.piece(self.0.place(t))
        } else {
            SignalPiece { value: f64::NAN, slope: f64::NAN, start: t }
        }
    }
}

impl SampledSignal {
    fn pieces(&self) -> usize {
        self.times.len().saturating_sub(1).max(1)
    }

    /// The piece at t; the first or the last one if t is outside by rounding.
    fn place(&self, t: f64) -> usize {
        let after = self.times.partition_point(|time| *time <= t);
        after.saturating_sub(1).min(self.pieces() - 1)
    }

    /// The piece before t.
    fn before(&self, t: f64) -> usize {
        let after = self.times.partition_point(|time| *time < t);
        after.saturating_sub(1).min(self.pieces() - 1)
    }

    fn piece(&self, place: usize) -> SignalPiece {
        let start = self.times.get(place).copied().unwrap_or_default();
        let value = self.held.as_ref().map_or(self.values[place], Held::value);
        let slope = match self.course {
            Course::Constant => 0.0,
            Course::Linear => (self.values[place + 1] - value) / (self.times[place + 1] - start),
        };
        SignalPiece { value, slope, start }
    }
}

impl Default for Signal {
    /// Zero at all times.
    fn default() -> Self {
        Self::without_times(0.0, None)
    }
}
