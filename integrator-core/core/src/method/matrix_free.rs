//! Kicks by dissipations without assembled derivatives: conjugate gradients for M x + c D_vv x = r.
//!
//! D_vv x is a difference of forces at two velocities, as in Jacobian-free Newton–Krylov methods: exact
//! to rounding for a linear force, otherwise as good as an approximate derivative need be. The matrix is
//! positive definite for a convex D and close to M for steps short beside the time of the drag;
//! preconditioned with M⁻¹, a few products suffice. Sums run in the order of the degrees of freedom, so
//! that a list of neighbours changes no bit.
//!
//! # Reference
//! D. A. Knoll, D. E. Keyes, *Jacobian-free Newton–Krylov methods*, J. Comput. Phys. 193 (2004) 357,
//! doi:10.1016/j.jcp.2003.08.010.

use super::applied::Instant;
use super::mass_solver::MassSolver;
use crate::sparse::SymmetricMatrix;
use crate::system::Forced;

/// The distance of the two velocities, relative to the larger of the velocity and the direction.
const DISTANCE: f64 = 1.0 / 65536.0;
/// A solution suffices when its residual has fallen to this part, or to rounding beside M u.
const FALLEN: f64 = 1e-10;
const ROUNDING: f64 = 1e-15;
/// The most products in one solution.
const PRODUCTS: u32 = 200;

pub(super) struct MatrixFree {
    inverse: MassSolver,
    /// The velocity u of the derivative, and F there.
    u: Vec<f64>,
    force: Vec<f64>,
    shifted: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    residual: Vec<f64>,
    preconditioned: Vec<f64>,
    /// √(u·M u).
    size: f64,
}

impl MatrixFree {
    pub(super) fn new(inverse: MassSolver, n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            inverse,
            u: zeros(),
            force: zeros(),
            shifted: zeros(),
            direction: zeros(),
            product: zeros(),
            residual: zeros(),
            preconditioned: zeros(),
            size: 0.0,
        }
    }

    /// Moves the derivative to a velocity at which the force is known.
    pub(super) fn at(&mut self, mass: &SymmetricMatrix, u: &[f64], force: &[f64]) {
        self.u.copy_from_slice(u);
        self.force.copy_from_slice(force);
        self.size = mass.quadratic(u).max(0.0).sqrt();
    }

    /// x ← (M − c ∂F/∂v)⁻¹ x; NaN if this fails.
    pub(super) fn solve(
        &mut self,
        mass: &SymmetricMatrix,
        forced: &dyn Forced,
        (q, at, c): (&[f64], Instant, f64),
        x: &mut [f64],
    ) {
        self.residual.copy_from_slice(x);
        x.fill(0.0);
        let mut square = self.precondition();
        let enough = (FALLEN * square.sqrt()).max(ROUNDING * self.size);
        self.direction.copy_from_slice(&self.preconditioned);
        for _ in 0..PRODUCTS {
            if square.sqrt() <= enough {
                return;
            }
            self.multiply(mass, forced, (q, at, c));
            let bend = dot(&self.direction, &self.product);
            if bend.is_nan() || bend <= 0.0 {
                break;
            }
            let length = square / bend;
            for (((x, residual), direction), product) in
                x.iter_mut().zip(&mut self.residual).zip(&self.direction).zip(&self.product)
            {
                *x += length * direction;
                *residual -= length * product;
            }
            let next = self.precondition();
            for (direction, preconditioned) in self.direction.iter_mut().zip(&self.preconditioned) {
                *direction = preconditioned + next / square * *direction;
            }
            square = next;
        }
        x.fill(f64::NAN);
    }

    /// M⁻¹ r, and r·M⁻¹ r.
    fn precondition(&mut self) -> f64 {
        self.preconditioned.copy_from_slice(&self.residual);
        match self.inverse.apply(&mut self.preconditioned) {
            Ok(()) => dot(&self.residual, &self.preconditioned),
            Err(_) => f64::NAN,
        }
    }

    /// The product of the matrix with the direction.
    fn multiply(&mut self, mass: &SymmetricMatrix, forced: &dyn Forced, (q, at, c): (&[f64], Instant, f64)) {
        let (u, p) = (dot(&self.u, &self.u).sqrt(), dot(&self.direction, &self.direction).sqrt());
        let distance = DISTANCE * u.max(p) / p;
        for ((shifted, u), direction) in self.shifted.iter_mut().zip(&self.u).zip(&self.direction) {
            *shifted = u + distance * direction;
        }
        self.product.fill(0.0);
        forced.add_force_sampled(q, &self.shifted, at.t, at.sampling, &mut self.product);
        for (product, force) in self.product.iter_mut().zip(&self.force) {
            *product = -c * (*product - force) / distance;
        }
        mass.pattern.multiply_add(&mass.values, &self.direction, &mut self.product);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
