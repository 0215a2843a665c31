//! The slots of the elements of a family: the indices that each element reads.

use crate::checksum::Checksum;

/// One tuple of indices for each element, one index for each slot.
///
/// Tuples that advance by constant strides (a chain, the pairs of one particle) are stored as one run:
/// all pairs of particles take no memory for a pair. If a short pattern repeats (the bonds of equal
/// molecules), each of its members has a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tuples {
    width: usize,
    /// The number of tuples in each run.
    counts: Vec<u32>,
    /// The first tuple of each run, and the stride of each index.
    firsts: Vec<u32>,
    strides: Vec<u32>,
    /// The distance of two tuples of one run.
    period: usize,
    length: usize,
}

/// If runs are shorter on average, look for a pattern.
const SHORT: usize = 4;
/// If runs are at least this long on average, blocks and partly empty registers at their ends pay.
const LONG: usize = 12;
/// The longest pattern.
const LONGEST_PERIOD: usize = 16;

/// Tuples with constant strides: index k of tuple `element` + e · `step` is
/// `first[k] + e · strides[k]`, modulo 2³².
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The first element.
    pub element: usize,
    /// The distance of its elements.
    pub step: usize,
    /// The number of elements.
    pub count: usize,
    /// The first tuple.
    pub first: &'a [u32],
    /// The stride of each place.
    pub strides: &'a [u32],
}

impl Run<'_> {
    /// The stride of place k; 0 if tuples have fewer places.
    #[inline(always)]
    pub(super) fn stride(&self, k: usize) -> u32 {
        self.strides.get(k).copied().unwrap_or_default()
    }

    /// Place k of the tuple with this number in the run; 0 if tuples have fewer places.
    #[inline(always)]
    pub(super) fn place(&self, k: usize, number: u32) -> u32 {
        let first = self.first.get(k).copied().unwrap_or_default();
        first.wrapping_add(self.stride(k).wrapping_mul(number))
    }
}

/// The runs of tuples in order.
#[derive(Debug, Clone)]
pub struct Runs<'a> {
    width: usize,
    period: usize,
    element: usize,
    counts: &'a [u32],
    firsts: &'a [u32],
    strides: &'a [u32],
}

impl<'a> Runs<'a> {
    /// One tuple by itself; `still` has zeros of its length.
    pub(super) fn one(tuple: &'a [u32], still: &'a [u32]) -> Self {
        Self { width: tuple.len(), period: 1, element: 0, counts: &[1], firsts: tuple, strides: still }
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Run<'a>> {
        let (&count, counts) = self.counts.split_first()?;
        let (first, firsts) = self.firsts.split_at_checked(self.width)?;
        let (strides, others) = self.strides.split_at_checked(self.width)?;
        let (element, count) = (self.element, count as usize);
        let next = element + if self.period == 1 { count } else { 1 };
        (self.element, self.counts, self.firsts, self.strides) = (next, counts, firsts, others);
        Some(Run { element, step: self.period, count, first, strides })
    }
}

impl Tuples {
    /// An empty list.
    pub fn new(width: usize) -> Self {
        Self { width, counts: Vec::new(), firsts: Vec::new(), strides: Vec::new(), period: 1, length: 0 }
    }

    /// The number of indices of a tuple.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Adds all tuples to a checksum.
    pub(super) fn tell(&self, sum: &mut Checksum) {
        let Self { width, counts, firsts, strides, period, length } = self;
        [*width, *period, *length].into_iter().for_each(|number| sum.word(number as u64));
        [counts, firsts, strides].into_iter().for_each(|places| sum.places(places));
    }

    /// The bytes of the tuples.
    pub(super) fn bytes(&self) -> u64 {
        4 * (self.counts.len() + self.firsts.len() + self.strides.len()) as u64
    }

    /// The number of tuples.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// The number of runs.
    pub fn runs_len(&self) -> usize {
        self.counts.len()
    }

    /// Appends a tuple.
    pub fn push(&mut self, tuple: &[u32]) {
        self.length += 1;
        if let Some(count) = self.counts.last_mut() {
            let begin = self.firsts.len() - self.width;
            if continues(&self.firsts[begin..], &mut self.strides[begin..], count, tuple) {
                return;
            }
        }
        self.counts.push(1);
        self.firsts.extend_from_slice(tuple);
        self.strides.resize(self.firsts.len(), 0);
    }

    /// Finds runs of every second, third, … tuple, if they are fewer, and gives back unused memory.
    pub fn finish(&mut self) {
        if self.counts.len() * SHORT > self.length {
            let all = self.to_vec();
            let fewer = 2..self.counts.len().min(LONGEST_PERIOD + 1);
            if let Some(period) = fewer.into_iter().find(|period| repeats(&all, self.width, *period)) {
                let (firsts, seconds) = all.split_at(period * self.width);
                let strides = seconds.iter().zip(firsts).map(|(second, first)| second.wrapping_sub(*first));
                self.counts =
                    (0..period).map(|first| (self.length - first).div_ceil(period) as u32).collect();
                self.strides = strides.collect();
                self.firsts = firsts.to_vec();
                self.period = period;
            }
        }
        self.counts.shrink_to_fit();
        self.firsts.shrink_to_fit();
        self.strides.shrink_to_fit();
    }

    /// Sorts the tuples if that makes long runs; returns the order, stable for equal tuples.
    pub fn sort(&mut self) -> Option<Vec<u32>> {
        let backwards = |stride: &u32| *stride > u32::MAX / 2;
        if self.are_long() && !self.strides.iter().any(backwards) {
            return None;
        }
        let (tuples, width) = (self.to_vec(), self.width);
        let tuple = |element: u32| &tuples[element as usize * width..][..width];
        let mut order: Vec<u32> = (0..self.length as u32).collect();
        order.sort_by(|a, b| tuple(*a).cmp(tuple(*b)));
        let mut sorted = Self::new(width);
        order.iter().for_each(|element| sorted.push(tuple(*element)));
        if !sorted.are_long() {
            return None;
        }
        sorted.finish();
        *self = sorted;
        Some(order)
    }

    /// Whether the runs are long enough for blocks.
    pub fn are_long(&self) -> bool {
        self.counts.len() * LONG <= self.length
    }

    /// The runs; they have the tuples in order unless [`Self::order`] returns another one.
    #[inline]
    pub fn runs(&self) -> Runs<'_> {
        let Self { width, period, counts, firsts, strides, .. } = self;
        Runs { width: *width, period: *period, element: 0, counts, firsts, strides }
    }

    /// The order of the tuples in the runs, if it is not their own.
    pub fn order(&self) -> Option<Vec<u32>> {
        let of_run = |first: usize| (first..self.length).step_by(self.period).map(|e| e as u32);
        (self.period > 1).then(|| (0..self.period).flat_map(of_run).collect())
    }

    /// Visits the tuples in order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&[u32])) {
        if self.period > 1 {
            let (mut firsts, width) = (self.firsts.clone(), self.width);
            for element in 0..self.length {
                let places = element % self.period * width..(element % self.period + 1) * width;
                let tuple = &mut firsts[places.clone()];
                visit(tuple);
                tuple.iter_mut().zip(&self.strides[places]).for_each(advance);
            }
            return;
        }
        let mut tuple = vec![0; self.width];
        for Run { count, first, strides, .. } in self.runs() {
            tuple.copy_from_slice(first);
            for _ in 0..count {
                visit(&tuple);
                tuple.iter_mut().zip(strides).for_each(advance);
            }
        }
    }

    /// All tuples in order.
    pub fn to_vec(&self) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.length * self.width);
        self.for_each(|tuple| all.extend_from_slice(tuple));
        all
    }
}

fn advance((at, stride): (&mut u32, &u32)) {
    *at = at.wrapping_add(*stride);
}

/// Whether each tuple follows the tuple one period before it by constant strides.
fn repeats(all: &[u32], width: usize, period: usize) -> bool {
    let by = period * width;
    let apart = |place: usize| all[place + by].wrapping_sub(all[place]);
    all.len() >= 2 * by && (by..all.len() - by).all(|place| apart(place) == apart(place - by))
}

/// Whether a tuple continues a run; it is then added.
fn continues(first: &[u32], strides: &mut [u32], count: &mut u32, tuple: &[u32]) -> bool {
    if *count == 1 {
        for ((stride, first), at) in strides.iter_mut().zip(first).zip(tuple) {
            *stride = at.wrapping_sub(*first);
        }
        *count = 2;
        return true;
    }
    let next = |first: u32, stride: u32| first.wrapping_add(stride.wrapping_mul(*count));
    let continues =
        first.iter().zip(&*strides).zip(tuple).all(|((first, stride), at)| next(*first, *stride) == *at);
    *count += u32::from(continues);
    continues
}
