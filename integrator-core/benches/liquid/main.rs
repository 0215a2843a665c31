//! A Lennard-Jones liquid: the time of a step of velocity Verlet with exact lists beside a scalar loop
//! by hand, from 10³ to 10⁶ atoms; by two threads; the parts of a step; and the time and memory of
//! binding.
//!
//! Reduced density 0.8442, temperature about 0.71, cutoff 2.5, step 0.005. Printed are the best of
//! several runs, in ns of processor an atom and step.
//!
//! `cargo bench -p least-action --bench liquid [-- most atoms]`

#![expect(clippy::expect_used, reason = "a benchmark, where a failure is a panic")]

mod by_hand;
mod model;

use by_hand::ByHand;
use least_action::Model;
use least_action::lanes::Width;
use least_action::method::{Method, Stepper, Verlet};
use least_action::system::{Natural, State};
use model::Liquid;
use std::sync::OnceLock;
use std::time::Instant;

const DENSITY: f64 = 0.8442;
const TEMPERATURE: f64 = 0.71;
const CUTOFF: f64 = 2.5;
const STEP: f64 = 0.005;
const SKIN: f64 = 0.3;

/// A liquid of 10³ atoms near equilibrium.
fn small() -> (f64, State) {
    let (count, edge) = (1000, (1000.0 / DENSITY).cbrt());
    let mut q = Vec::new();
    for a in 0..10 {
        for b in 0..10 {
            for c in 0..10 {
                q.extend([a, b, c].map(|k| f64::from(k) * edge / 10.0));
            }
        }
    }
    let random = |k: usize| ((k as f64 + 1.0) * 0.754_877_666_246_692_8).fract() - 0.5;
    let mut v: Vec<f64> =
        (0..3 * count).map(|k| random(k) + random(7 * k + 3) + random(13 * k + 5)).collect();
    for component in 0..3 {
        let mean = v.iter().skip(component).step_by(3).sum::<f64>() / count as f64;
        v.iter_mut().skip(component).step_by(3).for_each(|v| *v -= mean);
    }
    let system = Liquid { atoms: count, edge, cutoff: CUTOFF }.bind().expect("a liquid");
    let mut state = State { q, v, t: 0.0 };
    for _ in 0..20 {
        let squared: f64 = state.v.iter().map(|v| v * v).sum();
        let scale = (TEMPERATURE * 3.0 * count as f64 / squared).sqrt();
        state.v.iter_mut().for_each(|v| *v *= scale);
        let mut stepper = Verlet.start(&system, state, STEP).expect("a start");
        (0..200).for_each(|_| stepper.step().expect("a step"));
        state = stepper.state().clone();
    }
    (edge, state)
}

/// So many copies of a liquid along each edge, with other velocities.
fn copies(edge: f64, state: &State, times: [usize; 3]) -> ([f64; 3], State) {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for a in 0..times[0] {
        for b in 0..times[1] {
            for c in 0..times[2] {
                let shift = [a, b, c].map(|k| k as f64 * edge);
                let turn = a + b + c;
                for (x, u) in state.q.chunks_exact(3).zip(state.v.chunks_exact(3)) {
                    q.extend((0..3).map(|k| x[k] + shift[k]));
                    v.extend((0..3).map(|k| u[(k + turn) % 3]));
                }
            }
        }
    }
    (times.map(|k| k as f64 * edge), State { q, v, t: 0.0 })
}

/// The processor time of this thread in nanoseconds, where the system tells it; else the time.
fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let of_thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = of_thread.and_then(|text| text.split(' ').next()?.parse().ok());
    used.unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_nanos() as f64)
}

/// The best time of `runs` runs of some steps, in ns an atom and step.
fn best(atoms: usize, runs: usize, steps: usize, mut step: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = now();
        (0..steps).for_each(|_| step());
        best = best.min((now() - start) / (steps * atoms) as f64);
    }
    best
}

fn main() {
    let most =
        std::env::args().filter_map(|word| word.parse::<usize>().ok()).next_back().unwrap_or(1_000_000);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let (edge, state) = one.install(small);
    println!(
        "ns an atom and step; a gradient, a value, a product and a build of lists alone; the time of binding"
    );
    for (atoms, times) in [(1000, 1), (8000, 2), (27_000, 3), (125_000, 5), (1_000_000, 10)] {
        if atoms > most {
            continue;
        }
        let ([length, ..], start) = copies(edge, &state, [times; 3]);
        let model = Liquid { atoms, edge: length, cutoff: CUTOFF };
        let (runs, steps) = (3, (2_000_000 / atoms).clamp(20, 1000));
        let mut hand = ByHand::new(length, CUTOFF, SKIN, &start.q, &start.v);
        let by_hand = best(atoms, runs, steps, || hand.step(STEP));
        let run = |width: Width, pool: &rayon::ThreadPool| {
            let system = model.bind().expect("a liquid").with_width(width);
            pool.install(|| {
                let mut stepper = Verlet.start(&system, start.clone(), STEP).expect("a start");
                best(atoms, runs, steps, || stepper.step().expect("a step"))
            })
        };
        let of_width = |width: Width| format!("{} lanes {:.0}", width.lanes(), run(width, &one));
        let by_width: Vec<String> = Width::available().into_iter().rev().map(of_width).collect();
        let faster = two_threads(&model, &start, (&one, &two), steps.min(100));
        let begin = Instant::now();
        let system = model.bind().expect("a liquid");
        let bound = begin.elapsed().as_secs_f64();
        let [gradient, value, product, build] =
            one.install(|| parts(&system, &start, |step| best(atoms, runs, steps.min(100), step)));
        println!(
            "{atoms:>8} atoms: by hand {by_hand:.0}, {}, two threads {faster:.2} times as fast as one; gradient {gradient:.0}, value {value:.0}, \
             product {product:.0}, build {build:.0}; bound in {bound:.2} s",
            by_width.join(", ")
        );
    }
}

/// How many times as fast as one thread two are: the median of runs in turns, by the clock.
fn two_threads(
    model: &Liquid,
    start: &State,
    (one, two): (&rayon::ThreadPool, &rayon::ThreadPool),
    steps: usize,
) -> f64 {
    let system = model.bind().expect("a liquid");
    let begin = |pool: &rayon::ThreadPool| {
        pool.install(|| Verlet.start(&system, start.clone(), STEP).expect("a start"))
    };
    let (mut alone, mut together) = (begin(one), begin(two));
    let mut ratios: Vec<f64> = (0..9)
        .map(|_| by_the_clock(one, steps, &mut alone) / by_the_clock(two, steps, &mut together))
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// The time of some steps in a pool of threads, in seconds.
fn by_the_clock(pool: &rayon::ThreadPool, steps: usize, stepper: &mut impl Stepper) -> f64 {
    let begin = Instant::now();
    pool.install(|| (0..steps).for_each(|_| stepper.step().expect("a step")));
    begin.elapsed().as_secs_f64()
}

/// The times of a gradient, a value, a product and a build of lists.
fn parts(system: &impl Natural, start: &State, time: impl Fn(&mut dyn FnMut()) -> f64) -> [f64; 4] {
    let mut vector = vec![0.0; start.q.len()];
    let gradient = time(&mut || system.potential_gradient(&start.q, 0.0, &mut vector));
    let value = time(&mut || {
        std::hint::black_box(system.potential(&start.q, 0.0));
    });
    let product = time(&mut || system.potential_product(&start.q, 0.0, &start.v, &mut vector));
    // Of three states that are far apart, one has no list.
    let far = |k: i32| start.q.iter().map(|x| x + 0.4 * f64::from(k)).collect();
    let far: [Vec<f64>; 3] = [0, 1, 2].map(far);
    let mut turn = 0;
    let fresh = time(&mut || {
        turn = (turn + 1) % 3;
        system.potential_gradient(&far[turn], 0.0, &mut vector);
    });
    [gradient, value, product, fresh - gradient]
}
