//! The trace that a request belongs to (W3C Trace Context, section 3.2), for the log: a reader of a trace
//! finds its lines. The spans themselves are the host's.

use http::HeaderMap;

/// The trace id of the header `traceparent`, 32 hex digits; none where the header is not there or not of
/// its form.
pub fn trace_id(headers: &HeaderMap) -> Option<&str> {
    let mut fields = headers.get("traceparent")?.to_str().ok()?.split('-');
    let hex = |length: usize| {
        move |field: &&str| {
            let mut digits = field.bytes();
            field.len() == length && digits.all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
        }
    };
    fields.next().filter(hex(2)).filter(|version| *version != "ff")?;
    let trace = fields.next().filter(hex(32)).filter(|id| id.bytes().any(|digit| digit != b'0'))?;
    fields.next().filter(hex(16))?;
    fields.next().filter(hex(2))?;
    Some(trace)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_what_has_the_form_is_a_trace() {
        let id = "0af7651916cd43dd8448eb211c80319c";
        for (header, want) in [
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", Some(id)),
            // a later version may say more
            ("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more", Some(id)),
            ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", None),
            ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", None),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", None),
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", None),
            ("00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", None),
            ("jan.novak@example.cz", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([(
                http::header::HeaderName::from_static("traceparent"),
                HeaderValue::from_static(header),
            )]);
            assert_eq!(trace_id(&headers), want, "{header}");
        }
        assert_eq!(trace_id(&HeaderMap::new()), None);
    }
}
