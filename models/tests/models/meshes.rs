//! Meshes of cubes, and of files.

use least_action::nalgebra::Matrix3;
use least_action_models::{Cut, Mesh};

/// Nodes and tetrahedra of the three meshes of Gonzalez, Schmidt and Ortiz (2010), section 6.3.
#[test]
fn the_meshes_of_the_paper() {
    for (cells, cut, nodes, tetrahedra) in
        [(2, Cut::TwentyFour, 71, 192), (4, Cut::Six, 125, 384), (4, Cut::TwentyFour, 429, 1536)]
    {
        let mesh = Mesh::cube(0.1, cells, cut);
        assert_eq!((mesh.nodes.len(), mesh.tetrahedra.len()), (nodes, tetrahedra));
        assert_eq!(Mesh::nodes_of_cube(cells, cut), nodes);
    }
}

/// The tetrahedra fill the cube: their volumes add up, and every inner face belongs to two of them.
#[test]
fn tetrahedra_fill_the_cube_once() {
    for cut in [Cut::Six, Cut::TwentyFour] {
        let mesh = Mesh::cube(2.0, 3, cut);
        assert!((mesh.elements().map(|element| element.volume).sum::<f64>() - 8.0).abs() < 1e-13);
        assert!((mesh.volumes().iter().sum::<f64>() - 8.0).abs() < 1e-13);
        let mut faces = std::collections::HashMap::new();
        for nodes in &mesh.tetrahedra {
            for left_out in 0..4 {
                let mut face: Vec<usize> = (0..4).filter(|&k| k != left_out).map(|k| nodes[k]).collect();
                face.sort_unstable();
                *faces.entry(face).or_insert(0) += 1;
            }
        }
        for (face, count) in faces {
            let outer = (0..3).any(|axis| {
                let on = |value: f64| face.iter().all(|&node| (mesh.nodes[node][axis] - value).abs() < 1e-12);
                on(0.0) || on(2.0)
            });
            assert_eq!(count, if outer { 1 } else { 2 }, "{face:?}");
            assert!(!outer || face.iter().all(|node| mesh.surface.contains(node)));
        }
    }
}

/// The text of a mesh as Gmsh writes it, versions 4.1 and 2.2; tags begin at 11, in steps of three.
fn written(mesh: &Mesh) -> [String; 2] {
    let tag = |node: usize| (11 + 3 * node).to_string();
    let lines = |lines: Vec<String>| lines.join("\n");
    let (count, elements) = (mesh.nodes.len(), mesh.tetrahedra.len());
    let places = || mesh.nodes.iter().map(|place| <[f64; 3]>::from(*place).map(|x| x.to_string()).join(" "));
    let corners = || mesh.tetrahedra.iter().map(|nodes| nodes.map(tag).join(" "));
    let numbered = |between: &str| {
        lines(corners().enumerate().map(|(k, nodes)| format!("{}{between} {nodes}", k + 2)).collect())
    };
    let head = "$MeshFormat\n";
    let (tags, plain) = (lines((0..count).map(tag).collect()), lines(places().collect()));
    let tagged = lines(places().enumerate().map(|(k, place)| format!("{} {place}", tag(k))).collect());
    let (total, last, all) = (count + 1, tag(count), elements + 1);
    [
        format!(
            "{head}4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n\
             $Nodes\n2 {total} 1 {last}\n0 1 0 1\n1\n9 9 9\n3 1 0 {count}\n{tags}\n{plain}\n$EndNodes\n\
             $Elements\n2 {all} 1 {all}\n0 1 15 1\n1 1\n3 1 4 {elements}\n{}\n$EndElements\n",
            numbered("")
        ),
        format!(
            "{head}2.2 0 8\n$EndMeshFormat\n$Nodes\n{count}\n{tagged}\n$EndNodes\n\
             $Elements\n{all}\n1 15 2 0 1 11\n{}\n$EndElements\n",
            numbered(" 4 2 7 1")
        ),
    ]
}

#[test]
fn a_mesh_that_is_written_is_read_again() {
    for cut in [Cut::Six, Cut::TwentyFour] {
        let mesh = Mesh::cube(0.1, 2, cut);
        for text in written(&mesh) {
            assert_eq!(Mesh::parse(&text).unwrap(), mesh);
        }
    }
}

#[test]
fn a_file_that_is_no_mesh_is_refused_with_its_line() {
    let [text, old] = written(&Mesh::cube(0.1, 1, Cut::Six));
    let message = |text: &str| Mesh::parse(text).unwrap_err().to_string();
    let number = text.lines().position(|line| line == "0.1 0.1 0.1").unwrap() + 1;
    let line = format!("line {number} of the mesh is no place of a node");
    assert!(message("").contains("ends before $MeshFormat"));
    assert!(message(&text.replace("4.1 0", "4.1 1")).contains("format 4.1 1 8"));
    assert!(message(&text.replace("4.1 0", "4 0")).contains("format 4 0 8"));
    assert!(message(text.split("$Elements").next().unwrap()).contains("ends before $Elements"));
    assert!(message(&text.replace("\n0.1 0.1 0.1\n", "\n0.1 0.1\n")).contains("is no place of a node"));
    assert!(message(&text.replace("\n0.1 0.1 0.1\n", "\n0.1 0.1 nan\n")).contains(&line));
    assert!(message(&text.replace("3 1 4 6", "3 1 11 6")).contains("no tetrahedra"));
    assert!(message(&old.replace(" 4 2 7 1 ", " 4 1 7 1 ")).contains("mentions the node 1,"));
    assert!(message(&text.replace("\n0.1 0.1 0.1\n", "\n0 0 0\n")).contains("has no volume"));
}

/// D⁻¹ D is the identity.
#[test]
fn shapes_are_inverses() {
    let mesh = Mesh::cube(0.7, 2, Cut::TwentyFour);
    for element in mesh.elements() {
        let place = |k: usize| mesh.nodes[element.nodes[k]];
        let edges = Matrix3::from_fn(|k, column| place(column + 1)[k] - place(0)[k]);
        let defect = (element.shape * edges - Matrix3::identity()).amax();
        assert!(defect < 1e-14, "{element:?}");
    }
}
