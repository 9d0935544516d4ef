//! The document as a page for people: plain HTML with the style in it, no script.

use std::fmt::Write;

use serde_json::Value;

use crate::routes::documentation::STYLE;

/// The address of the service in the examples, and the credentials that they show.
const BASE: &str = "http://127.0.0.1:3000";

/// The page that shows an OpenAPI document of [`super::document()`].
pub fn page(document: &Value) -> String {
    let page = DocumentPage { document, out: String::new() };
    page.written()
}

struct DocumentPage<'a> {
    document: &'a Value,
    out: String,
}

/// One method of a path.
struct ShownOperation<'a> {
    path: &'a str,
    method: &'a str,
    object: &'a Value,
}

impl<'a> ShownOperation<'a> {
    fn text(&self, field: &str) -> &'a str {
        text(self.object, field)
    }
}

impl<'a> DocumentPage<'a> {
    fn written(mut self) -> String {
        let info = self.at("/info");
        let (title, version) = (text(info, "title"), text(info, "version"));
        self.put(&format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title} API</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        ));
        self.put(&format!("<header>\n<h1>{title} API</h1>\n<p class=\"quiet\">Version {version} · "));
        self.put("<a href=\"/api/v1/openapi.json\">OpenAPI 3.1 document</a> · ");
        self.put("<a href=\"/docs/\">Documentation</a></p>\n</header>\n");
        self.navigation();
        self.put("<main>\n");
        self.prose(text(info, "description"));
        self.credentials();
        for tag in items(self.at("/tags")) {
            let name = text(tag, "name");
            self.put(&format!("<h2 id=\"{}\">{}</h2>\n", anchor(name), escaped(name)));
            self.prose(text(tag, "description"));
            for operation in self.operations(name) {
                self.operation(&operation);
            }
        }
        self.put("<h2 id=\"schemas\">Schemas</h2>\n");
        for (name, schema) in fields(self.at("/components/schemas")) {
            self.put(&format!("<h3 id=\"schema-{name}\"><code>{name}</code></h3>\n"));
            self.schema(schema);
        }
        self.put("</main>\n</body>\n</html>\n");
        self.out
    }

    fn put(&mut self, html: &str) {
        self.out.push_str(html);
    }

    fn at(&self, pointer: &str) -> &'a Value {
        self.document.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Returns the value that a reference leads to, or the value itself.
    fn resolved(&self, value: &'a Value) -> &'a Value {
        match value.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#')) {
            Some(pointer) => self.at(pointer),
            None => value,
        }
    }

    fn operations(&self, tag: &str) -> Vec<ShownOperation<'a>> {
        let mut found = Vec::new();
        for (path, methods) in fields(self.at("/paths")) {
            for (method, object) in fields(methods) {
                if object.pointer("/tags/0").is_some_and(|own| own == tag) {
                    found.push(ShownOperation { path, method, object });
                }
            }
        }
        found
    }

    fn navigation(&mut self) {
        self.put("<nav>\n<ul>\n<li><a href=\"#credentials\">Credentials</a></li>\n");
        for tag in items(self.at("/tags")) {
            let name = text(tag, "name");
            self.put(&format!("<li><a href=\"#{}\">{}</a>\n<ul>\n", anchor(name), escaped(name)));
            for operation in self.operations(name) {
                let (id, summary) = (operation.text("operationId"), escaped(operation.text("summary")));
                self.put(&format!("<li><a href=\"#{id}\">{summary}</a></li>\n"));
            }
            self.put("</ul></li>\n");
        }
        self.put("<li><a href=\"#schemas\">Schemas</a></li>\n</ul>\n</nav>\n");
    }

    fn credentials(&mut self) {
        self.put("<h2 id=\"credentials\">Credentials</h2>\n<dl>\n");
        for (name, scheme) in fields(self.at("/components/securitySchemes")) {
            let description = marked(text(scheme, "description"));
            self.put(&format!("<dt><code>{name}</code></dt>\n<dd>{description}</dd>\n"));
        }
        self.put("</dl>\n");
    }

    fn operation(&mut self, operation: &ShownOperation<'a>) {
        let ShownOperation { path, method, object } = operation;
        let id = operation.text("operationId");
        self.put(&format!("<section id=\"{id}\">\n<h3>{}</h3>\n", escaped(operation.text("summary"))));
        let method = method.to_uppercase();
        self.put(&format!("<p><code class=\"method\">{method}</code> <code>{}</code></p>\n", escaped(path)));
        self.prose(operation.text("description"));
        self.callers(object);
        self.parameters(object);
        let content = object.pointer("/requestBody/content/application~1json");
        if let Some(content) = content {
            self.put("<h4>Request</h4>\n");
            self.schema(content.get("schema").unwrap_or(&Value::Null));
        }
        self.put("<h4>Example</h4>\n");
        let curl = curl(operation, content.and_then(|content| content.get("example")));
        self.put(&format!("<pre>{}</pre>\n", escaped(&curl)));
        self.responses(object);
        self.put("</section>\n");
    }

    fn callers(&mut self, object: &Value) {
        let schemes: Vec<_> = items(object.get("security").unwrap_or(&Value::Null))
            .iter()
            .flat_map(|scheme| fields(scheme).map(|(name, _)| format!("<a href=\"#credentials\">{name}</a>")))
            .collect();
        let who = if schemes.is_empty() { "nothing".to_owned() } else { schemes.join(" or ") };
        self.put(&format!("<p class=\"quiet\">Needs {who}.</p>\n"));
    }

    fn parameters(&mut self, object: &Value) {
        let parameters = items(object.get("parameters").unwrap_or(&Value::Null));
        if parameters.is_empty() {
            return;
        }
        self.put("<h4>Parameters</h4>\n<dl>\n");
        for parameter in parameters {
            let (name, place) = (text(parameter, "name"), text(parameter, "in"));
            let mark = mark(parameter.get("required") == Some(&Value::Bool(true)));
            self.put(&format!(
                "<dt><code>{name}</code> <span class=\"quiet\">string in the {place}</span>{mark}</dt>\n"
            ));
            self.put(&format!("<dd>{}</dd>\n", marked(text(parameter, "description"))));
        }
        self.put("</dl>\n");
    }

    fn responses(&mut self, object: &'a Value) {
        self.put("<h4>Answers</h4>\n<dl>\n");
        for (status, response) in fields(object.get("responses").unwrap_or(&Value::Null)) {
            let response = self.resolved(response);
            self.put(&format!("<dt><code>{status}</code>"));
            let headers: Vec<_> = fields(response.get("headers").unwrap_or(&Value::Null))
                .map(|(name, _)| format!("<code>{name}</code>"))
                .collect();
            self.put(&format!(" <span class=\"quiet\">with {}</span></dt>\n<dd>", headers.join(", ")));
            let content = fields(response.get("content").unwrap_or(&Value::Null)).next();
            let described = text(response, "description").split("\n\n").map(marked);
            self.put(&described.collect::<Vec<_>>().join("<br>"));
            if let Some((media_type, content)) = content {
                let kind = self.kind(content.get("schema").unwrap_or(&Value::Null));
                let is_error = response.pointer("/content/application~1json/examples").is_some();
                if media_type == "application/json" && !is_error {
                    self.put(&format!(" {kind}"));
                } else if !is_error {
                    self.put(&format!(" <code>{media_type}</code>"));
                }
                if let Some(example) = content.get("example").filter(|_| media_type == "application/json") {
                    let json = serde_json::to_string_pretty(example).unwrap_or_default();
                    self.put(&format!(
                        "<details><summary>Example</summary><pre>{}</pre></details>",
                        escaped(&json)
                    ));
                }
            }
            self.put("</dd>\n");
        }
        self.put("</dl>\n");
    }

    /// The fields of an object, the alternatives of a choice, or the form of anything else.
    fn schema(&mut self, schema: &'a Value) {
        let schema = self.resolved(schema);
        self.prose(text(schema, "description"));
        let alternatives = alternatives(schema);
        if !alternatives.is_empty() {
            self.put("<p class=\"quiet\">One of</p>\n<dl>\n");
            for alternative in alternatives {
                self.alternative(alternative);
            }
            self.put("</dl>\n");
        }
        if schema.get("properties").is_some() {
            self.fields(schema);
        } else if alternatives.is_empty() {
            let kind = self.kind(schema);
            self.put(&format!("<p>{kind}</p>\n"));
        }
        if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            self.put("<p class=\"quiet\">No other fields.</p>\n");
        }
    }

    fn alternative(&mut self, alternative: &'a Value) {
        let description = marked(text(alternative, "description"));
        if alternative.get("properties").is_some() {
            self.put(&format!("<dt>object</dt>\n<dd>{description}\n"));
            self.fields(alternative);
            self.put("</dd>\n");
        } else {
            let kind = self.kind(alternative);
            self.put(&format!("<dt>{kind}</dt>\n<dd>{description}</dd>\n"));
        }
    }

    /// The fields of an object; what must be there comes first.
    fn fields(&mut self, schema: &'a Value) {
        let required = items(schema.get("required").unwrap_or(&Value::Null));
        let is_required = |name: &str| required.iter().any(|one| one == name);
        let properties = fields(schema.get("properties").unwrap_or(&Value::Null));
        let (first, then): (Vec<_>, Vec<_>) = properties.partition(|(name, _)| is_required(name));
        self.put("<dl>\n");
        for (name, field) in first.into_iter().chain(then) {
            let (kind, mark) = (self.kind(field), mark(is_required(name)));
            self.put(&format!("<dt><code>{name}</code> <span class=\"quiet\">{kind}</span>{mark}</dt>\n"));
            self.put(&format!("<dd>{}</dd>\n", marked(text(field, "description"))));
        }
        self.put("</dl>\n");
    }

    /// Returns the type of a value, and its limits.
    fn kind(&self, schema: &Value) -> String {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.rsplit('/').next()) {
            return format!("<a href=\"#schema-{name}\">{name}</a>");
        }
        if let Some(value) = schema.get("const") {
            return format!("<code>{}</code>", escaped(&value.to_string()));
        }
        let alternatives = alternatives(schema);
        if !alternatives.is_empty() {
            return alternatives.iter().map(|one| self.kind(one)).collect::<Vec<_>>().join(" or ");
        }
        if let Some(values) = schema.get("enum") {
            let values =
                items(values).iter().map(|value| format!("<code>{}</code>", escaped(&value.to_string())));
            return values.collect::<Vec<_>>().join(" or ");
        }
        let kinds = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(kind)) => vec![kind.as_str()],
            _ => return "anything".to_owned(),
        };
        let named = kinds.into_iter().map(|kind| match (kind, schema.get("items")) {
            ("array", Some(inner)) => format!("list of {}", self.kind(inner)),
            ("object", _) => match schema.get("additionalProperties") {
                Some(inner @ Value::Object(_)) => format!("object of {}", self.kind(inner)),
                _ => "object".to_owned(),
            },
            (kind, _) => kind.to_owned(),
        });
        named.collect::<Vec<_>>().join(" or ") + &limits(schema)
    }

    fn prose(&mut self, text: &str) {
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            self.put(&format!("<p>{}</p>\n", marked(paragraph)));
        }
    }
}

/// The alternatives of a schema.
fn alternatives(schema: &Value) -> &[Value] {
    items(schema.get("oneOf").or(schema.get("anyOf")).unwrap_or(&Value::Null))
}

/// The limits of a value, in words.
fn limits(schema: &Value) -> String {
    let mut out = String::new();
    let mut between = |least: &str, most: &str, unit: &str| {
        // the bounds of an integer's width are no news
        let most =
            schema.get(most).filter(|most| most.as_u64().is_none_or(|most| most < u64::from(u32::MAX)));
        let said = match (schema.get(least).filter(|least| least.as_i64() != Some(i64::MIN)), most) {
            (Some(least), Some(most)) => format!(", {least} to {most}{unit}"),
            (Some(least), None) => format!(", at least {least}{unit}"),
            (None, Some(most)) => format!(", at most {most}{unit}"),
            (None, None) => return,
        };
        out.push_str(&said);
    };
    between("minLength", "maxLength", " characters");
    between("minItems", "maxItems", " entries");
    between("minimum", "maximum", "");
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        // writing to a String cannot fail
        let _ = write!(out, ", <code>{}</code>", escaped(pattern));
    }
    if let Some(format) = schema.get("format").and_then(Value::as_str).filter(|name| name.contains('-')) {
        let _ = write!(out, ", {format}");
    }
    if let Some(default) = schema.get("default") {
        let _ = write!(out, ", default <code>{}</code>", escaped(&default.to_string()));
    }
    out
}

/// The operation as a call of curl.
fn curl(operation: &ShownOperation<'_>, body: Option<&Value>) -> String {
    let mut call = "curl".to_owned();
    if operation.method != "get" && operation.method != "post" {
        call += &format!(" -X {}", operation.method.to_uppercase());
    }
    call += &format!(" {BASE}{}", operation.path);
    let query = items(operation.object.get("parameters").unwrap_or(&Value::Null))
        .iter()
        .find(|parameter| text(parameter, "in") == "query");
    if let Some(query) = query {
        call += &format!("?{}={}", text(query, "name"), text(query, "example"));
    }
    let scheme = operation.object.pointer("/security/0").and_then(|scheme| fields(scheme).next());
    match scheme.map(|(name, _)| name) {
        Some("UserToken") => call += " \\\n  -H \"Authorization: Bearer $TEXTVEIL_USER_TOKEN\"",
        Some("ServiceToken") => call += " \\\n  -H \"X-Service-Token: $TEXTVEIL_SERVICE_TOKEN\"",
        Some(_) => call += " \\\n  -H \"Authorization: Bearer $TEXTVEIL_API_KEY\"",
        None => {}
    }
    if let Some(body) = body {
        call += &format!(" \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'");
    }
    call
}

fn mark(is_required: bool) -> &'static str {
    if is_required { " <span class=\"required\">required</span>" } else { "" }
}

fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn fields(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    object.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

fn anchor(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escapes a text, with the parts between backticks as code.
fn marked(text: &str) -> String {
    let mut out = String::new();
    for (index, piece) in text.split('`').enumerate() {
        let piece = escaped(piece);
        // writing to a String cannot fail
        let _ = if index % 2 == 1 { write!(out, "<code>{piece}</code>") } else { write!(out, "{piece}") };
    }
    out
}
