//! Serialises candidates as numbers, for a page in which finding and weighing are two modules.

use crate::{Candidate, Day, Gender, Kind, Known, Part, Reason, Role};

const KINDS: [Kind; 8] = [
    Kind::Name,
    Kind::Address,
    Kind::Organization,
    Kind::City,
    Kind::Birthplace,
    Kind::Age,
    Kind::BirthDate,
    Kind::Dictated,
];
const ROLES: [Role; 10] = [
    Role::Given,
    Role::Family,
    Role::Title,
    Role::Street,
    Role::Number,
    Role::Unit,
    Role::PostalCode,
    Role::City,
    Role::Region,
    Role::Country,
];

/// An absent position.
const NOWHERE: Part = Part { start: u32::MAX, end: u32::MAX };

/// Writes the known names, sorted, and then the candidates.
pub fn write(known: &Known, candidates: &[Candidate]) -> Vec<u32> {
    let mut out = vec![known.len() as u32];
    out.extend(&known.0);
    for candidate in candidates {
        let label = candidate.label_at.unwrap_or(NOWHERE);
        let [first, second] = candidate.country.unwrap_or_default();
        let gender = match candidate.gender {
            None => 0,
            Some(Gender::Female) => 1,
            Some(Gender::Male) => 2,
        };
        let of = |place: Option<usize>| place.unwrap_or_default() as u32;
        let kind = of(KINDS.iter().position(|kind| *kind == candidate.kind));
        let about = kind | gender << 8 | u32::from(first) << 16 | u32::from(second) << 24;
        out.extend([
            about,
            candidate.start,
            candidate.end,
            candidate.shape.to_bits(),
            candidate.label.to_bits(),
            label.start,
            label.end,
            candidate.day.map_or(0, pack),
        ]);
        out.push(candidate.parts.len() as u32);
        for (role, place) in &candidate.parts {
            out.extend([of(ROLES.iter().position(|known| known == role)), place.start, place.end]);
        }
        out.push(candidate.said.len() as u32);
        out.extend(candidate.said.bytes().map(u32::from));
        out.push(candidate.reasons.len() as u32);
        for (reason, weight) in &candidate.reasons {
            out.extend([*reason as u32, weight.to_bits()]);
        }
    }
    out
}

/// Reads the output of [`write()`]; stops at the first missing or invalid number.
pub fn read(mut numbers: &[u32]) -> (Known, Vec<Candidate>) {
    let numbers = &mut numbers;
    let mut candidates = Vec::new();
    let known = take(numbers).and_then(|count| numbers.split_off(..count as usize));
    let known = Known(known.unwrap_or_default().to_vec());
    while let Some(candidate) = candidate(numbers) {
        candidates.push(candidate);
    }
    (known, candidates)
}

fn candidate(numbers: &mut &[u32]) -> Option<Candidate> {
    let about = take(numbers)?;
    let [kind, gender, first, second] = about.to_le_bytes();
    let mut place = || Some(Part { start: take(numbers)?, end: take(numbers)? });
    let span = place()?;
    let weights = place()?;
    let label = place()?;
    let mut candidate = Candidate::new(*KINDS.get(usize::from(kind))?, span, f32::from_bits(weights.start));
    candidate.label = f32::from_bits(weights.end);
    candidate.label_at = (label != NOWHERE).then_some(label);
    candidate.gender = match gender {
        1 => Some(Gender::Female),
        2 => Some(Gender::Male),
        _ => None,
    };
    candidate.country = (first != 0).then_some([first, second]);
    candidate.day = unpack(take(numbers)?);
    for _ in 0..take(numbers)? {
        let role = *ROLES.get(take(numbers)? as usize)?;
        candidate.parts.push((role, Part { start: take(numbers)?, end: take(numbers)? }));
    }
    let said = (0..take(numbers)?).map(|_| Some(take(numbers)? as u8));
    candidate.said = String::from_utf8(said.collect::<Option<_>>()?).ok()?;
    for _ in 0..take(numbers)? {
        let reason = *Reason::ALL.get(take(numbers)? as usize)?;
        candidate.reasons.push((reason, f32::from_bits(take(numbers)?)));
    }
    Some(candidate)
}

/// A day as a number; that of no day is 0.
fn pack(Day { year, month, day }: Day) -> u32 {
    u32::from_be_bytes([(year >> 8) as u8, year as u8, month.unwrap_or_default(), day])
}

fn unpack(number: u32) -> Option<Day> {
    let [century, year, month, day] = number.to_be_bytes();
    let month = Some(month).filter(|month| *month > 0);
    (number != 0).then_some(Day { year: u16::from_be_bytes([century, year]), month, day })
}

fn take(numbers: &mut &[u32]) -> Option<u32> {
    numbers.split_off_first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "Dear Mr. John Smith,\n221B Baker Street, London NW1 6XE\nAcme Widgets Ltd, \
            born on the twelfth of May 1980, thirty-four years old, oh one two three four five six";
        let mut known = Known::default();
        let candidates = crate::find(text, &mut known, true);
        assert!(candidates.len() >= 6, "{candidates:?}");
        assert!(candidates.iter().any(|candidate| !candidate.reasons.is_empty()), "{candidates:?}");
        let numbers = write(&known, &candidates);
        let (read_known, read_candidates) = read(&numbers);
        assert_eq!(format!("{candidates:?}"), format!("{read_candidates:?}"));
        assert_eq!(known.0, read_known.0);
        for cut in 0..numbers.len() {
            assert!(read(&numbers[..cut]).1.len() <= candidates.len());
        }
    }
}
