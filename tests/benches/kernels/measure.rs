//! Agreement first, then times: all contenders and operations in turns.

use crate::by_hand::Potential;
use crate::subject::Subject;
use std::hint::black_box;
use std::time::{Duration, Instant};

const CONTENDERS: [&str; 3] = ["by hand", "compiled", "dual numbers"];
const OPERATIONS: [&str; 4] = ["value", "gradient", "gradient + Hessian", "third contraction"];
/// How long a measurement lasts at least.
const BATCH: Duration = Duration::from_micros(400);
/// How far two derivations may be apart, relative to the entry and at least to the mean size of all entries.
const TOLERANCE: f64 = 1e-11;

/// The memory that all contenders fill.
struct Memory {
    value: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

pub(crate) fn print_heading() {
    println!(
        "{:<14} {:<19} {:>11} {:>9} {:>14} {:>9} {:>10} {:>16}",
        "element", "operation", "by hand ns", "compiled", "target", "num-dual", "speedup", "third/gradient"
    );
}

/// Checks and measures one element and prints its part of the table.
pub(crate) fn run(subject: Subject, rounds: usize) {
    let Subject { name, elements, targets, q, a, entries, mut contenders } = subject;
    let mut memory = Memory { value: 0.0, gradient: vec![0.0; q.len()], hessian: vec![0.0; entries] };
    agree(name, &mut contenders, &q, &a, &mut memory);

    let mut batches = [[1_usize; 3]; 4];
    for (operation, batches) in batches.iter_mut().enumerate() {
        for (contender, batch) in contenders.iter_mut().zip(batches) {
            // The second run is warm.
            let once =
                (0..2).map(|_| time(1, || work(&mut **contender, operation, &q, &a, &mut memory))).last();
            let once = once.unwrap_or_default().max(1.0);
            *batch = (BATCH.as_secs_f64() * 1e9 / once).ceil() as usize;
        }
    }
    let mut times = vec![[[0.0; 3]; 4]; rounds];
    for (round, times) in times.iter_mut().enumerate() {
        for turn in 0..12 {
            let turn = (turn + 5 * round) % 12;
            let (operation, contender) = (turn / 3, turn % 3);
            let batch = batches[operation][contender];
            let work = || work(&mut *contenders[contender], operation, &q, &a, &mut memory);
            times[operation][contender] = time(batch, work) / elements as f64;
        }
    }

    for (operation, title) in OPERATIONS.iter().enumerate() {
        let ratio = |over: usize, under: usize| {
            median(times.iter().map(|round| round[operation][over] / round[operation][under]))
        };
        let target = match (operation, targets.lanes) {
            (0, _) => String::new(),
            (_, None) => format!("{}", targets.scalar[operation - 1]),
            (_, Some(lanes)) => format!("{}, lanes {}", targets.scalar[operation - 1], lanes[operation - 1]),
        };
        let speedup = match targets.dual {
            Some(dual) if operation == 2 => format!("{:.0} (≥ {dual})", ratio(2, 1)),
            _ => format!("{:.1}", ratio(2, 1)),
        };
        let third = match targets.third_to_gradient {
            _ if operation != 3 => String::new(),
            at_most => {
                let found = median(times.iter().map(|round| round[3][1] / round[1][1]));
                let at_most = at_most.map(|bound| format!(" (≤ {bound})")).unwrap_or_default();
                format!("{found:.2}{at_most}")
            }
        };
        let by_hand = median(times.iter().map(|round| round[operation][0]));
        let (compiled, dual) = (ratio(1, 0), ratio(2, 0));
        let name = if operation == 0 { name } else { "" };
        println!(
            "{name:<14} {title:<19} {by_hand:>11.2} {compiled:>9.2} {target:>14} {dual:>9.1} {speedup:>10} {third:>16}"
        );
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

/// Ends the benchmark at the worst entry where the contenders do not agree: numbers that differ need not be timed.
fn agree(name: &str, contenders: &mut [Box<dyn Potential>; 3], q: &[f64], a: &[f64], memory: &mut Memory) {
    for (operation, title) in OPERATIONS.iter().enumerate() {
        let mut outputs = contenders.iter_mut().map(|contender| {
            memory.gradient.fill(f64::NAN);
            memory.hessian.fill(f64::NAN);
            work(&mut **contender, operation, q, a, memory);
            match operation {
                0 => vec![memory.value],
                2 => [memory.gradient.clone(), memory.hessian.clone()].concat(),
                _ => memory.gradient.clone(),
            }
        });
        let by_hand = outputs.next().unwrap_or_default();
        for (output, contender) in outputs.zip(&CONTENDERS[1..]) {
            let mean = by_hand.iter().map(|entry| entry.abs()).sum::<f64>() / by_hand.len() as f64;
            let errors = by_hand.iter().zip(&output).map(|(a, b)| {
                let error = (a - b).abs() / a.abs().max(mean);
                // What is not a number is worse than any number.
                if error.is_nan() { f64::INFINITY } else { error }
            });
            let worst = errors.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
            if let Some((entry, error)) = worst
                && error > TOLERANCE
            {
                eprintln!(
                    "{name}: the {title} of {contender} differs by {error:.1e} in entry {entry}: {} by hand, {} there",
                    by_hand[entry], output[entry]
                );
                std::process::exit(1);
            }
        }
    }
}
