use least_action_core::internals::binding::{ENTRIES, all_finite, cut, each_entry};

#[test]
fn entries_of_long_vectors_are_each_met_once() {
    for length in [0, 3, 2 * ENTRIES - 1, 2 * ENTRIES, 5 * ENTRIES + 7] {
        let from: Vec<f64> = (0..length).map(|k| k as f64).collect();
        let mut to = from.clone();
        each_entry(&mut to, [&from, &from], &|to, [a, b]| *to += a - 3.0 * b);
        assert!(to.iter().zip(&from).all(|(to, from)| (to + from).abs() < 0.5), "{length}");
        assert!(all_finite(&to));
        for at in [0, length / 2, length.saturating_sub(1)] {
            if let Some(entry) = to.get_mut(at) {
                let before = std::mem::replace(entry, f64::NAN);
                assert!(!all_finite(&to), "{at} of {length}");
                to[at] = before;
            }
        }
    }
}

#[test]
fn parts_have_all_batches_and_about_as_many_elements_each() {
    let weights: Vec<usize> = (0..40).map(|k| 40 - k).collect();
    for count in 1..9 {
        let parts = cut(&weights, count);
        assert_eq!(parts.len(), count);
        assert!(parts.iter().cloned().flatten().eq(0..40));
        let elements = |part: &std::ops::Range<usize>| weights[part.clone()].iter().sum::<usize>();
        assert!(parts.iter().all(|part| elements(part) <= 820 / count + 40), "{parts:?}");
    }
}
