//! The check digits of a detector as a constant expression.

use std::fmt::Write as _;

use textveil_schema::{Check, Integer, Product, Weighted};

use crate::write::{Output, cow_str};

impl Output {
    /// Writes a check as a constant expression; nested checks become statics of their own.
    pub(crate) fn check(&mut self, check: &Check) -> String {
        match check {
            Check::None => "Check::None".to_owned(),
            Check::Luhn { prefix } => format!("Check::Luhn {{ prefix: {} }}", cow_str(prefix)),
            Check::Weighted(rule) => weighted(rule),
            Check::Integer(rule) => integer(rule),
            Check::Mod97 { residue } => format!("Check::Mod97 {{ residue: {residue} }}"),
            Check::Mod11_10 => "Check::Mod11_10".to_owned(),
            Check::Mod11_2 => "Check::Mod11_2".to_owned(),
            Check::Mod37_36 => "Check::Mod37_36".to_owned(),
            Check::Verhoeff => "Check::Verhoeff".to_owned(),
            Check::Part { from, to, check } => {
                let check = self.list(check);
                format!("Check::Part {{ from: {from}, to: {to:?}, check: {check} }}")
            }
            Check::All { checks } => format!("Check::All {{ checks: {} }}", self.list(checks)),
            Check::Any { checks } => format!("Check::Any {{ checks: {} }}", self.list(checks)),
            Check::ByLength { lengths } => {
                let items: Vec<String> = lengths
                    .iter()
                    .map(|(length, check)| format!("({length}, {})", self.check(check)))
                    .collect();
                format!("Check::ByLength {{ lengths: {} }}", self.constant("(u8, Check)", &items))
            }
            Check::Function { name, .. } => {
                format!(
                    "Check::Function {{ name: {}, call: Some(crate::checks::digits::special::{name}) }}",
                    cow_str(name)
                )
            }
        }
    }

    pub(crate) fn list(&mut self, checks: &[Check]) -> String {
        let items: Vec<String> = checks.iter().map(|check| self.check(check)).collect();
        self.constant("Check", &items)
    }

    /// Returns a static for these items; equal items share one.
    pub(crate) fn constant(&mut self, of: &str, items: &[String]) -> String {
        let next = self.checks.len();
        let list = format!("[{of}; {}] = [{}]", items.len(), items.join(", "));
        let number = *self.checks.entry(list.clone()).or_insert(next);
        if number == next {
            writeln!(self.text, "static CHECK_{number}: {list};").unwrap();
        }
        format!("Cow::Borrowed(&CHECK_{number})")
    }
}

fn weighted(rule: &Weighted) -> String {
    let product = match rule.product {
        Product::Plain => "Plain",
        Product::DigitSum => "DigitSum",
    };
    format!(
        "Check::Weighted(crate::api::schema::Weighted {{ weights: Cow::Borrowed(&{:?}), modulus: {}, residues: Cow::Borrowed(&{:?}), check: {}, \
         at: {}, offset: {}, product: crate::api::schema::Product::{product}, then: Cow::Borrowed(&{:?}), alphabet: {}, cyclic: {} }})",
        rule.weights,
        rule.modulus,
        rule.residues,
        cow_str(&rule.check),
        rule.at,
        rule.offset,
        rule.then,
        cow_str(&rule.alphabet),
        rule.cyclic
    )
}

fn integer(rule: &Integer) -> String {
    format!(
        "Check::Integer(crate::api::schema::Integer {{ modulus: {}, residues: Cow::Borrowed(&{:?}), check_len: {}, complement: {}, check: {} }})",
        rule.modulus,
        rule.residues,
        rule.check_len,
        rule.complement,
        cow_str(&rule.check)
    )
}
