//! Finds places after their labels: `City: Praha`, `born in Prague`.

use textveil_weights::place as weights;

use crate::{
    Candidate, Kind, Part,
    cues::{self, Says, says},
    token::{Case, Gap, Token},
};

/// The most words of a place.
const MAX_WORDS: usize = 5;

/// Finds the places after their labels, from the words that one may begin with.
pub(crate) fn find(text: &str, tokens: &[Token], beginnings: &[usize], out: &mut Vec<Candidate>) {
    for &at in beginnings {
        let Some(token) = tokens.get(at) else { continue };
        let labelled = token.gap == Gap::Colon;
        if !(token.is_capital() || token.case == Case::None) || !labelled && token.gap != Gap::Space {
            continue;
        }
        let Some(cue) = cues::before(text, tokens, at, Says::LABEL_CITY.or(Says::LABEL_BIRTH_PLACE)) else {
            continue;
        };
        let born = cue.says.any(Says::LABEL_BIRTH_PLACE);
        let told = born && cue.words > 1;
        if !(labelled || told) {
            continue;
        }
        let end = end(tokens, at);
        let place = tokens.get(at..end).unwrap_or_default();
        let (Some(first), Some(last)) = (place.first(), place.last()) else { continue };
        // `born in May`
        if !labelled && says(first.phrase).any(Says::MONTH) {
            continue;
        }
        // three capitals are an abbreviation
        if place.len() == 1 && first.case == Case::Upper && first.end - first.start <= 4 {
            continue;
        }
        let kind = if born { Kind::Birthplace } else { Kind::City };
        let span = Part { start: first.start, end: last.end };
        let at = tokens.get(at - cue.words).map(|label| Part { start: label.start, end: first.start });
        out.push(Candidate {
            label: if labelled { weights::LABELLED } else { weights::TOLD },
            label_at: at,
            ..Candidate::new(kind, span, 0.0)
        });
    }
}

/// The end of the place that begins with the word `at`.
fn end(tokens: &[Token], at: usize) -> usize {
    let mut end = at + 1;
    while end - at < MAX_WORDS {
        let Some(next) = tokens.get(end) else { break };
        let joined = matches!(next.gap, Gap::Space | Gap::Hyphen | Gap::Apostrophe | Gap::None);
        let inner = next.case == Case::Lower
            && next.end - next.start <= 4
            && tokens.get(end + 1).is_some_and(|behind| behind.is_capital() && behind.gap == Gap::Space);
        let goes_on = next.is_capital()
            || next.case == Case::None
            || inner
            || next.case == Case::Number && next.end - next.start <= 2;
        if !joined || !goes_on {
            break;
        }
        end += 1;
    }
    end
}
