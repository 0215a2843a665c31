use least_action_core::emitted::v1::{Operands, Table};
use nalgebra::{DMatrix, Point3, Vector3};
use std::collections::BTreeMap;

fn message<E: std::fmt::Display>(result: Result<(), E>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn slices_are_looked_at_and_maps_let_pass() {
    let (list, map) = (vec![1.0, 2.0], BTreeMap::from([(7, 1.0)]));
    assert!(Table(&list).has(&1, "list", "V").is_ok());
    assert!(Table(&&list[..]).has(&(1..2), "list", "V").is_ok());
    assert!(Table(&map).has(&8, "map", "V").is_ok());
    assert_eq!(
        message(Table(&[1, 2]).has(&2, "list", "V")),
        "V: index 2 is outside `list`, whose length is 2: check the parameters of the model"
    );
    assert!(message(Table(&list).has(&(1..3), "list", "V")).contains("index 1..3 is outside"));
    assert!(Table(&list).has(&(3..), "list", "V").is_err());
}

#[test]
fn vectors_and_matrices_are_looked_at() {
    let (vector, matrix) = (Vector3::<f64>::x(), DMatrix::repeat(2, 3, 1.0));
    for (row, column) in (0..4).flat_map(|row| (0..4).map(move |column| (row, column))) {
        assert_eq!(Table(&matrix).has(&(row, column), "m", "V").is_ok(), row < 2 && column < 3);
        assert_eq!(Table(&vector).has(&(row, column), "a", "V").is_ok(), row < 3 && column == 0);
    }
    assert!(Table(&vector).has(&2, "a", "V").is_ok() && Table(&matrix).has(&5, "m", "V").is_ok());
    assert!(Table(&DMatrix::<f64>::zeros(0, 0)).has(&(0, 0), "m", "V").is_err());
    assert_eq!(
        message(Table(&Point3::<f64>::origin()).has(&3, "place", "V")),
        "V: index 3 is outside `place`, whose length is 3: check the parameters of the model"
    );
    assert_eq!(
        message(Table(&&matrix).has(&(2, 0), "m", "V")),
        "V: index (2, 0) is outside `m`, whose length is 6: check the parameters of the model"
    );
}

#[test]
fn integers_are_looked_at_and_numbers_let_pass() {
    let none = 0_usize;
    assert!(Operands(&none, &1.0).give('-', "", "V").is_ok());
    assert!(Operands(&0.0, &0.0).give('/', "", "V").is_ok());
    assert!(Operands(&&3_usize, &3).give('-', "", "V").is_ok());
    assert_eq!(
        message(Operands(&none, &1).give('-', "i - 1", "V")),
        "V: `i - 1` is 0 - 1, which is below zero: check the parameters of the model"
    );
    assert!(message(Operands(&5, &none).give('%', "5 % n", "V")).contains("a division by zero"));
    assert!(message(Operands(&usize::MAX, &1).give('+', "i + 1", "V")).contains("too large"));
    assert!(message(Operands(&i32::MIN, &-1).give('/', "", "V")).contains("too large"));
    assert!(Operands(&3_i32, &5).give('-', "", "V").is_ok());
}
