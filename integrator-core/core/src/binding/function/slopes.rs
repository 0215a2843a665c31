//! J = ∂u/∂x of the sums u, and derivatives by x from derivatives by z: the rows of J replace the sums.

use super::entries::{MOST_ENTRIES, SymmetricEntries};
use super::stages::Stages;
use crate::binding::at::At;
use crate::binding::family::Family;
use crate::binding::near::family::NearFamily;
use crate::binding::signals::Now;
use crate::error::BindError;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};

/// ∂s/∂z: the derivatives of the elements of the sums.
pub(in crate::binding) struct Direct {
    pub(in crate::binding) pattern: RowPattern,
    places: Vec<Vec<Vec<u32>>>,
    /// The places of the rows that partial sums add to the next row.
    links: Vec<u32>,
}

impl Direct {
    /// Of the sums of these stages.
    pub(in crate::binding) fn new(stages: &Stages) -> Self {
        let base = stages.base;
        let mut entries = Vec::new();
        for stage in &stages.all {
            let first = stage.first - base;
            stage.elements.all().visit_rows(&mut |row, input| entries.push((first + row, input)));
            entries.extend(stage.partial.links(stage.rows).map(|row| (first + row, stage.first + row - 1)));
        }
        let pattern = RowPattern::new(stages.length - base, stages.length, entries);
        let (mut places, mut links) = (Vec::new(), Vec::new());
        for stage in &stages.all {
            let first = stage.first - base;
            let place = |family: &Family| family.row_places(&pattern, first);
            places.push(stage.elements.families.iter().map(place).collect());
            let link = |row| pattern.position(first + row, stage.first + row - 1);
            links.extend(stage.partial.links(stage.rows).filter_map(link).map(|at| at as u32));
        }
        Self { pattern, places, links }
    }

    pub(in crate::binding) fn fill(&self, stages: &Stages, z: &[f64], now: &Now<'_>, values: &mut [f64]) {
        values.fill(0.0);
        for (stage, places) in stages.all.iter().zip(&self.places) {
            let (at, first) = (At::new(&z[..stage.first], now), stage.first - stages.base);
            for (family, places) in stage.elements.families.iter().zip(places) {
                family.add_rows(at, places, values);
            }
            for family in &stage.elements.near {
                family.add_rows(at, (&self.pattern, first), values);
            }
        }
        self.links.iter().for_each(|at| values[*at as usize] = 1.0);
    }
}

/// J = ∂u/∂x, a row for each sum.
pub(in crate::binding) struct Slopes {
    base: usize,
    direct: Direct,
    /// The pattern of J.
    pub(in crate::binding) total: RowPattern,
    memory: Scratch<SlopesMemory>,
}

#[derive(Debug)]
struct SlopesMemory {
    direct: Vec<f64>,
    total: Vec<f64>,
    row: Vec<f64>,
}

impl Slopes {
    /// The rows of the sums of these stages.
    ///
    /// # Errors
    /// They have more than [`MOST_ENTRIES`] entries; a lower bound of their number.
    pub(super) fn new(stages: &Stages) -> Result<Self, usize> {
        let near = stages.all.iter().flat_map(|stage| &stage.elements.near);
        let reads = near.map(NearFamily::row_entries).fold(0_u64, u64::saturating_add);
        if reads > MOST_ENTRIES as u64 {
            return Err(MOST_ENTRIES + 1);
        }
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
                return Err(count);
            }
            rows.push(own);
        }
        let entries = rows
            .iter()
            .enumerate()
            .flat_map(|(row, columns)| columns.iter().map(move |&column| (row, column as usize)));
        let total = RowPattern::new(height, base, entries);
        let lengths = (direct.pattern.len(), total.len());
        let memory = Scratch::new(move || SlopesMemory {
            direct: vec![0.0; lengths.0],
            total: vec![0.0; lengths.1],
            row: vec![0.0; base],
        });
        Ok(Self { base, direct, total, memory })
    }

    /// Runs `inside` with the values of J at z.
    pub(in crate::binding) fn with<R>(
        &self,
        stages: &Stages,
        z: &[f64],
        now: &Now<'_>,
        inside: impl FnOnce(&[f64]) -> R,
    ) -> R {
        self.memory.with(|SlopesMemory { direct, total, row: sum }| {
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

    /// Adds a multiple of the row of a component of z to a vector of the length of x.
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

    /// Its derivatives by these components.
    fn values<'a>(&self, own: usize, total: &'a [f64]) -> &'a [f64] {
        match own.checked_sub(self.base) {
            None => &[1.0],
            Some(row) => &total[self.total.row(row)],
        }
    }

    /// The pattern by x of rows with this pattern by z.
    pub(in crate::binding) fn of_rows(&self, by_z: &RowPattern) -> RowPattern {
        let mut entries = Vec::new();
        for (row, column) in by_z.entries() {
            let own = column as u32;
            entries.extend(self.columns(&own).iter().map(|&column| (row, column as usize)));
        }
        RowPattern::new(by_z.height(), self.base, entries)
    }

    /// Adds rows by z to rows by x.
    pub(in crate::binding) fn add_rows(
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
    /// It has more than [`MOST_ENTRIES`] entries; a lower bound of their number.
    pub(in crate::binding) fn of_second(
        &self,
        by_z: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<SymmetricPattern, usize> {
        let mut entries = SymmetricEntries::of(self.base);
        for (row, column) in by_z {
            let (row, column) = (row as u32, column as u32);
            for &i in self.columns(&row) {
                entries.add(i, self.columns(&column))?;
            }
        }
        let pattern = SymmetricPattern::new(self.base, entries.into_list());
        if pattern.len() > MOST_ENTRIES { Err(pattern.len()) } else { Ok(pattern) }
    }

    /// The number of products in second derivatives by x with these entries by z.
    pub(in crate::binding) fn products(&self, by_z: impl IntoIterator<Item = (usize, usize)>) -> u64 {
        let length = |argument: usize| self.columns(&(argument as u32)).len() as u64;
        by_z.into_iter().map(|(row, column)| length(row) * length(column)).sum()
    }

    /// Adds second derivatives by z to second derivatives by x.
    pub(in crate::binding) fn add_second(
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
                // Skip sums at rest: infinity times zero would be NaN.
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

/// The error for too many derivatives through sums.
pub(in crate::binding) fn too_many(model: &str, what: &str, entries: usize) -> BindError {
    BindError::FullThroughSums {
        model: model.to_owned(),
        what: what.to_owned(),
        entries,
        limit: MOST_ENTRIES,
    }
}
