use least_action_core::advanced::sparse::SymmetricPattern;
use std::collections::BTreeMap;
use test_support::agreement::Seeded;

#[test]
fn entries_are_ordered_counted_and_found() {
    // A full corner, a diagonal and random entries of either triangle; some come more than 255 times.
    let mut entries: Vec<(usize, usize)> = (0..5).flat_map(|i| (0..5).map(move |j| (i, j))).collect();
    entries.extend((0..300).map(|_| (7, 3)));
    let chance = Seeded::new(8).numbers(600);
    let index = |number: f64| ((number + 1.0) * 10.0) as usize % 20;
    entries.extend(chance.chunks_exact(2).map(|pair| (index(pair[0]), index(pair[1]))));
    let mut expected = BTreeMap::new();
    for (i, j) in (0..20).map(|i| (i, i)).chain(entries.iter().copied()) {
        *expected.entry((i.min(j), i.max(j))).or_insert(0_usize) += 1;
    }

    let (pattern, counts) = SymmetricPattern::counted(20, entries);
    let found: Vec<_> = pattern.entries().map(|(row, column)| (column, row)).collect();
    assert_eq!(found, expected.keys().copied().collect::<Vec<_>>());
    let expected_counts: Vec<u8> = expected.values().map(|count| (*count).min(255) as u8).collect();
    assert_eq!(counts, expected_counts);
    assert!(counts.contains(&255) && pattern.len() < 20 * 21 / 2, "neither trivial nor full");
    for row in 0..20 {
        for column in 0..20 {
            let place = found.iter().position(|entry| *entry == (row.min(column), row.max(column)));
            assert_eq!(pattern.position(row, column), place, "({row}, {column})");
        }
    }
}
