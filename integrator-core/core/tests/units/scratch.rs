use least_action_core::internals::scratch::Scratch;

#[test]
fn the_memory_is_kept_and_an_overlapping_evaluation_has_its_own() {
    let scratch = Scratch::new(|| vec![0; 2]);
    scratch.with(|outer| {
        outer[0] = 1;
        scratch.with(|inner| {
            assert_eq!(inner, &[0, 0]);
            inner[1] = 2;
        });
        scratch.with(|inner| assert_eq!(inner, &[0, 2]));
    });
    scratch.with(|memory| assert_eq!(memory, &[1, 0]));
}
