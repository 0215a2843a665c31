use super::matrix::{axial, by_rows, defect, from_slice, solve, turned};
use crate::error::StartError;
use crate::method::check::check_state;
use crate::method::constraint::START_TOLERANCE;
use crate::system::{Kind, Natural, State};
use nalgebra::{Matrix3, Vector3};

/// A body that turns: the matrix D of its kinetic energy ½ tr(Ṙ D Ṙᵀ), and the inertia J = tr(D) − D.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    pub(super) spread: Matrix3<f64>,
    pub(super) inertia: Matrix3<f64>,
    /// The moment of inertia of a body for which it is the same about every axis.
    pub(super) isotropic: Option<f64>,
}

/// The distance that R may have from a rotation at the start.
#[derive(Debug, Clone, Copy)]
pub(super) enum Near {
    /// The round-off of numbers written with ten digits.
    Exactly,
    /// The distance to which a penalty lets R go; the nearest rotation is still known beyond doubt.
    Roughly,
}

impl Near {
    fn bound(self) -> (f64, &'static str) {
        match self {
            Self::Exactly => (START_TOLERANCE, "[-1e-9, 1e-9]"),
            Self::Roughly => (0.5, "[-0.5, 0.5]"),
        }
    }
}

impl Body {
    /// Refuses a system that is no body with one rotation matrix.
    pub(super) fn of<S: Natural + ?Sized>(method: &'static str, system: &S) -> Result<Self, StartError> {
        let refused = |reason: String| {
            Err(StartError::NoRotatingBody { method, system: system.name().to_owned(), reason })
        };
        match system.layout().coordinates() {
            [one] if one.kind == Kind::Mat3 && one.lengths.is_empty() => {}
            others => {
                let names: Vec<_> = others.iter().map(|c| format!("`{}: {:?}`", c.name, c.kind)).collect();
                return refused(format!("its coordinates are {}", names.join(", ")));
            }
        }
        let name = |index: usize| system.layout().name_of(index);
        let mass = system.mass();
        let entry = |i: usize, j: usize| mass.pattern.position(i, j).map_or(0.0, |place| mass.values[place]);
        let spread = Matrix3::from_fn(entry);
        for (row, column) in (0..9).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let expected = if row / 3 == column / 3 { spread[(row % 3, column % 3)] } else { 0.0 };
            let found = entry(row, column);
            if (found - expected).abs() > 1e-12 * mass.values.iter().fold(0.0, |m: f64, x| m.max(x.abs())) {
                return refused(format!(
                    "its mass matrix couples `{}` and `{}` by {found}, which is {expected} when every row of the matrix has \
                     the same mass",
                    name(row),
                    name(column)
                ));
            }
        }
        let inertia = Matrix3::from_diagonal_element(spread.trace()) - spread;
        // D is positive definite by Sylvester's criterion, and J with it.
        let minor = spread.fixed_view::<2, 2>(0, 0).determinant();
        for (index, pivot) in [spread[(0, 0)], minor, spread.determinant()].into_iter().enumerate() {
            if !(pivot > 0.0 && pivot.is_finite()) {
                let (system, place) = (system.name().to_owned(), name(index));
                return Err(StartError::Singular { system, matrix: "the mass matrix", pivot, place });
            }
        }
        let one = inertia[(0, 0)];
        let alike = (inertia - Matrix3::from_diagonal_element(one)).amax() <= f64::EPSILON * one;
        check_constraints(method, system)?;
        Ok(Self { spread, inertia, isotropic: alike.then_some(one) })
    }

    /// The angular velocity in the body of the rotation nearest to Ṙ in the metric of the mass, J Ω = axial(Rᵀ Ṙ D).
    pub(super) fn angular_velocity(&self, r: &Matrix3<f64>, velocity: &Matrix3<f64>) -> Vector3<f64> {
        solve(self.inertia, &axial(&(r.tr_mul(velocity) * self.spread)))
    }

    /// Refuses a state that does not fit, and one that is farther from a rotation that turns than it may be.
    pub(super) fn check_start<S: Natural + ?Sized>(
        system: &S,
        state: &State,
        near: Near,
    ) -> Result<(), StartError> {
        check_state(system, state)?;
        let (bound, interval) = near.bound();
        let coordinate = system.layout().coordinates().first().map_or("r", |c| c.name.as_str());
        let refused = |quantity: String, value: f64, interval| {
            Err(StartError::NoRotation { coordinate: coordinate.to_owned(), quantity, value, interval })
        };
        let r = from_slice(&state.q);
        if let Some((i, j, value)) = largest(&defect(&r)).filter(|(.., value)| value.abs() > bound) {
            return refused(format!("entry ({i}, {j}) of {coordinate}ᵀ {coordinate} − 1"), value, interval);
        }
        let sign = r.determinant();
        if sign < 0.0 {
            return refused("the determinant, of a reflection,".to_owned(), sign, "(0, ∞)");
        }
        if let Near::Exactly = near {
            let velocity = from_slice(&state.v);
            let rate = r.tr_mul(&velocity);
            let stretching = rate + rate.transpose();
            let scale = velocity.amax().max(1.0);
            if let Some((i, j, value)) =
                largest(&stretching).filter(|(.., value)| value.abs() > bound * scale)
            {
                let quantity = format!("entry ({i}, {j}) of the rate of {coordinate}ᵀ {coordinate}");
                return refused(quantity, value, interval);
            }
        }
        Ok(())
    }
}

/// The row and the column of the largest entry, and its value.
fn largest(a: &Matrix3<f64>) -> Option<(usize, usize, f64)> {
    let entries = (0..9).map(|k| (k / 3, k % 3, a[(k / 3, k % 3)]));
    entries.max_by(|x, y| x.2.abs().total_cmp(&y.2.abs()))
}

/// Rotations must satisfy all that is declared: tried on four of them in general position.
fn check_constraints<S: Natural + ?Sized>(method: &'static str, system: &S) -> Result<(), StartError> {
    let Some(constraints) = system.holonomic() else { return Ok(()) };
    let mut values = vec![0.0; constraints.constraints()];
    for axis in [[0.3, -0.7, 0.2], [1.9, 0.4, -0.8], [-0.6, 2.3, 1.1], [0.9, 1.3, -3.1]] {
        let r = turned(&Matrix3::identity(), &Vector3::from(axis));
        constraints.constraint_values(&by_rows(&r), 0.0, &mut values);
        if let Some(row) = values.iter().position(|value| value.is_nan() || value.abs() > 1e-9) {
            let equation = constraints.constraint_name(row);
            return Err(StartError::NoRotatingBody {
                method,
                system: system.name().to_owned(),
                reason: format!("its constraint `{equation}` is {:.3e} at a rotation", values[row]),
            });
        }
    }
    Ok(())
}
