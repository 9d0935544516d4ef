//! Words and signs within addresses and names of companies: `lexicon/words.toml`.

include!(concat!(env!("OUT_DIR"), "/words.rs"));
