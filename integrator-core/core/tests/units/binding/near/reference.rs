//! The reference numbers of `tests/data/collective.json`.

use super::elements::{shifted, switched_pairs, truncated};
use super::{apart, points_of, with_now};
use least_action_core::binding::Cell;
use least_action_core::emitted::v1::{NearFamily, NearKernel, NearPoints, Source};
use least_action_core::internals::near::{At, Operation, Weights};
use least_action_core::lanes::Width;
use test_support::reference::{numbers, read};

#[test]
fn lennard_jones_liquids_have_the_derivatives_of_the_reference() {
    let file = read("collective.json");
    let cube = &file["lennard_jones_cube"];
    let triclinic = &file["lennard_jones_triclinic_switched"];
    let cases = [
        (cube, &cube["plain"], &truncated::KERNEL),
        (cube, &cube["shifted"], &shifted::KERNEL),
        (cube, &cube["switched"], &switched_pairs::KERNEL),
        (triclinic, triclinic, &switched_pairs::KERNEL),
    ];
    for (case, expected, kernel) in cases {
        let number = |name: &str| case[name].as_f64().expect("a number");
        let rows: Vec<[f64; 3]> = case["cell"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| numbers(row).try_into().expect("three"))
            .collect();
        let kinds: Vec<usize> = numbers(&case["kinds"]).into_iter().map(|kind| kind as usize).collect();
        let table = |name: &str| -> Vec<Vec<f64>> {
            case[name].as_array().expect("rows").iter().map(numbers).collect()
        };
        let (epsilon, sigma) = (table("epsilon"), table("sigma"));
        let q = numbers(&case["q"]);
        let mut near = NearPoints::new("within", number("cutoff"), 3).expect("a cutoff");
        points_of(&mut near, kinds.len());
        near.periodic(Cell::triclinic([rows[0], rows[1], rows[2]]));
        for pair in case["except"].as_array().expect("pairs") {
            let pair = numbers(pair);
            near.except(pair[0] as usize, pair[1] as usize);
        }
        let near = near.finish().expect("a cell");
        let mut family = NearFamily::new(kernel, &near);
        let shared: &[f64] = match kernel.sources.iter().filter(|source| **source == Source::Shared).count() {
            0 => &[],
            1 => &[number("cutoff")],
            _ => &[number("on"), number("cutoff")],
        };
        family.shared(shared).expect("finite");
        for (end, kind) in kinds.iter().enumerate() {
            family.first(end, &[], &[], &[*kind as u64]).expect("finite");
            family.second(end, &[], &[], &[*kind as u64]).expect("finite");
        }
        for (at, i, j) in family.representatives().expect("four") {
            family.pair(at, &[epsilon[kinds[i]][kinds[j]], sigma[kinds[i]][kinds[j]]]).expect("finite");
        }
        family.finish();
        for width in Width::available() {
            family.arrange(width.registers(), width.lanes());
            compare(&family, expected, &q, kernel);
        }
    }
}

fn compare(family: &NearFamily, expected: &serde_json::Value, q: &[f64], kernel: &NearKernel) {
    with_now(|now| {
        let value = family.sum(Operation::Value, At::new(q, now));
        let known = expected["value"].as_f64().expect("a number");
        assert!((value - known).abs() < 1e-12 * known.abs(), "{}: {value}, {known}", kernel.kernel.name);
        let mut found = vec![0.0; q.len()];
        family.add(Operation::Gradient, At::new(q, now), Weights::Ones, &mut found);
        let wrong = apart(&found, &numbers(&expected["gradient"]));
        assert!(wrong < 1e-12, "{}: gradient {wrong:.1e}", kernel.kernel.name);
        if expected["direction"].is_array() {
            let a = numbers(&expected["direction"]);
            found.fill(0.0);
            family.add(Operation::Product, At::new(q, now).along(&a), Weights::Ones, &mut found);
            let wrong = apart(&found, &numbers(&expected["hessian_product"]));
            assert!(wrong < 1e-12, "{}: product {wrong:.1e}", kernel.kernel.name);
            found.fill(0.0);
            family.add(Operation::Third, At::new(q, now).along(&a), Weights::Ones, &mut found);
            let wrong = apart(&found, &numbers(&expected["third_contraction"]));
            assert!(wrong < 1e-12, "{}: third {wrong:.1e}", kernel.kernel.name);
        }
    });
}
