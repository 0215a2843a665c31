use least_action::prelude::*;

/// Rigid TIP3P water: an oxygen and two hydrogens, Lennard-Jones between oxygens, Coulomb between all.
#[derive(Debug, Clone)]
pub struct Water {
    /// The number of molecules.
    pub molecules: usize,
    /// The masses of the three sites.
    pub masses: [f64; 3],
    /// The charges of the three sites.
    pub charges: [f64; 3],
    /// Depth and range of the Lennard-Jones potential.
    pub lennard_jones: [f64; 2],
    /// The lengths of both bonds and of the side between the hydrogens.
    pub sides: [f64; 3],
}

#[lagrangian]
impl Water {
    fn lagrangian(&self, sites: [[Vec3; 3]; self.molecules]) -> Scalar {
        let n = self.molecules;
        let kinetic = sum(0..n, |m| sum(0..3, |s| 0.5 * self.masses[s] * der(sites[m][s]).norm_squared()));
        let [depth, range] = self.lennard_jones;
        let oxygens = sum(pairs(n), |(i, j)| {
            let s6 = (range.powi(2) / (sites[i][0] - sites[j][0]).norm_squared()).powi(3);
            4.0 * depth * (s6 * s6 - s6)
        });
        let coulomb = sum(pairs(n), |(i, j)| {
            sum(0..3, |a| {
                sum(0..3, |b| self.charges[a] * self.charges[b] / sites[i][a].distance(sites[j][b]))
            })
        });
        kinetic - oxygens - coulomb
    }

    #[holonomic]
    fn rigid(&self, sites: [[Vec3; 3]; self.molecules]) -> [[Scalar; 3]; self.molecules] {
        each(0..self.molecules, |m| {
            each([(0, 1), (0, 2), (1, 2)].into_iter().enumerate(), |(side, (a, b))| {
                (sites[m][a] - sites[m][b]).norm_squared() - self.sides[side].powi(2)
            })
        })
    }
}

/// A planet, in Cartesian coordinates.
#[derive(Debug, Clone)]
pub struct Kepler;

#[lagrangian]
impl Kepler {
    fn lagrangian(&self, planet: Vec2) -> Scalar {
        0.5 * der(planet).norm_squared() + 1.0 / planet.norm()
    }
}

/// A planet, in polar coordinates.
#[derive(Debug, Clone)]
pub struct KeplerPolar;

#[lagrangian]
impl KeplerPolar {
    fn lagrangian(&self, r: Scalar, phi: Angle) -> Scalar {
        0.5 * (der(r).powi(2) + r.powi(2) * der(phi).powi(2)) + 1.0 / r
    }
}

/// A neo-Hookean solid of linear tetrahedra from a mesh table, falling on a floor that pushes back.
#[derive(Debug, Clone)]
pub struct Solid {
    /// The nodes at rest.
    pub nodes: Vec<[f64; 3]>,
    /// The nodes of each tetrahedron.
    pub tetrahedra: Vec<[usize; 4]>,
    /// Lamé's constants.
    pub lame: [f64; 2],
    /// Mass of a node.
    pub mass: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Stiffness of the floor.
    pub floor: f64,
}

impl Solid {
    /// A cube of so many unit cells in each direction, each cut into six tetrahedra with nodes in any
    /// order, as of a mesh generator, or ascending.
    pub fn cube(cells: usize, ascending: bool) -> Self {
        let n = cells + 1;
        let nodes = (0..n * n * n).map(|k| [k % n, k / n % n, k / (n * n)].map(|k| k as f64)).collect();
        let tetrahedra = (0..6 * cells * cells * cells).map(|k| {
            let (cell, kind) = (k / 6, k % 6);
            let corner = cell % cells + n * (cell / cells % cells) + n * n * (cell / (cells * cells));
            let orders =
                [[1, n, n * n], [1, n * n, n], [n, 1, n * n], [n, n * n, 1], [n * n, 1, n], [n * n, n, 1]];
            let [a, b, _] = orders[kind];
            let mut nodes = [corner, corner + a, corner + a + b, corner + 1 + n + n * n];
            if !ascending {
                nodes.rotate_left(k % 4);
                nodes.swap(1, 1 + k / 3 % 3);
            }
            nodes
        });
        Self {
            nodes,
            tetrahedra: tetrahedra.collect(),
            lame: [1.5, 0.75],
            mass: 0.5,
            gravity: 9.81,
            floor: 100.0,
        }
    }
}

#[lagrangian]
impl Solid {
    /// The edges of a tetrahedron at rest, as rows.
    fn edges(&self, of: [usize; 4]) -> [[f64; 3]; 3] {
        let [a, b, c, d] = of.map(|k| self.nodes[k]);
        [b, c, d].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]])
    }

    fn lagrangian(&self, nodes: [Vec3; self.nodes.len()]) -> Scalar {
        let n = self.nodes.len();
        let [lambda, mu] = self.lame;
        let kinetic = sum(0..n, |i| 0.5 * self.mass * der(nodes[i]).norm_squared());
        let weight = sum(0..n, |i| self.mass * self.gravity * nodes[i].z);
        let elastic = sum(self.tetrahedra.iter(), |&[a, b, c, d]| {
            let rest = mat3(self.edges([a, b, c, d])).transpose();
            let now = Mat3::from_columns([nodes[b] - nodes[a], nodes[c] - nodes[a], nodes[d] - nodes[a]]);
            let gradient = now * rest.inverse();
            let volume = rest.determinant() / 6.0;
            let log = gradient.determinant().ln();
            volume * (0.5 * mu * (gradient.norm_squared() - 3.0) - mu * log + 0.5 * lambda * log.powi(2))
        });
        let contact =
            sum(0..n, |i| if nodes[i].z < 0.0 { 0.5 * self.floor * nodes[i].z.powi(2) } else { 0.0 });
        kinetic - weight - elastic - contact
    }
}
