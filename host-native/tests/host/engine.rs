//! The engine component from Rust, through wasmtime: it has no imports, and its answers equal the engine's.

use std::{path::PathBuf, time::Duration};

use textveil::{DetectOptions, Engine, Error, Key, Limits, ProtectOptions};
use textveil_engine::{Fact, Keyring};

const TEXT: &str = "Žofie 🦀, RČ 800101/1238, tel. +420 601 123 456, zofie@example.cz, PESEL 44051401359, \
                    IBAN DE89 3704 0044 0532 0130 00, EMP-1234.";
const SECRET: [u8; 32] = [7; 32];

fn component() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../dist/textveil-engine.wasm");
    std::fs::read(path)
        .expect("dist/textveil-engine.wasm: build it with `cargo xtask build --only component`")
}

/// The outermost custom sections of a component.
fn custom_sections(file: &str) -> Vec<(String, Vec<u8>)> {
    use wasmparser::{Parser, Payload};
    let bytes = std::fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../dist").join(file)).unwrap();
    let (mut sections, mut depth) = (Vec::new(), 0);
    for payload in Parser::new(0).parse_all(&bytes) {
        match payload.unwrap() {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::CustomSection(section) if depth == 0 => {
                sections.push((section.name().to_owned(), section.data().to_vec()));
            }
            _ => {}
        }
    }
    sections
}

#[test]
fn what_is_published_has_its_documentation() {
    for (file, said) in [
        ("textveil-engine.wasm", "finds personal data in text"),
        // optimised after its documentation was added
        ("middleware.wasm", "Protects personal data in what passes"),
        ("api.wasm", "Textveil's service"),
    ] {
        let sections = custom_sections(file);
        let find = |name: &str| {
            let found = sections.iter().find(|(known, _)| known == name).map(|(_, data)| data);
            String::from_utf8_lossy(found.unwrap_or_else(|| panic!("{file} has no {name}"))).into_owned()
        };
        assert!(find("package-docs").contains(said), "{file}: {}", find("package-docs"));
        assert!(find("description").contains(said) && find("licenses") == "Apache-2.0", "{file}");
    }
    let package = custom_sections("textveil-engine.wit.wasm");
    let (_, docs) = package.iter().find(|(name, _)| name == "package-docs").unwrap();
    let docs = String::from_utf8_lossy(docs).into_owned();
    for said in
        ["A text that is protected while it arrives", "Unicode scalar values", "Checksum and structure hold"]
    {
        assert!(docs.contains(said), "{said}");
    }
}

fn engine() -> Engine {
    Engine::from_bytes(&component(), Limits::default()).unwrap()
}

fn keys() -> Vec<Key> {
    vec![Key { version: 3, secret: SECRET.to_vec() }]
}

fn detection(json: &str) -> DetectOptions {
    serde_json::from_str(json).unwrap()
}

fn protection(json: &str) -> ProtectOptions {
    serde_json::from_str(json).unwrap()
}

/// Returns the imports and exports of the component itself.
fn interface(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    use wasmparser::{Parser, Payload};
    let (mut imports, mut exports, mut depth) = (Vec::new(), Vec::new(), 0);
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.unwrap() {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::ComponentImportSection(section) if depth == 0 => {
                imports.extend(section.into_iter().map(|import| format!("{:?}", import.unwrap().name)));
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                exports.extend(section.into_iter().map(|export| export.unwrap().name.name.to_owned()));
            }
            _ => (),
        }
    }
    (imports, exports)
}

#[test]
fn it_imports_nothing_and_exports_its_interfaces() {
    let (imports, exports) = interface(&component());
    assert!(imports.is_empty(), "the component imports {imports:?}");
    let expected = ["types", "detection", "validation", "protection", "streaming"];
    assert_eq!(exports, expected.map(|name| format!("textveil:engine/{name}@1.0.0")));
}

#[test]
fn the_test_above_sees_imports() {
    let bytes = wat("(component (import \"a\" (func)) (import \"b:c/d\" (instance)))");
    assert_eq!(interface(&bytes).0.len(), 2);
}

#[test]
fn a_person_is_found() {
    let found = engine().detect("PESEL 44051401359", &DetectOptions::default()).unwrap();
    let [pesel] = found.entities.as_slice() else { panic!("{} findings", found.entities.len()) };
    assert_eq!((pesel.kind.as_ref(), pesel.original.as_str()), ("pesel", "44051401359"));
    assert_eq!(pesel.country.unwrap().upper(), "PL");
    assert!(pesel.validated);
    let fact = |name| pesel.metadata.get(name).cloned();
    assert_eq!(fact("birth_date"), Some(Fact::Text("1944-05-14".into())));
    assert_eq!(fact("gender"), Some(Fact::Text("male".into())));
    assert_eq!(fact("checksum_valid"), Some(Fact::Flag(true)));
}

#[test]
fn it_detects_as_the_engine_does() {
    let component = engine();
    for options in [
        "{}",
        r#"{"offset_unit": "utf16", "explain": true}"#,
        r#"{"offset_unit": "byte", "privacy_preset": "aggressive", "country": "de", "language": "de"}"#,
        r#"{"entities": ["EMAIL_ADDRESS", "iban"], "min_confidence": 0.2}"#,
        r#"{"exclude_entities": ["email"], "allow_list": [{"value": "44051401359"}, {"regex": "^DE.*"}, {"domain": "example.cz"}]}"#,
        r#"{"deny_list": [{"value": "žofie", "type": "name"}, {"value": "tel"}], "privacy_preset": "conservative"}"#,
        r#"{"custom_detectors": [{"name": "employee", "pattern": "EMP-[0-9]{4}", "context": ["tel"], "confidence": 0.9, "category": "business"}]}"#,
        r#"{"custom_detectors": [{"name": "birth", "shapes": ["d6/d4"], "check": {"rule": "all", "checks": [
            {"rule": "integer", "modulus": 11},
            {"rule": "any", "checks": [{"rule": "none"}, {"rule": "weighted", "weights": [1, 2], "modulus": 7, "cyclic": true}]},
            {"rule": "by_length", "lengths": {"10": {"rule": "part", "from": 0, "to": -1, "check": {"rule": "none"}}}}]}}],
            "explain": true}"#,
    ] {
        let options = detection(options);
        let native = textveil_engine::detect(TEXT, &options).unwrap();
        assert_eq!(component.detect(TEXT, &options).unwrap(), native, "{options:?}");
        assert!(!native.entities.is_empty(), "{options:?}");
        let batch = [TEXT, "nothing", "zofie@example.cz"];
        let native = textveil_engine::detect_batch(&batch, &options).unwrap();
        assert_eq!(component.detect_batch(&batch, &options).unwrap(), native, "{options:?}");
    }
}

#[test]
fn it_lists_and_validates_as_the_engine_does() {
    let component = engine();
    for country in [None, Some("PL"), Some("XX"), Some("poland")] {
        assert_eq!(component.detectors(country).unwrap(), textveil_engine::detectors(country), "{country:?}");
    }
    for (value, kind, country) in [
        ("44051401359", "pesel", None),
        ("44051401358", "PESEL", Some("pl")),
        ("800101/1238", "rodne_cislo", Some("SK")),
        ("zofie@example.cz", "email", None),
        ("x", "iban", None),
    ] {
        let native = textveil_engine::validate(value, kind, country).unwrap();
        assert_eq!(component.validate(value, kind, country).unwrap(), native, "{value} {kind}");
    }
}

#[test]
fn it_protects_and_restores_as_the_engine_does() {
    let component = engine();
    let ring = Keyring::new(3, &SECRET).unwrap();
    for options in [
        "{}",
        r#"{"mode": "mask"}"#,
        r#"{"mode": "hash"}"#,
        r#"{"mode": "tokenize"}"#,
        r##"{"operators": {"iban": {"mode": "mask", "mask_char": "#", "keep_first": 2, "keep_last": 4}, "email": {"mode": "replace", "new_value": "<mail>"}}}"##,
        r#"{"mode": "policy", "default_action": "FLAG", "policies": [
            {"name": "cz", "priority": 2, "action": "TOKENIZE", "conditions": [{"countries": ["CZ"], "validated": true}]},
            {"name": "contact", "action": "HASH", "conditions": [{"categories": ["contact"], "confidence_min": 0.5, "min_count": 1, "exclude_entity_types": ["email"]}]},
            {"name": "rest", "action": "REDACT", "is_default": true, "conditions": [{"entity_types": ["pesel"]}]}]}"#,
    ] {
        let options = protection(options);
        let detection = DetectOptions::default();
        let native = textveil_engine::protect(TEXT, &detection, &options, Some(&ring)).unwrap();
        let protected = component.protect(TEXT, &detection, &options, &keys()).unwrap();
        assert!(protected == native, "{options:?}");
        let restored = component.restore(&protected.text, &keys()).unwrap();
        assert!(restored == textveil_engine::restore(&native.text, &ring).unwrap(), "{options:?}");
    }
}

#[test]
fn a_key_can_be_replaced() {
    let component = engine();
    let (detection, options) = (DetectOptions::default(), protection(r#"{"mode": "tokenize"}"#));
    let old = component.protect(TEXT, &detection, &options, &keys()).unwrap().text;
    let rotated = [Key { version: 4, secret: vec![9; 32] }, keys().remove(0)];
    let new = component.protect(TEXT, &detection, &options, &rotated).unwrap().text;
    assert_ne!(new, old);
    for text in [&old, &new] {
        let restored = component.restore(text, &rotated).unwrap();
        assert_eq!((restored.text.as_str(), restored.unknown), (TEXT, 0));
    }
    let restored = component.restore(&new, &keys()).unwrap();
    assert_eq!((restored.text, restored.restored), (new, 0));
}

#[test]
fn it_refuses_as_the_engine_does() {
    let component = engine();
    let long = "a".repeat(50_001);
    for (text, options) in [
        ("", "{}"),
        (long.as_str(), "{}"),
        ("a", r#"{"min_confidence": 2}"#),
        ("a", r#"{"entities": ["no_such_type"]}"#),
        ("a", r#"{"custom_detectors": [{"name": "a", "pattern": "("}]}"#),
        (
            "a",
            r#"{"custom_detectors": [{"name": "a", "shapes": ["d4"], "check": {"rule": "function", "name": "nir"}}]}"#,
        ),
    ] {
        let options = detection(options);
        let native = textveil_engine::detect(text, &options).unwrap_err();
        match component.detect(text, &options) {
            Err(Error::Refused(error)) => assert_eq!(error, native),
            other => panic!("{native} expected, not {other:?}"),
        }
    }
    let native = textveil_engine::detect_batch(&["a", ""], &DetectOptions::default()).unwrap_err();
    assert_eq!(native.field(), Some("texts[1]"));
    assert!(
        matches!(component.detect_batch(&["a", ""], &DetectOptions::default()), Err(Error::Refused(e)) if e == native)
    );
    let block = protection(r#"{"mode": "policy", "policies": [{"name": "none", "action": "BLOCK"}]}"#);
    let detection = DetectOptions::default();
    let native = textveil_engine::protect(TEXT, &detection, &block, None).unwrap_err();
    assert!(native.blocked().unwrap().len() > 2);
    assert!(
        matches!(component.protect(TEXT, &detection, &block, &[]), Err(Error::Refused(error)) if error == native)
    );
}

#[test]
fn a_keyed_mode_without_a_key_is_refused() {
    let component = engine();
    let detection = DetectOptions::default();
    for mode in ["hash", "tokenize"] {
        let options = protection(&format!(r#"{{"mode": "{mode}"}}"#));
        let refused = component.protect(TEXT, &detection, &options, &[]).unwrap_err();
        let opened = component.stream(&detection, &options, &[]).unwrap_err();
        for error in [refused, opened, component.restore("tok_xx_email_a", &[]).unwrap_err()] {
            assert!(matches!(&error, Error::Refused(error) if error.field() == Some("key")), "{error}");
        }
    }
}

#[test]
fn a_stream_gives_the_same_text_however_it_is_cut() {
    let component = engine();
    let (detection, options) = (DetectOptions::default(), protection(r#"{"mode": "tokenize"}"#));
    let text = format!("{TEXT}\n").repeat(40);
    let ring = Keyring::new(3, &SECRET).unwrap();
    let mut native = textveil_engine::Stream::new(detection.clone(), options.clone(), Some(ring)).unwrap();
    let expected = native.push(&text).unwrap() + &native.finish().unwrap();
    assert_ne!(expected, text);
    let mut stream = component.stream(&detection, &options, &keys()).unwrap();
    for size in [1, 17, 4096, text.len()] {
        let letters: Vec<char> = text.chars().collect();
        let mut out = String::new();
        for chunk in letters.chunks(size) {
            out.push_str(&stream.push(&chunk.iter().collect::<String>()).unwrap());
        }
        out.push_str(&stream.finish().unwrap());
        assert!(out == expected, "in pieces of {size}");
    }
    let restored = component.restore(&expected, &keys()).unwrap();
    assert!(restored.text == text);
}

#[test]
fn calls_from_many_threads() {
    let component = engine();
    let expected = textveil_engine::detect(TEXT, &DetectOptions::default()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(component.detect(TEXT, &DetectOptions::default()).unwrap(), expected);
                }
            });
        }
    });
}

#[test]
fn a_call_past_its_time_is_stopped_and_the_next_one_works() {
    let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
    let component = Engine::from_bytes(&component(), limits).unwrap();
    let (detection, options) = (DetectOptions::default(), ProtectOptions::default());
    let mut stream = component.stream(&detection, &options, &[]).unwrap();
    let long = TEXT.repeat(200_000);
    assert!(matches!(stream.push(&long), Err(Error::Failed(_))));
    let again = stream.push("a").unwrap_err();
    assert!(again.to_string().contains("has failed before"), "{again}");
    drop(stream);
    assert_eq!(component.detect("nothing", &detection).unwrap().entities, []);
}

#[test]
fn an_instance_gets_no_more_memory_than_its_limit() {
    let limits = Limits { memory: 8 << 20, ..Limits::default() };
    let component = Engine::from_bytes(&component(), limits).unwrap();
    let (detection, options) = (DetectOptions::default(), ProtectOptions::default());
    let mut stream = component.stream(&detection, &options, &[]).unwrap();
    assert!(matches!(stream.push(&"a".repeat(16 << 20)), Err(Error::Failed(_))));
    assert_eq!(component.detect("zofie@example.cz", &detection).unwrap().entities.len(), 1);
    let too_little = Limits { memory: 1 << 10, ..Limits::default() };
    let component = Engine::from_bytes(&self::component(), too_little).unwrap();
    assert!(matches!(component.detect("a", &detection), Err(Error::Failed(_))));
}

#[test]
fn what_is_no_engine_is_refused() {
    for bytes in [
        b"not wasm".to_vec(),
        wat("(module)"),
        wat("(component)"),
        wat("(component (import \"needs\" (func)))"),
    ] {
        assert!(matches!(Engine::from_bytes(&bytes, Limits::default()), Err(Error::Failed(_))));
    }
    let missing = Engine::load("no/such/file.wasm", Limits::default()).unwrap_err();
    assert!(missing.to_string().contains("cannot read no/such/file.wasm"), "{missing}");
}

#[test]
fn neither_text_nor_secret_is_shown() {
    let key = Key { version: 1, secret: b"hunter2hunter2hunter2".to_vec() };
    assert_eq!(format!("{key:?}"), "Key(version 1)");
    let error = engine().detect(&"geheim".repeat(10_000), &DetectOptions::default()).unwrap_err();
    assert!(!format!("{error:?} {error}").contains("geheim"));
}

fn wat(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}
