//! Equations in small independent sets (a rigid molecule each), eight sets of one shape at a time.
//!
//! The same number of eight sets stands side by side, so that each operation below is one of a SIMD register. The operations
//! of a set and their order are those of the set alone: neither the registers at hand nor the sets beside it change its bits.

use super::ZeroPivot;
use super::banded::{NEGLIGIBLE, negligible};
use crate::lanes::{MOST_LANES, Registers, Width};
use crate::sparse::RowPattern;
use pulp::{Simd, WithSimd};
use std::collections::HashMap;

/// The most equations of a set.
const LARGEST: usize = 6;
/// Fewer sets than this for each group of eight leave too many lanes idle.
const FILLED: usize = 4;

/// The same number of eight sets.
type Eight = [f64; MOST_LANES];
/// The same index of eight sets.
type Places = [u32; MOST_LANES];

/// S = G₁ M⁻¹ G₂ᵀ of independent sets of equations, for a diagonal mass.
pub(super) struct Blocks {
    layout: Layout,
    numbers: Numbers,
    registers: Option<Registers>,
}

/// Which sets there are.
struct Layout {
    shapes: Vec<Shape>,
    groups: Vec<Group>,
    count: usize,
    largest: usize,
}

/// What is the same for all sets of a group.
struct Shape {
    rows: usize,
    columns: usize,
    /// The equation and the coordinate of each entry of G, in the numbering of the set.
    entries: Vec<(usize, usize)>,
    /// The products of entries of G₁ and of M⁻¹ G₂ᵀ that make S, by rows of S, and how many make each of its entries.
    products: Vec<(usize, usize)>,
    counts: Vec<usize>,
}

/// Up to eight sets of one shape; the last one stands in the lanes that are left over.
struct Group {
    shape: usize,
    sets: usize,
    equations: Vec<Places>,
    coordinates: Vec<Places>,
    /// Where the entries of G stand among its values.
    entries: Vec<Places>,
    /// Where the numbers of the group begin in each of the arrays of [`Numbers`].
    first_entry: usize,
    first_coordinate: usize,
    first_of_matrix: usize,
}

struct Numbers {
    /// 1/m of each coordinate.
    reciprocals: Vec<Eight>,
    /// G₂, and G₂ M⁻¹.
    gradients: Vec<Eight>,
    directions: Vec<Eight>,
    /// S by rows, factored: multipliers, reciprocal pivot, upper entries.
    matrices: Vec<Eight>,
    /// Of one group: G₁, the unknowns, and what is added to the coordinates.
    left: Vec<Eight>,
    unknowns: Vec<Eight>,
    moved: Vec<Eight>,
}

impl Blocks {
    /// `None` where the equations do not fall into such sets.
    pub(super) fn new(reciprocals: &[f64], jacobian: &RowPattern) -> Option<Self> {
        let layout = Layout::new(jacobian)?;
        let Layout { shapes, groups, .. } = &layout;
        let zeros = |length| vec![[0.0; MOST_LANES]; length];
        let of_all =
            |size: fn(&Shape) -> usize| zeros(groups.iter().map(|group| size(&shapes[group.shape])).sum());
        let of_one = |size: fn(&Shape) -> usize| zeros(shapes.iter().map(size).max().unwrap_or(0));
        let coordinates = groups.iter().flat_map(|group| &group.coordinates);
        let numbers = Numbers {
            reciprocals: coordinates.map(|places| places.map(|place| reciprocals[place as usize])).collect(),
            gradients: of_all(|shape| shape.entries.len()),
            directions: of_all(|shape| shape.entries.len()),
            matrices: of_all(|shape| shape.rows * shape.rows),
            left: of_one(|shape| shape.entries.len()),
            unknowns: of_one(|shape| shape.rows),
            moved: of_one(|shape| shape.columns),
        };
        Some(Self { layout, numbers, registers: Width::widest().registers() })
    }

    pub(super) fn count(&self) -> usize {
        self.layout.count
    }

    pub(super) fn largest(&self) -> usize {
        self.layout.largest
    }

    /// Takes G₂.
    pub(super) fn set_directions(&mut self, jacobian: &[f64]) {
        self.run(Task::SetDirections { jacobian }).unwrap_or_default();
    }

    /// Factors G₂ M⁻¹ G₂ᵀ.
    pub(super) fn factor_symmetric(&mut self) -> Result<(), ZeroPivot> {
        self.run(Task::FactorSymmetric)
    }

    /// Factors G₁ M⁻¹ G₂ᵀ.
    pub(super) fn factor(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        self.run(Task::Factor { jacobian })
    }

    /// x ← S⁻¹ x.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        self.run(Task::Solve { x }).unwrap_or_default();
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    pub(super) fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.run(Task::AddMotion { multipliers, y }).unwrap_or_default();
    }

    /// x ← S⁻¹ x, and y ← y + M⁻¹ G₂ᵀ x.
    pub(super) fn correct(&mut self, x: &mut [f64], y: &mut [f64]) {
        self.run(Task::Correct { x, y }).unwrap_or_default();
    }

    fn run(&mut self, task: Task<'_>) -> Result<(), ZeroPivot> {
        let Self { layout, numbers, registers } = self;
        let work = Work { layout, numbers, task };
        match registers {
            Some(registers) => registers.run(work),
            None => work.run(),
        }
    }
}

/// What is done for each group.
enum Task<'a> {
    SetDirections { jacobian: &'a [f64] },
    FactorSymmetric,
    Factor { jacobian: &'a [f64] },
    Solve { x: &'a mut [f64] },
    AddMotion { multipliers: &'a [f64], y: &'a mut [f64] },
    Correct { x: &'a mut [f64], y: &'a mut [f64] },
}

/// A task, in a function with the instructions of the registers at hand.
struct Work<'a> {
    layout: &'a Layout,
    numbers: &'a mut Numbers,
    task: Task<'a>,
}

impl WithSimd for Work<'_> {
    type Output = Result<(), ZeroPivot>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        self.run()
    }
}

impl Work<'_> {
    #[inline(always)]
    fn run(self) -> Result<(), ZeroPivot> {
        let Self { layout, numbers, mut task } = self;
        for group in &layout.groups {
            let shape = &layout.shapes[group.shape];
            let mut part = group.part(shape, numbers);
            match &mut task {
                Task::SetDirections { jacobian } => {
                    gather(jacobian, &group.entries, part.gradients);
                    part.set_directions(shape);
                }
                Task::FactorSymmetric => {
                    multiply(shape, part.gradients, part.directions, part.matrix);
                    eliminate(shape, part.matrix).map_err(|zero| zero.in_group(group))?;
                }
                Task::Factor { jacobian } => {
                    gather(jacobian, &group.entries, part.left);
                    multiply(shape, part.left, part.directions, part.matrix);
                    eliminate(shape, part.matrix).map_err(|zero| zero.in_group(group))?;
                }
                Task::Solve { x } => {
                    gather(x, &group.equations, part.unknowns);
                    solve(part.matrix, part.unknowns);
                    scatter(part.unknowns, &group.equations, group.sets, x);
                }
                Task::AddMotion { multipliers, y } => {
                    gather(multipliers, &group.equations, part.unknowns);
                    gather(y, &group.coordinates, part.moved);
                    part.add_motion(shape);
                    scatter(part.moved, &group.coordinates, group.sets, y);
                }
                Task::Correct { x, y } => {
                    gather(x, &group.equations, part.unknowns);
                    gather(y, &group.coordinates, part.moved);
                    solve(part.matrix, part.unknowns);
                    part.add_motion(shape);
                    scatter(part.unknowns, &group.equations, group.sets, x);
                    scatter(part.moved, &group.coordinates, group.sets, y);
                }
            }
        }
        Ok(())
    }
}

/// The numbers of a group.
struct Part<'a> {
    reciprocals: &'a [Eight],
    gradients: &'a mut [Eight],
    directions: &'a mut [Eight],
    matrix: &'a mut [Eight],
    left: &'a mut [Eight],
    unknowns: &'a mut [Eight],
    moved: &'a mut [Eight],
}

impl Group {
    #[inline(always)]
    fn part<'a>(&self, shape: &Shape, numbers: &'a mut Numbers) -> Part<'a> {
        let Shape { entries, rows, columns, .. } = shape;
        let (first, count) = (self.first_entry, entries.len());
        Part {
            reciprocals: &numbers.reciprocals[self.first_coordinate..][..*columns],
            gradients: &mut numbers.gradients[first..][..count],
            directions: &mut numbers.directions[first..][..count],
            matrix: &mut numbers.matrices[self.first_of_matrix..][..rows * rows],
            left: &mut numbers.left[..count],
            unknowns: &mut numbers.unknowns[..*rows],
            moved: &mut numbers.moved[..*columns],
        }
    }
}

impl Part<'_> {
    /// G₂ M⁻¹.
    #[inline(always)]
    fn set_directions(&mut self, shape: &Shape) {
        let entries = self.directions.iter_mut().zip(&*self.gradients).zip(&shape.entries);
        for ((direction, gradient), &(_, column)) in entries {
            let reciprocal = &self.reciprocals[column];
            for lane in 0..MOST_LANES {
                direction[lane] = gradient[lane] * reciprocal[lane];
            }
        }
    }

    /// Adds M⁻¹ G₂ᵀ times the unknowns.
    #[inline(always)]
    fn add_motion(&mut self, shape: &Shape) {
        for (direction, &(row, column)) in self.directions.iter().zip(&shape.entries) {
            let (moved, unknown) = (&mut self.moved[column], &self.unknowns[row]);
            for lane in 0..MOST_LANES {
                moved[lane] += direction[lane] * unknown[lane];
            }
        }
    }
}

#[inline(always)]
fn gather(from: &[f64], places: &[Places], to: &mut [Eight]) {
    for (to, at) in to.iter_mut().zip(places) {
        for lane in 0..MOST_LANES {
            to[lane] = from[at[lane] as usize];
        }
    }
}

/// Writes the lanes of the first `sets`.
#[inline(always)]
fn scatter(from: &[Eight], places: &[Places], sets: usize, to: &mut [f64]) {
    for (from, at) in from.iter().zip(places) {
        for lane in 0..sets {
            to[at[lane] as usize] = from[lane];
        }
    }
}

/// S = G₁ (M⁻¹ G₂ᵀ).
#[inline(always)]
fn multiply(shape: &Shape, left: &[Eight], directions: &[Eight], matrix: &mut [Eight]) {
    let mut rest = shape.products.as_slice();
    for (entry, &count) in matrix.iter_mut().zip(&shape.counts) {
        let (products, others) = rest.split_at(count);
        rest = others;
        let mut sum = [0.0; MOST_LANES];
        for &(a, b) in products {
            let (a, b) = (&left[a], &directions[b]);
            for lane in 0..MOST_LANES {
                sum[lane] += a[lane] * b[lane];
            }
        }
        *entry = sum;
    }
}

/// A pivot that is zero but for rounding, in one of the sets.
struct ZeroInLane {
    row: usize,
    lane: usize,
    pivot: f64,
}

impl ZeroInLane {
    fn in_group(self, group: &Group) -> ZeroPivot {
        ZeroPivot { row: group.equations[self.row][self.lane] as usize, pivot: self.pivot }
    }
}

/// LU without pivoting in place; reciprocal pivots.
#[inline(always)]
fn eliminate(shape: &Shape, matrix: &mut [Eight]) -> Result<(), ZeroInLane> {
    let rows = shape.rows;
    let mut scales = [[0.0_f64; MOST_LANES]; LARGEST];
    for (scale, row) in scales.iter_mut().zip(matrix.chunks_exact(rows)) {
        for entry in row {
            for lane in 0..MOST_LANES {
                let magnitude = entry[lane].abs();
                scale[lane] = if magnitude > scale[lane] { magnitude } else { scale[lane] };
            }
        }
    }
    for k in 0..rows {
        let (above, below) = matrix.split_at_mut((k + 1) * rows);
        let pivots = &mut above[k * rows..];
        let (pivot, scale) = (pivots[k], &scales[k]);
        let mut acceptable = true;
        let mut reciprocal = [0.0; MOST_LANES];
        for lane in 0..MOST_LANES {
            // What is not a number is not greater either.
            acceptable &= pivot[lane].abs() > NEGLIGIBLE * scale[lane];
            reciprocal[lane] = 1.0 / pivot[lane];
        }
        if !acceptable {
            let zero = |lane: &usize| negligible(pivot[*lane], scale[*lane]);
            let lane = (0..MOST_LANES).find(zero).unwrap_or_default();
            return Err(ZeroInLane { row: k, lane, pivot: pivot[lane] });
        }
        pivots[k] = reciprocal;
        for row in below.chunks_exact_mut(rows) {
            let mut factor = row[k];
            for lane in 0..MOST_LANES {
                factor[lane] *= reciprocal[lane];
            }
            row[k] = factor;
            for (entry, upper) in row[k + 1..].iter_mut().zip(&pivots[k + 1..]) {
                for lane in 0..MOST_LANES {
                    entry[lane] -= factor[lane] * upper[lane];
                }
            }
        }
    }
    Ok(())
}

#[inline(always)]
fn solve(matrix: &[Eight], x: &mut [Eight]) {
    let rows = x.len();
    for (k, row) in matrix.chunks_exact(rows).enumerate() {
        let (known, rest) = x.split_at_mut(k);
        let unknown = &mut rest[0];
        for (factor, known) in row.iter().zip(&*known) {
            for lane in 0..MOST_LANES {
                unknown[lane] -= factor[lane] * known[lane];
            }
        }
    }
    for (k, row) in matrix.chunks_exact(rows).enumerate().rev() {
        let (rest, known) = x.split_at_mut(k + 1);
        let unknown = &mut rest[k];
        for (upper, known) in row[k + 1..].iter().zip(&*known) {
            for lane in 0..MOST_LANES {
                unknown[lane] -= upper[lane] * known[lane];
            }
        }
        for lane in 0..MOST_LANES {
            unknown[lane] *= row[k][lane];
        }
    }
}

impl Layout {
    fn new(jacobian: &RowPattern) -> Option<Self> {
        let sets = independent_sets(jacobian);
        let largest = sets.iter().map(Vec::len).max()?;
        if !(2..=LARGEST).contains(&largest) || sets.len() < 2 {
            return None;
        }
        let mut layout = Self { shapes: Vec::new(), groups: Vec::new(), count: sets.len(), largest };
        let mut shape_of = HashMap::new();
        // The group that is being filled, for each shape.
        let mut open: Vec<Option<usize>> = Vec::new();
        for set in &sets {
            let Local { entries, coordinates, places } = Local::of(set, jacobian);
            let shape = *shape_of.entry(entries).or_insert_with_key(|entries| {
                layout.shapes.push(Shape::new(set.len(), coordinates.len(), entries));
                open.push(None);
                layout.shapes.len() - 1
            });
            let full = |group: usize| layout.groups[group].sets == MOST_LANES;
            let group = match open[shape] {
                Some(group) if !full(group) => group,
                _ => layout.open_group(shape),
            };
            open[shape] = Some(group);
            layout.groups[group].push(set, &coordinates, &places);
        }
        (layout.groups.len() <= 1 + sets.len() / FILLED).then_some(layout)
    }

    /// An empty group behind the last one.
    fn open_group(&mut self, shape: usize) -> usize {
        let after = |begin: fn(&Group) -> usize, length: fn(&Shape) -> usize| {
            self.groups.last().map_or(0, |last| begin(last) + length(&self.shapes[last.shape]))
        };
        let group = Group {
            first_entry: after(|group| group.first_entry, |shape| shape.entries.len()),
            first_coordinate: after(|group| group.first_coordinate, |shape| shape.columns),
            first_of_matrix: after(|group| group.first_of_matrix, |shape| shape.rows * shape.rows),
            shape,
            sets: 0,
            equations: vec![[0; MOST_LANES]; self.shapes[shape].rows],
            coordinates: vec![[0; MOST_LANES]; self.shapes[shape].columns],
            entries: vec![[0; MOST_LANES]; self.shapes[shape].entries.len()],
        };
        self.groups.push(group);
        self.groups.len() - 1
    }
}

impl Shape {
    fn new(rows: usize, columns: usize, entries: &[(usize, usize)]) -> Self {
        let of_row = |row| entries.iter().enumerate().filter(move |(_, entry)| entry.0 == row);
        let (mut products, mut counts) = (Vec::new(), Vec::new());
        for row in 0..rows {
            for other in 0..rows {
                let before = products.len();
                for (a, (_, column)) in of_row(row) {
                    products
                        .extend(of_row(other).filter(|(_, entry)| entry.1 == *column).map(|(b, _)| (a, b)));
                }
                counts.push(products.len() - before);
            }
        }
        Self { rows, columns, entries: entries.to_vec(), products, counts }
    }
}

impl Group {
    /// Puts a set in the next lane, and in all beyond it.
    fn push(&mut self, equations: &[u32], coordinates: &[u32], places: &[u32]) {
        let lanes = self.sets..MOST_LANES;
        let put = |to: &mut [Places], from: &[u32]| {
            to.iter_mut().zip(from).for_each(|(to, from)| to[lanes.clone()].fill(*from));
        };
        put(&mut self.equations, equations);
        put(&mut self.coordinates, coordinates);
        put(&mut self.entries, places);
        self.sets += 1;
    }
}

/// A set in its own numbering.
struct Local {
    entries: Vec<(usize, usize)>,
    coordinates: Vec<u32>,
    /// Where its entries stand among the values of G.
    places: Vec<u32>,
}

impl Local {
    fn of(set: &[u32], jacobian: &RowPattern) -> Self {
        let rows = || set.iter().map(|&row| jacobian.row(row as usize));
        let mut coordinates: Vec<u32> = rows().flat_map(|row| &jacobian.columns()[row]).copied().collect();
        coordinates.sort_unstable();
        coordinates.dedup();
        let column = |place: usize| coordinates.binary_search(&jacobian.columns()[place]).unwrap_or_default();
        let entries = rows().enumerate().flat_map(|(row, places)| places.map(move |place| (row, place)));
        Self {
            entries: entries.map(|(row, place)| (row, column(place))).collect(),
            places: rows().flatten().map(|place| place as u32).collect(),
            coordinates,
        }
    }
}

/// The sets of equations that share no coordinate with others, in the order of their first equations.
fn independent_sets(jacobian: &RowPattern) -> Vec<Vec<u32>> {
    fn root(parents: &mut [usize], mut row: usize) -> usize {
        while parents[row] != row {
            parents[row] = parents[parents[row]];
            row = parents[row];
        }
        row
    }
    let mut parents: Vec<usize> = (0..jacobian.height()).collect();
    let mut reader: Vec<Option<usize>> = vec![None; jacobian.width()];
    for (row, column) in jacobian.entries() {
        if let Some(other) = reader[column].replace(row) {
            let (a, b) = (root(&mut parents, row), root(&mut parents, other));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut sets = vec![Vec::new(); jacobian.height()];
    for row in 0..jacobian.height() {
        let first = root(&mut parents, row);
        sets[first].push(row as u32);
    }
    sets.retain(|set| !set.is_empty());
    sets
}
