//! The inputs and coefficients that the ends of pairs supply.

use super::kernel::{NearKernel, Role, Source};
use super::plan::Plan;
use crate::checksum::Checksum;
use std::collections::HashMap;

/// Stands for a point without a row, and for an input that a point does not have.
pub(super) const NONE: u32 = u32::MAX;

/// The supplies of the points at one end, in the order of the points.
#[derive(Debug, Clone, Default)]
pub(super) struct Supplies {
    /// The index that each point supplies for each input of this end; empty for inputs of the other end.
    pub(super) inputs: Vec<Vec<u32>>,
    /// The coefficients of this end; empty for others.
    pub(super) coefficients: Vec<Vec<f64>>,
    pub(super) classes: Vec<u32>,
}

impl Supplies {
    /// For `count` points, without supplies.
    pub(super) fn new(kernel: &NearKernel, role: Role, source: Source, count: usize) -> Self {
        let of_slot = |(slot, _): &(usize, usize)| if kernel.roles[*slot] == role { count } else { 0 };
        let of_source = |other: &Source| if *other == source { count } else { 0 };
        Self {
            inputs: kernel.kernel.inputs.iter().map(|input| vec![NONE; of_slot(input)]).collect(),
            coefficients: kernel.sources.iter().map(|source| vec![0.0; of_source(source)]).collect(),
            classes: vec![0; count],
        }
    }

    /// Sets the slots and coefficients of a point, in the order of the kernel.
    pub(super) fn set(
        &mut self,
        kernel: &NearKernel,
        role: Role,
        point: usize,
        (slots, coefficients, class): (&[u32], &[f64], u32),
    ) {
        let own = |slot: usize| kernel.roles[..slot].iter().filter(|other| **other == role).count();
        for (places, (slot, component)) in self.inputs.iter_mut().zip(&*kernel.kernel.inputs) {
            if let Some(place) = places.get_mut(point) {
                *place = slots[own(*slot)] + *component as u32;
            }
        }
        let numbers = self.coefficients.iter_mut().filter_map(|numbers| numbers.get_mut(point));
        numbers.zip(coefficients).for_each(|(to, coefficient)| *to = *coefficient);
        self.classes[point] = class;
    }

    /// Adds the supplies to a checksum.
    pub(super) fn tell(&self, sum: &mut Checksum) {
        self.inputs.iter().for_each(|places| sum.places(places));
        self.coefficients.iter().for_each(|numbers| sum.numbers(numbers));
        sum.places(&self.classes);
    }

    /// Their bytes.
    pub(super) fn bytes(&self) -> usize {
        let places: usize = self.inputs.iter().map(Vec::len).sum();
        let numbers: usize = self.coefficients.iter().map(Vec::len).sum();
        4 * places + 8 * numbers + 4 * self.classes.len()
    }
}

/// The first ends of a family; with rows, each point has at most one row in a layer.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    /// The row of each point; empty for pairs.
    pub(super) rows: Vec<u32>,
    pub(super) supplies: Supplies,
    pub(super) plan: Plan,
}

impl Layer {
    /// Whether a point is a first end.
    pub(super) fn has(&self, point: usize) -> bool {
        self.rows.get(point) != Some(&NONE)
    }

    /// Visits each input that ends supply, with the index for each point.
    pub(super) fn each_supplied(&self, seconds: &Supplies, show: &mut dyn FnMut(usize, &[u32])) {
        for (k, of_ends) in seconds.inputs.iter().zip(&self.supplies.inputs).enumerate() {
            let supplied = [of_ends.0, of_ends.1].into_iter().find(|places| !places.is_empty());
            supplied.into_iter().for_each(|places| show(k, places));
        }
    }
}

/// Ends with equal coefficients of pairs.
#[derive(Debug, Default)]
pub(super) struct Classes {
    pub(super) of_keys: HashMap<Box<[u64]>, u32>,
    /// The smallest and the largest end of each class.
    pub(super) bounds: Vec<[usize; 2]>,
}

impl Classes {
    pub(super) fn of(&mut self, end: usize, keys: &[u64]) -> u32 {
        if let Some(class) = self.of_keys.get(keys) {
            let [smallest, largest] = &mut self.bounds[*class as usize];
            *smallest = end.min(*smallest);
            *largest = end.max(*largest);
            return *class;
        }
        let class = self.bounds.len() as u32;
        self.of_keys.insert(keys.into(), class);
        self.bounds.push([end; 2]);
        class
    }
}
