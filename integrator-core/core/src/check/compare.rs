//! Numbers from kernels beside numbers from dual numbers, and the distance that rounding explains.

use serde::Serialize;

/// One quantity of the kernels beside dual numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The name of the quantity.
    pub quantity: &'static str,
    /// The number of its entries, which a sum with random weights compares at once.
    pub entries: usize,
    /// The entry at fault, by coordinates and equations, or the sum of all.
    pub entry: String,
    /// The value from the kernels.
    pub kernel: f64,
    /// The value in dual numbers.
    pub dual: f64,
    /// The distance of both values.
    pub difference: f64,
    /// The distance that rounding explains.
    pub allowed: f64,
    /// True if all was compared, and rounding explains all distances.
    pub agrees: bool,
    /// True if dual numbers have no value and no limit here, as at a point without a derivative.
    pub not_compared: bool,
}

/// Relative to the sum of magnitudes, the distance of two sums of equal terms in different orders.
const ROUNDING: f64 = 1e-12;
/// The allowed distance in units of the change from perturbing the last digits.
const PERTURBED: f64 = 100.0;
/// The distance that is zero in all units.
const NOTHING: f64 = 1e-100;

/// The weighted sum of all entries, from kernels and in dual numbers.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    /// Its value from the kernels.
    pub kernel: f64,
    /// Its value in dual numbers.
    pub dual: f64,
    /// The largest change of the kernel's value when the last digits of the point change.
    pub change: f64,
    /// The sum of the magnitudes of the terms.
    pub magnitude: f64,
}

impl Compared {
    /// The distance that rounding explains.
    pub(super) fn allowed(&self) -> f64 {
        ROUNDING * self.magnitude + PERTURBED * self.change + NOTHING
    }

    /// The distance in units of the allowed one; infinite where one of both is not a number.
    pub fn measure(&self) -> f64 {
        let difference = (self.kernel - self.dual).abs();
        match difference {
            0.0 => 0.0,
            _ if difference.is_finite() => difference / self.allowed(),
            _ => f64::INFINITY,
        }
    }
}
