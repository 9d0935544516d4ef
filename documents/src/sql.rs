//! Dumps and scripts of SQL: strings, numbers, comments and the rows of `COPY` change, and everything else stays.
//!
//! Columns label their values: those of the statement, or of the `CREATE TABLE` before it. A value is read as it is
//! written, with its escapes, of which dialects have different ones; the engine reads these in any text.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::{
    Value,
    csv::Csv,
    lines::{comment, content_length},
    parts::{LONGEST_HELD, Parts, Reader},
    places::Places,
    syntax::{Escape, Syntax},
    value::{Gap, label},
};

/// The most tables whose columns are remembered, and the most columns of one.
const MOST: usize = 4096;
/// Words at the start of a column's place in `CREATE TABLE` that begin something else.
const NO_COLUMN: [&str; 12] = [
    "primary",
    "key",
    "unique",
    "constraint",
    "index",
    "foreign",
    "check",
    "fulltext",
    "spatial",
    "exclude",
    "like",
    "period",
];
/// Words between a verb and the name of its table.
const BEFORE_TABLE: [&str; 12] = [
    "into",
    "table",
    "ignore",
    "low_priority",
    "high_priority",
    "delayed",
    "overwrite",
    "if",
    "not",
    "exists",
    "temporary",
    "unlogged",
];
/// An empty comment behind a string that was a number before a token replaced it.
pub(crate) const NUMBER: &str = "/**/";

/// A script, as it arrives.
#[derive(Default)]
pub(crate) struct Sql {
    /// The unfinished rest of the input, and how far its first token was read.
    held: String,
    seen: usize,
    line: usize,
    tables: BTreeMap<String, Vec<Option<String>>>,
    statement: Statement,
    /// Whether the rows of a `COPY` follow: behind the line break, their separated columns.
    rows: Option<bool>,
    /// The reader of rows in CSV.
    csv: Option<Csv>,
}

/// The statement that is read.
#[derive(Default)]
struct Statement {
    verb: Verb,
    table: Option<String>,
    columns: Vec<Option<String>>,
    depth: usize,
    /// Whether a column may be named here.
    names_column: bool,
    /// Whether rows of values follow the verb, and the column of the next value in its row.
    has_rows: bool,
    at: usize,
    /// The last name, and that before the last `=`.
    name: Option<String>,
    assigned: Option<String>,
    is_csv: bool,
    /// The delimiter of rows in CSV.
    delimiter: Option<u8>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Verb {
    #[default]
    None,
    Insert,
    Create,
    Copy,
    Other,
}

impl Sql {
    fn scan(&mut self, is_last: bool, parts: &mut dyn Parts) {
        let text = std::mem::take(&mut self.held);
        let mut at = 0;
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            let end =
                if self.rows == Some(true) { row_end(rest, is_last) } else { self.token_end(rest, is_last) };
            let Some(end) = end else { break };
            let token = rest.get(..end).unwrap_or_default();
            self.line += token.bytes().filter(|byte| *byte == b'\n').count();
            match self.rows {
                Some(true) => self.row(token, parts),
                _ => self.token(token, parts),
            }
            at += end;
            self.seen = 0;
        }
        self.held = if at == 0 { text } else { text.get(at..).unwrap_or_default().to_owned() };
    }

    /// Returns the end of the token at the start of a text; `None` if it has not come yet.
    fn token_end(&mut self, text: &str, is_last: bool) -> Option<usize> {
        let bytes = text.as_bytes();
        let most = if is_last { Some(text.len()) } else { None };
        let end_of = |end: usize| if end < text.len() { Some(end) } else { most };
        let found = |mark: &str, from: usize| text.get(from..)?.find(mark).map(|at| from + at + mark.len());
        match bytes {
            [b'\'', ..] => {
                let end = self.string_end(bytes, is_last)?;
                // the mark of a number may follow
                let behind = text.get(end..).unwrap_or_default();
                let may_follow = !is_last && behind.len() < NUMBER.len() && NUMBER.starts_with(behind);
                let is_marked = behind.starts_with(NUMBER);
                (!may_follow).then_some(if is_marked { end + NUMBER.len() } else { end })
            }
            [quote @ (b'"' | b'`'), ..] => {
                let mark = char::from(*quote).to_string();
                found(&mark, 1).or(most)
            }
            [b'-', b'-', ..] | [b'#', ..] => found("\n", 0).or(most),
            [b'/', b'*', ..] => found("*/", 2).or(most),
            [b'-' | b'/'] => most,
            [b'$', ..] => {
                let tag = 1 + text.get(1..)?.bytes().take_while(|byte| is_word(*byte)).count();
                match bytes.get(tag) {
                    Some(b'$') => found(text.get(..=tag)?, tag + 1).or(most),
                    Some(_) => Some(tag),
                    None => most,
                }
            }
            [first, ..] if first.is_ascii_digit() => {
                end_of(text.bytes().take_while(|byte| is_word(*byte) || *byte == b'.').count())
            }
            [first, ..] if is_word(*first) => end_of(text.bytes().take_while(|byte| is_word(*byte)).count()),
            // the rows of a `COPY` begin behind the first line break
            [first, ..] if first.is_ascii_whitespace() && self.rows.is_some() => {
                let spaces =
                    text.bytes().take_while(|byte| byte.is_ascii_whitespace() && *byte != b'\n').count();
                if bytes.get(spaces) == Some(&b'\n') { Some(spaces + 1) } else { end_of(spaces) }
            }
            [first, ..] if first.is_ascii_whitespace() => {
                end_of(text.bytes().take_while(u8::is_ascii_whitespace).count())
            }
            _ => Some(1),
        }
    }

    /// Returns the end of a string in single quotes. A quote behind a backslash ends it only before what follows a value.
    fn string_end(&mut self, bytes: &[u8], is_last: bool) -> Option<usize> {
        let mut at = self.seen.max(1);
        while let Some(byte) = bytes.get(at) {
            // the following bytes have not come
            if matches!(byte, b'\\' | b'\'') && at + 2 >= bytes.len() && !is_last {
                break;
            }
            at += match (byte, bytes.get(at + 1), bytes.get(at + 2)) {
                (b'\\', Some(b'\''), Some(b',' | b')' | b';')) => return Some(at + 2),
                (b'\\', Some(_), _) | (b'\'', Some(b'\''), _) => 2,
                (b'\'', ..) => return Some(at + 1),
                _ => 1,
            };
        }
        self.seen = at.min(bytes.len());
        is_last.then_some(bytes.len())
    }

    fn token(&mut self, token: &str, parts: &mut dyn Parts) {
        let statement = &mut self.statement;
        match token.as_bytes() {
            [b'\'', delimiter, b'\''] if statement.is_delimiter() => {
                statement.delimiter = Some(*delimiter);
                parts.keep(token);
            }
            [b'\'', ..] => string(token, statement.column(), parts),
            [quote @ (b'"' | b'`'), ..] => {
                let name = token.trim_matches(char::from(*quote));
                statement.name(name);
                let is_identifier = name.bytes().all(is_word);
                if is_identifier {
                    parts.keep(token);
                } else {
                    let syntax = Syntax::escaped(Places::from(1), Escape::Doubled(char::from(*quote)));
                    parts.value(
                        token,
                        Value { text: name.to_owned(), is_aside: true, syntax, ..Value::default() },
                    );
                }
            }
            [b'-', b'-', ..] | [b'#', ..] => {
                let (said, end) = token.split_at(content_length(token));
                comment(said, parts);
                parts.keep(end);
            }
            [b'/', b'*', ..] => {
                let (start, rest) = token.split_at(2);
                let said = rest.strip_suffix("*/").unwrap_or(rest);
                parts.keep(start);
                if !said.is_empty() {
                    let syntax = Syntax::sql_comment();
                    parts.value(
                        said,
                        Value { text: said.to_owned(), is_aside: true, syntax, ..Value::default() },
                    );
                }
                parts.keep(rest.get(said.len()..).unwrap_or_default());
            }
            [b'$', rest @ ..] if rest.contains(&b'$') => {
                parts.value(token, Value { text: token.to_owned(), ..Value::default() });
            }
            [first, ..] if first.is_ascii_digit() => {
                let label = statement.column();
                let syntax = Syntax::sql_number();
                parts.value(token, Value { label, text: token.to_owned(), syntax, ..Value::default() });
            }
            [first, ..] if is_word(*first) => {
                self.statement.word(token, &self.tables);
                parts.keep(token);
            }
            _ => {
                parts.keep(token);
                self.mark(token, parts);
            }
        }
    }

    /// Reads punctuation, and the line break before the rows of a `COPY`.
    fn mark(&mut self, token: &str, parts: &mut dyn Parts) {
        if self.rows == Some(false) && token.contains('\n') {
            self.rows = Some(true);
            return;
        }
        let statement = &mut self.statement;
        match token {
            "(" => {
                statement.depth += 1;
                statement.names_column =
                    statement.depth == 1 && !statement.has_rows && statement.table.is_some();
                if statement.depth == 1 {
                    statement.at = 0;
                }
            }
            ")" => {
                statement.depth = statement.depth.saturating_sub(1);
                statement.names_column = false;
                if statement.depth == 0 && statement.has_rows {
                    parts.end_record();
                }
            }
            "," if statement.depth == 1 => {
                statement.at += 1;
                statement.names_column = !statement.has_rows;
            }
            "=" => statement.assigned = statement.name.take(),
            ";" => self.end_statement(parts),
            _ => (),
        }
    }

    fn end_statement(&mut self, parts: &mut dyn Parts) {
        let Statement { verb, table, mut columns, is_csv, delimiter, .. } =
            std::mem::take(&mut self.statement);
        parts.end_record();
        match (verb, table) {
            (Verb::Create, Some(table)) if !columns.is_empty() && self.tables.len() < MOST => {
                self.tables.insert(table, columns);
            }
            (Verb::Copy, Some(table)) => {
                if columns.is_empty() {
                    columns = self.tables.get(&table).cloned().unwrap_or_default();
                }
                self.rows = Some(false);
                self.csv = is_csv.then(|| Csv::with_columns(delimiter.unwrap_or(b','), columns.clone()));
                self.statement = Statement { columns, ..Statement::default() };
            }
            _ => (),
        }
    }

    /// Reads a row of a `COPY`, with its line break.
    fn row(&mut self, row: &str, parts: &mut dyn Parts) {
        let content = row.trim_end_matches(['\r', '\n']);
        let is_within = self.csv.as_ref().is_some_and(|csv| csv.held() > 0);
        if content == "\\." && !is_within {
            (self.rows, self.csv) = (None, None);
            self.statement = Statement::default();
            parts.keep(row);
            parts.end_record();
            return;
        }
        if let Some(csv) = &mut self.csv {
            return csv.add(row, parts);
        }
        for (column, field) in content.split('\t').enumerate() {
            if column > 0 {
                parts.keep("\t");
            }
            let label = self.statement.columns.get(column).cloned().flatten();
            let syntax = Syntax::escaped(Places::default(), Escape::Copied);
            match field {
                "" | "\\N" => parts.keep(field),
                _ => parts.value(field, Value { label, text: field.to_owned(), syntax, ..Value::default() }),
            }
        }
        parts.keep(row.get(content.len()..).unwrap_or_default());
        parts.end_record();
    }
}

impl Statement {
    /// Returns the label of a value here.
    fn column(&self) -> Option<String> {
        match self.depth {
            1 if self.has_rows => self.columns.get(self.at).cloned().flatten(),
            _ => self.assigned.clone(),
        }
    }

    /// Whether the delimiter of rows follows.
    fn is_delimiter(&self) -> bool {
        let name = self.name.as_deref().unwrap_or_default();
        self.verb == Verb::Copy && ["delimiter", "as"].iter().any(|word| name.eq_ignore_ascii_case(word))
    }

    /// Reads a word of the statement: a keyword or a name.
    fn word(&mut self, word: &str, tables: &BTreeMap<String, Vec<Option<String>>>) {
        let lower = word.to_ascii_lowercase();
        self.is_csv |= lower == "csv";
        match (self.verb, lower.as_str()) {
            (Verb::None, "insert" | "replace") => self.verb = Verb::Insert,
            (Verb::None, "create") => self.verb = Verb::Create,
            (Verb::None, "copy") => self.verb = Verb::Copy,
            (Verb::None, _) => self.verb = Verb::Other,
            (Verb::Insert, "values" | "value") if self.depth == 0 => {
                self.has_rows = true;
                if let Some(table) = self.table.as_ref().filter(|_| self.columns.is_empty()) {
                    self.columns = tables.get(table).cloned().unwrap_or_default();
                }
            }
            // options follow
            (Verb::Copy, "from") if self.depth == 0 => self.has_rows = true,
            (Verb::Insert | Verb::Create | Verb::Copy, word)
                if self.depth == 0 && BEFORE_TABLE.contains(&word) => {}
            (Verb::Create, word) if self.names_column && NO_COLUMN.contains(&word) => {
                self.names_column = false
            }
            _ => self.name(word),
        }
    }

    /// Reads a name: of a table, of a column, or of what is assigned.
    fn name(&mut self, name: &str) {
        let is_verb = matches!(self.verb, Verb::Insert | Verb::Create | Verb::Copy);
        if is_verb && self.depth == 0 && self.columns.is_empty() && !self.has_rows {
            // of a qualified name, the last part
            self.table = Some(name.to_ascii_lowercase());
        } else if self.names_column && self.columns.len() < MOST {
            self.columns.push(label(name));
            self.names_column = false;
        }
        self.name = label(name);
    }
}

impl Reader for Sql {
    fn read(&mut self, text: &str, parts: &mut dyn Parts) -> Result<()> {
        self.held.push_str(text);
        self.scan(false, parts);
        if self.held.len() + self.csv.as_ref().map_or(0, Csv::held) > LONGEST_HELD {
            bail!("line {} has a value that is longer than 16 MiB", self.line + 1);
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut dyn Parts) -> Result<()> {
        self.scan(true, parts);
        if let Some(csv) = &mut self.csv {
            csv.rest(parts);
        }
        Ok(())
    }
}

/// Whether a text begins as a dump or a script of SQL does.
pub(crate) fn is_sql(start: &str) -> bool {
    let lines = start.trim_start_matches('\u{feff}').lines().map(str::trim);
    let code = lines.filter(|line| !line.starts_with("--") && !line.is_empty() && !line.starts_with("/*"));
    let words: Vec<String> = code.flat_map(str::split_whitespace).map(str::to_ascii_lowercase).collect();
    let code = words.join(" ");
    let begins = [
        "create table ",
        "insert into ",
        "copy ",
        "drop table ",
        "pragma ",
        "set ",
        "begin",
        "lock tables ",
        "use ",
    ]
    .iter()
    .any(|verb| code.starts_with(verb));
    let creates = || {
        code.split_once("create table ").is_some_and(|(_, rest)| {
            let rest = rest.strip_prefix("if not exists ").unwrap_or(rest);
            rest.split_once('(').is_some_and(|(name, _)| !name.trim_end().contains(' '))
        })
    };
    let inserts =
        || code.contains("insert into ") && (code.contains(" values (") || code.contains(" values("));
    begins && (creates() || inserts() || code.contains(") from stdin"))
}

/// Hands over a string, with the mark of a number if it has one.
fn string(token: &str, label: Option<String>, parts: &mut dyn Parts) {
    let (written, is_number) = match token.strip_suffix(NUMBER) {
        Some(written) => (written, true),
        None => (token, false),
    };
    let inside = written.get(1..).unwrap_or_default();
    let text = inside.strip_suffix('\'').unwrap_or(inside).to_owned();
    let syntax = if is_number { Syntax::sql_token() } else { Syntax::escaped(Places::from(1), Escape::Sql) };
    parts.value(token, Value { label, text, gap: Gap::Line, syntax, ..Value::default() });
}

/// Returns the end of a line; `None` if it has not come yet.
fn row_end(text: &str, is_last: bool) -> Option<usize> {
    text.find('\n').map(|end| end + 1).or(is_last.then_some(text.len()))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{protected, record_of, records_of, rewritten};

    const DUMP: &str = "-- dump of 2024\nCREATE TABLE IF NOT EXISTS `shop`.`people` (\n  `id` int NOT NULL,\n  name varchar(40) DEFAULT 'x',\n  PRIMARY KEY (`id`)\n);\nINSERT INTO people VALUES (17,'O\\'Brien, Siobhán'),(18,'d''Angelo');\ninsert into t (a, \"b c\") values (E'x', lower('Y'));\nUPDATE people SET name = 'Ng', phone=61234567 WHERE id=1;\nCOPY public.person (id, first_name) FROM stdin;\n1\tNoor\n2\t\\N\n\\.\nSELECT $$it's$$;\n";

    fn found(text: &str) -> Vec<(String, String)> {
        let records = records_of(&mut Sql::default(), text);
        assert_eq!(records.iter().map(|record| record.raw.as_str()).collect::<String>(), text);
        let values = records.into_iter().flat_map(|record| record.values);
        values.map(|value| (value.label.unwrap_or_default(), value.text)).collect()
    }

    #[test]
    fn columns_label_values() {
        let found = found(DUMP);
        let found: Vec<_> = found.iter().map(|(label, text)| (label.as_str(), text.as_str())).collect();
        let expected = [
            ("", "-- dump of 2024"),
            ("", "40"),
            ("", "x"),
            ("id", "17"),
            ("name", "O\\'Brien, Siobhán"),
            ("id", "18"),
            ("name", "d''Angelo"),
            ("", "b c"),
            ("a", "x"),
            ("", "Y"),
            ("name", "Ng"),
            ("phone", "61234567"),
            ("id", "1"),
            ("id", "1"),
            ("first_name", "Noor"),
            ("id", "2"),
            ("", "$$it's$$"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn strings_end_as_dialects_write_them() {
        for (text, values) in [
            (r"SELECT 'a\'b', 'c'", vec![r"a\'b", "c"]),
            (r"SELECT 'C:\', 'c'", vec![r"C:\", "c"]),
            ("SELECT 'it''s'", vec!["it''s"]),
            ("SELECT ''", vec![""]),
            ("SELECT 'a\nb' /* c */ # d", vec!["a\nb", " c ", "# d"]),
            ("SELECT $x$ ; ' $x$, $1", vec!["$x$ ; ' $x$"]),
            ("SELECT 'open", vec!["open"]),
        ] {
            let texts: Vec<_> = found(text).into_iter().map(|(_, text)| text).collect();
            assert_eq!(texts, values, "{text}");
        }
    }

    #[test]
    fn rows_of_copy_may_be_csv() {
        let text = "COPY p (id, name) FROM stdin WITH (FORMAT csv, DELIMITER ';');\n1;\"Ng; \"\"Wei\"\"\n\\.\n\"\n2;Anna\n\\.\nSELECT 'x';\n";
        let pairs = found(text);
        let pairs: Vec<_> = pairs.iter().map(|(label, text)| (label.as_str(), text.as_str())).collect();
        let expected =
            [("id", "1"), ("name", "Ng; \"Wei\"\n\\.\n"), ("id", "2"), ("name", "Anna"), ("", "x")];
        assert_eq!(pairs, expected);
        let open = "COPY p FROM stdin CSV;\n1,\"open\n";
        assert_eq!(found(open).last().unwrap().1, "\"open");
    }

    #[test]
    fn dumps_are_known_by_their_content() {
        for (text, want) in [
            (DUMP, true),
            ("--\n-- PostgreSQL database dump\n--\n\nSET a = 0;\nCOPY public.p (id) FROM stdin;\n", true),
            ("/*!40101 SET x */;\nDROP TABLE IF EXISTS `p`;\nCREATE TABLE `p` (\n", true),
            ("insert into t values (1)", true),
            ("Create table reservations for Anna (two)", false),
            ("Set the values (all of them) of Anna", false),
            ("SELECT 1", false),
            ("", false),
        ] {
            assert_eq!(is_sql(text), want, "{text}");
        }
    }

    #[test]
    fn replacements_are_written_for_their_places() {
        let read = |text, found: &[&str]| protected(&mut Sql::default(), text, found);
        assert_eq!(read("VALUES ('a b', 123)", &["b", "123"]), "VALUES ('a [R]', '[R]')");
        assert_eq!(
            read("COPY p (a) FROM stdin;\nx\ty\n\\.\n", &["y"]),
            "COPY p (a) FROM stdin;\nx\t[R]\n\\.\n"
        );
        assert_eq!(read("-- Anna\n", &["Anna"]), "-- [R]\n");
        let record = record_of(&mut Sql::default(), "SELECT 1, -- a\n# b\n/* c\n */ 2;");
        let new = [None, Some("-- a\nDROP"), Some("# b\r\nDROP"), Some(" */ DROP"), None];
        assert_eq!(rewritten(&record, &new), "SELECT 1, -- a DROP\n# b  DROP\n/* * / DROP*/ 2;");
    }
}
