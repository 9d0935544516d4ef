//! Decides whether the arguments of a tool's call name someone who is not allowed to get a value.
//!
//! Nobody knows what a tool does with its arguments. So all of them are one construct: they get values unless they name in
//! clear a host or an address that is not allowed. These are URLs, `//host`, mail addresses, and bare hosts beside a network
//! command, in the name of the tool too, or as the whole of a field such as `host` or `url`.

use crate::{
    hosts::{Hosts, host_of, is_host_letter, is_named_host},
    letters::{Letter, Letters},
};

/// The longest run of letters that is kept, in bytes.
const MAX_RUN: usize = 512;
/// Commands and functions that take a host, in lower case.
const NETWORK: [&str; 62] = [
    "aria2c",
    "axios",
    "bitsadmin",
    "browse",
    "browser",
    "certutil",
    "curl",
    "dig",
    "dns",
    "download",
    "fetch",
    "ftp",
    "git",
    "http",
    "http2",
    "https",
    "httpie",
    "httpx",
    "iex",
    "invoke",
    "irm",
    "iwr",
    "lftp",
    "lynx",
    "mailx",
    "mutt",
    "navigate",
    "nc",
    "ncat",
    "netcat",
    "nmap",
    "nslookup",
    "openssl",
    "ping",
    "ping6",
    "proxy",
    "requests",
    "rsync",
    "scp",
    "sendmail",
    "sftp",
    "smtp",
    "socat",
    "socket",
    "ssh",
    "swaks",
    "tcp",
    "telnet",
    "tftp",
    "traceroute",
    "udp",
    "upload",
    "urllib",
    "urlopen",
    "w3m",
    "webhook",
    "websocket",
    "wget",
    "whois",
    "wscat",
    "xh",
    "xhr",
];
/// Endings of the names of fields whose value is a host.
const FIELDS: [&str; 14] = [
    "domain", "endpoint", "fqdn", "host", "hostname", "href", "link", "origin", "remote", "server", "site",
    "uri", "url", "webhook",
];

/// Reads the arguments of one call.
#[derive(Clone, Default)]
pub struct Arguments {
    letters: Letters,
    run: Run,
    /// The current string is the value of a field that holds a host.
    is_host_field: bool,
    has_network: bool,
    has_host: bool,
    is_foreign: bool,
}

/// Letters in a row that may be a host, a scheme or a word.
#[derive(Clone, Default)]
struct Run {
    text: String,
    /// The letter before it; `None` at the start of a string.
    before: Option<char>,
    /// The signs after it: `:` and `/`.
    signs: String,
    /// Its host is an authority, whose user and port come with it.
    is_authority: bool,
    /// Any host after the slashes counts, whether it has a dot or not.
    has_scheme: bool,
    /// It is a part of a text that begins a string.
    is_first: bool,
    has_escape: bool,
}

impl Arguments {
    /// Begins the arguments of a call of this tool.
    pub fn of_tool(name: &str) -> Self {
        let mut words = vec![String::new()];
        for letter in name.chars() {
            if letter.is_ascii_uppercase() || !letter.is_ascii_alphanumeric() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphanumeric()) {
                word.push(letter.to_ascii_lowercase());
            }
        }
        let is_network = |word: &String| NETWORK.contains(&word.as_str());
        Self { has_network: words.iter().any(is_network), ..Self::default() }
    }

    /// Begins a string; `field` is the name before it.
    pub fn begin(&mut self, field: Option<&str>) {
        let name: String = field.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        self.is_host_field = FIELDS.iter().any(|ending| name.ends_with(ending));
        self.run = Run { is_first: true, ..Run::default() };
    }

    /// Reads more of the string.
    pub fn text(&mut self, text: &str, hosts: &Hosts) {
        let mut letters = std::mem::take(&mut self.letters);
        letters.push(text, &mut |letter| self.letter(letter, hosts));
        self.letters = letters;
    }

    /// Reads a placeholder: a value is not in clear.
    pub fn value(&mut self, hosts: &Hosts) {
        self.flush(hosts);
        self.end_run('\u{1}', hosts);
        self.run = Run { before: Some('\u{1}'), ..Run::default() };
    }

    /// Ends the string.
    pub fn end(&mut self, hosts: &Hosts) {
        self.flush(hosts);
        self.end_run(' ', hosts);
        self.run = Run::default();
    }

    /// Whether a foreign host or address was named so far. More arguments can only name one, too.
    pub fn names_foreign(&self) -> bool {
        self.is_foreign || self.has_host && self.has_network
    }

    fn flush(&mut self, hosts: &Hosts) {
        let mut letters = std::mem::take(&mut self.letters);
        letters.flush(&mut |letter| self.letter(letter, hosts));
        self.letters = letters;
    }

    fn letter(&mut self, Letter { letter, is_raw }: Letter, hosts: &Hosts) {
        let run = &mut self.run;
        if run.is_authority {
            let ends = letter.is_whitespace() || "/?#\"'`<>()[]{}|,;".contains(letter);
            if ends {
                return self.end_run(letter, hosts);
            }
            run.has_escape |= !is_raw;
            return run.push(letter);
        }
        if !run.signs.is_empty() {
            let is_special =
                matches!(run.text.to_ascii_lowercase().as_str(), "http" | "https" | "ws" | "wss" | "ftp");
            let has_colon = run.signs.starts_with(':');
            let slashes = run.signs.len() - usize::from(has_colon);
            if letter == '/' {
                // `file:///path` has no host
                if has_colon && !is_special && slashes == 2 {
                    return self.end_run(letter, hosts);
                }
                run.signs.push('/');
                return;
            }
            let opens = slashes > 1 || has_colon && is_special;
            if opens && !letter.is_whitespace() && !"\"'`<>)]}".contains(letter) {
                let (is_first, before) = (run.is_first, run.before);
                let has_scheme = has_colon && (is_special || run.text.len() > 1);
                self.run = Run {
                    is_authority: true,
                    has_scheme,
                    is_first,
                    before,
                    has_escape: !is_raw,
                    ..Run::default()
                };
                return self.run.push(letter);
            }
            self.end_run(letter, hosts);
            return self.begin_run(letter);
        }
        if is_host_letter(letter) {
            if run.text.is_empty() {
                run.has_escape = false;
            }
            run.has_escape |= !is_raw;
            return run.push(letter);
        }
        match letter {
            ':' if !run.text.is_empty() => run.signs.push(':'),
            '/' if run.text.is_empty() => run.signs.push('/'),
            _ => self.end_run(letter, hosts),
        }
    }

    fn begin_run(&mut self, letter: char) {
        match letter {
            letter if is_host_letter(letter) => self.run.push(letter),
            '/' => self.run.signs.push('/'),
            letter => self.run.before = Some(letter),
        }
    }

    /// Judges the run; `next` is the letter after it.
    fn end_run(&mut self, next: char, hosts: &Hosts) {
        let run = std::mem::take(&mut self.run);
        let last = run.signs.chars().next_back().or_else(|| run.text.chars().next_back()).or(run.before);
        self.run.before = if is_host_letter(next) { last } else { Some(next) };
        self.run.is_first =
            run.is_first && run.text.is_empty() && run.signs.is_empty() && next.is_whitespace();
        if run.is_authority {
            let host = run.text.rsplit('@').next().unwrap_or_default();
            let name = host.split_once(':').map_or(host, |(name, _)| name);
            let is_host = run.has_scheme || run.is_first || is_named_host(name);
            let is_allowed = host_of(&run.text).is_some_and(|host| hosts.allow(host)) && !run.has_escape;
            self.is_foreign |= is_host && !is_allowed && run.text != "\u{1}";
            return;
        }
        let word = run.text.trim_matches(['-', '_', '.']).to_ascii_lowercase();
        self.has_network |= !run.text.contains('.') && NETWORK.contains(&word.as_str());
        if !is_named_host(run.text.trim_start_matches(['.', '-'])) || hosts.allow(run.text.trim_matches('.'))
        {
            return;
        }
        match run.before {
            // a user of the host
            Some('@') => self.is_foreign = true,
            // the last part of a path
            Some('/') if !self.has_network => {}
            _ => {
                self.has_host = true;
                self.is_foreign |= run.is_first && self.is_host_field;
            }
        }
    }
}

impl Run {
    fn push(&mut self, letter: char) {
        if self.text.len() < MAX_RUN {
            self.text.push(letter);
        } else {
            // longer than any host
            self.has_escape = true;
        }
    }
}

/// The arguments stay out.
impl std::fmt::Debug for Arguments {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Arguments").field("names_foreign", &self.names_foreign()).finish_non_exhaustive()
    }
}
