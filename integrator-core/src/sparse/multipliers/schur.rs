use super::banded::{Banded, Tridiagonal};
use super::inverse_mass::InverseMass;
use super::lu::SparseLu;
use super::order::{half_bandwidth, reverse_cuthill_mckee};
use super::products::Products;
use super::{Structure, ZeroPivot};
use crate::sparse::RowPattern;

/// The widest band that is factored as a band; beyond it a general sparse factorization is cheaper.
const WIDEST_BAND: usize = 32;

/// S = G₁ M⁻¹ G₂ᵀ on its own pattern: for a mass whose inverse is sparse.
pub(super) struct Schur {
    jacobian: RowPattern,
    /// The pattern and values of G₂ M⁻¹: its rows are the directions into which the multipliers move the positions.
    directions: RowPattern,
    values: Vec<f64>,
    /// For a block mass: position in the directions, in G and in M⁻¹ of each term.
    spread: Vec<[u32; 3]>,
    /// Whether S is tridiagonal as it stands, and the directions have the pattern of G.
    by_rows: bool,
    /// The products that make S; without those of links, which the tridiagonal form takes from the rows themselves.
    lower: Products,
    upper: Products,
    kernel: Kernel,
    /// Where each equation stands in the kernel, when not at its own place; and the inverse.
    order: Option<(Vec<u32>, Vec<u32>)>,
    sorted: Vec<f64>,
}

enum Kernel {
    Tridiagonal(Tridiagonal),
    Banded(Banded, usize),
    Sparse(Box<SparseLu>),
}

impl Schur {
    /// `None` where S would hold many more products than G has entries: a saddle-point system is sparser then.
    pub(super) fn new(mass: &InverseMass, jacobian: &RowPattern) -> Option<Self> {
        let height = jacobian.height();
        let (directions, spread) = match mass {
            InverseMass::Diagonal(_) => (jacobian.clone(), Vec::new()),
            InverseMass::Blocks { pattern, .. } => spread_directions(pattern, jacobian),
            InverseMass::General(_) => return None,
        };
        let columns = by_columns(&directions);
        let limit = 32 * (jacobian.len() + 32 * 32);
        let mut count = 0;
        for (_, column) in jacobian.entries() {
            count += columns[column].len();
            if count > limit {
                return None;
            }
        }
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); height];
        for (row, column) in jacobian.entries() {
            neighbours[row].extend(columns[column].iter().map(|&(other, _)| other));
        }
        for row in &mut neighbours {
            row.sort_unstable();
            row.dedup();
        }
        let (kernel, order) = choose(&neighbours)?;
        let place = |row: usize| order.as_ref().map_or(row, |(place, _)| place[row] as usize);
        let by_rows = order.is_none() && matches!(kernel, Kernel::Tridiagonal(_)) && directions == *jacobian;
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for (left, (row, column)) in jacobian.entries().enumerate() {
            for &(other, right) in &columns[column] {
                if by_rows && (row == other as usize || jacobian.linked(row, other as usize)) {
                    continue;
                }
                let (i, j) = (place(row), place(other as usize));
                let (target, mirror) = (kernel.position(i, j)?, kernel.position(j, i)?);
                let list = if j <= i { &mut lower } else { &mut upper };
                list.push((target as u32, mirror as u32, left as u32, right));
            }
        }
        Some(Self {
            jacobian: jacobian.clone(),
            values: vec![0.0; directions.len()],
            directions,
            spread,
            by_rows,
            lower: Products::new(lower),
            upper: Products::new(upper),
            sorted: vec![0.0; if order.is_some() { height } else { 0 }],
            kernel,
            order,
        })
    }

    pub(super) fn structure(&self) -> Structure {
        match &self.kernel {
            Kernel::Tridiagonal(_) => Structure::Tridiagonal,
            Kernel::Banded(_, half) => Structure::Banded { half: *half },
            Kernel::Sparse(_) => Structure::Sparse,
        }
    }

    /// Takes G₂ and factors G₂ M⁻¹ G₂ᵀ.
    pub(super) fn factor_symmetric(&mut self, mass: &InverseMass, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        let Self { jacobian: pattern, values, spread, kernel, by_rows, .. } = self;
        match mass {
            InverseMass::Diagonal(reciprocals) if *by_rows => {
                let rows = kernel.entries().as_chunks_mut::<3>().0;
                pattern.scaled_link_products(jacobian, reciprocals, values, rows);
            }
            InverseMass::Diagonal(reciprocals) => pattern.scale_columns(jacobian, reciprocals, values),
            InverseMass::Blocks { values: inverse, .. } => {
                values.fill(0.0);
                for &[target, entry, of_mass] in &*spread {
                    values[target as usize] += jacobian[entry as usize] * inverse[of_mass as usize];
                }
                if *by_rows {
                    pattern.link_products(jacobian, values, kernel.entries().as_chunks_mut::<3>().0);
                }
            }
            InverseMass::General(_) => {}
        }
        if !*by_rows {
            kernel.clear();
        }
        self.lower.fill_mirrored(jacobian, &self.values, self.kernel.entries());
        self.eliminate()
    }

    /// Factors G₁ M⁻¹ G₂ᵀ with the last G₂.
    pub(super) fn factor(&mut self, left: &[f64]) -> Result<(), ZeroPivot> {
        if self.by_rows {
            let rows = self.kernel.entries().as_chunks_mut::<3>().0;
            self.jacobian.link_products(left, &self.values, rows);
        } else {
            self.kernel.clear();
        }
        let entries = self.kernel.entries();
        self.lower.fill(left, &self.values, entries);
        self.upper.fill(left, &self.values, entries);
        self.eliminate()
    }

    fn eliminate(&mut self) -> Result<(), ZeroPivot> {
        let outcome = match &mut self.kernel {
            Kernel::Tridiagonal(kernel) => kernel.factor(),
            Kernel::Banded(kernel, _) => kernel.factor(),
            Kernel::Sparse(kernel) => {
                kernel.factor().map_err(|null| ZeroPivot { row: null.row, pivot: null.pivot })
            }
        };
        outcome.map_err(|zero| match &self.order {
            Some((_, origin)) => ZeroPivot { row: origin[zero.row] as usize, ..zero },
            None => zero,
        })
    }

    /// x ← −S⁻¹ r.
    pub(super) fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        let Some((place, _)) = &self.order else {
            return self.kernel.solve(residual, x);
        };
        for (&to, &value) in place.iter().zip(residual) {
            x[to as usize] = value;
        }
        self.kernel.solve(x, &mut self.sorted);
        for (&from, value) in place.iter().zip(x) {
            *value = self.sorted[from as usize];
        }
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    pub(super) fn add_motion(&self, multipliers: &[f64], y: &mut [f64]) {
        self.directions.transpose_multiply_add(&self.values, multipliers, y);
    }
}

impl Kernel {
    /// The entries of S.
    fn entries(&mut self) -> &mut [f64] {
        match self {
            Self::Tridiagonal(kernel) => &mut kernel.values,
            Self::Banded(kernel, _) => &mut kernel.values,
            Self::Sparse(kernel) => &mut kernel.values,
        }
    }

    /// Forgets what elimination left in entries that are not among those of S.
    fn clear(&mut self) {
        match self {
            Self::Tridiagonal(kernel) => kernel.values.fill(0.0),
            Self::Banded(kernel, _) => kernel.values.fill(0.0),
            Self::Sparse(_) => {}
        }
    }

    fn position(&self, row: usize, column: usize) -> Option<usize> {
        match self {
            Self::Tridiagonal(_) => Some(Tridiagonal::position(row, column)),
            Self::Banded(kernel, _) => Some(kernel.position(row, column)),
            Self::Sparse(kernel) => kernel.position(row, column),
        }
    }

    /// x ← −S⁻¹ r.
    fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        if let Self::Tridiagonal(kernel) = self {
            return kernel.solve(residual, x);
        }
        for (entry, residual) in x.iter_mut().zip(residual) {
            *entry = -residual;
        }
        match self {
            Self::Tridiagonal(_) => {}
            Self::Banded(kernel, _) => kernel.solve(x),
            Self::Sparse(kernel) => kernel.solve(x),
        }
    }
}

/// The kernel for a pattern, and the order of the equations in it when that is not their own.
#[expect(clippy::type_complexity, reason = "an order and its inverse, named where they are kept")]
fn choose(neighbours: &[Vec<u32>]) -> Option<(Kernel, Option<(Vec<u32>, Vec<u32>)>)> {
    let dimension = neighbours.len();
    let natural: Vec<u32> = (0..dimension as u32).collect();
    let mut half = half_bandwidth(neighbours, &natural);
    let mut order = None;
    if half > 1 {
        let place = reverse_cuthill_mckee(neighbours);
        let reordered = half_bandwidth(neighbours, &place);
        if reordered < half {
            half = reordered;
            let mut origin = natural;
            for (row, &position) in place.iter().enumerate() {
                origin[position as usize] = row as u32;
            }
            order = Some((place, origin));
        }
    }
    if half <= 1 {
        return Some((Kernel::Tridiagonal(Tridiagonal::new(dimension)), order));
    }
    if half <= WIDEST_BAND {
        return Some((Kernel::Banded(Banded::new(dimension, half), half), order));
    }
    let entries: Vec<(usize, usize)> = neighbours
        .iter()
        .enumerate()
        .flat_map(|(column, rows)| rows.iter().map(move |&row| (column, row as usize)))
        .collect();
    Some((Kernel::Sparse(Box::new(SparseLu::new(dimension, &entries)?)), None))
}

/// The pattern of G M⁻¹ for a block mass, and the terms that make it.
fn spread_directions(inverse: &RowPattern, jacobian: &RowPattern) -> (RowPattern, Vec<[u32; 3]>) {
    let terms: Vec<(usize, usize, usize, usize)> = jacobian
        .entries()
        .enumerate()
        .flat_map(|(entry, (row, k))| {
            inverse.row(k).map(move |place| (row, inverse.columns()[place] as usize, entry, place))
        })
        .collect();
    let pattern = RowPattern::new(
        jacobian.height(),
        jacobian.width(),
        terms.iter().map(|&(row, column, _, _)| (row, column)),
    );
    let spread = terms
        .into_iter()
        .filter_map(|(row, column, entry, place)| {
            Some([pattern.position(row, column)? as u32, entry as u32, place as u32])
        })
        .collect();
    (pattern, spread)
}

/// For each column the rows that touch it, with the position of the entry.
fn by_columns(pattern: &RowPattern) -> Vec<Vec<(u32, u32)>> {
    let mut columns = vec![Vec::new(); pattern.width()];
    for (place, (row, column)) in pattern.entries().enumerate() {
        columns[column].push((row as u32, place as u32));
    }
    columns
}
