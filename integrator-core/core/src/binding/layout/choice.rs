//! Whether registers pay for the elements of a family, and in which layout.

use super::scattered::Scattered;
use super::strided::Strided;
use super::{Arranged, Layout};
use crate::binding::coefficients::Coefficients;
use crate::binding::gather::Tuples;
use crate::binding::kernel::Kernel;
use crate::lanes::Registers;

/// Families below this number of elements are not worth a register.
const FEW: usize = 16;
/// The least operations of a gradient with which elements in arbitrary order profit: below, moving numbers into lanes and out of
/// them costs more than the arithmetic.
const HEAVY: u32 = 40;
/// How many operations a staged coordinate costs.
const STAGING: usize = 4;

/// The elements of a family that add to a vector of length `length`, where a layout pays.
pub(in crate::binding) fn arranged(
    registers: Registers,
    kernel: &Kernel,
    slots: &Tuples,
    coefficients: &Coefficients,
    length: usize,
) -> Option<Arranged> {
    let (count, operations) = (slots.len(), kernel.operations[1]);
    if kernel.gradient.wide.is_none() || count < FEW || kernel.inputs.is_empty() {
        return None;
    }
    let work = count * operations as usize;
    let strided = Strided::new(kernel, slots, length);
    let strided = strided.filter(|(strided, _)| strided.in_place() || work >= STAGING * length);
    let (mut layout, order): (Box<dyn Layout>, _) = match strided {
        Some((strided, order)) => (Box::new(strided), order),
        None if operations >= HEAVY => {
            let (scattered, order) = Scattered::new(kernel, slots);
            (Box::new(scattered), Some(order))
        }
        None => return None,
    };
    let coefficients = coefficients.columns(order.as_deref(), layout.rows_mut());
    Some(Arranged { registers, layout, coefficients })
}
