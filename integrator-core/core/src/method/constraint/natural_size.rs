use crate::method::newton::signs;
use crate::system::{Holonomic, Layout};

/// The largest residual of a constraint at a start, relative to its natural size: enough for numbers
/// with ten digits, far too little for a wrong length. The first step removes the residual.
pub const START_TOLERANCE: f64 = 1e-9;

/// The sizes of coordinates; a component of a point or of a matrix has at least [a part](LEAST) of the
/// size of the largest.
///
/// A zero component does not tell its rounding error: turned a little, it is as uncertain as the others.
pub(crate) struct Magnitudes {
    /// Neighbouring coordinates with this number of components, and their end.
    coordinates: Vec<(usize, usize)>,
    sizes: Vec<f64>,
}

impl Magnitudes {
    pub(crate) fn new(layout: &Layout) -> Self {
        let mut coordinates: Vec<(usize, usize)> = Vec::new();
        for coordinate in layout.coordinates() {
            let (components, end) = (coordinate.kind.components(), coordinate.offset + coordinate.size());
            match coordinates.last_mut() {
                Some(last) if last.0 == components => last.1 = end,
                _ => coordinates.push((components, end)),
            }
        }
        Self { coordinates, sizes: vec![0.0; layout.dimension()] }
    }

    /// |q| + h |v|.
    pub(crate) fn of_step(&mut self, q: &[f64], v: &[f64], h: f64) -> &[f64] {
        let mut begin = 0;
        for &(components, end) in &self.coordinates {
            let (q, v, sizes) = (&q[begin..end], &v[begin..end], &mut self.sizes[begin..end]);
            match components {
                2 => measure::<2>(q, v, h, sizes),
                3 => measure::<3>(q, v, h, sizes),
                9 => measure::<9>(q, v, h, sizes),
                _ => measure::<1>(q, v, h, sizes),
            }
            begin = end;
        }
        &self.sizes
    }
}

/// The least size of a component of a point or of a matrix, as a part of its largest component.
pub(crate) const LEAST: f64 = 1e-3;

fn measure<const N: usize>(q: &[f64], v: &[f64], h: f64, sizes: &mut [f64]) {
    let known = q.as_chunks::<N>().0.iter().zip(v.as_chunks::<N>().0);
    for (sizes, (q, v)) in sizes.as_chunks_mut::<N>().0.iter_mut().zip(known) {
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        *sizes = std::array::from_fn(|k| q[k].abs() + (h * v[k]).abs());
        let least = LEAST * sizes.iter().fold(0.0, |largest, size| larger(*size, largest));
        *sizes = sizes.map(|size| larger(size, least));
    }
}

/// The relative size of probes of g: so small that third derivatives change g by less than rounding.
const PROBE: f64 = 1.0 / (1_u64 << 30) as f64;
const PROBES: usize = 8;

/// For each constraint, the size of its terms, estimated from the rounding error of g near q; at least
/// [a part](LEAST) of the size from the [lengths](measure_lengths) of the coordinates.
///
/// Derivatives do not show the constants in g, such as a fixed pivot; the rounding of their cancellation
/// does. Probes at positions nearby compare g with its Taylor polynomial of order two. Of the probes
/// that show rounding, one with a small difference counts: probes across an edge of g show larger ones.
pub(crate) fn sizes_of_terms<S: Holonomic + ?Sized>(system: &S, q: &[f64], t: f64) -> Vec<f64> {
    let rows = system.constraints();
    let (mut values, mut there, mut quadratic) = (vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]);
    let mut jacobian = vec![0.0; system.jacobian_pattern().len()];
    system.jacobian(q, t, &mut values, &mut jacobian);
    let mut lengths = vec![0.0; q.len()];
    measure_lengths(system.layout(), q, &mut lengths);
    let of_step = Magnitudes::new(system.layout()).of_step(q, q, 0.0).to_vec();
    // If all points are at the origin, probes have any length.
    let of_probe = |length: f64| if length > 0.0 { LEAST * length } else { 1.0 };
    let sizes: Vec<f64> =
        of_step.iter().zip(&lengths).map(|(size, length)| size.max(of_probe(*length))).collect();
    let mut found = vec![[0.0_f64; PROBES]; rows];
    for probe in 0..PROBES {
        let length = PROBE * (1.0 + probe as f64 * std::f64::consts::E);
        let aside: Vec<f64> = signs(probe as u64 + 1)
            .zip(q.iter().zip(&sizes))
            .map(|(sign, (q, size))| q + (length * size).copysign(sign))
            .collect();
        let moved: Vec<f64> = aside.iter().zip(q).map(|(aside, q)| aside - q).collect();
        system.constraint_values(&aside, t, &mut there);
        system.constraint_quadratic(q, t, &moved, &mut quadratic);
        quadratic.iter_mut().for_each(|value| *value *= 0.5);
        system.jacobian_pattern().multiply_add(&jacobian, &moved, &mut quadratic);
        for (row, found) in found.iter_mut().enumerate() {
            let rounding = (there[row] - values[row] - quadratic[row]).abs();
            found[probe] = if rounding.is_finite() { rounding } else { 0.0 };
        }
    }
    let of_row = |found: &mut [f64; PROBES]| {
        found.sort_unstable_by(f64::total_cmp);
        let shown = &found[found.iter().filter(|rounding| **rounding == 0.0).count()..];
        shown.get(shown.len().saturating_sub(1) / 3).map_or(0.0, |rounding| rounding / f64::EPSILON)
    };
    let of_lengths = |row: usize| {
        let place = system.jacobian_pattern().row(row);
        let columns = &system.jacobian_pattern().columns()[place.clone()];
        let terms = jacobian[place]
            .iter()
            .zip(columns)
            .map(|(entry, column)| entry.abs() * lengths[*column as usize]);
        LEAST * terms.sum::<f64>()
    };
    found.iter_mut().map(of_row).enumerate().map(|(row, size)| size.max(of_lengths(row))).collect()
}

/// The probes of a row on the scale of its coordinates, in parts of their lengths.
const ASIDE: f64 = 0.01;
/// A row has no gradient if its slope explains less than this part of its changes by probes.
const NONE: f64 = 1e-4;

/// The first row that changes nearby, and has a gradient of zero at q, or none.
///
/// It is zero with its gradient, as a square, and so holds nothing to first order; found where q is
/// off its zero by less than a millionth, too.
pub(crate) fn row_without_gradient<S: Holonomic + ?Sized>(system: &S, q: &[f64], t: f64) -> Option<usize> {
    let rows = system.constraints();
    let (mut values, mut there, mut changes) = (vec![0.0; rows], vec![0.0; rows], vec![0.0_f64; rows]);
    let mut jacobian = vec![0.0; system.jacobian_pattern().len()];
    system.jacobian(q, t, &mut values, &mut jacobian);
    let mut lengths = vec![0.0; q.len()];
    measure_lengths(system.layout(), q, &mut lengths);
    // Where all coordinates are zero, nothing tells their size: a gradient of any size counts.
    let least = if lengths.iter().any(|length| *length > 0.0) { NONE } else { 0.0 };
    lengths.iter_mut().filter(|length| **length == 0.0).for_each(|length| *length = 1.0);
    for probe in 0..PROBES as u64 {
        let moved = signs(probe + 1).zip(q.iter().zip(&lengths));
        let aside: Vec<f64> = moved.map(|(sign, (q, length))| q + (ASIDE * length).copysign(sign)).collect();
        system.constraint_values(&aside, t, &mut there);
        for (change, (there, here)) in changes.iter_mut().zip(there.iter().zip(&values)) {
            *change = change.max((there - here).abs());
        }
    }
    (0..rows).find(|row| {
        let place = system.jacobian_pattern().row(*row);
        let columns = &system.jacobian_pattern().columns()[place.clone()];
        let terms = jacobian[place].iter().zip(columns);
        let slope: f64 = terms.map(|(entry, column)| entry.abs() * ASIDE * lengths[*column as usize]).sum();
        let flat = slope.is_nan() || slope <= least * changes[*row];
        values[*row].is_finite() && changes[*row] > 0.0 && flat
    })
}

/// Writes over `lengths`, for each component of q, the largest of its coordinate, or a part of the
/// largest among coordinates with as many components, if this is larger.
///
/// A point at the origin tells no length: a hinge there takes the lengths of the bodies that hang on it.
pub(crate) fn measure_lengths(layout: &Layout, q: &[f64], lengths: &mut [f64]) {
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let coordinates = || {
        layout.coordinates().iter().map(|coordinate| {
            let place = coordinate.offset..coordinate.offset + coordinate.size();
            (coordinate.kind.components(), place.clone(), largest(&q[place]))
        })
    };
    for (components, place, own) in coordinates() {
        let of_kind = coordinates().filter(|(others, ..)| *others == components);
        let others = of_kind.fold(0.0_f64, |largest, (.., length)| largest.max(length));
        lengths[place].fill(own.max(LEAST * others));
    }
}

/// Lowers reciprocal sizes, so that no size is below `least`.
pub(crate) fn at_least(least: &[f64], reciprocal_sizes: &mut [f64]) {
    for (reciprocal, least) in reciprocal_sizes.iter_mut().zip(least) {
        *reciprocal = reciprocal.min(1.0 / least);
    }
}

/// The residual farthest beyond the tolerance, with its row and the largest accepted value.
pub(super) fn worst(
    residuals: &[f64],
    reciprocal_sizes: &[f64],
    tolerance: f64,
) -> Option<(usize, f64, f64)> {
    let (mut row, mut largest) = (0, 0.0);
    for (index, (value, size)) in residuals.iter().zip(reciprocal_sizes).enumerate() {
        let relative = value.abs() * size;
        if relative > largest || relative.is_nan() {
            (row, largest) = (index, relative);
        }
    }
    let accepted = largest <= tolerance;
    (!accepted).then(|| (row, residuals[row], tolerance / reciprocal_sizes[row]))
}
