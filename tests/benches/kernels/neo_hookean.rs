//! Neo-Hookean tetrahedra of a mesh: V = Σ vol (½ μ (tr FᵀF − 3) − μ ln J + ½ λ (ln J)²), F = D_s D_m⁻¹,
//! J = det F.

use crate::by_hand::Potential;
use crate::dual::Element;
use crate::geometry::{Vector, add, add_times, cross, dot, minus, points, points_mut, times};
use crate::subject::{SCALAR, Subject, Targets};
use least_action::expr::Number;
use least_action::prelude::*;
use test_support::agreement::Seeded;

/// A mesh of elastic material.
#[derive(Debug, Clone)]
pub(crate) struct Solid {
    nodes: usize,
    tetrahedra: Vec<Tetrahedron>,
    mu: f64,
    lambda: f64,
}

/// A tetrahedron at rest.
#[derive(Debug, Clone)]
pub(crate) struct Tetrahedron {
    nodes: [usize; 4],
    volume: f64,
    /// D_m⁻¹ by rows, where the columns of D_m are the edges from the first node.
    shape: [[f64; 3]; 3],
}

#[lagrangian]
impl Solid {
    fn lagrangian(&self, nodes: [Vec3; self.nodes]) -> Scalar {
        let kinetic = sum(0..self.nodes, |i| 0.5 * der(nodes[i]).norm_squared());
        let elastic = sum(self.tetrahedra.iter(), |element| {
            let first = nodes[element.nodes[0]];
            let a = nodes[element.nodes[1]] - first;
            let b = nodes[element.nodes[2]] - first;
            let c = nodes[element.nodes[3]] - first;
            // The columns of F.
            let x = element.shape[0][0] * a + element.shape[1][0] * b + element.shape[2][0] * c;
            let y = element.shape[0][1] * a + element.shape[1][1] * b + element.shape[2][1] * c;
            let z = element.shape[0][2] * a + element.shape[1][2] * b + element.shape[2][2] * c;
            let stretch = x.norm_squared() + y.norm_squared() + z.norm_squared() - 3.0;
            let growth = x.dot(y.cross(z)).ln();
            element.volume * (0.5 * self.mu * stretch - self.mu * growth + 0.5 * self.lambda * growth.powi(2))
        });
        kinetic - elastic
    }
}

pub(crate) fn subject() -> Subject {
    let cells = 6;
    let (places, model) = cube(cells);
    let shift = Seeded::new(4).numbers(3 * model.nodes);
    let q = places.as_flattened().iter().zip(shift).map(|(place, shift)| 1.1 * place + 0.1 * shift).collect();
    let targets = Targets {
        scalar: SCALAR,
        lanes: Some([0.4, 0.5, 0.3]),
        third_to_gradient: Some(2.0),
        dual: Some(200.0),
    };
    Subject::new("neo-hookean", targets, &model, q, |system| ByHand::new(&model, system), model.clone())
}

/// A cube of unit cells, each cut into the six tetrahedra along its diagonal.
fn cube(cells: usize) -> (Vec<Vector>, Solid) {
    let n = cells + 1;
    let places: Vec<Vector> =
        (0..n * n * n).map(|k| [k % n, k / n % n, k / (n * n)].map(|k| k as f64)).collect();
    let strides = [1, n, n * n];
    let corners = (0..cells * cells * cells)
        .map(|k| k % cells + n * (k / cells % cells) + n * n * (k / (cells * cells)));
    let tetrahedra = corners.flat_map(|corner| {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        orders.map(|[a, b, c]| {
            let second = corner + strides[a];
            let third = second + strides[b];
            [corner, second, third, third + strides[c]]
        })
    });
    let tetrahedra = tetrahedra.map(|nodes| {
        let [a, b, c] = [1, 2, 3].map(|k| minus(places[nodes[k]], places[nodes[0]]));
        let determinant = dot(a, cross(b, c));
        // Half of them are left-handed; the sign of the determinants of D_s and D_m is then the same.
        let shape = [cross(b, c), cross(c, a), cross(a, b)].map(|row| times(1.0 / determinant, row));
        Tetrahedron { nodes, volume: determinant.abs() / 6.0, shape }
    });
    let tetrahedra = tetrahedra.collect();
    (places, Solid { nodes: n * n * n, tetrahedra, mu: 1.3, lambda: 2.9 })
}

impl Element<12> for Solid {
    fn inputs(&self) -> Vec<[usize; 12]> {
        let inputs = |element: &Tetrahedron| std::array::from_fn(|k| 3 * element.nodes[k / 3] + k % 3);
        self.tetrahedra.iter().map(inputs).collect()
    }

    #[inline(always)]
    fn energy<T: Number>(&self, element: usize, x: [T; 12]) -> T {
        let Tetrahedron { volume, shape, .. } = &self.tetrahedra[element];
        let edges = [3, 6, 9].map(|at: usize| [x[at] - x[0], x[at + 1] - x[1], x[at + 2] - x[2]]);
        let f = [0, 1, 2].map(|column: usize| {
            [0, 1, 2].map(|row: usize| {
                edges[0][row] * shape[0][column]
                    + edges[1][row] * shape[1][column]
                    + edges[2][row] * shape[2][column]
            })
        });
        let [[a, b, c], [d, e, g], [h, i, j]] = f;
        let determinant = a * (e * j - g * i) + b * (g * h - d * j) + c * (d * i - e * h);
        let growth = determinant.ln();
        let stretch = a * a + b * b + c * c + d * d + e * e + g * g + h * h + i * i + j * j - 3.0;
        (stretch * (0.5 * self.mu) - growth * self.mu + growth * growth * (0.5 * self.lambda)) * *volume
    }
}

/// The formulas of continuum mechanics: with P = ∂W/∂F and f_a = F⁻ᵀ g_a, where g_a is the gradient of a
/// node's shape function, the force is vol P g_a and a block of the stiffness vol (μ g_a·g_b I + λ f_a
/// f_bᵀ + (μ − λ ln J) f_b f_aᵀ).
struct ByHand {
    elements: Vec<Tabled>,
    mu: f64,
    lambda: f64,
    nodes: usize,
}

/// A tetrahedron as the loops want it.
struct Tabled {
    nodes: [u32; 4],
    volume: f64,
    /// g_b for all nodes but the first, whose gradient is minus their sum.
    gradients: [Vector; 3],
    /// The first places of the columns of its blocks: for each node first of its own block, which is cut
    /// at the diagonal, then of the blocks of later nodes.
    places: [u32; 30],
}

impl ByHand {
    fn new(model: &Solid, system: &dyn Natural) -> Self {
        let pattern = system.potential_pattern();
        let tabled = |element: &Tetrahedron| {
            let local = |k: usize| 3 * element.nodes[k / 3] + k % 3;
            assert!(element.nodes.is_sorted(), "the blocks of later nodes stand below");
            let starts = (0..4).flat_map(|b| {
                let own = (3 * b..3 * b + 3).map(|column| (column, column));
                own.chain((b + 1..4).flat_map(move |a| (3 * b..3 * b + 3).map(move |column| (3 * a, column))))
            });
            let mut places = [0; 30];
            for (place, (row, column)) in places.iter_mut().zip(starts) {
                *place = pattern.position(local(row), local(column)).expect("an entry") as u32;
            }
            let (nodes, gradients) = (element.nodes.map(|node| node as u32), element.shape);
            Tabled { nodes, volume: element.volume, gradients, places }
        };
        let elements = model.tetrahedra.iter().map(tabled).collect();
        Self { elements, mu: model.mu, lambda: model.lambda, nodes: model.nodes }
    }
}

impl Tabled {
    /// The differences to the first node.
    #[inline(always)]
    fn edges(&self, x: &[Vector]) -> [Vector; 3] {
        let [first, second, third, fourth] = self.nodes.map(|node| x[node as usize]);
        [minus(second, first), minus(third, first), minus(fourth, first)]
    }

    /// The columns of Σ e_b g_bᵀ: of F for the edges.
    #[inline(always)]
    fn columns(&self, e: [Vector; 3]) -> [Vector; 3] {
        let g = &self.gradients;
        std::array::from_fn(|k| {
            std::array::from_fn(|row| e[0][row] * g[0][k] + e[1][row] * g[1][k] + e[2][row] * g[2][k])
        })
    }

    /// Adds M g_a to each node, M given by columns and scaled.
    #[inline(always)]
    fn scatter(&self, scale: f64, m: &[Vector; 3], to: &mut [Vector]) {
        let forces = self.gradients.map(|g| {
            let g = times(scale, g);
            add(add(times(g[0], m[0]), times(g[1], m[1])), times(g[2], m[2]))
        });
        self.add(forces, to);
    }

    /// Adds the forces on all nodes but the first, on which minus their sum acts.
    #[inline(always)]
    fn add(&self, forces: [Vector; 3], to: &mut [Vector]) {
        for (&node, force) in self.nodes[1..].iter().zip(forces) {
            add_times(&mut to[node as usize], 1.0, force);
        }
        add_times(&mut to[self.nodes[0] as usize], -1.0, add(add(forces[0], forces[1]), forces[2]));
    }
}

/// The columns of the cofactors of F, and det F.
#[inline(always)]
fn cofactors(f: &[Vector; 3]) -> ([Vector; 3], f64) {
    let first = cross(f[1], f[2]);
    ([first, cross(f[2], f[0]), cross(f[0], f[1])], dot(f[0], first))
}

impl Potential for ByHand {
    fn value(&mut self, q: &[f64]) -> f64 {
        let x = &points(q)[..self.nodes];
        let (mu, lambda, mut sum) = (self.mu, self.lambda, 0.0);
        for element in &self.elements {
            let f = element.columns(element.edges(x));
            let growth = dot(f[0], cross(f[1], f[2])).ln();
            let stretch = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]) - 3.0;
            sum += element.volume * (0.5 * mu * stretch + growth * (0.5 * lambda * growth - mu));
        }
        sum
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let (x, to) = (&points(q)[..self.nodes], points_mut(gradient));
        for element in &self.elements {
            let f = element.columns(element.edges(x));
            let (cofactors, determinant) = cofactors(&f);
            let pressure = (self.lambda * determinant.ln() - self.mu) / determinant;
            let stress: [Vector; 3] =
                std::array::from_fn(|k| add(times(self.mu, f[k]), times(pressure, cofactors[k])));
            element.scatter(element.volume, &stress, to);
        }
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        gradient.fill(0.0);
        hessian.fill(0.0);
        let (x, to) = (&points(q)[..self.nodes], points_mut(gradient));
        for element in &self.elements {
            let f = element.columns(element.edges(x));
            let (cofactors, determinant) = cofactors(&f);
            let inverse = 1.0 / determinant;
            let kappa = self.mu - self.lambda * determinant.ln();
            let stress: [Vector; 3] =
                std::array::from_fn(|k| add(times(self.mu, f[k]), times(-kappa * inverse, cofactors[k])));
            element.scatter(element.volume, &stress, to);

            let [b, c, d] = element.gradients;
            let g = [times(-1.0, add(add(b, c), d)), b, c, d];
            let n = cofactors.map(|column| times(inverse, column));
            let [b, c, d] =
                [b, c, d].map(|g| add(add(times(g[0], n[0]), times(g[1], n[1])), times(g[2], n[2])));
            let n = [times(-1.0, add(add(b, c), d)), b, c, d];
            let shear = g.map(|g| times(element.volume * self.mu, g));
            let (lambda, kappa) = (element.volume * self.lambda, element.volume * kappa);
            let mut places = element.places.iter();
            for b in 0..4 {
                let both = times(lambda + kappa, n[b]);
                let on = dot(shear[b], g[b]);
                for ((s, &start), &v) in (0..3).zip(&mut places).zip(&n[b]) {
                    let column = &mut hessian[start as usize..][..3 - s];
                    column[0] += on;
                    for (to, m) in column.iter_mut().zip(&both[s..]) {
                        *to += m * v;
                    }
                }
                let (dilation, rotation) = (times(lambda, n[b]), times(kappa, n[b]));
                for a in b + 1..4 {
                    let on = dot(shear[a], g[b]);
                    for (s, &start) in (0..3).zip(&mut places) {
                        let column: &mut [f64] = &mut hessian[start as usize..][..3];
                        for (to, (m, r)) in column.iter_mut().zip(n[a].iter().zip(&rotation)) {
                            *to += m * dilation[s] + r * n[a][s];
                        }
                        column[s] += on;
                    }
                }
            }
        }
    }

    /// With M_ab = f_a·e_b for the edges e of the direction, the force on a node is
    /// −vol Σ_c (λ tr M² I + 2 (μ − λ ln J) M² + 2 λ tr M · M)_ac f_c.
    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]) {
        contraction.fill(0.0);
        let (x, a) = (&points(q)[..self.nodes], &points(a)[..self.nodes]);
        let to = points_mut(contraction);
        for element in &self.elements {
            let f = element.columns(element.edges(x));
            let edges = element.edges(a);
            let (cofactors, determinant) = cofactors(&f);
            let inverse = 1.0 / determinant;
            let n = element.gradients.map(|g| {
                let g = times(inverse, g);
                add(add(times(g[0], cofactors[0]), times(g[1], cofactors[1])), times(g[2], cofactors[2]))
            });
            let m = n.map(|n| edges.map(|edge| dot(n, edge)));
            let square = m.map(|row| add(add(times(row[0], m[0]), times(row[1], m[1])), times(row[2], m[2])));
            let trace = m[0][0] + m[1][1] + m[2][2];
            let by_square = -2.0 * element.volume * (self.mu - self.lambda * determinant.ln());
            let by_m = -2.0 * element.volume * self.lambda * trace;
            let by_one = -element.volume * self.lambda * (square[0][0] + square[1][1] + square[2][2]);
            let forces: [Vector; 3] = std::array::from_fn(|a| {
                let mut row = add(times(by_square, square[a]), times(by_m, m[a]));
                row[a] += by_one;
                add(add(times(row[0], n[0]), times(row[1], n[1])), times(row[2], n[2]))
            });
            element.add(forces, to);
        }
    }
}
