//! Null spaces and rational vectors.

use least_action_compiler::internals::symmetry::{null_space, rational};

#[test]
fn combinations_are_found() {
    let found = null_space(vec![vec![1.0, -2.0, 0.0], vec![0.5, -1.0, 0.0]], 3, 0);
    assert_eq!(found, [vec![2.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]]);
    assert_eq!(rational(&[-0.5, 0.0, 1.0 / 3.0], 0), Some(vec![3.0, 0.0, -2.0]));
    assert_eq!(rational(&[2.0_f64.sqrt()], 0), None);
}

#[test]
fn hidden_entries_alone_are_nothing() {
    assert!(null_space(vec![vec![1.0, 1.0, 1.0]], 3, 2).len() == 1);
    assert!(null_space(vec![vec![0.0, 0.0, 1.0]], 3, 2).is_empty());
}
