//! Diseases and conditions, in the languages of the labels. An entry with a dot is the whole word.
//!
//! Source: International Classification of Diseases (WHO, ICD-10), names of categories.

use super::{lexicon::facts_of, prelude::*};

const TERMS: &str = "diabet cukrzyc cukrovk zuckerkr hypertens hypertonie nadcisn asthma astma cancer carcinom karcinom \
    karzinom krebs. brustkrebs rakovin rak. tumor tumeur leuk lymphom melanom depress deprese depresj \
    schizo bipolar epilep padaczk hepatit hiv. aids. tubercul tuberkul parkinson alzheimer dementia \
    demenz demence multiple. skleros arthrit artrit pneumon covid migraine migren anorex bulimi \
    alcoholism alkoholism autis adhd. stroke. infar copd. obes adipos psorias osteopor";

/// Checks the statement as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    facts_of(value, TERMS)
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("type 2 diabetes", Ok(())),
        ("HIV", Ok(())),
        ("Bluthochdruck (Hypertonie)", Ok(())),
        ("NullPointerException", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
