//! Holds `js/types.ts` to the engine's types: it is written from their source, with their docs, answers as serde
//! writes them and requests as their JSON Schema has them. `BLESS=1 cargo test -p textveil-js` rewrites it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::indexing_slicing,
    reason = "a test"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::Path,
};

use syn::{
    Attribute, Expr, Field, Fields, FnArg, GenericArgument, ImplItem, Item, Lit, Meta, PathArguments, Token,
    Type, punctuated::Punctuated,
};

/// What the verbs take and give; every type that these reach is written.
const ROOTS: [&str; 9] = [
    "DetectOptions",
    "ProtectOptions",
    "ValidateRequest",
    "DetectResponse",
    "DetectBatchResponse",
    "ProtectResponse",
    "RestoreResponse",
    "ValidateResponse",
    "DetectorsResponse",
];

/// The files of the engine with what crosses the wire.
const SOURCES: [&str; 4] = ["options.rs", "schema.rs", "entity.rs", "wire.rs"];

/// Options of protection and of detection are in one object.
const EXTENDS: [(&str, &str); 1] = [("ProtectOptions", "DetectOptions")];

/// Fields that the engine writes as strings of a known set.
const NAMED: [((&str, &str), &str); 11] = [
    (("DetectOptions", "entities"), "EntityType[]"),
    (("DetectOptions", "exclude_entities"), "EntityType[]"),
    (("ValidateRequest", "entity_type"), "EntityType"),
    (("ValidateResponse", "entity_type"), "EntityType"),
    (("DetectedEntity", "kind"), "EntityType"),
    (("Condition", "entity_types"), "EntityType[]"),
    (("Condition", "exclude_entity_types"), "EntityType[]"),
    (("DetectorInfo", "entity_type"), "EntityType"),
    (("DetectResponse", "privacy_preset"), "Preset"),
    (("ProtectResponse", "protection_mode"), "Mode"),
    (("DetectorInfo", "category"), "Category"),
];

/// Variants that a caller cannot send.
const REFUSED: [(&str, &str); 1] = [("Check", "Function")];

/// Types whose serialisation is written by hand.
const BY_HAND: [(&str, &str); 1] = [("Metadata", "Record<string, Fact>")];

#[test]
fn types_are_those_of_the_engine() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("js/types.ts");
    let wanted = generate();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "js/types.ts is not what the engine has; run BLESS=1 cargo test -p textveil-js");
}

#[test]
fn the_package_has_the_version_of_the_workspace() {
    let manifest: serde_json::Value = serde_json::from_str(include_str!("../js/package.json")).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["license"], "Apache-2.0");
}

fn generate() -> String {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/api");
    let (mut items, mut requests) = (BTreeMap::new(), BTreeSet::new());
    for source in SOURCES {
        let file = syn::parse_file(&fs::read_to_string(engine.join(source)).unwrap()).unwrap();
        for item in file.items {
            if let Item::Impl(item) = &item
                && item.items.iter().any(reads)
            {
                requests.insert(path(&item.self_ty).0);
            }
            let (name, attributes) = match &item {
                Item::Struct(item) => (item.ident.to_string(), &item.attrs),
                Item::Enum(item) => (item.ident.to_string(), &item.attrs),
                _ => continue,
            };
            let derives = derives(attributes);
            if derives.iter().any(|derive| derive == "Serialize" || derive == "JsonSchema") {
                assert!(items.insert(name.clone(), item).is_none(), "{name} is defined twice");
            }
        }
    }
    let mut writer =
        Writer { items, requests, written: Vec::new(), wanted: ROOTS.map(str::to_owned).to_vec() };
    let mut out =
        "// Written from the engine's types by test/types.rs, which says how to renew it.\n".to_owned();
    while let Some(name) = writer.wanted.first().cloned() {
        writer.wanted.remove(0);
        if !writer.written.contains(&name) {
            out.push_str(&writer.item(&name));
            writer.written.push(name);
        }
    }
    out
}

/// Whether a function reads a request, from its tree or from the fields of one.
fn reads(item: &ImplItem) -> bool {
    let ImplItem::Fn(function) = item else { return false };
    function.sig.inputs.iter().any(|input| match input {
        FnArg::Typed(input) => match &*input.ty {
            Type::Reference(given) if matches!(&*given.elem, Type::Path(_)) => {
                ["Tree", "Fields"].contains(&path(&given.elem).0.as_str())
            }
            _ => false,
        },
        FnArg::Receiver(_) => false,
    })
}

struct Writer {
    items: BTreeMap<String, Item>,
    /// Those that are read.
    requests: BTreeSet<String>,
    written: Vec<String>,
    wanted: Vec<String>,
}

impl Writer {
    fn item(&mut self, name: &str) -> String {
        if let Some((_, definition)) = BY_HAND.iter().find(|(by_hand, _)| *by_hand == name) {
            self.wanted.push("Fact".to_owned());
            return format!("\n/** Facts by name. */\nexport type {name} = {definition};\n");
        }
        if name == "EntityType" {
            return entity_types();
        }
        let item = self.items.get(name).cloned();
        match item.unwrap_or_else(|| panic!("{name} is not one of the engine's serde types")) {
            Item::Struct(item) => self.interface(name, &item),
            Item::Enum(item) => self.union(name, &item),
            _ => unreachable!("only structs and enums are kept"),
        }
    }

    fn interface(&mut self, name: &str, item: &syn::ItemStruct) -> String {
        let request = self.requests.contains(name);
        let all_optional = rules(&item.attrs).contains_key("default");
        let mut parent =
            EXTENDS.iter().find(|(child, _)| *child == name).map(|(_, parent)| (*parent).to_owned());
        let mut body = String::new();
        for field in &item.fields {
            if rules(&field.attrs).contains_key("flatten") {
                match option(&field.ty) {
                    // its fields are there or not, together
                    Some(inner) => body.push_str(&self.inlined(&inner)),
                    None => parent = Some(self.typescript(&field.ty)),
                }
            } else {
                body.push_str(&docs(&field.attrs, "  "));
                let _ = writeln!(body, "  {};", self.member(name, field, request, all_optional));
            }
        }
        let extends = parent.map(|parent| format!(" extends {parent}")).unwrap_or_default();
        format!("\n{}export interface {name}{extends} {{\n{body}}}\n", docs(&item.attrs, ""))
    }

    /// A field as a member of an object type: whether it may be absent or null, and its type.
    fn member(&mut self, owner: &str, field: &Field, request: bool, all_optional: bool) -> String {
        let rules = rules(&field.attrs);
        let sent = rules.get("with").filter(|_| request).map(|kind| syn::parse_str(kind).unwrap());
        let kind = sent.unwrap_or_else(|| field.ty.clone());
        let inner = option(&kind);
        let optional = if request {
            all_optional || rules.contains_key("default")
        } else {
            rules.contains_key("skip_serializing_if")
        };
        let named = NAMED.iter().find(|((of, name), _)| *of == owner && ident(field) == *name);
        let kind = match named {
            Some((_, named)) => {
                self.wanted.push(named.trim_end_matches("[]").to_owned());
                (*named).to_owned()
            }
            None => self.typescript(inner.as_ref().unwrap_or(&kind)),
        };
        let name = rules.get("rename").cloned().unwrap_or_else(|| ident(field));
        // an option may be given as `undefined`, also where a compiler tells that from an absent one
        let absent = match (request && optional, inner.is_some() && !optional) {
            (true, _) => " | undefined",
            (_, true) => " | null",
            _ => "",
        };
        format!("{name}{}: {kind}{absent}", if optional { "?" } else { "" })
    }

    /// The fields of a flattened struct, each optional.
    fn inlined(&mut self, kind: &Type) -> String {
        let name = path(kind).0;
        let Some(Item::Struct(item)) = self.items.get(&name).cloned() else { panic!("{name} is no struct") };
        let fields = item.fields.iter().map(|field| {
            format!("{}  {}?: {};\n", docs(&field.attrs, "  "), ident(field), self.typescript(&field.ty))
        });
        fields.collect()
    }

    fn union(&mut self, name: &str, item: &syn::ItemEnum) -> String {
        let rules = rules(&item.attrs);
        let case = rules.get("rename_all").cloned().unwrap_or_default();
        let mut body = String::new();
        for variant in item
            .variants
            .iter()
            .filter(|variant| !REFUSED.iter().any(|refused| *refused == (name, &variant.ident.to_string())))
        {
            let value = renamed(&variant.ident.to_string(), &case);
            let alternative = match (&variant.fields, rules.get("tag")) {
                (Fields::Unit, None) => format!("\"{value}\""),
                (Fields::Unit, Some(tag)) => format!("{{ {tag}: \"{value}\" }}"),
                (Fields::Unnamed(fields), tag) if fields.unnamed.len() == 1 => {
                    let inner = self.typescript(&fields.unnamed[0].ty);
                    match tag {
                        Some(tag) => format!("({{ {tag}: \"{value}\" }} & {inner})"),
                        None if rules.contains_key("untagged") => inner,
                        None => format!("{{ {value}: {inner} }}"),
                    }
                }
                (Fields::Named(fields), Some(tag)) => {
                    let members = fields.named.iter().map(|field| self.member(name, field, true, false));
                    let members: Vec<_> =
                        std::iter::once(format!("{tag}: \"{value}\"")).chain(members).collect();
                    format!("{{ {} }}", members.join("; "))
                }
                _ => panic!("{name} has a variant of a kind that this generator does not know"),
            };
            let _ = write!(body, "\n{}  | {alternative}", docs(&variant.attrs, "  "));
        }
        format!("\n{}export type {name} ={body};\n", docs(&item.attrs, ""))
    }

    fn typescript(&mut self, kind: &Type) -> String {
        match kind {
            Type::Reference(reference) => return self.typescript(&reference.elem),
            Type::Slice(slice) => return format!("{}[]", self.typescript(&slice.elem)),
            _ => {}
        }
        let (name, arguments) = path(kind);
        match (name.as_str(), arguments.as_slice()) {
            ("String" | "str" | "char", _) => "string".to_owned(),
            ("bool", _) => "boolean".to_owned(),
            ("f64" | "usize" | "i8" | "u8" | "i16" | "u16" | "u32" | "i64" | "u64", _) => "number".to_owned(),
            ("Cow" | "Box", [inner]) => self.typescript(inner),
            ("Option", [inner]) => format!("{} | null", self.typescript(inner)),
            ("Vec", [inner]) => format!("{}[]", self.typescript(inner)),
            ("BTreeMap", [_, inner]) => format!("Record<string, {}>", self.typescript(inner)),
            _ => {
                self.wanted.push(name.clone());
                name
            }
        }
    }
}

/// The types of the catalogue, and those that are not in it.
fn entity_types() -> String {
    let detectors = textveil_engine::detectors(None);
    let mut types: BTreeSet<&str> = detectors.iter().map(|detector| detector.entity_type).collect();
    // protection's name of `phone_number`, and the type of a deny list without one
    types.extend(["phone", "deny_list"]);
    let mut out = "\n/** A type of the catalogue. */\nexport type KnownEntityType =".to_owned();
    for kind in types {
        let _ = write!(out, "\n  | \"{kind}\"");
    }
    out + ";\n\n/** The type of a finding: one of the catalogue, an alias of it, or one of the caller's own. */\n\
           export type EntityType = KnownEntityType | (string & {});\n"
}

/// The last segment of a type's path, and its type arguments.
fn path(kind: &Type) -> (String, Vec<Type>) {
    let Type::Path(path) = kind else { panic!("a type of a kind that this generator does not know") };
    let last = path.path.segments.last().unwrap();
    let arguments = match &last.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().filter_map(|argument| match argument {
            GenericArgument::Type(inner) => Some(inner.clone()),
            _ => None,
        }),
        _ => return (last.ident.to_string(), Vec::new()),
    };
    (last.ident.to_string(), arguments.collect())
}

fn option(kind: &Type) -> Option<Type> {
    let Type::Path(_) = kind else { return None };
    let (name, mut arguments) = path(kind);
    (name == "Option").then(|| arguments.remove(0))
}

fn ident(field: &Field) -> String {
    field.ident.as_ref().expect("only structs with named fields cross the wire").to_string()
}

fn derives(attributes: &[Attribute]) -> Vec<String> {
    let derives = metas(attributes).into_iter().filter(|meta| meta.path().is_ident("derive"));
    let names = derives.flat_map(|meta| list(&meta));
    names.filter_map(|meta| Some(meta.path().segments.last()?.ident.to_string())).collect()
}

/// The arguments of the attributes of serde and schemars; those without a string have an empty one.
fn rules(attributes: &[Attribute]) -> BTreeMap<String, String> {
    let ours = |meta: &Meta| meta.path().is_ident("serde") || meta.path().is_ident("schemars");
    let rules = metas(attributes).into_iter().filter(ours).flat_map(|meta| list(&meta));
    let rule = |meta: Meta| {
        let value = match &meta {
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => text.value(),
                    _ => String::new(),
                },
                _ => String::new(),
            },
            _ => String::new(),
        };
        Some((meta.path().get_ident()?.to_string(), value))
    };
    rules.filter_map(rule).collect()
}

/// The attributes, also those that stand under a condition.
fn metas(attributes: &[Attribute]) -> Vec<Meta> {
    let under = |attribute: &Attribute| match attribute.path().is_ident("cfg_attr") {
        true => list(&attribute.meta).into_iter().skip(1).collect(),
        false => vec![attribute.meta.clone()],
    };
    attributes.iter().flat_map(under).collect()
}

/// The text in the brackets of an attribute.
fn list(meta: &Meta) -> Vec<Meta> {
    let Meta::List(meta) = meta else { return Vec::new() };
    let all = meta.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    all.map(|all| all.into_iter().collect()).unwrap_or_default()
}

fn renamed(variant: &str, case: &str) -> String {
    match case {
        "UPPERCASE" => variant.to_uppercase(),
        "snake_case" => {
            let mut name = String::new();
            for (at, letter) in variant.char_indices() {
                if at > 0 && letter.is_uppercase() {
                    name.push('_');
                }
                name.extend(letter.to_lowercase());
            }
            name
        }
        "" => variant.to_owned(),
        other => panic!("rename_all = {other:?} is unknown to this generator"),
    }
}

/// The doc comment, without the brackets of Rust's links.
fn docs(attributes: &[Attribute], indent: &str) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value().trim().replace("[`", "`").replace("`]", "`")),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
        .collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let body: String =
                lines.iter().map(|line| format!("{indent} * {line}\n").replace("* \n", "*\n")).collect();
            format!("{indent}/**\n{body}{indent} */\n")
        }
    }
}
