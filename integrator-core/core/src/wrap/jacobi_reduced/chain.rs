/// The points along each axis as a chain: each relative to the centre of mass of the points before it.
///
/// With q = A q' for a centre of mass at zero,
/// [`Chains::expand`] applies A and [`Chains::pull_back`] Aᵀ, each in O(N).
#[derive(Debug)]
pub(super) struct Chains {
    pub(super) axes: usize,
    /// m_i, in the order of q.
    masses: Vec<f64>,
    /// M_i = Σ_{j≤i} m_j along an axis.
    sums: Vec<f64>,
}

impl Chains {
    /// The chain for the masses on the diagonal of the mass matrix.
    pub(super) fn new(axes: usize, masses: &[f64]) -> Self {
        let mut sums = masses.to_vec();
        for i in axes..sums.len() {
            sums[i] += sums[i - axes];
        }
        Self { axes, masses: masses.to_vec(), sums }
    }

    /// m'_k = m_{k+1} M_k / M_{k+1}.
    pub(super) fn reduced_masses(&self) -> Vec<f64> {
        let next = self.masses.iter().zip(&self.sums).skip(self.axes);
        next.zip(&self.sums).map(|((mass, sum), before)| mass * before / sum).collect()
    }

    /// Writes the Jacobi vectors and the centre of mass of `whole`.
    pub(super) fn reduce(&self, whole: &[f64], reduced: &mut [f64], centre: &mut [f64]) {
        centre.copy_from_slice(&whole[..self.axes]);
        for (k, reduced) in reduced.iter_mut().enumerate() {
            let next = k + self.axes;
            let centre = &mut centre[k % self.axes];
            *reduced = whole[next] - *centre;
            *centre += self.masses[next] / self.sums[next] * *reduced;
        }
    }

    /// Writes the points of these Jacobi vectors around a centre of mass over `whole`.
    pub(super) fn expand(&self, reduced: &[f64], centre: impl Fn(usize) -> f64, whole: &mut [f64]) {
        for axis in 0..self.axes {
            // The centre of mass of the points up to this one.
            let mut among = centre(axis);
            for k in (axis..reduced.len()).step_by(self.axes).rev() {
                let next = k + self.axes;
                among -= self.masses[next] / self.sums[next] * reduced[k];
                whole[next] = among + reduced[k];
            }
            whole[axis] = among;
        }
    }

    /// Aᵀ of forces on the points.
    pub(super) fn pull_back(&self, whole: &[f64], reduced: &mut [f64]) {
        for axis in 0..self.axes {
            // The sum of the forces on the points before.
            let mut before = 0.0;
            for k in (axis..reduced.len()).step_by(self.axes) {
                let next = k + self.axes;
                before += whole[k];
                reduced[k] = (self.sums[k] * whole[next] - self.masses[next] * before) / self.sums[next];
            }
        }
    }
}
