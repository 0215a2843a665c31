//! Torsions of a chain of beads: V = Σ k (1 + cos(n φ − φ₀)), φ the dihedral angle of consecutive beads.

use crate::by_hand::{Potential, add_band, is_band};
use crate::dual::Element;
use crate::geometry::{Vector, add, add_times, cross, dot, minus, points, points_mut, times};
use crate::subject::{SCALAR, Subject, Targets};
use least_action::expr::Number;
use least_action::prelude::*;
use test_support::agreement::Seeded;

/// Beads on a string that resists torsion.
#[derive(Debug, Clone)]
pub(crate) struct Torsions {
    beads: usize,
    stiffness: f64,
    multiplicity: f64,
    phase: f64,
}

#[lagrangian]
impl Torsions {
    fn lagrangian(&self, beads: [Vec3; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| 0.5 * der(beads[i]).norm_squared());
        let torsions = sum(0..self.beads - 3, |i| {
            let (a, b) = (beads[i + 1] - beads[i], beads[i + 2] - beads[i + 1]);
            let c = beads[i + 3] - beads[i + 2];
            let (left, right) = (a.cross(b), b.cross(c));
            let angle = (b.norm() * a.dot(right)).atan2(left.dot(right));
            self.stiffness * (1.0 + (self.multiplicity * angle - self.phase).cos())
        });
        kinetic - torsions
    }
}

pub(crate) fn subject() -> Subject {
    let model = Torsions { beads: 1000, stiffness: 1.4, multiplicity: 3.0, phase: 0.4 };
    let shift = Seeded::new(7).numbers(3 * model.beads);
    let helix = (0..model.beads).map(|i| 1.7 * i as f64).flat_map(|s| [s.cos(), s.sin(), 0.4 * s]);
    let q = helix.zip(shift).map(|(place, shift)| place + 0.15 * shift).collect();
    let targets = Targets { scalar: SCALAR, lanes: None, third_to_gradient: Some(4.0), dual: None };
    Subject::new("dihedral", targets, &model, q, |system| ByHand::new(&model, system), model.clone())
}

impl Element<12> for Torsions {
    fn inputs(&self) -> Vec<[usize; 12]> {
        (0..self.beads - 3).map(|i| std::array::from_fn(|k| 3 * i + k)).collect()
    }

    #[inline(always)]
    fn energy<T: Number>(&self, _: usize, x: [T; 12]) -> T {
        let [a, b, c] = [0, 3, 6].map(|at: usize| [0, 1, 2].map(|k: usize| x[at + 3 + k] - x[at + k]));
        let dot = |a: [T; 3], b: [T; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let cross = |a: [T; 3], b: [T; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let (left, right) = (cross(a, b), cross(b, c));
        let angle = (dot(b, b).sqrt() * dot(a, right)).atan2(dot(left, right));
        ((angle * self.multiplicity - self.phase).cos() + 1.0) * self.stiffness
    }
}

/// The closed forms of A. Blondel and M. Karplus, J. Comput. Chem. 17 (1996) 1132, for the bonds F = x₀
/// − x₁, G = x₁ − x₂, H = x₃ − x₂ and the normals A = F × G, B = H × G.
struct ByHand {
    model: Torsions,
    starts: Vec<usize>,
}

struct Bonds {
    f: Vector,
    g: Vector,
    h: Vector,
}

impl Bonds {
    #[inline(always)]
    fn of(x: &[Vector; 4]) -> Self {
        Self { f: minus(x[0], x[1]), g: minus(x[1], x[2]), h: minus(x[3], x[2]) }
    }

    /// The derivatives by the beads, from the derivatives by the bonds.
    #[inline(always)]
    fn to_beads(&self) -> [Vector; 4] {
        let Self { f, g, h } = *self;
        [f, minus(g, f), times(-1.0, add(g, h)), h]
    }
}

impl ByHand {
    fn new(model: &Torsions, system: &dyn Natural) -> Self {
        let pattern = system.potential_pattern();
        assert!(is_band(pattern, 12), "a torsion joins four neighbours");
        Self { model: model.clone(), starts: pattern.starts().to_vec() }
    }

    /// V' of the angle with this sine and cosine, both scaled, and V''.
    #[inline(always)]
    fn slopes(&self, sine: f64, cosine: f64) -> (f64, f64) {
        let n = self.model.multiplicity;
        let (s, c) = (n * sine.atan2(cosine) - self.model.phase).sin_cos();
        (-self.model.stiffness * n * s, -self.model.stiffness * n * n * c)
    }
}

/// Adds the forces of each window of four beads to them, each bead written once.
#[inline(always)]
fn carry(outputs: &mut [f64], windows: impl Iterator<Item = [Vector; 4]>) {
    let mut carried = [[0.0; 3]; 3];
    let mut to = points_mut(outputs).iter_mut();
    for (forces, to) in windows.zip(&mut to) {
        *to = add(carried[0], forces[0]);
        carried = [add(carried[1], forces[1]), add(carried[2], forces[2]), forces[3]];
    }
    for (to, carried) in to.zip(carried) {
        *to = carried;
    }
}

impl Potential for ByHand {
    fn value(&mut self, q: &[f64]) -> f64 {
        let Torsions { multiplicity, phase, stiffness, .. } = self.model;
        let sum: f64 = points(q)
            .array_windows()
            .map(|x| {
                let Bonds { f, g, h } = Bonds::of(x);
                let (a, b) = (cross(f, g), cross(h, g));
                let angle = (-dot(g, g).sqrt() * dot(f, b)).atan2(dot(a, b));
                1.0 + (multiplicity * angle - phase).cos()
            })
            .sum();
        stiffness * sum
    }

    fn gradient(&mut self, q: &[f64], gradient: &mut [f64]) {
        let forces = points(q).array_windows().map(|x| {
            let Bonds { f, g, h } = Bonds::of(x);
            let (a, b) = (cross(f, g), cross(h, g));
            let length = dot(g, g).sqrt();
            let (slope, _) = self.slopes(-length * dot(f, b), dot(a, b));
            let (by_a, by_b) = (slope / dot(a, a), slope / dot(b, b));
            let inverse = 1.0 / length;
            let (along_a, along_b) = (by_a * dot(f, g) * inverse, -by_b * dot(h, g) * inverse);
            let by_f = times(-length * by_a, a);
            let by_h = times(length * by_b, b);
            Bonds { f: by_f, g: add(times(along_a, a), times(along_b, b)), h: by_h }.to_beads()
        });
        carry(gradient, forces);
    }

    fn second(&mut self, q: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        hessian.fill(0.0);
        let forces = points(q).array_windows().enumerate().map(|(element, x)| {
            let Bonds { f, g, h } = Bonds::of(x);
            let (a, b) = (cross(f, g), cross(h, g));
            let length = dot(g, g).sqrt();
            let inverse = 1.0 / length;
            let (slope, curve) = self.slopes(-length * dot(f, b), dot(a, b));
            let (ia, ib) = (1.0 / dot(a, a), 1.0 / dot(b, b));
            let (fg, hg) = (dot(f, g) * inverse, dot(h, g) * inverse);
            // ∇φ by the bonds.
            let (of_f, of_h) = (times(-length * ia, a), times(length * ib, b));
            let of_g = add(times(fg * ia, a), times(-hg * ib, b));
            // V' Hess φ is made of products of A and B with these.
            let (wa, wb) = (slope * ia * ia, -slope * ib * ib);
            let (ga, fa, gb, hb) = (cross(g, a), cross(f, a), cross(g, b), cross(h, b));
            let ff = times(wa * length, ga);
            let hh = times(wb * length, gb);
            let half = 0.5 * slope * inverse * inverse * inverse;
            let gg_a = add(times(half * ia, ga), times(wa * fg, fa));
            let gg_b = add(times(-half * ib, gb), times(wb * hg, hb));
            let (fg_a, fg_ga) = (times(-wa * length, fa), times(-wa * fg, ga));
            let (hg_b, hg_gb) = (times(-wb * length, hb), times(-wb * hg, gb));
            let (cf, cg, ch) = (times(curve, of_f), times(curve, of_g), times(curve, of_h));

            let mut block = [[0.0; 12]; 12];
            // Column s, row r.
            for s in 0..3 {
                for r in 0..3 {
                    let of_ff = cf[r] * of_f[s] + ff[r] * a[s] + a[r] * ff[s];
                    let of_hh = ch[r] * of_h[s] + hh[r] * b[s] + b[r] * hh[s];
                    let of_gg = cg[r] * of_g[s]
                        + (gg_a[r] * a[s] + a[r] * gg_a[s])
                        + (gg_b[r] * b[s] + b[r] * gg_b[s]);
                    let of_hf = ch[r] * of_f[s];
                    let of_hg = ch[r] * of_g[s] + hg_b[r] * b[s] + b[r] * hg_gb[s];
                    let of_gh = ch[s] * of_g[r] + hg_b[s] * b[r] + b[s] * hg_gb[r];
                    let of_fg = cf[r] * of_g[s] + fg_a[r] * a[s] + a[r] * fg_ga[s];
                    let of_gf = cf[s] * of_g[r] + fg_a[s] * a[r] + a[s] * fg_ga[r];
                    block[s][r] = of_ff;
                    block[s][3 + r] = of_gf - of_ff;
                    block[s][6 + r] = -of_gf - of_hf;
                    block[s][9 + r] = of_hf;
                    block[3 + s][3 + r] = of_ff - of_fg - of_gf + of_gg;
                    block[3 + s][6 + r] = of_gf - of_gg + of_hf - of_hg;
                    block[3 + s][9 + r] = of_hg - of_hf;
                    block[6 + s][6 + r] = of_gg + of_gh + of_hg + of_hh;
                    block[6 + s][9 + r] = -of_hg - of_hh;
                    block[9 + s][9 + r] = of_hh;
                }
            }
            add_band(&self.starts, 3 * element, &block, hessian);
            Bonds { f: times(slope, of_f), g: times(slope, of_g), h: times(slope, of_h) }.to_beads()
        });
        carry(gradient, forces);
    }

    /// The gradient along q + s a, to second order in s.
    fn third(&mut self, q: &[f64], a: &[f64], contraction: &mut [f64]) {
        let windows = points(q).array_windows().zip(points(a).array_windows());
        let n = self.model.multiplicity;
        let forces = windows.map(|(x, a)| {
            let Bonds { f, g, h } = Bonds::of(x);
            let Bonds { f: df, g: dg, h: dh } = Bonds::of(a);
            let normal = |f: Vector, df: Vector| {
                [cross(f, g), add(cross(df, g), cross(f, dg)), times(2.0, cross(df, dg))]
            };
            let (a, b) = (normal(f, df), normal(h, dh));
            let along = |f: Vector, df: Vector| [dot(f, g), dot(df, g) + dot(f, dg), 2.0 * dot(df, dg)];
            let square = |a: &[Vector; 3]| {
                [dot(a[0], a[0]), 2.0 * dot(a[0], a[1]), 2.0 * (dot(a[1], a[1]) + dot(a[0], a[2]))]
            };
            let length = root(along(g, dg));
            let inverse = reciprocal(length);
            let (ia, ib) = (reciprocal(square(&a)), reciprocal(square(&b)));
            let (f_by_a, h_by_b) = (negative(product(length, ia)), product(length, ib));
            let g_by_a = product(product(along(f, df), inverse), ia);
            let g_by_b = negative(product(product(along(h, dh), inverse), ib));

            // φ' and φ'' along the path; by A: everything that multiplies it.
            let on = |v: Vector| [dot(a[0], v), dot(a[1], v), dot(b[0], v), dot(b[1], v)];
            let ([af, af1, _, _], [_, _, bh, bh1], [ag, ag1, bg, bg1]) = (on(df), on(dh), on(dg));
            let first = f_by_a[0] * af + h_by_b[0] * bh + g_by_a[0] * ag + g_by_b[0] * bg;
            let second = f_by_a[0] * af1
                + f_by_a[1] * af
                + h_by_b[0] * bh1
                + h_by_b[1] * bh
                + g_by_a[0] * ag1
                + g_by_a[1] * ag
                + g_by_b[0] * bg1
                + g_by_b[1] * bg;
            let (slope, curve) = self.slopes(-length[0] * dot(f, b[0]), dot(a[0], b[0]));
            let slopes = [slope, curve * first, curve * second - n * n * slope * first * first];

            let force = |by: [f64; 3], normal: &[Vector; 3]| {
                let by = product(slopes, by);
                let mut force = times(by[2], normal[0]);
                add_times(&mut force, 2.0 * by[1], normal[1]);
                add_times(&mut force, by[0], normal[2]);
                force
            };
            let g = add(force(g_by_a, &a), force(g_by_b, &b));
            Bonds { f: force(f_by_a, &a), g, h: force(h_by_b, &b) }.to_beads()
        });
        carry(contraction, forces);
    }
}

/// A value with its first and second derivative along a path.
type Path = [f64; 3];

#[inline(always)]
fn product(a: Path, b: Path) -> Path {
    [a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + 2.0 * a[1] * b[1] + a[2] * b[0]]
}

#[inline(always)]
fn negative(a: Path) -> Path {
    [-a[0], -a[1], -a[2]]
}

#[inline(always)]
fn reciprocal(a: Path) -> Path {
    let value = 1.0 / a[0];
    let first = -a[1] * value * value;
    [value, first, -(a[2] * value + 2.0 * a[1] * first) * value]
}

#[inline(always)]
fn root(a: Path) -> Path {
    let value = a[0].sqrt();
    let half = 0.5 / value;
    let first = a[1] * half;
    [value, first, (a[2] - 2.0 * first * first) * half]
}
