//! The derivatives of L_v and L_q + F by the parameters at a point.
//!
//! A step has two numbers of an input u: the parts (m₀ − m₁)/h for its beginning and m₁/h for its end of
//! the mean of u, with m₁ = ∫ (t − t₀)/h u dt. A node reads a combination of both. So x = (q, θ, m₁/h),
//! where the place of an input in θ holds (m₀ − m₁)/h.

use crate::method::applied::Instant;
use crate::system::{Forced, Parametric};

/// A point with the parameters of its system.
pub(in crate::method) struct Parameters<'s> {
    parametric: Parametric<'s>,
    /// (x, ẋ, t), a direction and a product by them, and a product by x.
    z: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    of_potential: Vec<f64>,
    forces: Option<Forces<'s>>,
}

/// F, and its derivatives by the parameters.
struct Forces<'s> {
    forced: &'s dyn Forced,
    force: Vec<f64>,
    /// ∂F/∂(x, ẋ), and its entries (place, row, column) by parameters, with the second column of inputs.
    derivatives: Vec<f64>,
    entries: Vec<(usize, usize, usize, Option<usize>)>,
    /// The weights of both numbers of an input at the node.
    weights: [f64; 2],
}

impl<'s> Parameters<'s> {
    /// With the derivatives of these forces over x.
    pub(in crate::method) fn new(parametric: Parametric<'s>, forced: Option<&'s dyn Forced>) -> Self {
        let (n, mut z) = (parametric.freedom(), parametric.place(&vec![0.0; parametric.freedom()]));
        let whole = z.len();
        let zeros = || vec![0.0; 2 * whole + 1];
        z.resize(2 * whole + 1, 0.0);
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
        Self { parametric, z, direction: zeros(), product: zeros(), of_potential: vec![0.0; whole], forces }
    }

    pub(in crate::method) fn count(&self) -> usize {
        self.parametric.count() + self.parametric.inputs().len()
    }

    /// The entries (i, j) of the derivatives by x_j; none if they are unknown.
    pub(in crate::method) fn couplings(&self) -> Option<Vec<(usize, usize)>> {
        let [of_potential, of_motion, _] = self.parametric.system().couplings(self.parametric.freedom())?;
        let entries = self.forces.iter().flat_map(|forces| &forces.entries);
        let of_force = entries.flat_map(|&(_, row, column, second)| {
            [column].into_iter().chain(second).map(move |column| (row, column))
        });
        Some(of_potential.into_iter().chain(of_motion).chain(of_force).collect())
    }

    pub(in crate::method) fn stand(&mut self, q: &[f64], v: &[f64], at: Instant) {
        let (n, whole) = (q.len(), self.of_potential.len());
        self.z[..n].copy_from_slice(q);
        self.z[2 * whole] = at.t;
        self.move_with(v);
        let Some(Forces { forced, force, derivatives, weights, .. }) = &mut self.forces else { return };
        for (place, signal) in self.parametric.inputs() {
            self.z[n + place] = at.sampling.map_or_else(|| signal.value(at.t), |of| of.of(signal));
        }
        *weights = at.sampling.map_or([0.0; 2], |sampling| sampling.weights);
        derivatives.fill(0.0);
        let (x, v, width) = (&self.z[..whole], &self.z[whole..], force.len());
        forced.add_force_derivatives_sampled(&x[..width], &v[..width], at.t, at.sampling, force, derivatives);
    }

    /// Takes another velocity, which forces do not see.
    pub(in crate::method) fn move_with(&mut self, v: &[f64]) {
        self.z[self.of_potential.len()..][..v.len()].copy_from_slice(v);
    }

    /// Adds the derivative of a L_v + b (L_q + F) by the parameters along θ, behind the positions of x,
    /// to `y`; or the transpose, to the entries of `y` behind the positions.
    pub(in crate::method) fn add(
        &mut self,
        [a, b]: [f64; 2],
        (transposed, x): (bool, &[f64]),
        y: &mut [f64],
    ) {
        let (n, whole) = (self.parametric.freedom(), self.of_potential.len());
        let Self { parametric, z, direction, product, of_potential, forces } = self;
        direction.fill(0.0);
        if transposed {
            direction[..n].iter_mut().zip(x).for_each(|(entry, x)| *entry = b * x);
            direction[whole..whole + n].iter_mut().zip(x).for_each(|(entry, x)| *entry = a * x);
        } else {
            direction[n..whole].copy_from_slice(&x[n..whole]);
        }
        parametric.system().kinetic_product(z, direction, product);
        // V has no part in L_v.
        if b != 0.0 {
            parametric.system().product(&z[..whole], z[2 * whole], &direction[..whole], of_potential);
            product.iter_mut().zip(of_potential).for_each(|(product, of_v)| *product -= *of_v);
        }
        if transposed {
            y[n..].iter_mut().zip(&product[n..whole]).for_each(|(y, product)| *y += product);
        } else {
            let products = product[whole..whole + n].iter().zip(&product[..n]);
            y.iter_mut().zip(products).for_each(|(y, (of_v, of_q))| *y += a * of_v + b * of_q);
        }
        let Some(Forces { derivatives, entries, weights: [early, late], .. }) = forces else { return };
        for &(place, row, column, second) in &*entries {
            let (value, first) = (b * derivatives[place], if second.is_some() { *early } else { 1.0 });
            for (column, weight) in [(column, first)].into_iter().chain(second.map(|second| (second, *late)))
            {
                let (to, from) = if transposed { (column, row) } else { (row, column) };
                y[to] += weight * value * x[from];
            }
        }
    }
}
