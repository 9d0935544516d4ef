//! The draft of a provider: the body of a creation, checked field by field.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    BaseUrl, CredentialSource, Provider, ProviderRecord, ProviderType, ValidationStatus,
    credential::Placeholder,
};
use crate::{
    body::record,
    error::ApiError,
    limits::{MAX_MODEL_BYTES, MAX_MODELS, MAX_NAME_CHARS, MAX_PRIORITY},
    network::AllowedHosts,
};

/// The fields that a user sets, as they are sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Draft {
    /// Its protocol.
    #[cfg_attr(feature = "schema", schemars(with = "ProviderType"))]
    pub provider_type: String,
    /// 1 to 200 characters.
    pub display_name: String,
    /// `env_placeholder`; or `none` for types that may do without a credential.
    pub credential_source: String,
    /// `${NAME}`, where the source is `env_placeholder`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_placeholder: Option<String>,
    /// https, on the public internet, unless the operator allows another host.
    pub base_url: String,
    /// 1 to 128 characters.
    pub default_model: String,
    /// At most 50; none for any.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub allowed_models: Vec<String>,
    /// True when absent.
    #[serde(default = "yes")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub supports_streaming: bool,
    /// 0 when absent.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub priority: i64,
    /// False when absent. The workspace's provider that was it before is it no longer.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub is_platform_default: bool,
    /// True when absent; a new provider always is.
    #[serde(default = "yes")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub is_active: bool,
}

fn yes() -> bool {
    true
}

impl Draft {
    /// Reads what a request holds; null is as good as absent.
    ///
    /// # Errors
    /// `invalid_request` naming the field.
    pub fn read(mut object: Value) -> Result<Self, ApiError> {
        if let Value::Object(fields) = &mut object {
            fields.retain(|_, value| !value.is_null());
        }
        record(object)
    }

    /// Returns the draft that describes this provider.
    pub(super) fn of(provider: &Provider) -> Self {
        let Provider { record, env_placeholder, .. } = provider.clone();
        Self {
            provider_type: wire_name(&record.provider_type),
            display_name: record.display_name,
            credential_source: wire_name(&record.credential_source),
            env_placeholder,
            base_url: record.base_url,
            default_model: record.default_model,
            allowed_models: record.allowed_models,
            supports_streaming: record.supports_streaming,
            priority: record.priority,
            is_platform_default: record.is_platform_default,
            is_active: record.is_active,
        }
    }

    /// The draft with the fields of `patch` in place of its own. A null takes a field away.
    ///
    /// # Errors
    /// As [`Draft::read`].
    pub fn patched(self, patch: Value) -> Result<Self, ApiError> {
        let whole = serde_json::to_value(self)
            .map_err(|_| ApiError::internal("an LLM provider cannot be written as JSON"))?;
        match (whole, patch) {
            (Value::Object(mut whole), Value::Object(patch)) => {
                whole.extend(patch);
                Self::read(Value::Object(whole))
            }
            (whole, _) => Self::read(whole),
        }
    }

    /// The record of a provider that was last changed `now`, without what the service adds.
    ///
    /// # Errors
    /// `invalid_request` naming the first field that is wrong.
    pub(super) fn record(&self, allowed: &AllowedHosts, now: &str) -> Result<ProviderRecord, ApiError> {
        let provider_type: ProviderType =
            choice("provider_type", &self.provider_type, &ProviderType::names(|_| true, "or"))?;
        let characters = self.display_name.chars().count();
        if !(1..=MAX_NAME_CHARS).contains(&characters)
            || self.display_name.trim().is_empty()
            || self.display_name.contains(char::is_control)
        {
            return Err(ApiError::invalid(
                "display_name",
                format!("display_name must have 1 to {MAX_NAME_CHARS} characters, and not only spaces"),
            ));
        }
        let credential_source = self.credential(provider_type)?;
        BaseUrl::parse(&self.base_url, allowed)?;
        self.check_models()?;
        if !(-MAX_PRIORITY..=MAX_PRIORITY).contains(&self.priority) {
            return Err(ApiError::invalid(
                "priority",
                format!("priority must be an integer from -{MAX_PRIORITY} to {MAX_PRIORITY}"),
            ));
        }
        Ok(ProviderRecord {
            id: String::new(),
            provider_type,
            display_name: self.display_name.clone(),
            is_platform_default: self.is_platform_default,
            is_active: self.is_active,
            credential_source,
            key_prefix: None,
            base_url: self.base_url.clone(),
            default_model: self.default_model.clone(),
            allowed_models: self.allowed_models.clone(),
            supports_streaming: self.supports_streaming,
            priority: self.priority,
            validation_status: ValidationStatus::Unknown,
            team_id: None,
            tenant_id: None,
            created_at: String::new(),
            updated_at: now.to_owned(),
        })
    }

    fn credential(&self, provider_type: ProviderType) -> Result<CredentialSource, ApiError> {
        let source = choice("credential_source", &self.credential_source, "env_placeholder or none")?;
        match (source, &self.env_placeholder) {
            (CredentialSource::EnvPlaceholder, Some(text)) if Placeholder::parse(text).is_some() => {}
            (CredentialSource::EnvPlaceholder, _) => {
                return Err(ApiError::invalid(
                    "env_placeholder",
                    "env_placeholder must be ${NAME}: a capital letter, then capital letters, digits and _, 64 \
                     in all; never the credential itself",
                ));
            }
            (CredentialSource::None, None) if provider_type.may_lack_credential() => {}
            (CredentialSource::None, None) => {
                let types = ProviderType::names(ProviderType::may_lack_credential, "and");
                return Err(ApiError::invalid(
                    "credential_source",
                    format!("credential_source may be `none` for {types} only; send env_placeholder"),
                ));
            }
            (CredentialSource::None, Some(_)) => {
                return Err(ApiError::invalid(
                    "env_placeholder",
                    "env_placeholder must be absent or null where credential_source is `none`",
                ));
            }
        }
        Ok(source)
    }

    fn check_models(&self) -> Result<(), ApiError> {
        let is_model = |name: &str| {
            (1..=MAX_MODEL_BYTES).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !is_model(&self.default_model) {
            return Err(ApiError::invalid(
                "default_model",
                format!("default_model must be 1 to {MAX_MODEL_BYTES} ASCII characters without spaces"),
            ));
        }
        if self.allowed_models.len() > MAX_MODELS || !self.allowed_models.iter().all(|name| is_model(name)) {
            return Err(ApiError::invalid(
                "allowed_models",
                format!(
                    "allowed_models must be at most {MAX_MODELS} names of 1 to {MAX_MODEL_BYTES} ASCII characters \
                     without spaces"
                ),
            ));
        }
        if !self.allowed_models.is_empty() && !self.allowed_models.contains(&self.default_model) {
            return Err(ApiError::invalid(
                "default_model",
                "default_model must be one of allowed_models, unless that list is empty",
            ));
        }
        Ok(())
    }
}

/// One of several names.
fn choice<T: DeserializeOwned>(field: &str, name: &str, names: &str) -> Result<T, ApiError> {
    serde_json::from_value(Value::from(name))
        .map_err(|_| ApiError::invalid(field, format!("{field} must be {names}")))
}

/// The name of a choice on the wire.
pub(crate) fn wire_name(choice: &impl Serialize) -> String {
    let name = serde_json::to_value(choice).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
