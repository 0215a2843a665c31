use least_action_core::method::multiscale::reduced_phase;
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
