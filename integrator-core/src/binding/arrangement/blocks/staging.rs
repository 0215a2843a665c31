//! Numbers that are read and added to together, each bundle of them in places of its own.

use crate::lanes::{Lanes, MOST_LANES, Quadruple, Quadruples, gathered, scattered};
use pulp::Simd;
use std::ops::Range;

/// A column of a bundle, staged.
pub(super) type Place = Quadruple;

/// More than a chunk has.
pub(super) type Places = Quadruples;

/// The most places of a chunk: 16 bits count them.
pub(super) const MOST_PLACES: usize = 1 << 16;

/// The most numbers of a column, and the most columns of a bundle: the components of a vector.
const MOST: usize = 3;

/// What stands for no number.
const NOTHING: usize = usize::MAX;

/// Where the numbers of all elements are staged.
#[derive(Debug, Clone)]
pub(super) struct Staging {
    bundles: Vec<Bundle>,
    /// The first place of each bundle, block after block, counted in its chunk.
    places: Vec<[u16; MOST_LANES]>,
    /// The runs of all chunks, and the indices of their numbers.
    runs: Vec<Run>,
    indices: Vec<u32>,
}

/// Numbers of an element that have places side by side: a vector, or the block of a matrix between two vectors.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    form: Form,
    /// By the columns in which they are staged.
    numbers: [[usize; MOST]; MOST],
}

/// Which numbers of an element a bundle has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Three that follow each other.
    Vector,
    /// At most three, in one column.
    Column,
    /// Two columns of two that follow each other.
    SquareOfTwo,
    /// Three columns of three that follow each other.
    SquareOfThree,
    /// The lower triangle of a square of three: its first column, and one of the others.
    Triangle,
}

impl Bundle {
    /// One column of at most three numbers.
    fn column(column: &[usize]) -> Self {
        let vector = column.len() == MOST && column.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let form = if vector { Form::Vector } else { Form::Column };
        Self::new(form, &[column])
    }

    fn new(form: Form, columns: &[&[usize]]) -> Self {
        let mut numbers = [[NOTHING; MOST]; MOST];
        for (to, column) in numbers.iter_mut().zip(columns) {
            to.iter_mut().zip(*column).for_each(|(to, number)| *to = *number);
        }
        Self { form, numbers }
    }
}

/// The indices of a bundle, column by column.
type Indices = [[u32; MOST]; MOST];

/// Bundles of the same shape, whose places follow each other.
#[derive(Debug, Clone)]
struct Run {
    count: usize,
    shape: Shape,
    /// The first of their indices.
    begin: usize,
}

/// How many numbers stand in the columns of a bundle, and which of them follow each other in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    lengths: [usize; MOST],
    order: Order,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// Those of each column.
    Columns,
    /// Those of each row, of as many rows as there are columns: the block of a matrix whose other triangle is stored.
    Rows,
    /// Those of each column but for the last number of the last one, of one or two columns: a triangle.
    AllButLast,
    /// Not all of any of these.
    Scattered,
}

impl Shape {
    fn of(indices: &Indices) -> Self {
        let numbers = |column: &[u32; MOST]| column.iter().take_while(|index| **index != u32::MAX).count();
        let mut shape = Self { lengths: indices.each_ref().map(numbers), order: Order::Columns };
        let square = shape.uniform() == Some(shape.columns());
        let by_columns = |column: usize, row: usize| indices[column][0] + row as u32;
        let by_rows = |column: usize, row: usize| indices[0][row] + column as u32;
        let last = (shape.columns().saturating_sub(1), MOST - 1);
        let all_but_last = |column: usize, row: usize| {
            if (column, row) == last { indices[column][row] } else { by_columns(column, row) }
        };
        shape.order = if shape.uniform().is_some() && shape.is_stored(indices, by_columns) {
            Order::Columns
        } else if square && shape.is_stored(indices, by_rows) {
            Order::Rows
        } else if shape.uniform() == Some(MOST) && !square && shape.is_stored(indices, all_but_last) {
            Order::AllButLast
        } else {
            Order::Scattered
        };
        shape
    }

    /// Whether the indices are these, given by column and row.
    fn is_stored(self, indices: &Indices, expected: impl Fn(usize, usize) -> u32) -> bool {
        let mut all = indices.iter().zip(self.lengths).enumerate();
        all.all(|(column, (indices, length))| (0..length).all(|row| indices[row] == expected(column, row)))
    }

    fn columns(self) -> usize {
        self.lengths.iter().filter(|length| **length > 0).count()
    }

    /// The length of all columns, where it is the same.
    fn uniform(self) -> Option<usize> {
        let [first, ..] = self.lengths;
        self.lengths[..self.columns()].iter().all(|length| *length == first).then_some(first)
    }

    /// The indices that say where the others are.
    fn known(self, indices: &Indices) -> Vec<u32> {
        let columns = indices[..self.columns()].iter();
        match self.order {
            Order::Columns => columns.map(|column| column[0]).collect(),
            Order::AllButLast => {
                let last = indices[self.columns() - 1][MOST - 1];
                columns.map(|column| column[0]).chain([last]).collect()
            }
            Order::Rows => indices[0][..self.lengths[0]].to_vec(),
            Order::Scattered => {
                columns.zip(self.lengths).flat_map(|(column, length)| &column[..length]).copied().collect()
            }
        }
    }
}

/// The places of a chunk.
#[derive(Debug, Clone)]
pub(super) struct Stretch {
    runs: Range<usize>,
    places: usize,
}

impl Stretch {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.places
    }
}

impl Staging {
    /// Numbers in these bundles; nothing is staged yet.
    pub(super) fn new(bundles: Vec<Bundle>) -> Self {
        Self { bundles, places: Vec::new(), runs: Vec::new(), indices: Vec::new() }
    }

    /// Gives the indices of the next chunk their places: block after block, `width` for each element; at most [`MOST_PLACES`].
    pub(super) fn stage(&mut self, indices: &[[u32; MOST_LANES]], width: usize) -> Stretch {
        let of_bundle = |block: &[[u32; MOST_LANES]], bundle: &Bundle, lane: usize| {
            bundle.numbers.map(|column| column.map(|k| block.get(k).map_or(u32::MAX, |index| index[lane])))
        };
        let blocks = indices.chunks_exact(width.max(1));
        let all: Vec<Indices> = blocks
            .flat_map(|block| self.bundles.iter().map(move |bundle| (block, bundle)))
            .flat_map(|(block, bundle)| (0..MOST_LANES).map(move |lane| of_bundle(block, bundle, lane)))
            .collect();
        let mut different: Vec<(Shape, Indices)> =
            all.iter().map(|indices| (Shape::of(indices), *indices)).collect();
        different.sort_unstable();
        different.dedup();

        let (first, mut places) = (self.runs.len(), 0_usize);
        let mut firsts = Vec::with_capacity(different.len());
        for run in different.chunk_by(|(a, _), (b, _)| a == b) {
            let shape = run[0].0;
            self.runs.push(Run { count: run.len(), shape, begin: self.indices.len() });
            for (_, indices) in run {
                firsts.push(places as u16);
                places += shape.columns();
                self.indices.extend(shape.known(indices));
            }
        }
        let place_of = |indices: &Indices| {
            // It is one of them.
            let found = different.binary_search(&(Shape::of(indices), *indices));
            firsts[found.unwrap_or_default()]
        };
        let (by_lanes, _) = all.as_chunks::<MOST_LANES>();
        self.places.extend(by_lanes.iter().map(|lanes| lanes.each_ref().map(place_of)));
        Stretch { runs: first..self.runs.len(), places }
    }

    /// Reads the numbers of these places. The bundles are vectors.
    pub(super) fn read(&self, stretch: &Stretch, from: &[f64], mut places: &mut [Place]) {
        for run in &self.runs[stretch.runs.clone()] {
            let begins = &self.indices[run.begin..][..run.count];
            let (these, others) = places.split_at_mut(run.count);
            match run.shape.lengths[0] {
                3 => read::<3>(begins, from, these),
                2 => read::<2>(begins, from, these),
                _ => read::<1>(begins, from, these),
            }
            places = others;
        }
    }

    /// Adds the numbers of these places.
    pub(super) fn add(&self, stretch: &Stretch, mut places: &[Place], to: &mut [f64]) {
        for run in &self.runs[stretch.runs.clone()] {
            let (shape, indices) = (run.shape, &self.indices[run.begin..]);
            let (these, others) = places.split_at(run.count * shape.columns());
            match (shape.order, shape.uniform()) {
                (Order::Columns, Some(3)) => add::<3>(indices, these, to),
                (Order::Columns, Some(2)) => add::<2>(indices, these, to),
                (Order::Columns, Some(_)) => add::<1>(indices, these, to),
                (Order::Rows, Some(3)) => add_transposed::<3>(indices, these, to),
                (Order::Rows, _) => add_transposed::<2>(indices, these, to),
                (Order::AllButLast, _) if shape.columns() == 2 => add_all_but_last::<2>(indices, these, to),
                (Order::AllButLast, _) => add_all_but_last::<1>(indices, these, to),
                (Order::Columns, None) | (Order::Scattered, _) => add_scattered(shape, indices, these, to),
            }
            places = others;
        }
    }

    /// Reads what the elements of a register read, which stand in a block from a lane on. The bundles are vectors.
    #[inline(always)]
    pub(super) fn gather<S: Simd>(
        &self,
        simd: S,
        (block, lane): (usize, usize),
        from: &Places,
        to: &mut [Lanes<S>],
    ) {
        for (bundle, places) in self.bundles.iter().zip(self.places_of(block)) {
            let column = gathered(simd, from, &places[lane..]);
            if bundle.form == Form::Vector {
                to[bundle.numbers[0][0]..][..MOST].copy_from_slice(&column);
                continue;
            }
            for (value, &number) in column.into_iter().zip(&bundle.numbers[0]) {
                if let Some(to) = to.get_mut(number) {
                    *to = value;
                }
            }
        }
    }

    /// Adds what the first `count` elements of a register yield, which stand in a block from a lane on.
    #[inline(always)]
    pub(super) fn scatter<S: Simd>(
        &self,
        simd: S,
        (block, lane): (usize, usize),
        values: &[Lanes<S>],
        to: &mut Places,
        count: usize,
    ) {
        for (bundle, places) in self.bundles.iter().zip(self.places_of(block)) {
            let places = &places[lane..];
            let [[first, ..], [second, _, last], [third, ..]] = bundle.numbers;
            match bundle.form {
                Form::Vector => scattered(simd, [follow(simd, values, first)], to, places, count),
                Form::Column => scattered(simd, [column(simd, values, bundle.numbers[0])], to, places, count),
                Form::SquareOfTwo => {
                    let ([a, b], [c, d]) = (follow(simd, values, first), follow(simd, values, second));
                    // What stands behind the numbers of a column means nothing.
                    scattered(simd, [[a, b, b], [c, d, d]], to, places, count);
                }
                Form::SquareOfThree => {
                    let (first, second) = (follow(simd, values, first), follow(simd, values, second));
                    scattered(simd, [first, second, follow(simd, values, third)], to, places, count);
                }
                Form::Triangle => {
                    let ([a, b], [c]) = (follow(simd, values, second), follow(simd, values, last));
                    scattered(simd, [follow(simd, values, first), [a, b, c]], to, places, count);
                }
            }
        }
    }

    /// The places of each bundle in a block.
    #[inline(always)]
    fn places_of(&self, block: usize) -> &[[u16; MOST_LANES]] {
        let count = self.bundles.len();
        &self.places[block * count..][..count]
    }
}

/// Some values that follow each other.
#[inline(always)]
fn follow<S: Simd, const N: usize>(simd: S, values: &[Lanes<S>], first: usize) -> [Lanes<S>; N] {
    let mut following = [Lanes::splat(simd, 0.0); N];
    following.copy_from_slice(&values[first..][..N]);
    following
}

/// The numbers of a column, zeros where there are none.
#[inline(always)]
fn column<S: Simd>(simd: S, values: &[Lanes<S>], numbers: [usize; MOST]) -> [Lanes<S>; MOST] {
    let mut column = [Lanes::splat(simd, 0.0); MOST];
    for (to, number) in column.iter_mut().zip(numbers) {
        if let Some(value) = values.get(number) {
            *to = *value;
        }
    }
    column
}

/// Reads `N` numbers from each of these indices on.
fn read<const N: usize>(begins: &[u32], from: &[f64], places: &mut [Place]) {
    for (&begin, place) in begins.iter().zip(places) {
        place[..N].copy_from_slice(&from[begin as usize..][..N]);
    }
}

/// Adds columns of `N` numbers, from each of these indices on.
fn add<const N: usize>(begins: &[u32], places: &[Place], to: &mut [f64]) {
    for (&begin, place) in begins.iter().zip(places) {
        to[begin as usize..][..N].iter_mut().zip(place).for_each(|(to, value)| *to += value);
    }
}

/// Adds the rows of bundles of `N` rows and columns, from each of these indices on.
fn add_transposed<const N: usize>(begins: &[u32], places: &[Place], to: &mut [f64]) {
    for (begins, columns) in begins.chunks_exact(N).zip(places.chunks_exact(N)) {
        for (row, &begin) in begins.iter().enumerate() {
            let to = to[begin as usize..][..N].iter_mut();
            to.zip(columns).for_each(|(to, column)| *to += column[row]);
        }
    }
}

/// Adds `C` columns of three numbers, from each of these indices on, the last number of them to an index of its own.
fn add_all_but_last<const C: usize>(indices: &[u32], places: &[Place], to: &mut [f64]) {
    let (places, _) = places.as_chunks::<C>();
    for (indices, columns) in indices.chunks_exact(C + 1).zip(places) {
        for (column, &begin) in columns.iter().zip(indices) {
            to[begin as usize..][..2].iter_mut().zip(column).for_each(|(to, value)| *to += value);
        }
        for (column, &begin) in columns[..C - 1].iter().zip(indices) {
            to[begin as usize + 2] += column[2];
        }
        to[indices[C] as usize] += columns[C - 1][2];
    }
}

/// Adds each number to its own index.
fn add_scattered(shape: Shape, indices: &[u32], places: &[Place], to: &mut [f64]) {
    let (mut indices, columns) = (indices.iter(), shape.columns());
    for bundle in places.chunks_exact(columns) {
        for (place, length) in bundle.iter().zip(shape.lengths) {
            place[..length].iter().zip(&mut indices).for_each(|(value, index)| to[*index as usize] += value);
        }
    }
}

/// Puts indices together that follow each other in all elements: vectors; a block has `count` indices.
pub(super) fn vectors(indices: &[[u32; MOST_LANES]], count: usize) -> Vec<Vec<usize>> {
    let follows = |k: usize| {
        let mut pairs = indices.chunks_exact(count).flat_map(|block| block[k - 1].iter().zip(&block[k]));
        pairs.all(|(before, at)| *at == before.wrapping_add(1))
    };
    let mut vectors: Vec<Vec<usize>> = Vec::new();
    for k in 0..count {
        match vectors.last_mut() {
            Some(vector) if vector.len() < MOST && follows(k) => vector.push(k),
            _ => vectors.push(vec![k]),
        }
    }
    vectors
}

/// A bundle for each vector.
pub(super) fn of_vectors(vectors: &[Vec<usize>]) -> Vec<Bundle> {
    vectors.iter().map(|vector| Bundle::column(vector)).collect()
}

/// Bundles for the blocks of a matrix with these local entries.
pub(super) fn of_matrix(vectors: &[Vec<usize>], entries: &[(usize, usize)]) -> Vec<Bundle> {
    let number = |row: usize, column: usize| entries.iter().position(|entry| entry == &(row, column));
    let mut bundles = Vec::new();
    for rows in vectors {
        for columns in vectors {
            let column = |column: &usize| -> Vec<usize> {
                rows.iter().filter_map(|row| number(*row, *column)).collect()
            };
            let block: Vec<Vec<usize>> = columns.iter().map(column).collect();
            bundles.extend(of_block(&block));
        }
    }
    bundles
}

/// The bundles of a block of the matrix, given by columns.
fn of_block(block: &[Vec<usize>]) -> Vec<Bundle> {
    let columns: Vec<&[usize]> =
        block.iter().map(Vec::as_slice).filter(|column| !column.is_empty()).collect();
    match columns[..] {
        [&[a, b], &[c]] => vec![Bundle::column(&[a, b, c])],
        [&[a], &[b]] => vec![Bundle::column(&[a, b])],
        [&[a], &[b], &[c]] => vec![Bundle::column(&[a, b, c])],
        _ if !columns.iter().all(|column| column.windows(2).all(|pair| pair[1] == pair[0] + 1)) => {
            columns.into_iter().map(Bundle::column).collect()
        }
        [&[_, _], &[_, _]] => vec![Bundle::new(Form::SquareOfTwo, &columns)],
        [&[_, _, _], &[_, _, _], &[_, _, _]] => vec![Bundle::new(Form::SquareOfThree, &columns)],
        [first @ &[_, _, _], &[d, e], &[f]] => vec![Bundle::new(Form::Triangle, &[first, &[d, e, f]])],
        _ => columns.into_iter().map(Bundle::column).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Order, Shape, Staging, Stretch, of_block, of_matrix};
    use crate::lanes::MOST_LANES;
    use std::array::from_fn;

    /// A lane of each order for the block between two vectors, in a matrix of 100 columns; the others have the diagonal block.
    fn of_square(lane: usize, row: usize, column: usize) -> u32 {
        let (row, column) = (row as u32, column as u32);
        match lane {
            0 | 1 => 100 * (7 + column) + 30 + row,
            2 => 100 * (7 + row) + 60 + column,
            3 => 500 + (5 * row + 3 * column) % 16,
            _ => 100 * column + row,
        }
    }

    /// Lanes with diagonal blocks, one of which stands in a row if it is of three, and one that stands nowhere in particular.
    fn of_triangle(lane: usize, row: usize, column: usize) -> u32 {
        let (row, column) = (row as u32, column as u32);
        match lane {
            0 | 1 => 100 * column + row,
            2 => 500 + 2 * column + row - column.saturating_sub(1),
            3 => 700 + (5 * row + 3 * column) % 16,
            _ => 300 + 100 * column + row,
        }
    }

    /// Stages eight elements with these entries of the block between two vectors.
    fn adds_what_stands_in_the_places(
        vectors: &[Vec<usize>],
        entries: &[(usize, usize)],
        index: fn(usize, usize, usize) -> u32,
        order_of: &[Order],
    ) {
        let indices: Vec<[u32; MOST_LANES]> = entries
            .iter()
            .map(|(row, column)| from_fn(|lane| index(lane, row % vectors[0].len(), *column)))
            .collect();
        let mut staging = Staging::new(of_matrix(vectors, entries));
        let stretch = staging.stage(&indices, entries.len());
        let [bundle] = &staging.bundles[..] else { panic!("one block, one bundle") };
        // Lanes 0 and 1 share their places, and so do the last four.
        let columns = bundle.numbers.iter().filter(|column| column[0] < entries.len()).count();
        assert_eq!(stretch.len(), 4 * columns);
        let Stretch { runs, .. } = stretch.clone();
        let mut found: Vec<Order> =
            staging.runs[runs].iter().flat_map(|run| vec![run.shape.order; run.count]).collect();
        found.sort_unstable();
        assert_eq!(found, order_of);

        let (mut places, mut expected) = (vec![[0.0; 4]; stretch.len()], vec![0.0; 1500]);
        for lane in 0..MOST_LANES {
            for (column, numbers) in bundle.numbers.iter().enumerate() {
                for (row, &number) in
                    numbers.iter().enumerate().filter(|(_, number)| **number < entries.len())
                {
                    let value = (100 * lane + number) as f64;
                    places[staging.places[0][lane] as usize + column][row] += value;
                    expected[indices[number][lane] as usize] += value;
                }
            }
        }
        let mut to = vec![0.0; expected.len()];
        staging.add(&stretch, &places, &mut to);
        assert_eq!(to, expected);
    }

    #[test]
    fn blocks_are_added_however_they_are_stored() {
        for (length, order_of) in [
            (3, [Order::Columns, Order::Columns, Order::Rows, Order::Scattered]),
            (2, [Order::Columns, Order::Columns, Order::Rows, Order::Scattered]),
            // A single number is a column.
            (1, [Order::Columns; 4]),
        ] {
            let vectors = [(0..length).collect(), (length..2 * length).collect()];
            let columns = (0..length).flat_map(|column| (length..2 * length).map(move |row| (row, column)));
            adds_what_stands_in_the_places(&vectors, &columns.collect::<Vec<_>>(), of_square, &order_of);
        }
    }

    #[test]
    fn triangles_are_added_however_they_are_stored() {
        for (length, order_of) in [
            (3, [Order::Columns, Order::AllButLast, Order::AllButLast, Order::Scattered]),
            (2, [Order::AllButLast, Order::AllButLast, Order::AllButLast, Order::Scattered]),
        ] {
            let columns = (0..length).flat_map(|column| (column..length).map(move |row| (row, column)));
            let entries: Vec<_> = columns.collect();
            adds_what_stands_in_the_places(&[(0..length).collect()], &entries, of_triangle, &order_of);
        }
    }

    #[test]
    fn a_square_is_no_triangle() {
        // Nine numbers, all in a row in their columns but for the last one.
        let square = [[10, 11, 12], [20, 21, 22], [30, 31, 40]];
        assert_eq!(Shape::of(&square).order, Order::Scattered);
        assert_eq!(Shape::of(&square).known(&square), square.as_flattened());
    }

    #[test]
    fn blocks_fill_as_few_places_as_they_can() {
        let forms = |block: &[&[usize]]| -> Vec<Form> {
            let block: Vec<Vec<usize>> = block.iter().map(|column| column.to_vec()).collect();
            of_block(&block).into_iter().map(|bundle| bundle.form).collect()
        };
        assert_eq!(forms(&[&[4, 5, 6], &[9, 10, 11], &[14, 15, 16]]), [Form::SquareOfThree]);
        assert_eq!(forms(&[&[4, 5], &[9, 10]]), [Form::SquareOfTwo]);
        assert_eq!(forms(&[&[0, 1, 2], &[5, 6], &[9]]), [Form::Triangle]);
        assert_eq!(forms(&[&[0, 1], &[5]]), [Form::Column]);
        // A row, a column, and nothing.
        assert_eq!(forms(&[&[4], &[9], &[13]]), [Form::Column]);
        assert_eq!(forms(&[&[4, 5, 6]]), [Form::Vector]);
        assert_eq!(forms(&[&[], &[]]), []);
        // Where some entries are zero, or stand in another order.
        assert_eq!(forms(&[&[0, 1, 2], &[5, 6], &[9, 10]]), [Form::Vector, Form::Column, Form::Column]);
        assert_eq!(forms(&[&[5, 4], &[9, 10]]), [Form::Column; 2]);
    }
}
