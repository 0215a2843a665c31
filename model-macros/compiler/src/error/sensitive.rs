//! The messages of sensitive parameters.

messages! {
    doubled_parameter(name: &str): "`{name}` is already sensitive";
    unread_parameter(name: &str): "`{name}` enters neither L nor a constraint nor a force",
        help: "remove `{name}` from `sensitive(…)`";
    sensitive_course(name: &str): "`{name}` is sensitive, and enters more than a force",
        help: "make it an `Input` of a #[force] alone, or remove `{name}` from `sensitive(…)`";
    counting_parameter(name: &str): "`self.{name}` counts something; only numbers that enter smoothly can be sensitive",
        help: "remove `{name}` from `sensitive(…)`";
    counting_value(text: &str): "`{text}` counts something; only numbers that enter smoothly can be sensitive",
        help: "remove its fields from `sensitive(…)`";
    hidden_parameter(name: &str, method: &str): "`{name}` is sensitive, but what `{method}` does with it is hidden",
        help: "write it as a helper of this block, or leave `{name}` out";
    parameter_in_tuple(name: &str): "`{name}` is sensitive, and its entries are tuples",
        help: "put the numbers in a `Vec<f64>` of their own and write `self.k[b]`";
    parameter_used_both_ways(name: &str): "`self.{name}` is a number here, and an array elsewhere",
        help: "write `self.{name}[k]` for a number of the array";
    parameters_of_moving_pairs(): "a function of a sum of velocities over near pairs has no derivatives by parameters",
        help: "sum over `pairs(…)`, or remove `sensitive(…)`";
    parameters_of_dissipation(): "a dissipation that is a function of sums has no derivatives by parameters",
        help: "write it as a #[force], or remove `sensitive(…)`";
}

/// A mistake that the declaration makes only with its sensitive fields as variables.
pub(crate) fn with_parameters(error: syn::Error) -> syn::Error {
    let message = error.to_string();
    if message.contains("sensitive") {
        return error;
    }
    syn::Error::new(error.span(), format!("with the sensitive fields as variables: {message}"))
}
