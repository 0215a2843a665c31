//! Whose motion a run follows.

use crate::system::{Checksums, Signal, State, System};
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use twox_hash::XxHash64;

/// A system as a run knows it again: by its declaration, by the numbers that its parameters have become, by its signals, and by its motion at one place.
///
/// Neither names of files nor days are in it: the same inputs, wherever they stand, are one system. A system by hand, which tells no
/// [checksums](System::checksums), is known by its motion alone: by L, forces and constraints at a state beside the start of the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemIdentity {
    declaration: String,
    numbers: String,
    /// The name of each signal, and a checksum of its times and values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signals: Vec<(String, String)>,
    motion: String,
}

impl SystemIdentity {
    /// That of a system whose run begins at this state.
    pub fn of(system: &(impl System + ?Sized), start: &State) -> Self {
        let Checksums { declaration, numbers } = system.checksums();
        let signals = system.signals().iter();
        Self {
            declaration: shown(declaration),
            numbers: shown(numbers),
            signals: signals.map(|(name, signal)| ((*name).to_owned(), shown(of_signal(signal)))).collect(),
            motion: shown(of_motion(system, start)),
        }
    }

    /// The part in which another one differs, in words that follow "because of".
    pub fn difference(&self, other: &Self) -> Option<String> {
        let Self { declaration, numbers, signals, motion } = self;
        if *declaration != other.declaration {
            return Some("its declaration".to_owned());
        }
        let differs = signals.iter().zip(&other.signals).find(|(own, other)| own != other);
        if let Some(((name, _), _)) = differs {
            return Some(format!("its signal `{name}`"));
        }
        if *numbers != other.numbers || signals.len() != other.signals.len() {
            return Some("its parameters, or what they are computed from".to_owned());
        }
        let other_motion = "its motion beside the start: by a function that its declaration calls, or by its own code";
        (*motion != other.motion).then(|| other_motion.to_owned())
    }
}

fn shown(checksum: u64) -> String {
    format!("{checksum:016x}")
}

/// A checksum of numbers, among which all that are none are one.
fn of_numbers<'n>(numbers: impl IntoIterator<Item = &'n f64>) -> u64 {
    let mut sum = XxHash64::default();
    for number in numbers {
        let bits = if number.is_nan() { u64::MAX } else { number.to_bits() };
        sum.write(&bits.to_le_bytes());
    }
    sum.finish()
}

fn of_signal(signal: &Signal) -> u64 {
    // There are as many values as times, or one fewer: the kind of the course is told by their numbers.
    let lengths = [signal.times().len() as f64, signal.values().len() as f64];
    of_numbers(lengths.iter().chain(signal.times()).chain(signal.values()))
}

/// The part of a length by which the state of comparison lies beside the start.
const BESIDE: f64 = 1e-3;

/// A checksum of L and its derivatives, of forces and of constraints, at one state beside the start: at the start itself a spring may be relaxed and a damper at rest.
fn of_motion(system: &(impl System + ?Sized), start: &State) -> u64 {
    let n = system.dimension();
    let beside = |numbers: &[f64], first: usize| -> Vec<f64> {
        let shifted = numbers.iter().enumerate().map(|(k, number)| {
            // Multiples of the golden ratio lie in no direction.
            let part = ((first + k) as f64 * 0.618_033_988_749_895).fract() - 0.5;
            number + BESIDE * (1.0 + number.abs()) * part
        });
        shifted.collect()
    };
    let (q, v, t) = (beside(&start.q, 1), beside(&start.v, n + 1), start.t);
    let mut found = Vec::new();
    let mut buffer = |length: usize, fill: &dyn Fn(&mut [f64])| {
        let begin = found.len();
        found.resize(begin + length, 0.0);
        fill(&mut found[begin..]);
    };
    if let Some(mechanics) = system.mechanics() {
        buffer(1, &|value| value[0] = mechanics.lagrangian(&q, &v, t));
        buffer(2 * n + 1, &|gradient| mechanics.first_derivatives(&q, &v, t, gradient));
    }
    if let Some(forced) = system.forced() {
        buffer(n, &|force| forced.add_force(&q, &v, t, force));
    }
    if let Some(holonomic) = system.holonomic() {
        buffer(holonomic.constraints(), &|values| holonomic.constraint_values(&q, t, values));
    }
    if let Some(nonholonomic) = system.nonholonomic() {
        let rows = nonholonomic.nonholonomic_rows();
        buffer(rows, &|values| nonholonomic.nonholonomic_values(&q, &v, t, values));
    }
    of_numbers(&found)
}
