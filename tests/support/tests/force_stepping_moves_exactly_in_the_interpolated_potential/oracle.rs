//! The first crossings, wall by wall, as computed with sixty digits by brute force.

use super::{coordinates, run, triangulation};
use least_action::method::force_stepping::{ForceStepping, Steps, Vertex, Walls};
use least_action::system::State;
use serde_json::Value;
use test_support::values::{OfValues, argon, argon_jacobi, chain, kepler, radial};

fn system(case: &str) -> OfValues {
    let named = [("argonjac", argon_jacobi().0), ("argonraw", argon().0), ("chain", chain(10).0)];
    let kepler = [("kepler_", kepler(0.85).0), ("keplerr", radial(0.85).0)];
    named.into_iter().chain(kepler).find(|(name, _)| case.starts_with(name)).unwrap().1
}

/// The oracle writes its digits as text.
fn digits(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|entry| entry.as_str().unwrap().parse().unwrap()).collect()
}

#[test]
fn the_first_crossings_are_those_of_the_oracle() {
    let reference = test_support::reference::read("force_stepping_measured.json");
    let cases = reference["crossing_lists_60_digit_oracle"].as_array().unwrap();
    assert_eq!(cases.len(), 7);
    for case in cases {
        let name = case["case"].as_str().unwrap();
        let system = system(name);
        let start = State::new(digits(&case["q0"]), digits(&case["v0"]));
        let method = ForceStepping {
            grid: Steps::Each(digits(&case["h"])),
            triangulation: triangulation(case["triangulation"].as_str().unwrap()),
            vertex: Vertex::Origin,
            walls: Some(Walls::All),
        };
        let mut run = run(&method, &system, &start);
        let energy = run.interpolant().value(&start.q) + system.kinetic(&start);
        let expected: f64 = case["E_h"].as_str().unwrap().parse().unwrap();
        assert!((energy - expected).abs() < 1e-14 * expected.abs().max(1.0), "{name}: {energy}");
        let times = digits(&case["t"]);
        let end = times[times.len() - 1];
        let mut state = start.clone();
        for (k, time) in times.iter().enumerate() {
            // Ties take no time, and the oracle has none.
            let crossing =
                std::iter::from_fn(|| run.next_crossing().unwrap()).find(|c| c.length > 0.0).unwrap();
            let wall: Vec<usize> = serde_json::from_value(case["wall"][k].clone()).unwrap();
            assert_eq!(coordinates(crossing.wall), wall, "{name}, crossing {k}");
            assert!((crossing.time - time).abs() < 1e-12 * end, "{name}, crossing {k}: {}", crossing.time);
            run.state_at(crossing.time, &mut state);
            let positions = digits(&case["q"][k]);
            for (q, expected) in state.q.iter().zip(&positions) {
                // The oracle prints thirteen decimals.
                assert!((q - expected).abs() < 1e-12, "{name}, crossing {k}: {q} is not {expected}");
            }
        }
        for (v, expected) in state.v.iter().zip(digits(&case["v_last"])) {
            assert!((v - expected).abs() < 1e-11 * expected.abs().max(1.0), "{name}: {v} is not {expected}");
        }
    }
}
