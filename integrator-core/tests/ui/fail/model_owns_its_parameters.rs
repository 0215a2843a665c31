// A model cannot borrow.
use least_action::prelude::*;

#[derive(Debug, Clone, Default)]
pub struct Model<'a> {
    pub table: &'a [f64],
}

#[lagrangian]
impl Model<'_> {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * self.table[0] * der(x).powi(2)
    }
}

fn main() {}
