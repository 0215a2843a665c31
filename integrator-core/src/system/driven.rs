use super::System;

/// A system that is vibrated: time enters its Lagrangian through the fast phase θ = ω t + θ₀.
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

    /// Whether the equations of motion are the same for θ and −θ, as the compiler found them to be. Averages over a period
    /// then need half of it.
    fn is_even_in_phase(&self) -> bool;

    /// The phase θ = ω t + θ₀ at time t.
    fn phase(&self, t: f64) -> f64 {
        self.frequency() * t + self.initial_phase()
    }
}
