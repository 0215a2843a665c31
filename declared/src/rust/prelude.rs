//! What every file knows, in the language of files: interpreted, not compiled.

enum Option {
    None,
    Some(T),
}

enum Result {
    Err(E),
    Ok(T),
}

enum Ordering {
    Less,
    Equal,
    Greater,
}

impl Ordering {
    fn then_with(self, other: F) -> Self {
        if self == Self::Equal { other() } else { self }
    }

    fn then(self, other: Self) -> Self {
        if self == Self::Equal { other } else { self }
    }

    fn reverse(self) -> Self {
        Self::Equal.cmp(&self)
    }
}

struct State {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl State {
    fn new(q: Vec<f64>, v: Vec<f64>) -> Self {
        Self { t: 0.0, q, v }
    }

    fn at_rest(q: Vec<f64>) -> Self {
        let v = vec![0.0; q.len()];
        Self::new(q, v)
    }

    fn of_points(q: Vec<T>, v: Vec<T>) -> Self {
        Self::new(State::components(q), State::components(v))
    }

    fn points_at_rest(q: Vec<T>) -> Self {
        Self::at_rest(State::components(q))
    }
}

struct Look {
    calls: Vec<T>,
}

impl Look {
    fn new() -> Self {
        Self { calls: Vec::new() }
    }

    fn default() -> Self {
        Self::new()
    }
}

struct Cell([Option<[f64; 3]>; 3]);

impl Cell {
    const OPEN: Self = Self([None, None, None]);

    fn cubic(length: f64) -> Self {
        Self::orthorhombic([Some(length); 3])
    }

    fn orthorhombic([a, b, c]: [Option<f64>; 3]) -> Self {
        Self([a.map(|a| [a, 0.0, 0.0]), b.map(|b| [0.0, b, 0.0]), c.map(|c| [0.0, 0.0, c])])
    }

    fn triclinic(rows: [Option<[f64; 3]>; 3]) -> Self {
        Self(rows)
    }

    fn rows(&self) -> [Option<[f64; 3]>; 3] {
        self.0
    }
}

/// (x, y, z, w).
struct Quaternion {
    coords: Vector4<f64>,
}

impl Quaternion {
    fn from_vector(coords: Vector4<f64>) -> Self {
        Self { coords }
    }

    fn from_quaternion(quaternion: Self) -> Self {
        Self { coords: quaternion.coords.normalize() }
    }

    /// The turned vector.
    fn mul(self, vector: Vector3<f64>) -> Vector3<f64> {
        let axis = Vector3::new(self.coords.x, self.coords.y, self.coords.z);
        let twice = axis.cross(&vector) * 2.0;
        twice * self.coords.w + axis.cross(&twice) + vector
    }
}

type UnitQuaternion = Quaternion;

struct Matrix;

impl Matrix {
    fn cross_matrix(self) -> Matrix3<f64> {
        Matrix3::new(0.0, -self.z, self.y, self.z, 0.0, -self.x, -self.y, self.x, 0.0)
    }

    fn normalize(self) -> Self {
        self / self.norm()
    }

    fn constant(entries: T) -> Mat3 {
        Matrix3::from_row_slice(State::components(entries))
    }

    fn components(self) -> Vec<f64> {
        State::components(self)
    }

    fn distance(self, other: Self) -> f64 {
        (self - other).norm()
    }

    fn distance_squared(self, other: Self) -> f64 {
        (self - other).norm_squared()
    }

    fn outer(self, other: Self) -> Mat3 {
        self * other.transpose()
    }

    fn row(self, i: usize) -> Self {
        self.transpose().column(i)
    }

    fn diagonal(self) -> Self {
        vec3(self[(0, 0)], self[(1, 1)], self[(2, 2)])
    }

    fn trace(self) -> f64 {
        self[(0, 0)] + self[(1, 1)] + self[(2, 2)]
    }

    fn inverse(self) -> Self {
        let (a, b, c) = (self.row(0), self.row(1), self.row(2));
        Mat3::from_columns([b.cross(c), c.cross(a), a.cross(b)]) / self.determinant()
    }

    fn determinant(self) -> f64 {
        let m = self;
        assert!(m.nrows() < 4, "only matrices of two or three rows have a determinant here");
        if m.nrows() == 2 {
            return m[(0, 0)] * m[(1, 1)] - m[(1, 0)] * m[(0, 1)];
        }
        let a = m[(1, 1)] * m[(2, 2)] - m[(2, 1)] * m[(1, 2)];
        let b = m[(1, 0)] * m[(2, 2)] - m[(2, 0)] * m[(1, 2)];
        let c = m[(1, 0)] * m[(2, 1)] - m[(2, 0)] * m[(1, 1)];
        m[(0, 0)] * a - m[(0, 1)] * b + m[(0, 2)] * c
    }

    fn try_inverse(self) -> Option<Self> {
        let m = self;
        let determinant = m.determinant();
        if determinant == 0.0 {
            return None;
        }
        if m.nrows() == 2 {
            let entries = [m[(1, 1)], -m[(0, 1)], -m[(1, 0)], m[(0, 0)]].map(|x| x / determinant);
            return Some(Matrix2::from_row_slice(&entries));
        }
        let minor = |i, j, k, l| (m[(i, j)] * m[(k, l)] - m[(k, j)] * m[(i, l)]) / determinant;
        Some(Matrix3::new(
            minor(1, 1, 2, 2),
            minor(0, 2, 2, 1),
            minor(0, 1, 1, 2),
            -minor(1, 0, 2, 2),
            minor(0, 0, 2, 2),
            minor(0, 2, 1, 0),
            minor(1, 0, 2, 1),
            minor(0, 1, 2, 0),
            minor(0, 0, 1, 1),
        ))
    }
}

/// Near pairs of points, as a declaration has them.
struct Near {
    radius: f64,
    points: Vec<T>,
    others: Option<Vec<T>>,
    cell: Cell,
    exceptions: Vec<(usize, usize)>,
}

impl Near {
    fn periodic(self, cell: Cell) -> Self {
        Self { cell, ..self }
    }

    fn except(self, pairs: I) -> Self {
        Self { exceptions: self.exceptions.into_iter().chain(pairs).collect(), ..self }
    }

    fn of(self, i: usize) -> Vec<T> {
        Near::among(self, i)
    }
}

fn within(radius: f64, points: Vec<T>) -> Near {
    Near { radius, points, others: None, cell: Cell::OPEN, exceptions: Vec::new() }
}

fn between(radius: f64, points: Vec<T>, others: Vec<T>) -> Near {
    Near { others: Some(others), ..within(radius, points) }
}

fn switched(r: T, on: f64, off: f64) -> T {
    let y = (r - on) / (off - on);
    if r < on {
        1.0
    } else if r > off {
        0.0
    } else {
        1.0 - y.powi(3) * (10.0 - 15.0 * y + 6.0 * y.powi(2))
    }
}

fn shifted(r: T, off: f64, u: F) -> T {
    if r >= off { 0.0 } else { u(r) - u(off) }
}

fn force_shifted(r: T, off: f64, u: F) -> T {
    if r >= off {
        return 0.0;
    }
    let (there, moving) = (u(off), u(Scalar::new(off, 1.0)));
    u(r) - there - (r - off) * Scalar::constant(der(moving) - der(there))
}

/// Numbers of a declaration over dual numbers.
struct Scalar;

impl Scalar {
    fn time(t: T) -> Self {
        Scalar::new(t, 1.0)
    }

    fn phase(t: T, frequency: f64, initial: f64) -> Self {
        Scalar::time(t) * frequency + initial
    }

    fn input(t: T, signal: &Signal) -> Self {
        Scalar::new(signal.value(t), f64::NAN)
    }
}

/// Coordinates, as they are read from q and v.
struct Entries {
    q: Vec<T>,
    v: Vec<T>,
    next: usize,
}

impl Entries {
    fn new(q: Vec<T>, v: Vec<T>) -> Self {
        Self { q, v, next: 0 }
    }

    fn positions(q: Vec<T>) -> Self {
        Self::new(q, Vec::new())
    }

    fn position(&self) -> usize {
        self.next
    }

    fn scalar(&mut self) -> f64 {
        let k = self.next;
        self.next += 1;
        Scalar::new(self.q[k], self.v.get(k).unwrap_or(f64::NAN))
    }

    fn vec2(&mut self) -> Vec2 {
        vec2(self.scalar(), self.scalar())
    }

    fn vec3(&mut self) -> Vec3 {
        vec3(self.scalar(), self.scalar(), self.scalar())
    }

    fn mat3(&mut self) -> Mat3 {
        Mat3::from_rows([self.vec3(), self.vec3(), self.vec3()])
    }

    fn array(&mut self, length: usize, read: F) -> Vec<T> {
        (0..length).map(|_| read(self)).collect()
    }
}

struct Entries3x3(T);

impl Entries3x3 {
    fn rows(self) -> Vec<Vec<f64>> {
        State::components(self.0).chunks(3).collect()
    }
}

struct Equations;

impl Equations {
    fn append_to(equations: T, values: &mut Vec<T>) {
        values.extend(State::components(equations));
    }

    /// Of matrices.
    fn append_components(equations: T, kept: &[usize], values: &mut Vec<T>) {
        for entries in State::components(equations).chunks(9) {
            values.extend(kept.iter().map(|k| entries[k]));
        }
    }
}

fn add_components(force: T, begin: usize, values: &mut Vec<T>) {
    for (k, component) in State::components(force).into_iter().enumerate() {
        values[begin + k] += component;
    }
}

fn once(item: T) -> Vec<T> {
    vec![item]
}
