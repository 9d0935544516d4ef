// The examples. Every number is its issuer's specimen, reserved for fiction, or generated.

import { setText, text } from "./state.js";

/** Several countries in one letter: what the page begins with. */
export const SAMPLE = `Dear support,

I am Jan Novák, RČ 800101/1238. Please move my account to IBAN DE89 3704 0044 0532 0130 00 and send the papers to jan.novak@example.cz, or call +420 601 123 456.

My wife's PESEL is 44051401359, our company has SIREN 732 829 320 and my German tax number (IdNr) is 86 095 742 719.

The invoice 2024-0117 over 1.250,00 € of 12.03.2024 is paid.

Thank you!
`;

/** A text by the country that it is about. */
export const SAMPLES: Readonly<Record<string, string>> = {
  AT: `Sehr geehrte Damen und Herren,

meine Sozialversicherungsnummer ist 1237 010180, mein Konto hat die IBAN AT61 1904 3002 3457 3201. Bitte schreiben Sie an lukas.gruber@example.at.

Mit freundlichen Grüßen
Lukas Gruber
`,
  BR: `Prezados,

meu nome é Mariana Oliveira, CPF 123.456.789-09. A empresa tem o CNPJ 11.222.333/0001-81. Respondam para mariana.oliveira@example.com.br, por favor.
`,
  CZ: `Dobrý den,

jmenuji se Jan Novák, rodné číslo 800101/1238, číslo občanského průkazu 123456789. Peníze pošlete na účet 19-2000145399/0800. Píšu za firmu s IČO 25596641.

Volejte +420 601 123 456 nebo pište na jan.novak@example.cz.
`,
  DE: `Guten Tag,

ich heiße Anna Schneider und wohne in der Lindenstraße 12, 10969 Berlin. Meine Steuer-ID ist 86 095 742 719, die Rentenversicherungsnummer 65 170839 J 003, mein Konto hat die IBAN DE89 3704 0044 0532 0130 00.

Sie erreichen mich unter 030 23125 014 oder anna.schneider@example.de.
`,
  ES: `Estimados señores:

me llamo Carmen García López, con DNI 12345678Z. Mi número de la Seguridad Social es 28 1234567840 y mi cuenta, ES91 2100 0418 4502 0005 1332.

Pueden escribirme a carmen.garcia@example.es.
`,
  FR: `Bonjour,

je m’appelle Camille Lefèvre, mon numéro de sécurité sociale est le 1 85 05 78 006 084 91. Mon entreprise a le SIRET 732 829 320 00074 et le compte FR14 2004 1010 0505 0001 3M02 606.

Appelez-moi au 01 99 00 12 34 ou écrivez à camille.lefevre@example.fr.
`,
  GB: `Dear Sir or Madam,

my name is Emily Carter, I live at 221B Baker Street, London NW1 6XE. My National Insurance number is AB 12 34 56 C, my NHS number 943 476 5919.

Please call 020 7946 0018 or write to emily.carter@example.co.uk.
`,
  IN: `Dear team,

I am Priya Sharma. My Aadhaar number is 2341 2341 2346 and my PAN is ABCPE1234F. Please reply to priya.sharma@example.in.
`,
  IT: `Buongiorno,

mi chiamo Mario Rossi, codice fiscale RSSMRA85T10A562S. La partita IVA della mia azienda è IT00743110157. L’IBAN è IT60 X054 2811 1010 0000 0123 456.

Scrivetemi a mario.rossi@example.it.
`,
  NL: `Geachte heer, mevrouw,

ik ben Sanne de Vries, mijn BSN is 111222333. Stort het bedrag op NL91 ABNA 0417 1643 00 en mail naar sanne.devries@example.nl.
`,
  PL: `Dzień dobry,

nazywam się Anna Kowalska, PESEL 44051401359, dowód osobisty ABA300000. Firma ma NIP 526-000-00-11. Proszę pisać na anna.kowalska@example.pl.
`,
  US: `Hello,

my name is James Miller, SSN 536-90-4399. Please charge the card 4111 1111 1111 1111 and call (212) 555-0143. My employer has the EIN 04-2103594.

You can also write to james.miller@example.com.
`,
};

/** Shows the example of a country; of several countries for the empty code. */
export function showSample(code: string): void {
  setText(SAMPLES[code] ?? SAMPLE);
}

/** The country whose example is shown; empty for the one of several countries, undefined for another text. */
export function shownSample(): string | undefined {
  if (text.value === SAMPLE) return "";
  return Object.keys(SAMPLES).find((code) => SAMPLES[code] === text.value);
}
