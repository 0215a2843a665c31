use super::differences::{Line, Picked};
use super::place::Place;
use serde::Serialize;

/// One quantity of the kernels beside its other derivations.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The name of the quantity that is compared.
    pub quantity: &'static str,
    /// The number of its entries that were compared.
    pub entries: usize,
    /// The number of all its entries.
    pub of: usize,
    /// True if all entries were compared at once too, by a sum of them with random weights.
    pub summed: bool,
    /// The entry that differs most from dual numbers, measured by what rounding allows.
    pub dual: Difference,
    /// The entry that differs most from finite differences, measured by their own error; where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finite: Option<Difference>,
}

impl Comparison {
    /// True if all entries that were compared agree with dual numbers, and with differences where there are any.
    pub fn holds(&self) -> bool {
        self.dual.agrees && self.finite.as_ref().is_none_or(|finite| finite.agrees)
    }
}

/// An entry of a kernel beside its value by another derivation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The name, by coordinates and equations.
    pub entry: String,
    /// The value from the kernels.
    pub kernel: f64,
    /// The value from dual numbers, or from differences of the kernels one order below.
    pub other: f64,
    /// The distance of both values.
    pub difference: f64,
    /// The distance that rounding explains, and beside it ten times the error that differences estimate for themselves.
    pub allowed: f64,
    /// True if the distance is allowed, or nothing can be said because the other derivation has no value here.
    pub agrees: bool,
}

/// Relative to the largest entry, the difference that two ways of adding the same numbers may have.
const ROUNDING: f64 = 1e-12;
/// The factor by which a difference may exceed the error that differences estimate for themselves.
const CAUTION: f64 = 10.0;
/// The error of differences, as a part of their own size, from which on they do not say what is not a number.
const VAGUE: f64 = 1e-3;
/// The first steps, as parts of the usual one, from which differences must refute a kernel as well.
const AGAIN: [f64; 3] = [0.71, 0.43, 0.29];
/// The factor by which a difference may exceed the change from perturbing the last digits.
const PERTURBED: f64 = 100.0;

/// A number of the kernels beside the same number in dual numbers: an entry, or the weighted sum of all entries.
#[derive(Debug)]
pub struct Compared {
    /// Its place.
    pub place: Place,
    /// Its value by the kernels.
    pub kernel: f64,
    /// Its value in dual numbers.
    pub dual: f64,
    /// The largest change of the kernel's value when the last digits of the point change.
    pub change: f64,
    /// Of a sum, that of the magnitudes of its terms.
    pub magnitude: Option<f64>,
}

impl Compared {
    /// The distance that rounding explains, where the entries are at most `largest`.
    fn allowed(&self, largest: f64) -> f64 {
        ROUNDING * self.magnitude.unwrap_or(largest) + PERTURBED * self.change
    }

    /// The distance in units of what is allowed; infinite where the kernel is not a number. Where dual numbers are none, the point
    /// has no derivative, as that of a distance at zero, and nothing can be said.
    pub(super) fn measure(&self, largest: f64) -> f64 {
        let difference = (self.kernel - self.dual).abs();
        match difference {
            _ if !self.dual.is_finite() => 0.0,
            0.0 => 0.0,
            _ if difference.is_nan() => f64::INFINITY,
            _ => difference / self.allowed(largest),
        }
    }
}

/// The largest magnitude of an entry in dual numbers, or `natural`, if that is larger.
pub(super) fn largest_of(entries: &[Compared], natural: f64) -> f64 {
    let single = entries.iter().filter(|entry| entry.magnitude.is_none());
    single.fold(natural, |largest: f64, entry| largest.max(entry.dual.abs()))
}

/// The entry that differs most from dual numbers; `None` where nothing is compared.
pub fn worst(entries: &[Compared], natural: f64, name: &dyn Fn(Place) -> String) -> Option<Difference> {
    let largest = largest_of(entries, natural);
    let mut worst: Option<(f64, &Compared)> = None;
    for entry in entries {
        let measure = entry.measure(largest);
        if worst.is_none_or(|(known, _)| measure > known) {
            worst = Some((measure, entry));
        }
    }
    worst.map(|(measure, entry)| {
        let Compared { place, kernel, dual, .. } = *entry;
        Difference {
            entry: name(place),
            kernel,
            other: dual,
            difference: (kernel - dual).abs(),
            allowed: entry.allowed(largest),
            agrees: measure <= 1.0,
        }
    })
}

/// The entry that differs most from differences; `None` where there are none.
///
/// Among many entries some estimates are close to each other by chance, and far from the truth. So differences refute a
/// kernel only if they do so from every one of several first steps; the estimate that is nearest counts.
pub fn worst_by_differences(lines: &[Line<'_>], name: &dyn Fn(Place) -> String) -> Option<Difference> {
    let found: Vec<Vec<(f64, f64)>> = lines.iter().map(|line| line.estimate(1.0)).collect();
    let values = lines.iter().zip(&found).flat_map(|(line, found)| {
        line.picked.iter().map(|picked| found[picked.of].0.abs()).filter(|value| value.is_finite())
    });
    let largest = values.fold(0.0, f64::max);
    let mut worst: Option<(f64, Difference, Place)> = None;
    for (line, found) in lines.iter().zip(&found) {
        let mut again: Option<Vec<Vec<(f64, f64)>>> = None;
        for picked in &line.picked {
            let (mut measure, mut finite) = picked.beside(found[picked.of], largest);
            // One refutation that stands is enough.
            if !finite.agrees && worst.as_ref().is_none_or(|(_, worst, _)| worst.agrees) {
                let again = again.get_or_insert_with(|| AGAIN.map(|part| line.estimate(part)).to_vec());
                for found in again.iter() {
                    let other = picked.beside(found[picked.of], largest);
                    if other.0 < measure {
                        (measure, finite) = other;
                    }
                }
            }
            if worst.as_ref().is_none_or(|(known, ..)| measure > *known) {
                worst = Some((measure, finite, picked.place));
            }
        }
    }
    worst.map(|(_, finite, place)| Difference { entry: name(place), ..finite })
}

impl Picked {
    /// The kernel beside an estimate with its error, and their distance in units of what is allowed.
    fn beside(&self, (estimate, error): (f64, f64), largest: f64) -> (f64, Difference) {
        let difference = (self.kernel - estimate).abs();
        // The error of the differences, and the rounding of the kernel beside them.
        let allowed = CAUTION * error + ROUNDING * largest + PERTURBED * self.change;
        // Where no step stays within the domain, differences say nothing.
        let measure = match difference {
            _ if error.is_infinite() => 0.0,
            0.0 => 0.0,
            // Differences that approach nothing do not say what the number should be.
            _ if difference.is_nan() && error > VAGUE * estimate.abs().max(largest) => 0.0,
            _ if difference.is_nan() => f64::INFINITY,
            _ => difference / allowed,
        };
        let (entry, kernel, agrees) = (String::new(), self.kernel, measure <= 1.0);
        (measure, Difference { entry, kernel, other: estimate, difference, allowed, agrees })
    }
}

/// Random numbers that are the same for the same seed.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    /// A number of [−1, 1).
    pub(super) fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A number below `limit`, which is not zero.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let unit = 0.5 * (self.signed() + 1.0);
        ((unit * limit as f64) as usize).min(limit - 1)
    }
}
