use least_action_core::internals::method::Noise;

fn first(noise: &mut Noise, step: u64) -> [u64; 3] {
    let numbers = noise.of_step(step);
    [(); 3].map(|()| numbers.number().to_bits())
}

#[test]
fn numbers_are_a_function_of_seed_and_step() {
    let of = |seed| Noise::new(seed, 0.0, 0.1);
    let mut noise = of(7);
    let (one, two) = (first(&mut noise, 1), first(&mut noise, 2));
    assert_eq!(first(&mut noise, 1), one, "also after another step");
    assert_eq!(first(&mut of(7), 2), two, "also without the steps before");
    assert_ne!(one, two);
    assert_ne!(first(&mut of(8), 1), one);
}

/// A run that goes on from the time of another draws that run's numbers, wherever it began; with another
/// step it draws its own.
#[test]
fn numbers_go_on_with_the_time() {
    for begin in [0.0, 0.05, 0.025, 0.1 / 3.0, -7.3, 1e6, 1e6 + 0.05] {
        for number in [1_u64, 3, 10, 777] {
            let later = begin + number as f64 * 0.1;
            let (mut whole, mut resumed) = (Noise::new(1, begin, 0.1), Noise::new(1, later, 0.1));
            assert_eq!(first(&mut whole, number + 1), first(&mut resumed, 1), "{begin} {number}");
            assert_ne!(first(&mut whole, 1), first(&mut resumed, 1), "{begin} {number}");
            let mut finer = Noise::new(1, later, 0.05);
            assert!((0..2 * number).all(|n| first(&mut finer, 1) != first(&mut whole, n)));
        }
    }
}

#[test]
fn the_moments_are_those_of_the_standard_normal_distribution() {
    // 10⁶ numbers, of many short steps: mean, variance and fourth moment within five standard errors.
    let (steps, each) = (10_000, 100);
    let (mut sums, mut noise) = ([0.0; 3], Noise::new(3, 0.0, 0.1));
    for step in 0..steps {
        let numbers = noise.of_step(step);
        for _ in 0..each {
            let x = numbers.number();
            sums = [sums[0] + x, sums[1] + x * x, sums[2] + x.powi(4)];
        }
    }
    let count = (steps * each) as f64;
    let errors = [sums[0] / count, sums[1] / count - 1.0, sums[2] / count - 3.0];
    for (error, variance) in errors.into_iter().zip([1.0_f64, 2.0, 96.0]) {
        assert!(error.abs() < 5.0 * (variance / count).sqrt(), "{errors:?}");
    }
}
