//! The phase at the centre of a window, to round-off.

use std::f64::consts::TAU;

/// The difference 2π − `TAU`.
const TAU_REST: f64 = 2.449_293_598_294_706_4e-16;

/// The phase ω t + θ₀ reduced to (−2π, 2π), for the numbers as they are: with an error of some units in the last place of 2π,
/// where `ω * t + θ₀` computed as it stands has one of the last place of ω t.
///
/// At ω = 10⁸ and t near 1 that is 10⁻⁸ rad, and the force of a vibrated system, of size ω, shows it: in every sample of a window
/// another rounding, which no filter removes.
///
/// ω t is computed with its rounding error; whole turns are subtracted with 2π to twice the precision. Beyond 2⁵³ turns nothing is
/// left to be known, and what is returned is a phase all the same.
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

#[cfg(test)]
mod tests {
    use super::reduced_phase;
    use std::f64::consts::TAU;

    #[test]
    fn large_phases_are_exact() {
        // The products of the binary numbers, reduced in arithmetic of sixty digits.
        let known = [
            (1e8, 0.1, 2.707_543_636_877_347_6),
            (1e8, 0.7, 0.103_249_528_276_000_73),
            (123_456_789.0, 0.987_654_321, -0.215_032_392_318_875_78),
            (-1e8, 0.3, -1.839_445_600_676_898_7),
            (1e12, 0.9, -1.848_477_140_198_532_7),
        ];
        for (frequency, t, expected) in known {
            let phase = reduced_phase(frequency, t, 0.0);
            let difference = (phase - expected) / TAU;
            assert!((difference - difference.round()).abs() < 1e-15, "{frequency} {t}: {phase} {expected}");
        }
    }

    #[test]
    fn small_phases_are_themselves() {
        assert_eq!(reduced_phase(2.0, 0.5, 0.25).to_bits(), 1.25_f64.to_bits());
        assert_eq!(reduced_phase(-2.0, 0.5, 0.0).to_bits(), (-1.0_f64).to_bits());
        assert!(reduced_phase(1e300, 1.0, 0.0).abs() < TAU);
    }
}
