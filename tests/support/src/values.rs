//! Systems for force-stepping whose potential is known by its values alone, as a sum or as a whole.

use least_action::advanced::sparse::{SymmetricMatrix, SymmetricPattern};
use least_action::advanced::system::{Element, Elements};
use least_action::system::{Kind, Layout, Natural, State, System, Unforced};

/// The value of an element, from its number and its inputs.
type Value = Box<dyn Fn(usize, &[f64]) -> f64 + Send + Sync>;

/// A natural system given by values of its potential; derivatives are differences of them.
pub struct OfValues {
    layout: Layout,
    mass: SymmetricMatrix,
    pattern: SymmetricPattern,
    /// The coordinates that each element reads.
    reads: Vec<Vec<u32>>,
    value: Value,
    /// For each element, true if it depends on differences of its coordinates alone.
    invariant: Vec<bool>,
    /// True if the system says that it is a sum of elements.
    says_so: bool,
}

/// The width of the differences.
const WIDTH: f64 = 1e-4;

impl OfValues {
    fn new(masses: Vec<f64>, elements: Vec<(Vec<u32>, bool)>, value: Value) -> Self {
        let n = masses.len();
        let mut layout = Layout::new();
        layout.push("q", Kind::Scalar, vec![n]);
        let (reads, invariant): (Vec<Vec<u32>>, _) = elements.into_iter().unzip();
        let pairs = |read: &Vec<u32>| -> Vec<_> {
            let pair = |i: u32, j: u32| (i.max(j) as usize, i.min(j) as usize);
            read.iter().flat_map(|&i| read.iter().map(move |&j| pair(i, j))).collect()
        };
        let pattern = SymmetricPattern::new(n, reads.iter().flat_map(pairs));
        Self {
            layout,
            mass: SymmetricMatrix::diagonal(masses),
            pattern,
            reads,
            value,
            invariant,
            says_so: true,
        }
    }

    /// The same system, known as a whole.
    #[must_use]
    pub fn as_a_whole(self) -> Self {
        Self { says_so: false, ..self }
    }

    /// The same system with other masses.
    #[must_use]
    pub fn with_mass(self, mass: SymmetricMatrix) -> Self {
        Self { mass, ..self }
    }

    /// ½ v·M v.
    pub fn kinetic(&self, state: &State) -> f64 {
        0.5 * self.mass.quadratic(&state.v)
    }
}

/// Kepler's problem in the plane, V = −1/|q|, and its start at perihelion.
pub fn kepler(eccentricity: f64) -> (OfValues, State) {
    let system =
        OfValues::new(vec![1.0; 2], vec![(vec![0, 1], false)], Box::new(|_, x| -1.0 / x[0].hypot(x[1])));
    let e = eccentricity;
    (system, State::new(vec![1.0 - e, 0.0], vec![0.0, ((1.0 + e) / (1.0 - e)).sqrt()]))
}

/// The Kepler problem, reduced to the distance: V = −1/r + (1 − e²)/(2 r²).
pub fn radial(eccentricity: f64) -> (OfValues, State) {
    let square = 1.0 - eccentricity * eccentricity;
    let value = move |_, x: &[f64]| -1.0 / x[0] + square / (2.0 * x[0] * x[0]);
    let system = OfValues::new(vec![1.0], vec![(vec![0], false)], Box::new(value));
    (system, State::new(vec![1.0 - eccentricity], vec![0.0]))
}

/// A chain of masses between fixed ends, V = Σ ½ r² + ¼ r³/3 + r⁴/4 over springs, as of the reference.
pub fn chain(beads: usize) -> (OfValues, State) {
    let (first, last) = ((vec![0], false), (vec![beads as u32 - 1], false));
    let inner = (1..beads as u32).map(|i| (vec![i - 1, i], true));
    let elements = std::iter::once(first).chain(inner).chain([last]).collect();
    let value = move |element: usize, x: &[f64]| {
        let r = match *x {
            [left, right] => right - left,
            [only] if element == 0 => only,
            [only] => -only,
            _ => f64::NAN,
        };
        r * r / 2.0 + 0.25 * r * r * r / 3.0 + r * r * r * r / 4.0
    };
    let mut numbers = Scatter(12345);
    let (q, v) = (0..beads).map(|_| (0.4 * numbers.next(), 2.0 * numbers.next())).unzip();
    (OfValues::new(vec![1.0; beads], elements, Box::new(value)), State::new(q, v))
}

/// A free square net of masses in the plane with springs to all eight neighbours, moving at random.
pub fn net(side: usize) -> (OfValues, State) {
    let knot = |i: usize, j: usize| (i * side + j) as u32;
    let mut elements = Vec::new();
    let mut rest = Vec::new();
    for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
        let mut spring = |a: u32, b: u32, length: f64| {
            elements.push((vec![2 * a, 2 * a + 1, 2 * b, 2 * b + 1], true));
            rest.push(length);
        };
        if j > 0 {
            spring(knot(i, j), knot(i, j - 1), 1.0);
        }
        if i > 0 {
            spring(knot(i, j), knot(i - 1, j), 1.0);
        }
        if i > 0 && j > 0 {
            spring(knot(i, j), knot(i - 1, j - 1), std::f64::consts::SQRT_2);
            spring(knot(i - 1, j), knot(i, j - 1), std::f64::consts::SQRT_2);
        }
    }
    let value =
        move |element: usize, x: &[f64]| 0.5 * ((x[0] - x[2]).hypot(x[1] - x[3]) - rest[element]).powi(2);
    let mut numbers = Scatter(12345);
    let places = (0..side).flat_map(|i| (0..side).flat_map(move |j| [j as f64, i as f64]));
    let (q, v) = places.map(|place| (place + 0.1 * numbers.next(), numbers.next())).unzip();
    (OfValues::new(vec![1.0; 2 * side * side], elements, Box::new(value)), State::new(q, v))
}

/// The unit ε of energy of the argon cluster, in 10⁻²⁷ J.
pub const EPSILON: f64 = 119.8 * 13_806.58;
/// The mass of an atom, in 10⁻²⁷ kg.
const ARGON: f64 = 66.34;

/// The potential of Lennard-Jones between two atoms.
fn lennard_jones(x: f64, y: f64) -> f64 {
    let attraction = (0.341 * 0.341 / (x * x + y * y)).powi(3);
    4.0 * EPSILON * (attraction * attraction - attraction)
}

/// The argon cluster of table I, in the coordinates of the atoms.
pub fn argon() -> (OfValues, State) {
    let pairs = (0..7).flat_map(|i| (i + 1..7).map(move |j| (i, j)));
    let elements = pairs.map(|(i, j)| (vec![2 * i, 2 * i + 1, 2 * j, 2 * j + 1], true)).collect();
    let value = |_, x: &[f64]| lennard_jones(x[0] - x[2], x[1] - x[3]);
    let q = [0.0, 0.0, 0.02, 0.39, 0.34, 0.17, 0.36, -0.21, -0.02, -0.40, -0.35, -0.16, -0.31, 0.21];
    let v = [-30, -20, 50, -90, -70, -60, 90, 40, 80, 90, -40, 100, -80, -60].map(f64::from);
    (OfValues::new(vec![ARGON; 14], elements, Box::new(value)), State::new(q.to_vec(), v.to_vec()))
}

/// The cluster of argon in Jacobi's coordinates: an atom's distance from the centre of earlier ones.
pub fn argon_jacobi() -> (OfValues, State) {
    let reduced = (1..7).flat_map(|j| [ARGON * f64::from(j) / f64::from(j + 1); 2]).collect();
    let value = |_, x: &[f64]| {
        let (mut atoms, mut centre) = ([[0.0; 2]; 7], [0.0; 2]);
        for (j, y) in x.chunks_exact(2).enumerate() {
            for k in 0..2 {
                atoms[j + 1][k] = centre[k] + y[k];
                centre[k] += y[k] / (j + 2) as f64;
            }
        }
        let pairs = (0..7).flat_map(|i| (i + 1..7).map(move |j| (i, j)));
        pairs.map(|(i, j)| lennard_jones(atoms[i][0] - atoms[j][0], atoms[i][1] - atoms[j][1])).sum()
    };
    let of_atoms = argon().1;
    let jacobi = |x: &[f64]| {
        let mut sum = [x[0], x[1]];
        let mut found = Vec::new();
        for (j, y) in x[2..].chunks_exact(2).enumerate() {
            for k in 0..2 {
                found.push(y[k] - sum[k] / (j + 1) as f64);
                sum[k] += y[k];
            }
        }
        found
    };
    let state = State::new(jacobi(&of_atoms.q), jacobi(&of_atoms.v));
    (OfValues::new(reduced, vec![((0..12).collect(), false)], Box::new(value)).as_a_whole(), state)
}

/// A potential that is a function of all coordinates.
pub fn of_all(dimension: usize, value: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> OfValues {
    let all = (0..dimension as u32).collect();
    OfValues::new(vec![1.0; dimension], vec![(all, false)], Box::new(move |_, x| value(x)))
}

/// Three oscillators that are not linear, each coupled to the others.
pub fn anharmonic() -> OfValues {
    of_all(3, |x| {
        0.5 * (x[0] * x[0] + 2.0 * x[1] * x[1] + 3.0 * x[2] * x[2]) + 0.3 * x[0] * x[1] + 0.2 * x[1] * x[2]
            - 0.1 * x[0] * x[2] * x[2]
    })
}

/// The generator of the reference start: numbers in (−½, ½).
struct Scatter(u64);

impl Scatter {
    fn next(&mut self) -> f64 {
        self.0 = (1_103_515_245 * self.0 + 12345) % (1 << 31);
        self.0 as f64 / (1_u64 << 31) as f64 - 0.5
    }
}

impl System for OfValues {
    fn name(&self) -> &'static str {
        "of values"
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Unforced for OfValues {}

impl Natural for OfValues {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }

    fn potential(&self, q: &[f64], _: f64) -> f64 {
        let value = |(element, reads): (usize, &Vec<u32>)| {
            let x: Vec<f64> = reads.iter().map(|&a| q[a as usize]).collect();
            (self.value)(element, &x)
        };
        self.reads.iter().enumerate().map(value).sum()
    }

    fn potential_rate(&self, _: &[f64], _: f64) -> f64 {
        0.0
    }

    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        for (a, entry) in gradient.iter_mut().enumerate() {
            let shifted = |by: f64| self.potential(&shifted(q, &unit(q.len(), a), by), t);
            *entry = (shifted(WIDTH) - shifted(-WIDTH)) / (2.0 * WIDTH);
        }
    }

    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.pattern
    }

    fn potential_second(&self, q: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        self.potential_gradient(q, t, gradient);
        let mut column = vec![0.0; q.len()];
        for a in 0..q.len() {
            self.potential_product(q, t, &unit(q.len(), a), &mut column);
            for (b, value) in column.iter().enumerate().skip(a) {
                if let Some(at) = self.pattern.position(b, a) {
                    hessian[at] = *value;
                }
            }
        }
    }

    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let mut before = vec![0.0; q.len()];
        self.potential_gradient(&shifted(q, a, WIDTH), t, product);
        self.potential_gradient(&shifted(q, a, -WIDTH), t, &mut before);
        product
            .iter_mut()
            .zip(&before)
            .for_each(|(after, before)| *after = (*after - before) / (2.0 * WIDTH));
    }

    fn potential_third(&self, q: &[f64], t: f64, a: &[f64], contraction: &mut [f64]) {
        let mut before = vec![0.0; q.len()];
        self.potential_product(&shifted(q, a, WIDTH), t, a, contraction);
        self.potential_product(&shifted(q, a, -WIDTH), t, a, &mut before);
        let pairs = contraction.iter_mut().zip(&before);
        pairs.for_each(|(after, before)| *after = (*after - before) / (2.0 * WIDTH));
    }

    fn elements(&self) -> Option<&dyn Elements> {
        if self.says_so { Some(self) } else { None }
    }
}

impl Elements for OfValues {
    fn visit_elements(&self, visit: &mut dyn FnMut(Element, &[u32])) {
        self.reads.iter().zip(0..).for_each(|(reads, index)| visit(Element { family: 0, index }, reads));
    }

    fn element_value(&self, element: Element, x: &[f64], _: f64) -> f64 {
        (self.value)(element.index as usize, x)
    }

    fn is_invariant(&self, element: Element, direction: &[f64]) -> bool {
        self.invariant[element.index as usize] && direction.iter().all(|entry| entry - direction[0] == 0.0)
    }

    fn depends_on_time(&self) -> bool {
        false
    }
}

fn unit(length: usize, index: usize) -> Vec<f64> {
    (0..length).map(|k| f64::from(u8::from(k == index))).collect()
}

fn shifted(q: &[f64], direction: &[f64], by: f64) -> Vec<f64> {
    q.iter().zip(direction).map(|(q, a)| q + by * a).collect()
}
