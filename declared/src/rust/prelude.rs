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

fn once(item: T) -> Vec<T> {
    vec![item]
}
