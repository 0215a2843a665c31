use least_action_core::error::StartError;

#[test]
fn what_is_no_number_is_no_violation() {
    let (equation, tolerance) = (|| "size".to_owned(), 1e-9);
    let value =
        |residual| StartError::OffConstraints { equation: equation(), residual, tolerance }.to_string();
    let rate = |residual| {
        StartError::VelocityOffConstraints { equation: equation(), residual, tolerance }.to_string()
    };
    assert!(value(0.5).contains("violates the constraint `size` by 5.000e-1"));
    assert!(value(f64::NAN).contains("`size` is not a number at the start"));
    assert!(rate(0.5).contains("at the rate 5.000e-1"));
    assert!(rate(f64::NAN).contains("the rate of change of the constraint `size` is not a number"));
}
