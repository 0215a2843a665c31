//! Equations in small independent sets (a rigid molecule each), eight sets of one shape at a time.

use super::ZeroPivot;
use super::banded::{NEGLIGIBLE, negligible};
use crate::lanes::{MOST_LANES, Registers, Width};
use crate::sparse::RowPattern;
use crate::sparse::sets::{Eight, Group, LARGEST, Sets, Shape, eight, gather, put, scatter};
use pulp::{Simd, WithSimd};

/// S = G₁ M⁻¹ G₂ᵀ of independent sets of equations, for a diagonal mass.
pub(super) struct Blocks {
    sets: Sets,
    numbers: Numbers,
    registers: Option<Registers>,
}

struct Numbers {
    /// 1/m of each coordinate.
    reciprocals: Vec<Eight>,
    /// G₂, and G₂ M⁻¹.
    gradients: Vec<Eight>,
    directions: Vec<Eight>,
    /// S by rows, factored: multipliers, reciprocal pivot, upper entries.
    matrices: Vec<Eight>,
    /// G₁ of one group.
    left: Vec<Eight>,
}

impl Blocks {
    /// `None` where the equations do not fall into such sets.
    pub(super) fn new(reciprocals: &[f64], jacobian: &RowPattern) -> Option<Self> {
        let sets = Sets::new(jacobian)?;
        let Sets { shapes, groups, .. } = &sets;
        let zeros = |length| vec![[0.0; MOST_LANES]; length];
        let of_all =
            |size: fn(&Shape) -> usize| zeros(groups.iter().map(|group| size(&shapes[group.shape])).sum());
        let of_one = |size: fn(&Shape) -> usize| zeros(shapes.iter().map(size).max().unwrap_or(0));
        let coordinates = groups.iter().flat_map(|group| &group.columns);
        let numbers = Numbers {
            reciprocals: coordinates.map(|places| places.map(|place| reciprocals[place as usize])).collect(),
            gradients: of_all(|shape| shape.entries.len()),
            directions: of_all(|shape| shape.entries.len()),
            matrices: of_all(|shape| shape.rows * shape.rows),
            left: of_one(|shape| shape.entries.len()),
        };
        Some(Self { sets, numbers, registers: Width::widest().registers() })
    }

    pub(super) fn count(&self) -> usize {
        self.sets.count
    }

    pub(super) fn largest(&self) -> usize {
        self.sets.largest
    }

    /// Takes G₂ and factors G₂ M⁻¹ G₂ᵀ.
    pub(super) fn factor_symmetric(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        self.run(Task::FactorSymmetric { jacobian })
    }

    /// Factors G₁ M⁻¹ G₂ᵀ.
    pub(super) fn factor(&mut self, jacobian: &[f64]) -> Result<(), ZeroPivot> {
        self.run(Task::Factor { jacobian })
    }

    /// x ← −S⁻¹ r.
    pub(super) fn solve(&mut self, residual: &[f64], x: &mut [f64]) {
        self.run(Task::Solve { residual, x }).unwrap_or_default();
    }

    /// y ← y + M⁻¹ G₂ᵀ λ.
    pub(super) fn add_motion(&mut self, multipliers: &[f64], y: &mut [f64]) {
        self.run(Task::AddMotion { multipliers, y }).unwrap_or_default();
    }

    /// x ← −S⁻¹ r, and y ← y + M⁻¹ G₂ᵀ x.
    pub(super) fn correct(&mut self, residual: &[f64], x: &mut [f64], y: &mut [f64]) {
        self.run(Task::Correct { residual, x, y }).unwrap_or_default();
    }

    fn run(&mut self, task: Task<'_>) -> Result<(), ZeroPivot> {
        let Self { sets, numbers, registers } = self;
        let work = Work { sets, numbers, task };
        match registers {
            Some(registers) => registers.run(work),
            None => work.run(),
        }
    }
}

/// What is done for each group.
enum Task<'a> {
    FactorSymmetric { jacobian: &'a [f64] },
    Factor { jacobian: &'a [f64] },
    Solve { residual: &'a [f64], x: &'a mut [f64] },
    AddMotion { multipliers: &'a [f64], y: &'a mut [f64] },
    Correct { residual: &'a [f64], x: &'a mut [f64], y: &'a mut [f64] },
}

/// A task, in a function with the instructions of the registers at hand.
struct Work<'a> {
    sets: &'a Sets,
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
        let Self { sets, numbers, mut task } = self;
        for group in &sets.groups {
            let shape = &sets.shapes[group.shape];
            let mut part = Part::of(group, shape, numbers);
            match &mut task {
                Task::FactorSymmetric { jacobian } => {
                    gather(jacobian, &group.entries, part.gradients);
                    part.set_directions(shape);
                    multiply(shape, part.gradients, part.directions, part.matrix);
                    eliminate(shape, part.matrix).map_err(|zero| zero.in_group(group))?;
                }
                Task::Factor { jacobian } => {
                    gather(jacobian, &group.entries, part.left);
                    multiply(shape, part.left, part.directions, part.matrix);
                    eliminate(shape, part.matrix).map_err(|zero| zero.in_group(group))?;
                }
                Task::Solve { residual, x } => {
                    let unknowns = part.solve(shape, group, residual);
                    scatter(&unknowns, &group.rows, x);
                }
                Task::AddMotion { multipliers, y } => {
                    let mut unknowns = [[0.0; MOST_LANES]; LARGEST];
                    gather(multipliers, &group.rows, &mut unknowns);
                    part.add_motion(shape, group, &unknowns, y);
                }
                Task::Correct { residual, x, y } => {
                    let unknowns = part.solve(shape, group, residual);
                    scatter(&unknowns, &group.rows, x);
                    part.add_motion(shape, group, &unknowns, y);
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
}

impl<'a> Part<'a> {
    #[inline(always)]
    fn of(group: &Group, shape: &Shape, numbers: &'a mut Numbers) -> Self {
        let Shape { entries, rows, heights, .. } = shape;
        let (first, count) = (group.first_entry, entries.len());
        Self {
            reciprocals: &numbers.reciprocals[group.first_column..][..heights.len()],
            gradients: &mut numbers.gradients[first..][..count],
            directions: &mut numbers.directions[first..][..count],
            matrix: &mut numbers.matrices[group.first_pair..][..rows * rows],
            left: &mut numbers.left[..count],
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

    /// −S⁻¹ r of the group.
    #[inline(always)]
    fn solve(&self, shape: &Shape, group: &Group, residual: &[f64]) -> [Eight; LARGEST] {
        let mut unknowns = [[0.0; MOST_LANES]; LARGEST];
        gather(residual, &group.rows, &mut unknowns);
        for unknown in &mut unknowns[..shape.rows] {
            for lane in unknown {
                *lane = -*lane;
            }
        }
        // Of known sizes the unknowns stay in registers.
        match shape.rows {
            1 => solve::<1>(self.matrix, &mut unknowns),
            2 => solve::<2>(self.matrix, &mut unknowns),
            3 => solve::<3>(self.matrix, &mut unknowns),
            4 => solve::<4>(self.matrix, &mut unknowns),
            5 => solve::<5>(self.matrix, &mut unknowns),
            _ => solve::<LARGEST>(self.matrix, &mut unknowns),
        }
        unknowns
    }

    /// Adds M⁻¹ G₂ᵀ times the unknowns.
    #[inline(always)]
    fn add_motion(&self, shape: &Shape, group: &Group, unknowns: &[Eight; LARGEST], y: &mut [f64]) {
        let mut entries = self.directions.iter().zip(&shape.entries);
        for (places, &height) in group.columns.iter().zip(&shape.heights) {
            let mut moved = eight(y, places);
            for (direction, &(row, _)) in entries.by_ref().take(height) {
                let unknown = &unknowns[row];
                for lane in 0..MOST_LANES {
                    moved[lane] += direction[lane] * unknown[lane];
                }
            }
            put(&moved, places, y);
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
        ZeroPivot { row: group.rows[self.row][self.lane] as usize, pivot: self.pivot }
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
fn solve<const R: usize>(matrix: &[Eight], x: &mut [Eight; LARGEST]) {
    let rows = matrix.as_chunks::<R>().0;
    for (k, row) in rows.iter().enumerate().take(R) {
        for j in 0..k {
            for lane in 0..MOST_LANES {
                x[k][lane] -= row[j][lane] * x[j][lane];
            }
        }
    }
    for (k, row) in rows.iter().enumerate().take(R).rev() {
        for j in k + 1..R {
            for lane in 0..MOST_LANES {
                x[k][lane] -= row[j][lane] * x[j][lane];
            }
        }
        for lane in 0..MOST_LANES {
            x[k][lane] *= row[k][lane];
        }
    }
}
