//! The method of LaBudde and Greenspan: energy, linear and angular momentum at once, for potentials of distances.
//!
//! # Scheme
//! For V = Σ U(s) with squared distances s = |d|², d = x_i − x_j (or x_i alone), and with U₀, U₁ at the two ends of the step:
//!
//! ```text
//! q₁ = q₀ + ½ h (v₀ + v₁),    M (v₁ − v₀) = −h F̄(q₀, q₁),
//! F̄ = Σ Q (d₀ + d₁) on x_i, minus that on x_j,    Q = (U₁ − U₀)/(s₁ − s₀).
//! ```
//!
//! F̄·(q₁ − q₀) = Σ Q (s₁ − s₀) = V₁ − V₀ is why the energy is kept: F̄ is a discrete gradient of V, and each of its parts lies along a
//! central line of the mean configuration, which keeps the angular momentum.
//!
//! Where s₁ is near s₀ the quotient loses its digits; there Q = ∫ U′(s₀ + ξ (s₁ − s₀)) dξ, the same number, is found by Gauss's
//! formula with four nodes, exact to rounding so near.
//! The equations are solved for the mean acceleration a = (v₁ − v₀)/h by Newton's method with the exact sparse derivative, which is
//! not symmetric; corrections are shortened where they lead too far.
//!
//! # Requirements on the model
//! [`Natural`], and every one of its [`elements`](Natural::elements) depends on the distance of two points, or of one from the origin, alone.
//! That is tried at the start, near the distances there; where it fails, the error names the element.
//!
//! # Order and what is preserved
//! Order 2; not symplectic; reversible; conserves energy, linear and angular momentum to rounding, for every step for which its
//! equations have a solution.
//!
//! # Parameters
//! `tolerance` in (0, 0.001], default 10⁻¹⁴: Newton's method is done when a correction moves no position by more than
//! this part of the largest one, or when the residual is that of rounding.
//! `iterations` at least 1, default 50: the most corrections in a step.
//!
//! # Reference
//! R. A. LaBudde, D. Greenspan, Energy and momentum conserving methods of arbitrary order for the numerical integration of equations
//! of motion, Numer. Math. 25 (1976) 323, doi:10.1007/BF01396331; as a discrete gradient: O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449.

mod discrete_gradient;
mod distances;

use self::discrete_gradient::DiscreteGradient;
use super::check::{check_state, first_not_finite};
use super::force_error::ForceError;
use super::implicit::{Newton, norm};
use super::mass_solver::MassSolver;
use super::one_step::{Map, OneStep};
use super::{Claims, Evaluations, Flow, Method, Running, Stepper, Symmetric};
use crate::error::StartError;
use crate::system::{Layout, Natural, State};

/// The method of LaBudde and Greenspan; see the [scheme](self).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaBuddeGreenspan {
    /// The last correction of Newton's method beside the largest position, in (0, 0.001].
    pub tolerance: f64,
    /// The most corrections of Newton's method in a step.
    pub iterations: u32,
}

impl Default for LaBuddeGreenspan {
    fn default() -> Self {
        Self { tolerance: 1e-14, iterations: 50 }
    }
}

impl Claims for LaBuddeGreenspan {
    const NAME: &'static str = "labudde-greenspan";
    const ORDER: u32 = 2;
    const SYMPLECTIC: Option<bool> = Some(false);
    const REVERSIBLE: Option<bool> = Some(true);
    const MOMENTUM: Option<bool> = Some(true);
}

impl<S: Natural + ?Sized> Method<S> for LaBuddeGreenspan {
    fn start<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<impl Stepper + use<'s, S>, StartError> {
        self.start_parts(system, state, step)
    }
}

impl<S: Natural + ?Sized> Symmetric<S> for LaBuddeGreenspan {
    fn start_parts<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Result<Running<impl Flow + use<'s, S>>, StartError> {
        OneStep::start(system, Self::NAME, state, step, |state| {
            check_state(system, state)?;
            let newton =
                Newton { tolerance: self.tolerance, iterations: self.iterations }.check(Self::NAME)?;
            let zeros = || vec![0.0; system.dimension()];
            let mut map = EnergyMomentumMap {
                system,
                newton,
                mass: MassSolver::new(system, system.mass())?,
                force: DiscreteGradient::new(Self::NAME, system, state)?,
                drift: zeros(),
                q: zeros(),
                acceleration: zeros(),
                trial: zeros(),
                residual: zeros(),
                magnitude: zeros(),
                correction: zeros(),
                following: zeros(),
            };
            // A sparse factorization takes its memory when it is first done, which is to be here.
            map.place(state, step);
            map.force.evaluate(&state.q, &map.q, state.t, &mut map.residual, &mut map.magnitude);
            let _ = map.force.factor(system.mass(), 0.5 * step * step);
            Ok(map)
        })
    }
}

/// M a + F̄(q₀, q₀ + h v₀ + ½ h² a) = 0.
#[derive(Debug)]
struct EnergyMomentumMap<'s, S: ?Sized> {
    system: &'s S,
    newton: Newton,
    mass: MassSolver,
    force: DiscreteGradient<'s>,
    /// q₀ + h v₀.
    drift: Vec<f64>,
    /// q₁ of the trial.
    q: Vec<f64>,
    acceleration: Vec<f64>,
    trial: Vec<f64>,
    residual: Vec<f64>,
    /// The sums of the absolute values of the terms of each residual.
    magnitude: Vec<f64>,
    correction: Vec<f64>,
    following: Vec<f64>,
}

const MATRIX: &str = "the derivative of the discrete force";
const POSITIONS: &str = "the new positions";
/// A correction that gains less than this factor gets a fresh matrix.
const SLOW: f64 = 0.1;
/// Corrections are not shortened beyond this.
const SHORTEST: f64 = 1.0 / 1024.0;
/// The part of the sum of its terms, in absolute values, that rounding leaves of a residual.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The result of one correction.
enum Progress {
    /// The following correction is shorter by this factor.
    By(f64),
    Rounding,
    None,
}

impl<S: Natural + ?Sized> EnergyMomentumMap<'_, S> {
    /// q₀ + h v₀, and with the acceleration, q₁.
    fn place(&mut self, state: &State, h: f64) {
        for (drift, (q, v)) in self.drift.iter_mut().zip(state.q.iter().zip(&state.v)) {
            *drift = q + h * v;
        }
        self.q.copy_from_slice(&self.drift);
    }

    /// R = M a + F̄ at the trial.
    fn evaluate(&mut self, state: &State, h: f64, t: f64, counts: &mut Evaluations) {
        for (q, (drift, a)) in self.q.iter_mut().zip(self.drift.iter().zip(&self.trial)) {
            *q = drift + 0.5 * h * h * a;
        }
        self.force.evaluate(&state.q, &self.q, t, &mut self.residual, &mut self.magnitude);
        counts.gradients += 1;
        let mass = self.system.mass();
        mass.pattern.multiply_add(&mass.values, &self.trial, &mut self.residual);
    }

    fn solve(&mut self, state: &State, h: f64, t: f64, counts: &mut Evaluations) -> Result<(), ForceError> {
        let mut iterations = 0;
        loop {
            self.trial.copy_from_slice(&self.acceleration);
            self.evaluate(state, h, t, counts);
            if let Some(index) = first_not_finite(&self.residual) {
                return Err(ForceError::NotFinite { index });
            }
            counts.hessians += 1;
            counts.factorizations += 1;
            self.force
                .factor(self.system.mass(), 0.5 * h * h)
                .map_err(|error| ForceError::Singular { matrix: MATRIX, error })?;
            for (correction, residual) in self.correction.iter_mut().zip(&self.residual) {
                *correction = -residual;
            }
            self.force.solve(&mut self.correction);
            let (mut fresh, mut fast) = (true, true);
            while fast {
                let (index, moved, accepted) = self.measure(h);
                if moved <= accepted {
                    let all = self.acceleration.iter_mut().zip(&self.correction);
                    all.for_each(|(a, correction)| *a += correction);
                    return Ok(());
                }
                let failed = ForceError::NotConverged {
                    unknown: POSITIONS,
                    iterations,
                    correction: moved,
                    index,
                    tolerance: accepted,
                };
                if iterations == self.newton.iterations {
                    return Err(failed);
                }
                iterations += 1;
                counts.iterations += 1;
                match self.advance(state, h, t, fresh, counts) {
                    Progress::By(ratio) => fast = ratio <= SLOW,
                    Progress::Rounding => return Ok(()),
                    Progress::None if fresh => return Err(failed),
                    Progress::None => fast = false,
                }
                fresh = false;
            }
        }
    }

    /// Moves a along the correction, shortened as far as needed if the matrix is `fresh`, and puts the following one in its
    /// place.
    fn advance(&mut self, state: &State, h: f64, t: f64, fresh: bool, counts: &mut Evaluations) -> Progress {
        let size = norm(&self.correction);
        let shortest = if fresh { SHORTEST } else { 1.0 };
        let mut damping = 1.0;
        while damping >= shortest {
            let known = self.acceleration.iter().zip(&self.correction);
            for (trial, (a, correction)) in self.trial.iter_mut().zip(known) {
                *trial = a + damping * correction;
            }
            self.evaluate(state, h, t, counts);
            if first_not_finite(&self.residual).is_none() {
                for (following, residual) in self.following.iter_mut().zip(&self.residual) {
                    *following = -residual;
                }
                self.force.solve(&mut self.following);
                let ratio = norm(&self.following) / size;
                if ratio <= 1.0 - 0.5 * damping {
                    self.acceleration.copy_from_slice(&self.trial);
                    std::mem::swap(&mut self.correction, &mut self.following);
                    return Progress::By(ratio);
                }
                if damping >= 1.0 && self.is_rounding(h) {
                    self.acceleration.copy_from_slice(&self.trial);
                    return Progress::Rounding;
                }
            }
            damping *= 0.5;
        }
        Progress::None
    }

    /// The index of the position that the correction moves most, the length of that move, and the length that would be accepted.
    fn measure(&self, h: f64) -> (usize, f64, f64) {
        let (mut index, mut moved, mut largest) = (0, 0.0_f64, 0.0_f64);
        for (j, (correction, q)) in self.correction.iter().zip(&self.drift).enumerate() {
            let change = (0.5 * h * h * correction).abs();
            if change > moved || change.is_nan() {
                (index, moved) = (j, change);
            }
            largest = largest.max(q.abs());
        }
        (index, moved, self.newton.tolerance * largest)
    }

    /// True if the residual at the last trial is no larger than rounding of the values of U and of the positions makes it.
    fn is_rounding(&mut self, h: f64) -> bool {
        for (x, (drift, a)) in self.following.iter_mut().zip(self.drift.iter().zip(&self.trial)) {
            *x = drift.abs() / (0.5 * h * h) + a.abs();
        }
        self.force.absolute_multiply_add(&self.following, &mut self.magnitude);
        self.residual.iter().zip(&self.magnitude).all(|(residual, sum)| residual.abs() <= ROUNDING * sum)
    }
}

impl<S: Natural + ?Sized> Map for EnergyMomentumMap<'_, S> {
    fn method(&self) -> &'static str {
        LaBuddeGreenspan::NAME
    }

    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn apply(
        &mut self,
        state: &State,
        step: f64,
        next: &mut State,
        counts: &mut Evaluations,
    ) -> Result<(), ForceError> {
        let h = step;
        let t = 0.5 * (state.t + next.t);
        // The acceleration half way along the drift is the first guess.
        self.place(state, h);
        for (middle, (q, drift)) in self.trial.iter_mut().zip(state.q.iter().zip(&self.drift)) {
            *middle = 0.5 * (q + drift);
        }
        self.system.potential_gradient(&self.trial, t, &mut self.acceleration);
        counts.gradients += 1;
        self.acceleration.iter_mut().for_each(|entry| *entry = -*entry);
        self.mass.apply(&mut self.acceleration)?;
        if first_not_finite(&self.acceleration).is_some() {
            self.acceleration.fill(0.0);
        }
        self.solve(state, h, t, counts)?;
        let known = state.q.iter().zip(&state.v).zip(&self.acceleration);
        for ((next_q, next_v), ((q, v), a)) in next.q.iter_mut().zip(&mut next.v).zip(known) {
            *next_q = q + h * v + 0.5 * h * h * a;
            *next_v = v + h * a;
        }
        Ok(())
    }
}
