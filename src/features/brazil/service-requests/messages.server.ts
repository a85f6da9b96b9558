import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { documentsOfAnswers } from '#features/tasks/tasks/documents-of-answers.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { assertWrites } from './access.server.ts';
import { requestMessageAdded } from './events.server.ts';
import { notifyOtherSide } from './mails.server.ts';
import { lockRequest, requestRow, type RequestRow } from './scope.server.ts';
import { shownNumber, type RequestMessage } from './service-requests.ts';
import type { Tables } from '#platform/database/schema.server.ts';

/*
 * What the two sides write to each other about a request, and what happened with it: one list, the oldest first. It is part
 * of the records and never changed.
 */

const MAX_AN_HOUR = 60;

interface NewMessage {
  kind: Tables['service_request_messages']['kind'];
  text: string;
  documentIds?: readonly string[];
}

/** Adds a message to a request, in the open transaction; returns its id. NOT_FOUND for documents of others. */
export async function storeMessage(
  actor: Actor,
  row: RequestRow,
  { kind, text, documentIds = [] }: NewMessage,
): Promise<string> {
  const messageId = newId('message');
  const { newest } = await db()
    .selectFrom('service_request_messages')
    .select((e) => e.fn.max('number').as('newest'))
    .where('request_id', '=', row.request_id)
    .executeTakeFirstOrThrow();
  await db()
    .insertInto('service_request_messages')
    .values({
      message_id: messageId,
      company_id: row.company_id,
      request_id: row.request_id,
      number: Number(newest ?? 0) + 1,
      kind,
      body: encryptFor('service_request_messages.body', messageId, text),
      by_staff: actor.staff ? 1 : 0,
      created_by: actor.contactId,
      created_at: now(),
    })
    .execute();
  const found = await documentsOfAnswers(actor, documentIds);
  for (const id of new Set(documentIds)) {
    if (!found.has(id)) throw new PortalError('INVALID', { field: 'documentIds' });
    await db()
      .insertInto('service_request_files')
      .values({ message_id: messageId, document_id: id })
      .execute();
  }
  return messageId;
}

/**
 * Writes to the other side about a request in any of its states but a draft, or as staff a note for the firm. NOT_FOUND,
 * FORBIDDEN, NOT_POSSIBLE for a draft, TOO_MANY beyond 60 an hour.
 */
export async function addMessage(
  actor: Actor,
  requestId: string,
  { text, isInternal }: { text: string; isInternal: boolean },
): Promise<void> {
  assertWrites(actor);
  await requestRow(actor, requestId);
  if (isInternal && !actor.staff) throw new PortalError('FORBIDDEN');
  await consume(`service-requests:${actor.contactId}`, MAX_AN_HOUR, HOUR);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertWrites(current);
    const row = await lockRequest(current, requestId);
    if (row.status === 'Draft') throw new PortalError('NOT_POSSIBLE');
    const messageId = await storeMessage(current, row, { kind: isInternal ? 'note' : 'message', text });
    await audit({
      companyId: row.company_id,
      actor: current.contactId,
      action: isInternal ? 'service-request.note' : 'service-request.message',
      target: requestId,
      clientId: row.client_id,
    });
    if (isInternal) return;
    if (!current.staff)
      await requestMessageAdded.announce({
        companyId: row.company_id,
        clientId: row.client_id,
        requestId,
        messageId,
        name: shownNumber(Number(row.year), Number(row.number)),
      });
    await notifyOtherSide(current, row, { kind: 'message', messageId });
  });
}

/** The messages of a request that the actor sees, the oldest first. */
export async function messagesOf(actor: Actor, requestId: string): Promise<RequestMessage[]> {
  const rows = await db()
    .selectFrom('service_request_messages as messages')
    .innerJoin('contacts', 'contacts.contact_id', 'messages.created_by')
    .selectAll('messages')
    .select('contacts.full_name')
    .where('messages.request_id', '=', requestId)
    .$if(!actor.staff, (all) => all.where('messages.kind', '!=', 'note'))
    .orderBy('messages.number')
    .execute();
  const files = await filesOf(
    actor,
    rows.map((row) => row.message_id),
  );
  return rows.map((row) => ({
    id: row.message_id,
    kind: row.kind,
    text: decryptFrom('service_request_messages.body', row.message_id, row.body),
    createdBy: row.full_name,
    role: row.by_staff === 1 ? 'Firm' : 'Client',
    isInternal: row.kind === 'note',
    createdDate: new Date(Number(row.created_at)).toISOString(),
    documents: files.get(row.message_id) ?? [],
  }));
}

/** The documents that the firm has sent with its replies and messages about a request. */
export async function documentsOfFirm(
  actor: Actor,
  requestId: string,
): Promise<{ id: string; name: string }[]> {
  const rows = await db()
    .selectFrom('service_request_messages')
    .select('message_id')
    .where('request_id', '=', requestId)
    .where('by_staff', '=', 1)
    .where('kind', '!=', 'note')
    .orderBy('number')
    .execute();
  const files = await filesOf(
    actor,
    rows.map(({ message_id: id }) => id),
  );
  return rows.flatMap(({ message_id: id }) => files.get(id) ?? []);
}

async function filesOf(
  actor: Actor,
  messageIds: readonly string[],
): Promise<Map<string, { id: string; name: string }[]>> {
  if (messageIds.length === 0) return new Map();
  const rows = await db()
    .selectFrom('service_request_files')
    .selectAll()
    .where('message_id', 'in', messageIds)
    .orderBy('document_id')
    .execute();
  const documents = await documentsOfAnswers(
    actor,
    rows.map((row) => row.document_id),
  );
  const found = new Map<string, { id: string; name: string }[]>();
  for (const { message_id: id, document_id: documentId } of rows) {
    const document = documents.get(documentId);
    if (document) found.set(id, [...(found.get(id) ?? []), { id: document.id, name: document.name }]);
  }
  return found;
}
