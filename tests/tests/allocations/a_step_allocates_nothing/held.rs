//! Force-stepping takes memory for coordinates and coupled pairs, and not for the square of either.

use crate::counted::{ALLOCATOR, allocations};
use least_action::method::force_stepping::{ForceStepping, Walls};
use least_action::method::{Method, Stepper};
use least_action::system::State;
use stats_alloc::Region;
use test_support::values::{OfValues, chain, net};

/// The bytes of a run, which is as it should be: its crossings allocate nothing.
fn held((system, start): (OfValues, State), walls: Walls) -> usize {
    let method = ForceStepping { walls: Some(walls), ..ForceStepping::with_grid(0.01) };
    let made = Region::new(ALLOCATOR);
    let mut run = method.start(&system, start, 1.0).unwrap();
    let made = made.change();
    let crossed = allocations(|| {
        for _ in 0..200 {
            run.next_crossing().unwrap();
        }
    });
    assert_eq!((crossed, run.report().crossings), (0, Some(200)));
    made.bytes_allocated - made.bytes_deallocated
}

pub(super) fn grows_with_what_is_coupled() {
    // The histogram of step lengths has one size.
    let most = |coordinates: usize, pairs: usize| 70_000 + 250 * coordinates + 200 * pairs;
    for beads in [10, 100, 1_000, 10_000, 100_000] {
        for walls in [Walls::Coupled, Walls::All] {
            let bytes = held(chain(beads), walls);
            println!("{beads} beads, {walls:?}: {} bytes each", bytes / beads);
            assert!(bytes < most(beads, beads - 1), "{beads} beads, {walls:?}: {bytes} bytes");
            assert!(bytes > 64 * beads, "the count works");
        }
    }
    for side in [4, 16, 64] {
        // A knot has one pair of its own, and four springs with four pairs each.
        let knots = side * side;
        let bytes = held(net(side), Walls::Coupled);
        println!("{knots} knots: {} bytes each", bytes / knots);
        assert!(bytes < most(2 * knots, 17 * knots), "{knots} knots: {bytes} bytes");
    }
}
