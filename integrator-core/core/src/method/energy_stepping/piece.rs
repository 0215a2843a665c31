//! A piece of a straight flight; values and derivatives of the potential at both ends determine it.

use crate::carried::carried;

/// V relative to the level of the terrace, along the line: φ(τ) = V(q + τ v) − level, φ′ and φ″.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slope {
    pub(super) value: f64,
    pub(super) rate: f64,
    pub(super) curvature: f64,
}

impl Slope {
    /// The value of the parabola.
    pub(super) fn after(self, time: f64) -> f64 {
        self.value + time * (self.rate + 0.5 * time * self.curvature)
    }

    /// The time at which the parabola, now between −`bound` and `bound`, first reaches one of them.
    pub(super) fn reaches(self, bound: f64) -> f64 {
        let first = |side: f64| {
            // distance = c₀ + c₁ τ + c₂ τ², positive inside
            let (c0, c1, c2) =
                (f64::max(bound - side * self.value, 0.0), -side * self.rate, -0.5 * side * self.curvature);
            let square = c1 * c1 - 4.0 * c2 * c0;
            if square < 0.0 || (c1 >= 0.0 && c2 >= 0.0) {
                f64::INFINITY
            } else if c1 < 0.0 {
                2.0 * c0 / (square.sqrt() - c1)
            } else {
                (c1 + square.sqrt()) / (-2.0 * c2)
            }
        };
        first(1.0).min(first(-1.0))
    }
}

/// The polynomial of degree 5 with the values, rates and curvatures of φ at both ends of a piece, by
/// Bernstein coefficients: it lies between the least and the greatest, and has at most as many zeros as
/// they have sign changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuinticPiece {
    coefficients: [f64; 6],
    /// The distance to the polynomial of degree 3 without the curvatures; bounds the distance to φ,
    /// which is of a higher order.
    pub(super) margin: f64,
}

/// The edges of a terrace that a piece meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EdgeVerdict {
    /// None.
    Free,
    /// The edge above (`side` = 1) or below (`side` = −1), once.
    Leaves { side: f64 },
    /// Unknown: the piece is too long.
    Unclear,
}

impl QuinticPiece {
    pub(super) fn between(here: Slope, there: Slope, length: f64) -> Self {
        let (fifth, twentieth) = (length / 5.0, length * length / 20.0);
        let coefficients = [
            here.value,
            here.value + fifth * here.rate,
            here.value + 2.0 * fifth * here.rate + twentieth * here.curvature,
            there.value - 2.0 * fifth * there.rate + twentieth * there.curvature,
            there.value - fifth * there.rate,
            there.value,
        ];
        let turning = length * (here.rate - there.rate) / 32.0;
        let bending = length * length * (here.curvature + there.curvature) / 64.0;
        Self { coefficients, margin: (turning + bending).abs() }
    }

    /// The edges at −`half` and `half` that the piece meets after its beginning; this may lie on the
    /// edge at the side `on`, moving inwards.
    pub(super) fn verdict(&self, half: f64, on: Option<f64>) -> EdgeVerdict {
        match [1.0, -1.0].map(|side| self.meets(side, half, on == Some(side))) {
            [Some(false), Some(false)] => EdgeVerdict::Free,
            [Some(true), Some(false)] => EdgeVerdict::Leaves { side: 1.0 },
            [Some(false), Some(true)] => EdgeVerdict::Leaves { side: -1.0 },
            _ => EdgeVerdict::Unclear,
        }
    }

    /// True if the piece meets this edge once, false if never, `None` if unsure.
    fn meets(&self, side: f64, half: f64, on: bool) -> Option<bool> {
        let excess = self.coefficients.map(|coefficient| side * coefficient - half);
        // On the edge the polynomial is zero; if it turns there, the next coefficient decides.
        let turns = on && self.coefficients[1].to_bits() == self.coefficients[0].to_bits();
        let inside = &excess[if turns { 2 } else { 1 }..5];
        let clear = |excess: &f64| excess.abs() > self.margin || (*excess < 0.0 && self.margin == 0.0);
        let first_beyond = inside.iter().position(|excess| *excess >= 0.0).unwrap_or(inside.len());
        let once = inside[first_beyond..].iter().all(|excess| *excess >= 0.0);
        let meets = excess[5] >= 0.0;
        let sure = inside.iter().all(clear) && once && (meets || first_beyond == inside.len());
        sure.then_some(meets)
    }

    /// The zero of side φ − `half` in a piece that [leaves](EdgeVerdict::Leaves),
    /// as a part of its length.
    pub(super) fn place(&self, side: f64, half: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if side * self.at(middle) < half {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// The value at a part of the length, by de Casteljau's corner cutting.
    fn at(&self, part: f64) -> f64 {
        let mut corners = self.coefficients;
        for last in (0..5).rev() {
            for k in 0..=last {
                corners[k] += part * (corners[k + 1] - corners[k]);
            }
        }
        corners[0]
    }
}

carried!([] Slope { value, rate, curvature } besides {});
