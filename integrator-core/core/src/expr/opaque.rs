//! The user's functions that are generic over dual numbers: differentiated at run time.
//!
//! A declaration may call any function `fn f<D: Number>(x: D, y: D, c: f64) -> D` on coordinates. The
//! compiler only sees which arguments depend on coordinates; dual numbers give the derivatives.
//! Generated code uses this module.

use super::Number;
use num_dual::{Dual64, HyperDual64, HyperHyperDual64};

/// A function f(x, c) of N differentiable arguments and C numbers.
pub trait Opaque<const N: usize, const C: usize> {
    /// f(x, c).
    fn at<D: Number>(x: [D; N], c: [f64; C]) -> D;
}

/// The derivative of f by the arguments `along`, at most three; without arguments the value.
///
/// `inputs` are x, then c. Beyond three derivatives the result is NaN.
#[inline]
pub fn derivative<F: Opaque<N, C>, const N: usize, const C: usize, const I: usize>(
    inputs: [f64; I],
    along: &[usize],
) -> f64 {
    let x: [f64; N] = std::array::from_fn(|k| inputs[k]);
    let c: [f64; C] = std::array::from_fn(|k| inputs[N + k]);
    let part = |k: usize, wanted: usize| if k == wanted { 1.0 } else { 0.0 };
    match *along {
        [] => F::at(x, c),
        [i] => F::at(std::array::from_fn(|k| Dual64::new(x[k], part(k, i))), c).eps,
        [i, j] => {
            let x = std::array::from_fn(|k| HyperDual64::new(x[k], part(k, i), part(k, j), 0.0));
            F::at(x, c).eps1eps2
        }
        [i, j, l] => {
            let x = std::array::from_fn(|k| {
                HyperHyperDual64::new(x[k], part(k, i), part(k, j), part(k, l), 0.0, 0.0, 0.0, 0.0)
            });
            F::at(x, c).eps1eps2eps3
        }
        _ => f64::NAN,
    }
}
