//! The identity of a system across runs.

use crate::checksum::Checksum;
use crate::system::{Signal, State, System};
use serde::{Deserialize, Serialize};

/// Identifies a system by its declaration, the numbers of its parameters,
/// its signals, and its motion at one place.
///
/// It has no file names and no dates: equal inputs anywhere are one system. A hand-written system
/// without [checksums](System::checksums) is identified by its motion alone: by the derivatives of L,
/// forces and constraints at a state beside the start, to nine digits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemIdentity {
    declaration: String,
    numbers: String,
    /// The name of each signal, and a checksum of its times and values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signals: Vec<(String, String)>,
    /// Weighted sums of the evaluations, each with the sum of the magnitudes of its terms, as the
    /// words of their bits: readers of JSON round larger whole numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    motion: Vec<[String; 2]>,
}

/// The tolerance of a sum between processors, as a part of the magnitudes of its terms.
const ROUNDING: f64 = 1e-9;

impl SystemIdentity {
    /// The identity of a system whose run begins at `start`.
    pub fn of(system: &(impl System + ?Sized), start: &State) -> Self {
        let [declaration, numbers] = system.checksums();
        let signals = system.signals().iter();
        Self {
            declaration: shown(declaration),
            numbers: shown(numbers),
            signals: signals.map(|(name, signal)| (name.to_string(), shown(of_signal(signal)))).collect(),
            motion: of_motion(system, start)
                .into_iter()
                .map(|sums| sums.map(|sum| shown(sum.to_bits())))
                .collect(),
        }
    }

    /// The identity without the motion, which another processor may round differently.
    #[must_use]
    pub fn without_motion(&self) -> Self {
        Self { motion: Vec::new(), ..self.clone() }
    }

    /// Names the part in which two identities differ.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let by_motion =
            "its motion beside the start: by a function that its declaration calls, or by its own code";
        let number = |word: &String| u64::from_str_radix(word, 16).ok().map(f64::from_bits);
        let differ = |[own, other]: [&[String; 2]; 2]| match (number(&own[0]), number(&other[0])) {
            (Some(a), Some(b)) => {
                let near = number(&own[1]).is_some_and(|size| (a - b).abs() <= ROUNDING * size);
                !(own[0] == other[0] || a.is_nan() && b.is_nan() || near)
            }
            _ => true,
        };
        let pairs = || self.motion.iter().zip(&other.motion).map(|(own, other)| [own, other]);
        let of_motion = || {
            let differ = self.motion.len() != other.motion.len() || pairs().any(differ);
            differ.then(|| by_motion.to_owned())
        };
        self.difference_of_model(other).or_else(of_motion)
    }

    /// Names the part in which two models differ, whatever the starts of their runs.
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
    // Values are as many as times, or one fewer: so their number determines the kind of course.
    let mut sum = Checksum::default();
    [signal.times(), signal.values()].into_iter().for_each(|numbers| sum.numbers(numbers));
    sum.value()
}

/// The distance of the compared state from the start, as a part of each length.
const BESIDE: f64 = 1e-3;

/// A number between −½ and ½ for each place: multiples of the golden ratio, which match no pattern.
fn scattered(place: usize) -> f64 {
    (place as f64 * 0.618_033_988_749_895).fract() - 0.5
}

/// The derivatives of L, forces and constraints at a state beside the start, because at the start a
/// spring may be relaxed and a damper at rest. Of each there is a weighted sum, and the sum of the
/// magnitudes of its terms.
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
