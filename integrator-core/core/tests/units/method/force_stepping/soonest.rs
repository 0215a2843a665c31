#![expect(clippy::float_cmp, reason = "what is found is a copy of one of them")]

use least_action_core::internals::method::Soonest;

#[test]
fn the_soonest_is_found_whatever_was_changed_before() {
    for count in [1, 7, 8, 9, 63, 65, 600, 4097] {
        let mut soonest = Soonest::new(count);
        let mut times = vec![f64::INFINITY; count];
        assert_eq!(soonest.first().1, f64::INFINITY);
        soonest.set(count - 1, f64::NAN);
        assert_eq!(soonest.first().1, f64::INFINITY);
        let mut number = 1_u64;
        for round in 0..20_000 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let index = (number >> 33) as usize % count;
            // Mostly later times at the soonest place, as in a run; now and then an earlier, a known, or
            // none.
            let (place, time) = match round % 7 {
                0 => (index, f64::INFINITY),
                1 => (index, (number >> 40) as f64),
                2 => (index, 3.0 + (number >> 61) as f64),
                3 => (index, soonest.first().1),
                _ => (soonest.first().0, (number >> 36) as f64),
            };
            times[place] = time;
            soonest.set(place, time);
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            let place = times.iter().position(|time| *time == least).unwrap();
            assert_eq!(soonest.first(), (place, least));
        }
        let first = soonest.first();
        soonest.rebase(3.0);
        assert_eq!(soonest.first(), (first.0, first.1 - 3.0));
        assert_eq!(soonest.count(), count);
    }
}
