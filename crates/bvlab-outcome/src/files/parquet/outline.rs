//! The outline of a Parquet file: its footer and the headers of its pages, checked against the
//! file's length before polars sees them.
//!
//! polars reserves memory for what a file announces. A damaged or hostile file announces lists of
//! 2³¹ entries, pages of 2 GB or groups nested 100 000 deep: reserving that ends the process, and
//! so does the recursion. Both are no panics, and cannot be caught. So every announced length is
//! compared here with what the file holds. This walks over headers alone and decodes no value.

use std::io::{Read, Seek, SeekFrom};

/// The largest footer.
const MOST_FOOTER: u64 = 1 << 26;

/// The largest page, unpacked.
const MOST_PAGE: i64 = 1 << 30;

/// How deep structures and columns may be nested.
const DEEPEST: usize = 16;

/// Checks the outline of a file.
///
/// # Errors
///
/// What is wrong, as the end of a sentence: `cannot read FILE: …`.
pub fn check(file: &mut (impl Read + Seek)) -> Result<(), String> {
    let length = file.seek(SeekFrom::End(0)).map_err(|e| e.to_string())?;
    if length < 12 {
        return Err("it is too short for a Parquet file".to_owned());
    }
    let (mut first, mut end) = ([0; 4], [0; 8]);
    take(file, 0, &mut first)?;
    take(file, length - 8, &mut end)?;
    let [size, mark] = [0, 4].map(|at| [end[at], end[at + 1], end[at + 2], end[at + 3]]);
    if &first != b"PAR1" || &mark != b"PAR1" {
        return Err("it does not begin and end as a Parquet file does".to_owned());
    }
    let size = u64::from(u32::from_le_bytes(size));
    if size > (length - 12).min(MOST_FOOTER) {
        return Err(damaged("its footer is longer than the file, or than 64 MB"));
    }
    let data = length - 8 - size;
    let mut footer = vec![0; size as usize];
    take(file, data, &mut footer)?;
    let chunks = chunks(&footer)?;
    // Columns that share bytes could make a short file a long one to read.
    let bytes = chunks.iter().try_fold(0_i64, |sum, chunk| {
        let bytes = Some(chunk.bytes).filter(|bytes| *bytes >= 0);
        sum.checked_add(bytes?)
    });
    if bytes.is_none_or(|bytes| bytes as u64 > data) {
        return Err(damaged("its columns are longer than the file"));
    }
    for chunk in &chunks {
        chunk.check(file, data)?;
    }
    Ok(())
}

fn take(file: &mut (impl Read + Seek), at: u64, bytes: &mut [u8]) -> Result<(), String> {
    let read = file.seek(SeekFrom::Start(at));
    let read = read.and_then(|_| file.read_exact(bytes));
    read.map_err(|error| error.to_string())
}

fn damaged(what: &str) -> String {
    format!("it is damaged: {what}")
}

/// The pages of one column in one group of rows.
#[derive(Clone, Copy, Default)]
struct Chunk {
    /// Whether the column is not part of another, so that it has a value for every row.
    flat: bool,
    rows: i64,
    values: i64,
    bytes: i64,
    pages: i64,
    dictionary: Option<i64>,
}

/// All columns of all groups of rows, from a footer.
fn chunks(bytes: &[u8]) -> Result<Vec<Chunk>, String> {
    let mut thrift = Thrift { bytes };
    let (mut columns, mut rows) = (Vec::new(), 0);
    let mut groups: Vec<(i64, Vec<Chunk>)> = Vec::new();
    thrift.structure(0, &mut |thrift, field, kind| {
        match (field, kind) {
            (2, LIST) => columns = schema(thrift)?,
            (3, I64) => rows = thrift.integer()?,
            (4, LIST) => {
                for _ in 0..thrift.list(STRUCT)? {
                    groups.push(group(thrift)?);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let mut left = rows;
    let mut chunks = Vec::new();
    for (rows, group) in groups {
        if group.len() != columns.len() {
            return Err(damaged("a group of rows lacks a column"));
        }
        left = left.checked_sub(rows).filter(|_| rows >= 0).unwrap_or(-1);
        let group = group.into_iter().zip(&columns);
        chunks.extend(group.map(|(chunk, &flat)| Chunk {
            flat,
            rows,
            ..chunk
        }));
    }
    match left {
        0 => Ok(chunks),
        _ => Err(damaged("its groups do not add up to its rows")),
    }
}

/// The columns, each with whether it is not part of another.
fn schema(thrift: &mut Thrift<'_>) -> Result<Vec<bool>, String> {
    let count = thrift.list(STRUCT)?;
    let mut columns = Vec::new();
    // How many children are still to come, of the root and of every open group below it.
    let mut open: Vec<i64> = Vec::new();
    for element in 0..count {
        let mut children = 0;
        thrift.structure(0, &mut |thrift, field, kind| match (field, kind) {
            (5, I32) => {
                children = thrift.integer()?;
                Ok(true)
            }
            _ => Ok(false),
        })?;
        if element > 0 {
            match open.last_mut() {
                Some(left) => *left -= 1,
                None => return Err(damaged("its columns are not a tree")),
            }
        }
        if children == 0 && element > 0 {
            columns.push(open.len() == 1);
        }
        if children < 0 || children as u64 > count || open.len() > DEEPEST {
            return Err(damaged("its columns are nested too deep"));
        }
        open.push(children);
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    match open.is_empty() {
        true => Ok(columns),
        false => Err(damaged("a column is missing")),
    }
}

fn group(thrift: &mut Thrift<'_>) -> Result<(i64, Vec<Chunk>), String> {
    let (mut rows, mut chunks) = (0, Vec::new());
    thrift.structure(0, &mut |thrift, field, kind| {
        match (field, kind) {
            (1, LIST) => {
                for _ in 0..thrift.list(STRUCT)? {
                    chunks.push(chunk(thrift)?);
                }
            }
            (3, I64) => rows = thrift.integer()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok((rows, chunks))
}

fn chunk(thrift: &mut Thrift<'_>) -> Result<Chunk, String> {
    let mut chunk = Chunk::default();
    thrift.structure(0, &mut |thrift, field, kind| {
        if (field, kind) != (3, STRUCT) {
            return Ok(false);
        }
        thrift.structure(0, &mut |thrift, field, kind| {
            match (field, kind) {
                (5, I64) => chunk.values = thrift.integer()?,
                (7, I64) => chunk.bytes = thrift.integer()?,
                (9, I64) => chunk.pages = thrift.integer()?,
                (11, I64) => chunk.dictionary = Some(thrift.integer()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(true)
    })?;
    Ok(chunk)
}

impl Chunk {
    /// Walks over the headers of the pages, in a file whose data end at `end`.
    fn check(&self, file: &mut (impl Read + Seek), end: u64) -> Result<(), String> {
        // Some writers give a dictionary that is not there the place 0.
        let dictionary = self.dictionary.filter(|at| *at > 0);
        let start = dictionary.map_or(self.pages, |at| at.min(self.pages));
        let last = start.checked_add(self.bytes);
        let last = last.filter(|last| start >= 4 && self.bytes >= 0 && *last as u64 <= end);
        let Some(last) = last else {
            return Err(damaged("a column lies outside of the file"));
        };
        if !self.flat {
            // Not read: see `is_known` of the reader.
            return Ok(());
        }
        if self.values != self.rows {
            return Err(damaged("a column has more or fewer values than rows"));
        }
        let (mut at, mut left) = (start as u64, self.values);
        while left > 0 {
            let (header, page) = header(file, at, last as u64)?;
            let after = at + header + page.packed as u64;
            if page.packed < 0 || after > last as u64 {
                return Err(damaged("a page is longer than its column"));
            }
            // Every entry of a dictionary takes a byte at least.
            let entries = page.entries.unwrap_or(0);
            if !(0..=MOST_PAGE).contains(&page.unpacked) || !(0..=page.unpacked).contains(&entries)
            {
                return Err(damaged("a page is too large"));
            }
            let values = page.values.unwrap_or(0);
            if !(0..=left).contains(&values) {
                return Err(damaged("a page has more values than its column"));
            }
            left -= values;
            at = after;
        }
        Ok(())
    }
}

/// What the header of a page announces.
#[derive(Default)]
struct PageHeader {
    unpacked: i64,
    packed: i64,
    /// The values of a page of data.
    values: Option<i64>,
    /// The entries of a dictionary.
    entries: Option<i64>,
}

/// The header of the page at a place, and its length. The page belongs to a column that ends at
/// `last`.
fn header(file: &mut (impl Read + Seek), at: u64, last: u64) -> Result<(u64, PageHeader), String> {
    // Nearly all are shorter than the first guess; some hold the least and the greatest of texts.
    for guess in [1 << 8, 1 << 14, 1 << 24] {
        let mut bytes = vec![0; last.saturating_sub(at).min(guess) as usize];
        take(file, at, &mut bytes)?;
        let mut thrift = Thrift { bytes: &bytes };
        if let Ok(page) = page(&mut thrift) {
            return Ok(((bytes.len() - thrift.bytes.len()) as u64, page));
        }
        if at + guess >= last {
            break;
        }
    }
    Err(damaged("a page has no header"))
}

fn page(thrift: &mut Thrift<'_>) -> Result<PageHeader, String> {
    let mut page = PageHeader::default();
    thrift.structure(0, &mut |thrift, field, kind| {
        match (field, kind) {
            (2, I32) => page.unpacked = thrift.integer()?,
            (3, I32) => page.packed = thrift.integer()?,
            (5 | 8, STRUCT) => page.values = Some(first(thrift)?),
            (7, STRUCT) => page.entries = Some(first(thrift)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(page)
}

/// The first field of a structure, a number.
fn first(thrift: &mut Thrift<'_>) -> Result<i64, String> {
    let mut number = 0;
    thrift.structure(1, &mut |thrift, field, kind| match (field, kind) {
        (1, I32) => {
            number = thrift.integer()?;
            Ok(true)
        }
        _ => Ok(false),
    })?;
    Ok(number)
}

/// Thrift's compact protocol, in which footers and headers are written.
struct Thrift<'a> {
    /// What is still to be read.
    bytes: &'a [u8],
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// Reads a field, if it knows it.
type Field<'f, 'a> = dyn FnMut(&mut Thrift<'a>, i64, u8) -> Result<bool, String> + 'f;

impl<'a> Thrift<'a> {
    fn byte(&mut self) -> Result<u8, String> {
        let (byte, rest) = self
            .bytes
            .split_first()
            .ok_or_else(|| damaged("it ends early"))?;
        self.bytes = rest;
        Ok(*byte)
    }

    fn skip_bytes(&mut self, count: u64) -> Result<(), String> {
        let rest = usize::try_from(count)
            .ok()
            .and_then(|count| self.bytes.get(count..));
        self.bytes = rest.ok_or_else(|| damaged("it ends early"))?;
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(damaged("a number does not end"))
    }

    fn integer(&mut self) -> Result<i64, String> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The length of a list, whose elements take a byte each at least.
    fn counted(&mut self, size: u64) -> Result<u64, String> {
        match size <= self.bytes.len() as u64 {
            true => Ok(size),
            false => Err(damaged("a list is longer than the file")),
        }
    }

    /// Begins a list of elements of one kind.
    fn list(&mut self, wanted: u8) -> Result<u64, String> {
        let (size, kind) = self.any_list()?;
        match size == 0 || kind == wanted {
            true => Ok(size),
            false => Err(damaged("a list holds something else")),
        }
    }

    fn any_list(&mut self) -> Result<(u64, u8), String> {
        let byte = self.byte()?;
        let size = match byte >> 4 {
            15 => self.varint()?,
            size => u64::from(size),
        };
        Ok((self.counted(size)?, byte & 0x0f))
    }

    fn structure(&mut self, depth: usize, read: &mut Field<'_, 'a>) -> Result<(), String> {
        let mut field = 0;
        loop {
            let byte = self.byte()?;
            let kind = byte & 0x0f;
            if kind == 0 {
                return Ok(());
            }
            field = match byte >> 4 {
                0 => self.integer()?,
                step => i64::from(step).saturating_add(field),
            };
            if !read(self, field, kind)? {
                self.skip(kind, depth + 1)?;
            }
        }
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(damaged("its footer is nested too deep"));
        }
        match kind {
            TRUE | FALSE => Ok(()),
            I8 => self.skip_bytes(1),
            I16 | I32 | I64 => self.varint().map(|_| ()),
            DOUBLE => self.skip_bytes(8),
            BINARY => {
                let length = self.varint()?;
                self.skip_bytes(length)
            }
            LIST | SET => {
                let (size, kind) = self.any_list()?;
                (0..size).try_for_each(|_| self.skip_element(kind, depth))
            }
            MAP => {
                let size = self.varint()?;
                let size = self.counted(size)?;
                if size == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                (0..size).try_for_each(|_| {
                    self.skip_element(kinds >> 4, depth)?;
                    self.skip_element(kinds & 0x0f, depth)
                })
            }
            STRUCT => self.structure(depth, &mut |_, _, _| Ok(false)),
            _ => Err(damaged("its footer has a value of an unknown kind")),
        }
    }

    /// In lists and maps a truth value takes a byte.
    fn skip_element(&mut self, kind: u8, depth: usize) -> Result<(), String> {
        match kind {
            TRUE | FALSE => self.skip_bytes(1),
            kind => self.skip(kind, depth + 1),
        }
    }
}
