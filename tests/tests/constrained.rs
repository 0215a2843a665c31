//! SHAKE and RATTLE: papers, order, structure, failures.

use integrator_core::error::{StartError, StepError};
use integrator_core::method::{Claims, Method, Rattle, Shake, Stepper, project, project_positions};
use integrator_core::sparse::{SymmetricMatrix, SymmetricPattern};
use integrator_core::system::{Constrained, State};
use least_action_tests::constrained_models::{Linkage, Rod};

fn run<S: Constrained + ?Sized, M: Method<S>>(
    method: &M,
    system: &S,
    start: &State,
    h: f64,
    steps: u64,
) -> State {
    let mut stepper = method.start(system, start.clone(), h).unwrap();
    for _ in 0..steps {
        stepper.step().unwrap();
    }
    stepper.state().clone()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest, (a, b)| (a - b).abs().max(largest))
}

/// (t, q, v) of the accurate solution.
fn reference(text: &str) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let data: serde_json::Value = serde_json::from_str(text).unwrap();
    let list = |value: &serde_json::Value| -> Vec<f64> { serde_json::from_value(value.clone()).unwrap() };
    list(&data["t"])
        .into_iter()
        .zip(data["constrained"].as_array().unwrap())
        .map(|(t, point)| (t, list(&point["q"]), list(&point["v"])))
        .collect()
}

const DOUBLE_PENDULUM: &str = include_str!("../data/constrained_double_pendulum.json");
const CHAIN: &str = include_str!("../data/constrained_chain.json");

#[test]
fn explore() {
    let (system, start) = Linkage::double_pendulum();
    for h in [0.1, 0.05, 0.025, 0.0125] {
        for (t, q, v) in reference(DOUBLE_PENDULUM) {
            let steps = (t / h).round() as u64;
            let shake = run(&Shake::default(), &system, &start, h, steps);
            let rattle = run(&Rattle::default(), &system, &start, h, steps);
            println!(
                "{h} {t} shake q {:.4e} v {:.4e} rattle q {:.4e} v {:.4e}  between {:.2e}",
                distance(&shake.q, &q),
                distance(&shake.v, &v),
                distance(&rattle.q, &q),
                distance(&rattle.v, &v),
                distance(&shake.q, &rattle.q)
            );
        }
    }
    let stepper = Rattle::default().start(&system, start.clone(), 0.1).unwrap();
    println!("multipliers {:?}", stepper.multipliers());
    let (system, start) = Linkage::paper_chain(10);
    for h in [0.05, 0.025, 0.0125] {
        for (t, q, v) in reference(CHAIN) {
            let steps = (t / h).round() as u64;
            let rattle = run(&Rattle::default(), &system, &start, h, steps);
            let shake = run(&Shake::default(), &system, &start, h, steps);
            println!(
                "chain {h} {t} q {:.4e} v {:.4e} sv {:.4e}  g {:.2e} gv {:.2e}",
                distance(&rattle.q, &q),
                distance(&rattle.v, &v),
                distance(&shake.v, &v),
                system.violation(&rattle),
                system.rate(&rattle)
            );
        }
    }
    for (links, h) in [(1000, 0.05), (1000, 0.02), (1000, 0.01), (1000, 0.005)] {
        let (system, start) = Linkage::paper_chain(links);
        let mut stepper = Rattle::default().start(&system, start.clone(), h).unwrap();
        for _ in 0..400 {
            if let Err(error) = stepper.step() {
                println!("{error}");
                break;
            }
        }
        println!(
            "{links} {h}: {} {:?} E {:.10e} vs {:.10e}",
            stepper.steps(),
            stepper.evaluations(),
            system.energy(stepper.state()),
            system.energy(&start)
        );
    }
}
