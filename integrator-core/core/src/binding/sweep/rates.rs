//! The loop over single elements in dual numbers: the rates of an operation as x moves.

use super::single::{SinglePorts, advance, row, slots};
use crate::binding::instant::Instant;
use crate::binding::kernel::{Code, Ports, Row};
use crate::binding::work::{Arguments, Single};
use num_dual::Dual64;
use std::marker::PhantomData;

/// The loop over the rates of single elements, as a method of their code.
pub(in crate::binding) trait RateSweep<const G: usize, const X: usize, const C: usize, const R: usize>:
    Code<G, X, C, R>
{
    /// Adds the rates of the results along the direction `rate` of x.
    fn sweep_rates(work: &mut Single<'_, '_>) -> f64 {
        let Single { ref runs, coefficients, .. } = *work;
        let Arguments { x, a, rate, now, weights, .. } = *work.arguments;
        let Arguments { vector, values, .. } = &mut *work.arguments;
        let (vector, values) = (&mut **vector, &mut **values);
        for run in runs.clone() {
            let Some((mut starts, strides)) = slots::<G>(&run) else { break };
            let (mut row, row_stride) = row::<G>(&run);
            let mut element = run.element;
            for _ in 0..run.count {
                let Some(c) = coefficients.of::<C>(element) else { break };
                let single = SinglePorts::<Self, G, X, C, R> {
                    x,
                    a,
                    c,
                    now: now.instant,
                    signals: &now.readings,
                    starts,
                    row: row as usize,
                    apart: 0,
                    weights,
                    values: &mut [],
                    vector: &mut *vector,
                    gradient: [0.0; X],
                    matrix: &mut [],
                    positions: &[],
                    code: PhantomData,
                };
                let scalar = Self::run(&mut RatePorts { single, rate });
                if const { matches!(Self::ROW, Row::Adds) } {
                    values[row as usize] += scalar.eps;
                }
                element += run.step;
                row = row.wrapping_add(row_stride);
                advance(&mut starts, &strides);
            }
        }
        0.0
    }
}

impl<K: Code<G, X, C, R>, const G: usize, const X: usize, const C: usize, const R: usize>
    RateSweep<G, X, C, R> for K
{
}

/// The ports of one element whose inputs move.
struct RatePorts<'a, K: ?Sized, const G: usize, const X: usize, const C: usize, const R: usize> {
    single: SinglePorts<'a, K, G, X, C, R>,
    rate: &'a [f64],
}

impl<K: Code<G, X, C, R> + ?Sized, const G: usize, const X: usize, const C: usize, const R: usize>
    Ports<Dual64> for RatePorts<'_, K, G, X, C, R>
{
    fn x(&self, k: usize) -> Dual64 {
        let (slot, component) = self.single.slot(k);
        Dual64::new(self.single.x(k), self.rate[slot][component])
    }

    fn a(&self, k: usize) -> Dual64 {
        Dual64::from_re(self.single.a(k))
    }

    fn c(&self, k: usize) -> Dual64 {
        Dual64::from_re(self.single.c(k))
    }

    fn now(&self) -> Instant<Dual64> {
        let Instant { t, theta } = self.single.now();
        Instant { t: Dual64::from_re(t), theta: Dual64::from_re(theta) }
    }

    fn signal(&self, k: usize) -> Dual64 {
        Dual64::from_re(self.single.signal(k))
    }

    fn weight(&self, k: usize) -> Dual64 {
        Dual64::from_re(self.single.weight(k))
    }

    fn vector(&mut self, k: usize, value: Dual64) {
        self.single.vector(k, value.eps);
    }
}
