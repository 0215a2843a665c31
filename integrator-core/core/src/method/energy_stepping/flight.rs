//! The straight flight to the edge of a terrace.

use super::super::force_error::{Attempt, ForceError};
use super::piece::{EdgeVerdict, QuinticPiece, Slope};
use crate::carried::carried;
use crate::method::newton::Unknown;
use crate::method::report::Evaluations;
use crate::system::{Natural, State};

/// The largest distance of V(q + τ v) from the polynomial that follows it, as a part of the height.
const TRUST: f64 = 1.0 / 16.0;
/// The length, as a part of half the height, by which a parabola is followed beyond the edge, so that
/// pieces pass edges.
const BEYOND: f64 = 1.0 / 64.0;
/// The most halvings of an unclear piece; then it is as short as rounding.
const HALVINGS: u32 = 60;
/// The most iterations of Newton's method inside a bracket; where it stalls, halving ends at the
/// neighbouring number.
const ITERATIONS: u32 = 100;
/// A zero is near if Newton's method moves by this part of the bracket.
const NEAR: f64 = 1e-7;
/// A rate of V below this part of the sum of its absolute terms belongs to a line along the edge.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// The number of states that differ from the first by rounding and sample the rounding of V.
const PROBES: u64 = 8;
/// The allowed multiple of the largest sample.
const SLACK: f64 = 4.0;

/// The next edge, above (`side` = 1) or below (`side` = −1), met after the time `after`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    pub(super) after: f64,
    pub(super) side: f64,
}

/// The flight over one terrace: a straight line from the anchor, followed only as far as needed.
///
/// The places where it evaluates V do not depend on the output, nor does the edge.
#[derive(Debug)]
pub(super) struct Flight<'s, S: ?Sized> {
    pub(super) system: &'s S,
    pub(super) height: f64,
    /// |φ| at the edge: half the height plus the [slack](slack_of).
    reach: f64,
    /// The longest piece: its ends do not tell V between them.
    longest: f64,
    /// The state in which the flight began; its time is arbitrary.
    anchor: State,
    /// The value of V_ε.
    level: f64,
    /// The side of the terrace on whose end the anchor lies.
    on: Option<f64>,
    /// The time since the anchor that is free of edges, and V at its end.
    passed: f64,
    here: Option<Slope>,
    /// Twice the last piece, if it was shortened.
    bound: f64,
    edge: Option<Edge>,
    /// q + τ v.
    q: Vec<f64>,
    gradient: Vec<f64>,
    product: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> Flight<'s, S> {
    /// A flight that [departs](Self::depart) from `anchor`, with pieces of length `longest` at most.
    pub(super) fn new(system: &'s S, height: f64, slack: f64, anchor: State, longest: f64) -> Self {
        let zeros = || vec![0.0; system.dimension()];
        Self {
            system,
            height,
            reach: 0.5 * height + slack,
            longest,
            anchor,
            level: f64::NAN,
            on: None,
            passed: 0.0,
            here: None,
            bound: f64::INFINITY,
            edge: None,
            q: zeros(),
            gradient: zeros(),
            product: zeros(),
        }
    }

    /// The velocity of the flight, to be changed before the next [departure](Self::depart), and ∇V at
    /// the last edge.
    pub(super) fn at_edge(&mut self) -> (&mut [f64], &[f64]) {
        (&mut self.anchor.v, &self.gradient)
    }

    pub(super) fn velocity(&self) -> &[f64] {
        &self.anchor.v
    }

    /// Writes the position after the time `after` over `q`.
    pub(super) fn place(&self, after: f64, q: &mut [f64]) {
        for (x, (q, v)) in q.iter_mut().zip(self.anchor.q.iter().zip(&self.anchor.v)) {
            *x = q + after * v;
        }
    }

    /// Moves the anchor to the position after the time `after`.
    pub(super) fn arrive(&mut self, after: f64) {
        for (q, v) in self.anchor.q.iter_mut().zip(&self.anchor.v) {
            *q += after * v;
        }
    }

    /// Begins the flight from the anchor over the terrace at `level`; `on` is the side where it was
    /// reflected, if it was.
    pub(super) fn depart(&mut self, level: f64, on: Option<f64>) {
        (self.level, self.on) = (level, on);
        (self.passed, self.here, self.bound, self.edge) = (0.0, None, f64::INFINITY, None);
    }

    /// The next edge, if the flight meets it before the time `until`.
    pub(super) fn next_edge(&mut self, until: f64, counts: &mut Evaluations) -> Attempt<Option<Edge>> {
        while self.edge.is_none() && self.passed < until {
            self.look(counts)?;
        }
        Ok(self.edge.filter(|edge| edge.after < until))
    }

    /// Follows V along one more piece.
    fn look(&mut self, counts: &mut Evaluations) -> Attempt {
        let reach = self.reach;
        let mut here = if let Some(here) = self.here {
            here
        } else {
            let value = self.value(self.passed);
            self.slope(value, counts)?
        };
        let on = if self.passed == 0.0 { self.on } else { None };
        if let Some(side) = on {
            here.value = side * reach;
            if self.is_along(here.rate) {
                here.rate = 0.0;
            }
            if side * here.rate > 0.0 || (here.rate == 0.0 && side * here.curvature > 0.0) {
                self.edge = Some(Edge { after: 0.0, side });
                return Ok(());
            }
        }
        let mut length = here.reaches(reach * (1.0 + BEYOND)).min(self.bound).min(self.longest);
        let mut halvings = 0;
        let there = loop {
            let value = self.value(self.passed + length);
            let last = halvings == HALVINGS;
            // NaN fails this comparison.
            if last || (value - here.after(length)).abs() <= TRUST * self.height {
                let there = self.slope(value, counts)?;
                let piece = QuinticPiece::between(here, there, length);
                let verdict = match piece.verdict(reach, on) {
                    EdgeVerdict::Unclear if last && value.abs() >= reach => {
                        EdgeVerdict::Leaves { side: value.signum() }
                    }
                    EdgeVerdict::Unclear if last => EdgeVerdict::Free,
                    verdict => verdict,
                };
                if let EdgeVerdict::Leaves { side } = verdict {
                    let guess = self.passed + length * piece.place(side, reach);
                    let bracket = (self.passed, self.passed + length);
                    let after = self.refine(side, guess, bracket, counts)?;
                    self.edge = Some(Edge { after, side });
                    return Ok(());
                }
                if last || (verdict == EdgeVerdict::Free && piece.margin <= TRUST * self.height) {
                    break there;
                }
            }
            halvings += 1;
            length *= 0.5;
        };
        self.passed += length;
        self.here = Some(there);
        self.bound = if halvings > 0 { 2.0 * length } else { f64::INFINITY };
        Ok(())
    }

    /// True if a rate of V at the last place is zero up to rounding.
    fn is_along(&self, rate: f64) -> bool {
        let terms = self.gradient.iter().zip(&self.anchor.v);
        rate.abs() <= ROUNDING * terms.map(|(g, v)| (g * v).abs()).sum::<f64>()
    }

    /// The zero of side φ − reach in the bracket, at whose end it is positive; leaves ∇V there.
    fn refine(
        &mut self,
        side: f64,
        guess: f64,
        (mut low, mut high): (f64, f64),
        counts: &mut Evaluations,
    ) -> Attempt<f64> {
        let near = NEAR * (high - low);
        let (mut at, mut last) = (guess, f64::INFINITY);
        for _ in 0..ITERATIONS {
            let excess = side * self.value(at) - self.reach;
            self.system.potential_gradient(&self.q, self.anchor.t, &mut self.gradient);
            counts.gradients += 1;
            let rate = side * self.along(&self.gradient);
            if !(excess.is_finite() && rate.is_finite()) {
                return Err(ForceError::PotentialNotFinite);
            }
            if excess > 0.0 {
                high = at;
            } else {
                low = at;
            }
            let newton = at - excess / rate;
            let inside = newton > low && newton < high;
            let next = if inside { newton } else { low + 0.5 * (high - low) };
            let change = (next - at).abs();
            // Near the zero Newton steps shrink fast down to rounding; halvings tell nothing.
            let settled = inside && change <= near && change >= 0.5 * last;
            if excess == 0.0 || change <= f64::EPSILON * at || next <= low || next >= high || settled {
                break;
            }
            (at, last) = (next, if inside { change } else { f64::INFINITY });
        }
        Ok(at)
    }

    /// φ and its derivatives at the last place, with its known value.
    fn slope(&mut self, value: f64, counts: &mut Evaluations) -> Attempt<Slope> {
        let (q, t) = (&self.q, self.anchor.t);
        self.system.potential_gradient(q, t, &mut self.gradient);
        self.system.potential_product(q, t, &self.anchor.v, &mut self.product);
        counts.gradients += 1;
        counts.hessians += 1;
        let slope = Slope { value, rate: self.along(&self.gradient), curvature: self.along(&self.product) };
        let finite = slope.value.is_finite() && slope.rate.is_finite() && slope.curvature.is_finite();
        if finite { Ok(slope) } else { Err(ForceError::PotentialNotFinite) }
    }

    /// φ after the time `after`.
    fn value(&mut self, after: f64) -> f64 {
        for (x, (q, v)) in self.q.iter_mut().zip(self.anchor.q.iter().zip(&self.anchor.v)) {
            *x = q + after * v;
        }
        self.system.potential(&self.q, self.anchor.t) - self.level
    }

    fn along(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.anchor.v).map(|(x, v)| x * v).sum()
    }
}

/// The distance beyond an edge at which it is met: the rounding of V.
///
/// At constant V, as for a body that moves undeformed, rounding would carry it over an edge again and
/// again, each time along a gradient of rounding. With the slack an edge is met once, above it on the
/// way up and below it on the way down.
pub(super) fn slack_of<S: Natural + ?Sized>(system: &S, height: f64, State { t, q, .. }: &State) -> f64 {
    let here = system.potential(q, *t);
    let mut near = q.clone();
    let mut largest = f64::EPSILON * (here.abs() + height);
    for number in 0..PROBES {
        Unknown { name: "", base: &[], weight: 1.0 }.aside(f64::EPSILON, number, q, &mut near);
        let change = (system.potential(&near, *t) - here).abs();
        // V may be singular next to the start.
        largest = if change.is_finite() { largest.max(change) } else { largest };
    }
    SLACK * largest
}

carried!([] Edge { after, side } besides {});
carried!([S: ?Sized] Flight<'_, S> {
    anchor, level, on, passed, here, bound, edge, q, gradient, product
} besides { system, height, reach, longest });
