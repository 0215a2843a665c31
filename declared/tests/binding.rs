//! The code that binds a chain, as the compiler emits it, fills its families.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may end at what is not there"
)]

use least_action_declared::rust::{
    Budget, Caller, Error, Machine, Model, Program, Source, Surroundings, Value, Vocabulary,
};
use std::any::Any;
use std::cell::RefCell;
use std::fs;
use std::rc::Rc;

/// The slots and the coefficients of each element.
#[derive(Default)]
struct Family(RefCell<Vec<(Vec<usize>, Vec<f64>)>>);

/// A binder that counts rows, and keeps the families that it gets.
#[derive(Default)]
struct Binder {
    rows: RefCell<usize>,
    families: RefCell<Vec<(String, Rc<dyn Any>)>>,
}

const METHODS: [&str; 9] =
    ["items", "entry", "push", "row_of", "room", "begin_rows", "end_rows", "rows_of", "potential"];

struct Library;

impl Vocabulary for Library {
    fn function(&self, path: &[&str]) -> Option<u32> {
        match path {
            [.., "v1", "coefficient"] => Some(0),
            [.., "Family", "new" | "in_rows"] => Some(1),
            [.., "v1", "Operands"] => Some(2),
            _ => None,
        }
    }

    fn constant(&self, path: &[&str]) -> Option<u32> {
        matches!(path, ["POTENTIAL_0" | "RODS_0_0" | "RODS_0_1"] | [.., "RowsOf", _]).then_some(0)
    }

    fn method(&self, name: &str) -> Option<u32> {
        METHODS.iter().chain(&["give"]).position(|known| *known == name).map(|place| place as u32)
    }
}

impl Surroundings<f64> for Library {
    fn constant(&self, _: u32) -> Result<Value<f64>, Error> {
        Ok(Value::Host(Rc::new("a kernel")))
    }

    fn call(
        &self,
        function: u32,
        arguments: &mut [Value<f64>],
        _: &mut dyn Caller<f64>,
    ) -> Result<Value<f64>, Error> {
        Ok(match function {
            0 => arguments[0].clone(),
            1 => Value::Host(Rc::new(Family::default())),
            _ => Value::Host(Rc::new("operands")),
        })
    }

    fn method(
        &self,
        own: &Value<f64>,
        method: u32,
        arguments: &mut [Value<f64>],
        _: &mut dyn Caller<f64>,
    ) -> Result<Value<f64>, Error> {
        let counts = |value: &Value<f64>| {
            value.as_list().unwrap_or_default().iter().filter_map(Value::as_count).collect::<Vec<_>>()
        };
        let Value::Host(own) = own else { panic!("no object") };
        let binder = own.downcast_ref::<Binder>();
        Ok(match (METHODS.get(method as usize).copied(), binder) {
            (Some("items"), Some(_)) => arguments[0].clone(),
            (Some("entry"), Some(_)) => Value::count(2 * counts(&arguments[1])[0]),
            (Some("row_of"), Some(binder)) => Value::count(binder.rows.replace_with(|rows| *rows + 1)),
            (Some(name @ ("rows_of" | "potential")), Some(binder)) => {
                let Some(Value::Host(family)) = arguments.last() else { panic!("no family") };
                binder.families.borrow_mut().push((name.to_owned(), Rc::clone(family)));
                Value::Unit
            }
            (Some("push"), None) => {
                let family = own.downcast_ref::<Family>().expect("a family");
                let numbers =
                    arguments[1].as_list().unwrap_or_default().iter().filter_map(Value::as_number).copied();
                family.0.borrow_mut().push((counts(&arguments[0]), numbers.collect()));
                Value::Unit
            }
            _ => Value::Unit,
        })
    }

    fn field(&self, _: &Rc<dyn Any>, name: &str) -> Option<Value<f64>> {
        (name == "name").then(|| Value::text("the kernel"))
    }
}

fn file(name: &str) -> Source {
    let text = fs::read_to_string(format!("{}/../models/src/{name}.rs", env!("CARGO_MANIFEST_DIR")))
        .expect("a model");
    Source::parse(&format!("{name}.rs"), &text).expect("Rust")
}

/// The blocks of the golden expansion with these names.
fn blocks(names: &[&str]) -> Vec<syn::Block> {
    let golden =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../model-macros/compiler/tests/expansion/chain.expanded");
    let text = fs::read_to_string(golden).expect("the golden expansion");
    let of = |name: &&str| {
        let from = text.rfind(&format!("fn {name}(")).expect("the function");
        let body = &text[from..];
        let from = body.find('{').expect("a block");
        let end = body.find("\n        }\n").expect("its end");
        syn::parse_str(&body[from..end + 10]).expect("a block")
    };
    names.iter().map(of).collect()
}

#[test]
fn emitted_code_fills_the_families_of_a_chain() {
    let source = file("chain");
    let mut program = Program::resolve(&source, &Library).expect("no mistakes");
    let names = ["potential_0", "holonomic_rods"];
    let functions: Vec<u32> = names
        .iter()
        .zip(blocks(&names))
        .map(|(name, block)| {
            program.add(&source, (name, &["self", "__binder"]), &block, &Library).expect("no mistakes")
        })
        .collect();
    let model = Model::of(program).expect("a model");
    let own = model
        .read(&serde_json::json!({"links": 1000, "mass": 3.0, "gravity": 0.5, "rod": 2.0}))
        .expect("parameters");
    let binder = Rc::new(Binder::default());
    let mut machine = Machine::new(model.program(), &Library, Budget::default());
    for function in functions {
        machine.function(function, &mut [own.clone(), Value::Host(binder.clone())]).expect("no failure");
    }
    let families = binder.families.borrow();
    let elements = |k: usize| families[k].1.downcast_ref::<Family>().expect("a family").0.borrow().clone();
    assert_eq!(
        families.iter().map(|(role, _)| role.as_str()).collect::<Vec<_>>(),
        ["potential", "rows_of", "rows_of"]
    );
    assert_eq!(elements(0), (0..1000).map(|i| (vec![2 * i], vec![1.5])).collect::<Vec<_>>());
    assert_eq!(elements(1), [(vec![0, 0], vec![4.0])]);
    assert_eq!(elements(2), (1..1000).map(|i| (vec![2 * i - 2, 2 * i, i], vec![4.0])).collect::<Vec<_>>());
}
