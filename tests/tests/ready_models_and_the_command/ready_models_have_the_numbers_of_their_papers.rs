//! The ready models at their starts and at reference points: energies, gradients and steps against
//! independent numbers, and against results on paper.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action::advanced::sparse::{Elimination, Solver};
use least_action::advanced::wrap::Penalized;
use least_action::binding::{Bound, Model};
use least_action::method::{
    Method, Rattle, Reference, Stepper, VariationalMidpoint, Verlet, ZhangSkeel, ZhangSkeelSimplified,
    ZhangSkeelStiff,
};
use least_action::nalgebra::Vector3;
use least_action::system::{Holonomic, Lagrangian, Natural, Start, State, Stiff, System};
use least_action_models::{
    Argon, Bricard, CarAxis, Chain, ChaplyginSleigh, Cube, DampedDoublePendulum, Dna, DoublePendulum,
    DoublePendulumAngles, DoubleSpring, DrivenDoublePendulum, DrivenPendulum, DrivenPendulumCartesian,
    FeketePoints, FourBar, FourBars, JointedBoxes, Kepler, KeplerPolar, KeplerRadial, LennardJones,
    Oscillator, Pendulums, RigidBody, SliderCrank, Snakeboard, SpringChain, SpringNet, SpringPendulum, Top,
    Water,
};
use serde_json::Value;
use std::f64::consts::PI;
use test_support::reference::{numbers, read};
use test_support::structure::{advance, distance};

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{found} instead of {expected}");
}

#[track_caller]
fn assert_all_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(1.0, |scale: f64, entry| scale.max(entry.abs()));
    assert!(distance(found, expected) <= tolerance * scale, "{found:?} instead of {expected:?}");
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

fn gradient(system: &impl Natural, q: &[f64]) -> Vec<f64> {
    let mut gradient = vec![0.0; q.len()];
    system.potential_gradient(q, 0.0, &mut gradient);
    gradient
}

/// The start fits, is finite, and satisfies the constraints and their rate.
#[track_caller]
fn starts_well<M: Model + Start>(model: &M) {
    let bound = model.bind().unwrap();
    let State { t, q, v } = model.start();
    assert_eq!((q.len(), v.len()), (bound.dimension(), bound.dimension()), "{}", M::FACTS.name);
    assert!(bound.energy(&q, &v, t).is_finite(), "{}", M::FACTS.name);
    if let Some(holonomic) = bound.faces().holonomic {
        let (mut g, mut jacobian) =
            (vec![0.0; holonomic.constraints()], vec![0.0; holonomic.jacobian_pattern().len()]);
        holonomic.jacobian(&q, t, &mut g, &mut jacobian);
        let mut rate = vec![0.0; g.len()];
        holonomic.constraint_rate(&q, t, &mut rate);
        for (row, rate) in rate.iter_mut().enumerate() {
            let pattern = holonomic.jacobian_pattern();
            let range = pattern.starts()[row]..pattern.starts()[row + 1];
            *rate += range.map(|at| jacobian[at] * v[pattern.columns()[at] as usize]).sum::<f64>();
        }
        let size = q.iter().fold(1.0, |size: f64, q| size.max(q.abs()));
        assert!(g.iter().all(|g| g.abs() < 1e-14 * size * size), "{}: {g:?}", M::FACTS.name);
        assert!(rate.iter().all(|rate| rate.abs() < 1e-14 * size), "{}: {rate:?}", M::FACTS.name);
    }
}

#[test]
fn every_start_fits_its_model() {
    starts_well(&Argon::default());
    starts_well(&Chain::default());
    starts_well(&Cube::default());
    starts_well(&DrivenDoublePendulum::default());
    starts_well(&DrivenPendulum::default());
    starts_well(&DrivenPendulumCartesian::default());
    starts_well(&RigidBody::default());
    starts_well(&Dna::default());
    starts_well(&Dna { pairs: 1, ..Dna::default() });
    starts_well(&DoublePendulum::default());
    starts_well(&DoublePendulumAngles::default());
    starts_well(&Kepler::default());
    starts_well(&KeplerPolar::default());
    starts_well(&KeplerRadial::default());
    starts_well(&Oscillator::default());
    starts_well(&Pendulums::default());
    starts_well(&SpringPendulum::default());
    for size in [1, 2, 3, 50] {
        starts_well(&DoubleSpring { links: size });
        starts_well(&LennardJones { atoms: size, ..LennardJones::default() });
        starts_well(&SpringChain { beads: size, ..SpringChain::default() });
        starts_well(&SpringNet { rows: size, columns: 3, ..SpringNet::default() });
        starts_well(&Water { molecules: size, ..Water::default() });
    }
}

#[test]
fn every_machine_starts_on_its_constraints() {
    starts_well(&Bricard::default());
    starts_well(&Bricard { odd: 1.7, ..Bricard::default() });
    starts_well(&CarAxis::default());
    starts_well(&ChaplyginSleigh::default());
    starts_well(&DampedDoublePendulum::default());
    starts_well(&FourBar::default());
    starts_well(&FourBar { crank: 0.4, rate: -2.0, ..FourBar::default() });
    starts_well(&SliderCrank::default());
    starts_well(&SliderCrank { crank: 2.5, rate: 3.0, ..SliderCrank::default() });
    starts_well(&Snakeboard::default());
    starts_well(&Top::default());
    for size in [1, 2, 7] {
        starts_well(&FeketePoints { points: 3 * size, ..FeketePoints::default() });
        starts_well(&FourBars { windows: size, ..FourBars::default() });
        starts_well(&JointedBoxes { boxes: size, ..JointedBoxes::default() });
    }
}

/// Starts and energies of machines against an independent implementation of their equations.
#[test]
fn machines_are_those_of_their_problems() {
    fn compare<M: Model + Start>(model: &M, problem: &Value) {
        let State { q, v, t } = model.start();
        assert_all_close(&q, &numbers(&problem["q0"]), 1e-12);
        assert_all_close(&v, &numbers(&problem["v0"]), 1e-12);
        let energy = model.bind().unwrap().energy(&q, &v, t);
        assert_close(energy, problem["energy0"].as_f64().unwrap(), 1e-12);
    }
    let data = read("variational.json");
    let problems = &data["problems"];
    compare(&DampedDoublePendulum::default(), &problems["driven_damped_double_pendulum"]);
    compare(&SliderCrank::default(), &problems["slider_crank_motor"]);
    compare(&FourBar::default(), &problems["fourbar_relative_angles"]);
    compare(&CarAxis::default(), &problems["car_axis"]);
    compare(&Bricard::default(), &problems["bricard"]);
    compare(&FourBars::default(), &problems["n_fourbar_2"]);
    compare(&ChaplyginSleigh::default(), &problems["chaplygin_sleigh"]);
    compare(&Snakeboard::default(), &problems["snakeboard"]);
    let fekete = &data["kick_engines"]["fekete_damped"];
    let start = FeketePoints::default().start().q;
    let points: Vec<f64> = fekete["start"].as_array().unwrap().iter().flat_map(numbers).collect();
    assert_all_close(&start, &points, 1e-14);
}

/// The energy of the printed table, its kinetic and potential part, and a total momentum of zero.
#[test]
fn argon_has_the_energy_of_its_table() {
    let data = read("force_stepping.json");
    let units = &data["argon"]["units"];
    let model = Argon::default();
    assert_close(model.mass, units["m"].as_f64().unwrap(), 0.0);
    assert_close(model.epsilon, units["eps"].as_f64().unwrap(), 1e-15);
    let (bound, State { q, v, .. }) = (model.bind().unwrap(), model.start());
    let table = |name: &str| -> Vec<f64> {
        data["argon"][name].as_array().unwrap().iter().flat_map(numbers).collect()
    };
    assert_eq!((&q, &v), (&table("position_nm"), &table("velocity_nm_per_ns")));
    let potential = bound.potential(&q, 0.0) / model.epsilon;
    assert_close(potential, units["V_over_eps"].as_f64().unwrap(), 1e-13);
    let energy = bound.energy(&q, &v, 0.0) / model.epsilon;
    assert_close(energy, units["E_over_eps_from_printed_data"].as_f64().unwrap(), 1e-13);
    let momentum = v.as_chunks::<2>().0.iter().fold([0.0; 2], |sum, v| [sum[0] + v[0], sum[1] + v[1]]);
    assert_all_close(&momentum, &[0.0; 2], 0.0);
}

/// The configuration of the reference numbers: a ring of molecules, each turned otherwise.
fn ring_of_water(model: &Water, shift: f64) -> Vec<f64> {
    let place = |m: usize| {
        let (angle, up) = (2.0 * PI * m as f64 / 7.0, if m.is_multiple_of(2) { 0.5 } else { -0.5 });
        Vector3::new(3.2 * angle.cos(), 3.2 * angle.sin(), up)
    };
    let turned = |m: usize| model.molecule(place(m), 0.7 * m as f64 + 0.3, 0.5 * m as f64 + 0.2);
    let rigid = State::points_at_rest((0..model.molecules).flat_map(turned).collect::<Vec<_>>()).q;
    rigid.iter().zip(1..).map(|(q, k)| q + shift * f64::from(k).sin()).collect()
}

#[test]
fn water_has_the_reference_energies_and_forces() {
    let data = read("water.json");
    let model = Water::default();
    let bound = model.bind().unwrap();
    let penalized = Penalized::new(&bound, data["omega"].as_f64().unwrap()).unwrap();
    for (name, shift) in [("rigid", 0.0), ("perturbed", 0.01)] {
        let (expected, q) = (&data[name], ring_of_water(&model, shift));
        assert_all_close(&q[..9], &numbers(&expected["q_first9"]), 1e-15);
        assert_close(bound.potential(&q, 0.0), expected["E_nonbonded"].as_f64().unwrap(), 1e-13);
        let force = gradient(&bound, &q);
        assert_all_close(&force[..9], &numbers(&expected["grad_nonbonded_first9"]), 1e-13);
        assert_close(norm(&force), expected["grad_nonbonded_norm"].as_f64().unwrap(), 1e-13);
        // The constraints in the order of the reference: both bonds, then the hydrogens.
        let mut g = vec![0.0; bound.constraints()];
        bound.constraint_values(&q, 0.0, &mut g);
        assert_all_close(&g[..3], &numbers(&expected["g_first3"]), 2e-15);
        assert_close(norm(&g), expected["g_norm"].as_f64().unwrap(), 1e-14);
        assert_close(penalized.potential(&q, 0.0), expected["E_total"].as_f64().unwrap(), 1e-13);
        let all = gradient(&penalized, &q);
        assert_close(norm(&all), expected["grad_total_norm"].as_f64().unwrap(), 1e-13);
    }
}

/// The matrix of the stiff integrator has a block of nine unknowns a molecule, for any pair forces.
#[test]
fn water_has_the_reference_steps_of_the_stiff_integrator() {
    let data = read("water.json");
    let model = Water::default();
    let bound = model.bind().unwrap();
    let penalized = Penalized::new(&bound, data["omega"].as_f64().unwrap()).unwrap();
    let blocks = Solver::symmetric(penalized.stiff_pattern()).elimination();
    assert_eq!(blocks, Elimination::Blocks { count: model.molecules, largest: 9 });
    let (h, beta) = (data["h"].as_f64().unwrap(), data["beta"].as_f64().unwrap());
    for (name, shift) in [("rigid", 0.0), ("perturbed", 0.01)] {
        let (expected, start) = (&data[name], State::at_rest(ring_of_water(&model, shift)));
        for steps in [1, 10] {
            let end = advance(&penalized, &ZhangSkeelStiff { beta }, &start, h, steps);
            let expected = &expected[format!("zs_stiff_after_{steps}")];
            assert_all_close(&end.q[..9], &numbers(&expected["q_first9"]), 1e-11);
            assert_all_close(&end.v[..9], &numbers(&expected["v_first9"]), 1e-11);
            assert_close(norm(&end.q), expected["q_norm"].as_f64().unwrap(), 1e-11);
            let energy = penalized.energy(&end.q, &end.v, 0.0);
            assert_close(energy, expected["E_total"].as_f64().unwrap(), 1e-11);
            let mut momenta = vec![0.0; end.v.len()];
            penalized.mass().multiply(&end.v, &mut momenta);
            for k in 0..3 {
                let total: f64 = momenta.iter().skip(k).step_by(3).sum();
                assert!(total.abs() < 1e-13, "{total:e}");
            }
        }
    }
}

/// Energies and steps: these go through gradient, Hessian and third contraction of a ring.
#[test]
fn dna_has_the_reference_energies_and_steps() {
    let data = read("dna.json");
    let model = Dna::default();
    let (bound, start) = (model.bind().unwrap(), model.start());
    assert_close(bound.potential(&start.q, 0.0), data["potential"].as_f64().unwrap(), 1e-13);
    assert_close(bound.energy(&start.q, &start.v, 0.0), data["energy"].as_f64().unwrap(), 1e-13);
    let force = gradient(&bound, &start.q);
    assert_all_close(&force[..5], &numbers(&data["grad_first5"]), 1e-14);
    assert_close(norm(&force), data["grad_norm"].as_f64().unwrap(), 1e-13);

    let steps = data["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 12);
    for expected in steps {
        let (h, n) = (expected["h"].as_f64().unwrap(), expected["n"].as_u64().unwrap());
        let end = match expected["method"].as_str().unwrap() {
            "verlet" => advance(&bound, &Verlet, &start, h, n),
            "zs" => advance(&bound, &ZhangSkeel { beta: 0.3 }, &start, h, n),
            "zs_simplified" => advance(&bound, &ZhangSkeelSimplified { beta: 0.3 }, &start, h, n),
            other => panic!("no method {other}"),
        };
        assert_all_close(&end.q[..5], &numbers(&expected["theta_first5"]), 1e-11);
        assert_all_close(&end.v[..5], &numbers(&expected["v_first5"]), 1e-11);
        assert_close(norm(&end.q), expected["theta_norm"].as_f64().unwrap(), 1e-11);
        assert_close(norm(&end.v), expected["v_norm"].as_f64().unwrap(), 1e-11);
        assert_close(bound.energy(&end.q, &end.v, 0.0), expected["energy"].as_f64().unwrap(), 1e-11);
    }
}

/// Semi-major axis 1: the energy is −½ and the angular momentum √(1 − e²) in all three forms.
#[test]
fn kepler_is_the_same_in_all_coordinates() {
    for eccentricity in [0.0_f64, 0.3, 0.85, 0.99] {
        let momentum = (1.0 - eccentricity * eccentricity).sqrt();
        let energy = |bound: &dyn Lagrangian, state: &State| bound.energy(&state.q, &state.v, 0.0);
        let (plane, polar, radial) =
            (Kepler { eccentricity }, KeplerPolar { eccentricity }, KeplerRadial { eccentricity });
        let start = plane.start();
        assert_close(energy(&plane.bind().unwrap(), &start), -0.5, 1e-13 / (1.0 - eccentricity));
        assert_close(start.q[0] * start.v[1] - start.q[1] * start.v[0], momentum, 1e-15);
        let start = polar.start();
        assert_close(energy(&polar.bind().unwrap(), &start), -0.5, 1e-13 / (1.0 - eccentricity));
        assert_close(start.q[0].powi(2) * start.v[1], momentum, 1e-15);
        let start = radial.start();
        assert_close(energy(&radial.bind().unwrap(), &start), -0.5, 1e-13 / (1.0 - eccentricity));
        assert_close(start.q[0], 1.0 - eccentricity, 0.0);
    }
}

/// Thirteen atoms on the lattice: 36, 12, 24 and 6 pairs at 1, √2, √3 and 2 times the distance of rest.
#[test]
fn thirteen_atoms_are_a_cuboctahedron() {
    let model = LennardJones::default();
    let (bound, start) = (model.bind().unwrap(), model.start());
    let pair = |square: i32| f64::from(square).powi(-6) - 2.0 * f64::from(square).powi(-3);
    let expected = 36.0 * pair(1) + 12.0 * pair(2) + 24.0 * pair(3) + 6.0 * pair(4);
    assert_close(bound.potential(&start.q, 0.0), expected, 1e-13);
    let other = LennardJones { sigma: 3.4, epsilon: 0.2, ..model };
    let potential = other.bind().unwrap().potential(&other.start().q, 0.0);
    assert_close(potential, 0.2 * expected, 1e-13);
}

/// Two springs on the manifold: their multipliers, with G Gᵀ λ = the curvature, are 1.5 and 1.25; the
/// paper's first start stretches both springs by √1.0625 − 1.
#[test]
fn double_spring_has_the_multipliers_of_the_paper() {
    let model = DoubleSpring::default();
    let (bound, State { q, v, .. }) = (model.bind().unwrap(), model.start());
    assert_eq!((&q[..], &v[..]), (&[1.0, 0.0, 2.0, 0.0][..], &[0.0, -0.5, 0.0, 0.5][..]));
    let (mut g, mut jacobian, mut curvature) =
        ([0.0; 2], vec![0.0; bound.jacobian_pattern().len()], [0.0; 2]);
    bound.jacobian(&q, 0.0, &mut g, &mut jacobian);
    bound.constraint_curvature(&q, &v, 0.0, &mut curvature);
    let pattern = bound.jacobian_pattern();
    let row = |row: usize| {
        let mut full = [0.0; 4];
        for at in pattern.starts()[row]..pattern.starts()[row + 1] {
            full[pattern.columns()[at] as usize] = jacobian[at];
        }
        full
    };
    let dot = |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (first, second) = (row(0), row(1));
    let (a, b, c) = (dot(first, first), dot(first, second), dot(second, second));
    let determinant = a * c - b * b;
    let lambda = [
        (c * curvature[0] - b * curvature[1]) / determinant,
        (a * curvature[1] - b * curvature[0]) / determinant,
    ];
    assert_all_close(&lambda, &[1.5, 1.25], 1e-15);
    bound.constraint_values(&[1.0, 0.25, 2.0, 0.0], 0.0, &mut g);
    assert_all_close(&g, &[1.0625_f64.sqrt() - 1.0; 2], 1e-15);
}

/// The displacements and velocities of the reference, and the force between fixed ends by hand.
#[test]
fn spring_chain_starts_as_the_reference() {
    let data = read("force_stepping.json");
    let (model, data) = (SpringChain::default(), &data["spring_chain"]);
    let (bound, State { q, v, .. }) = (model.bind().unwrap(), model.start());
    assert_all_close(&q, &numbers(&data["q0"]), 1e-15);
    assert_all_close(&v, &numbers(&data["v0"]), 1e-15);
    let force = |r: f64| r + 0.25 * r * r + r * r * r;
    let places: Vec<f64> = std::iter::once(0.0).chain(q.iter().copied()).chain([0.0]).collect();
    let forces: Vec<f64> = places.array_windows().map(|&[a, b, c]| force(b - a) - force(c - b)).collect();
    assert_all_close(&gradient(&bound, &q), &forces, 1e-15);
}

/// At rest on its lattice, each inner knot with eight neighbours.
#[test]
fn pendulums_move_as_the_chain() {
    let (links, until) = (5, 2.0);
    let (chain, pendulums) =
        (Chain { links, ..Chain::default() }, Pendulums { links, ..Pendulums::default() });
    let end = |system: &dyn Lagrangian, start: State| {
        let mut stepper = Reference::default().start(system, start, until).unwrap();
        stepper.step().unwrap();
        stepper.state().clone()
    };
    let bobs = end(&chain.bind().unwrap(), chain.start()).q;
    let angles = end(&pendulums.bind().unwrap(), pendulums.start()).q;
    let (mut x, mut y) = (0.0, 0.0);
    for (angle, bob) in angles.iter().zip(bobs.chunks_exact(2)) {
        (x, y) = (x + pendulums.rod * angle.sin(), y - pendulums.rod * angle.cos());
        assert!((x - bob[0]).abs() < 1e-9 && (y - bob[1]).abs() < 1e-9, "{bob:?} instead of {x}, {y}");
    }
}

#[test]
fn spring_net_is_relaxed_on_its_lattice() {
    let model = SpringNet { length: 0.7, ..SpringNet::default() };
    let (bound, start) = (model.bind().unwrap(), model.start());
    assert!(norm(&gradient(&bound, &start.q)) < 1e-14);
    assert!(bound.potential(&start.q, 0.0) < 1e-28);
    let inner = 2 * (2 * 5 + 2);
    let neighbours = bound
        .potential_pattern()
        .entries()
        .filter(|&(row, column)| row != column && (row == inner || column == inner))
        .count();
    // x of the knot with its own y, and with x and y of eight others.
    assert_eq!(neighbours, 17);
}

/// Stiff parts: the centre of the oscillator moves, and the spring has the frequency ω.
#[test]
fn stiff_models_have_their_frequency() {
    let model = Oscillator { omega: 30.0 };
    let bound: Bound<Oscillator> = model.bind().unwrap();
    let mut force = [0.0];
    bound.potential_gradient(&[0.2], 1.5, &mut force);
    assert_close(force[0], 900.0 * (0.2 - 1.5_f64.cos()), 1e-15);

    let model = SpringPendulum { mass: 2.0, length: 0.5, gravity: 9.81, omega: 40.0 };
    let (bound, start) = (model.bind().unwrap(), model.start());
    assert_all_close(&gradient(&bound, &start.q), &[0.0, 2.0 * 9.81], 1e-15);
    let (mut force, mut hessian) = ([0.0; 2], vec![0.0; bound.potential_pattern().len()]);
    bound.potential_second(&start.q, 0.0, &mut force, &mut hessian);
    // Along the spring, which lies along x: m ω².
    assert_close(hessian[0], 2.0 * 1600.0, 1e-14);
    assert_all_close(&hessian[1..], &[0.0, 0.0], 1e-11);
}

/// The energy of the paper's flight, and facts of an elastic body: no force at rest, the energy of a
/// uniform stretch, and the penalty of a surface behind the wall.
#[test]
fn cube_has_the_energies_of_elasticity() {
    let data = read("force_stepping.json");
    let (model, data) = (Cube::default(), &data["cube"]);
    let (bound, State { q, v, .. }) = (model.bind().unwrap(), model.start());
    assert_eq!(q.len(), 3 * data["nodes"].as_u64().unwrap() as usize);
    assert_close(bound.energy(&q, &v, 0.0), data["K0_J"].as_f64().unwrap(), 1e-12);
    let stiffness = model.mu * model.side.powi(2);
    assert!(norm(&gradient(&bound, &q)) < 1e-13 * stiffness);
    let stretched: Vec<f64> = q.iter().map(|q| 0.9 * q).collect();
    let growth = 3.0 * 0.9_f64.ln();
    let density = 1.5 * model.mu * (0.81 - 1.0) - model.mu * growth + 0.5 * model.lambda * growth.powi(2);
    assert_close(bound.potential(&stretched, 0.0), density * model.side.powi(3), 1e-12);
    // Moved up by 0.003, the edge y = z = 0.1 is 0.001 behind the wall y + z = 0.202; no other node is.
    let moved: Vec<f64> = (0..).zip(&q).map(|(k, q)| if k % 3 == 2 { q + 0.003 } else { *q }).collect();
    // With two cells there are three nodes on the edge.
    assert_close(bound.potential(&moved, 0.0), 3.0 * 0.5e14 * 0.001_f64.powi(2), 1e-9);
}

/// The force on a shaken pendulum by hand, at any phase, and the places of the paper.
#[test]
fn driven_pendulums_are_shaken_as_in_the_paper() {
    let model = DrivenPendulum { omega: 50.0, phase: 0.4, ..DrivenPendulum::default() };
    let bound = model.bind().unwrap();
    for (q, t) in [(0.5_f64, 0.0_f64), (-1.2, 0.037)] {
        let mut force = [0.0];
        bound.potential_gradient(&[q], t, &mut force);
        let acceleration = (9.8 + 4.0 * 50.0 * (50.0 * t + 0.4).cos()) * q.sin() / 0.2;
        assert_close(-force[0] / 0.2_f64.powi(2), acceleration, 1e-13);
    }
    assert_all_close(
        &DrivenDoublePendulum::default().start().q,
        &[
            0.095_885_107_720_840_6,
            0.175_516_512_378_074_56,
            0.095_885_107_720_840_6,
            0.275_516_512_378_074_56,
        ],
        1e-15,
    );
}

/// RATTLE on the rotation matrix against accurate solutions of Euler's equations: second order.
#[test]
fn rigid_body_turns_as_euler_says() {
    let data = read("rigid_body.json");
    let model = RigidBody { moment: data["moment"].as_f64().unwrap() };
    let (bound, start) = (model.bind().unwrap(), model.start());
    assert_close(bound.energy(&start.q, &start.v, 0.0), data["energy_0"].as_f64().unwrap(), 1e-15);
    let expected = &data["exact"][0];
    let rotation: Vec<f64> = expected["R"].as_array().unwrap().iter().flat_map(numbers).collect();
    let error = |steps: u32| {
        let end = advance(&bound, &Rattle::default(), &start, 1.0 / f64::from(steps), u64::from(steps));
        distance(&end.q, &rotation)
    };
    let (coarse, fine) = (error(100), error(200));
    assert!(coarse < 1e-4 && fine < coarse / 3.9 && fine > coarse / 4.1, "{coarse} {fine}");
}

/// Parameters are read from JSON with defaults for missing ones, and misspelt ones are refused.
#[test]
fn parameters_are_data() {
    let model: Water = serde_json::from_value(serde_json::json!({"molecules": 3})).unwrap();
    assert_eq!(model, Water { molecules: 3, ..Water::default() });
    let misspelt: Result<Water, _> = serde_json::from_value(serde_json::json!({"molecule": 3}));
    assert!(misspelt.is_err());
    let written: Value = serde_json::to_value(Kepler::default()).unwrap();
    assert_eq!(written, serde_json::json!({"eccentricity": 0.85}));
}

/// From rest, straight and level, where only rows of light bodies are long: both methods move the chain
/// alike at any length.
#[test]
fn ten_thousand_jointed_boxes_are_let_go() {
    for (count, steps) in [(1000, 4), (10_000, 3)] {
        let boxes = JointedBoxes { boxes: count, ..JointedBoxes::default() };
        let (system, start) = (boxes.bind().unwrap(), boxes.start());
        let midpoint = VariationalMidpoint::default().start(&system, start.clone(), 1e-3).unwrap();
        assert_eq!(midpoint.warning(), None, "{count}");
        let by_midpoint = advance(&system, &VariationalMidpoint::default(), &start, 1e-3, steps);
        let by_rattle = advance(&system, &Rattle::default(), &start, 1e-3, steps);
        // Both are of order 2, and the first boxes turn by 10⁻⁴ at least.
        assert!(distance(&by_rattle.q, &start.q) > 3e-5, "{count}");
        let apart = distance(&by_rattle.q, &by_midpoint.q);
        assert!(apart < 1e-7, "{count}: {apart:e}");
    }
}

/// Steps that end where all bars lie level, nearly to rounding, where all constraints of a window depend
/// on each other.
#[test]
fn a_row_of_windows_passes_its_level_position() {
    use least_action::method::{Method, Stepper, VariationalMidpoint};

    for step in [2e-3, 1e-3] {
        let model = FourBars { windows: 40, ..FourBars::default() };
        let (system, start) = (model.bind().unwrap(), model.start());
        let energy = |state: &State| system.energy(&state.q, &state.v, state.t);
        let before = energy(&start);
        let mut stepper = VariationalMidpoint::default().start(&system, start, step).unwrap();
        while stepper.state().t < 1.4 {
            stepper.step().unwrap();
        }
        let after = stepper.state();
        // The angle from the vertical: α̈ = 3 (3 N + 1) g sin α/(8 N + 2), by leap-frog.
        let (h, rate) = (1e-5, 3.0 * 121.0 * 9.81 / 322.0);
        let (mut angle, mut turning) = (0.0_f64, 1.0);
        for _ in 0..(after.t / h).round() as usize {
            angle += 0.5 * h * turning;
            turning += h * rate * angle.sin();
            angle += 0.5 * h * turning;
        }
        let away = (after.q[0] - angle.sin()).hypot(after.q[1] - angle.cos());
        assert!(away < 2e3 * step * step, "{away} from the exact angle, {step}");
        for (i, tip) in after.q.chunks(2).enumerate() {
            let away = (tip[0] - i as f64 - after.q[0]).hypot(tip[1] - after.q[1]);
            assert!(away < 1e-6, "tip {i} is {away} off, {step}");
        }
        assert!((energy(after) - before).abs() < 1e3 * step * step * before, "{step}");
    }
}
