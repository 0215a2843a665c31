//! Sums over near pairs in forces, dissipations and constraints equal sums over all, and keep lists.

use declarations::{Dissipative, DissipativeOfAllPairs, Packed};
use least_action::method::{Method, Rattle, Stepper, VariationalMidpoint, Verlet};
use least_action::prelude::*;
use least_action::system::Forced;
use test_support::agreement::{Seeded, constraints_agree_with_oracle, kernels_agree_with_oracle};

/// So many beads along each edge, three in a volume of one.
fn beads(along: usize) -> (Dissipative, Vec<f64>, Vec<f64>) {
    let (mut seeded, spacing) = (Seeded::new(3), 3.0_f64.cbrt().recip());
    let sites = (0..along.pow(3)).flat_map(|k| [k % along, k / along % along, k / along.pow(2)]);
    let q: Vec<f64> = sites.map(|place| spacing * (place as f64 + 0.3 * seeded.number())).collect();
    let v = seeded.numbers(q.len());
    let model = Dissipative {
        kind: (0..along.pow(3)).map(|k| k % 2).collect(),
        friction: vec![vec![4.5, 3.0], vec![3.0, 2.0]],
        repulsion: 25.0,
        swirl: 0.7,
        edge: spacing * along as f64,
        reach: 1.0,
    };
    (model, q, v)
}

#[track_caller]
fn is_close(what: &str, found: &[f64], known: &[f64], tolerance: f64) {
    assert_eq!(found.len(), known.len());
    let scale = known.iter().fold(0.0_f64, |scale, number| scale.max(number.abs()));
    for (k, (found, known)) in found.iter().zip(known).enumerate() {
        let far = (found - known).abs();
        assert!(far <= tolerance * scale, "{what}[{k}] is {found}, not {known} (of {scale})");
    }
}

fn force(system: &impl Forced, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut force = vec![0.0; q.len()];
    system.add_force(q, v, 0.0, &mut force);
    force
}

/// ∂F/∂(q, v) times a direction.
fn derivative(system: &impl Forced, q: &[f64], v: &[f64], direction: &[f64]) -> Vec<f64> {
    let mut derivatives = vec![0.0; system.force_pattern().len()];
    system.add_force_derivatives(q, v, 0.0, &mut vec![0.0; q.len()], &mut derivatives);
    let mut product = vec![0.0; q.len()];
    system.force_pattern().multiply_add(&derivatives, direction, &mut product);
    product
}

#[test]
fn dissipative_particles_are_those_of_all_pairs() {
    for along in [3, 5] {
        let (model, q, v) = beads(along);
        let (system, all) = (model.bind().unwrap(), DissipativeOfAllPairs(model).bind().unwrap());
        is_close("F", &force(&system, &q, &v), &force(&all, &q, &v), 1e-13);
        let direction = Seeded::new(8).numbers(2 * q.len());
        let found = derivative(&system, &q, &v, &direction);
        is_close("∂F", &found, &derivative(&all, &q, &v, &direction), 1e-12);
    }
}

#[test]
fn kernels_are_those_of_dual_numbers() {
    let (model, q, v) = beads(2);
    kernels_agree_with_oracle(&Dissipative { reach: 0.3, ..model }, &q, &v, 0.0);
    let mut seeded = Seeded::new(4);
    let model = Packed { beads: 7, counted: vec![(0, 1.5), (4, 1.0)], reach: 1.4 };
    let q = seeded.numbers(14);
    kernels_agree_with_oracle(&model, &q, &seeded.numbers(14), 0.0);
    constraints_agree_with_oracle(&model, &q, 0.0);
}

/// A list that was built elsewhere, and another number of threads, change no bit.
#[test]
fn lists_and_threads_do_not_change_a_bit() {
    let (model, q, v) = beads(14);
    let (fresh, used) = (model.bind().unwrap(), model.bind().unwrap());
    let known = force(&fresh, &q, &v);
    let mut seeded = Seeded::new(6);
    let moved: Vec<f64> = q.iter().map(|q| q + 0.05 * seeded.number()).collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| {
            force(&used, &moved, &v);
            force(&used, &q, &v)
        });
        let differs = found.iter().zip(&known).position(|(one, other)| one.to_bits() != other.to_bits());
        assert_eq!(differs, None, "the first component whose bits differ");
    }
}

/// With many beads, derivatives of friction link any two and are not assembled; forces give the kick.
#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn verlet_kicks_many_particles_without_a_matrix() {
    let (model, q, v) = beads(10);
    let model = Dissipative { swirl: 0.0, ..model };
    let system = model.bind().unwrap();
    let refused = system.affords_force_derivatives().expect_err("too many").to_string();
    assert!(refused.contains("the derivatives of the forces"), "{refused}");
    let (h, n) = (0.02, q.len());
    let state = State { t: 0.0, q: q.clone(), v: v.clone() };
    let mut stepper = Verlet.start(&system, state, h).unwrap();
    stepper.step().unwrap();
    let end = stepper.state();
    // The velocity between the kicks, by an iteration that at least halves the error: M is the identity.
    let mut gradient = vec![0.0; n];
    system.potential_gradient(&q, 0.0, &mut gradient);
    let mut u = v.clone();
    for _ in 0..60 {
        let drag = force(&system, &q, &u);
        let kicked = v.iter().zip(&gradient).zip(&drag);
        u = kicked.map(|((v, slope), drag)| v + 0.5 * h * (drag - slope)).collect();
    }
    let moved: Vec<f64> = q.iter().zip(&u).map(|(q, u)| q + h * u).collect();
    is_close("q", &end.q, &moved, 1e-13);
    system.potential_gradient(&moved, 0.0, &mut gradient);
    let drag = force(&system, &moved, &u);
    let kicked = u.iter().zip(&gradient).zip(&drag);
    let kicked: Vec<f64> = kicked.map(|((u, slope), drag)| u + 0.5 * h * (drag - slope)).collect();
    is_close("v", &end.v, &kicked, 1e-12);
    for axis in 0..3 {
        let momentum = |v: &[f64]| v.iter().skip(axis).step_by(3).sum::<f64>();
        assert!((momentum(&end.v) - momentum(&v)).abs() < 1e-10);
    }
}

#[test]
fn kicks_over_near_pairs_factor_nothing() {
    let (model, q, v) = beads(5);
    let system = Dissipative { swirl: 0.0, ..model }.bind().unwrap();
    let mut stepper = Verlet.start(&system, State::new(q, v), 0.02).unwrap();
    stepper.step().unwrap();
    assert_eq!(stepper.report().evaluations.factorizations, 0);
    assert!(system.force_pattern().len() > 375 * 375, "any two points may meet");
}

/// Beads that are heavier where they are close to each other.
struct Sticky {
    beads: usize,
}

#[lagrangian]
impl Sticky {
    fn lagrangian(&self, beads: [Vec2; self.beads]) -> Scalar {
        let own = sum(beads.iter(), |bead| 0.5 * der(*bead).norm_squared());
        own + sum(within(1.0, beads), |(_, _, d)| (1.0 - d.norm_squared()).powi(2) * der(d).norm_squared())
    }
}

#[test]
fn what_keeps_no_list_says_so() {
    let sticky = Sticky { beads: 3 }.bind().unwrap().description();
    let said = sticky.families.iter().filter_map(|family| family.range.as_deref());
    assert_eq!(said.collect::<Vec<_>>(), ["over all pairs, without a list of neighbours"]);
    let kept = beads(3).0.bind().unwrap().description();
    let (sums, forces) =
        (kept.sums.iter().map(|sum| &sum.families), kept.forces.iter().map(|force| &force.families));
    let ranges: Vec<&str> =
        sums.chain(forces).flatten().filter_map(|family| family.range.as_deref()).collect();
    assert_eq!(ranges.len(), 3, "{ranges:?}");
    assert!(ranges.iter().all(|range| range.starts_with("over pairs that are nearer than 1")), "{ranges:?}");
}

/// Points of which one keeps so many neighbours, and all together so many pairs.
struct Coordinated {
    points: usize,
    neighbours: f64,
    pairs: f64,
}

#[lagrangian]
impl Coordinated {
    fn lagrangian(&self, x: [Vec3; self.points]) -> Scalar {
        sum(x.iter(), |x| 0.5 * der(*x).norm_squared() - 0.01 * x.norm_squared())
    }

    #[holonomic]
    fn coordination(&self, x: [Vec3; self.points]) -> Scalar {
        sum(within(1.5, x).of(0), |(_, d)| switched(d.norm(), 1.0, 1.5)) - self.neighbours
    }

    #[holonomic]
    fn density(&self, x: [Vec3; self.points]) -> Scalar {
        sum(within(1.5, x), |(_, _, d)| switched(d.norm(), 1.0, 1.5)) - self.pairs
    }
}

/// A row of G has an entry for each coordinate, however many pairs there may be; second derivatives have
/// one for each pair, and only methods that need them are refused.
#[test]
fn many_points_are_held_by_their_densities() {
    let along = 12_usize;
    let mut seeded = Seeded::new(5);
    let sites = (0..along * along * along).flat_map(|k| [k % along, k / along % along, k / (along * along)]);
    let q: Vec<f64> = sites.map(|place| 1.2 * place as f64 + 0.05 * seeded.number()).collect();
    let points = q.len() / 3;
    let mut held = [0.0; 2];
    let free = Coordinated { points, neighbours: 0.0, pairs: 0.0 }.bind().unwrap();
    free.constraint_values(&q, 0.0, &mut held);
    assert!(held[0] > 1.0 && held[1] > 1000.0, "{held:?}");
    let system = Coordinated { points, neighbours: held[0], pairs: held[1] }.bind().unwrap();
    let mut stepper = Rattle::default().start(&system, State::at_rest(q.clone()), 0.01).unwrap();
    for _ in 0..10 {
        stepper.step().unwrap();
    }
    let mut left = [0.0; 2];
    system.constraint_values(&stepper.state().q, 0.0, &mut left);
    assert!(left[0].abs() < 1e-13 && left[1].abs() < 1e-10, "{left:?}");
    let refused = VariationalMidpoint::default().start(&system, State::at_rest(q), 0.01).err().unwrap();
    assert!(refused.to_string().contains("more than 4000000 are not assembled"), "{refused}");
}
