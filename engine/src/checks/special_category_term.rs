//! Terms for a religion, a sexual orientation, an ethnic origin, a political opinion or membership of a union. An
//! entry with a dot is the whole word.
//!
//! Source: Regulation (EU) 2016/679, article 9.

use super::{lexicon::facts_of, prelude::*};

const TERMS: &str = "catholic cathol kathol rimskokatol katol cattol protestant evangel luther anglican baptist methodist orthodox \
    ortodox muslim moslem islam musulm sunni shia jewish jew. jude. judisch juif juive judio judaism \
    zydow zid. zidovsk buddh budd hindu sikh jehov atheis ateis ate. agnost konfessionslos hetero \
    homosex bisex lesb gay. asexual transg roma. romani romsk kurd. gewerkschaftsmitglied unionmember";

/// Checks the statement as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    facts_of(value, TERMS)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("Catholic", Ok(())),
        ("bisexual", Ok(())),
        ("římskokatolické", Ok(())),
        ("Required", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
