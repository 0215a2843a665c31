//! The reference method against the accurate solutions of an independent implementation.

use super::rotations::Top;
use least_action::advanced::sparse::SymmetricMatrix;
use least_action::advanced::wrap::Penalized;
use least_action::drive::{ConstraintResidual, Energy, Multipliers, Recording, integrate};
use least_action::error::StartError;
use least_action::method::reference::accelerations;
use least_action::method::{Bdf, Method, Reference, Stepper};
use least_action::prelude::*;
use test_support::fall::Fall;
use test_support::linkage::{Linkage, Rod};
use test_support::quartic::Quartic;
use test_support::reference::{numbers, read};
use test_support::structure::{advance, distance, state_distance};

fn cases() -> [(&'static str, Linkage, State); 2] {
    [
        ("double_pendulum.json", Linkage::double_pendulum(1.0).0, Linkage::double_pendulum(1.0).1),
        ("chain.json", Linkage::paper_chain(10, 1.0).0, Linkage::paper_chain(10, 1.0).1),
    ]
}

#[test]
fn constrained_and_penalized_motions_agree_with_the_accurate_solutions() {
    for (file, model, start) in cases() {
        let trajectory = &read(file)["trajectory_hanging"];
        let times = numbers(&trajectory["t"]);
        let penalized = Penalized::new(&model, 20.0).unwrap();
        // The output interval divides the times of the data: 0.5.
        let constrained = integrate(&model, &Reference::default(), start.clone(), 0.5)
            .unwrap()
            .until(times[times.len() - 1])
            .measure(ConstraintResidual::of(&model))
            .record()
            .unwrap();
        let soft = integrate(&penalized, &Reference::default(), start, 0.5)
            .unwrap()
            .until(times[times.len() - 1])
            .record()
            .unwrap();
        for (recording, name) in [(&constrained, "constrained"), (&soft, "penalised")] {
            for (k, t) in times.iter().enumerate() {
                let row = recording.times().position(|time| (time - t).abs() < 1e-12).unwrap();
                let q = recording.positions().nth(row).unwrap();
                let error = distance(q, &numbers(&trajectory[name][k]["q"]));
                assert!(error < 1e-10, "{file}, {name}, t = {t}: {error:e}");
            }
        }
        let residual = constrained.column("constraint_residual").unwrap();
        assert!(residual.iter().all(|residual| *residual < 1e-12), "{residual:?}");
    }
}

#[test]
fn the_multipliers_balance_the_weight_at_the_start() {
    // Digest of the paper: (−2/3, −1/6) in M q̈ = −∇V + Gᵀ λ.
    let model = Linkage::double_pendulum(1.0).0;
    let start = Linkage::double_pendulum(1.0).1;
    let recording = integrate(&model, &Reference::default(), start, 0.1)
        .unwrap()
        .measure(Multipliers::of(&model))
        .record()
        .unwrap();
    let first = |name| recording.column(name).unwrap()[0];
    assert!((first("lambda.rods[0]") + 2.0 / 3.0).abs() < 1e-14);
    assert!((first("lambda.rods[1]") + 1.0 / 6.0).abs() < 1e-14);
}

/// A coupled mass: of the coordinates of each bob, or of all neighbours.
fn coupled(bobs: usize, of_all: bool) -> SymmetricMatrix {
    let n = 2 * bobs;
    let diagonal = (0..n).map(|i| (i, i, 2.0 + 0.1 * i as f64));
    let below = (1..n).filter(|i| of_all || i % 2 == 1).map(|i| (i, i - 1, 0.5));
    SymmetricMatrix::of_entries(n, &diagonal.chain(below).collect::<Vec<_>>())
}

/// Linkages whose multipliers come from G M⁻¹ Gᵀ, and those where a dense inverse, a light bob or rows
/// that all but depend on each other forbid it.
fn held_bobs() -> Vec<(&'static str, Linkage, Vec<f64>)> {
    let (chain, start) = Linkage::paper_chain(12, 1.0);
    let alternating = [1.0, 1e-5].repeat(6);
    let mixed = Linkage::chain(&alternating, &[5.0_f64.sqrt(); 12], 1.0);
    // The last bob has three rods.
    let ends = [(0, 3), (1, 3), (2, 3)].map(|(from, to)| Rod::new(from, Some(to), 1.0)).to_vec();
    let star = |mass: f64| {
        let masses = SymmetricMatrix::diagonal([[1.0; 2], [2.0; 2], [3.0; 2], [mass; 2]].concat());
        Linkage::new(2, masses, vec![0.3, 1.0, -0.2, 2.0, 0.1, 3.0, 0.0, mass], ends.clone())
    };
    let star_at = vec![1.0, 0.0, -0.6, 0.8, 0.0, -1.0, 0.0, 0.0];
    let triangle = Linkage::chain(&[1.0, 2.0], &[1.0, 1.0], 1.0).with_rod(Rod::new(1, None, 2.0));
    vec![
        ("chain", chain.clone(), start.q.clone()),
        ("mass in blocks", chain.clone().with_mass(coupled(12, false)), start.q.clone()),
        ("dense inverse", chain.with_mass(coupled(12, true)), start.q.clone()),
        ("unlike masses", mixed, start.q),
        ("star", star(0.5), star_at.clone()),
        ("light bob", star(1e-10), star_at),
        ("flat triangle", triangle, vec![1.0, 0.0, 2.0, 1e-6]),
    ]
}

/// At rest the accelerations are rounding, and no measure of their own error.
#[test]
fn a_chain_that_hangs_at_rest_has_multipliers() {
    let model = Linkage::chain(&[1.0; 10], &[1.0; 10], 1.0);
    let hanging = (1..=10).flat_map(|k| [0.0, -f64::from(k)]).collect();
    let (a, lambda) = accelerations(&model, &State::at_rest(hanging)).unwrap();
    assert!(a.iter().all(|a| a.abs() < 1e-12), "{a:?}");
    assert!(lambda.windows(2).all(|pair| pair[0].abs() > pair[1].abs()), "{lambda:?}");
}

#[test]
fn accelerations_and_multipliers_satisfy_their_equations_whatever_the_mass_and_the_rows() {
    for (name, model, q) in held_bobs() {
        let v: Vec<f64> = (0..q.len()).map(|i| (1.7 * i as f64).sin()).collect();
        let (a, lambda) = accelerations(&model, &State::new(q.clone(), v.clone())).expect(name);
        let (mut forces, mut curvature) = (vec![0.0; q.len()], vec![0.0; lambda.len()]);
        model.potential_gradient(&q, 0.0, &mut forces);
        model.constraint_curvature(&q, &v, 0.0, &mut curvature);
        let (mut values, pattern) = (curvature.clone(), model.jacobian_pattern());
        let mut rows = vec![0.0; pattern.len()];
        model.jacobian(&q, 0.0, &mut values, &mut rows);
        // The sum of an equation, and of the magnitudes of its terms.
        let mut sums: Vec<[f64; 2]> =
            forces.iter().chain(&curvature).map(|term| [*term, term.abs()]).collect();
        let mut add = |equation: usize, term: f64| {
            sums[equation][0] += term;
            sums[equation][1] += term.abs();
        };
        for ((i, j), mass) in model.mass().pattern.entries().zip(&model.mass().values) {
            add(i, mass * a[j]);
            if i != j {
                add(j, mass * a[i]);
            }
        }
        for ((row, column), entry) in pattern.entries().zip(&rows) {
            add(column, -entry * lambda[row]);
            add(q.len() + row, entry * a[column]);
        }
        for (equation, [sum, terms]) in sums.iter().enumerate() {
            assert!(sum.abs() <= 1e-13 * terms, "{name}, {equation}: {sum:e} of {terms:e}");
        }
    }
}

#[test]
fn a_soft_problem_keeps_its_energy_and_does_not_depend_on_the_output_interval() {
    let model = Quartic::default();
    let run = |step| {
        integrate(&model, &Reference::default(), Quartic::start(), step)
            .unwrap()
            .until(20.0)
            .measure(Energy::of(&model))
            .record()
            .unwrap()
    };
    let (coarse, fine) = (run(10.0), run(0.01));
    let energy = fine.column("energy").unwrap();
    assert!(energy.iter().all(|e| (e - energy[0]).abs() < 1e-11));
    let last = |recording: &Recording| {
        State::new(
            recording.positions().last().unwrap().to_vec(),
            recording.velocities().last().unwrap().to_vec(),
        )
    };
    let difference = state_distance(&last(&coarse), &last(&fine));
    assert!(difference < 1e-10, "{difference:e}");
}

#[test]
fn a_start_off_the_constraints_is_refused_with_the_amount() {
    let model = Linkage::double_pendulum(1.0).0;
    let mut start = Linkage::double_pendulum(1.0).1;
    start.q[1] = -1.1;
    let error = Reference::default().start(&model, start, 0.1).err().unwrap();
    assert!(
        matches!(&error, StartError::OffConstraints { residual, equation, .. }
            if (residual - 0.21).abs() < 1e-12 && equation == "rods[0]"),
        "{error}"
    );
    let mut start = Linkage::double_pendulum(1.0).1;
    start.v[1] = 0.5;
    let error = Reference::default().start(&model, start, 0.1).err().unwrap();
    assert!(matches!(error, StartError::VelocityOffConstraints { .. }), "{error}");
    let error = Reference { tolerance: 1.0 }.start(&Quartic::default(), Quartic::start(), 0.1).err().unwrap();
    assert!(matches!(error, StartError::OptionOutOfRange { option: "tolerance", .. }), "{error}");
}

#[test]
fn a_singularity_in_the_way_is_an_error_and_not_an_endless_run() {
    let (model, start) = (Fall::default(), State::at_rest(vec![1.0]));
    let mut stepper = Reference::default().start(&model, start.clone(), 10.0).unwrap();
    let error = stepper.step().unwrap_err();
    // The fall from 1 onto the centre of 1/r takes π / (2 √2) = 1.1107.
    assert!(error.to_string().contains("t = 1.1"), "{error}");
    assert_eq!(stepper.state(), &start);
}

#[test]
fn backward_differentiation_agrees_and_its_error_follows_the_tolerance() {
    let (model, start) = Linkage::double_pendulum(1.0);
    let end = |run: &mut dyn Stepper| {
        (0..2).for_each(|_| run.step().unwrap());
        run.state().clone()
    };
    let exact = end(&mut Reference::default().start(&model, start.clone(), 1.0).unwrap());
    let errors = [1e-6, 1e-8, 1e-10].map(|tolerance| {
        let found = end(&mut Bdf { tolerance, order: 5 }.start(&model, start.clone(), 1.0).unwrap());
        state_distance(&found, &exact)
    });
    for (error, tolerance) in errors.into_iter().zip([1e-6, 1e-8, 1e-10]) {
        assert!(error < 300.0 * tolerance && error > 1e-3 * tolerance, "{tolerance:e}: {errors:?}");
    }
}

#[test]
fn the_cost_of_backward_differentiation_grows_far_less_than_the_frequency() {
    let (model, start) = Linkage::double_pendulum(1.0);
    let costs = [1e4, 1e6].map(|omega| {
        let penalized = Penalized::new(&model, omega).unwrap();
        let mut run =
            Bdf { tolerance: 1e-6, ..Bdf::default() }.start(&penalized, start.clone(), 2.0).unwrap();
        run.step().unwrap();
        let constrained = Reference::default().start(&model, start.clone(), 2.0);
        let mut constrained = constrained.unwrap();
        constrained.step().unwrap();
        let error = distance(&run.state().q, &constrained.state().q);
        assert!(error < 1e-3, "{omega:e}: {error:e}");
        run.report().evaluations.gradients
    });
    // An explicit method would need a hundred times as many; measured: seven times.
    assert!(costs[1] < 20 * costs[0], "{costs:?}");
}

#[test]
fn backward_differentiation_starts_on_stiff_springs_that_turn() {
    // The curvature is large: the rods are bent off their length by the turning at a rate of ω².
    let (model, mut start) = Linkage::double_pendulum(1.0);
    start.v = vec![0.3, -0.2, 0.1, 0.4];
    let penalized = Penalized::new(&model, 1e4).unwrap();
    let mut exact = Reference::default().start(&penalized, start.clone(), 0.01).unwrap();
    let mut run = Bdf::default().start(&penalized, start, 0.01).unwrap();
    exact.step().unwrap();
    run.step().unwrap();
    assert!(distance(&run.state().q, &exact.state().q) < 1e-6);
}

#[test]
fn a_singularity_stops_backward_differentiation_too() {
    let (model, start) = (Fall::default(), State::at_rest(vec![1.0]));
    let mut stepper = Bdf::default().start(&model, start.clone(), 10.0).unwrap();
    let error = stepper.step().unwrap_err();
    assert!(error.to_string().contains("bdf"), "{error}");
    assert_eq!(stepper.state(), &start);
}

#[test]
fn an_order_that_no_stable_formula_has_is_refused() {
    let model = Quartic::default();
    let method = Bdf { order: 6, ..Bdf::default() };
    let error = method.start(&model, Quartic::start(), 0.1).err().unwrap();
    assert!(matches!(error, StartError::OptionOutOfRange { option: "order", .. }), "{error}");
}

/// A body by a unit quaternion u: the momenta of Im(ū u̇), whose mass has rank 3 in four unknowns.
struct Quaternion {
    inertia: [f64; 3],
    weight: f64,
}

#[lagrangian]
impl Quaternion {
    fn lagrangian(&self, s: Scalar, u: Vec3) -> Scalar {
        let turning = 2.0 * (s * der(u) - der(s) * u - u.cross(der(u)));
        let kinetic = 0.5 * self.inertia[0] * turning.x.powi(2)
            + 0.5 * self.inertia[1] * turning.y.powi(2)
            + 0.5 * self.inertia[2] * turning.z.powi(2);
        kinetic - self.weight * (s.powi(2) + u.z.powi(2) - u.x.powi(2) - u.y.powi(2))
    }

    #[holonomic]
    fn length(&self, s: Scalar, u: Vec3) -> Scalar {
        s.powi(2) + u.norm_squared() - 1.0
    }
}

/// The third column of the rotation matrix of a quaternion.
fn axis(q: &[f64]) -> [f64; 3] {
    let &[s, x, y, z] = q else { panic!("a quaternion has four parts") };
    [2.0 * (x * z + s * y), 2.0 * (y * z - s * x), s * s + z * z - x * x - y * y]
}

/// The same body by its rotation matrix, D = tr(J)/2 − J.
fn matrix_body(inertia: [f64; 3], weight: f64) -> Top {
    let half = 0.5 * inertia.iter().sum::<f64>();
    let mut spread = [[0.0; 3]; 3];
    for (i, row) in spread.iter_mut().enumerate() {
        row[i] = half - inertia[i];
    }
    Top { spread, weight, bend: 0.0 }
}

#[test]
fn a_body_by_a_quaternion_moves_as_by_its_matrix_at_any_scale_of_its_mass() {
    // Also from R = 1, where the mass of the first unknown is zero, and of a plate with a singular mass.
    for scale in [1.0, 1e-12, 1e9] {
        for inertia in [[0.4, 0.7, 0.9], [0.4, 0.5, 0.9]] {
            let inertia = inertia.map(|entry| scale * entry);
            let body = Quaternion { inertia, weight: 0.3 * scale }.bind().unwrap();
            let matrix = matrix_body(inertia, 0.3 * scale).bind().unwrap();
            // u̇ = ½ u Ω with Ω = (0.6, −0.4, 1.1) at u = 1.
            let start = State::new(vec![1.0, 0.0, 0.0, 0.0], vec![0.0, 0.3, -0.2, 0.55]);
            let turning = State::new(
                vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
                vec![0.0, -1.1, -0.4, 1.1, 0.0, -0.6, 0.4, 0.6, 0.0],
            );
            let exact = advance(&matrix, &Reference::default(), &turning, 2.0, 1);
            let exact = [exact.q[2], exact.q[5], exact.q[8]];
            let reference = advance(&body, &Reference::default(), &start, 1.0, 2);
            let error = distance(&axis(&reference.q), &exact);
            assert!(error < 1e-9, "{scale:e} {inertia:?}: {error:e}");
            let bdf = advance(&body, &Bdf { tolerance: 1e-9, order: 5 }, &start, 1.0, 2);
            let error = distance(&axis(&bdf.q), &exact);
            assert!(error < 1e-5, "{scale:e} {inertia:?}: {error:e}");
        }
    }
}

/// A pendulum with a bob in the middle of its rod, and a height; both massless if masses[0] is zero.
struct Hanging {
    masses: [f64; 2],
}

#[lagrangian]
impl Hanging {
    fn lagrangian(&self, bobs: [Vec2; 2], height: Scalar) -> Scalar {
        let heavy = sum(0..2, |i| self.masses[i] * (0.5 * der(bobs[i]).norm_squared() - bobs[i].y));
        heavy + 0.5 * self.masses[0] * der(height).powi(2) - height
    }

    /// The first bob is in the middle of the rod, and the height is twice the second's.
    #[holonomic]
    fn rods(&self, bobs: [Vec2; 2], height: Scalar) -> [Scalar; 4] {
        [
            bobs[0].x - 0.5 * bobs[1].x,
            bobs[0].y - 0.5 * bobs[1].y,
            bobs[1].norm_squared() - 1.0,
            height - 2.0 * bobs[1].y,
        ]
    }
}

#[test]
fn a_bob_without_mass_is_held_by_constraints_and_one_that_nothing_holds_is_refused() {
    let start = || State::at_rest(vec![0.3, -0.4, 0.6, -0.8, -1.6]);
    let heavy = Hanging { masses: [0.0, 2.0] }.bind().unwrap();
    let light = Hanging { masses: [1e-13, 2.0] }.bind().unwrap();
    let exact = advance(&heavy, &Reference::default(), &start(), 0.5, 4);
    let near = advance(&light, &Reference::default(), &start(), 0.5, 4);
    assert!(state_distance(&exact, &near) < 1e-9, "{:e}", state_distance(&exact, &near));
    // A pendulum of mass 2 with its weight 2, and the height's, 2.
    let energy = |state: &State| state.v[2].powi(2) + state.v[3].powi(2) + 4.0 * state.q[3];
    assert!((energy(&exact) - energy(&start())).abs() < 1e-10, "{:e}", energy(&exact) - energy(&start()));
    let bdf = advance(&heavy, &Bdf { tolerance: 1e-9, order: 5 }, &start(), 0.5, 4);
    assert!(state_distance(&bdf, &exact) < 1e-5, "{:e}", state_distance(&bdf, &exact));
    // Nothing has mass but the constraints leave a motion.
    let none = Hanging { masses: [0.0, 0.0] }.bind().unwrap();
    for error in [
        Reference::default().start(&none, start(), 0.1).err().unwrap(),
        Bdf::default().start(&none, start(), 0.1).err().unwrap(),
    ] {
        assert!(matches!(error, StartError::Singular { .. } | StartError::Unsolved { .. }), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

/// A net of springs with a drag and a magnetic force: no part of the matrix of Newton's method is empty.
struct Mixed {
    beads: usize,
    stiffness: f64,
}

#[lagrangian]
impl Mixed {
    fn lagrangian(&self, beads: [Vec2; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| (0.5 + 0.1 * beads[i].x.powi(2)) * der(beads[i]).norm_squared());
        let magnetic =
            sum(0..self.beads, |i| 0.7 * (beads[i].x * der(beads[i]).y - beads[i].y * der(beads[i]).x));
        let springs = sum(0..self.beads - 1, |i| {
            0.5 * self.stiffness * ((beads[i + 1] - beads[i]).norm() - 1.0).powi(2)
        });
        kinetic + magnetic - springs
    }

    #[force]
    fn drag(&self, beads: [Vec2; self.beads]) -> [Vec2; self.beads] {
        each(0..self.beads, |i| -0.4 * (1.0 + beads[i].y.powi(2)) * der(beads[i]))
    }

    #[holonomic]
    fn wire(&self, beads: [Vec2; self.beads]) -> Scalar {
        beads[0].y - beads[0].x.powi(2)
    }
}

fn mixed(beads: usize) -> State {
    let place = |i: usize| [1.1 * i as f64, 0.1 * (i as f64).sin()];
    let speed = |i: usize| if i == 0 { [0.2, 0.0] } else { [0.0, 0.3 * (2.0 * i as f64).cos()] };
    State::new((0..beads).flat_map(place).collect(), (0..beads).flat_map(speed).collect())
}

#[test]
fn backward_differentiation_has_all_forces_in_its_matrix_and_takes_few_factorizations() {
    let system = Mixed { beads: 5, stiffness: 1e4 }.bind().unwrap();
    let exact = advance(&system, &Reference::default(), &mixed(5), 0.5, 1);
    let method = Bdf { tolerance: 1e-7, order: 5 };
    let mut run = method.start(&system, mixed(5), 0.5).unwrap();
    run.step().unwrap();
    let error = state_distance(run.state(), &exact);
    assert!(error < 1e-3, "{error:e}");
    let counts = run.report().evaluations;
    println!("{counts:?}");
    // Derivatives and factors serve many steps: the mass varies, so residuals count as Hessians.
    assert!(counts.hessians < counts.iterations + 60, "{counts:?}");
    assert!(counts.factorizations < counts.iterations / 8, "{counts:?}");
}

/// Memory and work of a step follow the nonzeros: ten times the beads, ten times the cost, in entries.
#[test]
fn the_matrix_of_backward_differentiation_is_sparse() {
    let work = |beads: usize| {
        let system = Mixed { beads, stiffness: 100.0 }.bind().unwrap();
        let mut run = Bdf { tolerance: 1e-4, ..Bdf::default() }.start(&system, mixed(beads), 0.01).unwrap();
        let start = std::time::Instant::now();
        run.step().unwrap();
        let counts = run.report().evaluations;
        (start.elapsed().as_secs_f64() / counts.iterations as f64, counts.iterations)
    };
    let least = |beads| (0..3).map(|_| work(beads)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    let (small, large) = (least(200), least(4000));
    println!("{small:?} {large:?}");
    // A dense matrix would take 8000 times as long for twenty times the beads.
    assert!(large.0 < 200.0 * small.0, "{small:?} {large:?}");
}
