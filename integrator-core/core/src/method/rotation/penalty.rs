//! The variational linearized integrators on SO(3): a penalty holds the rotation matrix near SO(3).
//!
//! # Scheme
//! The potential of [`PenalizedRotation`] is U(R) = V(R) + ½ ω² tr((RᵀR − 1)²). For L = ¼ tr(ṘᵀṘ) − V,
//! with the momentum
//! p = Ṙ/2 and c = β h²:
//! a = −∇V − 2 ω² [R RᵀR − R + c (a RᵀR + R aᵀR + R Rᵀa − a)] − c Hess V a;
//! f = a − 2 ω² c² (R aᵀa + a Rᵀa + a aᵀR) − ½ c² [a·V‴·a];
//! trapezoidal, [`RotationPenalty`]: p½ = p₀ + ½ h f₀, R₁ = R₀ + 2 h p½, p₁ = p½ + ½ h f₁;
//! symplectic Euler, [`RotationPenaltyEuler`]: p₁ = p₀ + h f₀, R₁ = R₀ + 2 h p₁.
//! For V = B μ R₃₃ the terms with Hess V and V‴ vanish, leaving the formulas of Tao and Owhadi, with
//! corrections to the sign and the order of the factors in f and to the momentum of the trapezoidal
//! update.
//!
//! These are [`ZhangSkeel`] and [`ZhangSkeelEuler`] on U, whose acceleration is 2 a: the term ½ c
//! tr(aᵀa) of the discrete Lagrangian has the mass 1 where the kinetic energy has ½ in each entry, so
//! that their parameter is **β/2**. The implementation uses this, for any mass.
//!
//! # Requirements on the model
//! One rotation matrix ([the model](super)), with any potential, under a [`PenalizedRotation`].
//!
//! # Order and invariants
//! Order 2 and 1 for fixed ω and h ω well below 1; symplectic; the trapezoidal form is reversible; the
//! momenta of symmetries R ↦ Q R and R ↦ R Q are conserved to round-off. Forces stretch R off SO(3) by
//! the order of 1/ω². For J = 1 the stretching oscillates with the frequency √8 ω, so that linear
//! stability requires h ω √8 √(¼ − β/2) < 1 if β < ½. The nonlinear limit is lower: for V = R₃₃, ω = 10
//! and β = 0.4 it is h < 0.158, while runs are stable at h = 0.1 and no longer at 0.14.
//!
//! # Parameters
//! `beta` in [0, ∞), default 0.4.
//!
//! # Reference
//! M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J. Numer.
//! Anal. (2014), section 4.5, equations (36) and (37).

use super::body::{Body, RotationTolerance};
use super::matrix::{by_rows, defect, from_slice};
use crate::error::{Begun, BindError};
use crate::forward::forward;
use crate::method::check::{check_beta, check_option};
use crate::method::contract::{Claims, Method, Stepper, claims};
use crate::method::instability::Instability;
use crate::method::linearly_implicit::method_of_beta;
use crate::method::stability::{self, FirstStep};
use crate::method::{ZhangSkeel, ZhangSkeelEuler};
use crate::noether::{ConservedQuantity, energy_alone};
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{
    Followed, Forced, Lagrangian, Layout, Moments, Natural, Nonholonomic, Signal, State, System, Text,
};
use crate::wrap::{AddedSecond, natural_lagrangian};
use nalgebra::Matrix3;
use std::sync::OnceLock;

/// The number of entries of a lower triangle of nine rows.
const TRIANGLE: usize = 45;

/// A body with the penalty ½ ω² tr((RᵀR − 1)²) added to its potential instead of a declared constraint
/// RᵀR = 1.
///
/// [`Penalized`](crate::wrap::Penalized) counts each declared equation once, and an entry off the
/// diagonal of RᵀR is declared once; here the entries (i, j) and (j, i) both count, which makes the
/// penalty isotropic.
///
/// ∇U = ∇V + 2 ω² R (RᵀR − 1);  Hess U a = Hess V a + 2 ω² (a RᵀR + R aᵀR + R Rᵀa − a);
/// a·U‴·a = a·V‴·a + 4 ω² (R aᵀa + a Rᵀa + a aᵀR).
#[derive(Debug)]
pub struct PenalizedRotation<'s, S: ?Sized> {
    system: &'s S,
    /// ω².
    stiffness: f64,
    /// The full lower triangle.
    pattern: SymmetricPattern,
    /// The place of each entry of Hess V.
    places: Vec<u32>,
    /// Made on demand, for second derivatives of the Lagrangian.
    second: OnceLock<AddedSecond>,
}

impl<'s, S: Natural + ?Sized> PenalizedRotation<'s, S> {
    /// Holds the rotation matrix of `system` near SO(3) with the stiffness ω².
    ///
    /// # Errors
    /// The system is not one body with a rotation matrix, or `omega` is not positive and finite.
    pub fn new(system: &'s S, omega: f64) -> Begun<Self> {
        Body::of(RotationPenalty::NAME, system)?;
        let is_positive = omega > 0.0 && omega.is_finite();
        check_option(RotationPenalty::NAME, is_positive, ("omega", omega, "(0, ∞)"))?;
        let pattern = SymmetricPattern::new(9, (0..9).flat_map(|i| (0..i).map(move |j| (i, j))));
        let entries = system.potential_pattern().entries();
        let places = entries.map(|(row, column)| pattern.place(row, column)).collect();
        Ok(Self { system, stiffness: omega * omega, pattern, places, second: OnceLock::new() })
    }

    /// The energy ½ ω² tr((RᵀR − 1)²) of the penalty.
    pub fn penalty(&self, q: &[f64]) -> f64 {
        0.5 * self.stiffness * defect(&from_slice(q)).norm_squared()
    }

    /// 2 ω² (a RᵀR + R aᵀR + R Rᵀa − a).
    fn hessian_times(&self, r: &Matrix3<f64>, a: &Matrix3<f64>) -> Matrix3<f64> {
        2.0 * self.stiffness * (a * defect(r) + r * (a.tr_mul(r) + r.tr_mul(a)))
    }

    fn add_gradient(&self, q: &[f64], gradient: &mut [f64]) {
        let r = from_slice(q);
        add(gradient, 2.0 * self.stiffness, &(r * defect(&r)));
    }
}

fn add(values: &mut [f64], factor: f64, a: &Matrix3<f64>) {
    for (value, entry) in values.iter_mut().zip(by_rows(a)) {
        *value += factor * entry;
    }
}

impl<S: Natural + ?Sized> System for PenalizedRotation<'_, S> {
    forward! { system:
        name() -> &str;
        layout() -> &Layout;
        nonholonomic() -> Option<&dyn Nonholonomic>;
        forced() -> Option<&dyn Forced>;
        signals() -> &[(Text, Signal)];
        followed() -> Option<&dyn Followed>;
        moments() -> Option<&dyn Moments>;
        affords_second_derivatives() -> Result<(), BindError>;
    }

    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        Some(self)
    }

    fn conserved(&self) -> &[ConservedQuantity] {
        energy_alone(self.system.conserved())
    }

    fn balanced(&self) -> &[ConservedQuantity] {
        energy_alone(self.system.balanced())
    }
}

impl<S: Natural + ?Sized> Natural for PenalizedRotation<'_, S> {
    forward! { system:
        mass() -> &SymmetricMatrix;
        potential_rate(q: &[f64], t: f64) -> f64;
    }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        self.system.potential(q, t) + self.penalty(q)
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        self.system.potential_gradient(q, t, gradient);
        self.add_gradient(q, gradient);
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.pattern
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        // A lower triangle of nine rows has 45 entries at most.
        let mut memory = [0.0; TRIANGLE];
        let own = &mut memory[..self.places.len().min(TRIANGLE)];
        self.system.potential_second(q, t, gradient, own);
        self.add_gradient(q, gradient);
        let r = from_slice(q);
        for column in 0..9 {
            let unit = Matrix3::from_fn(|i, j| if 3 * i + j == column { 1.0 } else { 0.0 });
            let image = by_rows(&self.hessian_times(&r, &unit));
            // The pattern is full: column by column, from the diagonal down.
            let start = self.pattern.starts()[column];
            for (entry, value) in hessian.iter_mut().skip(start).zip(&image[column..]) {
                *entry = *value;
            }
        }
        for (&place, value) in self.places.iter().zip(&*own) {
            if let Some(entry) = hessian.get_mut(place as usize) {
                *entry += value;
            }
        }
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        self.system.potential_product(q, t, a, product);
        add(product, 1.0, &self.hessian_times(&from_slice(q), &from_slice(a)));
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.system.potential_third(q, t, a, contraction);
        let (r, a) = (from_slice(q), from_slice(a));
        let third = r * a.tr_mul(&a) + a * r.tr_mul(&a) + a * a.transpose() * r;
        add(contraction, 4.0 * self.stiffness, &third);
    }
}

natural_lagrangian!([S: Natural + ?Sized] PenalizedRotation<'_, S>);

/// One of both forms of the [scheme](self), which is `$on` U.
macro_rules! form {
    ($Method:ident, $form:literal, $on:ident) => {
        method_of_beta! {
            #[doc = concat!("The ", $form, " form; see the [scheme](self).")]
            $Method: concat!("β in c = β h², twice the β of [`", stringify!($on), "`].")
        }

        impl<'b, S: Natural + ?Sized> Method<PenalizedRotation<'b, S>> for $Method {
            fn start<'s>(
                &self,
                system: &'s PenalizedRotation<'b, S>,
                state: State,
                step: f64,
            ) -> Begun<impl Stepper + use<'s, 'b, S>> {
                check_beta(Self::NAME, self.beta)?;
                Body::check_start(system, &state, RotationTolerance::Roughly)?;
                $on { beta: 0.5 * self.beta }.start(system, state, step)
            }

            fn instability(
                &self,
                system: &PenalizedRotation<'b, S>,
                state: &State,
                step: f64,
            ) -> Option<Instability> {
                stability::zhang_skeel(
                    0.5 * self.beta,
                    &FirstStep { method: Self::NAME, system, state, step },
                )
            }
        }
    };
}

form!(RotationPenalty, "trapezoidal", ZhangSkeel);
form!(RotationPenaltyEuler, "symplectic-Euler", ZhangSkeelEuler);

claims! {
    impl Claims for RotationPenalty: "so3-penalty" of order 2;
    SYMPLECTIC yes, REVERSIBLE yes, MOMENTUM yes, PARTS yes
}

claims! {
    impl Claims for RotationPenaltyEuler: "so3-penalty-euler" of order 1;
    SYMPLECTIC yes, REVERSIBLE no, MOMENTUM yes, PARTS yes
}
