//! A taut chain: the frequencies of its waves beside the dispersion relation.

use least_action::drive::integrate;
use least_action::method::Rattle;
use least_action::prelude::*;
use std::f64::consts::PI;

/// Bobs on rods, from the origin along x. A constant force pulls the last bob along x. SI units.
struct Chain {
    links: usize,
    mass: f64,
    rod: f64,
    pull: f64,
}

#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        let kinetic = sum(bobs.iter(), |bob| 0.5 * self.mass * der(*bob).norm_squared());
        kinetic + self.pull * bobs[self.links - 1].x
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let before = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - before).norm_squared() - self.rod.powi(2)
        })
    }
}

impl Chain {
    /// k a of a mode with a node at the pivot and an antinode at the free end.
    fn phase(&self, mode: usize) -> f64 {
        (2 * mode - 1) as f64 * PI / (2 * self.links + 1) as f64
    }

    /// ω = 2 √(F / (m a)) sin(½ k a).
    fn frequency(&self, mode: usize) -> f64 {
        2.0 * (self.pull / (self.mass * self.rod)).sqrt() * (0.5 * self.phase(mode)).sin()
    }

    /// At rest in the shape of a mode; every rod has its length.
    fn start(&self, mode: usize, amplitude: f64) -> State {
        let mut before = Vector2::<f64>::zeros();
        let bobs = (1..=self.links).map(|i| {
            let y = amplitude * (self.phase(mode) * i as f64).sin();
            let along = (self.rod.powi(2) - (y - before.y).powi(2)).sqrt();
            before = Vector2::new(before.x + along, y);
            before
        });
        State::points_at_rest(bobs.collect::<Vec<_>>())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let chain = Chain { links: 12, mass: 0.1, rod: 0.25, pull: 40.0 };
    let system = chain.bind()?;
    for mode in 1..=4 {
        let start = chain.start(mode, 1e-3);
        let run = integrate(&system, &Rattle::default(), start, 5e-4)?.until(1.5).record()?;
        let height = run.column("bobs[0].y").ok_or("no height")?;
        let times = run.column("t").ok_or("no times")?;
        // Half a period lies between two passages of the axis.
        let passages: Vec<f64> = (1..times.len())
            .filter(|&k| height[k - 1] * height[k] < 0.0)
            .map(|k| times[k] - height[k] * (times[k] - times[k - 1]) / (height[k] - height[k - 1]))
            .collect();
        let [first, .., last] = passages[..] else { return Err("fewer than two passages".into()) };
        let measured = PI * (passages.len() - 1) as f64 / (last - first);
        let exact = chain.frequency(mode);
        println!("mode {mode}: ω measured {measured:.3}, by the dispersion relation {exact:.3} rad/s");
        assert!((measured / exact - 1.0).abs() < 1e-3);
    }
    Ok(())
}
