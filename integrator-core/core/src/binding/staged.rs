//! A bound system whose functions read sums: see [`Stages`].

use super::assembly::Assembly;
use super::constraint::ConstraintFamily;
use super::family::Placed;
use super::reduced::{MOST_ENTRIES, Reduction};
use super::second::SecondDerivatives;
use super::signals::Now;
use super::stages::{Line, Memory, Stages};
use super::terms::{Readers, Terms};
use crate::error::BindError;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};
use std::sync::OnceLock;

/// The sums that functions of (q, t) read, and what second derivatives need of them.
pub(super) struct Staged {
    pub(super) stages: Stages,
    /// The terms of V that read sums.
    readers: Readers,
    reduction: OnceLock<Option<Reduction>>,
    potential: OnceLock<Result<Total, usize>>,
    stiff: OnceLock<Result<Total, usize>>,
    constraints: OnceLock<Result<Total, usize>>,
    /// G by z, where constraints read sums.
    pub(super) rows: Option<RowPattern>,
    /// g, and G by z.
    jacobian: Scratch<(Vec<f64>, Vec<f64>)>,
}

/// The pattern of second derivatives by q, and memory for those by z.
struct Total {
    pattern: SymmetricPattern,
    by_z: SymmetricPattern,
    /// Of constraints: where their elements fill those by z.
    placed: Vec<Placed>,
    memory: Scratch<Vec<f64>>,
}

impl Total {
    fn new(
        reduction: Option<&Reduction>,
        by_z: SymmetricPattern,
        entries: Vec<(usize, usize)>,
        placed: Vec<Placed>,
    ) -> Result<Self, usize> {
        let pattern = reduction.ok_or(MOST_ENTRIES + 1)?.pattern(entries)?;
        let length = by_z.len();
        Ok(Self { pattern, by_z, placed, memory: Scratch::new(move || vec![0.0; length]) })
    }
}

impl Staged {
    /// For these stages and terms of V; constraints that read sums fill these entries of G by z.
    pub(super) fn new(stages: Stages, potential: Terms<'_>, rows: Option<RowPattern>) -> Self {
        let (height, length) = rows.as_ref().map_or((0, 0), |rows| (rows.height(), rows.len()));
        let readers = Readers::of(potential, stages.base);
        Self {
            stages,
            readers,
            reduction: OnceLock::new(),
            potential: OnceLock::new(),
            stiff: OnceLock::new(),
            constraints: OnceLock::new(),
            rows,
            jacobian: Scratch::new(move || (vec![0.0; height], vec![0.0; length])),
        }
    }

    /// The pattern of G.
    ///
    /// # Errors
    /// It has too many entries.
    pub(super) fn jacobian_pattern(&self, model: &'static str) -> Result<Option<RowPattern>, BindError> {
        let Some(by_z) = &self.rows else { return Ok(None) };
        match self.reduction() {
            Some(reduction) => Ok(Some(reduction.rows.of_rows(by_z))),
            None => Err(too_many(model, "the rows of the constraints", MOST_ENTRIES + 1)),
        }
    }

    pub(super) fn reduction(&self) -> Option<&Reduction> {
        self.reduction.get_or_init(|| Reduction::new(&self.stages)).as_ref()
    }

    fn of_terms(&self, terms: Terms<'_>, by_z: &SymmetricPattern) -> Result<Total, usize> {
        let mut entries = Vec::new();
        terms.visit_hessian(&mut |row, column| entries.push((row, column)));
        Total::new(self.reduction(), by_z.clone(), entries, Vec::new())
    }

    fn of_constraints(&self, constraints: &[ConstraintFamily]) -> &Result<Total, usize> {
        self.constraints.get_or_init(|| {
            let mut entries = Vec::new();
            let mut push = |row, column| entries.push((row, column));
            constraints.iter().for_each(|family| family.visit_hessian(&mut push));
            let by_z = SymmetricPattern::new(self.stages.length, entries.iter().copied());
            let placed = constraints.iter().map(|family| family.placed(&by_z)).collect();
            Total::new(self.reduction(), by_z, entries, placed)
        })
    }

    /// Adds the gradient, and writes the second derivatives by q over `hessian`.
    fn second(
        &self,
        (terms, second, total): (Terms<'_>, &SecondDerivatives, &Total),
        (q, now): (&[f64], &Now<'_>),
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        self.stages.with(&[q], now, |memory| {
            total.memory.with(|by_z| {
                memory.clear(0);
                second.add(terms, &memory.z[0], now, &mut memory.w[0], by_z);
                self.stages.backwards(0, now, memory);
                add(&memory.w[0], gradient);
                self.reduce((total, by_z), memory, now, hessian);
            });
        });
    }

    /// Writes the second derivatives by q over `hessian`, from those by z and the weights of the sums.
    fn reduce(&self, (total, by_z): (&Total, &[f64]), memory: &Memory, now: &Now<'_>, hessian: &mut [f64]) {
        hessian.fill(0.0);
        if let Some(reduction) = self.reduction() {
            reduction.add(&self.stages, (&total.by_z, by_z), memory, now, (&total.pattern, hessian));
        }
    }
}

/// The error for second derivatives that are too full.
pub(super) fn too_many(model: &str, what: &str, entries: usize) -> BindError {
    BindError::FullThroughSums {
        model: model.to_owned(),
        what: what.to_owned(),
        entries,
        limit: MOST_ENTRIES,
    }
}

impl Assembly {
    fn potential_total<'a>(&'a self, staged: &'a Staged) -> &'a Result<Total, usize> {
        let by_z = || &self.potential_by_z().pattern;
        staged.potential.get_or_init(|| staged.of_terms(self.terms(), by_z()))
    }

    fn stiff_total<'a>(&'a self, staged: &'a Staged) -> &'a Result<Total, usize> {
        let by_z = || &self.stiff_by_z().pattern;
        staged.stiff.get_or_init(|| staged.of_terms(self.stiff_terms(), by_z()))
    }

    /// Refuses second derivatives that are too full.
    pub(super) fn affords_staged(&self, staged: &Staged) -> Result<(), BindError> {
        let name = self.facts.name;
        if let Err(entries) = self.potential_total(staged) {
            return Err(too_many(name, "the second derivatives of V", *entries));
        }
        if staged.rows.is_some()
            && let Err(entries) = staged.of_constraints(&self.constraints)
        {
            return Err(too_many(name, "the second derivatives of the constraints", *entries));
        }
        Ok(())
    }

    /// V.
    pub(super) fn staged_value(&self, staged: &Staged, q: &[f64], now: &Now<'_>) -> f64 {
        staged.stages.with(&[q], now, |Memory { z: [z, ..], .. }| self.terms().value(z, now))
    }

    /// ∂V/∂t.
    pub(super) fn staged_rate(&self, staged: &Staged, q: &[f64], now: &Now<'_>) -> f64 {
        staged.stages.with(&[q], now, |memory| {
            staged.stages.rates_by_time(now, memory);
            memory.clear(0);
            let Memory { z: [z, rates, _], w: [slopes, ..], .. } = memory;
            let own = self.terms().rate(z, now);
            self.terms().add_gradient(z, now, slopes);
            // An infinite slope by what rests makes nothing.
            let moving = slopes.iter().zip(&*rates).filter(|(_, rate)| **rate != 0.0);
            let of_sums = moving.map(|(slope, rate)| slope * rate);
            own + of_sums.sum::<f64>()
        })
    }

    /// ∇V, which is added to `gradient`.
    pub(super) fn add_staged_gradient(
        &self,
        staged: &Staged,
        q: &[f64],
        now: &Now<'_>,
        gradient: &mut [f64],
    ) {
        staged.stages.with(&[q], now, |memory| {
            memory.clear(0);
            self.terms().add_gradient(&memory.z[0], now, &mut memory.w[0]);
            staged.stages.backwards(0, now, memory);
            add(&memory.w[0], gradient);
        });
    }

    /// Hess V · a.
    pub(super) fn staged_product(
        &self,
        staged: &Staged,
        q: &[f64],
        now: &Now<'_>,
        a: &[f64],
        product: &mut [f64],
    ) {
        staged.stages.with(&[q], now, |memory| {
            staged.stages.rates(a, Line::Fixed, now, memory);
            memory.clear(1);
            let Memory { z: [z, rates, _], w: [weights, of_rates, _], .. } = memory;
            staged.readers.add_gradient(self.terms(), z, now, weights);
            self.terms().add_product(z, now, rates, of_rates);
            staged.stages.backwards(1, now, memory);
            add(&memory.w[1], product);
        });
    }

    /// a·V‴·a.
    pub(super) fn staged_third(
        &self,
        staged: &Staged,
        q: &[f64],
        now: &Now<'_>,
        a: &[f64],
        contraction: &mut [f64],
    ) {
        staged.stages.with(&[q], now, |memory| {
            staged.stages.rates(a, Line::Fixed, now, memory);
            staged.stages.second_rates(Line::Fixed, now, memory);
            memory.clear(2);
            let Memory { z: [z, rates, seconds], w: [weights, of_rates, of_seconds], .. } = memory;
            staged.readers.add_gradient(self.terms(), z, now, weights);
            staged.readers.add_product(self.terms(), z, now, rates, of_rates);
            staged.readers.add_product(self.terms(), z, now, seconds, of_seconds);
            self.terms().add_third(z, now, rates, of_seconds);
            staged.stages.backwards(2, now, memory);
            add(&memory.w[2], contraction);
        });
    }

    /// The pattern of Hess V.
    pub(super) fn staged_pattern<'a>(&'a self, staged: &'a Staged) -> &'a SymmetricPattern {
        // Who is refused second derivatives does not ask for them.
        self.potential_total(staged).as_ref().map_or(&self.mass.pattern, |total| &total.pattern)
    }

    /// ∇V, which is added to `gradient`, and Hess V.
    pub(super) fn staged_second(
        &self,
        staged: &Staged,
        q: &[f64],
        now: &Now<'_>,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        let Ok(total) = self.potential_total(staged) else { return };
        staged.second((self.terms(), self.potential_by_z(), total), (q, now), gradient, hessian);
    }

    /// The pattern of the Hessian of the stiff part of V.
    pub(super) fn staged_stiff_pattern<'a>(&'a self, staged: &'a Staged) -> &'a SymmetricPattern {
        self.stiff_total(staged).as_ref().map_or(&self.mass.pattern, |total| &total.pattern)
    }

    /// The Hessian of the stiff part of V; its gradient is added to `gradient`.
    pub(super) fn staged_stiff(
        &self,
        staged: &Staged,
        q: &[f64],
        now: &Now<'_>,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        let Ok(total) = self.stiff_total(staged) else { return };
        staged.second((self.stiff_terms(), self.stiff_by_z(), total), (q, now), gradient, hessian);
    }

    /// Runs `inside` with g, and with G by z.
    fn with_rows<R>(
        &self,
        staged: &Staged,
        z: &[f64],
        now: &Now<'_>,
        inside: impl FnOnce(&[f64], &[f64]) -> R,
    ) -> R {
        staged.jacobian.with(|(values, jacobian)| {
            values.fill(0.0);
            jacobian.fill(0.0);
            self.constraints.iter().for_each(|family| family.add_jacobian(z, now, values, jacobian));
            inside(values, jacobian)
        })
    }

    /// g, which is added to `values`.
    pub(super) fn add_staged_constraints(
        &self,
        staged: &Staged,
        q: &[f64],
        now: &Now<'_>,
        values: &mut [f64],
    ) {
        staged.stages.with(&[q], now, |Memory { z: [z, ..], .. }| {
            self.constraints.iter().for_each(|family| family.add_values(z, now, values));
        });
    }

    /// g and G, which are added to `values` and `jacobian`.
    pub(super) fn add_staged_jacobian(
        &self,
        (staged, by_z): (&Staged, &RowPattern),
        q: &[f64],
        now: &Now<'_>,
        values: &mut [f64],
        jacobian: &mut [f64],
    ) {
        let Some(Reduction { rows, .. }) = staged.reduction() else { return };
        staged.stages.with(&[q], now, |Memory { z: [z, ..], .. }| {
            self.with_rows(staged, z, now, |found, slopes| {
                add(found, values);
                rows.with(&staged.stages, z, now, |of_sums| {
                    rows.add_rows((by_z, slopes), of_sums, (&self.jacobian_pattern, jacobian));
                });
            });
        });
    }

    /// ∂g/∂t, which is added to `rate`.
    pub(super) fn add_staged_constraint_rate(
        &self,
        (staged, by_z): (&Staged, &RowPattern),
        q: &[f64],
        now: &Now<'_>,
        rate: &mut [f64],
    ) {
        staged.stages.with(&[q], now, |memory| {
            staged.stages.rates_by_time(now, memory);
            let [z, rates, _] = &memory.z;
            self.constraints.iter().for_each(|family| family.add_rate(z, now, rate));
            self.with_rows(staged, z, now, |_, slopes| by_z.multiply_add(slopes, rates, rate));
        });
    }

    /// d²g/dt² along a motion with velocity a and without acceleration, or aᵀ Hess g a; it is added to `curvature`.
    pub(super) fn add_staged_curvature(
        &self,
        (staged, by_z): (&Staged, &RowPattern),
        (q, now): (&[f64], &Now<'_>),
        a: &[f64],
        line: Line,
        curvature: &mut [f64],
    ) {
        staged.stages.with(&[q], now, |memory| {
            staged.stages.rates(a, line, now, memory);
            staged.stages.second_rates(line, now, memory);
            let [z, rates, seconds] = &memory.z;
            for family in &self.constraints {
                match line {
                    Line::Fixed => family.add_quadratic(z, now, rates, curvature),
                    Line::InTime => family.add_curvature(z, rates, now, curvature),
                }
            }
            self.with_rows(staged, z, now, |_, slopes| by_z.multiply_add(slopes, seconds, curvature));
        });
    }

    /// The pattern of Σ w Hess g.
    pub(super) fn staged_weighted_pattern<'a>(&'a self, staged: &'a Staged) -> &'a SymmetricPattern {
        staged.of_constraints(&self.constraints).as_ref().map_or(&self.mass.pattern, |total| &total.pattern)
    }

    /// Σ w Hess g.
    pub(super) fn staged_weighted_hessian(
        &self,
        (staged, by_z): (&Staged, &RowPattern),
        (q, now): (&[f64], &Now<'_>),
        weights: &[f64],
        hessian: &mut [f64],
    ) {
        let Ok(total) = staged.of_constraints(&self.constraints) else { return };
        staged.stages.with(&[q], now, |memory| {
            total.memory.with(|second| {
                second.fill(0.0);
                memory.clear(0);
                let Memory { z: [z, ..], w: [of_sums, ..], .. } = memory;
                for (family, placed) in self.constraints.iter().zip(&total.placed) {
                    family.elements().add_weighted_hessian(placed, z, now, weights, second);
                }
                self.with_rows(staged, z, now, |_, slopes| {
                    by_z.transpose_multiply_add(slopes, weights, of_sums);
                });
                staged.stages.backwards(0, now, memory);
                staged.reduce((total, second), memory, now, hessian);
            });
        });
    }

    /// Σ w Hess g · a, or Σ w (a·g‴·a) where the `order` is two, which is added to `result`.
    pub(super) fn add_staged_weighted(
        &self,
        (staged, by_z): (&Staged, &RowPattern),
        (q, now): (&[f64], &Now<'_>),
        (weights, a): (&[f64], &[f64]),
        order: usize,
        result: &mut [f64],
    ) {
        staged.stages.with(&[q], now, |memory| {
            staged.stages.rates(a, Line::Fixed, now, memory);
            if order > 1 {
                staged.stages.second_rates(Line::Fixed, now, memory);
            }
            memory.clear(order);
            let Memory { z: [z, rates, seconds], w: [of_sums, of_rates, of_seconds], .. } = memory;
            self.with_rows(staged, z, now, |_, slopes| {
                by_z.transpose_multiply_add(slopes, weights, of_sums);
            });
            for family in &self.constraints {
                family.elements().add_weighted_product(z, now, weights, rates, of_rates);
                if order > 1 {
                    family.elements().add_weighted_product(z, now, weights, seconds, of_seconds);
                    family.elements().add_weighted_third(z, now, weights, rates, of_seconds);
                }
            }
            staged.stages.backwards(order, now, memory);
            add(&memory.w[order], result);
        });
    }
}

/// Adds the first numbers of a vector to another.
pub(super) fn add(from: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}
