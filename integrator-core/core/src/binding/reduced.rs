//! Derivatives by x, from those by z = (x | sums): the rows of the sums, J = ∂u/∂x, are put in the place of the sums.
//!
//! Hess f = K_xx + K_xu J + Jᵀ K_ux + Jᵀ K_uu J with the second derivatives K by z of f + Σ w_k φ_k, in which w_k is the weight of sum k and φ_k
//! its elements.

use super::family::Placed;
use super::near::family::NearFamily;
use super::near::second::NearPlaced;
use super::signals::Now;
use super::stages::{Memory, Stages};
use super::sum_family::SumFamily;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};

/// The most entries of second derivatives that are filled through sums.
pub(super) const MOST_ENTRIES: usize = 4_000_000;

/// What second derivatives need of the sums.
pub(super) struct Reduction {
    pub(super) rows: Rows,
    /// None where the second derivatives of the elements have more entries than [`MOST_ENTRIES`]: first ones need none.
    pub(super) weighed: Option<Weighed>,
}

impl Reduction {
    /// Of these stages; `None` where the rows of the sums have more entries than [`MOST_ENTRIES`].
    pub(super) fn new(stages: &Stages) -> Option<Self> {
        let near = || stages.all.iter().flat_map(|stage| &stage.near);
        let reads = near().map(NearFamily::row_entries).fold(0_u64, u64::saturating_add);
        if reads > MOST_ENTRIES as u64 {
            return None;
        }
        let entries = near().map(NearFamily::second_entries).fold(0_u64, u64::saturating_add);
        let weighed = (entries <= MOST_ENTRIES as u64).then(|| Weighed::new(stages));
        Some(Self { rows: Rows::new(stages)?, weighed })
    }

    /// The pattern by x of the second derivatives of a function that has these by z.
    ///
    /// # Errors
    /// It has more than [`MOST_ENTRIES`]: so many at least.
    pub(super) fn pattern(
        &self,
        by_z: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<SymmetricPattern, usize> {
        let weighed = self.weighed.as_ref().ok_or(MOST_ENTRIES + 1)?;
        self.rows.of_second(by_z.into_iter().chain(weighed.entries.iter().copied()))
    }

    /// Adds second derivatives by x, from those by z and the weights of the sums.
    pub(super) fn add(
        &self,
        stages: &Stages,
        (by_z, values): (&SymmetricPattern, &[f64]),
        memory: &Memory,
        now: &Now<'_>,
        (by_x, sum): (&SymmetricPattern, &mut [f64]),
    ) {
        // Without them there is no pattern by x, and nothing is asked for.
        let Self { rows, weighed: Some(weighed) } = self else { return };
        let (z, weights) = (&memory.z[0], &memory.w[0]);
        rows.with(stages, z, now, |slopes| {
            rows.add_second((by_z, values), slopes, (by_x, &mut *sum));
            weighed.with(stages, z, now, weights, |values| {
                rows.add_second((&weighed.pattern, values), slopes, (by_x, &mut *sum));
            });
        });
    }
}

/// ∂s/∂z: what the elements of the sums fill.
pub(super) struct Direct {
    pub(super) pattern: RowPattern,
    places: Vec<Vec<Vec<u32>>>,
    /// The places in it of the rows that others are added to.
    links: Vec<u32>,
}

impl Direct {
    /// Of these stages.
    pub(super) fn new(stages: &Stages) -> Self {
        let base = stages.base;
        let mut entries = Vec::new();
        for stage in &stages.all {
            let first = stage.first - base;
            for family in &stage.families {
                family.visit_rows(&mut |row, input| entries.push((first + row, input)));
            }
            for family in &stage.near {
                family.visit_rows(&mut |row, inputs| {
                    entries.extend(inputs.iter().map(|input| (first + row, *input as usize)));
                });
            }
            entries.extend(stage.partial.links(stage.rows).map(|row| (first + row, stage.first + row - 1)));
        }
        let pattern = RowPattern::new(stages.length - base, stages.length, entries);
        let (mut places, mut links) = (Vec::new(), Vec::new());
        for stage in &stages.all {
            let first = stage.first - base;
            let place = |family: &SumFamily| family.places_in(&pattern, first);
            places.push(stage.families.iter().map(place).collect());
            let link = |row| pattern.position(first + row, stage.first + row - 1);
            links.extend(stage.partial.links(stage.rows).filter_map(link).map(|at| at as u32));
        }
        Self { pattern, places, links }
    }

    /// Writes the values at z.
    pub(super) fn fill(&self, stages: &Stages, z: &[f64], now: &Now<'_>, values: &mut [f64]) {
        values.fill(0.0);
        for (stage, places) in stages.all.iter().zip(&self.places) {
            for (family, places) in stage.families.iter().zip(places) {
                family.add_rows(&z[..stage.first], now, places, values);
            }
            for family in &stage.near {
                let first = stage.first - stages.base;
                family.add_rows(&z[..stage.first], now, (&self.pattern, first), values);
            }
        }
        self.links.iter().for_each(|at| values[*at as usize] = 1.0);
    }
}

/// The rows of the sums.
pub(super) struct Rows {
    base: usize,
    direct: Direct,
    /// J by x.
    pub(super) total: RowPattern,
    memory: Scratch<RowsMemory>,
}

#[derive(Debug)]
pub(super) struct RowsMemory {
    direct: Vec<f64>,
    total: Vec<f64>,
    row: Vec<f64>,
}

impl Rows {
    /// The rows of these stages; `None` where they have more entries than [`MOST_ENTRIES`].
    pub(super) fn new(stages: &Stages) -> Option<Self> {
        let (base, direct) = (stages.base, Direct::new(stages));
        let height = direct.pattern.height();
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(height);
        let mut count = 0;
        for row in 0..height {
            let mut own = Vec::new();
            for &column in &direct.pattern.columns()[direct.pattern.row(row)] {
                match (column as usize).checked_sub(base) {
                    None => own.push(column),
                    Some(earlier) => own.extend_from_slice(&rows[earlier]),
                }
            }
            own.sort_unstable();
            own.dedup();
            count += own.len();
            if count > MOST_ENTRIES {
                return None;
            }
            rows.push(own);
        }
        let entries = rows
            .iter()
            .enumerate()
            .flat_map(|(row, columns)| columns.iter().map(move |&column| (row, column as usize)));
        let total = RowPattern::new(height, base, entries);
        let lengths = (direct.pattern.len(), total.len());
        let memory = Scratch::new(move || RowsMemory {
            direct: vec![0.0; lengths.0],
            total: vec![0.0; lengths.1],
            row: vec![0.0; base],
        });
        Some(Self { base, direct, total, memory })
    }

    /// Runs `inside` with the values of J at z.
    pub(super) fn with<R>(
        &self,
        stages: &Stages,
        z: &[f64],
        now: &Now<'_>,
        inside: impl FnOnce(&[f64]) -> R,
    ) -> R {
        self.memory.with(|RowsMemory { direct, total, row: sum }| {
            self.direct.fill(stages, z, now, direct);
            let pattern = &self.direct.pattern;
            for row in 0..pattern.height() {
                let own = self.total.row(row);
                let (before, rest) = total.split_at_mut(own.start);
                for at in pattern.row(row) {
                    self.add_to(pattern.columns()[at] as usize, direct[at], before, sum);
                }
                for (value, &column) in rest.iter_mut().zip(&self.total.columns()[own]) {
                    *value = std::mem::take(&mut sum[column as usize]);
                }
            }
            inside(total)
        })
    }

    /// Adds a number times the row of a component of z to a vector of the length of x.
    fn add_to(&self, column: usize, factor: f64, total: &[f64], sum: &mut [f64]) {
        match column.checked_sub(self.base) {
            None => sum[column] += factor,
            Some(row) => {
                let own = self.total.row(row);
                for (&at, &value) in self.total.columns()[own.clone()].iter().zip(&total[own]) {
                    sum[at as usize] += factor * value;
                }
            }
        }
    }

    /// The components of x on which a component of z depends.
    fn columns<'a>(&'a self, own: &'a u32) -> &'a [u32] {
        match (*own as usize).checked_sub(self.base) {
            None => std::slice::from_ref(own),
            Some(row) => &self.total.columns()[self.total.row(row)],
        }
    }

    /// The derivatives of a component of z by those.
    fn values<'a>(&self, own: usize, total: &'a [f64]) -> &'a [f64] {
        match own.checked_sub(self.base) {
            None => &[1.0],
            Some(row) => &total[self.total.row(row)],
        }
    }

    /// The pattern by x of a matrix in rows with this pattern by z.
    pub(super) fn of_rows(&self, by_z: &RowPattern) -> RowPattern {
        let mut entries = Vec::new();
        for (row, column) in by_z.entries() {
            let own = column as u32;
            entries.extend(self.columns(&own).iter().map(|&column| (row, column as usize)));
        }
        RowPattern::new(by_z.height(), self.base, entries)
    }

    /// Adds a matrix in rows by z to one by x.
    pub(super) fn add_rows(
        &self,
        (by_z, values): (&RowPattern, &[f64]),
        total: &[f64],
        (by_x, sum): (&RowPattern, &mut [f64]),
    ) {
        for ((row, column), &value) in by_z.entries().zip(values) {
            let own = column as u32;
            for (&column, &slope) in self.columns(&own).iter().zip(self.values(column, total)) {
                if let Some(at) = by_x.position(row, column as usize) {
                    sum[at] += value * slope;
                }
            }
        }
    }

    /// The pattern by x of second derivatives with these entries by z.
    ///
    /// # Errors
    /// It has more than [`MOST_ENTRIES`]: so many at least.
    pub(super) fn of_second(
        &self,
        by_z: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<SymmetricPattern, usize> {
        let mut entries = Entries::of(self.base);
        for (row, column) in by_z {
            let (row, column) = (row as u32, column as u32);
            for &i in self.columns(&row) {
                entries.add(i, self.columns(&column))?;
            }
        }
        let pattern = SymmetricPattern::new(self.base, entries.into_list());
        if pattern.len() > MOST_ENTRIES { Err(pattern.len()) } else { Ok(pattern) }
    }

    /// The number of products of which second derivatives by x with these entries by z are made.
    pub(super) fn products(&self, by_z: impl IntoIterator<Item = (usize, usize)>) -> u64 {
        let length = |argument: usize| self.columns(&(argument as u32)).len() as u64;
        by_z.into_iter().map(|(row, column)| length(row) * length(column)).sum()
    }

    /// Adds second derivatives by z to those by x.
    pub(super) fn add_second(
        &self,
        (by_z, values): (&SymmetricPattern, &[f64]),
        total: &[f64],
        (by_x, sum): (&SymmetricPattern, &mut [f64]),
    ) {
        for ((row, column), &value) in by_z.entries().zip(values) {
            if value == 0.0 {
                continue;
            }
            let (own_row, own_column) = (row as u32, column as u32);
            let (rows, columns) = (self.columns(&own_row), self.columns(&own_column));
            let (of_row, of_column) = (self.values(row, total), self.values(column, total));
            for (&i, &a) in rows.iter().zip(of_row) {
                // An infinite second derivative by a sum that nothing moves makes nothing.
                if a == 0.0 {
                    continue;
                }
                for (&j, &b) in columns.iter().zip(of_column).filter(|(_, b)| **b != 0.0) {
                    // An entry beside the diagonal stands for two.
                    let twice = row != column && i == j;
                    if row == column && i < j {
                        continue;
                    }
                    if let Some(at) = by_x.position(i as usize, j as usize) {
                        let product = value * a * b;
                        sum[at] += if twice { 2.0 * product } else { product };
                    }
                }
            }
        }
    }
}

/// The entries of a symmetric matrix, each of which may come up many times.
enum Entries {
    /// A bit for each place of a small one, row by row.
    Marked { bits: Vec<u64>, words: usize },
    /// Those of a large one, at most so many before they are sorted.
    Listed { list: Vec<(u32, u32)>, most: usize },
}

/// The largest dimension for which places are marked: the bits take 8 MB.
const MARKED: usize = 8192;

impl Entries {
    /// None, of a matrix of this dimension.
    fn of(dimension: usize) -> Self {
        if dimension > MARKED {
            return Self::Listed { list: Vec::new(), most: 2 * MOST_ENTRIES };
        }
        let words = dimension.div_ceil(64);
        Self::Marked { bits: vec![0; dimension * words], words }
    }

    /// Adds those of a row and these columns.
    ///
    /// # Errors
    /// There are more than [`MOST_ENTRIES`]: so many at least.
    fn add(&mut self, row: u32, columns: &[u32]) -> Result<(), usize> {
        match self {
            Self::Marked { bits, words } => {
                for column in columns {
                    let (low, high) = (row.min(*column) as usize, row.max(*column) as usize);
                    bits[high * *words + low / 64] |= 1 << (low % 64);
                }
            }
            Self::Listed { list, most } => {
                list.extend(columns.iter().map(|column| (row.max(*column), row.min(*column))));
                if list.len() > *most {
                    list.sort_unstable();
                    list.dedup();
                    if list.len() > MOST_ENTRIES {
                        return Err(list.len());
                    }
                    *most = list.len() + 2 * MOST_ENTRIES;
                }
            }
        }
        Ok(())
    }

    /// All of them.
    fn into_list(self) -> Vec<(usize, usize)> {
        match self {
            Self::Listed { list, .. } => {
                list.into_iter().map(|(row, column)| (row as usize, column as usize)).collect()
            }
            Self::Marked { bits, words } => {
                let mut list = Vec::new();
                for (at, word) in bits.into_iter().enumerate() {
                    let (row, first) = (at / words, at % words * 64);
                    let marked = (0..64).filter(|bit| word >> bit & 1 == 1);
                    list.extend(marked.map(|bit| (row, first + bit)));
                }
                list
            }
        }
    }
}

/// Second derivatives of the elements of the sums, weighed: Σ w_k Hess φ_k by z.
pub(super) struct Weighed {
    pub(super) pattern: SymmetricPattern,
    /// The entries that elements fill.
    pub(super) entries: Vec<(usize, usize)>,
    placed: Vec<(Vec<Placed>, Vec<NearPlaced>)>,
    memory: Scratch<Vec<f64>>,
}

impl Weighed {
    pub(super) fn new(stages: &Stages) -> Self {
        let mut entries = Vec::new();
        let mut push = |row, column| entries.push((row, column));
        let families = || stages.all.iter().flat_map(|stage| &stage.families);
        families().for_each(|family| family.visit_hessian(&mut push));
        let near = stages.all.iter().flat_map(|stage| &stage.near);
        near.for_each(|family| family.visit_hessian(&mut push));
        let pattern = SymmetricPattern::new(stages.length, entries.iter().copied());
        entries.sort_unstable();
        entries.dedup();
        entries.shrink_to_fit();
        let placed = stages.all.iter().map(|stage| {
            let families = stage.families.iter().map(|family| family.placed(&pattern));
            (families.collect(), stage.near.iter().map(|family| family.placed(&pattern)).collect())
        });
        let placed = placed.collect();
        let length = pattern.len();
        Self { pattern, entries, placed, memory: Scratch::new(move || vec![0.0; length]) }
    }

    /// Runs `inside` with the values at z, with the weights that stand behind x in `weights`.
    pub(super) fn with<R>(
        &self,
        stages: &Stages,
        z: &[f64],
        now: &Now<'_>,
        weights: &[f64],
        inside: impl FnOnce(&[f64]) -> R,
    ) -> R {
        self.memory.with(|values| {
            values.fill(0.0);
            for (stage, (placed, near)) in stages.all.iter().zip(&self.placed) {
                let (z, weights) = (&z[..stage.first], &weights[stage.first..stage.first + stage.rows]);
                for (family, placed) in stage.families.iter().zip(placed) {
                    family.elements().add_weighted_hessian(placed, z, now, weights, values);
                }
                for (family, placed) in stage.near.iter().zip(near) {
                    family.add_second(placed, z, now, Some(weights), values);
                }
            }
            inside(values)
        })
    }
}
