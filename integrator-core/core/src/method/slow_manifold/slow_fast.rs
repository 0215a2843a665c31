//! Systems with a known fast frequency.

use crate::error::{Begun, BindError};
use crate::forward::forward;
use crate::method::check::check_option;
use crate::method::report::Evaluations;
use crate::noether::ConservedQuantity;
use crate::system::{
    Constrained, Followed, Forced, Holonomic, Lagrangian, Layout, Natural, Nonholonomic, Signal, System,
    Text, Unforced,
};
use crate::wrap::Penalized;

/// A natural system with fast oscillations of frequency about ω; the *fast part* has their size.
///
/// # Shapes
/// q, v: n.  values, rates: [`SlowFast::fast_len`].
pub trait SlowFast: System {
    /// The natural system.
    type Natural: Unforced + ?Sized;

    /// The natural system whose forces oscillate.
    fn natural(&self) -> &Self::Natural;

    /// The fast frequency ω, in rad per unit of time.
    fn frequency(&self) -> f64;

    /// The number of entries of the fast part.
    fn fast_len(&self) -> usize;

    /// The name of entry `index` of the fast part, for messages.
    fn fast_name(&self, index: usize) -> String;

    /// Writes the fast part and its rate of change; adds the evaluations to `counts`.
    ///
    /// Both are O(ω⁻²) near the slow manifold up to functions of time alone, and as large as the
    /// oscillations elsewhere.
    fn fast_part(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        rates: &mut [f64],
        counts: &mut Evaluations,
    );
}

/// The fast part consists of the penalized constraints: g and ġ = G v + ∂g/∂t.
impl<S: Constrained + Unforced + ?Sized> SlowFast for Penalized<'_, S> {
    type Natural = Self;

    fn natural(&self) -> &Self {
        self
    }

    fn frequency(&self) -> f64 {
        self.stiffness().sqrt()
    }

    fn fast_len(&self) -> usize {
        self.constrained().constraints()
    }

    fn fast_name(&self, index: usize) -> String {
        self.constrained().constraint_name(index)
    }

    fn fast_part(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        rates: &mut [f64],
        counts: &mut Evaluations,
    ) {
        self.constraint_motion(q, v, t, values, rates);
        counts.constraints += 1;
    }
}

/// Any natural system with a known fast frequency, such as the frequency of its `stiff(…)` part.
///
/// The fast part is ω⁻² ∇V and its change with v, ω⁻² Hess V · v, each divided by the diagonal of M. For
/// a penalty these are Gᵀ g and Gᵀ ġ in the leading order.
#[derive(Debug)]
pub struct Oscillating<'s, S: ?Sized> {
    system: &'s S,
    frequency: f64,
    /// 1/(ω² M_ii).
    scale: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> Oscillating<'s, S> {
    /// `system` with the fast frequency ω, in rad per unit of time.
    ///
    /// # Errors
    /// The frequency is not positive and finite.
    pub fn new(system: &'s S, frequency: f64) -> Begun<Self> {
        let stiffness = frequency * frequency;
        let is_positive = frequency > 0.0 && stiffness.is_normal();
        check_option("slow manifold", is_positive, ("frequency", frequency, "(0, ∞)"))?;
        let mass = system.mass();
        let scale = (0..system.dimension()).map(|i| {
            let diagonal = mass.pattern.position(i, i).map_or(1.0, |at| mass.values[at]);
            1.0 / (stiffness * diagonal)
        });
        let scale = scale.collect();
        Ok(Self { system, frequency, scale })
    }

    /// The system itself.
    pub fn system(&self) -> &'s S {
        self.system
    }
}

impl<S: System + ?Sized> System for Oscillating<'_, S> {
    forward! { system:
        name() -> &str;
        layout() -> &Layout;
        holonomic() -> Option<&dyn Holonomic>;
        nonholonomic() -> Option<&dyn Nonholonomic>;
        forced() -> Option<&dyn Forced>;
        mechanics() -> Option<&dyn Lagrangian>;
        conserved() -> &[ConservedQuantity];
        balanced() -> &[ConservedQuantity];
        signals() -> &[(Text, Signal)];
        followed() -> Option<&dyn Followed>;
        affords_second_derivatives() -> Result<(), BindError>;
    }
}

impl<S: Unforced + ?Sized> SlowFast for Oscillating<'_, S> {
    type Natural = S;

    fn natural(&self) -> &S {
        self.system
    }

    fn frequency(&self) -> f64 {
        self.frequency
    }

    fn fast_len(&self) -> usize {
        self.system.dimension()
    }

    fn fast_name(&self, index: usize) -> String {
        self.system.layout().name_of(index)
    }

    fn fast_part(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        values: &mut [f64],
        rates: &mut [f64],
        counts: &mut Evaluations,
    ) {
        self.system.potential_gradient(q, t, values);
        self.system.potential_product(q, t, v, rates);
        counts.gradients += 1;
        counts.hessians += 1;
        for ((value, rate), scale) in values.iter_mut().zip(rates).zip(&self.scale) {
            *value *= scale;
            *rate *= scale;
        }
    }
}
