//! The ready models, carried out and compiled: equal bits of every value and derivative, and equal
//! values of their declarations over dual numbers.

#![expect(clippy::expect_used, reason = "a test fails by it")]

use least_action::Model;
use least_action::advanced::check::check_with_progress;
use least_action::emitted::v1::Declared as Text;
use least_action::expr::num_dual::HyperHyperDual64 as Jet;
use least_action::expr::{Number, Oracle, Place, places};
use least_action::system::{Lagrangian, Start, State};
use least_action_core::binding::Dynamic;
use least_action_declared::rust::Source;
use least_action_declared::{Declared, Refusal};
use least_action_models::{Take, give};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write;
use support::{file_of, source};

mod support;
#[allow(clippy::unwrap_used, clippy::too_many_arguments, reason = "all words in one declaration")]
#[path = "support/words.rs"]
mod words;

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

/// All values of a declaration over numbers of one kind.
fn values<T: Number>(oracle: &impl Oracle, q: &[T], v: &[T], t: T) -> Vec<Vec<T>> {
    vec![
        vec![oracle.lagrangian_dual(q, v, t)],
        vec![oracle.stiff_dual(q, t)],
        oracle.constraints_dual(q, t),
        oracle.nonholonomic_dual(q, v, t),
        vec![oracle.dissipation_dual(q, v, t)],
        oracle.forces_dual(q, v, t),
    ]
}

/// A number with third derivatives.
fn jet(k: usize, x: f64) -> Jet {
    let [a, b, c] = [3, 5, 7].map(|turn| 0.5 - ((k * turn) % 11) as f64 / 10.0);
    Jet::new(x, a, b, c, 0.0, 0.0, 0.0, 0.0)
}

fn parts(x: Jet) -> [f64; 8] {
    [x.re, x.eps1, x.eps2, x.eps3, x.eps1eps2, x.eps1eps3, x.eps2eps3, x.eps1eps2eps3]
}

/// If two lists are equal but for rounding.
fn are_close(one: &[f64], other: &[f64]) -> bool {
    let size = other.iter().filter(|x| x.is_finite()).fold(0.0, |size: f64, x| size.max(x.abs()));
    let close = |(a, b): (&f64, &f64)| {
        a.to_bits() == b.to_bits() || (a - b).abs() <= 1e-11 * size || a.is_nan() && b.is_nan()
    };
    one.len() == other.len() && one.iter().zip(other).all(close)
}

#[derive(Default)]
struct Duals(String);

impl Take for Duals {
    fn take<M>(&mut self)
    where
        M: Model + Oracle + Text + Default + Serialize + DeserializeOwned + Start + 'static,
    {
        let name = &*M::FACTS.name;
        if std::env::var("ONLY").is_ok_and(|only| only != name) {
            return;
        }
        self.compare::<M>(&source(&file_of(name)));
    }
}

impl Duals {
    fn compare<M: Model + Oracle + Default + Start>(&mut self, source: &Source) {
        let (name, model) = (&*M::FACTS.name, M::default());
        let declared = Declared::of(source).expect("a declaration");
        let parameters = declared.parameters(&serde_json::json!({})).expect("parameters");
        let oracle = declared.oracle(&parameters).expect("plain parameters");
        let State { t, q, v } = model.start();
        let q: Vec<f64> = q.iter().enumerate().map(|(k, x)| x + ((k % 7) as f64 - 2.5) * 0.01).collect();
        let v: Vec<f64> = v.iter().enumerate().map(|(k, x)| x + ((k % 5) as f64 - 1.5) * 0.1).collect();
        let mut tell = |what: String| writeln!(self.0, "{name}: {what}").expect("text");
        for (one, other) in values(&oracle, &q, &v, t).iter().zip(&values(&model, &q, &v, t)) {
            if !are_close(one, other) {
                tell(format!("{one:?} for {other:?}").chars().take(300).collect());
            }
        }
        let moving = |x: &[f64], first: usize| -> Vec<Jet> {
            x.iter().enumerate().map(|(k, x)| jet(first + k, *x)).collect()
        };
        let (jq, jv) = (moving(&q, 1), moving(&v, 4));
        let both = [values(&oracle, &jq, &jv, jet(3, t)), values(&model, &jq, &jv, jet(3, t))];
        for (one, other) in both[0].iter().zip(&both[1]) {
            for part in 0..8 {
                let of = |all: &[Jet]| all.iter().map(|jet| parts(*jet)[part]).collect::<Vec<_>>();
                let (one, other) = (of(one), of(other));
                if !are_close(&one, &other) {
                    tell(format!("part {part}: {one:?} for {other:?}").chars().take(300).collect());
                }
            }
        }
        let [one, other] = [places(&oracle, &q, &v, t), places(&model, &q, &v, t)];
        let same = |(one, other): (&Place, &Place)| {
            one.name == other.name
                && are_close(one.at.as_slice(), other.at.as_slice())
                && are_close(one.rate.as_slice(), other.rate.as_slice())
        };
        if one.len() != other.len() || !one.iter().zip(&other).all(same) {
            tell(format!("places {one:?} for {other:?}").chars().take(600).collect());
        }
        let points = oracle.points(&q, &v, t).expect("points");
        let is_there = |(one, other): (&Place, &Place)| one.name == other.name && one.at == other.at;
        if points.len() != one.len() || !points.iter().zip(&one).all(is_there) {
            tell(format!("points {points:?} for {one:?}").chars().take(600).collect());
        }
        if let Err(refusal) = oracle.told(()) {
            tell(format!("{refusal:#?}").chars().take(600).collect());
        }
    }
}

#[test]
fn ready_models_have_equal_values_over_dual_numbers() {
    let mut duals = Duals::default();
    give(&mut duals);
    assert!(duals.0.is_empty(), "{}", duals.0);
}

#[test]
fn words_of_the_language_have_equal_values_over_dual_numbers() {
    let mut duals = Duals::default();
    let words = Source::parse("words.rs", include_str!("support/words.rs")).expect("Rust");
    duals.compare::<words::Words>(&words);
    assert!(duals.0.is_empty(), "{}", duals.0);
}

#[test]
fn kernels_of_other_parameters_are_found() {
    let declared = Declared::of(&source("double_pendulum")).expect("a declaration");
    let parameters = |json| declared.parameters(&json).expect("parameters");
    let (own, other) = (parameters(serde_json::json!({})), parameters(serde_json::json!({"gravity": 3.0})));
    let start = declared.start(&own).expect("a start").expect("a start");
    let agree = |dynamic: &Dynamic| {
        let oracle = declared.oracle(&own).expect("plain parameters");
        let found = check_with_progress(&oracle, dynamic.faces(), &start, 1, &mut |_| {});
        oracle
            .told(found)
            .expect("values")
            .into_iter()
            .map(|one| (one.quantity, one.agrees))
            .collect::<Vec<_>>()
    };
    let [same, wrong] =
        [&own, &other].map(|parameters| agree(&declared.bind(parameters, u64::MAX).expect("a system")));
    assert!(same.iter().all(|(_, agrees)| *agrees), "{same:?}");
    for (quantity, agrees) in wrong {
        let falls = ["lagrangian", "energy", "first derivatives of L", "potential", "gradient of V"];
        assert_eq!(agrees, !falls.contains(&quantity), "{quantity}");
    }
}
