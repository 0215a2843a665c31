use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

/// Standard normal numbers as a function of (seed, h, step on the axis of time, place in the step).
/// ChaCha takes the seed and h as its key and the step as its stream, so that any step can be reached
/// without drawing.
#[derive(Debug)]
pub struct Noise {
    random: ChaCha8Rng,
    /// The place of the start on the axis of time, in steps.
    first: u64,
}

/// Steps are counted from −0.118 h on: runs begin and end at whole steps or simple fractions, which must
/// not lie where rounding decides the count.
const ASIDE: f64 = 0.118;

impl Noise {
    /// The numbers of a run that begins at `time`, with steps of length `step`.
    pub fn new(seed: u64, time: f64, step: f64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&step.to_bits().to_le_bytes());
        Self { random: ChaCha8Rng::from_seed(key), first: (time / step + ASIDE).floor() as i64 as u64 }
    }

    /// Goes to the numbers of step `number` of the run.
    pub fn of_step(&mut self, number: u64) -> &mut Self {
        self.random.set_stream(self.first.wrapping_add(number));
        self.random.set_word_pos(0);
        self
    }

    /// The next number.
    pub fn number(&mut self) -> f64 {
        StandardNormal.sample(&mut self.random)
    }
}
