//! Look-ups of detectors: by the names of their types, and by the literal prefixes of tokens.

use std::{collections::BTreeMap, fmt::Write as _};

use textveil_phrase::Phrase;
use textveil_schema::file::Entry;

use crate::write::Output;

impl Output {
    /// Writes the detectors by the hashes of the names of their types, with and without their country as a
    /// suffix.
    ///
    /// Code optimised for size searches all detectors instead.
    pub(crate) fn types(&mut self, entries: &[Entry]) {
        if self.small {
            return;
        }
        let mut types: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let Entry { folder, name, file, .. } = entry;
            let own = [entry.kind(), name];
            let behind = format!("_{folder}");
            let stems = own.into_iter().filter_map(|name| name.strip_suffix(&behind));
            for known in own.into_iter().chain(stems).chain(file.aliases.iter().map(String::as_str)) {
                let detectors = types.entry(Phrase::EMPTY.with(known).value()).or_default();
                if detectors.last() != Some(&(index as u16)) {
                    detectors.push(index as u16);
                }
            }
        }
        self.words("TYPES", "u16", types.into_iter());
    }

    /// Writes the literal prefixes of tokens, sorted, and a filter over their first three bytes.
    pub(crate) fn starts(&mut self, entries: &[Entry]) {
        let mut starts: Vec<(&str, usize)> = entries
            .iter()
            .enumerate()
            .flat_map(|(index, entry)| entry.file.starts.iter().map(move |start| (start.as_str(), index)))
            .collect();
        starts.sort_unstable();
        let mut filter = [0_u64; 64];
        for (start, _) in &starts {
            let bytes = start.as_bytes();
            assert!(bytes.len() >= 3, "a literal beginning has fewer than three bytes");
            let bit = start_hash(bytes[0], bytes[1], bytes[2]);
            filter[usize::from(bit >> 6)] |= 1 << (bit & 63);
        }
        // one text instead of many saves the size of the references
        assert!(
            !starts.iter().any(|(start, _)| start.contains(['\n', '\t'])),
            "a literal beginning has lines"
        );
        let starts: Vec<String> = starts.iter().map(|(start, index)| format!("{start}\t{index}")).collect();
        writeln!(self.text, "static STARTS: &str = {:?};", starts.join("\n")).unwrap();
        writeln!(self.text, "static START_FILTER: [u64; 64] = {filter:?};").unwrap();
    }
}

/// Twelve bits of the first three bytes; `catalogue::may_start` computes the same.
fn start_hash(a: u8, b: u8, c: u8) -> u16 {
    let bytes = u32::from(a) | u32::from(b) << 8 | u32::from(c) << 16;
    (bytes.wrapping_mul(0x9e37_79b1) >> 20) as u16
}
