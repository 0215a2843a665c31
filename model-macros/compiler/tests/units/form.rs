//! Forms under sums and choices stand for numbers, and calculate like them.

use least_action_compiler::internals::form::Obstacle;
use least_action_compiler::internals::form::{Choice, Form, Loop, Question, Scope, Step};
use least_action_compiler::internals::graph::{Graph, Leaf, NodeId};
use quote::ToTokens;
use std::rc::Rc;
use syn::{Pat, parse_quote};

fn repeat(name: &str) -> Rc<Loop> {
    let name = syn::Ident::new(name, proc_macro2::Span::call_site());
    let pattern: Pat = parse_quote!(#name);
    Rc::new(Loop { pattern, iterator: parse_quote!(0..3), position: None, near: None })
}

fn choice(number: usize) -> Rc<Choice> {
    Rc::new(Choice::new(number, Question::If(parse_quote!(self.answers[#number]))))
}

fn leaf(graph: &mut Graph, id: usize) -> Form {
    Form::of(graph.leaf(Leaf::Coefficient(id)))
}

fn sum(graph: &mut Graph, repeat: &Rc<Loop>, body: Form) -> Form {
    Form::under(Scope::Loop(repeat.clone()), body, graph)
}

/// The terms as `path: expression`.
fn terms(graph: &Graph, form: &Form) -> Vec<String> {
    let step = |step: &Step| match step {
        Step::Loop(repeat) => repeat.pattern.to_token_stream().to_string(),
        Step::Answer(choice, arm) => format!("{}={arm}", choice.number),
        Step::Stiff => "stiff".to_owned(),
    };
    let leaf = |leaf| match leaf {
        Leaf::Coefficient(id) => ["a", "b", "c"][id].to_owned(),
        other => format!("{other:?}"),
    };
    form.terms(graph)
        .iter()
        .map(|term| {
            let path: Vec<String> = term.path.iter().map(step).collect();
            format!("{}: {}", path.join(" "), graph.print(term.node, &leaf))
        })
        .collect()
}

#[test]
fn a_sum_adds_beside_what_is_outside() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let total = sum(&mut graph, &repeat("i"), b).add(-1.0, &a, &mut graph);
    assert_eq!(terms(&graph, &total), [": -a", "i: b"]);
}

#[test]
fn a_factor_goes_into_the_sum() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let total = sum(&mut graph, &repeat("i"), b);
    let product = a.multiply(&total, &mut graph);
    assert_eq!(terms(&graph, &product), ["i: a b"]);
}

#[test]
fn a_product_of_sums_is_a_nested_sum() {
    let mut graph = Graph::default();
    let (a, b, c) = (leaf(&mut graph, 0), leaf(&mut graph, 1), leaf(&mut graph, 2));
    let one = sum(&mut graph, &repeat("i"), a).add(1.0, &c, &mut graph);
    let other = sum(&mut graph, &repeat("j"), b);
    let product = one.multiply(&other, &mut graph);
    assert_eq!(terms(&graph, &product), ["i j: a b", "j: b c"]);
}

#[test]
fn a_choice_is_made_once() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let chosen = Form::Branch(choice(7), vec![a, b]);
    let square = chosen.multiply(&chosen, &mut graph);
    assert_eq!(terms(&graph, &square), ["7=0: a^2", "7=1: b^2"]);
}

#[test]
fn different_choices_are_nested() {
    let mut graph = Graph::default();
    let (a, b, c) = (leaf(&mut graph, 0), leaf(&mut graph, 1), leaf(&mut graph, 2));
    let one = Form::Branch(choice(1), vec![a.clone(), b]);
    let other = Form::Branch(choice(2), vec![c, Form::of(graph.zero())]);
    let total = one.add(1.0, &other, &mut graph);
    assert_eq!(terms(&graph, &total), ["1=0 2=0: a + c", "1=0 2=1: a", "1=1 2=0: b + c", "1=1 2=1: b"]);
}

/// a where a condition holds, else b; for this many conditions.
fn choices(a: &Form, b: &Form, count: usize) -> Vec<Form> {
    (0..count).map(|number| Form::Branch(choice(number), vec![a.clone(), b.clone()])).collect()
}

#[test]
fn many_choices_that_are_added_stay_apart() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let zero = Form::of(graph.zero());
    // More than could ever be multiplied out, and each once more.
    let count = 40;
    let all = choices(&a, &zero, count);
    let mut total = b;
    for form in all.iter().chain(&all) {
        total = total.add(1.0, form, &mut graph);
    }
    let found = terms(&graph, &total);
    // Three choices in eight ways, each of the others alone.
    assert_eq!(found.len(), 8 + count - 3, "{found:?}");
    assert_eq!(found[0], "0=0 1=0 2=0: 6 a + b");
    assert_eq!(found[8..11], ["3=0: 2 a", "4=0: 2 a", "5=0: 2 a"]);
    let image = total.linear(&mut graph, &|graph, node| graph.scale(0.5, node));
    assert_eq!(terms(&graph, &image)[8], "3=0: a");
    let twice = total.add(1.0, &total, &mut graph);
    assert_eq!((terms(&graph, &twice).len(), &*terms(&graph, &twice)[8]), (found.len(), "3=0: 4 a"));
}

#[test]
fn choices_that_are_apart_are_those_of_products_too() {
    let mut graph = Graph::default();
    let (a, b, c) = (leaf(&mut graph, 0), leaf(&mut graph, 1), leaf(&mut graph, 2));
    let zero = Form::of(graph.zero());
    let all = choices(&a, &zero, 4);
    let total = all.iter().fold(b, |total, form| total.add(1.0, form, &mut graph));
    let product = total.multiply(&Form::Branch(choice(3), vec![c, zero.clone()]), &mut graph);
    let found = terms(&graph, &product);
    // Multiplied out again where the fourth condition holds, which makes the fourth choice there.
    assert_eq!(found.len(), 8, "{found:?}");
    assert_eq!(found[0], "0=0 1=0 2=0 3=0: c (4 a + b)");
    assert_eq!(found[7], "0=1 1=1 2=1 3=0: c (a + b)");
}

#[test]
fn nested_conditions_on_sums_of_choices_have_no_more_terms_than_ways() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let total = choices(&a, &b, 6).iter().fold(b, |total, form| total.add(1.0, form, &mut graph));
    let mut larger = a;
    for _ in 0..4 {
        let gap = total.add(-1.0, &larger, &mut graph);
        larger = Form::select(&gap, true, &larger, &total, &mut graph).expect("few enough ways");
        larger = larger.add(1.0, &total, &mut graph).multiply(&total, &mut graph);
    }
    assert_eq!(terms(&graph, &larger).len(), 64);
}

#[test]
fn functions_multiply_choices_out_as_far_as_that_can_be_compiled() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let zero = Form::of(graph.zero());
    let all = choices(&a, &zero, 10);
    let square = |graph: &mut Graph, nodes: &[NodeId]| graph.power(nodes[0], 4);
    let mut total = b.clone();
    for form in &all[..9] {
        total = total.add(1.0, form, &mut graph);
    }
    let image = Form::nonlinear_of(&[&total], &mut graph, &square).expect("few enough");
    let found = terms(&graph, &image);
    assert_eq!(found.len(), 512);
    assert_eq!(found[0], "0=0 1=0 2=0 3=0 4=0 5=0 6=0 7=0 8=0: (9 a + b)^2");
    let both = Form::nonlinear_of(&[&b, &total], &mut graph, &|graph, nodes| graph.atan2(nodes[0], nodes[1]))
        .expect("few enough");
    assert_eq!(terms(&graph, &both).len(), 512);
    let chosen = Form::select(&total, true, &b, &b, &mut graph).expect("few enough");
    assert_eq!(terms(&graph, &chosen).len(), 512);
    let total = total.add(1.0, &all[9], &mut graph);
    assert_eq!(Form::nonlinear_of(&[&total], &mut graph, &square).err(), Some(Obstacle::Choices));
}

#[test]
fn a_choice_is_remembered_inside_sums() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let chosen = Form::Branch(choice(3), vec![a, Form::of(graph.zero())]);
    let inner = sum(&mut graph, &repeat("i"), Form::Branch(choice(3), vec![b.clone(), b]));
    let product = chosen.multiply(&inner, &mut graph);
    assert_eq!(terms(&graph, &product), ["3=0 i: a b"]);
}

#[test]
fn functions_enter_choices_but_not_sums() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let square = |graph: &mut Graph, nodes: &[NodeId]| graph.power(nodes[0], 4);
    let chosen = Form::Branch(choice(1), vec![a.clone(), b.clone()]);
    let image = Form::nonlinear_of(&[&chosen], &mut graph, &square).expect("no sum");
    assert_eq!(terms(&graph, &image), ["1=0: a^2", "1=1: b^2"]);
    let total = sum(&mut graph, &repeat("i"), a.clone());
    assert_eq!(Form::nonlinear_of(&[&total], &mut graph, &square).err(), Some(Obstacle::Sum));
    let stiff = Form::under(Scope::Stiff, a, &mut graph);
    assert_eq!(Form::nonlinear_of(&[&stiff], &mut graph, &square).err(), Some(Obstacle::Stiff));
    let both = Form::nonlinear_of(&[&b, &total], &mut graph, &|graph, nodes| graph.atan2(nodes[0], nodes[1]));
    assert_eq!(both.err(), Some(Obstacle::Sum));
}

#[test]
fn linear_operations_reach_every_part() {
    let mut graph = Graph::default();
    let (a, b) = (leaf(&mut graph, 0), leaf(&mut graph, 1));
    let inner = sum(&mut graph, &repeat("j"), b);
    let total =
        Form::under(Scope::Stiff, sum(&mut graph, &repeat("i"), a).add(1.0, &inner, &mut graph), &mut graph);
    let image = total.linear(&mut graph, &|graph, node| graph.scale(-2.0, node));
    assert_eq!(terms(&graph, &image), ["stiff i: -2 a", "stiff j: -2 b"]);
}

#[test]
fn what_is_zero_leaves_no_terms() {
    let mut graph = Graph::default();
    let (a, zero) = (leaf(&mut graph, 0), Form::of(graph.zero()));
    let total = sum(&mut graph, &repeat("i"), a);
    let product = total.multiply(&zero, &mut graph);
    assert!(product.is_zero(&graph));
    assert!(terms(&graph, &product).is_empty());
}

#[test]
fn items_are_counted_where_they_can_be_read_off() {
    let count = |iterator: &str| {
        let iterator = syn::parse_str(iterator).expect("an iterator");
        Loop { pattern: parse_quote!(i), iterator, position: None, near: None }.count()
    };
    for (iterator, items) in [
        ("0..3", 3),
        ("1..=4", 4),
        ("(2..5)", 3),
        ("5..2", 0),
        // No item: the closed range is empty by one.
        ("3..=2", 0),
        ("pairs(4)", 6),
        ("pairs(1)", 0),
        ("pairs(0)", 0),
        ("[1.0, 2.0, 3.0]", 3),
        ("&[(0, 1), (1, 2)]", 2),
        ("[1.0, 2.0].iter().enumerate().rev()", 2),
        ("(0..3).into_iter()", 3),
    ] {
        assert_eq!(count(iterator), Some(items), "{iterator}");
    }
    for iterator in [
        "0..self.links",
        "..3",
        "2..",
        "self.bonds.iter()",
        "(0..3).filter(|i| *i > 1)",
        "pairs(n)",
        "0..70000",
    ] {
        assert_eq!(count(iterator), None, "{iterator}");
    }
}
