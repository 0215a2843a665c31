use super::{Moment, Quantity};
use crate::error::MeasureError;
use crate::method::Evaluations;
use crate::method::constraint::{Rows, null_space};
use crate::noether::{ConservedQuantity, Motion};
use crate::sparse::{MultiplierSystem, SymmetricMatrix};
use crate::system::{Lagrangian, Layout, State};
use nalgebra::{DMatrix, DVector};

/// A kept motion with a smaller part than this that the others do not have is one of them.
const SAME: f64 = 1e-10;
/// Rows of constraints depend on each other from pivots on that are smaller than this part of their column.
const DEPENDENT: f64 = 1e-9;

/// The temperature of the motion, in the column `temperature`:
///
/// ```text
/// T = 2 (K − K₀) / (k_B (n − m − r)),    K = ½ v·M v,    K₀ = ½ J·(Ξᵀ M Ξ)⁻¹ J,    J = Ξᵀ M v,
/// ```
///
/// where m is the number of independent constraints, and Ξ has the motions ξ of the [momenta](crate::noether) that are conserved, r of them independent.
/// They take no part in the exchange of energy: K₀ is the energy of the motion of the whole, a drift and, of a free cluster, a rotation.
/// A thermostat changes momenta, so that under one r and K₀ are zero. Momenta that forces change are not conserved.
///
/// # Units
/// k_B is Boltzmann's constant in units of energy of the model by units of temperature: 1 for a temperature in units of energy,
/// 0.008 314 462 618 for kelvin where energies are in kJ/mol, that is with masses in u, lengths in nm and times in ps.
///
/// # Reference
/// M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford 2017, §2.4.
pub struct Temperature<'s> {
    mass: &'s SymmetricMatrix,
    layout: &'s Layout,
    boltzmann: f64,
    /// n − m.
    unconstrained: usize,
    kept: Vec<&'s ConservedQuantity>,
    /// The motions Ξ, one a column, and M Ξ.
    motions: DMatrix<f64>,
    momenta: DMatrix<f64>,
}

impl<'s> Temperature<'s> {
    /// The temperature of a system with its constraints as at a state, and with Boltzmann's constant.
    ///
    /// # Errors
    /// The mass is not constant or has no inverse, k_B is not positive, or the constraints cannot be counted.
    pub fn of<S: Lagrangian + ?Sized>(
        system: &'s S,
        state: &State,
        boltzmann: f64,
    ) -> Result<Self, MeasureError> {
        const NAME: &str = "temperature";
        if !(boltzmann > 0.0 && boltzmann.is_finite()) {
            let option = "constant of Boltzmann";
            return Err(MeasureError::OutOfRange { quantity: NAME, option, value: boltzmann });
        }
        let no_mass = || MeasureError::NoMass { quantity: NAME, model: system.name().to_owned() };
        let mass = system.natural_mass().ok_or_else(no_mass)?;
        let kept: Vec<_> = system.conserved().iter().filter(|kept| kept.motion != Motion::Time).collect();
        let n = system.dimension();
        let motions = DMatrix::zeros(n, kept.len());
        Ok(Self {
            mass,
            layout: system.layout(),
            boltzmann,
            unconstrained: n - independent_rows(system, mass, state, no_mass)?,
            momenta: motions.clone(),
            motions,
            kept,
        })
    }

    /// K₀, and the number of motions of the whole that are independent; not a number where a state is none.
    fn of_whole(&mut self, q: &[f64], v: &[f64]) -> (f64, usize) {
        let (n, count) = self.motions.shape();
        if count == 0 {
            return (0.0, 0);
        }
        let columns = self.motions.as_mut_slice().chunks_exact_mut(n.max(1));
        for (kept, column) in self.kept.iter().zip(columns) {
            kept.rate(self.layout, q, column);
        }
        let both = self.motions.as_slice().chunks_exact(n.max(1));
        for (motion, momentum) in both.zip(self.momenta.as_mut_slice().chunks_exact_mut(n.max(1))) {
            self.mass.multiply(motion, momentum);
        }
        let mut gram = self.motions.tr_mul(&self.momenta);
        let mut values = self.momenta.tr_mul(&DVector::from_column_slice(v));
        // Each motion in a unit of its own, so that translations and rotations compare.
        let units: Vec<f64> = (0..count).map(|k| gram[(k, k)].sqrt().recip()).collect();
        for (i, unit) in
            units.iter().enumerate().map(|(i, unit)| (i, if unit.is_finite() { *unit } else { 0.0 }))
        {
            values[i] *= unit;
            gram.row_mut(i).scale_mut(unit);
            gram.column_mut(i).scale_mut(unit);
        }
        if gram.iter().chain(&values).any(|number| !number.is_finite()) {
            return (f64::NAN, 0);
        }
        let modes = gram.symmetric_eigen();
        let along = modes.eigenvectors.tr_mul(&values);
        let found = modes.eigenvalues.iter().zip(&along).filter(|(value, _)| **value > SAME);
        found.fold((0.0, 0), |(energy, count), (value, along)| {
            (energy + 0.5 * along.powi(2) / value, count + 1)
        })
    }
}

/// The number of constraints that do not follow from others at a state.
fn independent_rows<S: Lagrangian + ?Sized>(
    system: &S,
    mass: &SymmetricMatrix,
    State { t, q, v }: &State,
    no_mass: impl Fn() -> MeasureError,
) -> Result<usize, MeasureError> {
    let Some(rows) = Rows::of(system) else { return Ok(0) };
    let (height, mut at) = (rows.height(), rows.at());
    rows.evaluate(q, v, *t, &mut at, &mut Evaluations::default());
    let mut matrix = MultiplierSystem::new(mass, rows.pattern()).map_err(|_| no_mass())?;
    matrix.demand_pivots(Some(DEPENDENT));
    if matrix.factor_symmetric(&at.matrix).is_ok() {
        return Ok(height);
    }
    matrix.soften(true);
    matrix.factor_symmetric(&at.matrix).map_err(|_| no_mass())?;
    let mut scratch = vec![0.0; height];
    let null = null_space(height, |z| matrix.keep_null(z, &mut scratch));
    match null.count() {
        (counted, true) => Err(MeasureError::Uncounted { model: system.name().to_owned(), counted }),
        (counted, false) => Ok(height - counted),
    }
}

impl Quantity for Temperature<'_> {
    fn names(&self) -> Vec<String> {
        vec!["temperature".to_owned()]
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        let State { q, v, .. } = moment.state;
        let is_bath = moment.report.heat.is_some();
        let (whole, count) = if is_bath { (0.0, 0) } else { self.of_whole(q, v) };
        let freedom = self.unconstrained as f64 - count as f64;
        let thermal = 0.5 * self.mass.quadratic(v) - whole;
        // An averaged motion has no velocities of its own.
        let is_known = freedom > 0.0 && moment.report.averages.is_none();
        values[0] = if is_known { 2.0 * thermal / (self.boltzmann * freedom) } else { f64::NAN };
    }
}

impl std::fmt::Debug for Temperature<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Temperature")
            .field("boltzmann", &self.boltzmann)
            .field("unconstrained", &self.unconstrained)
            .finish_non_exhaustive()
    }
}
