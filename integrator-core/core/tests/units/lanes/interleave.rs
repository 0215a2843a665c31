use least_action_core::internals::lanes::{
    Lanes, MOST_LANES, Quadruple, deinterleaved, gathered, interleaved, scattered,
};
use least_action_core::lanes::Width;
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

/// Reads numbers that count in turns, and writes them in turns again.
struct BackAndForth<const N: usize>;

impl<const N: usize> WithSimd for BackAndForth<N> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let numbers: Vec<f64> = (0..N * S::F64_LANES).map(|number| number as f64).collect();
        let mut columns = [Lanes::splat(simd, 0.0); N];
        deinterleaved(simd, &numbers, &mut columns);
        let first = columns[0].to_array();
        assert!((0..S::F64_LANES).all(|lane| first[lane].to_bits() == ((lane * N) as f64).to_bits()));
        let mut back = vec![0.0; numbers.len()];
        for (k, row) in interleaved(simd, columns).iter().enumerate() {
            row.write(&mut back, k * S::F64_LANES);
        }
        back
    }
}

#[test]
fn what_comes_in_turns_is_read_by_columns() {
    for registers in Width::available().into_iter().filter_map(Width::registers) {
        for back in [registers.run(BackAndForth::<2>), registers.run(BackAndForth::<3>)] {
            assert!(back.iter().enumerate().all(|(at, number)| number.to_bits() == (at as f64).to_bits()));
        }
    }
}

/// Places in some order, one of them twice.
const PLACES: [u32; MOST_LANES] = [3, 9, 0, 3, 5, 8, 1, 9];

/// Numbers that count.
fn places() -> Vec<Quadruple> {
    (0..12).map(|place| [0, 1, 2, 3].map(|k| f64::from(10 * place + k))).collect()
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

/// The summand of a lane to a number of its place.
fn summand(lane: usize, number: usize) -> f64 {
    (1000 * (lane + 1) + number) as f64
}

/// Adds to the places.
struct Scattered;

impl WithSimd for Scattered {
    type Output = Vec<Quadruple>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<Quadruple> {
        let mut places = places();
        let columns = [0, 1, 2].map(|number| {
            let summands: [f64; MOST_LANES] = std::array::from_fn(|lane| summand(lane, number));
            Lanes::from_array(simd, &summands)
        });
        scattered(simd, columns, &mut places, &PLACES);
        places
    }
}

#[test]
fn each_lane_adds_to_its_place() {
    for width in Width::available() {
        let Some(registers) = width.registers() else { continue };
        let mut expected = places();
        for (lane, place) in PLACES[..width.lanes()].iter().enumerate() {
            for (number, to) in expected[*place as usize][..3].iter_mut().enumerate() {
                *to += summand(lane, number);
            }
        }
        // The fourth number of a place may be anything.
        let numbers = |places: Vec<Quadruple>| places.into_iter().map(|[a, b, c, _]| [a, b, c]);
        let found = registers.run(Scattered);
        assert!(numbers(found.clone()).eq(numbers(expected)), "{found:?}");
    }
}
