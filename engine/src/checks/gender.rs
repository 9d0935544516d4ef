//! A word for a sex or a gender, in the languages of the labels.
//!
//! Source: ISO/IEC 5218; ICAO Doc 9303, part 4 (`X`).

use super::prelude::*;
use crate::phrase::case::lower_text;

/// Words for women, for men, and for neither; a space around each.
const FEMALE: &str = " f female woman girl weiblich w frau femme féminin fille mujer femenino femmina femminile donna vrouw \
    vrouwelijk feminino mulher kobieta żeńska k žena ženské ženský z ž kvinna nő femeie \
    жен женский ж женщина жінка kvinde nainen kadın žensko 女 여 nữ ";
const MALE: &str = " m male man boy männlich mann homme masculin garçon hombre masculino h maschio maschile uomo mannelijk \
    homem mężczyzna męska muž mužské mužský férfi bărbat \
    муж мужской м мужчина чоловік mand mies erkek muško 男 남 nam ";
const NEITHER: &str = " x d divers nonbinary non-binary diverse other ";

/// Returns female or male, if the word means one of them.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let word = format!(" {} ", lower_text(value));
    let gender = match () {
        () if FEMALE.contains(&word) => Some(Gender::Female),
        () if MALE.contains(&word) => Some(Gender::Male),
        () if NEITHER.contains(&word) => None,
        () => return Err(Invalid::Format),
    };
    Ok(Facts { gender, ..Facts::default() })
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("Female", Ok(Some(Gender::Female))),
        ("M", Ok(Some(Gender::Male))),
        ("muž", Ok(Some(Gender::Male))),
        ("Ж", Ok(Some(Gender::Female))),
        ("X", Ok(None)),
        ("string", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(|facts| facts.gender), want, "{value}");
    }
}
