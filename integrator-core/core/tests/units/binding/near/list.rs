use least_action_core::internals::near::{Part, Rows, Transposition};

/// A pair found from one end alone is in the other's list.
#[test]
fn a_pair_that_is_found_from_one_end_is_in_one_list() {
    let rows = [Rows::of(&[&[1, 2], &[0], &[], &[0]])];
    let mut part = Part::default();
    Transposition { rows: &rows, place_of: &[0, 1, 2, 3], of_part: 4, lanes: 2 }.fill(0..4, &mut part);
    assert_eq!(part.begins, [0, 4, 6]);
    assert_eq!(part.neighbours, [1, 0, 3, 4, 0, 4]);
}
