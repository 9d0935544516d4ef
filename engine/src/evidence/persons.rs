//! The people whom a text names in full, and those of them whom a part of a name means.

use std::collections::BTreeMap;

use crate::{
    api::entity::{Entity, Fact},
    phrase::case::lower_text,
};

/// The maximum number of people: the names of a long stream need bounded memory.
const MAX_PEOPLE: usize = 4_096;

/// The people whose full names were found so far: in a text, a stream or a conversation.
#[derive(Clone, Default)]
pub(crate) struct Persons {
    /// Full names as they were written first.
    names: Vec<String>,
    /// Numbers of people by the parts and by the whole of their names, in lower case; `None` where several have it.
    by_part: BTreeMap<String, Option<u32>>,
}

/// Omits the names.
impl std::fmt::Debug for Persons {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Persons").field("names", &self.names.len()).finish()
    }
}

impl Persons {
    /// Writes the fact `normalized` of a name that means one known person, and notes the person of a full name.
    ///
    /// Names come in the order of the text, so that what follows does not change what is already reported: `Anna` behind
    /// `Anna Kellermann` is her, and `Anna` before it may be anybody.
    pub fn tell(&mut self, name: &mut Entity) {
        let fact = |fact: &str| match name.metadata.get(fact) {
            Some(Fact::Text(part)) => Some(lower_text(part)),
            _ => None,
        };
        let parts = [fact("given_name"), fact("family_name")];
        let person = match &parts {
            [Some(given), Some(family)] => self.note(format!("{given} {family}"), &parts, &name.original),
            _ => self.by_part.get(&lower_text(&name.original)).copied().flatten(),
        };
        let known = person.and_then(|person| self.names.get(person as usize));
        if let Some(known) = known.filter(|known| **known != name.original) {
            name.metadata.text("normalized", known.clone());
        }
    }

    /// Returns the number of the person with this full name, who may be new; `None` beyond the maximum.
    fn note(&mut self, full: String, parts: &[Option<String>; 2], written: &str) -> Option<u32> {
        if let Some(known) = self.by_part.get(&full) {
            return *known;
        }
        if self.names.len() >= MAX_PEOPLE {
            return None;
        }
        let number = u32::try_from(self.names.len()).ok()?;
        self.names.push(written.to_owned());
        self.by_part.insert(full, Some(number));
        for part in parts.iter().flatten() {
            // the first given name alone: `Anna` of `Anna Maria Kellermann`
            let first = part.split(' ').next().filter(|first| first.len() < part.len());
            for part in [Some(part.as_str()), first].into_iter().flatten() {
                self.by_part
                    .entry(part.to_owned())
                    .and_modify(|person| *person = None)
                    .or_insert(Some(number));
            }
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use crate::{DetectOptions, detect};

    #[test]
    fn parts_of_a_name_mean_the_person_before_them() {
        let options = DetectOptions { min_confidence: Some(0.3), ..DetectOptions::default() };
        for (text, want) in [
            (
                "Dear Anna Kellermann, thanks. Yours, Peter Novak. PS: ask Anna or Mr Novak.",
                vec![("Anna", "Anna Kellermann"), ("Novak", "Peter Novak")],
            ),
            (
                "Patient: Anna Kellermann. Signed by ANNA KELLERMANN",
                vec![("ANNA KELLERMANN", "Anna Kellermann")],
            ),
            // two people with the part, and one who is named later
            ("Dear Anna Kellermann and Anna Novak, ask Anna.", vec![]),
            ("Dear Anna, this is about Anna Kellermann.", vec![]),
            ("Dear Anna Kellermann and Peter Novak, ask Jan.", vec![]),
        ] {
            let found = detect(text, &options).unwrap().entities;
            let linked: Vec<(&str, &str)> = found
                .iter()
                .filter(|entity| entity.normalised() != entity.original)
                .map(|entity| (entity.original.as_str(), entity.normalised()))
                .collect();
            assert_eq!(linked, want, "{text}");
        }
    }
}
