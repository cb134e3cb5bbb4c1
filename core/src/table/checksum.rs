//! Parquet files with the SHA-256 of their whole content.
//!
//! The checksum is in the footer's key-value metadata, under [`KEY`], as 64 hexadecimal digits. It is that of the file
//! with zeros in their place. So the checksum travels with the file, and its pages are those of a file without one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::TableError;
use super::select::read_error;

/// Metadata: SHA-256 of the file.
pub(super) const KEY: &str = "touchdown.sha256";
/// What stands there until the sum is known, and while it is computed.
pub(super) const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// What follows the key in the compact protocol of Thrift: field 2 is binary, of 64 bytes.
const BEFORE_DIGITS: [u8; 2] = [0x18, 64];
/// The length of the footer and the magic number, at the end of a file.
const FOOTER_END: u64 = 8;
/// A footer that is longer is none of ours.
const MAX_FOOTER: u64 = 1 << 28;
/// Bytes per call of the operating system.
const BUFFER_BYTES: usize = 1 << 18;

/// Checks that a file is intact, to the last bit.
///
/// # Errors
///
/// [`TableError::Read`], [`TableError::NoChecksum`] or [`TableError::Checksum`].
pub(super) fn verify(path: &Path) -> Result<(), TableError> {
    let refused = |source| read_error(path, source);
    let mut file = File::open(path).map_err(refused)?;
    let digits = digits(&mut file).map_err(refused)?;
    let Some(digits) = digits else {
        return Err(TableError::NoChecksum { path: path.to_owned() });
    };
    let computed = sum(&mut file, &digits).map_err(refused)?;
    let said = bytes_at(&mut file, &digits).map_err(refused)?;
    if said == computed.as_bytes() {
        Ok(())
    } else {
        let said = String::from_utf8_lossy(&said).into_owned();
        Err(TableError::Checksum { path: path.to_owned(), said, computed })
    }
}

/// Puts the sum into a finished file that has zeros in its place.
pub(super) fn seal(file: &mut File) -> io::Result<()> {
    let digits = digits(file)?.ok_or_else(|| io::Error::other("its footer has no place for a checksum"))?;
    let sum = sum(file, &digits)?;
    file.seek(SeekFrom::Start(digits.start))?;
    file.write_all(sum.as_bytes())
}

/// Where the digits stand in a file.
fn digits(file: &mut File) -> io::Result<Option<Range<u64>>> {
    let end = file.seek(SeekFrom::End(0))?;
    let Some(footer_end) = end.checked_sub(FOOTER_END) else {
        return Ok(None);
    };
    let mut length = [0; 4];
    file.seek(SeekFrom::Start(footer_end))?;
    file.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    let Some(start) = footer_end.checked_sub(length).filter(|_| length <= MAX_FOOTER) else {
        return Ok(None);
    };
    let footer = bytes_at(file, &(start..footer_end))?;
    let before = [KEY.as_bytes(), &BEFORE_DIGITS].concat();
    // The last one: what a study calls its criteria stands before.
    let place = footer.windows(before.len() + ZEROS.len()).rposition(|window| window.starts_with(&before));
    Ok(place.map(|place| {
        let start = start + (place + before.len()) as u64;
        start..start + ZEROS.len() as u64
    }))
}

fn bytes_at(file: &mut File, range: &Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The sum of a file with zeros in place of the digits.
fn sum(file: &mut File, digits: &Range<u64>) -> io::Result<String> {
    let mut digest = Sha256::new();
    file.seek(SeekFrom::Start(0))?;
    add(&mut digest, &mut file.take(digits.start))?;
    digest.update(ZEROS);
    file.seek(SeekFrom::Start(digits.end))?;
    add(&mut digest, file)?;
    Ok(hexadecimal(digest))
}

/// SHA-256 of bytes, as 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let mut digest = Sha256::new();
    digest.update(bytes);
    hexadecimal(digest)
}

fn hexadecimal(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn add(digest: &mut Sha256, bytes: &mut impl Read) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match bytes.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => digest.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Chunk, Column, ColumnKind, TableReader, TableWriter, Values, Wanted};
    use super::*;

    fn written(path: &Path) -> Vec<u8> {
        let columns = [Column::new("x", ColumnKind::Number, "m", "")];
        let metadata = [("study".to_owned(), format!("{KEY}\u{18}@{}", "f".repeat(64)))];
        let mut writer = TableWriter::create_with_checksum(path, &columns, &metadata).unwrap();
        writer
            .write(&Chunk {
                first_row: 0,
                columns: vec![Values::Number((0..50).map(|x| Some(f64::from(x))).collect())],
            })
            .unwrap();
        writer.finish().unwrap();
        fs::read(path).unwrap()
    }

    #[test]
    fn every_bit_counts_and_the_same_rows_have_the_same_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        let good = written(&path);
        assert!(good == written(&path));
        let wanted = [Wanted::required("x", ColumnKind::Number)];
        assert_eq!(
            TableReader::open_verified(&path, &wanted).unwrap().map(|chunk| chunk.unwrap().len()).sum::<usize>(),
            50
        );
        for bit in 0..8 * good.len() {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, bad).unwrap();
            let error = verify(&path).expect_err(&format!("bit {bit} of {}", 8 * good.len())).to_string();
            assert!(error.contains("t.parquet") && error.contains("checksum"), "{error}");
        }
        for length in 0..good.len() {
            fs::write(&path, &good[..length]).unwrap();
            assert!(verify(&path).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_file_of_another_program_has_no_checksum() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.parquet");
        TableWriter::create(&path, &[Column::new("x", ColumnKind::Number, "m", "")], &[]).unwrap().finish().unwrap();
        let error = verify(&path).unwrap_err();
        assert!(matches!(error, TableError::NoChecksum { .. }), "{error}");
    }
}
