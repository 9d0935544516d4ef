//! The people whom a text names in full, and those of them whom a part of a name means.

use std::collections::BTreeMap;

use crate::{
    api::entity::{Entity, Fact},
    phrase::case::lower_text,
};

/// The maximum number of people: the names of a long stream need bounded memory.
const MAX_PEOPLE: usize = 4_096;
/// The number of names from which on no further ones are noted that mean nobody.
const MAX_NAMES: usize = 4 * MAX_PEOPLE;

/// The people whose full names were found so far: in a text, a stream or a conversation.
#[derive(Clone, Default)]
pub(crate) struct Persons {
    /// Full names as they were written first.
    names: Vec<String>,
    /// Numbers of people by the parts and by the whole of their names, in lower case; `None` where several have it, and for a
    /// part without a full name before it.
    by_part: BTreeMap<String, Option<u32>>,
}

/// Omits the names.
impl std::fmt::Debug for Persons {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Persons").field("names", &self.names.len()).finish()
    }
}

impl Persons {
    /// Writes the fact `person` of a name that means one known person, and notes the person of a full name.
    ///
    /// Names come in the order of the text, so that what follows does not change what is already reported: `Anna` behind
    /// `Anna Kellermann` is her. An `Anna` before it may be anybody, and so may those behind that one: equal names of a text
    /// mean the same.
    pub fn tell(&mut self, name: &mut Entity) {
        let fact = |fact: &str| match name.metadata.get(fact) {
            Some(Fact::Text(part)) => Some(lower_text(part)),
            _ => None,
        };
        let parts = [fact("given_name"), fact("family_name")];
        let person = match &parts {
            [Some(given), Some(family)] => self.note(format!("{given} {family}"), &parts, &name.original),
            _ => self.by_name(lower_text(&name.original)),
        };
        let known = person.and_then(|person| self.names.get(person as usize));
        if let Some(known) = known.filter(|known| **known != name.original) {
            name.metadata.text("person", known.clone());
        }
    }

    /// Returns the number of the person whom a name in lower case means, and notes one that means nobody yet.
    fn by_name(&mut self, name: String) -> Option<u32> {
        match self.by_part.get(&name) {
            Some(known) => *known,
            None if self.by_part.len() < MAX_NAMES => self.by_part.insert(name, None).flatten(),
            None => None,
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
            ("Dear Anna, this is about Anna Kellermann. Yes, Anna.", vec![]),
            ("Dear Anna Kellermann and Peter Novak, ask Jan.", vec![]),
        ] {
            let found = detect(text, &options).unwrap().entities;
            let linked: Vec<(&str, &str)> = found
                .iter()
                .filter(|entity| entity.referent() != entity.normalised())
                .map(|entity| (entity.original.as_str(), entity.referent()))
                .collect();
            assert_eq!(linked, want, "{text}");
            // a hash is that of the value
            assert!(found.iter().all(|entity| entity.normalised() == entity.original), "{text}");
        }
    }
}
