//! The names of character references in HTML that texts and URLs have.
//!
//! A page has the whole list, which its reader knows. Here are the marks that URLs, labels and placeholders are made of, and the
//! letters of HTML 2.0.

/// Names of marks.
const MARKS: [(&str, char); 35] = [
    ("amp", '&'),
    ("quot", '"'),
    ("apos", '\''),
    ("lt", '<'),
    ("gt", '>'),
    ("nbsp", '\u{a0}'),
    ("commat", '@'),
    ("period", '.'),
    ("plus", '+'),
    ("comma", ','),
    ("colon", ':'),
    ("semi", ';'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("quest", '?'),
    ("num", '#'),
    ("equals", '='),
    ("percnt", '%'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("lowbar", '_'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("ndash", '\u{2013}'),
    ("mdash", '\u{2014}'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("lcub", '{'),
    ("rcub", '}'),
    ("ast", '*'),
    ("dollar", '$'),
];
/// The names of the characters from U+00C0 on.
const LATIN: &str = "Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH \
    Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc \
    atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde \
    ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/// Returns the character of a name, without `&` and `;`.
///
/// # Examples
/// ```
/// use textveil_phrase::references::named;
///
/// assert_eq!([named("commat"), named("ouml"), named("nothing")], [Some('@'), Some('ö'), None]);
/// ```
pub fn named(name: &str) -> Option<char> {
    match MARKS.iter().find(|(known, _)| *known == name) {
        Some((_, letter)) => Some(*letter),
        None => char::from_u32(0xc0 + LATIN.split(' ').position(|known| known == name)? as u32),
    }
}

/// Returns the name of a character, without `&` and `;`: of several the first one.
///
/// # Examples
/// ```
/// use textveil_phrase::references::name_of;
///
/// assert_eq!([name_of('@'), name_of('ö'), name_of('a')], [Some("commat"), Some("ouml"), None]);
/// ```
pub fn name_of(letter: char) -> Option<&'static str> {
    match MARKS.iter().find(|(_, known)| *known == letter) {
        Some((name, _)) => Some(name),
        None => LATIN.split(' ').nth(u32::from(letter).checked_sub(0xc0)? as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_characters() {
        for (name, letter) in
            [("Agrave", 'À'), ("yuml", 'ÿ'), ("times", '×'), ("szlig", 'ß'), ("nbsp", '\u{a0}')]
        {
            assert_eq!(named(name), Some(letter), "{name}");
        }
        assert_eq!((named(""), named("AMP")), (None, None));
        assert_eq!(LATIN.split(' ').count(), 64);
    }
}
