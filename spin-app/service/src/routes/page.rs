//! Pages of a list: `page`, from 1, and `page_size`.

use crate::{
    error::ApiError,
    limits::{MAX_PAGE_SIZE, PAGE_SIZE},
};

/// The requested part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// From 1.
    pub number: usize,
    /// Most entries.
    pub size: usize,
}

impl Page {
    /// Reads a query; the first page where it does not say.
    ///
    /// # Errors
    /// `invalid_request` naming `page` or `page_size`.
    pub(super) fn of(query: &str) -> Result<Self, ApiError> {
        let number = |field: &str, otherwise: usize, most: usize| {
            let sent = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == field);
            let Some((_, sent)) = sent else { return Ok(otherwise) };
            let number = sent.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| {
                ApiError::invalid(field, format!("{field} must be an integer from 1 to {most}"))
            })
        };
        let most_pages = usize::try_from(i32::MAX).unwrap_or(usize::MAX);
        Ok(Self {
            number: number("page", 1, most_pages)?,
            size: number("page_size", PAGE_SIZE, MAX_PAGE_SIZE)?,
        })
    }

    /// The entries on the page; none behind the last one.
    pub(super) fn cut<T>(self, entries: impl IntoIterator<Item = T>) -> Vec<T> {
        entries.into_iter().skip((self.number - 1).saturating_mul(self.size)).take(self.size).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_cut_from_the_list() {
        for (query, want) in [
            ("", Some((0..20).collect::<Vec<_>>())),
            ("page=2", Some((20..25).collect())),
            ("page=3", Some(vec![])),
            ("page=2147483647&page_size=100", Some(vec![])),
            ("page=3&page_size=2", Some(vec![4, 5])),
            ("page_size=100", Some((0..25).collect())),
            ("other=x", Some((0..20).collect())),
            ("page=0", None),
            ("page=-1", None),
            ("page=1.5", None),
            ("page=", None),
            ("page=99999999999999999999", None),
            ("page_size=0", None),
            ("page_size=101", None),
            ("page_size=x", None),
        ] {
            assert_eq!(Page::of(query).ok().map(|page| page.cut(0..25)), want, "{query}");
        }
    }
}
