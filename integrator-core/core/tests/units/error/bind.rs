use least_action_core::error::BindError;

#[test]
fn messages_show_the_beginning_of_a_long_expression() {
    let message = |place: &str| {
        let error = BindError::CoefficientNotFinite { place: place.to_owned(), value: f64::INFINITY };
        error.to_string()
    };
    let end = "is inf: check the parameters of the model";
    assert_eq!(message("½ k x²"), format!("a coefficient of ½ k x² {end}"));
    let pages = "½ k x² + ".repeat(1000);
    let shown: String = pages.chars().take(120).collect();
    assert_eq!(message(&pages), format!("a coefficient of {shown}… {end}"));
}
