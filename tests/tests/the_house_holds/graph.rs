//! Graphs of files or of rooms: their circles, and their longest chain.

use std::collections::{BTreeMap, BTreeSet};

/// Nodes by their names, with the nodes to which each leads.
#[derive(Default, Clone)]
pub(crate) struct Graph(pub(crate) BTreeMap<String, BTreeSet<String>>);

impl Graph {
    pub(crate) fn node(&mut self, name: &str) {
        self.0.entry(name.to_owned()).or_default();
    }

    pub(crate) fn edge(&mut self, from: &str, to: &str) {
        self.node(to);
        self.0.entry(from.to_owned()).or_default().extend((from != to).then(|| to.to_owned()));
    }

    /// All nodes that a node leads to, near and far.
    fn reached<'a>(&'a self, from: &'a str) -> BTreeSet<&'a str> {
        let (mut found, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(node) = next.pop() {
            next.extend(self.0[node].iter().map(String::as_str).filter(|to| found.insert(*to)));
        }
        found
    }

    /// The sets of nodes that lead to each other; a node alone is one, too.
    fn components(&self) -> Vec<BTreeSet<&str>> {
        let reached: BTreeMap<&str, _> =
            self.0.keys().map(|node| (node.as_str(), self.reached(node))).collect();
        let (mut all, mut done) = (Vec::new(), BTreeSet::new());
        for (node, to) in &reached {
            if done.insert(*node) {
                let mut circle: BTreeSet<&str> =
                    to.iter().copied().filter(|other| reached[other].contains(node)).collect();
                circle.insert(node);
                done.extend(circle.iter().copied());
                all.push(circle);
            }
        }
        all
    }

    pub(crate) fn circles(&self) -> Vec<Vec<String>> {
        let circles = self.components().into_iter().filter(|circle| circle.len() > 1);
        circles.map(|circle| circle.into_iter().map(str::to_owned).collect()).collect()
    }

    /// The longest chain, in which a circle has all its nodes.
    pub(crate) fn chain(&self) -> Vec<String> {
        let mut longest: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut components = self.components();
        // A component that leads to another reaches more nodes.
        components.sort_by_key(|circle| circle.first().map_or(0, |node| self.reached(node).len()));
        let mut best = Vec::new();
        for circle in components {
            let below =
                circle.iter().flat_map(|node| &self.0[*node]).filter(|to| !circle.contains(to.as_str()));
            let below = below.filter_map(|to| longest.get(to.as_str())).max_by_key(|chain| chain.len());
            let chain: Vec<&str> =
                circle.iter().copied().chain(below.into_iter().flatten().copied()).collect();
            if chain.len() > best.len() {
                best.clone_from(&chain);
            }
            longest.extend(circle.into_iter().map(|node| (node, chain.clone())));
        }
        best.into_iter().map(str::to_owned).collect()
    }
}
