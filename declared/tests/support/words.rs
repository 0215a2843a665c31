//! A model that uses the words of the language, compiled and as a file.

use least_action::nalgebra::Matrix3;
use least_action::prelude::*;

/// All of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Words {
    n: usize,
    side: f64,
    torque: Signal,
    slow: Signal,
    inertia: Matrix3<f64>,
    rows: [[f64; 3]; 3],
}

impl Default for Words {
    fn default() -> Self {
        Self {
            n: 4,
            side: 7.0,
            torque: Signal::linear(vec![0.0, 1.0, 2.0], vec![0.5, 2.0, -1.0]).unwrap(),
            slow: Signal::linear(vec![0.0, 2.0], vec![1.0, 1.5]).unwrap(),
            inertia: Matrix3::new(2.0, 0.1, 0.0, 0.1, 3.0, 0.2, 0.0, 0.2, 4.0),
            rows: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]],
        }
    }
}

#[lagrangian]
impl Words {
    fn lagrangian(
        &self,
        x: [Vec3; self.n],
        y: [[Vec2; 2]; 3],
        r: Mat3,
        th: Angle,
        slow: Input,
        t: Time,
    ) -> Scalar {
        let kinetic = sum(0..self.n, |k| 0.5 * der(x[k]).norm_squared())
            + sum(0..3, |i| sum(0..2, |j| 0.5 * (1.0 + i as f64) * der(y[i][j]).norm_squared()));
        let turn = 0.5 * der(r).norm_squared() + 0.5 * der(th).powi(2);
        let cell = Cell::orthorhombic([Some(self.side), Some(self.side), None]);
        let near = sum(within(2.5, &x).periodic(cell).except([(0, 1)]), |(i, j, d)| {
            (1.0 + (i + j) as f64) * switched(d.norm(), 1.5, 2.5) / d.norm_squared()
        });
        let pot = sum(between(2.4, &each(0..2, |k| x[k]), &each(2..4, |k| x[k])), |(_, _, d)| {
            force_shifted(d.norm(), 2.4, |r| r.powi(-2))
        });
        let tip = vec2(th.sin(), -th.cos());
        let arm = each(0..3, |k| sum(0..k, |i| y[i][0]) + (1.0 + k as f64) * tip);
        let spring = |a: Vec2, b: Vec2| 0.5 * a.distance_squared(b) + a.cross(b);
        let held = sum(0..3, |k| spring(arm[k], y[k][1]));
        let matrix = (mat3(self.inertia) * r).trace()
            + (r * mat3(self.rows)).determinant()
            + (r + 3.0 * Mat3::IDENTITY).inverse().dot(Mat3::from_columns([x[0], x[1], r.row(1)]))
            + r.diagonal().outer(x[2]).norm_squared();
        let image = periodic(cell, x[0] - x[3]).norm_squared();
        let gate = if th.sin() > 0.0 { th.sin().powi(4) } else { 0.0 };
        kinetic + turn
            - near
            - pot
            - held
            - 0.1 * matrix
            - image
            - gate
            - table(t, &self.slow) * th.cos()
            - stiff(40.0 * (tip - y[0][0]).norm_squared())
            - slow * y[2][1].x
    }

    #[holonomic]
    fn orthogonal(&self, r: Mat3) -> Mat3 {
        r.transpose() * r - Mat3::IDENTITY
    }

    #[holonomic]
    fn rods(&self, x: [Vec3; self.n], t: Time) -> [Scalar; 2] {
        [x[0].distance(x[1]) - 1.0 - 0.1 * t.sin(), (x[2] - x[3]).norm_squared() - 4.0]
    }

    #[force(th)]
    fn motor(&self, torque: Input, th: Angle) -> Scalar {
        torque - 0.2 * der(th)
    }

    #[dissipation]
    fn drag(&self, x: [Vec3; self.n]) -> Scalar {
        sum(0..self.n, |i| 0.1 * der(x[i]).norm_squared())
    }
}

impl Start for Words {
    fn start(&self) -> State {
        let q = vec![
            0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.3, 1.6, 0.2, 0.1, 1.2, 2.1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7,
            0.8, 0.9, 1.0, 1.1, 1.2, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.7,
        ];
        let v = (0..q.len()).map(|k| 0.1 * (k as f64).sin()).collect();
        State::new(q, v)
    }
}
