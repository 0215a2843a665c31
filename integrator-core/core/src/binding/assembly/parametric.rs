//! The binding of a model whose sensitive parameters are coordinates.

use super::Assembly;
use crate::binding::binder::Binder;
use crate::binding::terms::Terms;
use crate::error::BindError;
use crate::forward::forward;
use crate::system::{Forced, Holonomic, Layout, Natural, Nonholonomic, Parametric, Signal, Stiff, System};

/// A declaration whose sensitive parameters are coordinates.
pub(super) struct WithParameters {
    assembly: Assembly,
    values: Vec<f64>,
    /// The inputs among the parameters.
    inputs: Vec<(usize, Signal)>,
}

impl Assembly {
    /// The system with derivatives by its parameters: the binder has them behind its coordinates, and
    /// `values` are those of their fields.
    pub(in crate::binding) fn with(
        self,
        mut binder: Binder,
        mut values: Vec<f64>,
    ) -> Result<Self, BindError> {
        let (sampled, freedom) = (std::mem::take(&mut binder.sampled), self.dimension());
        let assembly = Self::new(self.facts.clone(), binder, true)?;
        let x = assembly.dimension();
        let inputs: Vec<_> =
            sampled.into_iter().map(|(place, signal)| (place.saturating_sub(freedom), signal)).collect();
        // Each signal has one place for all of its values.
        for (place, signal) in &inputs {
            let end = (place + signal.values().len()).min(values.len());
            values.splice((*place).min(end)..end, [0.0]);
        }
        if x != freedom + values.len() {
            let (expected, found) = (x.saturating_sub(freedom), values.len());
            let model = self.facts.name.into_owned();
            return Err(BindError::ParameterCount { model, expected, found });
        }
        Ok(Self { with_parameters: Some(Box::new(WithParameters { assembly, values, inputs })), ..self })
    }
}

impl System for WithParameters {
    forward! { assembly:
        name() -> &str;
        layout() -> &Layout;
        holonomic() -> Option<&dyn Holonomic>;
        nonholonomic() -> Option<&dyn Nonholonomic>;
        forced() -> Option<&dyn Forced>;
    }
}

impl Parametric for WithParameters {
    fn values(&self) -> &[f64] {
        &self.values
    }

    fn inputs(&self) -> &[(usize, Signal)] {
        &self.inputs
    }

    fn couplings(&self) -> Option<[Vec<(usize, usize)>; 3]> {
        let Assembly { potential, general, constraints, .. } = &self.assembly;
        let (n, x) = (self.freedom(), self.dimension());
        let parts = [potential.all(), Terms::of(general), Terms::of(&constraints.families)];
        if parts.iter().any(|terms| terms.reads_sums() || !terms.near.is_empty()) {
            return None;
        }
        Some(parts.map(|terms| {
            let mut entries = Vec::new();
            for family in terms.families {
                family.visit_elements(&mut |_, inputs| {
                    let places = inputs.iter().map(|input| *input as usize);
                    let of_theta = places.clone().filter(|place| (n..x).contains(place));
                    for i in places.filter(|place| *place < 2 * x && place % x < n) {
                        entries.extend(of_theta.clone().map(|j| (i % x, j)));
                    }
                });
            }
            entries.sort_unstable();
            entries.dedup();
            entries
        }))
    }

    fn product(&self, x: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        self.assembly.potential_product(x, t, a, product);
    }

    fn third(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.assembly.potential_third(x, t, a, contraction);
    }

    fn third_of_stiff(&self, x: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.assembly.stiff_third(x, t, a, contraction);
    }

    fn has_third_rates(&self) -> bool {
        let Assembly { potential, constraints, .. } = &self.assembly;
        potential.all().have_third_rates() && Terms::of(&constraints.families).have_third_rates()
    }

    fn third_rate(&self, x: &[f64], t: f64, (a, d): (&[f64], &[f64]), rate: &mut [f64]) {
        let Some(()) = self.assembly.fits(&[x, a, d], [rate]) else { return };
        rate.fill(0.0);
        self.assembly.v().add_third_rate(x, (a, d), &self.assembly.at(t), rate);
    }

    fn kinetic(&self) -> &dyn Parametric {
        self
    }

    fn kinetic_product(&self, z: &[f64], a: &[f64], product: &mut [f64]) {
        let (x, assembly) = (self.dimension(), &self.assembly);
        if [z.len(), a.len(), product.len()] != [2 * x + 1; 3] {
            return product.fill(f64::NAN);
        }
        product.fill(0.0);
        assembly.mass.multiply(&a[x..2 * x], &mut product[x..2 * x]);
        assembly.r().add_product(z, a, &assembly.at(z[2 * x]), product);
    }
}
