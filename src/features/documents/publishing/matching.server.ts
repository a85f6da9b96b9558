import { nameKey } from '#features/documents/folders/names.server.ts';
import { extensionOf, nameIsAcceptable } from '#features/documents/folders/rules.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { textOfPdf } from '#features/documents/viewer/worker.server.ts';
import { readBlob } from '#platform/storage/blobs.server.ts';
import { db, fold, inTransaction } from '#platform/database/database.server.ts';
import { enqueue } from '#platform/jobs/jobs.server.ts';
import { findDuplicates, foldersOf, openBatch, ownBatch, publisherNow } from './batches.server.ts';
import { numberKeys } from './client-index.ts';
import type { Evidence } from './evidence.ts';
import { firmClients } from './firm-clients.server.ts';
import { matchFile, type Match } from './matching.ts';
import type { MatchedBy } from './publishing.ts';

/*
 * The files of a batch are matched to clients by a job, some at a time: the text of PDFs is read, which takes a while. It
 * can be stopped, and goes on after a crash; what was matched is kept.
 */

/**
 * Begins to match the files of a batch. What a person decided stays; all else is looked at again, because clients may
 * have changed.
 */
export async function startMatching(actor: Actor, batchId: string): Promise<void> {
  await inTransaction(async () => {
    await openBatch(actor, batchId);
    await begin(actor, batchId);
  });
}

async function begin(actor: Actor, batchId: string): Promise<void> {
  await db()
    .updateTable('publish_files')
    .set({ client_id: null, matched_by: null, problem: null, evidence: '[]' })
    .where('batch_id', '=', batchId)
    .where((e) => e.or([e('matched_by', 'is', null), e('matched_by', '!=', 'hand')]))
    .execute();
  await db()
    .updateTable('publish_batches')
    .set({ state: 'matching' })
    .where('batch_id', '=', batchId)
    .execute();
  await enqueueStep(actor, batchId);
}

const enqueueStep = (actor: Pick<Actor, 'companyId' | 'contactId'>, batchId: string): Promise<void> =>
  enqueue('publish-match', { batchId, contactId: actor.contactId }, null, actor.companyId);

/** Stops the matching of a batch; the files that were not looked at have no client. */
export async function stopMatching(actor: Actor, batchId: string): Promise<void> {
  await inTransaction(async () => {
    const { state } = await ownBatch(actor, batchId);
    if (state === 'matching') await reopen(batchId);
  });
}

async function reopen(batchId: string): Promise<void> {
  await db()
    .updateTable('publish_batches')
    .set({ state: 'open' })
    .where('batch_id', '=', batchId)
    .where('state', '=', 'matching')
    .execute();
  await findDuplicates(batchId);
}

/** Files that are matched before the next ones get a job of their own, so that other firms' jobs come between. */
const AT_ONCE = 50;

/** The job that matches the next files of a batch. */
export async function matchNext(payload: unknown): Promise<void> {
  const { batchId, contactId } = payload as { batchId: string; contactId: string };
  const actor = await publisherNow(contactId);
  if (!actor) return inTransaction(() => reopen(batchId));
  const files = await unmatched(batchId).orderBy('name_key').limit(AT_ONCE).execute();
  const firm = files.length === 0 ? undefined : await firmClients(actor);
  const matches = new Map<string, Match>();
  for (const file of files) {
    const text = await textOf(actor, file);
    const listed = file.listed_client_id ?? undefined;
    if (firm) matches.set(file.file_id, await matchFile(firm, { name: file.name, text, listed }));
  }
  await inTransaction(async () => {
    const { state } = await ownBatch(actor, batchId);
    if (state !== 'matching') return;
    for (const [fileId, match] of matches) await store(batchId, fileId, match);
    if ((await unmatched(batchId).limit(1).executeTakeFirst()) === undefined) await reopen(batchId);
    else await enqueueStep(actor, batchId);
  });
}

const unmatched = (batchId: string) =>
  db()
    .selectFrom('publish_files')
    .select(['file_id', 'name', 'size', 'sha256', 'blob_key', 'listed_client_id'])
    .where('batch_id', '=', batchId)
    .where('client_id', 'is', null)
    .where('problem', 'is', null);

async function store(batchId: string, fileId: string, { clientId, problem, evidence }: Match): Promise<void> {
  await db()
    .updateTable('publish_files')
    .set({
      client_id: clientId ?? null,
      matched_by: clientId === undefined ? null : matchedBy(evidence),
      problem: problem ?? null,
      evidence: JSON.stringify(evidence),
    })
    .where('file_id', '=', fileId)
    .where('batch_id', '=', batchId)
    .where('client_id', 'is', null)
    .execute();
}

/** The surest piece of evidence. */
function matchedBy(evidence: readonly Evidence[]): MatchedBy {
  if (evidence.some(({ source }) => source === 'list')) return 'list';
  const isSure = ({ doubt }: Evidence): boolean => doubt === undefined;
  const { kind = 'name' } =
    evidence.find((piece) => piece.kind === 'taxId' && isSure(piece)) ??
    evidence.find(isSure) ??
    evidence[0] ??
    {};
  return kind === 'tradeName' ? 'name' : kind;
}

/** A larger PDF is not read. */
const MAX_READ = 32_000_000;

interface StagedPdf {
  name: string;
  size: number;
  sha256: string;
  blob_key: string | null;
}

/** The text of a PDF; undefined for other files, and for one that cannot be read or has none, such as a scan. */
async function textOf(
  { contactId, companyId }: Actor,
  { name, size, sha256, blob_key: key }: StagedPdf,
): Promise<string | undefined> {
  if (key === null || size > MAX_READ || extensionOf(name) !== '.pdf') return undefined;
  const read = await textOfPdf({
    key: sha256,
    bytes: () => readBlob(key),
    asker: { person: contactId, firm: companyId },
  });
  return 'text' in read && read.text.trim() !== '' ? read.text : undefined;
}

/**
 * Uses a list of file names and client numbers, matches the files again, and returns the lines whose file or client is
 * unknown, or whose folder cannot be created. A list is evidence like others: what contradicts it is settled by a person.
 * Without a folder, that of the batch counts.
 */
export async function matchByList(
  actor: Actor,
  batchId: string,
  lines: readonly { line: number; file: string; number: string; folder: string }[],
): Promise<number[]> {
  const clients = await clientIdsOf(actor)
    .select(['clients.code_key'])
    .where('clients.archived_at', 'is', null)
    .where('clients.code_key', '!=', '')
    .execute();
  const byCode = Map.groupBy(clients, (row) => row.code_key);
  const byNumber = Map.groupBy(clients, (row) => plainKey(row.code_key));
  return inTransaction(async () => {
    const { year } = await openBatch(actor, batchId);
    const files = await db()
      .selectFrom('publish_files')
      .select(['file_id', 'name_key'])
      .where('batch_id', '=', batchId)
      .execute();
    const byName = new Map(files.map((row) => [row.name_key, row.file_id]));
    const unknown: number[] = [];
    for (const { line, file, number, folder } of lines) {
      const id = byName.get(nameKey(file.trim()));
      const code = fold(number.trim());
      const [client, other] = byCode.get(code) ?? byNumber.get(plainKey(code)) ?? [];
      const isGood = foldersOf({ folder, year: Number(year) }).every(nameIsAcceptable);
      if (id === undefined || !client || other || !isGood) unknown.push(line);
      else
        await db()
          .updateTable('publish_files')
          .set({ listed_client_id: client.client_id, folder: folder.trim() || null, matched_by: null })
          .where('file_id', '=', id)
          .execute();
    }
    await begin(actor, batchId);
    return unknown;
  });
}

const plainKey = (code: string): string => [...numberKeys(code)][0] ?? '';
