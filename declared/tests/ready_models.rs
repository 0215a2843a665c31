//! The ready models, interpreted and compiled: equal parameters, starts and looks.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test may end at what is not there"
)]

use least_action::Model as Declared;
use least_action::emitted::v1::Declared as Text;
use least_action::expr::Oracle;
use least_action::system::Start;
use least_action_declared::rust::{Alone, Model};
use least_action_models::{Take, give};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write;
use support::{file_of, source};

mod support;

#[derive(Default)]
struct Compare {
    differences: String,
    equal: usize,
}

impl Take for Compare {
    fn take<M>(&mut self)
    where
        M: Declared + Oracle + Text + Default + Serialize + DeserializeOwned + Start + 'static,
    {
        let name = &*M::FACTS.name;
        let mut tell = |what: String| writeln!(self.differences, "{name}: {what}").expect("text");
        let model = match Model::new(&source(&file_of(name)), &Alone) {
            Ok(model) => model,
            Err(errors) => return tell(format!("{errors:#?}")),
        };
        assert_eq!(model.name(), name);
        let compiled = M::default();
        let default = match model.default() {
            Ok(default) => default,
            Err(error) => return tell(format!("default: {error}")),
        };
        let json = serde_json::to_value(&compiled).expect("JSON");
        if model.write(&default) != json {
            return tell(format!("{} for {json}", model.write(&default)));
        }
        match model.read(&json) {
            Ok(read) => assert_eq!(model.write(&read), json, "{name}"),
            Err(error) => tell(format!("read: {error}")),
        }
        let expected = compiled.start();
        match model.start(&default) {
            Ok(Some(start)) => {
                let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                if bits(&start.q) != bits(&expected.q) || bits(&start.v) != bits(&expected.v) {
                    tell(format!("start {start:?} for {expected:?}").chars().take(600).collect());
                }
            }
            other => tell(format!("start: {other:?}")),
        }
        match (model.step(&default), model.until(&default)) {
            (Ok(step), Ok(until)) if step == compiled.step() && until == compiled.until() => {}
            other => tell(format!("step and end: {other:?}")),
        }
        match model.look(&default, &expected) {
            Err(error) => tell(format!("look: {error}")),
            Ok(look) => {
                let other = compiled.look();
                assert_eq!(look.links, other.links, "{name}");
                assert_eq!(look.radii, other.radii, "{name}");
                assert_eq!(look.colours, other.colours, "{name}");
                assert_eq!(look.species, other.species, "{name}");
                assert_eq!(look.boxes, other.boxes, "{name}");
                assert_eq!(look.solids, other.solids, "{name}");
                assert_eq!(look.labels, other.labels, "{name}");
                assert_eq!(look.grounds, other.grounds, "{name}");
                assert_eq!(look.hidden, other.hidden, "{name}");
                assert_eq!(look.groups.len(), other.groups.len(), "{name}");
                for (group, known) in look.groups.iter().zip(&other.groups) {
                    assert_eq!((&group.name, group.fixed), (&known.name, known.fixed), "{name}");
                    for t in [0.0, 0.3] {
                        let places = [(group.places)(&expected.q, t), (known.places)(&expected.q, t)];
                        assert_eq!(places[0], places[1], "{name}: {}", group.name);
                    }
                }
            }
        }
        self.equal += 1;
    }
}

#[test]
fn ready_models_are_as_compiled() {
    let mut compare = Compare::default();
    give(&mut compare);
    assert!(compare.differences.is_empty(), "{} are equal\n{}", compare.equal, compare.differences);
    assert_eq!(compare.equal, 40);
}
