//! The query of a request, and the workspace that it names.

use http::Uri;
use serde_json::Value;

use crate::{error::ApiError, ids::is_workspace};

const WORKSPACE: &str = "workspace_id";

/// The parameters of a query.
pub(crate) struct Query {
    text: String,
}

impl Query {
    /// That of an address.
    pub(crate) fn of(uri: &Uri) -> Self {
        Self { text: uri.query().unwrap_or_default().to_owned() }
    }

    /// As it was sent.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// A parameter; `None` where it is absent or empty.
    ///
    /// # Errors
    /// `invalid_request` naming it where it occurs twice: readers differ about which one counts.
    pub(crate) fn get(&self, name: &str) -> Result<Option<String>, ApiError> {
        let mut found = form_urlencoded::parse(self.text.as_bytes()).filter(|(sent, _)| sent == name);
        let value = found.next().map(|(_, value)| value.into_owned());
        if found.next().is_some() {
            return Err(ApiError::invalid(name, format!("{name} must be in the query once")));
        }
        Ok(value.filter(|value| !value.is_empty()))
    }

    /// Lists its parameters, in their order.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(self.text.as_bytes()).into_owned().collect()
    }

    /// Whether it has the parameter `workspace_id`.
    pub(crate) fn names_workspace(&self) -> bool {
        form_urlencoded::parse(self.text.as_bytes()).any(|(name, _)| name == WORKSPACE)
    }

    /// The workspace that the query names.
    ///
    /// # Errors
    /// `invalid_request` naming `workspace_id`.
    pub(crate) fn workspace(&self) -> Result<String, ApiError> {
        checked(self.get(WORKSPACE)?)
    }

    /// Checks the name of a workspace from another place than the query.
    ///
    /// # Errors
    /// `invalid_request` naming `workspace_id`.
    pub(crate) fn checked(workspace: &str) -> Result<String, ApiError> {
        checked(Some(workspace.to_owned()))
    }

    /// The workspace that the query or the body names.
    ///
    /// # Errors
    /// `invalid_request` naming `workspace_id`, also where they name different ones.
    pub(crate) fn workspace_or(&self, body: &Value) -> Result<String, ApiError> {
        let in_query = self.get(WORKSPACE)?;
        match body.get(WORKSPACE).filter(|value| !value.is_null()) {
            None => checked(in_query),
            Some(Value::String(in_body)) if in_query.as_ref().is_none_or(|one| one == in_body) => {
                checked(Some(in_body.clone()))
            }
            Some(Value::String(_)) => Err(ApiError::invalid(
                WORKSPACE,
                "workspace_id must be the same in the query and in the body; send it in one of them",
            )),
            Some(_) => Err(ApiError::invalid(WORKSPACE, "workspace_id must be a string")),
        }
    }
}

fn checked(workspace: Option<String>) -> Result<String, ApiError> {
    let workspace = workspace.ok_or_else(|| {
        ApiError::invalid(WORKSPACE, "workspace_id is missing; send it in the query, as ?workspace_id=…")
    })?;
    if is_workspace(&workspace) {
        return Ok(workspace);
    }
    Err(ApiError::invalid(WORKSPACE, "workspace_id must be letters, digits and -_. as workspaces are named"))
}
