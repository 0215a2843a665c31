use crate::system::Layout;

/// The sizes of coordinates; a component of a point or of a matrix has at least [a part](LEAST) of the size of the largest.
///
/// A component that is zero says nothing about its rounding error: turned a little, it is as uncertain as the others.
pub(crate) struct Magnitudes {
    /// Neighbouring coordinates with this number of components, and where they end.
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

/// The least size of a component of a point or of a matrix, as a part of the size of its largest component.
const LEAST: f64 = 1e-3;

fn measure<const N: usize>(q: &[f64], v: &[f64], h: f64, sizes: &mut [f64]) {
    let known = q.as_chunks::<N>().0.iter().zip(v.as_chunks::<N>().0);
    for (sizes, (q, v)) in sizes.as_chunks_mut::<N>().0.iter_mut().zip(known) {
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        *sizes = std::array::from_fn(|k| q[k].abs() + (h * v[k]).abs());
        let least = LEAST * sizes.iter().fold(0.0, |largest, size| larger(*size, largest));
        *sizes = sizes.map(|size| larger(size, least));
    }
}
