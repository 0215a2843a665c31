//! The phase at the centre of a window, to round-off.

use std::f64::consts::TAU;

/// The difference 2π − `TAU`.
const TAU_REST: f64 = 2.449_293_598_294_706_4e-16;

/// The phase ω t + θ₀ reduced to (−2π, 2π), for the floating-point numbers as given: its error is some
/// units in the last place of 2π, while `ω * t + θ₀` errs by the last place of ω t.
///
/// At ω = 10⁸ and t near 1 this is 10⁻⁸ rad, and the force of a vibrated system, of size ω, shows it:
/// every sample of a window rounds differently, and no filter removes that.
///
/// ω t is computed with its rounding error; whole turns are subtracted with 2π to twice the precision.
/// Beyond 2⁵³ turns the phase is unknown, and the result an arbitrary one.
///
/// # Example
/// ```
/// use least_action::method::multiscale::reduced_phase;
///
/// // A hundred million turns and a quarter.
/// let omega = std::f64::consts::TAU;
/// let phase = reduced_phase(omega, 100_000_000.25, 0.0);
/// assert!((phase.sin() - 1.0).abs() < 1e-15 && phase.cos().abs() < 1e-7);
/// ```
pub fn reduced_phase(frequency: f64, t: f64, initial: f64) -> f64 {
    let turned = frequency * t;
    let rest = frequency.mul_add(t, -turned);
    let turns = (turned / TAU).round();
    if turns.abs() > 9.0e15 || !turns.is_finite() {
        return (turned % TAU) + initial % TAU;
    }
    let reduced = turns.mul_add(-TAU, turned);
    let reduced = turns.mul_add(-TAU_REST, reduced) + rest;
    (reduced + initial % TAU) % TAU
}
