use serde::Serialize;

/// One quantity of the kernels beside its other derivations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of the quantity that is compared.
    pub quantity: &'static str,
    /// The number of its entries that were compared.
    pub entries: usize,
    /// The number of all its entries.
    pub of: usize,
    /// True if all entries that were compared agree with dual numbers up to rounding.
    pub agrees: bool,
    /// The entry that differs most from dual numbers, measured by what rounding allows.
    pub worst: Worst,
    /// The entry that differs most from finite differences, measured by their own error; where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finite: Option<Finite>,
}

impl Comparison {
    /// True if all entries that were compared agree with dual numbers, and with differences where there are any.
    pub fn holds(&self) -> bool {
        self.agrees && self.finite.as_ref().is_none_or(|finite| finite.agrees)
    }
}

/// An entry beside its value in dual numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Worst {
    /// The name, by coordinates and equations.
    pub entry: String,
    /// The value from the kernels.
    pub kernel: f64,
    /// The value from dual numbers.
    pub dual: f64,
    /// The distance of both values.
    pub difference: f64,
    /// The distance that rounding explains.
    pub allowed: f64,
}

/// An entry beside its value in finite differences.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finite {
    /// The name, by coordinates and equations.
    pub entry: String,
    /// The value from the kernels.
    pub kernel: f64,
    /// The value from differences of the kernels one order below.
    pub estimate: f64,
    /// The distance of both values.
    pub difference: f64,
    /// The error that the differences estimate for themselves.
    pub error: f64,
    /// True if the distance is within ten times that error, and the rounding of the kernel.
    pub agrees: bool,
}

/// Relative to the largest entry, the difference that two ways of adding the same numbers may have.
const ROUNDING: f64 = 1e-12;
/// The factor by which a difference may exceed the error that differences estimate for themselves.
const CAUTION: f64 = 10.0;
/// The factor by which a difference may exceed the change from perturbing the last digits.
const PERTURBED: f64 = 100.0;

/// One quantity, as lists over the entries that are compared.
pub(super) struct Entries<'n> {
    pub(super) quantity: &'static str,
    pub(super) of: usize,
    pub(super) kernel: Vec<f64>,
    pub(super) dual: Vec<f64>,
    /// The kernels at points that differ in the last digits.
    pub(super) perturbed: Vec<Vec<f64>>,
    /// Differences, each with its error; empty where there are none.
    pub(super) finite: Vec<(f64, f64)>,
    pub(super) name: &'n dyn Fn(usize) -> String,
}

impl Entries<'_> {
    /// The comparison; `None` where nothing is compared.
    pub(super) fn compare(&self) -> Option<Comparison> {
        let largest = self.dual.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let mut worst: Option<(f64, Worst, usize)> = None;
        let mut agrees = true;
        for (k, (&kernel, &dual)) in self.kernel.iter().zip(&self.dual).enumerate() {
            let allowed = ROUNDING * largest + PERTURBED * self.change(k);
            let difference = (kernel - dual).abs();
            // What is not a number agrees with nothing.
            let within = difference <= allowed;
            agrees &= within;
            let measure = if difference.is_nan() {
                f64::INFINITY
            } else if difference == 0.0 {
                0.0
            } else {
                difference / allowed
            };
            if worst.as_ref().is_none_or(|(known, ..)| measure > *known) {
                worst = Some((measure, Worst { entry: String::new(), kernel, dual, difference, allowed }, k));
            }
        }
        let (_, mut worst, at) = worst?;
        worst.entry = (self.name)(at);
        Some(Comparison {
            quantity: self.quantity,
            entries: self.kernel.len(),
            of: self.of,
            agrees,
            worst,
            finite: self.finite_worst(),
        })
    }

    /// The largest change of entry k when the last digits of the point change.
    fn change(&self, k: usize) -> f64 {
        let moved = self.perturbed.iter().filter_map(|values| values.get(k));
        moved.fold(0.0, |change: f64, value| change.max((value - self.kernel[k]).abs()))
    }

    fn finite_worst(&self) -> Option<Finite> {
        let mut worst: Option<(f64, Finite, usize)> = None;
        let values = self.finite.iter().map(|(estimate, _)| estimate.abs());
        let largest = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        for (k, (&kernel, &(estimate, error))) in self.kernel.iter().zip(&self.finite).enumerate() {
            let difference = (kernel - estimate).abs();
            // The error of the differences, and the rounding of the kernel beside them.
            let allowed = CAUTION * error + ROUNDING * largest + PERTURBED * self.change(k);
            // Where no step stays within the domain, differences say nothing.
            let silent = difference == 0.0 || error.is_infinite();
            let measure = if silent { 0.0 } else { difference / allowed };
            let agrees = silent || difference <= allowed;
            if worst.as_ref().is_none_or(|(known, ..)| measure > *known || measure.is_nan()) {
                worst = Some((
                    measure,
                    Finite { entry: String::new(), kernel, estimate, difference, error, agrees },
                    k,
                ));
            }
        }
        let (_, mut worst, at) = worst?;
        worst.entry = (self.name)(at);
        Some(worst)
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

#[cfg(test)]
mod tests {
    use super::Entries;

    /// Two entries with exact kernels and dual numbers, beside these differences.
    fn holds(finite: [(f64, f64); 2]) -> bool {
        let values = vec![1.0, -2.0];
        let entries = Entries {
            quantity: "gradient",
            of: 2,
            kernel: values.clone(),
            dual: values,
            perturbed: Vec::new(),
            finite: finite.to_vec(),
            name: &|k| k.to_string(),
        };
        entries.compare().is_some_and(|comparison| comparison.holds())
    }

    #[test]
    fn differences_refute_what_is_beyond_their_error() {
        assert!(holds([(1.0, 1e-10), (-2.0 + 5e-9, 1e-9)]));
        assert!(!holds([(1.0, 1e-10), (-2.0 + 5e-9, 1e-10)]));
        assert!(!holds([(f64::NAN, 1e-10), (-2.0, 1e-9)]));
        assert!(holds([(f64::NAN, f64::INFINITY), (-2.0, 1e-9)]));
        assert!(!holds([(f64::NAN, f64::INFINITY), (-1.0, 1e-9)]));
    }
}
