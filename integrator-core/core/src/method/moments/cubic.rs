//! The cubic through the values and the rates of both ends of a step, and its zeros.

/// e(θ) on 0 ≤ θ ≤ 1, with the ends (e₀, ė₀ h) and (e₁, ė₁ h).
#[derive(Debug, Clone, Copy)]
pub(super) struct Cubic {
    pub(super) values: [f64; 2],
    pub(super) slopes: [f64; 2],
    /// Values so near to zero have not passed it.
    pub(super) slack: f64,
}

/// A part of the step in which the cubic passes zero, the zero, and true if it rises there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bracket {
    pub(super) ends: [f64; 2],
    pub(super) zero: f64,
    pub(super) rises: bool,
}

impl Cubic {
    /// True if no zero can be inside: the control points of Bézier have one sign.
    pub(super) fn stays(&self, sign: f64) -> bool {
        let Self { values: [a, b], slopes: [c, d], slack } = *self;
        // Written so that a number that is not one stays nowhere.
        let [first, second, last] = [a + c / 3.0, b - d / 3.0, b].map(|point| point * sign > -slack);
        a * sign >= -slack && first && second && last
    }

    pub(super) fn value(&self, x: f64) -> f64 {
        let Self { values: [a, b], slopes: [c, d], .. } = *self;
        let y = 1.0 - x;
        y * y * ((1.0 + 2.0 * x) * a + x * c) + x * x * ((1.0 + 2.0 * y) * b - y * d)
    }

    pub(super) fn slope(&self, x: f64) -> f64 {
        let Self { values: [a, b], slopes: [c, d], .. } = *self;
        let y = 1.0 - x;
        6.0 * x * y * (b - a) + y * (1.0 - 3.0 * x) * c + x * (3.0 * x - 2.0) * d
    }

    /// The turning points inside, in order.
    fn turns(&self) -> impl Iterator<Item = f64> {
        let Self { values: [a, b], slopes: [c, d], .. } = *self;
        // e′(x) = p x² + 2 q x + c.
        let (p, q) = (3.0 * (c + d) - 6.0 * (b - a), 3.0 * (b - a) - 2.0 * c - d);
        let root = (q * q - p * c).sqrt();
        let sum = -(q + root.copysign(q));
        let mut found = [sum / p, c / sum];
        found.sort_by(f64::total_cmp);
        found.into_iter().filter(|x| *x > 0.0 && *x < 1.0)
    }

    /// The parts in which the cubic passes zero, in order; at the left end it has this sign.
    pub(super) fn brackets(&self, sign: f64) -> impl Iterator<Item = Bracket> {
        let (mut left, mut sign) = (0.0, sign);
        let this = *self;
        self.turns().chain([1.0]).filter_map(move |right| {
            let value = this.value(right);
            // A zero at the end of a step belongs to the step, unless the row only touches it.
            let ends = || value == 0.0 && right >= 1.0 && this.slopes[1] * sign < 0.0;
            let passes = value * sign < -this.slack || this.slack == 0.0 && ends();
            let ends = [left, right];
            left = right;
            passes.then(|| {
                let bracket = Bracket { ends, zero: this.zero(ends, sign), rises: sign < 0.0 };
                sign = -sign;
                bracket
            })
        })
    }

    /// The zero between two places, at the left of which the cubic has this sign.
    fn zero(&self, [mut left, mut right]: [f64; 2], sign: f64) -> f64 {
        let mut x = 0.5 * (left + right);
        for _ in 0..60 {
            let value = self.value(x);
            if value * sign > 0.0 {
                left = x;
            } else {
                right = x;
            }
            let next = x - value / self.slope(x);
            let inside = next > left && next < right;
            let next = if inside { next } else { 0.5 * (left + right) };
            if (next - x).abs() < 1e-15 {
                return next;
            }
            x = next;
        }
        x
    }
}
