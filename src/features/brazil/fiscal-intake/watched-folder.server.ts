import { constants } from 'node:fs';
import { access, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { db } from '#platform/database/database.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { HOUR, now, SECOND } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { exclusively } from '#platform/security/limits.server.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import { MAX_UPLOAD } from './fiscal-intake.ts';
import { ArrivingIntake, readArrival, type Arrival } from './internal/arrivals.server.ts';
import { readIncoming } from './internal/incoming.server.ts';
import { languageOfFirms, recipientIn, recipientNamed, type Recipient } from './recipients.server.ts';
import { refusalText } from './refusals.server.ts';

/*
 * The watched folder (FISCAL_FOLDER): each client has a folder in it, named by number or CNPJ; a file beside these folders is
 * for the client that it names. A file is taken when two scans find it unchanged. The transaction that stores it notes where it must be moved; the note is removed after the move, so
 * that a node that dies in between leaves a file that is moved later, and not stored again.
 */

/** For how long a file must not have changed. */
const UNCHANGED_FOR = 5 * SECOND;
const DONE = 'done';
const REFUSED = 'refused';
const PLACES = [DONE, REFUSED];
/** What programs write before they rename it, and what file managers add. */
const UNFINISHED = /^[.~]|\.(?:tmp|part|partial|filepart|crdownload)$|^(?:Thumbs\.db|desktop\.ini)$/i;
/** Neither through a link, nor waiting for the other end of a pipe. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FILES_AT_ONCE = 64;
const BYTES_AT_ONCE = 8 * 1024 ** 2;
const FILES_PER_SCAN = 1000;

/** The problems of the folder for the operator, by the names in it. */
interface FolderFindings {
  clients: number;
  /** Folders that are named after no client that takes documents, and after several. */
  unknown: string[];
  ambiguous: string[];
  /** Files and folders that cannot be read or moved. */
  denied: string[];
  /** Symbolic links, which are never followed. */
  links: string[];
}

/** Takes what has come into the watched folder; one node at a time. */
export async function readFolder(signal?: AbortSignal, folder = config.fiscalFolder): Promise<void> {
  if (folder === undefined) return;
  await exclusively('fiscal-folder', async () => {
    const findings = noFindings();
    await finishMoves(folder, findings);
    for (const { name, recipient } of await clientFolders(folder, findings)) {
      if (signal?.aborted) return;
      const own = { folder, name, recipient, findings, signal };
      await takeFiles(own, await completeFiles(folder, name, findings));
    }
    await takeLooseFiles(folder, findings, signal);
    forgetGone();
    reportChanges(findings);
  });
}

/** Finds the problems of the folder, and changes nothing. Throws an error if the folder cannot be used. */
export async function inspectFolder(folder: string): Promise<FolderFindings> {
  const findings = noFindings();
  for (const { name } of await clientFolders(folder, findings)) {
    findings.clients += 1;
    const place = path.join(folder, name);
    await access(place, constants.W_OK).catch((error: unknown) => noteDenied(error, name, findings));
    for (const file of await filesIn(place, name, findings))
      await open(path.join(folder, file.path), READING).then(
        (handle) => handle.close(),
        (error: unknown) => noteDenied(error, file.path, findings),
      );
  }
  return findings;
}

const noFindings = (): FolderFindings => ({ clients: 0, unknown: [], ambiguous: [], denied: [], links: [] });

let reported = '';

/** Logs how many findings there are when that has changed: names are in the report of the doctor. */
function reportChanges({ unknown, ambiguous, denied, links }: FolderFindings): void {
  const counts = { unknown, ambiguous, denied, links };
  const current = JSON.stringify(Object.values(counts).map((names) => names.length));
  if (current === reported) return;
  reported = current;
  for (const [kind, names] of Object.entries(counts))
    if (names.length > 0) log.warn({ event: 'fiscal.folder-problem', kind, files: names.length });
}

/** Lists the folders of clients that take documents. */
async function clientFolders(
  folder: string,
  findings: FolderFindings,
): Promise<{ name: string; recipient: Recipient }[]> {
  const folders = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (UNFINISHED.test(name)) continue;
    if (entry.isSymbolicLink()) findings.links.push(name);
    if (!entry.isDirectory() || PLACES.includes(name)) continue;
    const recipient = await recipientNamed(name);
    if (typeof recipient === 'string') findings[recipient].push(name);
    else folders.push({ name, recipient });
  }
  return folders;
}

/** A file with its size and time. */
interface Seen {
  /** Below the watched folder. */
  path: string;
  size: number;
  modifiedAt: number;
}

/** Lists the files of a client's folder, without links and what is below other folders. */
async function filesIn(place: string, name: string, findings: FolderFindings): Promise<Seen[]> {
  const files: Seen[] = [];
  try {
    for (const entry of await readdir(place, { withFileTypes: true })) {
      const at = path.join(name, entry.name);
      if (entry.isSymbolicLink()) findings.links.push(at);
      if (!entry.isFile() || UNFINISHED.test(entry.name) || PLACES.includes(entry.name)) continue;
      const found = await lstat(path.join(place, entry.name)).catch(unlessGone);
      if (found?.isFile()) files.push({ path: at, ...stampOf(found) });
    }
  } catch (error) {
    noteDenied(error, name, findings);
  }
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

const stampOf = ({ size, mtimeMs }: { size: number; mtimeMs: number }) => ({
  size,
  modifiedAt: Math.trunc(mtimeMs),
});

const isSame = (one: Omit<Seen, 'path'>, other: Omit<Seen, 'path'>): boolean =>
  one.size === other.size && one.modifiedAt === other.modifiedAt;

/** Since when each file is as it is, as this node has seen it. */
const unchangedSince = new Map<string, Seen & { since: number; seenAt: number }>();

function isComplete(file: Seen): boolean {
  const instant = now();
  const before = unchangedSince.get(file.path);
  const since = before && isSame(before, file) ? before.since : instant;
  unchangedSince.set(file.path, { ...file, since, seenAt: instant });
  return instant - since >= UNCHANGED_FOR;
}

/** Forgets the files that no scan has found for an hour. */
function forgetGone(): void {
  for (const [name, { seenAt }] of unchangedSince) if (seenAt < now() - HOUR) unchangedSince.delete(name);
}

interface ClientFolder {
  folder: string;
  name: string;
  recipient: Recipient;
  findings: FolderFindings;
  /** Ends it between two files. */
  signal: AbortSignal | undefined;
  /** The files were put into no folder: each client of the firm that they name gets its part. */
  isByContent?: true;
}

/** The files of a folder that no longer change, and do not only wait to be moved. */
async function completeFiles(folder: string, name: string, findings: FolderFindings): Promise<Seen[]> {
  const waiting = new Set((await pendingMoves()).map((row) => row.path));
  const files = (await filesIn(path.join(folder, name), name, findings)).filter(isComplete);
  return files.filter(({ path: at }) => !waiting.has(at)).slice(0, FILES_PER_SCAN);
}

/** Takes the files beside the folders for the clients that they name; the others are refused. */
async function takeLooseFiles(
  folder: string,
  findings: FolderFindings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const byClient = new Map<string, { recipient: Recipient; files: Seen[] }>();
  for (const file of await completeFiles(folder, '', findings)) {
    if (signal?.aborted) return;
    const recipient = await recipientOf(folder, file, findings);
    if (recipient === undefined) continue;
    if (typeof recipient === 'string') {
      const t = translationsFor(await languageOfFirms(), 'fiscal-intake');
      await moveFile(folder, file.path, t(LOOSE_TEXTS[recipient])).catch((error: unknown) =>
        noteDenied(error, file.path, findings),
      );
      continue;
    }
    const own = byClient.get(recipient.clientId) ?? { recipient, files: [] };
    byClient.set(recipient.clientId, { ...own, files: [...own.files, file] });
  }
  for (const { recipient, files } of byClient.values())
    await takeFiles({ folder, name: '', recipient, findings, signal, isByContent: true }, files);
}

/** Why a file beside the folders is taken for no client. */
const LOOSE_TEXTS = {
  archive: 'looseArchive',
  noClient: 'looseNoClient',
  severalFirms: 'looseSeveralFirms',
} as const satisfies Record<string, KeysOf<'fiscal-intake'>>;

/** For whom a file beside the folders is; why for nobody; undefined for one that cannot be read now. */
async function recipientOf(
  folder: string,
  file: Seen,
  findings: FolderFindings,
): Promise<Recipient | keyof typeof LOOSE_TEXTS | undefined> {
  await using handle = await open(path.join(folder, file.path), READING).catch((error: unknown) =>
    noteDenied(error, file.path, findings),
  );
  if (!handle) return undefined;
  const content = await readIncoming(handle.createReadStream({ autoClose: false }));
  if ('archive' in content) return 'archive';
  return 'bytes' in content ? recipientIn(content.bytes) : 'noClient';
}

/** Takes files of a client. */
async function takeFiles(own: ClientFolder, files: readonly Seen[]): Promise<void> {
  const { name, recipient, isByContent } = own;
  const begin = (first: string): ArrivingIntake =>
    new ArrivingIntake(recipient, { source: 'folder', name: first, ...(isByContent && { isByContent }) });
  const batch: { file: Seen; arrival: Arrival }[] = [];
  let intake: ArrivingIntake | undefined;
  let bytes = 0;
  const store = async (): Promise<void> => {
    const items = batch.splice(0);
    bytes = 0;
    if (items.length === 0) return;
    intake ??= begin(items[0]?.arrival.name ?? name);
    await storeFiles(own, intake, items);
  };
  try {
    for (const file of files) {
      if (own.signal?.aborted) break;
      const arrival = await readIfSame(own, file);
      if (!arrival) continue;
      if ('archive' in arrival) {
        await storeFiles(own, begin(arrival.name), [{ file, arrival }]);
        continue;
      }
      batch.push({ file, arrival });
      bytes += file.size;
      if (batch.length >= FILES_AT_ONCE || bytes > BYTES_AT_ONCE) await store();
    }
    await store();
  } catch (error) {
    // the storage was switched off in the meantime: the files stay
    if (!['FORBIDDEN', 'GONE', 'NOT_FOUND'].includes(refusal(error)?.code ?? '')) throw error;
  }
}

/** Reads a file, which is taken only if it is still as the scans have found it. */
async function readIfSame(
  { folder, recipient, findings }: ClientFolder,
  file: Seen,
): Promise<Arrival | undefined> {
  const name = path.basename(file.path);
  await using handle = await open(path.join(folder, file.path), READING).catch((error: unknown) =>
    noteDenied(error, file.path, findings),
  );
  if (!handle || !isSame(stampOf(await handle.stat()), file)) return undefined;
  if (file.size > MAX_UPLOAD) return { name, refused: 'archiveTooLarge' };
  const arrival = await readArrival(recipient, name, handle.createReadStream({ autoClose: false }));
  return isSame(stampOf(await handle.stat()), file) ? arrival : undefined;
}

async function storeFiles(
  { folder, recipient, findings }: ClientFolder,
  intake: ArrivingIntake,
  items: readonly { file: Seen; arrival: Arrival }[],
): Promise<void> {
  const arrivals = items.map(({ arrival }) => arrival);
  await intake.add(arrivals, async (refusals) => {
    const rows = items.map(({ file }, at) => {
      const code = refusals[at];
      return {
        path: file.path,
        intake_id: intake.intakeId,
        size: file.size,
        modified_at: file.modifiedAt,
        reason: code === undefined ? '' : refusalText(recipient.language, code),
      };
    });
    await db().insertInto('fiscal_moves').values(rows).execute();
  });
  await finishMoves(folder, findings, intake.intakeId);
}

const pendingMoves = (intakeId?: string) =>
  db()
    .selectFrom('fiscal_moves')
    .selectAll()
    .$if(intakeId !== undefined, (moves) => moves.where('intake_id', '=', intakeId ?? ''))
    .orderBy('path')
    .execute();

/** Moves what is stored, and removes the notes of it. What cannot be moved is tried again, and not stored again. */
async function finishMoves(folder: string, findings: FolderFindings, intakeId?: string): Promise<void> {
  for (const { path: name, reason, size, modified_at: modifiedAt } of await pendingMoves(intakeId)) {
    try {
      const found = await lstat(path.join(folder, name)).catch(unlessGone);
      if (found && isSame(stampOf(found), { size, modifiedAt: Number(modifiedAt) }))
        await moveFile(folder, name, reason);
    } catch (error) {
      noteDenied(error, name, findings);
      continue;
    }
    unchangedSince.delete(name);
    await db().deleteFrom('fiscal_moves').where('path', '=', name).execute();
  }
}

/** Moves a file to what was taken, or to what was refused with the reason in a text file. */
async function moveFile(folder: string, name: string, reason: string): Promise<void> {
  const from = path.join(folder, name);
  const place = path.join(path.dirname(from), reason === '' ? DONE : REFUSED);
  await mkdir(place).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  if (!(await lstat(place)).isDirectory())
    throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  const target = await freeName(place, path.basename(name));
  if (reason !== '') {
    await rm(`${target}.txt`, { force: true }); // never through a link
    await writeFile(`${target}.txt`, `${reason}\n`, { flag: 'wx' });
  }
  await rename(from, target);
}

/** A path in a folder that nothing has: what has the same name stays. */
async function freeName(place: string, name: string): Promise<string> {
  const { name: stem, ext } = path.parse(name);
  for (let copy = 1; ; copy += 1) {
    const target = path.join(place, copy === 1 ? name : `${stem} (${copy})${ext}`);
    if ((await lstat(target).catch(unlessGone)) === undefined) return target;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** Somebody, or another node, has moved the file. */
function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

const DENIED = ['EACCES', 'EPERM', 'EROFS', 'EXDEV', 'ENOTDIR', 'ELOOP', 'EISDIR'];

/** Notes what the file system refuses; a file that is gone is nobody's problem. */
function noteDenied(error: unknown, name: string, findings: FolderFindings): undefined {
  const code = codeOf(error);
  if (code === 'ENOENT') return;
  if (!DENIED.includes(code)) throw error;
  if (!findings.denied.includes(name)) findings.denied.push(name);
}
