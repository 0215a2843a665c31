//! Gᵀ G of a sparse matrix G, on a pattern that holds its entries.

use super::sets::{Group, Places, Sets, Shape, gather, put};
use super::{RowPattern, SymmetricPattern};
use crate::lanes::{Eight, MOST_LANES, Registers, Width};
use pulp::{Simd, WithSimd};

/// The most entries of a set whose products are formed eight sets at a time.
const MOST_ENTRIES: usize = 64;

/// What adds up to each entry of Gᵀ G, found once.
#[derive(Debug)]
pub(crate) struct Gram {
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// For any matrix.
    EntryByEntry(Products),
    /// For rows in small independent sets.
    SetBySet { sets: Sets, of_shapes: Vec<Products>, places: Vec<Vec<Places>>, registers: Option<Registers> },
}

/// The pairs of entries of G whose products add up to an entry of Gᵀ G, one after the other, and how many do.
#[derive(Debug)]
struct Products {
    pairs: Vec<(u32, u32)>,
    counts: Vec<u32>,
}

impl Gram {
    /// For the lower triangle of Gᵀ G among the values of `pattern`.
    pub(crate) fn new(matrix: &RowPattern, pattern: &SymmetricPattern) -> Self {
        let sets = Sets::new(matrix);
        let small = |sets: &Sets| sets.shapes.iter().all(|shape| shape.entries.len() <= MOST_ENTRIES);
        Self {
            form: match sets.filter(small) {
                Some(sets) => Form::set_by_set(sets, pattern),
                None => Form::EntryByEntry(Products::of_entries(matrix, pattern)),
            },
        }
    }

    /// `factor` Gᵀ G, written over `gram`, with zeros where it has no entries.
    pub(crate) fn multiply(&self, values: &[f64], factor: f64, gram: &mut [f64]) {
        match &self.form {
            Form::EntryByEntry(products) => products.multiply(values, factor, gram),
            Form::SetBySet { sets, of_shapes, places, registers } => {
                gram.fill(0.0);
                let work = Work { sets, of_shapes, places, values, factor, gram };
                match registers {
                    Some(registers) => registers.run(work),
                    None => work.run(),
                }
            }
        }
    }
}

impl Form {
    fn set_by_set(sets: Sets, pattern: &SymmetricPattern) -> Self {
        let (of_shapes, entries): (Vec<_>, Vec<_>) = sets.shapes.iter().map(Products::of_shape).unzip();
        let place = |group: &Group, &(row, column): &(usize, usize)| -> Places {
            std::array::from_fn(|lane| {
                let (row, column) = (group.columns[row][lane], group.columns[column][lane]);
                // The pattern holds these very entries.
                pattern.position(row as usize, column as usize).unwrap_or_default() as u32
            })
        };
        let of_group = |group: &Group| entries[group.shape].iter().map(|entry| place(group, entry)).collect();
        let places = sets.groups.iter().map(of_group).collect();
        Self::SetBySet { sets, of_shapes, places, registers: Width::widest().registers() }
    }
}

impl Products {
    fn of_entries(matrix: &RowPattern, pattern: &SymmetricPattern) -> Self {
        let mut placed: Vec<(u32, (u32, u32))> = Vec::new();
        for row in 0..matrix.height() {
            let column = |place: usize| matrix.columns()[place] as usize;
            for a in matrix.row(row) {
                for b in matrix.row(row).take_while(|b| *b <= a) {
                    // The pattern holds these very entries.
                    let place = pattern.position(column(a), column(b)).unwrap_or_default();
                    placed.push((place as u32, (a as u32, b as u32)));
                }
            }
        }
        // A stable order: the products of an entry add up row by row.
        placed.sort_by_key(|&(place, _)| place);
        let mut counts = vec![0; pattern.len()];
        for &(place, _) in &placed {
            counts[place as usize] += 1;
        }
        Self { pairs: placed.into_iter().map(|(_, pair)| pair).collect(), counts }
    }

    /// Those of the lower triangle of a set, and its entries.
    fn of_shape(shape: &Shape) -> (Self, Vec<(usize, usize)>) {
        let of_column = |column| (0_u32..).zip(&shape.entries).filter(move |(_, entry)| entry.1 == column);
        let (mut found, mut entries) = (Self { pairs: Vec::new(), counts: Vec::new() }, Vec::new());
        for row in 0..shape.columns {
            for column in 0..=row {
                let before = found.pairs.len();
                for (a, (equation, _)) in of_column(row) {
                    let same = of_column(column).filter(|(_, entry)| entry.0 == *equation);
                    found.pairs.extend(same.map(|(b, _)| (a, b)));
                }
                if found.pairs.len() > before {
                    found.counts.push((found.pairs.len() - before) as u32);
                    entries.push((row, column));
                }
            }
        }
        (found, entries)
    }

    fn multiply(&self, values: &[f64], factor: f64, gram: &mut [f64]) {
        let mut rest = self.pairs.as_slice();
        for (entry, &count) in gram.iter_mut().zip(&self.counts) {
            let (pairs, others) = rest.split_at(count as usize);
            rest = others;
            let mut sum = 0.0;
            for &(a, b) in pairs {
                sum += values[a as usize] * values[b as usize];
            }
            *entry = factor * sum;
        }
    }
}

/// All sets, in a function with the instructions of the registers at hand.
struct Work<'a> {
    sets: &'a Sets,
    of_shapes: &'a [Products],
    places: &'a [Vec<Places>],
    values: &'a [f64],
    factor: f64,
    gram: &'a mut [f64],
}

impl WithSimd for Work<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.run();
    }
}

impl Work<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { sets, of_shapes, places, values, factor, gram } = self;
        let mut entries: [Eight; MOST_ENTRIES] = [Eight::ZERO; MOST_ENTRIES];
        for (group, places) in sets.groups.iter().zip(places) {
            gather(values, &group.entries, &mut entries);
            let Products { pairs, counts } = &of_shapes[group.shape];
            let mut rest = pairs.as_slice();
            for (places, &count) in places.iter().zip(counts) {
                let (pairs, others) = rest.split_at(count as usize);
                rest = others;
                let mut sum = Eight::ZERO;
                for &(a, b) in pairs {
                    let (a, b) = (&entries[a as usize], &entries[b as usize]);
                    for lane in 0..MOST_LANES {
                        sum[lane] += a[lane] * b[lane];
                    }
                }
                for lane in sum.iter_mut() {
                    *lane *= factor;
                }
                put(&sum[..], places, gram);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Gram};
    use crate::sparse::{RowPattern, SymmetricPattern};

    /// Gᵀ G by its definition.
    fn check(matrix: &RowPattern, set_by_set: bool) {
        let pairs = matrix.entries().flat_map(|(row, a)| {
            let others = matrix.columns()[matrix.row(row)].iter();
            others.map(move |&b| (a, b as usize))
        });
        let pattern = SymmetricPattern::new(matrix.width(), pairs.chain([(matrix.width() - 1, 0)]));
        let gram = Gram::new(matrix, &pattern);
        assert_eq!(matches!(gram.form, Form::SetBySet { .. }), set_by_set);
        let values: Vec<f64> = (0..matrix.len()).map(|k| (1.0 + k as f64).sin()).collect();
        let mut found = vec![f64::NAN; pattern.len()];
        gram.multiply(&values, 3.0, &mut found);
        let value =
            |row: usize, column: usize| matrix.position(row, column).map_or(0.0, |place| values[place]);
        for ((i, j), found) in pattern.entries().zip(found) {
            let expected: f64 = (0..matrix.height()).map(|row| 3.0 * value(row, i) * value(row, j)).sum();
            assert!((found - expected).abs() < 1e-14, "({i}, {j}): {found} instead of {expected}");
        }
    }

    #[test]
    fn products_of_molecules_and_of_chains_are_those_of_the_definition() {
        // Three distances of each of eleven molecules, then one distance of each of two: two shapes, one lane of a group idle.
        let rigid = (0..33).flat_map(|row| {
            let (molecule, bond) = (row / 3, row % 3);
            (0..3).flat_map(move |k| [bond, (bond + 1) % 3].map(|site| (row, 9 * molecule + 3 * site + k)))
        });
        let pairs = (33..35).flat_map(|row| (0..6).map(move |k| (row, 99 + 6 * (row - 33) + k)));
        check(&RowPattern::new(35, 111, rigid.chain(pairs)), true);
        let chain = (0..9_usize).flat_map(|i| (2 * i.saturating_sub(1)..2 * i + 2).map(move |j| (i, j)));
        check(&RowPattern::new(9, 18, chain), false);
    }
}
