//! IPv6 addresses, from a colon (RFC 4291 §2.2), with an optional prefix length.

use std::net::Ipv6Addr;

use super::{
    scan::Scanner,
    table::{Read, Recognise, WrittenValue},
};
use crate::{api::facts::Invalid, catalogue};

/// The longest textual form, in bytes.
const MAX: usize = 45;

/// Returns the address around the colon at `colon`, in bytes of the text, and where the search continues:
/// every byte before that has been read.
pub(crate) fn around(text: &str, colon: usize) -> (Option<(usize, usize)>, usize) {
    let bytes = text.as_bytes();
    let part = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    let left = bytes.iter().take(colon).rev().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let right = bytes.iter().skip(colon).take(MAX + 1).take_while(|byte| part(byte)).count();
    let (start, mut end) = (colon - left, colon + right);
    let read = end;
    while bytes.get(end.wrapping_sub(1)).is_some_and(|byte| *byte == b'.') {
        end -= 1;
    }
    let neighbour = |at: usize| {
        bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80 || *byte == b'_')
    };
    let candidate = text.get(start..end).unwrap_or_default();
    let alone = !neighbour(end) && start.checked_sub(1).is_none_or(|before| !neighbour(before));
    // `::` alone, and the scope operator of `Abc::Def` or `dead::beef`, are not addresses
    let digit = candidate.bytes().any(|byte| byte.is_ascii_digit());
    let found = alone
        && right <= MAX
        && digit
        && candidate.parse::<Ipv6Addr>().is_ok_and(|address| is_long(candidate, &address));
    (found.then_some((start, end)), read.max(colon + 1))
}

/// Whether an address has enough groups: three, or two in the allocated ranges.
fn is_long(candidate: &str, address: &Ipv6Addr) -> bool {
    let groups = candidate.split(':').filter(|group| !group.is_empty()).count();
    let whole = candidate.get(..4).is_some_and(|group| !group.contains(':'));
    let global = whole
        && matches!(
            address.segments(),
            [0x2000..=0x2fff | 0x3f00..=0x3fff | 0xfc00..=0xfdff | 0xfe80..=0xfe8f | 0xff00..=0xff0f, ..]
        );
    groups >= if global || candidate.contains('.') { 2 } else { 3 }
}

/// IPv6 addresses. The state is the end of the text that was read.
pub(super) struct Ipv6Values;

impl Recognise for Ipv6Values {
    type State = usize;

    const MARKS: &'static [u8] = b":";

    fn at_mark(scanner: &mut Scanner<'_>, at: usize, _: u8) {
        read(scanner, at);
    }

    fn judge(value: &WrittenValue<'_>) -> Result<Read, Invalid> {
        value.as_written()
    }
}

/// Reads an address around a colon.
fn read(scanner: &mut Scanner<'_>, at: usize) {
    if at >= scanner.states.ipv6 {
        let (found, read) = around(scanner.text, at);
        scanner.states.ipv6 = read;
        if let Some((start, end)) = found {
            scanner.judged(catalogue::IPV6, start, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn addresses() {
        for (text, want) in [
            ("at 2001:db8::1, up", Some("2001:db8::1")),
            ("fe80::1ff:fe23:4567:890a", Some("fe80::1ff:fe23:4567:890a")),
            ("2001:0db8:0000:0000:0000:ff00:0042:8329.", Some("2001:0db8:0000:0000:0000:ff00:0042:8329")),
            ("::ffff:192.0.2.128", Some("::ffff:192.0.2.128")),
            ("std::vec", None),
            ("10:30:00", None),
            ("::", None),
            ("a::bzz", None),
            ("dead::beef", None),
            ("CC::B1", None),
            ("Fe32::A", None),
            ("12:34:56:78:9a:bc", None),
        ] {
            let (found, read) = around(text, text.find(':').unwrap());
            assert_eq!(found.map(|(start, end)| &text[start..end]), want, "{text}");
            assert!(read > text.find(':').unwrap());
        }
    }
}
