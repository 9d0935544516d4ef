//! Reports for repositories, the hook of coding agents, and settings of other programs.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

const PESEL: &str = "44051401359";
const EMAIL: &str = "jan.novak@example.cz";

/// Runs the program, and returns its status, its output and its errors.
fn textveil(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_textveil"));
    command.args(arguments).current_dir(folder).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    for variable in ["TEXTVEIL_COMPONENT", "TEXTVEIL_KEY_FILE"] {
        command.env_remove(variable);
    }
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // a program that rejects its arguments does not read
    drop(stdin.write_all(input.as_bytes()));
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn repository() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    let notes = format!(
        "žluťoučký PESEL {PESEL}\n# textveil:allow email the address of an example\nwrite to {EMAIL}\nalso {EMAIL}\n"
    );
    fs::write(folder.path().join("docs/notes 1.txt"), notes).unwrap();
    fs::write(folder.path().join("people.csv"), format!("name,mail\nx,{EMAIL}\n")).unwrap();
    folder
}

#[test]
fn reports_have_types_and_places_and_no_values() {
    let folder = repository();
    for format in ["text", "json", "github", "gitlab", "sarif"] {
        let (status, out, err) =
            textveil(folder.path(), &["detect", "--check", "--output-format", format, "."], "");
        assert_eq!(status, 1, "{format}: {err}");
        assert!(!out.contains(PESEL) && !out.contains(EMAIL), "{format}: {out}");
        assert!(out.contains("pesel"), "{format}: {out}");
        if format != "text" && format != "github" {
            assert!(serde_json::from_str::<Value>(&out).is_ok(), "{format}: {out}");
        }
    }
    let (_, out, _) =
        textveil(folder.path(), &["detect", "--output-format", "json", "./docs", "people.csv"], "");
    let report: Value = serde_json::from_str(&out).unwrap();
    let places: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let number = |name: &str| finding[name].as_u64().unwrap();
            let (rule, path) = (finding["rule"].as_str().unwrap(), finding["path"].as_str().unwrap());
            (rule, path, number("line"), number("column"), number("end_column"))
        })
        .collect();
    // the line below the comment is allowed
    assert_eq!(
        places,
        [
            ("pl/pesel", "docs/notes 1.txt", 1, 17, 28),
            ("global/email", "docs/notes 1.txt", 4, 6, 26),
            ("global/email", "people.csv", 2, 3, 23),
        ]
    );
    let (status, out, _) = textveil(folder.path(), &["detect", "--check", "docs"], "");
    assert!(status == 1 && out.lines().count() == 3, "without a report, comments allow nothing: {out}");
}

#[test]
fn a_comment_without_a_reason_allows_nothing_and_is_named() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.py"), format!("mail = '{EMAIL}'  # textveil:allow email\n")).unwrap();
    let (status, out, err) =
        textveil(folder.path(), &["detect", "--check", "--output-format", "text", "a.py"], "");
    assert_eq!((status, out.as_str()), (1, "a.py:1:9: email - 1.00\n"), "{err}");
    assert!(err.contains("a.py:1: textveil:allow needs types, and a reason after them"), "{err}");
}

#[test]
fn a_baseline_has_known_findings_wherever_their_lines_are() {
    let folder = repository();
    let run = |arguments: &[&str]| {
        let all = [&["detect", "--check", "--output-format", "text", "--baseline", "known.json"], arguments]
            .concat();
        textveil(folder.path(), &all, "")
    };
    let (status, _, err) = run(&["docs"]);
    assert_eq!(status, 2);
    assert!(err.contains("make it with --update-baseline"), "{err}");
    let (status, out, err) = run(&["--update-baseline", "docs", "people.csv"]);
    assert_eq!((status, out.as_str()), (0, ""), "{err}");
    let known = fs::read_to_string(folder.path().join("known.json")).unwrap();
    assert!(!known.contains(PESEL) && !known.contains(EMAIL), "{known}");
    assert_eq!(run(&["docs", "people.csv"]).0, 0);

    let notes = folder.path().join("docs/notes 1.txt");
    let text = fs::read_to_string(&notes).unwrap();
    fs::write(&notes, format!("new lines\n\n{text}PESEL 02270803624\n")).unwrap();
    let (status, out, _) = run(&["docs", "people.csv"]);
    assert_eq!((status, out.as_str()), (1, "docs/notes 1.txt:7:7: pesel PL 1.00\n"));

    // an update of some paths keeps the findings of others
    assert_eq!(run(&["--update-baseline", "docs"]).0, 0);
    assert_eq!(run(&["docs", "people.csv"]).0, 0);
    fs::write(folder.path().join("known.json"), "{}").unwrap();
    assert_eq!(run(&["docs"]).0, 2);
}

/// Runs the hook, and returns its status, its answer if there is one, and its errors.
fn hook(arguments: &[&str], event: &Value) -> (i32, Option<Value>, String) {
    let (status, out, err) = textveil(Path::new("."), &[&["hook"], arguments].concat(), &event.to_string());
    (status, (!out.is_empty()).then(|| serde_json::from_str(&out).unwrap()), err)
}

#[test]
fn results_of_tools_keep_their_shape() {
    let bash = json!({
        "stdout": format!("PESEL {PESEL}\n"), "stderr": "", "interrupted": false, "isImage": false,
        "persistedOutputPath": "/tmp/out.txt", "persistedOutputSize": 17,
    });
    let read = json!({ "type": "text", "file": { "filePath": "/a.txt", "content": format!("to {EMAIL}"), "numLines": 1 } });
    let mcp = json!([{ "type": "text", "text": format!("{{\"mail\": \"{EMAIL}\"}}") }]);
    for (tool, response, want) in [
        (
            "Bash",
            bash,
            json!({ "stdout": "PESEL [REDACTED]\n", "stderr": "", "interrupted": false, "isImage": false }),
        ),
        (
            "Read",
            read,
            json!({ "type": "text", "file": { "filePath": "/a.txt", "content": "to [REDACTED]", "numLines": 1 } }),
        ),
        ("mcp__crm__find", mcp, json!([{ "type": "text", "text": "{\"mail\": \"[REDACTED]\"}" }])),
        ("Other", json!(format!("to {EMAIL}")), json!("to [REDACTED]")),
    ] {
        let event = json!({ "hook_event_name": "PostToolUse", "tool_name": tool, "tool_response": response });
        let (status, answer, err) = hook(&[], &event);
        let want =
            json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "updatedToolOutput": want } });
        assert_eq!((status, answer), (0, Some(want)), "{tool}: {err}");
    }
    let event = json!({ "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": { "stdout": "nothing" } });
    assert_eq!(hook(&[], &event).1, None, "without findings another hook's answer stands");
}

#[test]
fn prompts_with_personal_data_are_blocked_without_their_values() {
    let prompt = json!({ "hook_event_name": "UserPromptSubmit", "prompt": format!("write to {EMAIL}, PESEL {PESEL}") });
    let (status, answer, _) = hook(&[], &prompt);
    let answer = answer.unwrap();
    assert_eq!((status, &answer["decision"]), (0, &json!("block")));
    assert_eq!(answer["reason"], "The prompt has personal data: email (1), pesel (1). Remove or replace it.");
    assert_eq!(
        hook(&[], &json!({ "hook_event_name": "UserPromptSubmit", "prompt": "fix the test" })).1,
        None
    );
    assert_eq!(hook(&[], &json!({ "hook_event_name": "Stop" })).1, None);
}

#[test]
fn codex_is_answered_with_the_fields_that_it_knows() {
    for (event, field, what) in [
        ("UserPromptSubmit", "prompt", "The prompt"),
        ("PostToolUse", "tool_response", "The result of the tool"),
    ] {
        let event = json!({ "hook_event_name": event, "turn_id": "1", field: format!("to {EMAIL}") });
        let (status, answer, err) = hook(&[], &event);
        let reason = format!("{what} has personal data: email (1). Remove or replace it.");
        assert_eq!((status, answer), (0, Some(json!({ "decision": "block", "reason": reason }))), "{err}");
    }
}

#[test]
fn the_reader_sees_tokens_restored() {
    let folder = TempDir::new().unwrap();
    let key = folder.path().join("my.key");
    let key = key.to_str().unwrap();
    assert_eq!(textveil(folder.path(), &["key-file", "new", key], "").0, 0);
    let keyed = ["--mode", "tokenize", "--key-file", key];
    let event =
        json!({ "hook_event_name": "PostToolUse", "tool_name": "X", "tool_response": format!("to {EMAIL}") });
    let (_, answer, err) = hook(&keyed, &event);
    let token = answer.expect(&err)["hookSpecificOutput"]["updatedToolOutput"].as_str().unwrap().to_owned();
    assert!(!token.contains(EMAIL));
    let event =
        json!({ "hook_event_name": "MessageDisplay", "turn_id": "1", "delta": format!("sent: {token}\n") });
    let want = json!({ "hookEventName": "MessageDisplay", "displayContent": format!("sent: to {EMAIL}\n") });
    assert_eq!(hook(&keyed, &event).1, Some(json!({ "hookSpecificOutput": want })));
    assert_eq!(hook(&[], &event).1, None);
}

#[test]
fn an_error_blocks() {
    for (arguments, input) in [
        (&[][..], "no JSON"),
        (&[], "{}"),
        (&[], "{\"hook_event_name\": \"UserPromptSubmit\"}"),
        (&["--mode", "tokenize"], "{\"hook_event_name\": \"Stop\"}"),
        (&["--component", "/no/such/file"], "{\"hook_event_name\": \"Stop\"}"),
    ] {
        let (status, out, err) = textveil(Path::new("."), &[&["hook"], arguments].concat(), input);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?} {input}: {err}");
        assert!(err.starts_with("error: "), "{err}");
    }
}

#[test]
fn recognizers_of_presidio_are_carried_over_or_named() {
    let folder = TempDir::new().unwrap();
    let recognizers = r#"
supported_languages: [en, de]
global_regex_flags: 27
recognizers:
  - name: Employees
    supported_entity: EMPLOYEE_ID
    supported_languages:
      - language: en
        context: [badge]
      - language: de
        context: [Ausweis]
    patterns:
      - { name: strong, regex: 'emp-[0-9]{6}', score: 0.9 }
      - { name: behind, regex: '(?<!/)[0-9]{6}', score: 0.3 }
      - { name: again, regex: '(a+)-\1', score: 0.3 }
      - { regex: '[0-9]{7}' }
    deny_list: [Nightfall]
    deny_list_score: 0.5
  - name: Old
    supported_entity: OLD
    enabled: false
    patterns: [{ name: a, regex: a, score: 1 }]
  - name: CreditCardRecognizer
    type: predefined
  - UrlRecognizer
"#;
    fs::write(folder.path().join("recognizers.yml"), recognizers).unwrap();
    let (status, out, err) = textveil(folder.path(), &["import", "presidio", "recognizers.yml"], "");
    assert_eq!(status, 0, "{err}");
    let options: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(options["custom_detectors"].as_array().unwrap().len(), 1, "{out}");
    assert_eq!(options["custom_detectors"][0]["context"], json!(["badge", "Ausweis"]));
    for note in [
        "global_regex_flags: only IGNORECASE (2), MULTILINE (8) and DOTALL (16) of 27 are carried over",
        "Employees, behind: pattern",
        "Employees, again: pattern",
        "Employees, patterns[3]: needs regex and score",
        "Employees: deny_list_score is not carried over",
        "Old: is not enabled",
        "CreditCardRecognizer: is predefined",
        "UrlRecognizer: is predefined",
        "carried over: 1 pattern, 1 word",
    ] {
        assert!(err.contains(note), "{note} is not in {err}");
    }
    fs::write(folder.path().join("options.json"), out).unwrap();
    let arguments =
        ["detect", "--options", "options.json", "--output-format", "text", "--entities", "employee_id"];
    let (_, out, err) = textveil(folder.path(), &arguments, "badge EMP-123456, nightfall\n");
    assert!(
        out.starts_with("stdin:1:7: employee_id") && out.contains("stdin:1:19: employee_id"),
        "{out}{err}"
    );

    fs::write(folder.path().join("recognizers.yml"), "rules: []").unwrap();
    let (status, _, err) = textveil(folder.path(), &["import", "presidio", "recognizers.yml"], "");
    assert!(status == 2 && err.contains("has no list `recognizers`"), "{err}");
}
