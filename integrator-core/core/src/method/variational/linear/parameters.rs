//! The derivatives of L_v and L_q + F by the parameters at a point.
//!
//! A step has two numbers of an input u: the parts (m₀ − m₁)/h for its beginning and m₁/h for its end of
//! the mean of u, with m₁ = ∫ (t − t₀)/h u dt. A node reads a combination of both. So x = (q, θ, m₁/h),
//! where the place of an input in θ holds (m₀ − m₁)/h.

use crate::method::applied::Instant;
use crate::system::Parametric;

/// A point with the parameters of its system.
pub(super) struct Parameters<'s> {
    parametric: &'s dyn Parametric,
    q: Vec<f64>,
    v: Vec<f64>,
    t: f64,
    /// ∂F/∂(x, v), and its entries (place, row, column) by parameters, with the second column of inputs.
    of_force: Vec<f64>,
    entries: Vec<(usize, usize, usize, Option<usize>)>,
    /// The weights of both numbers of an input at the node.
    weights: [f64; 2],
    /// A direction and a product by x, and by v.
    direction: Vec<f64>,
    product: Vec<f64>,
    direction_v: Vec<f64>,
    product_v: Vec<f64>,
}

impl<'s> Parameters<'s> {
    pub(super) fn new(parametric: &'s dyn Parametric, n: usize) -> Self {
        let (zeros, whole) = (|| vec![0.0; n], n + parametric.count());
        let second = |column: usize| {
            let input = parametric.inputs().iter().position(|(place, _)| n + place == column);
            input.map(|input| whole + input)
        };
        let entries = parametric
            .force_pattern()
            .entries()
            .enumerate()
            .filter(|(_, (_, column))| (n..whole).contains(column));
        let entries = entries.map(|(place, (row, column))| (place, row, column, second(column)));
        Self {
            parametric,
            q: zeros(),
            v: zeros(),
            t: 0.0,
            of_force: vec![0.0; parametric.force_pattern().len()],
            entries: entries.collect(),
            weights: [0.0; 2],
            direction: vec![0.0; whole],
            product: vec![0.0; whole],
            direction_v: zeros(),
            product_v: zeros(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.parametric.count() + self.parametric.inputs().len()
    }

    /// The entries (i, j) of the derivatives by x_j; none if they are unknown.
    pub(super) fn couplings(&self) -> Option<Vec<(usize, usize)>> {
        let [of_potential, of_motion, _] = self.parametric.couplings()?;
        let of_force = self.entries.iter().flat_map(|&(_, row, column, second)| {
            [column].into_iter().chain(second).map(move |column| (row, column))
        });
        Some(of_potential.into_iter().chain(of_motion).chain(of_force).collect())
    }

    pub(super) fn stand(&mut self, q: &[f64], v: &[f64], at: Instant) {
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
        self.t = at.t;
        self.weights = at.sampling.map_or([0.0; 2], |sampling| sampling.weights);
        if !self.of_force.is_empty() {
            self.of_force.fill(0.0);
            self.parametric.add_force_derivatives_sampled((q, v, at.t), at.sampling, &mut self.of_force);
        }
    }

    /// Adds the derivative of a L_v + b (L_q + F) by the parameters along θ, behind the positions of x,
    /// to `y`; or the transpose, to the entries of `y` behind the positions.
    pub(super) fn add(&mut self, [a, b]: [f64; 2], (transposed, x): (bool, &[f64]), y: &mut [f64]) {
        let (n, whole) = (self.q.len(), self.direction.len());
        let Self { parametric, direction, product, direction_v, product_v, .. } = self;
        direction.fill(0.0);
        direction_v.fill(0.0);
        product.fill(0.0);
        product_v.fill(0.0);
        if transposed {
            direction.iter_mut().zip(x).for_each(|(entry, x)| *entry = b * x);
            direction_v.iter_mut().zip(x).for_each(|(entry, x)| *entry = a * x);
        } else {
            direction[n..].copy_from_slice(&x[n..whole]);
        }
        let along = (&direction[..], &direction_v[..]);
        parametric.add_lagrangian_product((&self.q, &self.v, self.t), along, (product, product_v));
        if transposed {
            y[n..].iter_mut().zip(&product[n..]).for_each(|(y, product)| *y += product);
        } else {
            let products = product_v.iter().zip(&product[..n]);
            y.iter_mut().zip(products).for_each(|(y, (of_v, of_q))| *y += a * of_v + b * of_q);
        }
        let [early, late] = self.weights;
        for &(place, row, column, second) in &self.entries {
            let (value, first) = (b * self.of_force[place], if second.is_some() { early } else { 1.0 });
            for (column, weight) in [(column, first)].into_iter().chain(second.map(|second| (second, late))) {
                let (to, from) = if transposed { (column, row) } else { (row, column) };
                y[to] += weight * value * x[from];
            }
        }
    }
}
