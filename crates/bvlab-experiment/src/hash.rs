//! A hash of texts and tables that is the same everywhere and for ever.

/// The FNV-1a hash in 128 bits. It is kept in files, so it must be the same for every build, as
/// that of the standard library need not be; nobody gains from forging it, so it may be simple.
pub(crate) fn hash(bytes: &[u8]) -> String {
    const START: u128 = 0x6c62272e07bb014262b821756295c58d;
    const PRIME: u128 = 0x0000000001000000000000000000013b;
    let hash = bytes.iter().fold(START, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
    });
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(hash(b""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(hash(b"a"), "d228cb696f1a8caf78912b704e4a8964");
    }
}
