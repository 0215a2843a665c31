//! A sum over near pairs bound to an instance: the supplies of its ends.

use super::columns::RecordColumns;
use super::element::{Element, ElementEnds};
use super::ends::{Classes, Layer, NONE, Supplies};
use super::kernel::{NearKernel, Role, Sort, Source};
use super::memory::Sweeps;
use super::plan::Plan;
use crate::binding::family::FamilySummary;
use crate::checksum::Checksum;
use crate::error::BindError;
use crate::lanes::Registers;
use crate::lists::points::Points;
use crate::lists::range::Near;
use crate::scratch::Scratch;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The most entries of a table of coefficients of pairs.
const TABLE: usize = 1_000_000;

/// The elements of a sum over near pairs, or over the neighbours of points.
#[derive(Debug)]
pub struct NearFamily {
    pub(in crate::binding) kernel: NearKernel,
    pub(super) near: Near,
    pub(super) columns: RecordColumns,
    pub(super) shared: Vec<f64>,
    pub(super) layers: Vec<Layer>,
    /// The row of a sum over all pairs in a stage.
    pub(super) row_of_pairs: Option<u32>,
    pub(super) seconds: Supplies,
    classes: [Classes; 2],
    /// The coefficients of all pairs of classes, by first class.
    pub(super) table: Vec<f64>,
    pub(super) sweeps: Sweeps,
    /// True if elements read sums.
    pub(in crate::binding) reads_sums: bool,
    /// All elements that can ever be near, found when elements are asked for by number.
    pub(super) possible: OnceLock<Vec<ElementEnds>>,
    pub(super) alone: OnceLock<Scratch<Element>>,
}

impl NearFamily {
    /// A sum over these points, without supplies.
    pub fn new(kernel: &NearKernel, near: &Near) -> Self {
        let kernel = kernel.clone();
        let columns = RecordColumns::new(&kernel.kernel, &kernel);
        let count = near.points().len();
        let firsts = Supplies::new(&kernel, Role::First, Source::First, count);
        let plan = Plan::new(&columns, &kernel, false);
        let layers = match kernel.sort {
            Sort::Pairs => vec![Layer { rows: Vec::new(), supplies: firsts, plan }],
            Sort::Rows => Vec::new(),
        };
        Self {
            near: near.clone(),
            columns,
            shared: Vec::new(),
            layers,
            row_of_pairs: None,
            seconds: Supplies::new(&kernel, Role::Second, Source::Second, count),
            kernel,
            classes: Default::default(),
            table: Vec::new(),
            sweeps: Sweeps::default(),
            reads_sums: false,
            possible: OnceLock::new(),
            alone: OnceLock::new(),
        }
    }

    /// The points.
    pub(in crate::binding) fn points(&self) -> &Points {
        self.near.points()
    }

    /// The number of the first point of the second array.
    pub(super) fn shift(&self) -> usize {
        self.points().first_array.unwrap_or(0)
    }

    /// The number of first ends.
    pub fn firsts(&self) -> usize {
        self.points().first_array.unwrap_or(self.points().len())
    }

    /// The number of second ends.
    pub fn seconds(&self) -> usize {
        self.points().len() - self.shift()
    }

    /// Sets the coefficients of all elements.
    ///
    /// # Errors
    /// A coefficient is not finite.
    pub fn shared(&mut self, coefficients: &[f64]) -> Result<(), BindError> {
        self.are_finite(coefficients)?;
        self.shared = coefficients.to_vec();
        Ok(())
    }

    /// Appends a first end: its slots, its coefficients, and the values that define its class.
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
            layer.supplies.set(&self.kernel, Role::First, end, (slots, coefficients, class));
        }
        Ok(())
    }

    /// Appends a second end: its slots, its coefficients, and the values that define its class.
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
        let point = end + self.shift();
        self.seconds.set(&self.kernel, Role::Second, point, (slots, coefficients, class));
        Ok(())
    }

    /// Sets the row of a sum over all pairs.
    pub fn row(&mut self, row: u32) {
        self.row_of_pairs = Some(row);
    }

    /// Appends a row: the sum over all neighbours of the point `end`, the first end of its elements.
    ///
    /// # Errors
    /// A coefficient is not finite, or the point does not exist.
    pub fn visit(
        &mut self,
        row: u32,
        end: usize,
        slots: &[u32],
        coefficients: &[f64],
        keys: &[u64],
    ) -> Result<(), BindError> {
        self.are_finite(coefficients)?;
        let length = self.firsts();
        if end >= length {
            let place = self.points().place.to_string();
            return Err(BindError::UnknownNeighbours { place, point: end, length });
        }
        let class = self.classes[0].of(end, keys);
        let at = self.layers.iter().position(|layer| !layer.has(end)).unwrap_or(self.layers.len());
        if at == self.layers.len() {
            // Points of a second array have no rows.
            let count = self.points().len();
            let supplies = Supplies::new(&self.kernel, Role::First, Source::First, count);
            let plan = Plan::new(&self.columns, &self.kernel, false);
            self.layers.push(Layer { rows: vec![NONE; count], supplies, plan });
        }
        let layer = &mut self.layers[at];
        layer.rows[end] = row;
        layer.supplies.set(&self.kernel, Role::First, end, (slots, coefficients, class));
        Ok(())
    }

    /// For each pair of classes that can occur: its number in the table,
    /// and a first and a second end, for which [`Self::pair`] takes the coefficients.
    ///
    /// # Errors
    /// The table is too large.
    pub fn representatives(&mut self) -> Result<Vec<(usize, usize, usize)>, BindError> {
        let [firsts, seconds] = self.classes.each_ref().map(|classes| &classes.bounds);
        let width = self.coefficients_of(Source::Pair);
        let length = firsts.len().saturating_mul(seconds.len()).saturating_mul(width);
        if length > TABLE {
            let words = self.kernel.keys.concat().iter().map(|text| format!("`{text}`")).collect::<Vec<_>>();
            return Err(BindError::TooManyClasses {
                place: self.name().to_owned(),
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
        // An expression of both ends need not have a value unless they can be a pair.
        self.table = vec![f64::NAN; length];
        Ok(met)
    }

    /// A pair of ends of two classes, given by their smallest and largest end.
    fn pair_of(&self, first: [usize; 2], second: [usize; 2]) -> Option<(usize, usize)> {
        let points = self.points();
        let is_pair = |(i, j): &(usize, usize)| match (points.first_array, self.kernel.sort) {
            (Some(_), _) => true,
            // The first end has the smaller number.
            (None, Sort::Pairs) => i < j,
            (None, Sort::Rows) => i != j,
        };
        let (i, j) = [(first[0], second[1]), (first[1], second[0])].into_iter().find(is_pair)?;
        let is_only_one = first[0] == first[1] && second[0] == second[1];
        (!is_only_one || points.are_pair(i, j + self.shift())).then_some((i, j))
    }

    /// Sets the coefficients of a pair of classes.
    ///
    /// # Errors
    /// A coefficient is not finite.
    pub fn pair(&mut self, at: usize, coefficients: &[f64]) -> Result<(), BindError> {
        self.are_finite(coefficients)?;
        self.table[at * coefficients.len()..][..coefficients.len()].copy_from_slice(coefficients);
        Ok(())
    }

    fn are_finite(&self, coefficients: &[f64]) -> Result<(), BindError> {
        match coefficients.iter().find(|value| !value.is_finite()) {
            None => Ok(()),
            Some(value) => {
                let place = self.kernel.kernel.name.to_string();
                Err(BindError::CoefficientNotFinite { place, value: *value })
            }
        }
    }

    /// Shares the list of a known sum over equal points.
    pub(in crate::binding) fn share(&mut self, known: &mut Vec<Near>) {
        self.near.share(known);
    }

    /// The number of layers of rows.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Completes the ends.
    pub fn finish(&mut self) {
        for at in 0..self.layers.len() {
            let layer = &self.layers[at];
            let everywhere = !layer.rows.is_empty() && !layer.rows.contains(&NONE);
            let exchangeable = everywhere && self.table_is_symmetric(layer);
            self.layers[at].plan = Plan::new(&self.columns, &self.kernel, exchangeable);
        }
        self.classes.iter_mut().for_each(|classes| classes.of_keys = HashMap::new());
    }

    /// Whether the coefficients of pairs are symmetric in the ends.
    fn table_is_symmetric(&self, layer: &Layer) -> bool {
        let width = self.coefficients_of(Source::Pair);
        if width == 0 {
            return true;
        }
        let [firsts, seconds] = self.classes.each_ref().map(|classes| classes.bounds.len());
        // The class as second ends of the points of each first class.
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

    /// Computes with these registers, or without.
    pub fn arrange(&mut self, registers: Option<Registers>, lanes: usize) {
        self.sweeps = Sweeps::new(registers, lanes);
    }

    /// Adds the ends and the points to a checksum.
    pub(in crate::binding) fn tell(&self, sum: &mut Checksum) {
        self.points().tell(sum);
        sum.numbers(&self.shared);
        sum.word(self.layers.len() as u64);
        self.layers.iter().for_each(|layer| sum.places(&layer.rows));
        self.supplies().for_each(|supplies| supplies.tell(sum));
        sum.maybe(self.row_of_pairs.map(u64::from));
        sum.numbers(&self.table);
    }

    /// The bytes of the ends and the points.
    pub(in crate::binding) fn bytes(&self) -> u64 {
        self.points().bytes() + self.supplies().map(Supplies::bytes).sum::<usize>() as u64
    }

    fn supplies(&self) -> impl Iterator<Item = &Supplies> {
        self.layers.iter().map(|layer| &layer.supplies).chain([&self.seconds])
    }

    /// Finds whether elements read sums, which stand from `base` on.
    pub(in crate::binding) fn find_sums(&mut self, base: usize) {
        let mut reads = self.points().starts.iter().any(|start| *start as usize >= base);
        self.visit_supplied(&mut |at| reads |= at as usize >= base);
        self.reads_sums = reads;
    }

    /// Visits the indices that ends supply.
    pub(in crate::binding) fn visit_supplied(&self, visit: &mut dyn FnMut(u32)) {
        let places = self.supplies().flat_map(|supplies| supplies.inputs.iter().flatten());
        places.filter(|place| **place != NONE).for_each(|place| visit(*place));
    }

    /// The expression of an element.
    pub(in crate::binding) fn name(&self) -> &str {
        &self.kernel.kernel.name
    }

    /// The name and the sizes, for `what`: the potential, or a sum.
    pub(in crate::binding) fn summary(&self, what: &str) -> FamilySummary {
        let kernel = &self.kernel.kernel;
        FamilySummary {
            name: kernel.name.clone(),
            reads: kernel.reads.iter().map(ToString::to_string).collect(),
            elements: self.points().pairs(),
            variables: kernel.inputs.len(),
            smoothness: kernel.smoothness,
            range: Some(self.range_in_words(what)),
            operations: kernel.costs,
        }
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
