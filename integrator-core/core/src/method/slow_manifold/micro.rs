//! The micro-integration: velocity Verlet forwards and backwards over the window, with the average.

use super::filter::Filter;
use crate::method::applied::Instant;
use crate::method::force_error::Attempt;
use crate::method::mass_solver::MassSolver;
use crate::method::report::Evaluations;
use crate::system::{Natural, State};

#[derive(Debug)]
pub(super) struct Micro {
    pub(super) mass: MassSolver,
    step: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    /// The acceleration in the middle of the window, where both halves start.
    middle: Vec<f64>,
}

impl Micro {
    pub(super) fn new(mass: MassSolver, step: f64, dimension: usize) -> Self {
        let zeros = || vec![0.0; dimension];
        Self { mass, step, q: zeros(), v: zeros(), a: zeros(), middle: zeros() }
    }

    /// Writes Σ_k W_k (q(t + k h), v(t + k h)) along the solution through `from` over `mean`.
    pub(super) fn average<S: Natural + ?Sized>(
        &mut self,
        system: &S,
        filter: &Filter,
        from: &State,
        mean: &mut State,
        counts: &mut Evaluations,
    ) -> Attempt {
        let [middle, rest @ ..] = filter.weights() else { return Ok(()) };
        mean.t = from.t;
        for (mean, entry) in mean.q.iter_mut().zip(&from.q).chain(mean.v.iter_mut().zip(&from.v)) {
            *mean = middle * entry;
        }
        self.mass.accelerate(system, &from.q, Instant::at(from.t), &mut self.middle, counts)?;
        for step in [self.step, -self.step] {
            self.q.copy_from_slice(&from.q);
            self.v.copy_from_slice(&from.v);
            self.a.copy_from_slice(&self.middle);
            for (number, weight) in rest.iter().enumerate() {
                let at = Instant::at(from.t + (number + 1) as f64 * step);
                for ((q, v), a) in self.q.iter_mut().zip(&mut self.v).zip(&self.a) {
                    *v += 0.5 * step * a;
                    *q += step * *v;
                }
                self.mass.accelerate(system, &self.q, at, &mut self.a, counts)?;
                for (v, a) in self.v.iter_mut().zip(&self.a) {
                    *v += 0.5 * step * a;
                }
                for (mean, entry) in mean.q.iter_mut().zip(&self.q).chain(mean.v.iter_mut().zip(&self.v)) {
                    *mean += weight * entry;
                }
            }
        }
        Ok(())
    }
}
