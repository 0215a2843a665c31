//! Whose motion a run follows.

use crate::checksum::Checksum;
use crate::system::{Checksums, Signal, State, System};
use serde::{Deserialize, Serialize};

/// A system as a run knows it again: by its declaration, by the numbers that its parameters have become,
/// by its signals, and by its motion at one place.
///
/// Neither names of files nor days are in it: the same inputs, wherever they stand, are one system.
/// A system by hand, which tells no [checksums](System::checksums), is known by its motion alone: by the
/// derivatives of L, forces and constraints at a state beside the start of the run, to nine digits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemIdentity {
    declaration: String,
    numbers: String,
    /// The name of each signal, and a checksum of its times and values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signals: Vec<(String, String)>,
    /// Weighted sums of what was evaluated, each with the sum of the sizes of its terms, by their bits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    motion: Vec<[u64; 2]>,
}

/// The part of the size of its terms by which a sum may differ on another processor.
const ROUNDING: f64 = 1e-9;

impl SystemIdentity {
    /// That of a system whose run begins at this state.
    pub fn of(system: &(impl System + ?Sized), start: &State) -> Self {
        let Checksums { declaration, numbers } = system.checksums();
        let signals = system.signals().iter();
        Self {
            declaration: shown(declaration),
            numbers: shown(numbers),
            signals: signals.map(|(name, signal)| ((*name).to_owned(), shown(of_signal(signal)))).collect(),
            motion: of_motion(system, start).into_iter().map(|sums| sums.map(f64::to_bits)).collect(),
        }
    }

    /// The identity without the motion, which another processor may round otherwise.
    #[must_use]
    pub fn without_motion(&self) -> Self {
        Self { motion: Vec::new(), ..self.clone() }
    }

    /// The part in which another one differs, in words.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let by_motion =
            "its motion beside the start: by a function that its declaration calls, or by its own code";
        let differ = |[own, other]: [&[u64; 2]; 2]| {
            let ([own, size], [other, _]) = (own.map(f64::from_bits), other.map(f64::from_bits));
            let agree = own.to_bits() == other.to_bits() || own.is_nan() && other.is_nan();
            !(agree || (own - other).abs() <= ROUNDING * size)
        };
        let pairs = || self.motion.iter().zip(&other.motion).map(|(own, other)| [own, other]);
        let of_motion = || {
            let differ = self.motion.len() != other.motion.len() || pairs().any(differ);
            differ.then(|| by_motion.to_owned())
        };
        self.difference_of_model(other).or_else(of_motion)
    }

    /// The part in which another one differs, wherever their runs begin.
    pub fn difference_of_model(&self, other: &Self) -> Option<String> {
        let Self { declaration, numbers, signals, motion: _ } = self;
        if *declaration != other.declaration {
            return Some("its declaration".to_owned());
        }
        let differs = signals.iter().zip(&other.signals).find(|(own, other)| own != other);
        if let Some(((name, _), _)) = differs {
            return Some(format!("its signal `{name}`"));
        }
        let differ = *numbers != other.numbers || signals.len() != other.signals.len();
        differ.then(|| "its parameters, or what they are computed from".to_owned())
    }
}

fn shown(checksum: u64) -> String {
    format!("{checksum:016x}")
}

fn of_signal(signal: &Signal) -> u64 {
    // There are as many values as times, or one fewer: the kind of the course is told by their numbers.
    let mut sum = Checksum::default();
    [signal.times(), signal.values()].into_iter().for_each(|numbers| sum.numbers(numbers));
    sum.value()
}

/// The part of a length by which the state of comparison lies beside the start.
const BESIDE: f64 = 1e-3;

/// A number between −½ and ½ for each place: the multiples of the golden ratio, which no pattern meets.
fn scattered(place: usize) -> f64 {
    (place as f64 * 0.618_033_988_749_895).fract() - 0.5
}

/// The derivatives of L, forces and constraints, at one state beside the start: at the start itself a
/// spring may be relaxed and a damper at rest.
/// Of each a weighted sum, and the sum of the sizes of its terms.
fn of_motion(system: &(impl System + ?Sized), start: &State) -> Vec<[f64; 2]> {
    let n = system.dimension();
    let beside = |numbers: &[f64], first: usize| -> Vec<f64> {
        let shifted =
            numbers.iter().enumerate().map(|(k, x)| x + BESIDE * (1.0 + x.abs()) * scattered(first + k));
        shifted.collect()
    };
    let (q, v, t) = (beside(&start.q, 1), beside(&start.v, n + 1), start.t);
    let mut sums = Vec::new();
    let mut evaluate = |length: usize, fill: &dyn Fn(&mut [f64])| {
        let mut found = vec![0.0; length];
        fill(&mut found);
        let terms = || found.iter().enumerate().map(|(k, x)| x * (1.0 + scattered(k)));
        sums.push([terms().sum(), terms().map(f64::abs).sum()]);
    };
    if let Some(mechanics) = system.mechanics() {
        evaluate(2 * n + 1, &|gradient| mechanics.first_derivatives(&q, &v, t, gradient));
    }
    if let Some(forced) = system.forced() {
        evaluate(n, &|force| forced.add_force(&q, &v, t, force));
    }
    if let Some(holonomic) = system.holonomic() {
        evaluate(holonomic.constraints(), &|values| holonomic.constraint_values(&q, t, values));
    }
    if let Some(nonholonomic) = system.nonholonomic() {
        let rows = nonholonomic.nonholonomic_rows();
        evaluate(rows, &|values| nonholonomic.nonholonomic_values(&q, &v, t, values));
    }
    sums
}
