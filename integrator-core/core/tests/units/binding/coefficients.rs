use least_action_core::internals::binding::{Coefficients, Column, ElementRow};
use least_action_core::internals::lanes::MOST_LANES;

/// The tuples of this width of so many elements.
fn listed<const C: usize>(coefficients: &Coefficients, elements: usize) -> Vec<u64> {
    let all = coefficients.all();
    let of = |element| all.of::<C>(element).expect("an element").map(f64::to_bits);
    (0..elements).flat_map(of).collect()
}

#[test]
fn equal_tuples_are_stored_once() {
    let of_memory = |values: u64, numbers: u64| 8 * values + numbers;
    let mut coefficients = Coefficients::new(2);
    let mut expected = Vec::new();
    let mut push = |coefficients: &mut Coefficients, tuple: [f64; 2]| {
        coefficients.push(&tuple);
        expected.extend(tuple.map(f64::to_bits));
        assert_eq!(listed::<2>(coefficients, expected.len() / 2), expected);
    };
    (0..100).for_each(|_| push(&mut coefficients, [1.0, -0.0]));
    assert_eq!(coefficients.bytes(), of_memory(2, 0));
    // Few different ones have numbers.
    (0..100).for_each(|k| push(&mut coefficients, [1.0, f64::from(k % 7)]));
    assert_eq!(coefficients.bytes(), of_memory(16, 200));
    // Many different ones are stored each for itself.
    (0..300).for_each(|k| push(&mut coefficients, [1.0, f64::from(k)]));
    assert_eq!(coefficients.bytes(), of_memory(1000, 0));
}

#[test]
fn columns_have_the_order_that_is_asked_for() {
    for different in [3_u32, 1000] {
        let mut coefficients = Coefficients::new(2);
        (0..1000).for_each(|k: u32| coefficients.push(&[1.0, f64::from(k % different)]));
        let order: Vec<u32> = (0..1000).rev().collect();
        let mut rows = rows_of([600, 400]);
        let columns = coefficients.columns(Some(&order), &mut rows);
        let [Column::Shared(one), Column::Varying(values)] = &columns[..] else {
            panic!("the first coefficient is shared, the second one is not");
        };
        assert_eq!(one.to_bits(), 1.0_f64.to_bits());
        let of_row =
            |row: &ElementRow| &values[MOST_LANES + row.coefficient as usize..][..row.count as usize];
        let found = rows.iter().flat_map(of_row);
        let expected = order.iter().map(|k| f64::from(k % different).to_bits());
        assert!(found.map(|value| value.to_bits()).eq(expected));
    }
}

#[test]
fn rows_with_equal_coefficients_share_them() {
    let mut coefficients = Coefficients::new(1);
    (0..1000).for_each(|k: u32| coefficients.push(&[f64::from(k % 100 % 3)]));
    let mut rows = rows_of([100; 10]);
    let columns = coefficients.columns(None, &mut rows);
    let [Column::Varying(values)] = &columns[..] else { panic!("it is not shared") };
    let (values, behind) = values[MOST_LANES..].split_at(100);
    assert!(values.iter().zip(0_u32..).all(|(value, k)| value.to_bits() == f64::from(k % 3).to_bits()));
    assert!(behind.iter().all(|value| *value == 0.0), "only what a block may read");
    assert!(rows.iter().all(|row| row.coefficient == 0));
}

/// Rows with so many elements.
fn rows_of<const N: usize>(counts: [u32; N]) -> [ElementRow; N] {
    let mut coefficient = 0;
    counts.map(|count| {
        coefficient += count;
        ElementRow { count, lead: 0, coefficient: coefficient - count, number: 0 }
    })
}
