use super::matrix::{axial, by_rows, defect, from_slice, solve, turned};
use crate::error::{Begun, StartError};
use crate::method::check::check_state;
use crate::method::constraint::START_TOLERANCE;
use crate::system::{Kind, Natural, State};
use nalgebra::{Matrix3, Vector3};

/// A rotating body: the matrix D of its kinetic energy ½ tr(Ṙ D Ṙᵀ), and the inertia J = tr(D) − D.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body {
    pub(super) spread: Matrix3<f64>,
    pub(super) inertia: Matrix3<f64>,
    /// The moment of inertia, if it is equal about all axes.
    pub(super) isotropic: Option<f64>,
}

/// The allowed distance of R from a rotation at the start.
#[derive(Debug, Clone, Copy)]
pub(super) enum RotationTolerance {
    /// The round-off of numbers written with ten digits.
    Exactly,
    /// The distance under a penalty; the nearest rotation is still certain.
    Roughly,
}

impl RotationTolerance {
    fn bound(self) -> (f64, &'static str) {
        match self {
            Self::Exactly => (START_TOLERANCE, "[-1e-9, 1e-9]"),
            Self::Roughly => (0.5, "[-0.5, 0.5]"),
        }
    }
}

impl Body {
    /// Refuses a system that is not one body with a rotation matrix.
    pub(super) fn of<S: Natural + ?Sized>(method: &'static str, system: &S) -> Begun<Self> {
        let coordinates = system.layout().coordinates();
        match coordinates {
            [one] if one.kind == Kind::Mat3 && one.lengths.is_empty() => {}
            others => {
                let names: Vec<_> = others.iter().map(|c| format!("`{}: {:?}`", c.name, c.kind)).collect();
                let reason =
                    format!("it takes one matrix alone, and the coordinates are {}", names.join(", "));
                return Err(no_body(method, system, reason));
            }
        }
        let body = Self::at(method, system, 0)?;
        check_constraints(method, system, &[0])?;
        Ok(body)
    }

    /// All bodies of a system, each with the place of its nine entries; other coordinates are allowed if
    /// the mass does not couple them with a matrix.
    pub(super) fn all<S: Natural + ?Sized>(method: &'static str, system: &S) -> Begun<Vec<(usize, Self)>> {
        let matrices = system.layout().coordinates().iter().filter(|one| one.kind == Kind::Mat3);
        let places: Vec<usize> =
            matrices.flat_map(|one| (one.offset..one.offset + one.size()).step_by(9)).collect();
        if places.is_empty() {
            return Err(no_body(method, system, "no coordinate is a matrix".to_owned()));
        }
        let mut matrix_of = vec![None; system.dimension()];
        for &place in &places {
            matrix_of[place..place + 9].fill(Some(place));
        }
        let mass = system.mass();
        for ((row, column), value) in mass.pattern.entries().zip(&mass.values) {
            if matrix_of[row] != matrix_of[column] && *value != 0.0 {
                let name = |index: usize| system.layout().name_of(index);
                let (row, column) = (name(row), name(column));
                let reason = format!(
                    "its mass matrix couples `{row}` and `{column}`, which do not belong to one body"
                );
                return Err(no_body(method, system, reason));
            }
        }
        let bodies = places.iter().map(|&place| Ok((place, Self::at(method, system, place)?)));
        let bodies = bodies.collect::<Begun<_>>()?;
        check_constraints(method, system, &places)?;
        Ok(bodies)
    }

    /// The body whose matrix has the nine entries from `start` on.
    fn at<S: Natural + ?Sized>(method: &'static str, system: &S, start: usize) -> Begun<Self> {
        let name = |index: usize| system.layout().name_of(start + index);
        let mass = system.mass();
        let entry = |i: usize, j: usize| {
            mass.pattern.position(start + i, start + j).map_or(0.0, |place| mass.values[place])
        };
        let spread = Matrix3::from_fn(entry);
        for (row, column) in (0..9).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let expected = if row / 3 == column / 3 { spread[(row % 3, column % 3)] } else { 0.0 };
            let found = entry(row, column);
            if (found - expected).abs() > 1e-12 * spread.amax() {
                let reason = format!(
                    "its mass matrix couples `{}` and `{}` by {found}, which is {expected} when every row of the matrix has \
                     the same mass",
                    name(row),
                    name(column)
                );
                return Err(no_body(method, system, reason));
            }
        }
        // Only J must be positive definite: D is singular for a plate or a rod along an axis.
        let inertia = Matrix3::from_diagonal_element(spread.trace()) - spread;
        let minor = inertia.fixed_view::<2, 2>(0, 0).determinant();
        let scale = inertia.trace().abs();
        let pivots = [inertia[(0, 0)], minor / scale, inertia.determinant() / (scale * scale)];
        for (index, pivot) in pivots.into_iter().enumerate() {
            if !(pivot > 1e-14 * scale && pivot.is_finite()) {
                let (system, place) = (system.name().to_owned(), name(index));
                return Err(StartError::Singular {
                    system,
                    matrix: "the inertia tr(D) − D of ½ tr(Ṙ D Ṙᵀ)",
                    pivot,
                    place,
                });
            }
        }
        let one = inertia[(0, 0)];
        let alike = (inertia - Matrix3::from_diagonal_element(one)).amax() <= f64::EPSILON * one;
        Ok(Self { spread, inertia, isotropic: alike.then_some(one) })
    }

    /// The angular velocity in the body of the rotation nearest to Ṙ in the metric of the mass, J
    /// Ω = axial(Rᵀ Ṙ D).
    pub(super) fn angular_velocity(&self, r: &Matrix3<f64>, velocity: &Matrix3<f64>) -> Vector3<f64> {
        solve(self.inertia, &self.momentum(r, velocity))
    }

    /// Its angular momentum J Ω in the body.
    pub(super) fn momentum(&self, r: &Matrix3<f64>, velocity: &Matrix3<f64>) -> Vector3<f64> {
        axial(&(r.tr_mul(velocity) * self.spread))
    }

    /// Refuses a state that does not fit, or whose matrix is too far from a proper rotation.
    pub(super) fn check_start<S: Natural + ?Sized>(
        system: &S,
        state: &State,
        near: RotationTolerance,
    ) -> Begun {
        check_state(system, state)?;
        Self::check_rotation(system, state, 0, near)
    }

    /// Refuses a matrix, with its nine entries from `start` on, that is too far from a proper rotation.
    pub(super) fn check_rotation<S: Natural + ?Sized>(
        system: &S,
        state: &State,
        start: usize,
        near: RotationTolerance,
    ) -> Begun {
        let (bound, interval) = near.bound();
        // `bodies[3][(0, 0)]` without the indices of the entry.
        let mut coordinate = system.layout().name_of(start);
        coordinate.truncate(coordinate.rfind("[(").unwrap_or(coordinate.len()));
        let refused = |quantity: String, value: f64, interval| {
            Err(StartError::NoRotation { coordinate: coordinate.clone(), quantity, value, interval })
        };
        let r = from_slice(&state.q[start..]);
        if let Some((i, j, value)) = largest(&defect(&r)).filter(|(.., value)| value.abs() > bound) {
            return refused(format!("entry ({i}, {j}) of {coordinate}ᵀ {coordinate} − 1"), value, interval);
        }
        let sign = r.determinant();
        if sign < 0.0 {
            return refused("the determinant, of a reflection,".to_owned(), sign, "(0, ∞)");
        }
        if let RotationTolerance::Exactly = near {
            let velocity = from_slice(&state.v[start..]);
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

/// Refuses constraints that rotations violate: tests four rotations in general position, with all other
/// coordinates in general position, too.
fn check_constraints<S: Natural + ?Sized>(method: &'static str, system: &S, places: &[usize]) -> Begun {
    let Some(constraints) = system.holonomic() else { return Ok(()) };
    let mut values = vec![0.0; constraints.constraints()];
    let axes = [[0.3, -0.7, 0.2], [1.9, 0.4, -0.8], [-0.6, 2.3, 1.1], [0.9, 1.3, -3.1]];
    for attempt in 0..axes.len() {
        let mut q: Vec<f64> = (0..system.dimension()).map(|index| 0.7 + 0.1 * (index as f64).sin()).collect();
        for (body, &place) in places.iter().enumerate() {
            let axis = axes[(attempt + body) % axes.len()];
            let r = turned(&Matrix3::identity(), &Vector3::from(axis));
            q[place..place + 9].copy_from_slice(&by_rows(&r));
        }
        constraints.constraint_values(&q, 0.0, &mut values);
        if let Some(row) = values.iter().position(|value| value.is_nan() || value.abs() > 1e-9) {
            let equation = constraints.constraint_name(row);
            let reason = format!("its constraint `{equation}` is {:.3e} at a rotation", values[row]);
            return Err(no_body(method, system, reason));
        }
    }
    Ok(())
}

#[cold]
fn no_body<S: Natural + ?Sized>(method: &'static str, system: &S, reason: String) -> StartError {
    StartError::NoRotatingBody { method, system: system.name().to_owned(), reason }
}
