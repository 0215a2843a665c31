//! Numbers from registers are those of one element after the other, but for rounding: in instances too large for dual numbers.

use crate::evaluated;
use declarations::Chains;
use integrator_core::lanes::Width;
use integrator_core::prelude::*;
use test_support::agreement::Seeded;

/// Chains of every length that registers divide or do not, alone in their part of the matrix or not.
#[test]
fn registers_only_round() {
    let lengths = 15..36;
    let alone = lengths.clone().map(|beads| (beads, None, false, false));
    let held = lengths.map(|beads| (beads, Some(0.4), false, false));
    let others = [
        (29, None, true, false),
        (32, None, false, true),
        (33, Some(0.4), true, true),
        (1000, None, false, false),
    ];
    for (beads, hold, closed, stiffened) in alone.chain(held).chain(others) {
        let model = Chains { beads, stiffness: 1.7, hold, closed, stiffened };
        let mut seeded = Seeded::new(beads as u64);
        let (q, a) = (seeded.numbers(6 * beads + 1), seeded.numbers(6 * beads + 1));
        let found = |width| evaluated(&model.bind().expect("chains").with_width(width), &q, &a);
        let expected = found(Width::ONE);
        let mean = expected.iter().map(|number| number.abs()).sum::<f64>() / expected.len() as f64;
        for width in Width::available() {
            let numbers = found(width);
            let wrong = numbers.iter().zip(&expected).position(|(number, expected)| {
                let error = (number - expected).abs();
                error.is_nan() || error > 1e-13 * expected.abs().max(mean)
            });
            assert_eq!(
                wrong,
                None,
                "the first of {} that differs, {model:?}, {} lanes",
                numbers.len(),
                width.lanes()
            );
        }
    }
}
