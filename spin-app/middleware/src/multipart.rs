//! `multipart/form-data` (RFC 7578, RFC 2046 §5.1), read strictly: what two parsers may read differently is rejected.

use crate::{
    config::Config,
    filter::Filter,
    media::{Media, parameter},
    refusal::Refusal,
};

/// Longest boundary, in characters (RFC 2046 §5.1.1).
const MAX_BOUNDARY: usize = 70;
/// Most parts of a form.
const MAX_PARTS: usize = 1_000;

const MALFORMED: Refusal = Refusal::Malformed("the form is not valid multipart/form-data");

/// Whether a text may be a boundary.
pub(crate) fn is_boundary(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    (1..=MAX_BOUNDARY).contains(&text.len())
        && text.bytes().all(allowed)
        && !text.ends_with(' ')
        && text != "?"
}

/// Filters the parts that are text. The form is rejected if another part cannot be inspected, unless the
/// operator allows such bodies.
///
/// # Errors
/// `Malformed`, `Unsupported`, or the error of a part's filter.
pub(crate) fn filtered(
    filter: &Filter,
    config: &Config,
    boundary: &str,
    form: &[u8],
) -> Result<Vec<u8>, Refusal> {
    let delimiter = format!("\r\n--{boundary}");
    let delimiter = delimiter.as_bytes();
    // the first delimiter has no line before it
    let mut rest = form.strip_prefix(delimiter.get(2..).unwrap_or_default()).ok_or(MALFORMED)?;
    let mut out = Vec::with_capacity(form.len());
    for _ in 0..MAX_PARTS {
        out.extend_from_slice(delimiter.get(if out.is_empty() { 2 } else { 0 }..).unwrap_or_default());
        if matches!(rest, b"--" | b"--\r\n") {
            out.extend_from_slice(rest);
            return Ok(out);
        }
        let part = rest.strip_prefix(b"\r\n").ok_or(MALFORMED)?;
        let end = find(part, delimiter).ok_or(MALFORMED)?;
        let (part, behind) = part.split_at_checked(end).ok_or(MALFORMED)?;
        out.extend_from_slice(b"\r\n");
        write_part(filter, config, part, &mut out)?;
        rest = behind.get(delimiter.len()..).ok_or(MALFORMED)?;
    }
    Err(MALFORMED)
}

fn write_part(filter: &Filter, config: &Config, part: &[u8], out: &mut Vec<u8>) -> Result<(), Refusal> {
    let end = find(part, b"\r\n\r\n").ok_or(MALFORMED)?;
    let (head, body) = part.split_at_checked(end).ok_or(MALFORMED)?;
    let body = body.get(4..).ok_or(MALFORMED)?;
    let head = std::str::from_utf8(head).map_err(|_| MALFORMED)?;
    let head = PartHead::parse(head)?;
    let media = head.media();
    let filtered = match &media {
        Ok(Media::Multipart(_)) => Err(Refusal::Unsupported("a part of the form is a form itself")),
        Ok(media) => media.whole(filter, config, body),
        Err(refusal) => Err(refusal.clone()),
    };
    let filtered = match filtered {
        Err(Refusal::Unsupported(_)) if config.passes_unsupported => body.to_vec(),
        filtered => filtered?,
    };
    head.write(filter, out)?;
    out.extend_from_slice(b"\r\n\r\n");
    out.extend_from_slice(&filtered);
    Ok(())
}

/// The headers of a part.
struct PartHead<'a> {
    lines: Vec<(&'a str, &'a str)>,
}

impl<'a> PartHead<'a> {
    fn parse(head: &'a str) -> Result<Self, Refusal> {
        let lines = head.split("\r\n").map(|line| {
            let (name, value) = line.split_once(':').ok_or(MALFORMED)?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            let is_value = !value.contains(['\r', '\n', '\0']);
            // a line that begins with a space continues the previous one
            (!name.is_empty() && name.bytes().all(is_name) && is_value)
                .then_some((name, value.trim()))
                .ok_or(MALFORMED)
        });
        let lines = lines.collect::<Result<Vec<_>, _>>()?;
        let part = Self { lines };
        let once = ["content-disposition", "content-type", "content-transfer-encoding"];
        let has =
            |name: &str| part.lines.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).count();
        if once.iter().any(|name| has(name) > 1) || has("content-disposition") == 0 {
            return Err(MALFORMED);
        }
        Ok(part)
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.lines.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }

    /// Returns the format of the part's body; a part without a type is text, unless it is a file.
    fn media(&self) -> Result<Media, Refusal> {
        let encoding = self.get("content-transfer-encoding").unwrap_or("binary").to_ascii_lowercase();
        if !matches!(encoding.as_str(), "binary" | "7bit" | "8bit") {
            return Err(Refusal::Unsupported("a part of the form is encoded"));
        }
        match self.get("content-type") {
            Some(kind) => Media::parse(&kind.to_ascii_lowercase(), kind)
                .map_err(|_| Refusal::Unsupported("a part of the form is not text")),
            None => {
                let disposition = self.get("content-disposition").unwrap_or_default();
                let is_file =
                    ["filename", "filename*"].iter().any(|name| parameter(disposition, name).is_some());
                if is_file {
                    Err(Refusal::Unsupported("a file of the form has no type"))
                } else {
                    Ok(Media::Text)
                }
            }
        }
    }

    /// Writes the headers. Names of files are filtered, because they may be names of people; other headers
    /// are not.
    fn write(&self, filter: &Filter, out: &mut Vec<u8>) -> Result<(), Refusal> {
        for (index, (name, value)) in self.lines.iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(b"\r\n");
            }
            let is_disposition = name.eq_ignore_ascii_case("content-disposition");
            let value = if is_disposition { filter.text(value)? } else { (*value).to_owned() };
            let value = value.replace(['\r', '\n'], " ");
            out.extend_from_slice(format!("{name}: {value}").as_bytes());
        }
        Ok(())
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}
