use integrator_core::prelude::*;

struct Film {
    layers: [f64; 10],
}

#[lagrangian]
impl Film {
    fn lagrangian(&self, depth: Scalar) -> Scalar {
        let in_layer = |k: usize| if self.layers[k] > 0.0 { self.layers[k] * depth } else { 0.0 };
        let upper = in_layer(0) + in_layer(1) + in_layer(2) + in_layer(3) + in_layer(4);
        let lower = in_layer(5) + in_layer(6) + in_layer(7) + in_layer(8) + in_layer(9);
        0.5 * der(depth).powi(2) - (upper + lower).exp()
    }
}

fn main() {
    assert!(Film { layers: [1.0; 10] }.bind().is_ok());
}
