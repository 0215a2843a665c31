//! Registers as columns, read and written by rows.

#[cfg(target_arch = "x86_64")]
use super::width::{avx2, avx512};
use super::{Lanes, MOST_LANES};
use pulp::Simd;
#[cfg(target_arch = "x86_64")]
use pulp::x86::V4;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m512d;

/// The lanes of `N` registers in turns: a₀ b₀ … a₁ b₁ … .
#[inline(always)]
pub(crate) fn interleaved<S: Simd, const N: usize>(simd: S, columns: [Lanes<S>; N]) -> [Lanes<S>; N] {
    #[cfg(target_arch = "x86_64")]
    if let Some(rows) = permuted(simd, &columns) {
        return rows;
    }
    let lanes = Lanes::<S>::COUNT;
    let mut arrays = [[0.0; MOST_LANES]; N];
    for (array, column) in arrays.iter_mut().zip(&columns) {
        column.store(array);
    }
    let mut rows = columns;
    for (k, row) in rows.iter_mut().enumerate() {
        let mut turn = [0.0; MOST_LANES];
        for (lane, number) in turn.iter_mut().enumerate().take(lanes) {
            let at = k * lanes + lane;
            *number = arrays[at % N][at / N];
        }
        *row = Lanes::from_array(simd, &turn);
    }
    rows
}

/// The same for registers of AVX-512, each put together by permutations of two.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn permuted<S: Simd, const N: usize>(simd: S, columns: &[Lanes<S>; N]) -> Option<[Lanes<S>; N]> {
    let avx = avx512(simd)?.avx512f;
    let mut rows = *columns;
    match columns.as_slice() {
        [a, b] => {
            let (a, b) = (a.native(), b.native());
            let low = avx._mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
            let high = avx._mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
            rows[0] = Lanes::of_native(simd, avx._mm512_permutex2var_pd(a, low, b));
            rows[1] = Lanes::of_native(simd, avx._mm512_permutex2var_pd(a, high, b));
        }
        [a, b, c] => {
            let (a, b, c) = (a.native(), b.native(), c.native());
            // First a and b, then c between them; the zeros are where c will stand.
            let turns = [
                [[0, 8, 0, 1, 9, 0, 2, 10], [0, 1, 8, 3, 4, 9, 6, 7]],
                [[0, 3, 11, 0, 4, 12, 0, 5], [10, 1, 2, 11, 4, 5, 12, 7]],
                [[13, 0, 6, 14, 0, 7, 15, 0], [0, 13, 2, 3, 14, 5, 6, 15]],
            ];
            for (row, [of_two, of_three]) in rows.iter_mut().zip(turns) {
                let [i, j, k, l, m, n, o, p] = of_two;
                let two = avx._mm512_permutex2var_pd(a, avx._mm512_setr_epi64(i, j, k, l, m, n, o, p), b);
                let [i, j, k, l, m, n, o, p] = of_three;
                let all = avx._mm512_permutex2var_pd(two, avx._mm512_setr_epi64(i, j, k, l, m, n, o, p), c);
                *row = Lanes::of_native(simd, all);
            }
        }
        columns if N == MOST_LANES - 1 || N == 2 * MOST_LANES - 1 => {
            // The lanes of each turn in two registers, the second of which may not be full, or empty.
            let zero = Lanes::splat(simd, 0.0);
            let (mut first, mut second) = ([zero; MOST_LANES], [zero; MOST_LANES]);
            for (k, column) in columns.iter().enumerate() {
                if k < MOST_LANES {
                    first[k] = *column;
                } else {
                    second[k - MOST_LANES] = *column;
                }
            }
            first = transposed(simd, &first)?;
            if N > MOST_LANES {
                second = transposed(simd, &second)?;
            }
            for (k, row) in rows.iter_mut().enumerate() {
                // Eight numbers in a row begin in one of these registers and end in it or in the next one.
                let (turn, begin) = (k * MOST_LANES / N, k * MOST_LANES % N);
                let (here, skipped, length) = if begin < MOST_LANES {
                    (first[turn], begin, N.min(MOST_LANES))
                } else {
                    (second[turn], begin - MOST_LANES, N - MOST_LANES)
                };
                let next = if begin < MOST_LANES && N > MOST_LANES {
                    second[turn]
                } else {
                    first[(turn + 1) % MOST_LANES]
                };
                let place = |lane: usize| {
                    let at = skipped + lane;
                    (if at < length { at } else { MOST_LANES + at - length }) as i64
                };
                let order = avx._mm512_setr_epi64(
                    place(0),
                    place(1),
                    place(2),
                    place(3),
                    place(4),
                    place(5),
                    place(6),
                    place(7),
                );
                *row =
                    Lanes::of_native(simd, avx._mm512_permutex2var_pd(here.native(), order, next.native()));
            }
        }
        _ => return None,
    }
    Some(rows)
}

/// Adds the lanes of one, two or three registers in turns.
#[inline(always)]
pub(crate) fn add_interleaved<S: Simd>(simd: S, columns: &[Lanes<S>], to: &mut [f64]) {
    let mut rows = [Lanes::splat(simd, 0.0); 3];
    match *columns {
        [a, b, c] => rows = interleaved(simd, [a, b, c]),
        [a, b] => [rows[0], rows[1]] = interleaved(simd, [a, b]),
        _ => rows[..columns.len()].copy_from_slice(columns),
    }
    for (k, row) in rows[..columns.len()].iter().enumerate() {
        row.add_to(to, k * Lanes::<S>::COUNT);
    }
}

/// Reads one, two or three registers whose lanes stand in turns.
#[inline(always)]
pub(crate) fn deinterleaved<S: Simd>(simd: S, from: &[f64], columns: &mut [Lanes<S>]) {
    #[cfg(target_arch = "x86_64")]
    if unpermuted(simd, from, columns) {
        return;
    }
    let turns = columns.len();
    for (k, column) in columns.iter_mut().enumerate() {
        let mut array = [0.0; MOST_LANES];
        for (lane, number) in array.iter_mut().enumerate().take(Lanes::<S>::COUNT) {
            *number = from[lane * turns + k];
        }
        *column = Lanes::from_array(simd, &array);
    }
}

/// The same by permutations of AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn unpermuted<S: Simd>(simd: S, from: &[f64], columns: &mut [Lanes<S>]) -> bool {
    let Some(avx) = avx512(simd) else { return false };
    let avx = avx.avx512f;
    match columns {
        [only] => *only = Lanes::load(simd, from, 0),
        [a, b] => {
            let low = Lanes::load(simd, from, 0).native();
            let high = Lanes::load(simd, from, MOST_LANES).native();
            let even = avx._mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            let odd = avx._mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
            *a = Lanes::of_native(simd, avx._mm512_permutex2var_pd(low, even, high));
            *b = Lanes::of_native(simd, avx._mm512_permutex2var_pd(low, odd, high));
        }
        [_, _, _] => {
            let low = Lanes::load(simd, from, 0).native();
            let middle = Lanes::load(simd, from, MOST_LANES).native();
            let high = Lanes::load(simd, from, 2 * MOST_LANES).native();
            // First what stands in the first two registers, then the rest behind it.
            let turns = [
                [[0, 3, 6, 9, 12, 15, 0, 0], [0, 1, 2, 3, 4, 5, 10, 13]],
                [[1, 4, 7, 10, 13, 0, 0, 0], [0, 1, 2, 3, 4, 8, 11, 14]],
                [[2, 5, 8, 11, 14, 0, 0, 0], [0, 1, 2, 3, 4, 9, 12, 15]],
            ];
            for (column, [of_two, of_three]) in columns.iter_mut().zip(turns) {
                let [i, j, k, l, m, n, o, p] = of_two;
                let two =
                    avx._mm512_permutex2var_pd(low, avx._mm512_setr_epi64(i, j, k, l, m, n, o, p), middle);
                let [i, j, k, l, m, n, o, p] = of_three;
                let all =
                    avx._mm512_permutex2var_pd(two, avx._mm512_setr_epi64(i, j, k, l, m, n, o, p), high);
                *column = Lanes::of_native(simd, all);
            }
        }
        _ => return false,
    }
    true
}

/// Four numbers that are moved at once.
pub(crate) type Quadruple = [f64; 4];

/// As many as 16 bits count, and two columns behind the last: whatever the bits of a place, nothing need be checked.
pub(crate) type Quadruples = [Quadruple; (1 << 16) + 2];

/// The first three numbers in each of the places, those of one place in one lane.
#[inline(always)]
pub(crate) fn gathered<S: Simd>(simd: S, from: &Quadruples, places: &[u16]) -> [Lanes<S>; 3] {
    #[cfg(target_arch = "x86_64")]
    if let Some(columns) = gathered_by_rows(simd, from, places) {
        return columns;
    }
    let mut arrays = [[0.0; MOST_LANES]; 3];
    for (k, &place) in places[..Lanes::<S>::COUNT].iter().enumerate() {
        for (array, number) in arrays.iter_mut().zip(&from[place as usize]) {
            array[k] = *number;
        }
    }
    // No `map`: what it calls would be functions without the instructions of the registers.
    let mut columns = [Lanes::splat(simd, 0.0); 3];
    for (column, array) in columns.iter_mut().zip(&arrays) {
        *column = Lanes::from_array(simd, array);
    }
    columns
}

/// The same by registers of AVX-512, each place read at once and the matrix of what was read transposed: numbers that are put
/// together in memory one by one are waited for when they are read as a register.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn gathered_by_rows<S: Simd>(simd: S, from: &Quadruples, places: &[u16]) -> Option<[Lanes<S>; 3]> {
    let avx = avx512(simd)?.avx512f;
    // Places k and k + 4 in the halves of a register.
    let mut rows = [avx._mm512_setzero_pd(); MOST_LANES / 2];
    let (low, high) = places[..MOST_LANES].split_at(MOST_LANES / 2);
    for (row, (&low, &high)) in rows.iter_mut().zip(low.iter().zip(high)) {
        let [low, high] = [low, high].map(|place| pulp::cast(from[place as usize]));
        *row = avx._mm512_insertf64x4::<1>(avx._mm512_castpd256_pd512(low), high);
    }
    let [a, b, c, d] = rows;
    let front = avx._mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    let back = avx._mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    // First and third numbers of two rows, and second ones.
    let [ab, cd] = [avx._mm512_unpacklo_pd(a, b), avx._mm512_unpacklo_pd(c, d)];
    let [ab_second, cd_second] = [avx._mm512_unpackhi_pd(a, b), avx._mm512_unpackhi_pd(c, d)];
    Some([
        Lanes::of_native(simd, avx._mm512_permutex2var_pd(ab, front, cd)),
        Lanes::of_native(simd, avx._mm512_permutex2var_pd(ab_second, front, cd_second)),
        Lanes::of_native(simd, avx._mm512_permutex2var_pd(ab, back, cd)),
    ])
}

/// Adds the first `count` lanes of three registers to the first numbers in each of the places, and those of three more to the
/// places that follow, as many times as there are columns. The fourth number of a place means nothing.
#[inline(always)]
pub(crate) fn scattered<S: Simd, const C: usize>(
    simd: S,
    columns: [[Lanes<S>; 3]; C],
    to: &mut Quadruples,
    places: &[u16],
    count: usize,
) {
    #[cfg(target_arch = "x86_64")]
    if scattered_by_rows(simd, &columns, to, places, count)
        || scattered_by_four_rows(simd, &columns, to, places, count)
    {
        return;
    }
    let mut arrays = [[[0.0; MOST_LANES]; 3]; C];
    for (arrays, column) in arrays.iter_mut().zip(&columns) {
        for (array, lanes) in arrays.iter_mut().zip(column) {
            lanes.store(array);
        }
    }
    for (k, &place) in places[..count].iter().enumerate() {
        for (to, arrays) in to[place as usize..][..C].iter_mut().zip(&arrays) {
            to.iter_mut().zip(arrays).for_each(|(to, array)| *to += array[k]);
        }
    }
}

/// The same by registers of AVX-512, which are transposed, each place added to at once.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn scattered_by_rows<S: Simd, const C: usize>(
    simd: S,
    columns: &[[Lanes<S>; 3]; C],
    to: &mut Quadruples,
    places: &[u16],
    count: usize,
) -> bool {
    let Some(instructions) = avx512(simd) else { return false };
    let avx = instructions.avx512f;
    // Pairs of lanes of the third column behind those of the first two; the number that is too many goes where nobody reads.
    let even_front = avx._mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    let odd_front = avx._mm512_setr_epi64(0, 1, 9, 8, 2, 3, 11, 10);
    let even_back = avx._mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    let odd_back = avx._mm512_setr_epi64(4, 5, 13, 12, 6, 7, 15, 14);
    // The rows of two lanes in the halves of a register.
    let mut rows = [[avx._mm512_setzero_pd(); MOST_LANES / 2]; C];
    for (rows, column) in rows.iter_mut().zip(columns) {
        let [a, b, c] = [column[0].native(), column[1].native(), column[2].native()];
        let [even, odd] = [avx._mm512_unpacklo_pd(a, b), avx._mm512_unpackhi_pd(a, b)];
        *rows = [
            avx._mm512_permutex2var_pd(even, even_front, c),
            avx._mm512_permutex2var_pd(odd, odd_front, c),
            avx._mm512_permutex2var_pd(even, even_back, c),
            avx._mm512_permutex2var_pd(odd, odd_back, c),
        ];
    }
    let places = &places[..MOST_LANES];
    // A loop of known length is unrolled.
    if count == MOST_LANES {
        for (k, place) in places.iter().enumerate() {
            add_rows(instructions, &rows, k, &mut to[*place as usize..][..C]);
        }
    } else {
        // Copied, so that only this loop needs an address.
        let rows = rows;
        for (k, place) in places[..count].iter().enumerate() {
            add_rows(instructions, &rows, k, &mut to[*place as usize..][..C]);
        }
    }
    true
}

/// The same by registers of AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn scattered_by_four_rows<S: Simd, const C: usize>(
    simd: S,
    columns: &[[Lanes<S>; 3]; C],
    to: &mut Quadruples,
    places: &[u16],
    count: usize,
) -> bool {
    /// The first halves of two registers, or the second ones.
    const FIRST: i32 = 0x20;
    const SECOND: i32 = 0x31;
    let Some(instructions) = avx2(simd) else { return false };
    let avx = instructions.avx;
    let mut rows = [[avx._mm256_setzero_pd(); 4]; C];
    for (rows, column) in rows.iter_mut().zip(columns) {
        let [a, b, c] = [column[0].native(), column[1].native(), column[2].native()];
        let [even, odd] = [avx._mm256_unpacklo_pd(a, b), avx._mm256_unpackhi_pd(a, b)];
        // The number that is too many goes where nobody reads.
        let odd_third = avx._mm256_unpackhi_pd(c, c);
        *rows = [
            avx._mm256_permute2f128_pd::<FIRST>(even, c),
            avx._mm256_permute2f128_pd::<FIRST>(odd, odd_third),
            avx._mm256_permute2f128_pd::<SECOND>(even, c),
            avx._mm256_permute2f128_pd::<SECOND>(odd, odd_third),
        ];
    }
    for (lane, place) in places[..4].iter().enumerate().take(count) {
        for (to, rows) in to[*place as usize..][..C].iter_mut().zip(&rows) {
            *to = pulp::cast(avx._mm256_add_pd(pulp::cast(*to), rows[lane]));
        }
    }
    true
}

/// Adds the row of a lane in each column, two of which stand in the halves of a register: 0 and 2, 1 and 3, and so on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn add_rows<const C: usize>(
    instructions: V4,
    rows: &[[__m512d; MOST_LANES / 2]; C],
    lane: usize,
    to: &mut [Quadruple],
) {
    let (avx, halves) = (instructions.avx512f, instructions.avx);
    for (to, rows) in to.iter_mut().zip(rows) {
        let row = rows[lane / 4 * 2 + lane % 2];
        let half =
            if lane % 4 < 2 { avx._mm512_castpd512_pd256(row) } else { avx._mm512_extractf64x4_pd::<1>(row) };
        *to = pulp::cast(halves._mm256_add_pd(pulp::cast(*to), half));
    }
}

impl<S: Simd> Lanes<S> {
    /// The lanes moved on by one: the last of `before` comes first, and the last of these is left out.
    #[inline(always)]
    pub(crate) fn after(self, simd: S, before: Self) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx) = avx512(simd) {
            let avx = avx.avx512f;
            let order = avx._mm512_setr_epi64(7, 8, 9, 10, 11, 12, 13, 14);
            return Self::of_native(simd, avx._mm512_permutex2var_pd(before.native(), order, self.native()));
        }
        let (mut moved, lanes) = ([0.0; MOST_LANES], self.to_array());
        moved[0] = before.last();
        moved[1..Self::COUNT].copy_from_slice(&lanes[..Self::COUNT - 1]);
        Self::from_array(simd, &moved)
    }
}

/// Eight registers of AVX-512 as the columns of a matrix: its rows.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn transposed<S: Simd>(simd: S, columns: &[Lanes<S>; MOST_LANES]) -> Option<[Lanes<S>; MOST_LANES]> {
    /// Every second pair of lanes of two registers, from the first or from the second on.
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    let avx = avx512(simd)?.avx512f;
    let mut rows = *columns;
    for odd in [false, true] {
        // Rows 0, 2, 4 and 6, or the others: of neighbouring columns, then of four, then of all.
        let mut pairs = [columns[0].native(); 4];
        for (pair, two) in pairs.iter_mut().zip(columns.chunks_exact(2)) {
            let (left, right) = (two[0].native(), two[1].native());
            *pair =
                if odd { avx._mm512_unpackhi_pd(left, right) } else { avx._mm512_unpacklo_pd(left, right) };
        }
        let [a, b, c, d] = pairs;
        let even = (avx._mm512_shuffle_f64x2::<EVEN>(a, b), avx._mm512_shuffle_f64x2::<EVEN>(c, d));
        let other = (avx._mm512_shuffle_f64x2::<ODD>(a, b), avx._mm512_shuffle_f64x2::<ODD>(c, d));
        let all = [
            avx._mm512_shuffle_f64x2::<EVEN>(even.0, even.1),
            avx._mm512_shuffle_f64x2::<EVEN>(other.0, other.1),
            avx._mm512_shuffle_f64x2::<ODD>(even.0, even.1),
            avx._mm512_shuffle_f64x2::<ODD>(other.0, other.1),
        ];
        for (k, row) in all.into_iter().enumerate() {
            rows[2 * k + usize::from(odd)] = Lanes::of_native(simd, row);
        }
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::{
        Lanes, Quadruple, Quadruples, add_interleaved, deinterleaved, gathered, interleaved, scattered,
    };
    use crate::lanes::{MOST_LANES, Width};
    use pulp::{Simd, WithSimd};

    struct Turns<const N: usize>;

    impl<const N: usize> WithSimd for Turns<N> {
        type Output = Vec<f64>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
            let column = |k: usize| {
                let array: [f64; MOST_LANES] = std::array::from_fn(|lane| (N * lane + k) as f64);
                Lanes::from_array(simd, &array)
            };
            let rows = interleaved::<S, N>(simd, std::array::from_fn(column));
            rows.iter().flat_map(|row| row.to_array()[..S::F64_LANES].to_vec()).collect()
        }
    }

    fn is_counting<const N: usize>() {
        for registers in Width::available().into_iter().filter_map(Width::registers) {
            let numbers = registers.run(Turns::<N>);
            assert!(!numbers.is_empty());
            assert!(
                numbers.iter().zip(0..).all(|(number, count)| number.to_bits() == f64::from(count).to_bits()),
                "{numbers:?}"
            );
        }
    }

    #[test]
    fn the_lanes_of_some_registers_come_in_turns() {
        is_counting::<2>();
        is_counting::<3>();
        is_counting::<4>();
        is_counting::<7>();
        is_counting::<15>();
    }

    /// Reads numbers that count in turns, moves each column on by one, and writes the columns back.
    struct BackAndForth<const N: usize>;

    impl<const N: usize> WithSimd for BackAndForth<N> {
        type Output = Vec<f64>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
            let numbers: Vec<f64> = (0..N * S::F64_LANES).map(|number| number as f64).collect();
            let mut columns = [Lanes::splat(simd, 0.0); N];
            deinterleaved(simd, &numbers, &mut columns);
            let moved = columns.map(|column| column.after(simd, Lanes::splat(simd, -1.0)));
            let mut sums = numbers;
            add_interleaved(simd, &moved, &mut sums);
            sums
        }
    }

    fn moves_on<const N: usize>() {
        for registers in Width::available().into_iter().filter_map(Width::registers) {
            let sums = registers.run(BackAndForth::<N>);
            for (at, sum) in sums.into_iter().enumerate() {
                let before = if at < N { -1.0 } else { (at - N) as f64 };
                assert_eq!(sum.to_bits(), (at as f64 + before).to_bits(), "{N}, {at}");
            }
        }
    }

    #[test]
    fn what_comes_in_turns_is_read_moved_and_added() {
        moves_on::<1>();
        moves_on::<2>();
        moves_on::<3>();
    }

    /// Places in some order, one of them twice.
    const PLACES: [u16; MOST_LANES] = [3, 9, 0, 3, 5, 8, 1, 9];

    /// Numbers that count, in the first places.
    fn places() -> Box<Quadruples> {
        let mut places: Box<Quadruples> =
            vec![[0.0; 4]; size_of::<Quadruples>() / size_of::<Quadruple>()].try_into().expect("this length");
        for (place, to) in (0..12).zip(places.iter_mut()) {
            *to = [0, 1, 2, 3].map(|k| f64::from(10 * place + k));
        }
        places
    }

    /// Reads the places of numbers that count.
    struct Gathered;

    impl WithSimd for Gathered {
        type Output = Vec<[f64; 3]>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Vec<[f64; 3]> {
            let columns = gathered(simd, &places(), &PLACES).map(Lanes::to_array);
            (0..S::F64_LANES).map(|lane| columns.map(|column| column[lane])).collect()
        }
    }

    #[test]
    fn each_lane_reads_its_place() {
        for registers in Width::available().into_iter().filter_map(Width::registers) {
            for (read, place) in registers.run(Gathered).into_iter().zip(PLACES) {
                let expected = [0, 1, 2].map(|k| f64::from(10 * place + k));
                assert_eq!(read.map(f64::to_bits), expected.map(f64::to_bits));
            }
        }
    }

    /// What is added by a lane to a number of a column.
    fn summand(lane: usize, column: usize, number: usize) -> f64 {
        (1000 * (lane + 1) + 10 * column + number) as f64
    }

    /// Adds to the places of so many lanes.
    struct Scattered<const C: usize>(usize);

    impl<const C: usize> WithSimd for Scattered<C> {
        type Output = Vec<Quadruple>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Vec<Quadruple> {
            let mut places = places();
            let columns = std::array::from_fn(|column| {
                [0, 1, 2].map(|number| {
                    let summands: [f64; MOST_LANES] =
                        std::array::from_fn(|lane| summand(lane, column, number));
                    Lanes::from_array(simd, &summands)
                })
            });
            scattered::<S, C>(simd, columns, &mut places, &PLACES, self.0);
            places[..12].to_vec()
        }
    }

    fn are_added_to<const C: usize>() {
        for width in Width::available() {
            let Some(registers) = width.registers() else { continue };
            for count in 0..=width.lanes() {
                let mut expected = places()[..12].to_vec();
                for (lane, place) in PLACES[..count].iter().enumerate() {
                    for (column, place) in expected[*place as usize..][..C].iter_mut().enumerate() {
                        for (number, to) in place[..3].iter_mut().enumerate() {
                            *to += summand(lane, column, number);
                        }
                    }
                }
                // The fourth number of a place may be anything.
                let numbers = |places: Vec<Quadruple>| places.into_iter().map(|[a, b, c, _]| [a, b, c]);
                let found = registers.run(Scattered::<C>(count));
                assert!(
                    numbers(found.clone()).eq(numbers(expected)),
                    "{count} lanes, {C} columns: {found:?}"
                );
            }
        }
    }

    #[test]
    fn each_lane_adds_to_its_place() {
        are_added_to::<1>();
        are_added_to::<2>();
        are_added_to::<3>();
    }
}
