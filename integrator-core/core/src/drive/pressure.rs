use super::{Moment, Quantity};
use crate::carried::carried;
use crate::error::MeasureError;
use crate::noether::{Action, Motion};
use crate::sparse::SymmetricMatrix;
use crate::system::{Coordinate, Holonomic, Lagrangian, Periodic, State};
use nalgebra::{Matrix3, Vector3};

/// The pressure of points in a periodic cell of volume Ω: minus the derivative of the energy
/// by a homogeneous strain of points and cell at fixed momenta. The tensor and its mean are
///
/// ```text
/// P = (Σ p ⊗ v + W) / Ω,    p = tr P / d,    W = Σ f ⊗ d − Σ ∂U/∂x ⊗ x + Σ (Gᵀλ) ⊗ x,
/// ```
///
/// with the momenta p = M v, the [virial](Periodic) of the potential and the forces Gᵀλ of constraints,
/// such as rigid bonds.
///
/// If the linear momentum is conserved, velocities are relative to the centre of mass; under a
/// thermostat they are not. Columns: `pressure`; `virial`, the trace of W; and the symmetric part of P
/// as `pressure_xx`, `pressure_xy`, … Forces that no potential gives are not included. The columns are
/// NaN if there are constraints and the method has no multipliers.
///
/// If a sum over near pairs jumps at its cutoff, so does the energy; the contribution of passing
/// pairs to the mean pressure is not included: see `switched` and `shifted` in the language.
///
/// # Units
/// Energy by volume in the units of the model: 1 kJ/(mol nm³) is 16.605 39 bar.
///
/// # Reference
/// M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford 2017, §2.4; for
/// constraints G. Ciccotti, J. P. Ryckaert, *Molecular dynamics simulation of rigid molecules*, Comput.
/// Phys. Rep. 4 (1986) 346.
pub struct Pressure<'s> {
    mass: &'s SymmetricMatrix,
    periodic: &'s dyn Periodic,
    constraints: Option<&'s dyn Holonomic>,
    groups: Vec<&'s Coordinate>,
    /// True if the linear momentum is conserved.
    keeps_momentum: bool,
    total_mass: f64,
    /// M v, ∂U/∂x, Gᵀλ, g and G.
    momenta: Vec<f64>,
    rest: Vec<f64>,
    force: Vec<f64>,
    values: Vec<f64>,
    jacobian: Vec<f64>,
}

impl<'s> Pressure<'s> {
    /// The pressure of a system that starts at this state.
    ///
    /// # Errors
    /// The mass is not constant, there is no cell, translations of all points are no known symmetry,
    /// a constraint reads a sum over near pairs, or another term repeats with the cell.
    pub fn of<S: Lagrangian + ?Sized>(
        system: &'s S,
        State { t, q, .. }: &State,
    ) -> Result<Self, MeasureError> {
        let (quantity, model) = ("pressure", || system.name().to_owned());
        let mass = system.natural_mass().ok_or_else(|| MeasureError::NoMass { quantity, model: model() })?;
        let periodic = system.periodic().ok_or_else(|| MeasureError::NoCell { quantity, model: model() })?;
        let space = periodic.space();
        let groups = system.layout().coordinates().iter();
        let groups: Vec<_> =
            groups.filter(|group| group.is_of_points() && group.kind.components() == space).collect();
        let translates = |axis: usize| {
            let mut known = system.conserved().iter().chain(system.balanced());
            known.any(|one| is_translation(&one.motion, axis))
        };
        if !(0..space).all(translates) {
            return Err(MeasureError::Placed { quantity, model: model() });
        }
        if let Some(term) = periodic.near_sum_of_constraints() {
            return Err(MeasureError::Held { quantity, model: model(), term: term.to_owned() });
        }
        if let Some(term) = periodic.repeating_term(q, *t) {
            return Err(MeasureError::Repeating { quantity, model: model(), term: term.to_owned() });
        }
        let n = system.dimension();
        let mut pressure = Self {
            mass,
            periodic,
            constraints: system.holonomic(),
            groups,
            keeps_momentum: (0..space)
                .all(|axis| system.conserved().iter().any(|one| is_translation(&one.motion, axis))),
            total_mass: 0.0,
            momenta: vec![0.0; n],
            rest: vec![0.0; n],
            force: vec![0.0; n],
            values: vec![0.0; system.holonomic().map_or(0, Holonomic::constraints)],
            jacobian: vec![0.0; system.holonomic().map_or(0, |rows| rows.jacobian_pattern().len())],
        };
        // A unit translation of all points along the first axis.
        let mut along = vec![0.0; n];
        pressure.each_point(|start| along[start] = 1.0);
        pressure.total_mass = mass.quadratic(&along);
        Ok(pressure)
    }

    fn each_point(&self, show: impl FnMut(usize)) {
        self.groups.iter().flat_map(|group| group.starts()).for_each(show);
    }

    /// Σ a ⊗ b over all points.
    fn sum(&self, a: &[f64], b: &[f64]) -> Matrix3<f64> {
        let space = self.periodic.space();
        let mut sum = Matrix3::zeros();
        self.each_point(|start| {
            for (i, a) in a[start..start + space].iter().enumerate() {
                for (k, b) in b[start..start + space].iter().enumerate() {
                    sum[(i, k)] += a * b;
                }
            }
        });
        sum
    }

    /// W; `None` if multipliers are needed and unknown.
    fn virial(&mut self, State { t, q, .. }: &State, multipliers: Option<&[f64]>) -> Option<Matrix3<f64>> {
        let mut virial = Matrix3::zeros();
        self.periodic.pair_virial(q, *t, &mut virial, &mut self.rest);
        virial -= self.sum(&self.rest, q);
        if let Some(constraints) = self.constraints {
            let multipliers = multipliers.and_then(|all| all.get(..self.values.len()))?;
            constraints.jacobian(q, *t, &mut self.values, &mut self.jacobian);
            self.force.fill(0.0);
            constraints.jacobian_pattern().transpose_multiply_add(
                &self.jacobian,
                multipliers,
                &mut self.force,
            );
            virial += self.sum(&self.force, q);
        }
        Some(virial)
    }

    /// Σ p ⊗ v.
    fn kinetic(&mut self, v: &[f64], is_bath: bool) -> Matrix3<f64> {
        self.mass.multiply(v, &mut self.momenta);
        let kinetic = self.sum(&self.momenta, v);
        if is_bath || !self.keeps_momentum {
            return kinetic;
        }
        let mut momentum = Vector3::zeros();
        self.each_point(|start| {
            (0..self.periodic.space()).for_each(|k| momentum[k] += self.momenta[start + k]);
        });
        kinetic - momentum * momentum.transpose() / self.total_mass
    }
}

/// True for a translation of all coordinates along an axis at one rate.
fn is_translation(motion: &Motion, axis: usize) -> bool {
    let Motion::Space(parts) = motion else { return false };
    let along = |part: &crate::noether::CoordinateMotion| part.action == Action::Translation(axis);
    !parts.is_empty()
        && parts.iter().all(|part| along(part) && part.factor.to_bits() == parts[0].factor.to_bits())
}

/// The components of the tensor in the columns.
fn components(space: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..space).flat_map(move |i| (i..space).map(move |k| (i, k)))
}

impl Quantity for Pressure<'_> {
    fn names(&self) -> Vec<String> {
        let axes = ['x', 'y', 'z'];
        let tensor =
            components(self.periodic.space()).map(|(i, k)| format!("pressure_{}{}", axes[i], axes[k]));
        ["pressure", "virial"].map(str::to_owned).into_iter().chain(tensor).collect()
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        values.fill(f64::NAN);
        if moment.report.averages.is_some() {
            return;
        }
        let Some(virial) = self.virial(moment.state, moment.multipliers) else { return };
        let tensor =
            (self.kinetic(&moment.state.v, moment.report.heat.is_some()) + virial) / self.periodic.volume();
        values[0] = tensor.trace() / self.periodic.space() as f64;
        values[1] = virial.trace();
        for (value, (i, k)) in values[2..].iter_mut().zip(components(self.periodic.space())) {
            *value = 0.5 * (tensor[(i, k)] + tensor[(k, i)]);
        }
    }
}

crate::shown::shown!([] Pressure<'_>, |own| "Pressure" { volume: own.periodic.volume() });

carried!([] Pressure<'_> {} besides {
    mass, periodic, constraints, groups, keeps_momentum, total_mass, momenta, rest, force, values, jacobian
});
