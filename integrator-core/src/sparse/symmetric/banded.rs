//! Bands: A = L D Lᵀ in contiguous columns of one width.
//!
//! Column j holds A(j, j), A(j + 1, j), …, A(j + b, j); after the factorization 1/D(j) and L below it.  Eliminating
//! column j changes only the b columns to its right, so the whole work happens in a window that moves through memory
//! once.  For the widths of chains (b ≤ 8) the window has a length known to the compiler, which unrolls it.
//! The last b columns are padding, so that the window never meets the end.

use super::{FactorError, acceptable, largest_magnitude};
use crate::sparse::SymmetricPattern;

/// A band and its factors.
#[derive(Debug)]
pub(super) struct Banded {
    /// b + 1.
    width: usize,
    dimension: usize,
    /// (dimension + b) columns of `width` values.
    columns: Vec<f64>,
    /// The largest entry of each column before the factorization.
    scales: Vec<f64>,
    /// The new place of each unknown, where they were renumbered, and room for a right-hand side in that order.
    places: Option<(Vec<u32>, Vec<f64>)>,
}

impl Banded {
    /// Lays out the band; `places` gives the new place of each unknown.
    pub(super) fn new(pattern: &SymmetricPattern, bandwidth: usize, places: Option<Vec<u32>>) -> Self {
        let (width, dimension) = (bandwidth + 1, pattern.dimension());
        Self {
            width,
            dimension,
            columns: vec![0.0; (dimension + bandwidth) * width],
            scales: vec![0.0; dimension],
            places: places.map(|places| (places, vec![0.0; dimension])),
        }
    }

    pub(super) fn bandwidth(&self) -> usize {
        self.width - 1
    }

    pub(super) fn renumbered(&self) -> bool {
        self.places.is_some()
    }

    pub(super) fn factor(&mut self, pattern: &SymmetricPattern, values: &[f64]) -> Result<(), FactorError> {
        self.scatter(pattern, values);
        for (scale, column) in self.scales.iter_mut().zip(self.columns.chunks_exact(self.width)) {
            *scale = largest_magnitude(column);
        }
        let (columns, scales) = (&mut self.columns, &self.scales);
        let outcome = match self.width {
            2 => factor_narrow::<2>(columns, scales),
            3 => factor_narrow::<3>(columns, scales),
            4 => factor_narrow::<4>(columns, scales),
            5 => factor_narrow::<5>(columns, scales),
            6 => factor_narrow::<6>(columns, scales),
            7 => factor_narrow::<7>(columns, scales),
            8 => factor_narrow::<8>(columns, scales),
            9 => factor_narrow::<9>(columns, scales),
            width => factor_wide(columns, width, scales),
        };
        outcome.map_err(|(pivot, place)| FactorError { pivot, index: self.unknown_at(place) })
    }

    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let Some((places, local)) = &mut self.places else {
            return solve_band(&self.columns, self.width, self.dimension, x);
        };
        for (&place, &value) in places.iter().zip(x.iter()) {
            local[place as usize] = value;
        }
        solve_band(&self.columns, self.width, self.dimension, local);
        for (&place, value) in places.iter().zip(x) {
            *value = local[place as usize];
        }
    }

    fn scatter(&mut self, pattern: &SymmetricPattern, values: &[f64]) {
        let width = self.width;
        self.columns.fill(0.0);
        if let Some((places, _)) = &self.places {
            for ((row, column), &value) in pattern.entries().zip(values) {
                let (i, j) = (places[row] as usize, places[column] as usize);
                self.columns[i.min(j) * width + i.abs_diff(j)] = value;
            }
            return;
        }
        for (j, column) in self.columns.chunks_exact_mut(width).take(self.dimension).enumerate() {
            let range = pattern.starts()[j]..pattern.starts()[j + 1];
            for (&row, &value) in pattern.rows()[range.clone()].iter().zip(&values[range]) {
                column[row as usize - j] = value;
            }
        }
    }

    fn unknown_at(&self, place: usize) -> usize {
        match &self.places {
            Some((places, _)) => places.iter().position(|&p| p as usize == place).unwrap_or(place),
            None => place,
        }
    }
}

/// On failure the pivot and its place.
fn factor_narrow<const WIDTH: usize>(columns: &mut [f64], scales: &[f64]) -> Result<(), (f64, usize)> {
    let (columns, _) = columns.as_chunks_mut::<WIDTH>();
    for (place, &scale) in scales.iter().enumerate() {
        let Some(window) = columns[place..].first_chunk_mut::<WIDTH>() else { break };
        let column = window[0];
        if !acceptable(column[0], scale) {
            return Err((column[0], place));
        }
        let inverse = 1.0 / column[0];
        for k in 1..WIDTH {
            let factor = column[k] * inverse;
            for m in k..WIDTH {
                window[k][m - k] -= factor * column[m];
            }
            window[0][k] = factor;
        }
        window[0][0] = inverse;
    }
    Ok(())
}

fn factor_wide(columns: &mut [f64], width: usize, scales: &[f64]) -> Result<(), (f64, usize)> {
    for (place, &scale) in scales.iter().enumerate() {
        let (column, rest) = columns[place * width..].split_at_mut(width);
        if !acceptable(column[0], scale) {
            return Err((column[0], place));
        }
        let inverse = 1.0 / column[0];
        for (k, target) in rest.chunks_exact_mut(width).take(width - 1).enumerate() {
            let tail = &column[k + 1..];
            let factor = tail[0] * inverse;
            // A column of the envelope that ends here has nothing to eliminate.
            if factor != 0.0 {
                for (out, &value) in target.iter_mut().zip(tail) {
                    *out -= factor * value;
                }
            }
        }
        for value in &mut column[1..] {
            *value *= inverse;
        }
        column[0] = inverse;
    }
    Ok(())
}

fn solve_band(columns: &[f64], width: usize, dimension: usize, x: &mut [f64]) {
    match width {
        2 => solve_narrow::<2>(columns, x),
        3 => solve_narrow::<3>(columns, x),
        4 => solve_narrow::<4>(columns, x),
        5 => solve_narrow::<5>(columns, x),
        6 => solve_narrow::<6>(columns, x),
        7 => solve_narrow::<7>(columns, x),
        8 => solve_narrow::<8>(columns, x),
        9 => solve_narrow::<9>(columns, x),
        _ => solve_wide(&columns[..dimension * width], width, x),
    }
}

fn solve_narrow<const WIDTH: usize>(columns: &[f64], x: &mut [f64]) {
    let (columns, _) = columns.as_chunks::<WIDTH>();
    // The columns whose window lies inside x; the others, at the end, are cut short.
    let inner = (x.len() + 1).saturating_sub(WIDTH);
    for (place, column) in columns.iter().enumerate().take(inner) {
        if let Some(window) = x[place..].first_chunk_mut::<WIDTH>() {
            for k in 1..WIDTH {
                window[k] -= column[k] * window[0];
            }
            window[0] *= column[0];
        }
    }
    for place in inner..x.len() {
        forward(&columns[place], &mut x[place..]);
    }
    for place in (inner..x.len()).rev() {
        backward(&columns[place], &mut x[place..]);
    }
    for (place, column) in columns.iter().enumerate().take(inner).rev() {
        if let Some(window) = x[place..].first_chunk_mut::<WIDTH>() {
            // The nearest neighbour, which is known last, comes last: the chain of dependent operations stays short.
            let mut sum = window[0];
            for k in (1..WIDTH).rev() {
                sum -= column[k] * window[k];
            }
            window[0] = sum;
        }
    }
}

fn solve_wide(columns: &[f64], width: usize, x: &mut [f64]) {
    for (place, column) in columns.chunks_exact(width).enumerate() {
        forward(column, &mut x[place..]);
    }
    for (place, column) in columns.chunks_exact(width).enumerate().rev() {
        backward(column, &mut x[place..]);
    }
}

/// One column of L and D; `tail` begins at the unknown of the column and may be shorter than the band.
fn forward(column: &[f64], tail: &mut [f64]) {
    let known = tail[0];
    for (out, &factor) in tail[1..].iter_mut().zip(&column[1..]) {
        *out -= factor * known;
    }
    tail[0] = known * column[0];
}

/// One row of Lᵀ.
fn backward(column: &[f64], tail: &mut [f64]) {
    let mut sum = tail[0];
    for (&known, &factor) in tail[1..].iter().zip(&column[1..]) {
        sum -= factor * known;
    }
    tail[0] = sum;
}
