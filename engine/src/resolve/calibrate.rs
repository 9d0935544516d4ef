//! Calibrates confidences, so that of the findings with .8 about 80 % are right.
//!
//! Evidence orders the findings of a family well, but its sum is surer than it should be in one family and less sure in another. A
//! family has an offset and a scale of log-odds, which `cargo xtask train --calibration` fits. The order of its findings stays,
//! and so does what the presets report, as their thresholds count before the calibration.

use textveil_weights::calibration as weights;

use super::compete::{Finding, logit, round};
use crate::{
    catalogue,
    evidence::candidate::{Source, Verdict},
};

/// A calibrated confidence, and the weight of the calibration in log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Calibrated {
    pub confidence: f32,
    pub weight: f32,
}

/// Calibrates the confidence of a finding. Names of people are calibrated by their judge.
pub(crate) fn calibrate(finding: &Finding<'_>) -> Calibrated {
    match family(finding) {
        Some([offset, scale]) => {
            let odds = logit(f64::from(finding.confidence));
            let calibrated = f64::from(offset) + f64::from(scale) * odds;
            Calibrated {
                confidence: round(1.0 / (1.0 + (-calibrated).exp())),
                weight: (calibrated - odds) as f32,
            }
        }
        None => Calibrated { confidence: finding.confidence, weight: 0.0 },
    }
}

/// Returns the offset and the scale of a finding's family; `None` if its confidence is right as it is.
fn family(finding: &Finding<'_>) -> Option<[f32; 2]> {
    let candidate = finding.candidate;
    // a model of the caller's, and the caller's own detectors, are calibrated elsewhere
    let Source::Catalogue(index) = candidate.source else { return None };
    if candidate.hint != 0.0 || finding.suppressor {
        return None;
    }
    match catalogue::detector(index)?.kind() {
        // one that only the judge of names tells has the judge's calibration
        "organization" => (!candidate.impersonal).then_some(weights::ORGANIZATION),
        "phone_number" => Some(weights::PHONE),
        // a line fits addresses no better: among the surest of them are as many wrong ones
        "address" | "city" | "postal_code" => None,
        "name" | "email" | "url" | "ip_address" | "mac_address" => None,
        _ if candidate.verdict == Verdict::Valid => None,
        _ => Some(weights::UNCHECKED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::candidate::Candidate;

    fn of(kind: &str, verdict: Verdict, confidence: f32) -> Calibrated {
        let (index, _) = catalogue::numbered_by_type(kind).next().unwrap();
        let candidate = Candidate { verdict, ..Candidate::new(Source::Catalogue(index), 0, 11) };
        calibrate(&Finding {
            candidate: &candidate,
            confidence,
            competing: 0.0,
            suppressor: false,
            container: false,
        })
    }

    #[test]
    fn the_order_of_findings_stays() {
        for kind in ["organization", "phone_number", "passport_us"] {
            let confidences = [0.0001, 0.2, 0.35, 0.6, 0.85, 0.97, 0.9999];
            let calibrated =
                confidences.map(|confidence| of(kind, Verdict::Unchecked, confidence).confidence);
            assert!(calibrated.is_sorted_by(|a, b| a < b), "{kind}: {calibrated:?}");
        }
    }

    #[test]
    fn families_without_a_calibration_stay() {
        for (kind, verdict) in
            [("name", Verdict::Unchecked), ("email", Verdict::Valid), ("pesel", Verdict::Valid)]
        {
            assert_eq!(of(kind, verdict, 0.7), Calibrated { confidence: 0.7, weight: 0.0 }, "{kind}");
        }
    }
}
