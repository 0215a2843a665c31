//! The ends of a spectrum, by Lanczos' iteration in the metric of the mass.
//!
//! # The distance to the true ends
//! Of the width of the spectrum, k products from a random start leave an end off by the part ε with a
//! probability of at most 1.648 √n exp(−√ε (2 k − 1)) (Kuczyński and Woźniakowski, theorem 4.1, for A
//! less its other end).
//! So after a dozen products, for n = 10⁵ too, a step
//! below two thirds of a limit is certain to be below it.
//!
//! # Reference
//! B. N. Parlett, The Symmetric Eigenvalue Problem (1998), chapter 13, doi:10.1137/1.9781611971163; J.
//! Kuczyński, H. Woźniakowski, Estimating the largest eigenvalue by the power and Lanczos algorithms
//! with a random start, SIAM J. Matrix Anal. Appl. 13 (1992) 1094, doi:10.1137/0613066.

use crate::sparse::SymmetricMatrix;

/// The most products with the operator.
const PRODUCTS: usize = 200;

/// The iteration ends where both ends move by less than this part of the spectrum, three times in a row.
const SETTLED: f64 = 1e-4;

/// The probability of an end farther away than its bound.
const DOUBT: f64 = 1e-3;

/// x ↦ A x, written over the second argument; `None` where it is not finite.
type Apply<'a> = dyn FnMut(&[f64], &mut [f64]) -> Option<()> + 'a;

/// Estimates of the smallest and the largest eigenvalue of an operator, inside of the true ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// The smallest.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
}

impl Ends {
    /// The ends of the spectrum of A, where M A is symmetric
    /// and `apply` writes A x over its second argument.
    ///
    /// `None` where a product is not finite.
    pub(in crate::method) fn of(
        mass: &SymmetricMatrix,
        mut apply: impl FnMut(&[f64], &mut [f64]) -> Option<()>,
    ) -> Option<Self> {
        Self::found(mass, f64::NEG_INFINITY, &mut apply)
    }

    /// As [`of`](Self::of), and ends as soon as it is [certain](self) that the largest eigenvalue is
    /// below a bound.
    pub fn below(
        bound: f64,
        mass: &SymmetricMatrix,
        mut apply: impl FnMut(&[f64], &mut [f64]) -> Option<()>,
    ) -> Option<Self> {
        Self::found(mass, bound, &mut apply)
    }

    /// ω, where A = M⁻¹ K and K is a stiffness: zero where no eigenvalue is positive.
    pub(in crate::method) fn frequency(self) -> f64 {
        self.largest.max(0.0).sqrt()
    }

    /// Keeps three vectors of the iteration alone: eigenvalues that rounding finds again are inside of
    /// the ends. rustc compiles it once for all operators, beside whose products a call costs nothing.
    fn found(mass: &SymmetricMatrix, bound: f64, apply: &mut Apply<'_>) -> Option<Self> {
        let n = mass.pattern.dimension();
        let mut before = vec![0.0; n];
        let mut here = scattered(mass);
        let mut next = vec![0.0; n];
        let mut weighted = vec![0.0; n];
        let mut tridiagonal = LanczosMatrix::default();
        let mut found = Self { smallest: f64::INFINITY, largest: f64::NEG_INFINITY };
        let mut still = 0;
        mass.multiply(&here, &mut weighted);
        let mut norm = dot(&here, &weighted).sqrt();
        let mut coupling = 0.0;
        for products in 1..=PRODUCTS.min(n) {
            for (here, weighted) in here.iter_mut().zip(&mut weighted) {
                *here /= norm;
                *weighted /= norm;
            }
            apply(&here, &mut next)?;
            let diagonal = dot(&next, &weighted);
            if !diagonal.is_finite() {
                return None;
            }
            tridiagonal.push(coupling, diagonal);
            let ends = tridiagonal.ends();
            let width = ends.largest.abs().max(ends.smallest.abs());
            let moved = (ends.largest - found.largest).abs().max((ends.smallest - found.smallest).abs());
            still = if moved <= SETTLED * width { still + 1 } else { 0 };
            found = ends;
            for ((next, here), before) in next.iter_mut().zip(&here).zip(&before) {
                *next -= diagonal * here + coupling * before;
            }
            mass.multiply(&next, &mut weighted);
            norm = dot(&next, &weighted).sqrt();
            let is_below = found.highest(n, products) < bound;
            // No norm is left where the vectors so far span an invariant space.
            if still == 3 || is_below || norm.is_nan() || norm <= f64::EPSILON * width {
                break;
            }
            coupling = norm;
            std::mem::swap(&mut before, &mut here);
            std::mem::swap(&mut here, &mut next);
        }
        (n > 0).then_some(found)
    }

    /// A bound of the largest eigenvalue after these products, certain but for the [`DOUBT`].
    fn highest(self, n: usize, products: usize) -> f64 {
        let root = (1.648 * (n as f64).sqrt() / DOUBT).ln() / (2.0 * products as f64 - 1.0);
        let part = root * root;
        // Both ends of the true spectrum may be outside of the estimates by this part.
        if part < 0.5 {
            self.largest + part * (self.largest - self.smallest) / (1.0 - 2.0 * part)
        } else {
            f64::INFINITY
        }
    }
}

/// A start with a part in every direction, alike in the metric of the mass: entries between −½ and ½
/// over √Mᵢᵢ that look random and never change.
fn scattered(mass: &SymmetricMatrix) -> Vec<f64> {
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    let mut number = || {
        // The generator of Marsaglia, Xorshift RNGs, J. Stat. Softw. 8 (2003),
        // doi:10.18637/jss.v008.i14.
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        (bits >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let weight = |i| mass.pattern.position(i, i).map_or(1.0, |place| mass.values[place]);
    let scale = |weight: f64| if weight > 0.0 { weight.sqrt().recip() } else { 1.0 };
    (0..mass.pattern.dimension()).map(|i| scale(weight(i)) * number()).collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The symmetric tridiagonal matrix of the iteration, which grows by a row at a time.
///
/// Its ends are wanted after every row: by bisection they cost as much as the row is long, by the full
/// eigenvalues of nalgebra the cube of that.
#[derive(Debug, Default)]
struct LanczosMatrix {
    /// Each diagonal entry, with the square of its coupling to the entry before.
    rows: Vec<(f64, f64)>,
    /// Gershgorin's interval.
    low: f64,
    high: f64,
    /// The coupling of the last row.
    coupling: f64,
}

impl LanczosMatrix {
    fn push(&mut self, coupling: f64, diagonal: f64) {
        if self.rows.is_empty() {
            (self.low, self.high) = (diagonal, diagonal);
        }
        // The row before now has this coupling too.
        let before = self.rows.last().map_or(diagonal, |row| row.0);
        for (center, radius) in [(before, self.coupling + coupling), (diagonal, coupling)] {
            self.low = self.low.min(center - radius);
            self.high = self.high.max(center + radius);
        }
        self.rows.push((diagonal, coupling * coupling));
        self.coupling = coupling;
    }

    /// The smallest and the largest eigenvalue, by bisection.
    fn ends(&self) -> Ends {
        let dimension = self.rows.len();
        Ends { smallest: self.bisect(1), largest: self.bisect(dimension) }
    }

    /// The eigenvalue that is the `number`th from below.
    fn bisect(&self, number: usize) -> f64 {
        let (mut low, mut high) = (self.low, self.high);
        for _ in 0..60 {
            let middle = low + 0.5 * (high - low);
            if self.below(middle) >= number {
                high = middle;
            } else {
                low = middle;
            }
        }
        low + 0.5 * (high - low)
    }

    /// The number of eigenvalues below x: Sturm's count of negative pivots.
    fn below(&self, x: f64) -> usize {
        let mut pivot = 1.0;
        let mut count = 0;
        for (diagonal, coupling) in &self.rows {
            pivot = diagonal - x - coupling / pivot;
            if pivot == 0.0 {
                // A rounding error in place of zero.
                pivot = f64::EPSILON * (diagonal.abs() + coupling.sqrt() + f64::MIN_POSITIVE);
            }
            count += usize::from(pivot < 0.0);
        }
        count
    }
}
