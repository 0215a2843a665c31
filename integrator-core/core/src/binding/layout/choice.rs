//! Chooses the layout of a family, or none if registers do not pay.

use super::scattered::Scattered;
use super::strided::Strided;
use super::{Arranged, Layout};
use crate::binding::coefficients::Coefficients;
use crate::binding::gather::Tuples;
use crate::binding::kernel::Kernel;
use crate::binding::kernel::Operation;
use crate::lanes::Registers;

/// Registers do not pay for fewer elements.
const FEW: usize = 16;
/// The least operations of a gradient for elements in arbitrary order:
/// with fewer, moving numbers into and out of lanes costs more than the arithmetic.
const HEAVY: u32 = 40;
/// The cost of a staged coordinate in operations.
const STAGING: usize = 4;

/// The elements of a family in the layout that pays, for vectors of length `length`.
pub(in crate::binding) fn arranged(
    registers: Registers,
    kernel: &Kernel,
    slots: &Tuples,
    coefficients: &Coefficients,
    length: usize,
) -> Option<Arranged> {
    let (count, operations) = (slots.len(), kernel.costs[1]);
    if !kernel.operation(Operation::Gradient).is_wide() || count < FEW || kernel.inputs.is_empty() {
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
