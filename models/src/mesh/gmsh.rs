//! Meshes of Gmsh: the nodes and tetrahedra of an .msh file.
//!
//! The format is text of MSH 4.1 or 2.2, <https://gmsh.info/doc/texinfo/gmsh.html#File-formats>. No
//! library reads it here: mshio has stood still since 2020, on unmaintained parsers.

use super::Mesh;
use least_action::advanced::inputs;
use least_action::files;
use least_action::nalgebra::Vector3;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::SplitAsciiWhitespace;

/// A mesh that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The file cannot be read.
    #[error("the mesh {path} cannot be read: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file has another format.
    #[error(
        "the mesh is of the format {found}: save it as text, in version 4.1 or 2.2 (Gmsh: Mesh.MshFileVersion, Mesh.Binary = 0)"
    )]
    Format {
        /// The format that the file names.
        found: String,
    },
    /// A line is missing.
    #[error("the mesh ends before {expected}")]
    Incomplete {
        /// The missing item.
        expected: &'static str,
    },
    /// A line is not as expected.
    #[error("line {line} of the mesh is no {expected}")]
    Line {
        /// The number of the line, counted from 1.
        line: usize,
        /// The expected item.
        expected: &'static str,
    },
    /// An element mentions a missing node.
    #[error("line {line} of the mesh mentions the node {node}, which it does not define")]
    UnknownNode {
        /// The number of the line, counted from 1.
        line: usize,
        /// The tag of the node.
        node: usize,
    },
    /// There are no tetrahedra.
    #[error("the mesh has no tetrahedra of four nodes: mesh the volume, with elements of first order")]
    NoTetrahedra,
    /// A tetrahedron without volume.
    #[error("the tetrahedron on line {line} of the mesh has no volume")]
    Flat {
        /// The number of the line, counted from 1.
        line: usize,
    },
}

/// The type of a tetrahedron with four nodes.
const TETRAHEDRON: usize = 4;
/// A smaller volume, as a part of the box around the tetrahedron, is none.
const FLAT: f64 = 1e-12;

impl Mesh {
    /// Reads the tetrahedra of a file of Gmsh, with the nodes at their corners in the order of the file.
    ///
    /// Nodes of no tetrahedron are left out; the surface belongs to all tetrahedra together.
    ///
    /// # Errors
    /// The file cannot be read, has another format, is incomplete, or has no tetrahedra, or flat ones.
    pub fn read(path: &Path) -> Result<Self, MeshError> {
        let text =
            files::read(path).map_err(|source| MeshError::Unreadable { path: path.to_owned(), source })?;
        inputs::tell(path, &text);
        Self::parse(&String::from_utf8_lossy(&text))
    }

    /// Reads a mesh from the text of a file.
    ///
    /// # Errors
    /// As for [`Mesh::read`].
    pub fn parse(text: &str) -> Result<Self, MeshError> {
        let mut lines = Lines { text: text.lines(), number: 0 };
        lines.find("$MeshFormat")?;
        let mut format = lines.next("the format")?;
        let found = format.rest.clone().collect::<Vec<_>>().join(" ");
        let blocks = match (format.rest.next(), format.rest.next()) {
            (Some("4.1"), Some("0")) => true,
            (Some("2.2"), Some("0")) => false,
            _ => return Err(MeshError::Format { found }),
        };
        let places = lines.nodes(blocks)?;
        let tetrahedra = lines.tetrahedra(blocks)?;
        Self::of(&places, &tetrahedra)
    }

    /// From places by tag, and the tags of each tetrahedron with its line.
    fn of(places: &[(usize, Vector3<f64>)], tetrahedra: &[(usize, [usize; 4])]) -> Result<Self, MeshError> {
        if tetrahedra.is_empty() {
            return Err(MeshError::NoTetrahedra);
        }
        let defined: HashMap<usize, Vector3<f64>> = places.iter().copied().collect();
        for &(line, nodes) in tetrahedra {
            if let Some(&node) = nodes.iter().find(|node| !defined.contains_key(node)) {
                return Err(MeshError::UnknownNode { line, node });
            }
        }
        let used: std::collections::HashSet<usize> =
            tetrahedra.iter().flat_map(|(_, nodes)| *nodes).collect();
        let kept: Vec<(usize, Vector3<f64>)> =
            places.iter().filter(|(tag, _)| used.contains(tag)).copied().collect();
        let number: HashMap<usize, usize> = kept.iter().enumerate().map(|(k, (tag, _))| (*tag, k)).collect();
        let mut mesh = Self {
            nodes: kept.iter().map(|(_, place)| *place).collect(),
            tetrahedra: tetrahedra.iter().map(|(_, nodes)| nodes.map(|tag| number[&tag])).collect(),
            surface: Vec::new(),
        };
        for (element, (line, _)) in mesh.elements().zip(tetrahedra) {
            let corners = element.nodes.map(|node| mesh.nodes[node]);
            let width = |axis: usize| {
                let along = corners.map(|corner| corner[axis]);
                along.into_iter().fold(f64::MIN, f64::max) - along.into_iter().fold(f64::MAX, f64::min)
            };
            let largest = (0..3).map(width).fold(0.0, f64::max);
            if element.volume.is_nan() || element.volume <= FLAT * largest.powi(3) {
                return Err(MeshError::Flat { line: *line });
            }
        }
        mesh.surface = mesh.outer_nodes();
        Ok(mesh)
    }
}

/// The lines of a file, counted.
struct Lines<'t> {
    text: std::str::Lines<'t>,
    number: usize,
}

/// A line, with its unread words.
struct Line<'t> {
    number: usize,
    rest: SplitAsciiWhitespace<'t>,
}

impl<'t> Lines<'t> {
    fn next(&mut self, expected: &'static str) -> Result<Line<'t>, MeshError> {
        let text = self.text.next().ok_or(MeshError::Incomplete { expected })?;
        self.number += 1;
        Ok(Line { number: self.number, rest: text.split_ascii_whitespace() })
    }

    /// Skips to the line that begins a section.
    fn find(&mut self, section: &'static str) -> Result<(), MeshError> {
        while self.next(section)?.rest.next() != Some(section) {}
        Ok(())
    }

    /// The tags and places of all nodes.
    fn nodes(&mut self, blocks: bool) -> Result<Vec<(usize, Vector3<f64>)>, MeshError> {
        self.find("$Nodes")?;
        let mut nodes = Vec::new();
        let [count] = self.next("the number of nodes")?.counts("number of nodes")?;
        for _ in 0..count {
            if !blocks {
                let mut line = self.next("the last node")?;
                let [tag] = line.counts("node")?;
                nodes.push((tag, line.place()?));
                continue;
            }
            let [_, _, _, inside] =
                self.next("the last block of nodes")?.counts("head of a block of nodes")?;
            let tag = |_| self.next("the tags of all nodes")?.counts("tag of a node");
            let tags = (0..inside).map(tag).collect::<Result<Vec<[usize; 1]>, _>>()?;
            for [tag] in tags {
                nodes.push((tag, self.next("the places of all nodes")?.place()?));
            }
        }
        Ok(nodes)
    }

    /// The lines and the nodes of all tetrahedra.
    fn tetrahedra(&mut self, blocks: bool) -> Result<Vec<(usize, [usize; 4])>, MeshError> {
        self.find("$Elements")?;
        let mut found = Vec::new();
        let [count] = self.next("the number of elements")?.counts("number of elements")?;
        for _ in 0..count {
            if !blocks {
                let mut line = self.next("the last element")?;
                let [_, kind, tags] = line.counts("element")?;
                if kind == TETRAHEDRON {
                    line.rest.by_ref().take(tags).for_each(drop);
                    found.push((line.number, line.counts("tetrahedron")?));
                }
                continue;
            }
            let [_, _, kind, inside] =
                self.next("the last block of elements")?.counts("head of a block of elements")?;
            for _ in 0..inside {
                let mut line = self.next("the last element")?;
                if kind == TETRAHEDRON {
                    let [_, nodes @ ..]: [usize; 5] = line.counts("tetrahedron")?;
                    found.push((line.number, nodes));
                }
            }
        }
        Ok(found)
    }
}

impl Line<'_> {
    /// The next words as numbers that are not negative.
    fn counts<const N: usize>(&mut self, expected: &'static str) -> Result<[usize; N], MeshError> {
        let mut counts = [0; N];
        for count in &mut counts {
            // Tags of entities may be negative, and are not used.
            let word = self.rest.next().map(|word| word.trim_start_matches('-'));
            let read = word.and_then(|word| word.parse().ok());
            *count = read.ok_or(MeshError::Line { line: self.number, expected })?;
        }
        Ok(counts)
    }

    /// The next three words as a place.
    fn place(&mut self) -> Result<Vector3<f64>, MeshError> {
        let mut place = Vector3::zeros();
        for coordinate in place.iter_mut() {
            let read = self.rest.next().and_then(|word| word.parse().ok()).filter(|x: &f64| x.is_finite());
            *coordinate = read.ok_or(MeshError::Line { line: self.number, expected: "place of a node" })?;
        }
        Ok(place)
    }
}
