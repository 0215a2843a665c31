/// The checksums of a system made of another one and a number: the declaration stays.
pub(crate) fn checksums_with([declaration, numbers]: [u64; 2], number: f64) -> [u64; 2] {
    [declaration, numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.to_bits()]
}
