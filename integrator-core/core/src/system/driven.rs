use super::{Holonomic, Natural, System};

/// A vibrated system: time enters its Lagrangian through the fast phase θ = ω t + θ₀.
///
/// # Units
/// Phases are in rad, frequencies in rad per unit of time.
#[diagnostic::on_unimplemented(
    message = "this method needs a fast phase, and `{Self}` has none",
    label = "no phase in `{Self}`",
    note = "give `lagrangian` an argument of type `Phase`, and the model a method marked #[frequency]"
)]
pub trait Driven: System {
    /// The frequency ω.
    fn frequency(&self) -> f64;

    /// The phase θ₀ at time zero.
    fn initial_phase(&self) -> f64;

    /// True if the equations of motion are provably equal for θ and −θ: averages need half of a period.
    fn is_even_in_phase(&self) -> bool;

    /// True if the constraints depend on the phase, as in a shaken frame.
    fn constraints_depend_on_phase(&self) -> bool;

    /// The phase θ = ω t + θ₀ at time t, as accurate as the product ω t; for ω t far above one see
    /// [`crate::method::multiscale`].
    fn phase(&self, t: f64) -> f64 {
        self.frequency() * t + self.initial_phase()
    }
}

/// A vibrated natural system: V(q, t, θ) with independent time and phase.
///
/// A multiscale method follows the phase over a few periods at fixed slow time, from any phase.
#[diagnostic::on_unimplemented(
    message = "this method needs a natural system with a fast phase, which `{Self}` does not offer",
    label = "`{Self}` cannot be used with this method"
)]
pub trait Vibrated: Natural + Driven {
    /// Writes ∇V(q, t, θ) over `gradient`; q and gradient have length n.
    fn gradient_at_phase(&self, q: &[f64], t: f64, theta: f64, gradient: &mut [f64]);
}

/// A vibrated system whose force is equal for θ and −θ at fixed positions and time.
#[diagnostic::on_unimplemented(
    message = "this needs a force that is the same for the phases θ and −θ, which `{Self}` does not promise",
    label = "the force of `{Self}` is not known to be even in its phase",
    note = "use the filter `Exponential` or `Cubic`, which average any periodic force"
)]
pub trait EvenInPhase: Vibrated {}

/// A vibrated system with holonomic constraints.
pub trait ConstrainedVibrated: Vibrated + Holonomic {}
impl<S: Vibrated + Holonomic + ?Sized> ConstrainedVibrated for S {}

/// A vibrated system with holonomic constraints whose force is even in the phase.
pub trait ConstrainedEven: EvenInPhase + Holonomic {}
impl<S: EvenInPhase + Holonomic + ?Sized> ConstrainedEven for S {}
