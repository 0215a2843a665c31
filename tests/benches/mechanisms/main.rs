//! The time of a step of the variational engines under constraints: a four-bar in angles and chains of
//! rods with masses in their angles, beside code by hand; chains of points with drag, and jointed boxes.
//! The cost should be proportional to the links and boxes.
//!
//! Printed are medians, of comparisons in turns.
//!
//! `cargo bench -p least-action-tests --bench mechanisms`

#![expect(clippy::panic, reason = "a benchmark of runs that are known to be stable")]

mod fourbar;
mod rods;

use least_action::method::{Method, Rattle, Stepper, VariationalMidpoint, VariationalTrapezoid};
use least_action::prelude::*;
use least_action::system::Start;
use least_action_models::JointedBoxes;
use std::cell::RefCell;
use std::hint::black_box;
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

/// A hanging chain of eccentric rods, by their first points and angles: M(q) is linear in the rods.
struct Rods {
    rods: usize,
}

#[lagrangian]
impl Rods {
    fn lagrangian(&self, ends: [Vec2; self.rods], angles: [Angle; self.rods]) -> Scalar {
        sum(0..self.rods, |i| {
            let centre = ends[i] + 0.3 * vec2(angles[i].cos(), angles[i].sin());
            0.5 * der(centre).norm_squared() + 0.05 * der(angles[i]).powi(2) - centre.y
        })
    }

    #[holonomic]
    fn joints(&self, ends: [Vec2; self.rods], angles: [Angle; self.rods]) -> [Vec2; self.rods] {
        each(0..self.rods, |i| {
            let before = if i == 0 {
                Vec2::ZERO
            } else {
                ends[i - 1] + vec2(angles[i - 1].cos(), angles[i - 1].sin())
            };
            ends[i] - before
        })
    }
}

/// At rest, nearly straight.
fn hanging(rods: usize) -> State {
    let angles: Vec<f64> = (0..rods).map(|i| 0.3 * (i as f64).sin() - std::f64::consts::FRAC_PI_2).collect();
    let (mut q, mut end) = (Vec::new(), [0.0, 0.0]);
    for angle in &angles {
        q.extend(end);
        end = [end[0] + angle.cos(), end[1] + angle.sin()];
    }
    q.extend(angles);
    State::at_rest(q)
}

/// Prints the median time of a step among eleven runs, the time of a part, and the counts of a step.
fn time<S: ?Sized, M: Method<S>>(what: &str, parts: usize, system: &S, method: &M, start: &State, h: f64) {
    let steps = (20_000 / parts).clamp(4, 2000) as u32;
    let mut stepper = method.start(system, start.clone(), h).unwrap_or_else(|error| panic!("{error}"));
    let mut step = || stepper.step().unwrap_or_else(|error| panic!("{error}"));
    step();
    let mut times: Vec<f64> = (0..11)
        .map(|_| {
            let clock = Instant::now();
            (0..steps).for_each(|_| step());
            1e6 * clock.elapsed().as_secs_f64() / f64::from(steps)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let counts = stepper.report().evaluations;
    let per_step = |count: u64| count as f64 / stepper.steps() as f64;
    println!(
        "{parts:>6} {what}, {}: {median:.2} µs a step, {:.3} a part; {:.1} gradients, {:.1} Hessians, {:.1} factorizations",
        M::NAME,
        median / parts as f64,
        per_step(counts.gradients),
        per_step(counts.hessians),
        per_step(counts.factorizations)
    );
}

/// Prints the median times of a step by engine and by hand, in turns, and the distance of the ends.
fn compare<S: ?Sized, M: Method<S>>(
    what: &str,
    parts: usize,
    (system, method, start, h): (&S, &M, &State, f64),
    mut by_hand: impl FnMut(),
    far: impl FnOnce(&State) -> f64,
) {
    let steps = (20_000 / parts).clamp(4, 2000) as u32;
    let mut stepper = method.start(system, start.clone(), h).unwrap_or_else(|error| panic!("{error}"));
    let clock = |run: &mut dyn FnMut()| {
        let clock = Instant::now();
        (0..steps).for_each(|_| run());
        1e6 * clock.elapsed().as_secs_f64() / f64::from(steps)
    };
    let mut times: Vec<[f64; 3]> = (0..11)
        .map(|_| {
            let hand = clock(&mut by_hand);
            let engine = clock(&mut || stepper.step().unwrap_or_else(|error| panic!("{error}")));
            [engine, hand, engine / hand]
        })
        .collect();
    let median = |of: usize, times: &mut Vec<[f64; 3]>| {
        times.sort_by(|a, b| a[of].total_cmp(&b[of]));
        times[times.len() / 2][of]
    };
    println!(
        "{parts:>6} {what}, {}: {:.2} µs a step, {:.2} by hand, ratio {:.2}; apart by {:.1e}",
        M::NAME,
        median(0, &mut times),
        median(1, &mut times),
        median(2, &mut times),
        far(stepper.state())
    );
}

/// The largest difference.
fn apart<'a>(a: impl Iterator<Item = &'a f64>, b: impl Iterator<Item = f64>) -> f64 {
    a.zip(b).fold(0.0, |apart, (a, b)| apart.max((a - b).abs()))
}

fn main() {
    let (masses, rods, base, gravity) = ([1.0, 2.0, 1.5], [1.0, 2.0, 1.5], 2.2, 9.81);
    let fourbar = Fourbar { masses, rods, base, gravity }.bind().unwrap_or_else(|error| panic!("{error}"));
    let start = State::at_rest(vec![1.2, -0.913_188_567_711_898_7, -1.911_406_584_475_423_3]);
    for h in [0.01, 0.001] {
        let what = format!("four-bar, h = {h}");
        time(&what, 1, &fourbar, &VariationalMidpoint::default(), &start, h);
        time(&what, 1, &fourbar, &VariationalTrapezoid::default(), &start, h);
        let hand = RefCell::new(fourbar::ByHand::new(masses, rods, base, gravity, &start.q, h));
        let run = (&fourbar, &VariationalMidpoint::default(), &start, h);
        let far = |state: &State| {
            let [a, b, c] = hand.borrow().q;
            apart(state.q.iter(), [a, b - a, c - b].into_iter())
        };
        compare(&what, 1, run, || black_box(&hand).borrow_mut().step(), far);
    }
    let h = 0.001;
    for links in [100, 1000, 10_000] {
        let chain = Chain { links, drag: 0.1 }.bind().unwrap_or_else(|error| panic!("{error}"));
        let (by_hand, start) = Linkage::paper_chain(links, 1.0);
        time("links with drag", links, &chain, &VariationalMidpoint::default(), &start, h);
        time("links with drag", links, &chain, &VariationalTrapezoid::default(), &start, h);
        time("links with drag", links, &chain, &Rattle::default(), &start, h);
        time("links", links, &by_hand, &Rattle::default(), &start, h);
    }
    for rods in [100, 1000, 10_000] {
        let system = Rods { rods }.bind().unwrap_or_else(|error| panic!("{error}"));
        let (method, start) = (VariationalMidpoint::default(), hanging(rods));
        time("rods in angles", rods, &system, &method, &start, h);
        let hand = RefCell::new(rods::ByHand::new(&start, h));
        let far = |state: &State| {
            let hand = hand.borrow();
            let ends = hand.q.iter().flat_map(|[x, y, _]| [*x, *y]);
            apart(state.q.iter(), ends.chain(hand.q.iter().map(|[.., angle]| *angle)))
        };
        compare(
            "rods in angles",
            rods,
            (&system, &method, &start, h),
            || black_box(&hand).borrow_mut().step(),
            far,
        );
    }
    for boxes in [100, 1000, 10_000] {
        let model = JointedBoxes { boxes, ..JointedBoxes::default() };
        let system = model.bind().unwrap_or_else(|error| panic!("{error}"));
        time("jointed boxes", boxes, &system, &Rattle::default(), &model.start(), h);
        time("jointed boxes", boxes, &system, &VariationalMidpoint::default(), &model.start(), h);
    }
}
