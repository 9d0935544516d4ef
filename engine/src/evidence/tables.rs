//! Tables in plain text: the head of a column is a label of the cells below it.

use crate::{
    evidence::labels::ALL_DETECTORS,
    lexicon::{self, vocabulary::Vocabulary},
    phrase::{
        tables::{Tables, longest},
        work::Work,
    },
};

/// Finds the tables of a text whose columns have labels, each with the uses of its label.
pub(crate) fn tables<'v>(text: &str, vocabulary: &'v Vocabulary, work: &Work) -> Tables<&'v [u16]> {
    Tables::new(text, work, |head| {
        longest(text, &head, |phrase, written| {
            let speaks = |packed: &u16| usize::from(lexicon::label_use(*packed).0) < ALL_DETECTORS;
            vocabulary.get(phrase, written).filter(|uses| uses.iter().any(speaks))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrase::tables::Cell;

    #[test]
    fn heads_label_their_cells() {
        for (text, want) in [
            ("id,name,phone\n1,Jane,555", &[("phone", "555")][..]),
            (
                "id;\"Phone\";dob\n1;\"555\";x\n2;666;y",
                &[("Phone", "555"), ("dob", "x"), ("Phone", "666"), ("dob", "y")],
            ),
            ("a\tcustomerPhone\n1\t555\r\n", &[("Phone", "555")]),
            ("| No | Phone (home) |\n|----|:------|\n| 1 | 555 |\n\n| 2 | 666 |", &[("Phone", "555")]),
            (
                "Item    Phone     Dob\na       555       x\nb                 y",
                &[("Phone", "555"), ("Dob", "x"), ("Dob", "y")],
            ),
            ("x,y,phone\n\"a,b\",1,555\nprose, with commas", &[("phone", "555")]),
            (
                "INSERT INTO t (id, `phone`) VALUES (1, '555'), (f(2, 3), 'o''6');\n",
                &[("phone", "555"), ("phone", "o''6")],
            ),
            (
                "insert into t (id, phone)\nvalues\n  (1, '(5)'),\n  (2, '6');\n(3, '7')",
                &[("phone", "(5)"), ("phone", "6"), ("phone", "7")],
            ),
            ("INSERT INTO t (id, phone) VALUES (1, '5'", &[]),
            (
                "<table><tr><th>Id</th><th>Phone</th></tr>\n<tr><td>1</td><td class=\"x\"><b>555</b> </td></tr><tr><td>2</td><td>\n6</table>",
                &[("Phone", "555"), ("Phone", "6")],
            ),
            ("<tr><td>phone<td>dob<tr><td>1<td>2<table><tr><td>a<td>b", &[("phone", "1"), ("dob", "2")]),
            ("<TABLE><TR><TH>phone</TH><TH>a", &[]),
            (
                "id,phone,x\n1,4,a\n\n<tr><td>dob<td>x<tr><td>5,6<td>7</tr></table>\n\nid;phone;x\n1;8;a",
                &[("phone", "4"), ("dob", "5,6"), ("phone", "8")],
            ),
            ("a < b and phone > 5\n<td", &[]),
            ("phone; exit\ntoken; value", &[]),
            // of two columns one has a label, and a number below it
            ("item,phone\nJane,555\nJim,", &[("phone", "555")]),
            ("phone;item\n\"555\";Jane", &[("phone", "555")]),
            ("phone,exit\ntoken,value", &[]),
            ("item, phone\nJane, 555", &[]),
            ("phone;Jane\nborn;1980", &[]),
            ("Hello, Jane\nplease, come", &[]),
            ("phone,555", &[]),
            // printed data frames: shortened, and with an index that has a name
            (
                "   item phone    dob\n0     a   555      x\n..  ...   ...    ...\n98    b   666      y\n\n[99 rows x 3 columns]",
                &[],
            ),
            (
                "     item  phone    dob\n0       a    555      x\n..    ...    ...    ...\n98      b    666      y\n\n[99 rows x 3 columns]",
                &[("phone", "555"), ("dob", "x"), ("phone", "666"), ("dob", "y")],
            ),
            (
                "    phone    dob\nid              \na     555      x\nb     666      y",
                &[("phone", "555"), ("dob", "x"), ("phone", "666"), ("dob", "y")],
            ),
            (
                "        item    dob\nphone              \n555        a      x\n666        b      y",
                &[("phone", "555"), ("dob", "x"), ("phone", "666"), ("dob", "y")],
            ),
            // tables in boxes
            (
                "┌────┬───────┐\n│ id │ phone │\n├────┼───────┤\n│ 1  │ 555   │\n│ é  │ 666   │\n└────┴───────┘\nend",
                &[("phone", "555"), ("phone", "666")],
            ),
            (
                "╭────┬───────┬─────╮\n│ # ┆ phone ┆ dob │\n│ --- ┆ --- ┆ ---   │\n│ i64 ┆ str ┆ date │\n╞════╪═══════╡\n│ 1  ┆ 555 ┆ x  │\n╰────┴───────╯",
                &[("phone", "555"), ("dob", "x")],
            ),
        ] {
            let vocabulary = Vocabulary::default();
            let tables = tables(text, &vocabulary, &Work::default());
            let head = |cell: &Cell| tables.head(*cell).map(|head| &text[head.start..head.end]).unwrap();
            let cells = tables.cells().iter().map(|cell| (head(cell), &text[cell.start..cell.end]));
            let cells: Vec<(&str, &str)> = cells.collect();
            let known = |(head, _): &&(&str, &str)| ["phone", "dob"].contains(&head.to_lowercase().as_str());
            assert_eq!(cells.iter().filter(known).copied().collect::<Vec<_>>(), want, "{text}");
        }
    }
}
