//! Streams of the gateway, byte by byte: what an application gets does not depend on how the provider's bytes
//! arrive.

use bytes::Bytes;
use http::Request;
use proptest::{collection::vec, prelude::*, sample::Index, sample::select};
use serde_json::json;

use crate::{
    gateway::{ADDRESS, CHAT, answer_with, ask, chat, chunk, echoing, in_parts, policy, said, with},
    host::Reply,
};

/// Texts of a model; `@P` is the placeholder in its input.
const PIECES: [&str; 11] = [
    "to @P",
    " and eva@example.com, ",
    "Žluťoučký kůň 👩 ",
    "[[ [ \\u005b",
    "{\"to\": \"",
    "\"}",
    ", card 4111 1111 1111 1111\n",
    "[[EMAIL_abcdefghij]] ",
    "IBAN DE89 3704 0044 0532 0130 00",
    "ordinary words, ",
    "100 % of %5B%5",
];

/// Framings of an event: the line ends, the prefix of the data, and the text between two events.
const FRAMINGS: [(&str, &str, &str); 5] = [
    ("\n", "data: ", ""),
    ("\r\n", "data:", ": a comment\r\n"),
    ("\r", "data: ", "event: message\rid: 7\r"),
    ("\n", "data: ", ":\n\n: ping\n\n"),
    ("\r\n", "retry: 10\r\ndata: ", "\r\n"),
];

/// Returns the bytes of a stream of these contents, one chunk each.
fn written(contents: &[String], (end, data, between): (&str, &str, &str), several_lines: bool) -> String {
    let finish = json!({ "id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let chunks = contents.iter().map(|content| chunk(content));
    let events = chunks.chain([finish.to_string(), "[DONE]".to_owned()]);
    let event = |event: String| {
        // JSON may go on in another line between its members
        let event =
            if several_lines { event.replace("},{", "},\n{").replace("\":[{", "\":[\n{") } else { event };
        let lines: String = event.split('\n').map(|line| format!("{data}{line}{end}")).collect();
        format!("{between}{lines}{end}")
    };
    events.map(event).collect()
}

/// Returns a reply with `pieces`, in this framing, cut at these places.
fn cut_reply(
    request: &Request<Bytes>,
    pieces: &[&str],
    framing: (&str, &str, &str),
    several_lines: bool,
    cuts: &[Index],
) -> Reply {
    let made = said(request);
    let contents: Vec<String> = pieces.iter().map(|piece| piece.replace("@P", &made)).collect();
    let bytes = Bytes::from(written(&contents, framing, several_lines));
    let mut places: Vec<usize> =
        cuts.iter().map(|cut| cut.index(bytes.len())).chain([0, bytes.len()]).collect();
    places.sort_unstable();
    in_parts(places.windows(2).map(|place| Ok(bytes.slice(place[0]..place[1]))).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn however_the_bytes_are_cut_the_application_gets_the_same(
        pieces in vec(select(&PIECES[..]), 1..6),
        framing in select(&FRAMINGS[..]),
        several_lines in any::<bool>(),
        cuts in vec(any::<Index>(), 1..40),
        has_policy in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let host = echoing().await;
            if has_policy {
                policy(&host, "MASK", json!([{ "direction": "output" }])).await;
            }
            let body = with(ask(ADDRESS), &json!({ "stream": true }));
            let mut got = Vec::new();
            for cuts in [Vec::new(), cuts] {
                let pieces = pieces.clone();
                answer_with(&host, move |request| cut_reply(request, &pieces, framing, several_lines, &cuts));
                got.push(chat(&host, CHAT, &body).await.text);
            }
            prop_assert_eq!(&got[0], &got[1]);
            prop_assert!(got[0].ends_with("data: [DONE]\n\n") && !got[0].contains("error"), "{}", got[0]);
            if has_policy {
                prop_assert!(!got[0].contains("eva@") && !got[0].contains("4111 1111"), "{}", got[0]);
            }
            Ok(())
        })?;
    }
}
