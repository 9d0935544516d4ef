//! The endpoints that replace those of a language model's API.
//!
//! ```text
//! request ─ admit ─────────── read ─ choose ─ protect ─── record ─ send ───── restore ─ answer ─ settle
//!           401 to 403, 429   400    404, 503 403, 503    503      502, 504   403
//! ```
//!
//! `admission` admits, `asked` and `privacy` read, `delivery` has the phases from the choice of a provider to the restored answer,
//! and `ongoing` settles.

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use serde_json::{Value, json};

use super::{
    answer_body::AnswerBody,
    asked::Asked,
    delivery::Delivery,
    destination::{self, Destination},
    endpoint::Chat,
    model_list,
    ongoing::Ongoing,
    privacy::Privacy,
    reply::{Reply, StreamedReply},
    report::word,
    stored::Wanted,
    streaming::Passing,
};
use crate::{
    admission::Entered,
    auth::service_token,
    body::{self, StreamError},
    error::ApiError,
    exchange::{Exchange, Settlement},
    providers::CallersHeaders,
    response,
    route::Access,
    setup::Setup,
    upstream::Upstream,
};

/// Answers one request; errors are answers too. A streamed answer settles itself when it ends.
pub(crate) async fn answer<'h, H, B>(
    host: H,
    exchange: Exchange<H>,
    access: &Access,
    endpoint: Chat,
    request: Request<B>,
) -> (Response<AnswerBody<'h>>, Settlement<'h, H>)
where
    H: Upstream + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let mut ongoing = Ongoing::new(host, exchange, endpoint);
    match serve(&mut ongoing, access, endpoint, request).await {
        Ok(Reply::Whole(response)) => {
            let (response, settlement) = ongoing.end(response);
            (response.map(AnswerBody::from), settlement)
        }
        Ok(Reply::Parts(begun)) => {
            let StreamedReply { mut head, body, stream, answer, about } = *begun;
            ongoing.write_head(head.headers_mut());
            let settlement = Settlement::of_stream(ongoing.host.clone());
            let passing = Passing::new(ongoing, body, stream, answer, about);
            (head.map(|()| AnswerBody::Parts(passing.parts())), settlement)
        }
        Err(error) => {
            let (response, settlement) = ongoing.refuse(error);
            (response.map(AnswerBody::from), settlement)
        }
    }
}

async fn serve<'h, H, B>(
    ongoing: &mut Ongoing<'h, H>,
    access: &Access,
    endpoint: Chat,
    request: Request<B>,
) -> Result<Reply<H>, ApiError>
where
    H: Upstream + Clone + 'h,
    B: Body<Data = Bytes>,
    B::Error: Into<StreamError>,
{
    let host = ongoing.host.clone();
    let Entered { principal, setup } = ongoing.admit(access, request.uri(), request.headers()).await?;
    let service_token = (!ongoing.is_keyless()).then_some(service_token::HEADER);
    if endpoint == Chat::Models && service_token.is_some() {
        return Ok(Reply::Whole(models(&setup)));
    }
    let callers = CallersHeaders::read(request.headers(), service_token)?;
    if endpoint == Chat::Models {
        let page = model_list::ModelPage::read(&request)?;
        let asked = Asked::default();
        let delivery = Delivery::new(ongoing, &host, &principal, &setup, Privacy::default(), asked, callers)?;
        return delivery.list_models(&page).await;
    }
    if let Chat::Stored(what) = endpoint {
        let wanted = Wanted::read(what, ongoing.parameter(), &request)?;
        let asked = Asked::stored(&wanted, &setup)?;
        let delivery = Delivery::new(ongoing, &host, &principal, &setup, Privacy::default(), asked, callers)?;
        return delivery.fetch(&wanted).await;
    }
    let (parts, body) = request.into_parts();
    let mut body = body::of_kind(&host, &parts.headers, body, access.body).await?;
    let privacy = Privacy::take(&mut body)?;
    let asked = Asked::read(&body, endpoint, &setup)?;
    Delivery::new(ongoing, &host, &principal, &setup, privacy, asked, callers)?.deliver(endpoint, body).await
}

/// Answers with the model names that requests may use.
fn models(setup: &Setup) -> Response<Bytes> {
    let model = |(name, destination): (String, Destination)| {
        json!({
            "id": name,
            "object": "model",
            "created": 0,
            "owned_by": word(destination.provider.record.provider_type),
        })
    };
    let data: Vec<Value> = destination::models(&setup.routing).into_iter().map(model).collect();
    response::json(StatusCode::OK, json!({ "object": "list", "data": data }).to_string())
}
