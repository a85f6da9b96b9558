import { setImmediate } from 'node:timers/promises';
import type { FiscalDocument, FiscalFile } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId, sha256 } from '#platform/security/crypto.server.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { plainWords } from '#features/documents/fiscal-xml/plain-words.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { commitPack, storePack, type Pack } from './internal/packs.server.ts';
import { planOf, type Plan, type PlanRefusal, type Target } from './internal/plans.server.ts';
import { addDocument, addEvent, addOther, addVoid, RowBatch, type RowOwner } from './internal/rows.server.ts';
import { settle } from './settling.server.ts';

/* Storing files: read and packed first, then written in one transaction with whatever the caller adds. */

/** A file that came in, with at most a few MB. */
export interface IncomingFile {
  name: string;
  bytes: Buffer;
  /** What is in it, if a thread has read it already. */
  content?: FiscalFile;
}

/** Where files were said to belong, and where they came from. */
export interface Destination {
  clientId: string;
  intakeId: string;
  /** Stores what names no client of the actor at `clientId` all the same: a person has decided so. */
  isCertain?: true;
  /** Stores nothing for other clients: whoever sent it is no person who may act for them. */
  isForOneClient?: true;
  /** Anybody may have sent it: events change documents only if they are signed. */
  isFromAnybody?: true;
}

/** What became of a file. `other` is XML about which nothing is claimed. */
export type Outcome =
  | { outcome: 'stored' | 'known' | 'twin' | 'event' | 'other'; clientId: string; fileId: string }
  | { outcome: 'elsewhere'; clientId: string; fileId: string }
  | { outcome: 'setAside'; sha256: string; sentence: string }
  | { outcome: 'refused'; code: PlanRefusal };

interface ReadFile {
  file: IncomingFile;
  sha256: string;
  plan: Plan;
}

/** Files that are read and packed, but have no rows yet. */
export interface Prepared {
  actor: Actor;
  destination: Destination;
  files: readonly ReadFile[];
  /** The packs by client, and the digests of the files in them, in their order. */
  packs: ReadonlyMap<string, { pack: Pack; digests: readonly string[] }>;
}

/** Reads files, finds whose they are, and stores the bytes of those that are new. */
export async function prepareFiles(
  actor: Actor,
  destination: Destination,
  files: readonly IncomingFile[],
): Promise<Prepared> {
  const read: { file: IncomingFile; sha256: string; content: FiscalFile }[] = [];
  for (const file of files) {
    const content = file.content ?? readFiscalXml(file.bytes, { isBrief: true });
    read.push({ file, sha256: sha256(file.bytes), content });
    if (!file.content) await setImmediate(); // others get their turn between two files
  }
  const plans = await planOf(
    actor,
    destination,
    read.map(({ content }) => content),
  );
  const planned = read.map(({ file, sha256: digest }, at) => ({
    file,
    sha256: digest,
    plan: plans[at] ?? { kind: 'refused' as const, code: 'notXml' as const },
  }));
  return { actor, destination, files: planned, packs: await packsOf(planned) };
}

async function packsOf(files: readonly ReadFile[]): Promise<Prepared['packs']> {
  const byClient = new Map<string, Map<string, Buffer>>();
  for (const { file, sha256: digest, plan } of files)
    for (const clientId of plan.kind === 'stored' ? plan.targets.keys() : []) {
      const own = byClient.get(clientId) ?? new Map<string, Buffer>();
      byClient.set(clientId, own.set(digest, file.bytes));
    }
  const packs = new Map<string, { pack: Pack; digests: string[] }>();
  for (const [clientId, own] of byClient) {
    const known = new Set((await filesWith(clientId, [...own.keys()])).keys());
    const fresh = [...own].filter(([digest]) => !known.has(digest));
    if (fresh.length === 0) continue;
    const pack = await storePack(
      clientId,
      fresh.map(([, bytes]) => bytes),
    );
    packs.set(clientId, { pack, digests: fresh.map(([digest]) => digest) });
  }
  return packs;
}

/** The ids of a client's files by their digests. */
async function filesWith(clientId: string, digests: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const some of inBatches(digests)) {
    const rows = await db()
      .selectFrom('fiscal_files')
      .select(['sha256', 'file_id'])
      .where('client_id', '=', clientId)
      .where('sha256', 'in', some)
      .execute();
    for (const row of rows) found.set(row.sha256, row.file_id);
  }
  return found;
}

/** Writes the rows of prepared files, in the open transaction; what became of each, in their order. */
export async function commitFiles({ actor, destination, files, packs }: Prepared): Promise<Outcome[]> {
  const { companyId } = actor;
  const known = new Map<string, Map<string, string>>();
  const packIds = new Map<string, string>();
  for (const clientId of clientsIn(files)) {
    const digests = files.map(({ sha256: digest }) => digest);
    known.set(clientId, await filesWith(clientId, [...new Set(digests)]));
  }
  const outcomes: Outcome[] = [];
  const keys = new Set<string>();
  const batch = await RowBatch.begin(documentsByClient(files));
  for (const { file, sha256: digest, plan } of files) {
    if (plan.kind === 'refused') outcomes.push({ outcome: 'refused', code: plan.code });
    else if (plan.kind === 'setAside')
      outcomes.push({ outcome: 'setAside', sha256: digest, sentence: sentenceOf(actor, plan) });
    else {
      const results = new Map<string, { fileId: string; isKnown: boolean; isTwin: boolean }>();
      for (const [clientId, target] of plan.targets) {
        const ids = known.get(clientId);
        const existing = ids?.get(digest);
        if (existing !== undefined) {
          results.set(clientId, { fileId: existing, isKnown: true, isTwin: false });
          continue;
        }
        const packed = packs.get(clientId);
        const at = packed?.digests.indexOf(digest) ?? -1;
        const place = packed?.pack.places[at];
        if (!packed || !place) throw new Error('a file that was removed meanwhile'); // it is read again
        const packId = packIds.get(clientId) ?? (await commitPack(packed.pack, { companyId, clientId }));
        packIds.set(clientId, packId);
        const row = fileRow(actor, destination, { clientId, file, digest, packId, place, plan });
        batch.addFile(row);
        const owner = { companyId, clientId, fileId: row.file_id, sha256: digest, name: row.name };
        ids?.set(digest, owner.fileId);
        const isTwin = await insertContent(owner, target, batch);
        for (const key of target.keys) keys.add(key);
        results.set(clientId, { fileId: owner.fileId, isKnown: false, isTwin });
      }
      outcomes.push(outcomeOf(destination, plan, results));
    }
  }
  await setImmediate(); // as the statements of SQLite, which do not wait, this would be one long turn
  await batch.flush();
  await setImmediate();
  await settle(companyId, [...keys]);
  await setImmediate();
  return outcomes;
}

function documentsByClient(files: readonly ReadFile[]): Map<string, FiscalDocument[]> {
  const found = new Map<string, FiscalDocument[]>();
  for (const { plan } of files)
    for (const [clientId, { documents }] of plan.kind === 'stored' ? plan.targets : [])
      found.set(clientId, [...(found.get(clientId) ?? []), ...documents.map(({ document }) => document)]);
  return found;
}

const clientsIn = (files: readonly ReadFile[]): Set<string> =>
  new Set(files.flatMap(({ plan }) => (plan.kind === 'stored' ? [...plan.targets.keys()] : [])));

function sentenceOf({ language }: Actor, { entries }: Plan & { kind: 'setAside' }): string {
  const [first] = entries;
  return first ? plainWords(languageOf(language) ?? DEFAULT_LANG, first).slice(0, 500) : '';
}

interface NewFile {
  clientId: string;
  file: IncomingFile;
  digest: string;
  packId: string;
  place: { offset: number; length: number };
  plan: Plan & { kind: 'stored' };
}

const fileRow = (
  { companyId, contactId }: Actor,
  { intakeId }: Destination,
  { clientId, file, digest, packId, place, plan }: NewFile,
): Tables['fiscal_files'] => ({
  file_id: newId('ffile'),
  company_id: companyId,
  client_id: clientId,
  sha256: digest,
  size: file.bytes.length,
  name: file.name.slice(0, 300),
  kind: plan.isOther ? 'other' : 'fiscal',
  pack_id: packId,
  pack_offset: place.offset,
  pack_length: place.length,
  intake_id: intakeId,
  stored_by: contactId,
  stored_at: now(),
});

/** Adds what a file contains; true if it has a document that the client had already. */
async function insertContent(
  owner: RowOwner,
  { documents, events, voids, isOther }: Target,
  batch: RowBatch,
): Promise<boolean> {
  let isTwin = false;
  for (const { document, ...part } of documents)
    isTwin = (await addDocument(owner, document, { ...part, batch })) || isTwin;
  if (events.length + voids.length > 0 || isOther) await batch.flush();
  for (const event of events) await addEvent(owner, event);
  for (const each of voids) await addVoid(owner, each);
  if (isOther) await addOther(owner);
  return isTwin;
}

function outcomeOf(
  { clientId }: Destination,
  plan: Plan & { kind: 'stored' },
  results: ReadonlyMap<string, { fileId: string; isKnown: boolean; isTwin: boolean }>,
): Outcome {
  const own = results.get(clientId);
  if (!own) {
    const [elsewhere] = results;
    return { outcome: 'elsewhere', clientId: elsewhere?.[0] ?? '', fileId: elsewhere?.[1].fileId ?? '' };
  }
  const outcome = own.isKnown
    ? 'known'
    : own.isTwin
      ? 'twin'
      : plan.isOther
        ? 'other'
        : plan.hasDocuments
          ? 'stored'
          : 'event';
  return { outcome, clientId, fileId: own.fileId };
}
