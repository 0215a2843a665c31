use super::pattern::SymmetricPattern;

/// A + c B for two symmetric matrices of different sparsity: the pattern of the sum, found once, and
/// where the values of A and of B go in it.
///
/// This is how M + β h² Hess V is formed in every step, without a search and without allocating.
#[derive(Debug, Clone)]
pub struct PatternSum {
    pattern: SymmetricPattern,
    first: Vec<u32>,
    /// `None` where B alone has the whole pattern, as when A is diagonal.
    second: Option<Vec<u32>>,
}

impl PatternSum {
    /// The union of two patterns of one dimension.
    pub fn new(first: &SymmetricPattern, second: &SymmetricPattern) -> Self {
        let dimension = first.dimension().max(second.dimension());
        let pattern = SymmetricPattern::new(dimension, first.entries().chain(second.entries()));
        let pattern = if pattern == *second { second.clone() } else { pattern };
        let place = |part: &SymmetricPattern| part.entries().map(|(i, j)| pattern.place(i, j)).collect();
        let of_second = if pattern == *second { None } else { Some(place(second)) };
        Self { first: place(first), second: of_second, pattern }
    }

    /// Where A + c B can be nonzero.
    pub fn pattern(&self) -> &SymmetricPattern {
        &self.pattern
    }

    /// The values of A + c B, written over `sum`.
    ///
    /// # Shapes
    /// `first` and `second` in the order of their own patterns, `sum` in the order of
    /// [`PatternSum::pattern`].
    pub fn combine(&self, first: &[f64], factor: f64, second: &[f64], sum: &mut [f64]) {
        match &self.second {
            None => {
                for (sum, value) in sum.iter_mut().zip(second) {
                    *sum = factor * value;
                }
            }
            Some(places) => {
                sum.fill(0.0);
                for (&place, &value) in places.iter().zip(second) {
                    sum[place as usize] = factor * value;
                }
            }
        }
        for (&place, &value) in self.first.iter().zip(first) {
            sum[place as usize] += value;
        }
    }
}
