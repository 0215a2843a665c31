use least_action_core::internals::binding::PartialSums;
use test_support::agreement::Seeded;

#[test]
fn columns_side_by_side_are_added_up_as_each_one_is() {
    // Rows of three, one and four items. Up to nine sums, more than twice as many as stand side by side.
    let (starts, height) = (vec![0, 3, 4], 8);
    for sums in 1..=9 {
        let partial = PartialSums::new(starts.clone(), height);
        let numbers = Seeded::new(sums as u64).numbers(sums * height);
        let (mut forwards, mut backwards) = (numbers.clone(), numbers.clone());
        let links: Vec<usize> = partial.links(sums * height).collect();
        assert_eq!(links.len(), sums * (height - starts.len()));
        links.iter().for_each(|row| forwards[*row] += forwards[row - 1]);
        links.iter().rev().for_each(|row| backwards[row - 1] += backwards[*row]);
        let (mut found, mut weights) = (numbers.clone(), numbers);
        partial.add_up(&mut found);
        partial.add_up_backwards(&mut weights);
        assert_eq!(found, forwards, "{sums} sums");
        assert_eq!(weights, backwards, "{sums} sums, backwards");
    }
}
