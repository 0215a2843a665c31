//! Second derivatives of L by its arguments and by its sums: as sparse as the elements.
//!
//! L = ½ vᵀ M v − V(q, t | u) + R(q, v, t | u′) reads sums u of functions of (q, t) and sums u′ of
//! functions of (q, v, t); here u′ stands before u.

use super::Assembly;
use crate::binding::at::{At, Weights};
use crate::binding::function::{Direct, Filled, Function, Weighed, carry_gradients};
use crate::binding::instant::Instant;
use crate::binding::signals::Now;
use crate::scratch::Scratch;
use crate::sparse::{RowPattern, SymmetricPattern};
use crate::system::{Holonomic, Sampling, System, ThroughSums};

/// The places of the parts of L.
pub(super) struct Bordered {
    pattern: SymmetricPattern,
    rows: RowPattern,
    /// The places of the entries of M.
    of_mass: Vec<u32>,
    /// −V, R, and D.
    potential: FunctionPlaces,
    rest: FunctionPlaces,
    dissipation: Option<(SymmetricPattern, FunctionPlaces)>,
}

/// The places of a function's derivatives by arguments and sums.
struct FunctionPlaces {
    direct: Direct,
    filled: Filled,
    /// The places of its own second derivatives, and of the derivatives of its sums.
    places: Vec<u32>,
    of_sums: Vec<u32>,
    sign: f64,
    memory: Scratch<Vec<f64>>,
}

impl FunctionPlaces {
    /// `place` gives the places of its entries.
    fn new(
        Function { space, terms, .. }: Function<'_>,
        sign: f64,
        weighed: &Weighed,
        place: &dyn Fn((usize, usize)) -> u32,
    ) -> Self {
        let (pattern, filled) = SymmetricPattern::counted(space.stages.length, terms.second_entries());
        let length = pattern.len();
        Self {
            direct: Direct::new(&space.stages),
            filled: Filled::new(terms, &pattern, &filled),
            places: pattern.entries().map(place).collect(),
            of_sums: weighed.pattern.entries().map(place).collect(),
            sign,
            memory: Scratch::new(move || vec![0.0; length]),
        }
    }

    /// Adds the gradient and, with their sign, the second derivatives;
    /// fills the rows of the sums, unless `rows` is empty.
    fn add(
        &self,
        Function { space, stages, terms }: Function<'_>,
        (x, now): (&[&[f64]], &Now<'_>),
        gradient: &mut [f64],
        second: &mut [f64],
        rows: &mut [f64],
    ) {
        let mut add = |places: &[u32], values: &[f64]| {
            places.iter().zip(values).for_each(|(at, value)| second[*at as usize] += self.sign * value);
        };
        let fill = |z: &[f64], rows: &mut [f64]| {
            if !rows.is_empty() {
                self.direct.fill(&space.stages, z, now, rows);
            }
        };
        self.memory.with(|values| {
            self.filled.clear(values);
            if !stages.has_sums() {
                // The function reads x alone, or there is no memory for z.
                return space.stages.at(x, now, |z| {
                    let own = &z[..stages.length.min(z.len())];
                    self.filled.add(terms, At::new(own, now), Weights::Ones, gradient, values);
                    add(&self.places, values);
                    fill(z, rows);
                });
            }
            let inside = |z: &[f64], w: &mut [f64]| {
                self.filled.add(terms, At::new(z, now), Weights::Ones, w, values);
                values
            };
            let Ok(weighed) = space.weighed() else { return };
            stages.weighed((x, now), gradient, inside, &mut carry_gradients, |z, w, values| {
                add(&self.places, values);
                weighed.with(stages, (z, w), now, |values| add(&self.of_sums, values));
                fill(z, rows);
            });
        });
    }
}

impl Assembly {
    /// The second derivatives of L by its arguments and sums, where there are sums.
    pub(super) fn bordered(&self) -> Option<&Bordered> {
        self.bordered.get_or_init(|| self.find_bordered()).as_ref()
    }

    fn find_bordered(&self) -> Option<Bordered> {
        let (positions, motion) = (&self.positions.stages, &self.motion.stages);
        if !(positions.has_sums() || motion.has_sums()) || self.affords_elements().is_err() {
            return None;
        }
        let (of_positions, of_motion) = (self.positions.weighed().ok()?, self.motion.weighed().ok()?);
        let n = self.dimension();
        let first = motion.length;
        // The sums of functions of (q, t) stand last.
        let behind = |at: usize| if at < n { at } else { at - n + first };
        let moved = |(row, column): (usize, usize)| (behind(row), behind(column));
        let of_velocities = |(row, column): (usize, usize)| (n + row, n + column);
        let mut entries = self.r().terms.second_entries();
        entries.extend(self.mass.pattern.entries().map(of_velocities));
        entries.extend(self.v().terms.second_entries().into_iter().map(moved));
        entries.extend(of_motion.entries.iter().copied());
        entries.extend(of_positions.entries.iter().copied().map(moved));
        let pattern = SymmetricPattern::new(first + positions.length - n, entries);
        let place = |(row, column)| pattern.place(row, column);
        let potential = FunctionPlaces::new(self.v(), -1.0, of_positions, &|entry| place(moved(entry)));
        let rest = FunctionPlaces::new(self.r(), 1.0, of_motion, &place);
        let before = first - (2 * n + 1);
        let rows_behind = potential.direct.pattern.entries();
        let rows = rest.direct.pattern.entries();
        let rows = rows.chain(rows_behind.map(|(row, column)| (before + row, behind(column))));
        let rows =
            RowPattern::new(pattern.dimension() - (2 * n + 1), pattern.dimension(), rows.collect::<Vec<_>>());
        let dissipation = self.forces.dissipated(&self.motion).map(|function| {
            let entries =
                function.terms.second_entries().into_iter().chain(of_motion.entries.iter().copied());
            let pattern = SymmetricPattern::new(first, entries);
            let place = |(row, column)| pattern.place(row, column);
            let part = FunctionPlaces::new(function, 1.0, of_motion, &place);
            (pattern, part)
        });
        let of_mass = self.mass.pattern.entries().map(of_velocities).map(place).collect();
        Some(Bordered { pattern, rows, of_mass, potential, rest, dissipation })
    }
}

/// The number of products in the second derivatives of a function after its sums are eliminated.
fn products(Function { space, terms, .. }: Function<'_>) -> u64 {
    let (Ok(slopes), Ok(weighed)) = (space.slopes(), space.weighed()) else { return u64::MAX };
    let of_terms = slopes.products(terms.second_entries());
    of_terms.saturating_add(slopes.products(weighed.entries.iter().copied()))
}

impl ThroughSums for Assembly {
    fn elimination(&self) -> u64 {
        let dissipation = self.forces.dissipated(&self.motion);
        let functions = [self.r(), self.v()].into_iter().chain(dissipation);
        let functions = functions.filter(|function| function.space.stages.has_sums());
        functions.map(products).fold(0, u64::saturating_add)
    }

    fn sums(&self) -> usize {
        self.bordered().map_or(0, |bordered| bordered.rows.height())
    }

    fn bordered_pattern(&self) -> &SymmetricPattern {
        // Callers have asked `through_sums` before.
        self.bordered().map_or(&self.mass.pattern, |bordered| &bordered.pattern)
    }

    fn sum_pattern(&self) -> &RowPattern {
        self.bordered().map_or_else(|| self.jacobian_pattern(), |bordered| &bordered.rows)
    }

    fn bordered_second(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        gradient: &mut [f64],
        second: &mut [f64],
        rows: &mut [f64],
    ) {
        let Some(()) = self.fits(&[q, v], [gradient, second, rows]) else { return };
        let Some(Bordered { potential, rest, of_mass, .. }) = self.bordered() else { return };
        let now = &self.at(t);
        gradient.fill(0.0);
        second.fill(0.0);
        let (rows, rows_behind) = rows.split_at_mut(rest.direct.pattern.len());
        potential.add(self.v(), (&[q], now), &mut gradient[..q.len()], second, rows_behind);
        for (at, value) in of_mass.iter().zip(&self.mass.values) {
            second[*at as usize] += value;
        }
        self.finish_gradient(q, v, now, gradient);
        rest.add(self.r(), (&[q, v, &[t]], now), gradient, second, rows);
    }

    fn force_by_sums(&self) -> &RowPattern {
        &self.forces.rows.by_z
    }

    fn dissipation_by_sums(&self) -> Option<&SymmetricPattern> {
        self.bordered()?.dissipation.as_ref().map(|(pattern, _)| pattern)
    }

    fn add_bordered_force(
        &self,
        (q, v, t): (&[f64], &[f64], f64),
        sampling: Option<Sampling>,
        force: &mut [f64],
        rows: &mut [f64],
        dissipation: &mut [f64],
    ) {
        let Some(()) = self.fits(&[q, v], [&mut *force, &mut *rows, &mut *dissipation]) else { return };
        let now = &self.signals.at(Instant::of(t, self.phase), sampling);
        let x: [&[f64]; 3] = [q, v, &[t]];
        self.forces.rows.add_by_z(&self.motion, (&x, now), force, rows);
        let part = self.bordered().and_then(|bordered| bordered.dissipation.as_ref());
        if let Some((function, (_, part))) = self.forces.dissipated(&self.motion).zip(part) {
            self.forces.subtract_slopes(force, |gradient, _| {
                part.add(function, (&x, now), gradient, dissipation, &mut []);
            });
        }
    }
}
