//! The algorithm of the article, the kinetic ring and the coupled walls: one motion.

use super::paper::Paper;
use super::{ALL, coordinates, from_origin, run};
use integrator_core::method::force_stepping::{Crossing, ForceStepping, Triangulation, Wall, Walls};
use integrator_core::system::{Natural, State};
use std::collections::BTreeSet;
use test_support::structure::distance;
use test_support::values::{OfValues, argon, argon_jacobi, chain, kepler, net};

fn with(walls: Walls, method: &ForceStepping) -> ForceStepping {
    ForceStepping { walls: Some(walls), ..method.clone() }
}

/// The crossings until a time, those left out that take no time.
fn crossings<S: Natural>(
    method: &ForceStepping,
    system: &S,
    start: &State,
    end: f64,
) -> (Vec<Crossing>, State) {
    let mut run = run(method, system, start);
    let mut list = Vec::new();
    let mut state = start.clone();
    while let Some(crossing) = run.next_crossing().unwrap() {
        if crossing.time >= end {
            break;
        }
        if crossing.length > 0.0 {
            list.push(crossing);
        }
        run.state_at(crossing.time, &mut state);
    }
    (list, state)
}

/// Compares the ring, without the walls that carry no kink, with the coupled walls.
fn compare_forms(system: &OfValues, start: &State, method: &ForceStepping, end: f64) -> [usize; 2] {
    let (all, _) = crossings(&with(Walls::All, method), system, start, end);
    let (coupled, _) = crossings(&with(Walls::Coupled, method), system, start, end);
    let watched: BTreeSet<_> = coupled.iter().map(|crossing| coordinates(crossing.wall)).collect();
    // Every wall that is ever watched is watched always.
    let kinks: Vec<_> = all.iter().filter(|crossing| watched.contains(&coordinates(crossing.wall))).collect();
    assert_eq!(kinks.len(), coupled.len());
    for (one, other) in kinks.iter().zip(&coupled) {
        assert_eq!(one.wall, other.wall);
        assert!((one.time - other.time).abs() < 1e-12 * end, "{one:?} {other:?}");
    }
    // What is not watched does not turn the motion.
    let silent = all.iter().filter(|crossing| !watched.contains(&coordinates(crossing.wall)));
    assert!(silent.clone().all(|crossing| !crossing.turns));
    [all.len(), coupled.len()]
}

#[test]
fn coupled_walls_are_the_ring_without_what_does_not_turn() {
    for triangulation in ALL {
        for (beads, end) in [(10, 2.0), (100, 0.02), (300, 0.002)] {
            let (system, start) = chain(beads);
            let [all, coupled] = compare_forms(&system, &start, &from_origin(0.01, triangulation), end);
            assert!(all > 1000 && coupled > 40, "{beads}: {all} and {coupled}");
        }
        for (side, end) in [(3, 0.5), (6, 0.05)] {
            let (system, start) = net(side);
            let [all, coupled] = compare_forms(&system, &start, &from_origin(0.01, triangulation), end);
            assert!(all > 1000 && coupled > 500 && coupled < all, "{side}: {all} and {coupled}");
        }
        let (system, start) = kepler(0.85);
        let [all, coupled] = compare_forms(&system, &start, &from_origin(0.011, triangulation), 10.0);
        assert!(all == coupled && all > 1000);
    }
    let (system, start) = argon_jacobi();
    let [all, coupled] = compare_forms(&system, &start, &from_origin(0.02, Triangulation::Kuhn), 0.002);
    assert!(all == coupled && all > 500);
}

/// Compares the ring with the article for some crossings; returns the distance of the last positions.
fn compare_with_paper(system: &OfValues, start: &State, step: f64, count: usize, tolerance: f64) -> f64 {
    let dimension = start.q.len();
    let mut paper = Paper::new(system, vec![step; dimension], vec![0.0; dimension], start.clone());
    let energy = paper.interpolated() + system.kinetic(start);
    let mut ring = run(&with(Walls::All, &from_origin(step, Triangulation::Kuhn)), system, start);
    let mut state = start.clone();
    for k in 0..count {
        let crossing = ring.next_crossing().unwrap().unwrap();
        assert!(crossing.length > 0.0, "a tie at {}", crossing.time);
        assert_eq!(paper.cross(), coordinates(crossing.wall), "crossing {k}");
        assert!((paper.time - crossing.time).abs() < tolerance, "{} {}", paper.time, crossing.time);
        ring.state_at(crossing.time, &mut state);
    }
    let of_paper = paper.interpolated() + system.kinetic(&paper.state);
    assert!((of_paper - energy).abs() < 1e-10 * energy.abs(), "{of_paper} {energy}");
    distance(&state.q, &paper.state.q)
}

#[test]
fn the_algorithm_of_the_article_crosses_the_same_faces() {
    for (beads, count) in [(10, 3000), (100, 2000), (300, 300)] {
        let (system, start) = chain(beads);
        let apart = compare_with_paper(&system, &start, 0.01, count, 1e-11);
        assert!(apart < 1e-12, "{beads}: {apart:e}");
    }
    let (system, start) = net(3);
    assert!(compare_with_paper(&system, &start, 0.01, 2000, 1e-11) < 1e-11);
    // Not in the plane of symmetry, where the start is on a face.
    let (system, mut start) = kepler(0.85);
    start.q = vec![0.151, 0.003];
    let apart = compare_with_paper(&system, &start, 0.011, 3000, 1e-8);
    assert!(apart < 1e-8, "{apart:e}");
    // Chaos multiplies rounding by e in 0.5 ps.
    let (system, mut start) = argon_jacobi();
    start.q.iter_mut().enumerate().for_each(|(k, q)| *q += 1e-3 * (k as f64 + 0.5).sin());
    let apart = compare_with_paper(&system, &start, 0.02, 700, 1e-10);
    assert!(apart < 1e-10, "{apart:e}");
}

/// Only pairs of coordinates that share a spring are watched in a free net, and not the ends of cells.
#[test]
fn what_depends_on_differences_alone_has_no_ends_of_cells() {
    let ends = |system: &OfValues, start: &State, triangulation| {
        let (list, _) =
            crossings(&with(Walls::Coupled, &from_origin(0.01, triangulation)), system, start, 0.1);
        let count = list.iter().filter(|crossing| matches!(crossing.wall, Wall::Coordinate(_))).count();
        [count, list.len()]
    };
    let (system, start) = net(4);
    let [found, all] = ends(&system, &start, Triangulation::Kuhn);
    assert!(found == 0 && all > 100);
    assert!(ends(&system, &start, Triangulation::Mirrored)[0] > 0);
    let (system, start) = argon();
    assert_eq!(ends(&system, &start, Triangulation::Kuhn)[0], 0);
}
