//! Files that are compressed with gzip (RFC 1952), as pandas and R write them: `.csv.gz`.
//!
//! The decoder of RFC 1951 is written for small code rather than speed, since it is part of the live
//! page; a table of a few hundred kilobytes takes some milliseconds.

/// The content of a gzip file of one part or several; `None` where it is damaged, or larger than
/// `most` bytes.
pub(super) fn inflate(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let start = out.len();
        let mut bits = BitReader {
            bytes: after_header(rest)?,
            next: 0,
        };
        while !block(&mut bits, &mut out, start, most)? {}
        let (trailer, more) = bits
            .bytes
            .get(bits.next.div_ceil(8)..)?
            .split_at_checked(8)?;
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| trailer[at + i]));
        let part = &out[start..];
        if word(0) != checksum(part) || word(4) != part.len() as u32 {
            return None;
        }
        rest = more;
    }
    Some(out)
}

/// What follows the header: the magic number, a method, flags, time and system, and what the flags
/// announce.
fn after_header(bytes: &[u8]) -> Option<&[u8]> {
    let (head, mut rest) = bytes.split_at_checked(10)?;
    if head[..3] != [0x1f, 0x8b, 8] {
        return None;
    }
    let flags = head[3];
    if flags & 4 != 0 {
        let length = usize::from(*rest.first()?) | usize::from(*rest.get(1)?) << 8;
        rest = rest.get(2 + length..)?;
    }
    // A name and a comment, each of which ends with a zero.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = &rest[end + 1..];
        }
    }
    match flags & 2 {
        0 => Some(rest),
        _ => rest.get(2..),
    }
}

/// Bits from the lowest of every byte on.
struct BitReader<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl BitReader<'_> {
    fn bit(&mut self) -> Option<usize> {
        let byte = self.bytes.get(self.next / 8)?;
        let bit = usize::from(byte >> (self.next % 8) & 1);
        self.next += 1;
        Some(bit)
    }

    /// A number of so many bits, the lowest first.
    fn number(&mut self, bits: u32) -> Option<usize> {
        (0..bits).try_fold(0, |number, place| Some(number | self.bit()? << place))
    }
}

/// A canonical Huffman code: how many symbols have each length, and the symbols by length.
struct HuffmanCode {
    counts: [usize; 16],
    symbols: Vec<usize>,
}

impl HuffmanCode {
    /// From the length of every symbol, 0 for those that do not occur.
    fn new(lengths: &[usize]) -> Self {
        let count = |length: usize| lengths.iter().filter(|l| **l == length).count();
        let of_length = |length: usize| {
            let symbols = lengths.iter().enumerate();
            symbols.filter_map(move |(symbol, l)| (*l == length).then_some(symbol))
        };
        HuffmanCode {
            counts: std::array::from_fn(|length| if length == 0 { 0 } else { count(length) }),
            symbols: (1..16).flat_map(of_length).collect(),
        }
    }

    fn symbol(&self, bits: &mut BitReader) -> Option<usize> {
        let (mut code, mut first, mut place) = (0, 0, 0);
        for count in &self.counts[1..] {
            code = code << 1 | bits.bit()?;
            first <<= 1;
            if code < first + count {
                return self
                    .symbols
                    .get(place + (code.checked_sub(first)?))
                    .copied();
            }
            first += count;
            place += count;
        }
        None
    }
}

/// Appends a block; returns whether it is the last. Copies reach back to `start`.
fn block(bits: &mut BitReader, out: &mut Vec<u8>, start: usize, most: usize) -> Option<bool> {
    let last = bits.bit()? == 1;
    match bits.number(2)? {
        0 => {
            bits.next = bits.next.next_multiple_of(8);
            let (length, complement) = (bits.number(16)?, bits.number(16)?);
            let from = bits.next / 8;
            let stored = bits.bytes.get(from..from + length)?;
            if length ^ complement != 0xffff || out.len() + length > most {
                return None;
            }
            out.extend_from_slice(stored);
            bits.next += 8 * length;
        }
        1 => {
            let lengths: [usize; 288] = std::array::from_fn(|symbol| match symbol {
                0..=143 => 8,
                144..=255 => 9,
                256..=279 => 7,
                _ => 8,
            });
            let codes = [HuffmanCode::new(&lengths), HuffmanCode::new(&[5; 30])];
            symbols(bits, codes, out, start, most)?;
        }
        2 => {
            let codes = read_codes(bits)?;
            symbols(bits, codes, out, start, most)?;
        }
        _ => return None,
    }
    Some(last)
}

/// The codes of a block that has its own: of bytes and lengths, and of distances.
fn read_codes(bits: &mut BitReader) -> Option<[HuffmanCode; 2]> {
    const ORDER: [usize; 19] = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ];
    let literals = bits.number(5)? + 257;
    let distances = bits.number(5)? + 1;
    let given = bits.number(4)? + 4;
    let mut lengths = [0; 19];
    for place in &ORDER[..given] {
        lengths[*place] = bits.number(3)?;
    }
    let code = HuffmanCode::new(&lengths);
    let mut lengths = Vec::new();
    while lengths.len() < literals + distances {
        let (length, times) = match code.symbol(bits)? {
            16 => (*lengths.last()?, 3 + bits.number(2)?),
            17 => (0, 3 + bits.number(3)?),
            18 => (0, 11 + bits.number(7)?),
            length => (length, 1),
        };
        lengths.extend(std::iter::repeat_n(length, times));
    }
    let (literals, distances) = lengths
        .split_at_checked(literals)
        .filter(|_| lengths.len() == literals + distances)?;
    Some([HuffmanCode::new(literals), HuffmanCode::new(distances)])
}

/// The bytes and copies of a block, up to its end.
fn symbols(
    bits: &mut BitReader,
    [literals, distances]: [HuffmanCode; 2],
    out: &mut Vec<u8>,
    start: usize,
    most: usize,
) -> Option<()> {
    loop {
        let symbol = literals.symbol(bits)?;
        match symbol {
            0..=255 => out.push(symbol as u8),
            256 => return Some(()),
            _ => {
                let length = match symbol {
                    285 => 258,
                    286.. => return None,
                    _ => 3 + stepped(symbol - 257, 4, bits)?,
                };
                let distance = distances.symbol(bits).filter(|symbol| *symbol < 30)?;
                let distance = 1 + stepped(distance, 2, bits)?;
                let from = out
                    .len()
                    .checked_sub(distance)
                    .filter(|from| *from >= start)?;
                (from..from + length).for_each(|place| out.push(out[place]));
            }
        }
        if out.len() > most {
            return None;
        }
    }
}

/// The number that a symbol and the bits after it stand for: every `step` symbols, those of the next
/// ones have one bit more.
fn stepped(symbol: usize, step: usize, bits: &mut BitReader) -> Option<usize> {
    let more = (symbol / step).saturating_sub(1);
    let base = match symbol < 2 * step {
        true => symbol,
        false => (step + symbol % step) << more,
    };
    Some(base + bits.number(more as u32)?)
}

/// CRC-32.
fn checksum(bytes: &[u8]) -> u32 {
    let all = bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| match sum & 1 {
            0 => sum >> 1,
            _ => sum >> 1 ^ 0xedb8_8320,
        })
    });
    !all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [`TEXT`] as written by `gzip.GzipFile("t.csv", …)` of Python: a name in the header, and one block of
    /// the fixed code.
    const FIXED: &[u8] = &[
        31, 139, 8, 8, 0, 0, 0, 0, 2, 255, 116, 46, 99, 115, 118, 0, 75, 212, 73, 226, 50, 212, 49,
        130, 99, 0, 88, 113, 113, 45, 16, 0, 0, 0,
    ];
    /// The same by `gzip.compress(…, 0)` of Python: stored as it is.
    const STORED: &[u8] = &[
        31, 139, 8, 0, 0, 0, 0, 0, 4, 3, 1, 16, 0, 239, 255, 97, 44, 98, 10, 49, 44, 50, 10, 49,
        44, 50, 10, 49, 44, 50, 10, 88, 113, 113, 45, 16, 0, 0, 0,
    ];
    const TEXT: &[u8] = b"a,b\n1,2\n1,2\n1,2\n";

    #[test]
    fn files_of_every_kind_of_block_are_read() {
        assert_eq!(inflate(FIXED, 100).as_deref(), Some(TEXT));
        assert_eq!(inflate(STORED, 100).as_deref(), Some(TEXT));
        let both = [FIXED, STORED].concat();
        assert_eq!(inflate(&both, 100), Some([TEXT, TEXT].concat()));
        assert_eq!(inflate(&[], 100), Some(Vec::new()));
    }

    #[test]
    fn damaged_and_large_files_are_refused() {
        for file in [FIXED, STORED] {
            assert_eq!(inflate(file, TEXT.len() - 1), None);
            for end in 1..file.len() {
                assert_eq!(inflate(&file[..end], 100), None, "{end} bytes");
            }
            for place in 10..file.len() {
                let mut damaged = file.to_vec();
                damaged[place] ^= 0x10;
                if let Some(text) = inflate(&damaged, 100) {
                    assert_eq!(text, TEXT, "byte {place}");
                }
            }
        }
    }
}
