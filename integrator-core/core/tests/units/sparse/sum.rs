use least_action_core::advanced::sparse::SymmetricPattern;
use least_action_core::internals::sparse::PatternSum;

#[test]
fn the_sum_has_the_union_of_the_patterns_and_the_values_of_both() {
    let first = SymmetricPattern::new(3, [(1, 0)]);
    let second = SymmetricPattern::new(3, [(2, 0)]);
    let sum = PatternSum::new(&first, &second);
    assert_eq!(sum.pattern().entries().collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 0), (1, 1), (2, 2)]);
    let mut values = vec![f64::NAN; 5];
    sum.combine(&[1.0, 2.0, 3.0, 4.0], 10.0, &[1.0, 5.0, 6.0, 7.0], &mut values);
    assert_eq!(values, [11.0, 2.0, 50.0, 63.0, 74.0]);
}

#[test]
fn a_sum_with_all_of_the_second_pattern_needs_no_places() {
    let second = SymmetricPattern::new(2, [(1, 0)]);
    let sum = PatternSum::new(&SymmetricPattern::new(2, []), &second);
    assert_eq!(sum.pattern(), &second);
    let mut values = vec![f64::NAN; 3];
    sum.combine(&[1.0, 2.0], 10.0, &[1.0, 5.0, 6.0], &mut values);
    assert_eq!(values, [11.0, 50.0, 62.0]);
}
