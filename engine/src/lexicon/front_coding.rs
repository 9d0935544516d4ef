//! Lists of phrases for a page to download: of each phrase only what differs from the one before it.
//!
//! Known as front coding or incremental encoding. The core of a page shrinks by a fiftieth.
//!
//! The build script of the catalogue uses this file too.

/// The longest beginning that two phrases share: the characters up to it are the control characters of ASCII.
const MOST_SHARED: usize = 0x1f;

/// Encodes phrases: between two of them is a control character, the number of bytes that they share.
///
/// Neighbours should be similar, so the phrases are best sorted. They must not have control characters.
pub(crate) fn encode<'p>(phrases: impl Iterator<Item = &'p str>) -> String {
    let (mut coded, mut before) = (String::new(), None);
    for phrase in phrases {
        let shared = before.map_or(0, |before| shared(before, phrase));
        if before.is_some() {
            coded.push(char::from(shared as u8));
        }
        coded.push_str(phrase.get(shared..).unwrap_or_default());
        before = Some(phrase);
    }
    coded
}

/// Returns the length of the beginning that two phrases share, in bytes, to the end of a character.
fn shared(before: &str, phrase: &str) -> usize {
    let same = before.bytes().zip(phrase.bytes()).take_while(|(one, other)| one == other).count();
    phrase.floor_char_boundary(same.min(MOST_SHARED))
}

/// Decodes phrases: one a line.
pub(crate) fn decode(coded: &str) -> String {
    let (mut lines, mut line) = (Vec::with_capacity(2 * coded.len()), Vec::new());
    for &byte in coded.as_bytes() {
        if usize::from(byte) <= MOST_SHARED {
            lines.extend_from_slice(&line);
            lines.push(b'\n');
            line.truncate(usize::from(byte));
        } else {
            line.push(byte);
        }
    }
    lines.extend_from_slice(&line);
    String::from_utf8(lines).unwrap_or_default()
}

/// The bits of a length before those of the marks.
const LENGTH_BITS: usize = 6;

/// Encodes the lists of phrases: the length of each, and the items of all.
///
/// Neighbours often mean the same, as a label and its plural do. A list that is equal to the one before it has the length 0. The
/// marks at its end, two at most, are bits of the length.
pub(crate) fn encode_lists<'l, T: Copy + PartialEq + 'l>(
    lists: impl Iterator<Item = &'l [T]>,
    marks: &[T],
) -> (Vec<u8>, Vec<T>) {
    let (mut lengths, mut items, mut before) = (Vec::new(), Vec::new(), &[][..]);
    for list in lists {
        let end = list.iter().position(|item| marks.contains(item)).unwrap_or(list.len());
        let (list, marked) = list.split_at_checked(end).unwrap_or_default();
        let own = if list == before { &[] } else { list };
        let bits = marks.iter().enumerate().filter(|(_, mark)| marked.contains(mark));
        lengths.push(bits.fold(own.len() as u8, |length, (bit, _)| length | 1 << (LENGTH_BITS + bit)));
        items.extend_from_slice(own);
        before = list;
    }
    (lengths, items)
}

/// Decodes the lists of phrases.
pub(crate) fn decode_lists<T: Copy>(lengths: &[u8], items: &[T], marks: &[T]) -> Vec<Vec<T>> {
    let (mut rest, mut list) = (items, &[][..]);
    let lists = lengths.iter().map(|length| {
        let own = usize::from(length & ((1 << LENGTH_BITS) - 1));
        if own > 0 {
            (list, rest) = rest.split_at_checked(own).unwrap_or_default();
        }
        let marked = marks.iter().enumerate().filter(|(bit, _)| length >> (LENGTH_BITS + bit) & 1 == 1);
        list.iter().copied().chain(marked.map(|(_, mark)| *mark)).collect()
    });
    lists.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let long = "a".repeat(40);
        let longer = format!("{long}b");
        for phrases in [
            &["datum", "datum narození", "datum narozenia", "date"][..],
            // letters whose first bytes are equal
            &["д", "е", "ё", "生年", "生年月日", "生日"],
            &[&long, &longer, &long],
            &["one"],
            &[],
        ] {
            let coded = encode(phrases.iter().copied());
            assert_eq!(decode(&coded), phrases.join("\n"), "{coded:?}");
        }
    }

    #[test]
    fn lists_that_are_encoded_are_decoded() {
        let lists = [&[7][..], &[7, 91], &[7, 91, 92], &[8, 9, 92], &[8, 9], &[7]];
        let (lengths, items) = encode_lists(lists.into_iter(), &[91, 92]);
        assert_eq!((lengths.len(), &items[..]), (6, &[7, 8, 9, 7][..]), "a list is written once");
        assert_eq!(decode_lists(&lengths, &items, &[91, 92]), lists);
    }

    #[test]
    fn a_shared_beginning_is_written_once() {
        assert_eq!(encode(["datum", "datum narození", "date"].into_iter()), "datum\u{5} narození\u{3}e");
    }
}
