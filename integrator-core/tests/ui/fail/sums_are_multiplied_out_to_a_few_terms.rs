use integrator_core::prelude::*;

struct Cloud {
    drops: usize,
}

#[lagrangian]
impl Cloud {
    fn lagrangian(&self, drops: [Vec3; self.drops], heat: [Scalar; self.drops]) -> Scalar {
        let moving = sum(drops.iter(), |drop| 0.5 * der(*drop).norm_squared());
        let warming = sum(heat.iter(), |heat| 0.5 * der(*heat).powi(2));
        let height = sum(drops.iter(), |drop| drop.z);
        let warmth = sum(heat.iter(), |heat| heat.powi(2));
        let mist = 1.0 + height + warmth + height * warmth;
        moving + warming - mist.powi(3) * mist.powi(3)
    }
}

fn main() {
    assert!(Cloud { drops: 9 }.bind().is_ok());
}
