use least_action_core::internals::check::noise;

#[test]
fn rounding_is_seen_where_the_point_itself_has_no_digits() {
    // 1 + x at zero: rounded to the last digits of one.
    let found = noise(&|s| vec![(1.0 + 0.37 * s) - 1.0, 0.37 * s, 1e6 * (1e-3 * s).cos()]);
    assert!((1e-17..1e-15).contains(&found[0]), "{found:?}");
    assert!(found[1] < 1e-20, "{found:?}");
    assert!(found[2] < 1e-9, "{found:?}");
}
