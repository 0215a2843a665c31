//! The way along a straight line to the edge of a terrace.

use super::super::force_error::ForceError;
use super::piece::{Piece, Slope, Verdict};
use crate::carried::carried;
use crate::method::newton::Unknown;
use crate::method::report::Evaluations;
use crate::system::{Natural, State};

/// V(q + τ v) is followed by polynomials that it may leave by this part of the height.
const TRUST: f64 = 1.0 / 16.0;
/// The length, as a part of half the height, by which a parabola is followed beyond the edge, so that an edge is passed and not approached.
const BEYOND: f64 = 1.0 / 64.0;
/// The most halvings of the length of a piece that does not say which edges it meets; then it is as short as rounding.
const HALVINGS: u32 = 60;
/// Newton's method inside a bracket; where it stalls the bracket is halved, which ends at the neighbouring number.
const ITERATIONS: u32 = 100;
/// A zero is near where Newton's method moves by this part of the bracket.
const NEAR: f64 = 1e-7;
/// A rate of V below this part of the sum of its terms, in absolute values, is that of a line along the edge.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// The states that differ from the first by rounding alone, which tell how far rounding errors of V reach.
const PROBES: u64 = 8;
/// And the multiple of the largest that is allowed for elsewhere.
const SLACK: f64 = 4.0;

/// An edge that is met, above (`side` = 1) or below (`side` = −1), after the time `after`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    pub(super) after: f64,
    pub(super) side: f64,
}

/// The flight over one terrace: a straight line from where it began, the anchor, followed as far as it is asked for.
///
/// Whatever is asked for in between, the line is looked at in the same places, so that the edge is the same.
#[derive(Debug)]
pub(super) struct Flight<'s, S: ?Sized> {
    system: &'s S,
    height: f64,
    /// |φ| where the terrace is left: half the height, and the [slack](slack_of).
    reach: f64,
    /// No piece is longer: what V does within it cannot be told from its ends.
    longest: f64,
    /// The state in which the flight began, at any time.
    anchor: State,
    /// The value of V_ε.
    level: f64,
    /// The side of the terrace at whose end the anchor stands.
    on: Option<f64>,
    /// The time since the anchor up to which there is no edge, and V there.
    passed: f64,
    here: Option<Slope>,
    /// Twice the last piece, where that had to be shortened.
    bound: f64,
    edge: Option<Edge>,
    /// q + τ v.
    q: Vec<f64>,
    gradient: Vec<f64>,
    product: Vec<f64>,
}

impl<'s, S: Natural + ?Sized> Flight<'s, S> {
    /// A flight that [departs](Self::depart) from `anchor`, and looks at V after a time of `longest` at most.
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

    pub(super) fn system(&self) -> &'s S {
        self.system
    }

    pub(super) fn height(&self) -> f64 {
        self.height
    }

    /// The velocity of the flight, to be changed before the next one [departs](Self::depart), and ∇V at the edge that was found last.
    pub(super) fn at_edge(&mut self) -> (&mut [f64], &[f64]) {
        (&mut self.anchor.v, &self.gradient)
    }

    /// The velocity of the flight.
    pub(super) fn velocity(&self) -> &[f64] {
        &self.anchor.v
    }

    /// Writes the place after the time `after` over `q`.
    pub(super) fn place(&self, after: f64, q: &mut [f64]) {
        for (x, (q, v)) in q.iter_mut().zip(self.anchor.q.iter().zip(&self.anchor.v)) {
            *x = q + after * v;
        }
    }

    /// Moves the anchor to where it is after the time `after`.
    pub(super) fn arrive(&mut self, after: f64) {
        for (q, v) in self.anchor.q.iter_mut().zip(&self.anchor.v) {
            *q += after * v;
        }
    }

    /// Begins the flight from the anchor over the terrace at `level`, from where it is left at the side `on` if it was reflected there.
    pub(super) fn depart(&mut self, level: f64, on: Option<f64>) {
        (self.level, self.on) = (level, on);
        (self.passed, self.here, self.bound, self.edge) = (0.0, None, f64::INFINITY, None);
    }

    /// The next edge, if it is met before the time `until`.
    pub(super) fn next_edge(
        &mut self,
        until: f64,
        counts: &mut Evaluations,
    ) -> Result<Option<Edge>, ForceError> {
        while self.edge.is_none() && self.passed < until {
            self.look(counts)?;
        }
        Ok(self.edge.filter(|edge| edge.after < until))
    }

    /// Follows V along one piece more.
    fn look(&mut self, counts: &mut Evaluations) -> Result<(), ForceError> {
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
            // What is not a number is not trusted either.
            if last || (value - here.after(length)).abs() <= TRUST * self.height {
                let there = self.slope(value, counts)?;
                let piece = Piece::between(here, there, length);
                let verdict = match piece.verdict(reach, on) {
                    Verdict::Unclear if last && value.abs() >= reach => {
                        Verdict::Leaves { side: value.signum() }
                    }
                    Verdict::Unclear if last => Verdict::Free,
                    verdict => verdict,
                };
                if let Verdict::Leaves { side } = verdict {
                    let guess = self.passed + length * piece.place(side, reach);
                    let bracket = (self.passed, self.passed + length);
                    let after = self.refine(side, guess, bracket, counts)?;
                    self.edge = Some(Edge { after, side });
                    return Ok(());
                }
                if last || (verdict == Verdict::Free && piece.margin() <= TRUST * self.height) {
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

    /// True if a rate of V at the place that was looked at last is zero but for rounding.
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
    ) -> Result<f64, ForceError> {
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
            // Near the zero the steps of Newton's method fall fast until they are those of rounding; halvings do not tell.
            let settled = inside && change <= near && change >= 0.5 * last;
            if excess == 0.0 || change <= f64::EPSILON * at || next <= low || next >= high || settled {
                break;
            }
            (at, last) = (next, if inside { change } else { f64::INFINITY });
        }
        Ok(at)
    }

    /// φ and its derivatives at the place that was looked at last, where its value is known.
    fn slope(&mut self, value: f64, counts: &mut Evaluations) -> Result<Slope, ForceError> {
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

/// The distance beyond an edge at which it is met: what rounding may make of V.
///
/// Where V rests, as that of a body which moves undeformed, rounding would carry it over an edge there again and again, each time along a
/// gradient that is rounding too. Above the edge on the way up and below it on the way down, an edge is met once.
pub(super) fn slack_of<S: Natural + ?Sized>(system: &S, height: f64, State { t, q, .. }: &State) -> f64 {
    let here = system.potential(q, *t);
    let mut near = q.clone();
    let mut largest = f64::EPSILON * (here.abs() + height);
    for number in 0..PROBES {
        Unknown { name: "", base: &[], weight: 1.0 }.aside(f64::EPSILON, number, q, &mut near);
        let change = (system.potential(&near, *t) - here).abs();
        // Singular next to the start.
        largest = if change.is_finite() { largest.max(change) } else { largest };
    }
    SLACK * largest
}

carried!([] Edge { after, side } besides {});
carried!([S: ?Sized] Flight<'_, S> {
    anchor, level, on, passed, here, bound, edge, q, gradient, product
} besides { system, height, reach, longest });
