//! The Verlet method of rigid bodies: its order, its structure, accepted and refused bodies.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use super::rotations::{
    ROUND, Top, UNEQUAL, cross, dot, hat, identity, inertia, plus, product, rotation, scaled, stretch,
    transpose, tumbling, turning, vector,
};
use least_action::error::{ForceError, StartError, StepError};
use least_action::method::rotation::{RotationCayley, RotationVerlet};
use least_action::method::{Composition, Method, Rattle, Reference, Stepper};
use least_action::prelude::*;
use least_action::system::{Lagrangian, Unforced};
use test_support::agreement::Seeded;
use test_support::structure::{advance, distance, order_by_slope, reversal_defect, state_distance};

/// Symmetric about the axis e₃ of the body.
const SYMMETRIC: [[f64; 3]; 3] = [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.5]];
/// A plate in the plane of e₁ and e₂, whose mass in the entries of R is singular.
const FLAT: [[f64; 3]; 3] = [[0.5, 0.1, 0.0], [0.1, 0.9, 0.0], [0.0, 0.0, 0.0]];

/// Two bodies that a spring between two of their points joins, in a field that pulls at the points.
pub(super) struct Pair {
    pub(super) spreads: [[[f64; 3]; 3]; 2],
    pub(super) masses: [f64; 2],
    pub(super) field: f64,
}

#[lagrangian]
impl Pair {
    fn lagrangian(&self, centres: [Vec3; 2], turns: [Mat3; 2]) -> Scalar {
        let kinetic = sum(0..2, |i| {
            0.5 * self.masses[i] * der(centres[i]).norm_squared()
                + 0.5 * (der(turns[i]) * mat3(self.spreads[i])).dot(der(turns[i]))
        });
        let first = centres[0] + turns[0] * vec3([0.6, 0.2, -0.3]);
        let second = centres[1] + turns[1] * vec3([-0.5, 0.4, 0.1]);
        let stretch = (first - second).norm() - 0.8;
        kinetic - 2.0 * stretch.powi(2) - self.field * (first.z + second.x)
    }

    #[holonomic]
    fn orthogonal(&self, turns: [Mat3; 2]) -> [Mat3; 2] {
        each(0..2, |i| turns[i].transpose() * turns[i] - Mat3::IDENTITY)
    }
}

pub(super) fn pair(field: f64) -> Pair {
    Pair { spreads: [UNEQUAL, FLAT], masses: [1.0, 2.5], field }
}

pub(super) fn moving_pair() -> State {
    let (one, other) = (tumbling(), turning(rotation([-0.2, 0.5, 1.1]), [-0.4, 0.9, 0.2]));
    let q = [vec![0.1, -0.2, 0.0, 1.3, 0.4, 0.2], one.q, other.q].concat();
    let v = [vec![0.3, 0.1, -0.2, -0.1, 0.2, 0.1], one.v, other.v].concat();
    State::new(q, v)
}

/// The momentum J Ω in the body, of a state with R and Ṙ from `place` on.
fn spin(spread: [[f64; 3]; 3], state: &State, place: usize) -> [f64; 3] {
    let rate = product(&transpose(&state.q[place..place + 9]), &state.v[place..place + 9]);
    let omega = vector(&rate);
    inertia(spread).map(|row| dot(row, omega))
}

/// The angular momentum R J Ω in space.
fn in_space(spread: [[f64; 3]; 3], state: &State, place: usize) -> [f64; 3] {
    let spin = spin(spread, state, place);
    [0, 1, 2].map(|i: usize| (0..3).map(|j| state.q[place + 3 * i + j] * spin[j]).sum())
}

fn order(error: impl Fn(u64) -> f64) -> f64 {
    order_by_slope(&[100, 200, 400, 800], error)
}

pub(super) fn slope_of_the_pair() -> f64 {
    let system = pair(0.4).bind().unwrap();
    let exact = advance(&system, &Reference { tolerance: 1e-13 }, &moving_pair(), 2.0, 1);
    order(|n| state_distance(&advance(&system, &RotationVerlet, &moving_pair(), 2.0 / n as f64, n), &exact))
}

#[test]
fn its_order_is_two_on_free_and_heavy_tops_in_a_potential_with_hills_and_on_bodies_with_centres() {
    let tops = [
        ("a free asymmetric top", Top { spread: UNEQUAL, weight: 0.0, bend: 0.0 }),
        ("a heavy top", Top { spread: SYMMETRIC, weight: 1.3, bend: 0.0 }),
        ("a top in a potential with hills", Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }),
        ("a plate", Top { spread: FLAT, weight: 1.3, bend: 0.7 }),
    ];
    for (name, top) in tops {
        let top = top.bind().unwrap();
        let exact = advance(&top, &Reference { tolerance: 1e-13 }, &tumbling(), 2.0, 1);
        let slope = order(|n| {
            state_distance(&advance(&top, &RotationVerlet, &tumbling(), 2.0 / n as f64, n), &exact)
        });
        println!("{name}: {slope:.4}");
        assert!((slope - 2.0).abs() < 0.02, "{name}: {slope}");
    }
    let slope = slope_of_the_pair();
    println!("bodies with centres: {slope:.4}");
    assert!((slope - 2.0).abs() < 0.05, "{slope}");
}

#[test]
fn its_composition_has_the_order_that_it_is_composed_to() {
    let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
    let exact = advance(&top, &Reference { tolerance: 1e-14 }, &tumbling(), 2.0, 1);
    let method = Composition::of(RotationVerlet, 4);
    let slope = order_by_slope(&[20, 40, 80], |n| {
        state_distance(&advance(&top, &method, &tumbling(), 2.0 / n as f64, n), &exact)
    });
    assert!((slope - 4.0).abs() < 0.2, "{slope}");
}

/// Where the phase space of a system has a body: the spread and the place of its matrix.
type Bodies<'b> = &'b [([[f64; 3]; 3], usize)];

/// The change of the symplectic form Σ dxᵢ ∧ dpᵢ − d(Π·θ) in a step, where δR = R η̂ for each body.
fn form_defect<S: Unforced>(system: &S, bodies: Bodies<'_>, others: usize, state: &State, h: f64) -> f64 {
    let masses: Vec<f64> =
        (0..others).map(|i| system.mass().values[system.mass().pattern.position(i, i).unwrap()]).collect();
    let momenta = |state: &State| -> Vec<[f64; 3]> {
        bodies.iter().map(|&(spread, place)| spin(spread, state, place)).collect()
    };
    // The phase space: positions and momenta of points, then rotation vectors and momenta of bodies.
    let dimension = 2 * others + 6 * bodies.len();
    let moved = |k: usize, by: f64| {
        let mut change = vec![0.0; dimension];
        change[k] = by;
        let mut state = state.clone();
        for i in 0..others {
            state.q[i] += change[i];
            state.v[i] += change[others + i] / masses[i];
        }
        for (&(spread, place), part) in bodies.iter().zip(change[2 * others..].chunks(6)) {
            let r = product(&state.q[place..place + 9], &rotation([part[0], part[1], part[2]]));
            let spin = spin(spread, &state, place);
            let omega = solved(inertia(spread), [0, 1, 2].map(|i: usize| spin[i] + part[3 + i]));
            let turned = turning(r, omega);
            state.q[place..place + 9].copy_from_slice(&turned.q);
            state.v[place..place + 9].copy_from_slice(&turned.v);
        }
        advance(system, &RotationVerlet, &state, h, 1)
    };
    let after = advance(system, &RotationVerlet, state, h, 1);
    // The image of a variation, as the phase space has it at the end.
    let chart = |image: &State| -> Vec<f64> {
        let mut chart: Vec<f64> = image.q[..others].to_vec();
        chart.extend((0..others).map(|i| masses[i] * image.v[i]));
        for &(spread, place) in bodies {
            chart
                .extend(vector(&product(&transpose(&after.q[place..place + 9]), &image.q[place..place + 9])));
            chart.extend(spin(spread, image, place));
        }
        chart
    };
    let d = 1e-3;
    let columns: Vec<Vec<f64>> = (0..dimension)
        .map(|k| {
            let difference = |by: f64| plus(&chart(&moved(k, by)), &scaled(-1.0, &chart(&moved(k, -by))));
            let (near, far) = (difference(d), difference(2.0 * d));
            scaled(1.0 / (12.0 * d), &plus(&scaled(8.0, &near), &scaled(-1.0, &far)))
        })
        .collect();
    let form = |momenta: &[[f64; 3]], a: &[f64], b: &[f64]| -> f64 {
        let points: f64 = (0..others).map(|i| a[i] * b[others + i] - b[i] * a[others + i]).sum();
        let vectors = |x: &[f64]| ([x[0], x[1], x[2]], [x[3], x[4], x[5]]);
        let turns = a[2 * others..].chunks(6).zip(b[2 * others..].chunks(6)).zip(momenta);
        points
            + turns
                .map(|((a, b), momentum)| {
                    let ((eta_a, pi_a), (eta_b, pi_b)) = (vectors(a), vectors(b));
                    dot(eta_a, pi_b) - dot(eta_b, pi_a) + dot(*momentum, cross(eta_a, eta_b))
                })
                .sum::<f64>()
    };
    let (before, behind) = (momenta(state), momenta(&after));
    let unit = |k: usize| (0..dimension).map(|i| if i == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    (0..dimension)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (form(&behind, &columns[i], &columns[j]) - form(&before, &unit(i), &unit(j))).abs())
        .fold(0.0, f64::max)
}

/// The solution of a symmetric system of three, by Cramer's rule.
fn solved(a: [[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let volume = dot(a[0], cross(a[1], a[2]));
    [
        dot(b, cross(a[1], a[2])) / volume,
        dot(a[0], cross(b, a[2])) / volume,
        dot(a[0], cross(a[1], b)) / volume,
    ]
}

pub(super) fn symplectic_defect() -> f64 {
    let system = pair(0.4).bind().unwrap();
    form_defect(&system, &[(UNEQUAL, 6), (FLAT, 15)], 6, &moving_pair(), 0.2)
}

#[test]
fn a_step_is_symplectic_in_rotations_and_momenta() {
    for spread in [ROUND, SYMMETRIC, UNEQUAL, FLAT] {
        let top = Top { spread, weight: 1.3, bend: 0.7 }.bind().unwrap();
        let defect = form_defect(&top, &[(spread, 0)], 0, &tumbling(), 0.2);
        assert!(defect < 1e-9, "{spread:?}: {defect:e}");
    }
    let defect = symplectic_defect();
    assert!(defect < 1e-9, "{defect:e}");
}

#[test]
fn a_run_goes_back_the_way_it_came() {
    let system = pair(0.4).bind().unwrap();
    let defect = reversal_defect(&system, &RotationVerlet, &moving_pair(), 0.05, 200);
    assert!(defect < 1e-11, "{defect:e}");
    let top = Top { spread: UNEQUAL, weight: 1.3, bend: 0.7 }.bind().unwrap();
    let defect = reversal_defect(&top, &RotationVerlet, &tumbling(), 0.1, 100);
    assert!(defect < 1e-12, "{defect:e}");
}

/// The drifts of the momenta about the axes of the field and of a symmetric body, and the least-squares
/// slope of the energy over the whole run beside its largest error.
fn long_run(steps: u64) -> (f64, f64, f64) {
    let h = 0.05;
    let top = Top { spread: SYMMETRIC, weight: 1.0, bend: 0.0 }.bind().unwrap();
    let mut stepper = RotationVerlet.start(&top, tumbling(), h).unwrap();
    let about = |state: &State| [in_space(SYMMETRIC, state, 0)[2], spin(SYMMETRIC, state, 0)[2]];
    let (first, energy) = (about(&tumbling()), top.energy(&tumbling().q, &tumbling().v, 0.0));
    let (mut moved, mut largest, mut moment) = (0.0_f64, 0.0_f64, 0.0);
    for k in 0..steps {
        stepper.step().unwrap();
        let state = stepper.state();
        moved = moved.max(distance(&about(state), &first));
        let error = top.energy(&state.q, &state.v, 0.0) - energy;
        largest = largest.max(error.abs());
        moment += error * (k as f64 / steps as f64 - 0.5);
    }
    assert!(stretch(&stepper.state().q) < 2e-15);
    // Σ (x − ½)² is a twelfth of the number of points.
    (moved, 12.0 * moment / steps as f64, largest)
}

#[test]
fn momenta_about_axes_stay_and_the_energy_does_not_drift() {
    let (moved, drift, largest) = long_run(40_000);
    println!("momenta {moved:.1e}, drift {drift:.1e}, energy {largest:.1e}");
    assert!(moved < 1e-12, "{moved:e}");
    assert!(largest < 2e-3 && drift.abs() < 0.01 * largest, "{drift:e} of {largest:e}");
}

#[test]
#[ignore = "long: a million steps"]
fn momenta_about_axes_stay_for_a_million_steps() {
    let (moved, drift, largest) = long_run(1_000_000);
    println!("momenta {moved:.1e}, drift {drift:.1e}, energy {largest:.1e}");
    assert!(moved < 1e-11, "{moved:e}");
    assert!(largest < 2e-3 && drift.abs() < 1e-3 * largest, "{drift:e} of {largest:e}");
}

/// The momenta of two bodies that only act on each other.
pub(super) fn change_of_the_momenta_of_the_pair(steps: u64) -> f64 {
    let model = pair(0.0);
    let (masses, spreads) = (model.masses, model.spreads);
    let system = model.bind().unwrap();
    let momenta = |state: &State| -> Vec<f64> {
        let of = |place: usize| [0, 1, 2].map(|k: usize| state.q[3 * place + k]);
        let rate = |place: usize| [0, 1, 2].map(|k: usize| masses[place] * state.v[3 * place + k]);
        let mut found = vec![0.0; 6];
        for (body, spread) in spreads.into_iter().enumerate() {
            let (linear, orbital) = (rate(body), cross(of(body), rate(body)));
            let own = in_space(spread, state, 6 + 9 * body);
            for k in 0..3 {
                found[k] += linear[k];
                found[3 + k] += orbital[k] + own[k];
            }
        }
        found
    };
    let end = advance(&system, &RotationVerlet, &moving_pair(), 0.05, steps);
    distance(&momenta(&end), &momenta(&moving_pair()))
}

#[test]
fn the_momenta_of_bodies_that_act_on_each_other_stay() {
    let change = change_of_the_momenta_of_the_pair(5000);
    println!("{change:.1e}");
    assert!(change < 1e-11, "{change:e}");
}

/// The energy error over ten units of time at h = 0.01, of random bodies and tops: never above the error
/// of order 1, and like RATTLE's.
fn energies(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Seeded::new(seed);
        let mut draw = || 0.85 + 0.65 * random.number();
        let spread = [[draw(), 0.0, 0.0], [0.0, draw(), 0.0], [0.0, 0.0, draw()]];
        let top = Top { spread, weight: draw(), bend: draw() }.bind().unwrap();
        let start = turning(rotation([draw(), draw(), draw()]), [draw(), -draw(), draw()]);
        let error = |run: &mut dyn Stepper| {
            let energy = |state: &State| top.energy(&state.q, &state.v, 0.0);
            let first = energy(run.state());
            (0..1000).fold(0.0_f64, |worst, _| {
                run.step().unwrap();
                worst.max((energy(run.state()) - first).abs())
            })
        };
        let verlet = error(&mut RotationVerlet.start(&top, start.clone(), 0.01).unwrap());
        let cayley = error(&mut RotationCayley.start(&top, start.clone(), 0.01).unwrap());
        let rattle = error(&mut Rattle::default().start(&top, start.clone(), 0.01).unwrap());
        println!("seed {seed}: verlet {verlet:.1e}, rattle {rattle:.1e}, cayley {cayley:.1e}");
        assert!(
            verlet < 3.0 * rattle && verlet < 0.1 * cayley,
            "seed {seed}: {verlet:e} {rattle:e} {cayley:e}"
        );
    }
}

#[test]
fn its_energy_error_is_that_of_the_second_order() {
    energies(0..4);
}

#[test]
#[ignore = "long: random, many"]
fn its_energy_error_is_that_of_the_second_order_for_many_bodies() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    energies(now.as_secs()..now.as_secs() + 200);
}

#[test]
fn a_free_body_about_a_principal_axis_moves_exactly() {
    let spread = [[0.3, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.0, 1.5]];
    let free = Top { spread, weight: 0.0, bend: 0.0 }.bind().unwrap();
    let end = advance(&free, &RotationVerlet, &turning(identity(), [0.0, 2.0, 0.0]), 0.5, 4);
    let (cosine, sine) = (4.0_f64.cos(), 4.0_f64.sin());
    let exact = [cosine, 0.0, sine, 0.0, 1.0, 0.0, -sine, 0.0, cosine];
    assert!(distance(&end.q, &exact) < 1e-14, "{:?}", end.q);
    assert!(distance(&end.v, &product(&exact, &hat([0.0, 2.0, 0.0]))) < 1e-14);
}

#[test]
fn half_a_turn_in_a_step_is_refused_with_the_step_that_is_not() {
    for spread in [ROUND, [[0.3, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.0, 1.5]]] {
        let free = Top { spread, weight: 0.0, bend: 0.0 }.bind().unwrap();
        let start = turning(identity(), [0.0, 0.0, 10.0]);
        let mut stepper = RotationVerlet.start(&free, start.clone(), 0.32).unwrap();
        let error = stepper.step().unwrap_err();
        let StepError::Failed(failed) = &error else { panic!("{error}") };
        let ForceError::AboveStability { limit } = failed.cause else { panic!("{error}") };
        assert!((limit - 0.314_159).abs() < 1e-5, "{error}");
        assert_eq!(stepper.state(), &start);
        RotationVerlet.start(&free, start, 0.31).unwrap().step().unwrap();
    }
}

/// A body in a field as stiff as a spring: `verlet` of bodies bears steps up to h ω = 2.
#[test]
fn steps_that_are_too_long_for_the_potential_are_foreseen() {
    let top = Top { spread: ROUND, weight: 400.0, bend: 0.0 }.bind().unwrap();
    // −e₃ down is where the potential is least; J = 1, so that ω = 20 and h < 0.1.
    let start = turning(vec![1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0], [1e-6, 0.0, 0.0]);
    assert!(RotationVerlet.instability(&top, &start, 0.099).is_none());
    let found = RotationVerlet.instability(&top, &start, 0.101).unwrap();
    assert!((found.longest - 0.1).abs() < 1e-3, "{found}");
    let farthest = |h: f64| {
        let mut stepper = RotationVerlet.start(&top, start.clone(), h).unwrap();
        (0..2000).map(|_| stepper.step().map_or(2.0, |()| stepper.state().q[8] + 1.0)).fold(0.0, f64::max)
    };
    assert!(farthest(0.099) < 1e-8 && farthest(0.102) > 1e-2, "{:e} {:e}", farthest(0.099), farthest(0.102));
}

/// A matrix that is joined to a point by a mass.
struct Coupled {}

#[lagrangian]
impl Coupled {
    fn lagrangian(&self, x: Vec3, r: Mat3) -> Scalar {
        0.5 * der(x).norm_squared() + 0.5 * der(r).norm_squared() + 0.1 * der(x.x) * der(r[(0, 0)])
    }
}

/// A joint: a point of the body stays on a line.
struct Jointed {}

#[lagrangian]
impl Jointed {
    fn lagrangian(&self, x: Vec3, r: Mat3) -> Scalar {
        0.5 * der(x).norm_squared() + 0.5 * der(r).norm_squared() - x.z
    }

    #[holonomic]
    fn joint(&self, x: Vec3, r: Mat3) -> Scalar {
        x.x + r[(0, 0)]
    }
}

/// A rod, which has no inertia about its axis.
struct Rod {}

#[lagrangian]
impl Rod {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        0.5 * (der(r[(0, 2)]).powi(2) + der(r[(1, 2)]).powi(2) + der(r[(2, 2)]).powi(2))
            + 0.0 * der(r).norm_squared()
            - r[(2, 2)]
    }

    #[holonomic]
    fn orthogonal(&self, r: Mat3) -> Mat3 {
        r.transpose() * r - Mat3::IDENTITY
    }
}

#[test]
fn what_is_no_free_rigid_body_is_refused_with_the_reason() {
    let said = |refused: StartError| refused.to_string();
    let start = || {
        let turn = tumbling();
        State::new([vec![0.0; 3], turn.q].concat(), [vec![0.0; 3], turn.v].concat())
    };
    let refused = said(RotationVerlet.start(&Coupled {}.bind().unwrap(), start(), 0.1).err().unwrap());
    assert!(refused.contains("couples `r[(0, 0)]` and `x.x`, which do not belong to one body"), "{refused}");
    let refused = said(RotationVerlet.start(&Jointed {}.bind().unwrap(), start(), 0.1).err().unwrap());
    assert!(refused.contains("its constraint `joint` is "), "{refused}");
    let refused = said(RotationVerlet.start(&Rod {}.bind().unwrap(), tumbling(), 0.1).err().unwrap());
    assert!(refused.contains("the inertia tr(D) − D of ½ tr(Ṙ D Ṙᵀ)"), "{refused}");
    let mut bent = moving_pair();
    bent.q[15] += 1e-3;
    let refused = said(RotationVerlet.start(&pair(0.0).bind().unwrap(), bent, 0.1).err().unwrap());
    assert!(refused.starts_with("`turns[1]` does not start as a rotation that turns"), "{refused}");
}
