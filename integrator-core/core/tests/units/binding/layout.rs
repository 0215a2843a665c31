//! The contract of a layout: a line of a row reads the number of its input, and a number added to a
//! target reaches the input.

use super::kernels::element;
use least_action_core::emitted::v1::{Code, Executable, Kernel, Ports, Real, Row, Vector};
use least_action_core::internals::binding::{
    ElementRow, Layout, Line, Scattered, Strided, Tuples, spread_out,
};
use least_action_core::internals::near::Operation;
use least_action_core::lanes::Width;

/// Two points in space, neither of which matters.
struct Nothing;

const INPUTS: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)];

impl Code<2, 6, 0> for Nothing {
    const INPUTS: [(usize, usize); 6] = INPUTS;
    const READS_DIRECTION: bool = false;
    const VECTOR: Vector = Vector::None;
    const ROW: Row = Row::None;

    fn run<T: Real>(ports: &mut impl Ports<T>) -> T {
        ports.x(0)
    }
}

static PAIR: Kernel = Kernel {
    facts: element("a pair", 2, &INPUTS, 0, &[]),
    operations: [const { Executable::wide::<Nothing, 2, 6, 0, 0>() }; Operation::COUNT],
};

fn tuples(pairs: &[[u32; 2]]) -> Tuples {
    let mut tuples = Tuples::new(2);
    pairs.iter().for_each(|[i, j]| tuples.push(&[3 * i, 3 * j]));
    tuples.finish();
    tuples
}

/// Every element reads its own numbers, and adds to them.
#[track_caller]
fn keeps_its_promise(layout: &dyn Layout, order: Option<&[u32]>, pairs: &[[u32; 2]], length: usize) {
    let x: Vec<f64> = (0..length).map(|k| k as f64 + 0.5).collect();
    for registers in Width::available().into_iter().filter_map(Width::registers) {
        let mut expected = vec![0.0; length];
        let (mut read, mut added) = (vec![0.0; layout.length()], vec![0.0; layout.length()]);
        layout.stage(registers, &x, &mut read);
        layout.clear(&mut added);
        let (rows, lines) = layout.rows();
        let mut place = 0;
        for (number, batch) in layout.batches().iter().enumerate() {
            layout.gather(registers, number, &mut read);
            for (ElementRow { count, .. }, lines) in
                rows[batch.rows.clone()].iter().zip(lines[batch.rows.start * 6..].chunks_exact(6))
            {
                for step in 0..*count {
                    let element = order.map_or(place, |order| order[place] as usize);
                    for (Line { start, target, advances }, (slot, component)) in lines.iter().zip(INPUTS) {
                        let by = if *advances { step } else { 0 };
                        let index = 3 * pairs[element][slot] as usize + component;
                        let found = read[(start + by) as usize];
                        assert_eq!(found.to_bits(), x[index].to_bits(), "element {element}");
                        let to = &mut added[(target + by) as usize];
                        let first = *advances || step == 0;
                        *to = if layout.writes() && first { 0.0 } else { *to } + element as f64;
                        expected[index] += element as f64;
                    }
                    place += 1;
                }
            }
            layout.scatter(registers, number, &mut added);
        }
        assert_eq!(place, pairs.len());
        let mut found = vec![0.0; length];
        layout.unstage(registers, &added, &mut found);
        assert_eq!(found, expected);
    }
}

#[track_caller]
fn strided(pairs: &[[u32; 2]], points: usize) {
    let (layout, order) = Strided::new(&PAIR, &tuples(pairs), 3 * points).expect("rows");
    keeps_its_promise(&layout, order.as_deref(), pairs, 3 * points);
}

#[test]
fn chains_are_rows() {
    for points in [20, 33, 1000] {
        strided(&(1..points).map(|i| [i - 1, i]).collect::<Vec<_>>(), points as usize);
    }
}

#[test]
fn stars_and_all_pairs_are_rows() {
    strided(&(1..40).map(|i| [0, i]).collect::<Vec<_>>(), 40);
    strided(&(0..50).flat_map(|i| (i + 1..50).map(move |j| [i, j])).collect::<Vec<_>>(), 50);
}

#[test]
fn irregular_pairs_are_no_rows_and_are_scattered() {
    for count in [16, 17, 100, 1000] {
        let pairs: Vec<[u32; 2]> = (0..count).map(|k| [k * k % 89, 89 + k * 7 % 83]).collect();
        assert!(Strided::new(&PAIR, &tuples(&pairs), 3 * 172).is_none(), "{count}");
        let (layout, order) = Scattered::new(&PAIR, &tuples(&pairs));
        keeps_its_promise(&layout, Some(&order), &pairs, 3 * 172);
    }
}

#[test]
fn every_element_has_one_lane() {
    for count in (1..200).chain([511, 512, 513, 1000, 4099]) {
        let mut order = spread_out(count);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..count as u32), "{count}");
    }
}

#[test]
fn the_lanes_of_a_chunk_are_apart() {
    assert_eq!(spread_out(80)[..9], [0, 10, 20, 30, 40, 50, 60, 70, 1]);
    // Two lanes of three elements, six of two.
    assert_eq!(spread_out(18), [0, 3, 6, 8, 10, 12, 14, 16, 1, 4, 7, 9, 11, 13, 15, 17, 2, 5]);
}
