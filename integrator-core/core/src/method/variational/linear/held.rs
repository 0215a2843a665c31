//! The linear map of a step under constraints.

use super::matrix::StepMatrix;
use super::{EARLY, LATE, LATE_MOTION, MASS, MIXED, OWN, Quadrature, U, VariationalMap, W};
use crate::error::Begun;
use crate::method::force_error::Attempt;
use crate::method::linearization::Hidden;
use crate::method::linearization::program::{
    Line, Linear, Lines, Node, ONE, Operator, P, Q, Span, V, Vector, add, set,
};
use crate::method::linearization::sparse::{SlopeMatrix, Sparse, both_triangles};
use crate::sparse::RowPattern;
use crate::system::{Holonomic, Lagrangian, Nonholonomic};

/// The right-hand side of a stage, of momenta and rows, and its solution of velocities and multipliers.
const Y: Vector = W + 1;
const X: Vector = W + 2;

/// −(∂(B₀ᵀ y⁺)/∂q; G₁/h; Σ w ∂c/∂q), and the matrix of the position stage.
const POSITION_RIGHT: Operator = OWN;
const POSITION_STAGE: Operator = OWN + 1;
/// ∂(B₁ᵀ y⁻)/∂q.
const BEND: Operator = OWN + 2;
/// −(L_vq; κ), the matrix of the velocity stage, and B₁ᵀ on multipliers.
const VELOCITY_RIGHT: Operator = OWN + 3;
const VELOCITY_STAGE: Operator = OWN + 4;
const FORCES: Operator = OWN + 5;
/// At the start: −(0; G), its matrix, −(0; κ) and −(0; B).
const START_RIGHT: Operator = OWN + 6;
const START_STAGE: Operator = OWN + 7;
const RATES_BY_POSITIONS: Operator = OWN + 8;
const RATES: Operator = OWN + 9;

const STEP: [Line; 13] = [
    add(P, |_| 1.0, EARLY, Q),
    set(Y, POSITION_RIGHT, Q),
    add(Y, |_| 1.0, ONE, P),
    set(X, POSITION_STAGE, Y),
    set(U, ONE, X),
    set(P, LATE, Q),
    add(P, |_| 1.0, LATE_MOTION, U),
    add(Q, |h| h, ONE, U),
    add(P, |_| -1.0, BEND, Q),
    set(Y, VELOCITY_RIGHT, Q),
    add(Y, |_| 1.0, ONE, P),
    set(X, VELOCITY_STAGE, Y),
    add(P, |_| -1.0, FORCES, X),
];

/// The velocity of a momentum on the rows, which need not be that of L_vv alone: it may be singular.
const VELOCITY: [Line; 4] =
    [set(Y, VELOCITY_RIGHT, Q), add(Y, |_| 1.0, ONE, P), set(X, VELOCITY_STAGE, Y), set(V, ONE, X)];

/// The nearest start on the constraints in the metric of L_vv, and its momentum.
const MOMENTUM: [Line; 11] = [
    set(Y, START_RIGHT, Q),
    set(X, START_STAGE, Y),
    set(U, ONE, X),
    add(Q, |_| 1.0, ONE, U),
    set(Y, RATES_BY_POSITIONS, Q),
    add(Y, |_| 1.0, RATES, V),
    set(X, VELOCITY_STAGE, Y),
    set(U, ONE, X),
    add(V, |_| 1.0, ONE, U),
    set(P, MASS, V),
    add(P, |_| 1.0, MIXED, Q),
];

/// The rows B = (G, A) at a state over x = (q, θ), with ∂c/∂(x, v).
struct RowsAt {
    jacobian: Vec<f64>,
    derivatives: Vec<f64>,
}

/// The constraints over x, and memory for their values.
struct Constraints<'s> {
    holonomic: Option<&'s dyn Holonomic>,
    nonholonomic: Option<&'s dyn Nonholonomic>,
    /// Of ∂g/∂x, and of ∂c/∂(x, ẋ).
    patterns: [RowPattern; 2],
    /// The degrees of freedom, and the length of x.
    n: usize,
    whole: usize,
    /// x and ẋ.
    x: Vec<f64>,
    v: Vec<f64>,
    values: Vec<f64>,
}

impl<'s> Constraints<'s> {
    fn new<S: Lagrangian + ?Sized>(system: &'s S) -> Self {
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
    fn heights(&self) -> [usize; 2] {
        [self.patterns[0].height(), self.values.len()]
    }

    fn at(&self) -> RowsAt {
        RowsAt { jacobian: vec![0.0; self.patterns[0].len()], derivatives: vec![0.0; self.patterns[1].len()] }
    }

    /// x at these q.
    fn place(&mut self, q: &[f64]) -> &[f64] {
        self.x[..self.n].copy_from_slice(q);
        &self.x
    }

    fn evaluate(&mut self, (q, v, t): (&[f64], &[f64], f64), at: &mut RowsAt) {
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
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
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
    fn matrix<'a>(&'a self, at: &'a RowsAt, factors: [f64; 2]) -> impl Iterator<Item = f64> + 'a {
        let entries = self.places().zip(self.values(at, factors));
        entries.filter(|((_, column), _)| *column < self.n).map(|(_, value)| value)
    }

    /// Adds the product of the entries with x, or with their transpose, to `y`; rows of positions and
    /// rows of velocities count with these weights.  A vector of length n has no part of the parameters.
    fn multiply(
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
struct Bend {
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
    fn new(rows: &Constraints<'_>) -> Self {
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
    fn stand(&mut self, rows: &mut Constraints<'_>, node: &Node<'_>, (y, factor): (&[f64], f64)) {
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
    fn add(
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

/// The linear map of a step under constraints.
pub(in crate::method) struct HeldMap<'s, S: ?Sized> {
    free: VariationalMap<'s, S>,
    rows: Constraints<'s>,
    bends: [Bend; 2],
    position_stage: StepMatrix,
    velocity_stage: StepMatrix,
    start: StepMatrix,
    /// The rows at both ends of a step, and at its nodes.
    ends: [RowsAt; 2],
    nodes: Vec<RowsAt>,
    hidden: Hidden,
    weights: Vec<f64>,
    /// The numbers of entries of K, of all rows and of rows of positions in the matrices.
    entries: [usize; 3],
    /// The state at the end.
    end: (Vec<f64>, Vec<f64>, f64),
    /// True if the trace has −h y⁺ and −y⁻.
    of_impulses: bool,
    /// The operators of a step as matrices, when several tangents ask for them.
    slopes: [Option<SlopeMatrix>; 4],
}

impl<'s, S: Lagrangian + ?Sized> HeldMap<'s, S> {
    /// The map for a trace of impulses.
    pub(in crate::method) fn of_impulses(self) -> Self {
        Self { of_impulses: true, ..self }
    }

    pub(in crate::method) fn new(system: &'s S, nodes: &'static [Quadrature]) -> Begun<Self> {
        let (free, rows) = (VariationalMap::new(system, nodes)?, Constraints::new(system));
        let (n, [first, height]) = (system.dimension(), rows.heights());
        let places = || rows.places().filter(|(_, column)| *column < n);
        let below = || places().map(|(row, column)| (n + row, column));
        let beside = || places().map(|(row, column)| (column, n + row));
        let of_positions = places().take_while(|(row, _)| *row < first).count();
        let matrix = |rows: usize, entries: &mut dyn Iterator<Item = (usize, usize)>| {
            StepMatrix::new(system, "the derivative of a step with its constraints", n + rows, entries)
        };
        let all = || free.entries.places().chain(beside()).chain(below());
        let stages = [matrix(height, &mut all())?, matrix(height, &mut all())?];
        let start = matrix(first, &mut all().filter(|(row, column)| *row.max(column) < n + first))?;
        let [position_stage, velocity_stage] = stages;
        Ok(Self {
            position_stage,
            velocity_stage,
            start,
            bends: [Bend::new(&rows), Bend::new(&rows)],
            ends: [rows.at(), rows.at()],
            nodes: nodes.iter().map(|_| rows.at()).collect(),
            hidden: Hidden::new(rows.whole, first),
            weights: vec![0.0; height],
            entries: [free.entries.places().count(), places().count(), of_positions],
            end: (vec![0.0; n], vec![0.0; n], 0.0),
            of_impulses: false,
            slopes: [const { None }; 4],
            free,
            rows,
        })
    }

    /// Stands at the state at the end of a step, and factors [L_vv Bᵀ; B 0] there.
    fn stand_at_end(&mut self, node: &Node<'_>) -> Attempt {
        let Self { free, rows, ends: [_, last], velocity_stage, end, entries: [beside, count, _], .. } = self;
        free.look_at(node);
        rows.evaluate((node.q, node.v, node.t), last);
        end.0.copy_from_slice(node.q);
        end.1.copy_from_slice(node.v);
        end.2 = node.t;
        free.add_mass(velocity_stage.clear());
        for first in [*beside, *beside + *count] {
            velocity_stage.add(first, false, rows.matrix(last, [0.0, 1.0]));
        }
        velocity_stage.factor()
    }
}

impl<S: Lagrangian + ?Sized> HeldMap<'_, S> {
    /// The matrix of an operator of a step, of unknown entries under constraints on velocities.
    fn new_slopes(&self, by: Operator) -> SlopeMatrix {
        let Self { free, rows, .. } = self;
        let (n, [_, height], whole) = (rows.n, rows.heights(), free.dimension().iter().sum());
        let curved = || -> Option<Vec<_>> {
            let couplings = match free.system.parametric() {
                None => Default::default(),
                Some(own) => own.couplings()?,
            };
            let holonomic = free.system.holonomic().filter(|_| rows.nonholonomic.is_none())?;
            let [.., couplings] = couplings;
            let of_q = both_triangles(holonomic.weighted_pattern()).into_iter().map(|(_, entry)| entry);
            Some(of_q.chain(couplings).collect())
        };
        let below = || rows.places().map(|(row, column)| (n + row, column));
        let entries = curved().zip(free.couplings()).map(|(curved, couplings)| -> Vec<_> {
            match by {
                BEND => curved,
                POSITION_RIGHT => curved.into_iter().chain(below()).collect(),
                VELOCITY_RIGHT => free.entries.places().chain(couplings).chain(below()).collect(),
                _ => rows
                    .places()
                    .filter(|(_, column)| *column < n)
                    .map(|(row, column)| (column, n + row))
                    .collect(),
            }
        });
        let size = match by {
            BEND => [n, whole],
            FORCES => [n, n + height],
            _ => [n + height, whole],
        };
        SlopeMatrix::new(size, &[], entries.as_deref())
    }
}

impl<S: Lagrangian + ?Sized> Linear for HeldMap<'_, S> {
    fn lines(&self) -> Lines<'_> {
        Lines { begin: &[], step: &STEP, velocity: &VELOCITY, momentum: &MOMENTUM }
    }

    fn vectors(&self) -> Vec<usize> {
        let (n, [_, height]) = (self.rows.n, self.rows.heights());
        vec![n, n, n + height, n + height]
    }

    fn dimension(&self) -> [usize; 2] {
        self.free.dimension()
    }

    fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Attempt {
        let (Span { from, to, size }, [beside, count, _]) = (step, self.entries);
        self.stand_at_end(to)?;
        let Self { free, rows, bends, position_stage, ends: [first, last], nodes, .. } = self;
        let (early, late) = to.trace.split_at(rows.heights()[1]);
        let [of_early, of_late] = if self.of_impulses { [-1.0 / size, -1.0] } else { [1.0, 1.0] };
        bends[0].stand(rows, from, (early, of_early));
        bends[1].stand(rows, to, (late, of_late));
        free.look(step);
        rows.evaluate((from.q, from.v, from.t), first);
        free.add_matrix(transposed, position_stage.clear());
        position_stage.add(beside, transposed, rows.matrix(first, [0.0, 1.0]));
        // The rows of positions at the end, and the means of the others.
        for (k, (node, at)) in free.nodes.iter().zip(&mut *nodes).enumerate() {
            let VariationalMap { q, u, .. } = free;
            let instant = node.go_between((from.q, from.t), to.q, *size, q);
            rows.evaluate((q, u, instant.t), at);
            at.jacobian.copy_from_slice(&last.jacobian);
            if k > 0 {
                at.jacobian.fill(0.0);
            }
            let [weight, ahead, _] = node.factors(*size);
            let values = rows.matrix(at, [weight * ahead, weight]);
            position_stage.add(beside + count, transposed, values);
        }
        position_stage.factor()
    }

    fn stand_at(&mut self, node: &Node<'_>) -> Attempt {
        self.stand_at_end(node)
    }

    fn stand_at_start(&mut self, first: &Span<'_>, _transposed: bool) -> Attempt {
        self.stand_at_end(&first.from)?;
        let Self { free, rows, ends: [_, last], start, entries: [own, _, count], .. } = self;
        free.add_mass(start.clear());
        for place in [*own, *own + *count] {
            start.add(place, false, rows.matrix(last, [0.0, 1.0]).take(*count));
        }
        start.factor()
    }

    fn row_name(&self, row: usize) -> String {
        let (n, [first, _]) = (self.rows.n, self.rows.heights());
        match (row.checked_sub(n), self.rows.holonomic, self.rows.nonholonomic) {
            (Some(row), Some(rows), _) if row < first => rows.constraint_name(row),
            (Some(row), _, Some(rows)) => rows.nonholonomic_name(row - first),
            _ => self.free.row_name(row),
        }
    }

    fn apply(&mut self, by: Operator, transposed: bool, x: &[f64], y: &mut [f64]) {
        let Self { free, rows, bends, ends: [_, last], nodes, hidden, weights, end, .. } = self;
        let (n, [first, _]) = (rows.n, rows.heights());
        match by {
            POSITION_STAGE => return self.position_stage.solve(x, y),
            VELOCITY_STAGE => return self.velocity_stage.solve(x, y),
            START_STAGE => return self.start.solve(x, y),
            _ if by < OWN => return free.apply(by, transposed, x, y),
            _ => y.fill(0.0),
        }
        match by {
            POSITION_RIGHT => {
                let (of_p, to_p) = momenta(n, transposed, x, y);
                bends[0].add(rows, (transposed, of_p), -1.0, to_p);
                let (of_rows, to_rows) = below(n, transposed, x, y);
                for (k, (at, node)) in nodes.iter().zip(free.nodes).enumerate() {
                    let of_positions = if k == 0 { -1.0 / free.size } else { 0.0 };
                    let factors = (at, [1.0, 0.0], [of_positions, -node.weight]);
                    rows.multiply(factors, (transposed, of_rows), to_rows);
                }
            }
            BEND => bends[1].add(rows, (transposed, x), 1.0, y),
            FORCES => {
                let (of_rows, to_rows) = below(n, !transposed, x, y);
                rows.multiply((last, [0.0, 1.0], [1.0; 2]), (!transposed, of_rows), to_rows);
            }
            START_RIGHT | RATES => {
                let (of_rows, to_rows) = below(n, transposed, x, y);
                let of_velocities = if by == RATES { -1.0 } else { 0.0 };
                let factors = (&*last, [0.0, 1.0], [-1.0, of_velocities]);
                rows.multiply(factors, (transposed, of_rows), to_rows);
            }
            _ => {
                // −κ, with −L_vq in a step.
                if by == VELOCITY_RIGHT {
                    let (of_p, to_p) = momenta(n, transposed, x, y);
                    free.apply(MIXED, transposed, of_p, to_p);
                    to_p.iter_mut().for_each(|entry| *entry = -*entry);
                }
                let (of_rows, to_rows) = below(n, transposed, x, y);
                let (own, whole) = (rows.holonomic, rows.whole);
                let at = (rows.place(&end.0), &end.1[..], end.2);
                let rates = &mut weights[..first];
                if transposed {
                    rates.iter_mut().zip(of_rows).for_each(|(weight, row)| *weight = -row);
                    hidden.add_transposed(own, at, rates, &mut to_rows[..whole]);
                } else {
                    hidden.rates(own, at, of_rows, rates);
                    to_rows.iter_mut().zip(rates).for_each(|(row, rate)| *row = -*rate);
                }
                rows.multiply((last, [1.0, 0.0], [0.0, -1.0]), (transposed, of_rows), to_rows);
            }
        }
    }

    fn matrix(&mut self, by: Operator) -> Option<Sparse<'_>> {
        let place = match by {
            POSITION_RIGHT => 0,
            BEND => 1,
            VELOCITY_RIGHT => 2,
            FORCES => 3,
            _ if by < OWN => return self.free.matrix(by),
            _ => return None,
        };
        let mut slopes = self.slopes[place].take().unwrap_or_else(|| self.new_slopes(by));
        slopes.fill(1.0, |x, y| self.apply(by, false, x, y));
        self.slopes[place].insert(slopes).get()
    }
}

/// The source and the target of the upper part of an operator, which has momenta above rows.
fn momenta<'a>(n: usize, transposed: bool, x: &'a [f64], y: &'a mut [f64]) -> (&'a [f64], &'a mut [f64]) {
    if transposed { (&x[..n], y) } else { (x, &mut y[..n]) }
}

/// The source and the target of the lower part.
fn below<'a>(n: usize, transposed: bool, x: &'a [f64], y: &'a mut [f64]) -> (&'a [f64], &'a mut [f64]) {
    if transposed { (&x[n..], y) } else { (x, &mut y[n..]) }
}
