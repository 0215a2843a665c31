//! Axes and their units.

use least_action_pages::internals::Unit;
use least_action_pages::plot::Axis;

#[test]
fn every_axis_has_a_unit_or_says_that_there_is_none() {
    assert_eq!(Axis::of("time t", "s").to_string(), "time t, s");
    assert_eq!(Axis::number("angle defect").logarithmic().to_string(), "angle defect (no unit)");
    assert_eq!(Axis::with("λ", Unit::OfTheModel).to_string(), "λ (unit of the model)");
}

#[test]
fn a_square_has_the_square_of_the_unit() {
    assert_eq!(Unit::stated("nm").squared(), Unit::stated("nm²"));
    assert_eq!(Unit::stated("48.888 fs").squared(), Unit::stated("(48.888 fs)²"));
    assert_eq!(Unit::None.squared(), Unit::None);
}
