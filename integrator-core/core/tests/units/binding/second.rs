use least_action_core::internals::binding::rest;

#[test]
fn what_is_written_is_left_out_but_for_short_gaps() {
    assert_eq!(rest(vec![], 9), std::slice::from_ref(&(0..9)));
    assert_eq!(rest(vec![40..80, 0..20], 100), [20..40, 80..100]);
    assert_eq!(rest(vec![10..14, 20..60], 100), [0..20, 60..100]);
    assert_eq!(rest(vec![0..30, 30..100], 100), []);
}
