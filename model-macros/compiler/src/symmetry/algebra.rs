//! Small dense linear algebra: the null space of rows, and its vectors as fractions.

/// A smaller entry, in a row scaled to one, is rounding.
const TOLERANCE: f64 = 1e-7;

/// A basis of the vectors x with `rows` · x = 0, each with one free entry equal to 1. Entries before
/// `hidden` need only exist; vectors with no other entries are left out.
pub fn null_space(mut rows: Vec<Vec<f64>>, columns: usize, hidden: usize) -> Vec<Vec<f64>> {
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..columns {
        let first = pivots.len();
        let best = (first..rows.len())
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
            .filter(|&row| rows[row][column].abs() > TOLERANCE);
        let Some(best) = best else { continue };
        rows.swap(first, best);
        let scale = rows[first][column];
        rows[first].iter_mut().for_each(|entry| *entry /= scale);
        let pivot = rows[first].clone();
        for (number, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if number != first && factor != 0.0 {
                row.iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= factor * pivot);
            }
        }
        pivots.push(column);
    }
    let free = (hidden..columns).filter(|column| !pivots.contains(column));
    free.map(|column| {
        let mut vector = vec![0.0; columns];
        vector[column] = 1.0;
        for (row, &pivot) in pivots.iter().enumerate() {
            let entry = -rows[row][column];
            vector[pivot] = if entry.abs() > TOLERANCE { entry } else { 0.0 };
        }
        vector
    })
    .collect()
}

/// The fraction of the smallest denominator that equals a number to nine digits, if there is one.
pub(super) fn fraction(value: f64) -> Option<(i64, i64)> {
    (1..=1000_i64).find_map(|denominator| {
        let numerator = (value * denominator as f64).round();
        let close = (numerator / denominator as f64 - value).abs() <= 1e-9 * value.abs().max(1.0);
        (close && numerator.abs() < 1e9).then_some((numerator as i64, denominator))
    })
}

/// A vector of exact fractions, scaled by the smallest number that makes its entries from `hidden` on
/// integers, the first of them positive. `None` if an entry is no fraction.
pub fn rational(vector: &[f64], hidden: usize) -> Option<Vec<f64>> {
    let fractions = vector.iter().map(|&entry| fraction(entry)).collect::<Option<Vec<_>>>()?;
    let mut scale = 1;
    for &(_, denominator) in &fractions[hidden..] {
        scale *= denominator / greatest_common_divisor(scale, denominator);
        if scale > 100_000 {
            return None;
        }
    }
    let first = fractions[hidden..].iter().find(|(numerator, _)| *numerator != 0)?;
    let scale = scale * first.0.signum();
    Some(
        fractions
            .iter()
            .map(|&(numerator, denominator)| (numerator * scale) as f64 / denominator as f64)
            .collect(),
    )
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { greatest_common_divisor(b, a % b) }
}
