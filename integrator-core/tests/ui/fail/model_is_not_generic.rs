use least_action::prelude::*;

struct Chain<const LINKS: usize>;

#[lagrangian]
impl<const LINKS: usize> Chain<LINKS> {
    fn lagrangian(&self, bobs: [Vec2; LINKS]) -> Scalar {
        sum(0..LINKS, |i| 0.5 * der(bobs[i]).norm_squared())
    }
}

fn main() {
    assert!(Chain::<3>.bind().is_ok());
}
