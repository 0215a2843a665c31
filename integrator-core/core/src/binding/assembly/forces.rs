//! The force F = f − ∂D/∂v: rows f, and dissipations D(q, v, t) that read sums.

use crate::binding::at::{At, Weights};
use crate::binding::family::{Family, FamilySummary};
use crate::binding::function::{Function, RowFunction, Second, Space};
use crate::binding::kernel::Operation;
use crate::binding::signals::Now;
use crate::binding::terms::Terms;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};
use std::sync::OnceLock;

/// F; its derivatives are placed when a method first asks for them.
pub(in crate::binding) struct Forces {
    /// f; dissipations that read no sums come last.
    pub(super) rows: RowFunction,
    /// True if each row of f reads no velocity but its own.
    pub(super) are_symmetric: bool,
    first_dissipation: usize,
    dissipated: Vec<Family>,
    gradient: Scratch<Vec<f64>>,
    derivatives: OnceLock<Derivatives>,
}

/// ∂F/∂(q, v) if there is a D.
struct Derivatives {
    /// Empty if the derivatives are refused.
    pattern: RowPattern,
    refused: Option<usize>,
    /// The second derivatives of D.
    second: Option<Second>,
    /// The places of the derivatives of f; sources and places of the second derivatives of D.
    of_rows: Vec<u32>,
    of_second: Vec<(u32, u32)>,
    /// The derivatives of f, and the second derivatives of D.
    memory: Scratch<(Vec<f64>, Vec<f64>)>,
}

impl Forces {
    /// From the elements of f, of dissipations without sums, and of D.
    pub(super) fn new(
        space: &Space,
        (dimension, are_symmetric): (usize, bool),
        [mut rows, dissipations, dissipated]: [Vec<Family>; 3],
    ) -> Self {
        let first_dissipation = rows.len();
        rows.extend(dissipations);
        let arguments = if dissipated.is_empty() { 0 } else { 2 * dimension + 1 };
        Self {
            rows: RowFunction::new(space, rows, (dimension, 2 * dimension)),
            are_symmetric,
            first_dissipation,
            dissipated,
            gradient: Scratch::new(move || vec![0.0; arguments]),
            derivatives: OnceLock::new(),
        }
    }

    /// True if F contains a −∂D/∂v.
    pub(super) fn dissipates(&self) -> bool {
        self.first_dissipation < self.rows.families.len() || !self.dissipated.is_empty()
    }

    pub(super) fn reads_sums(&self) -> bool {
        self.rows.reads_sums || !self.dissipated.is_empty()
    }

    /// The elements of f and of D.
    pub(super) fn families(&self) -> [&[Family]; 2] {
        [&self.rows.families, &self.dissipated]
    }

    pub(super) fn summaries(&self) -> [impl Iterator<Item = FamilySummary>; 2] {
        self.families().map(|families| families.iter().map(Family::summary))
    }

    /// D, if it has elements.
    pub(super) fn dissipated<'a>(&'a self, space: &'a Space) -> Option<Function<'a>> {
        let terms = Terms::of(&self.dissipated);
        (!terms.is_empty()).then(|| Function::new(space, terms))
    }

    /// Subtracts ∂D/∂v from a force; `add` adds to ∇D, and may add to the force.
    pub(super) fn subtract_slopes(&self, force: &mut [f64], add: impl FnOnce(&mut [f64], &mut [f64])) {
        self.gradient.with(|gradient| {
            gradient.fill(0.0);
            add(gradient, force);
            let slopes = &gradient[gradient.len() / 2..];
            force.iter_mut().zip(slopes).for_each(|(force, slope)| *force -= slope);
        });
    }

    /// Adds F, or its dissipations alone; evaluates the sums of f and D once.
    pub(super) fn add(
        &self,
        (space, dissipations): (&Space, bool),
        (x, now): (&[&[f64]], &Now<'_>),
        force: &mut [f64],
    ) {
        let rows = Terms::of(&self.rows.families[self.first(dissipations)..]);
        let add_rows = |z: &[f64], force: &mut [f64]| {
            rows.add_to_rows(Operation::Value, At::new(z, now), force);
        };
        match self.dissipated(space) {
            Some(Function { stages, terms, .. }) => self.subtract_slopes(force, |gradient, force| {
                stages.pull_back(0, (x, &[]), now, gradient, |[z, ..], [w, ..]| {
                    add_rows(z, force);
                    terms.add(Operation::Gradient, At::new(z, now), Weights::Ones, w);
                });
            }),
            None if rows.is_empty() => {}
            None => space.read(rows.reads_sums()).at(x, now, |z| add_rows(z, force)),
        }
    }

    /// Adds ∂F/∂(q, v) of F, or of its dissipations alone, and F itself, unless `force` is empty.
    ///
    /// Where derivatives are refused, adds F alone.
    pub(super) fn add_derivatives(
        &self,
        (space, dissipations): (&Space, bool),
        (x, now): (&[&[f64]], &Now<'_>),
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let first = self.first(dissipations);
        if self.refused(space).is_some() {
            if !force.is_empty() {
                self.add((space, dissipations), (x, now), force);
            }
            return;
        }
        let Some(function) = self.dissipated(space) else {
            return self.rows.add_jacobian((space, first), (x, now), force, derivatives);
        };
        let Derivatives { second: Some(second), of_rows, of_second, memory, .. } = self.derivatives(space)
        else {
            return;
        };
        memory.with(|(rows, hessian)| {
            rows.fill(0.0);
            hessian.fill(0.0);
            self.rows.add_jacobian((space, first), (x, now), force, rows);
            self.subtract_slopes(force, |gradient, _| second.add(function, (x, now), gradient, hessian));
            of_rows.iter().zip(&*rows).for_each(|(place, value)| derivatives[*place as usize] += value);
            for &(source, place) in of_second {
                derivatives[place as usize] -= hessian[source as usize];
            }
        });
    }

    pub(super) fn pattern<'a>(&'a self, space: &'a Space) -> &'a RowPattern {
        if self.dissipated.is_empty() { self.rows.pattern(space) } else { &self.derivatives(space).pattern }
    }

    /// A lower bound of the number of entries, if it exceeds the limit.
    pub(super) fn refused(&self, space: &Space) -> Option<usize> {
        if self.dissipated.is_empty() { self.rows.refused(space) } else { self.derivatives(space).refused }
    }

    fn derivatives(&self, space: &Space) -> &Derivatives {
        self.derivatives.get_or_init(|| Derivatives::of(&self.rows, &self.dissipated, space))
    }

    fn first(&self, dissipations: bool) -> usize {
        if dissipations { self.first_dissipation } else { 0 }
    }
}

impl Derivatives {
    fn of(rows: &RowFunction, dissipated: &[Family], space: &Space) -> Self {
        let columns = space.stages.base - 1;
        let second = Second::within(Function::new(space, Terms::of(dissipated)), |entries| {
            SymmetricPattern::new(columns + 1, entries)
        });
        let refused = rows.refused(space).or(second.as_ref().err().copied());
        let second = if refused.is_some() { None } else { second.ok() };
        let velocities = second.iter().flat_map(|second| of_velocities(&second.pattern));
        let velocities: Vec<(u32, (usize, usize))> = velocities.collect();
        let entries = velocities.iter().map(|(_, entry)| *entry);
        let of_rows = rows.pattern(space).entries().filter(|_| refused.is_none());
        let pattern = RowPattern::new(columns / 2, columns, of_rows.chain(entries).collect::<Vec<_>>());
        let place = |(row, column)| pattern.place(row, column);
        let lengths =
            second.as_ref().map_or((0, 0), |second| (rows.pattern(space).len(), second.pattern.len()));
        Self {
            of_rows: rows.pattern(space).entries().map(place).collect(),
            of_second: velocities.iter().map(|(source, entry)| (*source, place(*entry))).collect(),
            memory: Scratch::new(move || (vec![0.0; lengths.0], vec![0.0; lengths.1])),
            second,
            refused,
            pattern,
        }
    }
}

/// Each entry of −∂F/∂(q, v) with the index of its second derivative of D.
fn of_velocities(pattern: &SymmetricPattern) -> impl Iterator<Item = (u32, (usize, usize))> {
    let n = pattern.dimension() / 2;
    let rows = (0_u32..).zip(pattern.entries()).filter(move |(_, (row, _))| (n..2 * n).contains(row));
    rows.flat_map(move |(source, (row, column))| {
        let mirrored = (column >= n && column != row).then(|| (source, (column - n, row)));
        std::iter::once((source, (row - n, column))).chain(mirrored)
    })
}
