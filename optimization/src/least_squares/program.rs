//! The convex quadratic program of an iteration.

use std::collections::BTreeMap;

use clarabel::algebra::CscMatrix;
use clarabel::qdldl::{QDLDLFactorisation, QDLDLSettings};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use nalgebra::DMatrix;
use nalgebra_sparse::{CooMatrix, CsrMatrix};

/// The linearized problem at a point.
pub(super) struct Program {
    /// A factor with the AᵀA of A, and ∂c/∂x.
    factor: CsrMatrix<f64>,
    pub(super) constraints: CsrMatrix<f64>,
    /// The entries of Σ λ ∂²c/∂x² on and above the diagonal.
    curvature: Triplets,
    /// Aᵀr + Bᵀλ.
    pub(super) gradient: Vec<f64>,
    /// λ.
    multipliers: Vec<f64>,
    /// The norms of the columns of A and B together, by which the unknowns are scaled.
    pub(super) scales: Vec<f64>,
    /// l − x and u − x.
    room: Vec<[f64; 2]>,
}

/// The step of a program.
pub(super) struct Step {
    pub(super) d: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

impl Program {
    pub(super) fn new(
        residuals: &CsrMatrix<f64>,
        constraints: CsrMatrix<f64>,
        curvature: Triplets,
        gradient: Vec<f64>,
        multipliers: Vec<f64>,
        room: Vec<[f64; 2]>,
    ) -> Self {
        let mut scales = vec![0.0; gradient.len()];
        for (_, column, value) in residuals.triplet_iter().chain(constraints.triplet_iter()) {
            scales[column] += value * value;
        }
        scales.iter_mut().for_each(|scale| *scale = if *scale > 0.0 { scale.sqrt() } else { 1.0 });
        Self { factor: factor(residuals), constraints, curvature, gradient, multipliers, scales, room }
    }

    /// The step with the damping μ D² for the constraints c + B d = 0; with penalties in their place
    /// where they are given. None where the constraints contradict each other.
    ///
    /// The program is scaled to a step of the size 1, since the tolerances of its solver are absolute.
    pub(super) fn solve(
        &self,
        damping: &[f64],
        c: &[f64],
        penalties: Option<&[f64]>,
        warm: &mut Warm,
    ) -> Option<Step> {
        let rows = self.sizes();
        let scaled = self.gradient.iter().zip(&self.scales).map(|(slope, scale)| slope / scale);
        let held = self.room.iter().zip(&self.gradient);
        let held: Vec<bool> = held
            .map(|([lower, upper], slope)| (*lower >= 0.0 && *slope > 0.0) || (*upper <= 0.0 && *slope < 0.0))
            .collect();
        let slopes = scaled.zip(&held).map(|(slope, held)| if *held { 0.0 } else { slope.abs() });
        let misses = c.iter().zip(&rows).filter(|(_, row)| **row > 0.0).map(|(c, row)| (c / row).abs());
        let size = slopes.chain(misses).fold(0.0, f64::max);
        if size == 0.0 && c.iter().all(|c| *c == 0.0) {
            return Some(Step { d: vec![0.0; self.scales.len()], multipliers: self.multipliers.clone() });
        }
        // A large slope against a bound would loosen the tolerances: its unknown has a unit of its own.
        let unit = if size > 0.0 { size } else { 1.0 };
        let of_slope = |((scale, slope), held): ((&f64, &f64), &bool)| {
            if *held { scale.max(slope.abs() / unit) } else { *scale }
        };
        let scales: Vec<f64> = self.scales.iter().zip(&self.gradient).zip(&held).map(of_slope).collect();
        if penalties.is_none()
            && let Some(step) = self.newton(damping, c, (unit, &scales), warm)
        {
            return Some(step);
        }
        // Bounds far away would loosen the tolerances. They return if the step meets them.
        let near = self.scaled(damping, c, penalties, (unit, &scales), FAR)?;
        let is_inside = near.d.iter().zip(&self.room).all(|(d, [lower, upper])| lower <= d && d <= upper);
        if is_inside {
            Some(near)
        } else {
            self.scaled(damping, c, penalties, (unit, &scales), f64::INFINITY)
        }
    }

    /// The step by factors of the conditions of the program alone, with bounds that hold by guesses;
    /// none where the guesses lead nowhere, or the constraints contradict each other.
    fn newton(
        &self,
        damping: &[f64],
        c: &[f64],
        (size, scales): (f64, &[f64]),
        warm: &mut Warm,
    ) -> Option<Step> {
        let n = scales.len();
        let (rows, all) = (self.factor.nrows(), n + self.factor.nrows() + c.len());
        let room: Vec<[f64; 2]> =
            self.room.iter().zip(scales).map(|(room, scale)| room.map(|room| room * scale / size)).collect();
        let mut right: Vec<f64> =
            self.gradient.iter().zip(scales).map(|(g, scale)| -g / (scale * size)).collect();
        right.resize(n + rows, 0.0);
        right.extend(c.iter().map(|c| -c / size));
        let squares = damping.iter().zip(scales).map(|(damping, scale)| damping / (scale * scale));
        let mut entries: Triplets =
            squares.enumerate().map(|(index, square)| (index, index, square)).collect();
        entries.extend((n..all).map(|index| (index, index, if index < n + rows { -1.0 } else { 0.0 })));
        let curved = self.curvature.iter().map(|(i, j, value)| (*i, *j, value / (scales[*i] * scales[*j])));
        entries.extend(curved);
        for (first, matrix) in [(n, &self.factor), (n + rows, &self.constraints)] {
            entries.extend(matrix.triplet_iter().map(|(row, j, value)| (j, first + row, value / scales[j])));
        }
        for _ in 0..2 {
            let found = guessed(&entries, &right, &room, warm);
            if let Some(x) = found {
                let d = x.iter().zip(scales).zip(&self.room);
                let d =
                    d.map(|((x, scale), [lower, upper])| (size * x / scale).clamp(*lower, *upper)).collect();
                let multipliers = self.multipliers.iter().zip(&x[n + rows..]);
                return Some(Step {
                    d,
                    multipliers: multipliers.map(|(old, new)| old + size * new).collect(),
                });
            }
            // Bounds that held in the program before may contradict the constraints of this one.
            if std::mem::take(&mut warm.held).iter().all(|held| *held == 0) {
                return None;
            }
        }
        None
    }
    fn scaled(
        &self,
        damping: &[f64],
        c: &[f64],
        penalties: Option<&[f64]>,
        (size, scales): (f64, &[f64]),
        far: f64,
    ) -> Option<Step> {
        let n = scales.len();
        let (rows, held) = (self.factor.nrows(), c.len());
        let slacks = if penalties.is_some() { held } else { 0 };
        // The unknowns are d, A d, and the slacks above and below zero.
        let all = n + rows + 2 * slacks;
        let damped = damping.iter().zip(scales).map(|(damping, scale)| damping / (scale * scale));
        let of_squares = damped.chain((0..rows).map(|_| 1.0)).enumerate();
        let of_squares = of_squares.map(|(index, square)| (index, index, square)).collect();
        let mut slopes: Vec<f64> =
            self.gradient.iter().zip(scales).map(|(slope, scale)| slope / (scale * size)).collect();
        slopes.resize(n + rows, 0.0);
        for sign in [-1.0, 1.0] {
            let both = penalties.into_iter().flatten().zip(&self.multipliers);
            slopes.extend(both.map(|(penalty, multiplier)| (penalty + sign * multiplier) / size));
        }
        let of = |row, column: usize, value: &f64| (row, column, value / scales[column]);
        let residuals = self.factor.triplet_iter().map(|(row, column, value)| of(row, column, value));
        let constraints = self.constraints.triplet_iter();
        let constraints = constraints.map(|(row, column, value)| of(rows + row, column, value));
        let mut linear: Triplets = residuals.chain(constraints).collect();
        linear.extend((0..rows).map(|row| (row, n + row, -1.0)));
        let mut right = vec![0.0; rows];
        for slack in 0..slacks {
            linear.push((rows + slack, n + rows + slack, -1.0));
            linear.push((rows + slack, n + rows + slacks + slack, 1.0));
        }
        right.extend(c.iter().map(|c| -c / size));
        let fast = (0..n).filter(|index| self.room[*index][0] >= self.room[*index][1]);
        for index in fast.clone() {
            linear.push((right.len(), index, 1.0));
            right.push(0.0);
        }
        let equalities = right.len();
        let mut bounds = Vec::new();
        for (index, (room, scale)) in self.room.iter().zip(scales).enumerate() {
            for (sign, room) in [(-1.0, -room[0]), (1.0, room[1])] {
                let distance = room * scale / size;
                if self.room[index][0] < self.room[index][1] && distance.is_finite() && distance < far {
                    linear.push((right.len(), index, sign));
                    bounds.push((right.len(), index, sign * room));
                    right.push(distance);
                }
            }
        }
        for slack in 0..2 * slacks {
            linear.push((right.len(), n + rows + slack, -1.0));
            right.push(0.0);
        }
        let cones = [ZeroConeT(equalities), NonnegativeConeT(right.len() - equalities)];
        let (squares, lines) = (matrix(of_squares, all, all), matrix(linear, right.len(), all));
        let solved = |regularization: f64| {
            let settings = DefaultSettings {
                verbose: false,
                tol_gap_abs: GAP,
                tol_gap_rel: GAP,
                tol_feas: TOLERANCE,
                // A row of the problem is a row of the program.
                presolve_enable: false,
                max_threads: 1,
                static_regularization_constant: regularization,
                ..DefaultSettings::default()
            };
            let mut solver = DefaultSolver::new(&squares, &slopes, &lines, &right, &cones, settings).ok()?;
            solver.solve();
            let found = solver.solution;
            // A program that makes no more progress is solved as well as its rounding allows.
            let is_solved = matches!(
                found.status,
                SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress
            );
            let is_finite = found.x.iter().chain(&found.z).all(|number| number.is_finite());
            let d: Vec<f64> = found.x[..n].iter().zip(scales).map(|(d, scale)| size * d / scale).collect();
            // Where constraints contradict each other, such a point may lie anywhere.
            let mut misses = times(&self.constraints, &d).into_iter().zip(c).map(|(moved, c)| c + moved);
            let is_met = penalties.is_some() || misses.all(|miss| miss.abs() <= MET * size);
            (is_solved && is_finite && is_met).then_some((found, d))
        };
        let (found, mut d) = REGULARIZATIONS.into_iter().find_map(solved)?;
        fast.for_each(|index| d[index] = 0.0);
        for (row, index, bound) in bounds {
            // Of a bound and its multiplier, the one that tends to zero.
            if found.s[row] < found.z[row] {
                d[index] = bound;
            }
        }
        let of_constraints = &found.z[rows..rows + held];
        let multipliers =
            self.multipliers.iter().zip(of_constraints).map(|(old, new)| old + size * new).collect();
        Some(Step { d, multipliers })
    }

    /// The largest slope of the Lagrangian by the largest slope of each constraint; 1 without slopes.
    pub(super) fn prices(&self) -> Vec<f64> {
        let slopes = self.gradient.iter().zip(&self.scales).map(|(slope, scale)| (slope / scale).abs());
        let most = slopes.fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        self.sizes().into_iter().map(|size| if size > 0.0 { most / size } else { most }).collect()
    }

    /// The largest slope of each constraint.
    fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0_f64; self.constraints.nrows()];
        for (row, column, value) in self.constraints.triplet_iter() {
            sizes[row] = sizes[row].max(value.abs() / self.scales[column]);
        }
        sizes
    }

    /// True if the constraints are known to bend.
    pub(super) fn is_curved(&self) -> bool {
        self.curvature.iter().any(|(.., value)| *value != 0.0)
    }

    /// Takes the constraints as straight from now on; true if they were not.
    pub(super) fn straighten(&mut self) -> bool {
        let was_curved = self.is_curved();
        self.curvature.clear();
        was_curved
    }

    /// |A d|² + dᵀ (Σ λ ∂²c/∂x²) d.
    pub(super) fn square(&self, d: &[f64]) -> f64 {
        let twice = |i: usize, j: usize| if i == j { 1.0 } else { 2.0 };
        let bent = self.curvature.iter().map(|(i, j, value)| twice(*i, *j) * value * d[*i] * d[*j]);
        times(&self.factor, d).iter().map(|x| x * x).sum::<f64>() + bent.sum::<f64>()
    }
}

/// What the next program begins with.
#[derive(Default)]
pub(super) struct Warm {
    /// The bounds that hold: −1 lower ones, 1 upper ones.
    held: Vec<i8>,
    shift: Shift,
    /// The order of elimination, for so many entries.
    order: Option<(usize, Vec<usize>)>,
}

/// The diagonal that makes a program convex: now, and last.
#[derive(Default)]
struct Shift {
    now: f64,
    last: f64,
}

/// The solution of the conditions of a program, with the bounds that hold by guesses.
fn guessed(
    entries: &[(usize, usize, f64)],
    right: &[f64],
    room: &[[f64; 2]],
    warm: &mut Warm,
) -> Option<Vec<f64>> {
    let (n, all) = (room.len(), right.len());
    warm.held.resize(n, 0);
    for (held, [lower, upper]) in warm.held.iter_mut().zip(room) {
        *held = if lower >= upper { -1 } else { *held };
    }
    for _ in 0..GUESSES {
        let held = |index: usize| index < n && warm.held[index] != 0;
        let factors = factors(entries, (n, all), held, &mut warm.shift, &mut warm.order)?;
        let mut x = vec![0.0; all];
        for (index, held) in warm.held.iter().enumerate().filter(|(_, held)| **held != 0) {
            x[index] = room[index][usize::from(*held > 0)];
        }
        let left = refined(factors, (entries, right), (n, warm.shift.now), held, &mut x)?;
        let mut is_changed = false;
        for (index, [lower, upper]) in room.iter().enumerate().filter(|(_, [lower, upper])| lower < upper) {
            let guess = match warm.held[index] {
                // The slope of the Lagrangian pushes against the bound.
                -1 if left[index] <= 0.0 => -1,
                1 if left[index] >= 0.0 => 1,
                0 if x[index] < *lower => -1,
                0 if x[index] > *upper => 1,
                _ => 0,
            };
            is_changed |= guess != warm.held[index];
            warm.held[index] = guess;
        }
        if !is_changed {
            return Some(x);
        }
    }
    None
}

/// The factors of a symmetric matrix that has n positive eigenvalues, by a shift if it must be, where
/// unknowns that are held have rows of the unit matrix.
fn factors(
    entries: &[(usize, usize, f64)],
    (n, all): (usize, usize),
    held: impl Fn(usize) -> bool,
    shift: &mut Shift,
    order: &mut Option<(usize, Vec<usize>)>,
) -> Option<QDLDLFactorisation<f64>> {
    shift.now = 0.0;
    while shift.now <= CONVEX[1] {
        let shifted = |(i, j, value): &(usize, usize, f64)| {
            let value = match (held(*i) || held(*j), i == j) {
                (true, same) => f64::from(u8::from(same)),
                (false, _) => *value,
            };
            (*i, *j, value)
        };
        let of_diagonal =
            |index: usize| if index < n { REGULARIZATIONS[0] + shift.now } else { -REGULARIZATIONS[0] };
        let diagonal = (0..all).filter(|index| !held(*index)).map(|index| (index, index, of_diagonal(index)));
        let matrix = matrix(entries.iter().map(shifted).chain(diagonal).collect(), all, all);
        let known = order.take().filter(|(count, order)| *count == entries.len() && order.len() == all);
        let settings = QDLDLSettings {
            perm: known.map(|(_, order)| order),
            regularize_enable: false,
            ..QDLDLSettings::default()
        };
        let factors = QDLDLFactorisation::new(&matrix, Some(settings));
        if let Ok(factors) = factors {
            *order = Some((entries.len(), factors.perm.clone()));
            if factors.positive_inertia() == n {
                shift.last = if shift.now > 0.0 { shift.now } else { shift.last };
                return Some(factors);
            }
        }
        shift.now = if shift.now == 0.0 { (shift.last / 3.0).max(CONVEX[0]) } else { 8.0 * shift.now };
    }
    None
}

/// Solves for the unknowns that are not held, and gives what is left of the right side in all rows; none
/// where too much is left.
fn refined(
    mut factors: QDLDLFactorisation<f64>,
    (entries, right): (&[(usize, usize, f64)], &[f64]),
    (n, shift): (usize, f64),
    held: impl Fn(usize) -> bool,
    x: &mut [f64],
) -> Option<Vec<f64>> {
    let mut most = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut left = right.to_vec();
        for (i, j, value) in entries {
            left[*i] -= value * x[*j];
            if i != j {
                left[*j] -= value * x[*i];
            }
        }
        (0..n).filter(|index| !held(*index)).for_each(|index| left[index] -= shift * x[index]);
        let mut change = left.clone();
        (0..n).filter(|index| held(*index)).for_each(|index| change[index] = 0.0);
        let before = std::mem::replace(&mut most, change.iter().fold(0.0, |most: f64, x| most.max(x.abs())));
        if most <= TOLERANCE * 1e-3 || (most > 0.5 * before && most <= MET) {
            return Some(left);
        }
        if !most.is_finite() {
            return None;
        }
        factors.solve(&mut change);
        x.iter_mut().zip(change).for_each(|(x, change)| *x += change);
    }
    None
}

/// The guesses of the bounds that hold at most, and the rounds of a solution.
const GUESSES: usize = 30;
const ROUNDS: usize = 12;
/// The least and the largest diagonal that makes a program convex.
const CONVEX: [f64; 2] = [1e-4, 1e8];

/// The distance of a bound that counts as far, in sizes of a step.
const FAR: f64 = 1e3;
/// The largest product of a bound's distance and its multiplier: near bounds push a little.
const GAP: f64 = 1e-13;
/// The tolerance of the program's own solver.
const TOLERANCE: f64 = 1e-10;
/// The miss of a constraint that counts as none, in sizes of a step.
const MET: f64 = 1e-6;
/// The diagonal that its factors add: as little as they bear.
const REGULARIZATIONS: [f64; 2] = [1e-11, 1e-8];

/// A row, a column, and the entry there.
type Triplets = Vec<(usize, usize, f64)>;

fn matrix(triplets: Triplets, rows: usize, columns: usize) -> CscMatrix<f64> {
    let (places, of, values) = triplets.into_iter().collect();
    CscMatrix::new_from_triplets(rows, columns, places, of, values)
}

/// M x.
pub(super) fn times(matrix: &CsrMatrix<f64>, x: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; matrix.nrows()];
    matrix.triplet_iter().for_each(|(row, column, value)| sums[row] += value * x[column]);
    sums
}

/// Mᵀ y.
pub(super) fn transposed_times(matrix: &CsrMatrix<f64>, y: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; matrix.ncols()];
    matrix.triplet_iter().for_each(|(row, column, value)| sums[column] += value * y[row]);
    sums
}

/// A matrix R with RᵀR = AᵀA: blocks of rows with equal columns become triangular.
fn factor(matrix: &CsrMatrix<f64>) -> CsrMatrix<f64> {
    let mut blocks: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
    for (row, ends) in matrix.row_offsets().windows(2).enumerate() {
        blocks.entry(&matrix.col_indices()[ends[0]..ends[1]]).or_default().push(row);
    }
    let (mut triplets, mut count) = (Vec::new(), 0);
    for (places, members) in blocks {
        let (offsets, values) = (matrix.row_offsets(), matrix.values());
        let numbers = members.iter().flat_map(|row| &values[offsets[*row]..offsets[row + 1]]).copied();
        let mut block = DMatrix::from_row_iterator(members.len(), places.len(), numbers);
        if members.len() > places.len() {
            block = block.qr().r();
        }
        for (row, numbers) in block.row_iter().enumerate() {
            let entries = places.iter().zip(numbers.iter()).filter(|(_, value)| **value != 0.0);
            triplets.extend(entries.map(|(place, value)| (count + row, *place, *value)));
        }
        count += block.nrows();
    }
    let triplets = CooMatrix::try_from_triplets_iter(count, matrix.ncols(), triplets);
    triplets.map_or_else(|_| matrix.clone(), |triplets| CsrMatrix::from(&triplets))
}
