import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { now, SECOND } from '../runtime/clock.server.ts';
import { config } from '../runtime/config.server.ts';
import { keyIds, keysFor, encryptionKeyIdOf, sha256 } from './crypto.server.ts';
import { db, outsideTransaction } from '../database/database.server.ts';
import { log } from '../monitoring/log.server.ts';

/*
 * Audit anchors: signed checkpoints of each firm's hash-chain head, appended to a file outside the database
 * every hour and after every 100 entries. Someone who rewrites an audit log in the database with valid hashes
 * cannot rewrite this file too if it is kept elsewhere (AUDIT_ANCHORS), nor sign a line without the key file
 * (threat-model.md T81).
 *
 * Append-only lines: time, firm, number and hash of its newest entry, digest of the previous line, and the
 * signature `key id.HMAC-SHA-256`. The next line reveals that a line was removed. Nodes that share a file may
 * both follow the same line. Lines of earlier versions lack the digest.
 */

/** The anchored entries of each firm: number → hash. */
export type Anchors = ReadonlyMap<string, ReadonlyMap<number, string>>;

interface Line {
  at: string;
  companyId: string;
  seq: number;
  hash: string;
  /** Digest of the previous line, `-` for the first; undefined in lines of an earlier version. */
  after?: string | undefined;
}

const PURPOSE = 'audit-anchors';
const RESTORED = 'restored';

const signatures = (text: string): string[] =>
  keysFor(PURPOSE).map(
    (key, i) => `${keyIds()[i] ?? ''}.${createHmac('sha256', key).update(text).digest('base64url')}`,
  );

const textOf = ({ at, companyId, seq, hash, after }: Line): string =>
  [at, companyId, seq, hash, ...(after === undefined ? [] : [after])].join(' ');

const NOTHING_BEFORE = '-';
const digestOf = (text: string | undefined): string =>
  text === undefined ? NOTHING_BEFORE : sha256(text).slice(0, 32);

/** The default location in an earlier version: reachable by anyone with access to the data folder. */
const LEGACY_FILE = path.join(config.dataDir, 'audit-anchors.log');

/** The anchors file: as configured, or the legacy one until it is moved. */
export const anchorsFile = (): string =>
  config.auditAnchorsAreOurs && !fs.existsSync(config.auditAnchors) && fs.existsSync(LEGACY_FILE)
    ? LEGACY_FILE
    : config.auditAnchors;

/**
 * The file to write to. Falls back to the data folder, with a warning, when the default location is not
 * writable.
 */
function writableFile(): string {
  if (!config.auditAnchorsAreOurs || fs.existsSync(config.auditAnchors)) return config.auditAnchors;
  try {
    if (fs.existsSync(LEGACY_FILE))
      fs.copyFileSync(LEGACY_FILE, config.auditAnchors, fs.constants.COPYFILE_EXCL);
    else fs.closeSync(fs.openSync(config.auditAnchors, 'a', 0o600));
  } catch (error) {
    log.warn({ event: 'anchors.not-outside', err: error });
    return LEGACY_FILE;
  }
  fs.rmSync(LEGACY_FILE, { force: true });
  return config.auditAnchors;
}

/** Writes an anchor for every audit log that grew since its last one. Returns how many. */
export async function writeNewAnchors(file = writableFile()): Promise<number> {
  const known = readAnchors(file);
  const heads = await db()
    .selectFrom('audit_heads')
    .selectAll()
    .where('seq', '>', 0)
    .orderBy('company_id')
    .execute();
  const grown = heads.filter(
    ({ company_id: companyId, seq }) => seq > Math.max(0, ...(known.get(companyId)?.keys() ?? [])),
  );
  append(
    file,
    grown.map(({ company_id: companyId, seq, hash }) => ({
      at: new Date(now()).toISOString(),
      companyId,
      seq,
      hash,
    })),
  );
  return grown.length;
}

/** Records a deliberate restore: earlier anchors no longer have to match. */
export function recordRestoreInAnchors(file = anchorsFile()): void {
  if (fs.existsSync(file))
    append(file, [{ at: new Date(now()).toISOString(), companyId: RESTORED, seq: 0, hash: '-' }]);
}

function append(file: string, lines: readonly Line[]): void {
  if (lines.length === 0) return;
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const written: string[] = [];
  let last = linesOf(file).at(-1)?.text;
  for (const line of lines) {
    const text = textOf({ ...line, after: digestOf(last) });
    last = `${text} ${signatures(text)[0] ?? ''}`;
    written.push(`${last}\n`);
  }
  const handle = fs.openSync(file, 'a', 0o600);
  fs.writeSync(handle, written.join(''));
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}

/** The anchors in a file. Lines without a valid signature are ignored; {@link anchorFaults} reports them. */
export function readAnchors(file = anchorsFile()): Anchors {
  const anchors = new Map<string, Map<number, string>>();
  for (const { line } of signedLines(file)) {
    if (line.companyId === RESTORED) anchors.clear();
    else
      anchors.set(
        line.companyId,
        (anchors.get(line.companyId) ?? new Map<number, string>()).set(line.seq, line.hash),
      );
  }
  return anchors;
}

/** The signed lines about one firm, as they are in the file. */
export const checkpointsOf = (companyId: string, file = anchorsFile()): string[] => {
  const own = new Set(
    signedLines(file).flatMap(({ number, line }) => (line.companyId === companyId ? [number] : [])),
  );
  return linesOf(file).flatMap(({ number, text }) => (own.has(number) ? [text] : []));
};

/**
 * Checks the file itself: a sentence per bad line, and how many lines cannot be verified because their key
 * has been retired since.
 */
export function anchorFaults(file = anchorsFile()): { faults: string[]; unjudged: number } {
  const all = linesOf(file);
  const signed = new Set(signedLines(file).map(({ number }) => number));
  const unsigned = all.filter(({ number }) => !signed.has(number));
  const unjudged = unsigned.filter(
    ({ text }) =>
      /^[0-9a-f]{8}\./.test(signatureIn(text)) && !keyIds().includes(encryptionKeyIdOf(signatureIn(text))),
  );
  const foreign = unsigned
    .filter((line) => !unjudged.includes(line))
    .map(({ number }) => `line ${number} of the anchors was modified, or not written by this portal`);
  const gaps = linesAfterGap(all).filter((number) => signed.has(number));
  return {
    faults: [
      ...foreign,
      ...gaps.map((number) => `before line ${number} of the anchors a line was removed or changed`),
    ],
    unjudged: unjudged.length,
  };
}

/** The numbers of the lines whose previous line is missing. */
function linesAfterGap(lines: readonly { number: number; text: string }[]): number[] {
  const before = new Set([NOTHING_BEFORE]);
  let isChained = false;
  return lines.flatMap(({ number, text }) => {
    const { after } = parsed(text);
    const misses = after === undefined ? isChained : !before.has(after);
    isChained ||= after !== undefined;
    before.delete(NOTHING_BEFORE); // only the first line has no predecessor
    before.add(digestOf(text));
    return misses ? [number] : [];
  });
}

const signatureIn = (text: string): string => text.slice(text.lastIndexOf(' ') + 1);

function parsed(text: string): Line {
  const parts = text.split(' ');
  const [at = '', companyId = '', seq = '', hash = '', after] = parts;
  return { at, companyId, seq: Number(seq), hash, ...(parts.length === 6 && { after }) };
}

const linesOf = (file: string): { number: number; text: string }[] =>
  fs.existsSync(file)
    ? fs
        .readFileSync(file, 'utf8')
        .split('\n')
        .map((text, i) => ({ number: i + 1, text }))
        .filter(({ text }) => text !== '')
    : [];

function signedLines(file: string): { number: number; line: Line }[] {
  return linesOf(file).flatMap(({ number, text }) => {
    const line = parsed(text);
    return `${textOf(line)} ${signatureIn(text)}` === text &&
      signatures(textOf(line)).includes(signatureIn(text))
      ? [{ number, line }]
      : [];
  });
}

let scheduled: NodeJS.Timeout | undefined;
let isAnchoring = false;

/** Also writes anchors between the hours, when {@link scheduleAnchoring} is called. */
export const startAnchoring = (): void => void (isAnchoring = true);

export function stopAnchoring(): void {
  isAnchoring = false;
  clearTimeout(scheduled);
  scheduled = undefined;
}

/** Writes anchors within a second, after the open transaction has ended. */
export function scheduleAnchoring(): void {
  if (!isAnchoring || scheduled) return;
  const write = async (): Promise<void> => {
    scheduled = undefined;
    await writeNewAnchors();
  };
  scheduled = outsideTransaction(() =>
    setTimeout(
      () => void write().catch((error: unknown) => log.error({ event: 'anchors.failed', err: error })),
      SECOND,
    ),
  );
}
