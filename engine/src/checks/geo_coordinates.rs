//! Latitude and longitude in degrees, of a place written in either way that `geo` reads, or one of
//! the two alone.
//!
//! Source: ISO 6709; WGS 84.

use super::prelude::*;
use crate::{api::entity::Metadata, checks::geo};

/// Checks the numbers as written.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let all = Some((0, value.len()));
    let found = match (value.find(','), value.find('°')) {
        (_, Some(sign)) => geo::degrees(value, sign) == all,
        (Some(comma), None) => geo::around(value, comma) == all,
        (None, None) => geo::decimal(value, 180),
    };
    if found {
        return Ok(Facts::default());
    }
    Err(Invalid::Format)
}

/// Latitude and longitude, where they are two numbers.
pub fn details(value: &str, metadata: &mut Metadata) {
    if let Some((latitude, longitude)) = value.split_once(',').filter(|_| !value.contains('°')) {
        metadata.text("latitude", latitude.trim().to_owned());
        metadata.text("longitude", longitude.trim().to_owned());
    }
}

#[cfg(test)]
#[test]
fn verdicts() {
    for (value, want) in [
        ("48.8584, 2.2945", Ok(())),
        ("40°26'46\"N 79°58'56\"W", Ok(())),
        ("-33.8688", Ok(())),
        ("40°26'N 79°58'W", Ok(())),
        ("40°26'46\"N 79°58'81\"W", Err(Invalid::Format)),
        ("91.0000, 2.2945", Err(Invalid::Format)),
        ("48.8, 2.2", Err(Invalid::Format)),
    ] {
        assert_eq!(facts(value).map(drop), want, "{value}");
    }
}
