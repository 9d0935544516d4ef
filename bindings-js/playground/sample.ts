// The example. Every number is its issuer's specimen or generated.

export const SAMPLE = `Dear support,

I am Jan Novák, RČ 800101/1238. Please move my account to IBAN DE89 3704 0044 0532 0130 00 and send the papers to jan.novak@example.cz, or call +420 601 123 456.

My wife's PESEL is 44051401359, our company has SIREN 732 829 320 and my German tax number (IdNr) is 86 095 742 719.

The invoice 2024-0117 over 1.250,00 € of 12.03.2024 is paid.

Thank you!
`;
