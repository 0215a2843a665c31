//! The error function beside the reference numbers of `tests/data/collective.json`.

use super::apply::{Function, apply, widths};
use test_support::reference::{numbers, read};

#[test]
fn erfc_has_the_known_values_in_all_registers() {
    let entry = &read("collective.json")["erfc"];
    let mut known: Vec<Vec<f64>> = entry.as_array().expect("rows").iter().map(numbers).collect();
    assert!(known.len() >= 20 && known.iter().any(|row| row[0] > 20.0));
    // Whole registers.
    known.resize(known.len().next_multiple_of(8), vec![0.0, 1.0]);
    let x: Vec<f64> = known.iter().map(|row| row[0]).collect();
    for width in widths() {
        for (found, row) in apply(width, Function::Erfc, &x, &x).into_iter().zip(&known) {
            let unit = row[1].next_up() - row[1];
            // Three units of the exact value, which its double misses by half of one.
            assert!(
                (found - row[1]).abs() <= 3.5 * unit,
                "erfc({}) = {found:e} in {width:?}, not {:e}",
                row[0],
                row[1]
            );
        }
        let negative: Vec<f64> = x.iter().map(|x| -x).collect();
        for (found, row) in apply(width, Function::Erfc, &negative, &x).into_iter().zip(&known) {
            assert!(
                (found - (2.0 - row[1])).abs() <= 3.5 * f64::EPSILON,
                "erfc(-{}) = {found:e} in {width:?}",
                row[0]
            );
        }
    }
}
