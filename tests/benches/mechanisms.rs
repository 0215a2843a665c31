//! The time of a step of the variational engines under constraints: a four-bar in angles, and chains with drag, whose cost is to be that of
//! their links.

use integrator_core::method::{Method, Rattle, Stepper, VariationalMidpoint, VariationalTrapezoid};
use integrator_core::prelude::*;
use integrator_core::system::Lagrangian;
use std::time::Instant;
use test_support::linkage::Linkage;

/// A closed chain of three uniform rods in relative angles.
struct Fourbar {
    masses: [f64; 3],
    rods: [f64; 3],
    base: f64,
    gravity: f64,
}

#[lagrangian]
impl Fourbar {
    fn lagrangian(&self, a: Scalar, b: Scalar, c: Scalar) -> Scalar {
        let (first, second) = (vec2(a.cos(), a.sin()), vec2((a + b).cos(), (a + b).sin()));
        let third = vec2((a + b + c).cos(), (a + b + c).sin());
        let joint = self.rods[0] * first;
        let other = joint + self.rods[1] * second;
        let rod = |mass: f64, length: f64, middle: Vec2, angle: Scalar| {
            0.5 * mass * der(middle).norm_squared() + mass * length.powi(2) / 24.0 * der(angle).powi(2)
                - mass * self.gravity * middle.y
        };
        rod(self.masses[0], self.rods[0], 0.5 * joint, a)
            + rod(self.masses[1], self.rods[1], joint + 0.5 * self.rods[1] * second, a + b)
            + rod(self.masses[2], self.rods[2], other + 0.5 * self.rods[2] * third, a + b + c)
    }

    #[holonomic]
    fn hinge(&self, a: Scalar, b: Scalar, c: Scalar) -> Vec2 {
        let (first, second, third) = (a, a + b, a + b + c);
        vec2(
            self.rods[0] * first.cos() + self.rods[1] * second.cos() + self.rods[2] * third.cos() - self.base,
            self.rods[0] * first.sin() + self.rods[1] * second.sin() + self.rods[2] * third.sin(),
        )
    }
}

/// A chain of points on rods, with drag.
struct Chain {
    links: usize,
    drag: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| 0.5 * der(bobs[i]).norm_squared() - 9.81 * bobs[i].y)
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - 5.0
        })
    }

    #[force]
    fn drag(&self, bobs: [Vec2; self.links]) -> [Vec2; self.links] {
        each(0..self.links, |i| -self.drag * der(bobs[i]))
    }
}

/// Prints the least time of a step among ten runs, and the counts of a step.
fn time<S: ?Sized, M: Method<S>>(what: &str, system: &S, method: &M, start: &State, h: f64, steps: u32) {
    let mut least = f64::INFINITY;
    let mut counts = String::new();
    for _ in 0..10 {
        let mut stepper = method.start(system, start.clone(), h).unwrap_or_else(|error| panic!("{error}"));
        let clock = Instant::now();
        for _ in 0..steps {
            stepper.step().unwrap_or_else(|error| panic!("{error}"));
        }
        least = least.min(clock.elapsed().as_secs_f64() / f64::from(steps));
        let report = stepper.report().evaluations;
        let per_step = |count: u64| count as f64 / f64::from(steps);
        counts = format!(
            "{:.1} gradients, {:.1} Hessians, {:.1} factorizations",
            per_step(report.gradients),
            per_step(report.hessians),
            per_step(report.factorizations)
        );
    }
    println!("{what}, {}: {:.2} µs a step; {counts}", M::NAME, 1e6 * least);
}

fn main() {
    let fourbar = Fourbar { masses: [1.0, 2.0, 1.5], rods: [1.0, 2.0, 1.5], base: 2.2, gravity: 9.81 };
    let fourbar = fourbar.bind().unwrap_or_else(|error| panic!("{error}"));
    let start = State::at_rest(vec![1.2, -0.913_188_567_711_898_7, -1.911_406_584_475_423_3]);
    let mut gradient = vec![0.0; 7];
    let clock = Instant::now();
    for _ in 0..100_000 {
        fourbar.first_derivatives(&start.q, &start.v, 0.0, std::hint::black_box(&mut gradient));
    }
    println!("four-bar: {:.3} µs a gradient", clock.elapsed().as_secs_f64() * 10.0);
    for h in [0.01, 0.001] {
        time(&format!("four-bar, h = {h}"), &fourbar, &VariationalMidpoint::default(), &start, h, 2000);
        time(&format!("four-bar, h = {h}"), &fourbar, &VariationalTrapezoid::default(), &start, h, 2000);
    }
    for links in [100, 1000] {
        let chain = Chain { links, drag: 0.1 }.bind().unwrap_or_else(|error| panic!("{error}"));
        let (by_hand, start) = Linkage::paper_chain(links, 1.0);
        let (h, steps) = (0.01, 20);
        time(&format!("{links} links with drag"), &chain, &VariationalMidpoint::default(), &start, h, steps);
        time(&format!("{links} links with drag"), &chain, &VariationalTrapezoid::default(), &start, h, steps);
        time(&format!("{links} links"), &by_hand, &VariationalTrapezoid::default(), &start, h, steps);
        time(&format!("{links} links"), &by_hand, &Rattle::default(), &start, h, steps);
    }
}
