import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { addMonths } from './kept.ts';

/*
 * What the check of stored files (fixity) has found about fiscal documents: it reads the packs one after the other, and
 * compares each with the digests with which it was encrypted.
 */

/** Maximum number of clients in the report, and of named files. */
const MAX_CLIENTS = 500;
const MAX_DAMAGED = 100;

interface Fixity {
  files: number;
  packs: number;
  bytes: number;
  /** Since when every pack has been read at least once; null without packs. */
  checkedSince: number | null;
  damagedPacks: number;
}

interface ClientFixity extends Fixity {
  clientId: string;
  name: string;
  /** When the first of its documents was authorized, and until when that one is kept at least. */
  oldest: number | null;
  keptUntil: number | null;
}

/** A file whose bytes differ from those that came in, or are gone. */
interface DamagedFile {
  fileId: string;
  name: string;
  client: string;
  noticedAt: number;
}

const assertReads = ({ staff, access }: Actor): void => {
  if (!staff || !access.permissions.has('Publish')) throw new PortalError('FORBIDDEN');
};

/** The report about the clients of a member of staff, by name; FORBIDDEN for contacts. */
export async function fixityReport(
  actor: Actor,
): Promise<{ clients: ClientFixity[]; damaged: DamagedFile[] }> {
  assertReads(actor);
  const packs = await packsByClient(actor);
  const ids = packs.map(({ client_id: id }) => id);
  const [files, oldest] = [await countFiles(ids), await oldestOf(ids)];
  const clients = packs.map(({ client_id: clientId, name, ...row }) => {
    const first = oldest.get(clientId) ?? null;
    return {
      clientId,
      name,
      files: files.get(clientId) ?? 0,
      ...numbersIn(row),
      oldest: first,
      keptUntil: first === null ? null : addMonths(first),
    };
  });
  const isAnyDamaged = clients.some(({ damagedPacks }) => damagedPacks > 0);
  return { clients, damaged: isAnyDamaged ? await damagedFiles(actor) : [] };
}

/** The same of the whole installation, for its operator. */
export async function fixityOfInstallation(): Promise<Fixity> {
  const row = await packs().executeTakeFirstOrThrow();
  const { count } = await db()
    .selectFrom('fiscal_files')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { files: Number(count), ...numbersIn(row) };
}

const packs = () =>
  db()
    .selectFrom('fiscal_packs')
    .leftJoin('blobs', 'blobs.blob_key', 'fiscal_packs.blob_key')
    .select((e) => [
      e.fn.countAll<number>().as('packs'),
      e.fn.sum<number>('fiscal_packs.size').as('bytes'),
      e.fn.min('blobs.checked_at').as('checked'),
      // a pack without its blob is damaged, too
      e.fn
        .count<number>(
          e
            .case()
            .when(e.or([e('blobs.damaged_at', 'is not', null), e('blobs.blob_key', 'is', null)]))
            .then(1)
            .end(),
        )
        .as('damaged'),
    ]);

const numbersIn = (row: {
  packs: number;
  bytes: number | null;
  checked: number | null;
  damaged: number;
}): Omit<Fixity, 'files'> => ({
  packs: Number(row.packs),
  bytes: Number(row.bytes ?? 0),
  checkedSince: row.checked === null ? null : Number(row.checked),
  damagedPacks: Number(row.damaged),
});

const packsByClient = (actor: Actor) =>
  packs()
    .innerJoin('clients', 'clients.client_id', 'fiscal_packs.client_id')
    .select(['fiscal_packs.client_id', 'clients.name'])
    .where('fiscal_packs.client_id', 'in', clientIdsOf(actor))
    .groupBy(['fiscal_packs.client_id', 'clients.name', 'clients.name_key'])
    .orderBy('clients.name_key')
    .orderBy('fiscal_packs.client_id')
    .limit(MAX_CLIENTS)
    .execute();

async function countFiles(clientIds: readonly string[]): Promise<Map<string, number>> {
  if (clientIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('fiscal_files')
    .select((e) => ['client_id', e.fn.countAll<number>().as('count')])
    .where('client_id', 'in', clientIds)
    .groupBy('client_id')
    .execute();
  return new Map(rows.map((row) => [row.client_id, Number(row.count)]));
}

async function oldestOf(clientIds: readonly string[]): Promise<Map<string, number>> {
  if (clientIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('fiscal_documents')
    .select((e) => ['client_id', e.fn.min('authorized_at').as('at')])
    .where('client_id', 'in', clientIds)
    .where('authorized_at', 'is not', null)
    .groupBy('client_id')
    .execute();
  return new Map(rows.map((row) => [row.client_id, Number(row.at)]));
}

async function damagedFiles(actor: Actor): Promise<DamagedFile[]> {
  const rows = await db()
    .selectFrom('fiscal_files')
    .innerJoin('fiscal_packs', 'fiscal_packs.pack_id', 'fiscal_files.pack_id')
    .innerJoin('clients', 'clients.client_id', 'fiscal_files.client_id')
    .leftJoin('blobs', 'blobs.blob_key', 'fiscal_packs.blob_key')
    .select(['fiscal_files.file_id', 'fiscal_files.name', 'clients.name as client', 'blobs.damaged_at'])
    .where('fiscal_files.client_id', 'in', clientIdsOf(actor))
    .where(({ or, eb }) => or([eb('blobs.damaged_at', 'is not', null), eb('blobs.blob_key', 'is', null)]))
    .orderBy('clients.name_key')
    .orderBy('fiscal_files.file_id')
    .limit(MAX_DAMAGED)
    .execute();
  return rows.map((row) => ({
    fileId: row.file_id,
    name: row.name,
    client: row.client,
    noticedAt: Number(row.damaged_at ?? 0),
  }));
}
