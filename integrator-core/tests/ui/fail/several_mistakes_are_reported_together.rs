use least_action::prelude::*;

struct Chain {
    links: usize,
    mass: f64,
    rod: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links], turn: Angle) -> Scalar {
        let kinetic = sum(0..self.links, |i| 1 / 2 * self.mass * der(bobs[i]).norm_sqared());
        let potential = sum(0..self.links, |i| self.mass * bosb[i].y);
        kinetic + 0.5 * der(turn) ^ 2 - potential - bobs[turn].y + bobs[0]
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| der(bobs[i]).x - turn)
    }
}

fn main() {
    assert!(Chain { links: 3, mass: 1.0, rod: 1.0 }.bind().is_ok());
}
