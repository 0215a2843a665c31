use crate::carried::carried;

/// Integrates a rate that is known at moments only: the cubic through the last four, over the last span.
///
/// At the beginning, and after a [break](Integral::break_at), it integrates the polynomial through the
/// two, three or four moments since then again over all their spans, so that the error is of order 4
/// from the second span on.
#[derive(Debug, Default)]
pub struct Integral {
    /// The last moments since the beginning or the last break: times and rates.
    nodes: [(f64, f64); 4],
    count: usize,
    /// The integral until the first of them, unless a moment since then was dropped.
    before: Option<f64>,
    /// The integral until the last of them.
    total: f64,
}

impl Integral {
    /// The integral until the last moment.
    pub fn value(&self) -> f64 {
        self.total
    }

    /// Begins anew at a moment where the rate may jump or bend, with its value after it.
    pub fn break_at(&mut self, time: f64, rate: f64) {
        (self.nodes[0], self.count, self.before) = ((time, rate), 1, Some(self.total));
    }

    /// Begins anew at the last moment.
    pub(super) fn break_here(&mut self) {
        if let Some((time, rate)) = self.nodes[..self.count].last().copied() {
            self.break_at(time, rate);
        }
    }

    /// Appends a moment.
    pub fn extend(&mut self, time: f64, rate: f64) {
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

/// Integrates the polynomial of degree at most 3 through the nodes with Gauss's two-point rule: exact.
fn integrated(nodes: &[(f64, f64)], begin: f64, end: f64) -> f64 {
    let (middle, half) = (0.5 * (begin + end), 0.5 * (end - begin));
    let away = half / 3.0_f64.sqrt();
    half * (interpolated(nodes, middle - away) + interpolated(nodes, middle + away))
}

/// The polynomial through the nodes, in Lagrange's form.
fn interpolated(nodes: &[(f64, f64)], at: f64) -> f64 {
    let others = |place: usize| nodes.iter().enumerate().filter(move |(other, _)| *other != place);
    let term = |(place, (time, rate)): (usize, &(f64, f64))| {
        rate * others(place).map(|(_, (other, _))| (at - other) / (time - other)).product::<f64>()
    };
    nodes.iter().enumerate().map(term).sum()
}

carried!([] Integral { nodes, count, before, total } besides {});
