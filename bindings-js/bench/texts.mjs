// Texts to measure with, the same for the same seed in Node and in a browser. The identifiers are made up:
// they are of ranges that are kept for examples where there are such, and of births before 1920 where not.

const PROSE = [
  "The meeting about the new warehouse was moved to Thursday, since the surveyors were late again.",
  "Please restart the printer on the second floor; it jams whenever somebody sends a long report.",
  "Die Lieferung kam zwei Tage zu spät, und eine der Kisten war nass geworden.",
  "Wir bitten um einen Termin in der kommenden Woche, am liebsten am Vormittag.",
  "Dodávka přišla o dva dny později a jedna z beden byla promočená.",
  "Prosíme o opravu okna v zasedací místnosti, špatně se zavírá.",
  "Dostawa przyszła z dwudniowym opóźnieniem, a jedna ze skrzyń była mokra.",
  "La livraison est arrivée avec deux jours de retard et une caisse était mouillée.",
  "Nobody could say why the heating was on in July, but the bill was paid all the same.",
  "The recipe asks for flour, butter and patience, and most of all for patience.",
];

/** Sentences without personal data that look as if there were some: numbers of other kinds. */
const QUIET = [
  (r) => `Order ${r.digits(8)} was packed at ${r.time()} and left with pallet ${r.digits(5)}.`,
  (r) => `Version ${r.upTo(20)}.${r.upTo(20)}.${r.upTo(90)} of the driver needs ${r.digits(4)} MB of memory.`,
  (r) => `The pump ran for ${r.digits(6)} hours at ${r.digits(4)} revolutions, then part no. ${r.digits(7)} broke.`,
  (r) => `On ${r.date()} the stock of item ${r.digits(6)}-${r.digits(2)} was ${r.digits(5)} pieces.`,
  (r) => `The invoice over ${r.digits(3)},${r.digits(3)}.${r.digits(2)} EUR is due within ${r.upTo(60)} days.`,
  (r) => `Commit ${r.hex(12)} makes build ${r.digits(5)} faster by ${r.upTo(60)} percent.`,
  (r) => `Das Protokoll Nr. ${r.digits(4)}/${r.digits(2)} hat ${r.digits(3)} Seiten und ${r.upTo(40)} Anlagen.`,
  (r) => `Zakázka č. ${r.digits(6)} má ${r.upTo(90)} položek a váží ${r.digits(4)} kg.`,
  (r) => `Sensor ${r.digits(3)} reported ${r.digits(2)}.${r.digits(3)} degrees ${r.digits(4)} times since ${r.time()}.`,
  (r) => PROSE[r.upTo(PROSE.length)],
];

/** The planted identifiers: a value, and sentences to put it into, the last of which has no label. */
const KINDS = {
  "e-mail": { make: email, say: ["Write to @ before Friday.", "Her new e-mail address is @, please change it.", "Antworten bitte an @."] },
  "card": { make: card, say: ["The card @ was refused twice.", "He paid with credit card @ in the shop.", "Bezahlt wurde mit @ im Laden."] },
  "IP address": { make: ip, say: ["The request came from @ at night.", "Block the IP address @ for a day.", "Der Zugriff kam von @ in der Nacht."] },
  "phone": { make: phone, say: ["Call @ if the door is locked.", "Her telephone number is @ in the evening.", "Rückruf unter @ erbeten."] },
  "IBAN": { make: iban, say: ["Refund it to IBAN @ this week.", "Die Bankverbindung lautet @.", "The money goes to @ as before."] },
  "PESEL": { make: pesel, say: ["The applicant's PESEL is @.", "Numer PESEL: @.", "Klientka @ prosi o kontakt."] },
  "NHS number": { make: nhs, say: ["NHS number @, seen on Monday.", "Please file this under NHS no. @.", "The patient @ was seen on Monday."] },
  "NIR": { make: nir, say: ["Numéro de sécurité sociale : @.", "Son NIR est @.", "L'assurée @ demande une attestation."] },
  "personnummer": { make: personnummer, say: ["Hennes personnummer är @.", "Personnummer: @.", "Kunden @ vill bli uppringd."] },
};

/** Lines with one identifier each, which is `planted` as a `kind`, and lines with none. */
export function lines(count, seed) {
  const r = random(seed);
  const kinds = Object.entries(KINDS);
  return Array.from({ length: count }, (_, index) => {
    if (index % 2 === 1) return { text: pick(r, QUIET)(r) };
    const [kind, { make, say }] = kinds[(index / 2) % kinds.length];
    const planted = make(r);
    return { kind, planted, text: pick(r, say).replace("@", planted) };
  });
}

/** Paragraphs of several languages; one sentence in eight names an identifier. */
export function prose(length, seed) {
  return grow(length, seed, " ", (r) => {
    if (r.upTo(8) > 0) return pick(r, r.upTo(4) === 0 ? QUIET : PROSE.map((sentence) => () => sentence))(r);
    const { make, say } = pick(r, Object.values(KINDS));
    return pick(r, say).replace("@", make(r));
  });
}

/** Returns a text of identifiers with their labels, and little else. */
export function dense(length, seed) {
  return grow(length, seed, "\n", (r) => Object.entries(KINDS).map(([kind, { make }]) => `${kind}: ${make(r)}`).join("; "));
}

/** Returns a log as web services write it. */
export function log(length, seed) {
  return grow(length, seed, "\n", (r) => {
    const who = r.upTo(3) === 0 ? ` user=${email(r)}` : "";
    const request = `${pick(r, ["GET", "POST", "PUT"])} /api/orders/${r.digits(6)} ${pick(r, ["200", "201", "404"])}`;
    return `${r.date()}T${r.time()}:${r.digits(2)}.${r.digits(3)}Z INFO http ${request} ${r.upTo(900)}ms ip=${ip(r)} request_id=${r.hex(16)}${who}`;
  });
}

function grow(length, seed, between, next) {
  const r = random(seed);
  let text = next(r);
  while (text.length < length) text += between + next(r);
  return text.slice(0, length);
}

function email(r) {
  const names = ["jan.novak", "max.mustermann", "erika", "jkowalski", "office", "anna-larsson"];
  // no domain that is kept for examples, since tools leave those alone: with eight letters at random, nobody's
  return `${pick(r, names)}${r.digits(3)}@${pick(r, ["nordwind", "mail.sklad", "papier"])}-${r.hex(8)}.${pick(r, ["de", "cz", "com"])}`;
}

function card(r) {
  const digits = luhn(`411111${r.digits(9)}`);
  return r.upTo(2) ? digits : digits.replace(/(.{4})(?=.)/g, "$1 ");
}

function ip(r) {
  return `${pick(r, ["192.0.2", "198.51.100", "203.0.113"])}.${1 + r.upTo(254)}`; // kept for documentation
}

function phone(r) {
  // kept for films
  return r.upTo(2) ? `+44 7700 900${r.digits(3)}` : `+1 202-555-01${r.digits(2)}`;
}

function iban(r) {
  const account = `37040044${r.digits(10)}`;
  const check = 98n - (BigInt(`${account}131400`) % 97n); // DE is 13 14
  const digits = `DE${String(check).padStart(2, "0")}${account}`;
  return r.upTo(2) ? digits : digits.replace(/(.{4})(?=.)/g, "$1 ");
}

function pesel(r) {
  const digits = r.birth() + r.digits(4);
  return digits + ((10 - (weigh(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10);
}

function nhs(r) {
  for (;;) {
    const digits = `999${r.digits(6)}`; // never issued
    const check = (11 - (weigh(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
    if (check < 10) return `${digits}${check}`.replace(/(...)(...)(....)/, "$1 $2 $3");
  }
}

function nir(r) {
  const digits = `${1 + r.upTo(2)}${r.birth().slice(0, 4)}75${String(1 + r.upTo(20)).padStart(3, "0")}${r.digits(3)}`;
  return `${digits}${String(97n - (BigInt(digits) % 97n)).padStart(2, "0")}`;
}

function personnummer(r) {
  const digits = luhn(r.birth() + r.digits(3));
  return `19${digits.slice(0, 6)}-${digits.slice(6)}`;
}

function luhn(digits) {
  const sum = [...digits].reverse().reduce((sum, digit, place) => {
    const product = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return sum + product - (product > 9 ? 9 : 0);
  }, 0);
  return digits + ((10 - (sum % 10)) % 10);
}

function weigh(digits, weights) {
  return weights.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0);
}

function pick(r, list) {
  return list[r.upTo(list.length)];
}

/** Numbers that are the same for the same seed (mulberry32). */
function random(seed) {
  let state = seed;
  const upTo = (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
  const two = (number) => String(number).padStart(2, "0");
  const some = (alphabet, count) => Array.from({ length: count }, () => alphabet[upTo(alphabet.length)]).join("");
  return {
    upTo,
    digits: (count) => some("0123456789", count),
    hex: (count) => some("0123456789abcdef", count),
    time: () => `${two(upTo(24))}:${two(upTo(60))}`,
    date: () => `2026-${two(1 + upTo(12))}-${two(1 + upTo(28))}`,
    birth: () => two(upTo(20)) + two(1 + upTo(12)) + two(1 + upTo(28)),
  };
}
