//! Request bodies: framed, checked, and thrown away as they come (RFC 9112 §6 and §7.1).

use super::answer::Status;
use super::field::is_token;
use super::limits;

/// What is still to come of a body.
#[derive(Debug)]
pub(super) enum Body {
    /// This many bytes.
    Length(u64),
    /// Chunks, until one of size 0.
    Chunked(Chunked),
}

/// How far the skipping of a body came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Skipped {
    /// Bytes of the input that belong to the body.
    pub(super) used: usize,
    /// Whether the body ends with them.
    pub(super) complete: bool,
}

impl Body {
    pub(super) fn chunked() -> Self {
        Self::Chunked(Chunked { place: Place::SizeStart, size: 0, line: 0, trailers: 0 })
    }

    /// Skips what `input` has of the body.
    pub(super) fn skip(&mut self, input: &[u8]) -> Result<Skipped, Status> {
        match self {
            Self::Length(left) => {
                let used = at_most(*left, input.len());
                *left -= used as u64;
                Ok(Skipped { used, complete: *left == 0 })
            }
            Self::Chunked(chunked) => chunked.skip(input),
        }
    }
}

/// `min(left, len)`, on a machine where `usize` may be smaller than `u64`.
fn at_most(left: u64, len: usize) -> usize {
    usize::try_from(left).map_or(len, |left| left.min(len))
}

/// A chunked body. Lines end in CRLF and in nothing else here: a lenient reading of chunk lines is how the bytes of
/// one request come to be read as another by the next server (RFC 9112 §11.2).
#[derive(Debug)]
pub(super) struct Chunked {
    place: Place,
    /// What is left of the chunk, or what its size line said so far.
    size: u64,
    /// Bytes of the current size line.
    line: u32,
    /// Bytes of all trailer lines.
    trailers: u32,
}

/// What the next byte of a chunked body is.
#[derive(Debug, Clone, Copy)]
enum Place {
    SizeStart,
    Size,
    /// White space behind the size, allowed only before an extension (RFC 9112 §7.1.1).
    SizeSpace,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    TrailerStart,
    TrailerName,
    TrailerValue,
    TrailerLf,
    LastLf,
}

impl Chunked {
    fn skip(&mut self, input: &[u8]) -> Result<Skipped, Status> {
        let mut used = 0;
        while used < input.len() {
            if let Place::Data = self.place {
                let data = at_most(self.size, input.len() - used);
                self.size -= data as u64;
                used += data;
                if self.size == 0 {
                    self.place = Place::DataCr;
                }
                continue;
            }
            let byte = input[used];
            used += 1;
            if let (Place::LastLf, b'\n') = (self.place, byte) {
                return Ok(Skipped { used, complete: true });
            }
            self.place = self.step(byte)?;
        }
        Ok(Skipped { used, complete: false })
    }

    /// Takes one byte that is not data.
    fn step(&mut self, byte: u8) -> Result<Place, Status> {
        match self.place {
            Place::SizeStart | Place::Size | Place::SizeSpace | Place::Extension => {
                self.line += 1;
                if self.line > limits::CHUNK_LINE {
                    return Err(Status::BadRequest);
                }
            }
            Place::TrailerStart | Place::TrailerName | Place::TrailerValue => {
                self.trailers += 1;
                if self.trailers > limits::TRAILERS {
                    return Err(Status::FieldsTooLarge);
                }
            }
            _ => {}
        }
        Ok(match (self.place, byte) {
            (Place::SizeStart | Place::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = (byte as char).to_digit(16).map_or(0, u64::from);
                self.size = self.size.checked_mul(16).ok_or(Status::BadRequest)? + digit;
                Place::Size
            }
            (Place::Size | Place::SizeSpace, b' ' | b'\t') => Place::SizeSpace,
            (Place::Size | Place::Extension, b'\r') => Place::SizeLf,
            (Place::Size | Place::SizeSpace, b';') | (Place::Extension, b'\t' | b' '..=b'~' | 0x80..) => {
                Place::Extension
            }
            (Place::SizeLf, b'\n') => {
                self.line = 0;
                if self.size == 0 { Place::TrailerStart } else { Place::Data }
            }
            (Place::DataCr, b'\r') => Place::DataLf,
            (Place::DataLf, b'\n') => Place::SizeStart,
            (Place::TrailerStart, b'\r') => Place::LastLf,
            (Place::TrailerStart | Place::TrailerName, _) if is_token(byte) => Place::TrailerName,
            (Place::TrailerName, b':') | (Place::TrailerValue, b'\t' | b' '..=b'~' | 0x80..) => Place::TrailerValue,
            (Place::TrailerValue, b'\r') => Place::TrailerLf,
            (Place::TrailerLf, b'\n') => Place::TrailerStart,
            _ => return Err(Status::BadRequest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(input: &[u8]) -> Result<Skipped, Status> {
        Body::chunked().skip(input)
    }

    #[test]
    fn a_body_ends_where_its_length_says() {
        let mut body = Body::Length(5);
        assert_eq!(body.skip(b"abc").unwrap(), Skipped { used: 3, complete: false });
        assert_eq!(body.skip(b"deGET").unwrap(), Skipped { used: 2, complete: true });
    }

    #[test]
    fn chunks_with_extensions_and_trailers_are_skipped() {
        let body = b"4\r\nWiki\r\n00A ; name=\"va;lue\"\r\n0123456789\r\n0\r\nExpires: never\r\nX: y\r\n\r\n";
        assert_eq!(skip(body), Ok(Skipped { used: body.len(), complete: true }));
        let pipelined = [body.as_slice(), b"GET"].concat();
        assert_eq!(skip(&pipelined), Ok(Skipped { used: body.len(), complete: true }));
    }

    #[test]
    fn what_is_not_exactly_a_chunk_is_refused() {
        for bad in [
            "\r\n",
            "+5\r\n",
            "-1\r\n",
            "0x5\r\n",
            "5\n",
            "5\r\r",
            "5 \r\n",
            " 5\r\n",
            "g\r\n",
            ";a\r\n",
            "5;\n",
            "5;a\0",
            "10000000000000000\r\n",
            "1\r\nab\r\n",
            "1\r\na\n",
            "0\r\n\n",
            "0\r\n folded\r\n",
            "0\r\na: b\n",
            "0\r\nno colon\r\n\r\n",
            "0\r\na\r\n\r\n",
            "0\r\na : b\r\n\r\n",
            "0\r\n: b\r\n\r\n",
            "0\r\n\rX",
        ] {
            assert_eq!(skip(bad.as_bytes()), Err(Status::BadRequest), "{bad:?}");
        }
    }

    #[test]
    fn the_largest_size_is_a_u64() {
        assert_eq!(skip(b"ffffffffffffffff\r\nx"), Ok(Skipped { used: 19, complete: false }));
    }

    #[test]
    fn lines_and_trailers_are_bounded() {
        let long = "0".repeat(limits::CHUNK_LINE as usize + 1);
        assert_eq!(skip(long.as_bytes()), Err(Status::BadRequest));
        let long = format!("5;{}", "a".repeat(limits::CHUNK_LINE as usize));
        assert_eq!(skip(long.as_bytes()), Err(Status::BadRequest));
        let long = format!("0\r\n{}", "a: b\r\n".repeat(limits::TRAILERS as usize / 4));
        assert_eq!(skip(long.as_bytes()), Err(Status::FieldsTooLarge));
    }
}
