//! Sums over near pairs with elements by hand, against reference numbers and all pairs one by one.

mod brute;
mod elements;
mod images;
mod list;
mod lists;
mod reference;
mod rows;
mod stages;

use least_action_core::emitted::v1::{Binder, Facts, Instant, Near, NearFamily, NearKernel, NearPoints};
use least_action_core::internals::binding::{Assembly, Now, Signals};
use least_action_core::internals::near::{At, Operation, Weights};
use least_action_core::lanes::Width;
use least_action_core::system::Kind;

/// A number that is a function of an index: no two are in a simple ratio.
pub(super) fn scattered(index: usize) -> f64 {
    ((index as f64 + 1.0) * 0.754_877_666_246_692_8).fract()
}

/// The positions of a cubic lattice with so many points along an edge, and this spacing, all displaced.
fn lattice(edge: usize, spacing: f64, displacement: f64) -> Vec<f64> {
    let mut positions = Vec::new();
    for a in 0..edge {
        for b in 0..edge {
            for c in 0..edge {
                positions.extend([a, b, c].map(|k| k as f64 * spacing));
            }
        }
    }
    for (index, position) in positions.iter_mut().enumerate() {
        *position += displacement * (scattered(index) - 0.5);
    }
    positions
}

/// A vector to multiply with.
pub(super) fn direction(length: usize) -> Vec<f64> {
    (0..length).map(|index| scattered(3 * index + 7) - 0.5).collect()
}

fn with_now<R>(inside: impl FnOnce(&Now<'_>) -> R) -> R {
    inside(&Signals::default().at(Instant::of(0.3, None), None))
}

/// Points that stand one behind the other.
pub(super) fn points_of(near: &mut NearPoints, count: usize) {
    (0..count).for_each(|point| near.point(3 * point as u32));
}

/// A family with no coefficients but shared ones.
fn family(kernel: &'static NearKernel, near: &Near, shared: &[f64], width: Width) -> NearFamily {
    let mut family = NearFamily::new(kernel, near);
    family.shared(shared).expect("finite");
    family.finish();
    family.arrange(width.registers(), width.lanes());
    family
}

/// Value, gradient, product and third contraction.
fn all(family: &NearFamily, z: &[f64], a: &[f64]) -> Vec<f64> {
    with_now(|now| {
        let mut found = vec![family.sum(Operation::Value, At::new(z, now))];
        let mut vector = vec![0.0; z.len()];
        family.add(Operation::Gradient, At::new(z, now), Weights::Ones, &mut vector);
        found.append(&mut vector);
        vector.resize(z.len(), 0.0);
        family.add(Operation::Product, At::new(z, now).along(a), Weights::Ones, &mut vector);
        found.append(&mut vector);
        vector.resize(z.len(), 0.0);
        family.add(Operation::Third, At::new(z, now).along(a), Weights::Ones, &mut vector);
        found.append(&mut vector);
        found
    })
}

pub(super) fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// The largest difference, as a part of the largest number.
fn apart(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
    let difference = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    // Also a number that is none is too far apart.
    difference.fold(0.0_f64, |most, one| if one <= most { most } else { one }) / largest.max(1e-300)
}

/// A natural system of points of mass one with this potential.
fn assembly(count: usize, add: impl FnOnce(&mut Binder)) -> Assembly {
    let mut binder = Binder::default();
    binder.coordinate("atoms", Kind::Vec3, &[count]).expect("a few points");
    (0..3 * count as u32).for_each(|at| binder.mass(at, at, 1.0, "½ v²").expect("finite"));
    add(&mut binder);
    Assembly::new(Facts::of("Points"), binder, false).expect("a system")
}
