//! `POST /api/v1/documents`.

use std::borrow::Cow;

use base64ct::{Base64, Encoding as _};
use serde::Serialize;
use serde_json::Value;
use textveil_documents::{Analysis, Format, Reading, Record, Records, add_countries, encoding, passages};
use textveil_engine::{
    CountryDetection, OffsetUnit, Offsets, Protected, Protection, Work,
    tree::{Fault, FromTree, Tree},
    wire::{self, ProtectResponse, ProtectedEntity},
};

use super::protect::{Protector, count, read};
use crate::{
    call::{Call, RouteResult, ok},
    error::ApiError,
    host::Host,
    system::Pace,
};

pub(crate) async fn one<H: Host>(call: Call<'_, H>, request: &Value) -> RouteResult {
    let (unit, Protector { finder, protection, keys }): (AnswerUnit, _) = read(&call, request).await?;
    let (bytes, reading) = opened(request)?;
    let mut records = Records::open(&*bytes, reading);
    let mut pace = Pace::start(call.host);
    let mut found = DocumentFindings::default();
    // all passages share the budget for custom detectors
    let work = Work::default();
    while let Some(record) = records.next_record().map_err(|error| refused(&error))? {
        let mut analysis = Analysis::of(&record.values);
        for passage in passages(&record.values) {
            let protected =
                finder.protect_cells(passage.text(), passage.cells(), &protection, Some(&keys), &work)?;
            count(call.counts, &protected);
            analysis.add(&passage, protected.entities, protected.countries);
            pace.rest().await;
        }
        found.add(&record, analysis, unit.0);
    }
    let DocumentFindings { text, entities, countries } = found;
    let protection = Protection { text, entities: Vec::new(), countries, mode: protection.mode };
    let ProtectResponse {
        protected_text,
        countries_detected,
        protection_mode,
        processing_time_ms,
        api_version,
        ..
    } = ProtectResponse::new("", protection, call.clock.elapsed_ms());
    ok(&DocumentResponse {
        format: reading.format.name(),
        protected_document: protected_text,
        entities,
        countries_detected,
        protection_mode,
        processing_time_ms,
        api_version,
    })
}

/// The unit of the offsets in the answer. Hints are rejected: they belong to one text.
struct AnswerUnit(OffsetUnit);

impl FromTree for AnswerUnit {
    fn from_tree(tree: &Tree<'_>) -> Result<Self, Fault> {
        tree.object(|fields| Self(fields.optional::<Option<OffsetUnit>>("offset_unit").unwrap_or_default()))
    }
}

/// The document of a request, and how it is read.
fn opened(request: &Value) -> Result<(Cow<'_, [u8]>, Reading), ApiError> {
    let given = |name| request.get(name).filter(|value| !value.is_null());
    let text = |name| match given(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(ApiError::invalid(name, format!("{name} must be a string"))),
    };
    for name in ["hints", "cells"] {
        if given(name).is_some_and(|places| places.as_array().is_none_or(|places| !places.is_empty())) {
            let message = format!("{name} belong to one text; send it to /api/v1/protect");
            return Err(ApiError::invalid(name, message));
        }
    }
    let named = |name| match Format::ALL.into_iter().find(|format| format.name() == name) {
        Some(format) => Ok(format),
        None => {
            let names = Format::ALL.map(Format::name).join(", ");
            Err(ApiError::invalid("format", format!("format must be one of {names}")))
        }
    };
    let format = text("format")?.map(named).transpose()?;
    let charset = text("charset")?.map(encoding).transpose();
    let charset = charset.map_err(|_| {
        ApiError::invalid("charset", "charset must be the name of an encoding, such as windows-1250")
    })?;
    let bytes = match (text("document")?, text("document_base64")?) {
        (Some(_), None) if charset.is_some() => {
            return Err(ApiError::invalid(
                "charset",
                "charset belongs to document_base64; leave it out for document",
            ));
        }
        (Some(text), None) => Cow::Borrowed(text.as_bytes()),
        (None, Some(encoded)) => Cow::Owned(Base64::decode_vec(encoded).map_err(|_| {
            ApiError::invalid(
                "document_base64",
                "document_base64 must be base64 with padding (RFC 4648, section 4)",
            )
        })?),
        _ => return Err(ApiError::invalid("document", "send either document or document_base64")),
    };
    let format = format.or_else(|| Format::of_content(&bytes)).unwrap_or(Format::Text);
    Ok((bytes, Reading { format, is_whole: false, delimiter: None, encoding: charset }))
}

/// The messages of a reader name a line and quote nothing.
fn refused(error: &anyhow::Error) -> ApiError {
    ApiError::invalid("document", format!("document: {error:#}"))
}

/// The findings in the records so far, and their protected text.
#[derive(Default)]
struct DocumentFindings {
    text: String,
    entities: Vec<DocumentEntity>,
    countries: Vec<CountryDetection>,
}

impl DocumentFindings {
    fn add(&mut self, record: &Record, analysis: Analysis<Protected>, unit: OffsetUnit) {
        self.text.push_str(&record.rewritten(&analysis.edits(str::to_owned)));
        let Analysis { findings, countries, .. } = analysis;
        let mut positions = record.positions();
        for (value, findings) in record.values.iter().zip(findings) {
            let offsets = Offsets::new(&value.text, unit);
            for mut protected in findings {
                let (line, column) = positions.of(value, protected.entity.bytes.start);
                offsets.convert(&mut protected.entity);
                let (field, entity) = (value.label.clone(), ProtectedEntity::new(protected));
                self.entities.push(DocumentEntity { line, column, field, entity });
            }
        }
        // without places, which count in one of many values
        add_countries(
            &mut self.countries,
            countries.into_iter().map(|mut country| {
                country.evidence.iter_mut().for_each(|evidence| evidence.span = None);
                country
            }),
        );
    }
}

/// A piece of personal data in a document, and its replacement.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DocumentEntity {
    /// Line of the document, from 1. Of a Word document, line of its text.
    line: usize,
    /// Column in code points, from 1. Where the value has escapes, the column of the value.
    column: usize,
    /// Column, key or field of its value, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The finding. Its offsets count in the text of its value; what is found over several values is a finding in each.
    #[serde(flatten)]
    entity: ProtectedEntity,
}

/// A protected document.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DocumentResponse {
    /// The format that it was read as.
    format: &'static str,
    /// The document with its personal data replaced. Of a Word document, its text.
    protected_document: String,
    /// In the order of the document.
    entities: Vec<DocumentEntity>,
    /// Most likely first.
    countries_detected: Vec<wire::LikelyCountry>,
    /// Mode used.
    #[cfg_attr(feature = "schema", schemars(with = "textveil_engine::Mode"))]
    protection_mode: &'static str,
    /// Milliseconds, a float.
    processing_time_ms: f64,
    /// Version of the API.
    #[cfg_attr(feature = "schema", schemars(extend("const" = wire::API_VERSION)))]
    api_version: &'static str,
}
