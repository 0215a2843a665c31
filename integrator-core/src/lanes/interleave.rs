//! Registers as columns, read by rows.

#[cfg(target_arch = "x86_64")]
use super::width::avx512;
use super::{Lanes, MOST_LANES};
use pulp::Simd;

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

/// The same for two or three registers of AVX-512, each put together by permutations of two.
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
        _ => return None,
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::{Lanes, interleaved};
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
    }
}
