//! Orders of the equations that bring the entries of a symmetric pattern near the diagonal.

use std::collections::VecDeque;

/// The largest distance from the diagonal when equation i stands at `place[i]`.
pub(super) fn half_bandwidth(neighbours: &[Vec<u32>], place: &[u32]) -> usize {
    let mut half = 0;
    for (row, columns) in neighbours.iter().enumerate() {
        for &column in columns {
            half = half.max(place[row].abs_diff(place[column as usize]) as usize);
        }
    }
    half
}

/// The reverse Cuthill-McKee order: where each equation goes.
///
/// Every component is numbered by breadth from an equation at its rim, neighbours by increasing degree.
pub(super) fn reverse_cuthill_mckee(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let dimension = neighbours.len();
    let mut place = vec![u32::MAX; dimension];
    let mut by_degree: Vec<u32> = (0..dimension as u32).collect();
    by_degree.sort_by_key(|&row| neighbours[row as usize].len());
    let mut queue = VecDeque::new();
    let mut count = 0;
    for &seed in &by_degree {
        if place[seed as usize] != u32::MAX {
            continue;
        }
        let root = rim(neighbours, seed);
        place[root as usize] = count;
        count += 1;
        queue.push_back(root);
        while let Some(row) = queue.pop_front() {
            let mut next: Vec<u32> = neighbours[row as usize]
                .iter()
                .copied()
                .filter(|&column| place[column as usize] == u32::MAX)
                .collect();
            next.sort_by_key(|&column| neighbours[column as usize].len());
            for column in next {
                if place[column as usize] == u32::MAX {
                    place[column as usize] = count;
                    count += 1;
                    queue.push_back(column);
                }
            }
        }
    }
    for position in &mut place {
        *position = count - 1 - *position;
    }
    place
}

/// An equation far from all others of its component: the last one that two sweeps by breadth reach.
fn rim(neighbours: &[Vec<u32>], seed: u32) -> u32 {
    let mut root = seed;
    for _ in 0..2 {
        let mut seen = std::collections::HashSet::from([root]);
        let mut queue = VecDeque::from([root]);
        while let Some(row) = queue.pop_front() {
            root = row;
            for &column in &neighbours[row as usize] {
                if seen.insert(column) {
                    queue.push_back(column);
                }
            }
        }
    }
    root
}
