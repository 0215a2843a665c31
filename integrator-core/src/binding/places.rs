//! Where the elements of a family fill matrices: found once, at binding, by code that is compiled once for all families.

use super::index::{IndexList, Tuples};
use crate::error::BindError;
use crate::sparse::{RowPattern, SymmetricPattern};

/// An entry off the local diagonal that falls on the diagonal, because one coordinate is read twice: it counts twice.
#[derive(Debug, Clone)]
pub(super) struct Doubled {
    pub(super) element: usize,
    pub(super) inputs: Box<[u32]>,
    pub(super) entry: usize,
    pub(super) position: usize,
}

/// The most elements of a family, which 32-bit numbers count.
const ELEMENTS: usize = u32::MAX as usize;

/// Refuses coefficients that are not finite, and more elements than can be counted.
pub(super) fn check_element(
    coefficients: &[f64],
    elements: usize,
    place: &'static str,
) -> Result<(), BindError> {
    if elements >= ELEMENTS {
        return Err(BindError::TooManyElements { place, limit: ELEMENTS });
    }
    match coefficients.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(BindError::CoefficientNotFinite { place: place.to_owned(), value }),
        None => Ok(()),
    }
}

/// The entries of a matrix that elements with these inputs fill; `local` has the local row and column of each.
pub(super) fn entries(inputs: &dyn Tuples, local: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut entries = Vec::with_capacity(inputs.count() * local.len());
    inputs.visit(&mut |at| entries.extend(local.iter().map(|entry| global(at, *entry))));
    entries
}

/// Looks up where each of these entries stands.
pub(super) fn place(
    inputs: &dyn Tuples,
    local: &[(usize, usize)],
    pattern: &SymmetricPattern,
    positions: &mut dyn Tuples,
) {
    let mut tuple = Vec::with_capacity(local.len());
    inputs.visit(&mut |at| {
        tuple.clear();
        tuple.extend(local.iter().map(|entry| {
            let (row, column) = global(at, *entry);
            // The pattern is made of these very entries.
            pattern.position(row, column).unwrap_or_default() as u32
        }));
        positions.append(&tuple);
    });
}

/// The entries that count twice.
pub(super) fn doubled(
    inputs: &dyn Tuples,
    local: &[(usize, usize)],
    pattern: &SymmetricPattern,
) -> Vec<Doubled> {
    let mut all = Vec::new();
    let mut element = 0;
    inputs.visit(&mut |at| {
        for (entry, &(row, column)) in local.iter().enumerate() {
            if row != column && at[row] == at[column] {
                let index = at[row] as usize;
                let position = pattern.position(index, index).unwrap_or_default();
                all.push(Doubled { element, inputs: at.into(), entry, position });
            }
        }
        element += 1;
    });
    all
}

/// The entries that elements fill which each stand in one row.
pub(super) fn row_entries(rows: &[usize], inputs: &dyn Tuples) -> Vec<(usize, usize)> {
    let mut entries = Vec::new();
    visit_rows(rows, inputs, &mut |row, at| {
        entries.extend(at.iter().map(|column| (row, *column as usize)));
    });
    entries
}

/// Looks up where each of these entries stands.
pub(super) fn place_rows(
    rows: &[usize],
    inputs: &dyn Tuples,
    pattern: &RowPattern,
    positions: &mut dyn Tuples,
) {
    let mut tuple = Vec::new();
    visit_rows(rows, inputs, &mut |row, at| {
        tuple.clear();
        // The pattern is made of these very entries.
        let position = |column: &u32| pattern.position(row, *column as usize).unwrap_or_default() as u32;
        tuple.extend(at.iter().map(position));
        positions.append(&tuple);
    });
}

/// The row of each element.
pub(super) fn rows(list: &IndexList<1>) -> Vec<usize> {
    let mut rows = Vec::with_capacity(list.len());
    list.visit(&mut |row| rows.extend(row.iter().map(|row| *row as usize)));
    rows
}

fn visit_rows(rows: &[usize], inputs: &dyn Tuples, visit: &mut dyn FnMut(usize, &[u32])) {
    let mut rows = rows.iter();
    inputs.visit(&mut |at| {
        if let Some(row) = rows.next() {
            visit(*row, at);
        }
    });
}

fn global(inputs: &[u32], (row, column): (usize, usize)) -> (usize, usize) {
    (inputs[row] as usize, inputs[column] as usize)
}

#[cfg(test)]
mod tests {
    use super::{ELEMENTS, check_element};

    #[test]
    fn elements_that_cannot_be_counted_are_refused() {
        assert!(check_element(&[1.0], ELEMENTS - 1, "V").is_ok());
        let refused = check_element(&[1.0], ELEMENTS, "V").map_err(|error| error.to_string());
        let message =
            "V has more than 4294967295 elements, which cannot be counted: check the parameters of the model";
        assert_eq!(refused, Err(message.to_owned()));
    }
}
