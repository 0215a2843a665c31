use crate::lanes::Real;
use crate::method::newton::signs;
use crate::sparse::RowPattern;
use crate::system::{Holonomic, Layout};

/// The largest residual of a constraint at a start, relative to its natural size: enough for numbers
/// with ten digits, far too little for a wrong length. The first step removes the residual.
pub const START_TOLERANCE: f64 = 1e-9;

/// The sizes of coordinates; a component of a point or of a matrix has at least [a part](LEAST) of the
/// size of the largest.
///
/// A zero component does not tell its rounding error: turned a little, it is as uncertain as the others.
pub(crate) struct Magnitudes<T = f64> {
    /// Neighbouring coordinates with this number of components, and their end.
    pub(crate) coordinates: Vec<(usize, usize)>,
    pub(crate) sizes: Vec<T>,
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
        self.of_moved(q, v, h)
    }
}

impl<T: Real> Magnitudes<T> {
    /// |q| + h |v|, for members in lanes.
    #[inline(always)]
    pub(crate) fn of_moved(&mut self, q: &[T], v: &[T], h: T) -> &[T] {
        let mut begin = 0;
        for &(components, end) in &self.coordinates {
            let (q, v, sizes) = (&q[begin..end], &v[begin..end], &mut self.sizes[begin..end]);
            match components {
                2 => measure::<2, T>(q, v, h, sizes),
                3 => measure::<3, T>(q, v, h, sizes),
                9 => measure::<9, T>(q, v, h, sizes),
                _ => measure::<1, T>(q, v, h, sizes),
            }
            begin = end;
        }
        &self.sizes
    }
}

/// The least size of a component of a point or of a matrix, as a part of its largest component.
pub(crate) const LEAST: f64 = 1e-3;

#[inline(always)]
fn measure<const N: usize, T: Real>(q: &[T], v: &[T], h: T, sizes: &mut [T]) {
    let known = q.as_chunks::<N>().0.iter().zip(v.as_chunks::<N>().0);
    for (sizes, (q, v)) in sizes.as_chunks_mut::<N>().0.iter_mut().zip(known) {
        let mut largest = h.number(0.0);
        for k in 0..N {
            sizes[k] = q[k].abs() + (h * v[k]).abs();
            largest = T::select(largest.lt(sizes[k]), sizes[k], largest);
        }
        let least = largest * LEAST;
        for size in sizes {
            *size = T::select(least.lt(*size), *size, least);
        }
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

/// Bounds reciprocal sizes by the reciprocals of the least ones.
#[inline(always)]
pub(crate) fn bound<T: Real>(reciprocals: &mut [T], bounds: &[T]) {
    for (reciprocal, bound) in reciprocals.iter_mut().zip(bounds) {
        *reciprocal = T::select(reciprocal.le(*bound), *reciprocal, *bound);
    }
}

/// A residual beyond its tolerance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Excess {
    pub(crate) row: usize,
    pub(crate) residual: f64,
    pub(crate) accepted: f64,
}

/// The natural sizes of rows, by which residuals are judged.
pub(crate) struct Sizes {
    pub(super) magnitudes: Magnitudes,
    /// The reciprocals of the least sizes, from the rounding of the terms of g at the start.
    pub(super) bounds: Vec<f64>,
    /// 1/s_c.
    pub(super) reciprocals: Vec<f64>,
}

impl Sizes {
    pub(super) fn new(layout: &Layout, rows: usize) -> Self {
        Self {
            magnitudes: Magnitudes::new(layout),
            bounds: vec![f64::INFINITY; rows],
            reciprocals: vec![0.0; rows],
        }
    }

    /// Measures the terms of g at a start; their rounding limits residuals from below.
    pub(super) fn measure_terms<S: Holonomic + ?Sized>(&mut self, system: &S, q: &[f64], t: f64) {
        self.bounds = sizes_of_terms(system, q, t).into_iter().map(|least| 1.0 / least).collect();
    }

    /// Measures rows B for a step of length h from q with velocity v.
    #[inline]
    pub(super) fn measure(&mut self, rows: (&RowPattern, &[f64]), motion: (&[f64], &[f64]), h: f64) {
        self.measure_plainly(rows, motion, h);
        bound(&mut self.reciprocals, &self.bounds);
    }

    /// [`Self::measure`] without the terms of g.
    #[inline]
    pub(super) fn measure_plainly(
        &mut self,
        (pattern, rows): (&RowPattern, &[f64]),
        (q, v): (&[f64], &[f64]),
        h: f64,
    ) {
        pattern.reciprocal_sizes(rows, self.magnitudes.of_step(q, v, h), &mut self.reciprocals);
    }

    /// Adds the sizes of further terms.
    pub(super) fn add(&mut self, terms: &[f64]) {
        for (reciprocal, term) in self.reciprocals.iter_mut().zip(terms) {
            *reciprocal = 1.0 / (1.0 / *reciprocal + term.abs());
        }
    }

    /// The residual farthest beyond the tolerance, and the largest accepted one.
    pub(crate) fn worst(&self, residuals: &[f64], tolerance: f64) -> Option<Excess> {
        let (mut row, mut largest) = (0, 0.0);
        for (index, (value, size)) in residuals.iter().zip(&self.reciprocals).enumerate() {
            let relative = value.abs() * size;
            if relative > largest || relative.is_nan() {
                (row, largest) = (index, relative);
            }
        }
        let accepted = largest <= tolerance;
        (!accepted).then(|| Excess {
            row,
            residual: residuals[row],
            accepted: tolerance / self.reciprocals[row],
        })
    }
}
