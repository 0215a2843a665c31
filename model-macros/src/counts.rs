//! How many operations the kernels of known elements take, and that they are right however they are written.
//!
//! The elements are declared as a user would declare them and go through the whole front end.

mod elements;

use crate::eliminate::{Element, Wanted};
use crate::error::Errors;
use crate::graph::{Graph, Leaf, NodeId};
use crate::{classify, lower, parse};
use elements::ELEMENTS;

/// The potential of a declaration that has one family: an element, its expression and its inputs.
fn declared(text: &str) -> (Graph, NodeId, Vec<Leaf>, Element) {
    let item: syn::ItemImpl = syn::parse_str(text).expect("a declaration");
    let mut errors = Errors::default();
    let declaration = parse::parse(item, &mut errors).expect("a model");
    let mut lowered = lower::lower(&declaration, &mut errors);
    let classified = classify::classify(&mut lowered, &declaration, &mut errors);
    assert!(errors.is_empty(), "mistakes in {text}");
    let [family] = &classified.potential[..] else { panic!("not one family: {text}") };
    let element = Element::new(&lowered.graph, family.node, &family.inputs, &lowered.named);
    (lowered.graph, family.node, family.inputs.clone(), element)
}

#[test]
fn kernels_take_no_more_operations_than_those_of_specialists() {
    for known in ELEMENTS {
        let (_, _, _, element) = declared(known.declaration);
        let counts = [Wanted::Gradient, Wanted::Second, Wanted::Product, Wanted::Third]
            .map(|wanted| element.best(wanted).program.cost);
        println!("{}: {counts:?}, at most {:?}", known.name, known.at_most);
        assert!(
            counts.iter().zip(known.at_most).all(|(count, most)| *count <= most),
            "{}: {counts:?}, at most {:?}",
            known.name,
            known.at_most
        );
    }
}

#[test]
fn every_way_to_write_a_known_element_is_the_same() {
    for known in ELEMENTS {
        let (graph, root, inputs, element) = declared(known.declaration);
        // Lengths in ångström and in metre, or in light years: a form must not cancel at any scale.
        for scale in [1.0, 1e-8, 1e8] {
            let read = move |leaf: Leaf| (known.read)(leaf, scale);
            let compared = crate::eliminate::tests::agree(
                &graph,
                root,
                &inputs,
                &element,
                &read,
                0.0,
                &|element, wanted| {
                    if scale == 1.0 { element.all(wanted) } else { vec![element.best(wanted)] }
                },
            )
            .unwrap_or_else(|reason| panic!("{} at scale {scale}: {reason}", known.name));
            assert!(compared > 8, "{} at scale {scale}: {compared} numbers", known.name);
        }
    }
}
