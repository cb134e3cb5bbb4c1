//! Text files, plain or gzip-compressed (RFC 1952).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// Bytes per call of the operating system.
const BUFFER_BYTES: usize = 1 << 18;

/// How gzip begins.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Decompressed text is at most this many times the compressed size, and so much more \[bytes\]. Lines of numbers that
/// differ, such as ids, take some 4 bytes each for a line of up to 258, the longest match of deflate; what is beyond is
/// no table, and could be a thousand times its size (RFC 1951).
const MAX_EXPANSION: u64 = 200;
const FREE_BYTES: u64 = 8 << 20;

/// A text file, decompressed on the fly if it is gzip-compressed. Its memory is that of some buffers.
pub(crate) struct TextFile {
    source: Source,
    /// Bytes of text that were read.
    given: u64,
}

enum Source {
    Plain(BufReader<Counted>),
    Gzip(Box<MultiGzDecoder<BufReader<Counted>>>),
}

/// A file, and how many of its bytes were read.
struct Counted {
    file: File,
    bytes: u64,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

impl TextFile {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::new(File::open(path)?))
    }

    /// Reads a file that was opened.
    pub(crate) fn new(file: File) -> Self {
        let mut input = BufReader::with_capacity(BUFFER_BYTES, Counted { file, bytes: 0 });
        // What cannot be read says so when it is read.
        let is_gzip = input.fill_buf().is_ok_and(|head| head.starts_with(&MAGIC));
        let source = if is_gzip { Source::Gzip(Box::new(MultiGzDecoder::new(input))) } else { Source::Plain(input) };
        Self { source, given: 0 }
    }

    /// Opens a file at a byte of its text.
    pub(crate) fn open_at(path: &Path, byte: u64) -> io::Result<Self> {
        let mut text = Self::open(path)?;
        match &mut text.source {
            Source::Plain(input) => {
                input.seek(SeekFrom::Start(byte))?;
            }
            Source::Gzip(_) => {
                io::copy(&mut (&mut text).take(byte), &mut io::sink())?;
            }
        }
        Ok(text)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Read for TextFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let input = match &mut self.source {
            Source::Plain(input) => return input.read(buffer),
            Source::Gzip(input) => input,
        };
        let read = input.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, format!("its gzip stream is damaged or cut off: {error}")),
        })?;
        self.given += read as u64;
        if self.given > FREE_BYTES + MAX_EXPANSION * input.get_ref().get_ref().bytes {
            return Err(io::Error::other(format!(
                "it decompresses to more than {MAX_EXPANSION} times its own size, which no table of numbers does"
            )));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn compressed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_file_gives_the_same_text_plain_and_compressed_from_any_byte() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t");
        let text: Vec<u8> = (0..100_000u32).flat_map(|number| format!("{number}\n").into_bytes()).collect();
        for bytes in [text.clone(), compressed(&text)] {
            fs::write(&path, bytes).unwrap();
            for byte in [0, 1, 400_000] {
                let mut read = Vec::new();
                TextFile::open_at(&path, byte as u64).unwrap().read_to_end(&mut read).unwrap();
                assert!(read == text[byte..], "from {byte}");
            }
        }
        for short in [&b""[..], b"\x1f", b"x"] {
            fs::write(&path, short).unwrap();
            let mut read = Vec::new();
            TextFile::open(&path).unwrap().read_to_end(&mut read).unwrap();
            assert_eq!(read, short);
        }
    }

    /// The largest table of short lines that differ as little as lines with ids can is within the limit.
    #[test]
    fn tables_of_numbers_are_far_from_the_limit() {
        let zeros = " 0".repeat(125);
        let text: Vec<u8> = (0..60_000u32).flat_map(|id| format!("{id}{zeros}\n").into_bytes()).collect();
        let ratio = text.len() / compressed(&text).len();
        println!("lines of an id and 125 zeros: {ratio} times");
        assert!(2 * ratio < MAX_EXPANSION as usize && text.len() as u64 > FREE_BYTES, "{ratio}");
    }
}
