//! Finds the known name that an unknown one was probably meant to be.

/// Returns the known name that is closest to an unknown one.
///
/// Case and separators are ignored, so that `keeplast` is `keep_last`. Otherwise a few letters may differ, or one name
/// contains the other. Returns `None` if no name is that close.
///
/// # Examples
/// ```
/// use textveil_schema::nearest;
///
/// let known = ["entities", "privacy_preset", "keep_last"];
/// assert_eq!(nearest("entites", known), Some("entities"));
/// assert_eq!(nearest("preset", known), Some("privacy_preset"));
/// assert_eq!(nearest("keepLast", known), Some("keep_last"));
/// assert_eq!(nearest("colour", known), None);
/// ```
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let name = letters(name);
    let ranked = known.into_iter().filter_map(|one| Some((rank(&name, &letters(one))?, one)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, one)| one)
}

/// Shortest name that is searched for inside another, in letters: shorter ones are in too many.
const SHORTEST_PART: usize = 4;

/// The distance of two names; `None` if they have little in common.
fn rank(name: &[u8], known: &[u8]) -> Option<usize> {
    // one slip, and another in a long name
    let most = 1 + name.len() / 6;
    let apart = distance(name, known);
    if apart <= most {
        return Some(apart);
    }
    let (short, long) = if name.len() < known.len() { (name, known) } else { (known, name) };
    let is_part = short.len() >= SHORTEST_PART && long.windows(short.len()).any(|part| part == short);
    is_part.then_some(most + apart)
}

fn letters(name: &str) -> Vec<u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Counts the letters to insert, remove, replace or swap with their neighbour (the distance of optimal string alignment).
fn distance(one: &[u8], other: &[u8]) -> usize {
    let mut last: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.iter().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(index + 1);
        for (at, compared) in other.iter().enumerate() {
            let cell = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX - 1);
            let mut least = cell(&row, at) + usize::from(letter != compared);
            least = least.min(cell(&row, at + 1) + 1).min(cell(&next, at) + 1);
            let before = |text: &[u8], at: usize| at.checked_sub(1).and_then(|at| text.get(at).copied());
            if before(one, index) == Some(*compared) && before(other, at) == Some(*letter) {
                least = least.min(cell(&last, at.wrapping_sub(1)) + 1);
            }
            next.push(least);
        }
        last = row;
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (one, other, want) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("entites", "entities", 1),
            ("emial", "email", 1),
            ("kye", "key", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(one.as_bytes(), other.as_bytes()), want, "{one} {other}");
        }
    }

    #[test]
    fn nearest_names() {
        let known = [
            "country",
            "entities",
            "exclude_entities",
            "min_confidence",
            "deny_list",
            "allow_list",
            "custom_detectors",
            "keep",
            "keep_first",
            "keep_last",
            "key",
        ];
        for (name, want) in [
            ("entites", Some("entities")),
            ("denylist", Some("deny_list")),
            ("minConfidense", Some("min_confidence")),
            ("detectors", Some("custom_detectors")),
            ("keeplast", Some("keep_last")),
            ("kep", Some("keep")),
            ("kye", Some("key")),
            // two of four letters differ from `keep`
            ("seed", None),
            ("Country", Some("country")),
            ("colour", None),
            ("", None),
            ("ü", None),
        ] {
            assert_eq!(nearest(name, known), want, "{name}");
        }
    }
}
