use crate::carried::carried;

/// The integral of a rate that is known at moments alone: of the cubic through the last four of them, over the last span.
///
/// At the beginning, and after a [break](Integral::break_at), the polynomial through the two, three or four moments since then is
/// integrated over all spans since then anew, so that the error is of order 4 from the second span on.
#[derive(Debug, Default)]
pub(super) struct Integral {
    /// The last moments since the beginning or the last break: times and rates.
    nodes: [(f64, f64); 4],
    count: usize,
    /// The integral until the first of them, as long as no moment since then has been dropped.
    before: Option<f64>,
    /// The integral until the last.
    total: f64,
}

impl Integral {
    /// The integral until the last moment.
    pub(super) fn value(&self) -> f64 {
        self.total
    }

    /// Goes on from a moment where the rate may jump or have a kink, with its value behind it.
    pub(super) fn break_at(&mut self, time: f64, rate: f64) {
        (self.nodes[0], self.count, self.before) = ((time, rate), 1, Some(self.total));
    }

    /// Goes on anew from the last moment.
    pub(super) fn break_here(&mut self) {
        if let Some((time, rate)) = self.nodes[..self.count].last().copied() {
            self.break_at(time, rate);
        }
    }

    /// Takes the next moment in.
    pub(super) fn extend(&mut self, time: f64, rate: f64) {
        if self.count == 0 {
            return self.break_at(time, rate);
        }
        if self.count == self.nodes.len() {
            self.nodes.rotate_left(1);
            (self.count, self.before) = (self.count - 1, None);
        }
        self.nodes[self.count] = (time, rate);
        self.count += 1;
        let nodes = &self.nodes[..self.count];
        let (begin, until_then) = match self.before {
            Some(before) => (nodes[0].0, before),
            None => (nodes[nodes.len() - 2].0, self.total),
        };
        self.total = until_then + integrated(nodes, begin, time);
    }
}

/// The integral of the polynomial of degree at most 3 through the nodes: by Gauss's rule of two points, which is exact for it.
fn integrated(nodes: &[(f64, f64)], begin: f64, end: f64) -> f64 {
    let (middle, half) = (0.5 * (begin + end), 0.5 * (end - begin));
    let away = half / 3.0_f64.sqrt();
    half * (interpolated(nodes, middle - away) + interpolated(nodes, middle + away))
}

/// The polynomial through the nodes, as Lagrange wrote it.
fn interpolated(nodes: &[(f64, f64)], at: f64) -> f64 {
    let others = |place: usize| nodes.iter().enumerate().filter(move |(other, _)| *other != place);
    let term = |(place, (time, rate)): (usize, &(f64, f64))| {
        rate * others(place).map(|(_, (other, _))| (at - other) / (time - other)).product::<f64>()
    };
    nodes.iter().enumerate().map(term).sum()
}

carried!([] Integral { nodes, count, before, total } besides {});

#[cfg(test)]
mod tests {
    use super::Integral;

    /// The integral of `rate` over [0, 2] at moments that `times` gives.
    fn over(times: impl IntoIterator<Item = f64>, rate: impl Fn(f64) -> f64) -> f64 {
        let mut integral = Integral::default();
        times.into_iter().for_each(|t| integral.extend(t, rate(t)));
        integral.value()
    }

    fn equally(count: u32) -> impl Iterator<Item = f64> {
        (0..=count).map(move |k| 2.0 * f64::from(k) / f64::from(count))
    }

    #[test]
    fn a_cubic_is_integrated_exactly_at_any_moments() {
        let cubic = |t: f64| 1.0 - 3.0 * t + 0.5 * t * t - 2.0 * t.powi(3);
        let exact = 2.0 - 6.0 + 4.0 / 3.0 - 8.0;
        for times in [vec![0.0, 1.0, 2.0], vec![0.0, 0.1, 0.7, 2.0], vec![0.0, 0.3, 0.4, 1.1, 1.15, 1.9, 2.0]]
        {
            assert!((over(times.clone(), cubic) - exact).abs() < 1e-13, "{times:?}");
        }
    }

    #[test]
    fn the_error_is_of_order_four_from_the_second_span_on() {
        let exact = 1.0 - 2.0_f64.cos();
        let error = |count: u32| (over(equally(count), f64::sin) - exact).abs();
        let slope = (error(40) / error(80)).log2();
        assert!((3.8..4.3).contains(&slope), "{slope}");
        // Over short runs: the local error of Simpson's rule is of order 5.
        let short = |h: f64| (over([0.0, h, 2.0 * h], f64::exp) - ((2.0 * h).exp() - 1.0)).abs();
        let slope = (short(0.1) / short(0.05)).log2();
        assert!((4.8..5.2).contains(&slope), "{slope}");
    }

    #[test]
    fn breaks_keep_the_order_where_the_rate_jumps() {
        let error = |count: u32| {
            let mut integral = Integral::default();
            for t in equally(count) {
                if t < 1.0 {
                    integral.extend(t, t.exp());
                } else if t > 1.0 {
                    integral.extend(t, -t.sin());
                } else {
                    integral.extend(t, t.exp());
                    integral.break_at(t, -t.sin());
                }
            }
            let exact = 1.0_f64.exp() - 1.0 + 2.0_f64.cos() - 1.0_f64.cos();
            (integral.value() - exact).abs()
        };
        let slope = (error(40) / error(80)).log2();
        assert!((3.7..4.5).contains(&slope), "{slope}");
    }
}
