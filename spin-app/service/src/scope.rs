//! Scopes: the rights that a credential carries.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A right that a credential may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Scope {
    /// Detects and validates.
    #[serde(rename = "detect")]
    Detect,
    /// Protects texts.
    #[serde(rename = "protect")]
    Protect,
    /// Restores tokens.
    #[serde(rename = "restore")]
    Restore,
    /// Reads detectors, lists, keys, providers, configuration and policies.
    #[serde(rename = "settings.read")]
    SettingsRead,
    /// Changes custom detectors and lists, except for what the allow list allows.
    #[serde(rename = "settings.write")]
    SettingsWrite,
    /// Adds to the allow list, which weakens protection.
    #[serde(rename = "settings.allow")]
    SettingsAllow,
    /// Sends requests to language models through the gateway.
    #[serde(rename = "gateway.chat")]
    GatewayChat,
    /// Changes the gateway configuration and policies.
    #[serde(rename = "gateway.admin")]
    GatewayAdmin,
    /// Changes LLM providers.
    #[serde(rename = "providers")]
    Providers,
    /// Creates and revokes API keys.
    #[serde(rename = "keys")]
    Keys,
    /// Reads audit records.
    #[serde(rename = "audit.read")]
    AuditRead,
    /// Reads metrics.
    #[serde(rename = "metrics")]
    Metrics,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 12] = [
        Self::Detect,
        Self::Protect,
        Self::Restore,
        Self::SettingsRead,
        Self::SettingsWrite,
        Self::SettingsAllow,
        Self::GatewayChat,
        Self::GatewayAdmin,
        Self::Providers,
        Self::Keys,
        Self::AuditRead,
        Self::Metrics,
    ];

    /// Names the scope as configuration and requests write it.
    ///
    /// ```
    /// use textveil_service::scope::Scope;
    ///
    /// assert_eq!(Scope::GatewayChat.as_str(), "gateway.chat");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Detect => "detect",
            Self::Protect => "protect",
            Self::Restore => "restore",
            Self::SettingsRead => "settings.read",
            Self::SettingsWrite => "settings.write",
            Self::SettingsAllow => "settings.allow",
            Self::GatewayChat => "gateway.chat",
            Self::GatewayAdmin => "gateway.admin",
            Self::Providers => "providers",
            Self::Keys => "keys",
            Self::AuditRead => "audit.read",
            Self::Metrics => "metrics",
        }
    }

    /// Reads the name of a scope; `None` for an unknown name.
    ///
    /// ```
    /// use textveil_service::scope::Scope;
    ///
    /// assert_eq!(Scope::parse("keys"), Some(Scope::Keys));
    /// assert_eq!(Scope::parse("everything"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A set of scopes. On the wire it is a list of names.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u16);

impl Scopes {
    /// The empty set.
    pub const NONE: Self = Self::of(&[]);

    /// Every scope.
    pub const ALL: Self = Self::of(&Scope::ALL);

    /// The scopes of an API key whose record names none.
    pub const OF_KEY: Self = Self::of(&[Scope::Detect, Scope::Protect, Scope::Restore, Scope::SettingsRead]);

    /// The scopes that an API key may be given: those of the endpoints that take API keys.
    pub const GRANTABLE_TO_KEY: Self = Self::OF_KEY.with(Scope::SettingsWrite).with(Scope::SettingsAllow);

    /// The scopes of a signed-in user whose token says `role: member`, or nothing.
    pub const OF_MEMBER: Self = Self::OF_KEY.with(Scope::AuditRead);

    /// The scopes of a signed-in user whose token says `role: admin`.
    pub const OF_ADMIN: Self = Self::ALL;

    /// Makes a set of these scopes.
    pub const fn of(scopes: &[Scope]) -> Self {
        let mut set = Self(0);
        let mut rest = scopes;
        while let [first, others @ ..] = rest {
            set = set.with(*first);
            rest = others;
        }
        set
    }

    /// Adds a scope.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// Tells whether the set has a scope.
    ///
    /// ```
    /// use textveil_service::scope::{Scope, Scopes};
    ///
    /// assert!(Scopes::OF_KEY.has(Scope::Detect));
    /// assert!(!Scopes::OF_KEY.has(Scope::SettingsWrite));
    /// ```
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Tells whether every scope of this set is in `other`.
    pub const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Tells whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Lists the scopes in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// Reads names separated by `+` or spaces; `*` is every scope. `None` for an unknown name or no name.
    ///
    /// ```
    /// use textveil_service::scope::{Scope, Scopes};
    ///
    /// let scopes = Scopes::parse("gateway.chat+audit.read").unwrap();
    /// assert!(scopes.has(Scope::AuditRead) && !scopes.has(Scope::GatewayAdmin));
    /// assert_eq!(Scopes::parse("gateway.everything"), None);
    /// ```
    pub fn parse(names: &str) -> Option<Self> {
        if names.trim() == "*" {
            return Some(Self::ALL);
        }
        let names = names.split(['+', ' ']).filter(|name| !name.is_empty());
        let scopes = names.map(Scope::parse).collect::<Option<Vec<_>>>()?;
        (!scopes.is_empty()).then(|| Self::of(&scopes))
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let scopes = Vec::<Scope>::deserialize(from)?;
        if scopes.len() > Scope::ALL.len() {
            return Err(D::Error::custom("a scope stands twice in the list"));
        }
        Ok(Self::of(&scopes))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Scopes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scopes".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<Scope>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_on_the_wire() {
        for scope in Scope::ALL {
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.as_str());
            assert_eq!(Scope::parse(scope.as_str()), Some(scope));
        }
        assert_eq!(Scopes::ALL.iter().count(), Scope::ALL.len());
    }

    #[test]
    fn lists_are_names_with_plus_or_spaces() {
        for (names, want) in [
            ("detect", Some(Scopes::of(&[Scope::Detect]))),
            ("detect+keys", Some(Scopes::of(&[Scope::Detect, Scope::Keys]))),
            ("detect keys", Some(Scopes::of(&[Scope::Detect, Scope::Keys]))),
            ("*", Some(Scopes::ALL)),
            ("", None),
            ("+", None),
            ("detect+everything", None),
            ("Detect", None),
            ("detect,keys", None),
        ] {
            assert_eq!(Scopes::parse(names), want, "{names}");
        }
    }
}
