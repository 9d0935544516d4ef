//! Finding personal data: fold, scan, recognise, weigh, resolve, report.

mod broken;
pub(crate) mod cells;
mod dictated;
pub(crate) mod encoded;
pub(crate) mod hints;
pub(crate) mod plan;
pub(crate) mod validate;

use textveil_weights as weights;

use crate::{
    api::{
        answer::Detection,
        entity::{Country, CountryDetection, Entity, Evidence, Metadata, Span},
        error::Error,
        facts::{Date, Facts, Invalid},
        options::Preset,
    },
    catalogue,
    country::{
        apply,
        infer::{Clues, Countries, DateOrder, Vote},
    },
    detect::{hints::Located, plan::Plan},
    evidence::{
        candidate::{Candidate, Extra, Source, Verdict},
        labels::{Labels, OpenList},
        persons::Persons,
    },
    phrase::work::{Stage, Work},
    recognise::{
        self, names,
        scan::{Scan, scan},
    },
    resolve::{
        addresses,
        calibrate::calibrate,
        compete::{self, Finding},
        overlaps::{Resolved, resolve},
    },
    text::{fold::Folded, offsets::Offsets, order},
};

/// The type of a person's name.
const NAME: &str = "name";

/// Finds personal data in a text of any length, with the hints and the cells of this text.
///
/// # Errors
/// `invalid_request` naming a hint or a cell outside the text.
pub(crate) fn hinted(text: &str, plan: &Plan, work: &Work) -> Result<Detection, Error> {
    let cells = plan.cells.locate(text, plan.unit)?;
    Ok(find(text, 0, plan, &plan.hints.locate(text, plan.unit)?, cells.as_deref(), work))
}

/// Finds personal data in a text of any length, of which these bytes are cells.
pub(crate) fn in_cells(text: &str, cells: &[Span], plan: &Plan, work: &Work) -> Detection {
    find(text, 0, plan, &[], Some(cells), work)
}

/// Finds personal data in a text of any length.
pub(crate) fn run(text: &str, plan: &Plan, work: &Work) -> Detection {
    find(text, 0, plan, &[], None, work)
}

/// `depth` is the number of texts in base64 around the text.
fn find(
    text: &str,
    depth: usize,
    plan: &Plan,
    hints: &[Located<'_>],
    cells: Option<&[Span]>,
    work: &Work,
) -> Detection {
    let folded = Folded::new(text, work);
    let mut clues = Clues::default();
    let labels = Labels::new(&folded.text, plan.customs.vocabulary(), work);
    let mut found = search(text, &folded, 0, plan, &mut clues, labels, work);
    hints::apply(hints, &folded, plan.country, &mut found.candidates, work);
    let countries = countries(&folded, plan, &clues, &found, work);
    let report = Report::new(text, &folded, &countries, plan, work);
    let mut entities = report.entities(&mut found, &mut clues.persons);
    report.add_dictated(&found.dictated, &mut entities);
    report.add_broken(&found.broken, &mut entities);
    encoded::add(text, 0, depth, plan, &mut entities, work);
    if let Some(cells) = cells {
        entities = report.divided(entities, cells);
    }
    Detection { entities, countries: report.countries(), preset: plan.preset }
}

/// Finds personal data in a text from `from` on, as it is written.
///
/// The text before `from` has been analysed and is read for labels only; its evidence is in `clues` already, and the list
/// that it ends with is in `list`. `resumes` means that `from` is within a line.
pub(crate) fn follow(
    text: &str,
    from: usize,
    resumes: bool,
    plan: &Plan,
    clues: &mut Clues,
    list: &mut OpenList,
    work: &Work,
) -> Vec<Entity> {
    let folded = Folded::new(text, work);
    let start = folded.copied(from);
    let before = std::mem::take(list);
    let mut labels = Labels::new(&folded.text, plan.customs.vocabulary(), work);
    labels.resume(&before, start);
    let mut found = search(text, &folded, if resumes { 0 } else { start }, plan, clues, labels, work);
    *list = found.labels.open_list();
    found.candidates.retain(|candidate| candidate.start as usize >= start);
    let is_bare = found.candidates.is_empty() && found.local_numbers.is_empty();
    if is_bare && found.dictated.is_empty() && found.broken.is_empty() {
        return Vec::new();
    }
    let countries = countries(&folded, plan, clues, &found, work);
    clues.keep(&folded.text, &found.candidates);
    let report = Report::new(text, &folded, &countries, plan, work);
    let mut entities = report.entities(&mut found, &mut clues.persons);
    report.add_dictated(&found.dictated, &mut entities);
    report.add_broken(&found.broken, &mut entities);
    entities.retain(|entity| entity.bytes.start >= from);
    entities
}

/// Returns every candidate in the copy, from `from` on, and adds the country evidence of its words to the
/// clues.
fn search<'t>(
    text: &str,
    folded: &'t Folded<'_>,
    from: usize,
    plan: &'t Plan,
    clues: &mut Clues,
    labels: Labels<'t>,
    work: &'t Work,
) -> Scan<'t> {
    let mut found = values(text, folded, from, plan, labels, work);
    if plan.wants_names() {
        names::search(&folded.text, from, &mut clues.names, plan.explain, &mut found, work);
    }
    order::sort(&mut found.reserved, Ord::cmp);
    if plan.country.is_none() {
        clues.read(&folded.text, from, work);
    }
    found
}

/// Returns the candidates in the copy, from `from` on, that are no names.
fn values<'t>(
    text: &str,
    folded: &'t Folded<'_>,
    from: usize,
    plan: &'t Plan,
    labels: Labels<'t>,
    work: &'t Work,
) -> Scan<'t> {
    let customs = &plan.customs;
    let mut found = scan(&folded.text, from, customs.shapes(), labels, work);
    customs.search(text, folded, &mut found.candidates, &mut found.labels, work);
    found
}

/// Returns the country that the caller gives, or those that the text is probably about.
fn countries(folded: &Folded<'_>, plan: &Plan, clues: &Clues, found: &Scan<'_>, work: &Work) -> Countries {
    work.add(Stage::Countries, found.candidates.len());
    match plan.country {
        Some(country) => Countries::given(country),
        None => clues.countries(&folded.text, plan.language.as_deref(), &found.candidates),
    }
}

/// Converts findings to entities, with the caller's unit and type names.
struct Report<'r> {
    text: &'r str,
    folded: &'r Folded<'r>,
    offsets: Offsets<'r>,
    plan: &'r Plan,
    /// Whether entities have their evidence.
    explain: bool,
    countries: &'r Countries,
    work: &'r Work,
}

impl<'r> Report<'r> {
    fn new(
        text: &'r str,
        folded: &'r Folded<'r>,
        countries: &'r Countries,
        plan: &'r Plan,
        work: &'r Work,
    ) -> Self {
        let offsets = Offsets::new(text, plan.unit);
        Self { text, folded, offsets, plan, explain: plan.explain, countries, work }
    }

    /// Returns the findings among the candidates for the known countries.
    fn entities(&self, found: &mut Scan<'_>, persons: &mut Persons) -> Vec<Entity> {
        for candidate in &mut found.candidates {
            apply::apply_countries(candidate, self.countries);
        }
        apply::local_phones(&found.local_numbers, self.countries, &mut found.candidates);
        addresses::cut_addresses(&mut found.candidates, &self.folded.text);
        let mut findings = compete::compete(&found.candidates, &self.plan.customs, self.work);
        self.settle_impersonal(&mut findings);
        findings.retain(|finding| self.wants(finding));
        let resolved = resolve(findings, &found.reserved, &self.folded.text, self.work);
        self.work.add(Stage::Protect, 10 * resolved.len());
        let mut entities: Vec<Entity> =
            resolved.iter().map(|resolved| self.entity(resolved, &found.named)).collect();
        entities.iter_mut().filter(|entity| entity.kind == NAME).for_each(|name| persons.tell(name));
        entities
    }

    /// Divides findings so that each is within one of the cells.
    fn divided(&self, entities: Vec<Entity>, mut cells: &[Span]) -> Vec<Entity> {
        self.work.add(Stage::Protect, cells.len() / 4);
        entities.into_iter().flat_map(|entity| self.in_cells(entity, &mut cells)).collect()
    }

    /// Returns the parts of a finding in cells.
    ///
    /// The facts of a whole value are not those of its parts.
    fn in_cells(&self, entity: Entity, cells: &mut &[Span]) -> Vec<Entity> {
        let parts = cells::parts(self.text, entity.bytes, cells);
        if parts == [entity.bytes] {
            return vec![entity];
        }
        let part = |bytes: &Span| Entity {
            original: self.text.get(bytes.start..bytes.end).unwrap_or_default().to_owned(),
            span: self.offsets.span(bytes.start, bytes.end),
            bytes: *bytes,
            metadata: Metadata::default(),
            ..entity.clone()
        };
        parts.iter().map(part).collect()
    }

    /// Makes suppressors of findings that are not about a person.
    ///
    /// The preset `aggressive` reports them, and so does a call that names their type; but an organisation without a legal
    /// form and without a label only `aggressive`. A finding that contains other personal data is not affected.
    fn settle_impersonal(&self, findings: &mut [Finding<'_>]) {
        if self.plan.preset == Preset::Aggressive {
            return;
        }
        let asked = |finding: &Finding<'_>| {
            let source = finding.candidate.source;
            let is_organization =
                matches!(source, Source::Catalogue(index) if catalogue::ORGANIZATION.contains(&index));
            !is_organization && self.plan.asks_for(&self.plan.customs.kind(source))
        };
        for at in 0..findings.len() {
            let Some((finding, later)) = findings.get_mut(at..).and_then(<[_]>::split_first_mut) else {
                break;
            };
            if !finding.candidate.impersonal || asked(finding) {
                continue;
            }
            let end = finding.candidate.end;
            let mut within = later
                .iter()
                .take_while(|inner| inner.candidate.start < end)
                .inspect(|_| self.work.add(Stage::Resolve, 1))
                .filter(|inner| inner.candidate.end <= end && !inner.suppressor);
            let tells = |inner: &Finding<'_>| {
                !inner.candidate.impersonal && (self.wants(inner) || is_sure_of_its_value(inner.candidate))
            };
            finding.suppressor = !within.any(tells);
        }
    }

    /// Whether the caller requests this finding, or it suppresses others.
    fn wants(&self, finding: &Finding<'_>) -> bool {
        let candidate = finding.candidate;
        if finding.suppressor {
            return finding.confidence >= weights::confidence::SUPPRESSES;
        }
        let text = || {
            let (start, end) = self.folded.original(candidate.start as usize, candidate.end as usize);
            self.text.get(start..end).unwrap_or_default()
        };
        let kind = self.plan.customs.kind(candidate.source);
        let wanted = match candidate.source {
            Source::Denied(_) => !self.plan.excludes(&kind),
            source => self.plan.reports(source, self.compared(finding), text) && self.plan.wants(&kind),
        };
        wanted && !self.plan.customs.allows(&kind, text(), self.work)
    }

    /// Returns the confidence that the threshold counts for: that of a preset is chosen on the evidence, a caller's own counts
    /// for what is reported.
    fn compared(&self, finding: &Finding<'_>) -> f32 {
        if self.plan.is_own_threshold { calibrate(finding).confidence } else { finding.confidence }
    }

    fn entity(&self, resolved: &Resolved<'_>, named: &[textveil_names::Candidate]) -> Entity {
        let candidate = resolved.finding.candidate;
        let (start, end) = self.folded.original(resolved.start as usize, resolved.end as usize);
        let detector = candidate.source.detector();
        let country = match candidate.extra {
            Extra::Phone(phone) => phone.country,
            Extra::Country(country) => Some(country),
            Extra::Named(_) | Extra::Literal(_) | Extra::None => {
                detector.and_then(|detector| detector.country)
            }
        };
        let validated = candidate.verdict == Verdict::Valid && !resolved.trimmed();
        Entity {
            kind: self.plan.customs.kind(candidate.source),
            category: self.plan.customs.category(candidate.source),
            original: self.text.get(start..end).unwrap_or_default().to_owned(),
            country,
            confidence: (f64::from(calibrate(&resolved.finding).confidence) * 10_000.0).round() / 10_000.0,
            validated,
            span: self.offsets.span(start, end),
            bytes: Span { start, end },
            metadata: if resolved.trimmed() { Metadata::default() } else { self.metadata(candidate, named) },
            evidence: if self.explain { self.evidence(resolved, named) } else { Vec::new() },
        }
    }

    fn metadata(&self, candidate: &Candidate, named: &[textveil_names::Candidate]) -> Metadata {
        let mut metadata = Metadata::default();
        let written =
            self.folded.text.get(candidate.start as usize..candidate.end as usize).unwrap_or_default();
        if let Some(detector) = candidate.source.detector() {
            let known = match candidate.facts.either_date {
                Some(dates) => Facts { birth_date: self.meant(dates, candidate), ..candidate.facts },
                None => candidate.facts,
            };
            facts(&mut metadata, detector, candidate.verdict, &known, written, candidate.check_digits);
        }
        if let Extra::Named(number) = candidate.extra
            && let Some(named) = named.get(number as usize)
        {
            names::facts(named, candidate.end, &self.folded.text, &mut metadata);
        }
        if let Extra::Phone(phone) = candidate.extra {
            metadata.text("e164", phone.to_string());
            metadata.text("line_type", phone.line_type.as_str());
        }
        metadata
    }

    /// Returns which of two days a date means, day first or month first; `None` without evidence.
    fn meant(&self, [day_first, month_first]: [Date; 2], candidate: &Candidate) -> Option<Date> {
        let (start, end) = candidate.label.place;
        let label = self.folded.text.get(start as usize..end as usize).unwrap_or_default();
        let order = self.countries.date_order(self.plan.language.as_deref(), label)?;
        Some(match order {
            DateOrder::DayFirst => day_first,
            DateOrder::MonthFirst => month_first,
        })
    }

    fn evidence(&self, resolved: &Resolved<'_>, named: &[textveil_names::Candidate]) -> Vec<Evidence> {
        let candidate = resolved.finding.candidate;
        let named = match candidate.extra {
            Extra::Named(number) => named.get(number as usize),
            _ => None,
        };
        // the shape of a name is what its judge thinks of it: its reasons, and the rest
        let reasons = named.into_iter().flat_map(names::signals);
        let rest = candidate.shape - reasons.clone().map(|(_, weight)| weight).sum::<f32>();
        let signals = [("shape", rest, None)].into_iter();
        let signals = signals.chain(reasons.map(|(name, weight)| (name, weight, None)));
        let signals = signals.chain(candidate.evidence().into_iter().skip(1));
        let signals = signals.chain([
            ("competing", resolved.finding.competing, None),
            ("calibration", calibrate(&resolved.finding).weight, None),
        ]);
        let shown = signals.filter(|(_, weight, _)| weight.abs() >= 0.005);
        shown.map(|(name, weight, place)| self.signal(name, weight, place)).collect()
    }

    fn signal(&self, signal: &'static str, weight: f32, place: Option<(u32, u32)>) -> Evidence {
        let span = place.map(|(start, end)| {
            let (start, end) = self.folded.original(start as usize, end as usize);
            self.offsets.span(start, end)
        });
        Evidence { signal, weight: (f64::from(weight) * 100.0).round() / 100.0, span }
    }

    fn countries(&self) -> Vec<CountryDetection> {
        let evidence = |country: Country| -> Vec<Evidence> {
            let votes =
                self.countries.votes.iter().filter(|vote| vote.country == country && self.plan.explain);
            votes.map(|vote: &Vote| self.signal(vote.signal, vote.weight, vote.place)).collect()
        };
        let detection = |(code, confidence): &(Country, f32)| CountryDetection {
            code: *code,
            confidence: (f64::from(*confidence) * 10_000.0).round() / 10_000.0,
            evidence: evidence(*code),
        };
        self.countries.likely.iter().map(detection).collect()
    }
}

/// Whether a value is an identifier in any context: its check rarely passes by chance, or it is the address
/// of a host.
fn is_sure_of_its_value(candidate: &Candidate) -> bool {
    candidate.source.detector().is_some_and(|detector| {
        candidate.is_checked() && detector.llr > weights::check::SELDOM
            || candidate.verdict == Verdict::Valid && detector.kind() == "ip_address"
    })
}

/// Adds the detector's metadata of a value; `check_digits` tells whether it has check digits.
pub(crate) fn facts(
    metadata: &mut Metadata,
    detector: &catalogue::Detector,
    verdict: Verdict,
    facts: &Facts,
    written: &str,
    check_digits: bool,
) {
    if let Some(form) = recognise::normalized(detector, written) {
        metadata.text("normalized", form);
    }
    if check_digits && verdict != Verdict::Exempt {
        metadata.flag("checksum_valid", !matches!(verdict, Verdict::Failed(Invalid::Checksum)));
    }
    if let Some(born) = facts.birth_date {
        metadata.text("birth_date", born.iso());
    }
    if facts.century_inferred && facts.birth_date.is_some() {
        metadata.flag("century_inferred", true);
    }
    if let Some(gender) = facts.gender {
        metadata.text("gender", gender.as_str());
    }
    if let Some((name, value)) = facts.other {
        metadata.text(name, value);
    }
    if let Some(details) = detector.details {
        details(written, metadata);
    }
}
