import {
  presentBytes,
  servableIn,
  type DocumentBytes,
  type Place,
} from '#features/documents/documents/bytes.server.ts';
import { hasNotRead, noteOpened } from '#features/documents/documents/reading.server.ts';
import type { DocumentRow } from '#features/documents/documents/scope.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { issueReceipts } from '#features/base/receipts/issuing.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { DAY, HOUR } from '#platform/runtime/clock.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { unlessStorageIsFull } from '#platform/runtime/errors.server.ts';
import { ExpiringMap } from '#platform/runtime/expiring-map.server.ts';
import { hasStarted, startOnce } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import type { RequestedPart } from '#platform/http/send-file.server.ts';
import { countFetched } from './allowance.server.ts';

/**
 * Opens a document in a container of that type. Opening it to read, unlike HEAD, marks it read for a contact
 * (product.md, Documents), unless staff view as them.
 */
export async function openDocument(
  actor: Actor,
  place: Place,
  documentId: string,
  reads: boolean,
): Promise<DocumentBytes> {
  const row = await servableIn(actor, place, documentId);
  if (reads) await inTransaction(() => noteDownload(actor, row));
  return presentBytes(row);
}

/**
 * Stores read mark, receipt and audit entry of a download in the open transaction; does nothing while staff
 * view as a contact.
 */
async function noteDownload(actor: Actor, row: DocumentRow): Promise<void> {
  if (actor.viewedBy !== undefined) return;
  await noteOpened(actor, [row.document_id]);
  const receipt = await issueReceipts({
    companyId: row.company_id,
    kind: 'download',
    actor: actor.contactId,
    documents: [presentBytes(row)],
  });
  await audit({
    companyId: row.company_id,
    actor: actor.contactId,
    action: 'document.download',
    target: row.document_id,
    clientId: row.client_id,
    details: { ...receipt },
  });
}

/**
 * Opens a document for download: counted and recorded once for each download, and STEP_UP beyond the hourly
 * allowance (threat-model.md T67). All ranges of a document that a person requests within a day are one
 * download, whichever comes first.
 */
export async function fetchDocument(
  session: Session,
  place: Place,
  documentId: string,
  requestedPart: (file: { size: number; etag: string }) => RequestedPart,
): Promise<DocumentBytes> {
  const { actor } = session;
  const row = await servableIn(actor, place, documentId);
  const asks = requestedPart({ size: row.size, etag: row.sha256 });
  const download = `download:${actor.viewedBy ?? ''}:${actor.contactId}:${documentId}`;
  if (asks === 'headers' || (asks === 'part' && (await hasStarted(download)))) return presentBytes(row);
  try {
    await countFetched(session, [row.size], async () => {
      if (!(await startOnce(download, DAY)) && asks === 'part') throw new BegunMeanwhile();
      await noteDownload(actor, row);
    });
  } catch (error) {
    if (!(error instanceof BegunMeanwhile)) throw error;
  }
  return presentBytes(row);
}

/** Of two concurrent ranges, one starts the download. */
class BegunMeanwhile extends Error {}

/**
 * Records that somebody views a document: it counts towards the download allowance, with STEP_UP as in {@link
 * fetchDocument}; it is marked read for a contact, and audited; on a full disk only logged. All views within
 * half an hour are one, unless each returns the whole document (`isWhole`): then each is counted, and audited
 * once; marking the document unread starts a new view. For staff who view as a contact it is only counted, as
 * their own.
 */
export async function noteViewed(
  session: Session,
  { documentId, clientId, size }: Pick<DocumentBytes, 'documentId' | 'clientId' | 'size'>,
  { isWhole = false } = {},
): Promise<void> {
  const { actor } = session;
  const key = `${actor.viewedBy ?? ''} ${actor.contactId} ${documentId}`;
  const isKnown = recentViews.get(key) === true && !(await hasNotRead(actor, documentId));
  if (isKnown && !isWhole) return;
  const isNoted = await unlessStorageIsFull(async () => {
    await countFetched(session, [size]);
    if (isKnown || actor.viewedBy !== undefined) return;
    await inTransaction(async () => {
      await noteOpened(actor, [documentId]);
      await audit({
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'document.view',
        target: documentId,
        clientId,
      });
    });
  });
  if (!isNoted) return log.warn({ event: 'document.view-not-noted' });
  if (isKnown) return;
  recentViews.set(key, true, VIEW_LASTS);
}

/** Views within this time are the same one: a document with many pages is viewed once, not once per page. */
const VIEW_LASTS = HOUR / 2;
const MAX_VIEWS = 5000;
const recentViews = new ExpiringMap<true>(MAX_VIEWS);
