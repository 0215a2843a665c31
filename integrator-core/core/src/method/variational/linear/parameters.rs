//! The derivatives of L_v and L_q + F by the parameters at a point.

use crate::method::applied::Instant;
use crate::system::Parametric;

/// A point with the parameters of its system.
pub(super) struct Parameters<'s> {
    parametric: &'s dyn Parametric,
    q: Vec<f64>,
    v: Vec<f64>,
    t: f64,
    /// ∂F/∂(x, v).
    of_force: Vec<f64>,
    /// A direction and a product by x, and by v.
    direction: Vec<f64>,
    product: Vec<f64>,
    direction_v: Vec<f64>,
    product_v: Vec<f64>,
}

impl<'s> Parameters<'s> {
    pub(super) fn new(parametric: &'s dyn Parametric, n: usize) -> Self {
        let (zeros, whole) = (|| vec![0.0; n], n + parametric.count());
        Self {
            parametric,
            q: zeros(),
            v: zeros(),
            t: 0.0,
            of_force: vec![0.0; parametric.force_pattern().len()],
            direction: vec![0.0; whole],
            product: vec![0.0; whole],
            direction_v: zeros(),
            product_v: zeros(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.parametric.count()
    }

    pub(super) fn stand(&mut self, q: &[f64], v: &[f64], at: Instant) {
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
        self.t = at.t;
        if !self.of_force.is_empty() {
            self.of_force.fill(0.0);
            self.parametric.add_force_derivatives_sampled((q, v, at.t), at.sampling, &mut self.of_force);
        }
    }

    /// Adds the derivative of a L_v + b (L_q + F) by the parameters along θ, behind the positions of x,
    /// to `y`; or the transpose, to the entries of `y` behind the positions.
    pub(super) fn add(&mut self, [a, b]: [f64; 2], (transposed, x): (bool, &[f64]), y: &mut [f64]) {
        let n = self.q.len();
        let Self { parametric, direction, product, direction_v, product_v, .. } = self;
        direction.fill(0.0);
        direction_v.fill(0.0);
        product.fill(0.0);
        product_v.fill(0.0);
        if transposed {
            direction.iter_mut().zip(x).for_each(|(entry, x)| *entry = b * x);
            direction_v.iter_mut().zip(x).for_each(|(entry, x)| *entry = a * x);
        } else {
            direction[n..].copy_from_slice(&x[n..]);
        }
        let along = (&direction[..], &direction_v[..]);
        parametric.add_lagrangian_product((&self.q, &self.v, self.t), along, (product, product_v));
        if transposed {
            y[n..].iter_mut().zip(&product[n..]).for_each(|(y, product)| *y += product);
        } else {
            let products = product_v.iter().zip(&product[..n]);
            y.iter_mut().zip(products).for_each(|(y, (of_v, of_q))| *y += a * of_v + b * of_q);
        }
        if self.of_force.is_empty() {
            return;
        }
        for ((row, column), value) in parametric.force_pattern().entries().zip(&self.of_force) {
            if (n..direction.len()).contains(&column) {
                let (to, from) = if transposed { (column, row) } else { (row, column) };
                y[to] += b * value * x[from];
            }
        }
    }
}
