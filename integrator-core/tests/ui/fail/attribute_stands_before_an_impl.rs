use least_action::prelude::*;

#[lagrangian]
struct Pendulum {
    mass: f64,
}

fn main() {
    let _ = Pendulum { mass: 1.0 };
}
