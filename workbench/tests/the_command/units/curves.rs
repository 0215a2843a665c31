//! Curves are told apart.

use least_action_pages::internals::{Look, hex};

#[test]
fn no_two_curves_look_alike() {
    let looks: Vec<_> = (0..40).map(Look::of).map(|look| (hex(look.colour()), look.dashes())).collect();
    for (number, look) in looks.iter().enumerate() {
        assert!(!looks[..number].contains(look), "{number}");
    }
    // Neighbours differ without colours too.
    assert!(looks.windows(2).all(|pair| pair[0].1 != pair[1].1));
}
