use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

/// Standard normal numbers that are a function of (seed, h, place of the step on the axis of time, place in the step): ChaCha with the
/// seed and h as its key and the place of the step as its stream, so that nothing has to be drawn to come to a later step.
#[derive(Debug)]
pub struct Noise {
    random: ChaCha8Rng,
    /// The place of the start on the axis of time, in steps.
    first: u64,
}

/// The numbers of one step.
pub struct Numbers<'n>(&'n mut ChaCha8Rng);

/// Times are counted in whole steps from −0.118 h on, so that those at which runs begin and end, whole steps or simple parts of them, are
/// not where rounding decides.
const ASIDE: f64 = 0.118;

impl Noise {
    /// The numbers of a run that begins at `time`, with steps of length `step`.
    pub fn new(seed: u64, time: f64, step: f64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&step.to_bits().to_le_bytes());
        Self { random: ChaCha8Rng::from_seed(key), first: (time / step + ASIDE).floor() as i64 as u64 }
    }

    /// The numbers of the step with this number in the run.
    pub fn of_step(&mut self, number: u64) -> Numbers<'_> {
        self.random.set_stream(self.first.wrapping_add(number));
        self.random.set_word_pos(0);
        Numbers(&mut self.random)
    }
}

impl Numbers<'_> {
    /// The next number of the standard normal distribution.
    pub fn next(&mut self) -> f64 {
        StandardNormal.sample(self.0)
    }
}
