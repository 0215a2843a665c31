//! The ready models, carried out and compiled: equal bits of every value and derivative.

#![expect(clippy::expect_used, reason = "a test fails by it")]

use least_action::Model;
use least_action::emitted::v1::Declared as Text;
use least_action::expr::Oracle;
use least_action::system::{Lagrangian, Start, State};
use least_action_core::binding::Dynamic;
use least_action_declared::{Declared, Refusal};
use least_action_models::{Take, give};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write;
use support::{file_of, source};

mod support;

fn bound(name: &str) -> Result<Dynamic, Refusal> {
    let declared = Declared::of(&source(&file_of(name)))?;
    let parameters = declared.parameters(&serde_json::json!({}))?;
    declared.bind(&parameters, u64::MAX)
}

/// Numbers that must have equal bits.
struct Both<'a> {
    name: &'a str,
    differences: &'a mut String,
}

impl Both<'_> {
    fn equal(&mut self, what: &str, one: &[f64], other: &[f64]) {
        // The sign of a NaN is chance.
        let bits = |x: &f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
        let bits = |list: &[f64]| list.iter().map(bits).collect::<Vec<_>>();
        if one.len() != other.len() || bits(one) != bits(other) {
            let at = one.iter().zip(other).position(|(a, b)| a.to_bits() != b.to_bits());
            let shown = at.map(|at| (at, one[at], other[at]));
            writeln!(
                self.differences,
                "{}: {what}: {} and {} numbers, {shown:?}",
                self.name,
                one.len(),
                other.len()
            )
            .expect("text");
        }
    }

    /// Compares all that engines ask for at a state.
    fn compare(&mut self, one: &dyn Lagrangian, other: &dyn Lagrangian, State { t, q, v }: &State) {
        let n = q.len();
        let of = |system: &dyn Lagrangian| {
            let mut gradient = vec![0.0; 2 * n + 1];
            system.first_derivatives(q, v, *t, &mut gradient);
            // Straight code leaves the zero of a system without time, a sum has its negative.
            gradient[2 * n] += 0.0;
            (gradient, system.lagrangian(q, v, *t), system.energy(q, v, *t))
        };
        let ((first, value, energy), (of_first, of_value, of_energy)) = (of(one), of(other));
        self.equal("L", &[value], &[of_value]);
        self.equal("energy", &[energy], &[of_energy]);
        self.equal("first derivatives", &first, &of_first);
        if n <= 400 {
            let second = |system: &dyn Lagrangian| {
                let mut gradient = vec![0.0; 2 * n + 1];
                let mut hessian = vec![0.0; system.second_pattern().len()];
                system.second_derivatives(q, v, *t, &mut gradient, &mut hessian);
                hessian
            };
            self.equal("second derivatives", &second(one), &second(other));
        }
    }
}

#[derive(Default)]
struct Compare {
    differences: String,
    equal: Vec<String>,
}

impl Take for Compare {
    fn take<M>(&mut self)
    where
        M: Model + Oracle + Text + Default + Serialize + DeserializeOwned + Start + 'static,
    {
        let name = &*M::FACTS.name;
        if let Ok(only) = std::env::var("ONLY")
            && only != name
        {
            return;
        }
        let dynamic = match bound(name) {
            Ok(dynamic) => dynamic,
            Err(refusal) => {
                return writeln!(
                    self.differences,
                    "{name}: {}",
                    format!("{refusal:#?}").chars().take(700).collect::<String>()
                )
                .expect("text");
            }
        };
        let model = M::default();
        let compiled = model.bind().expect("a system");
        let before = self.differences.len();
        let mut both = Both { name, differences: &mut self.differences };
        let start = model.start();
        let wiggled = |numbers: &[f64], by: f64| -> Vec<f64> {
            numbers.iter().enumerate().map(|(k, x)| x + by * ((k % 7) as f64 - 2.5) * 0.01).collect()
        };
        let moved = State { t: start.t + 0.3, q: wiggled(&start.q, 1.0), v: wiggled(&start.v, 2.0) };
        for state in [start, moved] {
            both.compare(M::faces(&compiled).mechanics, dynamic.faces().mechanics, &state);
        }
        if self.differences.len() == before {
            self.equal.push(name.to_owned());
        }
    }
}

#[test]
fn ready_models_have_equal_bits_by_both_routes() {
    let mut compare = Compare::default();
    give(&mut compare);
    assert!(
        compare.differences.is_empty(),
        "{} are equal: {:?}\n{}",
        compare.equal.len(),
        compare.equal,
        compare.differences
    );
}
