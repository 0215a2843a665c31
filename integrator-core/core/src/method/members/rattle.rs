//! [RATTLE](crate::method::rattle) for members side by side.
//!
//! A lane steps alone if its iteration needs its own matrix, if rows are dependent, or if it fails.

use super::lockstep::{
    LaneBits, LaneColumns, Lockstep, finite, lanes_of, registers as of, registers_mut as of_mut, take,
};
use super::{InLanes, MemberSteppers, StepsMembers};
use crate::binding::Members;
use crate::binding::members::{Abreast, Member};
use crate::error::{MembersError, StartError};
use crate::lanes::{Exact, Real};
use crate::method::constraint::{FLOOR, LEAST, Magnitudes, SLOW};
use crate::method::flow::Either;
use crate::method::rattle::OfRattle;
use crate::method::rattle::Rattle;
use crate::method::running::Running;
use crate::sparse::{SchurOfMembers, reciprocals};
use crate::system::{Constrained, State};
use pulp::{Simd, WithSimd};

/// Residuals with a larger sum are judged alone: the sum may overflow.
const LARGEST: f64 = 1e300;

impl StepsMembers for Rattle {
    fn start_members<'s>(
        &self,
        members: &Members<'s>,
        starts: Vec<State>,
        steps: &[f64],
    ) -> Result<MemberSteppers<'s>, MembersError> {
        MemberSteppers::start(self, members, starts, steps)
    }
}

impl InLanes for Rattle {
    type System<'s> = dyn Constrained + 's;
    type Flow<'s> = OfRattle<'s, dyn Constrained + 's>;
    type Lockstep = RattleOfMembers;

    fn tolerance(&self) -> Option<f64> {
        Some(self.tolerance)
    }

    fn system<'s>(member: &Member<'s>) -> Result<&'s Self::System<'s>, &'static str> {
        member.constrained.ok_or("no constraints, which RATTLE needs")
    }

    fn start_one<'s>(
        &self,
        system: &'s Self::System<'s>,
        state: State,
        step: f64,
    ) -> Result<Running<Self::Flow<'s>>, StartError> {
        self.start_flow(system, state, step)
    }

    fn lockstep<'s>(
        &self,
        members: &Members<'s>,
        first: usize,
        started: &[Option<&Self::Flow<'s>>],
    ) -> Result<Self::Lockstep, &'static str> {
        RattleOfMembers::new(*self, members, first, started)
            .ok_or("light parts, or constraints whose matrix G M⁻¹ Gᵀ is neither diagonal nor tridiagonal")
    }
}

pub(super) struct RattleOfMembers {
    options: Rattle,
    families: Abreast,
    schur: Option<SchurOfMembers>,
    /// Neighbouring coordinates with a number of components, and their end.
    coordinates: Vec<(usize, usize)>,
    /// 1/M_ii.
    reciprocals: LaneColumns,
    /// The reciprocals of the least natural sizes.
    least: LaneColumns,
    smallest_pivot: LaneColumns,
    times: Vec<f64>,
    /// Lanes whose foot has factors.
    settled: LaneBits,
    /// The times and phases.
    now: LaneColumns,
    foot: MemberStates,
    next: MemberStates,
    memory: StepScratch,
}

/// A state of each member, with its derived quantities.
struct MemberStates {
    q: LaneColumns,
    v: LaneColumns,
    /// M⁻¹ f.
    a: LaneColumns,
    multipliers: LaneColumns,
    jacobian: LaneColumns,
    /// M⁻¹ Gᵀ, and the factors of G M⁻¹ Gᵀ.
    directions: LaneColumns,
    factors: LaneColumns,
}

/// The vectors of a step: of rows, and of coordinates.
struct StepScratch {
    values: LaneColumns,
    looked: LaneColumns,
    residuals: LaneColumns,
    reciprocal_sizes: LaneColumns,
    x: LaneColumns,
    impulse: LaneColumns,
    new_impulse: LaneColumns,
    sizes: LaneColumns,
    moved: LaneColumns,
}

impl RattleOfMembers {
    /// `None` if a started member has a linear system that does not exist for members.
    fn new(
        options: Rattle,
        members: &Members<'_>,
        first: usize,
        started: &[Option<&OfRattle<'_, dyn Constrained + '_>>],
    ) -> Option<Self> {
        let families = members.abreast(first);
        let (n, m, lanes) = (families.dimension(), families.constraints(), families.lanes());
        let entries = families.jacobian_pattern().len();
        let zeros = |entries| LaneColumns::zeros(entries, lanes);
        let (mut inverse, mut least, mut smallest_pivot, mut schur) = (zeros(n), zeros(m), zeros(1), None);
        for (lane, flow) in started.iter().enumerate() {
            let Some(flow) = flow else { continue };
            let Either::First(flow) = flow else { return None };
            let manifold = flow.manifold();
            let (own, pivot, sizes) = manifold.of_members()?;
            let of_sizes: Vec<f64> = sizes.iter().map(|size| 1.0 / size).collect();
            least.put(lane, &of_sizes);
            smallest_pivot.put(lane, &[pivot]);
            // A member without an inverse mass does not start.
            inverse.put(lane, &reciprocals(&manifold.system().mass().values).ok()?);
            schur = Some(own);
        }
        let factors = schur.as_ref().map_or(0, SchurOfMembers::factors);
        let point = || MemberStates {
            q: zeros(n),
            v: zeros(n),
            a: zeros(n),
            multipliers: zeros(m),
            jacobian: zeros(entries),
            directions: zeros(entries),
            factors: zeros(factors),
        };
        let magnitudes = Magnitudes::new(members.in_lane(first, 0).natural.layout());
        Some(Self {
            options,
            families,
            schur,
            coordinates: magnitudes.coordinates().to_vec(),
            reciprocals: inverse,
            least,
            smallest_pivot,
            times: vec![0.0; lanes],
            settled: 0,
            now: zeros(2),
            foot: point(),
            next: point(),
            memory: StepScratch {
                values: zeros(m),
                looked: zeros(m),
                residuals: zeros(m),
                reciprocal_sizes: zeros(m),
                x: zeros(m),
                impulse: zeros(m),
                new_impulse: zeros(m),
                sizes: zeros(n),
                moved: zeros(n),
            },
        })
    }
}

impl Lockstep for RattleOfMembers {
    fn advance(&mut self, lanes: LaneBits, sizes: &[f64], ends: &[f64]) -> LaneBits {
        self.families.at(ends, self.now.all_mut());
        let done = self.families.registers.run(RattleStep { flow: self, lanes, sizes });
        for (lane, (time, end)) in self.times.iter_mut().zip(ends).enumerate() {
            if done >> lane & 1 == 1 {
                *time = *end;
            }
        }
        lanes & !done
    }

    fn get(&self, lane: usize, state: &mut State) {
        self.foot.q.get(lane, &mut state.q);
        self.foot.v.get(lane, &mut state.v);
    }

    fn put(&mut self, lane: usize, state: &State) {
        self.times[lane] = state.t;
        self.foot.q.put(lane, &state.q);
        self.foot.v.put(lane, &state.v);
    }

    fn stand(&mut self) {
        self.families.at(&self.times, self.now.all_mut());
        self.families.registers.run(Stand { flow: self });
    }
}

/// Computes the derived quantities of the feet.
struct Stand<'a> {
    flow: &'a mut RattleOfMembers,
}

impl WithSimd for Stand<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let RattleOfMembers {
            families, schur, reciprocals, smallest_pivot, settled, now, foot, memory, ..
        } = self.flow;
        let Some(schur) = schur else { return };
        let (MemberStates { q, jacobian, .. }, now) = (&mut *foot, now.all());
        families.jacobian(q.all(), now, memory.values.all_mut(), jacobian.all_mut());
        let parts = RowEquations { families, schur, reciprocals, smallest_pivot, now };
        let found = parts.settle(simd, foot);
        parts.accelerate(simd, foot);
        parts.multipliers(simd, foot, memory);
        *settled = found.bits();
    }
}

/// The data for equations at a foot.
#[derive(Clone, Copy)]
struct RowEquations<'a> {
    families: &'a Abreast,
    schur: &'a SchurOfMembers,
    reciprocals: &'a LaneColumns,
    smallest_pivot: &'a LaneColumns,
    now: &'a [f64],
}

impl RowEquations<'_> {
    /// Computes the directions and the factors from G; returns the lanes in which they exist.
    #[inline(always)]
    fn settle<S: Simd>(&self, simd: S, point: &mut MemberStates) -> <Exact<S> as Real>::Mask {
        let MemberStates { jacobian, directions, factors, .. } = point;
        let jacobian = of::<S>(jacobian.all());
        self.schur.stand(simd, jacobian, of::<S>(self.reciprocals.all()), of_mut::<S>(directions.all_mut()));
        let smallest = Exact::of(simd, of::<S>(self.smallest_pivot.all())[0]);
        let matrices = (jacobian, of::<S>(directions.all()));
        self.schur.factor(simd, matrices, smallest, of_mut::<S>(factors.all_mut()))
    }

    /// M⁻¹ f.
    #[inline(always)]
    fn accelerate<S: Simd>(&self, simd: S, point: &mut MemberStates) {
        let MemberStates { q, a, .. } = point;
        self.families.potential_gradient(q.all(), self.now, a.all_mut());
        for (a, reciprocal) in of_mut::<S>(a.all_mut()).iter_mut().zip(of::<S>(self.reciprocals.all())) {
            *a = (Exact::of(simd, *a) * -Exact::of(simd, *reciprocal)).values();
        }
    }

    /// v ← v + M⁻¹ Gᵀ μ with G v + ∂g/∂t = 0.
    #[inline(always)]
    fn make_tangent<S: Simd>(&self, simd: S, point: &mut MemberStates, memory: &mut StepScratch) {
        let Self { families, schur, now, .. } = *self;
        let MemberStates { q, v, jacobian, directions, factors, .. } = point;
        let StepScratch { residuals, x, .. } = memory;
        families.constraint_rate(q.all(), now, residuals.all_mut());
        schur.add_product(simd, of::<S>(jacobian.all()), of::<S>(v.all()), of_mut::<S>(residuals.all_mut()));
        schur.solve(simd, of::<S>(factors.all()), of::<S>(residuals.all()), of_mut::<S>(x.all_mut()));
        schur.add_motion(simd, of::<S>(directions.all()), of::<S>(x.all()), of_mut::<S>(v.all_mut()));
    }

    /// G M⁻¹ Gᵀ λ = −(G a + d²g/dt² at zero acceleration).
    #[inline(always)]
    fn multipliers<S: Simd>(&self, simd: S, point: &mut MemberStates, memory: &mut StepScratch) {
        let Self { families, schur, now, .. } = *self;
        let MemberStates { q, v, a, multipliers, jacobian, factors, .. } = point;
        let residuals = &mut memory.residuals;
        families.constraint_curvature(q.all(), v.all(), now, residuals.all_mut());
        schur.add_product(simd, of::<S>(jacobian.all()), of::<S>(a.all()), of_mut::<S>(residuals.all_mut()));
        let (factors, residuals) = (of::<S>(factors.all()), of::<S>(residuals.all()));
        schur.solve(simd, factors, residuals, of_mut::<S>(multipliers.all_mut()));
    }
}

/// A step of these lanes; returns the lanes that completed it.
struct RattleStep<'a> {
    flow: &'a mut RattleOfMembers,
    lanes: LaneBits,
    /// h.
    sizes: &'a [f64],
}

impl WithSimd for RattleStep<'_> {
    type Output = LaneBits;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> LaneBits {
        let Self { flow, lanes, sizes } = self;
        let RattleOfMembers { families, schur, reciprocals, smallest_pivot, now, foot, next, memory, .. } =
            flow;
        let Some(schur) = &*schur else { return 0 };
        let parts = RowEquations { families, schur, reciprocals, smallest_pivot, now: now.all() };
        let h = Exact::of(simd, of::<S>(sizes)[0]);
        let half = h.number(0.5) * h;
        measure(simd, schur, (h, &flow.coordinates, &flow.least), foot, memory);

        // Half a kick, and the drift.
        let known = of::<S>(foot.q.all()).iter().zip(of::<S>(foot.v.all())).zip(of::<S>(foot.a.all()));
        let new = of_mut::<S>(next.q.all_mut()).iter_mut().zip(of_mut::<S>(next.v.all_mut()));
        for ((new_q, new_v), ((q, v), a)) in new.zip(known) {
            let u = Exact::of(simd, *v) + half * Exact::of(simd, *a);
            (*new_v, *new_q) = (u.values(), (Exact::of(simd, *q) + h * u).values());
        }

        // The position stage: λ⁺, starting from the multipliers of the state.
        let begun = lanes_of(simd, lanes & flow.settled);
        let reached = PositionIteration { parts, options: flow.options, factor: half * h }
            .run(simd, begun, foot, next, memory);
        let reciprocal = h.number(1.0) / h;
        let multipliers = of_mut::<S>(next.multipliers.all_mut());
        for (multiplier, impulse) in multipliers.iter_mut().zip(of::<S>(memory.impulse.all())) {
            *multiplier = (reciprocal * Exact::of(simd, *impulse)).values();
        }
        schur.add_motion(
            simd,
            of::<S>(foot.directions.all()),
            of::<S>(next.multipliers.all()),
            of_mut::<S>(next.v.all_mut()),
        );

        // The second half of the kick, and the velocity stage.
        let settled = parts.settle(simd, next);
        parts.accelerate(simd, next);
        for (v, a) in of_mut::<S>(next.v.all_mut()).iter_mut().zip(of::<S>(next.a.all())) {
            *v = (Exact::of(simd, *v) + half * Exact::of(simd, *a)).values();
        }
        parts.make_tangent(simd, next, memory);
        let good = Exact::<S>::both(settled, finite(simd, of::<S>(next.v.all())));
        let done = Exact::<S>::both(reached, good);
        parts.multipliers(simd, next, memory);

        // The other lanes recompute their derived quantities after they have stepped alone.
        let mask = done.bits();
        std::mem::swap(foot, next);
        if mask.count_ones() as usize != S::F64_LANES {
            let others = Exact::<S>::not(done);
            take(simd, others, of::<S>(next.q.all()), of_mut::<S>(foot.q.all_mut()));
            take(simd, others, of::<S>(next.v.all()), of_mut::<S>(foot.v.all_mut()));
        }
        mask
    }
}

/// The natural sizes of the constraints in a step from the foot, from |q| + h |v|.
#[inline(always)]
fn measure<S: Simd>(
    simd: S,
    schur: &SchurOfMembers,
    (h, coordinates, least): (Exact<S>, &[(usize, usize)], &LaneColumns),
    foot: &MemberStates,
    memory: &mut StepScratch,
) {
    let (q, v) = (of::<S>(foot.q.all()), of::<S>(foot.v.all()));
    let sizes = of_mut::<S>(memory.sizes.all_mut());
    let mut begin = 0;
    for &(components, end) in coordinates {
        for first in (begin..end).step_by(components) {
            let own = first..first + components;
            let mut largest = h.number(0.0);
            for k in own.clone() {
                let size = Exact::of(simd, q[k]).abs() + (h * Exact::of(simd, v[k])).abs();
                largest = larger(size, largest);
                sizes[k] = size.values();
            }
            let least = h.number(LEAST) * largest;
            for size in &mut sizes[own] {
                *size = larger(Exact::of(simd, *size), least).values();
            }
        }
        begin = end;
    }
    let (jacobian, sizes) = (of::<S>(foot.jacobian.all()), of::<S>(memory.sizes.all()));
    let reciprocals = of_mut::<S>(memory.reciprocal_sizes.all_mut());
    schur.reciprocal_sizes(simd, jacobian, sizes, reciprocals);
    for (reciprocal, least) in reciprocals.iter_mut().zip(of::<S>(least.all())) {
        let (own, least) = (Exact::of(simd, *reciprocal), Exact::of(simd, *least));
        *reciprocal = Exact::select(least.lt(own), least, own).values();
    }
}

#[inline(always)]
fn larger<S: Simd>(a: Exact<S>, b: Exact<S>) -> Exact<S> {
    Exact::select(b.lt(a), a, b)
}

/// Newton's method for the positions with the factors of the feet.
struct PositionIteration<'a, S: Simd> {
    parts: RowEquations<'a>,
    options: Rattle,
    /// The first guess is this factor times the multipliers.
    factor: Exact<S>,
}

impl<S: Simd> PositionIteration<'_, S> {
    /// Moves the positions of these lanes onto the constraints; returns the lanes in which the factors
    /// of the foot suffice, as they would alone.
    #[inline(always)]
    fn run(
        &self,
        simd: S,
        mut active: <Exact<S> as Real>::Mask,
        foot: &MemberStates,
        next: &mut MemberStates,
        memory: &mut StepScratch,
    ) -> <Exact<S> as Real>::Mask {
        let RowEquations { families, schur, now, .. } = self.parts;
        let StepScratch { values, looked, reciprocal_sizes, x, impulse, new_impulse, moved, .. } = memory;
        let (q, trial) = (&mut next.q, &mut next.jacobian);
        let (directions, factors) = (of::<S>(foot.directions.all()), of::<S>(foot.factors.all()));
        let impulses = of_mut::<S>(impulse.all_mut());
        for (impulse, multiplier) in impulses.iter_mut().zip(of::<S>(foot.multipliers.all())) {
            *impulse = (self.factor * Exact::of(simd, *multiplier)).values();
        }
        schur.add_motion(simd, directions, of::<S>(impulse.all()), of_mut::<S>(q.all_mut()));
        let both = Exact::<S>::both;
        let (tolerance, unknown) =
            (self.factor.number(self.options.tolerance), self.factor.number(f64::INFINITY));
        let floor = self.factor.number(FLOOR.max(self.options.tolerance));
        let none = unknown.lt(unknown);
        let (mut previous, mut expected) = (unknown, unknown);
        // The lanes that have converged; the lanes of these with G evaluated at the end.
        let (mut arrived, mut looked_at) = (none, none);
        for iteration in 0..=self.options.iterations {
            // The end of the iteration needs G: evaluate both where this may be the end.
            let last = both(active, expected.le(tolerance));
            let (ending, going) = (last.bits(), active.bits());
            if ending != going {
                families.constraint_values(q.all(), now, values.all_mut());
            }
            if ending != 0 {
                families.jacobian(q.all(), now, looked.all_mut(), trial.all_mut());
                take(simd, last, of::<S>(looked.all()), of_mut::<S>(values.all_mut()));
            }
            let (mut residual, mut sum) = (self.factor.number(0.0), self.factor.number(0.0));
            for (value, reciprocal) in of::<S>(values.all()).iter().zip(of::<S>(reciprocal_sizes.all())) {
                let size = (Exact::of(simd, *value) * Exact::of(simd, *reciprocal)).abs();
                residual = Exact::select(residual.lt(size), size, residual);
                sum = sum + size;
            }
            // Judged as in `Progress`.
            let stopped = (previous * 0.5).le(residual);
            let accepted = Exact::<S>::either(residual.le(tolerance), both(stopped, residual.le(floor)));
            active = both(active, sum.le(self.factor.number(LARGEST)));
            let accepted = both(active, accepted);
            arrived = Exact::<S>::either(arrived, accepted);
            looked_at = Exact::<S>::either(looked_at, both(accepted, last));
            // An iteration that gains less needs another matrix.
            let fast = residual.le(previous * SLOW);
            active = both(both(active, fast), Exact::<S>::not(accepted));
            let on = active.bits();
            if on == 0 || iteration == self.options.iterations {
                break;
            }
            if iteration > 0 {
                expected = residual * (residual / previous);
            }
            previous = residual;
            schur.solve(simd, factors, of::<S>(values.all()), of_mut::<S>(x.all_mut()));
            moved.all_mut().copy_from_slice(q.all());
            schur.add_motion(simd, directions, of::<S>(x.all()), of_mut::<S>(moved.all_mut()));
            take(simd, active, of::<S>(moved.all()), of_mut::<S>(q.all_mut()));
            let sums = of_mut::<S>(new_impulse.all_mut()).iter_mut().zip(of::<S>(impulse.all()));
            for ((sum, impulse), x) in sums.zip(of::<S>(x.all())) {
                *sum = (Exact::of(simd, *impulse) + Exact::of(simd, *x)).values();
            }
            take(simd, active, of::<S>(new_impulse.all()), of_mut::<S>(impulse.all_mut()));
        }
        if arrived.bits() != looked_at.bits() {
            families.jacobian(q.all(), now, looked.all_mut(), trial.all_mut());
        }
        both(arrived, schur.face_forward(simd, of::<S>(foot.jacobian.all()), of::<S>(trial.all())))
    }
}
