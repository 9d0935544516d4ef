//! Findings given by the caller: reviewed ones, or those of its own model.

use crate::{
    api::{
        answer::GivenFinding,
        entity::{Category, Country, Entity, Metadata, Span},
        error::Error,
        wire::detected_type,
    },
    catalogue,
    detect::plan::Plan,
    recognise::custom::is_name,
    text::offsets::Cursor,
};

/// Converts the findings to entities of the text, ordered by start.
///
/// # Errors
/// `invalid_request` naming the finding that overlaps another, or its field at fault.
pub(super) fn entities(text: &str, findings: &[GivenFinding], plan: &Plan) -> Result<Vec<Entity>, Error> {
    let mut order: Vec<usize> = (0..findings.len()).collect();
    let start = |index: &usize| findings.get(*index).map(|finding| finding.start);
    crate::text::order::sort(&mut order, |a, b| (start(a), *a).cmp(&(start(b), *b)));
    let mut cursor = Cursor::new(text, plan.unit);
    let mut entities = Vec::with_capacity(findings.len());
    for index in order {
        let Some(finding) = findings.get(index) else { continue };
        let refuse =
            |field: &str, message: &'static str| Error::invalid(format!("findings[{index}]{field}"), message);
        if finding.start < cursor.units() {
            return Err(refuse("", "overlaps another finding; leave one of the two out"));
        }
        if finding.end <= finding.start {
            return Err(refuse(".end", "must be greater than start"));
        }
        let outside = "must be the offset of a character of the text";
        let from = cursor.go_to(finding.start).ok_or_else(|| refuse(".start", outside))?;
        let to = cursor.go_to(finding.end).ok_or_else(|| refuse(".end", outside))?;
        let original = text.get(from..to).unwrap_or_default();
        if finding.original.as_deref().is_some_and(|given| given != original) {
            return Err(refuse(".original", "is not the text from start to end; find again in this text"));
        }
        if !is_name(&finding.kind) {
            return Err(refuse(".type", "must be lower-case letters, digits and _, at most 64"));
        }
        let kind = detected_type(&finding.kind);
        let country = finding.country.as_deref().map(Country::parse);
        if country == Some(None) {
            return Err(refuse(".country", "must be an ISO 3166-1 alpha-2 code, or absent"));
        }
        let confidence = finding.confidence.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&confidence) {
            return Err(refuse(".confidence", "must be a number from 0 to 1"));
        }
        let mut metadata = Metadata::default();
        for (name, fact) in [("normalized", &finding.metadata.normalized), ("e164", &finding.metadata.e164)] {
            if let Some(fact) = fact {
                metadata.text(name, fact.clone());
            }
        }
        entities.push(Entity {
            category: category(&kind, plan),
            kind,
            original: original.to_owned(),
            country: country.flatten(),
            confidence,
            validated: finding.validated,
            span: Span { start: finding.start, end: finding.end },
            bytes: Span { start: from, end: to },
            metadata,
            evidence: Vec::new(),
        });
    }
    Ok(entities)
}

/// Returns the category of a type; `personal` for a type that neither the catalogue nor the caller's
/// detectors have.
fn category(kind: &str, plan: &Plan) -> Category {
    let known = catalogue::by_type(kind).find(|detector| detector.kind() == kind);
    known
        .map(|detector| detector.category)
        .or_else(|| plan.customs.category_of(kind))
        .unwrap_or(Category::Personal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        DetectOptions, Finder, Keyring, Mode, Normalised, OffsetUnit, ProtectOptions, detect, protect,
    };

    fn given(kind: &str, start: usize, end: usize) -> GivenFinding {
        GivenFinding { kind: kind.to_owned(), start, end, ..GivenFinding::default() }
    }

    /// Given findings are replaced like detected ones, in every mode and unit.
    #[test]
    fn findings_of_detection_are_protected_alike() {
        let text = "🙂 PESEL 44051401359, tel. +420 601 123 456, JAN.NOVAK@example.cz";
        let keys = Keyring::new(0, b"a secret of 16 bytes or more").unwrap();
        for unit in [OffsetUnit::CodePoint, OffsetUnit::Utf16, OffsetUnit::Byte] {
            let detection = DetectOptions { offset_unit: Some(unit), ..DetectOptions::default() };
            let found: Vec<GivenFinding> = detect(text, &detection)
                .unwrap()
                .entities
                .into_iter()
                .rev()
                .map(|entity| GivenFinding {
                    kind: entity.kind.to_string(),
                    start: entity.span.start,
                    end: entity.span.end,
                    country: entity.country.map(Country::upper),
                    metadata: Normalised {
                        normalized: entity.metadata.get("normalized").and_then(text_of),
                        e164: entity.metadata.get("e164").and_then(text_of),
                    },
                    original: Some(entity.original),
                    ..GivenFinding::default()
                })
                .collect();
            assert_eq!(found.len(), 3);
            for mode in [Mode::Replace, Mode::Mask, Mode::Hash, Mode::Tokenize] {
                let protection = ProtectOptions { mode, ..ProtectOptions::default() };
                let finder = Finder::unlimited(&detection).unwrap();
                let applied = finder.apply(text, &found, &protection, Some(&keys)).unwrap();
                let wanted = protect(text, &detection, &protection, Some(&keys)).unwrap();
                assert_eq!(applied.text, wanted.text, "{unit:?} {mode:?}");
            }
        }
    }

    fn text_of(fact: &crate::Fact) -> Option<String> {
        match fact {
            crate::Fact::Text(text) => Some(text.to_string()),
            crate::Fact::Flag(_) => None,
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let text = "👩 Emily";
        let finder = Finder::unlimited(&DetectOptions {
            offset_unit: Some(OffsetUnit::Utf16),
            ..DetectOptions::default()
        })
        .unwrap();
        let other = GivenFinding { original: Some("Anna".to_owned()), ..given("name", 3, 8) };
        let unsure = GivenFinding { confidence: Some(1.5), ..given("name", 3, 8) };
        for (findings, field) in [
            (vec![given("name", 3, 9)], "findings[0].end"),
            (vec![given("name", 9, 10)], "findings[0].start"),
            (vec![given("name", 1, 8)], "findings[0].start"),
            (vec![given("name", 3, 3)], "findings[0].end"),
            (vec![given("name", 5, 8), given("name", 3, 6)], "findings[0]"),
            (vec![given("A name", 3, 8)], "findings[0].type"),
            (vec![given("", 3, 8)], "findings[0].type"),
            (
                vec![GivenFinding { country: Some("Poland".to_owned()), ..given("name", 3, 8) }],
                "findings[0].country",
            ),
            (vec![other], "findings[0].original"),
            (vec![unsure], "findings[0].confidence"),
        ] {
            let error = finder.apply(text, &findings, &ProtectOptions::default(), None).unwrap_err();
            assert_eq!(error.field(), Some(field), "{findings:?}");
            assert!(!error.to_string().contains("Emily"));
        }
        let own = [given("codename", 3, 8)];
        assert_eq!(finder.apply(text, &own, &ProtectOptions::default(), None).unwrap().text, "👩 [REDACTED]");
    }
}
