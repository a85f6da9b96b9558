import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { now } from './clock.server.ts';
import { config } from './config.server.ts';
import { keyIds, keysFor, sealedBy } from './crypto.server.ts';
import { db } from './database.server.ts';

/*
 * The heads of the audit trails, written down outside the database every hour: whoever rewrites a trail there, with right hashes, cannot
 * rewrite this file too when it is kept elsewhere (AUDIT_ANCHORS), nor sign a line without the key file (security.md T81). Lines are
 * only ever added: moment, firm, number and hash of its newest entry, and the signature `key id.HMAC-SHA-256`.
 */

/** What is known from outside of the entries of each firm: number → hash. */
export type Anchors = ReadonlyMap<string, ReadonlyMap<number, string>>;

interface Line {
  at: string;
  companyId: string;
  seq: number;
  hash: string;
}

const PURPOSE = 'audit-anchors';
const RESTORED = 'restored';

const signatures = (text: string): string[] => keysFor(PURPOSE).map((key, i) => `${keyIds()[i] ?? ''}.${createHmac('sha256', key).update(text).digest('base64url')}`);

const textOf = ({ at, companyId, seq, hash }: Line): string => `${at} ${companyId} ${seq} ${hash}`;

/** Notes the head of every trail that grew since it was noted last; answers how many. */
export async function writeAnchors(file = config.auditAnchors): Promise<number> {
  const known = readAnchors(file);
  const heads = await db().selectFrom('audit_heads').selectAll().where('seq', '>', 0).orderBy('company_id').execute();
  const grown = heads.filter(({ company_id: companyId, seq }) => seq > Math.max(0, ...(known.get(companyId)?.keys() ?? [])));
  append(file, grown.map(({ company_id: companyId, seq, hash }) => ({ at: new Date(now()).toISOString(), companyId, seq, hash })));
  return grown.length;
}

/** Notes that an earlier state was put back on purpose: what was anchored before is no longer owed. */
export function noteRestoredInAnchors(file = config.auditAnchors): void {
  if (fs.existsSync(file)) append(file, [{ at: new Date(now()).toISOString(), companyId: RESTORED, seq: 0, hash: '-' }]);
}

function append(file: string, lines: readonly Line[]): void {
  if (lines.length === 0) return;
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = fs.openSync(file, 'a', 0o600);
  fs.writeSync(handle, lines.map((line) => `${textOf(line)} ${signatures(textOf(line))[0] ?? ''}\n`).join(''));
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}

/** The anchors that a file holds. Lines that we did not sign say nothing; {@link anchorFaults} names them. */
export function readAnchors(file = config.auditAnchors): Anchors {
  const anchors = new Map<string, Map<number, string>>();
  for (const { line } of signedLines(file)) {
    if (line.companyId === RESTORED) anchors.clear();
    else anchors.set(line.companyId, (anchors.get(line.companyId) ?? new Map<number, string>()).set(line.seq, line.hash));
  }
  return anchors;
}

/** What is wrong with the file itself, a sentence per line, and how many lines cannot be judged because their key was given up since. */
export function anchorFaults(file = config.auditAnchors): { faults: string[]; unjudged: number } {
  const all = linesOf(file);
  const signed = new Set(signedLines(file).map(({ number }) => number));
  const strange = all.filter(({ number }) => !signed.has(number));
  const unjudged = strange.filter(({ text }) => /^[0-9a-f]{8}\./.test(signatureIn(text)) && !keyIds().includes(sealedBy(signatureIn(text))));
  return { faults: strange.filter((line) => !unjudged.includes(line)).map(({ number }) => `line ${number} of the anchors was not written by this portal, or was changed`), unjudged: unjudged.length };
}

const signatureIn = (text: string): string => text.slice(text.lastIndexOf(' ') + 1);

const linesOf = (file: string): { number: number; text: string }[] =>
  fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').map((text, i) => ({ number: i + 1, text })).filter(({ text }) => text !== '') : [];

function signedLines(file: string): { number: number; line: Line }[] {
  return linesOf(file).flatMap(({ number, text }) => {
    const [at = '', companyId = '', seq = '', hash = ''] = text.split(' ');
    const line = { at, companyId, seq: Number(seq), hash };
    return `${textOf(line)} ${signatureIn(text)}` === text && signatures(textOf(line)).includes(signatureIn(text)) ? [{ number, line }] : [];
  });
}
