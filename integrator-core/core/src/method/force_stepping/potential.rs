use crate::system::{Element, Elements, Layout, Natural};

/// V as a sum of the system's elements, or as a single element.
pub(super) struct Potential<'s, S: ?Sized> {
    system: &'s S,
    sum: Option<&'s dyn Elements>,
    /// The time of all evaluations; the potential does not depend on it.
    time: f64,
    ids: Vec<Element>,
    /// The coordinates that the elements read, one element after the other.
    reads: Vec<u32>,
    /// The place in `reads` where the coordinates of each element begin.
    starts: Vec<usize>,
}

impl<'s, S: Natural + ?Sized> Potential<'s, S> {
    pub(super) fn of(system: &'s S, time: f64) -> Self {
        let sum = system.elements();
        let (mut ids, mut reads, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        let mut push = |id: Element, coordinates: &[u32]| {
            ids.push(id);
            reads.extend_from_slice(coordinates);
            starts.push(reads.len());
        };
        if let Some(sum) = sum {
            sum.visit_elements(&mut push);
        } else {
            let all: Vec<u32> = (0..system.dimension() as u32).collect();
            push(Element { family: 0, index: 0 }, &all);
        }
        ids.shrink_to_fit();
        reads.shrink_to_fit();
        starts.shrink_to_fit();
        Self { system, sum, time, ids, reads, starts }
    }

    pub(super) fn layout(&self) -> &'s Layout {
        self.system.layout()
    }

    /// The number of elements.
    pub(super) fn elements(&self) -> usize {
        self.ids.len()
    }

    /// The identity of an element in the system.
    pub(super) fn id(&self, element: usize) -> Element {
        self.ids[element]
    }

    /// The place of an element's first coordinate in the list of all.
    pub(super) fn start(&self, element: usize) -> usize {
        self.starts[element]
    }

    pub(super) fn reads(&self, element: usize) -> &[u32] {
        &self.reads[self.starts[element]..self.starts[element + 1]]
    }

    /// The coordinates that elements read, one element after the other.
    #[inline]
    pub(super) fn all_reads(&self) -> &[u32] {
        &self.reads
    }

    /// The largest number of coordinates that an element reads.
    pub(super) fn most_slots(&self) -> usize {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    #[inline]
    pub(super) fn value(&self, element: Element, x: &[f64]) -> f64 {
        match self.sum {
            Some(sum) => sum.element_value(element, x, self.time),
            None => self.system.potential(x, self.time),
        }
    }

    /// True if the value of the element is constant along a direction.
    pub(super) fn is_invariant(&self, element: usize, direction: &[f64]) -> bool {
        self.sum.is_some_and(|sum| sum.is_invariant(self.ids[element], direction))
    }

    /// Describes a vertex of an element that reads these coordinates.
    pub(super) fn describe(&self, reads: &[u32], x: &[f64]) -> String {
        const SHOWN: usize = 6;
        let layout = self.system.layout();
        let entries = reads.iter().zip(x);
        let shown =
            entries.take(SHOWN).map(|(&a, value)| format!("{} = {value}", layout.name_of(a as usize)));
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if reads.len() > SHOWN {
            text.push_str(", …");
        }
        format!("({text})")
    }
}

// The derive would require `S: Clone`.
impl<S: ?Sized> Clone for Potential<'_, S> {
    fn clone(&self) -> Self {
        let Self { ids, reads, starts, .. } = self;
        Self { ids: ids.clone(), reads: reads.clone(), starts: starts.clone(), ..*self }
    }
}

crate::shown::shown!([S: ?Sized] Potential<'_, S>, |own| "Potential" { elements: own.ids.len() });
