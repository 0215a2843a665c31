//! An element with everything that is measured of it.

use crate::by_hand::Potential;
use crate::dual::{Dual, Element};
use least_action::binding::Model;
use least_action::lanes::Width;
use least_action::system::Natural;
use test_support::agreement::Seeded;

/// The targets of the compiled kernels: ratios of times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Targets {
    /// Gradient, gradient with Hessian, and third contraction to the code by hand, in one lane.
    pub(crate) scalar: Option<[f64; 3]>,
    /// The three ratios to the code by hand in the widest registers.
    pub(crate) lanes: Option<[f64; 3]>,
    /// Third contraction to gradient.
    pub(crate) third_to_gradient: Option<f64>,
    /// Dual numbers to compiled kernels, gradient with Hessian.
    pub(crate) dual: Option<f64>,
}

/// Elements of 20 operations or more.
pub(crate) const SCALAR: Option<[f64; 3]> = Some([1.1, 1.1, 1.15]);

/// A potential, a point, and the contenders.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) elements: usize,
    pub(crate) targets: Targets,
    pub(crate) q: Vec<f64>,
    /// The direction of the third contraction.
    pub(crate) a: Vec<f64>,
    /// The number of entries of the Hessian.
    pub(crate) entries: usize,
    /// The contenders, which run in turns, with their names.
    /// Code by hand first, compiled kernels in one lane and in ever wider registers, dual numbers last.
    pub(crate) contenders: Vec<(String, Box<dyn Potential>)>,
}

impl Subject {
    /// The model at q with code by hand for the model's Hessian, and the elements for dual numbers.
    pub(crate) fn new<M, H, E, const X: usize>(
        name: &'static str,
        targets: Targets,
        model: &M,
        q: Vec<f64>,
        by_hand: impl FnOnce(&dyn Natural) -> H,
        elements: E,
    ) -> Self
    where
        M: Model,
        least_action::Bound<M>: Natural,
        H: Potential + 'static,
        E: Element<X> + 'static,
    {
        let bound =
            |width| -> Box<dyn Natural> { Box::new(model.bind().expect("a sound model").with_width(width)) };
        let system = bound(Width::widest());
        let pattern = system.potential_pattern();
        let count = elements.inputs().len();
        let dual = Dual::new(elements, pattern);
        let by_hand = by_hand(&*system);
        let entries = pattern.len();
        let mut contenders: Vec<(String, Box<dyn Potential>)> = vec![("by hand".into(), Box::new(by_hand))];
        for width in Width::available() {
            let lanes = width.lanes();
            let name = if lanes == 1 { "1 lane".into() } else { format!("{lanes} lanes") };
            contenders.push((name, Box::new(bound(width))));
        }
        contenders.push(("num-dual".into(), Box::new(dual)));
        Self { name, elements: count, targets, a: Seeded::new(77).numbers(q.len()), q, entries, contenders }
    }
}
