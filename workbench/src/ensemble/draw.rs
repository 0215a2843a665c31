//! Random numbers: functions of the seed of the plan, of the member, and of the place of the number in
//! the plan.

use std::f64::consts::SQRT_2;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use serde::Deserialize;
use serde_json::Value;
use statrs::function::erf::erfc_inv;

/// A distribution of one number.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Distribution {
    /// From the first number to the second.
    Uniform([f64; 2]),
    /// With this mean and standard deviation.
    Normal([f64; 2]),
    /// From the first number to the second, with a logarithm that is uniform.
    LogUniform([f64; 2]),
}

impl Distribution {
    /// Reads `{ uniform = [a, b] }`, `{ normal = [mean, deviation] }` or `{ log_uniform = [a, b] }`.
    ///
    /// # Errors
    /// The value is none; the words say how one is written.
    pub fn read(value: &Value) -> Result<Self, String> {
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
    pub fn quantile(self, u: f64) -> f64 {
        match self {
            Self::Uniform([a, b]) => a + (b - a) * u,
            Self::Normal([mean, deviation]) => mean - deviation * SQRT_2 * erfc_inv(2.0 * u),
            Self::LogUniform([a, b]) => (a.ln() + (b.ln() - a.ln()) * u).exp().clamp(a, b),
        }
    }
}

/// Draws the numbers of members.
#[derive(Debug)]
pub struct Draws {
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
    pub fn new(distributions: Vec<Distribution>, seed: u64, sobol: bool) -> Result<Self, String> {
        let count = distributions.len();
        if sobol && count > DIMENSIONS {
            return Err(format!(
                "{count} numbers are drawn, and a Sobol sequence has {DIMENSIONS} dimensions here; draw the others independently, \
                 without `sobol`"
            ));
        }
        let sobol = (sobol && count > 0).then(|| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(ASIDE);
            let rows = JOE_KUO.lines().filter(|line| !line.starts_with('#'));
            let dimensions = std::iter::once("").chain(rows).take(count);
            dimensions.map(|row| (directions(row), random.next_u64())).collect()
        });
        Ok(Self { distributions, seed, sobol })
    }

    /// The numbers of the draw with this index.
    pub fn of(&self, index: u64) -> Vec<f64> {
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

/// A primitive polynomial and the first direction numbers of each dimension but the first.
const JOE_KUO: &str = include_str!("joe-kuo.txt");

/// The direction numbers of a dimension by the recurrence of its polynomial, Bratley and Fox, 1988.
fn directions(row: &str) -> Vec<u64> {
    let numbers: Vec<u64> = row.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [_, _, polynomial, first @ ..] = &numbers[..] else {
        return (0..u64::BITS).map(|bit| 1 << (u64::BITS - 1 - bit)).collect();
    };
    let degree = first.len();
    let mut all: Vec<u64> = first.iter().zip(1..).map(|(m, bit)| m << (u64::BITS - bit)).collect();
    for bit in degree..u64::BITS as usize {
        let oldest = all[bit - degree];
        let read = (1..degree).filter(|k| polynomial >> (degree - k - 1) & 1 == 1);
        all.push(read.fold(oldest ^ (oldest >> degree), |sum, k| sum ^ all[bit - k]));
    }
    all
}

/// The words of a stream before its draws: the seed of a member.
const SKIPPED: u128 = 2;

/// The seed of a member for its random method.
pub fn seed(plan: u64, member: u64) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(plan);
    random.set_stream(member);
    // Below 2⁶³: not every reader of tables knows numbers without a sign.
    random.next_u64() >> 1
}

/// The middle of one of 2⁵² equal parts of the interval from 0 to 1.
pub fn between_0_and_1(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}
