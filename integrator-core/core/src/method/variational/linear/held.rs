//! The linear map of a step under constraints.

use super::matrix::StepMatrix;
use super::{EARLY, LATE, LATE_MOTION, MASS, MIXED, OWN, Quadrature, U, VELOCITY, VariationalMap, W};
use crate::error::StartError;
use crate::method::force_error::ForceError;
use crate::method::linearization::Hidden;
use crate::method::linearization::program::{
    Line, Linear, Node, ONE, Operator, P, Q, Span, V, Vector, add, set,
};
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

/// The rows B = (G, A) at a state, with ∂c/∂(q, v).
struct RowsAt {
    jacobian: Vec<f64>,
    derivatives: Vec<f64>,
}

/// The constraints, and memory for their values.
struct Constraints<'s> {
    holonomic: Option<&'s dyn Holonomic>,
    nonholonomic: Option<&'s dyn Nonholonomic>,
    patterns: [RowPattern; 2],
    n: usize,
    values: Vec<f64>,
}

impl<'s> Constraints<'s> {
    fn new<S: Lagrangian + ?Sized>(system: &'s S) -> Self {
        let (holonomic, nonholonomic, n) = (system.holonomic(), system.nonholonomic(), system.dimension());
        let patterns = [
            holonomic.map_or_else(|| RowPattern::new(0, n, []), |rows| rows.jacobian_pattern().clone()),
            nonholonomic
                .map_or_else(|| RowPattern::new(0, 2 * n, []), |rows| rows.nonholonomic_pattern().clone()),
        ];
        let height = patterns[0].height() + patterns[1].height();
        Self { holonomic, nonholonomic, patterns, n, values: vec![0.0; height] }
    }

    /// The number of rows of positions, and of all.
    fn heights(&self) -> [usize; 2] {
        [self.patterns[0].height(), self.values.len()]
    }

    fn at(&self) -> RowsAt {
        RowsAt { jacobian: vec![0.0; self.patterns[0].len()], derivatives: vec![0.0; self.patterns[1].len()] }
    }

    fn evaluate(&mut self, (q, v, t): (&[f64], &[f64], f64), at: &mut RowsAt) {
        let (first, others) = self.values.split_at_mut(self.patterns[0].height());
        if let Some(rows) = self.holonomic {
            rows.jacobian(q, t, first, &mut at.jacobian);
        }
        if let Some(rows) = self.nonholonomic {
            rows.nonholonomic_derivatives(q, v, t, others, &mut at.derivatives);
        }
    }

    /// The entries (row, column) of G, and of the derivatives of c by q and v together.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let [first, others] = &self.patterns;
        let of_velocities = others.entries().map(|(row, column)| (first.height() + row, column % self.n));
        first.entries().chain(of_velocities)
    }

    /// The values of these entries, where derivatives by q and by v count with these factors.
    fn values<'a>(&'a self, at: &'a RowsAt, [of_q, of_v]: [f64; 2]) -> impl Iterator<Item = f64> + 'a {
        let factor = move |column: usize| if column < self.n { of_q } else { of_v };
        let others = self.patterns[1].entries().zip(&at.derivatives);
        let others = others.map(move |((_, column), value)| factor(column) * value);
        at.jacobian.iter().copied().chain(others)
    }

    /// Adds the product of the entries with x, or with their transpose, to `y`.
    fn multiply(&self, (at, factors): (&RowsAt, [f64; 2]), (transposed, x): (bool, &[f64]), y: &mut [f64]) {
        for ((row, column), value) in self.places().zip(self.values(at, factors)) {
            let (to, from) = if transposed { (column, row) } else { (row, column) };
            y[to] += value * x[from];
        }
    }
}

/// ∂(Bᵀ y)/∂q at a state, for multipliers y.
struct Bend {
    q: Vec<f64>,
    t: f64,
    y: Vec<f64>,
    /// The entries (row, column, value) of the part of A.
    of_velocities: Vec<(usize, usize, f64)>,
}

impl Bend {
    fn new(n: usize, height: usize) -> Self {
        Self { q: vec![0.0; n], t: 0.0, y: vec![0.0; height], of_velocities: Vec::new() }
    }

    /// Takes a state. A v is linear in v: its derivatives at the unit velocities, less those at rest,
    /// are the derivatives of the columns of A.
    fn stand(&mut self, rows: &Constraints<'_>, node: &Node<'_>, (y, factor): (&[f64], f64)) {
        self.q.copy_from_slice(node.q);
        self.t = node.t;
        self.y.iter_mut().zip(y).for_each(|(own, y)| *own = factor * y);
        self.of_velocities.clear();
        let Some(nonholonomic) = rows.nonholonomic else { return };
        let [first, _] = rows.heights();
        let (n, pattern) = (rows.n, &rows.patterns[1]);
        let (mut values, mut rest) = (vec![0.0; pattern.height()], vec![0.0; pattern.len()]);
        let (mut moved, mut v) = (rest.clone(), vec![0.0; n]);
        nonholonomic.nonholonomic_derivatives(node.q, &v, node.t, &mut values, &mut rest);
        for j in 0..n {
            if !pattern.columns().iter().any(|column| *column as usize == n + j) {
                continue;
            }
            v[j] = 1.0;
            nonholonomic.nonholonomic_derivatives(node.q, &v, node.t, &mut values, &mut moved);
            v[j] = 0.0;
            for (((row, k), moved), rest) in pattern.entries().zip(&moved).zip(&rest) {
                let value = self.y[first + row] * (moved - rest);
                if k < n && value != 0.0 {
                    self.of_velocities.push((j, k, value));
                }
            }
        }
    }

    /// Adds a multiple of the product with x, or with the transpose, to `y`.
    fn add(&self, rows: &Constraints<'_>, (transposed, x): (bool, &[f64]), factor: f64, y: &mut [f64]) {
        if let Some(holonomic) = rows.holonomic {
            let weights: Vec<f64> =
                self.y[..rows.heights()[0]].iter().map(|weight| factor * weight).collect();
            holonomic.add_weighted_product(&self.q, self.t, &weights, &x[..rows.n], &mut y[..rows.n]);
        }
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
    /// The state at the end.
    end: (Vec<f64>, Vec<f64>, f64),
    /// True if the trace has −h y⁺ and −y⁻.
    of_impulses: bool,
}

impl<'s, S: Lagrangian + ?Sized> HeldMap<'s, S> {
    /// The map for a trace of impulses.
    pub(in crate::method) fn of_impulses(self) -> Self {
        Self { of_impulses: true, ..self }
    }

    pub(in crate::method) fn new(system: &'s S, nodes: &'static [Quadrature]) -> Result<Self, StartError> {
        let free = VariationalMap::new(system, None, nodes)?;
        let rows = Constraints::new(system);
        let (n, [first, height]) = (system.dimension(), rows.heights());
        let below = || rows.places().map(|(row, column)| (n + row, column));
        let beside = || rows.places().map(|(row, column)| (column, n + row));
        let of_positions = |(row, column): &(usize, usize)| row.max(column) < &(n + first);
        let matrix = |rows: usize, entries: &mut dyn Iterator<Item = (usize, usize)>| {
            StepMatrix::new(system, "the derivative of a step with its constraints", n + rows, entries)
        };
        let all = || free.entries.places().chain(beside()).chain(below());
        let stages = [matrix(height, &mut all())?, matrix(height, &mut all())?];
        let start = matrix(first, &mut all().filter(of_positions))?;
        let [position_stage, velocity_stage] = stages;
        Ok(Self {
            position_stage,
            velocity_stage,
            start,
            bends: [Bend::new(n, height), Bend::new(n, height)],
            ends: [rows.at(), rows.at()],
            nodes: nodes.iter().map(|_| rows.at()).collect(),
            hidden: Hidden::new(n, first),
            end: (vec![0.0; n], vec![0.0; n], 0.0),
            of_impulses: false,
            free,
            rows,
        })
    }

    /// The first entries of Bᵀ and of B in the matrices, and their number.
    fn entries(&self) -> [usize; 3] {
        let (first, count) = (self.free.entries.places().count(), self.rows.places().count());
        [first, first + count, count]
    }

    /// Stands at the state at the end of a step, and factors [L_vv Bᵀ; B 0] there.
    fn stand_at_end(&mut self, node: &Node<'_>) -> Result<(), ForceError> {
        let [beside, below, _] = self.entries();
        let Self { free, rows, ends: [_, last], velocity_stage, end, .. } = self;
        free.look_at(node);
        rows.evaluate((node.q, node.v, node.t), last);
        end.0.copy_from_slice(node.q);
        end.1.copy_from_slice(node.v);
        end.2 = node.t;
        free.add_mass(velocity_stage.clear());
        for first in [beside, below] {
            velocity_stage.add(first, false, rows.values(last, [0.0, 1.0]));
        }
        velocity_stage.factor()
    }
}

impl<S: Lagrangian + ?Sized> Linear for HeldMap<'_, S> {
    fn step(&self) -> &[Line] {
        &STEP
    }

    fn velocity(&self) -> &[Line] {
        &VELOCITY
    }

    fn momentum(&self) -> &[Line] {
        &MOMENTUM
    }

    fn vectors(&self) -> Vec<usize> {
        let (n, [_, height]) = (self.rows.n, self.rows.heights());
        vec![n, n, n + height, n + height]
    }

    fn dimension(&self) -> [usize; 2] {
        self.free.dimension()
    }

    fn stand(&mut self, step: &Span<'_>, transposed: bool) -> Result<(), ForceError> {
        let (Span { from, to, size }, [beside, below, _]) = (step, self.entries());
        self.stand_at_end(to)?;
        let Self { free, rows, bends, position_stage, ends: [first, last], nodes, .. } = self;
        let (early, late) = to.trace.split_at(rows.heights()[1]);
        let [of_early, of_late] = if self.of_impulses { [-1.0 / size, -1.0] } else { [1.0, 1.0] };
        bends[0].stand(rows, from, (early, of_early));
        bends[1].stand(rows, to, (late, of_late));
        free.look(step);
        rows.evaluate((from.q, from.v, from.t), first);
        free.add_matrix(transposed, position_stage.clear());
        position_stage.add(beside, transposed, rows.values(first, [0.0, 1.0]));
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
            position_stage.add(below, transposed, rows.values(at, [weight * ahead, weight]));
        }
        position_stage.factor()
    }

    fn stand_at(&mut self, node: &Node<'_>) -> Result<(), ForceError> {
        self.free.stand_at(node)
    }

    fn stand_at_start(&mut self, first: &Span<'_>, _transposed: bool) -> Result<(), ForceError> {
        self.stand_at_end(&first.from)?;
        let Self { free, ends: [_, last], start, .. } = self;
        free.add_mass(start.clear());
        let (own, count) = (free.entries.places().count(), last.jacobian.len());
        for place in [own, own + count] {
            start.add(place, false, last.jacobian.iter().copied());
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
        let Self { free, rows, bends, ends: [_, last], nodes, hidden, end, .. } = self;
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
                let size = free.size;
                let parts = nodes.iter().zip(free.nodes).enumerate();
                if transposed {
                    let (of_p, of_rows) = x.split_at(n);
                    bends[0].add(rows, (true, of_p), -1.0, y);
                    for (k, (at, node)) in parts {
                        let mut scaled: Vec<f64> = of_rows.iter().map(|row| -node.weight * row).collect();
                        let factor = if k == 0 { -1.0 / size } else { 0.0 };
                        scaled[..first].iter_mut().zip(of_rows).for_each(|(row, own)| *row = factor * own);
                        rows.multiply((at, [1.0, 0.0]), (true, &scaled), y);
                    }
                } else {
                    let (of_p, of_rows) = y.split_at_mut(n);
                    bends[0].add(rows, (false, x), -1.0, of_p);
                    let mut part = vec![0.0; of_rows.len()];
                    for (k, (at, node)) in parts {
                        part.fill(0.0);
                        rows.multiply((at, [1.0, 0.0]), (false, x), &mut part);
                        let factor = if k == 0 { -1.0 / size } else { 0.0 };
                        part[..first].iter_mut().for_each(|row| *row *= factor);
                        part[first..].iter_mut().for_each(|row| *row *= -node.weight);
                        of_rows.iter_mut().zip(&part).for_each(|(row, part)| *row += part);
                    }
                }
            }
            BEND => bends[1].add(rows, (transposed, x), 1.0, y),
            FORCES => {
                let (at, factors) = (&*last, [0.0, 1.0]);
                if transposed {
                    rows.multiply((at, factors), (false, x), &mut y[n..]);
                } else {
                    rows.multiply((at, factors), (true, &x[n..]), y);
                }
            }
            START_RIGHT | RATES => {
                let mut part = vec![0.0; rows.heights()[1]];
                let factors = [0.0, if by == RATES { 1.0 } else { 0.0 }];
                if transposed {
                    part[..x.len() - n].copy_from_slice(&x[n..]);
                    part.iter_mut().for_each(|row| *row = -*row);
                    rows.multiply((last, factors), (true, &part), y);
                } else {
                    rows.multiply((last, factors), (false, x), &mut part);
                    y[n..].iter_mut().zip(&part).for_each(|(y, part)| *y = -part);
                }
            }
            _ => {
                // −κ, with −L_vq in a step.
                let at = (&end.0[..], &end.1[..], end.2);
                if transposed {
                    let (of_p, of_rows) = x.split_at(n);
                    if by == VELOCITY_RIGHT {
                        free.apply(MIXED, true, of_p, y);
                        y.iter_mut().for_each(|entry| *entry = -*entry);
                    }
                    let negative: Vec<f64> = of_rows.iter().map(|row| -row).collect();
                    hidden.add_transposed((rows.holonomic, None), at, &negative[..first], &mut y[..n]);
                    let mut others = negative;
                    others[..first].fill(0.0);
                    rows.multiply((last, [1.0, 0.0]), (true, &others), y);
                } else {
                    let (of_p, of_rows) = y.split_at_mut(n);
                    if by == VELOCITY_RIGHT {
                        free.apply(MIXED, false, x, of_p);
                        of_p.iter_mut().for_each(|entry| *entry = -*entry);
                    }
                    rows.multiply((last, [1.0, 0.0]), (false, x), of_rows);
                    hidden.rates((rows.holonomic, None), at, x, &mut of_rows[..first]);
                    of_rows.iter_mut().for_each(|row| *row = -*row);
                }
            }
        }
    }
}
