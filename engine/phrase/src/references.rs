//! The names of character references in HTML that texts and URLs have.
//!
//! A page has the whole list, which its reader knows. Here are the marks that URLs, labels and placeholders are made of, and the
//! letters of HTML that European languages in Latin script are written with.

/// Names of marks.
const MARKS: [(&str, char); 37] = [
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
    ("lsquo", '\u{2018}'),
    ("rsquo", '\u{2019}'),
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
/// The names of the characters from U+0100 on, `-` for one without a name: letters of central and northern Europe.
const EXTENDED: &str = "Amacr amacr Abreve abreve Aogon aogon Cacute cacute Ccirc ccirc Cdot cdot Ccaron ccaron Dcaron dcaron Dstrok \
    dstrok Emacr emacr - - Edot edot Eogon eogon Ecaron ecaron Gcirc gcirc Gbreve gbreve Gdot gdot Gcedil - Hcirc \
    hcirc Hstrok hstrok Itilde itilde Imacr imacr - - Iogon iogon Idot imath IJlig ijlig Jcirc jcirc Kcedil kcedil \
    kgreen Lacute lacute Lcedil lcedil Lcaron lcaron Lmidot lmidot Lstrok lstrok Nacute nacute Ncedil ncedil Ncaron \
    ncaron napos ENG eng Omacr omacr - - Odblac odblac OElig oelig Racute racute Rcedil rcedil Rcaron rcaron Sacute \
    sacute Scirc scirc Scedil scedil Scaron scaron Tcedil tcedil Tcaron tcaron Tstrok tstrok Utilde utilde Umacr \
    umacr Ubreve ubreve Uring uring Udblac udblac Uogon uogon Wcirc wcirc Ycirc ycirc Yuml Zacute zacute Zdot zdot \
    Zcaron zcaron -";
/// Stands for a character without a name.
const NAMELESS: &str = "-";
/// The lists of names, each with its first character.
const LISTS: [(u32, &str); 2] = [(0xc0, LATIN), (0x100, EXTENDED)];

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
        None if name == NAMELESS => None,
        None => LISTS.iter().find_map(|(first, names)| {
            char::from_u32(first + names.split(' ').position(|known| known == name)? as u32)
        }),
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
        None => LISTS
            .iter()
            .find_map(|(first, names)| names.split(' ').nth(u32::from(letter).checked_sub(*first)? as usize))
            .filter(|name| *name != NAMELESS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_characters() {
        for (name, letter) in [
            ("Agrave", 'À'),
            ("yuml", 'ÿ'),
            ("times", '×'),
            ("szlig", 'ß'),
            ("nbsp", '\u{a0}'),
            ("rsquo", '\u{2019}'),
            ("Amacr", 'Ā'),
            ("scaron", 'š'),
            ("Lstrok", 'Ł'),
            ("imath", 'ı'),
            ("zcaron", 'ž'),
        ] {
            assert_eq!((named(name), name_of(letter)), (Some(letter), Some(name)), "{name}");
        }
        assert_eq!(
            (named(""), named("AMP"), named("-"), name_of('ĭ'), name_of('ſ'), name_of('ƀ')),
            (None, None, None, None, None, None)
        );
        assert_eq!([LATIN, EXTENDED].map(|names| names.split(' ').count()), [64, 128]);
    }
}
