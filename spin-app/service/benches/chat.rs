//! The gateway's work on one request, without HTTP and stores.
//!
//! `cargo bench -p textveil-service --bench chat`. `find` is the engine's part of `protect`: each text of the request is
//! searched once. The difference is the gateway's own work.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, reason = "a benchmark")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::FutureExt;
use serde_json::{Value, json};
use textveil_engine::{Action, Context, DetectOptions, Finder, Keyring, Policy, Work};
use textveil_service::chat::{
    placeholder::{PlaceholderKey, Placeholders},
    protect::{Guard, protect_body},
    request::RequestSchema,
    stream::{Answer, TextStream},
};

const SECRET: &[u8] = b"0123456789abcdef";
/// A message as support teams get it, with seven findings.
const TEXT: &str = "Hello, my name is Jan Novák, I live at Dlouhá 12, 110 00 Praha 1. Please write to jan.novak@example.cz \
                    or call +420 777 123 456. My account is CZ65 0800 0000 1920 0014 5399. ";

/// The policies, none here, and the default action.
type Deciding = (Vec<Policy>, Option<Action>);

fn rules(_: &str) -> Deciding {
    (Vec::new(), Some(Action::Mask))
}

fn guard() -> Guard<fn(&str) -> Deciding> {
    Guard::new(&DetectOptions::default(), rules as fn(&str) -> _, Keyring::new(0, SECRET).unwrap()).unwrap()
}

fn placeholders() -> Placeholders {
    Placeholders::new(PlaceholderKey::derive(SECRET).unwrap())
}

/// A conversation of so many messages.
fn conversation(messages: usize) -> Value {
    let turn = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        json!({ "role": role, "content": format!("{number}. {}", TEXT.repeat(9)) })
    };
    json!({ "model": "m", "messages": (0..messages).map(turn).collect::<Vec<_>>() })
}

fn requests(criterion: &mut Criterion) {
    for messages in [1, 100] {
        let body = conversation(messages);
        let mut group = criterion.benchmark_group(format!("{messages} messages"));
        group.throughput(Throughput::Bytes(body.to_string().len().try_into().unwrap()));
        group.sample_size(20);
        group.bench_function("protect", |bencher| {
            bencher.iter_batched(
                || (body.clone(), guard()),
                |(mut body, guard)| {
                    let schema = RequestSchema::Completions;
                    let mut rest = async || {};
                    let protected = protect_body(&mut body, guard, placeholders(), schema, &mut rest);
                    protected.now_or_never().unwrap().unwrap()
                },
                BatchSize::LargeInput,
            );
        });
        group.bench_function("find", |bencher| {
            let finder = Finder::new(&DetectOptions::default()).unwrap();
            bencher.iter(|| {
                let mut context = Context::default();
                let texts = body["messages"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|message| message["content"].as_str().unwrap());
                let work = Work::default();
                texts
                    .map(|text| finder.find(black_box(text), 0, &mut context, &work).unwrap().len())
                    .sum::<usize>()
            });
        });
        group.finish();
    }
}

fn answers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("an answer of 2,000 chunks");
    let words: Vec<String> = (0..2_000)
        .map(|number| if number % 97 == 0 { "jan@example.com ".to_owned() } else { "ordinary ".to_owned() })
        .collect();
    group.throughput(Throughput::Elements(2_000));
    for (name, action) in [("counted", Action::Flag), ("masked", Action::Mask)] {
        let rules = move |_: &str| (Vec::<Policy>::new(), Some(action));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let guard =
                    Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap()).unwrap();
                let mut answer = Answer::new(guard, placeholders(), Context::default(), 200);
                let mut stream = TextStream::default();
                let pushed: usize =
                    words.iter().map(|word| stream.push(&mut answer, word).unwrap().len()).sum();
                pushed + stream.finish(&mut answer).unwrap().len()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, requests, answers);
criterion_main!(benches);
