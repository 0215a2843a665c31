//! Derivatives of a penalized system by its parameters and by ω, against differences.

#![expect(clippy::expect_used, reason = "a test may end at what is not there")]

use least_action::advanced::wrap::Penalized;
use least_action::drive::gradient::{Gradient, Loss, Observed, differentiate};
use least_action::drive::integrate;
use least_action::method::{
    Differentiable, Newmark, PushForwardNewmark, ZhangSkeel, ZhangSkeelSimplified, ZhangSkeelStiff,
};
use least_action::prelude::*;

/// Two bodies on curves, whose constraints have all derivatives by positions and by parameters.
#[derive(Debug, Clone)]
struct Track {
    masses: Vec<f64>,
    rods: [f64; 2],
    stiffness: f64,
}

#[lagrangian(sensitive(masses, rods, stiffness))]
impl Track {
    fn lagrangian(&self, bodies: [Vec2; 2]) -> Scalar {
        let kinetic = sum(0..2, |i| 0.5 * self.masses[i] * der(bodies[i]).norm_squared());
        let between = (bodies[1] - bodies[0]).norm_squared();
        kinetic - 0.5 * self.stiffness * between - 0.1 * self.stiffness.powi(2) * between.powi(2)
    }

    #[holonomic]
    fn curves(&self, bodies: [Vec2; 2]) -> [Scalar; 2] {
        each(0..2, |i| bodies[i].x.powi(3) + self.rods[i].powi(2) * bodies[i].y * bodies[i].x - self.rods[i])
    }
}

const OMEGA: f64 = 3.0;
const POSITION: [f64; 4] = [0.9, 0.4, 0.7, -0.6];
const VELOCITY: [f64; 4] = [0.3, -0.2, 0.1, 0.4];

fn track() -> Track {
    Track { masses: vec![1.2, 0.7], rods: [1.1, 0.8], stiffness: 0.9 }
}

/// Calls `f` with the penalized system of these parameters, ω last.
fn with<T>(theta: &[f64], f: impl FnOnce(&Penalized<'_, Bound<Track>>) -> T) -> T {
    let (omega, own) = theta.split_last().expect("ω");
    let mut model = track();
    model.set_parameters(own).expect("as many");
    let bound = model.bind().expect("bound");
    f(&Penalized::new(&bound, *omega).expect("positive"))
}

fn parameters() -> Vec<f64> {
    let mut theta = track().parameters();
    theta.push(OMEGA);
    theta
}

fn moved(x: &[f64], h: f64, along: &[f64]) -> Vec<f64> {
    x.iter().zip(along).map(|(x, a)| x + h * a).collect()
}

/// The difference (f(h) − f(−h))/2h, extrapolated to h = 0.
fn slope(step: f64, f: &dyn Fn(f64) -> f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (4.0 * central(step / 2.0) - central(step)) / 3.0
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A direction by (q, θ, ω).
fn direction() -> Vec<f64> {
    vec![0.4, -0.7, 0.3, 0.5, -0.2, 0.6, 0.35, -0.45, 0.25, 0.8]
}

/// V̂ at x + h a.
fn potential(x: &[f64]) -> f64 {
    with(&x[4..], |system| system.potential(&x[..4], 0.0))
}

fn place() -> Vec<f64> {
    [POSITION.to_vec(), parameters()].concat()
}

fn unit(k: usize) -> Vec<f64> {
    (0..direction().len()).map(|other| f64::from(u8::from(other == k))).collect()
}

#[test]
fn omega_is_a_parameter() {
    with(&parameters(), |system| {
        let parametric = system.parametric().expect("sensitive");
        let names: Vec<String> = (0..parametric.count()).map(|k| parametric.parameter_name(k)).collect();
        assert_eq!(names, ["masses[0]", "masses[1]", "rods[0]", "rods[1]", "stiffness", "omega"]);
        assert_eq!(parametric.values(), parameters());
    });
}

#[test]
fn products_contain_the_penalty() {
    let (x, a) = (place(), direction());
    let mut product = vec![0.0; a.len()];
    with(&parameters(), |system| {
        let parametric = system.parametric().expect("sensitive");
        parametric.product(&parametric.place(&POSITION), 0.0, &a, &mut product);
    });
    for (k, found) in product.iter().enumerate() {
        let along = |h: f64| slope(1e-2, &|g| potential(&moved(&moved(&x, h, &unit(k)), g, &a)));
        let expected = slope(1e-2, &along);
        assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{k}: {found} for {expected}");
    }
}

#[test]
fn third_derivatives_contain_the_penalty() {
    let (x, a) = (place(), direction());
    let mut contraction = vec![0.0; a.len()];
    with(&parameters(), |system| {
        let parametric = system.parametric().expect("sensitive");
        parametric.third(&parametric.place(&POSITION), 0.0, &a, &mut contraction);
    });
    let form = |x: &[f64]| {
        let mut product = vec![0.0; a.len()];
        with(&x[4..], |system| {
            let parametric = system.parametric().expect("sensitive");
            parametric.product(x, 0.0, &a, &mut product);
        });
        dot(&product, &a)
    };
    for (k, found) in contraction.iter().enumerate() {
        let expected = slope(1e-3, &|h| form(&moved(&x, h, &unit(k))));
        assert!((found - expected).abs() < 1e-7 * expected.abs().max(1.0), "{k}: {found} for {expected}");
    }
}

#[test]
fn rates_of_third_derivatives_contain_the_penalty() {
    let (x, d, mut a) = (place(), direction(), vec![0.5, 0.3, -0.8, 0.6]);
    a.resize(d.len(), 0.0);
    let mut rate = vec![0.0; d.len()];
    with(&parameters(), |system| {
        let parametric = system.parametric().expect("sensitive");
        assert!(parametric.has_third_rates());
        parametric.third_rate(&parametric.place(&POSITION), 0.0, (&a, &d), &mut rate);
    });
    for (k, found) in rate.iter().enumerate() {
        let third = |x: &[f64]| {
            let mut contraction = vec![0.0; d.len()];
            with(&x[4..], |system| {
                let parametric = system.parametric().expect("sensitive");
                parametric.third(x, 0.0, &a, &mut contraction);
            });
            contraction[k]
        };
        let expected = slope(1e-3, &|h| third(&moved(&x, h, &d)));
        assert!((found - expected).abs() < 1e-7 * expected.abs().max(1.0), "{k}: {found} for {expected}");
    }
}

/// A loss of positions and velocities at the end.
struct Weighted;

impl Weighted {
    fn value(q: &[f64], v: &[f64]) -> f64 {
        dot(q, &[0.4, -1.1, 0.7, 0.2]) + dot(v, &[1.3, 0.5, -0.8, 0.6])
    }
}

impl Loss for Weighted {
    fn sees(&self, step: u64, of: u64) -> bool {
        step == of
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        of_q.copy_from_slice(&[0.4, -1.1, 0.7, 0.2]);
        of_v.copy_from_slice(&[1.3, 0.5, -0.8, 0.6]);
        Self::value(at.q, at.v)
    }
}

fn start() -> State {
    State { t: 0.0, q: POSITION.to_vec(), v: VELOCITY.to_vec() }
}

/// Checks the derivative of a motion by all parameters.
fn check<M>(method: &M)
where
    M: for<'s> Differentiable<Penalized<'s, Bound<Track>>>,
{
    let (theta, end, step) = (parameters(), 1.0, 0.05);
    let gradient: Gradient = with(&theta, |system| {
        let motion = differentiate(system, method, start(), step).expect("started").until(end);
        motion.gradient(&mut Weighted).expect("a gradient")
    });
    assert_eq!(gradient.parameters.len(), theta.len());
    for (k, found) in gradient.parameters.iter().enumerate() {
        let loss = |h: f64| {
            let mut theta = theta.clone();
            theta[k] += h;
            with(&theta, |system| {
                let run = integrate(system, method, start(), step).expect("started").until(end);
                let (stepper, _) = run.run().expect("run");
                Weighted::value(&stepper.state().q, &stepper.state().v)
            })
        };
        let expected = slope(1e-3, &loss);
        let name = &gradient.names[k];
        assert!((found - expected).abs() < 1e-7 * expected.abs().max(1.0), "{name}: {found} for {expected}");
    }
}

#[test]
fn motions_by_push_forward_newmark() {
    check(&PushForwardNewmark::default());
}

#[test]
fn motions_by_newmark() {
    check(&Newmark::default());
}

#[test]
fn motions_by_the_zhang_skeel_integrator() {
    check(&ZhangSkeel::default());
}

#[test]
fn motions_by_the_zhang_skeel_integrator_of_a_stiff_part() {
    check(&ZhangSkeelStiff::default());
}

#[test]
fn motions_by_the_simplified_zhang_skeel_integrator() {
    check(&ZhangSkeelSimplified::default());
}
