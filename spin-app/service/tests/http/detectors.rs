//! `GET /api/v1/detectors`.

use http::Request;
use http_body_util::Full;
use serde_json::Value;

use crate::host::{Memory, key};

async fn list(query: &str) -> Vec<Value> {
    let request = Request::get(format!("/api/v1/detectors{query}")).header("x-api-key", key("pro"));
    let answer = Memory::default().send(request.body(Full::default()).unwrap()).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text);
    let list = answer.json["detectors"].as_array().unwrap().clone();
    assert_eq!(answer.json["count"], list.len(), "{query}");
    list
}

#[tokio::test]
async fn a_detector_says_its_name_what_it_finds_where_and_of_what_kind() {
    let all = list("").await;
    assert!(all.len() >= 50, "{}", all.len());
    let categories = [
        "identity",
        "contact",
        "financial",
        "location",
        "personal",
        "business",
        "medical",
        "government",
        "credential",
    ];
    for detector in &all {
        for field in ["name", "description", "region"] {
            assert!(detector[field].as_str().is_some_and(|value| !value.is_empty()), "{detector}");
        }
        assert!(categories.contains(&detector["category"].as_str().unwrap()), "{detector}");
    }
    let names: std::collections::HashSet<_> = all.iter().map(|detector| detector["name"].as_str()).collect();
    assert_eq!(names.len(), all.len(), "names are unique");
}

#[tokio::test]
async fn with_a_country_only_detectors_of_that_region_are_returned() {
    let all = list("").await;
    for country in ["CZ", "SK", "PL", "DE", "AT", "FR", "GB", "US"] {
        let of_country = list(&format!("?country={country}")).await;
        let filtered: Vec<_> = all.iter().filter(|detector| detector["region"] == country).cloned().collect();
        assert!(!filtered.is_empty(), "{country}");
        assert_eq!(of_country, filtered, "{country}");
        for query in [
            format!("?country={}", country.to_lowercase()),
            format!("?page=1&country={country}&x"),
            format!("?%63ountry=%{:02X}{}", country.as_bytes()[0], &country[1..]),
        ] {
            assert_eq!(list(&query).await, filtered, "{query}");
        }
    }
}

#[tokio::test]
async fn an_empty_country_asks_for_all() {
    let all = list("").await;
    for query in ["?", "?country", "?country=", "?countries=PL", "?Country=PL"] {
        assert_eq!(list(query).await, all, "{query}");
    }
}
