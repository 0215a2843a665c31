//! Functions of sums.

use least_action::prelude::*;

/// Atoms in the gas of electrons of all others, as Finnis and Sinclair or Gupta have it.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// The kind of each atom.
    pub kind: Vec<usize>,
    /// The energy of repulsion of each pair of kinds.
    pub repulsion: Vec<Vec<f64>>,
    /// The hopping integral of each pair of kinds.
    pub hopping: Vec<Vec<f64>>,
    /// How steeply the repulsion falls.
    pub steepness: Vec<Vec<f64>>,
    /// How steeply the hopping integral falls.
    pub decay: Vec<Vec<f64>>,
    /// The distance at which both have these values.
    pub distance: Vec<Vec<f64>>,
}

#[lagrangian]
impl Embedded {
    fn lagrangian(&self, atoms: [Vec3; self.kind.len()]) -> Scalar {
        let n = self.kind.len();
        let kinetic = sum(0..n, |i| 0.5 * der(atoms[i]).norm_squared());
        let of_kinds = |table: &Vec<Vec<f64>>, i: usize, j: usize| table[self.kind[i]][self.kind[j]];
        let repulsion = sum(0..n, |i| {
            sum(0..n, |j| {
                if i == j {
                    0.0
                } else {
                    let r = (atoms[i] - atoms[j]).norm();
                    let (p, r0) = (of_kinds(&self.steepness, i, j), of_kinds(&self.distance, i, j));
                    of_kinds(&self.repulsion, i, j) * (-p * (r / r0 - 1.0)).exp()
                }
            })
        });
        let density = each(0..n, |i| {
            sum(0..n, |j| {
                if i == j {
                    0.0
                } else {
                    let r = (atoms[i] - atoms[j]).norm();
                    let (q, r0) = (of_kinds(&self.decay, i, j), of_kinds(&self.distance, i, j));
                    of_kinds(&self.hopping, i, j).powi(2) * (-2.0 * q * (r / r0 - 1.0)).exp()
                }
            })
        });
        kinetic - repulsion + sum(0..n, |i| density[i].sqrt())
    }
}

/// A chain of beads whose radius of gyration is held by a spring.
#[derive(Debug, Clone)]
pub struct Gyration {
    /// The number of beads.
    pub beads: usize,
    /// How stiff the springs are.
    pub stiffness: f64,
    /// The radius of gyration that is held.
    pub radius: f64,
    /// How stiff the bonds are.
    pub bond: f64,
}

#[lagrangian]
impl Gyration {
    fn lagrangian(&self, beads: [Vec3; self.beads]) -> Scalar {
        let n = self.beads;
        let kinetic = sum(0..n, |i| 0.5 * der(beads[i]).norm_squared());
        let bonds = sum(0..n - 1, |i| 0.5 * self.bond * (beads[i + 1].distance(beads[i]) - 1.0).powi(2));
        let centre = sum(0..n, |i| beads[i]) / n as f64;
        let spread = sum(0..n, |i| (beads[i] - centre).norm_squared()) / n as f64;
        kinetic - bonds - 0.5 * self.stiffness * (spread.sqrt() - self.radius).powi(2)
    }
}

/// The same chain, whose radius of gyration is kept.
#[derive(Debug, Clone)]
pub struct Coil {
    /// The number of beads.
    pub beads: usize,
    /// The radius of gyration that is held.
    pub radius: f64,
}

#[lagrangian]
impl Coil {
    fn lagrangian(&self, beads: [Vec3; self.beads]) -> Scalar {
        sum(0..self.beads, |i| 0.5 * der(beads[i]).norm_squared())
    }

    #[holonomic]
    fn kept(&self, beads: [Vec3; self.beads]) -> Scalar {
        let n = self.beads;
        let centre = sum(0..n, |i| beads[i]) / n as f64;
        let spread = sum(0..n, |i| (beads[i] - centre).norm_squared()) / n as f64;
        spread.sqrt() - self.radius
    }
}

/// A particle among wells at a temperature.
#[derive(Debug, Clone)]
pub struct SoftMinimum {
    /// The temperature of the average.
    pub temperature: f64,
    /// How stiff the springs are.
    pub stiffness: Vec<f64>,
    /// The centre of each well.
    pub centres: Vec<[f64; 2]>,
    /// The depth of each well.
    pub offsets: Vec<f64>,
}

#[lagrangian]
impl SoftMinimum {
    fn lagrangian(&self, x: Vec2) -> Scalar {
        let all = sum(0..self.offsets.len(), |k| {
            let well = 0.5 * self.stiffness[k] * (x - vec2(self.centres[k])).norm_squared() + self.offsets[k];
            (-well / self.temperature).exp()
        });
        0.5 * der(x).norm_squared() + self.temperature * all.ln()
    }
}

/// Angles in a mean field.
#[derive(Debug, Clone)]
pub struct MeanField {
    /// The strength of the field.
    pub coupling: f64,
    /// The height of the well of each angle.
    pub wells: Vec<f64>,
}

#[lagrangian]
impl MeanField {
    fn lagrangian(&self, theta: [Angle; self.wells.len()]) -> Scalar {
        let n = self.wells.len();
        let kinetic = sum(0..n, |i| 0.5 * der(theta[i]).powi(2));
        let (c, s) = (sum(0..n, |i| theta[i].cos()), sum(0..n, |i| theta[i].sin()));
        let wells = sum(0..n, |i| self.wells[i] * (1.0 - (2.0 * theta[i]).cos()));
        kinetic + self.coupling * (1.0 + c.powi(2) + s.powi(2)).sqrt() - wells
    }
}

/// A fluid of smoothed particles in the plane, whose pressure is a power of its density.
#[derive(Debug, Clone)]
pub struct Smoothed {
    /// The number of particles.
    pub particles: usize,
    /// The radius of the kernel.
    pub h: f64,
    /// The mass of each.
    pub mass: f64,
    /// The factor of the pressure.
    pub k: f64,
    /// The exponent of the pressure.
    pub gamma: f64,
}

#[lagrangian]
impl Smoothed {
    fn spline(&self, x: Scalar) -> Scalar {
        let norm = 10.0 / (7.0 * std::f64::consts::PI * self.h.powi(2));
        if x < 1.0 {
            norm * (1.0 - 1.5 * x.powi(2) + 0.75 * x.powi(3))
        } else if x < 2.0 {
            norm * 0.25 * (2.0 - x).powi(3)
        } else {
            0.0
        }
    }

    fn lagrangian(&self, points: [Vec2; self.particles]) -> Scalar {
        let n = self.particles;
        let kinetic = sum(0..n, |i| 0.5 * self.mass * der(points[i]).norm_squared());
        let density = each(0..n, |i| {
            let others = sum(0..n, |j| {
                if i == j { 0.0 } else { self.mass * self.spline((points[i] - points[j]).norm() / self.h) }
            });
            others + self.mass * 10.0 / (7.0 * std::f64::consts::PI * self.h.powi(2))
        });
        let energy = sum(0..n, |i| density[i].powf(self.gamma - 1.0));
        kinetic - self.mass * self.k / (self.gamma - 1.0) * energy
    }
}

/// Sums nested, multiplied, divided, compared and added in choices, in V and constraints, in time.
#[derive(Debug, Clone)]
pub struct Tangle {
    /// The weight of each coordinate.
    pub weights: Vec<f64>,
    /// Pairs of coordinates.
    pub links: Vec<(usize, usize)>,
    /// A number of each layer.
    pub layers: [f64; 10],
    /// How fast the weights change.
    pub rate: f64,
}

#[lagrangian]
impl Tangle {
    fn lagrangian(&self, x: [Scalar; self.weights.len()], heat: Scalar, t: Time) -> Scalar {
        let n = self.weights.len();
        let kinetic = sum(0..n, |i| 0.5 * self.weights[i] * der(x[i]).powi(2)) + 0.5 * der(heat).powi(2);
        let total = sum(self.weights.iter().enumerate(), |(i, w)| w * x[i].sin());
        // A sum in each round, of a sum in each round.
        let near =
            each(0..n, |i| 1.0 + sum(self.links.iter(), |&(a, b)| if a == i { x[b].powi(2) } else { 0.0 }));
        let deep = each(0..n, |i| sum(0..n, |j| near[j].sqrt() * (x[i] - x[j]).cos()));
        let nested = sum(0..n, |i| (2.0 + deep[i] / near[i]).ln_1p());
        // By position in an iterator that does not count itself.
        let ends = each(self.links.iter(), |&(a, b)| sum(0..n, |k| (x[a] - x[b] + 0.1 * x[k]).powi(2)));
        let along = sum(self.links.iter(), |&(a, _)| x[a].cos() * ends[0].sqrt()) + (1.0 + ends[1]).sqrt();
        let mist = 1.0 + 0.1 * total + 0.1 * nested + 0.01 * total * nested;
        let in_layer = |k: usize| if self.layers[k] > 0.0 { self.layers[k] * heat } else { 0.0 };
        let upper = in_layer(0) + in_layer(1) + in_layer(2) + in_layer(3) + in_layer(4);
        let lower = in_layer(5) + in_layer(6) + in_layer(7) + in_layer(8) + in_layer(9);
        let chosen = if total < 0.3 { total } else { 0.3 + (total - 0.3) * 2.0 };
        let guarded =
            sum(0..n, |i| if i > 0 { (1.0 + sum(0..i, |k| (x[i - 1] - x[k]).powi(2))).sqrt() } else { x[i] });
        let driven = (2.0 + sum(0..n, |i| (x[i] - self.rate * t).cos()) / n as f64).powf(1.5);
        kinetic
            - (upper + lower).exp()
            - 0.01 * mist.powi(3) * mist.powi(3)
            - nested
            - along
            - chosen
            - guarded
            - driven
            - total.max(heat)
    }

    #[holonomic]
    fn spread(&self, x: [Scalar; self.weights.len()], heat: Scalar, t: Time) -> Vec2 {
        let n = self.weights.len();
        let all = 2.0 + sum(0..n, |i| (x[i] - 0.5 * t).sin());
        let square = 1.0 + sum(0..n, |i| x[i].powi(2) * all.sqrt());
        vec2(all.ln() - heat, square.sqrt() + heat * t)
    }

    #[holonomic]
    fn each_of_them(&self, x: [Scalar; self.weights.len()]) -> [Scalar; self.weights.len()] {
        let n = self.weights.len();
        each(0..n, |i| (1.0 + sum(0..n, |j| (x[i] - x[j]).powi(2))).sqrt() - 2.0)
    }
}

/// A chain of beads with an inertia of its radius of gyration.
#[derive(Debug, Clone)]
pub struct Breathing {
    /// The mass of each bead.
    pub masses: Vec<f64>,
    /// The inertia of the square of the radius.
    pub inertia: f64,
    /// How stiff the radius is held.
    pub stiffness: f64,
    /// The radius that is held.
    pub radius: f64,
}

#[lagrangian]
impl Breathing {
    fn lagrangian(&self, beads: [Vec2; self.masses.len()]) -> Scalar {
        let n = self.masses.len();
        let total = self.masses.iter().sum::<f64>();
        let kinetic = sum(0..n, |i| 0.5 * self.masses[i] * der(beads[i]).norm_squared());
        let centre = sum(0..n, |i| self.masses[i] * beads[i]) / total;
        let square = sum(0..n, |i| self.masses[i] * (beads[i] - centre).norm_squared()) / total;
        let size = square.sqrt();
        kinetic + 0.5 * (1.0 + self.inertia * size.powi(2)) * der(size).powi(2)
            - 0.5 * self.stiffness * (size - self.radius).powi(2)
    }
}

/// Pendulums that hang on one another, by their angles from the vertical.
#[derive(Debug, Clone)]
pub struct Strand {
    /// The length of each rod.
    pub rods: Vec<f64>,
    /// The mass of each bob.
    pub masses: Vec<f64>,
    /// The acceleration of free fall.
    pub gravity: f64,
}

#[lagrangian]
impl Strand {
    fn lagrangian(&self, theta: [Angle; self.rods.len()]) -> Scalar {
        let n = self.rods.len();
        let bobs = each(0..n, |i| sum(0..=i, |k| self.rods[k] * vec2(theta[k].sin(), -theta[k].cos())));
        sum(0..n, |i| {
            0.5 * self.masses[i] * der(bobs[i]).norm_squared() - self.masses[i] * self.gravity * bobs[i].y
        })
    }
}

/// Points whose centre and whose common speed have energies of their own; the mass is constant.
#[derive(Debug, Clone)]
pub struct Flock {
    /// The mass of each point.
    pub masses: Vec<f64>,
    /// The surplus of the centre.
    pub shared: f64,
    /// How fast the wind turns.
    pub rate: f64,
}

#[lagrangian]
impl Flock {
    fn lagrangian(&self, points: [Vec2; self.masses.len()], heat: Scalar) -> Scalar {
        let n = self.masses.len();
        let total = sum(0..n, |i| self.masses[i]);
        let centre = sum(0..n, |i| self.masses[i] * points[i]) / total;
        let later = sum(0..n, |i| points[i].x * (i as f64)) - 2.0 * heat;
        sum(0..n, |i| 0.5 * self.masses[i] * der(points[i]).norm_squared())
            + 0.5 * self.shared * total * der(centre).norm_squared()
            + 0.1 * der(later).powi(2)
            + 0.5 * der(heat).powi(2)
            - centre.norm_squared() * sum(0..n, |i| points[i].y.powi(2))
    }

    /// A drag by the wind at the centre, on points faster than the others.
    #[force(points)]
    fn drag(&self, points: [Vec2; self.masses.len()], heat: Scalar, t: Time) -> [Vec2; self.masses.len()] {
        let n = self.masses.len();
        let centre = sum(0..n, |i| self.masses[i] * points[i]) / sum(0..n, |i| self.masses[i]);
        let wind = vec2((self.rate * t + centre.y).sin(), (1.0 + centre.x.powi(2)).sqrt());
        let speed = (1.0 + sum(0..n, |i| der(points[i]).norm_squared())).sqrt();
        each(0..n, |i| (wind - der(points[i]) - der(centre)) * speed * heat)
    }
}

/// Sums of velocities in functions, in time, of sums, from both ends.
#[derive(Debug, Clone)]
pub struct Throng {
    /// The weight of each coordinate.
    pub weights: Vec<f64>,
    /// How many of the first ones each group has.
    pub groups: Vec<usize>,
    /// How fast the weights change.
    pub rate: f64,
}

#[lagrangian]
impl Throng {
    fn lagrangian(&self, x: [Scalar; self.weights.len()], t: Time) -> Scalar {
        let n = self.weights.len();
        let kinetic = sum(0..n, |i| 0.5 * self.weights[i] * der(x[i]).powi(2));
        let turning = sum(0..n, |i| (x[i] - self.rate * t).cos());
        let nested = (2.0 + sum(0..n, |i| (x[i] + 0.1 * turning).sin())).ln();
        let relative = (1.0 + sum(0..n, |i| der(x[i]).powi(2) * x[i].cos().powi(2))).sqrt();
        let before = each(0..n, |i| sum(0..i, |k| self.weights[k] * x[k].sin()));
        let behind = each(0..n, |i| sum(i..n, |k| (x[k] + self.rate * t).powi(2)));
        let grouped = sum(self.groups.iter(), |&size| (1.0 + sum(0..size, |k| x[k].powi(2))).sqrt());
        // In each of some rows, to the end of some columns.
        let table = sum(0..n, |i| {
            sum(self.groups.iter(), |&size| {
                let some = sum(0..=size / 2, |k| (x[i] - x[k]).sin());
                some * some
            })
        });
        let guarded = sum(0..n, |i| if i > 1 { sum(2..i, |k| x[k].cos()) * x[i - 1] } else { x[i] });
        kinetic
            + 0.5 * (2.0 + turning.powi(2)) * der(turning).powi(2)
            + relative
            + der(nested).powi(2)
            + 0.1 * sum(0..n, |i| der(before[i]).powi(2) * before[(i + 1) % n])
            + 0.1 * sum(0..n, |i| der(behind[i]).powi(2) + der(before[i]) * der(behind[i]))
            - grouped
            - table
            - guarded
            - sum(0..n, |i| self.weights[i] * behind[i] * x[i])
    }
}

/// Points that are bound, and slowed, through sums of their places and velocities.
#[derive(Debug, Clone)]
pub struct Convoy {
    /// The mass of each point.
    pub masses: Vec<f64>,
    /// How fast the way turns.
    pub rate: f64,
}

#[lagrangian]
impl Convoy {
    fn lagrangian(&self, points: [Vec2; self.masses.len()]) -> Scalar {
        sum(0..self.masses.len(), |i| {
            0.5 * self.masses[i] * der(points[i]).norm_squared() - points[i].x.powi(2)
        })
    }

    fn centre(&self, points: [Vec2; self.masses.len()]) -> Vec2 {
        let n = self.masses.len();
        sum(0..n, |i| self.masses[i] * points[i]) / sum(0..n, |i| self.masses[i])
    }

    #[nonholonomic]
    fn led(&self, points: [Vec2; self.masses.len()], t: Time) -> Vec2 {
        let n = self.masses.len();
        let centre = self.centre(points);
        let way = (self.rate * t + centre.x).sin();
        let spread = (1.0 + sum(0..n, |i| (points[i] - centre).norm_squared())).sqrt();
        let turned = sum(0..n, |i| points[i].y.cos() * der(points[i]).x - t * points[i].x);
        vec2(der(centre.y) - way * der(centre.x), spread * turned + der(spread) - way)
    }

    #[dissipation]
    fn wind(&self, points: [Vec2; self.masses.len()], t: Time) -> Scalar {
        let n = self.masses.len();
        let centre = self.centre(points);
        let spread = (1.0 + sum(0..n, |i| (points[i] - centre).norm_squared())).sqrt();
        let speed = sum(0..n, |i| (der(points[i]) - der(centre)).norm_squared());
        0.5 * spread * der(centre).norm_squared() * (2.0 + t.cos())
            + (1.0 + speed).sqrt()
            + sum(0..n, |i| 0.1 * der(points[i]).norm_squared())
    }
}
