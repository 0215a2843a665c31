//! A bound system whose functions of (q, v, t) read sums: see [`Stages`].
//!
//! The terms of L that are neither mass nor potential read z = (q, v, t | sums), and so do forces and constraints on velocities. A kinetic energy
//! of sums that are linear in v with constant factors has the constant mass Jᵀ D J, with its second derivatives D by z and J = ∂z/∂v: it is
//! added up once.

use super::assembly::Assembly;
use super::family::{Family, Placed};
use super::reduced::{MOST_ENTRIES, Reduction};
use super::row::RowFamily;
use super::second::{GeneralSecond, add as add_second};
use super::signals::Now;
use super::staged::{add, too_many};
use super::stages::Stages;
use super::terms::add_gradients;
use crate::error::BindError;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};
use std::sync::OnceLock;

/// The sums that functions of (q, v, t) read, and what second derivatives need of them.
pub(super) struct Moving {
    pub(super) stages: Stages,
    reduction: OnceLock<Option<Reduction>>,
}

impl Moving {
    pub(super) fn new(stages: Stages) -> Self {
        Self { stages, reduction: OnceLock::new() }
    }

    pub(super) fn reduction(&self) -> Option<&Reduction> {
        self.reduction.get_or_init(|| Reduction::new(&self.stages)).as_ref()
    }

    /// True if functions with these families, or rows, read the sums.
    pub(super) fn are_read(&self, functions: [&[Family]; 2], rows: [&[RowFamily]; 3]) -> bool {
        let (mut read, base) = (false, self.stages.base);
        let mut visit = |inputs: &[u32]| read |= inputs.iter().any(|at| *at as usize >= base);
        functions.into_iter().flatten().for_each(|family| family.visit_inputs(&mut visit));
        for family in rows.into_iter().flatten() {
            family.visit_entries(&mut |_, column| read |= column >= base);
        }
        read
    }

    /// The entries of the mass matrix that these families have: constant second derivatives by the velocities.
    ///
    /// # Errors
    /// There are too many, or one is not finite.
    pub(super) fn mass(
        &self,
        model: &'static str,
        families: &[Family],
        now: &Now<'_>,
    ) -> Result<Vec<(usize, usize, f64)>, BindError> {
        if families.is_empty() {
            return Ok(Vec::new());
        }
        let (base, length) = (self.stages.base, self.stages.length);
        let too_many = |entries| too_many(model, "the mass", entries);
        let Some(Reduction { rows, .. }) = self.reduction() else { return Err(too_many(MOST_ENTRIES + 1)) };
        let mut entries = Vec::new();
        families
            .iter()
            .for_each(|family| family.visit_hessian(&mut |row, column| entries.push((row, column))));
        let by_x = rows.of_second(entries.iter().copied()).map_err(too_many)?;
        let by_z = SymmetricPattern::new(length, entries);
        let placed: Vec<Placed> = families.iter().map(|family| Placed::new(family, &by_z, &[])).collect();
        let (mut second, mut sum) = (vec![0.0; by_z.len()], vec![0.0; by_x.len()]);
        // They are the same everywhere.
        self.stages.with(&[&vec![0.0; base]], now, |memory| {
            memory.clear(0);
            add_second(families, &placed, &memory.z[0], now, &mut memory.w[0], &mut second);
            rows.with(&self.stages, &memory.z[0], now, |slopes| {
                rows.add_second((&by_z, &second), slopes, (&by_x, &mut sum));
            });
        });
        if let Some(&value) = sum.iter().find(|value| !value.is_finite()) {
            let place = families.first().map_or("", |family| family.kernel.name).to_owned();
            return Err(BindError::CoefficientNotFinite { place, value });
        }
        let first = base / 2;
        let in_velocities = |((row, column), value): ((usize, usize), f64)| {
            (column >= first && row < 2 * first).then(|| (row - first, column - first, value))
        };
        Ok(by_x.entries().zip(sum).filter_map(in_velocities).collect())
    }
}

/// The derivatives of rows by (q, v).
pub(super) struct Derivatives {
    pub(super) pattern: RowPattern,
    /// Where they have more entries than are assembled: so many at least; the pattern is empty then.
    pub(super) refused: Option<usize>,
    /// Those by (q, v, t) and sums, where the rows read sums.
    by_sums: Option<BySums>,
}

struct BySums {
    by_z: RowPattern,
    memory: Scratch<Vec<f64>>,
}

/// The pattern that families with so many rows fill in the derivatives by (q, v); they know their places then, in that pattern or in one
/// by (q, v, t) and sums. The pattern has these other entries, too.
pub(super) fn placed(
    families: &mut [RowFamily],
    (rows, dimension): (usize, usize),
    moving: Option<&Moving>,
    others: &[(usize, usize)],
) -> Derivatives {
    let mut entries = Vec::new();
    families.iter().for_each(|family| family.visit_entries(&mut |row, column| entries.push((row, column))));
    let through = moving.filter(|_| entries.iter().any(|(_, column)| *column > 2 * dimension));
    let Some(moving) = through else {
        entries.extend(others);
        let pattern = RowPattern::new(rows, 2 * dimension, entries);
        families.iter_mut().for_each(|family| family.place(&pattern));
        return Derivatives { pattern, refused: None, by_sums: None };
    };
    let by_z = RowPattern::new(rows, moving.stages.length, entries);
    families.iter_mut().for_each(|family| family.place(&by_z));
    let Some(Reduction { rows: of_sums, .. }) = moving.reduction() else {
        return Derivatives::refused((rows, dimension), MOST_ENTRIES + 1);
    };
    let by_x = of_sums.of_rows(&by_z);
    // Nobody asks for a derivative by the time here.
    let entries = by_x.entries().filter(|(_, column)| *column < 2 * dimension).chain(others.iter().copied());
    let pattern = RowPattern::new(rows, 2 * dimension, entries);
    let length = by_z.len();
    let by_sums = Some(BySums { by_z, memory: Scratch::new(move || vec![0.0; length]) });
    Derivatives { pattern, refused: None, by_sums }
}

impl Derivatives {
    /// Those with too many entries: so many at least.
    pub(super) fn refused((rows, dimension): (usize, usize), entries: usize) -> Self {
        let pattern = RowPattern::new(rows, 2 * dimension, []);
        Self { pattern, refused: Some(entries), by_sums: None }
    }

    /// Refuses those with too many entries.
    pub(super) fn afforded(&self, model: &str, what: &str) -> Result<(), BindError> {
        self.refused.map_or(Ok(()), |entries| Err(too_many(model, what, entries)))
    }
}

/// A state at which functions of (q, v, t) are evaluated.
#[derive(Clone, Copy)]
pub(super) struct Motion<'a> {
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) t: f64,
    pub(super) now: &'a Now<'a>,
}

impl Assembly {
    /// Runs `inside` on z = (q, v, t), with the sums behind it.
    pub(super) fn with_motion<R>(&self, at: Motion<'_>, inside: impl FnOnce(&[f64]) -> R) -> R {
        let Motion { q, v, t, now } = at;
        if let Some(moving) = &self.moving {
            return moving.stages.with(&[q, v, &[t]], now, |memory| inside(&memory.z[0]));
        }
        let n = q.len();
        self.motion.with(|z| {
            // Where nothing reads (q, v, t), no memory is kept for it.
            if !z.is_empty() {
                z[..n].copy_from_slice(q);
                z[n..2 * n].copy_from_slice(v);
                z[2 * n] = t;
            }
            inside(z)
        })
    }

    /// The gradient of R, which is added to `gradient`.
    pub(super) fn add_general_gradient(&self, at: Motion<'_>, gradient: &mut [f64]) {
        let Some(moving) = &self.moving else {
            return self.with_motion(at, |z| add_gradients(&self.general, z, at.now, gradient));
        };
        moving.stages.with(&[at.q, at.v, &[at.t]], at.now, |memory| {
            memory.clear(0);
            add_gradients(&self.general, &memory.z[0], at.now, &mut memory.w[0]);
            moving.stages.backwards(0, at.now, memory);
            add(&memory.w[0], gradient);
        });
    }

    /// Gradient and second derivatives of R, which are added to `gradient` and `hessian`.
    pub(super) fn add_general_second(&self, at: Motion<'_>, gradient: &mut [f64], hessian: &mut [f64]) {
        if let Ok(second) = self.general_second() {
            self.add_second_through_sums(&self.general, second, at, gradient, hessian);
        }
    }

    /// The same of a function of (q, v, t) with these families.
    pub(super) fn add_second_through_sums(
        &self,
        families: &[Family],
        second: &GeneralSecond,
        at: Motion<'_>,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        let through = self.moving.as_ref().zip(second.by_z.as_ref());
        let Some((moving, (by_z, values))) = through else {
            return self.with_motion(at, |z| second.add(families, z, at.now, gradient, hessian));
        };
        let Some(reduction) = moving.reduction() else { return };
        moving.stages.with(&[at.q, at.v, &[at.t]], at.now, |memory| {
            values.with(|values| {
                values.fill(0.0);
                memory.clear(0);
                second.add(families, &memory.z[0], at.now, &mut memory.w[0], values);
                moving.stages.backwards(0, at.now, memory);
                add(&memory.w[0], gradient);
                let by_x = (&second.natural.pattern, &mut *hessian);
                reduction.add(&moving.stages, (by_z, values), memory, at.now, by_x);
                // A pattern has its diagonal, and the second derivative by the time enters no equation of motion.
                let time = 2 * at.q.len();
                if let Some(at) = second.natural.pattern.position(time, time) {
                    hessian[at] = 0.0;
                }
            });
        });
    }

    /// The derivatives of rows by the time, which are added to `rate`.
    pub(super) fn add_rate_of_rows(
        &self,
        at: Motion<'_>,
        families: &[RowFamily],
        Derivatives { by_sums, .. }: &Derivatives,
        rate: &mut [f64],
    ) {
        let add = |z: &[f64], rate: &mut [f64]| {
            families.iter().for_each(|family| family.add_rate(z, at.now, rate));
        };
        let Some((BySums { by_z, memory }, moving)) = by_sums.as_ref().zip(self.moving.as_ref()) else {
            return self.with_motion(at, |z| add(z, rate));
        };
        moving.stages.with(&[at.q, at.v, &[at.t]], at.now, |sums| {
            add(&sums.z[0], rate);
            moving.stages.rates_by_last(at.now, sums);
            memory.with(|values| {
                values.fill(0.0);
                families.iter().for_each(|family| family.add_derivatives(&sums.z[0], at.now, values));
                by_z.multiply_add(values, &sums.z[1], rate);
            });
        });
    }

    /// The derivatives of rows by (q, v), which are added to `derivatives`.
    pub(super) fn add_row_derivatives(
        &self,
        families: &[RowFamily],
        Derivatives { pattern, by_sums, .. }: &Derivatives,
        z: &[f64],
        now: &Now<'_>,
        derivatives: &mut [f64],
    ) {
        let Some((BySums { by_z, memory }, moving)) = by_sums.as_ref().zip(self.moving.as_ref()) else {
            return families.iter().for_each(|family| family.add_derivatives(z, now, derivatives));
        };
        let Some(Reduction { rows, .. }) = moving.reduction() else { return };
        memory.with(|values| {
            values.fill(0.0);
            families.iter().for_each(|family| family.add_derivatives(z, now, values));
            rows.with(&moving.stages, z, now, |slopes| {
                rows.add_rows((by_z, values), slopes, (pattern, derivatives));
            });
        });
    }
}
