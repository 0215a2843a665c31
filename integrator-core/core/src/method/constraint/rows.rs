//! Holonomic and nonholonomic constraints as one list of rows, the holonomic ones first.

use super::natural_size::{Excess, START_TOLERANCE, Sizes};
use crate::carried::carried;
use crate::error::StartError;
use crate::method::report::Evaluations;
use crate::sparse::RowPattern;
use crate::system::{Holonomic, Nonholonomic, State, System};

/// The rows of a system: g(q, t) = 0 with G = ∂g/∂q, and c(q, v, t) = A v + b = 0.
pub(crate) struct Rows<'s> {
    holonomic: Option<&'s dyn Holonomic>,
    nonholonomic: Option<&'s dyn Nonholonomic>,
    /// The number of holonomic rows.
    positions: usize,
    /// The nonholonomic rows that take no part, since the holonomic ones imply them; empty for none.
    implied: Vec<bool>,
    /// The pattern of B, which is G above A.
    pattern: RowPattern,
    /// The sources of the entries of A in the derivatives of c, in the order of B.
    of_velocities: Vec<u32>,
    /// The pattern of Newton's method for the positions: G above A and ∂c/∂q.
    newton: RowPattern,
    /// The places of the derivatives of c in it; true for derivatives with respect to q.
    of_newton: Vec<(u32, bool)>,
    /// The derivatives of c with respect to q: source, row and column.
    of_positions: Vec<(u32, u32, u32)>,
    sizes: Sizes,
    rates: Vec<f64>,
    /// c and its derivatives, at the last evaluation for Newton's method.
    trial: Vec<f64>,
    trial_derivatives: Vec<f64>,
}

/// The rows at one state.
#[derive(Debug, Clone)]
pub(crate) struct RowsAtState {
    /// g and c.
    pub(crate) values: Vec<f64>,
    /// B, in the order of its pattern.
    pub(crate) matrix: Vec<f64>,
    /// ∂c/∂(q, v).
    derivatives: Vec<f64>,
}

impl<'s> Rows<'s> {
    /// `None` if the system has no rows.
    pub(crate) fn of<S: System + ?Sized>(system: &'s S) -> Option<Self> {
        let (holonomic, nonholonomic) = (system.holonomic(), system.nonholonomic());
        let n = system.dimension();
        let none = [RowPattern::new(0, n, []), RowPattern::new(0, 2 * n, [])];
        let jacobian = holonomic.map_or(&none[0], Holonomic::jacobian_pattern);
        let derivatives = nonholonomic.map_or(&none[1], Nonholonomic::nonholonomic_pattern);
        let positions = jacobian.height();
        let height = positions + derivatives.height();
        if height == 0 {
            return None;
        }
        let entries = || derivatives.entries().zip(0_u32..);
        let below =
            |(row, column): (usize, usize)| (positions + row, if column < n { column } else { column - n });
        let of_velocities = || entries().filter(|((_, column), _)| *column >= n);
        let with = |more: &mut dyn Iterator<Item = (usize, usize)>| {
            RowPattern::new(height, n, jacobian.entries().chain(more))
        };
        let newton = with(&mut entries().map(|(entry, _)| below(entry)));
        let of_newton = entries().map(|(entry, _)| {
            let (row, column) = below(entry);
            (newton.place(row, column), entry.1 < n)
        });
        Some(Self {
            pattern: with(&mut of_velocities().map(|(entry, _)| below(entry))),
            of_velocities: of_velocities().map(|(_, source)| source).collect(),
            of_newton: of_newton.collect(),
            of_positions: entries()
                .filter(|((_, column), _)| *column < n)
                .map(|((row, column), source)| (source, row as u32, column as u32))
                .collect(),
            newton,
            sizes: Sizes::new(system.layout(), height),
            rates: vec![0.0; height],
            trial: vec![0.0; derivatives.height()],
            trial_derivatives: vec![0.0; derivatives.len()],
            holonomic,
            nonholonomic,
            positions,
            implied: Vec::new(),
        })
    }

    pub(crate) fn height(&self) -> usize {
        self.pattern.height()
    }

    pub(crate) fn holonomic(&self) -> usize {
        self.positions
    }

    pub(crate) fn pattern(&self) -> &RowPattern {
        &self.pattern
    }

    /// The pattern of the rows of Newton's method for the positions.
    pub(crate) fn newton_pattern(&self) -> &RowPattern {
        &self.newton
    }

    pub(crate) fn name(&self, row: usize) -> String {
        match (self.holonomic, self.nonholonomic) {
            (Some(holonomic), _) if row < self.positions => holonomic.constraint_name(row),
            (_, Some(nonholonomic)) => nonholonomic.nonholonomic_name(row - self.positions),
            _ => format!("constraint {row}"),
        }
    }

    /// Leaves out rows on velocities that rows on positions imply: sets them to zero.
    pub(crate) fn leave_out(&mut self, rows: &[usize]) {
        self.implied.resize(self.height() - self.positions, false);
        for row in rows {
            self.implied[row - self.positions] = true;
        }
    }

    /// Clears the values of rows on velocities that are left out.
    fn clear_implied(implied: &[bool], values: &mut [f64]) {
        values.iter_mut().zip(implied).filter(|(_, is)| **is).for_each(|(value, _)| *value = 0.0);
    }

    /// Clears their derivatives.
    fn clear_derivatives(implied: &[bool], pattern: &RowPattern, derivatives: &mut [f64]) {
        let rows = implied.iter().enumerate().filter(|(_, is)| **is);
        rows.for_each(|(row, _)| derivatives[pattern.row(row)].fill(0.0));
    }

    /// Memory for the rows at a state.
    pub(crate) fn at(&self) -> RowsAtState {
        RowsAtState {
            values: vec![0.0; self.height()],
            matrix: vec![0.0; self.pattern.len()],
            derivatives: vec![0.0; self.of_newton.len()],
        }
    }

    /// Evaluates the rows, B and ∂c/∂q at a state.
    pub(crate) fn evaluate(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        at: &mut RowsAtState,
        counts: &mut Evaluations,
    ) {
        let RowsAtState { values, matrix, derivatives } = at;
        let (first, others) = values.split_at_mut(self.positions);
        let holonomic = matrix.len() - self.of_velocities.len();
        let (jacobian, of_velocities) = matrix.split_at_mut(holonomic);
        if let Some(holonomic) = self.holonomic {
            holonomic.jacobian(q, t, first, jacobian);
        }
        if let Some(nonholonomic) = self.nonholonomic {
            nonholonomic.nonholonomic_derivatives(q, v, t, others, derivatives);
            Self::clear_implied(&self.implied, others);
            Self::clear_derivatives(&self.implied, nonholonomic.nonholonomic_pattern(), derivatives);
            for (entry, &source) in of_velocities.iter_mut().zip(&self.of_velocities) {
                *entry = derivatives[source as usize];
            }
        }
        counts.constraints += 1;
    }

    /// Writes the rates B v + (∂g/∂t, b) at the state of `at` over `rates`.
    pub(crate) fn rates(&self, q: &[f64], v: &[f64], t: f64, at: &RowsAtState, rates: &mut [f64]) {
        let (first, others) = rates.split_at_mut(self.positions);
        others.copy_from_slice(&at.values[self.positions..]);
        if let Some(holonomic) = self.holonomic {
            holonomic.constraint_rate(q, t, first);
            holonomic.jacobian_pattern().multiply_add(
                &at.matrix[..at.matrix.len() - self.of_velocities.len()],
                v,
                first,
            );
        }
    }

    /// Writes ∂g/∂t and b over `rates`, with velocities of zero in `rest`.
    pub(crate) fn driven_rates(&self, q: &[f64], rest: &[f64], t: f64, rates: &mut [f64]) {
        let (first, others) = rates.split_at_mut(self.positions);
        if let Some(holonomic) = self.holonomic {
            holonomic.constraint_rate(q, t, first);
        }
        if let Some(nonholonomic) = self.nonholonomic {
            nonholonomic.nonholonomic_values(q, rest, t, others);
        }
    }

    /// Writes γ over `curvature`: the second time derivative of g and the first of c, at zero
    /// acceleration and the state of `at`.
    pub(crate) fn curvature(&self, q: &[f64], v: &[f64], t: f64, at: &RowsAtState, curvature: &mut [f64]) {
        let (first, others) = curvature.split_at_mut(self.positions);
        if let Some(holonomic) = self.holonomic {
            holonomic.constraint_curvature(q, v, t, first);
        }
        if let Some(nonholonomic) = self.nonholonomic {
            nonholonomic.nonholonomic_time_derivative(q, v, t, others);
            Self::clear_implied(&self.implied, others);
            for &(source, row, column) in &self.of_positions {
                others[row as usize] += at.derivatives[source as usize] * v[column as usize];
            }
        }
    }

    /// Writes g over the first of `values`.
    pub(crate) fn values(&self, q: &[f64], t: f64, values: &mut [f64], counts: &mut Evaluations) {
        if let Some(holonomic) = self.holonomic {
            holonomic.constraint_values(q, t, &mut values[..self.positions]);
            counts.constraints += 1;
        }
    }

    /// Adds w c at a node to the last of `values`.
    pub(crate) fn add_values(&mut self, weight: f64, q: &[f64], u: &[f64], t: f64, values: &mut [f64]) {
        if let Some(nonholonomic) = self.nonholonomic {
            nonholonomic.nonholonomic_values(q, u, t, &mut self.trial);
            Self::clear_implied(&self.implied, &mut self.trial);
            for (value, own) in values[self.positions..].iter_mut().zip(&self.trial) {
                *value += weight * own;
            }
        }
    }

    /// Writes g and G at new positions over the first of `values` and of Newton's `entries`.
    pub(crate) fn jacobian(
        &self,
        q: &[f64],
        t: f64,
        values: &mut [f64],
        entries: &mut [f64],
        counts: &mut Evaluations,
    ) {
        if let Some(holonomic) = self.holonomic {
            let length = holonomic.jacobian_pattern().len();
            holonomic.jacobian(q, t, &mut values[..self.positions], &mut entries[..length]);
            counts.constraints += 1;
        }
    }

    /// Adds w c and w (A + θ h ∂c/∂q) at a node to the last of `values` and of Newton's `entries`.
    pub(crate) fn add_derivatives(
        &mut self,
        (weight, ahead): (f64, f64),
        (q, u, t): (&[f64], &[f64], f64),
        values: &mut [f64],
        entries: &mut [f64],
    ) {
        if let Some(nonholonomic) = self.nonholonomic {
            nonholonomic.nonholonomic_derivatives(q, u, t, &mut self.trial, &mut self.trial_derivatives);
            let pattern = nonholonomic.nonholonomic_pattern();
            Self::clear_implied(&self.implied, &mut self.trial);
            Self::clear_derivatives(&self.implied, pattern, &mut self.trial_derivatives);
            for (value, own) in values[self.positions..].iter_mut().zip(&self.trial) {
                *value += weight * own;
            }
            for (&(place, of_positions), derivative) in self.of_newton.iter().zip(&self.trial_derivatives) {
                let factor = if of_positions { weight * ahead } else { weight };
                entries[place as usize] += factor * derivative;
            }
        }
    }

    /// Measures the terms of the holonomic rows at a start; their rounding limits residuals from below.
    pub(crate) fn measure_terms(&mut self, q: &[f64], t: f64) {
        if let Some(holonomic) = self.holonomic {
            self.sizes.measure_terms(holonomic, q, t);
        }
    }

    /// Measures the natural sizes of the rows for a step of length h from q with velocity v, and of
    /// their rates with this velocity; B belongs to `at`.
    pub(crate) fn measure_step(&mut self, motion: (&[f64], &[f64]), h: f64, at: &RowsAtState) {
        let (Self { sizes, pattern, positions, rates, .. }, v) = (self, motion.1);
        sizes.measure_plainly((pattern, &at.matrix), (v, v), 0.0);
        rates.copy_from_slice(&sizes.reciprocals);
        sizes.measure((pattern, &at.matrix), motion, h);
        sizes.reciprocals[*positions..].copy_from_slice(&rates[*positions..]);
    }

    /// Measures the natural sizes of rates at a velocity, including ∂g/∂t and b.
    pub(crate) fn measure_rates(&mut self, q: &[f64], v: &[f64], t: f64, at: &RowsAtState) {
        let Self { sizes, pattern, rates, holonomic, positions, .. } = self;
        sizes.measure_plainly((pattern, &at.matrix), (v, v), 0.0);
        // b = c − A v.
        for (row, rate) in rates.iter_mut().enumerate().skip(*positions) {
            let own: f64 = pattern.row(row).map(|k| at.matrix[k] * v[pattern.columns()[k] as usize]).sum();
            *rate = at.values[row] - own;
        }
        if let Some(holonomic) = holonomic {
            holonomic.constraint_rate(q, t, &mut rates[..*positions]);
        }
        sizes.add(rates);
    }

    /// The error of a start whose values or rates are off, with all residuals.
    pub(crate) fn off(
        &mut self,
        State { t, q, v }: &State,
        at: &mut RowsAtState,
        counts: &mut Evaluations,
    ) -> Option<(StartError, Vec<f64>)> {
        self.evaluate(q, v, *t, at, counts);
        self.measure_terms(q, *t);
        self.measure_step((q, q), 0.0, at);
        let mut residuals = at.values.clone();
        residuals[self.positions..].fill(0.0);
        if let Some(Excess { row, residual, accepted: tolerance }) =
            self.sizes.worst(&residuals, START_TOLERANCE)
        {
            let equation = self.name(row);
            return Some((StartError::OffConstraints { equation, residual, tolerance }, residuals));
        }
        self.rates(q, v, *t, at, &mut residuals);
        self.measure_rates(q, v, *t, at);
        let Excess { row, residual, accepted: tolerance } = self.sizes.worst(&residuals, START_TOLERANCE)?;
        let equation = self.name(row);
        Some((StartError::VelocityOffConstraints { equation, residual, tolerance }, residuals))
    }

    /// The reciprocals of the sizes measured last.
    pub(crate) fn reciprocal_sizes(&self) -> &[f64] {
        &self.sizes.reciprocals
    }

    /// The residual farthest beyond the tolerance, by the sizes measured last.
    pub(crate) fn worst(&self, residuals: &[f64], tolerance: f64) -> Option<Excess> {
        self.sizes.worst(residuals, tolerance)
    }
}

carried!([] RowsAtState { values, matrix, derivatives } besides {});
