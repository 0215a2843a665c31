//! Functions of sums have the values, and all derivatives, of plain loops in 130 digits.

#![expect(clippy::expect_used, reason = "in a test file, helpers fail as tests do")]

use declarations::{Coil, Embedded, Gyration, MeanField, Smoothed, SoftMinimum, Tangle};
use least_action::binding::Model;
use least_action::expr::Oracle;
use least_action::system::{Holonomic, Natural, System};
use serde_json::Value;
use test_support::THOROUGH;
use test_support::agreement::{Seeded, constraints_agree_with_oracle, kernels_agree_with_oracle};
use test_support::reference::{numbers, read};

const TOLERANCE: f64 = 1e-12;

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("rows").iter().map(numbers).collect()
}

#[track_caller]
fn same(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= TOLERANCE * size, "{what}[{k}] is {a}, not {b}");
    }
}

/// Compares all that an entry has with the system, and Hess V with its products.
#[track_caller]
fn potential(system: &impl Natural, entry: &Value) {
    let (q, a) = (numbers(&entry["positions"]), numbers(&entry["direction"]));
    same("V", &[system.potential(&q, 0.0)], &[entry["value"].as_f64().expect("a number")]);
    let mut vector = vec![f64::NAN; q.len()];
    system.potential_gradient(&q, 0.0, &mut vector);
    same("∇V", &vector, &numbers(&entry["gradient"]));
    system.potential_product(&q, 0.0, &a, &mut vector);
    same("Hess V a", &vector, &numbers(&entry["hessian_product"]));
    system.potential_third(&q, 0.0, &a, &mut vector);
    same("a V‴ a", &vector, &numbers(&entry["third_contraction"]));
    let hessian = system.hessian(&q, 0.0);
    hessian.multiply(&a, &mut vector);
    same("the assembled Hess V a", &vector, &numbers(&entry["hessian_product"]));
    let mut gradient = vec![f64::NAN; q.len()];
    system.potential_second(&q, 0.0, &mut gradient, &mut vec![0.0; system.potential_pattern().len()]);
    same("∇V with Hess V", &gradient, &numbers(&entry["gradient"]));
}

/// Models of few coordinates are enough without optimization.
#[track_caller]
fn agrees<M: Model + Oracle>(model: &M, q: &[f64]) {
    let mut seeded = Seeded::new(29);
    for _ in 0..if THOROUGH { 2 } else { 1 } {
        let moved: Vec<f64> = q.iter().map(|q| q + 0.02 * seeded.number()).collect();
        kernels_agree_with_oracle(model, &moved, &seeded.numbers(q.len()), 0.0);
    }
}

#[test]
fn embedded_atoms() {
    let data = read("collective.json");
    for name in ["embedded_atoms_cluster", "embedded_atoms_alloy"] {
        let entry = &data[name];
        let model = Embedded {
            kind: numbers(&entry["kinds"]).into_iter().map(|kind| kind as usize).collect(),
            repulsion: matrix(&entry["A"]),
            hopping: matrix(&entry["xi"]),
            steepness: matrix(&entry["p"]),
            decay: matrix(&entry["q"]),
            distance: matrix(&entry["r0"]),
        };
        potential(&model.bind().expect("a system"), entry);
        if THOROUGH {
            agrees(&model, &numbers(&entry["positions"]));
        }
    }
}

#[test]
fn radius_of_gyration() {
    let entry = &read("collective.json")["radius_of_gyration"];
    let number = |name: &str| entry[name].as_f64().expect("a number");
    let model = Gyration {
        beads: number("beads") as usize,
        stiffness: number("stiffness"),
        radius: number("radius"),
        bond: number("bond"),
    };
    potential(&model.bind().expect("a system"), entry);
    agrees(&model, &numbers(&entry["positions"]));
}

#[test]
fn radius_of_gyration_as_a_constraint() {
    let data = read("collective.json");
    let (of_coil, entry) = (&data["radius_of_gyration"], &data["radius_of_gyration_as_constraint"]);
    let q = numbers(&of_coil["positions"]);
    let model = Coil { beads: q.len() / 3, radius: 1.1 };
    let system = model.bind().expect("a system");
    let (a, weight) = (numbers(&entry["direction"]), entry["weight"].as_f64().expect("a number"));
    let mut values = [f64::NAN];
    let mut rows = vec![f64::NAN; system.jacobian_pattern().len()];
    system.constraint_values(&q, 0.0, &mut values);
    same("g", &values, &[entry["value"].as_f64().expect("a number")]);
    system.jacobian(&q, 0.0, &mut values, &mut rows);
    same("g with G", &values, &[entry["value"].as_f64().expect("a number")]);
    same("G", &rows, &numbers(&entry["gradient"]));
    let weighted = |name: &str| numbers(&entry[name]).into_iter().map(|value| weight * value).collect();
    let (product, third): (Vec<f64>, Vec<f64>) = (weighted("hessian_product"), weighted("third_contraction"));
    let mut vector = vec![0.0; q.len()];
    system.add_weighted_product(&q, 0.0, &[weight], &a, &mut vector);
    same("w Hess g a", &vector, &product);
    let mut vector = vec![0.0; q.len()];
    system.add_weighted_third(&q, 0.0, &[weight], &a, &mut vector);
    same("w a g‴ a", &vector, &third);
    let mut quadratic = [f64::NAN];
    system.constraint_quadratic(&q, 0.0, &a, &mut quadratic);
    let expected: f64 = a.iter().zip(&product).map(|(a, h)| a * h / weight).sum();
    same("aᵀ Hess g a", &quadratic, &[expected]);
    let mut hessian = vec![f64::NAN; system.weighted_pattern().len()];
    system.weighted_hessian(&q, 0.0, &[weight], &mut hessian);
    let mut vector = vec![0.0; q.len()];
    system.weighted_pattern().multiply_add(&hessian, &a, &mut vector);
    same("the assembled w Hess g a", &vector, &product);
    constraints_agree_with_oracle(&model, &q, 0.0);
    assert_eq!(system.constraint_name(0), "kept");
}

#[test]
fn logarithm_of_a_sum_of_exponentials() {
    let entry = &read("collective.json")["log_sum_exp"];
    let model = SoftMinimum {
        temperature: entry["temperature"].as_f64().expect("a number"),
        stiffness: numbers(&entry["stiffness"]),
        centres: matrix(&entry["centres"]).into_iter().map(|centre| [centre[0], centre[1]]).collect(),
        offsets: numbers(&entry["offsets"]),
    };
    potential(&model.bind().expect("a system"), entry);
    agrees(&model, &numbers(&entry["positions"]));
}

#[test]
fn mean_field() {
    let entry = &read("collective.json")["mean_field_angles"];
    let model = MeanField {
        coupling: entry["coupling"].as_f64().expect("a number"),
        wells: numbers(&entry["wells"]),
    };
    potential(&model.bind().expect("a system"), entry);
    agrees(&model, &numbers(&entry["positions"]));
}

#[test]
fn smoothed_particles() {
    let entry = &read("collective.json")["smoothed_particles"];
    let number = |name: &str| entry[name].as_f64().expect("a number");
    let model = Smoothed {
        particles: number("particles") as usize,
        h: number("h"),
        mass: number("mass"),
        k: number("k"),
        gamma: number("gamma"),
    };
    potential(&model.bind().expect("a system"), entry);
    if THOROUGH {
        agrees(&model, &numbers(&entry["positions"]));
    }
}

#[test]
fn sums_are_no_sum_of_elements() {
    let system = MeanField { coupling: 1.0, wells: vec![0.5; 3] }.bind().expect("a system");
    assert!(system.elements().is_none());
    assert_eq!(system.dimension(), 3);
}

#[test]
fn sums_in_every_place() {
    for n in [2, 4] {
        let links = vec![(0, 1), (1, 0), (n - 1, 0), (0, n - 1)];
        let weights = (0..n).map(|k| 0.5 + 0.3 * k as f64).collect();
        let layers = [0.1, 0.2, -1.0, 0.1, 0.05, -0.3, 0.2, 0.1, 0.3, -0.1];
        let model = Tangle { weights, links, layers, rate: 0.7 };
        let mut seeded = Seeded::new(30);
        for _ in 0..4 {
            let (q, v, t) = (seeded.numbers(n + 1), seeded.numbers(n + 1), seeded.number());
            kernels_agree_with_oracle(&model, &q, &v, t);
            constraints_agree_with_oracle(&model, &q, t);
        }
    }
}

#[test]
fn sums_move_as_their_elements_do() {
    let names = |conserved: &[least_action::advanced::noether::ConservedQuantity]| -> Vec<String> {
        conserved.iter().map(|quantity| quantity.name.to_string()).collect()
    };
    let gyration = Gyration { beads: 4, stiffness: 1.0, radius: 1.0, bond: 1.0 }.bind().expect("a system");
    // Energy, and three components each of linear and angular momentum.
    assert_eq!(gyration.conserved().len(), 7, "{:?}", names(gyration.conserved()));
    let field = MeanField { coupling: 1.0, wells: vec![0.5; 3] }.bind().expect("a system");
    assert_eq!(field.conserved().len(), 1, "{:?}", names(field.conserved()));
}
