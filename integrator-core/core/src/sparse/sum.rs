use super::pattern::SymmetricPattern;

/// A + c B for two symmetric matrices of different sparsity: the pattern of the sum, found once, and where the values
/// of A and of B go in it.
///
/// This is how M + β h² Hess V is formed in every step, without a search and without allocating.
#[derive(Debug, Clone)]
pub(crate) struct PatternSum {
    pattern: SymmetricPattern,
    first: Vec<u32>,
    /// `None` where B alone has the whole pattern, as when A is diagonal.
    second: Option<Vec<u32>>,
}

impl PatternSum {
    /// The union of two patterns of the same dimension.
    pub(crate) fn new(first: &SymmetricPattern, second: &SymmetricPattern) -> Self {
        let dimension = first.dimension().max(second.dimension());
        let pattern = SymmetricPattern::new(dimension, first.entries().chain(second.entries()));
        let pattern = if pattern == *second { second.clone() } else { pattern };
        let place = |part: &SymmetricPattern| {
            part.entries().filter_map(|(i, j)| pattern.position(i, j)).map(|k| k as u32).collect()
        };
        let of_second = if pattern == *second { None } else { Some(place(second)) };
        Self { first: place(first), second: of_second, pattern }
    }

    /// Where A + c B can be nonzero.
    pub(crate) fn pattern(&self) -> &SymmetricPattern {
        &self.pattern
    }

    /// The values of A + c B, written over `sum`.
    ///
    /// # Shapes
    /// `first` and `second` in the order of their own patterns, `sum` in that of [`PatternSum::pattern`].
    pub(crate) fn combine(&self, first: &[f64], factor: f64, second: &[f64], sum: &mut [f64]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_has_the_union_of_the_patterns_and_the_values_of_both() {
        let first = SymmetricPattern::new(3, [(1, 0)]);
        let second = SymmetricPattern::new(3, [(2, 0)]);
        let sum = PatternSum::new(&first, &second);
        assert_eq!(sum.pattern().entries().collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 0), (1, 1), (2, 2)]);
        let mut values = vec![f64::NAN; 5];
        sum.combine(&[1.0, 2.0, 3.0, 4.0], 10.0, &[1.0, 5.0, 6.0, 7.0], &mut values);
        assert_eq!(values, [11.0, 2.0, 50.0, 63.0, 74.0]);
    }

    #[test]
    fn a_sum_with_all_of_the_second_pattern_needs_no_places() {
        let second = SymmetricPattern::new(2, [(1, 0)]);
        let sum = PatternSum::new(&SymmetricPattern::new(2, []), &second);
        assert_eq!(sum.pattern(), &second);
        let mut values = vec![f64::NAN; 3];
        sum.combine(&[1.0, 2.0], 10.0, &[1.0, 5.0, 6.0], &mut values);
        assert_eq!(values, [11.0, 50.0, 62.0]);
    }
}
