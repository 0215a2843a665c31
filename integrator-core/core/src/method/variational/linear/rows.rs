//! The constraints of a step over x = (q, θ), and their derivatives.

use crate::method::linearization::span::Node;
use crate::sparse::RowPattern;
use crate::system::{Holonomic, Lagrangian, Nonholonomic};

/// The rows B = (G, A) at a state over x = (q, θ), with ∂c/∂(x, v).
pub(super) struct RowsAt {
    pub(super) jacobian: Vec<f64>,
    derivatives: Vec<f64>,
}

/// The constraints over x, and memory for their values.
pub(super) struct Constraints<'s> {
    pub(super) holonomic: Option<&'s dyn Holonomic>,
    pub(super) nonholonomic: Option<&'s dyn Nonholonomic>,
    /// Of ∂g/∂x, and of ∂c/∂(x, ẋ).
    patterns: [RowPattern; 2],
    /// The degrees of freedom, and the length of x.
    pub(super) n: usize,
    pub(super) whole: usize,
    /// x and ẋ.
    x: Vec<f64>,
    v: Vec<f64>,
    values: Vec<f64>,
}

impl<'s> Constraints<'s> {
    pub(super) fn new<S: Lagrangian + ?Sized>(system: &'s S) -> Self {
        let (n, parametric) = (system.dimension(), system.parametric());
        let (holonomic, nonholonomic, x) = match parametric {
            None => (system.holonomic(), system.nonholonomic(), vec![0.0; n]),
            Some(own) => (own.holonomic(), own.nonholonomic(), own.place(&vec![0.0; n])),
        };
        let none = || RowPattern::new(0, n, []);
        let patterns = [
            holonomic.map_or_else(none, |rows| rows.jacobian_pattern().clone()),
            nonholonomic.map_or_else(none, |rows| rows.nonholonomic_pattern().clone()),
        ];
        let values = vec![0.0; patterns[0].height() + patterns[1].height()];
        Self { holonomic, nonholonomic, patterns, n, whole: x.len(), v: vec![0.0; x.len()], x, values }
    }

    /// The number of rows of positions, and of all.
    pub(super) fn heights(&self) -> [usize; 2] {
        [self.patterns[0].height(), self.values.len()]
    }

    pub(super) fn at(&self) -> RowsAt {
        RowsAt { jacobian: vec![0.0; self.patterns[0].len()], derivatives: vec![0.0; self.patterns[1].len()] }
    }

    /// x at these q.
    pub(super) fn place(&mut self, q: &[f64]) -> &[f64] {
        self.x[..self.n].copy_from_slice(q);
        &self.x
    }

    pub(super) fn evaluate(&mut self, (q, v, t): (&[f64], &[f64], f64), at: &mut RowsAt) {
        self.place(q);
        if let Some(rows) = self.holonomic {
            let (first, _) = self.values.split_at_mut(self.patterns[0].height());
            rows.jacobian(&self.x, t, first, &mut at.jacobian);
        }
        self.evaluate_velocities((q, v, t), &mut at.derivatives);
    }

    /// Writes ∂c/∂(x, ẋ).
    fn evaluate_velocities(&mut self, (q, v, t): (&[f64], &[f64], f64), derivatives: &mut [f64]) {
        self.place(q);
        self.v[..self.n].copy_from_slice(v);
        let (_, others) = self.values.split_at_mut(self.patterns[0].height());
        if let Some(rows) = self.nonholonomic {
            let width = self.patterns[1].width() / 2;
            rows.nonholonomic_derivatives(&self.x[..width], &self.v[..width], t, others, derivatives);
        }
    }

    /// The entries (row, place in x) of ∂g/∂x, and of the derivatives of c by x and v together.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let [first, others] = &self.patterns;
        let width = others.width() / 2;
        let of_velocities = others.entries().map(move |(row, column)| (first.height() + row, column % width));
        first.entries().chain(of_velocities)
    }

    /// The values of these entries, where derivatives by x and by v count with these factors.
    fn values<'a>(&'a self, at: &'a RowsAt, [of_x, of_v]: [f64; 2]) -> impl Iterator<Item = f64> + 'a {
        let width = self.patterns[1].width() / 2;
        let factor = move |column: usize| if column < width { of_x } else { of_v };
        let others = self.patterns[1].entries().zip(&at.derivatives);
        let others = others.map(move |((_, column), value)| factor(column) * value);
        at.jacobian.iter().copied().chain(others)
    }

    /// The values of the entries in columns of q.
    pub(super) fn matrix<'a>(&'a self, at: &'a RowsAt, factors: [f64; 2]) -> impl Iterator<Item = f64> + 'a {
        let entries = self.places().zip(self.values(at, factors));
        entries.filter(|((_, column), _)| *column < self.n).map(|(_, value)| value)
    }

    /// Adds the product of the entries with x, or with their transpose, to `y`; rows of positions and
    /// rows of velocities count with these weights.  A vector of length n has no part of the parameters.
    pub(super) fn multiply(
        &self,
        (at, factors, weights): (&RowsAt, [f64; 2], [f64; 2]),
        (transposed, x): (bool, &[f64]),
        y: &mut [f64],
    ) {
        let [first, _] = self.heights();
        let width = if transposed { y.len() } else { x.len() };
        for ((row, column), value) in self.places().zip(self.values(at, factors)) {
            if column < width {
                let (to, from) = if transposed { (column, row) } else { (row, column) };
                y[to] += weights[usize::from(row >= first)] * value * x[from];
            }
        }
    }
}

/// ∂(Bᵀ y)/∂x at a state, for multipliers y.
pub(super) struct Bend {
    q: Vec<f64>,
    t: f64,
    y: Vec<f64>,
    /// The entries (row, column, value) of the part of A.
    of_velocities: Vec<(usize, usize, f64)>,
    /// A unit velocity, and ∂c/∂(x, v) there and at rest.
    v: Vec<f64>,
    moved: Vec<f64>,
    rest: Vec<f64>,
    /// A direction and a product over x.
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl Bend {
    pub(super) fn new(rows: &Constraints<'_>) -> Self {
        let (zeros, of_velocities) = (|length| vec![0.0; length], rows.patterns[1].len());
        Self {
            q: zeros(rows.n),
            t: 0.0,
            y: zeros(rows.values.len()),
            of_velocities: Vec::new(),
            v: zeros(rows.n),
            moved: zeros(of_velocities),
            rest: zeros(of_velocities),
            direction: zeros(rows.whole),
            product: zeros(rows.whole),
        }
    }

    /// Takes a state. A v is linear in v: its derivatives at the unit velocities, less its derivatives
    /// at rest, are the derivatives of the columns of A.
    pub(super) fn stand(&mut self, rows: &mut Constraints<'_>, node: &Node<'_>, (y, factor): (&[f64], f64)) {
        self.q.copy_from_slice(node.q);
        self.t = node.t;
        self.y.iter_mut().zip(y).for_each(|(own, y)| *own = factor * y);
        self.of_velocities.clear();
        if self.rest.is_empty() {
            return;
        }
        let ([first, _], n, width) = (rows.heights(), rows.n, rows.patterns[1].width() / 2);
        let Self { v, moved, rest, y, of_velocities, .. } = self;
        rows.evaluate_velocities((node.q, v, node.t), rest);
        for j in 0..n {
            if !rows.patterns[1].columns().iter().any(|column| *column as usize == width + j) {
                continue;
            }
            v[j] = 1.0;
            rows.evaluate_velocities((node.q, v, node.t), moved);
            v[j] = 0.0;
            for (((row, k), moved), rest) in rows.patterns[1].entries().zip(&*moved).zip(&*rest) {
                let value = y[first + row] * (moved - rest);
                if k < width && value != 0.0 {
                    of_velocities.push((j, k, value));
                }
            }
        }
    }

    /// Adds a multiple of the product with x, or with the transpose, to `y`.
    pub(super) fn add(
        &mut self,
        rows: &mut Constraints<'_>,
        (transposed, x): (bool, &[f64]),
        factor: f64,
        y: &mut [f64],
    ) {
        let Self { q, t, direction, product, .. } = self;
        let weights = &self.y[..rows.heights()[0]];
        direction.fill(0.0);
        direction.iter_mut().zip(x).for_each(|(entry, x)| *entry = *x);
        product.fill(0.0);
        if let Some(own) = rows.holonomic {
            own.add_weighted_product(rows.place(q), *t, weights, direction, product);
        }
        y.iter_mut().zip(&*product).for_each(|(y, product)| *y += factor * product);
        for &(j, k, value) in &self.of_velocities {
            let (to, from) = if transposed { (k, j) } else { (j, k) };
            y[to] += factor * value * x[from];
        }
    }
}

/// The source and the target of the rows of an operator, below n momenta or velocities.
pub(super) fn below<'a>(
    n: usize,
    transposed: bool,
    x: &'a [f64],
    y: &'a mut [f64],
) -> (&'a [f64], &'a mut [f64]) {
    if transposed { (&x[n..], y) } else { (x, &mut y[n..]) }
}
