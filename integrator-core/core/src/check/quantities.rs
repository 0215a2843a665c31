//! The quantities that are compared, one after the other.

mod constraints;
mod rows;

use super::compare::{Random, worst, worst_by_differences};
use super::differences::{Line, noise};
use super::entries::{Direction, Duals};
use super::parts::{Dual, Parts, Stored, Weights, some, some_pairs};
use super::place::Place;
use super::{Comparison, largest, spacing};
use crate::sparse::SymmetricPattern;
use crate::system::{Coordinate, Holonomic, Lagrangian, Natural, State, Stiff};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The step of differences, as a part of the size of a coordinate.
const STEP: f64 = 1.0 / 64.0;
/// The last digits of a perturbed point.
const DIGITS: f64 = 4.0 * f64::EPSILON;
/// The most entries of a quantity that are compared one by one.
const MOST: usize = 2000;
/// The operations that single entries of a quantity may take in dual numbers, in multiples of the numbers.
const OPERATIONS: usize = 10_000_000;
/// An entry by differences takes as long as so many in dual numbers.
const DIFFERENCES: usize = 8;

/// The comparison of the kernels of a system with `duals`; the faces are those that the system has.
pub(super) struct Check<'c> {
    pub(super) duals: &'c dyn Duals,
    pub(super) system: &'c dyn Lagrangian,
    pub(super) natural: Option<&'c dyn Natural>,
    pub(super) stiff: Option<&'c dyn Stiff>,
    pub(super) constrained: Option<&'c dyn Holonomic>,
    pub(super) state: &'c State,
    /// The operations of one evaluation of the declaration.
    pub(super) work: usize,
    pub(super) random: Random,
    /// Told the name of each quantity before it is compared.
    pub(super) progress: &'c mut dyn FnMut(&'static str),
    pub(super) found: Vec<Comparison>,
}

/// A function of the point, all entries at once.
type Function<'v> = &'v dyn Fn(&[f64]) -> Vec<f64>;

impl<'c> Check<'c> {
    pub(super) fn all(mut self) -> Vec<Comparison> {
        let n = self.system.dimension();
        if self.state.q.len() != n || self.state.v.len() != n {
            return Vec::new();
        }
        self.lagrangian();
        if let Some(natural) = self.natural {
            self.mass(natural);
            self.potential(natural);
        }
        if let Some(stiff) = self.stiff {
            self.stiff(stiff);
        }
        if let Some(constrained) = self.constrained {
            self.constraints(constrained);
        }
        let system = self.system;
        if let Some(nonholonomic) = system.nonholonomic() {
            self.nonholonomic(nonholonomic);
        }
        if let Some(forced) = system.forced() {
            self.forces(forced);
        }
        self.found
    }

    /// How many entries are compared one by one: few where one evaluation is long, and the sum of all says the rest.
    fn room(&self) -> usize {
        (OPERATIONS / self.work.max(1)).min(MOST)
    }

    /// True if second derivatives are too many to be assembled; their products with a direction are compared all the same.
    fn has_no_second(&self) -> bool {
        self.system.affords_second_derivatives().is_err()
    }

    fn names(&self) -> Names<'c> {
        Names(self.system)
    }

    fn z(&self) -> Vec<f64> {
        let State { t, q, v } = self.state;
        q.iter().chain(v).copied().chain([*t]).collect()
    }

    /// The length that each entry of (q, v, t) moves in, or one where that is zero.
    fn lengths(&self) -> Vec<f64> {
        let State { t, q, v } = self.state;
        let or_one = |length: f64| if length > 0.0 { length } else { 1.0 };
        // Lengths are not measured by angles, nor positions by velocities.
        let groups = self.system.layout().coordinates();
        let by = |size: &dyn Fn(&Coordinate) -> f64| -> Vec<f64> {
            groups.iter().flat_map(|group| vec![or_one(size(group)); group.size()]).collect()
        };
        [by(&|group| spacing(group, q)), by(&|group| largest(group, v)), vec![or_one(t.abs())]].concat()
    }

    /// A random direction whose every entry counts: at least half the length that it moves in.
    fn direction(&mut self, lengths: &[f64]) -> Vec<f64> {
        let weight = |length: &f64, random: &mut Random| {
            let signed = random.signed();
            length * (0.5 + 0.5 * signed.abs()).copysign(signed)
        };
        lengths.iter().map(|length| weight(length, &mut self.random)).collect()
    }

    /// The lengths that the entries of x move in, x being (q, v, t) or q.
    fn way(&self, x: &[f64]) -> Vec<f64> {
        let mut lengths = self.lengths();
        lengths.truncate(x.len());
        lengths
    }

    /// Points that differ from x in the last digits.
    fn perturbed(&mut self, x: &[f64]) -> Vec<Vec<f64>> {
        (0..3).map(|_| x.iter().map(|x| x * (1.0 + DIGITS * self.random.signed())).collect()).collect()
    }

    /// The length by which rounding moves each entry of `value` around x, which moves in these lengths.
    ///
    /// Models start where much is zero or one, and nothing is rounded; so it is measured a first step away, too.
    fn noise(&mut self, x: &[f64], lengths: &[f64], value: Function<'_>) -> Rc<[f64]> {
        let (way, off) = (self.direction(lengths), self.direction(lengths));
        let here = noise(&|s| value(&along(x, &way, STEP * s)));
        let there = noise(&|s| value(&along(&along(x, &off, STEP), &way, STEP * s)));
        let mut noise: Vec<f64> = here.iter().zip(&there).map(|(here, there)| here.max(*there)).collect();
        let center = value(x);
        for point in self.perturbed(x) {
            for ((noise, here), there) in noise.iter_mut().zip(&center).zip(value(&point)) {
                *noise = noise.max((there - here).abs());
            }
        }
        noise.into()
    }

    /// Compares one quantity, by parts with dual numbers and by lines with differences.
    fn record(&mut self, parts: &Parts<'_>, lines: &[Line<'_>]) {
        let (entries, name) = (parts.compared(), |place| parts.name(place));
        if let Some(dual) = worst(&entries, parts.natural, &name) {
            self.found.push(Comparison {
                quantity: parts.quantity,
                entries: entries.iter().filter(|entry| entry.place != Place::Sum).count(),
                of: parts.of,
                summed: parts.summed(),
                dual,
                finite: worst_by_differences(lines, &name),
            });
        }
    }

    /// A list that dual numbers give as a whole, each entry beside that of differences along a line.
    fn list(
        &mut self,
        quantity: &'static str,
        x: &[f64],
        name: &dyn Fn(usize) -> String,
        (kernel, dual): (Function<'_>, Function<'_>),
        natural: f64,
        line: Option<Slope<'_>>,
    ) {
        (self.progress)(quantity);
        let here = dual(x);
        let (m, way) = (here.len(), self.way(x));
        let parts = Parts {
            quantity,
            of: m,
            chosen: (0..m).map(|row| (row, 0)).collect(),
            stored: Stored::Vector,
            here: kernel(x),
            perturbed: self.perturbed(x).iter().map(|x| kernel(x)).collect(),
            weights: Vec::new(),
            natural,
            at: x,
            way,
            kernel,
            dual: &|point, a, _| {
                let sum = |dual: &[f64]| match a {
                    Direction::Unit(row) => dual[row],
                    Direction::Any(a) => a.iter().zip(dual).map(|(a, dual)| a * dual).sum(),
                };
                if point == x { sum(&here) } else { sum(&dual(point)) }
            },
            name: &|row, _| name(row),
        };
        let picked = || (0..m).map(|row| parts.picked(row, 0, row)).collect();
        let line = line.map(|Slope { noise, step, value }| Line { noise, step, value, picked: picked() });
        self.record(&parts, line.as_slice());
    }

    /// One number.
    fn scalar(
        &mut self,
        quantity: &'static str,
        x: &[f64],
        kernel: &dyn Fn(&[f64]) -> f64,
        dual: &dyn Fn(&[f64]) -> f64,
    ) {
        self.list(
            quantity,
            x,
            &|_| quantity.to_owned(),
            (&|x| vec![kernel(x)], &|x| vec![dual(x)]),
            0.0,
            None,
        );
    }

    /// A vector over the entries of x, of which dual numbers give single entries and sums, beside the differences of the
    /// scalar function whose gradient it is, or of the vector function whose derivative along a line it is.
    fn vector(
        &mut self,
        quantity: &'static str,
        (x, lengths): (&[f64], &[f64]),
        kernel: Function<'_>,
        dual: &dyn Fn(&[f64], Direction<'_>) -> f64,
        differences: Differences<'_>,
    ) {
        (self.progress)(quantity);
        let (n, room, names) = (x.len(), self.room(), self.names());
        let parts = Parts {
            quantity,
            of: n,
            chosen: some(n, room, &mut self.random).into_iter().map(|row| (row, 0)).collect(),
            stored: Stored::Vector,
            here: kernel(x),
            perturbed: self.perturbed(x).iter().map(|x| kernel(x)).collect(),
            weights: vec![(self.direction(lengths), Vec::new())],
            natural: differences.natural(),
            at: x,
            way: lengths.to_vec(),
            kernel,
            dual: &|x, a, _| dual(x, a),
            name: &|row, _| names.of(row),
        };
        let lines = match differences {
            Differences::None => Vec::new(),
            Differences::Along(Slope { noise, step, value }) => {
                let picked = (0..n).map(|row| parts.picked(row, 0, row)).collect();
                vec![Line { noise, step, value, picked }]
            }
            Differences::Gradient(value) => {
                let noise = self.noise(x, lengths, &|x| vec![value(x)]);
                let unit = |row: usize| Line {
                    noise: noise.clone(),
                    step: STEP * lengths[row],
                    value: Box::new(move |s| vec![value(&moved(x, row, s))]),
                    picked: vec![parts.picked(row, 0, 0)],
                };
                let shown = if parts.summed() { room / DIFFERENCES } else { n };
                let mut lines: Vec<Line<'_>> =
                    parts.chosen.iter().take(shown).map(|&(row, _)| unit(row)).collect();
                if parts.summed() {
                    let way = &parts.weights[0].0;
                    let value = Box::new(move |s| vec![value(&along(x, way, s))]);
                    lines.push(Line { noise, step: STEP, value, picked: vec![parts.picked_sum(way)] });
                }
                lines
            }
        };
        self.record(&parts, &lines);
    }

    /// A matrix over the entries of x, of which dual numbers give single entries and sums, beside differences of `function`,
    /// whose derivative it is: by columns, and along a direction where not all entries are compared one by one.
    fn matrix(
        &mut self,
        (quantity, of): (&'static str, usize),
        (x, lengths): (&[f64], &[f64]),
        (stored, chosen, weights): (Stored<'_>, Vec<(usize, usize)>, Vec<Weights>),
        (kernel, dual): (Function<'_>, Dual<'_>),
        name: &dyn Fn(usize, Option<usize>) -> String,
        function: Option<(Rc<[f64]>, Function<'_>)>,
    ) {
        (self.progress)(quantity);
        let parts = Parts {
            quantity,
            of,
            chosen,
            stored,
            here: kernel(x),
            perturbed: self.perturbed(x).iter().map(|x| kernel(x)).collect(),
            weights,
            natural: 0.0,
            at: x,
            way: lengths.to_vec(),
            kernel,
            dual,
            name,
        };
        let mut lines = Vec::new();
        if let Some((noise, function)) = function {
            let mut columns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for &(row, column) in &parts.chosen {
                columns.entry(column).or_default().push(row);
            }
            let shown = if parts.summed() { self.room() / (2 * DIFFERENCES) } else { columns.len() };
            // Spread over all columns, not the first of them.
            let every = columns.len().div_ceil(shown.max(1)).max(1);
            let shown = columns.iter().step_by(every).take(shown);
            lines.extend(shown.map(|(&column, rows)| Line {
                noise: noise.clone(),
                step: STEP * lengths[column],
                value: Box::new(move |s| function(&moved(x, column, s))),
                picked: rows.iter().map(|&row| parts.picked(row, column, row)).collect(),
            }));
            for (a, b) in parts.weights.iter().filter(|_| parts.summed()) {
                let value = Box::new(move |s| function(&along(x, b, s)));
                let picked = parts.picked_rows(a, b);
                lines.push(Line { noise: noise.clone(), step: STEP, value, picked });
            }
        }
        self.record(&parts, &lines);
    }

    /// A symmetric matrix of second derivatives by the entries of x.
    fn hessian(
        &mut self,
        quantity: &'static str,
        (x, lengths): (&[f64], &[f64]),
        pattern: &SymmetricPattern,
        kernel: Function<'_>,
        dual: Dual<'_>,
        gradient: Option<(Rc<[f64]>, Function<'_>)>,
    ) {
        let n = pattern.dimension();
        let chosen = some_pairs(n, pattern, self.room(), &mut self.random);
        let weights = vec![(self.direction(lengths), self.direction(lengths))];
        let (names, all) = (self.names(), n * (n + 1) / 2);
        let name = |row, column| names.pair(row, column);
        let what = (Stored::Symmetric(pattern), chosen, weights);
        self.matrix((quantity, all), (x, lengths), what, (kernel, dual), &name, gradient);
    }

    fn lagrangian(&mut self) {
        let (system, n) = (self.system, self.system.dimension());
        let function = self.duals.of_motion();
        let (z, lengths) = (self.z(), self.lengths());
        let at = (&z[..], &lengths[..]);
        let size = 2 * n + 1;
        let value = |z: &[f64]| system.lagrangian(&z[..n], &z[n..2 * n], z[2 * n]);
        self.scalar("lagrangian", &z, &value, &|z| function.value(z));

        // v·∂L/∂v − L.
        let dual = |z: &[f64]| {
            let mut velocity = vec![0.0; size];
            velocity[n..2 * n].copy_from_slice(&z[n..2 * n]);
            function.first(z, Direction::Any(&velocity)) - function.value(z)
        };
        let energy = |z: &[f64]| system.energy(&z[..n], &z[n..2 * n], z[2 * n]);
        self.scalar("energy", &z, &energy, &dual);

        let gradient_at = |z: &[f64]| {
            let mut gradient = vec![0.0; size];
            system.first_derivatives(&z[..n], &z[n..2 * n], z[2 * n], &mut gradient);
            gradient
        };
        let dual = |z: &[f64], a: Direction<'_>| function.first(z, a);
        let differences = Differences::Gradient(&value);
        self.vector("first derivatives of L", at, &gradient_at, &dual, differences);

        if self.has_no_second() {
            return;
        }
        let pattern = system.second_pattern();
        let kernel = |z: &[f64]| {
            let mut gradient = vec![0.0; size];
            let mut hessian = vec![0.0; pattern.len()];
            system.second_derivatives(&z[..n], &z[n..2 * n], z[2 * n], &mut gradient, &mut hessian);
            hessian
        };
        // Those with respect to (q, t) and (t, t) are left out of the interface: no equation of motion has them.
        let mut chosen = some_pairs(size, pattern, self.room(), &mut self.random);
        chosen.retain(|&(row, column)| row < 2 * n || (n..2 * n).contains(&column));
        // Positions, velocities and the time are of different sizes: a sum for each block.
        let (of_q, of_v, of_t) = (0..n, n..2 * n, 2 * n..size);
        let mut part = |range: &std::ops::Range<usize>| {
            let mut part = vec![0.0; size];
            part[range.clone()].copy_from_slice(&self.direction(&lengths[range.clone()]));
            part
        };
        let blocks = [(&of_q, &of_q), (&of_q, &of_v), (&of_v, &of_v), (&of_t, &of_v)];
        let weights = blocks.map(|(rows, columns)| (part(rows), part(columns))).to_vec();
        let gradient = (self.noise(&z, &lengths, &gradient_at), &gradient_at as Function<'_>);
        let names = self.names();
        self.matrix(
            ("second derivatives of L", size * (size + 1) / 2 - n - 1),
            at,
            (Stored::Symmetric(pattern), chosen, weights),
            (&kernel, &|z, a, b| function.second(z, a, b)),
            &|row, column| names.pair(row, column),
            Some(gradient),
        );
    }

    /// The mass matrix in the kernels' own storage.
    fn mass(&mut self, natural: &dyn Natural) {
        let function = self.duals.of_motion();
        let n = self.system.dimension();
        let (z, lengths) = (self.z(), self.lengths());
        let mass = natural.mass();
        let kernel = |_: &[f64]| mass.values.clone();
        let of_velocities = |z: &[f64]| z[n..2 * n].to_vec();
        let at = (&of_velocities(&z)[..], &of_velocities(&lengths)[..]);
        let dual = |v: &[f64], a: Direction<'_>, b: Direction<'_>| {
            let mut z = z.clone();
            z[n..2 * n].copy_from_slice(v);
            a.shifted(n, |a| b.shifted(n, |b| function.second(&z, a, b)))
        };
        self.hessian("mass", at, &mass.pattern, &kernel, &dual, None);
    }

    fn potential(&mut self, natural: &dyn Natural) {
        let (n, t) = (self.system.dimension(), self.state.t);
        let (q, lengths) = (self.state.q.clone(), self.lengths()[..n].to_vec());
        let at = (&q[..], &lengths[..]);
        let function = self.duals.potential(t);
        let value = |q: &[f64]| natural.potential(q, t);
        self.scalar("potential", &q, &value, &|q| function.value(q));

        let gradient_at = |q: &[f64]| {
            let mut gradient = vec![0.0; n];
            natural.potential_gradient(q, t, &mut gradient);
            gradient
        };
        let dual = |q: &[f64], a: Direction<'_>| function.first(q, a);
        let differences = Differences::Gradient(&value);
        self.vector("gradient of V", at, &gradient_at, &dual, differences);

        let noise = self.noise(&q, &lengths, &gradient_at);
        if !self.has_no_second() {
            let pattern = natural.potential_pattern();
            let kernel = |q: &[f64]| {
                let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; pattern.len()]);
                natural.potential_second(q, t, &mut gradient, &mut hessian);
                hessian
            };
            let dual = |q: &[f64], a: Direction<'_>, b: Direction<'_>| function.second(q, a, b);
            let gradient: Option<(_, Function<'_>)> = Some((noise.clone(), &gradient_at));
            self.hessian("Hessian of V", at, pattern, &kernel, &dual, gradient);
        }

        let a = self.direction(&lengths);
        let product_at = |q: &[f64]| {
            let mut all = vec![0.0; n];
            natural.potential_product(q, t, &a, &mut all);
            all
        };
        let dual = |q: &[f64], b: Direction<'_>| function.second(q, Direction::Any(&a), b);
        let value = Box::new(|s| gradient_at(&along(&q, &a, s)));
        let slope = Differences::Along(Slope { noise, step: STEP, value });
        self.vector("Hess V · a", at, &product_at, &dual, slope);

        let kernel = |q: &[f64]| {
            let mut all = vec![0.0; n];
            natural.potential_third(q, t, &a, &mut all);
            all
        };
        let dual = |q: &[f64], b: Direction<'_>| function.third(q, &a, b);
        let noise = self.noise(&q, &lengths, &product_at);
        let value = Box::new(|s| product_at(&along(&q, &a, s)));
        let slope = Differences::Along(Slope { noise, step: STEP, value });
        self.vector("a · V‴ · a", at, &kernel, &dual, slope);
    }

    fn stiff(&mut self, stiff: &dyn Stiff) {
        if self.has_no_second() {
            return;
        }
        let (n, t) = (self.system.dimension(), self.state.t);
        let (q, lengths) = (self.state.q.clone(), self.lengths()[..n].to_vec());
        let pattern = stiff.stiff_pattern();
        let kernel = |q: &[f64]| {
            let mut hessian = vec![0.0; pattern.len()];
            stiff.stiff_hessian(q, t, &mut hessian);
            hessian
        };
        let function = self.duals.stiff_part(t);
        let dual = |q: &[f64], a: Direction<'_>, b: Direction<'_>| function.second(q, a, b);
        self.hessian("Hessian of the stiff part", (&q, &lengths), pattern, &kernel, &dual, None);
    }
}

/// A function along a line, with its rounding and the first step of differences.
struct Slope<'v> {
    noise: Rc<[f64]>,
    step: f64,
    value: Box<dyn Fn(f64) -> Vec<f64> + 'v>,
}

/// The function of which a vector is the derivative.
enum Differences<'v> {
    None,
    /// A scalar, by each entry.
    Gradient(&'v dyn Fn(&[f64]) -> f64),
    /// A vector, along a line.
    Along(Slope<'v>),
}

impl Differences<'_> {
    /// The size of a derivative along a line, in the lengths of which the function has its own size.
    ///
    /// Where a function is quadratic all terms of its third derivatives cancel, and rounding is measured by those terms.
    fn natural(&self) -> f64 {
        match self {
            Self::Along(slope) => {
                let size = (slope.value)(0.0).iter().fold(0.0_f64, |size, value| size.max(value.abs()));
                if size.is_finite() { size } else { 0.0 }
            }
            Self::None | Self::Gradient(_) => 0.0,
        }
    }
}

/// The names of the entries of (q, v, t).
#[derive(Clone, Copy)]
struct Names<'c>(&'c dyn Lagrangian);

impl Names<'_> {
    fn of(self, index: usize) -> String {
        let n = self.0.dimension();
        match index {
            k if k < n => self.0.layout().name_of(k),
            k if k < 2 * n => format!("der.{}", self.0.layout().name_of(k - n)),
            _ => "t".to_owned(),
        }
    }

    fn pair(self, row: usize, column: Option<usize>) -> String {
        let column = column.map_or_else(String::new, |column| format!(", {}", self.of(column)));
        format!("{}{column}", self.of(row))
    }
}

fn moved(x: &[f64], index: usize, by: f64) -> Vec<f64> {
    let mut moved = x.to_vec();
    moved[index] += by;
    moved
}

fn along(x: &[f64], a: &[f64], by: f64) -> Vec<f64> {
    x.iter().zip(a).map(|(x, a)| x + by * a).collect()
}
