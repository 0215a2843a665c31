//! Jobs side by side.

use least_action_compiler::internals::side_by_side::side_by_side;
use std::panic::catch_unwind;

#[test]
fn answers_come_in_the_order_of_their_jobs() {
    let jobs: Vec<u64> = (0..1000).collect();
    // The first jobs take longest.
    let answers = side_by_side(&jobs, |job| (0..1000 - job).fold(*job, u64::wrapping_add));
    let expected: Vec<u64> = jobs.iter().map(|job| (0..1000 - job).fold(*job, u64::wrapping_add)).collect();
    assert_eq!(answers, expected);
    assert!(side_by_side(&[] as &[u64], |job| *job).is_empty());
}

#[test]
fn a_panic_is_that_of_the_caller() {
    let jobs: Vec<usize> = (0..100).collect();
    let panic = catch_unwind(|| side_by_side(&jobs, |job| assert!(*job != 50, "job {job}")));
    let panic = panic.expect_err("a panic");
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("job 50"));
}
