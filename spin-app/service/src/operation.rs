//! The description of an operation, of which the OpenAPI document is made.

use http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use crate::error::Code;

/// Makes the schema of a type, as a reference to it where it has a name.
pub(crate) type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// A group of operations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    Texts,
    Settings,
    Keys,
    Providers,
    Gateway,
    Models,
    Presidio,
    Guardrails,
    Telemetry,
    Operation,
}

impl Tag {
    /// Every group, in the order in which they are shown.
    pub(crate) const ALL: [Self; 10] = [
        Self::Texts,
        Self::Settings,
        Self::Keys,
        Self::Providers,
        Self::Gateway,
        Self::Models,
        Self::Presidio,
        Self::Guardrails,
        Self::Telemetry,
        Self::Operation,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Texts => "Texts",
            Self::Settings => "Settings of a workspace",
            Self::Keys => "API keys",
            Self::Providers => "LLM providers",
            Self::Gateway => "Gateway",
            Self::Models => "Language models",
            Self::Presidio => "Presidio's protocol",
            Self::Guardrails => "Guardrails of other gateways",
            Self::Telemetry => "Telemetry",
            Self::Operation => "Operation",
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Texts => "Find, check, replace and restore personal data.",
            Self::Settings => "Detectors and lists that every request of a workspace uses.",
            Self::Keys => "The keys of a workspace, managed by its users.",
            Self::Providers => {
                "The language models that a workspace's gateway may send to, managed by its users."
            }
            Self::Gateway => {
                "The routes and policies for the requests of a workspace, for services with a service token."
            }
            Self::Models => {
                "Requests of applications to language models, by their usual client with this host as its base URL \
                 (`https://host/v1`, or `https://host/api/v1/gateway`) and a service token as its key. The model \
                 sees placeholders, the application the real values. The workspace is `workspace_id` in the query, \
                 or the header `X-Workspace-Id`, else `default`. Every other path below either base, \
                 except the administration's, is answered with 501."
            }
            Self::Presidio => {
                "For clients of Presidio's analyzer and anonymizer. The API key may be the password of the URL, \
                 whatever the user: `http://key:fpk_…@host`. Errors are `{\"error\": message}`."
            }
            Self::Guardrails => {
                "For LiteLLM, agentgateway and Portkey, which ask about each request and each answer. The policies, lists \
                 and audit of the key's workspace apply; the action `MASK` makes a token, since a placeholder could not be \
                 restored without its request. Tokens of an answer are restored where the key has the scope `restore`, \
                 except in the arguments of tools."
            }
            Self::Telemetry => {
                "For exporters of OpenTelemetry, in OTLP over HTTP in JSON, with `https://host/api/v1/otlp` as their \
                 endpoint. Texts are protected, with the key of an attribute as its label; then the operator's collector \
                 gets the export, and its answer becomes the answer. A body may be compressed with gzip. Errors are \
                 `{\"code\": number, \"message\": message}`."
            }
            Self::Operation => "Health, metrics, and this description.",
        }
    }
}

/// A parameter of the path or of the query; a string.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) description: &'static str,
    pub(crate) example: Option<&'static str>,
}

/// The body that an operation takes.
pub(crate) struct Body {
    pub(crate) schema: MakeSchema,
    pub(crate) example: Value,
}

/// The content that an operation answers with.
pub(crate) struct Content {
    pub(crate) media_type: &'static str,
    pub(crate) schema: MakeSchema,
}

/// The description of one operation.
pub(crate) struct Operation {
    pub(crate) tag: Tag,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    pub(crate) path: Option<Parameter>,
    pub(crate) query: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    pub(crate) status: StatusCode,
    pub(crate) content: Content,
    /// May be answered with 304.
    pub(crate) cached: bool,
    /// May be answered with 202 and no body.
    pub(crate) takes_notifications: bool,
    /// Its errors, in addition to those of every operation of its kind.
    pub(crate) refuses: Vec<Code>,
}

/// Starts a description.
pub(crate) fn operation(tag: Tag, summary: &'static str) -> Operation {
    Operation {
        tag,
        summary,
        description: "",
        path: None,
        query: Vec::new(),
        body: None,
        status: StatusCode::OK,
        content: Content { media_type: "application/json", schema: SchemaGenerator::subschema_for::<Value> },
        cached: false,
        takes_notifications: false,
        refuses: Vec::new(),
    }
}

impl Operation {
    pub(crate) fn says(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    /// The parameter of the path.
    pub(crate) fn of(self, name: &'static str, description: &'static str) -> Self {
        Self { path: Some(Parameter { name, required: true, description, example: None }), ..self }
            .refuses(Code::NotFound)
    }

    pub(crate) fn asks(
        mut self,
        name: &'static str,
        description: &'static str,
        example: &'static str,
    ) -> Self {
        self.query.push(Parameter { name, required: false, description, example: Some(example) });
        self
    }

    /// A parameter of the query without which the example is sent.
    pub(crate) fn may_ask(mut self, name: &'static str, description: &'static str) -> Self {
        self.query.push(Parameter { name, required: false, description, example: None });
        self
    }

    /// Of the workspace that the query names.
    pub(crate) fn of_a_workspace(self) -> Self {
        self.workspace(true, "The workspace.")
    }

    /// Of the workspace that the query or the body names.
    pub(crate) fn of_a_workspace_or_body(self) -> Self {
        self.workspace(false, "The workspace, where the body does not name it.")
    }

    fn workspace(mut self, required: bool, description: &'static str) -> Self {
        let example = Some("initech");
        self.query.push(Parameter { name: "workspace_id", required, description, example });
        self.refuses(Code::InvalidRequest)
    }

    /// The body is a `T`; the example is sent in a test, whose answer becomes the example of the answer.
    pub(crate) fn takes<T: JsonSchema>(self, example: Value) -> Self {
        let body = Body { schema: SchemaGenerator::subschema_for::<T>, example };
        let read =
            [Code::InvalidRequest, Code::RequestTimeout, Code::PayloadTooLarge, Code::UnsupportedMediaType];
        read.into_iter().fold(Self { body: Some(body), ..self }, Self::refuses)
    }

    pub(crate) fn answers<T: JsonSchema>(self) -> Self {
        let content = Content { schema: SchemaGenerator::subschema_for::<T>, ..self.content };
        Self { content, ..self }
    }

    pub(crate) fn creates<T: JsonSchema>(self) -> Self {
        Self { status: StatusCode::CREATED, ..self.answers::<T>() }.refuses(Code::Conflict)
    }

    pub(crate) fn takes_notifications(self) -> Self {
        Self { takes_notifications: true, ..self }
    }

    pub(crate) fn in_format(self, media_type: &'static str) -> Self {
        Self { content: Content { media_type, ..self.content }, ..self }
    }

    pub(crate) fn cached(self) -> Self {
        Self { cached: true, ..self }
    }

    pub(crate) fn refuses(mut self, code: Code) -> Self {
        self.refuses.push(code);
        self
    }
}
