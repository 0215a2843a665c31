//! A sum over near pairs bound to an instance: what its ends supply.

use super::kernel::{Columns, NearKernel, Place, Role, Sort, Source};
use super::memory::{Alone, NearElements, Sweeps};
use super::range::Near;
use crate::binding::family::FamilySummary;
use crate::checksum::Checksum;
use crate::error::BindError;
use crate::lanes::Registers;
use crate::scratch::Scratch;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The most entries of a table of coefficients of pairs.
const TABLE: usize = 1_000_000;
/// The row of a point that has none.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The elements of a sum over near pairs, or over the neighbours of points.
#[derive(Debug)]
pub struct NearFamily {
    pub(super) kernel: &'static NearKernel,
    pub(super) near: Near,
    pub(super) columns: Columns,
    pub(super) shared: Vec<f64>,
    /// What first ends supply; of rows, each layer has one row a point at most.
    pub(super) layers: Vec<Layer>,
    /// The row of the sum over all pairs, if that is one of a stage.
    pub(super) row_of_pairs: Option<u32>,
    pub(super) seconds: Supplies,
    classes: [Classes; 2],
    /// The coefficients of all pairs of classes, those of one first class together.
    pub(super) table: Vec<f64>,
    pub(super) sweeps: Sweeps,
    /// True if elements read sums.
    pub(in crate::binding) reads_sums: bool,
    pub(super) elements: OnceLock<NearElements>,
    pub(super) alone: OnceLock<Scratch<Alone>>,
}

/// What the first ends of a family supply.
#[derive(Debug, Clone, Default)]
pub(super) struct Layer {
    /// The row of each point; empty for pairs.
    pub(super) rows: Vec<u32>,
    pub(super) supplies: Supplies,
    /// Whether elements of rows are exchangeable.
    pub(super) exchangeable: bool,
}

/// What ends supply, one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Supplies {
    /// Where each slot begins.
    pub(super) slots: Vec<u32>,
    pub(super) coefficients: Vec<f64>,
    pub(super) classes: Vec<u32>,
}

/// Ends that coefficients of pairs do not tell apart.
#[derive(Debug, Default)]
struct Classes {
    of_keys: HashMap<Box<[u64]>, u32>,
    /// The smallest and the largest end of each class.
    bounds: Vec<[usize; 2]>,
}

impl Classes {
    fn of(&mut self, end: usize, keys: &[u64]) -> u32 {
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

impl NearFamily {
    /// A sum over these pairs, whose ends have supplied nothing yet.
    pub fn new(kernel: &'static NearKernel, near: &Near) -> Self {
        let NearKernel { roles, sources, dimension, sort, exchangeable, .. } = *kernel;
        let columns = Columns::new(kernel.kernel.inputs, roles, sources, dimension, sort, exchangeable);
        let layers = match sort {
            Sort::Pairs => vec![Layer::default()],
            Sort::Rows => Vec::new(),
        };
        Self {
            kernel,
            near: near.clone(),
            columns,
            shared: Vec::new(),
            layers,
            row_of_pairs: None,
            seconds: Supplies::default(),
            classes: Default::default(),
            table: Vec::new(),
            sweeps: Sweeps::default(),
            reads_sums: false,
            elements: OnceLock::new(),
            alone: OnceLock::new(),
        }
    }

    /// The number of first ends.
    pub fn firsts(&self) -> usize {
        self.near.points().first_array.unwrap_or(self.near.points().len())
    }

    /// The number of second ends.
    pub fn seconds(&self) -> usize {
        self.near.points().len() - self.near.points().first_array.unwrap_or(0)
    }

    /// The coefficients that all elements share.
    ///
    /// # Errors
    /// One is not finite.
    pub fn shared(&mut self, coefficients: &[f64]) -> Result<(), BindError> {
        self.are_finite(coefficients)?;
        self.shared = coefficients.to_vec();
        Ok(())
    }

    /// The next first end: its slots, its coefficients, and the values that make its class.
    ///
    /// # Errors
    /// A coefficient is not finite.
    pub fn first(
        &mut self,
        end: usize,
        slots: &[u32],
        coefficients: &[f64],
        keys: &[u64],
    ) -> Result<(), BindError> {
        self.are_finite(coefficients)?;
        let class = self.classes[0].of(end, keys);
        if let Some(layer) = self.layers.first_mut() {
            layer.supplies.push(slots, coefficients, class);
        }
        Ok(())
    }

    /// The next second end: its slots, its coefficients, and the values that make its class.
    ///
    /// # Errors
    /// A coefficient is not finite.
    pub fn second(
        &mut self,
        end: usize,
        slots: &[u32],
        coefficients: &[f64],
        keys: &[u64],
    ) -> Result<(), BindError> {
        self.are_finite(coefficients)?;
        let class = self.classes[1].of(end, keys);
        self.seconds.push(slots, coefficients, class);
        Ok(())
    }

    /// The row to which all pairs add.
    pub fn row(&mut self, row: u32) {
        self.row_of_pairs = Some(row);
    }

    /// A row: the sum over all neighbours of a point, which is the first end of its elements.
    ///
    /// # Errors
    /// A coefficient is not finite, or there is no such point.
    pub fn visit(
        &mut self,
        row: u32,
        end: usize,
        slots: &[u32],
        coefficients: &[f64],
        keys: &[u64],
    ) -> Result<(), BindError> {
        self.are_finite(coefficients)?;
        let (place, length) = (self.near.points().place, self.firsts());
        if end >= length {
            return Err(BindError::UnknownNeighbours { place, point: end, length });
        }
        let class = self.classes[0].of(end, keys);
        let free = self.layers.iter().position(|layer| layer.rows[end] == NO_ROW);
        let at = free.unwrap_or(self.layers.len());
        if free.is_none() {
            let supplies = Supplies {
                slots: vec![0; length * slots.len()],
                coefficients: vec![0.0; length * coefficients.len()],
                classes: vec![0; length],
            };
            // Points of a second array have no rows.
            let rows = vec![NO_ROW; self.near.points().len()];
            self.layers.push(Layer { rows, supplies, exchangeable: false });
        }
        let Layer { rows, supplies, .. } = &mut self.layers[at];
        rows[end] = row;
        supplies.slots[end * slots.len()..][..slots.len()].copy_from_slice(slots);
        let width = coefficients.len();
        supplies.coefficients[end * width..][..width].copy_from_slice(coefficients);
        supplies.classes[end] = class;
        Ok(())
    }

    /// A first and a second end of each pair of classes that pairs can have, behind the number of these classes in the table, for which
    /// [`Self::pair`] is told the coefficients.
    ///
    /// # Errors
    /// There are too many for a table.
    pub fn representatives(&mut self) -> Result<Vec<(usize, usize, usize)>, BindError> {
        let [firsts, seconds] = self.classes.each_ref().map(|classes| &classes.bounds);
        let width = self.coefficients_of(Source::Pair);
        let length = firsts.len().saturating_mul(seconds.len()).saturating_mul(width);
        if length > TABLE {
            let words = self.kernel.keys.concat().iter().map(|text| format!("`{text}`")).collect::<Vec<_>>();
            return Err(BindError::TooManyClasses {
                place: self.kernel.kernel.name,
                expressions: words.join(" and "),
                classes: [firsts.len(), seconds.len()],
                limit: TABLE,
            });
        }
        let all = firsts.iter().flat_map(|first| seconds.iter().map(|second| (*first, *second)));
        let met = all.enumerate().filter_map(|(at, (first, second))| {
            let (first, second) = self.pair_of(first, second)?;
            Some((at, first, second))
        });
        let met = met.collect();
        // An expression of both ends need not have a value where they are not a pair.
        self.table = vec![f64::NAN; length];
        Ok(met)
    }

    /// A pair of ends of two classes with these bounds, if there is one.
    fn pair_of(&self, first: [usize; 2], second: [usize; 2]) -> Option<(usize, usize)> {
        let points = self.near.points();
        let is_pair = |(i, j): &(usize, usize)| match (points.first_array, self.kernel.sort) {
            (Some(_), _) => true,
            // The number of the first end is the smaller one.
            (None, Sort::Pairs) => i < j,
            (None, Sort::Rows) => i != j,
        };
        let (i, j) = [(first[0], second[1]), (first[1], second[0])].into_iter().find(is_pair)?;
        let is_only_one = first[0] == first[1] && second[0] == second[1];
        (!is_only_one || points.are_pair(i, j + points.first_array.unwrap_or(0))).then_some((i, j))
    }

    /// The coefficients of a pair of classes.
    ///
    /// # Errors
    /// One is not finite.
    pub fn pair(&mut self, at: usize, coefficients: &[f64]) -> Result<(), BindError> {
        self.are_finite(coefficients)?;
        self.table[at * coefficients.len()..][..coefficients.len()].copy_from_slice(coefficients);
        Ok(())
    }

    fn are_finite(&self, coefficients: &[f64]) -> Result<(), BindError> {
        match coefficients.iter().find(|value| !value.is_finite()) {
            None => Ok(()),
            Some(value) => {
                let place = self.kernel.kernel.name.to_owned();
                Err(BindError::CoefficientNotFinite { place, value: *value })
            }
        }
    }

    /// Uses the list of equal points, if these are known.
    pub(in crate::binding) fn share(&mut self, known: &mut Vec<Near>) {
        self.near.share(known);
    }

    /// The number of layers of rows.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Ends the ends.
    pub fn finish(&mut self) {
        for at in 0..self.layers.len() {
            let layer = &self.layers[at];
            let everywhere = !layer.rows.contains(&NO_ROW);
            self.layers[at].exchangeable =
                self.kernel.exchangeable && everywhere && self.table_is_symmetric(layer);
        }
        self.classes.iter_mut().for_each(|classes| classes.of_keys = HashMap::new());
    }

    /// Whether the coefficients of pairs do not change when ends are exchanged.
    fn table_is_symmetric(&self, layer: &Layer) -> bool {
        let width = self.coefficients_of(Source::Pair);
        if width == 0 {
            return true;
        }
        let [firsts, seconds] = self.classes.each_ref().map(|classes| classes.bounds.len());
        // The class that the points of each first class have as second ends.
        let mut as_second = vec![None; firsts];
        for (first, second) in layer.supplies.classes.iter().zip(&self.seconds.classes) {
            if as_second[*first as usize].replace(*second).is_some_and(|before| before != *second) {
                return false;
            }
        }
        let tuple = |first: usize, second: u32| {
            let at = (first * seconds + second as usize) * width;
            self.table.get(at..at + width).unwrap_or_default()
        };
        let equal = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
        (0..firsts).all(|a| {
            (0..firsts).all(|b| match (as_second[a], as_second[b]) {
                (Some(second_a), Some(second_b)) => equal(tuple(a, second_b), tuple(b, second_a)),
                _ => true,
            })
        })
    }

    /// Computes with these registers, or one number after the other.
    pub fn arrange(&mut self, registers: Option<Registers>, lanes: usize) {
        self.sweeps = Sweeps::new(registers, lanes);
    }

    /// Tells a checksum of the ends and the points.
    pub(in crate::binding) fn tell(&self, sum: &mut Checksum) {
        self.near.points().tell(sum);
        sum.numbers(&self.shared);
        sum.word(self.layers.len() as u64);
        self.layers.iter().for_each(|layer| sum.places(&layer.rows));
        for supplies in self.layers.iter().map(|layer| &layer.supplies).chain([&self.seconds]) {
            sum.places(&supplies.slots);
            sum.numbers(&supplies.coefficients);
            sum.places(&supplies.classes);
        }
        sum.maybe(self.row_of_pairs.map(u64::from));
        sum.numbers(&self.table);
    }

    /// The bytes that the ends and the points take.
    pub(in crate::binding) fn bytes(&self) -> u64 {
        let supplies = self.layers.iter().map(|layer| &layer.supplies).chain([&self.seconds]);
        let of = |supplies: &Supplies| {
            4 * supplies.slots.len() + 8 * supplies.coefficients.len() + 4 * supplies.classes.len()
        };
        self.near.points().bytes() + supplies.map(of).sum::<usize>() as u64
    }

    /// Learns whether elements read sums, which stand behind so many numbers.
    pub(in crate::binding) fn find_sums(&mut self, base: usize) {
        let supplies = self.layers.iter().map(|layer| &layer.supplies).chain([&self.seconds]);
        let starts = self.near.points().starts.iter();
        self.reads_sums =
            starts.chain(supplies.flat_map(|supplies| &supplies.slots)).any(|start| *start as usize >= base);
    }

    /// Shows where the slots begin that ends supply.
    pub(in crate::binding) fn visit_supplied(&self, visit: &mut dyn FnMut(u32)) {
        let supplies = self.layers.iter().map(|layer| &layer.supplies).chain([&self.seconds]);
        supplies.flat_map(|supplies| &supplies.slots).for_each(|start| visit(*start));
    }

    /// The expression of an element.
    pub(in crate::binding) fn name(&self) -> &'static str {
        self.kernel.kernel.name
    }

    pub(in crate::binding) fn summary(&self) -> FamilySummary {
        let kernel = self.kernel.kernel;
        FamilySummary {
            name: kernel.name,
            reads: kernel.reads.iter().map(|&text| text.to_owned()).collect(),
            elements: self.near.points().pairs(),
            variables: kernel.inputs.len(),
            smoothness: kernel.smoothness,
            range: Some(self.range_in_words()),
            operations: kernel.operations,
        }
    }

    /// Where input k stands.
    pub(super) fn input(&self, k: usize) -> Place {
        self.columns.input(self.kernel.kernel.inputs, self.kernel.roles, k)
    }

    /// The number among the slots of its end, and the component, of an input that belongs to an end.
    pub(super) fn slot_of(&self, k: usize) -> (usize, usize) {
        let (slot, component) = self.kernel.kernel.inputs[k];
        let role = self.kernel.roles[slot];
        let before = self.kernel.roles[..slot].iter().filter(|other| **other == role).count();
        (before, component)
    }

    /// The number of slots of an end.
    pub(super) fn slots_of(&self, role: Role) -> usize {
        self.kernel.roles.iter().filter(|other| **other == role).count()
    }

    /// The number of coefficients of a source.
    pub(super) fn coefficients_of(&self, source: Source) -> usize {
        self.kernel.sources.iter().filter(|other| **other == source).count()
    }

    /// The number of classes of second ends.
    pub(super) fn second_classes(&self) -> usize {
        self.classes[1].bounds.len()
    }
}

impl Supplies {
    fn push(&mut self, slots: &[u32], coefficients: &[f64], class: u32) {
        self.slots.extend_from_slice(slots);
        self.coefficients.extend_from_slice(coefficients);
        self.classes.push(class);
    }

    /// Where a slot of an end begins.
    pub(super) fn slot(&self, end: usize, width: usize, slot: usize) -> Option<usize> {
        self.slots.get(end * width + slot).map(|start| *start as usize)
    }
}
