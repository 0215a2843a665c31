//! [Verlet](crate::method::verlet) for members side by side.

use super::InLanes;
use super::lockstep::{LaneBits, LaneColumns, Lockstep, finite, lanes_of, registers, registers_mut, take};
use crate::binding::Members;
use crate::binding::members::{Abreast, Member};
use crate::lanes::{Exact, Real};
use crate::method::running::Ready;
use crate::method::verlet::Verlet;
use crate::method::verlet::VerletFlow;
use crate::sparse::reciprocals;
use crate::system::{Natural, State};
use pulp::{Simd, WithSimd};

impl InLanes for Verlet {
    type System<'s> = dyn Natural + 's;
    type Flow<'s> = VerletFlow<'s, dyn Natural + 's>;
    type Lockstep = VerletOfMembers;

    fn system<'s>(member: &Member<'s>) -> Result<&'s Self::System<'s>, &'static str> {
        Ok(member.natural)
    }

    fn start_one<'s>(
        &self,
        system: &'s Self::System<'s>,
        state: State,
        step: f64,
    ) -> Ready<'s, Self::Flow<'s>> {
        Self::start_flow(system, state, step)
    }

    fn lockstep<'s>(
        &self,
        members: &Members<'s>,
        first: usize,
        _started: &[Option<&Self::Flow<'s>>],
    ) -> Result<Self::Lockstep, &'static str> {
        Ok(VerletOfMembers::new(members, first))
    }
}

pub(super) struct VerletOfMembers {
    families: Abreast,
    /// 1/M_ii.
    reciprocals: LaneColumns,
    /// The times and phases.
    now: LaneColumns,
    q: LaneColumns,
    v: LaneColumns,
    /// f₀ and f₁.
    f: LaneColumns,
    times: Vec<f64>,
    next_q: LaneColumns,
    next_v: LaneColumns,
    next_f: LaneColumns,
}

impl VerletOfMembers {
    fn new(members: &Members<'_>, first: usize) -> Self {
        let families = members.abreast(first);
        let (n, lanes) = (families.dimension(), families.lanes());
        let zeros = |entries| LaneColumns::zeros(entries, lanes);
        let mut inverse = zeros(n);
        for lane in 0..lanes {
            // A member without an inverse mass does not start.
            if let Ok(of_member) = reciprocals(&members.in_lane(first, lane).natural.mass().values) {
                inverse.put(lane, &of_member);
            }
        }
        Self {
            families,
            reciprocals: inverse,
            now: zeros(2),
            q: zeros(n),
            v: zeros(n),
            f: zeros(n),
            times: vec![0.0; lanes],
            next_q: zeros(n),
            next_v: zeros(n),
            next_f: zeros(n),
        }
    }
}

impl Lockstep for VerletOfMembers {
    fn advance(&mut self, lanes: LaneBits, sizes: &[f64], ends: &[f64]) -> LaneBits {
        self.families.at(ends, self.now.all_mut());
        let done = self.families.registers.run(VerletStep { flow: self, lanes, sizes });
        for (lane, (time, end)) in self.times.iter_mut().zip(ends).enumerate() {
            if done >> lane & 1 == 1 {
                *time = *end;
            }
        }
        lanes & !done
    }

    fn get(&self, lane: usize, state: &mut State) {
        self.q.get(lane, &mut state.q);
        self.v.get(lane, &mut state.v);
    }

    fn put(&mut self, lane: usize, state: &State) {
        self.times[lane] = state.t;
        self.q.put(lane, &state.q);
        self.v.put(lane, &state.v);
    }

    fn stand(&mut self) {
        let Self { families, now, q, f, times, .. } = self;
        families.at(times, now.all_mut());
        families.potential_gradient(q.all(), now.all(), f.all_mut());
        families.registers.run(Accelerate { reciprocals: self.reciprocals.all(), f: self.f.all_mut() });
    }
}

/// f ← M⁻¹ (−f).
struct Accelerate<'a> {
    reciprocals: &'a [f64],
    f: &'a mut [f64],
}

impl WithSimd for Accelerate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let reciprocals = registers::<S>(self.reciprocals);
        for (f, reciprocal) in registers_mut::<S>(self.f).iter_mut().zip(reciprocals) {
            *f = (-Exact::of(simd, *f) * Exact::of(simd, *reciprocal)).values();
        }
    }
}

/// A step of these lanes; returns the lanes that completed it.
struct VerletStep<'a> {
    flow: &'a mut VerletOfMembers,
    lanes: LaneBits,
    /// h.
    sizes: &'a [f64],
}

impl WithSimd for VerletStep<'_> {
    type Output = LaneBits;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> LaneBits {
        let VerletOfMembers { families, reciprocals, now, q, v, f, next_q, next_v, next_f, .. } = self.flow;
        let h = Exact::of(simd, registers::<S>(self.sizes)[0]);
        // x₁ = x₀ + h v₀ + ½ h² f₀
        let half_square = h.number(0.5) * h * h;
        let known = registers::<S>(q.all()).iter().zip(registers::<S>(v.all())).zip(registers::<S>(f.all()));
        for (next, ((x, v), f)) in registers_mut::<S>(next_q.all_mut()).iter_mut().zip(known) {
            *next =
                (Exact::of(simd, *x) + h * Exact::of(simd, *v) + half_square * Exact::of(simd, *f)).values();
        }
        // Half of the kick, and f₁ = f(x₁)
        let half = h.number(0.5) * h;
        let known = registers::<S>(v.all()).iter().zip(registers::<S>(f.all()));
        for (next, (v, f)) in registers_mut::<S>(next_v.all_mut()).iter_mut().zip(known) {
            *next = (Exact::of(simd, *v) + half * Exact::of(simd, *f)).values();
        }
        families.potential_gradient(next_q.all(), now.all(), next_f.all_mut());
        Accelerate { reciprocals: reciprocals.all(), f: next_f.all_mut() }.with_simd(simd);
        // The other half.
        for (next, f) in registers_mut::<S>(next_v.all_mut()).iter_mut().zip(registers::<S>(next_f.all())) {
            *next = (Exact::of(simd, *next) + half * Exact::of(simd, *f)).values();
        }
        // The step counts where all is finite.
        let good = Exact::<S>::both(
            finite(simd, registers::<S>(next_q.all())),
            finite(simd, registers::<S>(next_v.all())),
        );
        let done = Exact::<S>::both(good, lanes_of(simd, self.lanes));
        let mask = done.bits();
        if mask.count_ones() as usize == S::F64_LANES {
            std::mem::swap(q, next_q);
            std::mem::swap(v, next_v);
            std::mem::swap(f, next_f);
        } else {
            for (new, numbers) in [(next_q, q), (next_v, v), (next_f, f)] {
                take(simd, done, registers::<S>(new.all()), registers_mut::<S>(numbers.all_mut()));
            }
        }
        mask
    }
}
