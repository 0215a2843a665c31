//! Bands that need no pivoting, as A = L D U from both ends towards the middle.
//!
//! Each elimination is a chain of dependent operations, in which a processor mostly waits; two of them
//! at once take the time of one. Step k eliminates the unknowns at places k and N − 1 − k: what it reads
//! and writes of both stands side by side. The unknowns that remain in the middle, as many as the band
//! is wide, are solved with pivoting. Values are kept beside the factors: who changes some of them
//! writes these alone.

use super::kernel::FactorError;
use super::solver::Solver;
use crate::sparse::order::bandwidth_after;
use crate::sparse::pattern::SymmetricPattern;

/// A number of each end.
type Pair = [f64; 2];

/// A band and its factors.
#[derive(Debug)]
pub(crate) struct BothEnds {
    /// The bandwidth, rounded up to one that the compiler knows.
    bandwidth: usize,
    /// The number of steps of elimination.
    steps: usize,
    /// The place of each unknown, and the unknown at each place.
    places: Vec<u32>,
    unknowns: Vec<u32>,
    /// For each step the diagonal, the column below it and the row behind it, of both ends; and behind
    /// all steps the entries in the middle.
    values: Vec<f64>,
    /// The reciprocals of D, L and U, likewise.
    factors: Vec<Pair>,
    middle: Solver,
    /// The place of each entry in the middle, row after row.
    of_middle: Vec<u32>,
    x: Vec<Pair>,
    x_middle: Vec<f64>,
}

/// Calls a function for a bandwidth that the compiler knows.
macro_rules! of_bandwidth {
    ($bandwidth:expr, $function:ident($($argument:expr),*)) => {
        match $bandwidth {
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            5 => $function::<5>($($argument),*),
            6 => $function::<6>($($argument),*),
            7 => $function::<7>($($argument),*),
            8 => $function::<8>($($argument),*),
            12 => $function::<12>($($argument),*),
            _ => $function::<16>($($argument),*),
        }
    };
}

const BANDWIDTHS: [usize; 9] = [2, 3, 4, 5, 6, 7, 8, 12, 16];

impl BothEnds {
    /// With the unknowns at these places, no more than `most` of which are eliminated from an end;
    /// `None` where that makes no narrow band.
    pub(crate) fn new(pattern: &SymmetricPattern, places: &[u32], most: usize) -> Option<Self> {
        let narrow = bandwidth_after(pattern, places);
        let dimension = pattern.dimension();
        let bandwidth =
            BANDWIDTHS.into_iter().find(|known| *known >= narrow).filter(|known| *known <= dimension)?;
        let steps = most.min(dimension.saturating_sub(bandwidth) / 2);
        let rest = dimension - 2 * steps;
        let whole = (0..rest).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let mut middle = Solver::unsymmetric(&SymmetricPattern::new(rest, whole))?;
        middle.accept_small_pivots();
        let of_middle = (0..rest * rest).map(|place| middle.position(place / rest, place % rest));
        let mut unknowns = vec![0; dimension];
        places.iter().zip(0..).for_each(|(place, unknown)| unknowns[*place as usize] = unknown);
        Some(Self {
            of_middle: of_middle.map(|place| place.map(|place| place as u32)).collect::<Option<_>>()?,
            bandwidth,
            steps,
            places: places.to_vec(),
            unknowns,
            values: vec![0.0; 2 * steps * (2 * bandwidth + 1) + rest * rest],
            factors: vec![[0.0; 2]; steps * (2 * bandwidth + 1)],
            middle,
            x: vec![[0.0; 2]; steps],
            x_middle: vec![0.0; rest],
        })
    }

    /// Where the entry (row, column) of the pattern stands among the values.
    pub(crate) fn position(&self, row: usize, column: usize) -> usize {
        let (steps, width, last) = (self.steps, 2 * self.bandwidth + 1, self.places.len() - 1);
        let [row, column] = [row, column].map(|unknown| self.places[unknown] as usize);
        let of_end = |[row, column]: [usize; 2], end: usize| {
            let place = if row < column { self.bandwidth + column - row } else { row - column };
            2 * (row.min(column) * width + place) + end
        };
        if row.min(column) < steps {
            of_end([row, column], 0)
        } else if row.max(column) > last - steps {
            of_end([last - row, last - column], 1)
        } else {
            2 * steps * width + (row - steps) * self.x_middle.len() + column - steps
        }
    }

    /// The values of the matrix, at their [positions](Self::position), with zeros at all others.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values, to be changed before the matrix is [factored](Self::factor).
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Factors the matrix of the present values.
    ///
    /// # Errors
    /// A pivot that cannot be divided by.
    pub(crate) fn factor(&mut self) -> Result<(), FactorError> {
        let Self { bandwidth, steps, values, factors, middle, of_middle, .. } = self;
        let (bands, inside) = values.split_at(2 * factors.len());
        let rest = self.x_middle.len();
        let target = middle.values_mut();
        of_middle.iter().zip(inside).for_each(|(place, value)| target[*place as usize] = *value);
        let bands = bands.as_chunks().0;
        let is_regular = of_bandwidth!(
            *bandwidth,
            eliminate(bands, factors, &mut |row, column, taken| {
                target[of_middle[row * rest + column] as usize] -= taken[0];
                let [row, column] = [row, column].map(|place| rest - 1 - place);
                target[of_middle[row * rest + column] as usize] -= taken[1];
            })
        );
        let (steps, last) = (*steps, self.places.len() - 1);
        let inside = middle.refactor();
        if is_regular && inside.is_ok() {
            return Ok(());
        }
        let reciprocals = factors.iter().step_by(2 * *bandwidth + 1).enumerate();
        let mut ends = reciprocals.flat_map(|(k, [down, up])| [(k, *down), (last - k, *up)]);
        let inside = inside.map_err(|error| (steps + error.index, error.pivot)).err();
        let of_end =
            ends.find(|(_, number)| !number.is_finite()).map(|(place, number)| (place, 1.0 / number));
        let (place, pivot) = of_end.or(inside).unwrap_or((0, f64::NAN));
        Err(FactorError { index: self.unknowns[place] as usize, pivot })
    }

    /// x ← A⁻¹ x for the matrix factored last.
    pub(crate) fn substitute(&mut self, x: &mut [f64]) {
        let Self { bandwidth, steps, unknowns, factors, middle, x: ends, x_middle, .. } = self;
        let (down, others) = unknowns.split_at(*steps);
        let (inside, up) = others.split_at(x_middle.len());
        for (pair, (down, up)) in ends.iter_mut().zip(down.iter().zip(up.iter().rev())) {
            *pair = [x[*down as usize], x[*up as usize]];
        }
        x_middle.iter_mut().zip(inside).for_each(|(entry, unknown)| *entry = x[*unknown as usize]);
        of_bandwidth!(*bandwidth, towards_the_middle(factors, ends, x_middle));
        middle.substitute(x_middle);
        of_bandwidth!(*bandwidth, back_to_the_ends(factors, ends, x_middle));
        for (pair, (down, up)) in ends.iter().zip(down.iter().zip(up.iter().rev())) {
            [x[*down as usize], x[*up as usize]] = *pair;
        }
        inside.iter().zip(x_middle).for_each(|(unknown, entry)| x[*unknown as usize] = *entry);
    }
}

/// a + b c of each end.
#[inline(always)]
fn add([a0, a1]: Pair, [b0, b1]: Pair, [c0, c1]: Pair) -> Pair {
    [a0 + b0 * c0, a1 + b1 * c1]
}

/// a − b of each end.
#[inline(always)]
fn less([a0, a1]: Pair, [b0, b1]: Pair) -> Pair {
    [a0 - b0, a1 - b1]
}

/// a b of each end.
#[inline(always)]
fn times([a0, a1]: Pair, [b0, b1]: Pair) -> Pair {
    [a0 * b0, a1 * b1]
}

/// True if all pivots can be divided by; shows what is taken from the entries in the middle, which are
/// counted from both ends.
fn eliminate<const B: usize>(
    bands: &[Pair],
    factors: &mut [Pair],
    take: &mut dyn FnMut(usize, usize, Pair),
) -> bool {
    // What is to be taken from the rows and columns behind, and once more from the next pivot, which
    // waits for it alone.
    let (mut held, mut last) = ([[[0.0; 2]; B]; B], [0.0; 2]);
    // Not a number behind a pivot that is not finite, or zero.
    let mut told = [0.0; 2];
    let width = 2 * B + 1;
    for (band, factors) in bands.chunks_exact(width).zip(factors.chunks_exact_mut(width)) {
        let pivot = less(less(band[0], held[0][0]), last);
        told = add(told, pivot, [0.0; 2]);
        let reciprocal = pivot.map(|pivot| 1.0 / pivot);
        let column: [Pair; B] =
            std::array::from_fn(|i| if i + 1 < B { less(band[1 + i], held[i + 1][0]) } else { band[1 + i] });
        let row: [Pair; B] = std::array::from_fn(|j| {
            if j + 1 < B { less(band[1 + B + j], held[0][j + 1]) } else { band[1 + B + j] }
        });
        let below = column.map(|entry| times(entry, reciprocal));
        factors[0] = reciprocal;
        for i in 0..B {
            (factors[1 + i], factors[1 + B + i]) = (below[i], times(row[i], reciprocal));
            for j in 0..B {
                let before = if i + 1 < B && j + 1 < B { held[i + 1][j + 1] } else { [0.0; 2] };
                held[i][j] = if i + j > 0 { add(before, below[i], row[j]) } else { before };
            }
        }
        last = times(times(column[0], row[0]), reciprocal);
    }
    held[0][0] = add(held[0][0], last, [1.0; 2]);
    for (i, held) in held.iter().enumerate() {
        held.iter().enumerate().for_each(|(j, taken)| take(i, j, *taken));
    }
    told.iter().all(|told| told.is_finite())
}

/// x ← L⁻¹ x.
fn towards_the_middle<const B: usize>(factors: &[Pair], x: &mut [Pair], middle: &mut [f64]) {
    // What is to be taken from the entries behind, and once more from the next one.
    let (mut held, mut last) = ([[0.0; 2]; B], [0.0; 2]);
    for (factors, x) in factors.chunks_exact(2 * B + 1).zip(x) {
        let value = less(less(*x, held[0]), last);
        *x = value;
        last = times(factors[1], value);
        held[0] = held[1];
        for i in 1..B {
            let before = if i + 1 < B { held[i + 1] } else { [0.0; 2] };
            held[i] = add(before, factors[1 + i], value);
        }
    }
    held[0] = add(held[0], last, [1.0; 2]);
    let end = middle.len() - 1;
    for (place, [down, up]) in held.iter().enumerate() {
        middle[place] -= down;
        middle[end - place] -= up;
    }
}

/// x ← U⁻¹ D⁻¹ x.
fn back_to_the_ends<const B: usize>(factors: &[Pair], x: &mut [Pair], middle: &[f64]) {
    let mut near: [Pair; B] = std::array::from_fn(|place| [middle[place], middle[middle.len() - 1 - place]]);
    for (factors, x) in factors.chunks_exact(2 * B + 1).zip(x).rev() {
        let mut value = times(*x, factors[0]);
        // The nearest neighbour, which is known last, comes last: the chain of dependent operations
        // stays short.
        for place in (0..B).rev() {
            value = less(value, times(factors[1 + B + place], near[place]));
        }
        *x = value;
        for place in (1..B).rev() {
            near[place] = near[place - 1];
        }
        near[0] = value;
    }
}
