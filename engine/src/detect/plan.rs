//! The options of a call, checked and compiled once.

use std::borrow::Cow;

use crate::{
    api::{
        entity::{Country, OffsetUnit},
        error::Error,
        limits::MAX_LIST,
        options::{DetectOptions, Preset},
    },
    catalogue,
    detect::{cells::Cells, hints::Hints},
    evidence::candidate::Source,
    recognise::{custom::Customs, names},
};

/// The types that the lexicons of names find.
const NAMES: [&str; 5] = ["name", "address", "organization", "city", "place_of_birth"];

/// The options of detection, ready to run.
pub(crate) struct Plan {
    pub country: Option<Country>,
    pub language: Option<String>,
    pub preset: Preset,
    threshold: f32,
    /// The caller gives the threshold, not the preset.
    pub is_own_threshold: bool,
    /// The threshold of names of people.
    name_threshold: f32,
    /// The threshold of names of several words without capitals.
    uncased_name_threshold: f32,
    pub customs: Customs,
    pub hints: Hints,
    pub cells: Cells,
    pub unit: OffsetUnit,
    pub explain: bool,
    entities: Vec<Cow<'static, str>>,
    exclude: Vec<Cow<'static, str>>,
}

impl Plan {
    /// # Errors
    /// `invalid_request` naming the option at fault; `not_loaded` if names are requested but no lexicons are
    /// present.
    pub fn new(options: &DetectOptions) -> Result<Self, Error> {
        let threshold = options.threshold();
        if !(0.0..=1.0).contains(&threshold) {
            return Err(Error::invalid("min_confidence", "must be a number from 0 to 1"));
        }
        let mut customs = Customs::new(&options.custom_detectors, &options.deny_list, &options.allow_list)?;
        let hints = Hints::new(&options.hints, &mut customs)?;
        let entities = kinds(&options.entities, &customs, "entities")?;
        // an empty result would be mistaken for a text without names
        if names::are_missing() && entities.iter().any(|kind| NAMES.contains(&kind.as_ref())) {
            return Err(Error::not_loaded());
        }
        Ok(Self {
            country: options.country.as_deref().and_then(Country::parse),
            language: options.language.clone(),
            preset: options.preset(),
            threshold: threshold as f32,
            is_own_threshold: options.min_confidence.is_some(),
            name_threshold: options.name_threshold() as f32,
            uncased_name_threshold: options.uncased_name_threshold() as f32,
            unit: options.offset_unit.unwrap_or_default(),
            explain: options.explain,
            entities,
            exclude: kinds(&options.exclude_entities, &customs, "exclude_entities")?,
            customs,
            hints,
            cells: Cells::new(&options.cells)?,
        })
    }

    /// Whether a candidate is sure enough to be reported. Its text is read only where it decides.
    pub fn reports<'t>(&self, source: Source, confidence: f32, text: impl FnOnce() -> &'t str) -> bool {
        match source {
            Source::Catalogue(index) if catalogue::NAME.contains(&index) => {
                confidence >= self.name_threshold
                    || confidence >= self.uncased_name_threshold
                        && textveil_names::are_words_without_capitals(text())
            }
            _ => self.is_sure(confidence.into()),
        }
    }

    /// Whether a value other than a name is sure enough to be reported.
    pub fn is_sure(&self, confidence: f64) -> bool {
        confidence >= f64::from(self.threshold)
    }

    /// Whether names, addresses or organisations are wanted, or ages in words.
    pub fn wants_names(&self) -> bool {
        NAMES.into_iter().chain(["age"]).any(|kind| self.wants(kind))
    }

    /// Whether the caller lists this type among the wanted ones.
    pub fn asks_for(&self, kind: &str) -> bool {
        self.entities.iter().any(|wanted| wanted == kind)
    }

    /// Whether findings of this type are wanted.
    pub fn wants(&self, kind: &str) -> bool {
        (self.entities.is_empty() || self.asks_for(kind)) && !self.excludes(kind)
    }

    /// Whether the caller lists this type among the unwanted ones.
    pub fn excludes(&self, kind: &str) -> bool {
        self.exclude.iter().any(|unwanted| unwanted == kind)
    }
}

/// Returns the types of these names and aliases.
fn kinds(names: &[String], customs: &Customs, field: &str) -> Result<Vec<Cow<'static, str>>, Error> {
    if names.len() > MAX_LIST {
        return Err(Error::invalid(field, "has more than 1000 entries; send fewer"));
    }
    let mut kinds = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let own = name.trim().to_ascii_lowercase();
        let known = kinds.len();
        kinds.extend(resolve(&own).map(Cow::Borrowed));
        if customs.names(&own) {
            kinds.push(Cow::Owned(own));
        }
        if kinds.len() == known {
            return Err(not_a_type(format!("{field}[{index}]"), "is", name));
        }
    }
    Ok(kinds)
}

/// The error of a field that `is` or `names` an unknown type, with the nearest type.
pub(crate) fn not_a_type(field: impl Into<String>, verb: &str, name: &str) -> Error {
    let message = match catalogue::nearest_type(name) {
        Some(near) => format!("{verb} no known entity type; did you mean {near}?"),
        None => format!("{verb} no known entity type; GET /api/v1/detectors lists them"),
    };
    Error::invalid(field, message)
}

/// Returns the entity types of a name, ignoring case.
///
/// The name is that of a detector, of a type, or an alias of other tools. Returns none for a name that is not in
/// the catalogue.
///
/// # Examples
/// ```
/// use textveil_engine::types_named;
///
/// assert_eq!(types_named("EMAIL_ADDRESS"), ["email"]);
/// assert!(types_named("shoe_size").is_empty());
/// ```
pub fn types_named(name: &str) -> Vec<&'static str> {
    resolve(&name.trim().to_ascii_lowercase()).collect()
}

/// Returns the types of a name or an alias, without duplicates.
pub(crate) fn resolve(name: &str) -> impl Iterator<Item = &'static str> {
    let mut kinds = Vec::new();
    for detector in catalogue::by_type(name).filter(|detector| !detector.suppressor) {
        let kind = detector.kind();
        if let Err(place) = kinds.binary_search(&kind) {
            kinds.insert(place, kind);
        }
    }
    kinds.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::options::CustomDetector;

    fn plan(entities: &[&str], exclude: &[&str]) -> Result<Plan, Error> {
        let own = CustomDetector {
            name: "own".to_owned(),
            pattern: Some("x".to_owned()),
            ..CustomDetector::default()
        };
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Plan::new(&DetectOptions {
            entities: list(entities),
            exclude_entities: list(exclude),
            custom_detectors: vec![own],
            ..DetectOptions::default()
        })
    }

    #[test]
    fn wanted_types() {
        for (name, want) in [
            ("emial", "entities[1] is no known entity type; did you mean email?"),
            ("EMAIL_ADRESS", "entities[1] is no known entity type; did you mean email_address?"),
            ("colour of a shoe", "entities[1] is no known entity type; GET /api/v1/detectors lists them"),
        ] {
            let error = plan(&["pesel", name], &[]).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some(want), "{name}");
        }
        for (entities, exclude, kind, wanted, asked) in [
            (&[][..], &[][..], "pesel", true, false),
            (&["pesel"], &[], "pesel", true, true),
            (&["pesel"], &[], "siren", false, false),
            (&[], &["pesel"], "pesel", false, false),
            (&["pesel"], &["pesel"], "pesel", false, true),
            // names with a country, of other tools, in any case, of the caller
            (&["cz_vat"], &[], "dic_cz", true, true),
            (&[" Credit_Card "], &[], "credit_card", true, true),
            (&["own"], &[], "own", true, true),
        ] {
            let plan = plan(entities, exclude).unwrap();
            assert_eq!((plan.wants(kind), plan.asks_for(kind)), (wanted, asked), "{entities:?} {exclude:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(plan(&["email", "no_type"], &[]).err().unwrap().field(), Some("entities[1]"));
        assert_eq!(plan(&[], &["no_type"]).err().unwrap().field(), Some("exclude_entities[0]"));
        let unsure = DetectOptions { min_confidence: Some(1.5), ..DetectOptions::default() };
        assert_eq!(Plan::new(&unsure).err().unwrap().field(), Some("min_confidence"));
    }

    #[test]
    fn names_are_searched_if_their_types_are_wanted() {
        for (entities, wanted) in
            [(&[][..], true), (&["name"], true), (&["age"], true), (&["city"], true), (&["pesel"], false)]
        {
            assert_eq!(plan(entities, &[]).unwrap().wants_names(), wanted, "{entities:?}");
        }
    }

    #[test]
    fn types_of_a_name() {
        for (name, want) in [
            ("pesel", &["pesel"][..]),
            ("PL_PESEL", &["pesel"]),
            ("jmbg", &["jmbg"]),
            ("hex_digest", &[]),
            ("no_type", &[]),
        ] {
            assert_eq!(types_named(name), want, "{name}");
        }
    }

    #[test]
    fn names_have_thresholds_of_their_own() {
        let name = Source::Catalogue(catalogue::NAME[0]);
        let plan = |options: DetectOptions| Plan::new(&options).unwrap();
        let balanced = plan(DetectOptions::default());
        for (confidence, text, want) in [
            (0.5, "Jan Novák", true),
            (0.45, "Jan Novák", false),
            (0.4, "엘비스 코스텔로", true),
            (0.4, "محمد علي", true),
            (0.3, "محمد علي", false),
            (0.4, "محمد", false),
            // written without spaces
            (0.4, "山田太郎", false),
        ] {
            assert_eq!(balanced.reports(name, confidence, || text), want, "{text} {confidence}");
        }
        let email = Source::Catalogue(catalogue::numbered_by_type("email").next().unwrap().0);
        assert!(!balanced.reports(email, 0.5, || "محمد"));
        let own = plan(DetectOptions { min_confidence: Some(0.3), ..DetectOptions::default() });
        assert!(own.reports(name, 0.3, || "Jan Novák") && own.reports(email, 0.3, || ""));
    }
}
