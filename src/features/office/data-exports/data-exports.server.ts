import type { Readable } from 'node:stream';
import {
  actorNow,
  assertActsFor,
  assertRecentlyAuthenticated,
  clientIdsOf,
} from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { documentsOf } from '#features/documents/documents/scope.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { freeBlobSpace, readBlob, releaseBlobs } from '#platform/storage/blobs.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { enqueue, jobOutcomes } from '#platform/jobs/jobs.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { consume, hasStarted, startOnce } from '#platform/security/limits.server.ts';
import type { RequestedPart } from '#platform/http/send-file.server.ts';
import type { DataExport } from './data-exports.ts';

/*
 * Exports of all the data of a client or of the firm, for those who manage the firm. A job builds the archive
 * into a blob, which can be downloaded for a week.
 */

const STARTS = { most: 10, window: DAY };
const MAX_LISTED = 50;
/** How long finished exports stay in the list. */
const LISTED_FOR = 90 * DAY;

/** Tells whether the actor may export a client (`clientId`) or, if it is null, the whole firm. */
export const mayExport = (actor: Actor, clientId: string | null): boolean =>
  actor.staff &&
  actor.viewedBy === undefined &&
  actor.access.permissions.has('ManageFirm') &&
  (clientId !== null || actor.hasAllClients);

export async function assertMayExport(actor: Actor, clientId: string | null): Promise<void> {
  if (!mayExport(actor, clientId)) throw new PortalError('FORBIDDEN');
  if (clientId !== null) await assertActsFor(actor, clientId);
}

/**
 * Starts an export of a client, or of the firm if `clientId` is null, with its texts in a language, and returns its
 * id. FORBIDDEN, NOT_FOUND; STEP_UP unless recently authenticated; LOCKED while another one of the firm is at work;
 * QUOTA if there is no space for it; TOO_MANY beyond ten a day.
 */
export async function startDataExport(
  session: Session,
  clientId: string | null,
  lang: Lang,
): Promise<string> {
  const { actor } = session;
  await assertMayExport(actor, clientId);
  assertRecentlyAuthenticated(session);
  const total = await bytesInScope(actor, clientId);
  if (total > ((await freeBlobSpace()) ?? Infinity)) throw new PortalError('QUOTA');
  const exportId = newId('dataexport');
  await inTransaction(async () => {
    await assertMayExport(await actorNow(actor), clientId);
    const started = await db()
      .insertInto('data_exports')
      .values({
        export_id: exportId,
        company_id: actor.companyId,
        contact_id: actor.contactId,
        client_id: clientId,
        state: 'waiting',
        problem: '',
        language: lang,
        attempt: 0,
        written: 0,
        total,
        omitted: 0,
        size: 0,
        sha256: '',
        blob_key: null,
        created_at: now(),
        finished_at: null,
        expires_at: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('export_id')
      .executeTakeFirst();
    if (!started) throw new PortalError('LOCKED');
    await consume(`data-exports:${actor.companyId}`, STARTS.most, STARTS.window);
    await noteExport(actor, 'data-export.request', { export_id: exportId, client_id: clientId });
    await enqueue('data-export', { exportId }, exportId, actor.companyId);
  });
  return exportId;
}

/** Records what was done with an export. */
export const noteExport = (
  { companyId, contactId }: Pick<Actor, 'companyId' | 'contactId'>,
  action:
    | 'data-export.request'
    | 'data-export.cancel'
    | 'data-export.ready'
    | 'data-export.download'
    | 'data-export.remove',
  { export_id: target, client_id: clientId }: { export_id: string; client_id: string | null },
  details: Record<string, string | number> = {},
): Promise<void> =>
  audit({ companyId, actor: contactId, action, target, details, ...(clientId !== null && { clientId }) });

async function bytesInScope(actor: Actor, clientId: string | null): Promise<number> {
  const row = await documentsOf(actor)
    .clearSelect()
    .select((e) => e.fn.sum<number | null>('documents.size').as('total'))
    .$if(clientId !== null, (all) => all.where('documents.client_id', '=', clientId ?? ''))
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

/** Lists the exports of the firm that the actor may have, the newest first; FORBIDDEN. */
export async function listDataExports(actor: Actor): Promise<DataExport[]> {
  const rows = await ownExports(actor)
    .innerJoin('contacts', 'contacts.contact_id', 'data_exports.contact_id')
    .leftJoin('clients', 'clients.client_id', 'data_exports.client_id')
    .selectAll('data_exports')
    .select(['contacts.full_name as by', 'clients.name as client_name'])
    .orderBy('data_exports.created_at', 'desc')
    .limit(MAX_LISTED)
    .execute();
  return rows.map((row) => ({
    id: row.export_id,
    client: row.client_id === null ? undefined : { id: row.client_id, name: row.client_name ?? '' },
    state: row.state,
    problem: row.problem,
    by: row.by,
    written: row.written,
    total: row.total,
    omitted: row.omitted,
    size: row.size,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
  }));
}

function ownExports(actor: Actor) {
  if (!actor.staff || !actor.access.permissions.has('ManageFirm')) throw new PortalError('FORBIDDEN');
  return db()
    .selectFrom('data_exports')
    .where('data_exports.company_id', '=', actor.companyId)
    .where((e) =>
      e.or([
        ...(actor.hasAllClients ? [e('data_exports.client_id', 'is', null)] : []),
        e('data_exports.client_id', 'in', clientIdsOf(actor)),
      ]),
    );
}

async function ownExport(actor: Actor, exportId: string) {
  const row = await ownExports(actor)
    .selectAll('data_exports')
    .where('export_id', '=', exportId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** Cancels an export at work, or removes the file of a finished one; NOT_FOUND. */
export async function removeDataExport(actor: Actor, exportId: string): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    const row = await ownExport(current, exportId);
    if (row.state === 'waiting' || row.state === 'building') {
      await settle(exportId, { state: 'cancelled' });
      await noteExport(current, 'data-export.cancel', row);
    } else if (row.state === 'ready') {
      await removeFile(row);
      await noteExport(current, 'data-export.remove', row);
    }
  });
}

const settle = (
  exportId: string,
  change: { state: 'cancelled' | 'failed'; problem?: DataExport['problem'] },
): Promise<unknown> =>
  db()
    .updateTable('data_exports')
    .set({ ...change, finished_at: now() })
    .where('export_id', '=', exportId)
    .where('state', 'in', ['waiting', 'building'])
    .execute();

async function removeFile({
  export_id: exportId,
  blob_key: key,
}: {
  export_id: string;
  blob_key: string | null;
}) {
  await releaseBlobs(key === null ? [] : [key]);
  await db()
    .updateTable('data_exports')
    .set({ state: 'expired', blob_key: null })
    .where('export_id', '=', exportId)
    .execute();
}

/**
 * Opens the file of a finished export, for a download: recorded once, however many ranges it takes. NOT_FOUND; STEP_UP
 * unless recently authenticated, but not to continue a download of the same day.
 */
export async function openDataExport(
  session: Session,
  exportId: string,
  requestedPart: (file: { size: number; etag: string }) => RequestedPart,
): Promise<{
  clientId: string | null;
  createdAt: number;
  size: number;
  etag: string;
  open: (range?: { start: number; end: number }) => Readable;
}> {
  const { actor } = session;
  const row = await ownExport(actor, exportId);
  const { blob_key: key, size, sha256: etag } = row;
  if (row.state !== 'ready' || key === null || (row.expires_at ?? 0) <= now()) throw notFound();
  const asks = requestedPart({ size, etag });
  const download = `data-export:${actor.contactId}:${exportId}`;
  if (asks === 'whole' || (asks === 'part' && !(await hasStarted(download)))) {
    assertRecentlyAuthenticated(session);
    await inTransaction(async () => {
      await assertMayExport(await actorNow(actor), row.client_id);
      await startOnce(download, DAY);
      await noteExport(actor, 'data-export.download', row, { size, sha256: etag });
    });
  }
  return {
    clientId: row.client_id,
    createdAt: row.created_at,
    size,
    etag,
    open: (range) => readBlob(key, range),
  };
}

/**
 * Removes files after a week, gives up exports whose jobs are lost, such as after a restore, and forgets old ones.
 */
export async function sweepDataExports(): Promise<void> {
  const due = await db()
    .selectFrom('data_exports')
    .select(['export_id', 'blob_key'])
    .where('state', '=', 'ready')
    .where('expires_at', '<=', now())
    .execute();
  for (const row of due) await inTransaction(() => removeFile(row));
  const open = await db()
    .selectFrom('data_exports')
    .select('export_id')
    .where('state', 'in', ['waiting', 'building'])
    .execute();
  const outcomes = await jobOutcomes(open.map(({ export_id: id }) => id));
  for (const { export_id: id } of open)
    if (outcomes.get(id) !== 'waiting') await settle(id, { state: 'failed', problem: 'ERROR' });
  await db()
    .deleteFrom('data_exports')
    .where('finished_at', '<=', now() - LISTED_FOR)
    .where('state', 'in', ['failed', 'cancelled', 'expired'])
    .execute();
}
