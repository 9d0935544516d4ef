//! The table of layouts.

use std::{collections::BTreeMap, fmt::Write as _};

use textveil_schema::file::{Entry, File, Label};

use crate::{
    catalogue::{
        layouts::{Fit, Layouts, Written},
        shape::{self, Signature, Symbol},
    },
    write::{Output, check_lengths, constant_table, hundredths},
};

impl Output {
    /// Writes the table of layouts, unless code optimised for size builds it at run time.
    pub(crate) fn layouts(&mut self, entries: &[Entry]) {
        // signature → its symbols, to detect collisions
        let mut known: BTreeMap<Signature, Vec<Symbol>> = BTreeMap::new();
        for Entry { name, file, .. } in entries {
            for shape in file.shapes.iter().chain(&file.labelled) {
                let layouts = shape::expand(shape);
                for layout in layouts.unwrap_or_else(|error| panic!("{name}: shape {shape} {error}")) {
                    let mut signature = Signature::EMPTY;
                    for (at, symbol) in layout.symbols.iter().enumerate() {
                        signature = signature.with(*symbol);
                        let symbols = &layout.symbols[..=at];
                        let known = known.entry(signature).or_insert_with(|| symbols.to_vec());
                        assert_eq!(known, symbols, "two layouts have one signature; change its constants");
                    }
                }
            }
        }
        let layouts = Layouts::new(entries.iter().map(|Entry { file, .. }| {
            let [shapes, labelled] = shapes(file).map(|shapes| &*shapes.leak());
            Written { shapes, labelled, prior: file.prior.map(hundredths) }
        }));
        assert!(
            layouts.literals.len() <= 256 && layouts.priors.len() <= 256,
            "too many for the indexes of `Fit`"
        );
        assert!(known.keys().all(|signature| layouts.fits(*signature).is_some()), "a layout is not found");
        check_lengths(&layouts.table);
        if self.small {
            return;
        }
        let fit = |fit: &Fit| {
            let Fit { packed, prior, literal } = fit;
            format!(
                "crate::catalogue::layouts::Fit {{ packed: {packed}, prior: {prior}, literal: {literal} }}"
            )
        };
        let Layouts { table, literals, priors } = layouts;
        let table = constant_table(&table, self.small, fit);
        writeln!(
            self.text,
            "static LAYOUTS: Layouts = Layouts {{ table: {table}, literals: &{literals:?}, priors: &{priors:?} }};"
        )
        .unwrap();
    }
}

/// Returns the shapes of a file without a label, and those that need one.
pub(crate) fn shapes(file: &File) -> [String; 2] {
    let (shapes, labelled) = (file.shapes.join("\n"), file.labelled.join("\n"));
    match file.label {
        Label::Optional => [shapes, labelled],
        Label::Required => [String::new(), [shapes, labelled].join("\n").trim().to_owned()],
    }
}
