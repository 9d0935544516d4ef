//! Thinking that the provider signed: it accepts it only unchanged.

use serde_json::Value;

use crate::chat::request::{At, BodyWalk, Visit, Walked, at, forms::is_seal};

impl<V: Visit> BodyWalk<'_, V> {
    /// Visits a signed text, which stays; everything else in the part is data.
    pub(in crate::chat) fn signed(&mut self, part: &mut Value) -> Walked {
        const SIGNED: [&str; 3] = ["data", "signature", "thinking"];
        let Value::Object(members) = part else { return Ok(()) };
        for (key, value) in members.iter_mut() {
            match (key.as_str(), &*value) {
                ("type", _) => {}
                ("data" | "signature", value) if is_seal(value) => {}
                (signed, Value::String(text)) if SIGNED.contains(&signed) => {
                    let here = at(&self.role, self.beside, self.tool.as_deref());
                    self.visit.text(At { signed: true, ..here }, text);
                }
                _ => self.data(value, Some(key))?,
            }
        }
        self.keys(members, |key| key == "type" || SIGNED.contains(&key))
    }
}

/// Whether reasoning contains a provider's signature or ciphertext. Other reasoning may be changed.
pub(in crate::chat) fn is_signed(reasoning: &Value) -> bool {
    ["signature", "data"].iter().any(|key| reasoning.get(key).is_some_and(is_seal))
}
