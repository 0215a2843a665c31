use least_action_core::emitted::v1::{Opaque, derivative};
use least_action_core::expr::Number;

/// c x² sin y.
struct Wave;

impl Opaque<2, 1> for Wave {
    fn at<D: Number>([x, y]: [D; 2], [c]: [f64; 1]) -> D {
        x * x * y.sin() * c
    }
}

#[test]
fn derivatives_up_to_the_third() {
    let (x, y, c) = (0.7_f64, 1.1_f64, 2.5);
    let table: [(&[usize], f64); 8] = [
        (&[], c * x * x * y.sin()),
        (&[0], 2.0 * c * x * y.sin()),
        (&[1], c * x * x * y.cos()),
        (&[0, 1], 2.0 * c * x * y.cos()),
        (&[1, 1], -c * x * x * y.sin()),
        (&[0, 0, 1], 2.0 * c * y.cos()),
        (&[0, 0, 0], 0.0),
        (&[1, 1, 1], -c * x * x * y.cos()),
    ];
    for (along, expected) in table {
        let found = derivative::<Wave, 2, 1, 3>([x, y, c], along);
        assert!((found - expected).abs() < 1e-14, "{along:?}: {found} is not {expected}");
    }
}
