//! Soft disks in a periodic square with a thermostat: the temperature beside the one that is asked for.

use least_action::drive::{Temperature, integrate};
use least_action::method::{Langevin, Verlet};
use least_action::prelude::*;

/// Disks of diameter and mass one that push each other apart. Every opposite pair of edges is one edge.
struct Disks {
    count: usize,
    edge: f64,
    stiffness: f64,
}

#[lagrangian]
impl Disks {
    fn lagrangian(&self, disks: [Vec2; self.count]) -> Scalar {
        let kinetic = sum(disks.iter(), |disk| 0.5 * der(*disk).norm_squared());
        let near = within(1.0, disks).periodic(Cell::cubic(self.edge));
        let potential = sum(near, |(_, _, d)| self.stiffness * (1.0 - d.norm()).powi(4));
        kinetic - potential
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let disks = Disks { count: 36, edge: 5.4, stiffness: 200.0 };
    let system = disks.bind()?;
    let place = |k: u32| 0.9 * Vector2::new(f64::from(k % 6), f64::from(k / 6));
    let start = State::points_at_rest((0..36).map(place).collect::<Vec<_>>());
    let wanted = 0.5;
    let bath =
        Langevin { friction: 2.0, inverse_temperature: 1.0 / wanted, seed: 7, ..Langevin::around(Verlet) };
    let run = integrate(&system, &bath, start.clone(), 0.03)?
        .until(65.0)
        .every(5)
        .measure(Temperature::of(&system, &start, 1.0)?)
        .record()?;

    // Equipartition: ½ T for each of the 72 velocities. After 5 units of time the start is forgotten.
    let temperatures = &run.column("temperature").ok_or("no temperature")?[34..];
    let mean = temperatures.iter().sum::<f64>() / temperatures.len() as f64;
    println!("temperature: measured {mean:.3}, asked for {wanted:.3}");
    assert!((mean / wanted - 1.0).abs() < 0.06);

    // The kinetic energy of n velocities fluctuates: (ΔT/T)² = 2/n.
    let square = temperatures.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let spread = (square / temperatures.len() as f64).sqrt() / mean;
    let by_hand = f64::sqrt(2.0 / 72.0);
    println!("spread of the temperature: measured {spread:.3}, by hand {by_hand:.3}");
    assert!((spread / by_hand - 1.0).abs() < 0.2);
    Ok(())
}
