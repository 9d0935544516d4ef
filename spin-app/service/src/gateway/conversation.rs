//! Protects a body for one destination, and restores its answer.

use std::sync::Arc;

use serde_json::Value;
use textveil_engine::{Action, Entity, Finder, Policy};
use textveil_restore::Hosts;

use super::{destination::Destination, privacy::Privacy};
use crate::{
    chat::{
        placeholder::{Placeholders, SessionValues, ValueSource},
        protect::{Guard, ProtectedBody, Rules, protect_body},
        request::{Left, RequestSchema},
        stream::Answer,
    },
    error::ApiError,
    host::Host,
    policies::{self, Direction, Place},
    setup::Setup,
    system::Pace,
};

/// The settings that protect the requests of a workspace.
pub(super) struct Protection {
    setup: Setup,
    finder: Arc<Finder>,
    /// Whether placeholders in the answer are restored.
    restore: bool,
    /// The hosts to which the request lets values go, beside those of the workspace.
    restore_hosts: Vec<String>,
}

impl Protection {
    /// Combines the caller's options with the workspace's settings.
    ///
    /// # Errors
    /// `invalid_request` naming the option at fault.
    pub(super) fn new(setup: &Setup, privacy: &Privacy) -> Result<Self, ApiError> {
        let finder = setup.rules.settings.finder(&privacy.detection)?;
        let restore_hosts = privacy.restore_hosts.clone();
        Ok(Self { setup: setup.clone(), finder, restore: privacy.restore, restore_hosts })
    }

    /// Protects a body in place for this destination, in the protocol of this schema.
    ///
    /// It continues requests that had the values of `earlier`.
    ///
    /// # Errors
    /// As [`protect_body`]; `privacy_check_failed` if it contains uninspectable content, unless the workspace
    /// allows that; `invalid_request` if the name of the model contains personal data.
    pub(super) async fn protect(
        &self,
        host: &impl Host,
        body: &mut Value,
        to: &Destination,
        schema: RequestSchema,
        earlier: Option<&SessionValues>,
    ) -> Result<ProtectedBody, ApiError> {
        let mut guard = self.guard(to, Direction::Input);
        if !to.is_as_configured(&self.setup.routing) {
            check_model(&guard, &to.model)?;
        }
        if self.setup.routing.configuration.audit.records_text() {
            guard = guard.that_records();
        }
        let placeholders = self.placeholders(earlier);
        let mut pace = Pace::start(host);
        let mut rest = async || pace.rest().await;
        let protected = protect_body(body, guard, placeholders, schema, &mut rest).await?;
        if self.fails_closed() {
            check_inspected(protected.left)?;
        }
        Ok(protected)
    }

    /// Returns the placeholders of the values of `earlier`.
    pub(super) fn placeholders(&self, earlier: Option<&SessionValues>) -> Placeholders {
        let mut placeholders = Placeholders::new(self.setup.keys.placeholders.clone());
        if let Some(earlier) = earlier {
            placeholders.resume(earlier);
        }
        placeholders
    }

    /// Returns the state for restoring the answer to a protected body.
    pub(super) fn answer(&self, protected: &ProtectedBody, from: &Destination) -> Answer<PlaceRules> {
        let guard = self.guard(from, Direction::Output);
        let window = self.setup.routing.configuration.window();
        let placeholders = protected.placeholders.clone();
        let placeholders = if self.restore { placeholders } else { placeholders.kept() };
        let mut hosts = Hosts::new(&self.setup.routing.configuration.restore_hosts);
        hosts.extend(&self.restore_hosts);
        Answer::new(guard, placeholders, protected.context.clone(), window).to_hosts(hosts)
    }

    /// Whether a request with uninspected content is rejected.
    pub(super) fn fails_closed(&self) -> bool {
        self.setup.routing.configuration.fails_closed()
    }

    fn guard(&self, place: &Destination, direction: Direction) -> Guard<PlaceRules> {
        let rules = PlaceRules {
            setup: self.setup.clone(),
            direction,
            provider: Some(place.provider.names()),
            model: Some(place.model.clone()),
            masks: Action::Mask,
        };
        Guard::with_finder(Arc::clone(&self.finder), rules, self.setup.keys.ring.clone())
    }
}

/// Whether a body contains uninspected content.
pub(crate) fn is_blind(left: Left) -> bool {
    left.images + left.audio + left.files + left.unknown + left.unclean > 0
}

/// Checks the name of a model, which is written into records. Some models have names of persons: `claude`, `claude-sonnet`.
///
/// # Errors
/// `invalid_request` if it contains personal data.
pub(crate) fn check_model<R: Rules>(guard: &Guard<R>, model: &str) -> Result<(), ApiError> {
    let found = guard.find(model, 0, &mut Default::default())?;
    let is_of_model = |name: &str| {
        name.chars().all(char::is_alphabetic)
            || name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    let is_name = |entity: &Entity| entity.kind == "name" && is_of_model(&entity.original);
    match found.iter().all(is_name) {
        true => Ok(()),
        false => Err(ApiError::invalid("model", "model must be the name of a model or of a route")),
    }
}

/// # Errors
/// `privacy_check_failed` if a body contains uninspectable content.
pub(crate) fn check_inspected(left: Left) -> Result<(), ApiError> {
    for (count, what) in [
        (left.images, "images, which cannot be inspected"),
        (left.audio, "sounds, which cannot be inspected"),
        (left.files, "files, which cannot be inspected"),
        (left.unknown, "parts of a kind that is not known"),
        (
            left.unclean,
            "personal data of the conversation in reasoning that is signed, so that it cannot be replaced",
        ),
    ] {
        if count > 0 {
            return Err(ApiError::privacy_check_failed(format!(
                "the request holds {what}: leave that out, or have streaming.fail_closed of the workspace set to \
                 false"
            )));
        }
    }
    Ok(())
}

/// The policies of a workspace for the texts of one direction between it and one model.
pub(crate) struct PlaceRules {
    setup: Setup,
    direction: Direction,
    /// The id and the type of the provider, if it is one of ours.
    provider: Option<[String; 2]>,
    model: Option<String>,
    /// The action that a masked finding gets.
    masks: Action,
}

impl PlaceRules {
    /// Returns the rules for a conversation that another gateway leads.
    ///
    /// It asks about the answer without the request, and a placeholder needs the request. So a masked finding becomes a
    /// token, which carries its value.
    pub(crate) fn of_another_gateway(setup: Setup, direction: Direction, model: Option<String>) -> Self {
        Self { setup, direction, provider: None, model, masks: Action::Tokenize }
    }

    /// Returns the result of `of` for the position of a text of this role.
    fn in_place<T>(&self, role: &str, tool: Option<&str>, of: impl FnOnce(Place<'_>) -> T) -> T {
        let provider: Vec<&str> = self.provider.iter().flatten().map(String::as_str).collect();
        let (direction, model) = (self.direction, self.model.as_deref());
        of(Place { direction, role: Some(role), provider: &provider, model, tool })
    }

    fn applying(&self, role: &str, tool: Option<&str>) -> (Vec<Policy>, Option<Action>) {
        let configuration = &self.setup.routing.configuration;
        let policies = self.in_place(role, tool, |place| {
            policies::applying(&self.setup.rules.policies, place, &configuration.risk_levels)
        });
        let default_action = policies::default_action(self.direction, configuration.default_action);
        let action = |action| if action == Action::Mask { self.masks } else { action };
        let policies = policies.into_iter().map(|policy| Policy { action: action(policy.action), ..policy });
        (policies.collect(), Some(action(default_action)))
    }
}

impl Rules for PlaceRules {
    fn for_role(&self, role: &str) -> (Vec<Policy>, Option<Action>) {
        self.applying(role, None)
    }

    fn for_result(&self, role: &str, tool: &str) -> (Vec<Policy>, Option<Action>) {
        self.applying(role, Some(tool))
    }

    fn restores(&self, source: &ValueSource, tool: &str) -> Option<bool> {
        let levels = &self.setup.routing.configuration.risk_levels;
        let decided = source.origins.iter().filter_map(|origin| {
            self.in_place(&origin.role, Some(tool), |place| {
                policies::restores(&self.setup.rules.policies, place, &source.entity, levels)
            })
        });
        // a value in texts of several roles is withheld if one of them forbids it
        decided.min()
    }
}
