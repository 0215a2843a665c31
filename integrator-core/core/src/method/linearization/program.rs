//! The linear map of a step as a program of lines, each `y ← A x` or `y ← y + c A x`.
//!
//! A line can be undone by its transpose: the covector of x gains c Aᵀ times the covector of y. So one
//! list of lines, in the order of the scheme, gives the tangent forwards and the gradient backwards.
//!
//! The positions are extended by the parameters, x = (q, θ): a parameter is a coordinate that never
//! moves, and its covector is the derivative by it.

use super::sparse::Sparse;
use crate::lanes::{Registers, Width};
use crate::method::force_error::Attempt;

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

impl Line {
    /// Visits x and y of variations with the number of tangents and of lanes.
    fn visit(&self, variations: &mut [Variation], mut work: impl FnMut([usize; 2], &[f64], &mut [f64])) {
        for Variation { vectors, count, lanes, .. } in variations {
            let mut y = std::mem::take(&mut vectors[self.to]);
            work([*count, *lanes], &vectors[self.from], &mut y);
            vectors[self.to] = y;
        }
    }
}

/// y ← A x.
pub(crate) const fn set(to: Vector, by: Operator, from: Vector) -> Line {
    Line { to, sets: true, factor: |_| 1.0, by, from }
}

/// y ← y + c A x, with c a function of the step.
pub(crate) const fn add(to: Vector, factor: fn(f64) -> f64, by: Operator, from: Vector) -> Line {
    Line { to, sets: false, factor, by, from }
}

/// The program of an engine.
#[derive(Clone, Copy)]
pub struct Lines<'l> {
    /// From x and p to all vectors that steps carry, at a state: after it the program of a step follows.
    pub begin: &'l [Line],
    /// The step.
    pub step: &'l [Line],
    /// From x and p to the velocity, at a state.
    pub velocity: &'l [Line],
    /// From x and the velocity to p, at a state.
    pub momentum: &'l [Line],
}

/// The linear map of an engine's step: its program and its operators.
pub trait Linear: Send {
    /// The program.
    fn lines(&self) -> Lines<'_>;

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
    fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Attempt;

    /// Evaluates the operators of `velocity` at a state.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn stand_at(&mut self, node: &Node<'_>) -> Attempt;

    /// Evaluates the operators of `begin` and `momentum` at the beginning of the first step.
    ///
    /// # Errors
    /// A matrix is singular there.
    fn stand_at_start(&mut self, first: &Span<'_>, _transposed: bool) -> Attempt {
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

    /// A as a sparse matrix, if it is quicker to multiply with than to apply to several vectors.
    fn matrix(&mut self, _by: Operator) -> Option<Sparse<'_>> {
        None
    }
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
pub(crate) enum End {
    /// The beginning.
    First,
    /// The end.
    Last,
}

impl<'t> Span<'t> {
    /// The state at an end.
    pub(crate) fn node(&self, end: End) -> Node<'t> {
        match end {
            End::First => self.from,
            End::Last => self.to,
        }
    }

    /// h² times the acceleration at an end of a step of two half kicks: 2 h (v₁ − v½) or 2 h (v½ − v₀),
    /// where h v½ = q₁ − q₀.
    pub(crate) fn accelerations(&self, end: End) -> impl Iterator<Item = f64> + use<'t> {
        let (h, from, to) = (self.size, self.from, self.to);
        let drift = from.q.iter().zip(to.q).map(|(q0, q1)| q1 - q0);
        drift.zip(from.v.iter().zip(to.v)).map(move |(drift, (v0, v1))| match end {
            End::First => 2.0 * (drift - h * v0),
            End::Last => 2.0 * (h * v1 - drift),
        })
    }
}

/// A covector, a tangent, or up to [`ABREAST`](super::ABREAST) tangents abreast, at a state.
///
/// Vectors have the numbers of all lanes for each entry, one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Variation {
    vectors: Vec<Vec<f64>>,
    n: usize,
    /// The number of tangents.
    count: usize,
    lanes: usize,
    /// The part of the values of signals.
    pub(super) values: Vec<f64>,
}

impl Variation {
    /// Tangents, each in one lane, side by side in so many lanes.
    pub(crate) fn abreast(tangents: &[Self], lanes: usize) -> Self {
        let all = |of: &dyn Fn(&Self) -> &[f64]| {
            let length = tangents.first().map_or(0, |tangent| of(tangent).len());
            let lane = |i: usize, k: usize| tangents.get(k).map_or(0.0, |tangent| of(tangent)[i]);
            (0..length).flat_map(|i| (0..lanes).map(move |k| (i, k))).map(|(i, k)| lane(i, k)).collect()
        };
        let (vectors, n) = tangents.first().map_or((0, 0), |tangent| (tangent.vectors.len(), tangent.n));
        let vectors = (0..vectors).map(|vector| all(&|tangent| &tangent.vectors[vector])).collect();
        Self { vectors, n, count: tangents.len(), lanes, values: all(&|tangent| &tangent.values) }
    }

    /// The number of lanes, 1 or [`ABREAST`](super::ABREAST): entry i of lane k is number i × lanes + k.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// The part of q.
    pub(crate) fn q(&self) -> &[f64] {
        &self.vectors[Q][..self.lanes * self.n]
    }

    /// Writes the parts of q and v of lane k over both arguments.
    pub(crate) fn copy(&self, k: usize, [q, v]: &mut [Vec<f64>; 2]) {
        for (to, from) in [(q, self.q()), (v, self.v())] {
            to.iter_mut().zip(from.iter().skip(k).step_by(self.lanes)).for_each(|(to, from)| *to = *from);
        }
    }

    /// The part of the parameters.
    pub(crate) fn parameters(&self) -> &[f64] {
        &self.vectors[Q][self.lanes * self.n..]
    }

    /// The part of the parameters, to be changed.
    pub(crate) fn parameters_mut(&mut self) -> &mut [f64] {
        &mut self.vectors[Q][self.lanes * self.n..]
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
    column: Vec<f64>,
    registers: Option<Registers>,
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
        let Lines { begin, step, velocity, momentum } = linear.lines();
        let [begin, step, velocity, momentum] = [begin, step, velocity, momentum].map(known);
        // Nobody reads a vector that the next line with it sets.
        let is_fresh = |vector: Vector, rest: &[Line]| {
            let next =
                rest.iter().chain(&step).find(|line| line.from == vector || line.sets && line.to == vector);
            next.is_some_and(|line| line.from != vector) && velocity.iter().all(|line| line.from != vector)
        };
        let of_step = step.iter().enumerate().map(|(k, line)| (*line, is_fresh(line.from, &step[k + 1..])));
        let others = |lines: Vec<Line>| lines.into_iter().map(|line| (line, false)).collect();
        let parts = [others(begin), of_step.collect(), others(velocity.clone()), others(momentum)];
        let [scratch, column] = [(); 2].map(|()| vec![0.0; longest]);
        let registers = Width::widest().registers();
        Self { linear, parts, scratch, column, registers, lengths }
    }

    /// The engine's operators.
    pub(crate) fn linear(&self) -> &(dyn Linear + 's) {
        &*self.linear
    }

    /// A variation that is zero, with so many values of signals.
    pub(crate) fn zero(&self, values: usize) -> Variation {
        let vectors = self.lengths.iter().map(|length| vec![0.0; *length]).collect();
        let n = self.linear.dimension()[0];
        Variation { vectors, n, count: 1, lanes: 1, values: vec![0.0; values] }
    }

    /// Evaluates a step for [`Self::push`] or [`Self::pull`].
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        self.linear.stand(step, transposed)
    }

    /// Carries tangents over the step of this length.
    pub(crate) fn push(&mut self, size: f64, tangents: &mut [Variation]) {
        self.run(Part::Step, size, tangents);
    }

    /// Carries a covector back over the step of this length.
    pub(crate) fn pull(&mut self, size: f64, covector: &mut Variation) {
        self.run_back(Part::Step, size, covector);
    }

    /// From variations of (x, v) at the beginning of the first step to tangents.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn start(&mut self, first: &Span<'_>, tangents: &mut [Variation]) -> Attempt {
        self.linear.stand_at_start(first, false)?;
        self.run(Part::Momentum, 0.0, tangents);
        self.run(Part::Begin, first.size, tangents);
        Ok(())
    }

    /// From a covector at the start to the derivative by (x, v).
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn start_back(&mut self, first: &Span<'_>, covector: &mut Variation) -> Attempt {
        self.linear.stand_at_start(first, true)?;
        covector.vectors[V].fill(0.0);
        self.run_back(Part::Begin, first.size, covector);
        self.run_back(Part::Momentum, 0.0, covector);
        Ok(())
    }

    /// Writes the velocities of tangents.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn velocity(&mut self, node: &Node<'_>, tangents: &mut [Variation]) -> Attempt {
        self.linear.stand_at(node)?;
        self.run(Part::Velocity, 0.0, tangents);
        Ok(())
    }

    /// Adds the covector of the velocity to a covector.
    ///
    /// # Errors
    /// A matrix is singular there.
    pub(crate) fn velocity_back(&mut self, node: &Node<'_>, covector: &mut Variation) -> Attempt {
        self.linear.stand_at(node)?;
        self.run_back(Part::Velocity, 0.0, covector);
        Ok(())
    }

    fn run(&mut self, part: Part, size: f64, tangents: &mut [Variation]) {
        let Self { linear, parts, scratch, column, registers, .. } = self;
        let are_abreast = tangents.iter().any(|tangent| tangent.lanes > 1);
        for (line, _) in &parts[part as usize] {
            let (Line { sets, by, .. }, factor) = (*line, (line.factor)(size));
            if by == ONE {
                line.visit(tangents, |_, x, y| {
                    let pairs = y.iter_mut().zip(x);
                    if sets {
                        pairs.for_each(|(y, x)| *y = *x);
                    } else {
                        pairs.for_each(|(y, x)| *y += factor * x);
                    }
                });
                continue;
            }
            match if are_abreast { linear.matrix(by) } else { None } {
                Some(matrix) => line.visit(tangents, |_, x, y| {
                    if sets {
                        y.fill(0.0);
                    }
                    matrix.add(*registers, (factor, x), y);
                }),
                None => line.visit(tangents, |[count, lanes], x, y| {
                    if lanes == 1 && sets {
                        return linear.apply(by, false, x, y);
                    }
                    if lanes == 1 {
                        let product = &mut scratch[..y.len()];
                        linear.apply(by, false, x, product);
                        return y.iter_mut().zip(product).for_each(|(y, product)| *y += factor * *product);
                    }
                    let (column, product) = (&mut column[..x.len() / lanes], &mut scratch[..y.len() / lanes]);
                    for k in 0..count {
                        column.iter_mut().zip(x.iter().skip(k).step_by(lanes)).for_each(|(to, x)| *to = *x);
                        linear.apply(by, false, column, product);
                        for (y, product) in y.iter_mut().skip(k).step_by(lanes).zip(&*product) {
                            *y = if sets { *product } else { *y + factor * product };
                        }
                    }
                }),
            }
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
