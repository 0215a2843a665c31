//! Groups the inputs of an element by points.

use crate::binding::kernel::Kernel;

/// Inputs that are components of one point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bundle {
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) slot: usize,
    pub(super) component: usize,
}

/// Groups inputs that are consecutive components of one slot, at most three.
pub(super) fn bundles(kernel: &Kernel) -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    for (k, &(slot, component)) in kernel.inputs.iter().enumerate() {
        match bundles.last_mut() {
            Some(last) if last.count < 3 && last.slot == slot && last.component + last.count == component => {
                last.count += 1;
            }
            _ => bundles.push(Bundle { first: k, count: 1, slot, component }),
        }
    }
    bundles
}
