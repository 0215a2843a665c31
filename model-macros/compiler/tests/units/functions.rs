//! The table of functions.

use least_action_compiler::internals::functions::{Domain, Function, FunctionTable, Parity};

#[test]
fn every_entry_stands_at_its_place_and_has_the_sign_that_it_says() {
    for function in Function::ALL {
        let entry = function.entry();
        assert_eq!(Function::of_name(function.name()), entry.spoken.then_some(function));
        if entry.domain == Domain::AboveOne {
            continue;
        }
        let (above, below) = ((entry.value)(0.8), (entry.value)(-0.8));
        let close = |a: f64, b: f64| (a - b).abs() < 1e-15;
        let found = match (close(above, below), close(above, -below)) {
            (true, _) => Parity::Even,
            (_, true) => Parity::Odd,
            _ => Parity::None,
        };
        assert_eq!(found, entry.parity, "{}", function.name());
    }
}
