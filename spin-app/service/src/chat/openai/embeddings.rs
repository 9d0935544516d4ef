//! OpenAI's embeddings.

use serde_json::{Map, Value};

use super::{CompletionStream, restore_answer};
use crate::{
    chat::{
        protect::Rules,
        protocol::{AnswerStream, ApiCall, Protocol, has},
        request::RequestSchema,
        stream::Answer,
    },
    error::ApiError,
};

/// OpenAI's embeddings.
pub(crate) struct Embeddings;

impl<R: Rules> Protocol<R> for Embeddings {
    fn schema(&self) -> RequestSchema {
        RequestSchema::Completions
    }

    fn api_call<'m>(&self, model: &'m str) -> ApiCall<'m> {
        ApiCall::Embeddings { model }
    }

    fn check(&self, body: &Value) -> Result<(), ApiError> {
        match holds_tokens(body) {
            true => Err(ApiError::privacy_check_failed(
                "input holds tokens, whose text cannot be inspected; send the text",
            )),
            false => Ok(()),
        }
    }

    fn restore(&self, mut body: Value, answer: &mut Answer<R>, _now: u64) -> Result<Value, ApiError> {
        has(&body, "data", Value::is_array)?;
        restore_embeddings(&mut body, answer)?;
        Ok(body)
    }

    fn stream(&self, _with_usage: bool, _now: u64) -> Box<dyn AnswerStream<R>> {
        Box::new(CompletionStream::default())
    }
}

/// Whether texts to embed come as the numbers of their tokens.
fn holds_tokens(body: &Value) -> bool {
    fn has_number(list: &Value) -> bool {
        list.as_array().is_some_and(|list| list.iter().any(|value| value.is_number() || has_number(value)))
    }
    body.get("input").is_some_and(has_number)
}

/// Everything but the vectors, which are numbers: what is found in their digits is nobody's.
fn restore_embeddings<R: Rules>(body: &mut Value, answer: &mut Answer<R>) -> Result<(), ApiError> {
    const VECTOR: &str = "embedding";
    let mut vectors = Vec::new();
    for entry in objects(body) {
        vectors.push(entry.shift_remove(VECTOR).filter(is_vector));
    }
    restore_answer(body, answer)?;
    for (entry, vector) in objects(body).zip(vectors) {
        entry.extend(vector.map(|vector| (VECTOR.to_owned(), vector)));
    }
    Ok(())
}

/// The entries of an answer about embeddings.
fn objects(body: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let data = body.get_mut("data").and_then(Value::as_array_mut);
    data.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Numbers, or their bytes in Base64.
fn is_vector(value: &Value) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    match value {
        Value::Array(numbers) => numbers.iter().all(Value::is_number),
        Value::String(bytes) => bytes.bytes().all(base64),
        _ => false,
    }
}
