use least_action_core::internals::binding::Tuples;

fn listed<const W: usize>(tuples: &[[u32; W]]) -> Tuples {
    let mut list = Tuples::new(W);
    tuples.iter().for_each(|tuple| list.push(tuple));
    list.finish();
    assert_eq!(list.to_vec(), tuples.as_flattened());
    list
}

#[test]
fn regular_tuples_are_one_run_forwards_and_backwards() {
    let tuples: Vec<[u32; 2]> = (0..100).map(|k| [2 * k, 198 - 2 * k]).collect();
    assert_eq!(listed(&tuples).runs_len(), 1);
}

#[test]
fn all_pairs_are_a_run_for_each_row() {
    let tuples: Vec<[u32; 2]> = (0..20).flat_map(|i| (i + 1..20).map(move |j| [i, j])).collect();
    assert!(listed(&tuples).runs_len() <= 20);
}

#[test]
fn equal_molecules_are_a_run_for_each_bond() {
    let bonds = |m: u32| [[9 * m, 9 * m + 3], [9 * m + 3, 9 * m + 6], [9 * m + 6, 9 * m]];
    let molecules = (0..20).flat_map(bonds).collect::<Vec<_>>();
    for count in [58, 59, 60] {
        let tuples = listed(&molecules[..count]);
        assert_eq!(tuples.runs_len(), 3);
        let by_runs = tuples.runs().flat_map(|run| (0..run.count).map(move |e| run.element + e * run.step));
        let order: Vec<usize> = tuples.order().expect("a period").iter().map(|e| *e as usize).collect();
        assert!(by_runs.eq(order));
        for run in tuples.runs() {
            for e in 0..run.count {
                let found: Vec<u32> = run
                    .first
                    .iter()
                    .zip(run.strides)
                    .map(|(first, stride)| first + e as u32 * stride)
                    .collect();
                assert_eq!(found, molecules[run.element + e * run.step]);
            }
        }
    }
}

#[test]
fn tuples_in_another_order_are_sorted_into_runs() {
    let mut tuples: Vec<[u32; 2]> = (0..30).flat_map(|i| (i + 1..30).map(move |j| [i, j])).collect();
    tuples.reverse();
    let half = tuples.len() / 2;
    tuples.swap(3, half);
    let shuffled: Vec<[u32; 2]> = (0..7).flat_map(|k| tuples.iter().skip(k).step_by(7)).copied().collect();
    for tuples in [tuples, shuffled] {
        let mut list = listed(&tuples);
        let order = list.sort().expect("all pairs, in rows");
        let sorted: Vec<u32> = order.iter().flat_map(|e| tuples[*e as usize]).collect();
        assert!(list.are_long() && list.to_vec() == sorted);
        assert!(list.sort().is_none(), "they are sorted");
    }
    let mut irregular = listed(&(0..50_u32).map(|k| [k * k % 37, k]).collect::<Vec<_>>());
    assert!(irregular.sort().is_none());
}

#[test]
fn irregular_tuples_come_back_as_they_were() {
    listed(&(0..100_u32).map(|k| [k * k % 37, k, 3]).collect::<Vec<_>>());
    listed::<3>(&[]);
}
