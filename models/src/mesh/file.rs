use super::{Mesh, MeshError};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A mesh from a file of Gmsh; as a parameter it is the path, read together with the parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PathBuf", into = "PathBuf")]
pub struct MeshFile {
    path: PathBuf,
    mesh: Mesh,
}

impl MeshFile {
    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }
}

impl TryFrom<PathBuf> for MeshFile {
    type Error = MeshError;

    fn try_from(path: PathBuf) -> Result<Self, MeshError> {
        Ok(Self { mesh: Mesh::read(&path)?, path })
    }
}

impl From<MeshFile> for PathBuf {
    fn from(file: MeshFile) -> Self {
        file.path
    }
}
