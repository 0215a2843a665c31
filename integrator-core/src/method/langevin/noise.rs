use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

/// Standard normal numbers that are a function of (seed, step, place in the step): ChaCha with the seed as its key and the
/// step as its stream, so that nothing has to be drawn to come to a later step.
#[derive(Debug)]
pub(super) struct Noise(ChaCha8Rng);

/// The numbers of one step.
pub(super) struct Numbers<'n>(&'n mut ChaCha8Rng);

impl Noise {
    pub(super) fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    pub(super) fn of_step(&mut self, step: u64) -> Numbers<'_> {
        self.0.set_stream(step);
        self.0.set_word_pos(0);
        Numbers(&mut self.0)
    }
}

impl Numbers<'_> {
    pub(super) fn next(&mut self) -> f64 {
        StandardNormal.sample(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Noise;

    fn first(noise: &mut Noise, step: u64) -> [u64; 3] {
        let mut numbers = noise.of_step(step);
        [(); 3].map(|()| numbers.next().to_bits())
    }

    #[test]
    fn numbers_are_a_function_of_seed_and_step() {
        let mut noise = Noise::new(7);
        let (one, two) = (first(&mut noise, 1), first(&mut noise, 2));
        assert_eq!(first(&mut noise, 1), one, "also after another step");
        assert_eq!(first(&mut Noise::new(7), 2), two, "also without the steps before");
        assert_ne!(one, two);
        assert_ne!(first(&mut Noise::new(8), 1), one);
    }

    #[test]
    fn the_moments_are_those_of_the_standard_normal_distribution() {
        // 10⁶ numbers, of many short steps: mean, variance and fourth moment within five standard errors.
        let (steps, each) = (10_000, 100);
        let (mut sums, mut noise) = ([0.0; 3], Noise::new(3));
        for step in 0..steps {
            let mut numbers = noise.of_step(step);
            for _ in 0..each {
                let x = numbers.next();
                sums = [sums[0] + x, sums[1] + x * x, sums[2] + x.powi(4)];
            }
        }
        let count = (steps * each) as f64;
        let errors = [sums[0] / count, sums[1] / count - 1.0, sums[2] / count - 3.0];
        for (error, variance) in errors.into_iter().zip([1.0_f64, 2.0, 96.0]) {
            assert!(error.abs() < 5.0 * (variance / count).sqrt(), "{errors:?}");
        }
    }
}
