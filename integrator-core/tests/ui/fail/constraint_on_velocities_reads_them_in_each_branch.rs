use least_action::prelude::*;

struct Cart {
    wheels: usize,
}

#[lagrangian]
impl Cart {
    fn lagrangian(&self, at: [Vec2; self.wheels], turned: [Angle; self.wheels]) -> Scalar {
        sum(0..self.wheels, |i| 0.5 * der(at[i]).norm_squared() + 0.5 * der(turned[i]).powi(2))
    }

    #[nonholonomic]
    fn rolls(&self, at: [Vec2; self.wheels], turned: [Angle; self.wheels]) -> [Scalar; self.wheels] {
        each(0..self.wheels, |i| if i == 0 { at[i].y } else { der(at[i].x) - der(turned[i]) })
    }

    #[nonholonomic]
    fn steered(&self, at: [Vec2; self.wheels]) -> Scalar {
        let first = if self.wheels > 3 { der(at[0].y) } else { der(at[0].x) };
        first + if self.wheels > 5 { at[0].x } else { der(at[0].x) }
    }

    #[nonholonomic]
    fn skids(&self, at: [Vec2; self.wheels]) -> Scalar {
        match self.wheels {
            1 => der(at[0].y),
            _ => 0.0,
        }
    }
}

fn main() {
    assert!(Cart { wheels: 2 }.bind().is_ok());
}
