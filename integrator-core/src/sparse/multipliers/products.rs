/// Which products of two value arrays add up to which entries of S = G₁ (M⁻¹ G₂ᵀ), found once.
#[derive(Debug, Clone, Default)]
pub(super) struct Products {
    /// The entry of S and its mirror image.
    targets: Vec<(u32, u32)>,
    /// Where the products of each target begin, and the end of the last.
    starts: Vec<u32>,
    /// Positions among the values of G₁ and of M⁻¹ G₂ᵀ.
    factors: Vec<(u32, u32)>,
}

impl Products {
    /// Groups (target, mirror, left, right) by target; the order within a target is kept fixed.
    pub(super) fn new(mut terms: Vec<(u32, u32, u32, u32)>) -> Self {
        terms.sort_unstable();
        let mut products = Self::default();
        for (target, mirror, left, right) in terms {
            if products.targets.last() != Some(&(target, mirror)) {
                products.targets.push((target, mirror));
                products.starts.push(products.factors.len() as u32);
            }
            products.factors.push((left, right));
        }
        products.starts.push(products.factors.len() as u32);
        products.factors.shrink_to_fit();
        products.targets.shrink_to_fit();
        products.starts.shrink_to_fit();
        products
    }

    /// Writes the entries.
    pub(super) fn fill(&self, left: &[f64], right: &[f64], values: &mut [f64]) {
        let mut rest = self.factors.as_slice();
        for (&(target, _), ends) in self.targets.iter().zip(self.starts.windows(2)) {
            let (mine, others) = rest.split_at((ends[1] - ends[0]) as usize);
            rest = others;
            values[target as usize] = dot(mine, left, right);
        }
    }

    /// Writes the entries and their mirror images.
    pub(super) fn fill_mirrored(&self, left: &[f64], right: &[f64], values: &mut [f64]) {
        let mut rest = self.factors.as_slice();
        for (&(target, mirror), ends) in self.targets.iter().zip(self.starts.windows(2)) {
            let (mine, others) = rest.split_at((ends[1] - ends[0]) as usize);
            rest = others;
            let sum = dot(mine, left, right);
            values[target as usize] = sum;
            values[mirror as usize] = sum;
        }
    }
}

fn dot(factors: &[(u32, u32)], left: &[f64], right: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &(a, b) in factors {
        sum += left[a as usize] * right[b as usize];
    }
    sum
}
