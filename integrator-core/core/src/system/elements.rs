/// One element of a potential that is a sum of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Element {
    /// The family of like elements to which it belongs.
    pub family: u32,
    /// The number of the element in its family.
    pub index: u32,
}

/// A potential that is a sum of elements, each of which reads a few coordinates: V(q, t) = Σ_e V_e(q_e, t).
///
/// For engines that ask for values alone, one element at a time: the change of V when a few coordinates change costs the
/// elements that contain them.
pub trait Elements: Send + Sync {
    /// Shows each element with the coordinates that it reads, in the order in which [`Elements::element_value`] takes them.
    /// A coordinate can be read twice.  Elements that read nothing are left out.
    fn visit_elements(&self, visit: &mut dyn FnMut(Element, &[u32]));

    /// V_e(x, t), where x has the values of the coordinates that the element reads; not a number when x has another length.
    fn element_value(&self, element: Element, x: &[f64], t: f64) -> f64;

    /// ∂V_e/∂x, written over `gradient`; not a number where the system does not know it, or when the lengths are others.
    fn element_gradient(&self, element: Element, x: &[f64], t: f64, gradient: &mut [f64]) {
        let _ = (element, x, t);
        gradient.fill(f64::NAN);
    }

    /// The name of the element in messages: its expression, where it has one.
    fn element_name(&self, element: Element) -> String {
        format!("element {} of family {}", element.index, element.family)
    }

    /// True if the expression of the element proves V_e(x + s a, t) = V_e(x, t) for all x, s and t.
    fn is_invariant(&self, element: Element, direction: &[f64]) -> bool {
        let _ = (element, direction);
        false
    }

    /// True if the potential can depend on time.
    fn depends_on_time(&self) -> bool;
}
