//! The application's variables and the `{{ name }}` templates that use them.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::manifest::VariableDeclaration;

/// Returns the value of a variable in the environment: `SPIN_VARIABLE_<NAME>`, or for a secret also `<NAME>`,
/// such as `OPENAI_API_KEY`. Other variables may have names with another meaning there, such as `PATH`.
pub(super) fn of_environment(
    name: &str,
    declaration: &VariableDeclaration,
    environment: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let plain = || environment(&name.to_ascii_uppercase()).filter(|_| declaration.secret);
    environment(&in_environment(name)).or_else(plain)
}

fn in_environment(name: &str) -> String {
    format!("SPIN_VARIABLE_{}", name.to_ascii_uppercase())
}

/// The values of the application's variables. No value appears in its `Debug` output or in an error.
pub(crate) struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Resolves every declared variable: the value `given`, else that of the environment, else the default.
    ///
    /// # Errors
    /// Names a required variable without a value, and a given one that is not declared.
    pub(crate) fn resolve(
        declared: &BTreeMap<String, VariableDeclaration>,
        given: &BTreeMap<String, String>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        if let Some(unknown) = given.keys().find(|name| !declared.contains_key(*name)) {
            bail!("the application declares no variable `{unknown}`; check the name against [variables]");
        }
        let mut values = BTreeMap::new();
        for (name, declaration) in declared {
            let value = given
                .get(name)
                .cloned()
                .or_else(|| of_environment(name, declaration, &environment))
                .or_else(|| declaration.default.clone());
            let Some(value) = value else {
                let from_environment = in_environment(name);
                bail!(
                    "the variable `{name}` is required; give it with --variable {name}=VALUE or {from_environment}"
                );
            };
            values.insert(name.clone(), value);
        }
        Ok(Self(values))
    }

    /// The value of a variable.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Expands a template: `{{ name }}` becomes the variable's value.
    ///
    /// # Errors
    /// Names an unknown variable, or reports an unclosed `{{`.
    pub(crate) fn expand(&self, template: &str) -> Result<String> {
        let mut expanded = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else {
                bail!("a template opens `{{{{` and does not close it");
            };
            let name = name.trim();
            let Some(value) = self.0.get(name) else {
                bail!("a template uses the variable `{name}`, which [variables] does not declare");
            };
            expanded.push_str(before);
            expanded.push_str(value);
            rest = after;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(given: &[(&str, &str)], environment: &[(&str, &str)]) -> Result<Variables> {
        let declared = BTreeMap::from([
            (
                "host".to_owned(),
                VariableDeclaration { default: Some("default".into()), ..Default::default() },
            ),
            (
                "the_token".to_owned(),
                VariableDeclaration { required: true, secret: true, ..Default::default() },
            ),
        ]);
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Variables::resolve(&declared, &given, |name| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn what_is_given_beats_the_environment_beats_the_default() {
        let token = ("SPIN_VARIABLE_THE_TOKEN", "t");
        for (given, environment, want) in [
            (&[][..], &[token][..], "default t"),
            (&[], &[token, ("SPIN_VARIABLE_HOST", "environment")], "environment t"),
            (&[("host", "given")], &[token, ("SPIN_VARIABLE_HOST", "environment")], "given t"),
            (&[], &[("THE_TOKEN", "plain"), ("HOST", "plain")], "default plain"),
            (&[], &[("THE_TOKEN", "plain"), token], "default t"),
            (&[("the_token", "given")], &[("THE_TOKEN", "plain")], "default given"),
        ] {
            let variables = resolve(given, environment).unwrap();
            assert_eq!(variables.expand("{{ host }} {{the_token}}").unwrap(), want);
        }
    }

    #[test]
    fn missing_and_unknown_variables_are_named() {
        for (given, want) in [
            (&[][..], "`the_token` is required"),
            (&[("the_token", "t"), ("tokn", "t")], "no variable `tokn`"),
        ] {
            let message = resolve(given, &[]).err().unwrap().to_string();
            assert!(message.contains(want), "{message}");
        }
    }

    #[test]
    fn templates() {
        let variables = resolve(&[("the_token", "{{ host }}"), ("host", "h")], &[]).unwrap();
        for (template, want) in [
            ("", Some("")),
            ("plain } {", Some("plain } {")),
            ("https://{{ host }}:443", Some("https://h:443")),
            ("{{host}}{{ host }}", Some("hh")),
            ("{{ the_token }}", Some("{{ host }}")), // values are not templates
            ("{{ host", None),
            ("{{ other }}", None),
        ] {
            assert_eq!(variables.expand(template).ok().as_deref(), want, "{template}");
        }
    }
}
