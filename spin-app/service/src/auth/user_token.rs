//! User access tokens: signed JWTs (RFC 7519) of the operator's identity provider.
//!
//! The variable `user_token_key` holds the verification key, which also decides the algorithm:
//!
//! | begins with | is | accepts |
//! | --- | --- | --- |
//! | `{` | a JWKS document (RFC 7517) | per key: HS256, RS256, EdDSA; the token's `kid` chooses the key |
//! | `-----BEGIN` | a public key in PEM | RS256 or EdDSA, by the type of the key |
//! | else | a shared secret of at least 32 bytes | HS256 |
//!
//! A JWKS document may contain keys for other purposes, which are ignored. Exactly one of the others must fit a token:
//! a token without `kid` is rejected if the document has several keys of its algorithm (OpenID Connect Core §10.1).
//!
//! A token must have `exp` and `workspace_id`; `nbf` is honoured. `role` is `admin` or `member`; a token without a
//! role, as many identity providers sign them, has the one of `user_token_default_role`, else it is a member's. `iss` and `aud` must equal `user_token_issuer` and `user_token_audience`. An identity
//! provider signs tokens for other services too, so both variables must be set, except in the profile `dev`. Where
//! the console signs in, the audience defaults to its client id ([`sign_in`]).

use jsonwebtoken::{
    Algorithm, DecodingKey, Validation, decode, decode_header,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{sign_in, signature};
use crate::{
    credentials::Plan, error::ApiError, host::Host, ids::is_workspace, profile::Profile, scope::Scopes,
};

/// Names of the application's variables.
pub const KEY_VARIABLE: &str = "user_token_key";
/// The required value of `iss`.
pub const ISSUER_VARIABLE: &str = "user_token_issuer";
/// The required value of `aud`, or one of several.
pub const AUDIENCE_VARIABLE: &str = "user_token_audience";
/// The role of a token without one: `member`, which holds where it is empty, or `admin`.
pub const DEFAULT_ROLE_VARIABLE: &str = "user_token_default_role";
/// The variables that bind tokens to this service.
pub(crate) const SCOPE_VARIABLES: [&str; 2] = [ISSUER_VARIABLE, AUDIENCE_VARIABLE];

/// The minimum length of HS256 keys is that of the hash (RFC 7518 §3.2).
const MIN_SECRET_BYTES: usize = 32;
/// The accepted difference between clocks, in seconds.
const LEEWAY_SECONDS: u64 = 30;
/// The longest token that is verified, in bytes.
const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// The user of an accepted token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The user's id, for logs and records.
    pub subject: String,
    /// The workspace whose keys and providers the user manages.
    pub workspace: String,
    /// The plan of the workspace.
    pub plan: Plan,
    /// The user's role there.
    pub role: Role,
    /// The team that the user acts for.
    pub team_id: Option<String>,
    /// The tenant that the workspace belongs to.
    pub tenant_id: Option<String>,
}

/// The role of a user in a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads settings and uses the service.
    #[default]
    Member,
    /// Has every scope in the workspace.
    Admin,
}

impl Role {
    /// Reads the variable [`DEFAULT_ROLE_VARIABLE`]; `None` for an unknown role.
    fn parse(variable: &str) -> Option<Self> {
        match variable.trim() {
            "" | "member" => Some(Self::Member),
            "admin" => Some(Self::Admin),
            _ => None,
        }
    }

    /// Lists what users of this role may do.
    ///
    /// ```
    /// use textveil_service::{auth::user_token::Role, scope::Scope};
    ///
    /// assert!(Role::Admin.scopes().has(Scope::Keys));
    /// assert!(!Role::Member.scopes().has(Scope::Keys));
    /// ```
    pub const fn scopes(self) -> Scopes {
        match self {
            Self::Member => Scopes::OF_MEMBER,
            Self::Admin => Scopes::OF_ADMIN,
        }
    }
}

/// The claims of a token.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claims {
    /// The user.
    #[serde(default)]
    pub sub: String,
    /// Unix time in seconds from which the token is rejected.
    pub exp: u64,
    /// Unix time in seconds before which the token is rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nbf: Option<u64>,
    /// The issuer of the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iss: Option<String>,
    /// The audience of the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aud: Option<Audience>,
    /// The workspace.
    pub workspace_id: String,
    /// The workspace's plan; `free` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The user's role in the workspace; that of `user_token_default_role` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The team that the user acts for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// The tenant that the workspace belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
}

/// `aud`: one or several (RFC 7519 §4.1.3).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Audience {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

/// Signs a token with a shared secret, as `verify` accepts it.
///
/// # Errors
/// If the library cannot sign.
pub fn issue(secret: &str, claims: &Claims) -> Result<String, jsonwebtoken::errors::Error> {
    signature::install();
    let key = jsonwebtoken::EncodingKey::from_secret(secret.trim().as_bytes());
    jsonwebtoken::encode(&jsonwebtoken::Header::new(Algorithm::HS256), claims, &key)
}

/// Returns the fault of a value of the variable [`KEY_VARIABLE`], if it has one. An empty value accepts no
/// token.
pub fn fault(variable: &str) -> Option<&'static str> {
    let faulty = !variable.trim().is_empty() && VerificationKeys::parse(variable).is_none();
    faulty.then_some(
        "user_token_key must be a JWKS document, a public key in PEM, or a secret of at least 32 bytes",
    )
}

/// Returns the fault of a value of the variable [`DEFAULT_ROLE_VARIABLE`], if it has one.
pub(crate) fn default_role_fault(variable: &str) -> Option<&'static str> {
    Role::parse(variable).is_none().then_some(DEFAULT_ROLE_FAULT)
}

const DEFAULT_ROLE_FAULT: &str = "user_token_default_role must be member or admin";

/// Returns which variable is missing if a key is set; `None` in the profile `dev`. `value` reads a variable.
pub(crate) fn scope_fault(value: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let is_empty = |name: &str| value(name).unwrap_or_default().trim().is_empty();
    let has_audience = !is_empty(AUDIENCE_VARIABLE) || !is_empty(sign_in::CLIENT_VARIABLE);
    let is_open = !is_empty(KEY_VARIABLE) && (is_empty(ISSUER_VARIABLE) || !has_audience);
    (is_open && Profile::parse(&value(Profile::VARIABLE).unwrap_or_default()) != Profile::Dev)
        .then_some(UNBOUND)
}

/// The cause of rejections, for the log.
const UNBOUND: &str = "user_token_issuer and user_token_audience must be set where user_token_key is: the identity \
                       provider signs tokens for other services too";

/// Returns the user of a token.
///
/// # Errors
/// `unauthorized`, without the check that failed; the log names the invalid variable, if there is one.
pub(crate) async fn verify(host: &impl Host, token: &str) -> Result<User, ApiError> {
    let keys = host.variable(KEY_VARIABLE).await.unwrap_or_default();
    let issuer = host.variable(ISSUER_VARIABLE).await.unwrap_or_default();
    let mut audience = host.variable(AUDIENCE_VARIABLE).await.unwrap_or_default();
    if audience.trim().is_empty() {
        audience = host.variable(sign_in::CLIENT_VARIABLE).await.unwrap_or_default();
    }
    let default_role = Role::parse(&host.variable(DEFAULT_ROLE_VARIABLE).await.unwrap_or_default());
    if let Some(fault) = fault(&keys) {
        return Err(ApiError::user_token_invalid().because(fault));
    }
    let default_role =
        default_role.ok_or_else(|| ApiError::user_token_invalid().because(DEFAULT_ROLE_FAULT))?;
    let claims = VerificationKeys::parse(&keys).and_then(|keys| keys.claims(token));
    let is_bound = !issuer.trim().is_empty() && !audience.trim().is_empty();
    if claims.is_some() && !is_bound && Profile::of(host).await != Profile::Dev {
        return Err(ApiError::user_token_invalid().because(UNBOUND));
    }
    claims
        .filter(|claims| claims.hold(host.now_ms() / 1_000, issuer.trim(), audience.trim()))
        .map(|claims| claims.user(default_role))
        .ok_or_else(ApiError::user_token_invalid)
}

impl Claims {
    /// Creates the claims of a user of a workspace until `exp`, Unix time in seconds, without optional
    /// claims.
    pub fn new(user: &str, workspace: &str, exp: u64) -> Self {
        Self {
            sub: user.to_owned(),
            exp,
            nbf: None,
            iss: None,
            aud: None,
            workspace_id: workspace.to_owned(),
            plan: None,
            role: None,
            team_id: None,
            tenant_id: None,
        }
    }

    fn hold(&self, now: u64, issuer: &str, audience: &str) -> bool {
        let is_for = |wanted: &str| match &self.aud {
            Some(Audience::One(one)) => one == wanted,
            Some(Audience::Several(all)) => all.iter().any(|one| one == wanted),
            None => false,
        };
        now < self.exp.saturating_add(LEEWAY_SECONDS)
            && self.nbf.is_none_or(|from| now.saturating_add(LEEWAY_SECONDS) >= from)
            && (issuer.is_empty() || self.iss.as_deref() == Some(issuer))
            && (audience.is_empty() || is_for(audience))
            && is_workspace(&self.workspace_id)
    }

    fn user(self, default_role: Role) -> User {
        User {
            subject: self.sub,
            workspace: self.workspace_id,
            plan: self.plan.unwrap_or(Plan::Free),
            role: self.role.unwrap_or(default_role),
            team_id: self.team_id,
            tenant_id: self.tenant_id,
        }
    }
}

/// The keys that verify signatures. The algorithm is the key's, never the token's choice.
enum VerificationKeys {
    One(Algorithm, DecodingKey),
    Set(Vec<KeyOfSet>),
}

/// A key of a JWKS document that verifies signatures.
struct KeyOfSet {
    id: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

/// A JWKS document.
///
/// Keys of unknown kinds are ignored (RFC 7517 §5), so each one is parsed alone.
#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

impl VerificationKeys {
    fn parse(variable: &str) -> Option<Self> {
        let variable = variable.trim();
        if variable.starts_with('{') {
            let set: KeySet = serde_json::from_str(variable).ok()?;
            let keys = set.keys.into_iter().filter_map(|key| KeyOfSet::new(&Jwk::deserialize(key).ok()?));
            let keys: Vec<KeyOfSet> = keys.collect();
            return (!keys.is_empty()).then_some(Self::Set(keys));
        }
        let bytes = variable.as_bytes();
        if variable.starts_with("-----BEGIN") {
            return signature::public_key(variable).map(|(algorithm, key)| Self::One(algorithm, key));
        }
        (bytes.len() >= MIN_SECRET_BYTES)
            .then(|| Self::One(Algorithm::HS256, DecodingKey::from_secret(bytes)))
    }

    /// Returns the claims of a token with a valid signature.
    fn claims(&self, token: &str) -> Option<Claims> {
        if token.len() > MAX_TOKEN_BYTES {
            return None;
        }
        match self {
            Self::One(algorithm, key) => signed(token, *algorithm, key),
            Self::Set(keys) => {
                let head = decode_header(token).ok()?;
                let mut fitting = keys
                    .iter()
                    .filter(|key| key.algorithm == head.alg && (head.kid.is_none() || key.id == head.kid));
                match (fitting.next(), fitting.next()) {
                    (Some(only), None) => signed(token, only.algorithm, &only.key),
                    _ => None,
                }
            }
        }
    }
}

impl KeyOfSet {
    /// Reads a key; `None` if it cannot verify a token.
    ///
    /// That is a key for another purpose, of another algorithm, or of another kind than its own `alg`.
    fn new(jwk: &Jwk) -> Option<Self> {
        let (algorithm, name) = match &jwk.algorithm {
            AlgorithmParameters::OctetKey(_) => (Algorithm::HS256, KeyAlgorithm::HS256),
            AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
            AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => {
                (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
            }
            _ => return None,
        };
        let common = &jwk.common;
        let verifies =
            common.public_key_use.as_ref().is_none_or(|purpose| *purpose == PublicKeyUse::Signature)
                && common.key_operations.as_ref().is_none_or(|all| all.contains(&KeyOperations::Verify))
                && common.key_algorithm.is_none_or(|said| said == name);
        let key = DecodingKey::from_jwk(jwk).ok().filter(|_| verifies)?;
        let is_long = algorithm != Algorithm::HS256
            || key.try_get_as_bytes().is_ok_and(|secret| secret.len() >= MIN_SECRET_BYTES);
        is_long.then(|| Self { id: common.key_id.clone(), algorithm, key })
    }
}

/// Verifies the signature; [`Claims::hold`] checks time, issuer and audience against the host's clock.
fn signed(token: &str, algorithm: Algorithm, key: &DecodingKey) -> Option<Claims> {
    signature::install();
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_aud = false;
    let token = decode::<Claims>(token, key, &validation).ok()?;
    // no extension is supported, so none may be critical (RFC 7515 §4.1.11)
    token.header.crit.is_none().then_some(token.claims)
}
