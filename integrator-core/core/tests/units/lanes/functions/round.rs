use least_action_core::emitted::v1::Real;
use least_action_core::internals::lanes::{Lanes, MOST_LANES};
use pulp::{Simd, WithSimd};

struct Rounded([f64; MOST_LANES]);

impl WithSimd for Rounded {
    type Output = Vec<f64>;

    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let rounded = Lanes::<_, false>::from_array(simd, &self.0).round_ties_even().to_array();
        rounded[..Lanes::<S>::COUNT].to_vec()
    }
}

#[test]
fn registers_round_as_single_numbers_do() {
    let numbers = [
        0.0,
        -0.0,
        0.5,
        1.5,
        -2.5,
        0.499_999_999_999_999_94,
        -0.3,
        7.7,
        1e300,
        -1e16,
        4_503_599_627_370_495.5,
        f64::INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        -3.500_000_000_000_001,
        2.5,
    ];
    for eight in numbers.chunks_exact(MOST_LANES) {
        let eight: [f64; MOST_LANES] = std::array::from_fn(|k| eight[k]);
        let found = pulp::Arch::new().dispatch(Rounded(eight));
        for (found, x) in found.into_iter().zip(eight) {
            let known = x.round_ties_even();
            assert!(found.to_bits() == known.to_bits() || found.is_nan() && known.is_nan(), "{x}: {found}");
        }
    }
}
