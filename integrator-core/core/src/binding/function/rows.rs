//! Functions with several values: the constraints g(q, t) and c(q, v, t), and the forces F(q, v, t).

use super::scalar::Function;
use super::second::Second;
use super::slopes::too_many;
use super::space::Space;
use super::stages::{Along, Stages};
use crate::binding::at::{At, Weights};
use crate::binding::family::Family;
use crate::binding::kernel::Operation;
use crate::binding::signals::Now;
use crate::binding::terms::Terms;
use crate::error::BindError;
use crate::scratch::Scratch;
use crate::sparse::RowPattern;
use std::sync::OnceLock;

/// Elements that each add to one row.
pub(in crate::binding) struct RowFunction {
    pub(in crate::binding) families: Vec<Family>,
    /// The pattern of the derivatives by z.
    pub(in crate::binding) by_z: RowPattern,
    /// For each family, the place of each input of each element;
    /// true if each element is alone in its row with its inputs in order.
    places: Vec<(Vec<u32>, bool)>,
    /// Derivatives are taken by this many first entries of x.
    columns: usize,
    /// If elements read sums: the pattern of the derivatives by x;
    /// if there are too many, an empty pattern and a lower bound of their number.
    by_x: OnceLock<(RowPattern, Option<usize>)>,
    /// If elements read sums: the values, and the derivatives by z.
    through: Option<Scratch<(Vec<f64>, Vec<f64>)>>,
    pub(in crate::binding) reads_sums: bool,
    second: OnceLock<Result<Second, usize>>,
}

impl RowFunction {
    /// With this many rows, and derivatives by this many first entries of x.
    pub(in crate::binding) fn new(
        space: &Space,
        mut families: Vec<Family>,
        (rows, columns): (usize, usize),
    ) -> Self {
        families.iter_mut().for_each(|family| family.find_sums(space.stages.base));
        let (terms, mut entries) = (Terms::of(&families), Vec::new());
        terms.visit_rows(&mut |row, column| entries.push((row, column)));
        let reads_sums = terms.reads_sums();
        let by_z = RowPattern::new(rows, if reads_sums { space.stages.length } else { columns }, entries);
        let places = places(&families, &by_z);
        let length = by_z.len();
        let through = reads_sums.then(|| Scratch::new(move || (vec![0.0; rows], vec![0.0; length])));
        let (by_x, second) = (OnceLock::new(), OnceLock::new());
        Self { families, by_z, places, columns, by_x, through, reads_sums, second }
    }

    /// The pattern of the derivatives by x, found on demand; empty if they are refused.
    pub(in crate::binding) fn pattern(&self, space: &Space) -> &RowPattern {
        if self.reads_sums { &self.through_sums(space).0 } else { &self.by_z }
    }

    /// A lower bound of the number of entries, if it exceeds the limit.
    pub(in crate::binding) fn refused(&self, space: &Space) -> Option<usize> {
        if self.reads_sums { self.through_sums(space).1 } else { None }
    }

    fn through_sums(&self, space: &Space) -> &(RowPattern, Option<usize>) {
        self.by_x.get_or_init(|| {
            let (rows, columns) = (self.by_z.height(), self.columns);
            let found = space.slopes().map(|slopes| slopes.of_rows(&self.by_z));
            let refused = found.as_ref().err().copied();
            let entries = found.iter().flat_map(RowPattern::entries).filter(|(_, column)| *column < columns);
            (RowPattern::new(rows, columns, entries.collect::<Vec<_>>()), refused)
        })
    }

    /// Refuses derivatives with too many entries.
    pub(in crate::binding) fn afforded(
        &self,
        space: &Space,
        (model, what): (&str, &str),
    ) -> Result<(), BindError> {
        self.refused(space).map_or(Ok(()), |entries| Err(too_many(model, what, entries)))
    }

    pub(in crate::binding) fn add_values(
        &self,
        space: &Space,
        (x, now): (&[&[f64]], &Now<'_>),
        values: &mut [f64],
    ) {
        if !self.families.is_empty() {
            let terms = Terms::of(&self.families);
            self.read(space).at(x, now, |z| terms.add_to_rows(Operation::Value, At::new(z, now), values));
        }
    }

    /// Adds the derivatives by x of the families from `first` on,
    /// and their values, unless `values` is empty.
    pub(in crate::binding) fn add_jacobian(
        &self,
        (space, first): (&Space, usize),
        (x, now): (&[&[f64]], &Now<'_>),
        values: &mut [f64],
        jacobian: &mut [f64],
    ) {
        if first == self.families.len() {
            return;
        }
        let Some(memory) = &self.through else {
            return self.read(space).at(x, now, |z| self.fill(first, At::new(z, now), values, jacobian));
        };
        self.read(space).at(x, now, |z| {
            memory.with(|(_, slopes)| {
                slopes.fill(0.0);
                self.fill(first, At::new(z, now), values, slopes);
                let Ok(of_sums) = space.slopes() else { return };
                of_sums.with(&space.stages, z, now, |there| {
                    of_sums.add_rows((&self.by_z, slopes), there, (self.pattern(space), jacobian));
                });
            });
        });
    }

    /// Adds the derivatives by z, and the values.
    pub(in crate::binding) fn add_by_z(
        &self,
        space: &Space,
        (x, now): (&[&[f64]], &Now<'_>),
        values: &mut [f64],
        slopes: &mut [f64],
    ) {
        if !self.families.is_empty() {
            self.read(space).at(x, now, |z| self.fill(0, At::new(z, now), values, slopes));
        }
    }

    /// Adds the derivatives by z of the families from `first` on,
    /// and their values, unless `values` is empty.
    fn fill(&self, first: usize, at: At<'_>, values: &mut [f64], slopes: &mut [f64]) {
        for (family, (places, alone)) in self.families.iter().zip(&self.places).skip(first) {
            family.add_jacobian(at, (places, *alone), values, slopes);
        }
    }

    pub(in crate::binding) fn add_rate(
        &self,
        space: &Space,
        (x, now): (&[&[f64]], &Now<'_>),
        rate: &mut [f64],
    ) {
        self.read(space).in_time(x, now, |[z, rates], _| {
            Terms::of(&self.families).add_to_rows(Operation::Rate, At::new(z, now), rate);
            self.with_slopes(z, now, |by_z, slopes| by_z.multiply_add(slopes, rates, rate));
        });
    }

    /// Adds aᵀ Hess f a, or d²f/dt² along a motion with velocity a and without acceleration.
    pub(in crate::binding) fn add_curvature(
        &self,
        space: &Space,
        (x, now): (&[f64], &Now<'_>),
        (a, along): (&[f64], Along),
        curvature: &mut [f64],
    ) {
        let operation = match along {
            Along::Line => Operation::Quadratic,
            Along::Motion => Operation::Curvature,
        };
        self.read(space).along(&[x], (a, along), now, |[z, rates, seconds]| {
            Terms::of(&self.families).add_to_rows(operation, At::new(z, now).along(rates), curvature);
            self.with_slopes(z, now, |by_z, slopes| by_z.multiply_add(slopes, seconds, curvature));
        });
    }

    /// The pattern of Σ w Hess f.
    ///
    /// # Errors
    /// There are too many entries through sums; a lower bound of their number.
    pub(in crate::binding) fn second(&self, space: &Space) -> Result<&Second, usize> {
        let terms = Terms::of(&self.families);
        let find = || Second::new(Function::new(space, terms));
        self.second.get_or_init(find).as_ref().map_err(|entries| *entries)
    }

    /// Writes Σ w Hess f over `matrix`.
    pub(in crate::binding) fn write_weighted(
        &self,
        space: &Space,
        (x, now): (&[f64], &Now<'_>),
        weights: &[f64],
        matrix: &mut [f64],
    ) {
        // A caller whose second derivatives were refused does not come here.
        let Ok(second) = self.second(space) else { return };
        let function = Function::new(space, Terms::of(&self.families));
        let slopes = |z: &[f64], w: &mut [f64]| self.add_slopes(z, now, weights, w);
        second.write_weighted((function, weights), (&[x], now), slopes, matrix);
    }

    /// Adds Σ w Hess f · a.
    pub(in crate::binding) fn add_weighted_product(
        &self,
        space: &Space,
        (x, now): (&[f64], &Now<'_>),
        (weights, a): (&[f64], &[f64]),
        product: &mut [f64],
    ) {
        let (terms, of_rows) = (Terms::of(&self.families), Weights::Of(weights));
        self.read(space).pull_back(1, (&[x], a), now, product, |[z, a, _], [of_sums, of_rates, _]| {
            self.add_slopes(z, now, weights, of_sums);
            terms.add(Operation::Product, At::new(z, now).along(a), of_rows, of_rates);
        });
    }

    /// Adds Σ w (a·f‴·a).
    pub(in crate::binding) fn add_weighted_third(
        &self,
        space: &Space,
        (x, now): (&[f64], &Now<'_>),
        (weights, a): (&[f64], &[f64]),
        third: &mut [f64],
    ) {
        let (terms, of_rows) = (Terms::of(&self.families), Weights::Of(weights));
        self.read(space).pull_back(2, (&[x], a), now, third, |[z, a, b], [of_sums, of_rates, of_seconds]| {
            let at = At::new(z, now);
            self.add_slopes(z, now, weights, of_sums);
            terms.add_by_sums(Operation::Product, at.along(a), of_rows, of_rates);
            terms.add_by_sums(Operation::Product, at.along(b), of_rows, of_seconds);
            terms.add(Operation::Third, at.along(a), of_rows, of_seconds);
        });
    }

    /// Adds Σ w f⁗[a, a, d] for rows without sums.
    pub(in crate::binding) fn add_weighted_third_rate(
        &self,
        (x, now): (&[f64], &Now<'_>),
        (weights, a, d): (&[f64], &[f64], &[f64]),
        rate: &mut [f64],
    ) {
        let at = At::new(x, now).along(a).moving(d);
        Terms::of(&self.families).add(Operation::ThirdRate, at, Weights::Of(weights), rate);
    }

    /// Adds f‴[a, a, d] of each row, for rows without sums.
    pub(in crate::binding) fn add_quadratic_rate(
        &self,
        (x, now): (&[f64], &Now<'_>),
        (a, d): (&[f64], &[f64]),
        rate: &mut [f64],
    ) {
        let at = At::new(x, now).along(a).moving(d);
        Terms::of(&self.families).add_to_rows(Operation::QuadraticRate, at, rate);
    }

    /// The arguments that the rows read.
    fn read<'s>(&self, space: &'s Space) -> &'s Stages {
        space.read(self.reads_sums)
    }

    /// Adds Σ w ∇f by z, if rows read sums.
    fn add_slopes(&self, z: &[f64], now: &Now<'_>, weights: &[f64], w: &mut [f64]) {
        self.with_slopes(z, now, |by_z, slopes| by_z.transpose_multiply_add(slopes, weights, w));
    }

    /// Runs `inside` with the derivatives by z, if rows read sums.
    fn with_slopes(&self, z: &[f64], now: &Now<'_>, inside: impl FnOnce(&RowPattern, &[f64])) {
        let Some(memory) = &self.through else { return };
        memory.with(|(values, slopes)| {
            values.fill(0.0);
            slopes.fill(0.0);
            self.fill(0, At::new(z, now), values, slopes);
            inside(&self.by_z, slopes);
        });
    }

    /// The place of each input of each element of a family in the derivatives.
    pub(in crate::binding) fn places(&self, family: usize) -> &[u32] {
        &self.places[family].0
    }

    /// True if every entry of the derivatives by x is overwritten.
    pub(in crate::binding) fn is_written(&self) -> bool {
        !self.reads_sums && self.places.iter().all(|(_, alone)| *alone)
    }
}

/// The places of each family in this pattern.
fn places(families: &[Family], pattern: &RowPattern) -> Vec<(Vec<u32>, bool)> {
    let places: Vec<Vec<u32>> = families.iter().map(|family| family.row_places(pattern, 0)).collect();
    let mut filled = vec![0_u8; pattern.len()];
    for place in places.iter().flatten() {
        filled[*place as usize] = filled[*place as usize].saturating_add(1);
    }
    let is_alone = |own: &[u32]| {
        let mut next = own.iter().skip(1).zip(own);
        own.iter().all(|place| filled[*place as usize] == 1)
            && next.all(|(place, before)| *place == before + 1)
    };
    let of = |(family, places): (&Family, Vec<u32>)| {
        let alone = places.chunks(family.kernel.inputs.len().max(1)).all(is_alone);
        (places, alone)
    };
    families.iter().zip(places).map(of).collect()
}
