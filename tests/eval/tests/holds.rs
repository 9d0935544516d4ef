//! A few documents of two seeds must be no worse than the committed scorecard.
#![allow(clippy::unwrap_used, reason = "a test")]

use textveil_eval::{
    SEED,
    catalogue::Catalogue,
    evaluate,
    public_sets::PublicSets,
    real::RealScores,
    root,
    scorecard::{Scorecard, path, summary_path},
};

/// Documents of one seed: enough for the totals, and for what is gone altogether.
const FEW: usize = 1_500;

fn card(seed: u64, documents: usize) -> Scorecard {
    Scorecard { seed, documents, scores: evaluate(seed, documents, None).unwrap().scores }
}

#[test]
fn no_worse_than_committed() {
    let committed = Scorecard::committed().unwrap();
    for seed in [SEED, 7] {
        let drops = card(seed, FEW).drops(&committed);
        assert!(drops.is_empty(), "seed {seed}; `cargo xtask eval` tells more:\n{}", drops.join("\n"));
    }
}

#[test]
fn the_same_seed_is_the_same_card() {
    assert_eq!(card(3, 60).json().unwrap(), card(3, 60).json().unwrap());
    assert_ne!(card(3, 60).json().unwrap(), card(4, 60).json().unwrap());
}

#[test]
fn a_drop_is_told() {
    let committed = Scorecard::committed().unwrap();
    let mut worse = committed.clone();
    for modes in worse.scores.types.values_mut() {
        modes.values_mut().for_each(|counts| counts.found = 0);
    }
    assert!(worse.drops(&committed).iter().any(|drop| drop.contains("type global/iban, labelled, recall")));
    assert!(committed.drops(&committed).is_empty());
}

#[test]
fn the_committed_card_is_as_it_is_written() {
    let committed = Scorecard::committed().unwrap();
    assert_eq!(std::fs::read_to_string(path()).unwrap(), committed.json().unwrap());
    let catalogue = Catalogue::read(&root().join("engine/catalogue")).unwrap();
    let summary = committed.summary(
        &catalogue,
        &RealScores::committed().unwrap(),
        &PublicSets::committed().unwrap(),
        false,
    );
    assert!(
        std::fs::read_to_string(summary_path()).unwrap() == summary,
        "`cargo xtask eval --summarise` writes it"
    );
    assert!(committed.scores.languages.len() >= 25, "languages");
    assert!(committed.scores.countries.len() >= 35, "countries");
}
