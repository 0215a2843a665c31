//! The numbers of operations that the kernels of known elements take. `eliminate` tests that they are
//! right.
//!
//! The elements are declared as a user would declare them and go through the whole front end.

use super::elements::{ELEMENTS, Known};
use least_action_compiler::{Errors, compiled};
use proc_macro2::TokenStream;

#[test]
fn kernels_take_no_more_operations_than_those_of_specialists() {
    for Known { name, declaration, at_most, .. } in ELEMENTS {
        let mut errors = Errors::default();
        let item = syn::parse_str(declaration).expect("a declaration");
        let compiled = compiled(TokenStream::new(), item, &mut errors).expect("a model");
        let [counts] = compiled.operations_of_the_potential()[..] else { panic!("not one family: {name}") };
        println!("{name}: {counts:?}, at most {at_most:?}");
        assert!(
            counts.iter().zip(at_most).all(|(count, most)| *count <= most),
            "{name}: {counts:?}, at most {at_most:?}"
        );
    }
}
