//! Orders the functions of a WebAssembly module so that it compresses well.
//!
//! gzip finds repeats within 32 kB. The linker places functions by crate, so similar ones are far apart. Each function
//! follows those that it has most sequences of bytes in common with. The core of a page shrinks by one
//! hundredth; the module of names, which is mostly data, does not.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    convert::Infallible,
};

use anyhow::{Context, Result, anyhow};
use wasm_encoder::{
    CodeSection, FunctionSection, Module,
    reencode::{Error, Reencode, utils},
};
use wasmparser::{CodeSectionReader, FunctionSectionReader, Parser, Payload, TypeRef};

/// The length of the sequences that are compared, in bytes.
const SEQUENCE: usize = 5;
/// Sequences in more functions are compressed in any order.
const COMMON: usize = 200;
/// The number of functions before a function that it is compared with.
const RECENT: usize = 6;
/// Added to the length of a function, so that short ones do not always come first.
const SHORT: f64 = 60.0;

/// Returns the module with its functions in another order, which depends on its bytes only.
///
/// # Errors
/// If the bytes are not a module.
pub fn ordered(module: &[u8]) -> Result<Vec<u8>> {
    let (imported, bodies) = read(module)?;
    let order = order(&bodies);
    let mut indices: Vec<u32> = (0..imported).collect();
    indices.resize(imported as usize + order.len(), 0);
    for (old, new) in order.iter().zip(imported..) {
        *indices.get_mut(imported as usize + *old).context("each function has one place")? = new;
    }
    let mut encoded = Module::new();
    let mut renumbered = Renumbered { order: &order, indices: &indices };
    renumbered.parse_core_module(&mut encoded, Parser::new(0), module).map_err(|error| anyhow!("{error}"))?;
    Ok(encoded.finish())
}

/// Returns the number of imported functions, and the bodies of the others.
fn read(module: &[u8]) -> Result<(u32, Vec<&[u8]>)> {
    let mut imported = 0;
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            _ => {}
        }
    }
    Ok((imported, bodies))
}

/// Returns the places of the bodies in their new order.
fn order(bodies: &[&[u8]]) -> Vec<usize> {
    let mut users: HashMap<&[u8], Vec<usize>> = HashMap::new();
    let sequences: Vec<HashSet<&[u8]>> = bodies.iter().map(|body| body.windows(SEQUENCE).collect()).collect();
    for (place, sequences) in sequences.iter().enumerate() {
        for sequence in sequences {
            users.entry(sequence).or_default().push(place);
        }
    }
    users.retain(|_, users| (2..COMMON).contains(&users.len()));
    // the parts that each body has in common with the recent ones, the more the rarer
    let mut common = vec![0_u64; bodies.len()];
    let change = |common: &mut Vec<u64>, place: usize, sign: fn(u64, u64) -> u64| {
        for sequence in sequences.get(place).into_iter().flatten() {
            let Some(users) = users.get(sequence) else { continue };
            // in whole numbers, whose sums do not depend on the order of a set
            let weight = 1_000_000 / users.len() as u64;
            for user in users {
                if let Some(common) = common.get_mut(*user) {
                    *common = sign(*common, weight);
                }
            }
        }
    };
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    let mut ordered = Vec::with_capacity(bodies.len());
    let mut recent = VecDeque::new();
    while !left.is_empty() {
        let score = |place: usize| {
            let length = bodies.get(place).map_or(0, |body| body.len());
            let common = common.get(place).copied().unwrap_or_default();
            match ordered.is_empty() {
                // the longest function is the first one
                true => length as f64,
                false => common as f64 / (length as f64 + SHORT),
            }
        };
        let mut best = 0;
        for (index, place) in left.iter().enumerate() {
            if left.get(best).is_some_and(|best| score(*place) > score(*best)) {
                best = index;
            }
        }
        let place = left.remove(best);
        change(&mut common, place, |common, weight| common + weight);
        ordered.push(place);
        recent.push_back(place);
        if recent.len() > RECENT
            && let Some(old) = recent.pop_front()
        {
            change(&mut common, old, |common, weight| common - weight);
        }
    }
    ordered
}

/// Writes a module with its functions in another order.
struct Renumbered<'o> {
    /// The places of the functions in their new order, without the imported ones.
    order: &'o [usize],
    /// The new index of each function, with the imported ones.
    indices: &'o [u32],
}

impl Renumbered<'_> {
    fn in_order<T: Clone>(&self, items: &[T]) -> Vec<T> {
        self.order.iter().filter_map(|place| items.get(*place).cloned()).collect()
    }
}

impl Reencode for Renumbered<'_> {
    type Error = Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32, Error> {
        let new = self.indices.get(index as usize);
        Ok(new.copied().unwrap_or_else(|| utils::function_index(self, index)))
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        let types = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        for kind in self.in_order(&types) {
            functions.function(self.type_index(kind)?);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        let bodies = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        self.in_order(&bodies).into_iter().try_for_each(|body| self.parse_function_body(code, body))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use wasm_encoder::{
        EntityType, ExportKind, ExportSection, Function, ImportSection, TypeSection, ValType,
    };
    use wasmparser::Validator;

    use super::*;

    /// A module with an imported function, and functions that return numbers; each is exported by its number.
    fn module(numbers: &[i64]) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        types.ty().function([], [ValType::I64]);
        let mut imports = ImportSection::new();
        imports.import("host", "call", EntityType::Function(0));
        let (mut functions, mut exports) = (FunctionSection::new(), ExportSection::new());
        let mut code = CodeSection::new();
        for (index, number) in (1..).zip(numbers) {
            functions.function(1);
            exports.export(&number.to_string(), ExportKind::Func, index);
            let mut body = Function::new([]);
            body.instructions().call(0).i64_const(*number).end();
            code.function(&body);
        }
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&exports).section(&code);
        module.finish()
    }

    /// The bodies of the exported functions, by name.
    fn exported(module: &[u8]) -> BTreeMap<String, Vec<u8>> {
        let (imported, bodies) = read(module).unwrap();
        let exports = Parser::new(0).parse_all(module).find_map(|payload| match payload.unwrap() {
            Payload::ExportSection(exports) => Some(exports),
            _ => None,
        });
        let named = exports.unwrap().into_iter().map(|export| {
            let export = export.unwrap();
            (export.name.to_owned(), bodies[(export.index - imported) as usize].to_vec())
        });
        named.collect()
    }

    #[test]
    fn similar_functions_are_neighbours_and_keep_their_names() {
        let numbers = [0x1111_1111_1111, 0x2222_2222_2222_2222, 0x1111_1111_1112, 0x2222_2222_2222_2221];
        let before = module(&numbers);
        let after = ordered(&before).unwrap();
        Validator::new().validate_all(&after).unwrap();
        assert_eq!(exported(&after), exported(&before));
        assert_eq!(order(&read(&before).unwrap().1), [1, 3, 0, 2]);
        assert_eq!(after, ordered(&before).unwrap(), "the same bytes");
    }

    #[test]
    fn what_is_no_module_is_rejected() {
        assert!(ordered(b"text").is_err());
    }
}
