//! Functions with one value: V, the rest R of L, and Rayleigh's D.

use super::space::Space;
use super::stages::Stages;
use crate::binding::at::{At, Weights};
use crate::binding::kernel::Operation;
use crate::binding::signals::Now;
use crate::binding::terms::Terms;

/// A sum of elements that read z.
#[derive(Clone, Copy)]
pub(in crate::binding) struct Function<'a> {
    pub(in crate::binding) space: &'a Space,
    /// The arguments that the function reads.
    pub(in crate::binding) stages: &'a Stages,
    pub(in crate::binding) terms: Terms<'a>,
}

impl<'a> Function<'a> {
    pub(in crate::binding) fn new(space: &'a Space, terms: Terms<'a>) -> Self {
        Self { space, stages: space.read(terms.reads_sums()), terms }
    }

    /// The function with some of its elements only.
    pub(in crate::binding) fn part(self, terms: Terms<'a>) -> Self {
        Self { terms, ..self }
    }

    pub(in crate::binding) fn value(self, x: &[&[f64]], now: &Now<'_>) -> f64 {
        if self.terms.is_empty() {
            return 0.0;
        }
        self.stages.at(x, now, |z| self.terms.sum(Operation::Value, At::new(z, now)))
    }

    pub(in crate::binding) fn rate(self, x: &[&[f64]], now: &Now<'_>) -> f64 {
        self.stages.in_time(x, now, |[z, rates], slopes| {
            let at = At::new(z, now);
            self.terms.add_by_sums(Operation::Gradient, at, Weights::Ones, slopes);
            // Skip numbers at rest: an infinite slope times zero would be NaN.
            let moving = slopes.iter().zip(rates).filter(|(_, rate)| **rate != 0.0);
            self.terms.sum(Operation::Rate, at) + moving.map(|(slope, rate)| slope * rate).sum::<f64>()
        })
    }

    /// Adds ∇f.
    pub(in crate::binding) fn add_gradient(self, x: &[&[f64]], now: &Now<'_>, gradient: &mut [f64]) {
        if self.terms.is_empty() {
            return;
        }
        self.stages.pull_back(0, (x, &[]), now, gradient, |[z, ..], [w, ..]| {
            self.terms.add(Operation::Gradient, At::new(z, now), Weights::Ones, w);
        });
    }

    /// Adds Hess f · a.
    pub(in crate::binding) fn add_product(self, x: &[f64], a: &[f64], now: &Now<'_>, product: &mut [f64]) {
        let Self { stages, terms, .. } = self;
        stages.pull_back(1, (&[x], a), now, product, |[z, a, _], [weights, of_rates, _]| {
            let at = At::new(z, now);
            terms.add_by_sums(Operation::Gradient, at, Weights::Ones, weights);
            terms.add(Operation::Product, at.along(a), Weights::Ones, of_rates);
        });
    }

    /// Adds a·f‴·a.
    pub(in crate::binding) fn add_third(self, x: &[f64], a: &[f64], now: &Now<'_>, third: &mut [f64]) {
        let Self { stages, terms, .. } = self;
        stages.pull_back(2, (&[x], a), now, third, |[z, a, b], [weights, of_rates, of_seconds]| {
            let at = At::new(z, now);
            terms.add_by_sums(Operation::Gradient, at, Weights::Ones, weights);
            terms.add_by_sums(Operation::Product, at.along(a), Weights::Ones, of_rates);
            terms.add_by_sums(Operation::Product, at.along(b), Weights::Ones, of_seconds);
            terms.add(Operation::Third, at.along(a), Weights::Ones, of_seconds);
        });
    }

    /// Adds f⁗[a, a, d] for a function without sums.
    pub(in crate::binding) fn add_third_rate(
        self,
        x: &[f64],
        (a, d): (&[f64], &[f64]),
        now: &Now<'_>,
        rate: &mut [f64],
    ) {
        self.terms.add(Operation::ThirdRate, At::new(x, now).along(a).moving(d), Weights::Ones, rate);
    }
}
