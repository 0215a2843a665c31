//! Agreement first, then times: all contenders and operations in turns.

use crate::by_hand::Potential;
use crate::subject::Subject;
use std::hint::black_box;
use std::time::{Duration, Instant};

const OPERATIONS: [&str; 4] = ["value", "gradient", "gradient + Hessian", "third contraction"];
/// The least duration of a measurement.
const BATCH: Duration = Duration::from_micros(400);
/// The largest difference of two derivations, relative to the entry, or to the mean size of all entries.
const TOLERANCE: f64 = 1e-11;

/// The memory that all contenders fill.
struct Memory {
    value: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

/// Checks and measures one element and prints its part of the table.
pub(crate) fn run(subject: Subject, rounds: usize) {
    let Subject { name, elements, targets, q, a, entries, mut contenders } = subject;
    let mut memory = Memory { value: 0.0, gradient: vec![0.0; q.len()], hessian: vec![0.0; entries] };
    agree(name, &mut contenders, &q, &a, &mut memory);

    let count = contenders.len();
    let mut turns = Vec::new();
    for operation in 0..OPERATIONS.len() {
        for (contender, (_, potential)) in contenders.iter_mut().enumerate() {
            // The second run is warm.
            let once =
                (0..2).map(|_| time(1, || work(&mut **potential, operation, &q, &a, &mut memory))).last();
            let batch = BATCH.as_secs_f64() * 1e9 / once.unwrap_or_default().max(1.0);
            turns.push((operation, contender, batch.ceil() as usize));
        }
    }
    let mut times = vec![[const { Vec::new() }; OPERATIONS.len()]; rounds];
    for times in &mut times {
        times.iter_mut().for_each(|times| times.resize(count, 0.0));
        // Every round begins with another one.
        turns.rotate_left(5);
        for &(operation, contender, batch) in &turns {
            let (_, potential) = &mut contenders[contender];
            let work = || work(&mut **potential, operation, &q, &a, &mut memory);
            times[operation][contender] = time(batch, work) / elements as f64;
        }
    }

    let (by_hand, dual) = (0, count - 1);
    let (one_lane, widest) = (1, count - 2);
    let names: Vec<&str> = contenders.iter().map(|(name, _)| name.as_str()).collect();
    print!("{:<21} {:>10}", name, "by hand ns");
    names[one_lane..=dual].iter().for_each(|name| print!(" {name:>8}"));
    println!("  targets");
    for (operation, title) in OPERATIONS.iter().enumerate() {
        let ratio = |over: usize, under: usize| {
            median(times.iter().map(|round| round[operation][over] / round[operation][under]))
        };
        print!("  {title:<19} {:>10.2}", median(times.iter().map(|round| round[operation][by_hand])));
        (one_lane..dual).for_each(|width| print!(" {:>8.2}", ratio(width, by_hand)));
        print!(" {:>8.1}", ratio(dual, by_hand));
        let mut reached = Vec::new();
        let mut at_most = |what: &str, found: f64, bound: f64| {
            let verdict = if found <= bound { "" } else { " MISSED" };
            reached.push(format!("{what} {found:.2} ≤ {bound}{verdict}"));
        };
        if let Some(place) = operation.checked_sub(1) {
            for (width, bounds) in [(one_lane, targets.scalar), (widest, targets.lanes)] {
                if let Some(bounds) = bounds {
                    at_most(names[width], ratio(width, by_hand), bounds[place]);
                }
            }
        }
        if operation == 3
            && let Some(bound) = targets.third_to_gradient
        {
            let found = median(times.iter().map(|round| round[3][widest] / round[1][widest]));
            at_most("to gradient", found, bound);
        }
        if operation == 2
            && let Some(bound) = targets.dual
        {
            let found = ratio(dual, widest);
            let verdict = if found >= bound { "" } else { " MISSED" };
            reached.push(format!("num-dual {found:.0} ≥ {bound}{verdict}"));
        }
        println!("  {}", reached.join(", "));
    }
}

/// Fills the memory by one operation.
fn work(contender: &mut dyn Potential, operation: usize, q: &[f64], a: &[f64], memory: &mut Memory) {
    let (q, a) = (black_box(q), black_box(a));
    match operation {
        0 => memory.value = contender.value(q),
        1 => contender.gradient(q, &mut memory.gradient),
        2 => contender.second(q, &mut memory.gradient, &mut memory.hessian),
        _ => contender.third(q, a, &mut memory.gradient),
    }
    black_box(memory);
}

/// Nanoseconds of one call.
fn time(calls: usize, mut work: impl FnMut()) -> f64 {
    let clock = Instant::now();
    (0..calls).for_each(|_| work());
    clock.elapsed().as_secs_f64() * 1e9 / calls as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Ends the benchmark at the worst entry if the contenders disagree: wrong numbers need no timing.
fn agree(
    name: &str,
    contenders: &mut [(String, Box<dyn Potential>)],
    q: &[f64],
    a: &[f64],
    memory: &mut Memory,
) {
    for (operation, title) in OPERATIONS.iter().enumerate() {
        let mut outputs = contenders.iter_mut().map(|(contender, potential)| {
            memory.gradient.fill(f64::NAN);
            memory.hessian.fill(f64::NAN);
            work(&mut **potential, operation, q, a, memory);
            let output = match operation {
                0 => vec![memory.value],
                2 => [memory.gradient.clone(), memory.hessian.clone()].concat(),
                _ => memory.gradient.clone(),
            };
            (contender, output)
        });
        let Some((_, by_hand)) = outputs.next() else { return };
        for (contender, output) in outputs {
            let mean = by_hand.iter().map(|entry| entry.abs()).sum::<f64>() / by_hand.len() as f64;
            let errors = by_hand.iter().zip(&output).map(|(a, b)| {
                let error = (a - b).abs() / a.abs().max(mean);
                // NaN is worse than any number.
                if error.is_nan() { f64::INFINITY } else { error }
            });
            let worst = errors.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
            if let Some((entry, error)) = worst
                && error > TOLERANCE
            {
                eprintln!(
                    "{name}: the {title} in {contender} differs by {error:.1e} in entry {entry}: {} by hand, {} there",
                    by_hand[entry], output[entry]
                );
                std::process::exit(1);
            }
        }
    }
}
