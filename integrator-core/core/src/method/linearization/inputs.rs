//! Derivatives by the values of signals: each step has two numbers of an input, linear in the values.

use super::variation::Variation;
use crate::system::{Parametric, Signal};

/// The inputs of forces, with the places of their numbers in x = (q, θ, m₁/h).
pub(super) struct Inputs {
    inputs: Vec<Input>,
    /// The number of values of all signals.
    values: usize,
}

struct Input {
    signal: Signal,
    places: [usize; 2],
    /// Its first value among the values of all signals.
    first: usize,
}

impl Inputs {
    /// The inputs of a program of n degrees of freedom and so many parameters.
    pub(super) fn new(parametric: Option<&dyn Parametric>, [n, parameters]: [usize; 2]) -> Self {
        let mut own = Self { inputs: Vec::new(), values: 0 };
        let Some(parametric) = parametric else { return own };
        let (count, inputs) = (parametric.count(), parametric.inputs());
        if parameters != count + inputs.len() {
            return own;
        }
        for (number, (place, signal)) in inputs.iter().enumerate() {
            let (signal, places) = (signal.clone(), [n + place, n + count + number]);
            let first = own.values;
            own.values += signal.values().len();
            own.inputs.push(Input { signal, places, first });
        }
        own
    }

    /// The number of values of all signals.
    pub(super) fn values(&self) -> usize {
        self.values
    }

    /// Writes the numbers of a step from the tangents of values.
    pub(super) fn read(&self, step: [f64; 2], tangents: &mut Variation) {
        let lanes = tangents.lanes();
        for input in &self.inputs {
            for place in input.places {
                tangents.x_mut()[place * lanes..][..lanes].fill(0.0);
            }
            input.visit(step, |value, slopes| {
                for (place, slope) in input.places.into_iter().zip(slopes) {
                    for k in 0..lanes {
                        let change = slope * tangents.values[value * lanes + k];
                        tangents.x_mut()[place * lanes + k] += change;
                    }
                }
            });
        }
    }

    /// Adds the covectors of the numbers of a step to the covectors of values, and forgets them.
    pub(super) fn take(&self, step: [f64; 2], covector: &mut Variation) {
        for input in &self.inputs {
            let numbers = input.places.map(|place| std::mem::take(&mut covector.x_mut()[place]));
            input.visit(step, |value, slopes| {
                let change = slopes.iter().zip(numbers).map(|(slope, number)| slope * number);
                covector.values[value] += change.sum::<f64>();
            });
        }
    }
}

impl Input {
    /// Visits the values on which a step depends, with the derivatives of both numbers by them.
    fn visit(&self, [from, to]: [f64; 2], mut each: impl FnMut(usize, [f64; 2])) {
        let size = to - from;
        self.signal.moments_by_values(from, to, &mut |value, [whole, end]| {
            each(self.first + value, [(whole - end) / size, end / size]);
        });
    }
}
