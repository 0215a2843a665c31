//! Error against time on the chain of ten links to t = 2: RATTLE and its compositions, an adaptive
//! method of order 8 on these constraints, and it on the angles of the links, which need no constraints.
//!
//! `cargo bench -p least-action-tests --bench orders`

#![expect(clippy::expect_used, reason = "a benchmark of runs that are known to succeed")]

use least_action::method::{Composition, Method, Rattle, Reference, Stepper};
use least_action::prelude::*;
use least_action::system::System;
use least_action_models::Chain;
use std::time::Instant;

/// The chain in the angles of its links from the vertical, |p_i − p_{i−1}| = rod.
struct ByAngles {
    links: usize,
    mass: f64,
    gravity: f64,
    rod: f64,
}

impl ByAngles {
    /// The masses that hang from the lower one of two links.
    fn below(&self, i: usize, j: usize) -> f64 {
        self.mass * (self.links - i.max(j)) as f64
    }
}

#[lagrangian]
impl ByAngles {
    fn lagrangian(&self, angles: [Angle; self.links]) -> Scalar {
        let moving =
            sum(0..self.links, |i| 0.5 * self.below(i, i) * self.rod.powi(2) * der(angles[i]).powi(2));
        let together = sum(pairs(self.links), |(i, j)| {
            let rates = der(angles[i]) * der(angles[j]);
            self.below(i, j) * self.rod.powi(2) * (angles[i] - angles[j]).cos() * rates
        });
        let weight = sum(0..self.links, |i| self.gravity * self.below(i, i) * self.rod * angles[i].cos());
        moving + together + weight
    }
}

const END: f64 = 2.0;
/// A run is repeated so often, and its quickest repetition counts.
const REPETITIONS: usize = 7;

fn main() {
    let model = Chain::default();
    let chain = model.bind().expect("a chain");
    let start = model.start();
    let Chain { links, mass, gravity, rod } = model;
    let by_angles = ByAngles { links, mass, gravity, rod }.bind().expect("the same chain");
    let angles = State::at_rest(angles(&start.q));
    let exact = positions(&last(&by_angles, &Reference { tolerance: 1e-13 }, &angles, END).0.q, rod);

    println!("{:>34} {:>10} {:>12} {:>12}", "", "step", "error", "time");
    let print = |name: &str, step: f64, q: &[f64], seconds: f64| {
        let error = q.iter().zip(&exact).fold(0.0, |most: f64, (q, exact)| most.max((q - exact).abs()));
        println!("{name:>34} {step:>10.1e} {error:>12.1e} {:>9.1} us", 1e6 * seconds);
    };
    for halvings in 0..5 {
        let step = 0.1 * 0.5_f64.powi(halvings);
        let (state, seconds) = last(&chain, &Rattle::default(), &start, step);
        print("RATTLE", step, &state.q, seconds);
    }
    composed::<4>(&chain, &start, &print);
    composed::<6>(&chain, &start, &print);
    composed::<8>(&chain, &start, &print);
    for tolerance in [1e-3, 1e-5, 1e-7, 1e-9, 1e-11] {
        let (state, seconds) = last(&chain, &Reference { tolerance }, &start, END);
        print("adaptive, on the constraints", tolerance, &state.q, seconds);
    }
    for tolerance in [1e-3, 1e-5, 1e-7, 1e-9, 1e-11] {
        let (state, seconds) = last(&by_angles, &Reference { tolerance }, &angles, END);
        print("adaptive, in the angles", tolerance, &positions(&state.q, rod), seconds);
    }
}

fn composed<const ORDER: u32>(chain: &Bound<Chain>, start: &State, print: &impl Fn(&str, f64, &[f64], f64))
where
    Composition<Rattle, ORDER>: for<'s> Method<Bound<Chain>>,
{
    for halvings in 0..4 {
        let step = 0.2 * 0.5_f64.powi(halvings);
        let method = Composition::<_, ORDER>::of(Rattle::default());
        let (state, seconds) = last(chain, &method, start, step);
        print(&format!("RATTLE, composed to order {ORDER}"), step, &state.q, seconds);
    }
}

/// The state at the end and the shortest time of the steps.
fn last<S: System, M: Method<S>>(system: &S, method: &M, start: &State, step: f64) -> (State, f64) {
    let (mut end, mut quickest) = (start.clone(), f64::INFINITY);
    for _ in 0..REPETITIONS {
        let mut stepper = method.start(system, start.clone(), step).expect("a start that fits");
        let clock = Instant::now();
        (0..(END / step).round() as u64).for_each(|_| stepper.step().expect("a stable step"));
        quickest = quickest.min(clock.elapsed().as_secs_f64());
        end = stepper.state().clone();
    }
    (end, quickest)
}

/// The angle of every link from the vertical.
fn angles(q: &[f64]) -> Vec<f64> {
    let place = |k: usize| if k < 2 { 0.0 } else { q[k - 2] };
    (0..q.len() / 2)
        .map(|i| {
            let [x, y] = [q[2 * i] - place(2 * i), q[2 * i + 1] - place(2 * i + 1)];
            x.atan2(-y)
        })
        .collect()
}

/// The places of the bobs.
fn positions(angles: &[f64], rod: f64) -> Vec<f64> {
    let mut end = [0.0, 0.0];
    let mut places = Vec::with_capacity(2 * angles.len());
    for angle in angles {
        end = [end[0] + rod * angle.sin(), end[1] - rod * angle.cos()];
        places.extend(end);
    }
    places
}
