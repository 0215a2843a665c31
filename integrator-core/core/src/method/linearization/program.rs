//! The linear map of a step as a program of lines, each `y ← A x` or `y ← y + c A x`.
//!
//! A line can be undone by its transpose: the covector of x gains c Aᵀ times the covector of y. So one
//! list of lines, in the order of the scheme, gives the tangent forwards and the gradient backwards.
//!
//! The positions are extended by the parameters, x = (q, θ): a parameter is a coordinate that never
//! moves, and its covector is the derivative by it.

use crate::method::force_error::ForceError;

/// The number of a vector in a program.
pub(crate) type Vector = usize;
/// The positions and parameters, of length n + n_θ.
pub(crate) const Q: Vector = 0;
/// The momenta p = ∂L/∂v, of length n.
pub(crate) const P: Vector = 1;
/// A velocity, of length n.
pub(crate) const V: Vector = 2;
/// The first vector of an engine's own.
pub(crate) const OWN: Vector = 3;

/// The number of an operator of an engine.
pub(crate) type Operator = usize;
/// The operator 1; between vectors of different lengths it acts on their common part.
pub(crate) const ONE: Operator = usize::MAX;

/// A line of a program.
#[derive(Clone, Copy)]
pub struct Line {
    to: Vector,
    /// True if y is overwritten.
    sets: bool,
    /// c as a function of the step.
    factor: fn(f64) -> f64,
    by: Operator,
    from: Vector,
}

/// y ← A x.
pub(crate) const fn set(to: Vector, by: Operator, from: Vector) -> Line {
    Line { to, sets: true, factor: |_| 1.0, by, from }
}

/// y ← y + c A x, with c a function of the step.
pub(crate) const fn add(to: Vector, factor: fn(f64) -> f64, by: Operator, from: Vector) -> Line {
    Line { to, sets: false, factor, by, from }
}

/// The linear map of an engine's step: its program and its operators.
pub trait Linear: Send {
    /// From x and p to all vectors that steps carry, at a state: after it the program of a step follows.
    fn begin(&self) -> &[Line] {
        &[]
    }

    /// The step.
    fn step(&self) -> &[Line];

    /// From x and p to the velocity, at a state.
    fn velocity(&self) -> &[Line];

    /// From x and the velocity to p, at a state.
    fn momentum(&self) -> &[Line];

    /// The lengths of the engine's own vectors.
    fn vectors(&self) -> Vec<usize>;

    /// The degrees of freedom, and the parameters.
    fn dimension(&self) -> [usize; 2];

    /// False if an operator is zero for this system.
    fn has(&self, _by: Operator) -> bool {
        true
    }

    /// Evaluates and factors the operators of a step for [`Self::apply`]; `transposed` says which way it
    /// will be.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Result<(), ForceError>;

    /// Evaluates the operators of `velocity` at a state.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn stand_at(&mut self, node: &Node<'_>) -> Result<(), ForceError>;

    /// Evaluates the operators of `begin` and `momentum` at the beginning of the first step.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn stand_at_start(&mut self, first: &Span<'_>, _transposed: bool) -> Result<(), ForceError> {
        self.stand_at(&first.from)
    }

    /// True if p is the momentum of a state, which a bath may change between steps.
    fn has_momentum(&self) -> bool {
        true
    }

    /// The name of a row of its matrices, for messages.
    fn row_name(&self, row: usize) -> String;

    /// Writes A x, or Aᵀ x, over `y`.
    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]);
}

/// A state of a motion, with the numbers that its flow [traces](crate::method::flow::Flow::trace).
#[derive(Debug, Clone, Copy)]
pub struct Node<'t> {
    /// The time.
    pub t: f64,
    /// The positions.
    pub q: &'t [f64],
    /// The velocities.
    pub v: &'t [f64],
    /// The trace of the step that ends here.
    pub trace: &'t [f64],
}

/// A part of a step between two states.
#[derive(Debug, Clone, Copy)]
pub struct Span<'t> {
    /// Its beginning.
    pub from: Node<'t>,
    /// Its end.
    pub to: Node<'t>,
    /// Its length h.
    pub size: f64,
}

/// An end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The beginning.
    First,
    /// The end.
    Last,
}

impl<'t> Span<'t> {
    /// The state at an end.
    pub fn node(&self, end: End) -> Node<'t> {
        match end {
            End::First => self.from,
            End::Last => self.to,
        }
    }

    /// h² times the acceleration at an end of a step of two half kicks: 2 h (v₁ − v½) or 2 h (v½ − v₀),
    /// where h v½ = q₁ − q₀.
    pub fn accelerations(&self, end: End) -> impl Iterator<Item = f64> + use<'t> {
        let (h, from, to) = (self.size, self.from, self.to);
        let drift = from.q.iter().zip(to.q).map(|(q0, q1)| q1 - q0);
        drift.zip(from.v.iter().zip(to.v)).map(move |(drift, (v0, v1))| match end {
            End::First => 2.0 * (drift - h * v0),
            End::Last => 2.0 * (h * v1 - drift),
        })
    }
}

/// A tangent or a covector at a state of the motion.
#[derive(Debug, Clone)]
pub(crate) struct Variation {
    vectors: Vec<Vec<f64>>,
    n: usize,
    /// The part of the values of signals.
    pub(super) values: Vec<f64>,
}

impl Variation {
    /// The part of q.
    pub(crate) fn q(&self) -> &[f64] {
        &self.vectors[Q][..self.n]
    }

    /// The part of the parameters.
    pub(crate) fn parameters(&self) -> &[f64] {
        &self.vectors[Q][self.n..]
    }

    /// The part of the parameters, to be changed.
    pub(crate) fn parameters_mut(&mut self) -> &mut [f64] {
        &mut self.vectors[Q][self.n..]
    }

    /// The part of the values of signals.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The part of the values of signals, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The part of q and of the parameters, to be changed.
    pub(crate) fn x_mut(&mut self) -> &mut [f64] {
        &mut self.vectors[Q]
    }

    /// The velocity that [`Program::velocity`] leaves, or the covector of it.
    pub(crate) fn v(&self) -> &[f64] {
        &self.vectors[V]
    }

    /// See [`Self::v`].
    pub(crate) fn v_mut(&mut self) -> &mut [f64] {
        &mut self.vectors[V]
    }
}

/// The linear map of a step, forwards and transposed.
pub(crate) struct Program<'s> {
    linear: Box<dyn Linear + 's>,
    /// The lines of [`Part`], and true if the covector of x is zero where the way back meets a line.
    parts: [Vec<(Line, bool)>; 4],
    scratch: Vec<f64>,
    lengths: Vec<usize>,
}

impl<'s> Program<'s> {
    /// The program of an engine.
    pub(crate) fn new(linear: Box<dyn Linear + 's>) -> Self {
        let [n, parameters] = linear.dimension();
        let mut lengths = vec![n + parameters, n, n];
        lengths.extend(linear.vectors());
        let longest = lengths.iter().copied().max().unwrap_or_default();
        let known = |lines: &[Line]| -> Vec<Line> {
            lines.iter().copied().filter(|line| line.by == ONE || linear.has(line.by)).collect()
        };
        let [begin, step, velocity, momentum] =
            [linear.begin(), linear.step(), linear.velocity(), linear.momentum()].map(known);
        // Nobody reads a vector that the next line with it sets.
        let is_fresh = |vector: Vector, rest: &[Line]| {
            let next =
                rest.iter().chain(&step).find(|line| line.from == vector || line.sets && line.to == vector);
            next.is_some_and(|line| line.from != vector) && velocity.iter().all(|line| line.from != vector)
        };
        let of_step = step.iter().enumerate().map(|(k, line)| (*line, is_fresh(line.from, &step[k + 1..])));
        let others = |lines: Vec<Line>| lines.into_iter().map(|line| (line, false)).collect();
        let parts = [others(begin), of_step.collect(), others(velocity.clone()), others(momentum)];
        Self { scratch: vec![0.0; longest], lengths, parts, linear }
    }

    /// The engine's operators.
    pub(crate) fn linear(&self) -> &(dyn Linear + 's) {
        &*self.linear
    }

    /// A variation that is zero, with so many values of signals.
    pub(crate) fn zero(&self, values: usize) -> Variation {
        let vectors = self.lengths.iter().map(|length| vec![0.0; *length]).collect();
        Variation { vectors, n: self.linear.dimension()[0], values: vec![0.0; values] }
    }

    /// Evaluates a step for [`Self::push`] or [`Self::pull`].
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Result<(), ForceError> {
        self.linear.stand(step, transposed)
    }

    /// Carries a tangent over the step of this length.
    pub(crate) fn push(&mut self, size: f64, tangent: &mut Variation) {
        self.run(Part::Step, size, tangent);
    }

    /// Carries a covector back over the step of this length.
    pub(crate) fn pull(&mut self, size: f64, covector: &mut Variation) {
        self.run_back(Part::Step, size, covector);
    }

    /// From the variation of (x, v) at the beginning of the first step to a tangent.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn start(&mut self, first: &Span<'_>, tangent: &mut Variation) -> Result<(), ForceError> {
        self.linear.stand_at_start(first, false)?;
        self.run(Part::Momentum, 0.0, tangent);
        self.run(Part::Begin, first.size, tangent);
        Ok(())
    }

    /// From a covector at the start to the derivative by (x, v).
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn start_back(
        &mut self,
        first: &Span<'_>,
        covector: &mut Variation,
    ) -> Result<(), ForceError> {
        self.linear.stand_at_start(first, true)?;
        covector.vectors[V].fill(0.0);
        self.run_back(Part::Begin, first.size, covector);
        self.run_back(Part::Momentum, 0.0, covector);
        Ok(())
    }

    /// Writes the velocity of a tangent.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn velocity(&mut self, node: &Node<'_>, tangent: &mut Variation) -> Result<(), ForceError> {
        self.linear.stand_at(node)?;
        self.run(Part::Velocity, 0.0, tangent);
        Ok(())
    }

    /// Adds the covector of the velocity to a covector.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn velocity_back(
        &mut self,
        node: &Node<'_>,
        covector: &mut Variation,
    ) -> Result<(), ForceError> {
        self.linear.stand_at(node)?;
        self.run_back(Part::Velocity, 0.0, covector);
        Ok(())
    }

    fn run(&mut self, part: Part, size: f64, Variation { vectors, .. }: &mut Variation) {
        for &(Line { to, sets, factor, by, from }, _) in &self.parts[part as usize] {
            let mut y = std::mem::take(&mut vectors[to]);
            let (x, factor) = (&vectors[from], factor(size));
            if by == ONE {
                if sets {
                    y.iter_mut().zip(x).for_each(|(y, x)| *y = *x);
                } else {
                    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
                }
            } else if sets {
                self.linear.apply(by, false, x, &mut y);
            } else {
                let result = &mut self.scratch[..y.len()];
                self.linear.apply(by, false, x, result);
                y.iter_mut().zip(result).for_each(|(y, result)| *y += factor * *result);
            }
            vectors[to] = y;
        }
    }

    fn run_back(&mut self, part: Part, size: f64, Variation { vectors, .. }: &mut Variation) {
        for &(Line { to, sets, factor, by, from }, is_fresh) in self.parts[part as usize].iter().rev() {
            let mut x = std::mem::take(&mut vectors[from]);
            let (y, factor) = (&mut vectors[to], factor(size));
            if by == ONE {
                x.iter_mut().zip(&*y).for_each(|(x, y)| *x += factor * y);
            } else if is_fresh && sets {
                self.linear.apply(by, true, y, &mut x);
            } else {
                let result = &mut self.scratch[..x.len()];
                self.linear.apply(by, true, y, result);
                x.iter_mut().zip(result).for_each(|(x, result)| *x += factor * *result);
            }
            if sets {
                y.fill(0.0);
            }
            vectors[from] = x;
        }
    }
}

/// A part of a program.
#[derive(Clone, Copy)]
enum Part {
    Begin,
    Step,
    Velocity,
    Momentum,
}
