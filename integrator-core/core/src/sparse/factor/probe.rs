/// A fixed vector that shows whether a factored matrix is singular.
///
/// Partial pivoting hides a rank deficiency in rounding errors.
/// One solve turns the vector into the direction that the matrix nearly annihilates, whose largest entry
/// names the culprit.
#[derive(Debug, Default)]
pub(super) struct Probe {
    vector: Vec<f64>,
}

impl Probe {
    pub(super) fn new(dimension: usize) -> Self {
        Self { vector: vec![0.0; dimension] }
    }

    /// The largest entry of A⁻¹ times the vector, with its
    /// row; `None` when the factors contain a zero pivot.
    pub(super) fn amplify(&mut self, solve: impl FnOnce(&mut [f64])) -> Option<(usize, f64)> {
        for (index, entry) in self.vector.iter_mut().enumerate() {
            // A low-discrepancy sequence: orthogonal to no null vector that a mechanism has.
            *entry = 0.5 + (0.618_033_988_749_894_9 * (index + 1) as f64).fract();
        }
        solve(&mut self.vector);
        let finite = self.vector.iter().all(|entry| entry.is_finite());
        let mut largest = (0, 0.0_f64);
        for (index, entry) in self.vector.iter().enumerate() {
            if entry.abs() > largest.1 {
                largest = (index, entry.abs());
            }
        }
        finite.then_some(largest)
    }
}
