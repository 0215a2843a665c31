//! Rows that depend on each other at a start.

use crate::sparse::RowPattern;
use std::ops::Range;

/// This power of δ (S + δ)⁻¹ projects random vectors onto the null space.
const POWERS: usize = 4;
/// A projected vector of random signs is in the null space if it is longer.
const LEAST: f64 = 1e-3;
/// A row takes part in a dependence if its factor exceeds this part of the largest.
const PART: f64 = 1e-6;
/// The first and the largest number of random vectors.
const FEWEST: usize = 8;
const MOST: usize = 64;
/// The most names that a message lists one by one, and the most ranges of rows of a method.
const NAMES: usize = 6;
const PARTS: usize = 4;

/// The null space of Bᵀ: the dependences between rows.
#[derive(Debug, Default)]
pub(crate) struct Null {
    /// A basis in reduced echelon form: one vector for each superfluous row, where all others are zero.
    sets: Vec<Vec<f64>>,
    /// True if there may be further dependences.
    more: bool,
}

/// The null space of `height` rows; `keep_null` multiplies by a matrix that keeps the null space and all
/// but removes the rest.
pub(crate) fn null_space(height: usize, mut keep_null: impl FnMut(&mut [f64])) -> Null {
    let mut count = FEWEST.min(height);
    loop {
        let mut vectors: Vec<Vec<f64>> = (0..count).map(|number| signs(number as u64, height)).collect();
        for vector in &mut vectors {
            (0..POWERS).for_each(|_| keep_null(vector));
        }
        let sets = echelon(orthonormal(vectors), 0..height);
        let full = sets.len() == count && count < height;
        if !full || count >= MOST {
            return Null { sets, more: full };
        }
        count = (2 * count).min(height);
    }
}

/// The `number`th vector of pseudorandom signs.
fn signs(number: u64, height: usize) -> Vec<f64> {
    // The generator of D. E. Knuth's MMIX.
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1.0_f64.copysign(bits as i64 as f64)
    };
    (0..height).map(|_| next()).collect()
}

/// An orthonormal basis of the span of vectors, the longest first, without the short ones.
fn orthonormal(mut vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let square = |vector: &[f64]| vector.iter().map(|entry| entry * entry).sum::<f64>();
    while let Some(longest) =
        (0..vectors.len()).max_by(|a, b| square(&vectors[*a]).total_cmp(&square(&vectors[*b])))
    {
        let mut vector = vectors.swap_remove(longest);
        // Twice is enough against rounding.
        for _ in 0..2 {
            for known in &basis {
                let product: f64 = known.iter().zip(&vector).map(|(a, b)| a * b).sum();
                vector.iter_mut().zip(known).for_each(|(entry, known)| *entry -= product * known);
            }
        }
        let length = square(&vector).sqrt();
        if !(length.is_finite() && length > LEAST) {
            break;
        }
        vector.iter_mut().for_each(|entry| *entry /= length);
        for other in &mut vectors {
            let product: f64 = other.iter().zip(&vector).map(|(a, b)| a * b).sum();
            other.iter_mut().zip(&vector).for_each(|(entry, known)| *entry -= product * known);
        }
        basis.push(vector);
    }
    basis
}

/// The reduced echelon form; the pivot is each time the largest remaining entry in `rows`.
fn echelon(mut basis: Vec<Vec<f64>>, rows: Range<usize>) -> Vec<Vec<f64>> {
    for done in 0..basis.len() {
        let entries = || (done..basis.len()).flat_map(|i| rows.clone().map(move |c| (i, c)));
        let largest = entries().max_by(|a, b| basis[a.0][a.1].abs().total_cmp(&basis[b.0][b.1].abs()));
        let Some((index, pivot)) = largest.filter(|(i, c)| basis[*i][*c].abs() > PART) else { break };
        basis.swap(done, index);
        let value = basis[done][pivot];
        basis[done].iter_mut().for_each(|entry| *entry /= value);
        let row = basis[done].clone();
        for (i, other) in basis.iter_mut().enumerate() {
            let factor = other[pivot];
            if i != done && factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(entry, known)| *entry -= factor * known);
            }
        }
    }
    // Sort by rows: rounding decides the order of pivots.
    basis.sort_by_key(|set| members(set));
    basis
}

/// The rows that take part in a dependence.
fn members(set: &[f64]) -> Vec<usize> {
    let largest = set.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
    (0..set.len()).filter(|row| set[*row].abs() > PART * largest).collect()
}

impl Null {
    /// The number of superfluous rows, and true if there may be more.
    pub(crate) fn count(&self) -> (usize, bool) {
        (self.sets.len(), self.more)
    }

    /// True if no row is superfluous.
    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The rows of the first dependence that no acceleration satisfies; from γ, the second derivatives
    /// of the rows at zero acceleration, the rows B and accelerations a.
    pub(crate) fn contradicted_by_curvature(
        &self,
        curvature: &[f64],
        (pattern, rows): (&RowPattern, &[f64]),
        accelerations: &[f64],
    ) -> Option<Vec<usize>> {
        // The size of the terms of B a + γ, where a consistent curvature balances B a.
        let magnitude = |values: &[f64]| values.iter().map(|value| value.abs()).collect::<Vec<f64>>();
        let mut terms = magnitude(curvature);
        pattern.multiply_add(&magnitude(rows), &magnitude(accelerations), &mut terms);
        let size = terms.iter().fold(0.0_f64, |largest, term| largest.max(*term));
        self.contradicted(curvature, 0.05 * size)
    }

    /// The rows of the first dependence whose residuals, beyond a tolerance, no motion can remove.
    pub(crate) fn contradicted_by(&self, residuals: &[f64]) -> Option<Vec<usize>> {
        let size = residuals.iter().fold(0.0_f64, |largest, residual| largest.max(residual.abs()));
        self.contradicted(residuals, 0.1 * size)
    }

    /// The rows of the first dependence that the residuals violate: their sum with its factors, scaled
    /// to length 1, exceeds `limit`.
    fn contradicted(&self, residuals: &[f64], limit: f64) -> Option<Vec<usize>> {
        let set = self.sets.iter().find(|set| {
            let product: f64 = set.iter().zip(residuals).map(|(set, residual)| set * residual).sum();
            let length = set.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            product.abs() > limit * length
        })?;
        Some(members(set))
    }

    /// The rows of the first dependence within `rows` that fails for the values of B at another
    /// position, which has as many dependences: there the rows depend on each other with other factors.
    pub(crate) fn varies(
        &self,
        there: &Self,
        rows: Range<usize>,
        (pattern, values): (&RowPattern, &[f64]),
    ) -> Option<Vec<usize>> {
        if there.sets.len() < self.sets.len() {
            return None;
        }
        let mut sum = vec![0.0; pattern.width()];
        let mut terms = sum.clone();
        self.sets.iter().map(|set| (set, members(set))).find_map(|(set, members)| {
            if !members.iter().all(|row| rows.contains(row)) {
                return None;
            }
            sum.fill(0.0);
            terms.fill(0.0);
            for ((row, column), value) in pattern.entries().zip(values) {
                sum[column] += set[row] * value;
                terms[column] += (set[row] * value).abs();
            }
            let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            (largest(&sum) > PART * largest(&terms)).then_some(members)
        })
    }

    /// Each row from `positions` on that the rows before `positions` imply.
    pub(crate) fn implied(&self, positions: usize) -> Vec<usize> {
        let height = self.sets.first().map_or(0, Vec::len);
        let of_velocities =
            |set: &Vec<f64>| members(set).into_iter().filter(|row| *row >= positions).collect();
        let sets: Vec<Vec<usize>> =
            echelon(self.sets.clone(), positions..height).iter().map(of_velocities).collect();
        sets.into_iter().filter_map(|rows| if let [row] = rows[..] { Some(row) } else { None }).collect()
    }

    /// Drops dependences of a single row: its derivatives are zero.
    pub(crate) fn without_zeros(mut self) -> Self {
        self.sets.retain(|set| members(set).len() > 1);
        self
    }

    /// Describes the rows that depend on each other, by their names. Of several dependences it counts
    /// the superfluous rows and lists all rows together.
    pub(crate) fn warning(&self, name: impl Fn(usize) -> String) -> String {
        let mut all: Vec<usize> = self.sets.iter().flat_map(|set| members(set)).collect();
        all.sort_unstable();
        all.dedup();
        let (rows, count) = (listed(&all, name), self.sets.len());
        let (least, said) = (if self.more { "at least " } else { "" }, "depend on each other");
        let said = match count {
            _ if count == all.len() => {
                format!(
                    "{rows} {} zero with all derivatives at the start",
                    if count == 1 { "is" } else { "are" }
                )
            }
            1 => format!("{rows} {said}: one of them says nothing new at the start"),
            _ => format!("{least}{count} rows say nothing new at the start: {rows} {said}"),
        };
        format!(
            "{said}. The motion is not affected; the multipliers are those of least norm, and single ones of these mean nothing"
        )
    }
}

/// The names of rows as part of a sentence; of many rows their methods, with row numbers.
pub(crate) fn listed(members: &[usize], name: impl Fn(usize) -> String) -> String {
    let names: Vec<String> = members.iter().map(|row| name(*row)).collect();
    if names.len() > NAMES {
        return joined(by_method(&names));
    }
    joined(names.iter().map(|name| format!("`{name}`")).collect())
}

/// Each method with the numbers of its rows, as ranges.
fn by_method(names: &[String]) -> Vec<String> {
    let mut methods: Vec<(&str, Vec<[usize; 2]>)> = Vec::new();
    for name in names {
        let (method, index) = name.split_once('[').unwrap_or((name, ""));
        let index = index.trim_end_matches(']').parse().ok();
        match (methods.last_mut().filter(|(known, _)| *known == method), index) {
            (Some((_, parts)), Some(row)) => match parts.last_mut() {
                Some([_, last]) if *last + 1 == row => *last = row,
                _ => parts.push([row, row]),
            },
            (None, Some(row)) => methods.push((method, vec![[row, row]])),
            (_, None) => methods.push((name, Vec::new())),
        }
    }
    let part = |[first, last]: &[usize; 2]| match last - first {
        0 => first.to_string(),
        _ => format!("{first}–{last}"),
    };
    let described = |(method, parts): (&str, Vec<[usize; 2]>)| match &parts[..] {
        [] => format!("`{method}`"),
        [[first, last]] if first == last => format!("`{method}[{first}]`"),
        _ => {
            let (shown, others) = parts.split_at(parts.len().min(PARTS));
            let others: usize = others.iter().map(|[first, last]| last + 1 - first).sum();
            let others = (others > 0).then(|| format!("{others} more"));
            format!("rows {} of `{method}`", joined(shown.iter().map(part).chain(others).collect()))
        }
    };
    methods.into_iter().map(described).collect()
}

fn joined(mut parts: Vec<String>) -> String {
    match parts.pop() {
        Some(last) if !parts.is_empty() => format!("{} and {last}", parts.join(", ")),
        last => last.unwrap_or_default(),
    }
}
