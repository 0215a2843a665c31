use super::penalty::Penalty;
use super::penalty_parameters::PenaltyParameters;
use super::penalty_pattern::{PenaltyPattern, TotalPattern};
use super::second::{AddedSecond, natural_lagrangian};
use crate::error::{BindError, StartError};
use crate::forward::forward;
use crate::noether::{ConservedQuantity, energy_alone};
use crate::scratch::Scratch;
use crate::sparse::{SymmetricMatrix, SymmetricPattern};
use crate::system::{
    Constrained, Followed, Forced, Lagrangian, Layout, Moments, Natural, Nonholonomic, Parametric, Signal,
    Stiff, System, Text, Unforced, checksums_with,
};
use std::sync::OnceLock;

/// A constrained system whose constraints are replaced by a stiff potential: V + ½ ω² g·g.
///
/// With G = ∂g/∂q and H_c = Hess g_c, the derivatives follow from the derivatives of g:
///
/// - gradient: ∇V + ω² Gᵀ g;
/// - Hessian: Hess V + ω² (Gᵀ G + Σ g_c H_c);
/// - third: a·V‴·a + ω² Σ (2 (G_c a) H_c a + (aᵀ H_c a) G_cᵀ + g_c a·g_c‴·a).
///
/// The penalty is the stiff part; other forces act unchanged. As ω grows the motion approaches the
/// constrained motion, with multipliers λ = −ω² g in a weak sense (M q̈ = −∇V + Gᵀ λ). The penalized
/// system has no constraints, so constrained methods refuse it; [`Penalized::constrained`] returns the
/// constrained system, and [`Penalized::multipliers`] the multipliers.
///
/// # Reference
/// M. Tao, H. Owhadi, Variational and linearly-implicit integrators,
/// with applications, IMA J. Numer. Anal. (2014), section 3.
#[derive(Debug)]
pub struct Penalized<'s, S: ?Sized> {
    system: &'s S,
    /// ω².
    stiffness: f64,
    scratch: Scratch<Penalty>,
    /// Made on demand, for second derivatives of the penalty.
    pattern: OnceLock<PenaltyPattern>,
    /// Made on demand, for second derivatives of the whole potential.
    total: OnceLock<TotalPattern>,
    /// Hess V, and Hess ½ ω² g·g in the order of its pattern; both take their lengths on first use.
    hessians: Scratch<[Vec<f64>; 2]>,
    /// Made on demand, for second derivatives of the Lagrangian.
    second: OnceLock<AddedSecond>,
    /// The derivatives by the parameters of the system and by ω, if the model names sensitive ones.
    parametric: Option<Box<PenaltyParameters<'s>>>,
}

impl<'s, S: Constrained + ?Sized> Penalized<'s, S> {
    /// Replaces the constraints of `system` by the penalty ½ ω² g·g.
    ///
    /// # Errors
    /// `omega` is not positive and finite.
    pub fn new(system: &'s S, omega: f64) -> Result<Self, StartError> {
        if !(omega > 0.0 && omega.is_finite()) {
            let (method, option, interval) = ("penalty", "omega", "(0, ∞)");
            return Err(StartError::OptionOutOfRange { method, option, value: omega, interval });
        }
        let (constraints, jacobian) = (system.constraints(), system.jacobian_pattern().len());
        let stiffness = omega * omega;
        Ok(Self {
            system,
            stiffness,
            scratch: Scratch::new(move || Penalty::new(stiffness, constraints, jacobian)),
            pattern: OnceLock::new(),
            total: OnceLock::new(),
            hessians: Scratch::new(Default::default),
            second: OnceLock::new(),
            parametric: system.parametric().and_then(|own| PenaltyParameters::new(own, omega)).map(Box::new),
        })
    }

    /// The system whose constraints are penalized.
    pub fn constrained(&self) -> &'s S {
        self.system
    }

    /// The stiffness ω² of the penalty.
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }

    /// Writes the force of the penalty as multipliers λ = −ω² g(q, t) over `multipliers` (length m).
    ///
    /// They oscillate around the multipliers of the constrained motion, with an amplitude
    /// that does not shrink as ω grows; only averages over a time long against 1/ω converge.
    pub fn multipliers(&self, q: &[f64], t: f64, multipliers: &mut [f64]) {
        self.system.constraint_values(q, t, multipliers);
        for value in multipliers {
            *value *= -self.stiffness;
        }
    }

    /// Writes the violations of the constraints and their rates,
    /// g and ġ = G v + ∂g/∂t, over `values` and `rates` (length m each).
    pub fn constraint_motion(&self, q: &[f64], v: &[f64], t: f64, values: &mut [f64], rates: &mut [f64]) {
        self.scratch.with(|memory| {
            self.system.jacobian(q, t, values, &mut memory.jacobian);
            self.system.constraint_rate(q, t, rates);
            self.system.jacobian_pattern().multiply_add(&memory.jacobian, v, rates);
        });
    }

    /// The energy ½ ω² g·g of the penalty.
    pub fn penalty(&self, q: &[f64], t: f64) -> f64 {
        self.scratch.with(|memory| {
            self.system.constraint_values(q, t, &mut memory.values);
            memory.energy()
        })
    }

    /// Runs `inside` with the penalty at a place.
    fn linearized(&self, q: &[f64], t: f64, inside: impl FnOnce(&mut Penalty)) {
        self.scratch.with(|penalty| {
            penalty.linearize(self.system, (q, t));
            inside(penalty);
        });
    }

    /// Writes ω² (Gᵀ G + Σ g_c H_c), for the G and the weights in `memory`, over `hessian`.
    fn penalty_hessian(&self, q: &[f64], t: f64, memory: &mut Penalty, hessian: &mut [f64]) {
        let (pattern, jacobian) = (self.pattern(), self.system.jacobian_pattern());
        pattern.gram.multiply(jacobian, &memory.jacobian, self.stiffness, hessian);
        let weighted = &mut memory.weighted;
        weighted.resize(self.system.weighted_pattern().len(), 0.0);
        self.system.weighted_hessian(q, t, &memory.weights, weighted);
        pattern.add_weighted(weighted, hessian);
    }

    fn pattern(&self) -> &PenaltyPattern {
        self.pattern.get_or_init(|| PenaltyPattern::new(self.system))
    }

    fn total(&self) -> &TotalPattern {
        self.total.get_or_init(|| TotalPattern::new(self.system.potential_pattern(), &self.pattern().pattern))
    }
}

impl<S: Constrained + ?Sized> System for Penalized<'_, S> {
    forward! { system:
        name() -> &str;
        layout() -> &Layout;
        nonholonomic() -> Option<&dyn Nonholonomic>;
        moments() -> Option<&dyn Moments>;
        forced() -> Option<&dyn Forced>;
        signals() -> &[(Text, Signal)];
        followed() -> Option<&dyn Followed>;
        undefined(state: &crate::system::State) -> Option<(String, usize)>;
        affords_second_derivatives() -> Result<(), BindError>;
    }

    fn mechanics(&self) -> Option<&dyn Lagrangian> {
        Some(self)
    }

    fn parametric(&self) -> Option<&dyn Parametric> {
        Some(&**self.parametric.as_ref()?)
    }

    fn checksums(&self) -> [u64; 2] {
        checksums_with(self.system.checksums(), self.stiffness)
    }

    fn conserved(&self) -> &[ConservedQuantity] {
        energy_alone(self.system.conserved())
    }

    fn balanced(&self) -> &[ConservedQuantity] {
        energy_alone(self.system.balanced())
    }
}

impl<S: Constrained + ?Sized> Natural for Penalized<'_, S> {
    forward! { system: mass() -> &SymmetricMatrix; }

    fn potential(&self, q: &[f64], t: f64) -> f64 {
        self.system.potential(q, t) + self.penalty(q, t)
    }

    fn potential_rate(&self, q: &[f64], t: f64) -> f64 {
        let penalty = self.scratch.with(|memory| {
            self.system.constraint_rate(q, t, &mut memory.products);
            self.system.constraint_values(q, t, &mut memory.values);
            memory.values.iter().zip(&memory.products).map(|(value, rate)| value * rate).sum::<f64>()
        });
        self.system.potential_rate(q, t) + self.stiffness * penalty
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        self.system.potential_gradient(q, t, gradient);
        self.linearized(q, t, |penalty| penalty.add_gradient(self.system, gradient));
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.total().pattern
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let total = self.total();
        self.hessians.with(|[potential, penalty]| {
            potential.resize(self.system.potential_pattern().len(), 0.0);
            self.system.potential_second(q, t, gradient, potential);
            self.linearized(q, t, |memory| {
                memory.add_gradient(self.system, gradient);
                match &total.of_penalty {
                    None => self.penalty_hessian(q, t, memory, hessian),
                    Some(places) => {
                        penalty.resize(self.pattern().pattern.len(), 0.0);
                        self.penalty_hessian(q, t, memory, penalty);
                        hessian.fill(0.0);
                        for (&place, &value) in places.iter().zip(&*penalty) {
                            hessian[place as usize] = value;
                        }
                    }
                }
            });
            total.add_potential(potential, hessian);
        });
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        self.system.potential_product(q, t, a, product);
        self.linearized(q, t, |penalty| penalty.add_product(self.system, (q, t), a, product));
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        self.system.potential_third(q, t, a, contraction);
        self.linearized(q, t, |penalty| penalty.add_third(self.system, (q, t), a, contraction));
    }
}

impl<S: Constrained + Unforced + ?Sized> Unforced for Penalized<'_, S> {}

impl<S: Constrained + ?Sized> Stiff for Penalized<'_, S> {
    fn stiff_pattern(&self) -> &SymmetricPattern {
        &self.pattern().pattern
    }

    fn stiff_hessian(&self, q: &[f64], t: f64, hessian: &mut [f64]) {
        self.linearized(q, t, |memory| self.penalty_hessian(q, t, memory, hessian));
    }

    fn stiff_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        contraction.fill(0.0);
        self.linearized(q, t, |penalty| penalty.add_third(self.system, (q, t), a, contraction));
    }

    fn stiff_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.system.potential_gradient(q, t, gradient);
        self.linearized(q, t, |memory| {
            memory.add_gradient(self.system, gradient);
            self.penalty_hessian(q, t, memory, hessian);
        });
    }
}

natural_lagrangian!([S: Constrained + ?Sized] Penalized<'_, S>);
