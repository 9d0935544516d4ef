//! The common behaviour of all key-value stores.

use std::sync::Arc;

use tempfile::tempdir;
use textveil::app::key_value::{Database, KeyValueStore, MemoryStore, RedisStore};
use tokio::task::JoinSet;

use crate::support::redis::Redis;

/// Operations with their results, in this order, on an empty store.
const CONTRACT: &[(&str, &str)] = &[
    ("get a", "Ok(None)"),
    ("exists a", "Ok(false)"),
    ("delete a", "Ok(())"),
    ("set a 1", "Ok(())"),
    ("get a", "Ok(\"1\")"),
    ("exists a", "Ok(true)"),
    ("set a two", "Ok(())"),
    ("get a", "Ok(\"two\")"),
    ("set empty", "Ok(())"),
    ("get empty", "Ok(\"\")"),
    ("exists empty", "Ok(true)"),
    ("set k:e.y_1-Z x", "Ok(())"),
    ("keys", "Ok([\"a\", \"empty\", \"k:e.y_1-Z\"])"),
    ("delete a", "Ok(())"),
    ("get a", "Ok(None)"),
    ("keys", "Ok([\"empty\", \"k:e.y_1-Z\"])"),
    // counters begin at 0, are read by adding 0, and go below
    ("increment n 0", "Ok(0)"),
    ("increment n 5", "Ok(5)"),
    ("increment n -8", "Ok(-3)"),
    ("exists n", "Ok(true)"),
    // a sum out of range is rejected and changes nothing
    ("increment n -9223372036854775808", "Err(the counter would not fit in 64 bits)"),
    ("increment n 0", "Ok(-3)"),
    ("increment n 9223372036854775807", "Ok(9223372036854775804)"),
    ("increment n 4", "Err(the counter would not fit in 64 bits)"),
    ("increment n 3", "Ok(9223372036854775807)"),
    ("delete n", "Ok(())"),
    ("increment n 1", "Ok(1)"),
    // a value that is not a counter is rejected and stays
    ("set text words", "Ok(())"),
    ("increment text 1", "Err(the value is no counter; keep counters in keys of their own)"),
    ("get text", "Ok(\"words\")"),
    // a value takes the place of the expected one only
    ("swap s expected value", "Ok(false)"),
    ("exists s", "Ok(false)"),
    ("swap s - first", "Ok(true)"),
    ("swap s - second", "Ok(false)"),
    ("swap s other second", "Ok(false)"),
    ("get s", "Ok(\"first\")"),
    ("swap s first second", "Ok(true)"),
    ("swap s first third", "Ok(false)"),
    ("get s", "Ok(\"second\")"),
    ("swap s second", "Ok(true)"),
    ("swap s - third", "Ok(false)"),
    ("get s", "Ok(\"\")"),
];

/// Performs the operation of a line of the list.
async fn perform(store: &dyn KeyValueStore, line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let text = |value: Vec<u8>| String::from_utf8(value).unwrap();
    let outcome = match words.as_slice() {
        ["get", key] => store.get(key).await.map(|value| match value {
            Some(value) => format!("{:?}", text(value)),
            None => "None".to_owned(),
        }),
        ["exists", key] => store.exists(key).await.map(|there| there.to_string()),
        ["delete", key] => store.delete(key).await.map(|()| "()".to_owned()),
        ["set", key] => store.set(key, Vec::new()).await.map(|()| "()".to_owned()),
        ["set", key, value] => store.set(key, value.as_bytes().into()).await.map(|()| "()".to_owned()),
        ["increment", key, delta] => {
            store.increment(key, delta.parse().unwrap()).await.map(|sum| sum.to_string())
        }
        ["swap", key, expected, rest @ ..] => {
            let expected = (*expected != "-").then(|| expected.as_bytes().to_vec());
            let value = rest.first().map_or_else(Vec::new, |value| value.as_bytes().to_vec());
            store.compare_and_set(key, expected, value).await.map(|done| done.to_string())
        }
        ["keys"] => store.keys().await.map(|mut keys| {
            keys.sort();
            format!("{keys:?}")
        }),
        _ => panic!("{line}"),
    };
    match outcome {
        Ok(value) => format!("Ok({value})"),
        Err(error) => format!("Err({error})"),
    }
}

async fn keeps_the_contract(name: &str, store: Arc<dyn KeyValueStore>) {
    for (line, want) in CONTRACT {
        assert_eq!(&perform(store.as_ref(), line).await, want, "{name}: {line}");
    }

    // any bytes, and many of them
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|number| (number % 251) as u8 | 0x80).collect();
    store.set("bytes", bytes.clone()).await.unwrap();
    assert_eq!(store.get("bytes").await.unwrap(), Some(bytes.clone()), "{name}");
    assert!(store.compare_and_set("bytes", Some(bytes), vec![0, 255]).await.unwrap(), "{name}");
    assert_eq!(store.get("bytes").await.unwrap(), Some(vec![0, 255]), "{name}");

    // keys, more than a backend gives at a time
    let before = store.keys().await.unwrap().len();
    let mut writers = JoinSet::new();
    for number in 0..2500 {
        let store = store.clone();
        writers.spawn(async move { store.set(&format!("many:{number}"), b"x".to_vec()).await.unwrap() });
    }
    writers.join_all().await;
    let mut keys = store.keys().await.unwrap();
    assert_eq!(keys.len(), before + 2500, "{name}");
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), before + 2500, "{name}: keys are given twice");

    // many at a time: each sum once, and one of those who swap
    let mut counting = JoinSet::new();
    let mut swapping = JoinSet::new();
    for number in 0..200_u8 {
        let store_too = store.clone();
        counting.spawn(async move { store_too.increment("race", 1).await.unwrap() });
        let store = store.clone();
        swapping.spawn(async move { store.compare_and_set("prize", None, vec![number]).await.unwrap() });
    }
    let mut sums = counting.join_all().await;
    sums.sort_unstable();
    assert_eq!(sums, (1..=200).collect::<Vec<_>>(), "{name}");
    assert_eq!(swapping.join_all().await.into_iter().filter(|won| *won).count(), 1, "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_and_memory_keep_the_contract() {
    let folder = tempdir().unwrap();
    let database = Database::open(&folder.path().join("stores.db")).unwrap();
    let behind = MemoryStore::written_behind(database.store("behind")).unwrap();
    let stores: [(&str, Arc<dyn KeyValueStore>); 3] = [
        ("SQLite", Arc::new(database.store("sqlite"))),
        ("memory", Arc::new(MemoryStore::default())),
        ("memory, written behind", behind.clone()),
    ];
    for (name, store) in stores {
        keeps_the_contract(name, store).await;
    }
    // exactly the values written behind are in the file
    behind.flush().await.unwrap();
    let file = database.store("behind");
    let mut keys = file.keys().await.unwrap();
    assert_eq!(keys.len(), behind.keys().await.unwrap().len());
    keys.retain(|key| !key.starts_with("many:"));
    for key in keys {
        assert_eq!(file.get(&key).await, behind.get(&key).await, "{key}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs redis-server"]
async fn with_redis_it_keeps_the_contract() {
    let redis = Redis::start();
    keeps_the_contract("Redis", Arc::new(RedisStore::new(&redis.url()).unwrap())).await;
    // Spin reads counters as digits
    let other = RedisStore::new(&redis.url()).unwrap();
    assert_eq!(other.get("race").await.unwrap(), Some(b"200".to_vec()));
    // a key that another program made for something else
    let client = ::redis::Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let pushed: i64 =
        ::redis::cmd("RPUSH").arg("list").arg("secret").query_async(&mut connection).await.unwrap();
    assert_eq!(pushed, 1);
    for line in ["get list", "increment list 1", "swap list - x"] {
        let outcome = perform(&other, line).await;
        assert!(outcome.starts_with("Err(") && !outcome.contains("secret"), "{line}: {outcome}");
    }
}
