//! The derivatives of L_v and L_q + F by the parameters at a point.
//!
//! A step has two numbers of an input u: the parts (m₀ − m₁)/h for its beginning and m₁/h for its end of
//! the mean of u, with m₁ = ∫ (t − t₀)/h u dt. A node reads a combination of both. So x = (q, θ, m₁/h),
//! where the place of an input in θ holds (m₀ − m₁)/h.

use crate::method::applied::Instant;
use crate::system::{Forced, Parametric};
use std::collections::BTreeSet;

/// A point with the parameters of its system.
pub(in crate::method) struct Parameters<'s> {
    parametric: &'s dyn Parametric,
    kinetic: &'s dyn Parametric,
    /// The places in x of the parameters that elements of V, and of L + V, read.
    reads: [Vec<usize>; 2],
    x: Vec<f64>,
    v: Vec<f64>,
    t: f64,
    /// A direction and a product by x.
    direction: Vec<f64>,
    product: Vec<f64>,
    /// (x, ẋ, t), a direction and a product by them.
    motion: [Vec<f64>; 3],
    forces: Option<Forces<'s>>,
}

/// F, and its derivatives by the parameters.
struct Forces<'s> {
    forced: &'s dyn Forced,
    force: Vec<f64>,
    /// ∂F/∂(x, ẋ), and its entries (place, row, column) by parameters, with a second column of inputs.
    derivatives: Vec<f64>,
    entries: Vec<(usize, usize, usize, Option<usize>)>,
    /// The weights of both numbers of an input at the node.
    weights: [f64; 2],
}

impl<'s> Parameters<'s> {
    /// With the derivatives of these forces over x.
    pub(in crate::method) fn new(parametric: &'s dyn Parametric, forced: Option<&'s dyn Forced>) -> Self {
        let n = parametric.freedom();
        let x = parametric.place(&vec![0.0; n]);
        let (whole, kinetic) = (x.len(), parametric.kinetic());
        let second = |column: usize| {
            let input = parametric.inputs().iter().position(|(place, _)| n + place == column);
            input.map(|input| whole + input)
        };
        let forces = forced.map(|forced| {
            let pattern = forced.force_pattern();
            let by_parameters = n..forced.dimension();
            let entries = pattern.entries().enumerate();
            let entries = entries.filter(|(_, (_, column))| by_parameters.contains(column));
            let entries = entries.map(|(place, (row, column))| (place, row, column, second(column)));
            Forces {
                forced,
                force: vec![0.0; forced.dimension()],
                derivatives: vec![0.0; pattern.len()],
                entries: entries.collect(),
                weights: [0.0; 2],
            }
        });
        let motion = [(); 3].map(|()| vec![0.0; 2 * kinetic.dimension() + 1]);
        let [v, direction, product] = [(); 3].map(|()| vec![0.0; whole]);
        let places = |couplings: Vec<(usize, usize)>| -> Vec<usize> {
            let places: BTreeSet<usize> = couplings.into_iter().map(|(_, place)| place).collect();
            places.into_iter().collect()
        };
        let reads = match parametric.couplings() {
            Some([of_potential, of_motion, _]) => [of_potential, of_motion].map(places),
            None => [(); 2].map(|()| (n..whole).collect()),
        };
        Self { parametric, kinetic, reads, x, v, t: 0.0, direction, product, motion, forces }
    }

    pub(in crate::method) fn count(&self) -> usize {
        self.parametric.count() + self.parametric.inputs().len()
    }

    /// The entries (i, j) of the derivatives by x_j; none if they are unknown.
    pub(in crate::method) fn couplings(&self) -> Option<Vec<(usize, usize)>> {
        let [of_potential, of_motion, _] = self.parametric.couplings()?;
        let entries = self.forces.iter().flat_map(|forces| &forces.entries);
        let of_force = entries.flat_map(|&(_, row, column, second)| {
            [column].into_iter().chain(second).map(move |column| (row, column))
        });
        Some(of_potential.into_iter().chain(of_motion).chain(of_force).collect())
    }

    pub(in crate::method) fn stand(&mut self, q: &[f64], v: &[f64], at: Instant) {
        self.x[..q.len()].copy_from_slice(q);
        self.t = at.t;
        self.move_with(v);
        let Some(Forces { forced, force, derivatives, weights, .. }) = &mut self.forces else { return };
        for (place, signal) in self.parametric.inputs() {
            self.x[q.len() + place] = at.sampling.map_or_else(|| signal.value(at.t), |of| of.of(signal));
        }
        *weights = at.sampling.map_or([0.0; 2], |sampling| sampling.weights);
        derivatives.fill(0.0);
        let (x, v) = (&self.x[..force.len()], &self.v[..force.len()]);
        forced.add_force_derivatives_sampled(x, v, at.t, at.sampling, force, derivatives);
    }

    /// Takes another velocity, which forces do not see.
    pub(in crate::method) fn move_with(&mut self, v: &[f64]) {
        self.v[..v.len()].copy_from_slice(v);
    }

    /// Adds the derivative of a L_v + b (L_q + F) by the parameters along θ, behind the positions of x,
    /// to `y`, with a and b of each row; or the transpose, to the entries of `y` behind the positions.
    pub(in crate::method) fn add(
        &mut self,
        factors: impl Fn(usize) -> [f64; 2],
        (transposed, x): (bool, &[f64]),
        y: &mut [f64],
    ) {
        let (n, whole) = (self.parametric.freedom(), self.x.len());
        let Self {
            parametric, kinetic, reads, direction, product, motion: [z, along, found], forces, ..
        } = self;
        let width = kinetic.dimension();
        let [of_potential, of_motion] = reads
            .each_ref()
            .map(|places| places.iter().any(|place| transposed || x.get(*place).is_some_and(|x| *x != 0.0)));
        direction.fill(0.0);
        along.fill(0.0);
        if transposed {
            for (row, x) in x.iter().enumerate().take(n) {
                let [a, b] = factors(row);
                (direction[row], along[width + row]) = (b * x, a * x);
            }
        } else {
            direction[n..].copy_from_slice(&x[n..whole]);
        }
        if of_motion {
            z[..width].copy_from_slice(&self.x[..width]);
            z[width..2 * width].copy_from_slice(&self.v[..width]);
            z[2 * width] = self.t;
            along[..width].copy_from_slice(&direction[..width]);
            kinetic.kinetic_product(z, along, found);
        } else {
            found.fill(0.0);
        }
        product.fill(0.0);
        // V has no part in L_v.
        if of_potential && (0..n).any(|row| factors(row)[1] != 0.0) {
            parametric.product(&self.x, self.t, direction, product);
            product.iter_mut().for_each(|entry| *entry = -*entry);
        }
        product.iter_mut().zip(&found[..width]).for_each(|(product, found)| *product += found);
        if transposed {
            y[n..].iter_mut().zip(&product[n..]).for_each(|(y, product)| *y += product);
        } else {
            for (row, y) in y.iter_mut().enumerate().take(n) {
                let [a, b] = factors(row);
                *y += a * found[width + row] + b * product[row];
            }
        }
        let Some(Forces { derivatives, entries, weights: [early, late], .. }) = forces else { return };
        for &(place, row, column, second) in &*entries {
            let [_, b] = factors(row);
            let (value, first) = (b * derivatives[place], if second.is_some() { *early } else { 1.0 });
            for (column, weight) in [(column, first)].into_iter().chain(second.map(|second| (second, *late)))
            {
                let (to, from) = if transposed { (column, row) } else { (row, column) };
                y[to] += weight * value * x[from];
            }
        }
    }
}
