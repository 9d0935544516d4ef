//! Words for a marital status, in the languages of the labels. An entry with a dot is the whole word.
//!
//! Source: Recommendations for the 2020 Censuses of Population and Housing (UNECE), chapter on households.

use super::{lexicon::facts_of, prelude::*};

const TERMS: &str = "married single. divorced widow separated unmarried engaged. partnership ledig verheiratet geschieden \
    verwitwet verpartnert getrennt celibataire mari. marie divorce veuf veuve pacs soltero soltera casad \
    divorciad viud celibe nubile sposat coniugat divorziat vedov gehuwd ongehuwd weduw kawaler panna. \
    zonaty zamezna rozwied wdow svobodn zenat. zenaty. vdan rozved vdov slobodn vydata registrov";

/// Checks the statement as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    facts_of(value, TERMS)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in
        [("married", Ok(())), ("single", Ok(())), ("ledig", Ok(())), ("Required", Err(Invalid::Format))]
    {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
