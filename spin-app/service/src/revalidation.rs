//! Entity tags, by which a client that has a file asks whether it is still the same (RFC 9110, 13.1.2).

use http::{HeaderMap, header::IF_NONE_MATCH};
use sha2::{Digest, Sha256};

/// The entity tag of a content.
pub fn entity_tag(content: &[u8]) -> String {
    let hash = Sha256::digest(content);
    format!("\"{}\"", base16ct::lower::encode_string(hash.get(..16).unwrap_or_default()))
}

/// Whether the client has what this tag names.
pub fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let sent = headers.get_all(IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
    let mut tags = sent.flat_map(|tags| tags.split(',')).map(|known| known.trim().trim_start_matches("W/"));
    tags.any(|known| known == "*" || known == tag)
}
