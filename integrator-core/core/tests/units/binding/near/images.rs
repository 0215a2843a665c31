//! Cells and nearest images.

use super::scattered;
use least_action_core::binding::Cell;
use least_action_core::emitted::v1::NearPoints;
use least_action_core::error::BindError;
use least_action_core::internals::near::{Image, dot};

fn norm(d: [f64; 3]) -> f64 {
    dot(d, d).sqrt()
}

/// The shortest of 125 images.
fn shortest(rows: [[f64; 3]; 3], d: [f64; 3]) -> [f64; 3] {
    let mut best = d;
    for a in -2..=2 {
        for b in -2..=2 {
            for c in -2..=2 {
                let turns = [a, b, c].map(f64::from);
                let image = [0, 1, 2]
                    .map(|k| d[k] + turns[0] * rows[0][k] + turns[1] * rows[1][k] + turns[2] * rows[2][k]);
                if norm(image) < norm(best) {
                    best = image;
                }
            }
        }
    }
    best
}

#[test]
fn rounding_finds_the_only_image_that_is_in_range() {
    let cells = [
        [[3.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 2.5]],
        [[3.0, 0.0, 0.0], [0.9, 3.5, 0.0], [-1.2, 0.6, 3.8]],
        // Far from reduced.
        [[3.0, 0.0, 0.0], [2.9, 3.5, 0.0], [2.7, -3.3, 3.8]],
        [[1.0, 2.0, 0.3], [-0.7, 1.9, 0.4], [0.2, -0.8, 2.2]],
    ];
    for rows in cells {
        let image = Image::new(&Cell::triclinic(rows), 3, "test").expect("a cell");
        let half = 0.5 * image.narrowest();
        let (mut inside, mut outside) = (0, 0);
        for sample in 0..4000 {
            let s = [0, 1, 2].map(|k| 2.8 * (scattered(3 * sample + k) - 0.5));
            let d: [f64; 3] =
                std::array::from_fn(|k| s[0] * rows[0][k] + s[1] * rows[1][k] + s[2] * rows[2][k]);
            let (found, best) = (image.nearest(d), shortest(rows, d));
            let minus = image.nearest(d.map(|number| -number)).map(|number| -number);
            assert_eq!(found.map(f64::to_bits), minus.map(f64::to_bits), "antisymmetric to the bit");
            if norm(best) < half {
                inside += 1;
                assert!(norm([0, 1, 2].map(|k| found[k] - best[k])) < 1e-12, "{d:?}: {found:?}, {best:?}");
            } else {
                outside += 1;
                assert!(norm(found) >= half * (1.0 - 1e-12), "{d:?}: {found:?}, {best:?}");
            }
        }
        assert!(inside > 100 && outside > 100, "{inside} inside, {outside} outside");
    }
}

#[test]
fn ties_go_to_the_even_image_and_open_directions_stay() {
    let cell = Cell::orthorhombic([Some(2.0), None, Some(4.0)]);
    assert_eq!(cell.nearest([1.0, 77.0, 6.0]).ok(), Some([1.0, 77.0, -2.0]));
    assert_eq!(cell.nearest([3.0, -1e300, 2.0]).ok(), Some([-1.0, -1e300, 2.0]));
    assert_eq!(Cell::OPEN.nearest([1.0, 2.0, 3.0]).ok(), Some([1.0, 2.0, 3.0]));
    // A wire along the diagonal of a plane, and a slab that leans.
    let wire = Image::new(&Cell::triclinic([Some([1.0, 1.0, 0.0]), None, None]), 3, "test").expect("a wire");
    assert!((wire.narrowest() - 2.0_f64.sqrt()).abs() < 1e-15);
    let d = wire.nearest([1.1, 0.9, 0.3]);
    assert!(norm([d[0] - 0.1, d[1] + 0.1, d[2] - 0.3]) < 1e-15, "{d:?}");
    let slab = Cell::triclinic([Some([3.0, 0.0, 1.0]), Some([0.0, 3.0, 0.0]), None]);
    let d = slab.nearest([3.1, 0.2, 1.5]).expect("a slab");
    assert!(norm([d[0] - 0.1, d[1] - 0.2, d[2] - 0.5]) < 1e-14, "{d:?}");
}

#[test]
fn cells_that_cannot_repeat_are_refused_in_one_line() {
    let refused = |cell: Cell, cutoff: f64, dimension: usize| {
        let mut near = NearPoints::new("within(r, atoms)", cutoff, dimension).expect("open");
        (0..4).for_each(|point| near.point(3 * point));
        near.periodic(cell);
        let error = near.finish().expect_err("refused");
        let text = error.to_string();
        assert!(text.starts_with("within(r, atoms): ") && !text.contains('\n'), "{text}");
        error
    };
    assert!(matches!(refused(Cell::cubic(f64::NAN), 1.0, 3), BindError::CellNotFinite { .. }));
    assert!(matches!(refused(Cell::cubic(0.0), 1.0, 3), BindError::CellWithoutVolume { .. }));
    for negative in [Cell::cubic(-5.0), Cell::orthorhombic([Some(5.0), None, Some(-5.0)])] {
        assert!(matches!(refused(negative, 1.0, 3), BindError::CellNegative { .. }));
    }
    let flat = Cell::triclinic([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    assert!(matches!(refused(flat, 0.1, 3), BindError::CellWithoutVolume { .. }));
    let leaning = Cell::triclinic([[1.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]]);
    assert!(matches!(refused(leaning, 0.1, 2), BindError::CellWithoutVolume { .. }));
    let too_small = refused(Cell::orthorhombic([5.0, 1.9, 5.0]), 1.0, 3);
    assert!(
        matches!(too_small, BindError::CutoffTooLarge { width, .. } if (width - 1.9).abs() < 1e-15),
        "{too_small}"
    );
    for cutoff in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(Cell::OPEN, cutoff, 3), BindError::CutoffNotPositive { .. }));
    }
    // Half of the cell is enough.
    let mut near = NearPoints::new("within", 1.0, 3).expect("open");
    near.periodic(Cell::cubic(2.0));
    assert!(near.finish().is_ok());
}

#[test]
fn exceptions_with_unknown_points_are_refused() {
    let mut near = NearPoints::new("within(r, atoms)", 1.0, 3).expect("open");
    (0..4).for_each(|point| near.point(3 * point));
    near.except(1, 4);
    let error = near.finish().expect_err("refused");
    assert!(matches!(error, BindError::UnknownException { first: 1, second: 4, length: 4, .. }), "{error}");
}
