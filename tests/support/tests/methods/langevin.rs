//! The thermostat: its distribution, its random numbers, its constraints, its refusals.

#![expect(clippy::unwrap_used, reason = "in a test file, helpers fail as tests do")]

use least_action::advanced::sparse::{SymmetricMatrix, SymmetricPattern};
use least_action::error::StartError;
use least_action::method::{
    Composition, Langevin, Method, Newmark, Rattle, Reference, Shake, Stepper, Verlet, ZhangSkeel,
};
use least_action::prelude::*;
use least_action::system::Natural;
use test_support::linkage::Linkage;
use test_support::quartic::Quartic;
use test_support::structure::{advance, distance, order_by_slope, state_distance};

/// Oscillators of different masses on springs of stiffness 1.
struct Oscillators {
    masses: Vec<f64>,
}

#[lagrangian]
impl Oscillators {
    fn lagrangian(&self, x: [Scalar; self.masses.len()]) -> Scalar {
        sum(0..self.masses.len(), |i| 0.5 * self.masses[i] * der(x[i]).powi(2) - 0.5 * x[i].powi(2))
    }
}

fn langevin<M>(method: M, friction: f64, inverse_temperature: f64, seed: u64) -> Langevin<M> {
    Langevin { method, friction, inverse_temperature, seed }
}

/// Means of many correlated numbers, with the error that the means of blocks show.
#[derive(Default)]
struct Average {
    blocks: Vec<f64>,
    sum: f64,
    count: u32,
}

impl Average {
    const BLOCK: u32 = 2000;

    fn add(&mut self, value: f64) {
        (self.sum, self.count) = (self.sum + value, self.count + 1);
        if self.count == Self::BLOCK {
            self.blocks.push(self.sum / f64::from(self.count));
            (self.sum, self.count) = (0.0, 0);
        }
    }

    fn mean_and_error(&self) -> (f64, f64) {
        let count = self.blocks.len() as f64;
        let mean = self.blocks.iter().sum::<f64>() / count;
        let variance = self.blocks.iter().map(|block| (block - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, (variance / count).sqrt())
    }

    /// The mean is `expected` within four standard errors, which are at most a part `precision` of it.
    #[track_caller]
    fn expect(&self, expected: f64, precision: f64, what: &str) {
        let (mean, error) = self.mean_and_error();
        println!("{what}: {mean:.5} ± {error:.5}, expected {expected:.5}");
        assert!(error < precision * expected, "{what}: the run is too short to say");
        assert!((mean - expected).abs() < 4.0 * error, "{what}: {mean} ± {error} instead of {expected}");
    }
}

/// The stationary covariance (⟨x²⟩, ⟨x v⟩, ⟨v²⟩) of the step x, v ↦ Verlet, then v ↦ e v + s ξ, for x''
/// = −x/m: the fixed point of C ↦ A C Aᵀ + B, by iteration.
fn stationary([mass, friction, temperature, h]: [f64; 4]) -> [f64; 3] {
    let decay = (-friction * h / mass).exp();
    let noise = temperature / mass * (1.0 - decay * decay);
    let k = 1.0 / mass;
    let a = [
        [1.0 - 0.5 * h * h * k, h],
        [-decay * h * k * (1.0 - 0.25 * h * h * k), decay * (1.0 - 0.5 * h * h * k)],
    ];
    let mut c = [0.0; 3];
    for _ in 0..200_000 {
        let full = [[c[0], c[1]], [c[1], c[2]]];
        let entry = |i: usize, j: usize| -> f64 {
            (0..2)
                .flat_map(|k| (0..2).map(move |l| (k, l)))
                .map(|(k, l)| a[i][k] * full[k][l] * a[j][l])
                .sum()
        };
        c = [entry(0, 0), entry(0, 1), entry(1, 1) + noise];
    }
    c
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn oscillators_have_the_stationary_distribution_of_the_scheme_and_nearly_that_of_gibbs() {
    let masses = vec![0.5, 1.0, 4.0];
    let system = Oscillators { masses: masses.clone() }.bind().unwrap();
    let (friction, beta, h) = (1.0, 2.5, 0.3);
    let start = State::at_rest(vec![0.0; 3]);
    let mut stepper = langevin(Verlet, friction, beta, 11).start(&system, start, h).unwrap();
    let mut averages: Vec<Average> = (0..6).map(|_| Average::default()).collect();
    for step in 0..1_600_000 {
        stepper.step().unwrap();
        if step >= 1000 {
            let State { q, v, .. } = stepper.state();
            for k in 0..3 {
                averages[k].add(q[k] * q[k]);
                averages[3 + k].add(v[k] * v[k]);
            }
        }
    }
    for (k, mass) in masses.iter().enumerate() {
        let exact = stationary([*mass, friction, 1.0 / beta, h]);
        averages[k].expect(exact[0], 0.01, "⟨x²⟩");
        averages[3 + k].expect(exact[2], 0.01, "⟨v²⟩");
        // Verlet distorts the Gibbs distribution by h² ω²/4.
        assert!((exact[0] * beta - 1.0).abs() < 0.5 * h * h / mass, "{exact:?}");
    }
}

#[test]
fn velocities_under_a_coupled_mass_have_its_inverse_as_covariance() {
    let system = Quartic::default();
    let (beta, h) = (3.0, 0.02);
    let mut stepper = langevin(Verlet, 20.0, beta, 5).start(&system, Quartic::start(), h).unwrap();
    let mut products = [Average::default(), Average::default(), Average::default()];
    for _ in 0..400_000 {
        stepper.step().unwrap();
        let v = &stepper.state().v;
        products[0].add(v[0] * v[0]);
        products[1].add(-v[0] * v[1]);
        products[2].add(v[1] * v[1]);
    }
    // M = [2, ½; ½, 1]: M⁻¹ = [1, −½; −½, 2]/1.75.
    for (average, entry) in products.iter().zip([1.0, 0.5, 2.0]) {
        average.expect(entry / 1.75 / beta, 0.01, "⟨v vᵀ⟩");
    }
}

/// γ h/m is between 0.3 and 7: without the normal part, heavy bobs would be far too cold.
fn check_equipartition<M: Method<Linkage>>(method: M, scale: f64) {
    let chain = Linkage::chain(&[1.0, 0.15, 3.0], &[1.0, 0.7, 1.2], 1.0);
    let start = State::at_rest(vec![0.0, -1.0, 0.0, -1.7, 0.0, -2.9]);
    let (beta, h) = (2.0, 0.01);
    let mut stepper = langevin(method, 100.0 * scale, beta, 23).start(&chain, start, h).unwrap();
    let mut kinetic = Average::default();
    let mut largest = 0.0_f64;
    for _ in 0..400_000 {
        stepper.step().unwrap();
        let state = stepper.state();
        kinetic.add(chain.mass().quadratic(&state.v));
        largest = largest.max(chain.rate(state));
        assert!(chain.violation(state) < 1e-12);
    }
    // Six coordinates, three rods.
    kinetic.expect(3.0 / beta, 0.01, M::NAME);
    assert!(largest < 1e-13, "the velocity leaves the constraints by {largest:e}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn a_chain_of_unequal_masses_has_the_kinetic_temperature_of_its_free_directions() {
    check_equipartition(Rattle::default(), 1.0);
    check_equipartition(Shake::default(), 1.0);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "long without optimization: `cargo thorough` runs it")]
fn with_little_friction_too() {
    check_equipartition(Rattle::default(), 0.1);
}

#[test]
fn a_chain_of_equal_masses_has_it_too() {
    let (chain, start) = Linkage::double_pendulum(1.0);
    let mut stepper = langevin(Rattle::default(), 5.0, 4.0, 1).start(&chain, start, 0.02).unwrap();
    let mut kinetic = Average::default();
    for _ in 0..300_000 {
        stepper.step().unwrap();
        kinetic.add(chain.mass().quadratic(&stepper.state().v));
    }
    kinetic.expect(2.0 / 4.0, 0.02, "two free directions");
}

/// Without noise the scheme splits the damped motion, exact to order 1: the mean of a linear system.
#[test]
fn the_damped_motion_is_followed_to_first_order() {
    let system = Quartic::default();
    let friction = 0.8;
    // A classical Runge-Kutta solution, accurate to 1e-12.
    let slope = |y: [f64; 4]| {
        let mut g = [0.0; 2];
        system.potential_gradient(&y[..2], 0.0, &mut g);
        let [f, e] = [-g[0] - friction * y[2], -g[1] - friction * y[3]];
        [y[2], y[3], (f - 0.5 * e) / 1.75, (2.0 * e - 0.5 * f) / 1.75]
    };
    let start = Quartic::start();
    let mut y = [start.q[0], start.q[1], start.v[0], start.v[1]];
    let n = 4000;
    let d = 2.0 / f64::from(n);
    let moved = |y: [f64; 4], k: [f64; 4], d: f64| [0, 1, 2, 3].map(|i: usize| y[i] + d * k[i]);
    for _ in 0..n {
        let a = slope(y);
        let b = slope(moved(y, a, 0.5 * d));
        let c = slope(moved(y, b, 0.5 * d));
        let e = slope(moved(y, c, d));
        y = [0, 1, 2, 3].map(|i: usize| y[i] + d / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + e[i]));
    }
    let exact = State::new(y[..2].to_vec(), y[2..].to_vec());
    let method = langevin(Verlet, friction, 1e300, 0);
    let found = order_by_slope(&[40, 80, 160, 320], |steps| {
        state_distance(&advance(&system, &method, &start, 2.0 / steps as f64, steps), &exact)
    });
    assert!((found - 1.0).abs() < 0.1, "slope {found}");
}

fn bits(state: &State) -> Vec<u64> {
    state.q.iter().chain(&state.v).map(|value| value.to_bits()).collect()
}

fn check_bits<S: Natural + ?Sized, M: Method<S> + Copy>(system: &S, method: M, start: &State, h: f64) {
    let plain = advance(system, &method, start, h, 50);
    let with = |friction, seed| advance(system, &langevin(method, friction, 2.0, seed), start, h, 50);
    assert_eq!(bits(&with(0.0, 1)), bits(&plain), "{}: γ = 0 is the method itself", M::NAME);
    assert_eq!(bits(&with(0.3, 1)), bits(&with(0.3, 1)), "{}", M::NAME);
    assert_ne!(bits(&with(0.3, 1)), bits(&with(0.3, 2)), "{}: another seed", M::NAME);
    // Twenty steps, and thirty more from there.
    let method = langevin(method, 0.3, 2.0, 1);
    let middle = advance(system, &method, start, h, 20);
    assert_eq!(bits(&advance(system, &method, &middle, h, 30)), bits(&with(0.3, 1)), "{}", M::NAME);
}

#[test]
fn runs_are_those_of_the_method_of_the_seed_and_of_their_parts() {
    check_bits(&Quartic::default(), Verlet, &Quartic::start(), 0.05);
    check_bits(&Quartic::default(), ZhangSkeel::default(), &Quartic::start(), 0.05);
    let chain = Linkage::chain(&[1.0, 2.0], &[1.0, std::f64::consts::SQRT_2], 1.0);
    let start = State::at_rest(vec![0.0, -1.0, 1.0, -2.0]);
    check_bits(&chain, Rattle::default(), &start, 0.05);
    check_bits(&chain, Shake::default(), &start, 0.05);
}

/// Charges in a bowl: 124 750 pairs are more than two million operations, which threads share.
struct Charges {
    bodies: usize,
}

#[lagrangian]
impl Charges {
    fn lagrangian(&self, p: [Vec3; self.bodies]) -> Scalar {
        let single = sum(0..self.bodies, |i| 0.5 * der(p[i]).norm_squared() - 0.5 * p[i].norm_squared());
        single - sum(pairs(self.bodies), |(i, j)| 1.0 / (0.1 + (p[i] - p[j]).norm_squared()).sqrt())
    }
}

#[test]
fn the_bits_are_the_same_on_one_thread_and_on_two() {
    let start = State::at_rest((0..1500).map(|k| 5.0 * f64::from(k * k).sin()).collect());
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            assert_eq!(rayon::current_num_threads(), threads);
            let system = Charges { bodies: 500 }.bind().unwrap();
            bits(&advance(&system, &langevin(Verlet, 0.5, 1.0, 9), &start, 0.01, 20))
        })
    };
    assert!(run(1) == run(2));
}

#[test]
fn options_out_of_range_are_refused() {
    let start = |friction, beta| {
        langevin(Verlet, friction, beta, 0).start(&Quartic::default(), Quartic::start(), 0.1).err().unwrap()
    };
    assert_eq!(start(-1.0, 1.0).to_string(), "langevin: friction = -1 is outside [0, ∞)");
    assert_eq!(start(1.0, 0.0).to_string(), "langevin: inverse_temperature = 0 is outside (0, ∞)");
    assert!(start(f64::NAN, 1.0).to_string().contains("friction = NaN"));
    assert!(start(1.0, f64::INFINITY).to_string().contains("inverse_temperature = inf"));
}

#[test]
fn a_method_or_mass_that_does_not_fit_is_refused() {
    let system = Oscillators { masses: vec![1.0] }.bind().unwrap();
    let method = Langevin::around(Reference::default());
    let refused = method.start(&system, State::at_rest(vec![1.0]), 0.1).err().unwrap();
    assert_eq!(refused, StartError::VelocitiesFixed { method: "reference" });
    let refused = Langevin::around(Newmark::default()).start(&system, State::at_rest(vec![1.0]), 0.1).err();
    assert_eq!(refused, Some(StartError::VelocitiesFixed { method: "newmark" }));
    let refused = Langevin::around(Composition::of(Verlet, 4)).start(&system, State::at_rest(vec![1.0]), 0.1);
    assert_eq!(refused.err(), Some(StartError::VelocitiesFixed { method: "verlet" }));

    let (chain, start) = Linkage::paper_chain(50, 1.0);
    let pattern = SymmetricPattern::new(100, (1..100).map(|i| (i, i - 1)));
    let values = pattern.entries().map(|(i, j)| if i == j { 2.0 } else { 0.5 }).collect();
    let coupled = chain.with_mass(SymmetricMatrix { pattern, values });
    let refused = Langevin::around(Rattle::default()).start(&coupled, start, 0.1).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "langevin: the mass matrix of `Linkage` couples 100 degrees of freedom, `points[0].x` among them; the exact flow of \
         the friction is computed for at most 64: choose coordinates in which the mass is diagonal, or nearly so"
    );
}

#[test]
fn a_velocity_that_is_replaced_by_itself_changes_nothing_and_another_is_made_tangent() {
    let (chain, start) = Linkage::double_pendulum(1.0);
    let mut rattle = Rattle::default().start(&chain, start.clone(), 0.05).unwrap();
    for _ in 0..20 {
        rattle.step().unwrap();
    }
    let (before, multipliers) = (rattle.state().clone(), rattle.multipliers().unwrap().to_vec());
    rattle.kicked().unwrap().kick(&before.v);
    assert!(state_distance(rattle.state(), &before) < 1e-15);
    assert!(distance(rattle.multipliers().unwrap(), &multipliers) < 1e-13);

    // After a kick SHAKE steps as from a start there, with the multipliers of the new velocity.
    let mut shake = Shake::default().start(&chain, start, 0.05).unwrap();
    for _ in 0..20 {
        shake.step().unwrap();
    }
    shake.kicked().unwrap().kick(&[1.0, -2.0, 0.5, 0.3]);
    assert!(chain.rate(shake.state()) < 1e-14);
    let again = State { t: 0.0, ..shake.state().clone() };
    let mut fresh = Shake::default().start(&chain, again, 0.05).unwrap();
    assert!(distance(shake.multipliers().unwrap(), fresh.multipliers().unwrap()) < 1e-13);
    for _ in 0..10 {
        shake.step().unwrap();
        fresh.step().unwrap();
        assert_eq!(bits(shake.state()), bits(fresh.state()));
    }
}

#[test]
fn a_step_that_fails_keeps_the_state_and_a_replaced_velocity_mends_the_run() {
    // A rotation far too fast for the step: there is no position on the constraints to be found.
    let (chain, start) = Linkage::double_pendulum(1.0);
    for ahead in [0, 1] {
        let mut shake = Shake::default().start(&chain, start.clone(), 0.5).unwrap();
        for _ in 0..ahead {
            shake.step().unwrap();
        }
        let calm = shake.state().v.clone();
        shake.kicked().unwrap().kick(&[30.0, 0.0, 60.0, 30.0]);
        let before = shake.state().clone();
        assert!(shake.step().is_err());
        assert_eq!(shake.state(), &before);
        shake.kicked().unwrap().kick(&calm);
        shake.step().unwrap();
        assert!(chain.violation(shake.state()) < 1e-13);
    }
}
