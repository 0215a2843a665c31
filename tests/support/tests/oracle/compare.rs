//! Comparison of numbers.

/// Asserts |a − b| ≤ tolerance · max(1, |b|) for every entry.
#[track_caller]
pub(crate) fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len(), "lengths");
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "entry {i}: {a} is not {b}");
    }
}

/// ∂f/∂x by the central difference of order 4, whose error is about 1e-11 for functions of size one.
pub(crate) fn differences(f: impl Fn(&[f64]) -> Vec<f64>, x: &[f64]) -> Vec<Vec<f64>> {
    let h = 1e-3;
    (0..x.len())
        .map(|i| {
            let at = |shift: f64| {
                let mut x = x.to_vec();
                x[i] += shift * h;
                f(&x)
            };
            let (a, b, c, d) = (at(-2.0), at(-1.0), at(1.0), at(2.0));
            (0..a.len()).map(|k| (a[k] - 8.0 * b[k] + 8.0 * c[k] - d[k]) / (12.0 * h)).collect()
        })
        .collect()
}

/// A state without symmetry: entries between −1 and 1 from a fixed formula.
pub(crate) fn state(n: usize, seed: f64) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + 1.0) * (seed + 1.618) * 12.9898).sin()).collect()
}
