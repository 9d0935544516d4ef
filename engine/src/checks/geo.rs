//! Finds coordinates: latitude and longitude in degrees, `48.8584, 2.2945` from the comma between them, or
//! `40°26'46"N 79°58'56"W` from a degree sign (ISO 6709, annex D).

/// The longest coordinates in degrees, minutes and seconds, in bytes.
const MAX: usize = 64;

/// Returns the range of the two numbers around the comma at `comma`, in bytes of the text. `None` in a longer
/// list of numbers.
pub(crate) fn around(text: &str, comma: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let part = |byte: &&u8| byte.is_ascii_digit() || matches!(**byte, b'.' | b'-' | b'+');
    let left = bytes.iter().take(comma).rev().take(14).take_while(part).count();
    let space = usize::from(bytes.get(comma + 1) == Some(&b' '));
    let right = bytes.iter().skip(comma + 1 + space).take(14).take_while(part).count();
    let (start, end) = (comma - left, comma + 1 + space + right);
    let end = end - usize::from(bytes.get(end - 1) == Some(&b'.'));
    let (first, second) = (text.get(start..comma)?, text.get(comma + 1 + space..end)?);
    let (before, after) =
        (text.get(..start)?.trim_end_matches(' '), text.get(end..)?.trim_start_matches(' '));
    let digit = |letter: char| letter.is_ascii_digit();
    let list = before.strip_suffix(',').is_some_and(|before| before.ends_with(digit))
        || after
            .strip_prefix(',')
            .is_some_and(|after| after.trim_start_matches([' ', '-', '+']).starts_with(digit));
    let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
    let alone = !word(start.checked_sub(1).and_then(|at| bytes.get(at))) && !word(bytes.get(end));
    (alone && !list && decimal(first, 90) && decimal(second, 180)).then_some((start, end))
}

/// Whether a number has three decimals or more, as coordinates do, and is at most `most`.
pub(crate) fn decimal(number: &str, most: u32) -> bool {
    let decimals = number.rsplit_once('.').map_or(0, |(_, decimals)| decimals.len());
    (3..=8).contains(&decimals) && at_most(number.strip_prefix(['-', '+']).unwrap_or(number), most)
}

/// Whether this is an unsigned decimal number of at most `most`.
///
/// A floating-point parser would add a table of ten kilobytes.
fn at_most(number: &str, most: u32) -> bool {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) || !whole.bytes().all(|byte| byte.is_ascii_digit())
    {
        return false;
    }
    whole
        .parse::<u32>()
        .is_ok_and(|whole| whole < most || whole == most && decimals.bytes().all(|byte| byte == b'0'))
}

/// Returns the coordinates in degrees, minutes and seconds whose first degree sign is at `sign`, in bytes of
/// the text.
pub(crate) fn degrees(text: &str, sign: usize) -> Option<(usize, usize)> {
    let digits = text.get(..sign)?.bytes().rev().take(3).take_while(u8::is_ascii_digit).count();
    let start = sign - digits;
    let mut end = start + MAX;
    while !text.is_char_boundary(end.min(text.len())) {
        end -= 1;
    }
    let place = text.get(start..end.min(text.len()))?;
    let mut rest = place;
    angle(&mut rest, 90, ['N', 'S'])?;
    rest = rest.trim_start_matches([',', ' ']);
    angle(&mut rest, 180, ['E', 'W'])?;
    Some((start, start + place.len() - rest.len()))
}

/// Reads an angle in degrees, minutes and seconds at the start of a text.
fn angle(text: &mut &str, most: u32, sides: [char; 2]) -> Option<()> {
    let mut read = |signs: &[char], most: u32| {
        let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, rest) = text.split_at_checked(digits)?;
        let rest = rest.trim_start_matches(' ').strip_prefix(signs)?;
        at_most(number, most).then_some(())?;
        *text = rest.trim_start_matches(' ');
        Some(())
    };
    read(&['°'], most)?;
    read(&['\'', '′', '’'], 60)?;
    // seconds are optional
    let _ = read(&['"', '″', '”'], 60);
    *text = text.strip_prefix(sides)?;
    Some(())
}

#[cfg(test)]
#[test]
fn places() {
    for (text, place) in [
        ("at 48.8584, 2.2945.", Some("48.8584, 2.2945")),
        ("Paris, 48.8584, 2.2945, France", Some("48.8584, 2.2945")),
        ("(-33.8688,151.2093)", Some("-33.8688,151.2093")),
        ("91.0001, 2.2945", None),
        ("48.85, 2.29", None),
        ("[0.1234, 0.2345, 0.3456]", None),
        ("a48.8584, 2.2945", None),
        ("v1.48.8584, 2.2945", None),
    ] {
        let mut commas = text.match_indices(',').filter_map(|(comma, _)| around(text, comma));
        assert_eq!(commas.next().map(|(start, end)| &text[start..end]), place, "{text}");
    }
    for (text, place) in [
        ("at 40°26'46\"N 79°58'56\"W.", Some("40°26'46\"N 79°58'56\"W")),
        ("50°5′15.4″N, 14°25′17″E", Some("50°5′15.4″N, 14°25′17″E")),
        ("40° 26' N 79° 58' W", Some("40° 26' N 79° 58' W")),
        ("40°26'46\"N", None),
        ("20° in the shade", None),
        ("95°26'46\"N 79°58'56\"W", None),
    ] {
        let found = degrees(text, text.find('°').unwrap_or_default()).map(|(start, end)| &text[start..end]);
        assert_eq!(found, place, "{text}");
    }
}
