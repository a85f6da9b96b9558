/*
 * Reads every XML file of a folder as the viewer does: what kinds there are, what is refused, what each signature proves,
 * and whether xml-crypto agrees (docs/fiscal-corpora.md). `--list` names every file.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isDocument, type FiscalEntry } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { plainWords } from '#features/documents/fiscal-xml/plain-words.server.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { decodeText } from '#platform/tabular/decode-text.server.ts';
import { isValidForOracle } from '../support/signed-xml.ts';

const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) throw new Error('Which folder? npm run corpus:fiscal -- FOLDER [--list]');
const lists = options.includes('--list');

const counts = new Map<string, number>();
const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

/** A signed element as if it was alone in its file, as it was when it was signed. */
function alone(text: string): string {
  const [found] = /<(NFe|CTe|CTeOS|MDFe|evento\w*|inutNFe|NFSe|DPS|BPe|CFe)[\s>][\s\S]*<\/\1>/.exec(text) ?? [];
  return found ?? text;
}

function checkEntry(name: string, entry: FiscalEntry, text: string, isOnly: boolean): void {
  count(`kind ${entry.kind}`);
  count(`signature ${entry.signature.state}`);
  for (const { result, text: about } of entry.proofs) count(`${result} ${about}`);
  if (isDocument(entry)) {
    count(`state ${entry.state}`);
    if (entry.totals.difference !== '') count('total differs from its parts');
  }
  if (lists) console.log(`${name}: ${plainWords('en-us', entry)}`);
  if (!isOnly || entry.signature.state === 'none') return;
  const isValid = isValidForOracle(text) || isValidForOracle(alone(text));
  const agrees = isValid === (entry.signature.state === 'valid');
  count(agrees ? 'verdict as xml-crypto' : 'verdict unlike xml-crypto');
  if (!agrees) console.log(`${name}: ${entry.signature.state}, for xml-crypto ${isValid ? 'valid' : 'invalid'}`);
}

for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
  if (!/\.xml$/i.test(name)) continue;
  count('files');
  const bytes = fs.readFileSync(path.join(folder, name));
  const file = readFiscalXml(bytes);
  count(file.kind === 'refused' ? `refused ${file.because}` : `file ${file.kind}`);
  if (file.kind === 'refused') console.log(`${name}: refused, ${file.because}`);
  if (file.kind !== 'fiscal') continue;
  if (file.isWronglyEncoded) count('wrongly encoded');
  for (const entry of file.entries) checkEntry(name, entry, decodeText(bytes), file.entries.length === 1);
}
console.log([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, number]) => `${name}: ${number}`).join('\n'));
