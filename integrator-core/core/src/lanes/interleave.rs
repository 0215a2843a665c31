//! Reads and writes registers as columns of rows in memory.

#[cfg(target_arch = "x86_64")]
use super::width::{avx2, avx512};
use super::{Lanes, MOST_LANES};
use pulp::Simd;

/// The lanes of `N` registers interleaved: a₀ b₀ … a₁ b₁ … .
#[inline(always)]
pub fn interleaved<S: Simd, const N: usize>(simd: S, columns: [Lanes<S>; N]) -> [Lanes<S>; N] {
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

/// The rows by permutations of AVX-512; `None` without AVX-512.
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
            // First a and b, then c between them; zeros hold the places of c.
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
        _ => return None,
    }
    Some(rows)
}

/// Reads one, two or three registers with interleaved lanes.
#[inline(always)]
pub fn deinterleaved<S: Simd>(simd: S, from: &[f64], columns: &mut [Lanes<S>]) {
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

/// Separates the columns by permutations of AVX-512; without AVX-512 it does nothing and returns false.
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
            // First the numbers in the first two registers, then the rest after them.
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

/// Four numbers that move together.
pub type Quadruple = [f64; 4];

/// The first three numbers of each place, one place in each lane.
#[inline(always)]
pub fn gathered<S: Simd>(simd: S, from: &[Quadruple], places: &[u32]) -> [Lanes<S>; 3] {
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
    // No `map`: its closure would be a function without the instructions of the registers.
    let mut columns = [Lanes::splat(simd, 0.0); 3];
    for (column, array) in columns.iter_mut().zip(&arrays) {
        *column = Lanes::from_array(simd, array);
    }
    columns
}

/// All four numbers of each place, one place in each lane.
#[inline(always)]
pub(crate) fn gathered_quadruples<S: Simd>(simd: S, from: &[Quadruple], places: &[u32]) -> [Lanes<S>; 4] {
    let at = |place: u32| from[place as usize];
    #[cfg(target_arch = "x86_64")]
    if let Some(instructions) = avx512(simd) {
        let avx = instructions.avx512f;
        let mut rows = [avx._mm512_setzero_pd(); MOST_LANES / 2];
        let (low, high) = places[..MOST_LANES].split_at(MOST_LANES / 2);
        for (row, (&low, &high)) in rows.iter_mut().zip(low.iter().zip(high)) {
            let [low, high] = [pulp::cast(at(low)), pulp::cast(at(high))];
            *row = avx._mm512_insertf64x4::<1>(avx._mm512_castpd256_pd512(low), high);
        }
        let [a, b, c, d] = rows;
        let front = avx._mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let back = avx._mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        let [odd, odd_next] = [avx._mm512_unpacklo_pd(a, b), avx._mm512_unpacklo_pd(c, d)];
        let [even, even_next] = [avx._mm512_unpackhi_pd(a, b), avx._mm512_unpackhi_pd(c, d)];
        return [
            Lanes::of_native(simd, avx._mm512_permutex2var_pd(odd, front, odd_next)),
            Lanes::of_native(simd, avx._mm512_permutex2var_pd(even, front, even_next)),
            Lanes::of_native(simd, avx._mm512_permutex2var_pd(odd, back, odd_next)),
            Lanes::of_native(simd, avx._mm512_permutex2var_pd(even, back, even_next)),
        ];
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(instructions) = avx2(simd) {
        const FIRST: i32 = 0x20;
        const SECOND: i32 = 0x31;
        let avx = instructions.avx;
        let [p, q, r, s] = [places[0], places[1], places[2], places[3]];
        let [a, b, c, d] = [pulp::cast(at(p)), pulp::cast(at(q)), pulp::cast(at(r)), pulp::cast(at(s))];
        let [odd, odd_next] = [avx._mm256_unpacklo_pd(a, b), avx._mm256_unpacklo_pd(c, d)];
        let [even, even_next] = [avx._mm256_unpackhi_pd(a, b), avx._mm256_unpackhi_pd(c, d)];
        return [
            Lanes::of_native(simd, avx._mm256_permute2f128_pd::<FIRST>(odd, odd_next)),
            Lanes::of_native(simd, avx._mm256_permute2f128_pd::<FIRST>(even, even_next)),
            Lanes::of_native(simd, avx._mm256_permute2f128_pd::<SECOND>(odd, odd_next)),
            Lanes::of_native(simd, avx._mm256_permute2f128_pd::<SECOND>(even, even_next)),
        ];
    }
    let mut arrays = [[0.0; MOST_LANES]; 4];
    for (k, &place) in places[..Lanes::<S>::COUNT].iter().enumerate() {
        for (array, number) in arrays.iter_mut().zip(at(place)) {
            array[k] = number;
        }
    }
    let mut columns = [Lanes::splat(simd, 0.0); 4];
    for (column, array) in columns.iter_mut().zip(&arrays) {
        *column = Lanes::from_array(simd, array);
    }
    columns
}

/// Gathers by registers of AVX-512: reads each place at once and transposes, because a register that is
/// assembled in memory number by number delays its load.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn gathered_by_rows<S: Simd>(simd: S, from: &[Quadruple], places: &[u32]) -> Option<[Lanes<S>; 3]> {
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
    // First and third numbers of two rows, and second numbers.
    let [ab, cd] = [avx._mm512_unpacklo_pd(a, b), avx._mm512_unpacklo_pd(c, d)];
    let [ab_second, cd_second] = [avx._mm512_unpackhi_pd(a, b), avx._mm512_unpackhi_pd(c, d)];
    Some([
        Lanes::of_native(simd, avx._mm512_permutex2var_pd(ab, front, cd)),
        Lanes::of_native(simd, avx._mm512_permutex2var_pd(ab_second, front, cd_second)),
        Lanes::of_native(simd, avx._mm512_permutex2var_pd(ab, back, cd)),
    ])
}

/// Adds the lanes of three registers to the first numbers of the places; the fourth number is padding.
#[inline(always)]
pub fn scattered<S: Simd>(simd: S, columns: [Lanes<S>; 3], to: &mut [Quadruple], places: &[u32]) {
    #[cfg(target_arch = "x86_64")]
    if scattered_by_rows(simd, &columns, to, places) || scattered_by_four_rows(simd, &columns, to, places) {
        return;
    }
    let mut arrays = [[0.0; MOST_LANES]; 3];
    for (array, lanes) in arrays.iter_mut().zip(&columns) {
        lanes.store(array);
    }
    for (k, &place) in places[..Lanes::<S>::COUNT].iter().enumerate() {
        to[place as usize].iter_mut().zip(&arrays).for_each(|(to, array)| *to += array[k]);
    }
}

/// Scatters by registers of AVX-512: transposes, and adds to each place at once; without AVX-512 it does
/// nothing and returns false.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn scattered_by_rows<S: Simd>(
    simd: S,
    columns: &[Lanes<S>; 3],
    to: &mut [Quadruple],
    places: &[u32],
) -> bool {
    let Some(instructions) = avx512(simd) else { return false };
    let (avx, halves) = (instructions.avx512f, instructions.avx);
    let [a, b, c] = [columns[0].native(), columns[1].native(), columns[2].native()];
    let [even, odd] = [avx._mm512_unpacklo_pd(a, b), avx._mm512_unpackhi_pd(a, b)];
    // Puts pairs of lanes of the third column after pairs of the first two;
    // the surplus number goes to padding.
    let even_front = avx._mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    let odd_front = avx._mm512_setr_epi64(0, 1, 9, 8, 2, 3, 11, 10);
    let even_back = avx._mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    let odd_back = avx._mm512_setr_epi64(4, 5, 13, 12, 6, 7, 15, 14);
    // The rows of two lanes in the halves of a register: 0 and 2, 1 and 3, and so on.
    let rows = [
        avx._mm512_permutex2var_pd(even, even_front, c),
        avx._mm512_permutex2var_pd(odd, odd_front, c),
        avx._mm512_permutex2var_pd(even, even_back, c),
        avx._mm512_permutex2var_pd(odd, odd_back, c),
    ];
    for (lane, place) in places[..MOST_LANES].iter().enumerate() {
        let row = rows[lane / 4 * 2 + lane % 2];
        let half =
            if lane % 4 < 2 { avx._mm512_castpd512_pd256(row) } else { avx._mm512_extractf64x4_pd::<1>(row) };
        let to = &mut to[*place as usize];
        *to = pulp::cast(halves._mm256_add_pd(pulp::cast(*to), half));
    }
    true
}

/// Scatters by registers of AVX2; without AVX2 it does nothing and returns false.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn scattered_by_four_rows<S: Simd>(
    simd: S,
    columns: &[Lanes<S>; 3],
    to: &mut [Quadruple],
    places: &[u32],
) -> bool {
    /// The first or the second halves of two registers.
    const FIRST: i32 = 0x20;
    const SECOND: i32 = 0x31;
    let Some(instructions) = avx2(simd) else { return false };
    let avx = instructions.avx;
    let [a, b, c] = [columns[0].native(), columns[1].native(), columns[2].native()];
    let [even, odd] = [avx._mm256_unpacklo_pd(a, b), avx._mm256_unpackhi_pd(a, b)];
    // The surplus number goes to padding.
    let odd_third = avx._mm256_unpackhi_pd(c, c);
    let rows = [
        avx._mm256_permute2f128_pd::<FIRST>(even, c),
        avx._mm256_permute2f128_pd::<FIRST>(odd, odd_third),
        avx._mm256_permute2f128_pd::<SECOND>(even, c),
        avx._mm256_permute2f128_pd::<SECOND>(odd, odd_third),
    ];
    for (row, place) in rows.into_iter().zip(places) {
        let to = &mut to[*place as usize];
        *to = pulp::cast(avx._mm256_add_pd(pulp::cast(*to), row));
    }
    true
}
