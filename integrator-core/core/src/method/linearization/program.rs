//! The linear map of a step as a list of lines, each `y ← A x` or `y ← y + c A x`.
//!
//! A line can be undone by its transpose: the covector of x gains c Aᵀ times the covector of y. So one
//! list of lines, in the order of the scheme, gives the tangent forwards and the gradient backwards.
//! A stage of a step is a short list of lines, and a step is a list of stages.
//!
//! The positions are extended by the parameters, x = (q, θ): a parameter is a coordinate that never
//! moves, and its covector is the derivative by it.

use super::span::{Node, Span};
use super::sparse::Sparse;
use super::variation::{Variation, Vector};
use crate::forward::forward;
use crate::lanes::{Registers, Width};
use crate::method::force_error::Attempt;

/// The factor c hᵏ of a line, for a step of length h.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factor(pub(super) f64, pub(super) i32);

impl Factor {
    pub(crate) const ONE: Self = Self(1.0, 0);
    pub(crate) const MINUS: Self = Self(-1.0, 0);
    /// h.
    pub(crate) const STEP: Self = Self(1.0, 1);
    /// ½ h.
    pub(crate) const HALF_STEP: Self = Self(0.5, 1);
    /// 1/h.
    pub(crate) const PER_STEP: Self = Self(1.0, -1);

    fn at(self, step: f64) -> f64 {
        self.0 * step.powi(self.1)
    }
}

/// A line with an operator of an engine, or with the operator 1, which acts on the common part of
/// vectors of different lengths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<O> {
    to: Vector,
    /// True if y is overwritten.
    sets: bool,
    factor: Factor,
    by: Option<O>,
    from: Vector,
}

/// y ← A x.
pub(crate) const fn set<O: Copy>(to: Vector, by: O, from: Vector) -> Line<O> {
    Line { to, sets: true, factor: Factor::ONE, by: Some(by), from }
}

/// y ← y + c A x.
pub(crate) const fn add<O: Copy>(to: Vector, factor: Factor, by: O, from: Vector) -> Line<O> {
    Line { to, sets: false, factor, by: Some(by), from }
}

/// y ← x.
pub(crate) const fn copy<O: Copy>(to: Vector, from: Vector) -> Line<O> {
    Line { to, sets: true, factor: Factor::ONE, by: None, from }
}

/// y ← y + c x.
pub(crate) const fn plus<O: Copy>(to: Vector, factor: Factor, from: Vector) -> Line<O> {
    Line { to, sets: false, factor, by: None, from }
}

/// A part of a program, with the states at which it acts.
#[derive(Debug, Clone, Copy)]
pub enum Part<'t> {
    /// From x and the velocity to p, at the start.
    Momentum(Node<'t>),
    /// From x and p to all vectors that steps carry, at the beginning of the first step.
    Begin(Span<'t>),
    /// The step.
    Step(Span<'t>),
    /// From x and p to the velocity, at a state.
    Velocity(Node<'t>),
}

impl Part<'_> {
    fn size(&self) -> f64 {
        match self {
            Self::Begin(span) | Self::Step(span) => span.size,
            Self::Momentum(_) | Self::Velocity(_) => 1.0,
        }
    }
}

/// The lines of each [`Part`].
#[derive(Debug, Clone)]
pub(crate) struct Lines<O> {
    pub(crate) momentum: Vec<Line<O>>,
    pub(crate) begin: Vec<Line<O>>,
    pub(crate) step: Vec<Line<O>>,
    pub(crate) velocity: Vec<Line<O>>,
}

impl<O: Copy> Lines<O> {
    /// Leaves out lines of operators that are zero.
    fn retain(&mut self, engine: &impl Linear<Operator = O>) {
        for part in [&mut self.momentum, &mut self.begin, &mut self.step, &mut self.velocity] {
            part.retain(|line| line.by.is_none_or(|by| engine.has(by)));
        }
    }

    /// For each line of the step, true if the covector of x is zero where the way back meets the line.
    fn are_fresh(&self) -> Vec<bool> {
        let Lines { step, velocity, .. } = self;
        // Nobody reads a vector that the next line with it sets.
        let is_fresh = |vector: Vector, rest: &[Line<_>]| {
            let next =
                rest.iter().chain(step).find(|line| line.from == vector || line.sets && line.to == vector);
            next.is_some_and(|line| line.from != vector) && velocity.iter().all(|line| line.from != vector)
        };
        let of_step = step.iter().enumerate();
        of_step.map(|(k, line)| is_fresh(line.from, &step[k + 1..])).collect()
    }

    fn of(&self, part: &Part<'_>) -> &[Line<O>] {
        match part {
            Part::Momentum(_) => &self.momentum,
            Part::Begin(_) => &self.begin,
            Part::Step(_) => &self.step,
            Part::Velocity(_) => &self.velocity,
        }
    }
}

/// The operators of an engine.
pub(crate) trait Linear: Send {
    /// Their names.
    type Operator: Copy + Send;

    /// The lines that use them.
    fn lines(&self) -> Lines<Self::Operator>;

    /// The lengths of the vectors that the lines use beside position, momentum and velocity.
    fn lengths(&self) -> Vec<(Vector, usize)>;

    /// The degrees of freedom, and the parameters.
    fn dimension(&self) -> [usize; 2];

    /// May leave out slopes by the parameters along which no tangent moves, for tangents alone.
    fn keep(&mut self, _moving: &[bool]) {}

    /// False if an operator is zero for this system.
    fn has(&self, _by: Self::Operator) -> bool {
        true
    }

    /// Evaluates and factors the operators of a part for [`Self::apply`]; `transposed` says which way it
    /// will be.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn stand(&mut self, part: Part<'_>, transposed: bool) -> Attempt;

    /// True if p is the momentum of a state, which a bath may change between steps.
    fn has_momentum(&self) -> bool {
        true
    }

    /// The name of a row of its matrices, for messages.
    fn row_name(&self, row: usize) -> String;

    /// Writes A x, or Aᵀ x, over `y`.
    fn apply(&mut self, by: Self::Operator, transposed: bool, x: &[f64], y: &mut [f64]);

    /// A as a sparse matrix, if it is quicker to multiply with than to apply to several vectors.
    fn matrix(&mut self, _by: Self::Operator) -> Option<Sparse<'_>> {
        None
    }
}

/// The operators of an engine with those of its stages among them.
macro_rules! with_stages {
    ($Operator:ident: $($Variant:ident($Own:ident)),+) => {$(
        impl From<$Own> for $Operator {
            fn from(own: $Own) -> Self {
                Self::$Variant(own)
            }
        }
    )+};
}

pub(in crate::method) use with_stages;

/// The linear map of a step, forwards and transposed.
pub trait LinearStep: Send {
    /// The degrees of freedom, and the parameters.
    fn dimension(&self) -> [usize; 2];

    /// True if p is the momentum of a state, which a bath may change between steps.
    fn has_momentum(&self) -> bool;

    /// The name of a row of its matrices, for messages.
    fn row_name(&self, row: usize) -> String;

    /// See [`Linear::keep`].
    #[doc(hidden)]
    fn keep(&mut self, moving: &[bool]);

    /// A variation that is zero.
    #[doc(hidden)]
    fn zero(&self) -> Variation;

    /// Carries tangents over a part.
    ///
    /// # Errors
    /// A matrix is singular there.
    #[doc(hidden)]
    fn push(&mut self, part: Part<'_>, tangents: &mut [Variation]) -> Attempt;

    /// Carries a covector back over a part.
    ///
    /// # Errors
    /// A matrix is singular there.
    #[doc(hidden)]
    fn pull(&mut self, part: Part<'_>, covector: &mut Variation) -> Attempt;
}

/// The lines of an engine with its operators.
pub(crate) struct Program<E: Linear> {
    engine: E,
    lines: Lines<E::Operator>,
    /// See [`Lines::are_fresh`].
    are_fresh: Vec<bool>,
    scratch: Vec<f64>,
    column: Vec<f64>,
    registers: Option<Registers>,
}

impl<E: Linear> Program<E> {
    pub(crate) fn new(engine: E) -> Self {
        let mut lines = engine.lines();
        lines.retain(&engine);
        let are_fresh = lines.are_fresh();
        let lengths = engine.lengths().into_iter().map(|(_, length)| length);
        let longest = lengths.max().unwrap_or(0).max(engine.dimension().iter().sum());
        let [scratch, column] = [(); 2].map(|()| vec![0.0; longest]);
        Self { engine, lines, are_fresh, scratch, column, registers: Width::widest().registers() }
    }

    /// The lengths of the vectors beside position, momentum and velocity.
    pub(in crate::method) fn lengths(&self) -> Vec<(Vector, usize)> {
        self.engine.lengths()
    }
}

impl<E: Linear> LinearStep for Program<E> {
    forward! { engine:
        dimension() -> [usize; 2];
        has_momentum() -> bool;
        row_name(row: usize) -> String;
    }

    fn zero(&self) -> Variation {
        let mut zero = Variation::zero(self.engine.dimension());
        zero.give(&self.lengths());
        zero
    }

    fn keep(&mut self, moving: &[bool]) {
        self.engine.keep(moving);
        self.lines = self.engine.lines();
        self.lines.retain(&self.engine);
        self.are_fresh = self.lines.are_fresh();
    }

    fn push(&mut self, part: Part<'_>, tangents: &mut [Variation]) -> Attempt {
        self.engine.stand(part, false)?;
        let Self { engine, lines, scratch, column, registers, .. } = self;
        let are_abreast = tangents.iter().any(|tangent| tangent.lanes() > 1);
        for line in lines.of(&part) {
            let (Line { to, sets, by, from, .. }, factor) = (*line, line.factor.at(part.size()));
            let matrix = by.filter(|_| are_abreast).and_then(|by| engine.matrix(by));
            if let Some(matrix) = matrix {
                for tangent in &mut *tangents {
                    tangent.between(from, to, |x, y| {
                        if sets {
                            y.fill(0.0);
                        }
                        matrix.add(*registers, (factor, x), y);
                    });
                }
                continue;
            }
            for tangent in &mut *tangents {
                let [count, lanes] = [tangent.count(), tangent.lanes()];
                tangent.between(from, to, |x, y| match by {
                    None => write(sets, factor, y.iter_mut(), &*x),
                    Some(by) if lanes == 1 && sets => engine.apply(by, false, x, y),
                    Some(by) if lanes == 1 => {
                        let product = &mut scratch[..y.len()];
                        engine.apply(by, false, x, product);
                        write(sets, factor, y.iter_mut(), &*product);
                    }
                    Some(by) => {
                        let column = &mut column[..x.len() / lanes];
                        let product = &mut scratch[..y.len() / lanes];
                        for k in 0..count {
                            write(true, 1.0, column.iter_mut(), x.iter().skip(k).step_by(lanes));
                            engine.apply(by, false, column, product);
                            write(sets, factor, y.iter_mut().skip(k).step_by(lanes), &*product);
                        }
                    }
                });
            }
        }
        Ok(())
    }

    fn pull(&mut self, part: Part<'_>, covector: &mut Variation) -> Attempt {
        self.engine.stand(part, true)?;
        let Self { engine, lines, are_fresh, scratch, .. } = self;
        let are_fresh = if matches!(part, Part::Step(_)) { &are_fresh[..] } else { &[] };
        for (k, line) in lines.of(&part).iter().enumerate().rev() {
            let (Line { to, sets, by, from, .. }, factor) = (*line, line.factor.at(part.size()));
            let is_fresh = are_fresh.get(k) == Some(&true);
            covector.between(from, to, |x, y| {
                match by {
                    None => x.iter_mut().zip(&*y).for_each(|(x, y)| *x += factor * y),
                    Some(by) if is_fresh && sets => engine.apply(by, true, y, x),
                    Some(by) => {
                        let result = &mut scratch[..x.len()];
                        engine.apply(by, true, y, result);
                        x.iter_mut().zip(result).for_each(|(x, result)| *x += factor * *result);
                    }
                }
                if sets {
                    y.fill(0.0);
                }
            });
        }
        Ok(())
    }
}

/// y ← x, and zero beyond x, or y ← y + c x.
fn write<'a>(
    sets: bool,
    factor: f64,
    y: impl Iterator<Item = &'a mut f64>,
    x: impl IntoIterator<Item = &'a f64>,
) {
    let mut x = x.into_iter();
    if sets {
        y.for_each(|y| *y = x.next().copied().unwrap_or_default());
    } else {
        y.zip(x).for_each(|(y, x)| *y += factor * x);
    }
}
