//! A step of members in the lanes of registers.

use super::numbers::{Point, System, finite, registers};
use super::rows::Rows;
use crate::lanes::{Exact, Registers};
use crate::method::kick_drift_kick::{kicked, moved};
use crate::method::scheme::Scheme;
use crate::system::{InLanes, LaneCode, State};
use pulp::{Simd, WithSimd};

/// Members in lanes, each with its state; the type of the registers is erased.
pub(super) trait Lockstep: Send {
    /// Takes a step; returns a bit for each lane that has taken it. The others stay at their states.
    fn advance(&mut self) -> u8;
    /// Reads the positions and velocities of a lane.
    fn read(&self, lane: usize, state: &mut State);
    /// Writes them.
    fn write(&mut self, lane: usize, state: &State);
    /// Computes everything that follows from the states, after they were written.
    fn stand(&mut self);
}

struct Members<S: Simd> {
    system: System<S>,
    rows: Option<Box<Rows<S>>>,
    sizes: Exact<S>,
    parts: &'static [f64],
    now: Point<S>,
    next: Point<S>,
    /// Where a step of several parts began; after a step of one part, that is `next`.
    begin: Point<S>,
}

/// The members in lanes, at states that are written later; `None` if they do not step alike.
pub(super) struct Join<'j, 'f>(pub(super) Registers, pub(super) &'j [Scheme<'f>], pub(super) &'j [f64]);

impl WithSimd for Join<'_, '_> {
    type Output = Option<Box<dyn Lockstep>>;

    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self(kind, members, sizes) = self;
        let Scheme { system: InLanes { model, code, .. }, parts, rows, .. } = *members.first()?;
        let alike = |other: &Scheme<'_>| {
            let own = (model, parts, rows.is_some());
            (other.system.model, other.parts, other.rows.is_some()) == own
        };
        if !members.iter().all(alike) {
            return None;
        }
        let system = System {
            simd,
            code: *code(kind).downcast::<&'static dyn LaneCode<S>>().ok()?,
            terms: registers(simd, members, |one| one.system.terms)?,
            reciprocals: registers(simd, members, |one| one.reciprocals)?,
        };
        let zeros = || vec![Exact::all(simd, 0.0); system.reciprocals.len()];
        let point = || Point { q: zeros(), v: zeros(), a: zeros() };
        let (now, next, begin) = (point(), point(), point());
        let rows = if rows.is_some() { Some(Box::new(Rows::of(simd, members)?)) } else { None };
        let sizes = Exact::each(simd, |lane| *sizes.get(lane).unwrap_or(&sizes[0]));
        Some(Box::new(Members { system, rows, sizes, parts, now, next, begin }))
    }
}

impl<S: Simd> Members<S> {
    /// A step of velocity Verlet.
    #[inline(always)]
    fn verlet(&mut self, h: Exact<S>) -> u8 {
        let Self { system, now: Point { q, v, a }, next, .. } = self;
        let (half, whole) = (h * 0.5, h * 0.5 * h);
        for (next, ((x, v), f)) in next.q.iter_mut().zip(q.iter().zip(&*v).zip(&*a)) {
            *next = moved([h, whole], [*x, *v, *f]);
        }
        for (next, (v, f)) in next.v.iter_mut().zip(v.iter().zip(&*a)) {
            *next = kicked(half, *v, *f);
        }
        system.accelerate(&next.q, &mut next.a);
        for (next, f) in next.v.iter_mut().zip(&next.a) {
            *next = kicked(half, *next, *f);
        }
        finite(&next.q) & finite(&next.v)
    }

    #[inline(always)]
    fn step(&mut self) -> u8 {
        if let [_, _, ..] = self.parts {
            self.begin.q.copy_from_slice(&self.now.q);
            self.begin.v.copy_from_slice(&self.now.v);
        }
        let mut done = u8::MAX;
        for part in self.parts {
            let h = self.sizes * *part;
            done &= match self.rows.take() {
                None => self.verlet(h),
                Some(mut rows) => {
                    let reached = rows.step(&self.system, h, &self.now, &mut self.next);
                    self.rows = Some(rows);
                    reached
                }
            };
            std::mem::swap(&mut self.now, &mut self.next);
        }
        done
    }
}

impl<S: Simd> Lockstep for Members<S> {
    fn advance(&mut self) -> u8 {
        struct Advance<'m, S: Simd>(&'m mut Members<S>);
        impl<S: Simd> WithSimd for Advance<'_, S> {
            type Output = u8;

            #[inline(always)]
            fn with_simd<A: Simd>(self, _: A) -> u8 {
                self.0.step()
            }
        }
        let done = self.system.simd.vectorize(Advance(self));
        let begin = if self.parts.len() > 1 { &self.begin } else { &self.next };
        for lane in (0..S::F64_LANES).filter(|lane| done >> lane & 1 == 0) {
            let states = [(&mut self.now.q, &begin.q), (&mut self.now.v, &begin.v)];
            for (now, begin) in states {
                now.iter_mut().zip(begin).for_each(|(now, begin)| now.put(lane, begin.lane(lane)));
            }
        }
        done
    }

    fn read(&self, lane: usize, State { q, v, .. }: &mut State) {
        q.iter_mut().zip(&self.now.q).for_each(|(q, own)| *q = own.lane(lane));
        v.iter_mut().zip(&self.now.v).for_each(|(v, own)| *v = own.lane(lane));
    }

    fn write(&mut self, lane: usize, State { q, v, .. }: &State) {
        self.now.q.iter_mut().zip(q).for_each(|(own, q)| own.put(lane, *q));
        self.now.v.iter_mut().zip(v).for_each(|(own, v)| own.put(lane, *v));
    }

    fn stand(&mut self) {
        struct Stand<'m, S: Simd>(&'m mut Members<S>);
        impl<S: Simd> WithSimd for Stand<'_, S> {
            type Output = ();

            #[inline(always)]
            fn with_simd<A: Simd>(self, _: A) {
                let Members { system, rows, now, .. } = self.0;
                system.accelerate(&now.q, &mut now.a);
                if let Some(rows) = rows {
                    rows.stand(system, now);
                }
            }
        }
        self.system.simd.vectorize(Stand(self));
    }
}
