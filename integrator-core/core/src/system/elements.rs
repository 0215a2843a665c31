/// An element of a potential that is a sum of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Element {
    /// The family of the element.
    pub family: u32,
    /// The index of the element in its family.
    pub index: u32,
}

/// A potential that is a sum of elements, each of a few coordinates: V(q, t) = Σ_e V_e(q_e, t).
///
/// For engines that need values of single elements:
/// when a few coordinates change, V changes by the elements that contain them.
pub trait Elements: Send + Sync {
    /// Visits each element with the indices that it reads, in the order of [`Elements::element_value`].
    /// An index may occur twice. Elements that read nothing are left out.
    fn visit_elements(&self, visit: &mut dyn FnMut(Element, &[u32]));

    /// V_e(x, t) for the values x of the coordinates that the element reads;
    /// NaN for another length of x.
    fn element_value(&self, element: Element, x: &[f64], t: f64) -> f64;

    /// Writes ∂V_e/∂x over `gradient`; NaN if it is unknown, or for other lengths.
    fn element_gradient(&self, element: Element, x: &[f64], t: f64, gradient: &mut [f64]) {
        let _ = (element, x, t);
        gradient.fill(f64::NAN);
    }

    /// The name of the element in messages: its expression, if it has one.
    fn element_name(&self, element: Element) -> String {
        format!("element {} of family {}", element.index, element.family)
    }

    /// True if the expression proves V_e(x + s a, t) = V_e(x, t) for all x, s and t.
    fn is_invariant(&self, element: Element, direction: &[f64]) -> bool {
        let _ = (element, direction);
        false
    }

    /// True if the potential can depend on time.
    fn depends_on_time(&self) -> bool;
}
