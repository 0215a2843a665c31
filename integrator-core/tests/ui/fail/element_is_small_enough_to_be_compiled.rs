use least_action::prelude::*;

struct Cell {
    rows: [f64; 9],
}

#[lagrangian]
impl Cell {
    /// The volume of three frames that are carried by each other.
    fn volume(a: Mat3, b: Mat3, c: Mat3) -> Scalar {
        let carried = a * b * c;
        (carried.transpose() * carried * a.inverse()).determinant().exp()
    }

    fn lagrangian(&self, frames: [Mat3; 9]) -> Scalar {
        let kinetic = sum(0..9, |i| 0.5 * self.rows[i] * der(frames[i]).norm_squared());
        let all = Self::volume(frames[0], frames[1], frames[2])
            * Self::volume(frames[3], frames[4], frames[5])
            * Self::volume(frames[6], frames[7], frames[8]);
        kinetic - all
    }
}

fn main() {
    assert!(Cell { rows: [1.0; 9] }.bind().is_ok());
}
