use super::{Moment, Quantity};
use crate::carried::carried;
use crate::error::MeasureError;
use crate::method::Evaluations;
use crate::method::constraint::{Rows, null_space};
use crate::noether::{ConservedQuantity, Motion};
use crate::sparse::{MultiplierSystem, SymmetricMatrix};
use crate::system::{Coordinate, Lagrangian, Layout, State};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// A conserved motion depends on the others if its independent part is smaller than this.
const SAME: f64 = 1e-10;
/// Rows of constraints are dependent below this pivot, as a part of their column.
const DEPENDENT: f64 = 1e-9;
/// A sum of forces is zero below this part of the sum of their magnitudes.
const ROUNDING: f64 = 1e-10;
/// The rounds for the eigenvalues at most, for each motion; two or three suffice in practice.
const ROUNDS: usize = 50;
/// A smaller relative difference is no change.
const UNCHANGED: f64 = 1e-8;
/// All points are moved by these parts of the largest coordinate,
/// which are periods of no repeating field.
const SHIFTS: [f64; 3] = [0.754_877_666_246_692_8, -1.324_717_957_244_746, 9.869_604_401_089_358];

/// The temperature of the motion, in the column `temperature`:
///
/// ```text
/// T = 2 (K − K₀) / (k_B (n − m − r)),    K = ½ v·M v,    K₀ = ½ J·(Ξᵀ M Ξ)⁻¹ J,    J = Ξᵀ M v,
/// ```
///
/// where m is the number of independent constraints. Ξ has the motions ξ of the conserved
/// [momenta](crate::advanced::noether), r of them independent, and the translations of all points
/// that leave all forces unchanged at the start. They exchange no energy: K₀ is the energy of the whole,
/// a drift and, for a free cluster, a rotation. A thermostat changes momenta, so r and K₀ are then zero.
/// Momenta that forces change do not count.
///
/// # Units
/// k_B is Boltzmann's constant in units of energy by temperature: 1 for a temperature in units of
/// energy, 0.008 314 462 618 for kelvin with energies in kJ/mol, that is masses in u, lengths in nm and
/// times in ps.
///
/// # Reference
/// M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford 2017, §2.4.
pub struct Temperature<'s> {
    mass: &'s SymmetricMatrix,
    layout: &'s Layout,
    boltzmann: f64,
    /// n − m.
    unconstrained: usize,
    kept: Vec<Kept<'s>>,
    /// The motions Ξ in columns, and M Ξ.
    motions: DMatrix<f64>,
    momenta: DMatrix<f64>,
}

/// A motion with conserved momentum.
enum Kept<'s> {
    /// The compiler found it.
    Known(&'s ConservedQuantity),
    /// All points move along this axis, and no force is found to hold them.
    Translation(usize),
}

impl Kept<'_> {
    /// Writes ξ(q) over `rate`.
    fn rate(&self, layout: &Layout, q: &[f64], rate: &mut [f64]) {
        match self {
            Self::Known(known) => known.rate(layout, q, rate),
            Self::Translation(axis) => {
                rate.fill(0.0);
                let groups = layout.coordinates().iter().filter(|group| group.is_of_points());
                groups.flat_map(Coordinate::starts).for_each(|start| rate[start + axis] = 1.0);
            }
        }
    }
}

impl<'s> Temperature<'s> {
    /// The temperature of a system; `state` decides on dependent constraints and free translations.
    ///
    /// # Errors
    /// The mass is not constant or singular, k_B is not positive, or the constraints cannot be counted.
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
        let known = system.conserved().iter().filter(|kept| kept.motion != Motion::Time);
        let mut kept: Vec<_> = known.map(Kept::Known).collect();
        kept.extend(free_axes(system, state).into_iter().map(Kept::Translation));
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

    /// K₀, and the number of independent motions of the whole; NaN for a state that is not finite.
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
        // Normalizes each motion, so that translations and rotations compare.
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
        let Some(modes) = SymmetricEigen::try_new(gram, f64::EPSILON, ROUNDS * count) else {
            return (f64::NAN, 0);
        };
        let along = modes.eigenvectors.tr_mul(&values);
        let found = modes.eigenvalues.iter().zip(&along).filter(|(value, _)| **value > SAME);
        found.fold((0.0, 0), |(energy, count), (value, along)| {
            (energy + 0.5 * along.powi(2) / value, count + 1)
        })
    }
}

/// The axes along which shifts of all points, by several lengths, change no force and no constraint at a
/// state. So it also finds momenta that the compiler cannot, as for Ewald's waves. None with other
/// forces or other constraints.
pub(super) fn free_axes<S: Lagrangian + ?Sized>(system: &S, State { t, q, .. }: &State) -> Vec<usize> {
    let groups = || system.layout().coordinates().iter().filter(|group| group.is_of_points());
    let space = groups().map(|group| group.kind.components()).min().unwrap_or(0);
    if system.forced().is_some() || system.nonholonomic().is_some() {
        return Vec::new();
    }
    // ∂L/∂q at rest, and G.
    let seen = |q: &[f64]| {
        let mut gradient = vec![0.0; 2 * q.len() + 1];
        system.first_derivatives(q, &vec![0.0; q.len()], *t, &mut gradient);
        gradient.truncate(q.len());
        let rows = system.holonomic().map_or_else(Vec::new, |rows| rows.jacobian_matrix(q, *t).values);
        [gradient, rows]
    };
    let here = seen(q);
    let size = q.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
    let is_free = |axis: &usize| {
        // A homogeneous field is unchanged by shifts, too.
        let total = |of: &dyn Fn(f64) -> f64| -> f64 {
            groups().flat_map(Coordinate::starts).map(|start| of(here[0][start + axis])).sum()
        };
        let balances = total(&|force| force).abs() <= ROUNDING * total(&f64::abs);
        balances
            && SHIFTS.iter().all(|shift| {
                let mut moved = q.clone();
                groups().flat_map(Coordinate::starts).for_each(|start| moved[start + axis] += shift * size);
                seen(&moved).iter().zip(&here).all(|(there, here)| {
                    let largest = here.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
                    there.iter().zip(here).all(|(a, b)| (a - b).abs() <= UNCHANGED * largest)
                })
            })
    };
    (0..space).filter(is_free).collect()
}

/// The number of independent constraints at a state.
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

crate::shown::shown!([] Temperature<'_>, |own| "Temperature" {
    boltzmann: own.boltzmann, unconstrained: own.unconstrained
});

carried!([] Temperature<'_> {} besides { mass, layout, boltzmann, unconstrained, kept, motions, momenta });
