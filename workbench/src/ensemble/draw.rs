//! Numbers that are drawn: a function of the seed of the plan, of the member, and of the place of the number in the plan.

use std::f64::consts::SQRT_2;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use serde::Deserialize;
use serde_json::Value;
use sobol::Sobol;
use sobol::params::JoeKuoD6;
use statrs::function::erf::erfc_inv;

/// A distribution of one number.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Distribution {
    /// From the first number to the second.
    Uniform([f64; 2]),
    /// With this mean and standard deviation.
    Normal([f64; 2]),
    /// From the first number to the second, with a logarithm that is uniform.
    LogUniform([f64; 2]),
}

impl Distribution {
    /// Reads `{ uniform = [a, b] }`, `{ normal = [mean, deviation] }` or `{ log_uniform = [a, b] }`.
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        let distribution = Self::deserialize(value).map_err(|_| {
            format!(
                "{value} is no distribution: write {{ uniform = [from, to] }}, {{ normal = [mean, deviation] }} or \
                 {{ log_uniform = [from, to] }}"
            )
        })?;
        let (Self::Uniform([a, b]) | Self::Normal([a, b]) | Self::LogUniform([a, b])) = distribution;
        match distribution {
            _ if !(a.is_finite() && b.is_finite()) => Err(format!("{value}: both numbers must be finite")),
            Self::Normal(_) if b < 0.0 => Err(format!("{value}: a standard deviation is not negative")),
            Self::Uniform(_) | Self::LogUniform(_) if a > b => {
                Err(format!("{value}: the width is negative; write the smaller number first"))
            }
            Self::LogUniform(_) if a <= 0.0 => Err(format!("{value}: the logarithm needs positive numbers")),
            other => Ok(other),
        }
    }

    /// The number below which the part u of all draws lies, 0 < u < 1.
    fn quantile(self, u: f64) -> f64 {
        match self {
            Self::Uniform([a, b]) => a + (b - a) * u,
            Self::Normal([mean, deviation]) => mean - deviation * SQRT_2 * erfc_inv(2.0 * u),
            Self::LogUniform([a, b]) => (a.ln() + (b.ln() - a.ln()) * u).exp().clamp(a, b),
        }
    }
}

/// Draws the numbers of members.
#[derive(Debug)]
pub(super) struct Draws {
    distributions: Vec<Distribution>,
    seed: u64,
    /// The direction numbers of each dimension with its shift, for a Sobol sequence.
    sobol: Option<Vec<(Vec<u64>, u64)>>,
}

/// The dimensions of a Sobol sequence.
pub(super) const DIMENSIONS: usize = 100;
/// The stream of random numbers that belongs to no member.
const ASIDE: u64 = u64::MAX;

impl Draws {
    /// # Errors
    /// There are more dimensions than a Sobol sequence has direction numbers for.
    pub(super) fn new(distributions: Vec<Distribution>, seed: u64, sobol: bool) -> Result<Self, String> {
        let count = distributions.len();
        if sobol && count > DIMENSIONS {
            return Err(format!(
                "{count} numbers are drawn, and a Sobol sequence has {DIMENSIONS} dimensions here; draw the others independently, \
                 without `sobol`"
            ));
        }
        let sobol = (sobol && count > 0).then(|| {
            let directions =
                Sobol::<f64>::init_direction_vals::<u32>(count, u64::BITS as usize, &JoeKuoD6::minimal());
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(ASIDE);
            directions.into_iter().map(|directions| (directions, random.next_u64())).collect()
        });
        Ok(Self { distributions, seed, sobol })
    }

    /// The numbers of the draw with this index.
    pub(super) fn of(&self, index: u64) -> Vec<f64> {
        let uniform: Vec<u64> = if let Some(dimensions) = &self.sobol {
            let gray = index ^ (index >> 1);
            let point = |(directions, shift): &(Vec<u64>, u64)| {
                let chosen = directions.iter().enumerate().filter(|(bit, _)| gray >> bit & 1 == 1);
                chosen.fold(*shift, |sum, (_, direction)| sum ^ direction)
            };
            dimensions.iter().map(point).collect()
        } else {
            let mut random = ChaCha8Rng::seed_from_u64(self.seed);
            random.set_stream(index);
            random.set_word_pos(SKIPPED);
            self.distributions.iter().map(|_| random.next_u64()).collect()
        };
        self.distributions.iter().zip(uniform).map(|(one, u)| one.quantile(between_0_and_1(u))).collect()
    }
}

/// The words of a stream before its draws: the seed of a member.
const SKIPPED: u128 = 2;

/// The seed of a member for what is random in its method.
pub(super) fn seed(plan: u64, member: u64) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(plan);
    random.set_stream(member);
    // It is written as a signed number.
    random.next_u64() >> 1
}

/// The middle of one of 2⁵² equal parts of the interval from 0 to 1.
fn between_0_and_1(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Draws, between_0_and_1, seed};
    use serde_json::json;

    fn draws(sobol: bool, count: usize) -> Draws {
        Draws::new(vec![Distribution::Uniform([0.0, 1.0]); count], 3, sobol).unwrap()
    }

    #[test]
    fn distributions_are_read_and_bad_ones_refused() {
        assert_eq!(Distribution::read(&json!({"normal": [1, 0.5]})), Ok(Distribution::Normal([1.0, 0.5])));
        for (value, reason) in [
            (json!({"normal": [0, -1]}), "deviation"),
            (json!({"uniform": [2, 1]}), "width"),
            (json!({"log_uniform": [0, 1]}), "positive"),
            (json!({"uniform": [0]}), "is no distribution"),
            (json!({"unifrom": [0, 1]}), "is no distribution"),
            (json!(3), "is no distribution"),
        ] {
            assert!(Distribution::read(&value).unwrap_err().contains(reason), "{value}");
        }
    }

    /// Quantiles of the normal distribution to 15 digits: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions (1964), table 26.5.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        let normal = Distribution::Normal([0.0, 1.0]);
        for (u, x) in [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (0.001, -3.090_232_306_167_813_5)] {
            assert!((normal.quantile(u) - x).abs() < 1e-14, "{u}: {}", normal.quantile(u));
        }
        assert!((Distribution::Uniform([2.0, 4.0]).quantile(0.25) - 2.5).abs() < 1e-15);
        assert!((Distribution::LogUniform([1.0, 100.0]).quantile(0.5) - 10.0).abs() < 1e-13);
        assert!(between_0_and_1(0) > 0.0 && between_0_and_1(u64::MAX) < 1.0);
    }

    #[test]
    fn a_draw_depends_on_its_index_alone() {
        for sobol in [false, true] {
            let all = draws(sobol, 3);
            let one = draws(sobol, 3).of(17);
            assert_eq!(all.of(17), one);
            assert_ne!(all.of(16), one);
        }
        assert_ne!(seed(1, 0), seed(1, 1));
        assert_ne!(seed(1, 0), seed(2, 0));
    }

    /// Of the first 2ᵏ points of a Sobol sequence each dyadic interval of length 2⁻ᵏ has one in each dimension, also when they are shifted by bits.
    #[test]
    fn sobol_points_fill_every_dimension_evenly() {
        let draws = draws(true, 50);
        for dimension in 0..50 {
            let mut filled = [false; 256];
            (0..256).for_each(|index| filled[(draws.of(index)[dimension] * 256.0) as usize] = true);
            assert!(filled.iter().all(|filled| *filled), "dimension {dimension}");
        }
    }

    /// The mean of x y over the square is found much better than by independent draws.
    #[test]
    fn sobol_points_integrate_better_than_independent_ones() {
        let error = |sobol| {
            let draws = draws(sobol, 2);
            let sum: f64 = (0..4096).map(|index| draws.of(index).iter().product::<f64>()).sum();
            (sum / 4096.0 - 0.25).abs()
        };
        assert!(error(true) < 2e-4, "{}", error(true));
        assert!(error(false) < 2e-2, "{}", error(false));
        assert!(error(true) < 0.5 * error(false));
    }

    #[test]
    fn independent_draws_have_the_moments_of_their_distribution() {
        let draws = Draws::new(vec![Distribution::Normal([2.0, 3.0])], 11, false).unwrap();
        let n = 20_000;
        let numbers: Vec<f64> = (0..n).map(|index| draws.of(index)[0]).collect();
        let mean = numbers.iter().sum::<f64>() / n as f64;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        assert!((mean - 2.0).abs() < 0.08 && (variance / 9.0 - 1.0).abs() < 0.04, "{mean} {variance}");
    }
}
