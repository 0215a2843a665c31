//! The position and the velocity stages of RATTLE in lanes, by the factors of the foot.
//!
//! A lane in which these do not suffice, as a single run would find, steps alone.

use super::numbers::{Point, System, finite, registers};
use crate::lanes::{Exact, LaneMask, Real};
use crate::method::constraint::{
    FAR, Magnitudes, add_kick, bound, expected, judged, kick_and_drift, largest_and_sum, scale,
};
use crate::method::scheme::{RowScheme, Scheme, Settings};
use crate::sparse::full::{
    add_rows, add_rows_where, add_sums, forward, put_sizes, write_products, write_scaled,
};
use crate::sparse::{pass, scale_of, solve};
use crate::system::{Evaluation, Wanted};
use pulp::Simd;

/// The rows at the state of all members, the foot.
pub(super) struct Rows<S: Simd> {
    /// The coefficients of g, and the place in G of each input.
    coefficients: Vec<Exact<S>>,
    places: Vec<u32>,
    settings: Settings,
    magnitudes: Magnitudes<Exact<S>>,
    /// The reciprocals of the least sizes, and of the natural sizes of a step.
    bounds: Vec<Exact<S>>,
    reciprocals: Vec<Exact<S>>,
    /// The columns in a block, the rows, and the blocks in a row of G.
    shape: [usize; 3],
    /// M⁻¹ Gᵀ, G M⁻¹ Gᵀ and its factors; and the lanes that have factors.
    directions: Vec<Exact<S>>,
    matrix: Vec<Exact<S>>,
    factors: Vec<Exact<S>>,
    settled: LaneMask<S>,
    jacobian: Vec<Exact<S>>,
    multipliers: Vec<Exact<S>>,
    /// g and G at an iterate, and g of lanes whose iteration does not end.
    values: Vec<Exact<S>>,
    ahead: Vec<Exact<S>>,
    others: Vec<Exact<S>>,
    x: Vec<Exact<S>>,
    impulse: Vec<Exact<S>>,
}

/// The rows, and the blocks of N columns in a row of G.
type Shape = (usize, usize);

/// Calls a method for the shape of G, which the compiler knows for a few systems.
macro_rules! by_shape {
    ($self:ident, $method:ident($($argument:expr),*)) => {
        match $self.shape {
            [2, 1, 1] => $self.$method::<2>((1, 1), $($argument),*),
            [2, 2, 2] => $self.$method::<2>((2, 2), $($argument),*),
            [3, 1, 1] => $self.$method::<3>((1, 1), $($argument),*),
            [2, rows, width] => $self.$method::<2>((rows, width), $($argument),*),
            [3, rows, width] => $self.$method::<3>((rows, width), $($argument),*),
            [_, rows, width] => $self.$method::<1>((rows, width), $($argument),*),
        }
    };
}

#[inline(always)]
fn both<S: Simd>(a: LaneMask<S>, b: LaneMask<S>) -> LaneMask<S> {
    Exact::<S>::both(a, b)
}

impl<S: Simd> Rows<S> {
    /// `None` if the rows of the members are not alike.
    pub(super) fn of(simd: S, members: &[Scheme<'_>]) -> Option<Self> {
        let first = members.first()?;
        let RowScheme { settings, pattern, places, coordinates, .. } = first.rows?;
        let bits = |Settings { tolerance, iterations, least_pivot }: Settings| {
            ([tolerance, least_pivot].map(f64::to_bits), iterations)
        };
        let alike = |own: &Scheme<'_>| own.rows.is_some_and(|rows| bits(rows.settings) == bits(settings));
        if !members.iter().all(alike) {
            return None;
        }
        let (zero, n) = (Exact::all(simd, 0.0), pattern.width());
        let [rows, entries, columns] = [pattern.height(), pattern.len(), n].map(|length| vec![zero; length]);
        Some(Self {
            coefficients: registers(simd, members, |own| own.system.rows)?,
            places: first.system.places.iter().map(|place| places[*place as usize]).collect(),
            settings,
            magnitudes: Magnitudes { coordinates: coordinates.to_vec(), sizes: columns },
            bounds: registers(simd, members, |own| own.rows.map_or(&[], |rows| rows.bounds))?,
            reciprocals: rows.clone(),
            shape: [pattern.block(), pattern.height(), n / pattern.block()],
            directions: entries.clone(),
            matrix: vec![zero; pattern.height().pow(2)],
            factors: vec![zero; pattern.height().pow(2)],
            settled: zero.lt(zero),
            jacobian: entries.clone(),
            multipliers: rows.clone(),
            values: rows.clone(),
            ahead: entries,
            others: rows.clone(),
            x: rows.clone(),
            impulse: rows,
        })
    }

    /// Computes G, the factors and the multipliers at a state with its acceleration.
    #[inline(always)]
    pub(super) fn stand(&mut self, system: &System<S>, now: &Point<S>) {
        self.look(system, &now.q);
        by_shape!(self, stand_by(system, now));
    }

    #[inline(always)]
    fn stand_by<const N: usize>(&mut self, shape: Shape, system: &System<S>, now: &Point<S>) {
        self.settle::<N>(shape, &system.reciprocals);
        self.balance::<N>(shape, system, now);
    }

    /// Moves the foot to the G ahead, and factors G M⁻¹ Gᵀ there.
    #[inline(always)]
    fn settle<const N: usize>(&mut self, (m, w): Shape, reciprocals: &[Exact<S>]) {
        std::mem::swap(&mut self.jacobian, &mut self.ahead);
        let Self { jacobian, directions, matrix, factors, .. } = self;
        write_scaled::<N, _>(m, w, jacobian, reciprocals, directions);
        write_products::<N, _>(m, w, (jacobian, directions), true, matrix);
        let (matrix, factors) = (&matrix[..m * m], &mut factors[..m * m]);
        factors.copy_from_slice(matrix);
        let infinity = matrix[0].number(f64::INFINITY);
        self.settled = infinity.le(infinity);
        for k in 0..m {
            let (pivot, scale) = (factors[k * m + k], scale_of(m, k, matrix));
            let is_pivot =
                both((scale * self.settings.least_pivot).lt(pivot.abs()), pivot.abs().lt(infinity));
            self.settled = both(self.settled, is_pivot);
            pass(m, k, factors);
        }
    }

    /// A step from the foot; returns the lanes that have taken it. The foot moves along.
    #[inline(always)]
    pub(super) fn step(
        &mut self,
        system: &System<S>,
        h: Exact<S>,
        now: &Point<S>,
        next: &mut Point<S>,
    ) -> u8 {
        by_shape!(self, step_by(system, h, now, next))
    }

    #[inline(always)]
    fn step_by<const N: usize>(
        &mut self,
        (m, w): Shape,
        system: &System<S>,
        h: Exact<S>,
        now: &Point<S>,
        next: &mut Point<S>,
    ) -> u8 {
        let half = h * 0.5;
        // The kick, the drift and the position stage.
        kick_and_drift((half, h), (&now.q, &now.v), &now.a, (&mut next.q, &mut next.v));
        let sizes = self.magnitudes.of_moved(&now.q, &now.v, h);
        put_sizes::<N, _>(m, w, (&self.jacobian, sizes, &mut self.reciprocals));
        bound(&mut self.reciprocals, &self.bounds);
        let reached = self.reach::<N>((m, w), system, half * h, &mut next.q);
        scale(h.recip(), &self.impulse, &mut self.multipliers);
        add_rows::<N, _>(m, w, &self.directions, &self.multipliers, &mut next.v);
        // The foot moves, and the other half of the kick with the velocity stage follows.
        self.settle::<N>((m, w), &system.reciprocals);
        system.accelerate(&next.q, &mut next.a);
        add_kick(half, &next.a, &mut next.v);
        for rate in &mut self.values {
            *rate = h.number(0.0);
        }
        add_sums::<N, _>(m, w, (&self.jacobian, &next.v, &mut self.values));
        solve(m, &self.factors, &self.values, &mut self.x);
        add_rows::<N, _>(m, w, &self.directions, &self.x, &mut next.v);
        self.balance::<N>((m, w), system, next);
        reached & self.settled.bits() & finite(&next.v)
    }

    /// Moves q by M⁻¹ Gᵀ x to g(q) = 0, from x = `factor` λ; returns the lanes that arrive as fast as
    /// single runs need it to keep the factors of the foot. G there is `ahead`.
    #[inline(always)]
    fn reach<const N: usize>(
        &mut self,
        (m, w): Shape,
        system: &System<S>,
        factor: Exact<S>,
        q: &mut [Exact<S>],
    ) -> u8 {
        scale(factor, &self.multipliers, &mut self.impulse);
        add_rows::<N, _>(m, w, &self.directions, &self.impulse, q);
        let Settings { tolerance, iterations, .. } = self.settings;
        let [unknown, far, most] = [f64::INFINITY, FAR, f64::MAX].map(|number| factor.number(number));
        let (mut previous, mut next) = (unknown, unknown);
        let (mut active, mut arrived) = (self.settled, unknown.lt(unknown));
        let mut looked = 0;
        for iteration in 0..=iterations {
            let ends = both(active, next.le(factor.number(tolerance)));
            self.evaluate(system, (ends, active), q);
            let (residual, sum) = largest_and_sum(factor.number(0.0), &self.values, &self.reciprocals);
            // A single run would look for a jump.
            active = both(active, both(residual.le(far), sum.le(most)));
            let [accepted, fast] = judged(residual, previous, tolerance);
            arrived = Exact::<S>::either(arrived, both(active, accepted));
            if ends.bits() != 0 {
                looked = arrived.bits();
            }
            active = both(active, both(fast, Exact::<S>::not(accepted)));
            if active.bits() == 0 {
                break;
            }
            if iteration > 0 {
                next = expected(residual, previous);
            }
            previous = residual;
            solve(m, &self.factors, &self.values, &mut self.x);
            add_rows_where::<N, _>(m, w, (&self.directions, &self.x, active), q);
            for (sum, x) in self.impulse.iter_mut().zip(&self.x) {
                *sum = Exact::select(active, *sum + *x, *sum);
            }
        }
        if looked != arrived.bits() {
            self.look(system, q);
        }
        arrived.bits() & forward::<N, _>(m, w, &self.jacobian, &self.ahead).bits()
    }

    /// g of the active lanes, with G where a lane's iteration may end.
    #[inline(always)]
    fn evaluate(&mut self, system: &System<S>, (ends, active): (LaneMask<S>, LaneMask<S>), q: &[Exact<S>]) {
        if ends.bits() == 0 {
            return Self::values(system, &self.coefficients, q, &mut self.values);
        }
        self.look(system, q);
        if ends.bits() != active.bits() {
            Self::values(system, &self.coefficients, q, &mut self.others);
            for (value, other) in self.values.iter_mut().zip(&self.others) {
                *value = Exact::select(ends, *value, *other);
            }
        }
    }

    #[inline(always)]
    fn values(system: &System<S>, coefficients: &[Exact<S>], q: &[Exact<S>], values: &mut [Exact<S>]) {
        let evaluation = Evaluation { coefficients, q, v: q, places: &[], values, vector: &mut [] };
        system.evaluate(Wanted::Values, evaluation);
    }

    /// g and G at q.
    #[inline(always)]
    fn look(&mut self, system: &System<S>, q: &[Exact<S>]) {
        let Self { coefficients, places, values, ahead: vector, .. } = self;
        system.evaluate(Wanted::Jacobian, Evaluation { coefficients, q, v: q, places, values, vector });
    }

    /// The multipliers at the foot, with the acceleration of its state.
    #[inline(always)]
    fn balance<const N: usize>(&mut self, (m, w): Shape, system: &System<S>, Point { q, v, a }: &Point<S>) {
        let Self { coefficients, values, .. } = self;
        let evaluation = Evaluation { coefficients, q, v, places: &[], values, vector: &mut [] };
        system.evaluate(Wanted::Curvature, evaluation);
        add_sums::<N, _>(m, w, (&self.jacobian, a, &mut self.values));
        solve(m, &self.factors, &self.values, &mut self.multipliers);
    }
}
