import { expect, test } from 'vitest';
import { isDocument, type Signature } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { isValidForOracle, METHODS, signerNamed, signXml } from '../../support/signed-xml.ts';

/* Signatures are verified by code of ours; xml-crypto is the second opinion (docs/decisions/0098). */

const signer = signerNamed('ALFA EXEMPLO LTDA:12ABC34501DE35');
const KEY = '35261112ABC34501DE35550010000001231076543217';
const ID = `NFe${KEY}`;

const signatureOf = (text: string): Signature | undefined => {
  const file = readFiscalXml(Buffer.from(text));
  if (file.kind === 'refused') return undefined;
  const [entry] = file.kind === 'fiscal' ? file.entries : [];
  return entry && isDocument(entry) ? entry.signature : { state: 'none' };
};

/** Numbers that are the same in each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
type Random = ReturnType<typeof random>;
const oneOf = <Value>(pick: Random, values: readonly Value[]): Value => values[pick(values.length)] as Value;

const TEXTS = [
  'Pão &amp; Cia',
  '<![CDATA[A <b> & "c"]]>',
  'a&#xD;b&#10;c',
  'Ação 🥐',
  '  blanks  ',
  '&#x41;&lt;&gt;&quot;&apos;',
  "it's",
  '',
];
const ATTRIBUTES = [
  'a="1"',
  "b='x&quot;y'",
  'c="t&#9;b&#xA;"',
  'xml:lang="pt"',
  'd="&lt;&amp;&gt;"',
  'aa="2"',
];
const SPACES = [
  '',
  ' xmlns:x="urn:x"',
  ' xmlns:x="urn:x" x:e="1" xmlns:w="urn:w" w:d="2"',
  ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"',
];

/**
 * A note whose XML is written in one of many ways, but for what xml-crypto cannot: instructions, and attributes of `xml:`
 * around what is signed, which the standard copies into it.
 */
function noteOf(pick: Random): string {
  const attributes = ATTRIBUTES.filter(() => pick(3) === 0).toSorted(() => pick(3) - 1);
  const between = oneOf(pick, ['', '\n  ', '\r\n', '\t', '<!-- comment -->']);
  const extra = Array.from({ length: pick(4) }, () => {
    const own = pick(2) === 0 ? '' : ` ${oneOf(pick, ATTRIBUTES)}`;
    return `<obs${own}${oneOf(pick, SPACES)}>${oneOf(pick, TEXTS)}</obs>`;
  });
  return [
    `<NFe xmlns="http://www.portalfiscal.inf.br/nfe"${oneOf(pick, ['', ' xmlns:y="urn:y"'])}>`,
    `<infNFe ${['versao="4.00"', `Id="${ID}"`, ...attributes].toSorted(() => pick(3) - 1).join(' ')}>`,
    between,
    `<ide><nNF>123</nNF><natOp>${oneOf(pick, TEXTS)}</natOp></ide>`,
    between,
    ...extra,
    oneOf(pick, ['<empty/>', '<empty></empty>', '<empty xmlns=""><in/></empty>', '']),
    `<total><ICMSTot><vNF>10.00</vNF></ICMSTot></total></infNFe></NFe>`,
  ].join('');
}

/** One change to a signed file; what each does to the signature is for the two programs to say. */
const MUTATIONS: readonly ((text: string, pick: Random) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text.replace('10.00', '90.00'),
  (text) => text.replace('<nNF>123', '<nNF>12&#51;'),
  (text) => text.replace('<nNF>123<', '<nNF><![CDATA[123]]><'),
  (text) => text.replace('<nNF>123<', '<nNF>123 <'),
  (text) => text.replace('<ide>', '<ide><!-- note -->'),
  (text) => text.replace('<ide>', '<ide>\n'),
  (text) => text.replace('versao="4.00"', "versao='4.00'"),
  (text) => text.replace('versao="4.00"', 'versao="4.01"'),
  (text) => text.replace('versao="4.00"', 'versao="4.00" added="1"'),
  (text) => text.replace('<infNFe', '<infNFe xmlns:z="urn:z"'),
  (text) => text.replace('<infNFe', '<infNFe  '),
  (text) => text.replace('</natOp>', '</natOp >'),
  (text) => text.replace('<empty/>', '<empty></empty>'),
  (text) => `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`,
  (text) => `<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe">${text}</nfeProc>`,
  (text) => `<nfeProc xmlns:xsi="urn:any">${text}</nfeProc>`,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) =>
    text.replace(/<DigestValue>(.)/, (_, first: string) => `<DigestValue>${first === 'A' ? 'B' : 'A'}`),
  (text) => text.replace('<SignatureValue>', '<SignatureValue>AA'),
  (text) => text.replace(/<SignatureValue>(.{40})/, '<SignatureValue>\n$1\n'),
  (text) => text.replace('<SignedInfo>', '<SignedInfo><!-- note -->'),
  (text) => text.replace('<SignedInfo>', '<SignedInfo> '),
  (text) => text.replace(`URI="#${ID}"`, 'URI=""'),
  (text) => text.replace(`URI="#${ID}"`, 'URI="#other"'),
  (text) => text.replace('xmldsig#sha1"', 'xmldsig#sha512"'),
  (text) => text.replace('rsa-sha1"', 'hmac-sha1"'),
  (text) => text.replace('REC-xml-c14n-20010315"', 'REC-xml-c14n-20010315#WithComments"'),
  (text) => text.replace(/<Transform [^>]*enveloped[^>]*\/>/, ''),
  (text) => text.replace(/<X509Certificate>.{20}/, '<X509Certificate>'),
  (text, pick) => {
    const at = pick(text.length);
    return text.slice(0, at) + String.fromCharCode(97 + pick(26)) + text.slice(at + 1);
  },
  (text, pick) => {
    const at = pick(text.length);
    return text.slice(0, at) + text.slice(at + 1);
  },
];

/** The signed note as if it was alone in its file. */
const alone = (text: string): string => {
  const [from, to] = [text.indexOf('<NFe'), text.lastIndexOf('</NFe>')];
  return from < 0 || to < 0 ? text : text.slice(from, to + '</NFe>'.length);
};

test('the verdict on 1,300 signed and changed documents is that of xml-crypto', () => {
  const pick = random(2026);
  const verdicts = { valid: 0, invalid: 0 };
  const differences: string[] = [];
  for (let i = 0; i < 1300; i += 1) {
    const signed = signXml(noteOf(pick), {
      id: ID,
      signer,
      algorithm: oneOf(pick, ['sha1', 'sha256']),
      method: oneOf(pick, ['inclusive', 'inclusive', 'exclusive']),
      ownMethod: oneOf(pick, Object.keys(METHODS) as (keyof typeof METHODS)[]),
    });
    const text = (MUTATIONS[i % MUTATIONS.length] ?? String)(signed, pick);
    const signature = signatureOf(text);
    if (!signature) continue; // not XML any more, which xml-crypto would repair
    const isValid = isValidForOracle(text) || isValidForOracle(alone(text));
    verdicts[isValid ? 'valid' : 'invalid'] += 1;
    if ((signature.state === 'valid') !== isValid)
      differences.push(`${i % MUTATIONS.length}: ${isValid ? 'valid' : 'invalid'} for xml-crypto: ${text}`);
  }
  expect(differences).toEqual([]);
  expect(verdicts.valid).toBeGreaterThan(400);
  expect(verdicts.invalid).toBeGreaterThan(400);
  expect(verdicts.valid + verdicts.invalid).toBeGreaterThan(1200);
});
