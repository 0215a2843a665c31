//! The entries of step matrices, and the second derivatives that add to them.

use crate::system::Lagrangian;

/// The block of derivatives that adds to an entry.
#[derive(Debug, Clone, Copy)]
enum HessianBlock {
    /// L_vv.
    Velocities,
    /// L_vq.
    Mixed,
    /// L_qv, and F_v beside it.
    Transposed,
    /// L_qq, and F_q beside it.
    Positions,
}

/// A derivative of L or F, and the entry of K that it adds to.
#[derive(Debug, Clone, Copy)]
struct Contribution {
    source: u32,
    place: u32,
    block: HessianBlock,
}

/// The entries of K = w (L_vv + a L_vq − b (L_qv + F_v) − a b (L_qq + F_q)), by their sources.
pub(super) struct NodeMatrixEntries {
    of_lagrangian: Vec<(u32, (usize, usize), HessianBlock)>,
    of_force: Vec<(u32, (usize, usize), HessianBlock)>,
    /// True if K is symmetric: then only one triangle is stored.
    pub(super) symmetric: bool,
}

impl NodeMatrixEntries {
    /// `whole` keeps both triangles of a symmetric K, too.
    pub(super) fn of<S: Lagrangian + ?Sized>(system: &S, whole: bool) -> Self {
        let n = system.dimension();
        let (second, forced) = (system.second_pattern(), system.forced());
        let symmetric = !whole
            && forced.is_none()
            // A diagonal entry of L_vq equals its mirror image in L_qv.
            && !second.entries().any(|(row, column)| {
                (n..2 * n).contains(&row) && column < n && row - n != column
            });
        let mut of_lagrangian = Vec::new();
        for (source, (row, column)) in second.entries().enumerate() {
            let mut add = |i, j, block| of_lagrangian.push((source as u32, (i, j), block));
            if row < n {
                add(row, column, HessianBlock::Positions);
                if row != column && !symmetric {
                    add(column, row, HessianBlock::Positions);
                }
            } else if row < 2 * n && column < n {
                add(row - n, column, HessianBlock::Mixed);
                add(column, row - n, HessianBlock::Transposed);
            } else if row < 2 * n {
                let (row, column) = (row - n, column - n);
                add(row, column, HessianBlock::Velocities);
                if row != column && !symmetric {
                    add(column, row, HessianBlock::Velocities);
                }
            }
        }
        let of_force = forced
            .into_iter()
            .flat_map(|forced| forced.force_pattern().entries())
            .zip(0_u32..)
            .map(|((row, column), source)| {
                if column < n {
                    (source, (row, column), HessianBlock::Positions)
                } else {
                    (source, (row, column - n), HessianBlock::Transposed)
                }
            })
            .collect();
        Self { of_lagrangian, of_force, symmetric }
    }

    /// The entries (row, column) of K, with repetitions.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.of_lagrangian.iter().chain(&self.of_force).map(|&(_, place, _)| place)
    }

    /// The values of the entries, in their order: rows of velocities and of positions count with the
    /// factors `rows`, columns with `columns`.
    pub(super) fn values<'a>(
        &'a self,
        [rows, columns]: [[f64; 2]; 2],
        [of_lagrangian, of_force]: [&'a [f64]; 2],
    ) -> impl Iterator<Item = f64> + 'a {
        let of_lagrangian = self.of_lagrangian.iter().zip(std::iter::repeat(of_lagrangian));
        let of_force = self.of_force.iter().zip(std::iter::repeat(of_force));
        of_lagrangian.chain(of_force).map(move |(&(source, _, block), derivatives)| {
            let factor = match block {
                HessianBlock::Velocities => rows[0] * columns[0],
                HessianBlock::Mixed => rows[0] * columns[1],
                HessianBlock::Transposed => rows[1] * columns[0],
                HessianBlock::Positions => rows[1] * columns[1],
            };
            factor * derivatives[source as usize]
        })
    }

    /// The entries with their positions among the values of a matrix.
    pub(super) fn placed(&self, place: impl Fn(usize, usize) -> u32) -> Contributions {
        let placed = |entries: &[(u32, (usize, usize), HessianBlock)]| {
            let contribution =
                |&(source, (row, column), block)| Contribution { source, place: place(row, column), block };
            entries.iter().map(contribution).collect()
        };
        Contributions { of_lagrangian: placed(&self.of_lagrangian), of_force: placed(&self.of_force) }
    }
}

/// The entries of K, with their positions among the values of a matrix.
pub(super) struct Contributions {
    of_lagrangian: Vec<Contribution>,
    of_force: Vec<Contribution>,
}

impl Contributions {
    /// Adds w, a and b times the derivatives of L and F to the values.
    pub(super) fn add(
        &self,
        [weight, ahead, behind]: [f64; 3],
        [of_lagrangian, of_force]: [&[f64]; 2],
        values: &mut [f64],
    ) {
        let mut add = |contributions: &[Contribution], derivatives: &[f64]| {
            for &Contribution { source, place, block } in contributions {
                let factor = match block {
                    HessianBlock::Velocities => 1.0,
                    HessianBlock::Mixed => ahead,
                    HessianBlock::Transposed => -behind,
                    HessianBlock::Positions => -behind * ahead,
                };
                values[place as usize] += weight * factor * derivatives[source as usize];
            }
        };
        add(&self.of_lagrangian, of_lagrangian);
        add(&self.of_force, of_force);
    }
}
