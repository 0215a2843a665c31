//! Nearest images in registers.

use crate::lanes::Lanes;
use crate::system::image::{Image, ROUNDING};
use pulp::Simd;

/// An [`Image`] in registers, for a loop over differences: loaded once before the loop.
#[derive(Clone, Copy)]
pub(crate) struct ImageInLanes<S: Simd> {
    rows: [[Lanes<S>; 3]; 3],
    /// Zero in open directions.
    normals: [[Lanes<S>; 3]; 3],
}

impl<S: Simd> ImageInLanes<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, image: &Image) -> Self {
        let zero = Lanes::splat(simd, 0.0);
        let (mut rows, mut normals) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        // Loops, not closures, which would be compiled without the registers of the processor.
        for k in 0..3 {
            let factor = if image.repeats[k] { 1.0 } else { 0.0 };
            for l in 0..3 {
                rows[k][l] = Lanes::splat(simd, image.rows[k][l]);
                normals[k][l] = Lanes::splat(simd, factor * image.normals[k][l]);
            }
        }
        Self { rows, normals }
    }

    /// Brings a difference to its nearest image: [`Image::nearest`], operation by operation.
    /// `IMAGES` is 0 without images, 1 in an orthorhombic cell, and more in any cell.
    #[inline(always)]
    pub(crate) fn nearest<const IMAGES: usize>(&self, d: &mut [Lanes<S>; 3]) {
        let round = |number: Lanes<S>| (number + ROUNDING) - ROUNDING;
        let (normals, rows) = (&self.normals, &self.rows);
        match IMAGES {
            0 => {}
            1 => {
                for k in 0..3 {
                    d[k] = d[k] - round(d[k] * normals[k][k]) * rows[k][k];
                }
            }
            _ => {
                let [a, b, c] = normals.map(|[x, y, z]| round(d[0] * x + d[1] * y + d[2] * z));
                for k in 0..3 {
                    d[k] = d[k] - (a * rows[0][k] + b * rows[1][k] + c * rows[2][k]);
                }
            }
        }
    }
}
